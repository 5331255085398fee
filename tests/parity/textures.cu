/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays, textures and surfaces: descriptors that are refused. */
#include "parity.h"

DEFINE(arrays)
{
    cudaArray_t           a;
    cudaMipmappedArray_t  m;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(), odd = cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindFloat),
                          half = cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindFloat), none = {};
    R(cudaMallocArray(&a, &f, 0));
    R(cudaMallocArray(&a, &f, 16, 0, 64));
    R(cudaMallocArray(&a, &odd, 16));
    R(cudaMallocArray(&a, &half, 16));
    R(cudaMallocArray(&a, &none, 16));
    R(cudaMallocArray(&a, nullptr, 16));
    R(cudaMallocArray(nullptr, &f, 16));
    R(cudaMallocArray(&a, &f, 131073));
    R(cudaMallocArray(&a, &f, 131072));
    R(cudaMallocArray(&a, &f, 131073, 2));
    R(cudaMallocArray(&a, &f, 16, 16, cudaArrayTextureGather));
    R(cudaMallocArray(&a, &f, 16, 0, cudaArrayTextureGather));
    R(cudaMalloc3DArray(&a, &f, make_cudaExtent(16, 16, 16)));
    R(cudaMalloc3DArray(&a, &f, make_cudaExtent(16, 8, 6), cudaArrayCubemap));
    R(cudaMalloc3DArray(&a, &f, make_cudaExtent(16, 16, 5), cudaArrayCubemap));
    R(cudaMalloc3DArray(&a, &f, make_cudaExtent(16, 16, 7), cudaArrayCubemap | cudaArrayLayered));
    R(cudaMalloc3DArray(&a, &f, make_cudaExtent(16, 16, 12), cudaArrayCubemap | cudaArrayLayered));
    R(cudaMalloc3DArray(&a, &f, make_cudaExtent(16, 0, 4)));
    R(cudaMalloc3DArray(&a, &f, make_cudaExtent(16, 0, 4), cudaArrayLayered));
    R(cudaMalloc3DArray(&a, &f, make_cudaExtent(16, 16, 2049), cudaArrayLayered));
    R(cudaMallocMipmappedArray(&m, &f, make_cudaExtent(16, 16, 0), 5));
    R(cudaMallocMipmappedArray(&m, &f, make_cudaExtent(16, 16, 0), 9));
    cudaArray_t level;
    R(cudaGetMipmappedArrayLevel(&level, m, 1));
    R(cudaGetMipmappedArrayLevel(&level, m, 50));
    cudaExtent            e = {};
    cudaChannelFormatDesc d = {};
    unsigned              flags = {};
    R(cudaArrayGetInfo(&d, &e, &flags, level));
    V(e.width);
    V(e.height);
    V(d.x);
    R(cudaArrayGetInfo(&d, &e, &flags, nullptr));
    cudaArrayMemoryRequirements need = {};
    R(cudaArrayGetMemoryRequirements(&need, a, 0));
    R(cudaMipmappedArrayGetMemoryRequirements(&need, m, 0));
    cudaArraySparseProperties sparse = {};
    R(cudaArrayGetSparseProperties(&sparse, a));
    R(cudaMipmappedArrayGetSparseProperties(&sparse, m));
    cudaArray_t plane;
    R(cudaArrayGetPlane(&plane, a, 0));
    R(cudaFreeMipmappedArray(m));
    R(cudaFreeArray(nullptr));
    R(cudaFreeMipmappedArray(nullptr));
    R(cudaGetLastError());
}

DEFINE(array_copies)
{
    cudaArray_t           a;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    float                *d, *host = (float *)calloc(64, 4), *pinned;
    cudaMallocArray(&a, &f, 8, 4);
    cudaMalloc(&d, 256);
    cudaMallocHost(&pinned, 256);
    static const char *const names[] = {"device", "host", "pinned"};
    float                   *ends[]  = {d, host, pinned};
    for (int end = 0; end < 3; end++)
        for (int kind = 0; kind < 6; kind++) {
            cudaError_t to = cudaMemcpy2DToArray(a, 0, 0, ends[end], 32, 32, 4, (cudaMemcpyKind)kind);
            cudaError_t from = cudaMemcpy2DFromArray(ends[end], 32, a, 0, 0, 32, 4, (cudaMemcpyKind)kind);
            cudaMemcpy3DParms p = {};
            p.srcPtr            = make_cudaPitchedPtr(ends[end], 32, 8, 4);
            p.dstArray          = a;
            p.extent            = make_cudaExtent(8, 4, 1);
            p.kind              = (cudaMemcpyKind)kind;
            cudaError_t three   = cudaMemcpy3D(&p);
            printf("%s, kind %d\tto %s, from %s, 3D %s\n", names[end], kind, code_name(to), code_name(from), code_name(three));
        }
    R(cudaMemcpy2DToArray(a, 0, 0, host, 32, 33, 4, cudaMemcpyHostToDevice));
    R(cudaMemcpy2DToArray(a, 0, 1, host, 32, 32, 4, cudaMemcpyHostToDevice));
    R(cudaMemcpy2DToArray(a, 4, 0, host, 32, 32, 4, cudaMemcpyHostToDevice));
    R(cudaMemcpy2DToArray(a, 0, 0, host, 16, 32, 4, cudaMemcpyHostToDevice));
    R(cudaMemcpy2DToArray(a, 0, 0, host, 32, 0, 4, cudaMemcpyHostToDevice));
    R(cudaMemcpy2DToArray(nullptr, 0, 0, host, 32, 32, 4, cudaMemcpyHostToDevice));
    R(cudaMemcpy2DArrayToArray(a, 0, 0, a, 0, 2, 16, 2, cudaMemcpyDeviceToDevice));
    R(cudaMemcpy2DArrayToArray(a, 0, 0, a, 0, 2, 16, 2, cudaMemcpyHostToDevice));
    R(cudaMemcpy3D(nullptr));
    cudaMemcpy3DParms none = {};
    R(cudaMemcpy3D(&none));
}

static cudaError_t texture(cudaResourceDesc r, cudaTextureDesc t)
{
    cudaTextureObject_t o = 0;
    return cudaCreateTextureObject(&o, &r, &t, nullptr);
}

DEFINE(texture_objects)
{
    cudaArray_t           a, u, s;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(), i = cudaCreateChannelDesc<int>(), c = cudaCreateChannelDesc<uchar4>();
    float                *d;
    cudaMalloc(&d, 1 << 20);
    cudaMallocArray(&a, &f, 16, 16);
    cudaMallocArray(&u, &i, 16, 16);
    cudaMallocArray(&s, &c, 16, 16, cudaArraySurfaceLoadStore);
    cudaResourceDesc array = {}, ints = {}, bytes = {}, linear = {}, pitch = {};
    array.resType = ints.resType = bytes.resType = cudaResourceTypeArray;
    array.res.array.array                        = a;
    ints.res.array.array                         = u;
    bytes.res.array.array                        = s;
    linear.resType                               = cudaResourceTypeLinear;
    linear.res.linear.devPtr                     = d;
    linear.res.linear.desc                       = f;
    linear.res.linear.sizeInBytes                = 1024;
    pitch.resType                                = cudaResourceTypePitch2D;
    pitch.res.pitch2D.devPtr                     = d;
    pitch.res.pitch2D.desc                       = f;
    pitch.res.pitch2D.width                      = 16;
    pitch.res.pitch2D.height                     = 16;
    pitch.res.pitch2D.pitchInBytes               = 64;
    cudaTextureDesc plain = {}, filter = {}, normalized = {}, wrap = {};
    filter.filterMode     = cudaFilterModeLinear;
    normalized.readMode   = cudaReadModeNormalizedFloat;
    wrap.addressMode[0]   = cudaAddressModeWrap;
    R(texture(array, plain));
    R(texture(array, filter));
    R(texture(array, normalized));
    R(texture(array, wrap));
    R(texture(ints, plain));
    R(texture(ints, filter));
    R(texture(ints, normalized));
    R(texture(bytes, normalized));
    R(texture(bytes, filter));
    R(texture(linear, plain));
    R(texture(linear, filter));
    R(texture(linear, wrap));
    linear.res.linear.devPtr = d + 1;
    R(texture(linear, plain));
    linear.res.linear.devPtr      = d;
    linear.res.linear.sizeInBytes = 0;
    R(texture(linear, plain));
    linear.res.linear.sizeInBytes = (size_t)1 << 21;
    R(texture(linear, plain));
    linear.res.linear.sizeInBytes = 1024;
    linear.res.linear.devPtr      = nullptr;
    R(texture(linear, plain));
    R(texture(pitch, plain));
    R(texture(pitch, filter));
    pitch.res.pitch2D.pitchInBytes = 60;
    R(texture(pitch, plain));
    pitch.res.pitch2D.pitchInBytes = 32;
    R(texture(pitch, plain));
    pitch.res.pitch2D.pitchInBytes = 64;
    pitch.res.pitch2D.width        = 0;
    R(texture(pitch, plain));
    array.res.array.array = nullptr;
    R(texture(array, plain));
    array.res.array.array = a;
    array.resType         = (cudaResourceType)9;
    R(texture(array, plain));
    array.resType = cudaResourceTypeArray;
    cudaTextureDesc bad = {};
    bad.filterMode      = (cudaTextureFilterMode)9;
    R(texture(array, bad));
    bad                = {};
    bad.addressMode[0] = (cudaTextureAddressMode)9;
    R(texture(array, bad));
    bad               = {};
    bad.maxAnisotropy = 99;
    R(texture(array, bad));
    cudaTextureObject_t o;
    R(cudaCreateTextureObject(nullptr, &array, &plain, nullptr));
    R(cudaCreateTextureObject(&o, nullptr, &plain, nullptr));
    R(cudaCreateTextureObject(&o, &array, nullptr, nullptr));
    R(cudaCreateTextureObject(&o, &array, &plain, nullptr));
    cudaResourceDesc r = {};
    R(cudaGetTextureObjectResourceDesc(&r, o));
    R(cudaDestroyTextureObject(o));
    R(cudaDestroyTextureObject(0));
    R(cudaGetTextureObjectResourceDesc(&r, o));
    cudaSurfaceObject_t x;
    R(cudaCreateSurfaceObject(&x, &bytes));
    R(cudaDestroySurfaceObject(x));
    R(cudaCreateSurfaceObject(&x, &array));
    R(cudaCreateSurfaceObject(&x, &linear));
    R(cudaCreateSurfaceObject(nullptr, &bytes));
    R(cudaCreateSurfaceObject(&x, nullptr));
    R(cudaDestroySurfaceObject(0));
    R(cudaGetLastError());
}
