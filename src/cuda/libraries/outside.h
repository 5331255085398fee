/* SPDX-License-Identifier: Apache-2.0
 *
 * For calls of libraries that are not ours and that take device memory (MPI): the host's own code reads and writes it, as it could not on a card
 * without a CUDA-aware library.  Told before the call reads, and after it has written. */
#ifndef WW_CUDA_OUTSIDE_H
#define WW_CUDA_OUTSIDE_H

#include <stdbool.h>
#include <stddef.h>

/* Does anybody want to hear it? */
bool ww_cuda_outside_checked(void);
/* Memory that is no device's is passed over.  call: a name, for ever valid. */
void ww_cuda_outside_reads(const char *call, const void *at, size_t bytes);
void ww_cuda_outside_writes(const void *at, size_t bytes);
/* Whoever called the library that this address of code belongs to made the call (library.h). */
void ww_cuda_outside_is(void (*code)(void));

#endif
