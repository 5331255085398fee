/* SPDX-License-Identifier: Apache-2.0
 *
 * The slices of one operand on their way to shared memory, for comb.cuh: any layout, any alignment, and no tile at an edge slower than another.
 *
 *   accesses  cp.async of EACH words: 16 bytes where rows are aligned, else 4.
 *   place     Contiguous along the result: as it lies, lines padded by PAD words, so that lanes one step apart want different banks.  Along k:
 *             row r at place r % 4 * (ROWS / 4) + r / 4, each BK + 4 words.  ldmatrix reads rows 4 apart together; here they are
 *             neighbours in different banks, and every read of a lane is a constant away from its first.
 *   edges     Along k a line past the operand's last row is that row once more: the results are nobody's.  Along the result columns that are
 *             not there arrive as zeros, as a predicate that a thread keeps: reading one word for several lanes takes as many passes.
 *   parts     A slice goes out in PARTS lots between the multiplications of the one before, so that 4-byte accesses do not hold them up.
 *
 * What is left of k, less than a slice, is a slice of its own (rest) with zeros in it. */
#ifndef WW_KERNELS_GEMM_LINES_CUH
#define WW_KERNELS_GEMM_LINES_CUH

#include "direct.cuh"

/* Nothing where go is 0; zeros where there is nothing to read. */
template <int BYTES>
static __device__ __forceinline__ void copy_if(int go, unsigned to, unsigned long long from, int none)
{
    if (BYTES == 16)
        asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %0, 0; setp.ne.s32 q, %3, 0; @p cp.async.cg.shared.global "
                     "[%1], [%2], 16, q; }" ::"r"(go),
                     "r"(to), "l"(from), "r"(none)
                     : "memory");
    else
        asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %0, 0; setp.ne.s32 q, %3, 0; @p cp.async.ca.shared.global "
                     "[%1], [%2], 4, q; }" ::"r"(go),
                     "r"(to), "l"(from), "r"(none)
                     : "memory");
}

/* One thread's accesses. */
template <int ROWS, int BK, int THREADS, bool KC, int PAD, int EACH> struct Lines {
    enum {
        PARTS   = 2,
        LINE    = KC ? BK : ROWS,
        LINES   = KC ? ROWS : BK,
        ABREAST = THREADS * EACH / LINE, /* lines at once */
        COUNT   = LINES / ABREAST,
        RUN     = KC && EACH == 1, /* a warp's lines are neighbours */
        STEP    = RUN ? 1 : ABREAST,
    };
    unsigned long long from, step,
        turn;      /* of the next access; from a line to the next; along k: from the last line to the next slice */
    int      last; /* along k: accesses that are followed by another line */
    int      none; /* rows: this thread's columns are not there */
    unsigned to;

    static __device__ __forceinline__ int first(void)
    {
        return RUN ? threadIdx.x / 32 * COUNT : threadIdx.x * EACH / LINE;
    }
    static __device__ __forceinline__ int inner(void) { return threadIdx.x * EACH % LINE; }

    /* Where a line begins, in words. */
    static __device__ __forceinline__ int place(int line)
    {
        return KC ? (line % 4 * (ROWS / 4) + line / 4) * (BK + 4) : line * (ROWS + PAD);
    }

    /* From the slice at k0 on, of the rows from row0 on of `total`, to the slot at `slot`. */
    __device__ __forceinline__ void open(const void *base, unsigned long long ld, int row0, int total, int k0,
                                         unsigned slot)
    {
        int rows = total - row0, line = KC && first() > rows - 1 ? rows - 1 : first(),
            along                = KC || inner() < rows ? inner() : 0;
        unsigned long long pitch = ld * 4;
        none                     = !KC && inner() >= rows;
        last                     = (rows - 1 - line) / STEP;
        last                     = last < COUNT - 1 ? last : COUNT - 1;
        asm("cvta.to.global.u64 %0, %1;" : "=l"(from) : "l"(base));
        from += ((KC ? row0 : k0) + line) * pitch + ((KC ? k0 : row0) + along) * 4ULL;
        step = STEP * pitch;
        turn = BK * 4 - last * step;
        to   = slot + (place(first()) + inner()) * 4;
    }

    /* A slice of `left` steps, the others zeros. */
    __device__ __forceinline__ void rest(int left)
    {
        int words = left - inner();
        words     = words < 0 ? 0 : words < EACH ? words : EACH;
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            int there = !none && first() + i * STEP < left ? EACH : 0;
            copy_later<EACH * 4>(to + place(i * STEP) * 4, from, (KC ? words : there) * 4);
            if (!KC || i < last)
                from += step;
        }
    }

    /* Part p of a slice, or nothing of it; after the last the next slice is due. */
    __device__ __forceinline__ void part(int p, int go)
    {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            if (i * PARTS / COUNT != p)
                continue;
            copy_if<EACH * 4>(go, to + place(i * STEP) * 4, from, KC ? 0 : none);
            if (!KC)
                from += step;
            else if (i + 1 == COUNT)
                from += turn;
            else if (i < last)
                from += step;
        }
    }
};

#endif
