/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the threads of a cluster are, in words. */
#ifndef WW_EMU_WHERE_H
#define WW_EMU_WHERE_H

#include "emu/core/run.h"

/* "96 threads at gemm.cu:20 (mbarrier), 1 thread at gemm.cu:31"; the first few places. */
void where_threads(const Cluster *c, Str *out);
/* The instruction at which the first thread stands that waits for nothing, with its block and thread; UINT32_MAX: there is none. */
uint32_t where_instr(const Cluster *c, uint32_t block[3], uint32_t *thread);
/* "arrivals stand at gemm.cu:40", or copies that complete bytes of transactions. */
void where_completing(const Launch *l, bool bytes, Str *out);

#endif
