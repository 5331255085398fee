/* SPDX-License-Identifier: Apache-2.0 */
/* Half of the rows were filled; the filtered value of the others goes to the host. */
#include "../run.h"

#include "../texture.h"

__global__ void blur(cudaTextureObject_t t, float *out)
{
    out[threadIdx.y * 16 + threadIdx.x] = 2 * tex2D<float>(t, threadIdx.x + 1.0f, threadIdx.y + 1.0f); // expect: uninit-global
}

int main()
{
    static float host[256];
    float       *out = device_array<float>(256);
    cudaArray_t  a   = array_of_floats(16, 16, 0, 0);
    cudaMemcpy2DToArray(a, 0, 0, host, 64, 64, 8, cudaMemcpyHostToDevice);
    blur<<<1, dim3(16, 16)>>>(texture_of_array(a, cudaFilterModeLinear), out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    return finish();
}
