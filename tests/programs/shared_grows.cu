/* SPDX-License-Identifier: Apache-2.0
 *
 * Launches of one kernel with less and more dynamic shared memory: native code that was made for a small window must not serve a larger one,
 * where patterns are kept by their offset (performance rules).
 *
 * options: --check=perf
 * warns: bank-conflicts */
#include "check.h"

enum { BLOCKS = 40, THREADS = 128 };

/* Sums of words, read in rows and with a stride between the lanes. */
__global__ void sums(int *sum, int n, int stride)
{
    extern __shared__ int word[];
    for (int i = threadIdx.x; i < n; i += THREADS)
        word[i] = i;
    __syncthreads();
    int x = 0;
    for (int i = 0; i < n / 32; i++)
        x += word[(i * 32 + threadIdx.x * stride) % n] + word[i * 32 + threadIdx.x % 32];
    sum[blockIdx.x * THREADS + threadIdx.x] = x;
}

static void test_size(int *sum, int n, int stride)
{
    static int got[BLOCKS * THREADS];
    sums<<<BLOCKS, THREADS, n * sizeof(int)>>>(sum, n, stride);
    OK(cudaMemcpy(got, sum, sizeof got, cudaMemcpyDeviceToHost));
    for (int t = 0; t < BLOCKS * THREADS; t++) {
        int want = 0;
        for (int i = 0; i < n / 32; i++)
            want += (i * 32 + t % THREADS * stride) % n + i * 32 + t % 32;
        CHECK(got[t] == want);
    }
}

int main()
{
    int *sum = NULL;
    OK(cudaMalloc(&sum, BLOCKS * THREADS * sizeof(int)));
    test_size(sum, 256, 1);
    test_size(sum, 4096, 1);
    test_size(sum, 9984, 1);
    test_size(sum, 1024, 2);
    test_size(sum, 12000, 1);
    OK(cudaFree(sum));
    return passed();
}
