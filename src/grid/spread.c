/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrices that lie on the devices: the two-dimensional block-cyclic distribution, by lines (grid.h), and copies of rectangles of them.
 *
 * A direction that one device has alone is one block, however it was cut: its blocks lie side by side.  So a rectangle falls into few pieces. */
#include "grid/grid.h"

GridSpread grid_spread(const WwGrid *g, const WwGridArray *a, WwLayout layout)
{
    bool       cm = layout == WW_COLUMN_MAJOR;
    GridSpread s  = {.at = a->at, .own = grid_first(g), .here = g->n, .everywhere = a->down == 0};
    s.block[cm]   = a->block_rows;
    s.block[!cm]  = a->block_columns;
    s.count[cm]   = a->down ? a->down : 1;
    s.count[!cm]  = a->across ? a->across : 1;
    s.stride[cm]  = a->across;
    s.stride[!cm] = 1;
    for (int d = 0; d < 2; d++)
        if (s.count[d] == 1)
            s.block[d] = SIZE_MAX;
    return s;
}

size_t grid_local(const GridSpread *s, int direction, size_t n, size_t device)
{
    size_t block = s->block[direction], count = s->count[direction];
    if (count == 1)
        return n;
    size_t round = n / (block * count), rest = n % (block * count),
           before = device / s->stride[direction] % count * block;
    rest          = rest > before ? rest - before : 0;
    return round * block + (rest < block ? rest : block);
}

/* Element i of that direction: its device's place, its place there, and how many follow on the same device. */
static void locate(const GridSpread *s, int d, size_t i, size_t *device, size_t *there, size_t *follow)
{
    size_t block = s->block[d], b = block == SIZE_MAX ? 0 : i / block;
    *device = b % s->count[d];
    *there  = block == SIZE_MAX ? i : b / s->count[d] * block + i % block;
    *follow = block == SIZE_MAX ? SIZE_MAX : block - i % block;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

bool grid_piece(const GridMatrix *x, size_t element, const GridRect *r, size_t here, GridPiece *out)
{
    const GridSpread *s = x->spread;
    size_t            line, along, there[2], follow[2], place[2];
    if (out->part.lines) { /* the next along the lines, then the next lines */
        out->part.along += out->part.length;
        if (out->part.along == r->length) {
            out->part.along = 0;
            out->part.line += out->part.lines;
        }
    }
    line  = r->line + out->part.line;
    along = r->along + out->part.along;
    if (out->part.line == r->lines || r->length == 0)
        return false;
    locate(s, 0, line, &place[0], &there[0], &follow[0]);
    locate(s, 1, along, &place[1], &there[1], &follow[1]);
    out->part.lines  = least(r->lines - out->part.line, follow[0]);
    out->part.length = least(r->length - out->part.along, follow[1]);
    out->device      = s->everywhere ? here : place[0] * s->stride[0] + place[1] * s->stride[1];
    out->at =
        out->device - s->own < s->here ? s->at[out->device - s->own] + (there[0] * x->ld + there[1]) * element : 0;
    return true;
}

bool grid_in_place(const GridMatrix *x, size_t element, const GridRect *r, size_t device, WwPtr *at)
{
    GridPiece one = {0};
    if (!x->spread || !grid_piece(x, element, r, device, &one) || one.device != device || one.part.lines != r->lines ||
        one.part.length != r->length)
        return false;
    *at = one.at;
    return true;
}

Status grid_move_piece(WwGrid *g, size_t member, WwStream *s, const GridMatrix *x, size_t element, const GridPiece *q,
                       WwPtr at, size_t pitch, bool in)
{
    GridMember *m      = &g->member[member];
    WwPtr       mine   = at + q->part.line * pitch + q->part.along * element;
    size_t      ld     = x->ld * element;
    size_t      holder = q->device - grid_first(g);
    WwDevice   *of     = g->member[holder].device;
    if (holder != member)
        m->share.peer_bytes += q->part.lines * q->part.length * element;
    return device_copy_across(m->device, s,
                              &(DeviceAcross){.from      = in ? of : m->device,
                                              .to        = in ? m->device : of,
                                              .src       = in ? q->at : mine,
                                              .dst       = in ? mine : q->at,
                                              .src_pitch = in ? ld : pitch,
                                              .dst_pitch = in ? pitch : ld,
                                              .bytes     = q->part.length * element,
                                              .rows      = q->part.lines});
}

static Status move_host(GridMember *m, WwStream *s, const GridMatrix *x, size_t element, const GridRect *r, WwPtr at,
                        size_t pitch, bool in)
{
    const char *host = x->at + (r->line * x->ld + r->along) * element;
    *(in ? &m->share.in_bytes : &m->share.out_bytes) += r->lines * r->length * element;
    return device_copy_rows(m->device, s,
                            &(DeviceRows){.in         = in,
                                          .host       = (void *)(uintptr_t)host,
                                          .host_pitch = x->ld * element,
                                          .at         = at,
                                          .pitch      = pitch,
                                          .bytes      = r->length * element,
                                          .rows       = r->lines});
}

Status grid_move(WwGrid *g, size_t member, WwStream *s, const GridMatrix *x, size_t element, const GridRect *r,
                 WwPtr at, size_t pitch, bool in)
{
    if (!x->spread)
        return move_host(&g->member[member], s, x, element, r, at, pitch, in);
    bool   all  = x->spread->everywhere && !in; /* a result of which each device has all */
    size_t from = all ? 0 : member, to = all ? g->n : member + 1;
    for (size_t here = from; here < to; here++)
        for (GridPiece q = {0}; grid_piece(x, element, r, here, &q);)
            TRY(grid_move_piece(g, member, s, x, element, &q, at, pitch, in));
    return WW_OK;
}

/* ---- whole matrices ---------------------------------------------------------------------------------------------- */

WwStatus ww_grid_part(const WwGrid *g, const WwGridArray *a, size_t rows, size_t columns, size_t i, size_t *part_rows,
                      size_t *part_columns)
{
    if (!g || !a || i >= grid_workers(g) ||
        (a->down ? a->down * a->across != grid_workers(g) || !a->block_rows || !a->block_columns : a->across != 0))
        return WW_ERR_INVALID;
    GridSpread s = grid_spread(g, a, WW_ROW_MAJOR);
    if (part_rows)
        *part_rows = grid_local(&s, 0, rows, i);
    if (part_columns)
        *part_columns = grid_local(&s, 1, columns, i);
    return WW_OK;
}

static Status copy_whole(WwGrid *g, const char *who, const WwGridCopy *c, bool in)
{
    if (!g)
        return WW_ERR_INVALID;
    if (!c || !c->array || !c->host || c->element == 0 || c->element > 16 || (c->element & (c->element - 1)) ||
        (c->layout != WW_ROW_MAJOR && c->layout != WW_COLUMN_MAJOR))
        return grid_fail(g, WW_ERR_INVALID,
                         "%s needs an array, a layout, host memory and elements of 1, 2, 4, 8 or 16 bytes", who);
    bool      cm   = c->layout == WW_COLUMN_MAJOR;
    GridGiven on   = {"array", NULL, cm ? c->columns : c->rows, cm ? c->rows : c->columns, 0, c->element, c->array};
    GridGiven host = {"host", c->host, on.lines, on.length, c->ld, c->element, NULL};
    TRY(grid_check(g, who, c->layout, &on));
    TRY(grid_check(g, who, c->layout, &host));
    GridSpread s = grid_spread(g, c->array, c->layout);
    GridMatrix x = {.ld = c->array->ld, .spread = &s};
    GridRect   r = {0, on.lines, 0, on.length};
    for (size_t i = 0; i < g->n && (in || !s.everywhere || i == 0); i++)
        for (GridPiece q = {0}; grid_piece(&x, c->element, &r, s.own + i, &q);) {
            char *at = (char *)c->host + (q.part.line * c->ld + q.part.along) * c->element;
            if (q.device != s.own + i)
                continue;
            Status e = device_copy_rows(g->member[i].device, g->member[i].in,
                                        &(DeviceRows){.in         = in,
                                                      .host       = at,
                                                      .host_pitch = c->ld * c->element,
                                                      .at         = q.at,
                                                      .pitch      = x.ld * c->element,
                                                      .bytes      = q.part.length * c->element,
                                                      .rows       = q.part.lines});
            if (e != WW_OK)
                return grid_fail(g, e, "%s: device %zu: %s", who, i, ww_device_error(g->member[i].device));
        }
    for (size_t i = 0; i < g->n; i++) {
        Status e = ww_stream_wait(g->member[i].in);
        if (e != WW_OK)
            return grid_fail(g, e, "%s: device %zu: %s", who, i, ww_device_error(g->member[i].device));
    }
    return WW_OK;
}

WwStatus ww_grid_scatter(WwGrid *g, const WwGridCopy *c)
{
    return copy_whole(g, "ww_grid_scatter", c, true);
}

WwStatus ww_grid_gather(WwGrid *g, const WwGridCopy *c)
{
    return copy_whole(g, "ww_grid_gather", c, false);
}
