/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays of floats, and textures and surfaces over them. */
#pragma once

static cudaArray_t array_of_floats(int width, int height, int depth, unsigned flags)
{
    cudaArray_t           a;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    if (cudaMalloc3DArray(&a, &f, make_cudaExtent(width, height, depth), flags) != cudaSuccess)
        exit(3);
    return a;
}

static cudaTextureObject_t texture_of(const cudaResourceDesc &r, cudaTextureFilterMode filter, cudaTextureAddressMode mode)
{
    cudaTextureDesc     d = {};
    cudaTextureObject_t t;
    d.filterMode     = filter;
    d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = mode;
    if (cudaCreateTextureObject(&t, &r, &d, nullptr) != cudaSuccess)
        exit(3);
    return t;
}

static cudaResourceDesc array_resource(cudaArray_t a)
{
    cudaResourceDesc r = {};
    r.resType          = cudaResourceTypeArray;
    r.res.array.array  = a;
    return r;
}

static cudaTextureObject_t texture_of_array(cudaArray_t a, cudaTextureFilterMode filter = cudaFilterModePoint,
                                            cudaTextureAddressMode mode = cudaAddressModeClamp)
{
    return texture_of(array_resource(a), filter, mode);
}
