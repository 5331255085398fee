/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies of bytes, or of rows of bytes, from any byte to any byte.
 *
 * Whole vectors of the destination are written by `body`; what is left at both ends, less than 32 bytes each, byte by
 * byte by the first block.  The body's first and last vectors are chosen so that both vectors of the source that are
 * read lie inside the source: no byte outside the two ranges is read or written. */
#ifndef WW_KERNELS_COPY_REALIGN_CUH
#define WW_KERNELS_COPY_REALIGN_CUH

enum { THREADS = 256 };

static __device__ __forceinline__ unsigned pick(unsigned low, unsigned high, unsigned bits)
{
    unsigned v;
    asm("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(v) : "r"(low), "r"(high), "r"(bits));
    return v;
}

/* The 16 bytes that begin WORDS * 4 + bits / 8 bytes into a, b. */
template <int WORDS> static __device__ __forceinline__ uint4 join(uint4 a, uint4 b, unsigned bits)
{
    unsigned w[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
    uint4    v    = {pick(w[WORDS], w[WORDS + 1], bits), pick(w[WORDS + 1], w[WORDS + 2], bits),
                     pick(w[WORDS + 2], w[WORDS + 3], bits), pick(w[WORDS + 3], w[WORDS + 4 & 7], bits)};
    return v;
}

/* Vector `at` of a body whose source lies `off` bytes past the aligned vector s. */
static __device__ __forceinline__ void move(uint4 *d, const uint4 *s, size_t at, unsigned off)
{
    unsigned bits = off % 4 * 8;
    if (off == 0)
        d[at] = s[at];
    else if (off < 4)
        d[at] = join<0>(s[at], s[at + 1], bits);
    else if (off < 8)
        d[at] = join<1>(s[at], s[at + 1], bits);
    else if (off < 12)
        d[at] = join<2>(s[at], s[at + 1], bits);
    else
        d[at] = join<3>(s[at], s[at + 1], bits);
}

/* before: bytes in front of the body; body: its vectors, which begin at dst + before (aligned to 16). */
static __device__ __forceinline__ void realign(unsigned char *dst, const unsigned char *src, size_t bytes, size_t before, size_t body)
{
    const unsigned char *from = src + before;
    unsigned             off  = (unsigned)(size_t)from & 15;
    size_t               after = before + body * 16, at = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (blockIdx.x == 0) {
        if (threadIdx.x < before)
            dst[threadIdx.x] = src[threadIdx.x];
        if (threadIdx.x < bytes - after)
            dst[after + threadIdx.x] = src[after + threadIdx.x];
    }
    if (at < body)
        move((uint4 *)(dst + before), (const uint4 *)(from - off), at, off);
}

/* The same for each of `rows` rows of `bytes` bytes, `dst_pitch` and `src_pitch` bytes apart.  `across` threads, a power of two from
 * 32 to 256, follow one another along a row; the rest of a block's threads take the next rows.  A row is split as the host splits
 * the whole copy above (src/blas/copy.c). */
static __device__ __forceinline__ void realign_rows(unsigned char *dst, size_t dst_pitch, const unsigned char *src, size_t src_pitch,
                                                    size_t bytes, size_t rows, unsigned across)
{
    unsigned each = THREADS / across, lane = threadIdx.x % across;
    for (size_t r = (size_t)blockIdx.y * each + threadIdx.x / across; r < rows; r += (size_t)gridDim.y * each) {
        unsigned char       *to   = dst + r * dst_pitch;
        const unsigned char *from = src + r * src_pitch;
        unsigned             first = (0u - (unsigned)(size_t)to) & 15, off = ((unsigned)(size_t)from + first) & 15;
        if (off > first)
            first += 16;
        size_t behind = off ? 16 - off : 0, body = bytes >= first + behind ? (bytes - first - behind) / 16 : 0;
        size_t before = body ? first : 0, after = before + body * 16;
        if (blockIdx.x == 0) {
            if (lane < before)
                to[lane] = from[lane];
            for (size_t i = after + lane; i < bytes; i += across)
                to[i] = from[i];
        }
        for (size_t at = (size_t)blockIdx.x * across + lane; at < body; at += (size_t)gridDim.x * across)
            move((uint4 *)(to + before), (const uint4 *)(from + before - off), at, off);
    }
}

/* Rows of `vectors` aligned vectors, LINES rows a thread, a grid's rows of threads apart; across: as above. */
static __device__ __forceinline__ void copy_aligned(uint4 *to, size_t to_pitch, const uint4 *from, size_t from_pitch, unsigned vectors,
                                                    unsigned rows, unsigned across)
{
    enum { LINES = 4 };
    unsigned each = THREADS / across, at = blockIdx.x * across + threadIdx.x % across, r = blockIdx.y * each * LINES + threadIdx.x / across;
    uint4    v[LINES];
    if (at >= vectors)
        return;
    from += r * from_pitch + at;
    to += r * to_pitch + at;
    if (r + (LINES - 1) * each < rows) {
#pragma unroll
        for (int i = 0; i < LINES; i++)
            v[i] = from[i * each * from_pitch];
#pragma unroll
        for (int i = 0; i < LINES; i++)
            to[i * each * to_pitch] = v[i];
    } else {
        for (; r < rows; r += each, from += each * from_pitch, to += each * to_pitch)
            *to = *from;
    }
}

#endif
