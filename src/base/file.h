/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening files that somebody else names.  Nothing here waits for another process or reads without an end: what is read must be a regular
 * file, and a pipe is only written to while somebody reads it.  On failure errno is set; file_error says what it means. */
#ifndef WW_BASE_FILE_H
#define WW_BASE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/str.h"

/* For reading; -1 or NULL unless it is a regular file. */
int   file_open(const char *path);
FILE *file_read(const char *path);
/* All of it behind *out, of at most `most` bytes. */
bool file_text(const char *path, uint64_t most, Str *out);

/* For writing, as fopen's "w" and "a".  A device is taken too, and a pipe that is read, or soon will be;
 * of file_create, "-" is standard output. */
FILE *file_create(const char *path);
FILE *file_append(const char *path);

/* All n bytes, whatever interrupts it; false: errno says why. */
bool file_write(int fd, const void *bytes, size_t n);

/* Does the name mean nothing to a shell and nothing in a list of paths, whatever its place there? */
bool file_plain_name(const char *name);

/* What an errno of the above means, as strerror. */
const char *file_error(int e);

#endif
