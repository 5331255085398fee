/* SPDX-License-Identifier: Apache-2.0
 *
 * Clusters: a histogram over the shared memory of all blocks of one, a sum that goes round, launches that are refused, and what fits on the device. */
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

enum { BINS_PER_BLOCK = 64, THREADS = 128 };

/* Bins lie in the blocks of the cluster, BINS_PER_BLOCK in each. */
__global__ void histogram(const unsigned *values, int n, unsigned *bins)
{
    extern __shared__ unsigned mine[];
    cg::cluster_group cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < BINS_PER_BLOCK; i += blockDim.x)
        mine[i] = 0;
    cluster.sync();
    int threads = (int)(cluster.num_blocks() * blockDim.x), me = (int)(cluster.block_rank() * blockDim.x + threadIdx.x);
    for (int i = me; i < n; i += threads) {
        unsigned  bin  = values[i] % (BINS_PER_BLOCK * cluster.num_blocks());
        unsigned *home = cluster.map_shared_rank(mine, bin / BINS_PER_BLOCK);
        atomicAdd(home + bin % BINS_PER_BLOCK, 1);
    }
    cluster.sync();
    for (int i = threadIdx.x; i < BINS_PER_BLOCK; i += blockDim.x)
        atomicAdd(bins + cluster.block_rank() * BINS_PER_BLOCK + i, mine[i]);
}

/* Every block adds its rank to what the block before it holds, one after the other. */
__global__ void __cluster_dims__(4, 1, 1) ring(int *out)
{
    __shared__ int value;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned          rank = cluster.block_rank(), n = cluster.num_blocks();
    if (threadIdx.x == 0)
        value = (int)(blockIdx.x * 10);
    for (unsigned step = 1; step < n; step++) {
        cluster.sync();
        if (rank == step && threadIdx.x == 0)
            value += *cluster.map_shared_rank(&value, rank - 1);
    }
    auto token = cluster.barrier_arrive();
    cluster.barrier_wait(static_cast<decltype(token) &&>(token));
    if (threadIdx.x == 0)
        out[blockIdx.x] = value + (int)cluster.query_shared_rank(cluster.map_shared_rank(&value, (rank + 1) % n)) * 1000;
    cluster.sync();
}

__global__ void shape(int *out)
{
    cg::cluster_group cluster = cg::this_cluster();
    dim3              at = cluster.block_index(), size = cluster.dim_blocks();
    int              *row = out + 8 * ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x);
    row[0] = (int)at.x, row[1] = (int)at.y, row[2] = (int)at.z, row[3] = (int)cluster.block_rank();
    row[4] = (int)size.x, row[5] = (int)size.y, row[6] = (int)size.z, row[7] = (int)cluster.thread_rank();
}

template <typename... Args> static cudaError_t launch(void (*kernel)(Args...), dim3 grid, dim3 block, size_t shared, dim3 cluster, Args... args)
{
    cudaLaunchConfig_t    config = {};
    cudaLaunchAttribute_st attribute[2];
    config.gridDim                             = grid;
    config.blockDim                            = block;
    config.dynamicSmemBytes                    = shared;
    attribute[0].id                            = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x              = cluster.x;
    attribute[0].val.clusterDim.y              = cluster.y;
    attribute[0].val.clusterDim.z              = cluster.z;
    attribute[1].id                            = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute[1].val.programmaticStreamSerializationAllowed = 1;
    config.attrs                               = attribute;
    config.numAttrs                            = 2;
    return cudaLaunchKernelEx(&config, kernel, args...);
}

static void test_histogram(unsigned blocks)
{
    enum { N = 20000 };
    static unsigned host[N], expected[16 * BINS_PER_BLOCK], found[16 * BINS_PER_BLOCK];
    unsigned       *values, *bins, all = blocks * BINS_PER_BLOCK;
    memset(expected, 0, sizeof expected);
    for (int i = 0; i < N; i++) {
        host[i] = (unsigned)i * 2654435761u >> 7;
        expected[host[i] % all] += 2; /* both clusters count everything */
    }
    OK(cudaMalloc(&values, sizeof host));
    OK(cudaMalloc(&bins, all * sizeof *bins));
    OK(cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice));
    OK(cudaMemset(bins, 0, all * sizeof *bins));
    OK(cudaFuncSetAttribute(histogram, cudaFuncAttributeNonPortableClusterSizeAllowed, blocks > 8));
    OK((launch<const unsigned *, int, unsigned *>(histogram, blocks * 2, THREADS, BINS_PER_BLOCK * sizeof(unsigned), blocks, values, N, bins)));
    OK(cudaMemcpy(found, bins, all * sizeof *bins, cudaMemcpyDeviceToHost));
    CHECK(memcmp(found, expected, all * sizeof *bins) == 0);
    OK(cudaFree(values));
    OK(cudaFree(bins));
}

static void test_ring(void)
{
    int *out, host[8];
    OK(cudaMalloc(&out, sizeof host));
    ring<<<8, 32>>>(out);
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; i++) {
        int sum = 0;
        for (int k = i / 4 * 4; k <= i; k++)
            sum += k * 10;
        CHECK(host[i] == sum + (i + 1) % 4 * 1000);
    }
    OK(cudaFree(out));
}

static void test_shape(void)
{
    static int host[4 * 6 * 2 * 8];
    int       *out;
    OK(cudaMalloc(&out, sizeof host));
    OK(launch<int *>(shape, dim3(4, 6, 2), dim3(1), 0, dim3(2, 3, 1), out));
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (int b = 0; b < 48; b++) {
        const int *row = host + 8 * b, x = b % 4 % 2, y = b / 4 % 6 % 3;
        CHECK(row[0] == x && row[1] == y && row[2] == 0 && row[3] == y * 2 + x && row[4] == 2 && row[5] == 3 && row[6] == 1 && row[7] == row[3]);
    }
    OK(cudaFree(out));
}

static void test_refusals(void)
{
    int *out;
    OK(cudaMalloc(&out, 4096));
    FAILS(launch<int *>(shape, 5, 1, 0, 2, out), cudaErrorInvalidClusterSize);
    FAILS(launch<int *>(shape, 16, 1, 0, 16, out), cudaErrorInvalidClusterSize);
    FAILS(launch<int *>(shape, 4, 1, 0, dim3(0, 1, 1), out), cudaErrorInvalidClusterSize);
    FAILS(launch<int *>(ring, 8, 32, 0, 2, out), cudaErrorInvalidClusterSize);
    ring<<<6, 32>>>(out);
    FAILS(cudaGetLastError(), cudaErrorInvalidClusterSize);
    OK(cudaFuncSetAttribute(shape, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    OK(launch<int *>(shape, 16, 1, 0, 16, out));
    FAILS(launch<int *>(shape, 32, 1, 0, 32, out), cudaErrorInvalidClusterSize);
    OK(cudaDeviceSynchronize());
    OK(cudaFree(out));
}

static void test_occupancy(void)
{
    cudaLaunchConfig_t    config = {};
    cudaLaunchAttribute_st attribute;
    int                   n = 0;
    attribute.id               = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 4;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim             = dim3(400);
    config.blockDim            = dim3(1024);
    config.attrs               = &attribute;
    config.numAttrs            = 1;
    OK(cudaOccupancyMaxActiveClusters(&n, ring, &config));
    CHECK(n > 0 && n <= 66);
    OK(cudaOccupancyMaxPotentialClusterSize(&n, ring, &config));
    CHECK(n == 8);
}

int main()
{
    for (unsigned blocks = 1; blocks <= 16; blocks *= 2)
        test_histogram(blocks);
    test_ring();
    test_shape();
    test_refusals();
    test_occupancy();
    return passed();
}
