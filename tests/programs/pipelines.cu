/* SPDX-License-Identifier: Apache-2.0
 *
 * Asynchronous copies through libcu++: cuda::barrier with memcpy_async, cuda::pipeline of one and of several stages (whole block, and producers apart from
 * consumers), a ring of bulk copies fed by one warp, bulk stores in groups, st.async and red.async between blocks. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>

#include "check.h"

namespace cg  = cooperative_groups;
namespace ptx = cuda::ptx;
using barrier = cuda::barrier<cuda::thread_scope_block>;

enum { N = 8192, THREADS = 128, STAGES = 3, CHUNK = 256 };

#pragma nv_diag_suppress static_var_with_dynamic_init

__global__ void with_barrier(const int *in, int *out)
{
    __shared__ alignas(16) int buffer[CHUNK];
    __shared__ barrier bar;
    auto               block = cg::this_thread_block();
    if (block.thread_rank() == 0)
        init(&bar, block.size());
    block.sync();
    for (int at = (int)blockIdx.x * CHUNK; at < N; at += (int)gridDim.x * CHUNK) {
        cuda::memcpy_async(block, buffer, in + at, cuda::aligned_size_t<16>(sizeof buffer), bar);
        bar.arrive_and_wait();
        for (int i = (int)threadIdx.x; i < CHUNK; i += THREADS)
            out[at + i] = buffer[CHUNK - 1 - i];
        bar.arrive_and_wait();
    }
}

__global__ void with_pipeline(const int *in, int *out)
{
    __shared__ alignas(16) int                                               buffer[STAGES][CHUNK];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto                                                                     block = cg::this_thread_block();
    auto                                                                     pipe  = cuda::make_pipeline(block, &state);
    for (int k = 0, fetched = 0; k < N / CHUNK; k++) {
        for (; fetched < N / CHUNK && fetched < k + STAGES; fetched++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, buffer[fetched % STAGES], in + fetched * CHUNK, sizeof buffer[0], pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        for (int i = (int)threadIdx.x; i < CHUNK; i += THREADS)
            out[k * CHUNK + i] = buffer[k % STAGES][i ^ 1] + 1;
        pipe.consumer_release();
    }
}

/* The first warp copies, the others compute. */
__global__ void with_roles(const int *in, int *out)
{
    __shared__ alignas(16) int                                               buffer[STAGES][CHUNK];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto                                                                     block = cg::this_thread_block();
    bool                                                                     copies = threadIdx.x < 32;
    auto pipe = cuda::make_pipeline(block, &state, copies ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    for (int k = 0; k < N / CHUNK; k++) {
        if (copies) {
            pipe.producer_acquire();
            for (int i = (int)threadIdx.x * 4; i < CHUNK; i += 128)
                cuda::memcpy_async(buffer[k % STAGES] + i, in + k * CHUNK + i, cuda::aligned_size_t<16>(16), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            for (int i = (int)threadIdx.x - 32; i < CHUNK; i += THREADS - 32)
                out[k * CHUNK + i] = buffer[k % STAGES][i] * 2;
            pipe.consumer_release();
        }
    }
}

/* One thread keeps a ring of bulk copies going; results leave in bulk as well. */
__global__ void with_bulk(const int *in, int *out)
{
    __shared__ alignas(128) int buffer[STAGES][CHUNK], result[2][CHUNK];
    __shared__ uint64_t         full[STAGES], empty[STAGES];
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            ptx::mbarrier_init(&full[s], 1);
            ptx::mbarrier_init(&empty[s], THREADS);
        }
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int k = 0; threadIdx.x == 0 && k < N / CHUNK; k++) {
            int s = k % STAGES;
            while (!ptx::mbarrier_try_wait_parity(&empty[s], (k / STAGES & 1) ^ 1)) {}
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], sizeof buffer[0]);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, buffer[s], in + k * CHUNK, sizeof buffer[0], &full[s]);
        }
        return;
    }
    int me = (int)threadIdx.x - 32;
    for (int k = 0; k < N / CHUNK; k++) {
        int s = k % STAGES;
        while (!ptx::mbarrier_try_wait_parity(&full[s], k / STAGES & 1)) {}
        if (me == 0)
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<1>());
        asm volatile("bar.sync 1, 128;" ::: "memory");
        for (int i = me; i < CHUNK; i += THREADS)
            result[k & 1][i] = buffer[s][i] - 7;
        ptx::mbarrier_arrive(&empty[s]);
        ptx::fence_proxy_async(ptx::space_shared);
        asm volatile("bar.sync 1, 128;" ::: "memory");
        if (me == 0) {
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + k * CHUNK, result[k & 1], sizeof result[0]);
            ptx::cp_async_bulk_commit_group();
        }
    }
    if (me == 0)
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
}

/* Every block sends its value to all and its square to block 0's sum. */
__global__ void __cluster_dims__(4, 1, 1) between_blocks(int *out)
{
    __shared__ int      got[4], sum;
    __shared__ uint64_t bar, sum_bar;
    auto                cluster = cg::this_cluster();
    int                 rank    = (int)cluster.block_rank();
    if (threadIdx.x == 0) {
        sum = 0;
        ptx::mbarrier_init(&bar, 1);
        ptx::mbarrier_init(&sum_bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 4 * sizeof(int));
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &sum_bar, rank == 0 ? 4 * sizeof(int) : 0);
    }
    cluster.sync();
    if (threadIdx.x < 4)
        ptx::st_async(cluster.map_shared_rank(&got[rank], threadIdx.x), 100 + rank, cluster.map_shared_rank(&bar, threadIdx.x));
    if (threadIdx.x == 0)
        ptx::red_async(ptx::op_add, cluster.map_shared_rank(&sum, 0), rank * rank, cluster.map_shared_rank(&sum_bar, 0));
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, 0)) {}
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &sum_bar, 0)) {}
    if (threadIdx.x < 4)
        out[blockIdx.x * 4 + threadIdx.x] = got[threadIdx.x] + (rank == 0 ? sum : 0);
    cluster.sync();
}

static int *in, *out;
static int  host[N], found[N];

template <typename F> static void compare(F expected)
{
    OK(cudaMemcpy(found, out, sizeof found, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        CHECK(found[i] == expected(i));
    OK(cudaMemset(out, 0, sizeof found));
}

int main()
{
    for (int i = 0; i < N; i++)
        host[i] = i * 5 + 3;
    OK(cudaMalloc(&in, sizeof host));
    OK(cudaMalloc(&out, sizeof host));
    OK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    with_barrier<<<4, THREADS>>>(in, out);
    compare([](int i) { return host[i / CHUNK * CHUNK + CHUNK - 1 - i % CHUNK]; });
    with_pipeline<<<1, THREADS>>>(in, out);
    compare([](int i) { return host[i ^ 1] + 1; });
    with_roles<<<1, THREADS>>>(in, out);
    compare([](int i) { return host[i] * 2; });
    with_bulk<<<1, THREADS + 32>>>(in, out);
    compare([](int i) { return host[i] - 7; });
    between_blocks<<<8, 32>>>(out);
    OK(cudaMemcpy(found, out, 32 * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++)
        CHECK(found[i] == 100 + i % 4 + (i % 16 < 4 ? 14 : 0));
    return passed();
}
