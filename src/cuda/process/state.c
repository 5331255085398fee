/* SPDX-License-Identifier: Apache-2.0
 *
 * Start and end of a process that uses the CUDA interfaces: options from the environment, the lock, errors, devices, the report.
 *
 * The report is written when the process exits (on_exit gives the exit code), or when a signal ends it (signals.c). */
#include "cuda/process/state.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "cuda/process/calls.h"
#include "cuda/process/context.h"
#include "cuda/process/ending.h"
#include "cuda/process/environment.h"
#include "cuda/process/logs.h"
#include "cuda/process/signals.h"
#include "model/profile_file.h"
#include "report/doc.h"
#include "report/fail.h"

/* What modules and the heap take besides what is said to be free. */
enum { EXIT_USAGE = 122 }; /* what `warpwright run` gives for a wrong option */
#define MODULE_BYTES (UINT64_C(256) << 20)

State      state;
StateParts state_parts;

static pthread_mutex_t        lock  = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t         woken = PTHREAD_COND_INITIALIZER;
static _Thread_local unsigned depth;
static _Thread_local CuErr    last_error;
static _Thread_local int      current = -1; /* the thread chose none */
static int                    first;        /* what it has then */
static bool                   reported;

_Thread_local bool state_per_thread;
_Thread_local bool state_runtime_context;
_Thread_local bool state_in_driver;
_Thread_local bool state_in_callback;

void ww_set_per_thread(void)
{
    state_per_thread = true;
}

/* ---- the lock ---- */

int state_lock(void)
{
    pthread_mutex_lock(&lock);
    if (!depth++) {
        state_parts.entered();
        signals_watch();
        signals_stay();
    }
    return 0;
}

bool state_lock_for(int seconds)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t); /* timedlock's clock; clocklock is nothing that ThreadSanitizer knows */
    t.tv_sec += seconds;
    if (pthread_mutex_timedlock(&lock, &t) != 0)
        return false;
    if (!depth++)
        state_parts.entered();
    return true;
}

bool state_try(void)
{
    return pthread_mutex_trylock(&lock) == 0;
}

void state_leave_try(void)
{
    pthread_mutex_unlock(&lock);
}

void state_hold(void)
{
    pthread_mutex_lock(&lock);
}

void state_let(void)
{
    pthread_mutex_unlock(&lock);
}

void state_unlock(int *unused)
{
    (void)unused;
    if (!--depth) {
        state_per_thread = state_in_driver = false;
        progress_clear(&state.progress);
        state_parts.left();
    }
    pthread_mutex_unlock(&lock);
}

unsigned state_release(void)
{
    unsigned held = depth;
    for (unsigned i = 0; i < held; i++)
        state_unlock(NULL);
    return held;
}

void state_retake(unsigned held)
{
    for (unsigned i = 0; i < held; i++)
        state_lock();
}

static void wait_until(const struct timespec *end)
{
    unsigned held = depth; /* the condition gives up one level of the lock */
    for (unsigned i = 1; i < held; i++)
        state_unlock(NULL);
    if (end)
        pthread_cond_timedwait(&woken, &lock, end);
    else
        pthread_cond_wait(&woken, &lock);
    state_parts.entered(); /* the calls of others have ended meanwhile */
    signals_stay();
    for (unsigned i = 1; i < held; i++)
        state_lock();
}

void state_wait(void)
{
    wait_until(NULL);
}

void state_wait_for(uint64_t us)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    uint64_t ns = (uint64_t)end.tv_nsec + us * 1000;
    end.tv_sec += (time_t)(ns / 1000000000);
    end.tv_nsec = (long)(ns % 1000000000);
    wait_until(&end);
}

void state_wake(void)
{
    pthread_cond_broadcast(&woken);
}

/* ---- messages ---- */

void state_say(const char *fmt, ...)
{
    va_list ap;
    Str     s = {0};
    str_add(&s, "warpwright: ");
    va_start(ap, fmt);
    str_vprintf(&s, fmt, ap);
    va_end(ap);
    logs_add(s.s + strlen("warpwright: "));
    str_addc(&s, '\n');
    progress_clear(&state.progress);
    fflush(stdout);
    for (size_t done = 0; done < s.len;) {
        ssize_t n = write(STDERR_FILENO, s.s + done, s.len - done);
        if (n <= 0 && errno != EINTR)
            break;
        done += n > 0 ? (size_t)n : 0;
    }
    str_free(&s);
}

void state_flush(void)
{
    if (!state.printed.len)
        return;
    progress_clear(&state.progress);
    fwrite(state.printed.s, 1, state.printed.len, stdout);
    str_clear(&state.printed);
}

/* ---- errors ---- */

CuErr state_refusal(void)
{
    static bool said[2];
    bool        forked = state.forked;
    if (!forked && !state_in_callback)
        return cudaSuccess;
    if (!said[forked])
        state_say(
            "%s",
            forked
                ? "this process was forked from one that had used CUDA: its calls are refused, as on a card"
                : "a function of the host that a stream calls may not use CUDA: its calls are refused, as on a card");
    said[forked] = true;
    return forked ? cudaErrorInitializationError : cudaErrorNotPermitted;
}

CuErr state_sticky(void)
{
    if (state.later != cudaSuccess && state.sticky == cudaSuccess)
        state.sticky = state.later;
    return state.sticky;
}

void state_fail_later(CuErr e)
{
    if (state.later == cudaSuccess)
        state.later = e;
}

CuErr state_leave(CuErr e)
{
    if (state_in_driver)
        return e;
    state_runtime_context = true;
    return state_leave_bare(e);
}

CuErr state_leave_bare(CuErr e)
{
    state.runtime_used = true;
    if (e != cudaSuccess && e != cudaErrorNotReady)
        last_error = e;
    return e;
}

/* A device that a kernel has failed on stays unusable until the process ends. */
CuErr state_reset(void)
{
    last_error = cudaSuccess;
    if (state_sticky() != cudaSuccess)
        state.sticky = cudaErrorDevicesUnavailable;
    return cudaSuccess;
}

CuErr state_last_error(bool reset)
{
    CuErr e = last_error;
    if (reset)
        last_error = cudaSuccess;
    return e;
}

static const struct ErrorRow {
    int         code;
    const char *runtime, *driver, *text;
    bool        answer;
} errors[] = {
#define ERROR(code, runtime, driver, text)  {code, #runtime, #driver, text, false},
#define ANSWER(code, runtime, driver, text) {code, #runtime, #driver, text, true},
#include "cuda/process/errors.def"
#undef ERROR
#undef ANSWER
};

static const struct ErrorRow *error_row(int code)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].code == code)
            return &errors[i];
    return NULL;
}

const char *error_name(int code, bool driver)
{
    const struct ErrorRow *e = error_row(code);
    return !e ? NULL : driver ? (strcmp(e->driver, "none") ? e->driver : NULL) : e->runtime;
}

const char *error_text(int code)
{
    const struct ErrorRow *e = error_row(code);
    return e ? e->text : NULL;
}

bool error_is_answer(int code)
{
    const struct ErrorRow *e = error_row(code);
    return e && e->answer;
}

CuErr state_missing(const char *name)
{
    ENTER_ALWAYS();
    report_missing(state.report, name);
    return LEAVE_BARE(cudaErrorNotSupported);
}

/* ---- devices ---- */

int state_current(void)
{
    return current >= 0 ? current : first;
}

void state_set_first(int n)
{
    first = n;
}

void state_set_current(int n)
{
    current = n;
}

const Profile *state_profile(void)
{
    if (!state.profile)
        state.profile = profile_open(state.options.profile, NULL);
    return state.profile ? state.profile : profile_find(NULL);
}

Limits state_limits(void)
{
    return limits_of(state_profile());
}

WwDevice *state_device(int n, CuErr *err)
{
    *err = cudaSuccess;
    if (n < 0 || n >= state.count) {
        *err = cudaErrorInvalidDevice;
        return NULL;
    }
    if (!state.device[n]) {
        const char     *why = "";
        uint64_t        own = (uint64_t)state_limits().card->memory_mib << 20;
        WwDeviceOptions o   = {.profile = state.options.profile,
                               .threads = state.options.threads,
                               .seed    = state.options.seed,
                               .check   = state.options.check,
                               .async   = state.options.async,
                               .blocks  = state.options.blocks,
                               .memory  = (state.options.memory ? state.options.memory : own) + MODULE_BYTES};
        if (ww_device_open("emulator", &o, &state.device[n], &why) != WW_OK) {
            state_say("%s", why);
            *err = cudaErrorInitializationError;
        } else {
            emulator_host(state.device[n], state_place, state_call);
        }
    }
    return state.device[n];
}

/* ---- findings ---- */

static _Thread_local const Caller *fault;

void state_caller_is(const Caller *c)
{
    fault = c;
}

void *state_call(void)
{
    const Caller *submitted = fault ? fault : state_parts.work_caller();
    Caller        c         = submitted && submitted->n ? *submitted : caller_now();
    return caller_call(&c);
}

void state_place(WwFinding *f, void *call)
{
    size_t         n;
    const WwFrame *frames = call_frames(call ? call : state_call(), &n);
    caller_place(f, frames, n);
}

void state_add_finding(const char *rule, WwFinding f)
{
    const Rule *row = rule_row(rule_find(rule));
    f.rule          = row->id;
    f.category      = row->category;
    f.severity      = row->severity;
    report_add_finding(state.report, &f, NULL, -1);
}

void state_finding(const char *rule, uint64_t address, uint64_t count, const char *fmt, ...)
{
    Str     text = {0};
    va_list ap;
    if (!state.options.check)
        return;
    va_start(ap, fmt);
    str_vprintf(&text, fmt, ap);
    va_end(ap);
    calls_told();
    WwFinding f = {.address = address, .count = count, .message = str_text(&text)};
    state_place(&f, NULL);
    state_add_finding(rule, f);
    str_free(&text);
}

/* ---- end ---- */

void state_finish(int code)
{
    if (reported)
        return;
    reported = true;
    ending_write(code);
}

/* A stream may still work: its thread comes to rest, or, where that takes too long, the report is written beside it. */
static void at_exit(int code, void *unused)
{
    enum { PATIENCE = 5 }; /* seconds */
    (void)unused;
    state.leaving = true;
    bool held     = state_lock_for(PATIENCE);
    if (held)
        signals_stay();
    state_finish(code & 0xff);
    state.leaving = false;
    if (held) {
        state_wake();
        state_unlock(NULL);
    }
}

static bool keeps_launches(void)
{
    bool any = state.options.json != NULL;
    for (int f = 0; f < DOC_FORMATS; f++)
        any |= state.options.files.file[f] != NULL;
    return any;
}

static void say_line(void *user, const char *line)
{
    (void)user;
    state_say("%s", line);
}

static void new_report(void)
{
    Str why      = {0};
    state.report = report_new(keeps_launches() ? state.options.keep_launches : 0);
    if (state.options.verbose)
        report_tell(state.report, say_line, NULL);
    report_select(state.report, state.options.check);
    report_schedule(state.report, state.options.seed);
    report_limit(state.report, state.options.print_limit);
    if (state.options.nvtx)
        report_show_ranges(state.report);
    report_only(state.report, state.options.only, state.options.kernels);
    if (state.options.suppressions && report_suppress(state.report, state.options.suppressions, &why) != WW_OK)
        state_say("%s", str_text(&why));
    str_free(&why);
}

static void before_fork(void)
{
    state_lock();
}

static void in_parent(void)
{
    state_unlock(NULL);
}

/* After fork the child has its own report and writes only what it launches itself. */
static void in_child(void)
{
    static const pthread_mutex_t fresh = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    static const pthread_cond_t  calm  = PTHREAD_COND_INITIALIZER;
    lock =
        fresh; /* the thread that forked held it, so that everything is in order; the child's knows nothing of that */
    woken        = calm; /* those that waited are not here */
    depth        = 0;
    state.forked = state.forked || context_started() == cudaSuccess;
    state_parts.work_forget();
    signals_forget();
    calls_forget();
    report_free(state.report);
    new_report();
    str_clear(&state.printed);
    reported = false;
}

/* A launch takes some hundred KiB and frees them.  The C library gave what is free at the heap's end back to the system each time, and the next
 * launch met fresh pages.  It learns from a freed block of its own mapping that blocks of this size come and go, and then keeps twice as much;
 * mallopt would have it learn nothing from the program's own blocks any more. */
static void keep_heap(void)
{
    enum { KEPT = 4 << 20 };
    void *volatile block = malloc(KEPT);
    free(block);
}

__attribute__((constructor)) static void begin(void)
{
    Str why = {0};
    keep_heap();
    if (!environment_read(&state.options, &why)) {
        state_say("%s", str_text(&why));
        _exit(EXIT_USAGE);
    }
    state.count = (int)state.options.devices;
    new_report();
    calls_watched = state.options.check != NULL;
    on_exit(at_exit, NULL);
    pthread_atfork(before_fork, in_parent, in_child);
    if (state.options.report || keeps_launches() || state.options.check)
        signals_catch();
}
