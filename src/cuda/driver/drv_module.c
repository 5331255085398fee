/* SPDX-License-Identifier: Apache-2.0
 *
 * Driver interface: modules, functions, launches.  A CUfunction is a Kernel, a CUmodule an Image. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "cuda/driver/driver.h"
#include "cuda/image/code.h"
#include "cuda/runtime/properties.h"
#include "cuda/work/queue.h"
#include "cuda/work/work.h"
#include "sass/fatbin.h"

enum { WRAPPER_MAGIC = 0x466243b1, MOST_IMAGE = 1 << 30 /* bytes of a file */ };

typedef struct Wrapper { /* what nvcc's host code hands to the runtime */
    int         magic, version;
    const void *data, *more;
} Wrapper;

/* ---- modules ---- */

/* Never a file's: its pointer would name memory of nobody. */
static bool is_wrapper(const void *data, size_t limit)
{
    const Wrapper *w = data;
    return limit == SIZE_MAX && w->magic == WRAPPER_MAGIC && (w->version == 1 || w->version == 2);
}

static CuErr load_code(const void *code, size_t bytes, Str *ptx, Str *why)
{
    Str    message = {0};
    Status s       = code_ptx(code, bytes, ptx, &message);
    if (s != WW_OK) {
        state_say("%s", str_text(&message));
        if (why)
            str_add(why, str_text(&message));
    }
    str_free(&message);
    return s == WW_OK              ? cudaSuccess
           : s == WW_ERR_NOT_FOUND ? cudaErrorNoKernelImageForDevice
                                   : cudaErrorInvalidKernelImage;
}

CuErr driver_load(Image **out, const void *data, size_t limit, bool lazy, Str *why)
{
    CuErr e = cudaSuccess;
    if (!data || !out)
        return cudaErrorInvalidValue;
    bool        wrapped = is_wrapper(data, limit), fat = fatbin_is(data, limit);
    size_t      bytes = 0;
    bool        other = false;
    Str         ptx   = {0};
    const char *text  = data;
    if (!wrapped && !fat && code_is(data, limit, &bytes, &other) &&
        (e = load_code(data, bytes, &ptx, why)) != cudaSuccess)
        return e;
    if (other)
        return cudaErrorInvalidKernelImage;
    if (bytes)
        text = str_text(&ptx);
    const void *container = wrapped ? ((const Wrapper *)data)->data : data;
    size_t      len = bytes ? ptx.len : wrapped || fat ? 0 : limit == SIZE_MAX ? strlen(text) : strnlen(text, limit);
    Image *i = wrapped || fat ? image_new(container, NULL, 0, "module.ptx") : image_new(NULL, text, len, "module.ptx");
    str_free(&ptx);
    i->limit  = wrapped ? SIZE_MAX : limit;
    i->loaded = true;
    if (!lazy && !image_module(i, state_current(), &e)) {
        if (why)
            str_add(why, str_text(&i->why));
        image_free(i);
        return e;
    }
    *out = i;
    return cudaSuccess;
}

/* An empty file is no image; a folder gives what a card's driver gives for one. */
CuErr driver_read_file(const char *path, Str *out)
{
    if (file_text(path, MOST_IMAGE, out))
        return cudaSuccess;
    CuErr e = errno == ENOENT || errno == EACCES || errno == ENOTDIR ? cudaErrorFileNotFound
              : errno == EISDIR || errno == EFBIG                    ? cudaErrorMemoryAllocation
                                                                     : cudaErrorInvalidKernelImage;
    str_free(out);
    return e;
}

CuErr driver_load_file(Image **out, const char *path, bool lazy, Str *why)
{
    Str   data = {0};
    CuErr e    = path ? driver_read_file(path, &data) : cudaErrorInvalidValue;
    if (e == cudaSuccess)
        e = driver_load(out, str_text(&data), data.len, lazy, why);
    if (e == cudaSuccess && lazy)
        (*out)->own = data.s; /* decoded later */
    else
        str_free(&data);
    return e;
}

/* A module ends with the context that is current. */
static CuErr of_context(CuErr e, Image *const *out)
{
    if (e == cudaSuccess)
        (*out)->context = context_now();
    return e;
}

CuErr drv_cuModuleLoadData(Image **out, const void *data)
{
    ENTER_CTX();
    return of_context(driver_load(out, data, SIZE_MAX, false, NULL), out);
}

CuErr drv_cuModuleLoadDataEx(Image **out, const void *data, unsigned n, int *options, void **values)
{
    ENTER_CTX();
    Str    why = {0};
    JitLog log = jit_log(n, options, values);
    CuErr  e   = of_context(driver_load(out, data, SIZE_MAX, false, &why), out);
    jit_log_end(&log, &why);
    str_free(&why);
    return e;
}

CuErr drv_cuModuleLoadFatBinary(Image **out, const void *data)
{
    ENTER_CTX();
    return of_context(driver_load(out, data, SIZE_MAX, false, NULL), out);
}

CuErr drv_cuModuleLoad(Image **out, const char *path)
{
    ENTER_CTX();
    return of_context(driver_load_file(out, path, false, NULL), out);
}

CuErr drv_cuModuleUnload(Image *i)
{
    ENTER_CTX();
    if (!image_known(i))
        return cudaErrorInvalidResourceHandle;
    queue_settle_device(-1);
    image_free(i);
    return cudaSuccess;
}

CuErr drv_cuModuleGetFunction(Kernel **out, Image *i, const char *name)
{
    ENTER_CTX();
    CuErr e;
    if (!image_known(i) || !name || !out)
        return !image_known(i) ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
    Kernel *k = image_kernel(i, name, &e);
    if (k)
        *out = k;
    return e;
}

CuErr drv_cuModuleGetGlobal_v2(WwPtr *address, size_t *bytes, Image *i, const char *name)
{
    ENTER_CTX();
    WwPtr  p;
    size_t n;
    CuErr  e = !image_known(i)              ? cudaErrorInvalidResourceHandle
               : name && (address || bytes) ? image_variable(i, state_current(), name, &p, &n)
                                            : cudaErrorInvalidValue;
    if (e == cudaSuccess && address)
        *address = p;
    if (e == cudaSuccess && bytes)
        *bytes = n;
    return e;
}

/* ---- functions ---- */

CuErr drv_cuFuncGetAttribute(int *value, int attribute, Kernel *f)
{
    ENTER_CTX();
    CuErr          e;
    FuncAttributes a;
    Kernel        *k = kernel_find(f, &e);
    e                = k ? launch_attributes(k, &a) : cudaErrorInvalidResourceHandle;
    if (e != cudaSuccess || !value)
        return e != cudaSuccess ? e : cudaErrorInvalidValue;
    const int values[] = {a.max_threads,        (int)a.shared_bytes, (int)a.const_bytes,     (int)a.local_bytes,
                          a.registers,          a.ptx_version,       a.binary_version,       a.cache_mode,
                          a.max_dynamic_shared, a.carveout,          a.cluster_must_be_set,  a.cluster[0],
                          a.cluster[1],         a.cluster[2],        a.non_portable_cluster, a.cluster_policy};
    if (attribute < 0 || (size_t)attribute >= sizeof values / sizeof *values)
        return cudaErrorInvalidValue;
    *value = values[attribute];
    return cudaSuccess;
}

CuErr drv_cuFuncSetAttribute(Kernel *f, int attribute, int value)
{
    ENTER_CTX();
    CuErr   e;
    Kernel *k = kernel_find(f, &e);
    return k ? launch_set_attribute(k, attribute, value) : cudaErrorInvalidResourceHandle;
}

CuErr drv_cuFuncSetCacheConfig(Kernel *f, int config)
{
    ENTER_CTX();
    CuErr   e;
    Kernel *k = kernel_find(f, &e);
    if (config < 0 || config > 3)
        return cudaErrorInvalidValue;
    if (k)
        k->cache = config;
    return k ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

CuErr drv_cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Kernel *f, int threads, size_t shared)
{
    ENTER_CTX();
    CuErr   e;
    Kernel *k = kernel_find(f, &e);
    return !k       ? cudaErrorInvalidResourceHandle
           : blocks ? launch_occupancy(k, threads, shared, blocks)
                    : cudaErrorInvalidValue;
}

/* The block size, a multiple of a warp, with most threads resident; the largest of equals.  `shared` bytes, or of(size)
 * when there is a function. */
CuErr drv_cuOccupancyMaxPotentialBlockSize(int *grid, int *block, Kernel *f, size_t (*of)(int), size_t shared,
                                           int limit)
{
    ENTER_CTX();
    CuErr          e;
    FuncAttributes a;
    Kernel        *k = kernel_find(f, &e);
    if (!k || !grid || !block)
        return k ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    e       = launch_attributes(k, &a);
    int sms = 1;
    device_attribute(16 /* multiprocessors */, state_current(), &sms);
    int most = limit > 0 && limit < a.max_threads ? limit : a.max_threads, best = 0;
    for (int size = most; e == cudaSuccess && size > 0; size = (size - 1) / 32 * 32) {
        int blocks = 0;
        e          = launch_occupancy(k, size, of ? of(size) : shared, &blocks);
        if (blocks * size > best) {
            best   = blocks * size;
            *block = size;
            *grid  = blocks * sms;
        }
    }
    return e;
}

CuErr drv_cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, Kernel *f, size_t (*of)(int), size_t shared,
                                                    int limit, unsigned flags)
{
    (void)flags; /* about caching, which occupancy does not depend on here */
    return drv_cuOccupancyMaxPotentialBlockSize(grid, block, f, of, shared, limit);
}

/* A launch with its arguments either in a->args or packed in `extra`. */
static CuErr driver_launch(Kernel *f, LaunchAsk *a, void **extra, void *stream)
{
    CuErr   e;
    Kernel *k = kernel_find(f, &e);
    if (!k) /* a stream whose context has gone is what is said first */
        return stream_of(stream) ? cudaErrorInvalidResourceHandle : stream_error(stream);
    if (stream_foreign(stream, k->image ? k->image->context : NULL))
        return cudaErrorInvalidResourceHandle;
    e = !extra ? cudaSuccess : a->args ? cudaErrorInvalidValue : launch_unpack(k, extra, a);
    if (e == cudaSuccess)
        e = stream_launch(stream, k, a);
    return e == cudaErrorInvalidConfiguration ? cudaErrorInvalidValue
                                              : e; /* the driver has no code of its own for it */
}

CuErr drv_cuLaunchKernel(Kernel *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                         unsigned shared, void *stream, void **args, void **extra)
{
    ENTER_CTX();
    LaunchAsk a = {.grid = {gx, gy, gz}, .block = {bx, by, bz}, .shared = shared, .args = args};
    return driver_launch(f, &a, extra, stream);
}

CuErr drv_cuLaunchCooperativeKernel(Kernel *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                    unsigned bz, unsigned shared, void *stream, void **args)
{
    ENTER_CTX();
    LaunchAsk a = {.grid = {gx, gy, gz}, .block = {bx, by, bz}, .shared = shared, .args = args, .cooperative = true};
    return driver_launch(f, &a, NULL, stream);
}

CuErr drv_cuLaunchKernelEx(const DriverLaunchConfig *c, Kernel *f, void **args, void **extra)
{
    ENTER_CTX();
    if (!c)
        return cudaErrorInvalidValue;
    LaunchAsk a = {.grid = c->grid, .block = c->block, .shared = c->shared, .args = args};
    launch_read_attributes(&a, c->attrs, c->nattrs);
    return driver_launch(f, &a, extra, c->stream);
}

static CuErr clusters(int *out, Kernel *f, const DriverLaunchConfig *c,
                      CuErr (*answer)(Kernel *, const LaunchAsk *, int *))
{
    CuErr   e;
    Kernel *k = kernel_find(f, &e);
    if (!k || !c || !out)
        return k ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    LaunchAsk a = {.grid = c->grid, .block = c->block, .shared = c->shared};
    launch_read_attributes(&a, c->attrs, c->nattrs);
    return answer(k, &a, out);
}

CuErr drv_cuOccupancyMaxActiveClusters(int *out, Kernel *f, const DriverLaunchConfig *c)
{
    ENTER_CTX();
    return clusters(out, f, c, launch_clusters);
}

CuErr drv_cuOccupancyMaxPotentialClusterSize(int *out, Kernel *f, const DriverLaunchConfig *c)
{
    ENTER_CTX();
    return clusters(out, f, c, launch_largest_cluster);
}
