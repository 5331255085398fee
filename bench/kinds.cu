/* SPDX-License-Identifier: Apache-2.0
 *
 * Ten kernels of the kinds that real programs are made of, for bench_kinds: each works on n words and loops `turns` times. */
#define KERNEL extern "C" __global__ void
typedef unsigned int u32;

KERNEL hash(u32 *a, int n, int turns) /* integers only, like a digest */
{
    u32 x = blockIdx.x * blockDim.x + threadIdx.x, y = x ^ 0x9e3779b9u;
    for (int i = 0; i < turns; i++) {
        x += (y << 7 | y >> 25) ^ (x & ~y);
        y += (x << 13 | x >> 19) ^ (y | 0x5bd1e995u);
    }
    a[(blockIdx.x * blockDim.x + threadIdx.x) % n] = x ^ y;
}

KERNEL stencil(u32 *a, int n, int turns) /* floats, neighbours in global memory */
{
    float *f = (float *)a;
    int    i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int t = 0; t < turns; t++) {
        int k = (i + t * 32) % (n - 2) + 1;
        f[k] = 0.25f * f[k - 1] + 0.5f * f[k] + 0.25f * f[k + 1];
    }
}

KERNEL doubles(u32 *a, int n, int turns)
{
    double x = threadIdx.x * 1e-3 + 1.0, y = 0.5;
    for (int i = 0; i < turns; i++) {
        y = y * x + 0.25;
        x = x - y * 1e-6;
    }
    a[(blockIdx.x * blockDim.x + threadIdx.x) % n] = (u32)(x + y);
}

KERNEL reduction(u32 *a, int n, int turns) /* shared memory and barriers */
{
    __shared__ u32 s[256];
    u32            sum = 0;
    for (int i = 0; i < turns; i++) {
        s[threadIdx.x] = threadIdx.x * i;
        __syncthreads();
        for (int d = 128; d > 0; d >>= 1) {
            if (threadIdx.x < d)
                s[threadIdx.x] += s[threadIdx.x + d];
            __syncthreads();
        }
        sum += s[0];
        __syncthreads();
    }
    a[(blockIdx.x * blockDim.x + threadIdx.x) % n] = sum;
}

KERNEL bins(u32 *a, int n, int turns) /* shared atomics on scattered words */
{
    __shared__ u32 s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    u32 x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    for (int i = 0; i < turns; i++) {
        x = x * 1664525u + 1013904223u;
        atomicAdd(&s[x >> 24], 1u);
    }
    __syncthreads();
    atomicAdd(&a[threadIdx.x % n], s[threadIdx.x]);
}

KERNEL gather(u32 *a, int n, int turns) /* random reads of global memory */
{
    u32 x = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (int i = 0; i < turns; i++) {
        x = x * 1664525u + 1013904223u;
        sum += a[x % n];
    }
    a[(blockIdx.x * blockDim.x + threadIdx.x) % n] = sum;
}

KERNEL bytes(u32 *a, int n, int turns) /* bytes of global memory */
{
    unsigned char *b = (unsigned char *)a;
    int            i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int t = 0; t < turns; t++)
        b[(i + t) % (n * 4)] ^= (unsigned char)(b[(i * 4 + t) % (n * 4)] + t);
}

KERNEL branches(u32 *a, int n, int turns) /* lanes that go different ways */
{
    u32 x = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < turns; i++) {
        if (x & 1)
            x = x * 3 + 1;
        else if (x & 2)
            x = x / 2 + i;
        else
            x ^= x >> 3;
        while ((x & 7) == 5)
            x += 3;
    }
    a[(blockIdx.x * blockDim.x + threadIdx.x) % n] = x;
}

KERNEL locals(u32 *a, int n, int turns) /* an array in local memory */
{
    u32 mine[32];
    for (int i = 0; i < 32; i++)
        mine[i] = i * threadIdx.x;
    u32 x = threadIdx.x;
    for (int i = 0; i < turns; i++) {
        x = x * 1664525u + 1013904223u;
        mine[x >> 27] += x;
    }
    u32 sum = 0;
    for (int i = 0; i < 32; i++)
        sum += mine[i];
    a[(blockIdx.x * blockDim.x + threadIdx.x) % n] = sum;
}

KERNEL scan(u32 *a, int n, int turns) /* shuffles */
{
    u32 x = threadIdx.x;
    for (int i = 0; i < turns; i++)
        for (int d = 1; d < 32; d *= 2) {
            u32 y = __shfl_up_sync(0xffffffffu, x, d);
            if ((threadIdx.x & 31) >= d)
                x += y;
        }
    a[(blockIdx.x * blockDim.x + threadIdx.x) % n] = x;
}
