/* SPDX-License-Identifier: Apache-2.0
 *
 * What a compiler made of a source is kept on disk (base/cache.h), so that the next process need not compile it again. */
#ifndef WW_DEVICE_COMPILED_H
#define WW_DEVICE_COMPILED_H

#include <stdbool.h>

#include "base/str.h"

/* Where nvcc is when it is not on PATH. */
#define COMPILED_NVCC "/usr/local/cuda/bin/nvcc"

typedef struct Compiled Compiled; /* every function takes NULL, too: nothing is ever kept */

/* Nvcc is about to compile `file` with these options (up to a NULL), in this folder and environment.  `nameless`: the file's name means nothing,
 * only its text does (a temporary file).  NULL: what nvcc would make depends on more than is looked at here, or there is no cache. */
Compiled *compiled_begin(const char *file, bool nameless, const char *const *options);
/* Behind *ptx and *said: what it made of the same question, and what it wrote.  False: that is not known. */
bool      compiled_find(Compiled *c, Str *ptx, Str *said);
/* Keeps them; `dependencies` is a file with what was read, in the words of make (gcc -MD). */
void      compiled_keep(Compiled *c, const char *dependencies, const Str *ptx, const Str *said);
void      compiled_end(Compiled *c);

#endif
