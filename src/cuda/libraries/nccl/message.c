/* SPDX-License-Identifier: Apache-2.0
 *
 * Send and receive, and groups.  The messages of a group that go through one communicator and one stream are one piece of work, in which all
 * go on side by side, so ranks that send to each other do not wait in a circle.  Messages between two ranks keep their order. */
#include <stdlib.h>
#include <string.h>

#include "cuda/libraries/nccl/nccl.h"

typedef struct Message {
    Comm  *comm;
    void  *stream;
    bool   sends;
    int    peer;
    char  *at;
    size_t bytes, done;
} Message;

typedef struct Deferred {
    Nccl (*what)(void *);
    void *argument;
} Deferred;

static _Thread_local struct {
    int       depth;
    Message  *message;
    size_t    messages;
    Deferred *deferred;
    size_t    ndeferred;
} group;

bool group_open(void)
{
    return group.depth > 0;
}

Nccl group_later(Nccl (*what)(void *), void *argument)
{
    if (!group.depth)
        return what(argument);
    Deferred *more = realloc(group.deferred, (group.ndeferred + 1) * sizeof *more);
    if (!more)
        return NCCL_SYSTEM_ERROR;
    group.deferred                    = more;
    group.deferred[group.ndeferred++] = (Deferred){what, argument};
    return NCCL_SUCCESS;
}

/* ---- the work ---- */

typedef struct Batch {
    Comm    *comm;
    size_t   n;
    Message *message; /* freed never: a graph may run it again */
} Batch;

/* A piece of the message, if there is one or room for one. */
static bool go_on(Message *m)
{
    Comm    *c = m->comm;
    Channel *x = m->sends ? meeting_channel(c->shared, c->rank, m->peer) : meeting_channel(c->shared, m->peer, c->rank);
    size_t   n = m->bytes - m->done;
    if (m->sends ? x->bytes != 0 : !x->bytes)
        return false;
    if (m->sends) {
        n = n < CHANNEL_BYTES ? n : CHANNEL_BYTES;
        memcpy(x->data, m->at + m->done, n);
        x->bytes = n;
    } else {
        if (x->bytes > n) { /* the sender sends more than is wanted */
            atomic_store(&c->error, NCCL_INVALID_USAGE);
            x->bytes = n;
        }
        n = x->bytes;
        memcpy(m->at + m->done, x->data, n);
        x->bytes = 0;
    }
    m->done += n;
    meeting_changed(c->shared);
    return true;
}

/* Is an earlier message to or from the same peer not done? */
static bool blocked(const Message *list, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (list[k].done < list[k].bytes && list[k].peer == list[i].peer && list[k].sends == list[i].sends)
            return true;
    return false;
}

static void exchange(const Batch *b, Message *list)
{
    size_t left = b->n;
    bool   ok   = true;
    meeting_lock(b->comm);
    while (left && ok) {
        bool moved = false;
        left       = 0;
        for (size_t i = 0; i < b->n; i++) {
            if (list[i].done < list[i].bytes && !blocked(list, i))
                moved |= go_on(&list[i]);
            left += list[i].done < list[i].bytes;
        }
        if (left && !moved)
            ok = meeting_wait(b->comm);
    }
    meeting_unlock(b->comm);
}

static const char *name_of(const Message *m)
{
    return m->sends ? "ncclSend" : "ncclRecv";
}

static LibrarySpan span(const Message *m)
{
    return (LibrarySpan){.at = m->at, .width = m->bytes, .height = 1, .use = m->sends ? LIBRARY_READS : LIBRARY_WRITES};
}

static void compute(const void *args)
{
    const Batch *b    = args;
    Message     *list = ww_cuda_library_memory(b->n * sizeof *list);
    bool         ok   = true;
    memcpy(list, b->message, b->n * sizeof *list);
    for (size_t i = 0; i < b->n && ok; i++) {
        LibrarySpan s = span(&list[i]);
        ok            = ww_cuda_library_uses(name_of(&list[i]), &s);
    }
    if (ok)
        exchange(b, list);
    for (size_t i = 0; i < b->n && ok; i++) {
        LibrarySpan s = span(&list[i]);
        ww_cuda_library_wrote(&s);
    }
    free(list);
}

/* Those of one communicator and stream, the first message's; they are taken out of the list. */
static Nccl submit(void)
{
    Comm    *c      = group.message[0].comm;
    void    *stream = group.message[0].stream;
    Message *own    = ww_cuda_library_memory(group.messages * sizeof *own);
    size_t   n = 0, rest = 0;
    for (size_t i = 0; i < group.messages; i++)
        if (group.message[i].comm == c && group.message[i].stream == stream)
            own[n++] = group.message[i];
        else
            group.message[rest++] = group.message[i];
    group.messages = rest;
    Batch       b  = {c, n, own};
    LibraryWork w  = {.library = "NCCL",
                      .call    = name_of(&own[0]),
                      .by      = "warpwright",
                      .compute = compute,
                      .args    = &b,
                      .bytes   = sizeof b};
    return comm_do(c, stream, &w) ? NCCL_SUCCESS : NCCL_UNHANDLED_CUDA_ERROR;
}

static Nccl end(void)
{
    Nccl worst = NCCL_SUCCESS, e;
    for (size_t i = 0; i < group.ndeferred; i++)
        if ((e = group.deferred[i].what(group.deferred[i].argument)) != NCCL_SUCCESS)
            worst = e;
    group.ndeferred = 0;
    while (group.messages)
        if ((e = submit()) != NCCL_SUCCESS)
            worst = e;
    return worst;
}

Nccl ncclGroupStart(void)
{
    group.depth++;
    return NCCL_SUCCESS;
}

Nccl ncclGroupEnd(void)
{
    if (!group.depth)
        return NCCL_INVALID_USAGE;
    return --group.depth ? NCCL_SUCCESS : end();
}

static Nccl message(void *comm, bool sends, void *at, size_t count, int type, int peer, void *stream)
{
    Comm  *c = comm_of(comm);
    size_t bytes;
    if (!c || !type_bytes(type) || peer < 0 || peer >= c->ranks || (!at && count) ||
        __builtin_mul_overflow(count, type_bytes(type), &bytes))
        return NCCL_INVALID_ARGUMENT;
    if (atomic_load(&c->error))
        return (Nccl)atomic_load(&c->error);
    Message *more = realloc(group.message, (group.messages + 1) * sizeof *more);
    if (!more)
        return NCCL_SYSTEM_ERROR;
    group.message                   = more;
    group.message[group.messages++] = (Message){c, stream, sends, peer, at, bytes, 0};
    return group.depth ? NCCL_SUCCESS : end();
}

Nccl ncclSend(const void *from, size_t count, int type, int peer, void *comm, void *stream)
{
    return message(comm, true, (void *)(uintptr_t)from, count, type, peer, stream);
}

Nccl ncclRecv(void *to, size_t count, int type, int peer, void *comm, void *stream)
{
    return message(comm, false, to, count, type, peer, stream);
}
