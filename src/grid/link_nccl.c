/* SPDX-License-Identifier: Apache-2.0
 *
 * NCCL between joined grids: the communicator of all their devices, batches, and waiting for what others owe.
 *
 * A process calls for all of its devices in one group.  Nothing blocks: every call returns, and is asked for until it is done, or another rank has taken
 * too long.  Then the communicators are aborted, which ends what is on the streams, too.  The `in` streams go first: NCCL's messages are kernels, and
 * would come behind all blocks of the products. */
#include "grid/link.h"

#include <time.h>

#include "base/clock.h"

enum { SECONDS = 60, LOOK_MS = 100, BUSY_MS = 20 };

typedef struct Ask { /* a call of NCCL, with a member's device as the current one */
    WwGrid *g;
    size_t  member;
    NcclId *id;
    int (*part)(void *ask); /* of a group: the member's */
    Status status, failed;  /* the device's; of a group: that of a part's device */
} Ask;

static int with(Ask *a, size_t member, int (*call)(void *ask))
{
    WwDevice *d      = a->g->member[member].device;
    int       result = 0;
    a->member        = member;
    a->status        = d->ops->with(d, call, a, &result);
    return result;
}

/* Every member's part, in one group of NCCL's. */
static int all_parts(void *ask)
{
    Ask  *a = ask, part = {.g = a->g};
    Nccl *n      = &a->g->link->nccl;
    int   result = n->begin(), e;
    for (size_t i = 0; i < a->g->n && !result && part.status == WW_OK; i++) {
        result = with(&part, i, a->part);
        result = result == NCCL_IN_PROGRESS ? 0 : result;
    }
    e         = n->end();
    a->member = part.member;
    a->failed = part.status;
    return result ? result : e;
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

static int state_of(const WwGrid *g, size_t member)
{
    int state = 0, e = g->link->nccl.state(g->link->end[member].comm, &state);
    return e && e != NCCL_IN_PROGRESS ? e : state;
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
        for (size_t i = 0; i < g->n; i++)
            if ((state = state_of(g, i)) != 0 && state != NCCL_IN_PROGRESS)
                return link_lose(g, g->link->nccl.text(state));
        if (how->lost && how->lost(how->user))
            return link_lose(g, "another rank has failed, or ended");
        if (now - p->began > most)
            return link_lose(g, "another rank did not answer in time");
    }
    nanosleep(&(struct timespec){0, 200000}, NULL);
    return WW_OK;
}

/* Every member's part, and until what was begun is on its way on all of them.  *member: whose failure it is. */
static Status group(WwGrid *g, int (*part)(void *), const char *what, size_t *member)
{
    Ask      a      = {.g = g, .part = part};
    Patience p      = patience();
    int      result = with(&a, 0, all_parts);
    *member         = a.member;
    TRY(a.status);
    TRY(a.failed);
    for (size_t i = 0; i < g->n && result == NCCL_IN_PROGRESS; i++) {
        *member = i;
        while ((result = state_of(g, i)) == NCCL_IN_PROGRESS)
            TRY(wait_on(g, &p));
        result = result || i + 1 == g->n ? result : NCCL_IN_PROGRESS;
    }
    if (result)
        return device_fail(g->member[*member].device, WW_ERR_DEVICE, "%s: %s (NCCL, %d)", what,
                           g->link->nccl.text(result), result);
    return WW_OK;
}

Status grid_link_wait(WwGrid *g, size_t member, const WwStream *s, void **mark)
{
    GridMember *m    = &g->member[member];
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

static int identify(void *ask)
{
    const Ask *a = ask;
    return a->g->link->nccl.new_id(a->id);
}

int link_identify(WwGrid *g, NcclId *out)
{
    Ask a      = {.g = g, .id = out};
    int result = with(&a, 0, identify);
    return a.status == WW_OK ? result : -1;
}

static int join(void *ask)
{
    const Ask *a      = ask;
    GridLink  *l      = a->g->link;
    NcclConfig config = nccl_config();
    return l->nccl.join(&l->end[a->member].comm, (int)grid_workers(a->g), l->id, (int)(grid_first(a->g) + a->member),
                        &config);
}

Status link_join(WwGrid *g)
{
    size_t member = 0;
    Status s      = group(g, join, "ncclCommInitRankConfig", &member);
    for (size_t i = 0; i < g->n && s == WW_OK; i++) {
        WwStream *first;
        member = i;
        s      = device_stream_first(g->member[i].device, &first);
        if (s != WW_OK)
            break;
        ww_stream_close(g->member[i].in);
        g->member[i].in = first;
    }
    if (s != WW_OK && !g->told)
        grid_fail(g, s, "%s", ww_device_error(g->member[member].device));
    return s;
}

static int leave(void *ask)
{
    const Ask *a    = ask;
    LinkEnd   *e    = &a->g->link->end[a->member];
    void      *comm = e->comm;
    e->comm         = NULL;
    return a->g->link->nccl.abort(comm);
}

void link_leave(WwGrid *g)
{
    Ask a = {.g = g};
    for (size_t i = 0; i < g->n; i++)
        if (g->link->end[i].comm)
            with(&a, i, leave);
}

/* ---- a batch ---- */

static int messages(void *ask)
{
    const Ask     *a      = ask;
    GridLink      *l      = a->g->link;
    const LinkEnd *e      = &l->end[a->member];
    void          *stream = a->g->member[a->member].in->native;
    int            result = 0;
    for (size_t i = 0; i < l->pieces && !result; i++) {
        const LinkPiece *q    = &l->piece[i];
        bool             flat = q->pitch == q->bytes || q->lines == 1;
        void            *at   = (void *)(uintptr_t)(flat ? q->at : e->room[q->send] + q->offset);
        size_t           n    = q->lines * q->bytes;
        if (q->member != a->member)
            continue;
        result = q->send ? l->nccl.send(at, n, NCCL_BYTES, (int)q->peer, e->comm, stream)
                         : l->nccl.receive(at, n, NCCL_BYTES, (int)q->peer, e->comm, stream);
        result = result == NCCL_IN_PROGRESS ? 0 : result;
    }
    return result;
}

Status link_group(WwGrid *g, size_t *member)
{
    return group(g, messages, "a group of ncclSend and ncclRecv", member);
}
