// SPDX-License-Identifier: Apache-2.0
//
// Kernels whose grids are spread over ranks (check.py): what is counted and found has to be what one process counts and finds.
#include <cstdio>

__device__ int table[64] = {1, 2, 3};

__global__ void past(float *x, const float *y, int n) // the last block reads and writes past the end
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = 2 * y[i] + x[i];
}

__global__ void costly(float *x, const float *y, int n) // conflicts, strides, another path in some blocks
{
    __shared__ float t[32 * 32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = threadIdx.x; k < 32 * 32; k += blockDim.x)
        t[k] = y[(i + k) % n];
    __syncthreads();
    if (i < n)
        x[i] = y[i * 8 % n] + t[threadIdx.x % 32 * 32 + threadIdx.x / 32 % 32];
    if (blockIdx.x % 5 == 3 && i < n)
        x[i] += y[i * 3 % n];
}

__global__ void unwritten(int *x, const int *y, int n) // some blocks read what nobody wrote, and store it
{
    __shared__ int t[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x < 3)
        t[threadIdx.x % 64] = 1;
    __syncthreads();
    if (i < n)
        x[i] = blockIdx.x % 4 ? t[threadIdx.x % 64] : y[i];
}

__global__ void races(int *x) // within blocks
{
    __shared__ int t[32];
    t[threadIdx.x % 32] = threadIdx.x;
    x[blockIdx.x * blockDim.x + threadIdx.x] = t[31 - threadIdx.x % 32];
}

__global__ void beyond(int *x) // the last blocks run past one shared array, into the next
{
    __shared__ int left[32], right[32];
    int i = threadIdx.x;
    left[i]  = i;
    right[i] = -i;
    __syncthreads();
    x[blockIdx.x * blockDim.x + i] = left[i + (blockIdx.x >= 7)] + right[31 - i];
}

__global__ void says(int *x)
{
    if (threadIdx.x == 0)
        printf("block %d has %d\n", blockIdx.x, table[blockIdx.x % 64]);
    x[blockIdx.x * blockDim.x + threadIdx.x] = table[threadIdx.x % 64];
}

__global__ void traps(int *x) // block 7 stops the launch
{
    if (blockIdx.x == 7)
        __trap();
    x[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

__global__ void histogram(int *x, const unsigned char *y, int n) // nobody uses what the atomic gives
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&x[y[i]], 1);
}

__global__ void sums(int *x, unsigned long long *y, unsigned *z, const int *v, int n) // reductions of every kind, to few places
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    atomicAdd(&x[v[i] & 7], v[i]);
    atomicMin(&y[i % 3], (unsigned long long)i * 77777777777ull);
    atomicXor(&z[i % 5], (unsigned)v[i]);
}

__global__ void extremes(int *x, const int *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicMax(&x[i % 4], v[i]);
}

__global__ void floats(float *x, const float *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&x[i % 4], v[i]);
}

__global__ void __cluster_dims__(2, 1, 1) pairs(int *x)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x;
}

__global__ void globals(int *x) // each block its own word of a variable
{
    if (threadIdx.x == 0)
        table[blockIdx.x % 64] += 100;
    x[blockIdx.x * blockDim.x + threadIdx.x] = 0;
}

__global__ void doubled(int *y, const int *x, int n) // mirrored: what other ranks' blocks of a launch before wrote
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 2 * x[n - 1 - i];
}

// ---- blocks that depend on each other

__global__ void ticket(int *x, int *y)
{
    if (threadIdx.x == 0)
        y[blockIdx.x] = atomicAdd(x, 1);
}

__global__ void neighbour(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n)
        x[i] = x[i - 1] + 1;
}

__global__ void waits(volatile int *x)
{
    if (blockIdx.x == 0)
        while (!x[gridDim.x - 1])
            ;
    x[blockIdx.x] = 1;
}

__global__ void keeps(void **x)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] = malloc(8);
}
