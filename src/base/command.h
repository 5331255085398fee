/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands of the machine that do a part of the work: ptxas, clang. */
#ifndef WW_BASE_COMMAND_H
#define WW_BASE_COMMAND_H

#include <stdbool.h>

#include "base/content.h"

/* Runs `program` (looked for in PATH) with those arguments, standard output and error to fd, for at most so many seconds; when this process
 * is killed outright, it ends by itself after as many of its own.  True: it ended with 0.  *there: it could be started. */
bool command_run(const char *program, char *const *args, int fd, unsigned seconds, bool *there);

/* Adds what tells one `program` from another: path, size and time of change of every file of that name in PATH, and of `usual`. */
void command_add(ContentHash *h, const char *program, const char *usual);

/* Which clang there is in PATH: the plain name, or one with a version, of which Debian has several; NULL: none. */
const char *command_clang(void);

#endif
