/* SPDX-License-Identifier: Apache-2.0
 *
 * NCCL between joined grids: the communicator, batches, and waiting for what others owe.
 *
 * The communicator does not block: every call returns, and is asked for until it is done, or another rank has taken too long.  Then it is aborted, which
 * ends what is on the stream, too.  The `in` stream goes first: NCCL's messages are kernels, and would come behind all blocks of the products. */
#include "grid/link.h"

#include <time.h>

#include "base/clock.h"

enum { SECONDS = 60, LOOK_MS = 100, BUSY_MS = 20 };

typedef struct Ask { /* a call of NCCL, with the device as the current one */
    WwGrid *g;
    NcclId *id;
} Ask;

static int with(WwGrid *g, int (*call)(void *), NcclId *id, Status *s)
{
    WwDevice *d      = g->member[0].device;
    int       result = 0;
    *s               = d->ops->with(d, call, &(Ask){g, id}, &result);
    return result;
}

static Status failed(WwGrid *g, const char *what, int result)
{
    return device_fail(g->member[0].device, WW_ERR_DEVICE, "%s: %s (NCCL, %d)", what, g->link->nccl.text(result),
                       result);
}

/* ---- patience ---- */

typedef struct Patience {
    double began, looked;
} Patience;

static Patience patience(void)
{
    double now = clock_ms();
    return (Patience){now, now};
}

/* Looks at the others now and then; else naps. */
static Status wait_on(WwGrid *g, Patience *p)
{
    const WwGridLink *how = &g->link->how;
    double            now = clock_ms(), most = (how->seconds ? how->seconds : SECONDS) * 1e3;
    int               state = 0;
    if (now - p->began < BUSY_MS) {
        nanosleep(&(struct timespec){0, 10000}, NULL);
        return WW_OK;
    }
    if (now - p->looked > LOOK_MS) {
        p->looked = now;
        int e     = g->link->nccl.state(g->link->comm, &state);
        if ((e && e != NCCL_IN_PROGRESS) || (state && state != NCCL_IN_PROGRESS))
            return link_lose(g, g->link->nccl.text(e && e != NCCL_IN_PROGRESS ? e : state));
        if (how->lost && how->lost(how->user))
            return link_lose(g, "another rank has failed, or ended");
        if (now - p->began > most)
            return link_lose(g, "another rank did not answer in time");
    }
    nanosleep(&(struct timespec){0, 200000}, NULL);
    return WW_OK;
}

/* Until what was begun is on its way. */
static Status settle(WwGrid *g, const char *what, int result)
{
    Patience p = patience();
    while (result == NCCL_IN_PROGRESS) {
        int state = 0;
        int e     = g->link->nccl.state(g->link->comm, &state);
        result    = e ? e : state;
        if (result == NCCL_IN_PROGRESS)
            TRY(wait_on(g, &p));
    }
    return result ? failed(g, what, result) : WW_OK;
}

Status grid_link_wait(WwGrid *g, const WwStream *s, void **mark)
{
    GridMember *m    = &g->member[0];
    Patience    p    = patience();
    bool        done = false;
    if (g->link->way != WW_GRID_NCCL || !m->device->ops->passed)
        return WW_OK; /* nothing that is on a stream waits for others */
    if (s)
        TRY(grid_mark(m, s, mark));
    for (;;) {
        TRY(m->device->ops->passed(m->device, *mark, &done));
        if (done)
            return WW_OK;
        TRY(wait_on(g, &p));
    }
}

/* ---- the communicator ---- */

static int identify(void *user)
{
    const Ask *a = user;
    return a->g->link->nccl.new_id(a->id);
}

int link_identify(WwGrid *g, NcclId *out)
{
    Status s;
    int    result = with(g, identify, out, &s);
    return s == WW_OK ? result : -1;
}

static int join(void *user)
{
    GridLink  *l      = ((const Ask *)user)->g->link;
    NcclConfig config = nccl_config();
    return l->nccl.join(&l->comm, (int)l->how.ranks, l->id, (int)l->how.rank, &config);
}

Status link_join(WwGrid *g)
{
    Status    s;
    WwStream *first;
    int       result = with(g, join, NULL, &s);
    s                = s == WW_OK ? settle(g, "ncclCommInitRankConfig", result) : s;
    s                = s == WW_OK ? device_stream_first(g->member[0].device, &first) : s;
    if (s == WW_OK) {
        ww_stream_close(g->member[0].in);
        g->member[0].in = first;
    } else if (!g->told) {
        grid_fail(g, s, "%s", ww_device_error(g->member[0].device));
    }
    return s;
}

static int leave(void *user)
{
    GridLink *l    = ((const Ask *)user)->g->link;
    void     *comm = l->comm;
    l->comm        = NULL;
    return l->nccl.abort(comm);
}

void link_leave(WwGrid *g)
{
    Status s;
    with(g, leave, NULL, &s);
}

/* ---- a batch ---- */

static int group(void *user)
{
    WwGrid   *g      = ((const Ask *)user)->g;
    GridLink *l      = g->link;
    void     *stream = g->member[0].in->native;
    int       result = l->nccl.begin(), e = 0;
    for (size_t i = 0; i < l->pieces && !result; i++) {
        const LinkPiece *q    = &l->piece[i];
        bool             flat = q->pitch == q->bytes || q->lines == 1;
        void            *at   = (void *)(uintptr_t)(flat ? q->at : l->room[q->send] + q->offset);
        size_t           n    = q->lines * q->bytes;
        result                = q->send ? l->nccl.send(at, n, NCCL_BYTES, (int)q->peer, l->comm, stream)
                                        : l->nccl.receive(at, n, NCCL_BYTES, (int)q->peer, l->comm, stream);
        result                = result == NCCL_IN_PROGRESS ? 0 : result;
    }
    e = l->nccl.end();
    return result ? result : e;
}

Status link_group(WwGrid *g)
{
    Status s;
    int    result = with(g, group, NULL, &s);
    TRY(s);
    return settle(g, "a group of ncclSend and ncclRecv", result);
}
