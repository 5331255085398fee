/* SPDX-License-Identifier: Apache-2.0
 *
 * Asynchronous copies, mbarriers, clusters and wgmma for the programs of this folder.  Macros, so that an instruction stands at the line of the
 * program that names it. */
#pragma once
#include <cstdint>

#define SHARED(p)      static_cast<unsigned>(__cvta_generic_to_shared(p))
#define BAR_INIT(b, n) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(SHARED(b)), "r"(n) : "memory")
#define BAR_FENCE()    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory")
#define BAR_ARRIVE(b)  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(SHARED(b)) : "memory")
#define BAR_EXPECT(b, bytes)                                                                                           \
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(SHARED(b)), "r"(bytes) : "memory")
#define BAR_WAIT(b, parity)                                                                                            \
    asm volatile("{\n.reg .pred over;\nagain:\nmbarrier.try_wait.parity.shared.b64 over, [%0], %1;\n@!over bra again;\n}" ::"r"(SHARED(b)), \
                 "r"(parity)                                                                                           \
                 : "memory")
#define BAR_ARRIVE_AT(b, rank)                                                                                         \
    asm volatile("{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"                                      \
                 "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n}" ::"r"(SHARED(b)), "r"(rank)      \
                 : "memory")
#define BULK_LOAD(to, from, bytes, b)                                                                                  \
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(SHARED(to)), "l"(from), \
                 "r"(bytes), "r"(SHARED(b))                                                                            \
                 : "memory")
#define BULK_STORE(to, from, bytes)                                                                                    \
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(SHARED(from)), "r"(bytes) : "memory")
#define BULK_ADD(to, from, bytes)                                                                                      \
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], %2;" ::"l"(to), "r"(SHARED(from)), "r"(bytes) : "memory")
#define BULK_COMMIT()    asm volatile("cp.async.bulk.commit_group;" ::: "memory")
#define BULK_WAIT()      asm volatile("cp.async.bulk.wait_group 0;" ::: "memory")
#define BULK_WAIT_READ() asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory")
#define FENCE_ASYNC()    asm volatile("fence.proxy.async.shared::cta;" ::: "memory")
#define ST_ASYNC(to, v, b, rank)                                                                                       \
    asm volatile("{\n.reg .b32 there, bar;\nmapa.shared::cluster.u32 there, %0, %3;\nmapa.shared::cluster.u32 bar, %2, %3;\n" \
                 "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [there], %1, [bar];\n}" ::"r"(SHARED(to)), "r"(v), \
                 "r"(SHARED(b)), "r"(rank)                                                                             \
                 : "memory")
#define CLUSTER_ARRIVE()  asm volatile("barrier.cluster.arrive.aligned;" ::: "memory")
#define CLUSTER_RELAXED() asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory")
#define CLUSTER_WAIT()    asm volatile("barrier.cluster.wait.aligned;" ::: "memory")
#define CLUSTER_SYNC()    do { CLUSTER_ARRIVE(); CLUSTER_WAIT(); } while (0)
/* The same place in the shared memory of another block. */
#define REMOTE(p, rank) (static_cast<decltype(&*(p))>(__cluster_map_shared_rank(p, rank)))

/* 64 x 8 = 64 x 16 * 16 x 8 of bf16. */
#define WGMMA_FENCE()  asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define WGMMA_COMMIT() asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
#define WGMMA_WAIT(n)  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(n) : "memory")
#define WGMMA(d, a, b)                                                                                                 \
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 0, 1, 1, 0, 0;"        \
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])                                                      \
                 : "l"(a), "l"(b)                                                                                      \
                 : "memory")
/* swizzle: 0 none, 1 = 128, 2 = 64, 3 = 32 bytes; groups of eight rows are `stride` bytes apart */
#define DESCRIPTOR(p, swizzle, leading, stride)                                                                        \
    ((SHARED(p) & 0x3ffff) >> 4 | static_cast<uint64_t>((leading) >> 4) << 16 | static_cast<uint64_t>((stride) >> 4) << 32 | \
     static_cast<uint64_t>(swizzle) << 62)
