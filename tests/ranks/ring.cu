// SPDX-License-Identifier: Apache-2.0
//
// An MPI program with CUDA: each rank passes an array in device memory to the next one, with device pointers given to MPI, and adds what it got; then
// all add up a sum, with device pointers too.  Prints one line by rank 0.
//   ring         all right
//   ring oob     rank 1's kernel runs past the end of its array
//   ring abort   rank 1 ends in the middle with exit code 3
//   ring leave   rank 1 ends in the middle with exit code 0
//   ring unwritten  every rank sends what nobody wrote
//   ring race    every rank sends what its kernel may still write
#include <cuda_runtime.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1000 };

__global__ void fill(int *x, int rank)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        x[i] = rank * N + i;
}

__global__ void add(int *x, const int *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += y[i];
}

int main(int argc, char **argv)
{
    int rank, ranks, devices = 0, *mine, *theirs, *sum, host[N], good = 1;
    const char *how = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    cudaGetDeviceCount(&devices);
    cudaMalloc((void **)&mine, N * sizeof(int));
    cudaMalloc((void **)&theirs, N * sizeof(int));
    cudaMalloc((void **)&sum, N * sizeof(int));
    if (strcmp(how, "unwritten"))
        fill<<<(N + 127) / 128, 128>>>(mine, rank);
    if (strcmp(how, "race"))
        cudaDeviceSynchronize();
    if (rank == 1 && (!strcmp(how, "abort") || !strcmp(how, "leave")))
        exit(!strcmp(how, "abort") ? 3 : 0);
    MPI_Sendrecv(mine, N, MPI_INT, (rank + 1) % ranks, 0, theirs, N, MPI_INT, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    add<<<(N + 127) / 128, 128>>>(mine, theirs, rank == 1 && !strcmp(how, "oob") ? N + 8 : N);
    cudaDeviceSynchronize();
    MPI_Allreduce(mine, sum, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    cudaMemcpy(host, sum, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        good &= host[i] == ranks * (ranks - 1) * N + 2 * ranks * i;
    if (rank == 0)
        printf("%d ranks, %d device%s each: %s\n", ranks, devices, devices == 1 ? "" : "s", good ? "right" : "WRONG");
    cudaFree(mine);
    cudaFree(theirs);
    cudaFree(sum);
    MPI_Finalize();
    return !good;
}
