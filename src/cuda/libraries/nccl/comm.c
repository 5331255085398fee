/* SPDX-License-Identifier: Apache-2.0
 *
 * Communicators.  Creating one does not wait for the others: the first collective does.  So ncclCommInitRank works for the ranks of one thread,
 * in a group or not, and for threads and processes.  A split waits, at the end of the group where there is one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "cuda/libraries/nccl/nccl.h"

static const char kind;

__attribute__((constructor)) static void begin(void)
{
    ww_cuda_library_is((void (*)(void))begin);
}

Comm *comm_of(void *comm)
{
    return ww_cuda_library_has(&kind, comm) ? comm : NULL;
}

bool comm_do(const Comm *c, void *stream, const LibraryWork *w)
{
    int  was = ww_cuda_library_device(c->device); /* the default stream is of that device */
    bool ok  = ww_cuda_library_do(stream, w);
    ww_cuda_library_device(was);
    return ok;
}

Nccl ncclGetUniqueId(UniqueId *id)
{
    uint64_t number[2];
    if (!id)
        return NCCL_INVALID_ARGUMENT;
    if (getrandom(number, sizeof number, 0) != sizeof number)
        return NCCL_SYSTEM_ERROR;
    memset(id, 0, sizeof *id);
    snprintf(id->name, sizeof id->name, "/warpwright-nccl-%016llx%016llx", (unsigned long long)number[0],
             (unsigned long long)number[1]);
    return NCCL_SUCCESS;
}

static Nccl create(void **out, const char *name, int ranks, int rank, int device)
{
    if (ranks > MOST_RANKS) {
        fprintf(stderr, "warpwright: a communicator of %d ranks: at most %d are here\n", ranks, MOST_RANKS);
        return NCCL_INVALID_ARGUMENT;
    }
    Comm *c = calloc(1, sizeof *c);
    if (!c)
        return NCCL_SYSTEM_ERROR;
    c->rank   = rank;
    c->ranks  = ranks;
    c->device = device;
    snprintf(c->name, sizeof c->name, "%s", name);
    c->shared = meeting_join(name, ranks, rank, &c->bytes);
    if (!c->shared || ww_cuda_library_keep(&kind, c) < 0) {
        bool none = !c->shared;
        if (c->shared)
            meeting_leave(c->shared, c->rank, c->bytes, c->name);
        free(c);
        return none ? NCCL_INVALID_USAGE : NCCL_SYSTEM_ERROR;
    }
    *out = c;
    return NCCL_SUCCESS;
}

Nccl ncclCommInitRank(void **out, int ranks, UniqueId id, int rank)
{
    if (!out || ranks < 1 || rank < 0 || rank >= ranks || strncmp(id.name, "/warpwright-nccl-", 17) != 0 ||
        !memchr(id.name, 0, sizeof id.name))
        return NCCL_INVALID_ARGUMENT;
    if (!ww_cuda_library_wait(NULL)) /* what cannot use CUDA gets none */
        return NCCL_UNHANDLED_CUDA_ERROR;
    return create(out, id.name, ranks, rank, ww_cuda_library_device(-1));
}

Nccl ncclCommInitRankConfig(void **out, int ranks, UniqueId id, int rank, const void *config)
{
    (void)config;
    return ncclCommInitRank(out, ranks, id, rank);
}

Nccl ncclCommInitRankScalable(void **out, int ranks, int rank, int ids, const UniqueId *id, const void *config)
{
    return ids < 1 || !id ? NCCL_INVALID_ARGUMENT : ncclCommInitRankConfig(out, ranks, id[0], rank, config);
}

Nccl ncclCommInitAll(void **out, int n, const int *devices)
{
    UniqueId id;
    if (!out || n < 1)
        return NCCL_INVALID_ARGUMENT;
    Nccl e   = ncclGetUniqueId(&id);
    int  was = ww_cuda_library_device(-1);
    for (int i = 0; i < n && e == NCCL_SUCCESS; i++) {
        int device = devices ? devices[i] : i;
        if (device < 0 || ww_cuda_library_device(device) < 0)
            e = NCCL_INVALID_ARGUMENT;
        else
            e = create(&out[i], id.name, n, i, device);
    }
    ww_cuda_library_device(was);
    return e;
}

/* ---- the end ---- */

static Nccl end(void *comm)
{
    Comm *c = comm_of(comm);
    if (!c)
        return NCCL_INVALID_ARGUMENT;
    ww_cuda_library_settle(); /* work in streams has its address */
    if (!ww_cuda_library_drop(&kind, c))
        return NCCL_INVALID_ARGUMENT;
    meeting_leave(c->shared, c->rank, c->bytes, c->name);
    free(c);
    return NCCL_SUCCESS;
}

/* The work of the device that the communicator is of has ended; others' goes on. */
static Nccl end_on_device(void *comm)
{
    const Comm *c = comm_of(comm);
    if (!c)
        return NCCL_INVALID_ARGUMENT;
    int  was = ww_cuda_library_device(c->device);
    Nccl e   = end(comm);
    ww_cuda_library_device(was);
    return e;
}

Nccl ncclCommDestroy(void *comm)
{
    return comm ? group_later(end_on_device, comm) : NCCL_SUCCESS;
}

Nccl ncclCommFinalize(void *comm)
{
    return comm_of(comm) ? NCCL_SUCCESS : NCCL_INVALID_ARGUMENT;
}

Nccl ncclCommAbort(void *comm)
{
    Comm *c = comm_of(comm);
    if (!c)
        return comm ? NCCL_INVALID_ARGUMENT : NCCL_SUCCESS;
    atomic_store(&c->aborted, true);
    meeting_break(c);
    return end_on_device(comm);
}

Nccl ncclCommRevoke(void *comm, int flags)
{
    Comm *c = comm_of(comm);
    if (!c || flags)
        return NCCL_INVALID_ARGUMENT;
    meeting_break(c);
    return NCCL_SUCCESS;
}

/* ---- splits ---- */

typedef struct Splitting {
    Comm    *comm;
    uint64_t turn;
    int      color;
    void   **out;
} Splitting;

static Nccl split(void *argument)
{
    Splitting *p     = argument;
    Comm      *c     = p->comm;
    Shared    *s     = c->shared;
    int        ranks = 0, rank = 0;
    bool       ok = true;
    meeting_lock(c);
    for (int r = 0; r < s->ranks && ok; r++) {
        while (ok && s->split[p->turn & 1][r].turn != p->turn)
            ok = meeting_wait(c);
        int color = s->split[p->turn & 1][r].color, key = s->split[p->turn & 1][r].key,
            own = s->split[p->turn & 1][c->rank].key;
        ranks += color == p->color;
        rank += color == p->color && (key < own || (key == own && r < c->rank));
    }
    meeting_unlock(c);
    Nccl e  = ok ? NCCL_SUCCESS : NCCL_REMOTE_ERROR;
    *p->out = NULL;
    if (ok && p->color >= 0) {
        char name[128];
        snprintf(name, sizeof name, "%.40s.%llu.%d", c->name, (unsigned long long)p->turn, p->color);
        e = create(p->out, name, ranks, rank, c->device);
    }
    free(p);
    return e;
}

Nccl ncclCommSplit(void *comm, int color, int key, void **out, const void *config)
{
    Comm *c = comm_of(comm);
    (void)config;
    if (!c || !out || color < -1)
        return NCCL_INVALID_ARGUMENT;
    Splitting *p = ww_cuda_library_memory(sizeof *p);
    *p           = (Splitting){c, ++c->splits, color, out};
    meeting_lock(c);
    c->shared->split[p->turn & 1][c->rank].color = color;
    c->shared->split[p->turn & 1][c->rank].key   = key;
    c->shared->split[p->turn & 1][c->rank].turn  = p->turn;
    meeting_changed(c->shared);
    meeting_unlock(c);
    return group_later(split, p);
}

/* ---- what is asked ---- */

#define QUESTION(name, member)                                                                                         \
    Nccl name(void *comm, int *out)                                                                                    \
    {                                                                                                                  \
        const Comm *c = comm_of(comm);                                                                                 \
        if (!c || !out)                                                                                                \
            return NCCL_INVALID_ARGUMENT;                                                                              \
        *out = c->member;                                                                                              \
        return NCCL_SUCCESS;                                                                                           \
    }
QUESTION(ncclCommCount, ranks)
QUESTION(ncclCommCuDevice, device)
QUESTION(ncclCommUserRank, rank)

Nccl ncclCommGetAsyncError(void *comm, int *out)
{
    Comm *c = comm_of(comm);
    if (!c || !out)
        return NCCL_INVALID_ARGUMENT;
    *out = atomic_load(&c->error);
    return NCCL_SUCCESS;
}
