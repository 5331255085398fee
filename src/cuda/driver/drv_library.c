/* SPDX-License-Identifier: Apache-2.0
 *
 * Libraries and context-independent kernels, of both interfaces: a library is an Image that is decoded when it is first needed (or at
 * once), a cudaKernel_t or CUkernel is a Kernel, which is a function of every device. */
#include <string.h>

#include "cuda/driver/driver.h"
#include "cuda/work/kernel_launch.h"
#include "cuda/work/queue.h"
#include "emu/emu.h"

enum { LIBRARY_HOST_UNIVERSAL = 0, LIBRARY_BINARY_IS_PRESERVED = 1 };

static CuErr checked(const Image *i)
{
    return image_known(i) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

/* The data need not outlive the call unless an option says so: fat binaries are copied. */
static CuErr load(Image **out, const void *code, const char *path, unsigned n, int *options, void **values)
{
    Str    why = {0};
    JitLog log = jit_log(n, options, values);
    CuErr  e   = path ? driver_load_file(out, path, false, &why) : driver_load(out, code, SIZE_MAX, false, &why);
    jit_log_end(&log, &why);
    str_free(&why);
    return e;
}

CuErr rt_cudaLibraryLoadData(Image **out, const void *code, int *jit, void **jit_values, unsigned njit, int *options,
                             void **values, unsigned n)
{
    (void)options, (void)values, (void)n;
    ENTER();
    return LEAVE(out && code ? load(out, code, NULL, njit, jit, jit_values) : cudaErrorInvalidValue);
}

CuErr rt_cudaLibraryLoadFromFile(Image **out, const char *path, int *jit, void **jit_values, unsigned njit,
                                 int *options, void **values, unsigned n)
{
    (void)options, (void)values, (void)n;
    ENTER();
    return LEAVE(out && path ? load(out, NULL, path, njit, jit, jit_values) : cudaErrorInvalidValue);
}

CuErr rt_cudaLibraryUnload(Image *i)
{
    ENTER();
    CuErr e = checked(i);
    queue_settle_device(-1);
    if (e == cudaSuccess)
        image_free(i);
    return LEAVE(e);
}

CuErr rt_cudaLibraryGetKernel(Kernel **out, Image *i, const char *name)
{
    ENTER();
    CuErr e = checked(i);
    if (e != cudaSuccess || !out || !name)
        return LEAVE(e != cudaSuccess ? e : cudaErrorInvalidValue);
    Kernel *k = image_kernel(i, name, &e);
    if (k)
        *out = k;
    return LEAVE(e);
}

CuErr rt_cudaLibraryGetKernelCount(unsigned *count, Image *i)
{
    ENTER();
    size_t n = 0;
    CuErr  e = checked(i);
    if (e == cudaSuccess)
        e = count ? image_kernels(i, NULL, 0, &n) : cudaErrorInvalidValue;
    if (e == cudaSuccess)
        *count = (unsigned)n;
    return LEAVE(e);
}

CuErr rt_cudaLibraryEnumerateKernels(Kernel **list, unsigned n, Image *i)
{
    ENTER();
    size_t count;
    CuErr  e = checked(i);
    return LEAVE(e != cudaSuccess ? e : list ? image_kernels(i, list, n, &count) : cudaErrorInvalidValue);
}

static CuErr variable(void **address, size_t *bytes, Image *i, const char *name, bool managed)
{
    CuErr  e = checked(i);
    WwPtr  p = 0;
    size_t n = 0;
    if (e == cudaSuccess)
        e = name ? image_variable(i, state_current(), name, &p, &n) : cudaErrorInvalidValue;
    if (e == cudaSuccess && managed) {
        WwModule  *m = image_module(i, state_current(), &e);
        const Var *v = m ? ptx_find_var(m->ptx, name) : NULL;
        if (!v || !v->managed)
            return cudaErrorSymbolNotFound;
    }
    if (e == cudaSuccess && address)
        *address = (void *)(uintptr_t)p;
    if (e == cudaSuccess && bytes)
        *bytes = n;
    return e;
}

CuErr rt_cudaLibraryGetGlobal(void **address, size_t *bytes, Image *i, const char *name)
{
    ENTER();
    return LEAVE(variable(address, bytes, i, name, false));
}

CuErr rt_cudaLibraryGetManaged(void **address, size_t *bytes, Image *i, const char *name)
{
    ENTER();
    return LEAVE(variable(address, bytes, i, name, true));
}

/* Functions that host and device call at one address need hardware that this device says it does not have. */
CuErr rt_cudaLibraryGetUnifiedFunction(void **out, Image *i, const char *name)
{
    (void)out, (void)name;
    ENTER();
    CuErr e = checked(i);
    return LEAVE(e != cudaSuccess ? e : cudaErrorInvalidValue /* no function is .unified here */);
}

CuErr rt_cudaGetKernel(Kernel **out, const void *host)
{
    ENTER();
    CuErr   e;
    Kernel *k = kernel_find(host, &e);
    if (k && out)
        *out = k;
    return LEAVE(k && !out ? cudaErrorInvalidValue : e);
}

CuErr rt_cudaKernelSetAttributeForDevice(Kernel *kernel, int attribute, int value, int device)
{
    ENTER();
    CuErr   e;
    Kernel *k = kernel_find(kernel, &e);
    return LEAVE(!k                                    ? cudaErrorInvalidResourceHandle
                 : device < 0 || device >= state.count ? cudaErrorInvalidDevice
                                                       : launch_set_attribute(k, attribute, value));
}

static CuErr param_info(const void *kernel, size_t i, size_t *offset, size_t *bytes)
{
    CuErr       e;
    WwModule   *m;
    Kernel     *k  = kernel_find(kernel, &e);
    const Func *f  = k ? kernel_func(k, state_current(), &m, &e) : NULL;
    uint32_t    at = 0, n = 0;
    if (!f || !offset || i >= f->nparams)
        return f ? cudaErrorInvalidValue : e;
    emu_param(f, i, &at, &n);
    *offset = at;
    if (bytes)
        *bytes = n;
    return cudaSuccess;
}

CuErr rt_cudaFuncGetParamInfo(const void *func, size_t i, size_t *offset, size_t *bytes)
{
    ENTER();
    return LEAVE(param_info(func, i, offset, bytes));
}

/* ---- the driver's ---- */

CuErr drv_cuLibraryGetModule(Image **out, Image *i)
{
    ENTER_CTX();
    CuErr e = out ? checked(i) : cudaErrorInvalidValue;
    if (e == cudaSuccess && image_module(i, state_current(), &e))
        *out = i;
    return e;
}

CuErr drv_cuKernelGetFunction(Kernel **out, Kernel *kernel)
{
    ENTER_CTX();
    CuErr   e;
    Kernel *k = kernel_find(kernel, &e);
    if (k && !out)
        return cudaErrorInvalidValue;
    if (k)
        *out = k;
    return k ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

CuErr drv_cuKernelGetLibrary(Image **out, Kernel *kernel)
{
    ENTER_CTX();
    CuErr   e;
    Kernel *k = kernel_find(kernel, &e);
    if (k && !out)
        return cudaErrorInvalidValue;
    if (k)
        *out = k->image;
    return k ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

CuErr drv_cuFuncGetAttribute(int *value, int attribute, Kernel *f);

CuErr drv_cuKernelGetAttribute(int *value, int attribute, Kernel *kernel, int device)
{
    ENTER_CTX();
    return device < 0 || device >= state.count ? cudaErrorInvalidDevice
                                               : drv_cuFuncGetAttribute(value, attribute, kernel);
}

CuErr drv_cuKernelSetAttribute(int attribute, int value, Kernel *kernel, int device)
{
    ENTER_CTX();
    return rt_cudaKernelSetAttributeForDevice(kernel, attribute, value, device);
}

CuErr drv_cuKernelSetCacheConfig(Kernel *kernel, int config, int device)
{
    ENTER_CTX();
    CuErr   e;
    Kernel *k = kernel_find(kernel, &e);
    if (k)
        k->cache = config;
    return !k ? cudaErrorInvalidResourceHandle : device < 0 || device >= state.count ? cudaErrorInvalidDevice : e;
}

CuErr drv_cuFuncGetModule(Image **out, Kernel *f)
{
    ENTER_CTX();
    CuErr   e;
    Kernel *k = kernel_find(f, &e);
    if (k && !out)
        return cudaErrorInvalidValue;
    if (k)
        *out = k->image;
    return k ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

CuErr drv_cuFuncIsLoaded(int *loaded, Kernel *f)
{
    ENTER_CTX();
    CuErr   e;
    Kernel *k = kernel_find(f, &e);
    if (k && !loaded)
        return cudaErrorInvalidValue;
    if (k)
        *loaded = k->image->on[state_current()] != NULL;
    return k ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

CuErr drv_cuFuncLoad(Kernel *f)
{
    ENTER_CTX();
    CuErr   e;
    Kernel *k = kernel_find(f, &e);
    if (k)
        image_module(k->image, state_current(), &e);
    return k ? e : cudaErrorInvalidResourceHandle;
}

CuErr drv_cuModuleGetLoadingMode(int *mode)
{
    ENTER();
    if (!mode)
        return cudaErrorInvalidValue;
    *mode = 2; /* lazy */
    return cudaSuccess;
}
