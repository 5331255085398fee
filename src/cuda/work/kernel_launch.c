/* SPDX-License-Identifier: Apache-2.0
 *
 * A launch from its arguments to its outcome.
 *
 * A launch the device would refuse (accept.c) returns its error at once and nothing runs.  A kernel that fails while it runs gives its error
 * to the next call, as an asynchronous launch does, and one line on stderr says where.  A kernel that needs an instruction we do
 * not have returns cudaErrorNotSupported from the launch and from everything after it: it must never look like success.
 * A launch is a coroutine: it runs in the call until it has ended, or only waits for what another stream or the host must bring, or has run
 * a number of instructions; then the call returns and the stream's thread goes on with it (queue.c).
 * Registers are those of the program's own machine code for the card; of a kernel that has none, occupancy is by threads, blocks and shared memory. */
#include "cuda/work/kernel_launch.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/pattern.h"
#include "cuda/process/context.h"
#include "cuda/process/coroutine.h"
#include "cuda/process/ranges.h"
#include "cuda/process/signals.h"
#include "cuda/work/accept.h"
#include "cuda/work/sequence.h"
#include "cuda/work/standstill.h"
#include "model/occupancy.h"
#include "ptx/op.h"

enum { FIFO = 1 << 20, WARP = 32 };

enum { SLICE = 1 << 22 }; /* warp instructions that a call gives a kernel before it returns without it */

static uint64_t launches;

/* "scale in step 3/forward/". */
static void left_out(const char *shown, const Ranges *ranges)
{
    Str text = {0};
    str_add(&text, shown);
    for (size_t i = 0; i < ranges->n; i++)
        str_printf(&text, "%s%s", i ? " and " : " in ", ranges->shown[i]);
    report_left_out(state.report, str_text(&text));
    str_free(&text);
}

/* Do --kernel, --nvtx-include and --nvtx-exclude leave this launch to be looked at, and --launch-skip and --launch-count, which count those that
 * the others leave? */
static bool watched(const char *shown, const Ranges *ranges)
{
    static regex_t  pattern;
    static int      compiled; /* 1 = yes, -1 = not a pattern */
    static uint64_t fitting;  /* launches */
    Str             why = {0};
    if (state.options.kernels && !compiled)
        compiled = pattern_compile(state.options.kernels, &pattern, &why) ? 1 : -1;
    str_free(&why);
    bool fits = ranges->chosen && (compiled <= 0 || regexec(&pattern, shown, 0, NULL, 0) == 0);
    bool now  = fits && fitting >= state.options.skip && fitting - state.options.skip < state.options.count;
    fitting += fits;
    if (!now)
        left_out(shown, ranges);
    return now;
}

static void on_print(void *user, const char *text, size_t len)
{
    (void)user;
    str_addn(&state.printed, text, len);
    if (state.printed.len > FIFO)
        state_flush();
}

/* ---- attributes ---- */

static void read_attribute(LaunchAsk *a, const LaunchAttribute *attr)
{
    const unsigned *d = attr->value.dim;
    int             n = attr->value.flag;
    switch (attr->id) {
    case ATTR_COOPERATIVE: a->cooperative = n != 0; break;
    case ATTR_CLUSTER: /* a bad size is not none */
        a->cluster = d[0] && d[1] && d[2] ? (WwDim3){d[0], d[1], d[2]} : (WwDim3){UINT32_MAX, 1, 1};
        break;
    case ATTR_PROGRAMMATIC: a->programmatic = n != 0; break;
    case ATTR_PROGRAMMATIC_EVENT:
    case ATTR_COMPLETION_EVENT: a->event = attr->value.event; break;
    case ATTR_SYNC_DOMAIN:
        if (d[0] > 1)
            a->refused = cudaErrorInvalidValue;
        break;
    case ATTR_UPDATABLE_NODE:
        if (n)
            a->refused = state_missing("cudaLaunchAttributeDeviceUpdatableKernelNode");
        break;
    case ATTR_CARVEOUT:
        if (n < -1 || n > 100)
            a->refused = cudaErrorInvalidValue;
        break;
    default:
        if (attr->id < 0 || attr->id >= ATTRIBUTES)
            a->refused = cudaErrorInvalidValue;
    }
}

void launch_read_attributes(LaunchAsk *a, const LaunchAttribute *attrs, unsigned n)
{
    if (n && !attrs)
        a->refused = cudaErrorInvalidValue;
    for (unsigned i = 0; attrs && i < n; i++)
        read_attribute(a, &attrs[i]);
}

/* ---- outcomes ---- */

/* What the program is told of the finding that stopped the launch. */
static CuErr fault_error(const WwResult *r)
{
    static const CuErr errors[RULE_COUNT + 1] = {
#define RULE(...)
#define FAULT(ID, id, category, checker, cuda_error, ...) [RULE_##ID] = cuda_error,
#include "check/rules.def"
#undef RULE
#undef FAULT
    };
    const WwFinding *f = r ? ww_result_finding(r, 0) : NULL;
    CuErr            e = f ? errors[rule_find(f->rule)] : cudaSuccess;
    return e != cudaSuccess ? e : cudaErrorIllegalAddress;
}

static CuErr settle(WwDevice *d, Status s, const WwResult *r)
{
    if (s == WW_ERR_UNSUPPORTED || fault_error(r) == cudaErrorNotSupported) {
        state_say("%s", ww_device_error(d));
        state_fail_later(cudaErrorNotSupported);
        return cudaErrorNotSupported;
    }
    if (s == WW_OK)
        return cudaSuccess;
    if (r && r->went_on) /* checked: what was left out is a finding, and the program goes on so that more is found */
        return cudaSuccess;
    state_say("%s", ww_device_error(d));
    if (s == WW_ERR_FAULT || s == WW_ERR_LIMIT) {
        state_flush(); /* no synchronisation succeeds any more */
        state_fail_later(fault_error(r));
        return cudaSuccess;
    }
    return s == WW_ERR_NO_MEMORY ? cudaErrorMemoryAllocation : cudaErrorInvalidConfiguration;
}

static double seconds_since(const struct timespec *t)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - t->tv_sec) + 1e-9 * (double)(now.tv_nsec - t->tv_nsec);
}

static void record(Kernel *k, const LaunchAsk *a, uint64_t n, const uint64_t *made_by, Status s, CuErr e,
                   double seconds, WwDevice *d, const WwResult *r, bool watch)
{
    ReportLaunch l = {.kernel    = kernel_shown(k),
                      .symbol    = k->name,
                      .launch    = n,
                      .made_by   = made_by,
                      .grid      = a->grid,
                      .block     = a->block,
                      .seconds   = seconds,
                      .result    = r,
                      .ranges    = a->ranges ? a->ranges->shown : NULL,
                      .nranges   = a->ranges ? a->ranges->n : 0,
                      .unwatched = s == WW_ERR_LAUNCH ? accept_refused(k, a, ww_device_error(d))
                                                      : !watch && (s == WW_OK || (r && r->went_on)),
                      .generated = k->image->data != NULL,
                      .why       = s == WW_OK ? NULL : ww_device_error(d)};
    l.outcome      = s == WW_OK ? LAUNCH_OK : e == cudaErrorNotSupported ? LAUNCH_UNSUPPORTED : LAUNCH_FAILED;
    report_add(state.report, &l);
}

struct Running { /* a launch under way; its callbacks get it as their user pointer */
    Kernel          *kernel;
    const Func      *func;
    LaunchAsk        ask; /* without arguments: the device has taken them */
    WwDevice        *device;
    WwModule        *module;
    WwLaunch         launch;
    uint64_t         n;
    bool             watch;
    LaunchPause      pause; /* the last */
    bool             held;  /* griddepcontrol.wait waits */
    const WorkOrder *work;  /* sequence.h */
    Standstill       standstill;
    struct timespec  start;
    Status           status;
    WwResult        *result;
    Coroutine       *coroutine;
};

/* A grid that the kernel launched itself. */
static void on_child(void *user, const char *kernel, const WwLaunch *w, WwStatus s, const WwResult *r)
{
    const Running *p = user;
    CuErr          e;
    uint64_t       n = launches++;
    Kernel        *k = image_kernel(p->kernel->image, kernel, &e);
    LaunchAsk      a = {.grid = w->grid, .block = w->block, .shared = w->shared, .ranges = p->ask.ranges};
    if (k && (p->watch || s != WW_OK))
        record(k, &a, n, &p->n, s, s == WW_ERR_UNSUPPORTED ? cudaErrorNotSupported : cudaSuccess, 0, p->device, r,
               p->watch);
}

static void on_pause(void *user, WwPause *now)
{
    Running *p = user;
    p->pause   = (LaunchPause){.waits = now->waits, .changed = now->changed};
    standstill_pause(&p->standstill, kernel_shown(p->kernel), now);
    if (now->end)
        return;
    coroutine_pause(p->coroutine);
    standstill_resume(&p->standstill, now);
}

const Standstill *launch_standstill(const Running *p)
{
    return &p->standstill;
}

/* device_on_progress; the thread that launches holds the state meanwhile. */
static void tell_progress(void *user, const char *kernel, uint64_t done, uint64_t blocks)
{
    const Running *p = user;
    (void)kernel; /* of a grid that the kernel launched: it counts as the kernel's */
    progress_tell(&state.progress, &(ProgressNow){.kernel   = kernel_shown(p->kernel),
                                                  .launch   = p->n,
                                                  .done     = done,
                                                  .blocks   = blocks,
                                                  .findings = report_finding_count(state.report)});
}

static void body(void *user)
{
    Running           *p = user;
    const DeviceLaunch l = {.w = &p->launch, .work = p->work, .held = &p->held};
    emulator_host_memory(p->device, devmem_host_memory);
    device_on_progress(p->device, state.options.report && progress_possible() ? tell_progress : NULL, p);
    p->status = device_launch_kernel(p->device, p->module, p->func, &l, &p->result);
}

static Running *running_new(Kernel *k, const Func *f, WwModule *m, const LaunchAsk *a, bool held)
{
    Running *p           = xcalloc(1, sizeof *p);
    *p                   = (Running){.kernel = k,
                                     .func   = f,
                                     .ask    = *a,
                                     .device = m->device,
                                     .module = m,
                                     .n      = launches++,
                                     .held   = held,
                                     .work   = sequence_entered()};
    p->standstill.launch = p->n;
    p->ask.ranges        = a->ranges ? a->ranges : ranges_now();
    p->watch =
        watched(kernel_shown(k), p->ask.ranges) && (state.options.report || state.options.verbose ||
                                                    state.options.json || state.options.check || state.options.fail_on);
    p->launch = (WwLaunch){.grid             = a->grid,
                           .block            = a->block,
                           .shared           = (uint32_t)a->shared,
                           .args             = a->args,
                           .arg_count        = f->nparams,
                           .observe          = !p->watch            ? WW_OBSERVE_NOTHING
                                               : state.options.time ? WW_OBSERVE_COUNTERS | WW_OBSERVE_TIME
                                                                    : WW_OBSERVE_COUNTERS,
                           .max_instructions = state.options.max_instructions,
                           .max_seconds      = (double)state.options.max_seconds,
                           .stop             = &state.stop,
                           .on_print         = on_print,
                           .on_child         = on_child,
                           .on_pause         = on_pause,
                           .pause_after      = SLICE,
                           .user             = p,
                           .cluster          = a->cluster,
                           .cooperative      = a->cooperative,
                           .granular         = true,
                           .paged            = !state.options.check};
    clock_gettime(CLOCK_MONOTONIC, &p->start);
    p->coroutine = coroutine_new(body, p);
    if (!p->coroutine) { /* no stack: it runs on ours, to its end */
        p->launch.on_pause = NULL;
        p->held            = false;
        body(p);
    }
    return p;
}

/* The launch has ended; p is gone afterwards. */
static CuErr end(Running *p)
{
    CuErr e = settle(p->device, p->status, p->result);
    if (p->watch || p->status != WW_OK)
        record(p->kernel, &p->ask, p->n, NULL, p->status, e, seconds_since(&p->start), p->device, p->result, p->watch);
    ww_result_free(p->result);
    free(p);
    return e;
}

static bool go_on(Running *p)
{
    bool ended  = !p->coroutine || coroutine_run(p->coroutine);
    p->ask.args = NULL;
    return ended;
}

bool launch_go_on(Running *p)
{
    if (!go_on(p))
        return false;
    end(p);
    return true;
}

const LaunchPause *launch_pause(const Running *p)
{
    return &p->pause;
}

/* A launch that never began is in the report, and it is not a success. */
static void record_lost(Kernel *k, const LaunchAsk *a, LaunchOutcome outcome, const char *why)
{
    const Ranges *ranges = a->ranges ? a->ranges : ranges_now();
    ReportLaunch  l      = {.kernel  = kernel_shown(k),
                            .symbol  = k->name,
                            .launch  = launches++,
                            .grid    = a->grid,
                            .block   = a->block,
                            .outcome = outcome,
                            .ranges  = ranges->shown,
                            .nranges = ranges->n,
                            .why     = why};
    report_add(state.report, &l);
}

static const Func *prepare(Kernel *k, const LaunchAsk *a, WwModule **m, CuErr *err)
{
    const Func *f = kernel_func(k, state_current(), m, err);
    char        why[ACCEPT_TEXT];
    if (!f)
        record_lost(k, a, LAUNCH_UNSUPPORTED, error_text((int)*err)); /* its code could not be had at all */
    else
        *err = accept_launch(k, f, a, why);
    if (f && *err != cudaSuccess && accept_refused(k, a, why))
        record_lost(k, a, LAUNCH_FAILED, why);
    return *err == cudaSuccess ? f : NULL;
}

CuErr launch_check(Kernel *k, const LaunchAsk *a)
{
    CuErr     err;
    WwModule *m;
    prepare(k, a, &m, &err);
    return err;
}

static CuErr start(Kernel *k, const LaunchAsk *a, bool early, Running **out)
{
    CuErr     err = cudaSuccess;
    WwModule *m   = NULL;
    *out          = NULL;
    state_flush();
    const Func *f = prepare(k, a, &m, &err);
    if (!f)
        return err;
    Running *p     = running_new(k, f, m, a, early);
    bool     ended = go_on(p);
    while (!ended && early && !p->pause.waits)
        ended = go_on(p);
    if (ended) {
        err = end(p);
        signals_stay();
        return err;
    }
    *out = p;
    return cudaSuccess;
}

CuErr launch_start(Kernel *k, const LaunchAsk *a, Running **out)
{
    return start(k, a, false, out);
}

CuErr launch_start_early(Kernel *k, const LaunchAsk *a, Running **out)
{
    return start(k, a, true, out);
}

void launch_let_on(Running *p)
{
    p->held = false;
}

static bool lets_dependents_begin(const Instr *in)
{
    return in->op->op == OP_griddepcontrol && opcode_has(in->op, WORD_launch_dependents);
}

bool launch_leaves_early(Kernel *k)
{
    CuErr     err;
    WwModule *m;
    if (!state.options.async || !strcmp(state.options.async, "eager"))
        return false;
    const Func *f = kernel_func(k, state_current(), &m, &err);
    if (!f)
        return false;
    return ptx_reaches(m->ptx, f, lets_dependents_begin);
}

CuErr launch_run(Kernel *k, const LaunchAsk *a)
{
    Running *p;
    CuErr    e = launch_start(k, a, &p);
    while (p && !launch_go_on(p)) {
        unsigned held = state_release();
        usleep(p->pause.waits ? 500 : 1);
        state_retake(held);
    }
    return e;
}

/* ---- attributes and occupancy ---- */

CuErr launch_attributes(Kernel *k, FuncAttributes *out)
{
    CuErr       err;
    WwModule   *m;
    const Func *f = kernel_func(k, state_current(), &m, &err);
    if (!f)
        return err;
    Limits l = state_limits();
    *out     = (FuncAttributes){.shared_bytes   = accept_static_shared(f),
                                .max_threads    = (int)l.block_threads,
                                .registers      = 32,
                                .ptx_version    = (int)m->ptx->sm,
                                .binary_version = (int)l.cc,
                                .carveout       = k->carveout};
    if (f->maxntid[0])
        out->max_threads =
            (int)(f->maxntid[0] * (f->maxntid[1] ? f->maxntid[1] : 1) * (f->maxntid[2] ? f->maxntid[2] : 1));
    for (size_t i = 0; i < m->ptx->nvars; i++)
        out->const_bytes += m->ptx->vars[i]->space == SPACE_CONST ? m->ptx->vars[i]->bytes : 0;
    unsigned registers, stack;
    if (kernel_resources(k, state_current(), &registers, &stack)) {
        out->registers   = (int)registers;
        out->local_bytes = stack;
        while (out->max_threads > WARP && !occupancy_of(&l, (unsigned)out->max_threads, registers, 0).blocks)
            out->max_threads -= WARP;
    } else {
        for (size_t i = 0; i < f->nvars; i++)
            out->local_bytes += f->vars[i]->space == SPACE_LOCAL ? f->vars[i]->bytes : 0;
    }
    out->max_dynamic_shared = k->max_dynamic >= 0 ? k->max_dynamic : (int)(l.block_shared - out->shared_bytes);
    for (int i = 0; i < 3; i++)
        out->cluster[i] = (int)f->reqnctapercluster[i];
    out->cluster_must_be_set  = f->explicitcluster || f->reqnctapercluster[0];
    out->non_portable_cluster = k->non_portable_cluster;
    out->cluster_policy       = k->cluster_policy;
    return cudaSuccess;
}

CuErr launch_set_attribute(Kernel *k, int attribute, int value)
{
    FuncAttributes a;
    CuErr          e = launch_attributes(k, &a);
    if (e != cudaSuccess)
        return e;
    switch (attribute) {
    case FUNC_MAX_DYNAMIC_SHARED:
        if (value < 0 || (size_t)value + a.shared_bytes > state_limits().block_shared_most)
            return cudaErrorInvalidValue;
        k->max_dynamic = value;
        return cudaSuccess;
    case FUNC_CARVEOUT: /* a hint */
        if (value < -1 || value > 100)
            return cudaErrorInvalidValue;
        k->carveout = value;
        return cudaSuccess;
    case FUNC_NON_PORTABLE: k->non_portable_cluster = value; return cudaSuccess;
    case FUNC_CLUSTER_POLICY:
        if (value < 0 || value > FUNC_CLUSTER_POLICY_LAST)
            return cudaErrorInvalidValue;
        k->cluster_policy = value;
        return cudaSuccess;
    default: return cudaErrorInvalidValue;
    }
}

CuErr launch_occupancy(Kernel *k, int threads, size_t shared, int *blocks)
{
    FuncAttributes a;
    CuErr          e = launch_attributes(k, &a);
    if (e != cudaSuccess)
        return e;
    if (threads <= 0)
        return cudaErrorInvalidValue;
    unsigned registers = 0, stack;
    kernel_resources(k, state_current(), &registers, &stack);
    Limits l     = state_limits();
    bool   asked = shared <= (size_t)(a.max_dynamic_shared > 0 ? a.max_dynamic_shared : 0);
    *blocks      = asked ? (int)occupancy_of(&l, (unsigned)threads, registers, shared + a.shared_bytes).blocks : 0;
    return cudaSuccess;
}

CuErr launch_clusters(Kernel *k, const LaunchAsk *a, int *clusters)
{
    int    blocks = 0, size = (int)(a->cluster.x ? a->cluster.x * a->cluster.y * a->cluster.z : 1);
    Limits l  = state_limits();
    CuErr  e  = launch_occupancy(k, (int)(a->block.x * a->block.y * a->block.z), a->shared, &blocks);
    *clusters = e == cudaSuccess && size > 0 ? (int)limits_clusters(&l, (unsigned)size, (unsigned)blocks) : 0;
    return e;
}

CuErr launch_largest_cluster(Kernel *k, const LaunchAsk *a, int *size)
{
    FuncAttributes f;
    int            blocks = 0;
    CuErr          e      = launch_attributes(k, &f);
    if (e == cudaSuccess)
        e = launch_occupancy(k, (int)(a->block.x * a->block.y * a->block.z), a->shared, &blocks);
    bool   fits = a->shared <= (size_t)(f.max_dynamic_shared > 0 ? f.max_dynamic_shared : 0) && blocks > 0;
    Limits l    = state_limits();
    *size       = e != cudaSuccess || !fits ? 0 : (int)(f.non_portable_cluster ? l.cluster : l.cluster_portable);
    return e;
}
