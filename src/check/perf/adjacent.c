/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds runs of neighbouring scalar global accesses.  A window holds the accesses since the last thing that keeps them apart: a label, a
 * branch, a call, a barrier, a fence or an atomic; a write to a base register closes the window as well.  A window's accesses are
 * sorted by direction, base, width and offset; a place that is accessed twice is taken once. */
#include "check/perf/adjacent.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/sizes.h"
#include "ptx/traits.h"

typedef struct Window {
    AdjacentRuns *out;
    size_t        first, n; /* in out->access */
} Window;

static bool plain_access(const Instr *in, Adjacent *a)
{
    const Opcode *o  = in->op;
    bool          ld = op_plain_load(in), st = op_plain_store(in);
    if ((!ld && !st) || in->guard || in->nopd != 2 || !opcode_has(o, WORD_global) || !o->ntypes ||
        o->field[FIELD_vec] != WORD_NONE || opcode_has(o, WORD_volatile) ||
        (o->field[FIELD_sem] != WORD_NONE && o->field[FIELD_sem] != WORD_weak))
        return false;
    const Operand *m = &in->opd[ld ? 1 : 0];
    *a               = (Adjacent){.bytes = type_bytes(o->types[o->ntypes - 1]), .store = st, .offset = m->ival};
    if (m->kind != OPD_MEM || m->elem->kind != OPD_REG || a->bytes < 1 || a->bytes > 8)
        return false;
    a->base = m->elem->reg;
    return true;
}

static bool keeps_apart(const Instr *in)
{
    return op_is(in, TRAIT_ATOMIC | TRAIT_FENCE | TRAIT_BARRIER | TRAIT_MBARRIER | TRAIT_ASYNC | TRAIT_CONTROL);
}

static int in_order(const void *pa, const void *pb)
{
    const Adjacent *a = pa, *b = pb;
    if (a->store != b->store)
        return a->store ? 1 : -1;
    if (a->base != b->base)
        return (uintptr_t)a->base < (uintptr_t)b->base ? -1 : 1;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? -1 : 1;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return a->instr < b->instr ? -1 : 1;
}

static bool follows(const Adjacent *a, const Adjacent *b)
{
    return a->store == b->store && a->base == b->base && a->bytes == b->bytes &&
           b->offset == offset_add(a->offset, (int64_t)a->bytes);
}

static void add_run(AdjacentRuns *out, size_t first, size_t n)
{
    out->run                   = xrealloc(out->run, (out->nruns + 1) * sizeof *out->run);
    out->run[out->nruns].first = first;
    out->run[out->nruns++].n   = n;
}

static void window_close(Window *w)
{
    Adjacent *a = w->out->access + w->first;
    size_t    n = 0;
    if (w->n)
        qsort(a, w->n, sizeof *a, in_order);
    for (size_t i = 0; i < w->n; i++)
        if (!n || a[n - 1].store != a[i].store || a[n - 1].base != a[i].base || a[n - 1].bytes != a[i].bytes ||
            a[n - 1].offset != a[i].offset)
            a[n++] = a[i];
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && follows(&a[j - 1], &a[j]);)
            j++;
        if (j - i > 1)
            add_run(w->out, w->first + i, j - i);
    }
    w->first += w->n;
    w->n = 0;
}

/* Does the instruction write a register that an access of the window is based on? */
static bool writes_base(const Window *w, const Operand *o)
{
    if (o->kind == OPD_PAIR || o->kind == OPD_VECTOR || o->kind == OPD_LIST) {
        for (unsigned i = 0; i < (o->kind == OPD_PAIR ? 2u : o->count); i++)
            if (writes_base(w, &o->elem[i]))
                return true;
        return false;
    }
    for (size_t i = 0; o->kind == OPD_REG && i < w->n; i++)
        if (w->out->access[w->first + i].base == o->reg)
            return true;
    return false;
}

static bool *labelled(const Func *f)
{
    bool *starts = xcalloc(f->ninstrs + 1, sizeof *starts);
    for (size_t i = 0; i < f->nlabels; i++)
        if (f->labels[i].target <= f->ninstrs)
            starts[f->labels[i].target] = true;
    return starts;
}

AdjacentRuns *adjacent_runs(const Func *f)
{
    AdjacentRuns *r      = xcalloc(1, sizeof *r);
    bool         *starts = labelled(f);
    Window        w      = {.out = r};
    r->access            = xcalloc(f->ninstrs + 1, sizeof *r->access);
    for (uint32_t i = 0; i < f->ninstrs; i++) {
        const Instr *in = &f->instrs[i];
        if (starts[i] || keeps_apart(in))
            window_close(&w);
        Adjacent a;
        if (plain_access(in, &a)) {
            a.instr                    = i;
            r->access[w.first + w.n++] = a;
        }
        if (in->nopd && !op_plain_store(in) && writes_base(&w, &in->opd[0]))
            window_close(&w);
    }
    window_close(&w);
    free(starts);
    return r;
}

void adjacent_free(AdjacentRuns *r)
{
    free(r->access);
    free(r->run);
    free(r);
}
