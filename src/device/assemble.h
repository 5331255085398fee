/* SPDX-License-Identifier: Apache-2.0
 *
 * The assembler at hand (ptxas, of any CUDA toolkit): which one it is, running it, and what it makes of a text. */
#ifndef WW_DEVICE_ASSEMBLE_H
#define WW_DEVICE_ASSEMBLE_H

#include <stdbool.h>

#include "base/content.h"
#include "base/str.h"

/* Runs it for at most so many seconds, its output to fd: that on PATH, else the toolkit's usual one.  True: it ended with 0.  *there: there
 * is one. */
bool assembler_run(char *const *args, int fd, unsigned seconds, bool *there);
/* Adds what tells one ptxas from another: path, size, time of change. */
void assembler_add(ContentHash *h);

/* Appends to *cubin the machine code of PTX for an architecture ("sm_90"), with the lines of its instructions; what was made before is taken
 * from a cache on disk.  False: *why says what is missing or what the assembler said. */
bool assemble(const char *ptx, size_t len, const char *arch, Str *cubin, Str *why);
/* The architecture to assemble a module for that names `target`, on a card of that capability (90): sm_90a is made for itself only. */
void assemble_arch(unsigned cc, const char *target, char *arch, size_t most);

#endif
