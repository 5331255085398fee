/* SPDX-License-Identifier: Apache-2.0
 *
 * What the time model has to know of a card, one kernel for each figure: `warpwright profile measure` launches them and computes the figures.
 *
 * Change      one thing at a time: a chain of loads that each need the one before, a stream that nobody waits for, one block alone.
 * Bottleneck  what the kernel is named after, by intent.
 * Measured    docs/time-model.md.
 *
 * out[0] gets the clocks of one thread from its first to its last step, out[1] a witness that the host compares with its own. */
typedef unsigned long long Word;
enum { CHAIN = 64, INDEPENDENT = 8 };

static __device__ __forceinline__ Word ticks()
{
    Word t;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
    return t;
}

static __device__ __forceinline__ unsigned load_ca(const unsigned *p)
{
    unsigned v;
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

static __device__ __forceinline__ unsigned load_cg(const unsigned *p)
{
    unsigned v;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

static __device__ __forceinline__ void tell(Word *out, Word clocks, Word witness)
{
    out[0] = clocks;
    out[1] = witness;
}

/* Each word is the index of the next one.  Two turns, of which the second is timed: the first fills the cache. */
extern "C" __global__ void measure_l1(Word *out, const unsigned *next, unsigned steps)
{
    unsigned at = 0;
    for (unsigned i = 0; i < steps; i++)
        at = load_ca(next + at);
    Word from = ticks();
    for (unsigned i = 0; i < steps; i++)
        at = load_ca(next + at);
    tell(out, ticks() - from, at);
}

/* One turn, past L1. */
extern "C" __global__ void measure_far(Word *out, const unsigned *next, unsigned steps)
{
    unsigned at   = 0;
    Word     from = ticks();
    for (unsigned i = 0; i < steps; i++)
        at = load_cg(next + at);
    tell(out, ticks() - from, at);
}

extern "C" __global__ void measure_shared(Word *out, unsigned steps)
{
    __shared__ unsigned next[256];
    if (threadIdx.x == 0) {
        volatile unsigned *words = next;
        for (unsigned i = 0; i < 256; i++)
            words[i] = (i + 17) & 255;
        unsigned at   = 0;
        Word     from = ticks();
        for (unsigned i = 0; i < steps; i++)
            at = words[at];
        tell(out, ticks() - from, at);
    }
}

/* Multiplications with sums that each need the one before. */
extern "C" __global__ void measure_chain(Word *out, unsigned rounds, float x, float a, float b)
{
    Word from = ticks();
    for (unsigned r = 0; r < rounds; r++)
#pragma unroll
        for (int i = 0; i < CHAIN; i++)
            x = __builtin_fmaf(x, a, b);
    Word spent = ticks() - from;
    tell(out, spent, x > 0);
}

/* The same of the slow pipe: powers of two. */
extern "C" __global__ void measure_near(Word *out, unsigned rounds, float x)
{
    Word from = ticks();
    for (unsigned r = 0; r < rounds; r++)
#pragma unroll
        for (int i = 0; i < CHAIN; i++)
            asm volatile("ex2.approx.f32 %0, %0;" : "+f"(x));
    Word spent = ticks() - from;
    tell(out, spent, x > 0);
}

/* A block alone: instructions that need nobody. */
extern "C" __global__ void measure_issue(Word *out, unsigned rounds, float a, float b)
{
    float x[INDEPENDENT], sum = 0;
    for (int i = 0; i < INDEPENDENT; i++)
        x[i] = (float)(threadIdx.x + i);
    __syncthreads();
    Word from = ticks();
#pragma unroll 1
    for (unsigned r = 0; r < rounds; r++)
#pragma unroll
        for (int u = 0; u < CHAIN / INDEPENDENT; u++)
#pragma unroll
            for (int i = 0; i < INDEPENDENT; i++)
                x[i] = __builtin_fmaf(x[i], a, b);
    __syncthreads();
    Word spent = ticks() - from;
    for (int i = 0; i < INDEPENDENT; i++)
        sum += x[i];
    if (threadIdx.x == 0 || sum == 1234.5f)
        tell(out, spent, sum > 0);
}

/* A block alone: passes over the banks, `stride` of them an access. */
extern "C" __global__ void measure_passes(Word *out, unsigned rounds, unsigned stride)
{
    __shared__ unsigned tile[2048];
    volatile unsigned  *words = tile;
    for (unsigned i = threadIdx.x; i < 2048; i += blockDim.x)
        words[i] = 1;
    unsigned at = (threadIdx.x & 31) * stride & 2047, sum = 0;
    __syncthreads();
    Word from = ticks();
#pragma unroll 8
    for (unsigned r = 0; r < rounds; r++)
        sum += words[at];
    __syncthreads();
    Word spent = ticks() - from;
    if (threadIdx.x == 0)
        tell(out, spent, sum);
}

template <bool NEAR> static __device__ __forceinline__ unsigned read_vector(const uint4 *p)
{
    unsigned x, y, z, w;
    if (NEAR)
        asm volatile("ld.global.ca.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(p));
    else
        asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(p));
    return x + y + z + w;
}

/* Four vectors in flight a thread; `vectors` is a multiple of what all threads read at once. */
template <bool NEAR> static __device__ __forceinline__ unsigned read_all(const uint4 *in, unsigned first, unsigned step, unsigned vectors)
{
    unsigned sum = 0;
#pragma unroll 1
    for (unsigned i = first; i < vectors; i += 4 * step) {
        unsigned a = read_vector<NEAR>(in + i), b = read_vector<NEAR>(in + i + step);
        unsigned c = read_vector<NEAR>(in + i + 2 * step), d = read_vector<NEAR>(in + i + 3 * step);
        sum += a + b + c + d;
    }
    return sum;
}

/* A block alone reads `vectors` of 16 bytes again and again: out of L1, or past it. */
template <bool NEAR> static __device__ __forceinline__ void read_block(Word *out, const uint4 *in, unsigned vectors, unsigned rounds)
{
    unsigned sum = 0;
    for (int turn = 0; turn < 2; turn++) { /* the first fills the cache */
        __syncthreads();
        Word from = ticks();
        for (unsigned r = 0; r < rounds; r++)
            sum += read_all<NEAR>(in, threadIdx.x, blockDim.x, vectors);
        __syncthreads();
        if (threadIdx.x == 0 || sum == 12345)
            tell(out, ticks() - from, sum);
    }
}

extern "C" __global__ void measure_l1_rate(Word *out, const uint4 *in, unsigned vectors, unsigned rounds)
{
    read_block<true>(out, in, vectors, rounds);
}

extern "C" __global__ void measure_port(Word *out, const uint4 *in, unsigned vectors, unsigned rounds)
{
    read_block<false>(out, in, vectors, rounds);
}

/* The whole card reads, past L1, `rounds` times; each time a block reads what another one read before. */
extern "C" __global__ void measure_read(Word *out, const uint4 *in, unsigned vectors, unsigned rounds)
{
    unsigned sum = 0;
    for (unsigned r = 0; r < rounds; r++)
        sum += read_all<false>(in, (blockIdx.x + r) % gridDim.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x, vectors);
    if (sum == 12345)
        tell(out, 0, sum);
}

extern "C" __global__ void measure_write(uint4 *to, unsigned vectors, unsigned value)
{
    uint4 v = {value, value, value, value};
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors; i += gridDim.x * blockDim.x)
        to[i] = v;
}

/* One lane of each warp adds to the word. */
extern "C" __global__ void measure_updates(unsigned *word, unsigned rounds)
{
    if ((threadIdx.x & 31) == 0)
        for (unsigned r = 0; r < rounds; r++)
            asm volatile("red.global.add.u32 [%0], 1;" ::"l"(word) : "memory");
}

extern "C" __global__ void measure_nothing()
{
}

/* Waits so many clocks; out[1]: nanoseconds. */
extern "C" __global__ void measure_clock(Word *out, Word clocks)
{
    Word from = ticks(), now, first, last;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(first)::"memory");
    do
        now = ticks();
    while (now - from < clocks);
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(last)::"memory");
    tell(out, now - from, last - first);
}
