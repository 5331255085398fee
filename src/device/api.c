/* SPDX-License-Identifier: Apache-2.0
 *
 * The public functions over DeviceOps.  What can be refused without the device is refused here, so that both devices answer
 * alike: null pointers, zero sizes, unknown kernels, arguments that do not fit the kernel's parameters, empty grids.
 *
 * Invariants: a function that fails has left a message in the device (or, for ww_device_open, in a thread-local text); a NULL
 * device or module is WW_ERR_INVALID without a message, having nowhere to put one; closing a device unloads its modules.
 * Not checked: a device, module or result pointer that was released before. */
#include "device/device.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mangle.h"
#include "model/profile_file.h"

enum { LISTED_KERNELS = 20, MAX_REPEATS = 100000 };

const char *ww_status_text(WwStatus s)
{
    static const char *const texts[] = {
#define STATUS(name, text) text,
#include "warpwright/statuses.def"
#undef STATUS
    };
    return (size_t)s < sizeof texts / sizeof *texts ? texts[s] : "unknown status";
}

const char *ww_version(void)
{
    return WW_VERSION_STRING;
}

/* ---- devices ---- */

Status device_fail(WwDevice *d, Status s, const char *fmt, ...)
{
    va_list ap;
    Str     text = {0}; /* built aside: the arguments may point into the old message */
    va_start(ap, fmt);
    str_vprintf(&text, fmt, ap);
    va_end(ap);
    str_free(&d->error);
    d->error = text;
    return s;
}

static char *copy_text(const char *s)
{
    size_t n = strlen(s) + 1;
    return memcpy(xmalloc(n), s, n);
}

void device_init(WwDevice *d, const DeviceOps *ops, const char *name, const Profile *profile, const char *own)
{
    d->ops          = ops;
    d->name         = copy_text(name);
    d->profile      = profile;
    d->profile_name = copy_text(profile ? profile->name : own);
}

void device_done(WwDevice *d)
{
    free(d->name);
    free(d->profile_name);
    profile_close(d->profile);
    str_free(&d->error);
}

const Profile *device_profile(const char *name, Str *why)
{
    bool           file = profile_is_file(name);
    const Profile *p    = profile_open(name, file ? why : NULL);
    if (!p && !file) {
        str_printf(why, "no profile '%s'; there are:", name);
        for (size_t i = 0; profile_at(i); i++)
            str_printf(why, "%s %s", i ? "," : "", profile_at(i)->name);
    }
    return p;
}

/* The one text that has no object to live in, so it is the thread's. */
static const char *open_message(const char *text)
{
    static _Thread_local char message[2048];
    snprintf(message, sizeof message, "%s", text);
    return message;
}

WwStatus ww_device_open(const char *name, const WwDeviceOptions *options, WwDevice **out, const char **message)
{
    static const WwDeviceOptions none;
    const WwDeviceOptions       *o   = options ? options : &none;
    Str                          why = {0};
    Status                       s;
    if (message)
        *message = "";
    if (!out)
        s = (str_add(&why, "ww_device_open needs a place for the device"), WW_ERR_INVALID);
    else if (*out = NULL, name && !strcmp(name, "emulator"))
        s = emulator_open(o, out, &why);
    else if (name && !strcmp(name, "cuda"))
        s = cuda_open(o, out, &why);
    else
        s = (str_printf(&why, "no device '%s'; there are: emulator, cuda", name ? name : ""), WW_ERR_NOT_FOUND);
    if (s != WW_OK && message)
        *message = open_message(str_text(&why));
    str_free(&why);
    return s;
}

void ww_device_close(WwDevice *d)
{
    if (!d)
        return;
    while (d->modules)
        d->ops->unload(d, d->modules);
    d->ops->close(d);
}

const char *ww_device_name(const WwDevice *d)
{
    return d ? d->name : "";
}

const char *ww_device_kind(const WwDevice *d)
{
    return d ? d->ops->kind : "";
}

const char *ww_device_profile(const WwDevice *d)
{
    return d ? d->profile_name : "";
}

const char *ww_device_error(const WwDevice *d)
{
    return d ? str_text(&d->error) : "";
}

void ww_device_on_result(WwDevice *d, void (*seen)(void *user, const char *kernel, const WwResult *result), void *user)
{
    if (!d)
        return;
    d->seen      = seen;
    d->seen_user = user;
}

void device_on_progress(WwDevice *d, void (*progress)(void *user, const char *kernel, uint64_t done, uint64_t blocks),
                        void     *user)
{
    d->progress      = progress;
    d->progress_user = user;
}

/* ---- memory ---- */

WwStatus ww_alloc(WwDevice *d, size_t bytes, WwPtr *out)
{
    if (!d)
        return WW_ERR_INVALID;
    if (!out)
        return device_fail(d, WW_ERR_INVALID, "ww_alloc needs a place for the address");
    *out = 0;
    if (!bytes)
        return device_fail(d, WW_ERR_INVALID, "ww_alloc of 0 bytes: ask for at least 1");
    return d->ops->alloc(d, bytes, out);
}

WwStatus ww_free(WwDevice *d, WwPtr p)
{
    if (!d)
        return WW_ERR_INVALID;
    return p ? d->ops->release(d, p) : WW_OK;
}

Status device_copy_rows(WwDevice *d, const WwStream *s, const DeviceRows *r)
{
    if (d->ops->copy_rows)
        return d->ops->copy_rows(d, s, r);
    for (uint64_t i = 0; i < r->rows; i++) {
        char *host = r->host + i * r->host_pitch;
        WwPtr at   = r->at + i * r->pitch;
        TRY(r->in ? d->ops->copy_in(d, at, host, r->bytes) : d->ops->copy_out(d, host, at, r->bytes));
    }
    return WW_OK;
}

/* d says why it failed, whichever device did. */
static Status across(WwDevice *d, WwDevice *of, Status s)
{
    if (s != WW_OK && of != d)
        device_fail(d, s, "of another device's memory: %s", ww_device_error(of));
    return s;
}

Status device_copy_across(WwDevice *d, const WwStream *s, const DeviceAcross *a)
{
    if (a->bytes == 0 || a->rows == 0)
        return WW_OK;
    if (d->ops->copy_across && a->from->ops == a->to->ops)
        return d->ops->copy_across(d, s, a);
    void  *row    = xmalloc(a->bytes);
    Status status = s ? ww_stream_wait((WwStream *)(uintptr_t)s) : WW_OK;
    for (uint64_t i = 0; status == WW_OK && i < a->rows; i++) {
        status = across(d, a->from, a->from->ops->copy_out(a->from, row, a->src + i * a->src_pitch, a->bytes));
        if (status == WW_OK)
            status = across(d, a->to, a->to->ops->copy_in(a->to, a->dst + i * a->dst_pitch, row, a->bytes));
    }
    free(row);
    return status;
}

WwStatus ww_copy_in(WwDevice *d, WwPtr dst, const void *src, size_t bytes)
{
    if (!d)
        return WW_ERR_INVALID;
    if (!bytes)
        return WW_OK;
    if (!src)
        return device_fail(d, WW_ERR_INVALID, "ww_copy_in: the source is NULL");
    return d->ops->copy_in(d, dst, src, bytes);
}

WwStatus ww_copy_out(WwDevice *d, void *dst, WwPtr src, size_t bytes)
{
    if (!d)
        return WW_ERR_INVALID;
    if (!bytes)
        return WW_OK;
    if (!dst)
        return device_fail(d, WW_ERR_INVALID, "ww_copy_out: the destination is NULL");
    return d->ops->copy_out(d, dst, src, bytes);
}

WwStatus ww_copy(WwDevice *d, WwPtr dst, WwPtr src, size_t bytes)
{
    if (!d)
        return WW_ERR_INVALID;
    if (!bytes)
        return WW_OK;
    if (dst - src < bytes || src - dst < bytes)
        return device_fail(d, WW_ERR_INVALID, "ww_copy: source and destination overlap");
    return d->ops->copy(d, dst, src, bytes);
}

Status device_fill(WwDevice *d, WwPtr dst, uint8_t value, uint64_t bytes, const WwStream *s)
{
    return bytes ? d->ops->fill(d, dst, value, bytes, s) : WW_OK;
}

WwStatus ww_fill(WwDevice *d, WwPtr dst, uint8_t value, size_t bytes)
{
    return d ? device_fill(d, dst, value, bytes, NULL) : WW_ERR_INVALID;
}

/* ---- streams ---- */

static Status open_stream(WwStream s, WwStream **out)
{
    if (s.device->ops->stream_open)
        TRY(s.device->ops->stream_open(s.device, &s));
    *out = memcpy(xmalloc(sizeof s), &s, sizeof s);
    return WW_OK;
}

WwStatus ww_stream_open(WwDevice *d, void *native, WwStream **out)
{
    if (!d)
        return WW_ERR_INVALID;
    if (!out)
        return device_fail(d, WW_ERR_INVALID, "ww_stream_open needs a place for the stream");
    *out = NULL;
    if (native && !d->ops->stream_open)
        return device_fail(d, WW_ERR_INVALID, "ww_stream_open: the %s knows no native streams", d->ops->kind);
    return open_stream((WwStream){.device = d, .native = native, .owned = !native}, out);
}

Status device_stream_first(WwDevice *d, WwStream **out)
{
    return open_stream((WwStream){.device = d, .owned = true, .first = true}, out);
}

WwStatus ww_stream_wait(WwStream *s)
{
    if (!s)
        return WW_ERR_INVALID;
    return s->device->ops->stream_wait ? s->device->ops->stream_wait(s->device, s) : WW_OK;
}

void ww_stream_close(WwStream *s)
{
    if (s && s->device->ops->stream_close)
        s->device->ops->stream_close(s->device, s);
    free(s);
}

/* ---- modules ---- */

void module_init(WwModule *m, WwDevice *d, const Module *ptx)
{
    m->device  = d;
    m->ptx     = ptx;
    m->kernels = xcalloc(ptx->nfuncs + 1, sizeof *m->kernels);
    for (size_t i = 0; i < ptx->nfuncs; i++)
        if (ptx->funcs[i]->entry && ptx->funcs[i]->has_body)
            m->kernels[m->nkernels++] = ptx->funcs[i];
    m->next = d->modules;
    if (m->next)
        m->next->before = m;
    d->modules = m;
}

void module_done(WwModule *m)
{
    *(m->before ? &m->before->next : &m->device->modules) = m->next;
    if (m->next)
        m->next->before = m->before;
    free(m->kernels);
}

/* The messages become the device's. */
static Status parsed(WwDevice *d, Status s, Diags *diags)
{
    if (s != WW_OK) {
        Str text = {0};
        diags_render(diags, &text);
        while (text.len && text.s[text.len - 1] == '\n')
            text.s[--text.len] = 0;
        device_fail(d, s, "%s", str_text(&text));
        str_free(&text);
    }
    diags_free(diags);
    return s;
}

Status device_load(WwDevice *d, const DeviceText *t, WwModule **out)
{
    Diags   diags;
    Module *m = NULL;
    *out      = NULL;
    diags_init(&diags);
    TRY(parsed(d, (t->bodies_later ? ptx_parse_outside : ptx_parse)(t->name, t->ptx, t->len, &diags, &m), &diags));
    return d->ops->load(d, m, t, out);
}

WwStatus ww_module_load(WwDevice *d, const char *name, const char *ptx, size_t len, WwModule **out)
{
    if (!d)
        return WW_ERR_INVALID;
    if (!out || !ptx)
        return device_fail(d, WW_ERR_INVALID, "ww_module_load needs %s", out ? "PTX text" : "a place for the module");
    return device_load(d, &(DeviceText){.name = name ? name : "<ptx>", .ptx = ptx, .len = len}, out);
}

void ww_module_unload(WwDevice *d, WwModule *m)
{
    if (d && m && m->device == d)
        d->ops->unload(d, m);
}

size_t ww_module_kernel_count(const WwModule *m)
{
    return m ? m->nkernels : 0;
}

const char *ww_module_kernel_name(const WwModule *m, size_t i)
{
    return m && i < m->nkernels ? m->kernels[i]->name : NULL;
}

size_t ww_module_kernel_arg_count(const WwModule *m, size_t i)
{
    return m && i < m->nkernels ? m->kernels[i]->nparams : 0;
}

size_t ww_module_kernel_arg_bytes(const WwModule *m, size_t i, size_t k)
{
    return k < ww_module_kernel_arg_count(m, i) ? (size_t)m->kernels[i]->params[k].bytes : 0;
}

const char *ww_module_kernel_arg_type(const WwModule *m, size_t i, size_t k)
{
    return k < ww_module_kernel_arg_count(m, i) ? type_text(m->kernels[i]->params[k].type) : NULL;
}

WwStatus ww_module_variable(WwDevice *d, WwModule *m, const char *name, WwPtr *address, size_t *bytes)
{
    uint64_t n = 0;
    WwPtr    p = 0;
    if (!d)
        return WW_ERR_INVALID;
    if (!m || m->device != d || !name)
        return device_fail(d, WW_ERR_INVALID, "ww_module_variable: %s",
                           !m     ? "the module is NULL"
                           : name ? "the module belongs to another device"
                                  : "the name is NULL");
    const Var *v = ptx_find_var(m->ptx, name);
    if (!v || (v->space != SPACE_GLOBAL && v->space != SPACE_CONST))
        return device_fail(d, WW_ERR_NOT_FOUND, "no .global or .const variable '%s' in %s%s", name, m->ptx->name,
                           v ? " (it is in another state space)" : "");
    TRY(d->ops->variable(d, m, v, &p, &n));
    if (address)
        *address = p;
    if (bytes)
        *bytes = (size_t)n;
    return WW_OK;
}

/* ---- launches ---- */

static Status no_kernel(WwDevice *d, const WwModule *m, const char *name)
{
    Str list = {0};
    for (size_t i = 0; i < m->nkernels && i < LISTED_KERNELS; i++)
        str_printf(&list, "%s%s", i ? ", " : "", m->kernels[i]->name);
    if (m->nkernels > LISTED_KERNELS)
        str_printf(&list, " and %zu more", m->nkernels - LISTED_KERNELS);
    device_fail(d, WW_ERR_NOT_FOUND, "no kernel '%s' in %s; it has: %s", name, m->ptx->name,
                m->nkernels ? list.s : "none");
    str_free(&list);
    return WW_ERR_NOT_FOUND;
}

Status device_kernel(WwDevice *d, const WwModule *m, const char *name, const Func **out)
{
    *out = NULL;
    for (size_t i = 0; i < m->nkernels && !*out; i++)
        if (!strcmp(m->kernels[i]->name, name))
            *out = m->kernels[i];
    if (!*out)
        return no_kernel(d, m, name);
    if (!(*out)->unread)
        return WW_OK;
    Diags diags;
    diags_init(&diags);
    Status s = parsed(d, ptx_read(m->ptx, *out, &diags), &diags);
    *out     = s == WW_OK ? *out : NULL;
    return s;
}

/* "param_0 u64, param_1 f32" */
static void describe_params(const Func *k, Str *out)
{
    for (size_t i = 0; i < k->nparams; i++) {
        const Var *p = &k->params[i];
        str_printf(out, "%s%s", i ? ", " : "", type_text(p->type));
        if (p->ndim)
            str_printf(out, "[%" PRIu64 " bytes]", p->bytes);
    }
}

static Status check_args(WwDevice *d, const Func *k, const WwLaunch *w)
{
    if (w->arg_count != k->nparams) {
        Str list = {0};
        describe_params(k, &list);
        device_fail(d, WW_ERR_LAUNCH, "kernel %s takes %zu argument%s (%s), %zu given", k->name, k->nparams,
                    k->nparams == 1 ? "" : "s", str_text(&list), w->arg_count);
        str_free(&list);
        return WW_ERR_LAUNCH;
    }
    if (k->nparams && !w->args)
        return device_fail(d, WW_ERR_LAUNCH, "kernel %s: WwLaunch.args is NULL, %zu arguments are needed", k->name,
                           k->nparams);
    for (size_t i = 0; i < k->nparams; i++) {
        if (!w->args[i])
            return device_fail(d, WW_ERR_LAUNCH,
                               "kernel %s: argument %zu is a null pointer (it must point to the value)", k->name, i);
        if (w->arg_bytes && w->arg_bytes[i] != k->params[i].bytes)
            return device_fail(d, WW_ERR_LAUNCH,
                               "kernel %s: argument %zu has %zu bytes, its parameter %s (%s) %" PRIu64, k->name, i,
                               w->arg_bytes[i], k->params[i].name, type_text(k->params[i].type), k->params[i].bytes);
    }
    return WW_OK;
}

static Status check_launch(WwDevice *d, const WwModule *m, const WwLaunch *w)
{
    if (m->device != d)
        return device_fail(d, WW_ERR_INVALID, "ww_launch: the module belongs to another device");
    const WwDim3 *const dims[]  = {&w->grid, &w->block};
    const char *const   names[] = {"grid", "block"};
    for (int i = 0; i < 2; i++)
        if (!dims[i]->x || !dims[i]->y || !dims[i]->z)
            return device_fail(d, WW_ERR_LAUNCH, "the %s is %u x %u x %u: every dimension must be at least 1", names[i],
                               dims[i]->x, dims[i]->y, dims[i]->z);
    if (w->observe & ~(unsigned)(WW_OBSERVE_COUNTERS | WW_OBSERVE_ACCESSES | WW_OBSERVE_TIME | WW_OBSERVE_WARM))
        return device_fail(d, WW_ERR_INVALID, "ww_launch: observe has unknown bits: 0x%x", w->observe);
    if (w->observe & ~d->ops->observes)
        return device_fail(d, WW_ERR_INVALID,
                           "%s cannot observe %s: launch with observe = WW_OBSERVE_NOTHING, or on the emulator",
                           d->ops->kind,
                           w->observe & ~d->ops->observes & WW_OBSERVE_COUNTERS   ? "counters"
                           : w->observe & ~d->ops->observes & WW_OBSERVE_ACCESSES ? "accesses"
                                                                                  : "predicted times");
    if (w->stream && w->stream->device != d)
        return device_fail(d, WW_ERR_INVALID, "ww_launch: the stream belongs to another device");
    if (w->stream && w->time)
        return device_fail(d, WW_ERR_INVALID,
                           "ww_launch: a launch on a stream cannot be timed, since it does not wait");
    if (w->repeats > MAX_REPEATS)
        return device_fail(d, WW_ERR_INVALID, "ww_launch: %u repeats are too many (at most %d)", w->repeats,
                           MAX_REPEATS);
    if ((w->observe & WW_OBSERVE_ACCESSES) && !w->on_access)
        return device_fail(d, WW_ERR_INVALID, "ww_launch: WW_OBSERVE_ACCESSES needs on_access");
    return WW_OK;
}

static Status run_kernel(WwDevice *d, WwModule *m, const Func *k, const DeviceLaunch *l, WwResult **out)
{
    TRY(check_args(d, k, l->w));
    bool      left  = l->w->stream && d->ops->stream_wait;
    WwResult *r     = out || !left ? result_new(k->name) : NULL;
    Status    s     = d->ops->launch(d, m, k, l, r);
    bool      began = s == WW_OK || s == WW_ERR_FAULT || s == WW_ERR_LIMIT || s == WW_ERR_UNSUPPORTED;
    if (d->seen && r && began)
        d->seen(d->seen_user, k->name, r);
    if (out && began)
        *out = r;
    else
        ww_result_free(r);
    return s;
}

Status device_launch_kernel(WwDevice *d, WwModule *m, const Func *kernel, const DeviceLaunch *l, WwResult **out)
{
    TRY(check_launch(d, m, l->w));
    return run_kernel(d, m, kernel, l, out);
}

WwStatus ww_launch(WwDevice *d, WwModule *m, const char *kernel, const WwLaunch *launch, WwResult **out)
{
    if (out)
        *out = NULL;
    if (!d)
        return WW_ERR_INVALID;
    if (!m || !launch)
        return device_fail(d, WW_ERR_INVALID, "ww_launch: the %s is NULL", m ? "launch" : "module");
    TRY(check_launch(d, m, launch));
    if (!kernel)
        return device_fail(d, WW_ERR_INVALID, "ww_launch: the kernel's name is NULL");
    const Func *k;
    TRY(device_kernel(d, m, kernel, &k));
    return run_kernel(d, m, k, &(DeviceLaunch){.w = launch}, out);
}

size_t ww_kernel_text(const char *symbol, char *text, size_t bytes)
{
    char  *shown = mangled_text(symbol ? symbol : "");
    size_t n     = strlen(shown);
    if (text && bytes)
        snprintf(text, bytes, "%s", shown);
    free(shown);
    return n;
}
