/* SPDX-License-Identifier: Apache-2.0
 *
 * What the assembler makes of a kernel: what the program's machine code says, else ptxas -v, when there is one; asked once for each content, as
 * far as its answers can be kept on disk (base/cache.h). */
#ifndef WW_DEVICE_PTXAS_H
#define WW_DEVICE_PTXAS_H

#include "check/check.h"

typedef struct Ptxas Ptxas; /* remembers what it was told; one thread at a time */

Ptxas *ptxas_new(const Profile *p);
void   ptxas_free(Ptxas *x); /* NULL is allowed */
/* false: there is no ptxas, it does not know the architecture, or it did not end well, or enough time was spent on it. */
bool   ptxas_resources(Ptxas *x, const Module *m, const Func *kernel, Resources *out);
/* Somebody read it from machine code: that is the answer from now on. */
void   ptxas_told(Ptxas *x, const Module *m, const Func *kernel, const Resources *is);
/* What it was told; false: nothing. */
bool   ptxas_knows(const Ptxas *x, const Module *m, const Func *kernel, Resources *out);
/* Forgets a module that is unloaded. */
void   ptxas_forget(Ptxas *x, const Module *m);

#endif
