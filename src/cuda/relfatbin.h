/* SPDX-License-Identifier: Apache-2.0
 *
 * Relocatable device code: the registered fat binary then holds machine code only; the PTX of every source file lies in the ELF
 * section __nv_relfatbin of the program or library itself. */
#ifndef WW_CUDA_RELFATBIN_H
#define WW_CUDA_RELFATBIN_H

#include <stdbool.h>

#include "base/str.h"

/* Joins the PTX of every container in the section of the file that holds `inside` (an address in a loaded program or library).
 * False: there is none. */
bool relfatbin_ptx(const void *inside, unsigned arch, Str *ptx);
/* Joins one more PTX text to what is in *ptx: its header directives are dropped when there is text already. */
void ptx_join(Str *ptx, const char *text, size_t len);

#endif
