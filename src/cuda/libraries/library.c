/* SPDX-License-Identifier: Apache-2.0
 *
 * The host's part of libraries, as nodes of streams (library.h).  Arguments of work outside of graphs are freed when it has run; those in a
 * captured graph, which may run any number of times, stay. */
#include "cuda/libraries/library.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/memory/devmem.h"
#include "cuda/work/capture.h"
#include "cuda/work/queue.h"
#include "cuda/work/work.h"

typedef struct Task {
    LibraryWork work;
    bool        again; /* it belongs to a graph */
    _Alignas(16) unsigned char args[];
} Task;

static void count(const LibraryWork *w)
{
    report_call(state.report, &(ReportCall){w->library, w->call, w->by, 1, w->operations});
}

/* ---- memory ---- */

static size_t bytes_of(const LibrarySpan *s)
{
    return s->width && s->height ? (s->height - 1) * s->pitch + s->width : 0;
}

/* How much from there on is allocated, up to `bytes`; allocations may follow each other. */
static size_t allocated(uint64_t at, size_t bytes)
{
    size_t have = 0;
    while (have < bytes) {
        const Range *r = devmem_range(at + have);
        if (!r || r->asleep)
            break;
        have = (size_t)(r->base + r->bytes - at);
    }
    return have < bytes ? have : bytes;
}

static bool may(const char *call, const LibrarySpan *s)
{
    uint64_t at   = (uint64_t)(uintptr_t)s->at;
    size_t   want = bytes_of(s), have = allocated(at, want);
    if (have == want)
        return true;
    state_finding("out-of-bounds", at, 1, "%s %s %zu bytes at 0x%llx, of which %zu are device memory", call,
                  s->use & LIBRARY_WRITES ? "writes" : "reads", want, (unsigned long long)at, have);
    state_fail_later(cudaErrorIllegalAddress);
    return false;
}

/* A program that looks at the status is right, and cannot be seen to do so: no finding, and the same words once. */
void ww_cuda_library_refused(const char *call, const char *status, const char *why)
{
    enum { MOST = 32 };
    static char *said[MOST];
    static int   n;
    WwFinding    at   = {0};
    Str          text = {0};
    state_hold();
    state_place(&at, NULL);
    if (at.file && at.line)
        str_printf(&text, "%s:%u: ", at.file, at.line);
    str_printf(&text, "%s returned %s: %s", call, status, why);
    bool known = n == MOST;
    for (int i = 0; i < n && !known; i++)
        known = strcmp(said[i], text.s) == 0;
    if (!known) {
        said[n++] = text.s;
        state_say("%s", text.s);
    } else {
        str_free(&text);
    }
    state_let();
}

/* Is the factor zero, so that what it would be multiplied with is not read? */
static bool factor_is_zero(const LibrarySpan *s)
{
    size_t zeros = 0;
    while (s->factor && zeros < s->factor_bytes && !((const unsigned char *)s->factor)[zeros])
        zeros++;
    return s->factor && zeros == s->factor_bytes;
}

/* use: reading or writing; call: who reads. */
static void tell(const char *call, const LibrarySpan *s, LibraryUse use)
{
    if (!state.options.check || !(s->use & use) || (use == LIBRARY_READS && factor_is_zero(s)))
        return;
    for (size_t y = 0; s->width && y < s->height; y++) {
        size_t from = s->part == LIBRARY_LOWER ? y * s->element : 0,
               to   = s->part == LIBRARY_UPPER ? (y + 1) * s->element : s->width;
        if (to > s->width)
            to = s->width;
        const char *at = (const char *)s->at + y * s->pitch + from;
        if (from < to && use == LIBRARY_WRITES)
            devmem_tell_written(at, to - from);
        else if (from < to)
            devmem_tell_read(call, at, to - from);
    }
}

bool ww_cuda_library_uses(const char *call, const LibrarySpan *s)
{
    state_hold();
    bool ok = may(call, s);
    if (ok)
        tell(call, s, LIBRARY_READS);
    state_let();
    return ok;
}

void ww_cuda_library_wrote(const LibrarySpan *s)
{
    state_hold();
    tell(NULL, s, LIBRARY_WRITES);
    state_let();
}

/* ---- handles ---- */

typedef struct Given {
    const void *kind;
    void       *handle;
    int         number;
} Given;

static struct {
    pthread_mutex_t lock;
    Given          *list;
    size_t          n, cap;
} given = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The last ones are asked for most.  n: there is none. */
static size_t find(const void *kind, const void *handle)
{
    for (size_t i = given.n; i-- > 0;)
        if (given.list[i].handle == handle && given.list[i].kind == kind)
            return i;
    return given.n;
}

static Given *numbered(const void *kind, int number)
{
    for (size_t i = 0; i < given.n; i++)
        if (given.list[i].kind == kind && given.list[i].number == number)
            return &given.list[i];
    return NULL;
}

const char ww_cuda_library_blas_handles, ww_cuda_library_descriptors;

int ww_cuda_library_keep(const void *kind, void *handle)
{
    int number = 0;
    pthread_mutex_lock(&given.lock);
    while (numbered(kind, number))
        number++;
    if (given.n == given.cap) {
        Given *more = realloc(given.list, (2 * given.cap + 8) * sizeof *more);
        if (more) {
            given.list = more;
            given.cap  = 2 * given.cap + 8;
        }
    }
    if (given.n < given.cap)
        given.list[given.n++] = (Given){kind, handle, number};
    else
        number = -1;
    pthread_mutex_unlock(&given.lock);
    return number;
}

bool ww_cuda_library_has(const void *kind, const void *handle)
{
    pthread_mutex_lock(&given.lock);
    bool is = find(kind, handle) < given.n;
    pthread_mutex_unlock(&given.lock);
    return is;
}

void *ww_cuda_library_numbered(const void *kind, int number)
{
    pthread_mutex_lock(&given.lock);
    const Given *g      = numbered(kind, number);
    void        *handle = g ? g->handle : NULL;
    pthread_mutex_unlock(&given.lock);
    return handle;
}

bool ww_cuda_library_drop(const void *kind, const void *handle)
{
    pthread_mutex_lock(&given.lock);
    size_t i  = find(kind, handle);
    bool   is = i < given.n;
    if (is)
        given.list[i] = given.list[--given.n];
    pthread_mutex_unlock(&given.lock);
    return is;
}

/* ---- work ---- */

static void perform(void *task)
{
    Task              *t  = task;
    const LibraryWork *w  = &t->work;
    bool               ok = true;
    for (unsigned i = 0; i < w->nspans && ok; i++)
        ok = ww_cuda_library_uses(w->call, &w->span[i]);
    if (ok)
        w->compute(t->args);
    for (unsigned i = 0; i < w->nspans && ok; i++)
        ww_cuda_library_wrote(&w->span[i]);
    if (!t->again)
        free(t);
}

static CuErr library_do(void *stream, const LibraryWork *w)
{
    const Stream *s = stream_of(stream);
    if (!s)
        return stream_error(stream);
    Task *t  = xaligned(16, sizeof *t + w->bytes);
    t->work  = *w;
    t->again = s->capture != NULL;
    memcpy(t->args, w->args, w->bytes);
    count(w);
    CuErr e = stream_host(stream, perform, t);
    if (e != cudaSuccess)
        free(t);
    return e;
}

static CuErr enter_do(void *stream, const LibraryWork *w)
{
    ENTER();
    return LEAVE(library_do(stream, w));
}

bool ww_cuda_library_do(void *stream, const LibraryWork *w)
{
    return enter_do(stream, w) == cudaSuccess;
}

static CuErr enter_wait(void *stream)
{
    ENTER();
    return LEAVE(stream_of(stream) ? stream_settle(stream) : stream_error(stream));
}

bool ww_cuda_library_wait(void *stream)
{
    return enter_wait(stream) == cudaSuccess;
}

static CuErr enter_copy(const LibraryCopy *c, bool waits, void *stream)
{
    ENTER();
    CuErr e = stream_copy(c->to, c->to_pitch, c->from, c->from_pitch, c->width, c->height, c->kind, stream);
    return LEAVE(e == cudaSuccess && waits ? stream_settle(stream) : e);
}

bool ww_cuda_library_copy(const LibraryCopy *c, bool waits, void *stream)
{
    return enter_copy(c, waits, stream) == cudaSuccess;
}

static CuErr enter_settle(void)
{
    ENTER();
    return LEAVE(stream_settle_device());
}

int ww_cuda_library_settle(void)
{
    return enter_settle();
}

CuErr rt_cudaGetDevice(int *device), rt_cudaSetDevice(int device), rt_cudaMalloc(void **out, size_t bytes),
    rt_cudaFree(void *p);

int ww_cuda_library_device(int set)
{
    int was = 0;
    if (rt_cudaGetDevice(&was) != cudaSuccess || (set >= 0 && rt_cudaSetDevice(set) != cudaSuccess))
        return -1;
    return was;
}

bool ww_cuda_library_allocate(void **out, size_t bytes)
{
    return rt_cudaMalloc(out, bytes) == cudaSuccess;
}

bool ww_cuda_library_free(void *p)
{
    return rt_cudaFree(p) == cudaSuccess;
}

void *ww_cuda_library_memory(size_t bytes)
{
    void *p = xrealloc(NULL, bytes + 1);
    memset(p, 0, bytes + 1);
    return p;
}

void ww_cuda_library_count(const char *library, const char *call, const char *by)
{
    state_hold();
    report_call(state.report, &(ReportCall){library, call, by, 1, 0});
    state_let();
}

bool ww_cuda_library_checked(void)
{
    return state.options.check;
}

void ww_cuda_library_collects(void)
{
    state_hold();
    state.collected = true;
    state_let();
}

void ww_cuda_library_is(void (*code)(void))
{
    state_hold();
    caller_is_own((uintptr_t)code);
    state_let();
}

void ww_cuda_library_missing(const char *call)
{
    state_missing(call);
}
