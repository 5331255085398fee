/* SPDX-License-Identifier: Apache-2.0
 *
 * Runtime interface: launches, and kernels as functions with attributes and occupancy.
 *
 *     <<<g, b, s, t>>>: __cudaPushCallConfiguration, then in the stub Pop, __cudaGetKernel once, __cudaLaunchKernel (CUDA 13) or
 *     cudaLaunchKernel (before) */
#include "cuda/work/kernel_launch.h"
#include "cuda/work/stream.h"
#include "cuda/work/work.h"
#include "model/occupancy.h"

enum { NESTED = 8 };

typedef struct CallConfig {
    WwDim3 grid, block;
    size_t shared;
    void  *stream;
} CallConfig;

static _Thread_local CallConfig config[NESTED];
static _Thread_local int        configs;

CuErr rt___cudaPushCallConfiguration(WwDim3 grid, WwDim3 block, size_t shared, void *stream)
{
    if (configs == NESTED)
        return LEAVE(cudaErrorLaunchFailure);
    config[configs++] = (CallConfig){grid, block, shared, stream};
    return cudaSuccess;
}

CuErr rt___cudaPopCallConfiguration(WwDim3 *grid, WwDim3 *block, size_t *shared, void *stream)
{
    if (!configs)
        return LEAVE(cudaErrorMissingConfiguration);
    const CallConfig *c = &config[--configs];
    *grid               = c->grid;
    *block              = c->block;
    *shared             = c->shared;
    *(void **)stream    = c->stream;
    return cudaSuccess;
}

CuErr rt___cudaGetKernel(void **kernel, const void *host)
{
    ENTER_ALWAYS();
    CuErr   e;
    Kernel *k = kernel ? kernel_find(host, &e) : NULL;
    if (!kernel)
        return LEAVE(cudaErrorInvalidValue);
    *kernel = k;
    return LEAVE(e);
}

/* ---- launches ---- */

static CuErr launch(const void *kernel, const LaunchAsk *ask, void *stream)
{
    CuErr   e;
    Kernel *k = kernel_find(kernel, &e);
    if (!k)
        return e;
    return stream_launch(stream, k, ask);
}

/* A launch after a failed kernel is accepted and never runs, as one that waits in a stream behind it. */
#define LAUNCH(kernel, ask, stream)                                                                                    \
    do {                                                                                                               \
        ENTER_ANYWAY();                                                                                                \
        if (state.sticky != cudaSuccess)                                                                               \
            return LEAVE(state.sticky);                                                                                \
        if (state.later != cudaSuccess)                                                                                \
            return LEAVE(state.later == cudaErrorNotSupported ? state.later : cudaSuccess);                            \
        return LEAVE(launch(kernel, ask, stream));                                                                     \
    } while (0)

CuErr rt_cudaLaunchKernel(const void *func, WwDim3 grid, WwDim3 block, void **args, size_t shared, void *stream)
{
    LaunchAsk a = {.grid = grid, .block = block, .shared = shared, .args = args};
    LAUNCH(func, &a, stream);
}

CuErr rt___cudaLaunchKernel(void *kernel, WwDim3 grid, WwDim3 block, void **args, size_t shared, void *stream)
{
    LaunchAsk a = {.grid = grid, .block = block, .shared = shared, .args = args};
    LAUNCH(kernel, &a, stream);
}

CuErr rt_cudaLaunchCooperativeKernel(const void *func, WwDim3 grid, WwDim3 block, void **args, size_t shared,
                                     void *stream)
{
    LaunchAsk a = {.grid = grid, .block = block, .shared = shared, .args = args, .cooperative = true};
    LAUNCH(func, &a, stream);
}

CuErr rt_cudaLaunchKernelExC(const LaunchConfig *c, const void *func, void **args)
{
    if (!c)
        return LEAVE(cudaErrorInvalidValue);
    LaunchAsk a = {.grid = c->grid, .block = c->block, .shared = c->shared, .args = args};
    launch_read_attributes(&a, c->attrs, c->nattrs);
    LAUNCH(func, &a, c->stream);
}

static CuErr clusters(int *out, const void *func, const LaunchConfig *c,
                      CuErr (*answer)(Kernel *, const LaunchAsk *, int *))
{
    CuErr   e;
    Kernel *k = kernel_find(func, &e);
    if (!k || !c || !out)
        return k ? cudaErrorInvalidValue : e;
    LaunchAsk a = {.grid = c->grid, .block = c->block, .shared = c->shared};
    launch_read_attributes(&a, c->attrs, c->nattrs);
    return answer(k, &a, out);
}

CuErr rt_cudaOccupancyMaxActiveClusters(int *out, const void *func, const LaunchConfig *c)
{
    ENTER();
    return LEAVE(clusters(out, func, c, launch_clusters));
}

CuErr rt_cudaOccupancyMaxPotentialClusterSize(int *out, const void *func, const LaunchConfig *c)
{
    ENTER();
    return LEAVE(clusters(out, func, c, launch_largest_cluster));
}

/* ---- functions ---- */

CuErr rt_cudaFuncGetAttributes(FuncAttributes *out, const void *func)
{
    ENTER();
    CuErr   e;
    Kernel *k = kernel_find(func, &e);
    return LEAVE(!k ? e : !out ? cudaErrorInvalidValue : launch_attributes(k, out));
}

CuErr rt_cudaFuncSetAttribute(const void *func, int attribute, int value)
{
    ENTER();
    CuErr   e;
    Kernel *k = kernel_find(func, &e);
    return LEAVE(k ? launch_set_attribute(k, attribute, value) : e);
}

CuErr rt_cudaFuncSetCacheConfig(const void *func, int config_)
{
    ENTER();
    CuErr   e;
    Kernel *k = kernel_find(func, &e);
    if (config_ < 0 || config_ > 3)
        return LEAVE(cudaErrorInvalidValue);
    if (k)
        k->cache = config_;
    return LEAVE(k ? cudaSuccess : e);
}

CuErr rt_cudaFuncSetSharedMemConfig(const void *func, int config_)
{
    (void)config_; /* banks have one width since cc 5.0 */
    ENTER();
    CuErr e;
    kernel_find(func, &e);
    return LEAVE(e);
}

CuErr rt_cudaFuncGetName(const char **name, const void *func)
{
    ENTER();
    CuErr   e;
    Kernel *k = kernel_find(func, &e);
    if (k && name)
        *name = k->name;
    return LEAVE(k && !name ? cudaErrorInvalidValue : e);
}

CuErr rt_cudaGetFuncBySymbol(void **out, const void *func)
{
    ENTER();
    CuErr   e;
    Kernel *k = out ? kernel_find(func, &e) : NULL;
    if (k)
        *out = k;
    return LEAVE(out ? e : cudaErrorInvalidValue);
}

CuErr rt_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *func, int threads,
                                                                size_t shared, unsigned flags)
{
    ENTER();
    CuErr   e;
    Kernel *k = kernel_find(func, &e);
    if (flags > 1 || !blocks)
        return LEAVE(cudaErrorInvalidValue);
    return LEAVE(k ? launch_occupancy(k, threads, shared, blocks) : e);
}

CuErr rt_cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *func, int threads, size_t shared)
{
    return rt_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, func, threads, shared, 0);
}

CuErr rt_cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *func, int blocks, int threads)
{
    ENTER();
    CuErr          e;
    FuncAttributes a = {0};
    Kernel        *k = kernel_find(func, &e);
    if (k)
        e = launch_attributes(k, &a);
    Limits   l         = state_limits();
    unsigned registers = 0, stack;
    if (k && e == cudaSuccess)
        kernel_resources(k, state_current(), &registers, &stack);
    bool fits = bytes && blocks >= 1 && threads >= 1 &&
                (unsigned)blocks <= occupancy_of(&l, (unsigned)threads, registers, 0).blocks;
    if (e != cudaSuccess || !fits)
        return LEAVE(e != cudaSuccess ? e : cudaErrorInvalidValue);
    size_t each = occupancy_shared_each(&l, (unsigned)blocks), most = (size_t)a.max_dynamic_shared;
    if (each < a.shared_bytes)
        return LEAVE(cudaErrorInvalidValue);
    *bytes = each - a.shared_bytes < most ? each - a.shared_bytes : most;
    return LEAVE(cudaSuccess);
}
