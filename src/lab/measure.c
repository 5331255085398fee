/* SPDX-License-Identifier: Apache-2.0
 *
 * One case on every open device: allocate, fill, launch, read back, verify.
 *
 * Outputs are poisoned before each launch, so nothing left by another kernel can pass for a result.  On a GPU every
 * output has a guard zone on both sides, checked afterwards; the emulator needs none, since it stops at the first
 * byte outside an allocation and gets arrays of exactly the size the kernel may use.
 * A failed launch or a wrong result is a problem of the row.  A row with a problem carries no time; counters it
 * keeps when the emulator ran the kernel to its end, since they are what the kernel did, right or wrong. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "lab/conflict.h"
#include "lab/run.h"

enum { GUARD = 256, MAX_BUFFERS = 4, MAX_ARGS = 16 };

typedef struct Memory {
    WwPtr  base[MAX_BUFFERS]; /* of the allocation */
    WwPtr  at[MAX_BUFFERS];   /* what the kernel gets */
    size_t guard;
} Memory;

static Status fill_buffers(WwDevice *d, const LabLaunch *l, Memory *mem)
{
    mem->guard = strcmp(ww_device_kind(d), "cuda") == 0 ? GUARD : 0;
    for (size_t i = 0; i < l->nbuffers; i++) {
        const LabBuffer *b     = &l->buffer[i];
        size_t           bytes = b->shift + b->bytes + 2 * mem->guard;
        TRY(ww_alloc(d, bytes, &mem->base[i]));
        mem->at[i] = mem->base[i] + mem->guard + b->shift;
        TRY(ww_fill(d, mem->base[i], LAB_POISON, bytes));
        if (b->in)
            TRY(ww_copy_in(d, mem->at[i], b->in, b->bytes));
    }
    return WW_OK;
}

static void free_buffers(WwDevice *d, const LabLaunch *l, const Memory *mem)
{
    for (size_t i = 0; i < l->nbuffers; i++)
        ww_free(d, mem->base[i]);
}

/* False when a byte around a buffer has changed. */
static Status guards_hold(WwDevice *d, const LabLaunch *l, const Memory *mem, bool *hold)
{
    *hold = true;
    for (size_t i = 0; i < l->nbuffers && mem->guard; i++) {
        const WwPtr zone[2] = {mem->base[i], mem->at[i] + l->buffer[i].bytes};
        for (int z = 0; z < 2; z++) {
            uint8_t bytes[GUARD];
            TRY(ww_copy_out(d, bytes, zone[z], sizeof bytes));
            for (size_t j = 0; j < sizeof bytes; j++)
                *hold = *hold && bytes[j] == LAB_POISON;
        }
    }
    return WW_OK;
}

static Status read_buffers(WwDevice *d, const LabLaunch *l, const Memory *mem)
{
    for (size_t i = 0; i < l->nbuffers; i++)
        if (l->buffer[i].out)
            TRY(ww_copy_out(d, l->buffer[i].out, mem->at[i], l->buffer[i].bytes));
    return WW_OK;
}

/* ---- the log of conflicts ---------------------------------------------------------------------------------------- */

typedef struct Watch {
    Lab           *lab;
    const LabCase *c;
    Str            line;
    Str            kept; /* of a rank that is not the first */
} Watch;

/* This process is one of several, and not the one that tells. */
static bool is_other(const Lab *lab)
{
    return lab->opt.share && lab->opt.share->rank;
}

static void watch_access(void *user, const WwAccess *a)
{
    Watch *w = user;
    if (a->conflicts == 0)
        return;
    str_clear(&w->line);
    conflict_describe(w->c->name, w->lab->emulator->profile, a, &w->line);
    if (is_other(w->lab))
        str_printf(&w->kept, "%s\n", str_text(&w->line));
    else
        w->lab->opt.on_log(w->lab->opt.user, str_text(&w->line));
}

static void tell_lines(const Lab *lab, const char *text)
{
    Str line = {0};
    for (const char *end; text && (end = strchr(text, '\n')); text = end + 1) {
        str_clear(&line);
        str_addn(&line, text, (size_t)(end - text));
        lab->opt.on_log(lab->opt.user, str_text(&line));
    }
    str_free(&line);
}

/* The ranks' blocks follow each other, and so do their lines.  Every rank does this, whatever became of its launch; ran: it was shared out. */
static void gather_lines(const Lab *lab, const Watch *w, bool ran)
{
    DeviceShare *share = lab->opt.share;
    Parcel       mine  = {0}, *theirs;
    Str          why   = {0};
    if (!share || share->broken)
        return;
    theirs = xcalloc(share->ranks, sizeof *theirs);
    parcel_put_text(&mine, str_text(&w->kept));
    if (share->exchange(share->user, &mine, theirs, &why) != WW_OK) {
        share->broken = true;
        str_printf(&share->refused, "%s", str_text(&why));
    }
    for (unsigned i = 1; i < share->ranks && ran && !share->broken && !share->rank; i++)
        tell_lines(lab, parcel_text(&theirs[i]));
    for (unsigned i = 0; i < share->ranks; i++)
        parcel_free(&theirs[i]);
    parcel_free(&mine);
    free(theirs);
    str_free(&why);
}

/* ---- one device -------------------------------------------------------------------------------------------------- */

/* All blocks, or this rank's. */
static Status start(const Lab *lab, WwDevice *d, WwModule *m, const LabCase *c, const WwLaunch *w, WwResult **result)
{
    DeviceShare *share = d == lab->emulator ? lab->opt.share : NULL;
    const Func  *kernel;
    if (!share)
        return ww_launch(d, m, c->entry, w, result);
    share->memory = true;
    TRY(device_kernel(d, m, c->entry, &kernel));
    return device_launch_kernel(d, m, kernel, &(DeviceLaunch){.w = w, .share = share}, result);
}

static Status launch(Lab *lab, WwDevice *d, const LabCase *c, const LabLaunch *l, const Memory *mem, WwModule *m,
                     WwResult **result)
{
    WwPtr    pointer[MAX_BUFFERS];
    void    *args[MAX_ARGS];
    Watch    watch = {.lab = lab, .c = c};
    bool     cuda  = d == lab->cuda;
    bool     log   = !cuda && lab->opt.log && lab->opt.on_log && c->experiment->logs;
    WwLaunch w     = {.grid = c->grid, .block = c->block, .shared = c->shared, .args = args};
    for (size_t i = 0; i < l->nbuffers; i++) {
        pointer[i]          = mem->at[i];
        args[w.arg_count++] = &pointer[i];
    }
    for (size_t i = 0; i < l->nnumbers; i++)
        args[w.arg_count++] = l->number[i];
    w.observe = cuda ? WW_OBSERVE_NOTHING : WW_OBSERVE_COUNTERS | WW_OBSERVE_TIME | WW_OBSERVE_WARM;
    w.time    = cuda;
    w.repeats = c->repeats;
    if (log) {
        w.observe |= WW_OBSERVE_ACCESSES;
        w.on_access = watch_access;
        w.user      = &watch;
    }
    Status s = start(lab, d, m, c, &w, result);
    if (log)
        gather_lines(lab, &watch, s == WW_OK);
    str_free(&watch.line);
    str_free(&watch.kept);
    return s;
}

/* The dearest pattern of each memory; patterns stand in that order. */
static void take_pictures(LabRow *row, const WwResult *r)
{
    static const char *const spaces[LAB_PICTURES] = {"shared", "global"};
    for (size_t s = 0; s < LAB_PICTURES; s++)
        for (size_t i = 0; i < ww_result_pattern_count(r); i++) {
            const WwPattern *p = ww_result_pattern(r, i);
            if (strcmp(p->space, spaces[s]) != 0)
                continue;
            WwPicture *to = &row->picture[row->npictures++];
            *to           = (WwPicture){.space = spaces[s], .op = p->op, .bytes = p->bytes, .mask = p->mask};
            for (int k = 0; k < 32; k++)
                to->offset[k] = (int64_t)p->offset[k];
            break;
        }
}

static void take_result(Lab *lab, LabRow *row, const WwResult *r, bool cuda)
{
    if (cuda) {
        row->timed = ww_result_time(r, &row->time_ms, &row->min_ms, &row->runs);
        return;
    }
    WwPrediction p;
    row->counted  = true;
    row->counters = *ww_result_counters(r);
    take_pictures(row, r);
    if (ww_result_prediction(r, &p)) {
        row->predicted_ms = p.ns / 1e6;
        row->limiter      = arena_strdup(lab->arena, p.limiter);
    }
}

static void run_on(Lab *lab, WwDevice *d, const LabCase *c, const LabLaunch *l, LabRow *row)
{
    const KernelText *text   = kernel_text(kernel_find(c->entry), lab->opt.compiler);
    Memory            mem    = {0};
    WwModule         *module = NULL;
    WwResult         *result = NULL;
    bool              hold   = true;
    char             *ptx    = kernel_ptx(text);
    Status            s      = ww_module_load(d, text->file, ptx, text->len, &module);
    free(ptx);
    if (s == WW_OK)
        s = fill_buffers(d, l, &mem);
    if (s == WW_OK)
        s = launch(lab, d, c, l, &mem, module, &result);
    bool other = is_other(lab); /* the first rank has the row */
    if (s == WW_OK && !other)
        s = read_buffers(d, l, &mem);
    if (s == WW_OK && !other)
        s = guards_hold(d, l, &mem, &hold);
    if (s == WW_ERR_LAUNCH && d->refused[0]) {
        row->not_launchable = arena_strdup(lab->arena, d->refused);
        lab_problem(lab, row, "not launchable: %s", row->not_launchable);
    } else if (lab->opt.share && lab->opt.share->refused.len) {
        lab_problem(lab, row, "cannot be spread over %u ranks: %s", lab->opt.share->ranks,
                    str_text(&lab->opt.share->refused));
    } else if (s != WW_OK) {
        lab_problem(lab, row, "%s: %s: %s", ww_device_kind(d), ww_status_text(s), ww_device_error(d));
    } else if (!other) {
        take_result(lab, row, result, d == lab->cuda);
        l->verify(lab, c, row, l->user);
        if (!hold)
            lab_problem(lab, row, "%s: the kernel wrote outside its arrays", ww_device_kind(d));
    }
    ww_result_free(result);
    free_buffers(d, l, &mem);
    ww_module_unload(d, module);
}

void lab_launch(Lab *lab, const LabCase *c, const LabLaunch *l, LabRow *row)
{
    row->max_error    = 0;
    row->predicted_ms = NAN;
    if (lab->emulator)
        run_on(lab, lab->emulator, c, l, row);
    if (lab->cuda && !row->problem)
        run_on(lab, lab->cuda, c, l, row);
    if (row->problem) {
        row->timed = false;
        if (row->checked == 0)
            row->max_error = NAN;
    }
}
