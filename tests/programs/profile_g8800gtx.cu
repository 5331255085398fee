/* SPDX-License-Identifier: Apache-2.0
 *
 * A profile binds: a card of 2006, which has no PTX of this program, runs it all the same, within its limits.
 * options: --profile g8800gtx */
#include "check.h"

__global__ void fill(int *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

int main()
{
    cudaDeviceProp p;
    int           *out, blocks = 0, size = 0;
    OK(cudaMalloc(&out, 1 << 20));
    OK(cudaGetDeviceProperties(&p, 0));
    CHECK(p.major == 1 && p.minor == 0 && p.multiProcessorCount == 16 && p.maxThreadsPerBlock == 512);
    CHECK(p.maxGridSize[0] == 65535 && p.maxGridSize[2] == 1 && p.sharedMemPerBlock == 16384);
    CHECK(!p.managedMemory && !p.cooperativeLaunch && !p.concurrentKernels && !p.ECCEnabled);
    fill<<<4, 512>>>(out);
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    fill<<<1, 513>>>(out);
    CHECK(cudaGetLastError() != cudaSuccess);
    fill<<<dim3(1, 1, 2), 32>>>(out);
    CHECK(cudaGetLastError() != cudaSuccess);
    fill<<<70000, 1>>>(out);
    CHECK(cudaGetLastError() != cudaSuccess);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 256, 0));
    CHECK(blocks == 3);
    OK(cudaOccupancyMaxPotentialBlockSize(&blocks, &size, fill, 0, 0));
    CHECK(size <= 512 && blocks % 16 == 0);
    return passed();
}
