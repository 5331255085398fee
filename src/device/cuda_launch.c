/* SPDX-License-Identifier: Apache-2.0
 *
 * Launches on the CUDA driver: the kernel's handle, permission for large dynamic shared memory, the launch, and what a failure
 * means.
 *
 * The driver says that a kernel faulted, not where: the finding carries the kernel's declaration as its place and tells to run
 * it on the emulator for the line, the thread and the address.  A device-side printf goes to the process's standard output, as
 * the driver does it; on_print is not called.  max_instructions, max_seconds and stop cannot be honoured: a kernel that is
 * running cannot be taken off the GPU. */
#include <inttypes.h>
#include <string.h>

#include "device/cuda.h"
#include "emu/async/tensormap.h"

static Status find_function(CudaDevice *c, CudaModule *m, const Func *kernel, CudaKernel **out)
{
    size_t i = 0;
    while (m->base.kernels[i] != kernel)
        i++;
    *out          = &m->kernels[i];
    CudaKernel *k = &m->kernels[i];
    if (k->fn)
        return WW_OK;
    if (!m->handle && !k->own)
        TRY(cuda_compile(c, m->base.ptx, kernel, m->level, &k->own));
    return cuda_check(c, c->drv.module_function(&k->fn, k->own ? k->own : m->handle, kernel->name),
                      "cuModuleGetFunction");
}

/* A kernel must be told before it may have more dynamic shared memory than what its static part leaves of 48 KiB. */
static Status allow_shared(CudaDevice *c, CudaKernel *k, const Func *kernel, uint32_t shared)
{
    if (shared <= k->shared)
        return WW_OK;
    CuResult e =
        shared > INT32_MAX ? CU_INVALID_VALUE : c->drv.function_set(k->fn, CU_FUNC_MAX_DYNAMIC_SHARED, (int)shared);
    if (e == CU_INVALID_VALUE)
        return device_fail(&c->base, WW_ERR_LAUNCH,
                           "kernel %s: %u bytes of dynamic shared memory are more than this GPU gives a block",
                           kernel->name, shared);
    TRY(cuda_check(c, e, "cuFuncSetAttribute"));
    k->shared = shared;
    return WW_OK;
}

/* Clusters of more than 8 blocks have to be allowed first. */
static CuResult enqueue_attributes(CudaDevice *c, const CudaRequest *q)
{
    const WwLaunch   *w = q->w;
    CuLaunchAttribute attribute[2];
    unsigned          n = 0;
    if (w->cluster.x)
        attribute[n++] = (CuLaunchAttribute){CU_ATTRIBUTE_CLUSTER, 0, {w->cluster.x, w->cluster.y, w->cluster.z}};
    if (w->programmatic)
        attribute[n++] = (CuLaunchAttribute){CU_ATTRIBUTE_PROGRAMMATIC, 0, {1}};
    CuLaunchConfig config = {.grid       = {w->grid.x, w->grid.y, w->grid.z},
                             .block      = {w->block.x, w->block.y, w->block.z},
                             .shared     = w->shared,
                             .stream     = w->stream ? w->stream->native : NULL,
                             .attributes = attribute,
                             .count      = n};
    if ((uint64_t)w->cluster.x * w->cluster.y * w->cluster.z > 8)
        c->drv.function_set(q->fn, CU_FUNC_NON_PORTABLE_CLUSTER, 1);
    return c->drv.launch_ex(&config, q->fn, w->args, NULL);
}

/* A driver without attributes runs a programmatic launch as any other: behind the one in front of it. */
CuResult cuda_enqueue(CudaDevice *c, const CudaRequest *q)
{
    const WwLaunch *w = q->w;
    if (w->cluster.x && !c->drv.launch_ex)
        return CU_INVALID_VALUE;
    if (w->cluster.x || (w->programmatic && c->drv.launch_ex))
        return enqueue_attributes(c, q);
    return c->drv.launch(q->fn, w->grid.x, w->grid.y, w->grid.z, w->block.x, w->block.y, w->block.z, w->shared,
                         w->stream ? w->stream->native : NULL, w->args, NULL);
}

Status cuda_tensor_map(WwDevice *d, const TensorMapAsk *a, void *map)
{
    CudaDevice *c       = (CudaDevice *)d;
    void       *address = (void *)(uintptr_t)a->address;
    CUDA_ENTER(c);
    if (!c->drv.tensor_tiled || !c->drv.tensor_im2col)
        return device_fail(d, WW_ERR_UNSUPPORTED, "ww_tensor_map: this CUDA driver has no tensor maps");
    CuResult e =
        a->im2col
            ? c->drv.tensor_im2col(map, (int)a->type, a->rank, address, a->dim, a->stride, a->lower, a->upper,
                                   a->channels, a->pixels, a->element_stride, (int)a->interleave, (int)a->swizzle,
                                   (int)a->l2_promotion, (int)a->fill)
            : c->drv.tensor_tiled(map, (int)a->type, a->rank, address, a->dim, a->stride, a->box, a->element_stride,
                                  (int)a->interleave, (int)a->swizzle, (int)a->l2_promotion, (int)a->fill);
    return cuda_check(c, e, "ww_tensor_map");
}

/* The rule that an error of a running kernel falls under. */
static const char *fault_rule(CuResult e, const char **category)
{
    *category = "memory";
    switch (e) {
    case CU_ILLEGAL_ADDRESS: return "out-of-bounds";
    case CU_MISALIGNED_ADDRESS: return "misaligned";
    case CU_INVALID_ADDRESS_SPACE: return "wrong-space";
    case CU_STACK_ERROR: return "stack-overflow";
    default: break;
    }
    *category = "sync";
    switch (e) {
    case CU_ASSERT: return "assert";
    case CU_INVALID_PC: return "bad-call";
    case CU_LAUNCH_TIMEOUT: return "time-limit";
    default: return "trap";
    }
}

/* The finding of a kernel that took the context with it; the device's message says how. */
static Status faulted(CudaDevice *c, const Module *m, const Func *kernel, Status s, WwResult *r)
{
    const char *category;
    const char *rule = fault_rule(c->lost_by, &category);
    WwFinding  *f    = result_finding(r, rule, category);
    f->file          = arena_strdup(r->arena, m->name);
    f->line          = kernel->line;
    f->col           = kernel->col;
    f->count         = 1;
    f->message       = arena_printf(r->arena, "%s; run it on the emulator for the line, the thread and the address",
                                    str_text(&c->base.error));
    return device_fail(&c->base, s,
                       "%s:%u:%u: error: kernel %s: %s; the GPU is lost to this process: start the program again [%s]",
                       f->file, f->line, f->col, kernel->name, f->message, rule);
}

/* A failure of the launch call itself: nothing ran. */
static Status refused(CudaDevice *c, const Func *kernel, CuResult e, const WwLaunch *w)
{
    Str    what = {0};
    Status s;
    str_printf(&what,
               "kernel %s: the driver does not accept grid (%u, %u, %u), block (%u, %u, %u), %u bytes of dynamic "
               "shared memory",
               kernel->name, w->grid.x, w->grid.y, w->grid.z, w->block.x, w->block.y, w->block.z, w->shared);
    if (w->cluster.x)
        str_printf(&what, ", clusters (%u, %u, %u)", w->cluster.x, w->cluster.y, w->cluster.z);
    s = cuda_check(c, e, str_text(&what));
    str_free(&what);
    return s == WW_ERR_INVALID ? WW_ERR_LAUNCH : s;
}

Status cuda_launch(WwDevice *d, WwModule *m, const Func *kernel, const DeviceLaunch *l, WwResult *r)
{
    CudaDevice *c = (CudaDevice *)d;
    CudaKernel *k = NULL;
    if (l->nobservers)
        return device_fail(d, WW_ERR_INVALID, "cuda cannot observe accesses: launch on the emulator");
    CUDA_ENTER(c);
    TRY(find_function(c, (CudaModule *)m, kernel, &k));
    TRY(allow_shared(c, k, kernel, l->w->shared));
    CudaRequest q = {k->fn, l->w};
    CuResult    e = cuda_enqueue(c, &q);
    if (e != CU_OK)
        return refused(c, kernel, e, l->w);
    if (l->w->stream)
        return WW_OK;
    Status s = cuda_check(c, c->drv.stream_sync(NULL), "the kernel failed on the GPU");
    if (s == WW_OK && l->w->time)
        s = cuda_time(c, &q, r);
    return s == WW_ERR_FAULT || s == WW_ERR_LIMIT ? faulted(c, m->ptx, kernel, s, r) : s;
}
