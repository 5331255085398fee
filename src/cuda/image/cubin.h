/* SPDX-License-Identifier: Apache-2.0
 *
 * What machine code says of its kernels. */
#ifndef WW_CUDA_CUBIN_H
#define WW_CUDA_CUBIN_H

#include <stdbool.h>
#include <stddef.h>

typedef void CubinEach(void *user, const char *symbol, unsigned registers, unsigned stack);
/* Tells the registers and the bytes of stack of a thread for each function of the ELF file in memory; false: it is not one. */
bool cubin_functions(const void *elf, size_t bytes, CubinEach *each, void *user);

#endif
