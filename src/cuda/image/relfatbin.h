/* SPDX-License-Identifier: Apache-2.0
 *
 * Relocatable device code: the registered fat binary then holds machine code only; the PTX of every source file lies in the ELF
 * section __nv_relfatbin of the program or library itself. */
#ifndef WW_CUDA_RELFATBIN_H
#define WW_CUDA_RELFATBIN_H

#include "base/status.h"
#include "base/str.h"

/* Links the PTX of every container in the section of the file that holds `inside` (an address in a loaded program or library).
 * WW_ERR_NOT_FOUND: there is none; WW_ERR_INVALID: it cannot be linked, *why says why. */
Status relfatbin_ptx(const void *inside, unsigned arch, Str *ptx, Str *why);
/* The same for an object file or a static library in memory. */
Status relfatbin_memory(const void *data, size_t bytes, unsigned arch, Str *ptx, Str *why);

#endif
