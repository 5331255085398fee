/* SPDX-License-Identifier: Apache-2.0
 *
 * Surface instructions that CUDA C++ has no function for: reductions, and writes that convert to the surface's format. */
#include <cuda_fp16.h>

#include "check.h"

enum { W = 8, H = 2 };

__global__ void reduce(cudaSurfaceObject_t s)
{
    int      x = ((int)threadIdx.x - 2) * 4, y = 0;
    unsigned v = threadIdx.x;
    asm volatile("sured.b.add.2d.u32.zero [%0, {%1, %2}], %3;" ::"l"(s), "r"(x), "r"(y), "r"(v)); /* outside: nowhere */
    asm volatile("sured.b.max.2d.s32.clamp [%0, {%1, %2}], %3;" ::"l"(s), "r"(400), "r"(1), "r"(v));
    asm volatile("sured.p.add.2d.b32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(0), "r"(1), "r"(1)); /* all onto one */
    asm volatile("sured.b.min.2d.s32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(4), "r"(1), "r"(-(int)v));
    asm volatile("sured.b.or.2d.b32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(8), "r"(1), "r"(1u << threadIdx.x));
    asm volatile("sured.b.and.2d.b32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(12), "r"(1), "r"(~(1u << threadIdx.x)));
}

__global__ void format(cudaSurfaceObject_t bytes, cudaSurfaceObject_t halves)
{
    int x = threadIdx.x;
    asm volatile("sust.p.2d.v4.b32.trap [%0, {%1, %2}], {%3, %4, %5, %6};" ::"l"(bytes), "r"(x), "r"(0), "r"(x), "r"(300 + x), "r"(255), "r"(7));
    asm volatile("sust.p.2d.b32.trap [%0, {%1, %2}], %3;" ::"l"(halves), "r"(x), "r"(1), "r"(__float_as_int(x * 0.5f)));
}

static cudaSurfaceObject_t make(cudaArray_t *a, cudaChannelFormatDesc c, const void *v, size_t bytes)
{
    cudaResourceDesc    r = {};
    cudaSurfaceObject_t s;
    OK(cudaMallocArray(a, &c, W, H, cudaArraySurfaceLoadStore));
    if (v)
        OK(cudaMemcpy2DToArray(*a, 0, 0, v, bytes, bytes, H, cudaMemcpyHostToDevice));
    r.resType         = cudaResourceTypeArray;
    r.res.array.array = *a;
    OK(cudaCreateSurfaceObject(&s, &r));
    return s;
}

int main()
{
    unsigned       v[H][W] = {}, got[H][W];
    unsigned char  bytes[H][W][4];
    unsigned short halves[H][W];
    cudaArray_t    a, b, h;
    v[1][3] = 0xffffffff;
    v[1][7] = 5;
    cudaSurfaceObject_t s = make(&a, cudaCreateChannelDesc<unsigned>(), v, sizeof v[0]);
    reduce<<<1, 32>>>(s);
    OK(cudaMemcpy2DFromArray(got, sizeof got[0], a, 0, 0, sizeof got[0], H, cudaMemcpyDeviceToHost));
    for (unsigned x = 0; x < W; x++)
        CHECK(got[0][x] == x + 2);
    CHECK(got[1][0] == 32 && (int)got[1][1] == -31 && got[1][2] == 0xffffffff && got[1][3] == 0 && got[1][7] == 31);

    cudaSurfaceObject_t t = make(&b, cudaCreateChannelDesc<uchar4>(), nullptr, 0);
    cudaSurfaceObject_t u = make(&h, cudaCreateChannelDescHalf(), nullptr, 0);
    format<<<1, W>>>(t, u);
    OK(cudaMemcpy2DFromArray(bytes, sizeof bytes[0], b, 0, 0, sizeof bytes[0], H, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy2DFromArray(halves, sizeof halves[0], h, 0, 0, sizeof halves[0], H, cudaMemcpyDeviceToHost));
    for (int x = 0; x < W; x++) {
        CHECK(bytes[0][x][0] == x && bytes[0][x][1] == 255 && bytes[0][x][2] == 255 && bytes[0][x][3] == 7);
        CHECK(__half2float(__half(__half_raw{halves[1][x]})) == x * 0.5f);
    }
    return passed();
}
