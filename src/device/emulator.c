/* SPDX-License-Identifier: Apache-2.0
 *
 * The emulator as a device: requests that api.c has checked become emu_ calls, and what they leave becomes messages and
 * results.  Kernel arguments are copied into one parameter block laid out by emu_param.
 *
 * Observers of a launch, in order: the caller's, then the counting one (WW_OBSERVE_COUNTERS), then the one that calls
 * on_access (WW_OBSERVE_ACCESSES), then the checkers' (WwDeviceOptions.check).
 * Not modelled: time.  WwLaunch.time is ignored and the result says that nothing was measured. */
#include "device/emulator.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/simd.h"
#include "base/value.h"
#include "check/count/count.h"
#include "device/emulator_own.h"
#include "emu/async/tensormap.h"
#include "model/occupancy.h"
#include "model/profile_file.h"

enum { GRID_BARRIER = 256 }; /* bytes */

typedef struct EmulatorModule {
    WwModule   base;
    EmuModule *em;
} EmulatorModule;

static EmuDevice *emu_of(WwDevice *d)
{
    return ((Emulator *)d)->emu;
}

EmuDevice *emulator_emu(WwDevice *d)
{
    return d && !strcmp(d->ops->kind, "emulator") ? emu_of(d) : NULL;
}

void emulator_pending(WwDevice *d, void (*add)(void *user, const WwFinding *f), void *user)
{
    checks_pending(((Emulator *)d)->checks, add, user);
}

static void emulator_close(WwDevice *d)
{
    emu_close(emu_of(d));
    checks_free(((Emulator *)d)->checks);
    ptxas_free(((Emulator *)d)->ptxas);
    emulator_time_forget((Emulator *)d, NULL);
    device_done(d);
    free(d);
}

/* ---- memory ---- */

void emulator_tell_work(WwDevice *d, MemoryKind kind, uint64_t address, uint64_t from, uint64_t bytes,
                        const WorkOrder *work)
{
    checks_memory(((Emulator *)d)->checks, &(MemoryEvent){.kind    = kind,
                                                          .address = address,
                                                          .from    = from,
                                                          .bytes   = bytes,
                                                          .work    = work,
                                                          .host    = ((Emulator *)d)->host,
                                                          .call    = ((Emulator *)d)->call});
}

void emulator_tell_read(WwDevice *d, const char *by, uint64_t address, uint64_t bytes, const WorkOrder *work)
{
    checks_memory(((Emulator *)d)->checks, &(MemoryEvent){.kind    = MEMORY_READ,
                                                          .address = address,
                                                          .bytes   = bytes,
                                                          .name    = by,
                                                          .work    = work,
                                                          .host    = ((Emulator *)d)->host,
                                                          .call    = ((Emulator *)d)->call});
}

void emulator_host(WwDevice *d, void (*place)(WwFinding *f, void *call), void *(*call)(void))
{
    ((Emulator *)d)->host = place;
    ((Emulator *)d)->call = call;
}

void emulator_host_memory(WwDevice *d, size_t (*list)(HostRange **out))
{
    ((Emulator *)d)->host_memory = list;
}

void emulator_tell(WwDevice *d, MemoryKind kind, uint64_t address, uint64_t from, uint64_t bytes)
{
    emulator_tell_work(d, kind, address, from, bytes, NULL);
}

static void tell(WwDevice *d, MemoryKind kind, WwPtr address, uint64_t bytes)
{
    emulator_tell(d, kind, address, 0, bytes);
}

void emulator_shown(WwDevice *d, uint64_t from, uint64_t to, const WorkOrder *host)
{
    checks_shown(((Emulator *)d)->checks, from, to, host);
}

MemoryUse emulator_uses(WwDevice *d, uint64_t from, uint64_t to, bool writes, const WorkOrder *host)
{
    return checks_uses(((Emulator *)d)->checks, from, to, writes, host);
}

static Status alloc(WwDevice *d, uint64_t bytes, uint64_t align, WwPtr *out)
{
    Status s = emu_alloc(emu_of(d), bytes, align, out);
    if (s != WW_OK)
        *out = 0;
    else
        tell(d, MEMORY_ALLOC, *out, bytes);
    return s == WW_OK ? s : device_fail(d, s, "%s: %" PRIu64 " bytes asked for", ww_status_text(s), bytes);
}

static Status emulator_holds(WwDevice *d, WwPtr at, uint64_t bytes, const char **why)
{
    return emu_range(emu_of(d), at, bytes, why);
}

static Status emulator_release(WwDevice *d, WwPtr p)
{
    const char *why = NULL, *name;
    uint64_t    base, bytes = 0;
    if (p && !emu_find(emu_of(d), p, &base, &bytes, &name))
        bytes = 0;
    Status s = emu_free(emu_of(d), p);
    if (s == WW_OK) {
        tell(d, MEMORY_FREE, p, bytes);
        return s;
    }
    if (emu_range(emu_of(d), p, 1, &why) == WW_OK)
        why = "it lies inside an allocation or is a variable";
    return device_fail(d, s,
                       "ww_free: 0x%" PRIx64 " is not an address that ww_alloc returned, or it was freed before: %s", p,
                       why ? why : "no allocation is near");
}

static Status emulator_alloc(WwDevice *d, uint64_t bytes, WwPtr *out)
{
    return alloc(d, bytes, 1, out);
}

Status emulator_alloc_page(WwDevice *d, uint64_t bytes, WwPtr *out)
{
    enum { PAGE = 4096 };
    return alloc(d, bytes, PAGE, out);
}

/* The host's view of a device range; NULL: a message names the call and what is at that address. */
static void *host_range(WwDevice *d, const char *call, WwPtr p, uint64_t bytes)
{
    const char *why = NULL;
    if (emu_range(emu_of(d), p, bytes, &why) == WW_OK)
        return emu_host(emu_of(d), p);
    device_fail(d, WW_ERR_INVALID, "%s: %" PRIu64 " bytes at 0x%" PRIx64 " are not in one allocation: %s", call, bytes,
                p, why ? why : "nothing is allocated there");
    return NULL;
}

static Status emulator_copy_in(WwDevice *d, WwPtr dst, const void *src, uint64_t bytes)
{
    void *to = host_range(d, "ww_copy_in", dst, bytes);
    if (!to)
        return WW_ERR_INVALID;
    memcpy(to, src, bytes);
    tell(d, MEMORY_WRITE, dst, bytes);
    return WW_OK;
}

static Status emulator_copy_out(WwDevice *d, void *dst, WwPtr src, uint64_t bytes)
{
    const void *from = host_range(d, "ww_copy_out", src, bytes);
    if (!from)
        return WW_ERR_INVALID;
    memcpy(dst, from, bytes);
    tell(d, MEMORY_READ, src, bytes);
    return WW_OK;
}

static Status emulator_copy(WwDevice *d, WwPtr dst, WwPtr src, uint64_t bytes)
{
    void       *to   = host_range(d, "ww_copy (destination)", dst, bytes);
    const void *from = to ? host_range(d, "ww_copy (source)", src, bytes) : NULL;
    if (!from)
        return WW_ERR_INVALID;
    memcpy(to, from, bytes);
    emulator_tell(d, MEMORY_COPY, dst, src, bytes);
    return WW_OK;
}

static Status emulator_fill(WwDevice *d, WwPtr dst, uint8_t value, uint64_t bytes, const WwStream *s)
{
    (void)s;
    void *to = host_range(d, "ww_fill", dst, bytes);
    if (!to)
        return WW_ERR_INVALID;
    memset(to, value, bytes);
    tell(d, MEMORY_WRITE, dst, bytes);
    return WW_OK;
}

/* ---- the heap and the stack ---- */

typedef struct Heap {
    uint64_t base, bytes;
} Heap;

static Heap heap_of(WwDevice *d)
{
    Heap h;
    emu_heap(emu_of(d), &h.base, &h.bytes);
    return h;
}

static void heap_was(WwDevice *d, Heap was)
{
    Heap is = heap_of(d);
    if (was.base == is.base && was.bytes == is.bytes)
        return;
    if (was.base)
        tell(d, MEMORY_FREE, was.base, was.bytes);
    if (is.base)
        tell(d, MEMORY_HEAP, is.base, is.bytes);
}

Status emulator_set_heap(WwDevice *d, uint64_t bytes)
{
    Heap   was = heap_of(d);
    Status s   = emu_set_heap(emu_of(d), bytes);
    heap_was(d, was);
    return s;
}

void emulator_set_stack(WwDevice *d, uint32_t bytes)
{
    emu_set_stack(emu_of(d), bytes);
}

void emulator_reset_limits(WwDevice *d)
{
    Heap was = heap_of(d);
    emu_reset_limits(emu_of(d));
    heap_was(d, was);
}

/* ---- modules ---- */

static Status emulator_load(WwDevice *d, Module *ptx, const DeviceText *t, WwModule **out)
{
    (void)t;
    const char *why = NULL;
    EmuModule  *em  = NULL;
    Heap        was = heap_of(d);
    Status      s   = emu_module_load(emu_of(d), ptx, &em, &why);
    if (s != WW_OK)
        return device_fail(d, s, "%s", why && *why ? why : ww_status_text(s));
    heap_was(d, was);
    EmulatorModule *m = xcalloc(1, sizeof *m);
    m->em             = em;
    module_init(&m->base, d, emu_module_ptx(em));
    *out = &m->base;
    return WW_OK;
}

static void emulator_unload(WwDevice *d, WwModule *m)
{
    ptxas_forget(((Emulator *)d)->ptxas, m->ptx);
    emulator_time_forget((Emulator *)d, m->ptx);
    module_done(m);
    emu_module_unload(emu_of(m->device), ((EmulatorModule *)m)->em);
    free(m);
}

unsigned emulator_arch(const WwDevice *d)
{
    return ((const Emulator *)d)->profile->arch->cc;
}

unsigned emulator_assembles(const WwDevice *d)
{
    const Emulator *e = (const Emulator *)d;
    return e->asks_registers ? e->profile->arch->cc : 0;
}

void emulator_resources_are(WwDevice *d, WwModule *m, const char *kernel, unsigned registers, unsigned stack)
{
    Emulator *e = (Emulator *)d;
    for (size_t i = 0; i < m->ptx->nfuncs; i++)
        if (!strcmp(m->ptx->funcs[i]->name, kernel))
            ptxas_told(e->ptxas, m->ptx, m->ptx->funcs[i], &(Resources){.registers = registers, .stack = stack});
}

bool emulator_resources_known(const WwDevice *d, const WwModule *m, const Func *f, unsigned *registers, unsigned *stack)
{
    Resources is;
    if (!ptxas_knows(((const Emulator *)d)->ptxas, m->ptx, f, &is))
        return false;
    *registers = is.registers;
    *stack     = is.stack;
    return true;
}

static Status emulator_variable(WwDevice *d, WwModule *m, const Var *v, WwPtr *address, uint64_t *bytes)
{
    *address = emu_module_variable(((EmulatorModule *)m)->em, v->name, bytes);
    if (!*address)
        return device_fail(d, WW_ERR_NOT_FOUND, "variable '%s' is only declared in %s: no definition", v->name,
                           m->ptx->name);
    return WW_OK;
}

static Status emulator_tensor_map(WwDevice *d, const TensorMapAsk *ask, void *map)
{
    TensorMap   m   = {0};
    const char *why = tensormap_encode(ask, &m);
    if (why)
        return device_fail(d, WW_ERR_INVALID, "ww_tensor_map: %s", why);
    memcpy(map, &m, sizeof m);
    return WW_OK;
}

/* ---- launches ---- */

/* One block of memory with every argument where emu_param wants it. */
static void *pack_args(const Func *k, void *const *args)
{
    uint32_t offset = 0, bytes = 0;
    uint32_t total = k->nparams ? emu_param(k, 0, &offset, &bytes) : 0;
    uint8_t *block = xcalloc(total + 16u, 1);
    for (size_t i = 0; i < k->nparams; i++) {
        emu_param(k, i, &offset, &bytes);
        memcpy(block + offset, args[i], bytes);
    }
    return block;
}

void ww_pause_where(const WwPause *p, char *text, size_t bytes)
{
    Str where = {0};
    emu_pause_where(p, &where);
    if (bytes)
        snprintf(text, bytes, "%s", str_text(&where));
    str_free(&where);
}

static EmuLaunch emu_request(const WwLaunch *w, const void *params, Observer **observers, size_t n)
{
    return (EmuLaunch){.grid             = {w->grid.x, w->grid.y, w->grid.z},
                       .block            = {w->block.x, w->block.y, w->block.z},
                       .shared           = w->shared,
                       .params           = params,
                       .observers        = observers,
                       .nobservers       = n,
                       .max_instructions = w->max_instructions,
                       .max_seconds      = w->max_seconds,
                       .stop             = w->stop,
                       .on_print         = w->on_print,
                       .on_pause         = w->on_pause,
                       .pause_after      = w->pause_after,
                       .user             = w->user,
                       .granular         = w->granular,
                       .paged            = w->paged,
                       .cooperative      = w->cooperative,
                       .cluster          = {w->cluster.x, w->cluster.y, w->cluster.z}};
}

/* What a request leaves behind for work that its kernel handed to the device. */
typedef struct Made {
    EmuChild child;
    uint64_t by; /* the launch that handed it over */
} Made;

typedef struct Children {
    Made               *made; /* a stack: the last one runs next */
    size_t              n, cap;
    const LaunchOrigin *origin; /* of the grid that runs; NULL: the host's */
} Children;

/* The result's children go on the stack, in reverse; their parameters are the stack's then. */
static void push_children(Children *c, EmuResult *r, uint64_t by)
{
    for (size_t i = r->nchild; i--;) {
        if (c->n == c->cap) {
            c->cap  = c->cap ? c->cap * 2 : 16;
            c->made = xrealloc(c->made, c->cap * sizeof *c->made);
        }
        c->made[c->n++] = (Made){r->child[i], by};
    }
    r->nchild = 0;
}

/* The observers of a launch. */
typedef struct Watchers {
    Observer  **list;
    size_t      n;
    Observer   *count, *access; /* NULL: not asked for */
    Patterns   *patterns;       /* NULL: no checker counts */
    LaunchTime *time;           /* NULL: not asked for, or not known */
} Watchers;

static Watchers watchers_new(Emulator *e, const Module *m, const Func *k, const DeviceLaunch *l, const void *params,
                             CheckLaunch *check)
{
    bool            kept = checks_count(e->checks);
    const WwLaunch *w    = l->w;
    Watchers        s    = {.list = xcalloc(l->nobservers + 4 + CHECKERS_MAX, sizeof *s.list)};
    for (; s.n < l->nobservers; s.n++)
        s.list[s.n] = l->observers[s.n];
    if (w->observe & (WW_OBSERVE_COUNTERS | WW_OBSERVE_TIME) || kept)
        s.list[s.n++] = s.count = count_new(e->profile);
    if (s.count && emulator_in_registers(e, m, k))
        count_in_registers(s.count);
    if (kept)
        count_tell(s.count, patterns_sink(s.patterns = patterns_new()));
    check->count    = s.count;
    check->patterns = s.patterns;
    if (w->observe & WW_OBSERVE_ACCESSES)
        s.list[s.n++] = s.access = access_watch_new(e->profile, m, w);
    if (w->observe & WW_OBSERVE_TIME && (s.time = emulator_time_begin(e, m, k, w, params)))
        s.list[s.n++] = emulator_time_observer(s.time);
    if (e->checks)
        s.n += checks_begin(e->checks, check, s.list + s.n);
    return s;
}

static void watchers_free(Watchers *s)
{
    if (s->count)
        count_free(s->count);
    if (s->access)
        access_watch_free(s->access);
    patterns_free(s->patterns);
    emulator_time_free(s->time);
    free(s->list);
}

/* EmuLaunch.fit */
typedef struct Fit {
    Emulator       *e;
    const Module   *module;
    const Func     *kernel;
    const WwLaunch *w;
} Fit;

static unsigned fit(void *user, unsigned *registers)
{
    const Fit *f = user;
    Resources  is;
    if (!ptxas_resources(f->e->ptxas, f->module, f->kernel, &is))
        return 0;
    *registers = is.registers;
    return occupancy_of(&f->e->limits, f->w->block.x * f->w->block.y * f->w->block.z, is.registers, 0).blocks;
}

/* EmuLaunch.on_progress: whom device_on_progress named, with the kernel. */
typedef struct Told {
    const WwDevice *d;
    const char     *kernel;
    void           *user;
} Told;

static void pass_progress(void *user, uint64_t done, uint64_t blocks)
{
    const Told *t = user;
    t->d->progress(t->user, t->kernel, done, blocks);
}

/* Checks of a launch that is over. */
static void end_checks(Emulator *e, SharedLaunch *l)
{
    CheckLaunch     *check = l->check;
    const EmuResult *r     = l->result;
    check->ninstr          = r->ninstr;
    check->instr           = r->instr;
    check->sampled         = r->sample.sampled;
    check->executed        = r->executed;
    check->lanes           = r->lanes;
    if (e->checks)
        checks_end(e->checks, check, l->found);
}

/* SharedLaunch.wrote */
static void tell_wrote(void *device, uint64_t address, uint64_t bytes)
{
    emulator_tell(device, MEMORY_WRITE, address, 0, bytes);
}

/* What the launch was and found becomes the result. */
static void collect(Emulator *e, const Module *m, const Func *k, const SharedLaunch *l, const Watchers *watch,
                    WwResult *r)
{
    const WwLaunch *w = l->w;
    if (watch->patterns && l->result->ninstr) {
        emulator_patterns(e->profile, m, l->result, watch->patterns, r);
        emulator_resources(e, m, k, w, r);
    }
    emulator_findings(l->found, m, k, l->result, w, r);
    emulator_time_mends(watch->time, r);
}

/* Memory of the grid barrier, all zero, for a launch that may use it: a card keeps it once a cooperative launch has run.  0: none. */
static uint64_t grid_barrier(Emulator *e, const WwLaunch *w)
{
    uint64_t at = 0;
    e->cooperated |= w->cooperative;
    if (e->cooperated && emu_alloc(e->emu, GRID_BARRIER, 1, &at) == WW_OK)
        memset(emu_host(e->emu, at), 0, GRID_BARRIER);
    return at;
}

static Status run_grid(WwDevice *d, WwModule *m, const Func *k, const DeviceLaunch *l, const void *params, WwResult *r,
                       Children *more)
{
    Emulator       *e     = (Emulator *)d;
    const WwLaunch *w     = l->w;
    CheckLaunch     check = emulator_check_launch(e, m->ptx, k, w, params);
    check.work = l->work, check.origin = more->origin;
    check.loaded = ((EmulatorModule *)m)->em;
    e->launches++;
    Watchers  watch   = watchers_new(e, m->ptx, k, l, params, &check);
    uint64_t  barrier = grid_barrier(e, w);
    EmuLaunch request = emu_request(w, params, watch.list, watch.n);
    EmuResult result  = {0};
    Findings  found   = {0};
    Shared    shared  = {0};
    request.workspace = barrier;
    request.go_on     = e->checks != NULL;
    request.held      = l->held;
    Fit asked         = {e, m->ptx, k, w};
    request.fit = w->cooperative ? NULL : fit; /* its blocks were counted when it was accepted, without registers */
    request.fit_user = &asked;
    Told told        = {d, k->name, d->progress_user};
    if (d->progress) {
        request.on_progress   = pass_progress;
        request.progress_user = &told;
    }
    SampleRounds rounds;
    emulator_sample_begin(e, w, watch.count, &request, &rounds);
    d->refused[0]     = 0;
    bool         runs = !l->share || shared_begin(&shared, d, l, &check, &request);
    SharedLaunch all  = {WW_ERR_LAUNCH, &result, &check, watch.count, watch.patterns, watch.time,
                         &rounds,       &found,  w,      end_checks,  tell_wrote};
    if (runs)
        all.status = emu_launch(e->emu, ((EmulatorModule *)m)->em, k->name, &request, &result);
    if (runs && l->share)
        shared_meet(&shared, &all);
    Status s = all.status;
    emulator_collect(m->ptx, &result, watch.count, r);
    bool alone = !result.nchild; /* it ends when what it launched has ended: how long that takes is not modelled */
    if (s == WW_OK)
        push_children(more, &result, check.serial);
    else
        emulator_fault(d, m->ptx, k, &result, s, r);
    emulator_kept(e, m->ptx, k, &result, r);
    emulator_sample_end(&rounds, &result, r);
    r->went_on  = result.went_on;
    r->left     = result.left;
    r->spent    = result.spent;
    r->compiled = result.compiled;
    bool whole  = !l->share || !l->share->rank; /* else what other ranks' blocks did is not here */
    if (watch.time && s == WW_OK && !result.sample.sampled && whole && alone)
        emulator_time_end(watch.time, w, &result, watch.count, r);
    if (whole || !runs)
        end_checks(e, &all);
    if (runs && l->share)
        shared_findings(&shared, &all);
    collect(e, m->ptx, k, &all, &watch, r);
    emu_result_free(&result);
    if (barrier)
        emu_free(e->emu, barrier);
    watchers_free(&watch);
    shared_end(&shared);
    return l->share && l->share->refused.len ? device_fail(d, WW_ERR_LAUNCH, "%s", l->share->refused.s) : s;
}

static void run_transfer(WwDevice *d, const EmuChild *c)
{
    for (uint64_t y = 0; y < c->rows; y++) {
        uint8_t *to = (uint8_t *)(uintptr_t)(c->dst + y * c->dpitch);
        if (c->kind == EMU_CHILD_SET)
            memset(to, c->value, c->width);
        else
            memmove(to, (const uint8_t *)(uintptr_t)(c->src + y * c->spitch), c->width);
        emulator_tell(d, c->kind == EMU_CHILD_SET ? MEMORY_WRITE : MEMORY_COPY, c->dst + y * c->dpitch,
                      c->src + y * c->spitch, c->width);
    }
}

static Status run_child(WwDevice *d, WwModule *m, const Made *made, const DeviceLaunch *parent, Children *more)
{
    const EmuChild *c      = &made->child;
    LaunchOrigin    origin = {made->by, c->from, c->src, c->tail, c->waits, c->stream};
    const Func     *k      = c->kernel;
    void          **args   = xcalloc(k->nparams + 1, sizeof *args);
    WwLaunch        w      = *parent->w;
    emu_arguments(k, c->params, args);
    w.grid          = (WwDim3){c->grid[0], c->grid[1], c->grid[2]};
    w.block         = (WwDim3){c->block[0], c->block[1], c->block[2]};
    w.shared        = c->shared;
    w.args          = args;
    w.arg_count     = k->nparams;
    w.cooperative   = false;
    DeviceLaunch dl = *parent;
    dl.w            = &w;
    WwResult *r     = result_new(k->name);
    more->origin    = &origin;
    Status s        = run_grid(d, m, k, &dl, c->params, r, more);
    more->origin    = NULL;
    if (w.on_child)
        w.on_child(w.user, k->name, &w, s, r);
    ww_result_free(r);
    free(args);
    return s;
}

static Status emulator_launch(WwDevice *d, WwModule *m, const Func *k, const DeviceLaunch *l, WwResult *r)
{
    Children more   = {0};
    void    *params = pack_args(k, l->w->args);
    Status   s      = run_grid(d, m, k, l, params, r, &more);
    while (more.n) {
        Made c = more.made[--more.n];
        if (s == WW_OK && c.child.kind == EMU_CHILD_GRID)
            s = run_child(d, m, &c, l, &more);
        else if (s == WW_OK)
            run_transfer(d, &c.child);
        free(c.child.params);
    }
    free(more.made);
    free(params);
    return s;
}

/* ---- opening ---- */

#define ENGINE_VARIABLE "WARPWRIGHT_ENGINE"

enum { LEAST_MEMORY = 1 << 20 }; /* the parameters of kernels lie in it, too */

static void no_emulator(const WwDeviceOptions *o, Status s, Str *why)
{
    if (simd_misnamed()) {
        str_printf(why, SIMD_VARIABLE "='%s' names no SIMD level; baseline, avx2 or avx512 expected", simd_misnamed());
    } else if (s == WW_ERR_UNAVAILABLE && o->simd) {
        str_printf(why, "SIMD level '%s' is not available here; there are:", o->simd);
        for (unsigned i = 0; emu_simd_level(i); i++)
            str_printf(why, "%s %s", i ? "," : "", emu_simd_level(i));
    } else if (s == WW_ERR_NO_MEMORY) {
        str_add(why,
                "the host has no address space for the emulator's memory: ask for less (memory), or raise ulimit -v");
    } else {
        str_printf(why, "the emulator did not start: %s", ww_status_text(s));
    }
}

static const char *simd_title(const char *level)
{
    return !strcmp(level, "avx512") ? "AVX-512" : !strcmp(level, "avx2") ? "AVX2" : level;
}

static const char *const async_names[]  = {"eager", "late", "random", NULL};    /* by EmuAsync */
static const char *const engine_names[] = {"interpreter", "jit", "auto", NULL}; /* by EmuEngine */

/* The word's place among the names, the first one's for NULL; -1: it is none of them. */
static int place_of(const char *word, const char *const names[])
{
    for (int i = 0; names[i]; i++)
        if (!word || strcmp(word, names[i]) == 0)
            return i;
    return -1;
}

const char *ww_engine_missing(void)
{
    return emu_native_missing();
}

/* Names that are none of the lists. */
static Status check_words(const WwDeviceOptions *o, const char *engine, EmuOptions *out, Str *why)
{
    int async = place_of(o->async, async_names), who = place_of(engine ? engine : "auto", engine_names);
    if (async < 0)
        str_printf(why, "'%s' is not a way to time asynchronous copies; eager, late or random expected", o->async);
    else if (who < 0)
        str_printf(why, "%s'%s' is not an engine; interpreter, jit or auto expected",
                   o->engine ? "" : ENGINE_VARIABLE "=", engine);
    if (async < 0 || who < 0)
        return WW_ERR_INVALID;
    out->async  = (EmuAsync)async;
    out->engine = who == EMU_AUTO && emu_native_missing() ? EMU_INTERPRETER : (EmuEngine)who;
    return WW_OK;
}

/* The option; else the variable, unless it is empty. */
static const char *engine_of(const WwDeviceOptions *o)
{
    const char *said = o->engine ? o->engine : getenv(ENGINE_VARIABLE);
    return said && *said ? said : NULL;
}

/* WwDeviceOptions.blocks: first and random ones. */
static Status blocks_of(const WwDeviceOptions *o, uint32_t blocks[2], Str *why)
{
    blocks[0] = blocks[1] = 0;
    return !o->blocks || value_blocks(o->blocks, &blocks[0], &blocks[1], why) ? WW_OK : WW_ERR_INVALID;
}

static Status open_on(const Profile *p, const WwDeviceOptions *o, WwDevice **out, Str *why)
{
    static const DeviceOps ops = {
        .kind       = "emulator",
        .observes   = WW_OBSERVE_COUNTERS | WW_OBSERVE_ACCESSES | WW_OBSERVE_TIME | WW_OBSERVE_WARM,
        .close      = emulator_close,
        .alloc      = emulator_alloc,
        .release    = emulator_release,
        .copy_in    = emulator_copy_in,
        .copy_out   = emulator_copy_out,
        .copy       = emulator_copy,
        .fill       = emulator_fill,
        .load       = emulator_load,
        .unload     = emulator_unload,
        .variable   = emulator_variable,
        .launch     = emulator_launch,
        .holds      = emulator_holds,
        .tensor_map = emulator_tensor_map,
    };
    Limits     limits = limits_of(p);
    EmuOptions eo     = {.threads = o->threads, .simd = o->simd, .seed = o->seed, .limits = &limits};
    TRY(check_words(o, engine_of(o), &eo, why));
    if (o->memory && o->memory < LEAST_MEMORY) {
        str_printf(why, "memory: %" PRIu64 " bytes are too few; at least %d", o->memory, (int)LEAST_MEMORY);
        return WW_ERR_INVALID;
    }
    uint32_t blocks[2];
    TRY(blocks_of(o, blocks, why));
    Checks *checks = NULL;
    if (o->check)
        TRY(checks_new(o->check, why, &checks));
    eo.memory      = o->memory;
    EmuDevice *emu = NULL;
    Status     s   = emu_open(&eo, &emu);
    if (s != WW_OK) {
        checks_free(checks);
        no_emulator(o, s, why);
        return s;
    }
    Emulator *e    = xcalloc(1, sizeof *e);
    Str       name = {0};
    e->emu         = emu;
    e->profile     = p;
    e->limits      = limits;
    e->checks      = checks;
    if (checks)
        emu_keep_apart(emu);
    e->ptxas = ptxas_new(p);
    e->asks_registers =
        checks && (checks_rules(checks)->on[RULE_LOCAL_MEMORY] || checks_rules(checks)->on[RULE_LOW_OCCUPANCY]);
    memcpy(e->blocks, blocks, sizeof blocks);
    e->seed = o->seed;
    str_printf(&name, "emulator (%s, %s)", simd_title(emu_simd(emu)), p->name);
    device_init(&e->base, &ops, str_text(&name), p, NULL);
    e->base.sms          = limits.card->sms;
    e->base.cc           = limits.cc;
    e->base.block_shared = limits.block_shared_most;
    str_free(&name);
    *out = &e->base;
    return WW_OK;
}

Status emulator_open(const WwDeviceOptions *o, WwDevice **out, Str *why)
{
    const Profile *p = device_profile(o->profile, why);
    Status         s = p ? open_on(p, o, out, why) : WW_ERR_NOT_FOUND;
    if (s != WW_OK)
        profile_close(p);
    return s;
}
