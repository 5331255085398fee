/* SPDX-License-Identifier: Apache-2.0
 *
 * Profiles from files: what a person wrote, or `warpwright profile measure`.  One figure a line:
 *
 *     # what stands behind a # is not read
 *     base: h200            begins with the figures of this card, or
 *     arch: sm_90           of a card of this architecture: every figure is wanted
 *     title: our own board
 *     sms: 114              a row of figures.def; `unknown`: not known
 *
 * Figures of time may all be left out: then nothing is predicted.  A file that is read wrong is refused as a whole, with file and line. */
#ifndef WW_MODEL_PROFILE_FILE_H
#define WW_MODEL_PROFILE_FILE_H

#include "model/profile.h"
#include "model/time.h"

/* The profile of that name, or, of a text with a '/' or a '.', which no name has, in that file; NULL or "": the default.  NULL: *why (may be
 * NULL) has the message, without "error:" for a name, with FILE:LINE: for a file.  The caller gives it to profile_close. */
const Profile *profile_open(const char *text, Str *why);
/* Is it a file that profile_open would read? */
bool profile_is_file(const char *text);
/* NULL, and profiles of the table, are left as they are. */
void profile_close(const Profile *p);

/* The text of a file, whose name stands in messages and becomes the profile's. */
const Profile *profile_parse(const char *file, const char *text, size_t len, Str *why);
/* The text that profile_parse reads as these figures; t: NULL, not known. */
void profile_print(const Profile *p, const Timing *t, Str *out);

#endif
