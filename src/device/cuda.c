/* SPDX-License-Identifier: Apache-2.0
 *
 * The CUDA driver as a device: context, memory and modules.  cuda_launch.c runs kernels, cuda_time.c measures them.
 *
 * Decisions.  The device uses the GPU's primary context, so that libraries on the CUDA runtime (cuBLAS) see the same memory;
 * every call makes it current on the calling thread.  What is not put on a WwStream runs on the default stream and is complete when its
 * call returns.  PTX is compiled by the driver, whose log becomes part of the message.
 *
 * A kernel that faults leaves the context unusable ("sticky" errors): every later call is refused with the first fault's text,
 * and closing the device resets the primary context, so that a device opened afterwards works again.
 * Copies stay inside one known range (an allocation, a module's variable, or what the driver knows as another library's allocation):
 * the driver would let one run past the end of a small allocation, and would take an address that is not the device's for the
 * host's. */
#include "device/cuda.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/profile_file.h"

enum { JIT_LOG_BYTES = 16384 };

static bool is_sticky(CuResult e)
{
    return e == CU_ILLEGAL_ADDRESS || e == CU_LAUNCH_TIMEOUT || e == CU_CONTEXT_DESTROYED || e == CU_ASSERT ||
           (e >= CU_STACK_ERROR && e <= CU_LAUNCH_FAILED);
}

static Status status_of(CuResult e)
{
    switch (e) {
    case CU_OK: return WW_OK;
    case CU_INVALID_VALUE: return WW_ERR_INVALID;
    case CU_OUT_OF_MEMORY: return WW_ERR_NO_MEMORY;
    case CU_INVALID_PTX: return WW_ERR_PARSE;
    case CU_NO_BINARY_FOR_GPU:
    case CU_UNSUPPORTED_PTX: return WW_ERR_UNSUPPORTED;
    case CU_NOT_FOUND: return WW_ERR_NOT_FOUND;
    case CU_OUT_OF_RESOURCES:
    case CU_COOPERATIVE_TOO_LARGE: return WW_ERR_LAUNCH;
    case CU_LAUNCH_TIMEOUT: return WW_ERR_LIMIT;
    default: return is_sticky(e) && e != CU_CONTEXT_DESTROYED ? WW_ERR_FAULT : WW_ERR_DEVICE;
    }
}

Status cuda_check(CudaDevice *c, CuResult e, const char *what)
{
    if (e == CU_OK)
        return WW_OK;
    Status s    = status_of(e);
    Str    text = {0};
    str_printf(&text, "%s: ", what);
    cuda_driver_error(&c->drv, e, &text);
    device_fail(&c->base, s, "%s", str_text(&text));
    if (is_sticky(e) && !c->lost.len) {
        c->lost_by = e;
        str_add(&c->lost, str_text(&text));
    }
    str_free(&text);
    return s;
}

static Status make_current(CudaDevice *c, CudaScope *s)
{
    CuContext now = NULL;
    if (c->drv.ctx_current(&now) == CU_OK && now == c->ctx)
        return WW_OK;
    TRY(cuda_check(c, c->drv.ctx_set_current(c->ctx), "cuCtxSetCurrent"));
    if (now)
        *s = (CudaScope){c, now};
    return WW_OK;
}

void cuda_leave(CudaScope *s)
{
    if (s->device)
        s->device->drv.ctx_set_current(s->before);
    s->device = NULL;
}

Status cuda_enter(CudaDevice *c, CudaScope *s)
{
    if (c->lost.len)
        return device_fail(&c->base, WW_ERR_DEVICE,
                           "this device cannot be used since a kernel failed on it (%s): start the program again",
                           c->lost.s);
    return make_current(c, s);
}

/* ---- memory ---- */

static void range_add(CudaDevice *c, CuPtr base, uint64_t bytes, WwModule *owner)
{
    if (c->nranges == c->cap) {
        c->cap    = c->cap ? c->cap * 2 : 16;
        c->ranges = xrealloc(c->ranges, c->cap * sizeof *c->ranges);
    }
    c->ranges[c->nranges++] = (CudaRange){base, bytes, owner};
}

/* The range that contains p, newest first; NULL if it is none of ours. */
static CudaRange *range_find(CudaDevice *c, CuPtr p)
{
    for (size_t i = c->nranges; i-- > 0;)
        if (p - c->ranges[i].base < c->ranges[i].bytes)
            return &c->ranges[i];
    return NULL;
}

static Status range_check(CudaDevice *c, const char *what, CuPtr p, uint64_t bytes)
{
    CudaRange        foreign = {0};
    size_t           size    = 0;
    const CudaRange *r       = range_find(c, p);
    if (!r && c->drv.mem_range(&foreign.base, &size, p) == CU_OK) {
        foreign.bytes = size;
        r             = &foreign;
    }
    if (r && bytes <= r->bytes - (p - r->base))
        return WW_OK;
    if (!r)
        return device_fail(&c->base, WW_ERR_INVALID,
                           "%s: %" PRIu64 " bytes at 0x%" PRIx64
                           " are not in one allocation: this device has none there",
                           what, bytes, p);
    return device_fail(&c->base, WW_ERR_INVALID,
                       "%s: %" PRIu64 " bytes at 0x%" PRIx64 " are not in one allocation: %" PRIu64
                       " bytes are left of the %" PRIu64 " at 0x%" PRIx64,
                       what, bytes, p, r->bytes - (p - r->base), r->bytes, r->base);
}

static Status cuda_alloc(WwDevice *d, uint64_t bytes, WwPtr *out)
{
    CudaDevice *c = (CudaDevice *)d;
    CUDA_ENTER(c);
    CuResult e = c->drv.mem_alloc(out, bytes);
    if (e == CU_OUT_OF_MEMORY || e == CU_INVALID_VALUE) /* not 0 bytes: a number beyond all memory */
        return device_fail(d, WW_ERR_NO_MEMORY, "%s: %" PRIu64 " bytes asked for", ww_status_text(WW_ERR_NO_MEMORY),
                           bytes);
    TRY(cuda_check(c, e, "cuMemAlloc"));
    range_add(c, *out, bytes, NULL);
    return WW_OK;
}

static Status cuda_release(WwDevice *d, WwPtr p)
{
    CudaDevice *c = (CudaDevice *)d;
    CUDA_ENTER(c);
    CudaRange *r = range_find(c, p);
    if (!r || r->base != p || r->owner)
        return device_fail(d, WW_ERR_INVALID,
                           "ww_free: 0x%" PRIx64 " is not an address that ww_alloc returned, or it was freed before",
                           p);
    *r = c->ranges[--c->nranges];
    return cuda_check(c, c->drv.mem_free(p), "cuMemFree");
}

/* Faults of earlier work and of the copy itself come out here. */
static Status finish(CudaDevice *c, CuResult e, const char *what)
{
    TRY(cuda_check(c, e, what));
    return cuda_check(c, c->drv.stream_sync(NULL), what);
}

static Status cuda_copy_in(WwDevice *d, WwPtr dst, const void *src, uint64_t bytes)
{
    CudaDevice *c = (CudaDevice *)d;
    CUDA_ENTER(c);
    TRY(range_check(c, "ww_copy_in", dst, bytes));
    return finish(c, c->drv.copy_in(dst, src, bytes), "ww_copy_in");
}

static Status cuda_host_alloc(WwDevice *d, size_t bytes, void **out)
{
    enum { PORTABLE = 1 }; /* pinned for every context */
    CudaDevice *c = (CudaDevice *)d;
    CUDA_ENTER(c);
    if (!c->drv.host_alloc || !c->drv.host_free)
        return device_fail(d, WW_ERR_UNSUPPORTED, "this CUDA driver has no cuMemHostAlloc");
    return cuda_check(c, c->drv.host_alloc(out, bytes, PORTABLE), "cuMemHostAlloc");
}

static void cuda_host_free(WwDevice *d, void *p)
{
    CudaDevice *c = (CudaDevice *)d;
    CUDA_SCOPE;
    if (cuda_enter(c, &scope) == WW_OK)
        c->drv.host_free(p);
}

static Status cuda_copy_rows(WwDevice *d, const WwStream *s, const DeviceRows *r)
{
    CudaDevice *c      = (CudaDevice *)d;
    CuSide      host   = {.memory = CU_MEMORY_HOST, .host = r->host, .pitch = r->host_pitch};
    CuSide      device = {.memory = CU_MEMORY_DEVICE, .device = r->at, .pitch = r->pitch};
    CuCopy2D    copy   = {r->in ? host : device, r->in ? device : host, r->bytes, r->rows};
    CUDA_ENTER(c);
    if (r->bytes == 0 || r->rows == 0)
        return WW_OK;
    if (c->drv.copy_2d)
        return cuda_check(c, c->drv.copy_2d(&copy, s->native), "cuMemcpy2DAsync");
    TRY(cuda_check(c, c->drv.stream_sync(s->native), "cuStreamSynchronize"));
    for (uint64_t i = 0; i < r->rows; i++) {
        char *at = r->host + i * r->host_pitch;
        CuPtr p  = r->at + i * r->pitch;
        TRY(finish(c, r->in ? c->drv.copy_in(p, at, r->bytes) : c->drv.copy_out(at, p, r->bytes), "copy of rows"));
    }
    return WW_OK;
}

static void cuda_reach(WwDevice *d, WwDevice *other)
{
    CudaDevice *c = (CudaDevice *)d;
    CUDA_SCOPE;
    if (d->ops == other->ops && ((CudaDevice *)other)->ctx != c->ctx && c->drv.peer_enable &&
        cuda_enter(c, &scope) == WW_OK)
        (void)c->drv.peer_enable(((CudaDevice *)other)->ctx, 0); /* refused: there is no way, or it is open already */
}

static Status cuda_copy_across(WwDevice *d, const WwStream *s, const DeviceAcross *a)
{
    CudaDevice *c    = (CudaDevice *)d;
    CuContext   from = ((CudaDevice *)a->from)->ctx, to = ((CudaDevice *)a->to)->ctx;
    CUDA_ENTER(c);
    if (from == to && c->drv.copy_2d) {
        CuCopy2D copy = {{.memory = CU_MEMORY_DEVICE, .device = a->src, .pitch = a->src_pitch},
                         {.memory = CU_MEMORY_DEVICE, .device = a->dst, .pitch = a->dst_pitch},
                         a->bytes,
                         a->rows};
        return cuda_check(c, c->drv.copy_2d(&copy, s->native), "cuMemcpy2DAsync");
    }
    if (!c->drv.copy_peer)
        return device_fail(d, WW_ERR_UNSUPPORTED, "this CUDA driver has no cuMemcpy3DPeerAsync");
    CuCopyPeer copy = {
        {.memory = CU_MEMORY_DEVICE, .device = a->src, .context = from, .pitch = a->src_pitch, .height = a->rows},
        {.memory = CU_MEMORY_DEVICE, .device = a->dst, .context = to, .pitch = a->dst_pitch, .height = a->rows},
        a->bytes,
        a->rows,
        1};
    return cuda_check(c, c->drv.copy_peer(&copy, s->native), "cuMemcpy3DPeerAsync");
}

static Status cuda_copy_out(WwDevice *d, void *dst, WwPtr src, uint64_t bytes)
{
    CudaDevice *c = (CudaDevice *)d;
    CUDA_ENTER(c);
    TRY(range_check(c, "ww_copy_out", src, bytes));
    return finish(c, c->drv.copy_out(dst, src, bytes), "ww_copy_out");
}

static Status cuda_copy(WwDevice *d, WwPtr dst, WwPtr src, uint64_t bytes)
{
    CudaDevice *c = (CudaDevice *)d;
    CUDA_ENTER(c);
    TRY(range_check(c, "ww_copy (destination)", dst, bytes));
    TRY(range_check(c, "ww_copy (source)", src, bytes));
    return finish(c, c->drv.copy(dst, src, bytes), "ww_copy");
}

static Status cuda_fill(WwDevice *d, WwPtr dst, uint8_t value, uint64_t bytes, const WwStream *s)
{
    CudaDevice *c = (CudaDevice *)d;
    CUDA_ENTER(c);
    TRY(range_check(c, "ww_fill", dst, bytes));
    if (s)
        return cuda_check(c, c->drv.fill_async(dst, value, bytes, s->native), "ww_fill");
    return finish(c, c->drv.fill(dst, value, bytes), "ww_fill");
}

/* ---- streams ---- */

static Status cuda_stream_open(WwDevice *d, WwStream *s)
{
    CudaDevice *c = (CudaDevice *)d;
    int         least, greatest;
    CUDA_ENTER(c);
    if (s->owned && s->first && c->drv.stream_create_at && c->drv.stream_priorities &&
        c->drv.stream_priorities(&least, &greatest) == CU_OK)
        return cuda_check(c, c->drv.stream_create_at(&s->native, 0, greatest), "cuStreamCreateWithPriority");
    return s->owned ? cuda_check(c, c->drv.stream_create(&s->native, 0), "ww_stream_open") : WW_OK;
}

static Status cuda_stream_wait(WwDevice *d, const WwStream *s)
{
    CudaDevice *c = (CudaDevice *)d;
    CUDA_ENTER(c);
    return cuda_check(c, c->drv.stream_sync(s->native), "ww_stream_wait");
}

static void cuda_stream_close(WwDevice *d, WwStream *s)
{
    CudaDevice *c = (CudaDevice *)d;
    if (!s->owned)
        return;
    (void)cuda_stream_wait(d, s); /* nothing a caller could do about a failure of either */
    c->drv.stream_destroy(s->native);
}

static Status cuda_mark(WwDevice *d, const WwStream *s, void **mark)
{
    enum { NO_TIMING = 2 };
    CudaDevice *c = (CudaDevice *)d;
    CUDA_ENTER(c);
    if (!*mark)
        TRY(cuda_check(c, c->drv.event_create(mark, NO_TIMING), "cuEventCreate"));
    return cuda_check(c, c->drv.event_record(*mark, s->native), "cuEventRecord");
}

static Status cuda_follow(WwDevice *d, const WwStream *s, void *mark)
{
    CudaDevice *c = (CudaDevice *)d;
    CUDA_ENTER(c);
    return s ? cuda_check(c, c->drv.stream_follow(s->native, mark, 0), "cuStreamWaitEvent")
             : cuda_check(c, c->drv.event_sync(mark), "work on a stream");
}

static Status cuda_passed(WwDevice *d, void *mark, bool *done)
{
    CudaDevice *c = (CudaDevice *)d;
    CUDA_ENTER(c);
    CuResult e = c->drv.event_query ? c->drv.event_query(mark) : c->drv.event_sync(mark);
    *done      = e != CU_NOT_READY;
    return *done ? cuda_check(c, e, "work on a stream") : WW_OK;
}

static Status cuda_with(WwDevice *d, int (*call)(void *user), void *user, int *result)
{
    CUDA_ENTER((CudaDevice *)d);
    *result = call(user);
    return WW_OK;
}

static void cuda_mark_free(WwDevice *d, void *mark)
{
    CudaDevice *c = (CudaDevice *)d;
    CUDA_SCOPE;
    if (cuda_enter(c, &scope) == WW_OK)
        c->drv.event_destroy(mark);
}

/* ---- modules ---- */

static Status load_failed(CudaDevice *c, const Module *ptx, CuResult e, const char *log)
{
    Str    what = {0}, text = {0};
    Status s;
    str_printf(&what, "%s: the CUDA driver did not load this module", ptx->name);
    s = cuda_check(c, e, str_text(&what));
    str_add(&text, str_text(&c->base.error));
    if (e == CU_UNSUPPORTED_PTX)
        str_printf(&text, "; it is PTX %u.%u: a newer driver is needed", ptx->version_major, ptx->version_minor);
    if (e == CU_NO_BINARY_FOR_GPU || e == CU_INVALID_PTX)
        str_printf(&text, "; it is for %s, the GPU is sm_%d", ptx->target ? ptx->target : "an unnamed target", c->cc);
    if (*log)
        str_printf(&text, "\n%s", log);
    while (text.len && text.s[text.len - 1] == '\n')
        text.s[--text.len] = 0;
    device_fail(&c->base, s, "%s", str_text(&text));
    str_free(&what);
    str_free(&text);
    return s;
}

Status cuda_compile(CudaDevice *c, const Module *ptx, const Func *alone, int level, CuModule *out)
{
    Str text = {0};
    if (alone)
        ptx_text_of(ptx, alone, &text);
    else
        str_addn(&text, ptx->text, ptx->text_len);
    /* The driver wants a zero at the end, which a Str has. An option's value that is a number stands in the pointer itself. */
    char    *log       = xcalloc(JIT_LOG_BYTES + 1, 1);
    int      options[] = {CU_JIT_ERROR_LOG, CU_JIT_ERROR_LOG_BYTES, CU_JIT_OPTIMIZATION_LEVEL};
    void    *values[]  = {log, (void *)(uintptr_t)JIT_LOG_BYTES, (void *)(uintptr_t)level};
    CuResult e         = c->drv.module_load(out, str_text(&text), level ? 3 : 2, options, values);
    Status   s         = e == CU_OK ? WW_OK : load_failed(c, ptx, e, log);
    str_free(&text);
    free(log);
    return s;
}

/* Machine code that is for another GPU, or newer than the driver, is refused; the text then says what there is to say. */
static Status cuda_load(WwDevice *d, Module *ptx, const DeviceText *t, WwModule **out)
{
    CudaDevice *c      = (CudaDevice *)d;
    CuModule    handle = NULL;
    CUDA_SCOPE;
    Status s = cuda_enter(c, &scope);
    if (s == WW_OK && (!t->code || c->drv.module_load(&handle, t->code, 0, NULL, NULL) != CU_OK) &&
        !(t->bodies_later && ptx_kernels_stand_alone(ptx)))
        s = cuda_compile(c, ptx, NULL, t->level, &handle);
    if (s != WW_OK) {
        ptx_module_free(ptx);
        return s;
    }
    CudaModule *m = xcalloc(1, sizeof *m);
    m->handle     = handle;
    m->level      = t->level;
    module_init(&m->base, d, ptx);
    m->kernels = xcalloc(m->base.nkernels + 1, sizeof *m->kernels);
    *out       = &m->base;
    return WW_OK;
}

static void cuda_unload(WwDevice *d, WwModule *m)
{
    CudaDevice *c   = (CudaDevice *)d;
    Module     *ptx = (Module *)(uintptr_t)m->ptx;
    CUDA_SCOPE;
    for (size_t i = c->nranges; i-- > 0;)
        if (c->ranges[i].owner == m)
            c->ranges[i] = c->ranges[--c->nranges];
    CudaModule *own = (CudaModule *)m;
    if (!c->lost.len && make_current(c, &scope) == WW_OK) { /* nothing a caller could do about a failure */
        if (own->handle)
            c->drv.module_unload(own->handle);
        for (size_t i = 0; i < m->nkernels; i++)
            if (own->kernels[i].own)
                c->drv.module_unload(own->kernels[i].own);
    }
    free(own->kernels);
    module_done(m);
    ptx_module_free(ptx);
    free(m);
}

static Status cuda_variable(WwDevice *d, WwModule *m, const Var *v, WwPtr *address, uint64_t *bytes)
{
    CudaDevice *c = (CudaDevice *)d;
    size_t      n = 0;
    CUDA_ENTER(c);
    CuResult e = c->drv.module_global(address, &n, ((CudaModule *)m)->handle, v->name);
    if (e == CU_NOT_FOUND)
        return device_fail(
            d, WW_ERR_NOT_FOUND,
            "variable '%s' of %s is not in the module that the driver made: it may be unused or not visible", v->name,
            m->ptx->name);
    TRY(cuda_check(c, e, "cuModuleGetGlobal"));
    const CudaRange *known = range_find(c, *address);
    if (!known || known->owner != m)
        range_add(c, *address, n, m);
    *bytes = n;
    return WW_OK;
}

/* ---- opening and closing ---- */

static void cuda_close(WwDevice *d)
{
    CudaDevice *c     = (CudaDevice *)d;
    CudaScope   scope = {0};
    if (c->lost.len)
        c->drv.ctx_reset(c->ordinal);
    else if (make_current(c, &scope) == WW_OK)
        for (size_t i = 0; i < c->nranges; i++)
            if (!c->ranges[i].owner)
                c->drv.mem_free(c->ranges[i].base);
    cuda_leave(&scope);
    c->drv.ctx_release(c->ordinal);
    str_free(&c->lost);
    free(c->ranges);
    device_done(d);
    free(c);
}

/* The step of opening that failed, and why. */
static Status open_failed(const CudaDriver *drv, CuResult e, const char *step, Str *why)
{
    str_printf(why, "no usable GPU: %s: ", step);
    cuda_driver_error(drv, e, why);
    return WW_ERR_UNAVAILABLE;
}

/* The driver, started, and the number of GPUs it sees: at least one. */
static Status start(CudaDriver *drv, int *count, Str *why)
{
    TRY(cuda_driver_load(drv, why));
    CuResult e = drv->init(0);
    if (e != CU_OK)
        return open_failed(drv, e, "the CUDA driver did not start", why);
    e = drv->device_count(count);
    if (e != CU_OK)
        return open_failed(drv, e, "cuDeviceGetCount", why);
    if (*count < 1)
        return str_add(why, "no usable GPU: the CUDA driver is there and sees none"), WW_ERR_UNAVAILABLE;
    return WW_OK;
}

/* Ordinal, name and compute capability of GPU i; false: it does not answer. */
static bool identify(const CudaDriver *drv, int i, CuOrdinal *dev, char name[256], int *cc)
{
    int major = 0, minor = 0;
    if (drv->device_get(dev, i) != CU_OK || drv->device_name(name, 255, *dev) != CU_OK ||
        drv->device_attribute(&major, CU_ATTR_CC_MAJOR, *dev) != CU_OK ||
        drv->device_attribute(&minor, CU_ATTR_CC_MINOR, *dev) != CU_OK)
        return false;
    *cc = major * 10 + minor;
    return true;
}

bool cuda_describe(Str *out)
{
    CudaDriver drv;
    CuOrdinal  dev;
    int        count = 0, version = 0, cc = 0;
    char       name[256] = "";
    if (start(&drv, &count, out) != WW_OK)
        return false;
    drv.version(&version);
    str_printf(out, "CUDA driver for CUDA %d.%d", version / 1000, version % 1000 / 10);
    for (int i = 0; i < count; i++) {
        if (identify(&drv, i, &dev, name, &cc))
            str_printf(out, "; GPU %d: %s, compute capability %d.%d", i, name, cc / 10, cc % 10);
        else
            str_printf(out, "; GPU %d does not answer", i);
    }
    return true;
}

enum { SHARED_UNASKED = 48 * 1024 }; /* what every block can have */

static unsigned figure(const CudaDevice *c, int attribute, unsigned otherwise)
{
    int n = 0;
    return c->drv.device_attribute(&n, attribute, c->ordinal) == CU_OK && n > 0 ? (unsigned)n : otherwise;
}

/* label: its own profile, where it is none. */
static Status open_as(const Profile *label, const WwDeviceOptions *o, WwDevice **out, Str *why)
{
    static const DeviceOps ops = {
        .kind         = "cuda",
        .close        = cuda_close,
        .alloc        = cuda_alloc,
        .release      = cuda_release,
        .copy_in      = cuda_copy_in,
        .copy_rows    = cuda_copy_rows,
        .copy_across  = cuda_copy_across,
        .reach        = cuda_reach,
        .host_alloc   = cuda_host_alloc,
        .host_free    = cuda_host_free,
        .copy_out     = cuda_copy_out,
        .copy         = cuda_copy,
        .fill         = cuda_fill,
        .load         = cuda_load,
        .unload       = cuda_unload,
        .variable     = cuda_variable,
        .launch       = cuda_launch,
        .tensor_map   = cuda_tensor_map,
        .stream_open  = cuda_stream_open,
        .stream_wait  = cuda_stream_wait,
        .stream_close = cuda_stream_close,
        .mark         = cuda_mark,
        .follow       = cuda_follow,
        .mark_free    = cuda_mark_free,
        .passed       = cuda_passed,
        .with         = cuda_with,
    };
    CudaDevice c         = {0};
    int        count     = 0;
    char       name[256] = "", profile[32];
    TRY(start(&c.drv, &count, why));
    if (o->ordinal >= (unsigned)count)
        return str_printf(why, "there is no GPU %u: this machine has %d, counted from 0", o->ordinal, count),
               WW_ERR_NOT_FOUND;
    if (!identify(&c.drv, (int)o->ordinal, &c.ordinal, name, &c.cc))
        return str_printf(why, "no usable GPU: GPU %u does not answer", o->ordinal), WW_ERR_UNAVAILABLE;
    CuContext theirs = NULL;
    c.drv.ctx_current(&theirs);
    CuResult e = c.drv.ctx_retain(&c.ctx, c.ordinal);
    if (e == CU_OK && !theirs && (e = c.drv.ctx_set_current(c.ctx)) != CU_OK)
        c.drv.ctx_release(c.ordinal);
    if (e != CU_OK)
        return open_failed(&c.drv, e, "no context on the GPU", why);
    snprintf(profile, sizeof profile, "sm_%d", c.cc);
    device_init(&c.base, &ops, name, label, profile);
    c.base.sms          = figure(&c, CU_ATTR_SM_COUNT, 1);
    c.base.cc           = (unsigned)c.cc;
    c.base.block_shared = figure(&c, CU_ATTR_SHARED_OPTIN, SHARED_UNASKED);
    *out                = memcpy(xmalloc(sizeof c), &c, sizeof c);
    return WW_OK;
}

Status cuda_open(const WwDeviceOptions *o, WwDevice **out, Str *why)
{
    const Profile *label = o->profile ? device_profile(o->profile, why) : NULL;
    Status         s     = label || !o->profile ? open_as(label, o, out, why) : WW_ERR_NOT_FOUND;
    if (s != WW_OK)
        profile_close(label);
    return s;
}

bool cuda_card(const WwDevice *d, Profile *out)
{
    if (strcmp(d->ops->kind, "cuda") != 0)
        return false;
    const CudaDevice *c     = (const CudaDevice *)d;
    size_t            bytes = 0;
    *out                    = (Profile){.title      = d->name,
                                        .sms        = figure(c, CU_ATTR_SM_COUNT, 0),
                                        .clock_mhz  = figure(c, CU_ATTR_CLOCK_KHZ, 0) / 1000,
                                        .l2_kib     = figure(c, CU_ATTR_L2_BYTES, 0) / 1024,
                                        .bus_bits   = figure(c, CU_ATTR_BUS_BITS, 0),
                                        .memory_mhz = figure(c, CU_ATTR_MEMORY_KHZ, 0) / 1000,
                                        .ecc        = figure(c, CU_ATTR_ECC, 0) != 0,
                                        .integrated = figure(c, CU_ATTR_INTEGRATED, 0) != 0};
    if (c->drv.device_memory && c->drv.device_memory(&bytes, c->ordinal) == CU_OK)
        out->seen_kib = (unsigned)(bytes >> 10), out->memory_mib = (unsigned)(bytes >> 20);
    /* two transfers a clock */
    out->memory_gbs = (unsigned)(2.0 * out->memory_mhz * out->bus_bits / 8 / 1000);
    return true;
}
