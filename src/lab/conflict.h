/* SPDX-License-Identifier: Apache-2.0
 *
 * One line of text for a shared memory access that conflicts: where it is, who made it, and which lanes met on which
 * bank. */
#ifndef WW_LAB_CONFLICT_H
#define WW_LAB_CONFLICT_H

#include "base/str.h"
#include "model/profile.h"
#include "warpwright/warpwright.h"

/* Without a newline. */
void conflict_describe(const char *kernel, const Profile *profile, const WwAccess *a, Str *out);

#endif
