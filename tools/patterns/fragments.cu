/* SPDX-License-Identifier: Apache-2.0
 *
 * wmma's loads and stores: each shape, type, layout and memory that there is, 240 launches of one warp.  The counters of an H200 are
 * tests/data/golden/fragments_h200.tsv. */
#include <cstdio>
#include <cuda_bf16.h>
#include <mma.h>

using namespace nvcuda;

enum { STRIDE = 64, ELEMENTS = 16384, RESULTS = 2048, NOBODY = 77 };

__device__ __align__(256) char left[1 << 16], right[1 << 16], sums[1 << 16];

template <class A, class B, class C, class T, class S> __device__ void product(const T *a, const T *b, S *c, wmma::layout_t to)
{
    A x;
    B y;
    C z;
    wmma::load_matrix_sync(x, a, STRIDE);
    wmma::load_matrix_sync(y, b, STRIDE);
    wmma::load_matrix_sync(z, c, STRIDE, to);
    wmma::mma_sync(z, x, y, z);
    wmma::store_matrix_sync(c, z, STRIDE, to);
}

template <class A, class B, class C, class T, class S, wmma::layout_t TO, bool SHARED> __global__ void fragments(const T *a, const T *b, S *c)
{
    if constexpr (SHARED) {
        __shared__ __align__(16) T sa[ELEMENTS / sizeof(T)], sb[ELEMENTS / sizeof(T)];
        __shared__ __align__(16) S sc[RESULTS];
        if (threadIdx.x == NOBODY) {
            sa[0] = a[0];
            sb[0] = b[0];
            sc[0] = c[0];
        }
        __syncthreads();
        product<A, B, C>(sa, sb, sc, TO);
        __syncthreads();
        c[threadIdx.x] = sc[threadIdx.x];
    } else {
        product<A, B, C>(a, b, c, TO);
    }
}

template <class T> static T *at(const void *symbol)
{
    void *p = nullptr;
    cudaGetSymbolAddress(&p, symbol);
    return static_cast<T *>(p);
}

template <int M, int N, int K, class P, class T, class S, class LA, class LB, wmma::layout_t TO> static void both()
{
    using A = wmma::fragment<wmma::matrix_a, M, N, K, P, LA>;
    using B = wmma::fragment<wmma::matrix_b, M, N, K, P, LB>;
    using C = wmma::fragment<wmma::accumulator, M, N, K, S>;
    fragments<A, B, C, T, S, TO, false><<<1, 32>>>(at<T>(left), at<T>(right), at<S>(sums));
    fragments<A, B, C, T, S, TO, true><<<1, 32>>>(at<T>(left), at<T>(right), at<S>(sums));
}

template <int M, int N, int K, class P, class T, class LA, class LB, wmma::layout_t TO, class... S> static void results()
{
    (both<M, N, K, P, T, S, LA, LB, TO>(), ...);
}

template <int M, int N, int K, class P, class T, class... S> static void layouts()
{
    using R = wmma::row_major;
    using C = wmma::col_major;
    results<M, N, K, P, T, R, R, wmma::mem_row_major, S...>();
    results<M, N, K, P, T, R, R, wmma::mem_col_major, S...>();
    results<M, N, K, P, T, R, C, wmma::mem_row_major, S...>();
    results<M, N, K, P, T, R, C, wmma::mem_col_major, S...>();
    results<M, N, K, P, T, C, R, wmma::mem_row_major, S...>();
    results<M, N, K, P, T, C, R, wmma::mem_col_major, S...>();
    results<M, N, K, P, T, C, C, wmma::mem_row_major, S...>();
    results<M, N, K, P, T, C, C, wmma::mem_col_major, S...>();
}

template <int M, int N> static void types()
{
    layouts<M, N, 16, __half, __half, float, __half>();
    layouts<M, N, 16, __nv_bfloat16, __nv_bfloat16, float>();
    layouts<M, N, 16, signed char, signed char, int>();
    if constexpr (M == N)
        layouts<M, N, 16, unsigned char, unsigned char, int>();
}

int main()
{
    types<16, 16>();
    types<32, 8>();
    types<8, 32>();
    layouts<16, 16, 8, wmma::precision::tf32, float, float>();
    layouts<8, 8, 4, double, double, double>();
    cudaError_t e = cudaDeviceSynchronize();
    puts(cudaGetErrorString(e));
    return e != cudaSuccess;
}
