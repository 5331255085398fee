/* SPDX-License-Identifier: Apache-2.0
 *
 * The collectives.  A row says which ranks give, whether each destination gets a piece of its own, which ranks take, and how.  What the ranks
 * call is compared before anything is taken: where they differ, the communicator is broken and a message says so, since a card would hang or
 * write what nobody asked for. */
#include <stdio.h>
#include <string.h>

#include "cuda/libraries/nccl/nccl.h"

typedef enum Kind { ALL_REDUCE, REDUCE, BROADCAST, ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL, GATHER, SCATTER } Kind;

typedef struct Row {
    const char *name;
    bool        root_gives;             /* else all */
    bool        pieces;                 /* one for each rank */
    enum { TAKES_ALL, TAKES_ROOT } who; /* with pieces: of each its own, if it is one of these */
    enum { PUT_TOGETHER, OF_ROOT, SIDE_BY_SIDE } how;
} Row;

static const Row rows[] = {
    [ALL_REDUCE]     = {"ncclAllReduce", false, false, TAKES_ALL, PUT_TOGETHER},
    [REDUCE]         = {"ncclReduce", false, false, TAKES_ROOT, PUT_TOGETHER},
    [BROADCAST]      = {"ncclBroadcast", true, false, TAKES_ALL, OF_ROOT},
    [ALL_GATHER]     = {"ncclAllGather", false, false, TAKES_ALL, SIDE_BY_SIDE},
    [REDUCE_SCATTER] = {"ncclReduceScatter", false, true, TAKES_ALL, PUT_TOGETHER},
    [ALL_TO_ALL]     = {"ncclAlltoAll", false, true, TAKES_ALL, SIDE_BY_SIDE},
    [GATHER]         = {"ncclGather", false, false, TAKES_ROOT, SIDE_BY_SIDE},
    [SCATTER]        = {"ncclScatter", true, true, TAKES_ALL, OF_ROOT},
};

typedef struct Job {
    Comm         *comm;
    Post          post;
    const void   *from;
    void         *to;
    const void   *factor; /* of a program's own operation, in device memory; NULL: none, or the copy */
    bool          scaled;
    unsigned char host[8];
} Job;

static bool gives(const Job *j)
{
    return !rows[j->post.kind].root_gives || j->comm->rank == j->post.root;
}

static bool takes(const Job *j, int piece)
{
    const Row *r = &rows[j->post.kind];
    return (r->who == TAKES_ALL || j->comm->rank == j->post.root) && (!r->pieces || j->comm->rank == piece);
}

static bool same(const Post *a, const Post *b)
{
    return a->kind == b->kind && a->type == b->type && a->op == b->op && a->root == b->root && a->count == b->count;
}

/* Do all ranks call the same?  Every one of them comes to the same answer. */
static bool agree(const Job *j)
{
    const Shared *s = j->comm->shared;
    for (int r = 1; r < s->ranks; r++)
        if (!same(&s->member[0].post, &s->member[r].post)) {
            if (atomic_exchange(&j->comm->error, NCCL_INVALID_USAGE) == NCCL_SUCCESS && j->comm->rank == r)
                fprintf(stderr,
                        "warpwright: ranks 0 and %d of a communicator call different things: %s of %llu elements and "
                        "%s of %llu "
                        "(type, operation and root must be the same too). On a card they would wait for ever.\n",
                        r, rows[s->member[0].post.kind].name, (unsigned long long)s->member[0].post.count,
                        rows[s->member[r].post.kind].name, (unsigned long long)s->member[r].post.count);
            return false;
        }
    return true;
}

static void give(const Job *j, size_t at, size_t count)
{
    size_t         e    = type_bytes(j->post.type);
    unsigned char *slot = meeting_slot(j->comm->shared, j->comm->rank);
    if (!gives(j))
        return;
    memcpy(slot, (const char *)j->from + at * e, count * e);
    if (j->scaled)
        scale(j->post.type, j->factor ? j->factor : j->host, slot, count);
}

static void take(const Job *j, size_t at, size_t count)
{
    const Shared *s  = j->comm->shared;
    size_t        e  = type_bytes(j->post.type);
    char         *to = (char *)j->to + at * e;
    switch (rows[j->post.kind].how) {
    case PUT_TOGETHER: reduce(j->post.type, j->post.op, s, count, to); break;
    case OF_ROOT: memcpy(to, meeting_slot(s, j->post.root), count * e); break;
    case SIDE_BY_SIDE:
        for (int r = 0; r < s->ranks; r++)
            memcpy(to + (size_t)r * j->post.count * e, meeting_slot(s, r), count * e);
    }
}

static void compute(const void *args)
{
    const Job *j     = args;
    Shared    *s     = j->comm->shared;
    size_t     chunk = SLOT_BYTES / type_bytes(j->post.type), count = j->post.count;
    int        pieces = rows[j->post.kind].pieces ? s->ranks : 1;
    for (int p = 0; p < pieces; p++)
        for (size_t at = 0; at < count; at += chunk) {
            size_t n                      = count - at < chunk ? count - at : chunk;
            s->member[j->comm->rank].post = j->post;
            give(j, (size_t)p * count + at, n);
            if (!meeting_all(j->comm) || !agree(j))
                return;
            if (takes(j, p))
                take(j, at, n);
            if (!meeting_all(j->comm))
                return;
        }
}

static LibrarySpan span(const void *at, size_t bytes, LibraryUse use)
{
    return (LibrarySpan){.at = at, .width = bytes, .height = 1, .use = use};
}

/* ---- operations of the program's own ---- */

typedef struct Own {
    int           type;
    const void   *device; /* NULL: the copy */
    unsigned char host[8];
} Own;

static const char own_kind;

Nccl ncclRedOpCreatePreMulSum(int *op, const void *scalar, int type, int host, void *comm)
{
    if (!op || !scalar || !type_bytes(type) || !comm_of(comm))
        return NCCL_INVALID_ARGUMENT;
    Own *o = ww_cuda_library_memory(sizeof *o);
    *o     = (Own){.type = type, .device = host ? NULL : scalar};
    if (host)
        memcpy(o->host, scalar, type_bytes(type));
    int n = ww_cuda_library_keep(&own_kind, o);
    if (n < 0)
        return NCCL_SYSTEM_ERROR;
    *op = NCCL_OPS + n;
    return NCCL_SUCCESS;
}

Nccl ncclRedOpDestroy(int op, void *comm)
{
    void *o = comm_of(comm) && op >= NCCL_OPS ? ww_cuda_library_numbered(&own_kind, op - NCCL_OPS) : NULL;
    return o && ww_cuda_library_drop(&own_kind, o) ? NCCL_SUCCESS
                                                   : NCCL_INVALID_ARGUMENT; /* graphs may still hold it */
}

/* ---- the calls ---- */

static Nccl collective(void *comm, Kind kind, const void *from, void *to, size_t count, int type, int op, int root,
                       void *stream)
{
    Comm  *c = comm_of(comm);
    size_t e = type_bytes(type), whole, n = c ? (size_t)c->ranks : 0;
    if (!c || !e || op < 0 || root < 0 || root >= c->ranks || __builtin_mul_overflow(count, e * n, &whole))
        return NCCL_INVALID_ARGUMENT;
    if (atomic_load(&c->error))
        return (Nccl)atomic_load(&c->error);
    Job j = {.comm = c, .post = {kind, type, op, root, count}, .from = from, .to = to};
    if (op >= NCCL_OPS) {
        const Own *o = ww_cuda_library_numbered(&own_kind, op - NCCL_OPS);
        if (!o || o->type != type)
            return NCCL_INVALID_ARGUMENT;
        j.scaled  = true;
        j.factor  = o->device;
        j.post.op = NCCL_SUM;
        memcpy(j.host, o->host, sizeof j.host);
    }
    if (!count)
        return NCCL_SUCCESS;
    const Row  *r = &rows[kind];
    LibraryWork w = {
        .library = "NCCL", .call = r->name, .by = "warpwright", .compute = compute, .args = &j, .bytes = sizeof j};
    bool taken = r->who == TAKES_ALL || c->rank == root;
    if ((gives(&j) && !from) || (taken && !to))
        return NCCL_INVALID_ARGUMENT;
    if (gives(&j))
        w.span[w.nspans++] = span(from, count * e * (r->pieces ? n : 1), LIBRARY_READS);
    if (taken)
        w.span[w.nspans++] = span(to, count * e * (r->how == SIDE_BY_SIDE ? n : 1), LIBRARY_WRITES);
    if (j.factor)
        w.span[w.nspans++] = span(j.factor, e, LIBRARY_READS);
    return comm_do(c, stream, &w) ? NCCL_SUCCESS : NCCL_UNHANDLED_CUDA_ERROR;
}

Nccl ncclAllReduce(const void *from, void *to, size_t count, int type, int op, void *comm, void *stream)
{
    return collective(comm, ALL_REDUCE, from, to, count, type, op, 0, stream);
}

Nccl ncclReduce(const void *from, void *to, size_t count, int type, int op, int root, void *comm, void *stream)
{
    return collective(comm, REDUCE, from, to, count, type, op, root, stream);
}

Nccl ncclBroadcast(const void *from, void *to, size_t count, int type, int root, void *comm, void *stream)
{
    return collective(comm, BROADCAST, from, to, count, type, NCCL_SUM, root, stream);
}

Nccl ncclBcast(void *at, size_t count, int type, int root, void *comm, void *stream)
{
    return ncclBroadcast(at, at, count, type, root, comm, stream);
}

Nccl ncclAllGather(const void *from, void *to, size_t count, int type, void *comm, void *stream)
{
    return collective(comm, ALL_GATHER, from, to, count, type, NCCL_SUM, 0, stream);
}

Nccl ncclReduceScatter(const void *from, void *to, size_t count, int type, int op, void *comm, void *stream)
{
    return collective(comm, REDUCE_SCATTER, from, to, count, type, op, 0, stream);
}

Nccl ncclAlltoAll(const void *from, void *to, size_t count, int type, void *comm, void *stream)
{
    return collective(comm, ALL_TO_ALL, from, to, count, type, NCCL_SUM, 0, stream);
}

Nccl ncclGather(const void *from, void *to, size_t count, int type, int root, void *comm, void *stream)
{
    return collective(comm, GATHER, from, to, count, type, NCCL_SUM, root, stream);
}

Nccl ncclScatter(const void *from, void *to, size_t count, int type, int root, void *comm, void *stream)
{
    return collective(comm, SCATTER, from, to, count, type, NCCL_SUM, root, stream);
}
