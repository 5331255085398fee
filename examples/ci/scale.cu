/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel that the workflow beside it checks: without the `if` it would write past y's end, and the check would fail. */
__global__ void scale(const float *x, float *y, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i];
}
