/* SPDX-License-Identifier: Apache-2.0
 *
 * Pieces of matrices between the devices of joined grids.
 *
 * Every rank goes through the same transfers and knows the same sizes, so all put the same pieces of a round into the same batches: one takes of every
 * device's pieces as many lines as there is room for where they leave and where they come.  A batch is one group of NCCL's messages, or one call of
 * the caller's `move`.  NCCL sends and receives bytes in one stretch: rectangles are packed into room on the device, and unpacked there; over the
 * host the copies do that.
 *
 * A device's failure is noted, and over the host its rank passes on whatever is in its memory until the end, where all are told: nobody waits for what
 * will not come.  NCCL's messages cannot be made without the device: the rank leaves, and the others notice by the clock, or by `lost`. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/sizes.h"
#include "base/stress.h"
#include "grid/link.h"

enum {
    EVEN  = 256,
    STAGE = STRESSED(256 << 20, 1 << 13)
}; /* bytes: where pieces begin; under way from, and to, a device */

/* ---- room -------------------------------------------------------------------------------------------------------- */

void grid_link_trim(WwGrid *g)
{
    GridLink *l = g->link;
    WwDevice *d = g->member[0].device;
    for (int send = 0; l && send < 2; send++) {
        if (l->room[send])
            ww_free(d, l->room[send]);
        if (l->host[send] && d->ops->host_alloc)
            d->ops->host_free(d, l->host[send]);
        else
            free(l->host[send]);
        l->room[send] = 0;
        l->host[send] = NULL;
    }
    if (l)
        l->stage = 0;
}

static Status take_room(WwGrid *g, size_t stage)
{
    GridLink *l = g->link;
    WwDevice *d = g->member[0].device;
    for (int send = 0; send < 2; send++) {
        void *p = NULL;
        if (l->way == WW_GRID_NCCL)
            TRY(ww_alloc(d, stage, &l->room[send]));
        else if (d->ops->host_alloc)
            TRY(d->ops->host_alloc(d, stage, &p));
        else if (!(p = malloc(stage)))
            return device_fail(d, WW_ERR_NO_MEMORY, "this machine has no %zu bytes left", stage);
        l->host[send] = p;
    }
    l->stage = stage;
    return WW_OK;
}

Status grid_link_begin(WwGrid *g, const GridProblem *p)
{
    GridLink *l = g->link;
    size_t    line =
        grid_pitch(p->tile > p->panel ? p->tile : p->panel) * (p->operand > p->result ? p->operand : p->result);
    size_t panel = size_mul(p->tile, p->panel) * p->operand, tile = size_mul(p->tile, p->tile) * p->result;
    size_t stage = panel > tile ? panel : tile;
    stage        = stage < STAGE ? stage : STAGE;
    stage        = stage > line ? stage : line;
    l->noted     = WW_OK;
    l->pieces    = 0;
    for (int send = 0; send < 2; send++)
        memset(l->filled[send], 0, l->how.ranks * sizeof *l->filled[send]);
    if (l->stage == stage)
        return WW_OK;
    grid_link_trim(g);
    Status s = take_room(g, stage);
    if (s != WW_OK)
        grid_link_trim(g);
    return s;
}

/* ---- this rank's failures ---------------------------------------------------------------------------------------- */

void grid_link_note(WwGrid *g, Status s)
{
    g->link->noted = g->link->noted == WW_OK ? s : g->link->noted;
}

Status grid_link_noted(const WwGrid *g)
{
    return g->link->noted;
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

static Status over_host(WwGrid *g)
{
    GridLink   *l = g->link;
    GridMember *m = &g->member[0];
    for (size_t i = 0; i < l->pieces; i++) {
        const LinkPiece *q  = &l->piece[i];
        char            *at = l->host[q->send] + q->offset;
        l->message[i]       = (WwGridMessage){q->send, q->peer, at, q->bytes * q->lines};
        if (q->send && l->noted == WW_OK)
            grid_link_note(g,
                           device_copy_rows(m->device, m->in,
                                            &(DeviceRows){false, at, q->bytes, q->at, q->pitch, q->bytes, q->lines}));
    }
    if (l->pieces && l->noted == WW_OK) /* what was received before is on the device, too */
        grid_link_note(g, ww_stream_wait(m->in));
    if (l->how.move(l->how.user, l->message, l->pieces))
        return link_lose(g, "the messages between the ranks failed");
    for (size_t i = 0; i < l->pieces; i++) {
        const LinkPiece *q = &l->piece[i];
        if (!q->send && l->noted == WW_OK)
            grid_link_note(g, device_copy_rows(m->device, m->in,
                                               &(DeviceRows){true, l->host[0] + q->offset, q->bytes, q->at, q->pitch,
                                                             q->bytes, q->lines}));
    }
    return WW_OK;
}

/* Between the piece's place and its room, where they are not the same. */
static Status pack(const WwGrid *g, const LinkPiece *q)
{
    const GridLink   *l    = g->link;
    const GridMember *m    = &g->member[0];
    WwPtr             room = l->room[q->send] + q->offset;
    if (q->pitch == q->bytes || q->lines == 1)
        return WW_OK;
    return device_copy_across(m->device, m->in,
                              &(DeviceAcross){.from      = m->device,
                                              .to        = m->device,
                                              .src       = q->send ? q->at : room,
                                              .dst       = q->send ? room : q->at,
                                              .src_pitch = q->send ? q->pitch : q->bytes,
                                              .dst_pitch = q->send ? q->bytes : q->pitch,
                                              .bytes     = q->bytes,
                                              .rows      = q->lines});
}

static Status over_nccl(WwGrid *g)
{
    GridLink *l = g->link;
    if (l->pieces == 0)
        return WW_OK;
    for (size_t i = 0; i < l->pieces; i++)
        if (l->piece[i].send)
            TRY(pack(g, &l->piece[i]));
    TRY(link_group(g));
    for (size_t i = 0; i < l->pieces; i++)
        if (!l->piece[i].send)
            TRY(pack(g, &l->piece[i]));
    return WW_OK;
}

static Status send_batch(WwGrid *g)
{
    GridLink *l = g->link;
    if (l->way == WW_GRID_NCCL && l->noted == WW_OK)
        grid_link_note(g, over_nccl(g));
    Status s  = l->way == WW_GRID_NCCL ? l->noted : over_host(g);
    l->pieces = 0;
    for (int send = 0; send < 2; send++)
        memset(l->filled[send], 0, l->how.ranks * sizeof *l->filled[send]);
    return s;
}

static void keep(GridLink *l, const LinkPiece *q)
{
    if (l->pieces == l->most) {
        l->most    = l->most ? 2 * l->most : STRESSED(64, 1);
        l->piece   = xrealloc(l->piece, l->most * sizeof *l->piece);
        l->message = xrealloc(l->message, l->most * sizeof *l->message);
    }
    l->piece[l->pieces++] = *q;
}

/* As many of the lines as there is still room for in this batch. */
static void take_lines(GridLink *l, LinkWait *w)
{
    size_t used = l->filled[1][w->from] > l->filled[0][w->to] ? l->filled[1][w->from] : l->filled[0][w->to];
    size_t fit = (l->stage - used) / w->q.bytes, own = l->how.rank;
    fit = fit < w->q.lines ? fit : w->q.lines;
    if (fit == 0)
        return;
    LinkPiece q = w->q;
    q.lines     = fit;
    q.send      = w->from == own;
    q.peer      = q.send ? w->to : w->from;
    q.offset    = q.send ? l->filled[1][w->from] : l->filled[0][w->to];
    if (w->from == own || w->to == own)
        keep(l, &q);
    w->q.lines -= fit;
    w->q.at += fit * w->q.pitch;
    size_t bytes = (fit * q.bytes + EVEN - 1) / EVEN * EVEN;
    for (int send = 0; send < 2; send++) {
        size_t *filled = &l->filled[send][send ? w->from : w->to];
        *filled        = l->stage - *filled < bytes ? l->stage : *filled + bytes;
    }
}

/* Each batch takes of every device's pieces, so that all of them send and receive at once. */
Status grid_link_flush(WwGrid *g)
{
    GridLink *l = g->link;
    while (l->waits) {
        size_t left = 0;
        for (size_t i = 0; i < l->waits; i++) {
            take_lines(l, &l->wait[i]);
            if (l->wait[i].q.lines)
                l->wait[left++] = l->wait[i];
        }
        l->waits = left;
        TRY(send_batch(g));
    }
    return WW_OK;
}

static void await(GridLink *l, size_t from, size_t to, LinkPiece q)
{
    if (l->waits == l->most_waits) {
        l->most_waits = l->most_waits ? 2 * l->most_waits : STRESSED(64, 1);
        l->wait       = xrealloc(l->wait, l->most_waits * sizeof *l->wait);
    }
    l->wait[l->waits++] = (LinkWait){from, to, q};
}

static Status within(const WwGrid *g, const GridTransfer *t, const GridPiece *q)
{
    const GridMember *m    = &g->member[0];
    WwPtr             mine = t->at + q->part.line * t->pitch + q->part.along * t->element;
    size_t            ld   = t->x->ld * t->element;
    return device_copy_across(m->device, m->in,
                              &(DeviceAcross){.from      = m->device,
                                              .to        = m->device,
                                              .src       = t->in ? q->at : mine,
                                              .dst       = t->in ? mine : q->at,
                                              .src_pitch = t->in ? ld : t->pitch,
                                              .dst_pitch = t->in ? t->pitch : ld,
                                              .bytes     = q->part.length * t->element,
                                              .rows      = q->part.lines});
}

static void add_piece(WwGrid *g, const GridTransfer *t, const GridPiece *q)
{
    GridLink *l   = g->link;
    size_t    own = l->how.rank, bytes = q->part.length * t->element;
    bool      at_worker = own == t->worker;
    if (q->device == t->worker) {
        if (at_worker && l->noted == WW_OK)
            grid_link_note(g, within(g, t, q));
        return;
    }
    if (at_worker)
        g->member[0].share.peer_bytes += bytes * q->part.lines;
    await(l, t->in ? q->device : t->worker, t->in ? t->worker : q->device,
          (LinkPiece){.at    = at_worker ? t->at + q->part.line * t->pitch + q->part.along * t->element : q->at,
                      .pitch = at_worker ? t->pitch : t->x->ld * t->element,
                      .bytes = bytes,
                      .lines = q->part.lines});
}

Status grid_link_add(WwGrid *g, const GridTransfer *t)
{
    GridLink *l = g->link;
    if (!t->x->spread) { /* each rank has its own */
        if (l->how.rank == t->worker && l->noted == WW_OK)
            grid_link_note(g, grid_move(g, 0, g->member[0].in, t->x, t->element, &t->r, t->at, t->pitch, t->in));
        return WW_OK;
    }
    bool   all  = t->x->spread->everywhere && !t->in; /* a result of which each device has all */
    size_t from = all ? 0 : t->worker, to = all ? grid_workers(g) : t->worker + 1;
    for (size_t here = from; here < to; here++)
        for (GridPiece q = {0}; grid_piece(t->x, t->element, &t->r, here, &q);)
            add_piece(g, t, &q);
    return WW_OK;
}
