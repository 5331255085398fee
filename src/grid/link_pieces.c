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

static void give_room(WwDevice *d, LinkEnd *e)
{
    for (int send = 0; send < 2; send++) {
        if (e->room[send])
            ww_free(d, e->room[send]);
        if (e->host[send] && d->ops->host_alloc)
            d->ops->host_free(d, e->host[send]);
        else
            free(e->host[send]);
        e->room[send] = 0;
        e->host[send] = NULL;
    }
    e->stage = 0;
}

static void begin_batch(WwGrid *g)
{
    g->link->pieces = 0;
    for (int send = 0; send < 2; send++)
        memset(g->link->filled[send], 0, grid_workers(g) * sizeof *g->link->filled[send]);
}

void grid_link_trim(WwGrid *g)
{
    for (size_t i = 0; g->link && i < g->n; i++)
        give_room(g->member[i].device, &g->link->end[i]);
}

static Status take_room(WwDevice *d, WwGridWay way, size_t stage, LinkEnd *e)
{
    for (int send = 0; send < 2; send++) {
        void *p = NULL;
        if (way == WW_GRID_NCCL)
            TRY(ww_alloc(d, stage, &e->room[send]));
        else if (d->ops->host_alloc)
            TRY(d->ops->host_alloc(d, stage, &p));
        else if (!(p = malloc(stage)))
            return device_fail(d, WW_ERR_NO_MEMORY, "this machine has no %zu bytes left", stage);
        e->host[send] = p;
    }
    e->stage = stage;
    return WW_OK;
}

Status grid_link_begin(WwGrid *g, size_t member, const GridProblem *p)
{
    GridLink *l = g->link;
    LinkEnd  *e = &l->end[member];
    WwDevice *d = g->member[member].device;
    size_t    line =
        grid_pitch(p->tile > p->panel ? p->tile : p->panel) * (p->operand > p->result ? p->operand : p->result);
    size_t panel = size_mul(p->tile, p->panel) * p->operand, tile = size_mul(p->tile, p->tile) * p->result;
    size_t stage = panel > tile ? panel : tile;
    stage        = stage < STAGE ? stage : STAGE;
    l->stage     = stage > line ? stage : line;
    l->noted     = WW_OK;
    begin_batch(g);
    if (e->stage == l->stage)
        return WW_OK;
    give_room(d, e);
    Status s = take_room(d, l->way, l->stage, e);
    if (s != WW_OK)
        give_room(d, e);
    return s;
}

/* ---- this rank's failures ---------------------------------------------------------------------------------------- */

void grid_link_note(WwGrid *g, size_t member, Status s)
{
    if (g->link->noted != WW_OK || s == WW_OK)
        return;
    g->link->noted    = s;
    g->link->noted_by = member;
}

Status grid_link_noted(const WwGrid *g, size_t *member)
{
    if (member)
        *member = g->link->noted == WW_OK ? 0 : g->link->noted_by;
    return g->link->noted;
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

/* Between the piece's place and its room in host memory, unless a device has failed. */
static void copy_piece(WwGrid *g, const LinkPiece *q)
{
    GridMember *m    = &g->member[q->member];
    char       *room = g->link->end[q->member].host[q->send] + q->offset;
    if (g->link->noted == WW_OK)
        grid_link_note(g, q->member,
                       device_copy_rows(m->device, m->in,
                                        &(DeviceRows){!q->send, room, q->bytes, q->at, q->pitch, q->bytes, q->lines}));
}

static Status over_host(WwGrid *g)
{
    GridLink *l = g->link;
    for (size_t i = 0; i < l->pieces; i++) {
        const LinkPiece *q = &l->piece[i];
        l->message[i] =
            (WwGridMessage){q->send, q->peer / g->n, l->end[q->member].host[q->send] + q->offset, q->bytes * q->lines};
        if (q->send)
            copy_piece(g, q);
    }
    for (size_t i = 0; i < g->n && l->pieces && l->noted == WW_OK; i++) /* what was received before is there, too */
        grid_link_note(g, i, ww_stream_wait(g->member[i].in));
    if (l->how.move(l->how.user, l->message, l->pieces))
        return link_lose(g, "the messages between the ranks failed");
    for (size_t i = 0; i < l->pieces; i++)
        if (!l->piece[i].send)
            copy_piece(g, &l->piece[i]);
    return WW_OK;
}

/* Between the piece's place and its room, where they are not the same. */
static void pack(WwGrid *g, bool send)
{
    const GridLink *l = g->link;
    for (size_t i = 0; i < l->pieces && l->noted == WW_OK; i++) {
        const LinkPiece  *q    = &l->piece[i];
        const GridMember *m    = &g->member[q->member];
        WwPtr             room = l->end[q->member].room[send] + q->offset;
        if (q->send != send || q->pitch == q->bytes || q->lines == 1)
            continue;
        grid_link_note(g, q->member,
                       device_copy_across(m->device, m->in,
                                          &(DeviceAcross){.from      = m->device,
                                                          .to        = m->device,
                                                          .src       = send ? q->at : room,
                                                          .dst       = send ? room : q->at,
                                                          .src_pitch = send ? q->pitch : q->bytes,
                                                          .dst_pitch = send ? q->bytes : q->pitch,
                                                          .bytes     = q->bytes,
                                                          .rows      = q->lines}));
    }
}

static Status over_nccl(WwGrid *g)
{
    size_t member = 0;
    pack(g, true);
    if (g->link->pieces && g->link->noted == WW_OK) {
        Status s = link_group(g, &member);
        grid_link_note(g, member, s);
    }
    pack(g, false);
    return g->link->noted;
}

static Status send_batch(WwGrid *g)
{
    Status s = g->link->way == WW_GRID_NCCL ? over_nccl(g) : over_host(g);
    begin_batch(g);
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
static void take_lines(WwGrid *g, LinkWait *w)
{
    GridLink *l    = g->link;
    size_t    used = l->filled[1][w->from] > l->filled[0][w->to] ? l->filled[1][w->from] : l->filled[0][w->to];
    size_t    fit  = (l->stage - used) / w->q.bytes;
    fit            = fit < w->q.lines ? fit : w->q.lines;
    if (fit == 0)
        return;
    LinkPiece q = w->q;
    q.lines     = fit;
    q.send      = link_own(g, w->from);
    q.member    = (q.send ? w->from : w->to) - grid_first(g);
    q.peer      = q.send ? w->to : w->from;
    q.offset    = q.send ? l->filled[1][w->from] : l->filled[0][w->to];
    if (q.send || link_own(g, w->to))
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
            take_lines(g, &l->wait[i]);
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

static void add_piece(WwGrid *g, const GridTransfer *t, const GridPiece *q)
{
    GridLink *l      = g->link;
    size_t    member = t->worker - grid_first(g), bytes = q->part.length * t->element;
    bool      at_worker = link_own(g, t->worker);
    if (q->device / g->n == t->worker / g->n) { /* of one process: each reaches into the other's memory */
        if (at_worker && l->noted == WW_OK)
            grid_link_note(
                g, member,
                grid_move_piece(g, member, g->member[member].in, t->x, t->element, q, t->at, t->pitch, t->in));
        return;
    }
    if (at_worker)
        g->member[member].share.peer_bytes += bytes * q->part.lines;
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
        size_t member = t->worker - grid_first(g);
        if (link_own(g, t->worker) && l->noted == WW_OK)
            grid_link_note(g, member,
                           grid_move(g, member, g->member[member].in, t->x, t->element, &t->r, t->at, t->pitch, t->in));
        return WW_OK;
    }
    bool   all  = t->x->spread->everywhere && !t->in; /* a result of which each device has all */
    size_t from = all ? 0 : t->worker, to = all ? grid_workers(g) : t->worker + 1;
    for (size_t here = from; here < to; here++)
        for (GridPiece q = {0}; grid_piece(t->x, t->element, &t->r, here, &q);)
            add_piece(g, t, &q);
    return WW_OK;
}
