/* SPDX-License-Identifier: Apache-2.0
 *
 * A copy of any number of bytes from any byte to any byte.
 *
 * Change      every access is 16 aligned bytes, whatever the distance between source and destination: a thread reads the
 *             two aligned vectors that hold its 16 bytes (the second is its neighbour's first, and in L1) and shifts
 *             them into place in registers.  One vector a thread: more of them made no more traffic.
 * Bottleneck  DRAM.
 * Measured    docs/kernels.md.
 *
 * Whole vectors of the destination are written by `body`; what is left at both ends, less than 32 bytes each, byte by
 * byte by the first block.  The body's first and last vectors are chosen so that both vectors of the source that are
 * read lie inside the source: no byte outside the two ranges is read or written. */
enum { THREADS = 256, EACH = 1 };

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

template <int WORDS>
static __device__ __forceinline__ void shifted(uint4 *dst, const uint4 *src, size_t n, unsigned bits)
{
    size_t at = (size_t)blockIdx.x * (THREADS * EACH) + threadIdx.x;
    uint4  a[EACH], b[EACH];
    if (at + (EACH - 1) * THREADS < n) {
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            a[i] = src[at + i * THREADS];
            b[i] = src[at + i * THREADS + 1];
        }
#pragma unroll
        for (int i = 0; i < EACH; i++)
            dst[at + i * THREADS] = join<WORDS>(a[i], b[i], bits);
    } else {
        for (; at < n; at += THREADS)
            dst[at] = join<WORDS>(src[at], src[at + 1], bits);
    }
}

static __device__ __forceinline__ void straight(uint4 *dst, const uint4 *src, size_t n)
{
    size_t at = (size_t)blockIdx.x * (THREADS * EACH) + threadIdx.x;
    uint4  a[EACH];
    if (at + (EACH - 1) * THREADS < n) {
#pragma unroll
        for (int i = 0; i < EACH; i++)
            a[i] = src[at + i * THREADS];
#pragma unroll
        for (int i = 0; i < EACH; i++)
            dst[at + i * THREADS] = a[i];
    } else {
        for (; at < n; at += THREADS)
            dst[at] = src[at];
    }
}

/* before: bytes in front of the body; body: its vectors, which begin at dst + before (aligned to 16). */
extern "C" __global__ void __launch_bounds__(THREADS)
    copy_realign(unsigned char *dst, const unsigned char *src, size_t bytes, size_t before, size_t body)
{
    const unsigned char *from = src + before;
    unsigned             off  = (unsigned)(size_t)from & 15;
    const uint4         *s    = (const uint4 *)(from - off);
    uint4               *d    = (uint4 *)(dst + before);
    size_t               after = before + body * 16;
    if (blockIdx.x == 0) {
        if (threadIdx.x < before)
            dst[threadIdx.x] = src[threadIdx.x];
        if (threadIdx.x < bytes - after)
            dst[after + threadIdx.x] = src[after + threadIdx.x];
    }
    if (off == 0)
        straight(d, s, body);
    else if (off < 4)
        shifted<0>(d, s, body, off * 8);
    else if (off < 8)
        shifted<1>(d, s, body, off % 4 * 8);
    else if (off < 12)
        shifted<2>(d, s, body, off % 4 * 8);
    else
        shifted<3>(d, s, body, off % 4 * 8);
}
