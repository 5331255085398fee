/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that fail and are asked for: right after, after a wait, by the sentence or the name of the error (host lines). */
#include "../run.h"

#define CHECK(call)                                            \
    do {                                                       \
        cudaError_t e_ = (call);                               \
        if (e_ != cudaSuccess)                                 \
            printf("%s failed: %s\n", #call, cudaGetErrorString(e_)); \
    } while (0)

__global__ void one(int *p)
{
    p[threadIdx.x] = 1;
}

int main()
{
    int *p, *none;
    CHECK(cudaMalloc(&p, 128));
    if (cudaMalloc(&none, (size_t)1 << 50) != cudaSuccess) /* is there so much? */
        cudaGetLastError();
    CHECK(cudaMemcpy(p, p, 64, (cudaMemcpyKind)17));
    one<<<1, 2048>>>(p);
    printf("%s\n", cudaGetErrorName(cudaPeekAtLastError()));
    cudaEvent_t done;
    CHECK(cudaEventCreate(&done));
    one<<<1, 2048>>>(p);
    cudaEventRecord(done);
    cudaEventSynchronize(done);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    CHECK(cudaEventDestroy(done));
    CHECK(cudaFree(p));
    return 0;
}
