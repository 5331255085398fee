/* SPDX-License-Identifier: Apache-2.0
 *
 * An operand that no tensor copy can bring in its place, because it is contiguous along k or its rows are not aligned: all threads of a
 * block draw a slice of it to k rows of PITCH words, by cp.async with 4 bytes an access.
 *
 *   along k   a warp takes 8 steps of 4 rows, whole sectors; with a PITCH that is 4 more than a multiple of 32 the words fall into 32 banks.
 *   rows      a warp takes 16 neighbours of a row and of the row 4 steps on, which are half of the banks apart.
 *
 * What lies outside the operand is not read and arrives as zeros.  Steps past the end of k are asked for in the last slice only. */
#ifndef WW_KERNELS_GEMM_DRAWN_CUH
#define WW_KERNELS_GEMM_DRAWN_CUH

#include "element.h"

static __device__ __forceinline__ void draw_word(unsigned to, unsigned long long from, int bytes)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}

/* Arrives at the mbarrier when this thread's copies so far have landed. */
static __device__ __forceinline__ void draw_arrive(unsigned bar)
{
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(bar) : "memory");
}

template <int ROWS, int BK, int PITCH, int THREADS> struct Drawn {
    enum {
        STEPS  = 8,
        DOWN   = THREADS / STEPS, /* along k: steps of a warp's access; rows from one access of a thread to the next */
        ACROSS = 16,
        LINES  = THREADS / ACROSS /* rows: likewise */
    };
    unsigned long long at,
        pitch; /* of this thread's first word of the next slice; from a line that is contiguous to the next; bytes */
    int      left, k, end; /* rows from this thread's first one on; where the next slice begins; where k ends */
    int      l;            /* this thread's first step of a slice */
    unsigned to;           /* where its first word goes, in a slice */
    bool     along;

    /* The rows from `first` on, of `rows`, and the steps from k0 on. */
    __device__ __forceinline__ void open(const void *p, unsigned long long row, unsigned long long step, int first,
                                         int rows, int k0, int steps)
    {
        int t = threadIdx.x % THREADS, h = t / ACROSS, i;
        along = step == 1;
        i     = along ? t / STEPS : t % ACROSS;
        l     = along ? t % STEPS : h % 2 * 4 + h / 2 % 4 + h / 8 * 8;
        pitch = (along ? row : step) * 4;
        left  = rows - first - i;
        k     = k0;
        end   = steps;
        to    = (l * PITCH + i) * 4;
        asm("cvta.to.global.u64 %0, %1;" : "=l"(at) : "l"(p));
        at += along ? (first + i) * pitch + (k0 + l) * 4ULL : (k0 + l) * pitch + (first + i) * 4ULL;
    }

    template <bool WHOLE> __device__ __forceinline__ void draw_along(unsigned slot) const
    {
        unsigned long long from = at;
#pragma unroll
        for (int i = 0; i < ROWS; i += DOWN) {
            int bytes = i < left ? 4 : 0;
#pragma unroll
            for (int e = 0; e < BK; e += STEPS)
                draw_word(slot + to + (e * PITCH + i) * 4, from + e * 4, WHOLE || k + l + e < end ? bytes : 0);
            from += DOWN * pitch;
        }
    }

    template <bool WHOLE> __device__ __forceinline__ void draw_rows(unsigned slot) const
    {
        unsigned long long from = at;
#pragma unroll
        for (int e = 0; e < BK; e += LINES) {
#pragma unroll
            for (int i = 0; i < ROWS; i += ACROSS)
                draw_word(slot + to + (e * PITCH + i) * 4, from + i * 4,
                          i < left && (WHOLE || k + l + e < end) ? 4 : 0);
            from += LINES * pitch;
        }
    }

    /* The next slice. */
    __device__ __forceinline__ void draw(unsigned slot)
    {
        bool whole = k + BK <= end;
        if (along && whole)
            draw_along<true>(slot);
        else if (along)
            draw_along<false>(slot);
        else if (whole)
            draw_rows<true>(slot);
        else
            draw_rows<false>(slot);
        k += BK;
        at += along ? BK * 4 : BK * pitch;
    }
};

#endif
