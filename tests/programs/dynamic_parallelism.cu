/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels that launch kernels: nested to three levels, into every kind of stream, with copies and sets between them; a quicksort.
 * nvcc: -rdc=true -lcudadevrt
 * slow: many grids */
#include "check.h"

__global__ void add(int *a, int n)
{
    a[threadIdx.x] += n;
}

__global__ void times(int *a, int n)
{
    a[threadIdx.x] *= n;
}

__global__ void order(int *a)
{
    if (threadIdx.x)
        return;
    times<<<1, 4, 0, cudaStreamTailLaunch>>>(a, 10); /* last of all, whatever stands behind it */
    add<<<1, 4>>>(a, 1);
    times<<<1, 4>>>(a, 3); /* behind add: the same stream */
    cudaStream_t s;
    cudaEvent_t  e;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    cudaEventRecord(e, 0);
    cudaStreamWaitEvent(s, e, 0);
    add<<<1, 2, 0, s>>>(a + 2, 5);
    cudaMemcpyAsync(a + 4, a, 4 * sizeof *a, cudaMemcpyDeviceToDevice, s);
    cudaMemsetAsync(a + 8, 1, 2 * sizeof *a, s);
    cudaEventDestroy(e);
    cudaStreamDestroy(s);
    add<<<1, 1, 0, cudaStreamFireAndForget>>>(a + 10, 7);
}

__global__ void nest(int *sum, int depth)
{
    atomicAdd(sum, 1);
    if (depth && threadIdx.x == 0)
        nest<<<2, 2>>>(sum, depth - 1);
}

__global__ void quicksort(int *a, int lo, int hi)
{
    int i = lo, j = hi, pivot = a[(lo + hi) / 2];
    while (i <= j) {
        while (a[i] < pivot)
            i++;
        while (a[j] > pivot)
            j--;
        if (i <= j) {
            int t = a[i];
            a[i++] = a[j];
            a[j--] = t;
        }
    }
    if (lo < j)
        quicksort<<<1, 1>>>(a, lo, j);
    if (i < hi)
        quicksort<<<1, 1>>>(a, i, hi);
}

__global__ void countdown(int *n)
{
    if (--*n > 0)
        countdown<<<1, 1, 0, cudaStreamTailLaunch>>>(n);
}

__global__ void errors(int *e)
{
    add<<<1, 2048>>>(e, 0);
    e[0] = cudaPeekAtLastError();
    e[1] = cudaGetLastError();
    e[2] = cudaGetLastError();
    const char *s = cudaGetErrorName(cudaErrorInvalidConfiguration);
    e[3] = s[0] == 'c' && s[9] == 'I';
    int *p = nullptr;
    e[4] = cudaMalloc(&p, 64);
    p[15] = 3;
    e[5] = cudaFree(p);
    int device = -1, sms = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    e[6] = sms;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&e[7], add, 256, 0);
}

int main()
{
    int *a, h[1000];
    OK(cudaMalloc(&a, sizeof h));
    OK(cudaMemset(a, 0, sizeof h));
    order<<<1, 32>>>(a);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(h, a, 11 * sizeof *h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 30 && h[1] == 30 && h[2] == 80 && h[3] == 80);
    CHECK(h[4] == 3 && h[5] == 3 && h[6] == 8 && h[7] == 8);
    CHECK(h[8] == 0x01010101 && h[9] == 0x01010101 && h[10] == 7);

    OK(cudaMemset(a, 0, sizeof *a));
    nest<<<1, 2>>>(a, 3);
    OK(cudaMemcpy(h, a, sizeof *h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 2 + 4 + 8 + 16);

    unsigned seed = 1;
    for (int i = 0; i < 1000; i++)
        h[i] = (int)((seed = seed * 1103515245 + 12345) >> 16 & 0xfff);
    OK(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
    quicksort<<<1, 1>>>(a, 0, 999);
    OK(cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 1; i < 1000; i++)
        CHECK(h[i - 1] <= h[i]);

    h[0] = 5000;
    OK(cudaMemcpy(a, h, sizeof *h, cudaMemcpyHostToDevice));
    countdown<<<1, 1>>>(a);
    OK(cudaMemcpy(h, a, sizeof *h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 0);

    errors<<<1, 1>>>(a);
    OK(cudaMemcpy(h, a, 8 * sizeof *h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == cudaErrorInvalidConfiguration && h[1] == h[0] && h[2] == 0 && h[3] == 1 && h[4] == 0 && h[5] == 0);
    CHECK(h[6] > 0 && h[7] == 8);
    return passed();
}
