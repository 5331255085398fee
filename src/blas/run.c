/* SPDX-License-Identifier: Apache-2.0
 *
 * Launches: from a checked problem and its rung to kernels on the device.
 *
 * Modules are loaded when first needed and live as long as the WwBlas.  The workspace of stream-K is two partial tiles a block
 * and, before them, a counter a tile, which must be zero.  The kernel leaves the counters zero, so the library's own workspace keeps
 * HEAD bytes for nothing else and clears them when it is new or a launch failed; a caller's, or more counters, every time.
 * A strided batch is the z of one grid, up to the limit of a grid; a batch of addresses is one launch each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "blas/blas.h"
#include "lab/kernels.h"
#include "ptx/op.h"

enum { EARLY = 90, MAX_Z = 65535, MAX_Y = 65535 };

WwStatus ww_blas_open(WwDevice *d, WwBlas **out)
{
    if (!d || !out)
        return WW_ERR_INVALID;
    WwBlas *b     = xcalloc(1, sizeof *b);
    b->device     = d;
    b->sms        = d->sms;
    b->capability = (int)d->cc;
    b->early      = b->capability >= EARLY && blas_built("copy_realign_early") && blas_built("copy_operands");
    *out          = b;
    return WW_OK;
}

/* What is put on s next (NULL: what the caller does next) comes after what was left. */
static Status follow(WwBlas *b, const WwStream *s)
{
    if (b->behind)
        TRY(b->device->ops->follow(b->device, s, b->mark));
    b->behind = false;
    return WW_OK;
}

void ww_blas_close(WwBlas *b)
{
    if (!b)
        return;
    if (b->stream)
        ww_stream_wait(b->stream);
    follow(b, NULL);
    if (b->mark)
        b->device->ops->mark_free(b->device, b->mark);
    for (size_t i = 0; i < b->nmodules; i++)
        ww_module_unload(b->device, b->modules[i].module);
    free(b->modules);
    if (b->workspace)
        ww_free(b->device, b->workspace);
    ww_result_free(b->result);
    free(b);
}

WwStatus ww_blas_stream(WwBlas *b, WwStream *s)
{
    if (!b)
        return WW_ERR_INVALID;
    if (s && s->device != b->device)
        return device_fail(b->device, WW_ERR_INVALID, "ww_blas_stream: the stream belongs to another device");
    if (b->stream && b->stream != s)
        TRY(ww_stream_wait(b->stream));
    TRY(follow(b, s));
    b->stream = s;
    return WW_OK;
}

WwStatus ww_blas_leave(WwBlas *b)
{
    if (!b)
        return WW_ERR_INVALID;
    if (b->stream && b->device->ops->mark) {
        TRY(b->device->ops->mark(b->device, b->stream, &b->mark));
        b->behind = true;
    }
    b->stream = NULL;
    return WW_OK;
}

/* Where an entry is kept: a search through all kernels takes longer than a launch. */
static BlasEntry *known_entry(WwBlas *b, const char *entry)
{
    uint32_t hash = 0;
    for (const char *s = entry; *s; s++)
        hash = hash * 31 + (unsigned char)*s;
    return &b->entry[hash % BLAS_ENTRIES];
}

static Status find_module(WwBlas *b, const char *entry, WwModule **out)
{
    const KernelEntry *e = kernel_find(entry);
    if (!e)
        return device_fail(b->device, WW_ERR_NOT_FOUND, "there is no kernel %s for this type", entry);
    for (size_t i = 0; i < b->nmodules; i++)
        if (strcmp(b->modules[i].file, e->file) == 0)
            return *out = b->modules[i].module, WW_OK;
    const KernelText *t = kernel_text(e, NULL);
    if (!t || !t->ptx)
        return device_fail(b->device, WW_ERR_UNAVAILABLE, "kernel %s was not built: %s", entry,
                           t ? t->reason : "no compiler");
    TRY(device_load(b->device, &(DeviceText){t->file, t->ptx, t->len, false, t->level, t->code}, out));
    b->modules                = xrealloc(b->modules, (b->nmodules + 1) * sizeof *b->modules);
    b->modules[b->nmodules++] = (BlasModule){e->file, *out};
    return WW_OK;
}

static bool waits(const Instr *in)
{
    return in->op->op == OP_griddepcontrol && opcode_has(in->op, WORD_wait);
}

Status blas_launch(WwBlas *b, const char *entry, const WwLaunch *plan)
{
    WwModule  *m      = NULL;
    WwResult  *result = NULL;
    WwLaunch   w      = *plan;
    double     median, fastest;
    unsigned   runs;
    BlasEntry *known = known_entry(b, entry);
    TRY(follow(b, b->stream));
    if (strcmp(known->name, entry) != 0) {
        const Func *kernel;
        TRY(find_module(b, entry, &m));
        TRY(device_kernel(b->device, m, entry, &kernel));
        *known = (BlasEntry){.module = m, .kernel = kernel, .waits = ptx_reaches(m->ptx, kernel, waits)};
        snprintf(known->name, sizeof known->name, "%s", entry);
    }
    w.programmatic = known->waits;
    w.observe      = b->observe;
    w.time         = b->time;
    w.repeats      = b->repeats;
    w.stream       = b->stream;
    Status s       = device_launch_kernel(b->device, known->module, known->kernel, &(DeviceLaunch){.w = &w},
                                    b->keep || b->seen ? &result : NULL);
    if (b->seen)
        b->seen(b->user, result);
    if (b->keep) {
        ww_result_free(b->result);
        b->result = result;
        if (result && ww_result_time(result, &median, &fastest, &runs))
            b->spent_ms += median;
    } else {
        ww_result_free(result);
    }
    return s;
}

/* ---- workspace --------------------------------------------------------------------------------------------------- */

/* How many blocks a tile is worth: its owner adds up the others' sums one after the other, each in about the time of four slices, so
 * slices / n + 4 n / 8 is least near the root of twice the slices. */
static uint64_t sharers(uint64_t slices)
{
    uint64_t n = 1;
    while (n * n < 2 * slices)
        n++;
    return n;
}

/* Where all blocks' sums of a tile are under way to its owner at once: as many blocks as run, with three slices each or more.  The same number of
 * them for every tile, where that leaves no more than an eighth out, so that none has pieces of two. */
static uint64_t woven(uint64_t tiles, uint64_t most, uint64_t slices)
{
    enum { LEAST = 3 };
    uint64_t room = tiles && tiles < most ? most / tiles : 1, each = (slices + LEAST - 1) / LEAST;
    if (each <= room)
        return tiles * each;
    return tiles <= most && tiles * room * 8 >= most * 7 ? tiles * room : most;
}

/* As many blocks as run at once, but none without a slice of k, and no more than help.  Sharing out costs about a tenth, so tiles that
 * fill nine tenths of their rounds get a block each instead (the tensor kernel, which can do both; flow loses nothing by sharing). */
uint64_t stream_blocks(const WwBlas *b, const Problem *p)
{
    const Rung *r     = p->rung;
    uint64_t    tiles = rung_tiles(r, &p->args), most = (uint64_t)b->sms * (unsigned)r->stream,
             slices = ((uint64_t)p->args.k + (unsigned)r->slice - 1) / (unsigned)r->slice;
    uint64_t rounds = (tiles + most - 1) / most;
    if (strcmp(r->name, "tensor") == 0 && tiles * 10 >= rounds * most * 9)
        return tiles;
    if (r->layouts == RUNG_WOVEN)
        return woven(tiles, most, slices);
    uint64_t useful = tiles * (slices < sharers(slices) ? slices : sharers(slices));
    return useful < most ? useful : most;
}

static size_t round_up(size_t n)
{
    enum { ALIGN = 256 };
    return (n + ALIGN - 1) / ALIGN * ALIGN;
}

static Work work_of(const WwBlas *b, const Problem *p)
{
    Work w = {0};
    if (p->args.m == 0 || p->args.n == 0 || p->args.k == 0)
        return w;
    if (p->rung->stream) {
        w.counters = round_up(rung_tiles(p->rung, &p->args) * 4);
        w.partials = stream_blocks(b, p) * 2 * (size_t)(p->rung->rows * p->rung->columns) * 4;
    }
    if (tensor_rung(p->rung))
        tensor_work(p, &w);
    if (parts_of(p) > 1)
        w.partials = round_up(parts_work(p));
    if (p->rung->layouts == RUNG_BYTES)
        bytes_work(p, &w);
    w.x = round_up(w.x);
    w.y = round_up(w.y);
    return w;
}

static size_t work_bytes(Work w)
{
    return w.counters + w.partials + w.x + w.y + w.turned;
}

static size_t problem_workspace(const WwBlas *b, const Problem *p)
{
    return work_bytes(work_of(b, p));
}

static Status grow_workspace(WwBlas *b, size_t need)
{
    if (b->workspace_bytes >= need)
        return WW_OK;
    if (b->stream)
        TRY(ww_stream_wait(b->stream));
    if (b->workspace)
        TRY(ww_free(b->device, b->workspace));
    b->workspace       = 0;
    b->workspace_bytes = 0;
    b->zeroed          = false;
    TRY(ww_alloc(b->device, need, &b->workspace));
    b->workspace_bytes = need;
    return WW_OK;
}

/* Where the counters are, all zero, and where the other parts begin. */
static Status take_workspace(WwBlas *b, const Problem *p, Work w, WwPtr *counters, WwPtr *rest)
{
    enum { HEAD = 1 << 16 };
    size_t need = work_bytes(w);
    bool   head = !p->workspace && w.counters <= HEAD;
    TRY(follow(b, b->stream));
    *counters = *rest = p->workspace;
    if (need == 0)
        return WW_OK;
    if (p->workspace && (p->workspace_bytes < need || p->workspace % 16))
        return device_fail(b->device, WW_ERR_INVALID,
                           "%s: the rung %s needs a workspace of %zu bytes aligned to 16, given are %zu at 0x%llx",
                           p->symmetric ? "ww_syrk" : "ww_gemm", p->rung->name, need, p->workspace_bytes,
                           (unsigned long long)p->workspace);
    if (!p->workspace) {
        TRY(grow_workspace(b, HEAD + need));
        *counters = head ? b->workspace : b->workspace + HEAD;
        *rest     = b->workspace + HEAD;
    }
    if (!head)
        *rest = *counters + w.counters;
    if (w.counters == 0 || (head && b->zeroed))
        return WW_OK;
    TRY(device_fill(b->device, *counters, 0, head ? HEAD : w.counters, b->stream));
    b->zeroed = b->zeroed || head;
    return WW_OK;
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* Not by snprintf, which takes a tenth of a call's time. */
void blas_entry(const Problem *p, char *name)
{
    const Rung     *r    = p->rung;
    const GemmArgs *g    = &p->args;
    const char     *type = p->type == WW_F32 ? "f32" : p->type == WW_I32 ? "i32" : "i64";
    char           *end  = stpcpy(stpcpy(name, r->ladder), "_");
    end                  = stpcpy(stpcpy(stpcpy(end, r->name), "_"), type);
    if (r->layouts < RUNG_FOUR || r->layouts > RUNG_JOINED)
        return;
    end = stpcpy(end, g->x_col == 1 ? "_k" : "_n");
    if (!p->symmetric)
        stpcpy(end, g->y_row == 1 ? "k" : "n");
}

static Status run_grid(WwBlas *b, const Problem *p, GemmArgs *g, size_t batch)
{
    char     entry[BLAS_NAME];
    uint64_t tiles = rung_tiles(p->rung, g);
    LongArgs wide  = {.g = *g, .alpha = p->alpha, .beta = p->beta};
    void    *args  = p->rung->layouts == RUNG_LONG ? (void *)&wide : g;
    blas_entry(p, entry);
    unsigned split = p->split > 1 && p->rung->layouts == RUNG_JOINED ? p->split : 1;
    tiles *= split;
    WwDim3 grid = {(uint32_t)tiles, 1, (uint32_t)batch};
    if (p->rung->stream)
        grid.x = (uint32_t)stream_blocks(b, p);
    else if (p->rung->layouts == RUNG_ANY)
        grid = (WwDim3){rung_cover(g->m, p->rung->rows), rung_cover(g->n, p->rung->columns), (uint32_t)batch};
    if (tiles > INT32_MAX || grid.y > MAX_Y)
        return device_fail(b->device, WW_ERR_INVALID, "%s: %llu blocks are more than one grid can have", entry,
                           (unsigned long long)tiles);
    return blas_launch(b, entry,
                       &(WwLaunch){.grid      = grid,
                                   .block     = {(unsigned)p->rung->threads, 1, 1},
                                   .cluster   = {split > 1 ? split / parts_of(p) : 0, 1, 1},
                                   .shared    = p->rung->shared,
                                   .args      = (void *[]){args},
                                   .arg_count = 1});
}

static Status problem_run(WwBlas *b, const Problem *p)
{
    if (p->args.m == 0 || p->args.n == 0)
        return WW_OK;
    bool     maps = tensor_rung(p->rung) || p->rung->layouts == RUNG_BYTES;
    GemmArgs g    = p->args, sum;
    bool     once = p->x || p->rung->stream || maps || parts_of(p) > 1;
    size_t   step = once ? 1 : MAX_Z;
    Work     work = work_of(b, p);
    Status   s    = WW_OK;
    TRY(take_workspace(b, p, work, &g.count, &g.work));
    for (size_t i = 0; i < p->batch && s == WW_OK; i += step) {
        size_t here  = p->batch - i < step ? p->batch - i : step;
        g.x          = p->x ? p->x[i] : p->args.x + i * p->args.x_batch * 4;
        g.y          = p->y ? p->y[i] : p->args.y + i * p->args.y_batch * 4;
        g.c          = p->c ? p->c[i] : p->args.c + i * p->args.c_batch * p->result;
        WwPtr    x   = g.work + work.partials;
        GemmArgs one = g;
        if (parts_of(p) > 1)
            parts_begin(p, &one, &sum);
        if (tensor_rung(p->rung))
            s = tensor_run(b, p, &one, x, x + work.x);
        else if (p->rung->layouts == RUNG_BYTES)
            s = bytes_run(b, p, &g, work, x);
        else
            s = run_grid(b, p, &one, here);
        if (s == WW_OK && parts_of(p) > 1)
            s = parts_add(b, p, &sum);
    }
    b->zeroed = b->zeroed && s == WW_OK;
    return s;
}

/* ---- public ------------------------------------------------------------------------------------------------------ */

static Status plan_gemm(WwBlas *b, const WwGemm *p, Problem *out)
{
    if (!b)
        return WW_ERR_INVALID;
    if (!p)
        return device_fail(b->device, WW_ERR_INVALID, "ww_gemm needs a problem");
    TRY(problem_of_gemm(b, p, out));
    return problem_choose(b, out, "gemm", p->rung);
}

static Status plan_syrk(WwBlas *b, const WwSyrk *p, Problem *out)
{
    if (!b)
        return WW_ERR_INVALID;
    if (!p)
        return device_fail(b->device, WW_ERR_INVALID, "ww_syrk needs a problem");
    TRY(problem_of_syrk(b, p, out));
    return problem_choose(b, out, "aat", p->rung);
}

static Status tell_rung(WwBlas *b, const Problem *p, const char **rung)
{
    bool split = p->split > 1 && rung_splits(p->rung) > 1;
    int  n     = snprintf(b->name, sizeof b->name, "%s", p->rung->name);
    if (split)
        snprintf(b->name + n, sizeof b->name - (size_t)n, ":%u", p->split);
    if (rung)
        *rung = b->name;
    return WW_OK;
}

WwStatus ww_gemm(WwBlas *b, const WwGemm *p)
{
    Problem q;
    TRY(plan_gemm(b, p, &q));
    return problem_run(b, &q);
}

WwStatus ww_gemm_workspace(WwBlas *b, const WwGemm *p, size_t *bytes)
{
    Problem q;
    TRY(plan_gemm(b, p, &q));
    if (bytes)
        *bytes = problem_workspace(b, &q);
    return WW_OK;
}

WwStatus ww_gemm_rung(WwBlas *b, const WwGemm *p, const char **rung)
{
    Problem q;
    TRY(plan_gemm(b, p, &q));
    return tell_rung(b, &q, rung);
}

WwStatus ww_syrk(WwBlas *b, const WwSyrk *p)
{
    Problem q;
    TRY(plan_syrk(b, p, &q));
    return problem_run(b, &q);
}

WwStatus ww_syrk_workspace(WwBlas *b, const WwSyrk *p, size_t *bytes)
{
    Problem q;
    TRY(plan_syrk(b, p, &q));
    if (bytes)
        *bytes = problem_workspace(b, &q);
    return WW_OK;
}

WwStatus ww_syrk_rung(WwBlas *b, const WwSyrk *p, const char **rung)
{
    Problem q;
    TRY(plan_syrk(b, p, &q));
    return tell_rung(b, &q, rung);
}
