/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of bf16 and fp16 by a warpgroup (wgmma), the stores of their results, and what the blocks of a cluster need besides boxes.h; one
 * instruction a function. */
#ifndef WW_KERNELS_GEMM_WGMMA_CUH
#define WW_KERNELS_GEMM_WGMMA_CUH

#include "boxes.h"

/* Where a swizzled tile of 16-bit elements begins.  Along k: rows of 64 elements of k, groups of 8 rows 1024 bytes apart.  Else (N):
 * boxes of 64 elements along m or n by 64 of k, one after the other, eight of k 1024 bytes apart. */
template <int N> static __device__ __forceinline__ unsigned long long wgmma_operand(unsigned address)
{
    enum { GROUP = 1024, BOX = 64 * 128, SWIZZLE_128 = 1 };
    unsigned long long leading = N ? BOX >> 4 : 0;
    return (unsigned long long)((address & 0x3ffff) >> 4) | leading << 16 | (unsigned long long)(GROUP >> 4) << 32 |
           (unsigned long long)SWIZZLE_128 << 62;
}

static __device__ __forceinline__ void wgmma_begin(void)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

static __device__ __forceinline__ void wgmma_commit(void)
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int LEFT> static __device__ __forceinline__ void wgmma_wait(void)
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
}

#define WGMMA_4(d, i)  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define WGMMA_8(d, i)  WGMMA_4(d, i), WGMMA_4(d, i + 4)
#define WGMMA_16(d, i) WGMMA_4(d, i), WGMMA_4(d, i + 4), WGMMA_4(d, i + 8), WGMMA_4(d, i + 12)
#define WGMMA_32(d, i) WGMMA_16(d, i), WGMMA_16(d, i + 16)
#define WGMMA_64(d, i) WGMMA_32(d, i), WGMMA_32(d, i + 32)

/* The first so many operands of an instruction. */
#define WGMMA_FIRST_16  "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15"
#define WGMMA_FIRST_24  WGMMA_FIRST_16 ",%16,%17,%18,%19,%20,%21,%22,%23"
#define WGMMA_FIRST_32  WGMMA_FIRST_16 ",%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define WGMMA_FIRST_40  WGMMA_FIRST_32 ",%32,%33,%34,%35,%36,%37,%38,%39"
#define WGMMA_FIRST_48  WGMMA_FIRST_32 ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47"
#define WGMMA_FIRST_64  WGMMA_FIRST_48 ",%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define WGMMA_FIRST_72  WGMMA_FIRST_64 ",%64,%65,%66,%67,%68,%69,%70,%71"
#define WGMMA_FIRST_80  WGMMA_FIRST_64 ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79"
#define WGMMA_FIRST_88  WGMMA_FIRST_80 ",%80,%81,%82,%83,%84,%85,%86,%87"
#define WGMMA_FIRST_96  WGMMA_FIRST_80 ",%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95"
#define WGMMA_FIRST_104 WGMMA_FIRST_96 ",%96,%97,%98,%99,%100,%101,%102,%103"
#define WGMMA_FIRST_112 WGMMA_FIRST_96 ",%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111"
#define WGMMA_FIRST_128 WGMMA_FIRST_112 ",%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127"

/* d = x * y, added to d where `more`: 64 x so many columns of 16 along k; asynchronous.  A thread has half as many results as there are columns; x_at to
 * turned_y: the operands behind them. */
#define WGMMA(type, columns, results, x_at, y_at, more_at, turned_x, turned_y, ...)                                    \
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %" #more_at ", 0;\n"                                                  \
                 "wgmma.mma_async.sync.aligned.m64n" #columns "k16.f32." type "." type " {" WGMMA_FIRST_##results      \
                 "}, %" #x_at ", %" #y_at ", p, 1, 1, %" #turned_x ", %" #turned_y "; }"                               \
                 : __VA_ARGS__                                                                                         \
                 : "l"(x), "l"(y), "r"(more), "n"(XN), "n"(YN))
#define WGMMA_HALF(...)                                                                                                \
    if (BRAIN)                                                                                                         \
        WGMMA("bf16", __VA_ARGS__);                                                                                    \
    else                                                                                                               \
        WGMMA("f16", __VA_ARGS__)

template <int BRAIN, int XN, int YN>
static __device__ __forceinline__ void wgmma_half(float (&d)[128], unsigned long long x, unsigned long long y, int more)
{
    WGMMA_HALF(256, 128, 128, 129, 130, 131, 132, WGMMA_64(d, 0), WGMMA_64(d, 64));
}

template <int BRAIN, int XN, int YN>
static __device__ __forceinline__ void wgmma_half(float (&d)[112], unsigned long long x, unsigned long long y, int more)
{
    WGMMA_HALF(224, 112, 112, 113, 114, 115, 116, WGMMA_64(d, 0), WGMMA_32(d, 64), WGMMA_16(d, 96));
}

template <int BRAIN, int XN, int YN>
static __device__ __forceinline__ void wgmma_half(float (&d)[104], unsigned long long x, unsigned long long y, int more)
{
    WGMMA_HALF(208, 104, 104, 105, 106, 107, 108, WGMMA_64(d, 0), WGMMA_32(d, 64), WGMMA_8(d, 96));
}

template <int BRAIN, int XN, int YN>
static __device__ __forceinline__ void wgmma_half(float (&d)[96], unsigned long long x, unsigned long long y, int more)
{
    WGMMA_HALF(192, 96, 96, 97, 98, 99, 100, WGMMA_64(d, 0), WGMMA_32(d, 64));
}

template <int BRAIN, int XN, int YN>
static __device__ __forceinline__ void wgmma_half(float (&d)[88], unsigned long long x, unsigned long long y, int more)
{
    WGMMA_HALF(176, 88, 88, 89, 90, 91, 92, WGMMA_64(d, 0), WGMMA_16(d, 64), WGMMA_8(d, 80));
}

template <int BRAIN, int XN, int YN>
static __device__ __forceinline__ void wgmma_half(float (&d)[80], unsigned long long x, unsigned long long y, int more)
{
    WGMMA_HALF(160, 80, 80, 81, 82, 83, 84, WGMMA_64(d, 0), WGMMA_16(d, 64));
}

template <int BRAIN, int XN, int YN>
static __device__ __forceinline__ void wgmma_half(float (&d)[72], unsigned long long x, unsigned long long y, int more)
{
    WGMMA_HALF(144, 72, 72, 73, 74, 75, 76, WGMMA_64(d, 0), WGMMA_8(d, 64));
}

template <int BRAIN, int XN, int YN>
static __device__ __forceinline__ void wgmma_half(float (&d)[64], unsigned long long x, unsigned long long y, int more)
{
    WGMMA_HALF(128, 64, 64, 65, 66, 67, 68, WGMMA_64(d, 0));
}

template <int BRAIN, int XN, int YN>
static __device__ __forceinline__ void wgmma_half(float (&d)[48], unsigned long long x, unsigned long long y, int more)
{
    WGMMA_HALF(96, 48, 48, 49, 50, 51, 52, WGMMA_32(d, 0), WGMMA_16(d, 32));
}

template <int BRAIN, int XN, int YN>
static __device__ __forceinline__ void wgmma_half(float (&d)[40], unsigned long long x, unsigned long long y, int more)
{
    WGMMA_HALF(80, 40, 40, 41, 42, 43, 44, WGMMA_32(d, 0), WGMMA_8(d, 32));
}

template <int BRAIN, int XN, int YN>
static __device__ __forceinline__ void wgmma_half(float (&d)[24], unsigned long long x, unsigned long long y, int more)
{
    WGMMA_HALF(48, 24, 24, 25, 26, 27, 28, WGMMA_16(d, 0), WGMMA_8(d, 16));
}

template <int BRAIN, int XN, int YN>
static __device__ __forceinline__ void wgmma_half(float (&d)[32], unsigned long long x, unsigned long long y, int more)
{
    WGMMA_HALF(64, 32, 32, 33, 34, 35, 36, WGMMA_32(d, 0));
}

/* The same of 64 x 192, 128 or 64 of 32 along k, 8-bit operands, both along k.  EIGHT: 1 e4m3, 2 e5m2. */
#define WGMMA_BYTES(type, columns, results, x_at, y_at, more_at, ...)                                                  \
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %" #more_at ", 0;\n"                                                  \
                 "wgmma.mma_async.sync.aligned.m64n" #columns "k32.f32." type "." type " {" WGMMA_FIRST_##results      \
                 "}, %" #x_at ", %" #y_at ", p, 1, 1; }"                                                               \
                 : __VA_ARGS__                                                                                         \
                 : "l"(x), "l"(y), "r"(more))
#define WGMMA_EIGHT(...)                                                                                               \
    if (EIGHT == 1)                                                                                                    \
        WGMMA_BYTES("e4m3", __VA_ARGS__);                                                                              \
    else                                                                                                               \
        WGMMA_BYTES("e5m2", __VA_ARGS__)

template <int EIGHT> static __device__ __forceinline__ void wgmma_eight(float (&d)[96], unsigned long long x, unsigned long long y, int more)
{
    WGMMA_EIGHT(192, 96, 96, 97, 98, WGMMA_64(d, 0), WGMMA_32(d, 64));
}

template <int EIGHT> static __device__ __forceinline__ void wgmma_eight(float (&d)[64], unsigned long long x, unsigned long long y, int more)
{
    WGMMA_EIGHT(128, 64, 64, 65, 66, WGMMA_64(d, 0));
}

template <int EIGHT> static __device__ __forceinline__ void wgmma_eight(float (&d)[32], unsigned long long x, unsigned long long y, int more)
{
    WGMMA_EIGHT(64, 32, 32, 33, 34, WGMMA_32(d, 0));
}

/* ---- results ------------------------------------------------------------------------------------------------------- */

/* Four matrices of 8 x 8 16-bit elements, eight lanes' addresses the rows of each. */
static __device__ __forceinline__ void matrix_store(unsigned address, const unsigned (&v)[4])
{
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3])
                 : "memory");
}

/* The same, each transposed. */
static __device__ __forceinline__ void matrix_store_turned(unsigned address, const unsigned (&v)[4])
{
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(v[0]), "r"(v[1]), "r"(v[2]),
                 "r"(v[3])
                 : "memory");
}

/* What this thread wrote to shared memory is there for tensor copies. */
static __device__ __forceinline__ void fence_async(void)
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* A box from shared memory to column c, row r of a map. */
static __device__ __forceinline__ void box_store(const GemmMap *map, unsigned from, int c, int r)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(c), "r"(r), "r"(from) : "memory");
}

static __device__ __forceinline__ void copies_commit(void)
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* All but the last LEFT groups of this thread's copies have read shared memory. */
template <int LEFT> static __device__ __forceinline__ void copies_read(void)
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(LEFT) : "memory");
}

static __device__ __forceinline__ void copies_done(void)
{
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

/* ---- warpgroups and clusters --------------------------------------------------------------------------------------- */

/* The 128 threads of a warpgroup; id: 1 and up. */
static __device__ __forceinline__ void warpgroup_barrier(int id)
{
    asm volatile("bar.sync %0, 128;" ::"r"(id) : "memory");
}

/* The second warpgroup waits until the first has told. */
static __device__ __forceinline__ void lag_wait(void)
{
    asm volatile("bar.sync 3, 256;" ::: "memory");
}

static __device__ __forceinline__ void lag_tell(void)
{
    asm volatile("bar.arrive 3, 256;" ::: "memory");
}

/* One more: how many there were.  The last of `all` leaves zero.  What the threads before the barrier in front of this wrote can be read by those
 * behind the next one where this was the last. */
static __device__ __forceinline__ unsigned count_up(unsigned *counter, unsigned all)
{
    unsigned before;
    asm volatile("fence.acq_rel.gpu;\n\tatom.global.gpu.inc.u32 %0, [%1], %2;\n\tfence.acq_rel.gpu;" : "=r"(before) : "l"(counter), "r"(all - 1) : "memory");
    return before;
}

/* Are there so many?  Then zero is left, and what the threads that counted had written can be read behind the next barrier. */
static __device__ __forceinline__ bool count_all(unsigned *counter, unsigned all)
{
    unsigned now;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(counter) : "memory");
    if (now == all)
        asm volatile("red.global.gpu.inc.u32 [%0], %1;" ::"l"(counter), "r"(all) : "memory");
    return now == all;
}

/* Four words as one access, which nvcc left to choose makes four. */
static __device__ __forceinline__ void store_four(float *p, float a, float b, float c, float d)
{
    asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(p), "f"(a), "f"(b), "f"(c), "f"(d) : "memory");
}

/* Four words that another block may have written. */
static __device__ __forceinline__ float4 load_written(const float *p)
{
    float4 v;
    asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(p) : "memory");
    return v;
}

/* The box comes to the same place in some blocks of the cluster, a bit each, and tells each one's mbarrier. */
static __device__ __forceinline__ void box_copy_to(unsigned to, const GemmMap *map, int c, int r, unsigned bar, unsigned blocks)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], "
                 "[%4], %5;" ::"r"(to),
                 "l"(map), "r"(c), "r"(r), "r"(bar), "h"((unsigned short)blocks)
                 : "memory");
}

static __device__ __forceinline__ void box_copy_both(unsigned to, const GemmMap *map, int c, int r, unsigned bar)
{
    box_copy_to(to, map, c, r, bar, 3);
}

/* At the mbarrier of block `rank` of the cluster. */
static __device__ __forceinline__ void bar_arrive_at(unsigned bar, unsigned rank)
{
    asm volatile("{ .reg .u32 o; mapa.shared::cluster.u32 o, %0, %1; mbarrier.arrive.shared::cluster.b64 _, [o]; }" ::"r"(bar),
                 "r"(rank)
                 : "memory");
}

/* All threads of the cluster, which see each other's shared memory then. */
static __device__ __forceinline__ void cluster_meet(void)
{
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

#endif
