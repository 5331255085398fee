/* SPDX-License-Identifier: Apache-2.0
 *
 * The WwBlas itself: its device and stream, and the kernels that it launches there.  Modules are loaded when first needed and live as long
 * as it does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "blas/blas.h"
#include "kernels/kernels.h"
#include "ptx/op.h"

enum { EARLY = 90 };

bool blas_built(const char *entry)
{
    const KernelEntry *e = kernel_find(entry);
    const KernelText  *t = e ? kernel_text(e, NULL) : NULL;
    return t && t->data;
}

WwStatus ww_blas_open(WwDevice *d, WwBlas **out)
{
    if (!d || !out)
        return WW_ERR_INVALID;
    WwBlas *b     = xcalloc(1, sizeof *b);
    b->device     = d;
    b->sms        = d->sms;
    b->capability = (int)d->cc;
    b->early      = b->capability >= EARLY && blas_built("copy_realign_early") && blas_built("copy_operands");
    b->half[0]    = half_can(b, false);
    b->half[1]    = half_can(b, true);
    b->warp[0]    = half_warp_can(b, false);
    b->warp[1]    = half_warp_can(b, true);
    b->split[0]   = split_can(b, false);
    b->split[1]   = split_can(b, true);
    *out          = b;
    return WW_OK;
}

Status blas_follow(WwBlas *b, const WwStream *s)
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
    blas_follow(b, NULL);
    if (b->mark)
        b->device->ops->mark_free(b->device, b->mark);
    for (size_t i = 0; i < b->nmodules; i++)
        ww_module_unload(b->device, b->modules[i].module);
    free(b->modules);
    if (b->workspace)
        ww_free(b->device, b->workspace);
    if (b->scratch)
        ww_free(b->device, b->scratch);
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
    TRY(blas_follow(b, s));
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
    if (!t || !t->data)
        return device_fail(b->device, WW_ERR_UNAVAILABLE, "kernel %s was not built: %s", entry,
                           t ? t->reason : "no compiler");
    char  *ptx = kernel_ptx(t);
    Status s   = device_load(b->device, &(DeviceText){t->file, ptx, t->len, true, t->level, t->code}, out);
    free(ptx);
    TRY(s);
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
    TRY(blas_follow(b, b->stream));
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
