/* SPDX-License-Identifier: Apache-2.0
 *
 * The symmetric product by the pipeline of ../gemm/flow.h: tiles of BM x 2 BM under the diagonal, each computed once and written twice.
 *
 *   tiles     rows and columns are cut into blocks of BM.  A row of blocks has a tile for each two blocks on or under the diagonal;
 *             where their number is odd, a block on the diagonal is left over, the second, fourth ... of such a row.  Two
 *             of those are one tile (SQUARES): with 2 b rows of blocks b² tiles and b / 2 of squares, 264 for 4096 = two rounds
 *             of 132, 1040 for 8192.
 *   chunk     32 x 32 results of a warp in its part of shared memory, quads of a row in an order that lets both rows and columns be
 *             read without bank conflicts; they leave along rows, and down the columns as rows of the other half: 128 bytes
 *             of a row at a time either way.
 *   diagonal  of a chunk there only elements with r >= c are written, each to both places, so both halves have the same
 *             bits in the whole of C; what lies above is nobody's.
 *   beta      only C(r, c), r >= c, is read; with an upper fill only C(c, r).  The sum goes back into the chunk before
 *             it is written. */
#ifndef WW_KERNELS_AAT_FLOW_CUH
#define WW_KERNELS_AAT_FLOW_CUH

#include "../gemm/flow.h"
#include "rotate.cuh"

template <typename S> struct FlowTriangle {
    enum { HIGH = 16 }; /* rows of blocks that are walked together: what runs at once shares slices in L2 */
    int blocks, squares, tiles;

    __device__ __forceinline__ FlowTriangle(int m, int)
    {
        int left = ((blocks = (m + S::BM - 1) / S::BM) + 1) / 2; /* over on the diagonal */
        squares  = (left + 1) / 2;
        tiles    = squares + blocks / 2 * left;
    }

    __device__ __forceinline__ bool square(int tile) const { return tile < squares; }

    /* A tile of squares: the first and the second one. */
    __device__ __forceinline__ void place(int tile, int *row0, int *col0) const
    {
        if (tile < squares) {
            *row0 = tile * 4 * S::BM;
            *col0 = (tile * 4 + 2) * S::BM;
            return;
        }
        int t = tile - squares,
            g = (int)(__builtin_sqrtf((float)t) * (2.0f / HIGH)); /* g whole groups: (g HIGH / 2)² tiles */
        while (g * g * (HIGH * HIGH / 4) > t)
            g--;
        while ((g + 1) * (g + 1) * (HIGH * HIGH / 4) <= t)
            g++;
        int high = blocks - g * HIGH < HIGH ? blocks - g * HIGH : HIGH, i, j;
        t -= g * g * (HIGH * HIGH / 4);
        if (t < g * (HIGH / 2) * high) {
            i = t % high;
            j = t / high;
        } else { /* the group's own triangle, row by row: i² / 4 tiles before row i */
            t -= g * (HIGH / 2) * high;
            for (i = 1; (i + 1) * (i + 1) / 4 <= t;)
                i++;
            j = g * (HIGH / 2) + t - i * i / 4;
        }
        *row0 = (g * HIGH + i) * S::BM;
        *col0 = j * S::BN;
    }
};

/* 32 x 32 results at (r0, c0) of C.  Quad p of row r lies in the place p ^ turn(r): the 8 lanes of a 16-byte store, the 8 quads of a row,
 * and 4 columns of every fourth row lie in different banks. */
template <typename T> struct FlowChunk {
    typedef typename Four<T>::type V;
    enum { SIDE = 32, WORDS = SIDE * SIDE };
    T  *part;
    int r0, c0;

    static __device__ __forceinline__ int turn(int r) { return (r >> 2 & 3) << 1 | r >> 4; }

    static __device__ __forceinline__ int place(int r, int c) { return r * SIDE + ((c >> 2 ^ turn(r)) << 2) + c % 4; }

    /* Quad p of row l, or turned of column l; a row's has its pairs swapped. */
    template <bool TURNED> __device__ __forceinline__ void read(int l, int p, T v[4]) const
    {
        V q;
        if (TURNED) {
#pragma unroll
            for (int e = 0; e < 4; e++)
                v[e] = part[place(p * 4 + e, l ^ 1)];
        } else {
            shared_load(shared_address(part + place(l, p * 4)), &q);
            v[0] = q.y;
            v[1] = q.x;
            v[2] = q.w;
            v[3] = q.z;
        }
    }

    template <bool TURNED> __device__ __forceinline__ void write(int l, int p, const T v[4]) const
    {
        V q = {v[1], v[0], v[3], v[2]};
        if (TURNED) {
#pragma unroll
            for (int e = 0; e < 4; e++)
                part[place(p * 4 + e, l ^ 1)] = v[e];
        } else {
            shared_store(shared_address(part + place(l, p * 4)), q);
        }
    }

    /* Two squares of each lane. */
    template <typename S> __device__ __forceinline__ void take(int i, int j, const T acc[S::TM][S::TN]) const
    {
        int lane = threadIdx.x % 32, p = lane_spread_column(lane);
#pragma unroll
        for (int h = 0; h < 8; h++) {
            int      r    = h / 4 * S::DOWN + lane_spread_row(lane) * 4 + h % 4;
            const T *from = acc[i + h] + j;
            V        v    = {from[1], from[0], from[3], from[2]};
            shared_store(shared_address(part + place(r, p * 4)), v);
        }
    }

    /* C = scale * chunk, where rows of C are aligned; add: + beta * C, and that back into the chunk. */
    template <bool TURNED> __device__ __forceinline__ void walk_quads(const GemmArgs &g, T scale, bool add) const
    {
        int  lane = threadIdx.x % 32, p = lane % 8, line0 = TURNED ? c0 : r0, first = (TURNED ? r0 : c0) + p * 4;
        bool fast = r0 + SIDE <= g.m && r0 > c0 && !add;
        T    beta = Four<T>::from(g.beta);
#pragma unroll 2
        for (int n = 0; n < SIDE; n += 4) {
            int l   = n + lane / 8;
            T  *out = (T *)g.c + (line0 + l) * g.ldc + first, v[4];
            read<TURNED>(l, p, v);
            V q = {scale * v[0], scale * v[1], scale * v[2], scale * v[3]};
            if (fast) {
                *(V *)out = q;
                continue;
            }
            T one[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
            for (int e = 0; e < 4; e++) {
                int r = TURNED ? first + e : line0 + l, c = TURNED ? line0 + l : first + e;
                if (r >= g.m || c > r)
                    continue;
                if (add)
                    one[e] = mul_add(beta, out[e], one[e]);
                out[e] = one[e];
            }
            if (add)
                write<TURNED>(l, p, one);
        }
    }

    /* The same where they are not: a row of C at a time, neighbours side by side.  Turned, the four lanes whose rows lie in the same banks
     * read four columns, each beginning with another one. */
    template <bool TURNED> __device__ __forceinline__ void walk_elements(const GemmArgs &g, T scale, bool add) const
    {
        int lane = threadIdx.x % 32;
        T   beta = Four<T>::from(g.beta), *out = (T *)g.c + (TURNED ? c0 * g.ldc + r0 : r0 * g.ldc + c0) + lane;
#pragma unroll 1
        for (int l = 0; l < SIDE; l += 4) {
            T *here[4], v[4];
#pragma unroll
            for (int e = 0; e < 4; e++) {
                here[e] = part + (TURNED ? place(lane, (l + (e + lane) % 4) ^ 1) : place(l + e, lane ^ 1));
                v[e]    = scale * *here[e];
            }
            if (TURNED)
                rotate_four<1>(v, lane);
#pragma unroll
            for (int e = 0; e < 4; e++, out += g.ldc) {
                int r = r0 + (TURNED ? lane : l + e), c = c0 + (TURNED ? l + e : lane);
                if (r >= g.m || c > r)
                    continue;
                if (add)
                    v[e] = mul_add(beta, *out, v[e]);
                *out = v[e];
            }
            if (!add)
                continue;
            if (TURNED)
                rotate_four<-1>(v, lane);
#pragma unroll
            for (int e = 0; e < 4; e++)
                *here[e] = v[e];
        }
    }

    template <bool TURNED> __device__ __forceinline__ void walk(const GemmArgs &g, T scale, bool add) const
    {
        if (g.vector & 4)
            walk_quads<TURNED>(g, scale, add);
        else
            walk_elements<TURNED>(g, scale, add);
    }

    /* To the triangle that beta reads, then to the other one. */
    __device__ __forceinline__ void leave(const GemmArgs &g) const
    {
        bool turned = g.fill >= GEMM_FILL_UPPER, add = !Four<T>::zero(g.beta);
        T    scale = Four<T>::from(g.alpha);
        int  times = g.fill == GEMM_FILL_FULL || g.fill == GEMM_FILL_FULL_FROM_UPPER ? 2 : 1;
#pragma unroll 1
        while (times-- > 0) {
            if (turned)
                walk<true>(g, scale, add);
            else
                walk<false>(g, scale, add);
            scale  = add ? T(1) : scale;
            add    = false;
            turned = !turned;
            __syncwarp();
        }
    }
};

/* A warp's results at (r0, c0). */
template <typename S>
static __device__ __forceinline__ void flow_write_twice(const GemmArgs &g, typename S::type *part, int r0, int c0,
                                                        const typename S::type acc[S::TM][S::TN])
{
    typedef typename S::type T;
#pragma unroll
    for (int i = 0; i < S::TM; i += 8)
#pragma unroll
        for (int j = 0; j < S::TN; j += 4) {
            FlowChunk<T> chunk = {part, r0 + i / 4 * S::DOWN, c0 + j / 4 * S::ACROSS};
            if (chunk.r0 >= g.m || chunk.c0 > chunk.r0)
                continue;
            chunk.template take<S>(i, j, acc);
            __syncwarp();
            chunk.leave(g);
        }
}

template <typename S, int UNROLL> static __device__ __forceinline__ void flow_symmetric(const TensorArgs &a)
{
    typedef typename S::type T;
    extern __shared__ __align__(128) unsigned char slices[];
    __shared__ __align__(8) Bar   bars[2 * S::BUFFERS];
    __shared__ unsigned           said;
    const GemmArgs               &g = a.g;
    Flow<S>                       ring;
    FlowPiece<S, FlowTriangle<S>> p;
    ring.open(slices, bars);
    if (threadIdx.x >= S::THREADS) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == S::THREADS)
            for (int n = 0; p.find(g, n); n++)
                ring.order(&a.x, p.square ? &a.x : &a.y, Flow<S>::XB + (p.square ? Flow<S>::XB : Flow<S>::YB), p.row0,
                           p.col0, p.from, p.to);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        int warp = threadIdx.x / 32, row = warp / (S::BN / S::WN) * S::WM, col = warp % (S::BN / S::WN) * S::WN;
        T  *part = (T *)(slices + S::BUFFERS * (Flow<S>::XB + Flow<S>::YB)) + warp * FlowChunk<T>::WORDS;
#pragma unroll 1
        for (int n = 0; p.find(g, n); n++) {
            T acc[S::TM][S::TN];
            if (p.square)
                flow_product<S, UNROLL, true>(ring, p.to - p.from, acc);
            else
                flow_product<S, UNROLL>(ring, p.to - p.from, acc);
            if (p.cut() && !stream_join<S, Flow<S>::BARRIER, 8>(g, p.all, p.sharers, p.per, p.shared, &said, acc))
                continue;
            if (p.square) {
                p.row0 = col < S::BM ? p.row0 : p.col0;
                p.col0 = col < S::BM ? p.row0 : p.col0 - S::BM;
            }
            flow_write_twice<S>(g, part, p.row0 + row, p.col0 + col, acc);
        }
    }
}

#endif
