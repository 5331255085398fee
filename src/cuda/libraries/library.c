/* SPDX-License-Identifier: Apache-2.0
 *
 * The host's part of libraries, as nodes of streams (library.h).  Arguments of work outside of graphs are freed when it has run; those in a
 * captured graph, which may run any number of times, stay. */
#include "cuda/libraries/library.h"

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
                  s->writes ? "writes" : "reads", want, (unsigned long long)at, have);
    state_fail_later(cudaErrorIllegalAddress);
    return false;
}

static void tell(const LibrarySpan *s)
{
    for (size_t y = 0; state.options.check && s->width && y < s->height; y++)
        if (s->writes)
            devmem_tell_written((const char *)s->at + y * s->pitch, s->width);
        else
            devmem_tell_read((const char *)s->at + y * s->pitch, s->width);
}

bool ww_cuda_library_uses(const char *call, const LibrarySpan *s)
{
    state_hold();
    bool ok = may(call, s);
    if (ok && !s->writes)
        tell(s);
    state_let();
    return ok;
}

void ww_cuda_library_wrote(const LibrarySpan *s)
{
    state_hold();
    tell(s);
    state_let();
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
        if (w->span[i].writes)
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
    CuErr e = capture_unsafe();
    if (e != cudaSuccess)
        return LEAVE(e);
    queue_settle_device(state_current());
    return LEAVE(state_sticky());
}

int ww_cuda_library_settle(void)
{
    return enter_settle();
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
