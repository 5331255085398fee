/* SPDX-License-Identifier: Apache-2.0
 *
 * What nvcc's generated host code calls: registration of fat binaries, kernels and variables before main, and the launch behind
 * <<< >>>.  Registration only takes notes; nothing is decoded before it is needed.
 *
 *     __cudaRegisterFatBinary(wrapper) -> handle      wrapper: magic u32, version u32, container, file name or prelinked containers
 *     __cudaRegisterFunction / Var / ManagedVar       host address, name
 *     __cudaRegisterFatBinaryEnd
 *     <<<g, b, s, t>>>: __cudaPushCallConfiguration, then in the stub Pop, __cudaGetKernel once, __cudaLaunchKernel (CUDA 13) or
 *     cudaLaunchKernel (before) */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "cuda/cgraph.h"
#include "cuda/driver.h"
#include "cuda/graph_params.h"
#include "cuda/module.h"
#include "cuda/stream.h"
#include "model/occupancy.h"

enum { WRAPPER_MAGIC = 0x466243b1, NESTED = 8 };

typedef struct Wrapper {
    int         magic, version;
    const void *data;
    const void *more;
} Wrapper;

typedef struct CallConfig {
    WwDim3 grid, block;
    size_t shared;
    void  *stream;
} CallConfig;

static _Thread_local CallConfig config[NESTED];
static _Thread_local int        configs;

/* What messages call the device code: "vectorAdd.ptx". */
static const char *program_name(void)
{
    static char name[256];
    if (!*name)
        snprintf(name, sizeof name, "%s.ptx", program_invocation_short_name);
    return name;
}

void **rt___cudaRegisterFatBinary(void *wrapper)
{
    ENTER_ANYWAY();
    const Wrapper *w     = wrapper;
    bool           known = w && w->magic == WRAPPER_MAGIC;
    Image         *i     = image_new(known ? w->data : NULL, NULL, 0, program_name());
    if (!known) {
        i->failed = cudaErrorInvalidKernelImage;
        state_say("the program registers device code in a form that is not known");
    }
    void **handle = xcalloc(1, sizeof *handle);
    *handle       = i;
    return handle;
}

void rt___cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

void rt___cudaUnregisterFatBinary(void **handle)
{
    ENTER_ANYWAY();
    if (handle && *handle) {
        image_forget(*handle); /* its memory stays: launches of other threads may still be on their way out */
        *handle = NULL;
    }
}

void rt___cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit, void *tid,
                               void *bid, void *block, void *grid, int *warp)
{
    (void)device, (void)limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
    ENTER_ANYWAY();
    image_add_kernel(*handle, name, host);
}

void rt___cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t size, int constant,
                          int global)
{
    (void)device, (void)ext, (void)constant, (void)global;
    ENTER_ANYWAY();
    image_add_symbol(*handle, name, host, size, NULL);
}

void rt___cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext, size_t size,
                                 int constant, int global)
{
    (void)device, (void)ext, (void)constant, (void)global;
    ENTER_ANYWAY();
    image_add_symbol(*handle, name, host, size, host);
}

void rt___cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size)
{
    (void)handle, (void)name, (void)host, (void)size; /* a variable of the host that kernels do not see */
}

void rt___cudaRegisterUnifiedTable(void **handle, void *table)
{
    (void)handle, (void)table; /* only with unified function pointers, which this device says it does not have */
}

void rt___cudaRegisterTexture(void **handle, const void *host, const void **device, const char *name, int dim, int norm,
                              int ext)
{
    (void)handle, (void)host, (void)device, (void)name, (void)dim, (void)norm, (void)ext;
    state_missing("__cudaRegisterTexture");
}

void rt___cudaRegisterSurface(void **handle, const void *host, const void **device, const char *name, int dim, int ext)
{
    (void)handle, (void)host, (void)device, (void)name, (void)dim, (void)ext;
    state_missing("__cudaRegisterSurface");
}

char rt___cudaInitModule(void **handle)
{
    ENTER_ANYWAY();
    Image *i = handle ? *handle : NULL;
    if (i)
        LEAVE(image_place_managed(i));
    return 1;
}

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
    ENTER_ANYWAY();
    CuErr e;
    *kernel = kernel_find(host, &e);
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
    Limits l = state_limits();
    bool   fits =
        bytes && blocks >= 1 && threads >= 1 && (unsigned)blocks <= occupancy_of(&l, (unsigned)threads, 0, 0).blocks;
    if (e != cudaSuccess || !fits)
        return LEAVE(e != cudaSuccess ? e : cudaErrorInvalidValue);
    size_t each = occupancy_shared_each(&l, (unsigned)blocks), most = (size_t)a.max_dynamic_shared;
    if (each < a.shared_bytes)
        return LEAVE(cudaErrorInvalidValue);
    *bytes = each - a.shared_bytes < most ? each - a.shared_bytes : most;
    return LEAVE(cudaSuccess);
}

/* ---- symbols ---- */

static CuErr where(const void *symbol, WwPtr *address, size_t *bytes)
{
    Symbol      *s = symbol_find(symbol);
    const Range *r = s ? NULL : devmem_range((uint64_t)(uintptr_t)symbol);
    if (r && r->variable && r->kind == MEMORY_MANAGED) { /* the program knows a managed variable by its own address */
        *address = r->base;
        *bytes   = r->bytes;
        return cudaSuccess;
    }
    return s ? image_variable(s->image, state_current(), s->name, address, bytes) : cudaErrorInvalidSymbol;
}

CuErr rt_cudaGetSymbolAddress(void **out, const void *symbol)
{
    ENTER();
    WwPtr  p = 0;
    size_t n;
    CuErr  e = where(symbol, &p, &n);
    if (e == cudaSuccess)
        *out = (void *)(uintptr_t)p;
    return LEAVE(e);
}

CuErr rt_cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
    ENTER();
    WwPtr p;
    return LEAVE(where(symbol, &p, bytes));
}

static CuErr symbol_copy(const void *symbol, void *other, size_t count, size_t offset, int kind, bool into,
                         void *stream)
{
    WwPtr  p = 0;
    size_t n = 0;
    CuErr  e = where(symbol, &p, &n);
    if (e != cudaSuccess)
        return e;
    if (offset > n || count > n - offset)
        return cudaErrorInvalidValue;
    if (kind != (into ? COPY_HOST_TO_DEVICE : COPY_DEVICE_TO_HOST) && kind != COPY_DEVICE_TO_DEVICE &&
        kind != COPY_DEFAULT)
        return cudaErrorInvalidMemcpyDirection;
    void *at = (void *)(uintptr_t)(p + offset);
    return stream_copy(into ? at : other, 0, into ? other : at, 0, count, 1, kind, stream);
}

CuErr rt_cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset, int kind)
{
    ENTER();
    CuErr e = stream_settle(NULL);
    return LEAVE(e != cudaSuccess ? e : symbol_copy(symbol, (void *)(uintptr_t)src, count, offset, kind, true, NULL));
}

CuErr rt_cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count, size_t offset, int kind)
{
    ENTER();
    CuErr e = stream_settle(NULL);
    return LEAVE(e != cudaSuccess ? e : symbol_copy(symbol, dst, count, offset, kind, false, NULL));
}

CuErr rt_cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count, size_t offset, int kind,
                                 void *stream)
{
    ENTER();
    return LEAVE(symbol_copy(symbol, (void *)(uintptr_t)src, count, offset, kind, true, stream));
}

CuErr rt_cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count, size_t offset, int kind, void *stream)
{
    ENTER();
    return LEAVE(symbol_copy(symbol, dst, count, offset, kind, false, stream));
}

/* ---- copies of graphs to and from symbols ---- */

static CuErr symbol_node(GraphNode *n, const void *symbol, void *other, size_t count, size_t offset, int kind,
                         bool into)
{
    WwPtr  p     = 0;
    size_t bytes = 0;
    CuErr  e     = n ? where(symbol, &p, &bytes) : cudaErrorInvalidValue;
    if (e != cudaSuccess || offset > bytes || count > bytes - offset)
        return e != cudaSuccess ? e : cudaErrorInvalidValue;
    void *at = (void *)(uintptr_t)(p + offset);
    n->copy  = (NodeCopy){
         .dst = into ? at : other, .src = into ? other : at, .width = count, .height = 1, .depth = 1, .kind = kind};
    return cudaSuccess;
}

static CuErr add_symbol_node(void **out, void *graph, void *const *deps, size_t n, const void *symbol, void *other,
                             size_t count, size_t offset, int kind, bool into)
{
    CuErr      e;
    GraphNode *node = graph_add(graph, NODE_COPY, deps, n, &e);
    if (!node)
        return e;
    e = symbol_node(node, symbol, other, count, offset, kind, into);
    if (e == cudaSuccess)
        *out = node;
    else
        node_free(node);
    return e;
}

static GraphNode *copy_node(void *node)
{
    GraphNode *n = node_of(node);
    return n && n->kind == NODE_COPY ? n : NULL;
}

CuErr rt_cudaGraphAddMemcpyNodeToSymbol(void **out, void *graph, void *const *deps, size_t n, const void *symbol,
                                        const void *src, size_t count, size_t offset, int kind)
{
    ENTER();
    return LEAVE(add_symbol_node(out, graph, deps, n, symbol, (void *)(uintptr_t)src, count, offset, kind, true));
}

CuErr rt_cudaGraphAddMemcpyNodeFromSymbol(void **out, void *graph, void *const *deps, size_t n, void *dst,
                                          const void *symbol, size_t count, size_t offset, int kind)
{
    ENTER();
    return LEAVE(add_symbol_node(out, graph, deps, n, symbol, dst, count, offset, kind, false));
}

CuErr rt_cudaGraphMemcpyNodeSetParamsToSymbol(void *node, const void *symbol, const void *src, size_t count,
                                              size_t offset, int kind)
{
    ENTER();
    return LEAVE(symbol_node(copy_node(node), symbol, (void *)(uintptr_t)src, count, offset, kind, true));
}

CuErr rt_cudaGraphMemcpyNodeSetParamsFromSymbol(void *node, void *dst, const void *symbol, size_t count, size_t offset,
                                                int kind)
{
    ENTER();
    return LEAVE(symbol_node(copy_node(node), symbol, dst, count, offset, kind, false));
}

CuErr rt_cudaGraphExecMemcpyNodeSetParamsToSymbol(void *exec, void *node, const void *symbol, const void *src,
                                                  size_t count, size_t offset, int kind)
{
    ENTER();
    return LEAVE(
        symbol_node(graph_in_exec(exec, node, NODE_COPY), symbol, (void *)(uintptr_t)src, count, offset, kind, true));
}

CuErr rt_cudaGraphExecMemcpyNodeSetParamsFromSymbol(void *exec, void *node, void *dst, const void *symbol, size_t count,
                                                    size_t offset, int kind)
{
    ENTER();
    return LEAVE(symbol_node(graph_in_exec(exec, node, NODE_COPY), symbol, dst, count, offset, kind, false));
}

CuErr rt_cudaGraphMemcpyNodeSetParams1D(void *node, void *dst, const void *src, size_t bytes, int kind)
{
    ENTER();
    GraphNode *n = copy_node(node);
    if (n)
        n->copy = (NodeCopy){.dst = dst, .src = src, .width = bytes, .height = 1, .depth = 1, .kind = kind};
    return LEAVE(n ? cudaSuccess : cudaErrorInvalidValue);
}
