/* SPDX-License-Identifier: Apache-2.0
 *
 * Products in one launch: any layout is read where it lies, whatever its alignment, and nothing is copied or cleared before.
 *
 *   slices    come by cp.async, SLOTS of them in flight: 16 bytes an access where rows are aligned, else 4.  What lies outside an
 *             operand is not read and arrives as zeros, so no slice is special.
 *   shared    an operand contiguous along the result lies as k rows of ROWS elements, one contiguous along k as ROWS rows of BK: as
 *             in memory, so that each access stores what it reads.  A lane reads four steps of k at once (a chunk), along k or as four
 *             rows.  Along k, the quads of row r are exchanged by an exclusive or with r / 4 % 8: lanes that read the same quad
 *             of rows 4 apart then want different banks.
 *   groups    of warps take the chunks of a slice in turn, and clusters share out the slices.  Sums meet in shared memory: first those
 *             of a block's groups, then those of the cluster's blocks, each block adding up its share of the tile's rows.
 *   short k   a slice ends with its last chunk; a group without one waits at the barriers only.
 *
 * Sums are added in an order that depends on shape and cluster alone, so every run gives the same bits.
 * Needs sm_80; for clusters (JOINED) sm_90. */
#ifndef WW_KERNELS_GEMM_DIRECT_H
#define WW_KERNELS_GEMM_DIRECT_H

#include "ring.cuh"

/* Nothing that follows from it is kept in registers. */
static __device__ __forceinline__ unsigned long long opaque(unsigned long long v)
{
    asm volatile("" : "+l"(v));
    return v;
}

/* ---- one operand ------------------------------------------------------------------------------------------------- */

template <int BYTES> static __device__ __forceinline__ void copy_later(unsigned to, unsigned long long from, int bytes)
{
    if (BYTES == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}

static __device__ __forceinline__ void copies_commit(void)
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/* All groups but the last N have arrived. */
template <int N> static __device__ __forceinline__ void copies_wait(void)
{
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

/* KC: contiguous along k.  A thread takes, of the lines that are contiguous in memory, every (THREADS / accesses a line)-th. */
template <int ROWS, int BK, int THREADS, bool KC, int PAD = 0> struct Supply {
    enum { LINE = KC ? BK : ROWS, LINES = KC ? ROWS : BK };
    unsigned long long at, pitch; /* of this thread's first access to the next slice; bytes */
    int                outer, inner, rows, end;
    bool               vector;

    static __device__ __forceinline__ int place(int row, int l)
    {
        return KC ? row * BK + (l ^ (row & 28)) : l * (ROWS + PAD) + row;
    }

    __device__ __forceinline__ void open(const void *base, unsigned long long ld, int first, int count, int k0, int k1, bool aligned)
    {
        int each = aligned ? 4 : 1;
        vector   = aligned;
        rows     = count - first;
        end      = k1;
        pitch    = ld * 4;
        outer    = threadIdx.x * each / LINE;
        inner    = threadIdx.x * each % LINE;
        unsigned long long line = (unsigned long long)(KC ? first : k0) + outer, along = (unsigned long long)(KC ? k0 : first) + inner;
        asm("cvta.to.global.u64 %0, %1;" : "=l"(at) : "l"(base));
        at += line * pitch + along * 4;
    }

    /* Where this thread's access i goes, from where its first one does: STEP lines further on each time.  STEP is a power of two, so
     * outer and i * STEP share no bits, and the rows of a slice are whole lines of the banks. */
    template <int STEP> static __device__ __forceinline__ unsigned place_next(unsigned first, int i)
    {
        return KC ? (first ^ (i * STEP & 28) * 4) + i * STEP * BK * 4 : first + i * STEP * (ROWS + PAD) * 4;
    }

    /* A slice that has all of its steps: nothing to ask but how much of its line a thread has.  EDGE: along k, some rows are missing.  REST: and
     * some steps. */
    template <int EACH, bool EDGE = false, bool REST = false> __device__ __forceinline__ void fetch_whole(unsigned to, int steps = BK) const
    {
        enum { STEP = THREADS * EACH / LINE, COUNT = (LINES + STEP - 1) / STEP, AT_ONCE = REST && COUNT > 8 ? 8 : COUNT };
        int                left = !KC ? rows - inner : REST ? steps - inner : EACH, bytes = left <= 0 ? 0 : left < EACH ? left * 4 : EACH * 4;
        unsigned long long from = at, step = STEP * pitch;
        to += (KC ? place(outer, inner) : place(inner, outer)) * 4;
#pragma unroll AT_ONCE
        for (int i = 0; i < COUNT; i++) {
            if (LINES % STEP == 0 || outer + i * STEP < LINES)
                copy_later<EACH * 4>(place_next<STEP>(to, i), from, EDGE && outer + i * STEP >= rows ? 0 : bytes);
            from += step;
        }
    }

    template <int EACH> __device__ __forceinline__ void fetch_rest(unsigned to, int k0) const
    {
        enum { STEP = THREADS * EACH / LINE };
        int most = end - k0, chunks = (most + 3) & -4; /* that the last chunk reads */
        if (KC) {
            if (PAD || inner < chunks)
                fetch_whole<EACH, KC, KC>(to, most);
            return;
        }
        int                left = rows - inner, bytes = left <= 0 ? 0 : left < EACH ? left * 4 : EACH * 4, lines = PAD ? LINES : chunks;
        unsigned long long from = at;
#pragma unroll 1
        for (int line = outer; line < LINES && line < lines; line += STEP) {
            copy_later<EACH * 4>(to + place(inner, line) * 4, from, line < most ? bytes : 0);
            from += STEP * pitch;
        }
    }

    /* The slice at k0; then the next one is due. */
    __device__ __forceinline__ void fetch(unsigned to, int k0)
    {
        bool whole = k0 + BK <= end, edge = KC && rows < ROWS;
        if (whole && vector && edge)
            fetch_whole<4, KC>(to);
        else if (whole && vector)
            fetch_whole<4>(to);
        else if (whole && edge)
            fetch_whole<1, KC>(to);
        else if (whole)
            fetch_whole<1>(to);
        else if (vector)
            fetch_rest<4>(to, k0);
        else
            fetch_rest<1>(to, k0);
        skip();
    }

    __device__ __forceinline__ void skip(void) { at += KC ? BK * 4 : BK * pitch; }
};

/* ---- the product ------------------------------------------------------------------------------------------------- */

/* Four steps of k of R rows from a row that is a multiple of 4, in squares of 4 rows DOWN apart: where Supply::place has put them. */
template <typename T, int R, int ROWS, int BK, int DOWN, bool KC> struct Chunk {
    typedef typename Four<T>::type V;
    T v[4][R];
    __device__ __forceinline__ void put(int i, int l, T x) { v[KC ? l : i][KC ? i : l] = x; }
    __device__ __forceinline__ void read(const T *s, int row, int l)
    {
#pragma unroll
        for (int i = 0; i < R; i++) {
            int down = i / 4 * DOWN, at = KC ? row * BK + (l ^ ((row + down) & 28)) : l * ROWS + row;
            V   q    = *(const V *)(s + at + (KC ? (down + i % 4) * BK : down + i % 4 * ROWS));
            if (KC) {
                v[0][i] = q.x;
                v[1][i] = q.y;
                v[2][i] = q.z;
                v[3][i] = q.w;
            } else {
                T *to = v[i % 4] + i / 4 * 4;
                to[0] = q.x;
                to[1] = q.y;
                to[2] = q.z;
                to[3] = q.w;
            }
        }
    }
};

template <typename S, bool XKC, bool YKC> struct DirectFragment {
    typedef typename S::type T;
    Chunk<T, S::TM, S::BM, S::BK, S::DOWN, XKC>   x;
    Chunk<T, S::TN, S::BN, S::BK, S::ACROSS, YKC> y;
    __device__ __forceinline__ void read(const T *slot, const RingPlace &p, int l)
    {
        x.read(slot, p.row, l);
        y.read(slot + S::XW, p.col, l);
    }
    __device__ __forceinline__ void multiply(T acc[S::TM][S::TN]) const
    {
#pragma unroll
        for (int l = 0; l < 4; l++)
#pragma unroll
            for (int e = 0; e < S::TM * S::TN; e++) {
                int i = e / S::TN, j = i % 2 ? S::TN - 1 - e % S::TN : e % S::TN;
                acc[i][j] = mul_add(x.v[l][i], y.v[l][j], acc[i][j]);
            }
    }
};

/* acc += this group's chunks of a slice of `left` steps.  AHEAD: a chunk is read while the one before is multiplied. */
template <typename S, bool XKC, bool YKC, int AHEAD>
static __device__ __forceinline__ void direct_slice(const typename S::type *slot, const RingPlace &p, int left,
                                                    typename S::type acc[S::TM][S::TN])
{
    enum { STRIDE = 4 * S::GROUPS };
    DirectFragment<S, XKC, YKC> f[2];
    if (left >= S::BK) {
        if (AHEAD)
            f[0].read(slot, p, p.group * 4);
#pragma unroll
        for (int l = 0; l < S::BK; l += STRIDE) {
            int now = AHEAD ? l / STRIDE % 2 : 0;
            if (!AHEAD || l + STRIDE < S::BK)
                f[AHEAD - now].read(slot, p, l + AHEAD * STRIDE + p.group * 4);
            f[now].multiply(acc);
        }
    } else {
#pragma unroll 1
        for (int l = p.group * 4; l < left; l += STRIDE) {
            f[0].read(slot, p, l);
            f[0].multiply(acc);
        }
    }
}

/* acc = this group's part of the product over [k0, k1) of the tile at (row0, col0).  Ends with all copies done and all warps past them. */
template <typename S, bool XKC, bool YKC, int AHEAD>
static __device__ __forceinline__ void direct_product(const GemmArgs &g, typename S::type *slots, const RingPlace &p, int row0, int col0,
                                                      int k0, int k1, typename S::type acc[S::TM][S::TN])
{
    typedef typename S::type             T;
    Supply<S::BM, S::BK, S::THREADS, XKC> x;
    Supply<S::BN, S::BK, S::THREADS, YKC> y;
    unsigned long long                    z = blockIdx.z;
    int                                   ahead = k0, steps = (k1 - k0 + S::BK - 1) / S::BK, fetched = 0, used = 0;
    unsigned                              to = shared_address(slots);
    x.open((const T *)g.x + z * g.x_batch, XKC ? g.x_row : g.x_col, row0, g.m, k0, k1, g.vector & 1);
    y.open((const T *)g.y + z * g.y_batch, YKC ? g.y_col : g.y_row, col0, g.n, k0, k1, g.vector & 2);
#pragma unroll
    for (int i = 0; i < S::TM; i++)
#pragma unroll
        for (int j = 0; j < S::TN; j++)
            acc[i][j] = T(0);
#pragma unroll 1
    for (int s = 1 - S::SLOTS; s < steps; s++) { /* before 0 nothing is multiplied yet */
        if (s >= 0) {
            copies_wait<S::SLOTS - 2>();
            __syncthreads();
        }
        if (ahead < k1) { /* into the slot that all warps have left */
            x.fetch(to + fetched * S::SLOT * 4, ahead);
            y.fetch(to + (fetched * S::SLOT + S::XW) * 4, ahead);
        }
        copies_commit();
        ahead += S::BK;
        fetched = fetched + 1 == S::SLOTS ? 0 : fetched + 1;
        if (s >= 0) {
            direct_slice<S, XKC, YKC, AHEAD>(slots + used * S::SLOT, p, k1 - k0 - s * S::BK, acc);
            used = used + 1 == S::SLOTS ? 0 : used + 1;
        }
    }
    copies_wait<0>();
    __syncthreads();
}

/* ---- sums and C -------------------------------------------------------------------------------------------------- */

/* Where an element of a staged tile lies: as ring_at; rows of 8 lie four to a line of the banks, the lines exchanged by twos. */
template <typename S> static __device__ __forceinline__ int direct_at(int row, int col)
{
    return S::BN < 16 ? (row * 8 + col) ^ ((row & 12) << 1) : ring_at<S>(row, col);
}

/* Four neighbouring results in pairs turned round, as ring_stage has them. */
template <typename S>
static __device__ __forceinline__ void direct_stage(typename S::type *tile, const RingPlace &p, const typename S::type acc[S::TM][S::TN])
{
    typedef typename Four<typename S::type>::type V;
    tile += p.group * S::TILE;
#pragma unroll
    for (int i = 0; i < S::TM; i++)
#pragma unroll
        for (int j = 0; j < S::TN; j += 4) {
            V v = {acc[i][j + 1], acc[i][j], acc[i][j + 3], acc[i][j + 2]};
            shared_store(shared_address(tile + direct_at<S>(p.row + i / 4 * S::DOWN + i % 4, p.col + j / 4 * S::ACROSS)), v);
        }
}

/* The first group's tile becomes the sum over all groups. */
template <typename S> static __device__ __forceinline__ void direct_fold(typename S::type *tile)
{
    typedef typename S::type       T;
    typedef typename Four<T>::type V;
    enum { Q = S::BN / 4 };
#pragma unroll
    for (int first = 0; first < S::BM * Q; first += S::THREADS) {
        int v = first + threadIdx.x;
        if (S::BM * Q % S::THREADS != 0 && v >= S::BM * Q)
            break;
        T *at  = tile + direct_at<S>(v / Q, v % Q * 4);
        V  sum = *(V *)at;
#pragma unroll
        for (int e = 1; e < S::GROUPS; e++)
            add_four<T>(&sum, *(const uint4 *)(at + e * S::TILE));
        *(V *)at = sum;
    }
}

/* The rows [r0, r1) of this block's tile become the sums over all blocks of the cluster, this one's first.  All reads are under way
 * before the first sum. */
template <typename S>
static __device__ __forceinline__ void direct_gather(typename S::type *tile, int r0, int r1, unsigned rank, unsigned blocks)
{
    typedef typename S::type       T;
    typedef typename Four<T>::type V;
    enum { Q = S::BN / 4, MOST = 8 };
    for (int v = r0 * Q + threadIdx.x; v < r1 * Q; v += S::THREADS) {
        T    *at = tile + direct_at<S>(v / Q, v % Q * 4);
        V     sum = *(V *)at;
        uint4 part[MOST];
#pragma unroll
        for (unsigned b = 1; b < MOST; b++)
            if (b < blocks)
                part[b] = cluster_load(shared_address(at), rank + b < blocks ? rank + b : rank + b - blocks);
#pragma unroll
        for (unsigned b = 1; b < MOST; b++)
            if (b < blocks)
                add_four<T>(&sum, part[b]);
        *(V *)at = sum;
    }
}

/* C = alpha * tile + beta * C for the tile's rows [r0, r1), whole rows side by side.  (A staged tile has its columns in pairs the other
 * way round.) */
template <typename S>
static __device__ __forceinline__ void direct_write(const GemmArgs &g, const typename S::type *tile, unsigned z, int row0, int col0, int r0,
                                                    int r1)
{
    typedef typename S::type       T;
    typedef typename Four<T>::type V;
    enum { Q = S::BN / 4 };
    T    alpha = Four<T>::from(g.alpha), beta = Four<T>::from(g.beta);
    bool keep = !Four<T>::zero(g.beta);
    T   *c    = (T *)g.c + z * g.c_batch + (unsigned long long)row0 * g.ldc + col0;
    if ((g.vector & 4) && col0 + S::BN <= g.n) {
        enum { DOWN = S::THREADS / Q }; /* rows from one access to the next */
        int                at = threadIdx.x % Q * 4, r = r0 + threadIdx.x / Q;
        T                 *out  = c + r * g.ldc + at;
        unsigned long long step = g.ldc * DOWN;
#pragma unroll 4
        for (; r < r1; r += DOWN) {
            V q = *(const V *)(tile + direct_at<S>(r, at)), turned = {q.y, q.x, q.w, q.z};
            put(out, turned, alpha, beta, keep);
            out += step;
        }
    } else {
        enum { DOWN = S::THREADS / S::BN };
        int                at = threadIdx.x % S::BN, r = r0 + threadIdx.x / S::BN;
        T                 *out = c + r * g.ldc + at;
        unsigned long long step = g.ldc * DOWN;
        if (col0 + at >= g.n)
            return;
#pragma unroll 4
        for (; r < r1; r += DOWN) {
            put(out, tile[direct_at<S>(r, at ^ 1)], alpha, beta, keep);
            out += step;
        }
    }
}

/* All tiles of a product.  ../aat/mirror.cuh has those of the symmetric one. */
struct Rectangle {
    enum { ROWS = 1 }; /* blocks of a cluster share out a tile's rows in multiples of this */
    int down, across, tiles;
    template <typename S> __device__ __forceinline__ void open(const GemmArgs &g)
    {
        down   = (g.m + S::BM - 1) / S::BM;
        across = (g.n + S::BN - 1) / S::BN;
        tiles  = down * across;
    }
    __device__ __forceinline__ void place(int tile, int *tm, int *tn) const { tile_order(tile, down, across, tm, tn); }
    template <typename S>
    static __device__ __forceinline__ void write(const GemmArgs &g, typename S::type *tile, unsigned z, int row0, int col0, int r0, int r1)
    {
        r1 = r1 < g.m - row0 ? r1 : g.m - row0;
        direct_write<S>(g, tile, z, row0, col0, r0, r1);
    }
};

/* A block's share of the product. */
struct DirectShare {
    unsigned blocks, rank; /* of its cluster */
    int      part, row0, col0, k0, k1;
};

/* JOINED: the blocks of a cluster (1 to 8) share a tile, or several clusters do, each with a part of k (ring.cuh). */
template <typename S, typename Tiles, bool JOINED> static __device__ __forceinline__ DirectShare direct_share(const GemmArgs &g)
{
    Tiles       tiles;
    DirectShare d      = {JOINED ? cluster_size() : 1, JOINED ? cluster_rank() : 0, 0, 0, 0, 0, g.k};
    int         slices = (g.k + S::BK - 1) / S::BK, parts = JOINED && g.parts > 1 ? g.parts : 1, shares = parts * (int)d.blocks;
    int         tile = (int)blockIdx.x, tm, tn;
    if (shares > 1) { /* divisions are slow: none where nothing is shared out */
        int each = slices / shares, more = slices - each * shares, share;
        tile /= shares;
        share  = (int)blockIdx.x - tile * shares;
        d.part = (share - (int)d.rank) / (int)d.blocks;
        d.k0   = (share * each + (share < more ? share : more)) * S::BK;
        d.k1   = d.k0 + (each + (share < more)) * S::BK;
        d.k1   = d.k1 < g.k ? d.k1 : g.k;
    }
    tiles.template open<S>(g);
    tiles.place(tile, &tm, &tn);
    d.row0 = tm * S::BM;
    d.col0 = tn * S::BN;
    return d;
}

/* From the staged tile to C. */
template <typename S, typename Tiles>
static __device__ __forceinline__ void direct_finish(const GemmArgs &g, typename S::type *tile, const DirectShare &d)
{
    enum { ROWS = Tiles::ROWS };
    int r0 = 0, r1 = S::BM;
    __syncthreads();
    if (S::GROUPS > 1) {
        direct_fold<S>(tile);
        __syncthreads();
    }
    if (d.blocks > 1) {
        r0 = (int)(S::BM / ROWS * d.rank / d.blocks) * ROWS;
        r1 = (int)(S::BM / ROWS * (d.rank + 1) / d.blocks) * ROWS;
        cluster_barrier();
        direct_gather<S>(tile, r0, r1, d.rank, d.blocks);
        cluster_barrier(); /* others may still have read this block's rows */
    }
    Tiles::template write<S>(g, tile, blockIdx.z + d.part, d.row0, d.col0, r0, r1);
}

template <typename S, typename Tiles, bool XKC, bool YKC, bool JOINED, int AHEAD>
static __device__ __forceinline__ void direct_gemm(const GemmArgs &g)
{
    typedef typename S::type T;
    extern __shared__ __align__(128) unsigned char memory[];
    T          *tile = (T *)memory, acc[S::TM][S::TN];
    DirectShare d    = direct_share<S, Tiles, JOINED>(g);
    RingPlace   p    = ring_place<S>();
    grid_turn();
    direct_product<S, XKC, YKC, AHEAD>(g, tile, p, d.row0, d.col0, d.k0, d.k1, acc);
    direct_stage<S>(tile, p, acc);
    direct_finish<S, Tiles>(g, tile, d);
}

#define DIRECT_KERNEL(name, shape, tiles, blocks, joined, ahead, x, y)                                                 \
    extern "C" __global__ void __launch_bounds__(shape::THREADS, blocks) name(const GemmArgs g)                        \
    {                                                                                                                  \
        direct_gemm<shape, tiles, x, y, joined, ahead>(g);                                                             \
    }
#define DIRECT_KERNELS(name, shape, blocks, joined, ahead)                                                             \
    DIRECT_KERNEL(name##_kn, shape, Rectangle, blocks, joined, ahead, true, false)                                     \
    DIRECT_KERNEL(name##_kk, shape, Rectangle, blocks, joined, ahead, true, true)                                      \
    DIRECT_KERNEL(name##_nn, shape, Rectangle, blocks, joined, ahead, false, false)                                    \
    DIRECT_KERNEL(name##_nk, shape, Rectangle, blocks, joined, ahead, false, true)

#endif
