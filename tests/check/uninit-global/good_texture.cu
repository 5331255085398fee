/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that were filled by copies of every kind, by a surface, by an array that was; filters over what was written and what was not; fetches
 * outside, where the border is; and one whose value nobody uses. */
#include "../run.h"

#include "../texture.h"

__global__ void all(cudaTextureObject_t t, float *out, float shift)
{
    out[threadIdx.y * 16 + threadIdx.x] += tex2D<float>(t, threadIdx.x + shift, threadIdx.y + shift);
}

__global__ void volume(cudaTextureObject_t t, float *out)
{
    out[threadIdx.y * 16 + threadIdx.x] += tex3D<float>(t, threadIdx.x + 0.5f, threadIdx.y + 0.5f, blockIdx.x + 0.5f);
}

__global__ void paint(cudaSurfaceObject_t s)
{
    surf2Dwrite((float)threadIdx.x, s, threadIdx.x * 4, threadIdx.y);
}

__global__ void ignored(cudaTextureObject_t t, float *out, int n)
{
    float v = tex2D<float>(t, threadIdx.x, threadIdx.y);
    if ((int)threadIdx.x < n)
        out[0] = v;
}

int main()
{
    static float host[512];
    float       *out = device_array<float>(256);
    dim3         tile(16, 16);
    cudaArray_t  a = array_of_floats(16, 16, 0, 0), b = array_of_floats(16, 16, 0, cudaArraySurfaceLoadStore);
    cudaArray_t  c = array_of_floats(16, 16, 0, 0), d = array_of_floats(16, 16, 2, 0), e = array_of_floats(16, 16, 0, 0);
    cudaMemcpy2DToArray(a, 0, 0, host, 64, 64, 16, cudaMemcpyHostToDevice);
    all<<<1, tile>>>(texture_of_array(a, cudaFilterModeLinear), out, 0.25f);
    cudaResourceDesc    r = array_resource(b);
    cudaSurfaceObject_t s;
    cudaCreateSurfaceObject(&s, &r);
    paint<<<1, tile>>>(s);
    all<<<1, tile>>>(texture_of_array(b), out, 0.5f);
    cudaMemcpy2DArrayToArray(c, 0, 0, b, 0, 0, 64, 16, cudaMemcpyDeviceToDevice);
    all<<<1, tile>>>(texture_of_array(c), out, 0.5f);
    cudaMemcpy3DParms p = {};
    p.srcPtr            = make_cudaPitchedPtr(host, 64, 16, 16);
    p.dstArray          = d;
    p.extent            = make_cudaExtent(16, 16, 2);
    p.kind              = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&p);
    volume<<<1, tile>>>(texture_of_array(d), out);
    cudaMemcpy2DToArray(e, 0, 0, host, 64, 64, 15, cudaMemcpyHostToDevice); // the last row mixes with the one before it
    all<<<1, dim3(16, 15)>>>(texture_of_array(e, cudaFilterModeLinear), out, 0.75f);
    cudaTextureObject_t none = texture_of_array(array_of_floats(16, 16, 0, 0), cudaFilterModePoint, cudaAddressModeBorder);
    all<<<1, tile>>>(none, out, 100.0f);
    ignored<<<1, tile>>>(none, out, 0);
    cudaMemcpy(host, out, 256 * sizeof(float), cudaMemcpyDeviceToHost);
    return finish();
}
