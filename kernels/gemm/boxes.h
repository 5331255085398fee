/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensor copies and the mbarriers they complete on, one instruction a function.  Addresses are those of the shared window. */
#ifndef WW_KERNELS_GEMM_BOXES_H
#define WW_KERNELS_GEMM_BOXES_H

#include "element.h"

typedef unsigned long long Bar; /* an mbarrier */

/* arrivals: how many complete a phase. */
static __device__ __forceinline__ void bar_init(unsigned bar, unsigned arrivals)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(bar), "r"(arrivals) : "memory");
}

/* The map is on its way to where tensor copies look for it; it is not of the launch in front of this one. */
static __device__ __forceinline__ void map_early(const GemmMap *map)
{
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

/* Other threads of the cluster, and tensor copies, may come to the mbarriers behind the next barrier. */
static __device__ __forceinline__ void bars_ready(void)
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/* The same, and the launch in front of this one has ended. */
static __device__ __forceinline__ void bar_init_done(void)
{
    bars_ready();
    grid_turn();
}

static __device__ __forceinline__ void bar_expect(unsigned bar, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
}

static __device__ __forceinline__ void bar_arrive(unsigned bar)
{
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(bar) : "memory");
}

static __device__ __forceinline__ void bar_wait(unsigned bar, unsigned phase)
{
    asm volatile("{ .reg .pred p;\nagain: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@!p bra again; }" ::"r"(bar), "r"(phase)
                 : "memory");
}

/* The same, asleep meanwhile: polling, one warp took a tenth of its scheduler's issue slots from the warps that multiply. */
static __device__ __forceinline__ void bar_sleep(unsigned bar, unsigned phase)
{
    enum { AT_MOST = 10000000 }; /* nanoseconds */
    asm volatile("{ .reg .pred p;\nagain: mbarrier.try_wait.parity.shared.b64 p, [%0], %1, %2;\n@!p bra again; }" ::"r"(bar), "r"(phase),
                 "r"((unsigned)AT_MOST)
                 : "memory");
}

/* One thread of a warp, all of which come here.  nvcc knows then that only one orders copies; behind a question for threadIdx.x it makes a loop of each. */
static __device__ __forceinline__ bool elect_one(void)
{
    unsigned one;
    asm volatile("{ .reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p; }" : "=r"(one));
    return one;
}

/* The box at column c, row r of a two-dimensional map. */
static __device__ __forceinline__ void box_copy(unsigned to, const GemmMap *map, int c, int r, unsigned bar)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to),
                 "l"(map), "r"(c), "r"(r), "r"(bar)
                 : "memory");
}

#endif
