/* SPDX-License-Identifier: Apache-2.0
 *
 * A bf16 matrix product for sm_80 and later: C (m x n, f32, row-major) = A (m x k, row-major) * B (k x n, column-major), multiples of
 * 128, 128 and 32.  A block makes 128 x 128 of C, each of its four warps 64 x 64 with mma.m16n8k16; tiles of A and B come by cp.async,
 * three stages deep, and go to registers by ldmatrix.  Chunks of 16 bytes are exclusive-ored with half of the row's number, so that
 * the eight rows of an 8 x 8 matrix lie in eight different groups of banks.
 *
 * The elements are small whole numbers, so the result is exact.  gemm_mma [m n k]: prints the time too. */
#include <cstdint>

#include "gemm_host.h"

enum { BM = 128, BN = 128, BK = 32, STAGES = 3, THREADS = 128, CHUNKS = BK / 8 };

struct Stage {
    __nv_bfloat16 a[BM * BK], b[BN * BK];
};

/* Element offset of a chunk of eight elements of a row. */
__device__ static int place(int row, int chunk)
{
    return row * BK + ((chunk ^ (row >> 1)) & 3) * 8;
}

__device__ static uint32_t shared_address(const void *p)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__device__ static void copy16(void *to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
}

__device__ static void load_matrices(uint32_t r[4], const __nv_bfloat16 *p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(p))
                 : "memory");
}

__device__ static void multiply(float d[4], const uint32_t a[4], const uint32_t *b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ static void fetch(Stage *s, const __nv_bfloat16 *a, const __nv_bfloat16 *b, int k)
{
    for (int i = threadIdx.x; i < BM * CHUNKS; i += THREADS) {
        int row = i / CHUNKS, chunk = i % CHUNKS;
        copy16(&s->a[place(row, chunk)], a + static_cast<size_t>(row) * k + chunk * 8);
        copy16(&s->b[place(row, chunk)], b + static_cast<size_t>(row) * k + chunk * 8);
    }
}

__device__ static void use(const Stage *s, int row0, int col0, float acc[4][8][4])
{
    int lane = threadIdx.x % 32;
    for (int step = 0; step < BK / 16; step++) {
        uint32_t a[4][4], b[4][4];
        for (int i = 0; i < 4; i++) {
            load_matrices(a[i], &s->a[place(row0 + i * 16 + lane % 16, step * 2 + lane / 16)]);
            load_matrices(b[i], &s->b[place(col0 + i * 16 + lane % 8 + lane / 16 * 8, step * 2 + lane / 8 % 2)]);
        }
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 8; j++)
                multiply(acc[i][j], a[i], &b[j / 2][j % 2 * 2]);
    }
}

__global__ void __launch_bounds__(THREADS) gemm_mma(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c, int n, int k)
{
    extern __shared__ __align__(128) char shared[];
    Stage *stage = reinterpret_cast<Stage *>(shared);
    int    warp = threadIdx.x / 32, lane = threadIdx.x % 32, row0 = warp / 2 * 64, col0 = warp % 2 * 64, tiles = k / BK;
    float  acc[4][8][4] = {};
    a += static_cast<size_t>(blockIdx.y) * BM * k;
    b += static_cast<size_t>(blockIdx.x) * BN * k;
    for (int t = 0; t < STAGES - 1; t++) {
        if (t < tiles)
            fetch(&stage[t], a + t * BK, b + t * BK, k);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    for (int t = 0; t < tiles; t++) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads(); /* tile t is here for all, and nobody reads tile t - 1 any more */
        int next = t + STAGES - 1;
        if (next < tiles)
            fetch(&stage[next % STAGES], a + next * BK, b + next * BK, k);
        asm volatile("cp.async.commit_group;" ::: "memory");
        use(&stage[t % STAGES], row0, col0, acc);
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 8; j++) {
            size_t row = static_cast<size_t>(blockIdx.y) * BM + row0 + i * 16 + lane / 4, col = blockIdx.x * BN + col0 + j * 8 + lane % 4 * 2;
            *reinterpret_cast<float2 *>(c + row * n + col)       = make_float2(acc[i][j][0], acc[i][j][1]);
            *reinterpret_cast<float2 *>(c + (row + 8) * n + col) = make_float2(acc[i][j][2], acc[i][j][3]);
        }
}

int main(int argc, char **argv)
{
    OK(cudaFuncSetAttribute(gemm_mma, cudaFuncAttributeMaxDynamicSharedMemorySize, STAGES * sizeof(Stage)));
    return gemm_main(argc, argv, 160, BM, BN, BK, [](const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c, int m, int n, int k) {
        gemm_mma<<<dim3(n / BN, m / BM), THREADS, STAGES * sizeof(Stage)>>>(a, b, c, n, k);
    });
}
