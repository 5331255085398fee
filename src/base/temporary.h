/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that live as long as a command needs them. */
#ifndef WW_BASE_TEMPORARY_H
#define WW_BASE_TEMPORARY_H

/* Makes a new empty file warpwright-<what>-XXXXXX in $TMPDIR, where that is an absolute path and plain, else in /tmp.  Its descriptor, closed by
 * exec, and its path, to be unlinked and freed; -1 (errno) and NULL. */
int temporary_file(const char *what, char **path);

#endif
