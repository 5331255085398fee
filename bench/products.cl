/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernels of kernels/matmul as OpenCL C: same names, same parameters, same accesses in the same order. */
#define PARAMETERS                                                                                                     \
    __global const float *a, __global const float *b, __global float *c, int m, int n, int k, int lda, int ldb, int ldc

__kernel void matmul_v2_tile16(PARAMETERS)
{
    __local float left[16][16];
    __local float right[16][16];
    int           tx  = get_local_id(0);
    int           ty  = get_local_id(1);
    int           row = get_group_id(1) * 16 + ty;
    int           col = get_group_id(0) * 16 + tx;
    float         sum = 0.0f;
    for (int t = 0; t < k; t += 16) {
        float l = 0.0f;
        float r = 0.0f;
        if (row < m && t + tx < k)
            l = a[(size_t)row * lda + t + tx];
        if (t + ty < k && col < n)
            r = b[(size_t)(t + ty) * ldb + col];
        left[ty][tx]  = l;
        right[ty][tx] = r;
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int i = 0; i < 16; i++)
            sum += left[ty][i] * right[i][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < m && col < n)
        c[(size_t)row * ldc + col] = sum;
}

static void multiply_lines(PARAMETERS, int row, int col)
{
    if (row >= m || col >= n)
        return;
    __global const float *left  = a + (size_t)row * lda;
    __global const float *right = b + col;
    float                 sum   = 0.0f;
    for (int i = 0; i < k; i++)
        sum += left[i] * right[(size_t)i * ldb];
    c[(size_t)row * ldc + col] = sum;
}

__kernel void matmul_v1_x_on_columns(PARAMETERS)
{
    multiply_lines(a, b, c, m, n, k, lda, ldb, ldc, get_global_id(1), get_global_id(0));
}

__kernel void matmul_v1_x_on_rows(PARAMETERS)
{
    multiply_lines(a, b, c, m, n, k, lda, ldb, ldc, get_global_id(0), get_global_id(1));
}
