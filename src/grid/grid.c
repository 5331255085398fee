/* SPDX-License-Identifier: Apache-2.0
 *
 * Products over several devices: the devices, the checks, one host thread a device.
 *
 * A column-major product is the row-major one of the transposes, so the operands change places, as in blas/arguments.c; a symmetric result only
 * changes the names of its triangles.  The first failure in the order of devices is what the caller is told; the others end at their next tile. */
#include "grid/grid.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/sizes.h"

/* ---- devices ----------------------------------------------------------------------------------------------------- */

static void member_close(GridMember *m)
{
    void **marks[] = {m->came, m->done, m->left};
    ww_blas_close(m->blas);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        for (int s = 0; s < SLOTS; s++)
            if (marks[i][s])
                m->device->ops->mark_free(m->device, marks[i][s]);
    WwStream *streams[] = {m->in, m->work, m->out};
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++)
        if (streams[i])
            ww_stream_close(streams[i]);
}

static Status member_open(GridMember *m, WwDevice *d)
{
    m->device = d;
    TRY(ww_stream_open(d, NULL, &m->in));
    TRY(ww_stream_open(d, NULL, &m->work));
    TRY(ww_stream_open(d, NULL, &m->out));
    TRY(ww_blas_open(d, &m->blas));
    return ww_blas_stream(m->blas, m->work);
}

static Status refuse(const char **message, const char *text)
{
    if (message)
        *message = text;
    return WW_ERR_INVALID;
}

WwStatus ww_grid_open(WwDevice *const *devices, size_t n, WwGrid **out, const char **message)
{
    static _Thread_local char text[256];
    if (!out)
        return refuse(message, "ww_grid_open: out is NULL");
    *out = NULL;
    if (!devices || n == 0 || n > WW_GRID_DEVICES)
        return refuse(message, "ww_grid_open takes 1 to 64 devices");
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            if (!devices[i] || (j < i && devices[j] == devices[i]))
                return refuse(message, "ww_grid_open: a device is NULL, or there twice");
    WwGrid *g = xcalloc(1, sizeof *g);
    g->member = xcalloc(n, sizeof *g->member);
    g->ranks  = 1;
    for (; g->n < n; g->n++) {
        Status s = member_open(&g->member[g->n], devices[g->n]);
        if (s == WW_OK)
            continue;
        snprintf(text, sizeof text, "device %zu: %s", g->n, ww_device_error(devices[g->n]));
        g->n++;
        ww_grid_close(g);
        if (message)
            *message = text;
        return s;
    }
    for (size_t i = 0; i < n * n; i++)
        if (devices[i / n]->ops->reach && i / n != i % n)
            devices[i / n]->ops->reach(devices[i / n], devices[i % n]);
    *out = g;
    return WW_OK;
}

void ww_grid_trim(WwGrid *g)
{
    if (!g)
        return;
    grid_release(g);
    grid_link_trim(g);
}

void ww_grid_close(WwGrid *g)
{
    if (!g)
        return;
    grid_link_close(g);
    grid_release(g);
    for (size_t i = 0; i < g->n; i++)
        member_close(&g->member[i]);
    str_free(&g->error);
    free(g->by);
    free(g->member);
    free(g);
}

/* The device whose driver knows of the grid's host memory: the first that has a word to say; NULL: all take any. */
static WwDevice *keeper(const WwGrid *g)
{
    for (size_t i = 0; i < g->n; i++)
        if (g->member[i].device->ops->host_alloc)
            return g->member[i].device;
    return NULL;
}

void *ww_grid_memory(WwGrid *g, size_t bytes)
{
    enum { ALIGN = 256 };
    void     *p = NULL;
    WwDevice *d = g ? keeper(g) : NULL;
    if (!g || bytes == 0 || bytes > PTRDIFF_MAX - ALIGN) {
        if (g)
            grid_fail(g, WW_ERR_INVALID, "ww_grid_memory: %zu bytes are none, or more than memory can be", bytes);
        return NULL;
    }
    if (d && d->ops->host_alloc(d, bytes, &p) != WW_OK)
        grid_fail(g, WW_ERR_NO_MEMORY, "ww_grid_memory: %zu bytes: %s", bytes, ww_device_error(d));
    else if (!d && !(p = aligned_alloc(ALIGN, (bytes + ALIGN - 1) / ALIGN * ALIGN)))
        grid_fail(g, WW_ERR_NO_MEMORY, "ww_grid_memory: this machine has no %zu bytes left", bytes);
    return p;
}

void ww_grid_memory_free(WwGrid *g, void *p)
{
    WwDevice *d = g ? keeper(g) : NULL;
    if (p && d)
        d->ops->host_free(d, p);
    else if (!d)
        free(p);
}

size_t ww_grid_size(const WwGrid *g)
{
    return g ? g->n : 0;
}

const char *ww_grid_error(const WwGrid *g)
{
    return g ? str_text(&g->error) : "";
}

WwStatus ww_grid_share(const WwGrid *g, size_t i, WwGridShare *out)
{
    if (!g || !out || i >= g->n)
        return WW_ERR_INVALID;
    *out = g->member[i].share;
    return WW_OK;
}

void ww_grid_shape(const WwGrid *g, size_t *tile, size_t *panel)
{
    if (tile)
        *tile = g ? g->last.tile : 0;
    if (panel)
        *panel = g ? g->last.panel : 0;
}

size_t ww_grid_tiles(const WwGrid *g)
{
    return g && g->last.tile ? grid_tiles(&g->last) : 0;
}

WwStatus ww_grid_tile(const WwGrid *g, size_t i, WwGridTile *out)
{
    if (!out || i >= ww_grid_tiles(g))
        return WW_ERR_INVALID;
    bool      cm     = g->last.layout == WW_COLUMN_MAJOR;
    size_t    worker = g->by[i];
    GridPlace t      = grid_place(&g->last, i);
    *out = (WwGridTile){cm ? t.col : t.row, cm ? t.row : t.col, cm ? t.cols : t.rows,       cm ? t.rows : t.cols,
                        worker / g->n,      worker % g->n,      g->last.full && !t.diagonal};
    return WW_OK;
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

/* Of an operand, where the product reads it. */
static Status check_operand(WwGrid *g, const char *who, const GridProblem *p, const GridGiven *m, const GridGiven *c)
{
    if (!p->k || !p->m || !p->n)
        return WW_OK;
    TRY(grid_check(g, who, p->layout, m));
    bool same = m->on && c->on ? m->on == c->on : !m->on && !c->on && m->at == c->at;
    for (size_t i = 0; m->on && c->on && i < g->n; i++)
        same = same || (m->on->at[i] && m->on->at[i] == c->on->at[i]);
    if (same)
        return grid_fail(g, WW_ERR_INVALID, "%s: c begins where %s does: a result must not overlap an operand", who,
                         m->name);
    return WW_OK;
}

static Status check_kinds(WwGrid *g, const char *who, const GridProblem *p)
{
    const size_t sizes[] = {p->m, p->n, p->k};
    if (!type_row(p->type))
        return grid_fail(g, WW_ERR_INVALID, "%s: type %d is none of WwType", who, (int)p->type);
    if (p->layout != WW_ROW_MAJOR && p->layout != WW_COLUMN_MAJOR)
        return grid_fail(g, WW_ERR_INVALID, "%s: layout %d is neither WW_ROW_MAJOR nor WW_COLUMN_MAJOR", who,
                         (int)p->layout);
    if (p->precision != WW_EXACT && p->precision != WW_TENSOR)
        return grid_fail(g, WW_ERR_INVALID, "%s: precision %d is neither WW_EXACT nor WW_TENSOR", who,
                         (int)p->precision);
    for (size_t i = 0; i < 3; i++)
        if (sizes[i] > (size_t)1 << 40)
            return grid_fail(g, WW_ERR_INVALID, "%s: %c = %zu is more than 2^40", who, "mnk"[i], sizes[i]);
    if (p->rank >= p->ranks || p->ranks > 1 << 20)
        return grid_fail(g, WW_ERR_INVALID, "%s: rank = %zu of %zu is none", who, p->rank, p->ranks);
    if (p->tile % 64 || p->panel % 64 || p->tile > 1 << 20)
        return grid_fail(g, WW_ERR_INVALID,
                         "%s: tile = %zu and panel = %zu are to be multiples of 64, a tile at most 2^20", who, p->tile,
                         p->panel);
    return WW_OK;
}

/* What both calls begin with: the kinds are known; an alpha of zero leaves no terms; C is checked, whose `element` is set here. */
static Status begin(WwGrid *g, const char *who, GridProblem *p, GridGiven *c)
{
    TRY(check_kinds(g, who, p));
    const TypeRow *type = type_row(p->type);
    c->element          = type->result;
    p->operand          = type->operand;
    p->result           = type->result;
    p->k                = type_zero(p->type, p->alpha) ? 0 : p->k;
    p->keep             = !type_zero(p->type, p->beta);
    return grid_check(g, who, p->layout, c);
}

static Status check_ranks(WwGrid *g, const char *who, size_t ranks, bool spread)
{
    if (ranks && g->link)
        return grid_fail(g, WW_ERR_INVALID, "%s: ranks = %zu: those of joined grids are the link's; leave it 0", who,
                         ranks);
    if (ranks > 1 && spread)
        return grid_fail(g, WW_ERR_INVALID,
                         "%s: with %zu ranks that are not joined (ww_grid_link) matrices lie in host memory", who,
                         ranks);
    return WW_OK;
}

static GridMatrix matrix_of(const WwGrid *g, const GridGiven *m, bool trans, WwLayout layout, GridSpread *room)
{
    GridMatrix x = {.at = m->at, .trans = trans, .ld = m->on ? m->on->ld : m->ld};
    if (m->on) {
        *room    = grid_spread(g, m->on, layout);
        x.spread = room;
    }
    return x;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

typedef struct Job {
    WwGrid            *g;
    const GridProblem *p;
    size_t             device;
    pthread_t          thread;
    bool               started;
} Job;

static void *work(void *user)
{
    Job        *j = user;
    GridMember *m = &j->g->member[j->device];
    m->status     = grid_work(j->g, j->device, j->p);
    if (m->status != WW_OK)
        atomic_store(&j->g->stop, true);
    return NULL;
}

/* Devices without streams that reach into each other's memory take turns. */
static bool take_turns(const WwGrid *g, const GridProblem *p)
{
    bool spread = p->x.spread || p->y.spread || p->c.spread, alike = true;
    for (size_t i = 0; i < g->n; i++)
        alike = alike && g->member[i].device->ops->copy_across && g->member[i].device->ops == g->member[0].device->ops;
    return spread && !alike;
}

/* Every device at once; the last one by the caller's own thread. */
static void work_all(WwGrid *g, const GridProblem *p)
{
    Job *job   = xcalloc(g->n, sizeof *job);
    bool turns = take_turns(g, p);
    atomic_store(&g->stop, false);
    for (size_t i = 0; i < g->n; i++) {
        job[i]         = (Job){.g = g, .p = p, .device = i};
        job[i].started = !turns && i + 1 < g->n && pthread_create(&job[i].thread, NULL, work, &job[i]) == 0;
    }
    for (size_t i = 0; i < g->n; i++)
        if (!job[i].started)
            work(&job[i]);
    for (size_t i = 0; i < g->n; i++)
        if (job[i].started)
            pthread_join(job[i].thread, NULL);
    free(job);
}

static Status run_all(WwGrid *g, const GridProblem *p)
{
    for (size_t i = 0; i < g->n; i++)
        g->member[i].share = (WwGridShare){.planned_ms = clock_ms() - g->began};
    if (g->link)
        grid_rounds(g, p);
    else
        work_all(g, p);
    for (size_t i = 0; i < g->n; i++)
        if (g->member[i].status != WW_OK)
            return g->told
                       ? g->member[i].status
                       : grid_fail(g, g->member[i].status, "device %zu: %s", i, ww_device_error(g->member[i].device));
    return WW_OK;
}

/* text: what must be the same on all ranks. */
static Status run(WwGrid *g, GridProblem *p, Status given, const char *text)
{
    g->last  = (GridProblem){0};
    g->began = clock_ms();
    if (given != WW_OK || p->m == 0 || p->n == 0)
        return grid_agree(g, given, text);
    Status s = grid_shape(g, p, text);
    if (s == WW_OK)
        s = grid_link_end(g, run_all(g, p));
    g->last   = *p;
    g->last.c = g->last.x = g->last.y = (GridMatrix){0};
    if (s != WW_OK)
        grid_release(g);
    return s;
}

/* Of joined grids the others have to hear of it: they are in their calls. */
static Status no_problem(WwGrid *g, const char *who)
{
    GridProblem none = {0};
    return run(g, &none, grid_fail(g, WW_ERR_INVALID, "%s needs a problem", who), "");
}

static Status given_gemm(WwGrid *g, const WwGridGemm *q, GridProblem *out, GridSpread *spread)
{
    static const char *const who    = "ww_grid_gemm";
    bool                     cm     = q->layout == WW_COLUMN_MAJOR;
    bool                     rows_a = q->trans_a == cm, rows_b = q->trans_b == cm; /* lines run along k, along n */
    GridProblem              p = {.type      = q->type,
                                  .m         = q->m,
                                  .n         = q->n,
                                  .k         = q->k,
                                  .alpha     = q->alpha,
                                  .beta      = q->beta,
                                  .layout    = q->layout,
                                  .precision = q->precision,
                                  .tile      = q->tile,
                                  .panel     = q->panel,
                                  .ranks     = q->ranks ? q->ranks : g->ranks,
                                  .rank      = q->ranks ? q->rank : g->rank};
    GridGiven                c = {"c", q->c, cm ? q->n : q->m, cm ? q->m : q->n, q->ldc, 0, q->on_c};
    TRY(begin(g, who, &p, &c));
    TRY(check_ranks(g, who, q->ranks, q->on_a || q->on_b || q->on_c));
    GridGiven a = {"a", q->a, rows_a ? q->m : q->k, rows_a ? q->k : q->m, q->lda, p.operand, q->on_a};
    GridGiven b = {"b", q->b, rows_b ? q->k : q->n, rows_b ? q->n : q->k, q->ldb, p.operand, q->on_b};
    TRY(check_operand(g, who, &p, &a, &c));
    TRY(check_operand(g, who, &p, &b, &c));
    GridMatrix x = matrix_of(g, &a, !rows_a, q->layout, &spread[0]);
    GridMatrix y = matrix_of(g, &b, rows_b, q->layout, &spread[1]);
    p.c          = matrix_of(g, &c, false, q->layout, &spread[2]);
    p.x          = cm ? y : x;
    p.y          = cm ? x : y;
    p.m          = cm ? q->n : q->m;
    p.n          = cm ? q->m : q->n;
    *out         = p;
    return WW_OK;
}

WwStatus ww_grid_gemm(WwGrid *g, const WwGridGemm *q)
{
    GridProblem p = {0};
    GridSpread  spread[3];
    char        text[GRID_TEXT];
    if (!g)
        return WW_ERR_INVALID;
    g->told = false;
    if (!q)
        return no_problem(g, "ww_grid_gemm");
    ww_grid_gemm_text(g, q, text, sizeof text);
    Status s = given_gemm(g, q, &p, spread);
    return run(g, &p, s, text);
}

static Status given_syrk(WwGrid *g, const WwGridSyrk *q, GridProblem *out, GridSpread *spread)
{
    static const char *const who = "ww_grid_syrk";
    bool                     cm  = q->layout == WW_COLUMN_MAJOR;
    GridProblem              p   = {.type      = q->type,
                                    .m         = q->n,
                                    .n         = q->n,
                                    .k         = q->k,
                                    .alpha     = q->alpha,
                                    .beta      = q->beta,
                                    .symmetric = true,
                                    .layout    = q->layout,
                                    .fill      = q->fill,
                                    .trans     = q->trans,
                                    .precision = q->precision,
                                    .tile      = q->tile,
                                    .panel     = q->panel,
                                    .ranks     = q->ranks ? q->ranks : g->ranks,
                                    .rank      = q->ranks ? q->rank : g->rank};
    GridGiven                c   = {"c", q->c, q->n, q->n, q->ldc, 0, q->on_c};
    TRY(begin(g, who, &p, &c));
    TRY(check_ranks(g, who, q->ranks, q->on_a || q->on_c));
    if (q->fill != WW_FULL && q->fill != WW_LOWER && q->fill != WW_UPPER)
        return grid_fail(g, WW_ERR_INVALID, "%s: fill %d is not one of WW_FULL, WW_LOWER, WW_UPPER", who, (int)q->fill);
    bool      along_k = q->trans == cm;
    GridGiven a       = {"a", q->a, along_k ? q->n : q->k, along_k ? q->k : q->n, q->lda, p.operand, q->on_a};
    TRY(check_operand(g, who, &p, &a, &c));
    p.x = p.y = matrix_of(g, &a, !along_k, q->layout, &spread[0]);
    p.c       = matrix_of(g, &c, false, q->layout, &spread[1]);
    p.full    = q->fill == WW_FULL;
    p.upper   = p.full ? cm : (q->fill == WW_UPPER) != cm; /* a full result is read in the caller's lower triangle */
    *out      = p;
    return WW_OK;
}

WwStatus ww_grid_syrk(WwGrid *g, const WwGridSyrk *q)
{
    GridProblem p = {0};
    GridSpread  spread[2];
    char        text[GRID_TEXT];
    if (!g)
        return WW_ERR_INVALID;
    g->told = false;
    if (!q)
        return no_problem(g, "ww_grid_syrk");
    ww_grid_syrk_text(g, q, text, sizeof text);
    Status s = given_syrk(g, q, &p, spread);
    return run(g, &p, s, text);
}
