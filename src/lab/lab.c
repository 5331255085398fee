/* SPDX-License-Identifier: Apache-2.0
 *
 * The lab's frame: opening devices, planning and running cases.
 *
 * All cases are planned before the first one runs, so that progress has an end and options that do not fit are told
 * at once. Rows live in the lab's arena until lab_close.  Nothing here knows what an experiment does. */
#include "lab/lab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "lab/gemm.h"
#include "lab/regression.h"
#include "lab/run.h"

LabOptions lab_defaults(void)
{
    return (LabOptions){.offset = -1};
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static void add_device_text(Lab *lab, const WwDevice *d)
{
    str_printf(&lab->devices, "%s%s", lab->devices.len ? "; " : "", ww_device_name(d));
}

static Status open_devices(Lab *lab, Str *message)
{
    const char     *want = lab->opt.device;
    bool            aut  = strcmp(want, "auto") == 0;
    WwDeviceOptions o    = {.profile = lab->opt.profile,
                            .threads = lab->opt.log ? 1 : lab->opt.threads,
                            .engine  = lab->opt.engine,
                            .check = lab->opt.pictures ? "bank-conflicts" : NULL}; /* a rule for which patterns are kept */
    const char     *why  = "";
    if (!aut && strcmp(want, "emulator") != 0 && strcmp(want, "cuda") != 0) {
        str_printf(message, "unknown device '%s'; there are emulator, cuda and auto", want);
        return WW_ERR_INVALID;
    }
    if (strcmp(want, "cuda") != 0) {
        Status s = ww_device_open("emulator", &o, &lab->emulator, &why);
        if (s != WW_OK) {
            str_printf(message, "cannot open the emulator: %s", why);
            return s;
        }
        add_device_text(lab, lab->emulator);
    }
    if (strcmp(want, "emulator") != 0) {
        Status s = ww_device_open("cuda", &o, &lab->cuda, &why);
        if (s != WW_OK && !aut) {
            str_printf(message, "cannot open the GPU: %s", why);
            return s;
        }
        if (s != WW_OK)
            str_printf(&lab->note, "times need a GPU: %s", why && *why ? why : ww_status_text(s));
        else
            add_device_text(lab, lab->cuda);
    }
    return WW_OK;
}

Status lab_open(const LabOptions *o, Lab **out, Str *message)
{
    *out       = NULL;
    Lab *lab   = xcalloc(1, sizeof *lab);
    lab->arena = arena_new();
    lab->opt   = *o;
    if (!lab->opt.device)
        lab->opt.device = "auto";
    Status s = open_devices(lab, message);
    if (s != WW_OK) {
        lab_close(lab);
        return s;
    }
    *out = lab;
    return WW_OK;
}

void lab_close(Lab *lab)
{
    if (!lab)
        return;
    gemm_free(lab->gemm);
    regression_free(lab->regression);
    ww_device_close(lab->emulator);
    ww_device_close(lab->cuda);
    free(lab->row);
    free(lab->plan);
    str_free(&lab->error);
    str_free(&lab->note);
    str_free(&lab->devices);
    arena_free(lab->arena);
    free(lab);
}

/* ---- planning ---------------------------------------------------------------------------------------------------- */

Status lab_fail(Lab *lab, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    str_clear(&lab->error);
    str_vprintf(&lab->error, fmt, ap);
    va_end(ap);
    return WW_ERR_INVALID;
}

LabCase *lab_plan(Lab *lab, const Experiment *e, const char *entry, const char *fmt, ...)
{
    if (lab->nplan == lab->plan_cap) {
        lab->plan_cap = lab->plan_cap ? 2 * lab->plan_cap : 64;
        lab->plan     = xrealloc(lab->plan, lab->plan_cap * sizeof *lab->plan);
    }
    va_list ap;
    va_start(ap, fmt);
    LabCase *c = &lab->plan[lab->nplan++];
    *c         = (LabCase){.experiment = e, .entry = entry, .name = arena_vprintf(lab->arena, fmt, ap)};
    va_end(ap);
    return c;
}

void lab_size(LabCase *c, const char *name, int64_t value)
{
    if (c->nsizes < LAB_SIZES)
        c->size[c->nsizes++] = (LabSize){name, value};
}

int64_t lab_pick(int64_t given, int64_t fallback)
{
    return given > 0 ? given : fallback;
}

uint32_t lab_cover(int64_t n, int64_t tile)
{
    return (uint32_t)((n + tile - 1) / tile);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

void lab_problem(Lab *lab, LabRow *row, const char *fmt, ...)
{
    row->verified = false;
    if (row->problem)
        return;
    va_list ap;
    va_start(ap, fmt);
    row->problem = arena_vprintf(lab->arena, fmt, ap);
    va_end(ap);
}

void lab_raise_error(LabRow *row, double error)
{
    if (isnan(row->max_error))
        return;
    if (!(error <= row->max_error))
        row->max_error = error;
}

bool lab_fits(Lab *lab, LabRow *row, uint64_t bytes)
{
    if (bytes <= host_memory() / 2)
        return true;
    lab_problem(lab, row, "its arrays need %llu MiB, more than half of this machine's memory; choose smaller sizes",
                (unsigned long long)(bytes >> 20));
    return false;
}

static LabRow *new_row(Lab *lab, const LabCase *c)
{
    if (lab->nrows == lab->rows_cap) {
        lab->rows_cap = lab->rows_cap ? 2 * lab->rows_cap : 64;
        lab->row      = xrealloc(lab->row, lab->rows_cap * sizeof(LabRow *));
    }
    LabRow *r              = ARENA_NEW(lab->arena, LabRow);
    lab->row[lab->nrows++] = r;
    r->experiment          = c->experiment->name;
    r->kernel              = c->name;
    r->entry               = c->entry;
    r->device              = !lab->cuda ? "emulator" : lab->emulator ? "emulator+cuda" : "cuda";
    const WwDevice *d      = lab->emulator ? lab->emulator : lab->cuda;
    r->profile             = ww_device_profile(d);
    r->card                = d->profile && !d->profile->from_file ? limits_of(d->profile).card->name : NULL;
    r->lines               = d->profile && d->profile->arch->global_rule == GLOBAL_LINES && d->profile->arch->l1_loads;
    memcpy(r->size, c->size, sizeof r->size);
    r->nsizes   = c->nsizes;
    r->grid     = c->grid;
    r->block    = c->block;
    r->shared   = c->shared;
    r->verified = true;
    return r;
}

static void run_case(Lab *lab, const LabCase *c)
{
    LabRow            *row  = new_row(lab, c);
    const KernelEntry *e    = kernel_find(c->entry);
    const KernelText  *text = e ? kernel_text(e, lab->opt.compiler) : NULL;
    row->file               = e ? e->file : NULL;
    row->compiler           = text && text->data ? text->compiler : NULL;
    row->max_error          = NAN;
    if (!text)
        lab_problem(lab, row, "kernel %s is not built by %s in this build", c->entry,
                    lab->opt.compiler ? lab->opt.compiler : "any compiler");
    else if (!text->data)
        lab_problem(lab, row, "%s is not built: %s", e->file, text->reason);
    else
        c->experiment->run(lab, c, row);
    if (row->timed && row->time_ms > 0 && row->verified)
        row->effective_gbs = (double)row->least_bytes / (row->time_ms * 1e6);
    if (lab->opt.on_row)
        lab->opt.on_row(lab->opt.user, row);
}

/* device_on_progress */
static void tell_part(void *user, const char *kernel, uint64_t done, uint64_t blocks)
{
    const Lab *lab = user;
    (void)kernel; /* the case has a name of its own */
    lab->opt.on_progress(lab->opt.user, lab->running, lab->nplan, lab->plan[lab->running].name,
                         blocks ? (double)done / (double)blocks : 0);
}

/* The cases of one experiment stand together in the plan. */
static Status run_cases(Lab *lab, size_t *done)
{
    const Experiment *e = lab->plan[*done].experiment;
    if (e->begin)
        TRY(e->begin(lab));
    for (; *done < lab->nplan && lab->plan[*done].experiment == e; ++*done) {
        const LabCase c = lab->plan[*done];
        lab->running    = *done;
        if (lab->opt.on_progress)
            lab->opt.on_progress(lab->opt.user, *done, lab->nplan, c.name, 0);
        run_case(lab, &c);
        if (lab->opt.share && lab->opt.share->broken)
            return lab_fail(lab, "rank %u of %u: %s", lab->opt.share->rank, lab->opt.share->ranks,
                            str_text(&lab->opt.share->refused));
    }
    gemm_free(lab->gemm);
    lab->gemm = NULL;
    return e->end ? e->end(lab) : WW_OK;
}

Status lab_run(Lab *lab, const Experiment *const *e, size_t n)
{
    lab->nplan = 0;
    str_clear(&lab->error);
    for (size_t i = 0; i < n; i++)
        TRY(e[i]->plan(lab, e[i]));
    if (lab->emulator && lab->opt.on_progress)
        device_on_progress(lab->emulator, tell_part, lab);
    for (size_t done = 0; done < lab->nplan;)
        TRY(run_cases(lab, &done));
    if (lab->opt.on_progress)
        lab->opt.on_progress(lab->opt.user, lab->nplan, lab->nplan, "", 0);
    return WW_OK;
}

const char *lab_error(const Lab *lab)
{
    return str_text(&lab->error);
}

size_t lab_row_count(const Lab *lab)
{
    return lab->nrows;
}

const LabRow *lab_row(const Lab *lab, size_t i)
{
    return i < lab->nrows ? lab->row[i] : NULL;
}

bool lab_all_verified(const Lab *lab)
{
    for (size_t i = 0; i < lab->nrows; i++)
        if (!lab->row[i]->verified && !lab->row[i]->not_launchable)
            return false;
    return lab->nrows > 0;
}

const char *lab_note(const Lab *lab)
{
    return str_text(&lab->note);
}

const char *lab_device_text(const Lab *lab)
{
    return str_text(&lab->devices);
}

uint64_t lab_seed(const Lab *lab)
{
    return lab->opt.seed;
}
