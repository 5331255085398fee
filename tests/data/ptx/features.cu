// SPDX-License-Identifier: Apache-2.0
#ifdef __clang__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))
#define TID __nvvm_read_ptx_sreg_tid_x()
#define SYNC() asm volatile("bar.sync 0;" ::: "memory")
#else
#define TID threadIdx.x
#define SYNC() __syncthreads()
#endif
struct Pair { int a; double b; char c[3]; };
__constant__ float table[4] = {1, 2.5f, 3, 4};
__device__ int grid[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
#ifdef __clang__ // clang 14 cannot put a generic address there
__device__ int inside[1] = {7};
#else
__device__ int *inside = &grid[1][2];
#endif
__device__ Pair pair = {1, 2.0, {1, 2, 3}};
__device__ __attribute__((noinline)) float one(float x) { return x + 1; }
__device__ __attribute__((noinline)) float two(float x) { return x * 2; }
typedef float (*Fn)(float);
__device__ Fn fns[2] = {one, two};
__device__ __attribute__((noinline)) Pair make(int a) { Pair s; s.a = a; s.b = a; s.c[0] = 1; s.c[1] = 2; s.c[2] = 3; return s; }
extern __shared__ float dynamic[];
extern "C" __global__ void loops(float *o, Pair s, int n)
{
    __shared__ float tile[33][32];
    int t = TID;
    tile[t % 32][t / 32] = o[t];
    dynamic[t] = table[t & 3];
    SYNC();
    float acc = 0;
    for (int i = 0; i < n; i++) {
        acc += tile[i % 33][t % 32] * fns[i & 1](dynamic[i]);
        for (int j = i; j < n; j += 3)
            if (acc > 100.f)
                acc -= o[j];
            else if (acc < -5)
                break;
        if (acc > 1000.f)
            return;
    }
    Pair q = make(t);
    o[t] = acc + (float)(q.b + s.b) + *inside + pair.c[1];
}
extern "C" __global__ void choose(int *o, int n, unsigned long long big)
{
    int acc = o[0];
    switch (n) {
    case 0: acc += 1; break;
    case 1: acc *= 3; break;
    case 2: acc -= 5; break;
    case 3: acc ^= 77; break;
    case 4: acc <<= 3; break;
    case 5: acc /= 7; break;
    case 6: acc = (int)(big >> 17); break;
    default: acc = n;
    }
    while (acc & 1)
        acc = acc / 2 + o[acc & 15];
    o[TID] = acc;
}
