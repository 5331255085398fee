/* SPDX-License-Identifier: Apache-2.0
 *
 * Driver interface: first versions of entry points that newer ones replaced, where a 64-bit program can still call them: those without a
 * device address, which had 32 bits then.  Sizes had 32 bits too: what does not fit is the largest that does. */
#include "cuda/driver/driver.h"

typedef struct Array1 { /* CUDA_ARRAY_DESCRIPTOR_v1 */
    unsigned width, height;
    int      format;
    unsigned channels;
} Array1;
typedef struct Array2 { /* CUDA_ARRAY_DESCRIPTOR_v2 */
    size_t   width, height;
    int      format;
    unsigned channels;
} Array2;
typedef struct Volume1 { /* CUDA_ARRAY3D_DESCRIPTOR_v1 */
    unsigned width, height, depth;
    int      format;
    unsigned channels, flags;
} Volume1;
typedef struct Volume2 { /* CUDA_ARRAY3D_DESCRIPTOR_v2 */
    size_t   width, height, depth;
    int      format;
    unsigned channels, flags;
} Volume2;

static unsigned short_size(size_t n)
{
    return n > UINT32_MAX ? UINT32_MAX : (unsigned)n;
}

/* ---- only the name is another ---- */

CuErr drv_cuCtxCreate_v2(void **out, unsigned flags, int device);
CuErr drv_cuCtxDestroy_v2(void *c);
CuErr drv_cuCtxPopCurrent_v2(void **out);
CuErr drv_cuCtxPushCurrent_v2(void *c);
CuErr drv_cuDevicePrimaryCtxRelease_v2(int device);
CuErr drv_cuDevicePrimaryCtxReset_v2(int device);
CuErr drv_cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags);
CuErr drv_cuLinkCreate_v2(unsigned n, int *options, void **values, void **out);
CuErr drv_cuLinkAddData_v2(void *l, int type, void *data, size_t bytes, const char *name, unsigned n, int *options,
                           void **values);
CuErr drv_cuLinkAddFile_v2(void *l, int type, const char *path, unsigned n, int *options, void **values);
CuErr drv_cuTexRefSetAddress2D_v3(void *ref, const void *desc, WwPtr p, size_t pitch);
CuErr rt_cudaStreamBeginCapture(void *stream, int mode);

CuErr drv_cuCtxCreate(void **out, unsigned flags, int device)
{
    return drv_cuCtxCreate_v2(out, flags, device);
}

CuErr drv_cuCtxDestroy(void *c)
{
    return drv_cuCtxDestroy_v2(c);
}

CuErr drv_cuCtxPopCurrent(void **out)
{
    return drv_cuCtxPopCurrent_v2(out);
}

CuErr drv_cuCtxPushCurrent(void *c)
{
    return drv_cuCtxPushCurrent_v2(c);
}

CuErr drv_cuDevicePrimaryCtxRelease(int device)
{
    return drv_cuDevicePrimaryCtxRelease_v2(device);
}

CuErr drv_cuDevicePrimaryCtxReset(int device)
{
    return drv_cuDevicePrimaryCtxReset_v2(device);
}

CuErr drv_cuDevicePrimaryCtxSetFlags(int device, unsigned flags)
{
    return drv_cuDevicePrimaryCtxSetFlags_v2(device, flags);
}

CuErr drv_cuLinkCreate(unsigned n, int *options, void **values, void **out)
{
    return drv_cuLinkCreate_v2(n, options, values, out);
}

CuErr drv_cuLinkAddData(void *l, int type, void *data, size_t bytes, const char *name, unsigned n, int *options,
                        void **values)
{
    return drv_cuLinkAddData_v2(l, type, data, bytes, name, n, options, values);
}

CuErr drv_cuLinkAddFile(void *l, int type, const char *path, unsigned n, int *options, void **values)
{
    return drv_cuLinkAddFile_v2(l, type, path, n, options, values);
}

CuErr drv_cuTexRefSetAddress2D_v2(void *ref, const void *desc, WwPtr p, size_t pitch)
{
    return drv_cuTexRefSetAddress2D_v3(ref, desc, p, pitch);
}

CuErr drv_cuStreamBeginCapture(void *stream)
{
    enum { GLOBAL = 0 };
    ENTER_CTX();
    return rt_cudaStreamBeginCapture(stream, GLOBAL);
}

/* ---- sizes of 32 bits ---- */

CuErr drv_cuMemGetInfo_v2(size_t *free_bytes, size_t *total);
CuErr drv_cuDeviceTotalMem_v2(size_t *bytes, int device);
CuErr drv_cuMemAllocHost_v2(void **out, size_t bytes);
CuErr drv_cuArrayCreate_v2(void **out, const Array2 *d);
CuErr drv_cuArrayGetDescriptor_v2(Array2 *d, void *array);
CuErr drv_cuArray3DCreate_v2(void **out, const Volume2 *d);
CuErr drv_cuArray3DGetDescriptor_v2(Volume2 *d, void *array);

CuErr drv_cuMemGetInfo(unsigned *free_bytes, unsigned *total)
{
    size_t a = 0, b = 0;
    CuErr  e = free_bytes && total ? drv_cuMemGetInfo_v2(&a, &b) : cudaErrorInvalidValue;
    if (e == cudaSuccess) {
        *free_bytes = short_size(a);
        *total      = short_size(b);
    }
    return e;
}

CuErr drv_cuDeviceTotalMem(unsigned *bytes, int device)
{
    size_t n = 0;
    CuErr  e = bytes ? drv_cuDeviceTotalMem_v2(&n, device) : cudaErrorInvalidValue;
    if (e == cudaSuccess)
        *bytes = short_size(n);
    return e;
}

CuErr drv_cuMemAllocHost(void **out, unsigned bytes)
{
    return drv_cuMemAllocHost_v2(out, bytes);
}

CuErr drv_cuArrayCreate(void **out, const Array1 *d)
{
    return d ? drv_cuArrayCreate_v2(out, &(Array2){d->width, d->height, d->format, d->channels})
             : cudaErrorInvalidValue;
}

CuErr drv_cuArrayGetDescriptor(Array1 *d, void *array)
{
    Array2 a = {0};
    CuErr  e = d ? drv_cuArrayGetDescriptor_v2(&a, array) : cudaErrorInvalidValue;
    if (e == cudaSuccess)
        *d = (Array1){short_size(a.width), short_size(a.height), a.format, a.channels};
    return e;
}

CuErr drv_cuArray3DCreate(void **out, const Volume1 *d)
{
    if (!d)
        return cudaErrorInvalidValue;
    return drv_cuArray3DCreate_v2(out, &(Volume2){d->width, d->height, d->depth, d->format, d->channels, d->flags});
}

CuErr drv_cuArray3DGetDescriptor(Volume1 *d, void *array)
{
    Volume2 a = {0};
    CuErr   e = d ? drv_cuArray3DGetDescriptor_v2(&a, array) : cudaErrorInvalidValue;
    if (e == cudaSuccess)
        *d = (Volume1){short_size(a.width), short_size(a.height), short_size(a.depth), a.format, a.channels, a.flags};
    return e;
}
