/* SPDX-License-Identifier: Apache-2.0
 *
 * From what the emulator leaves behind (executions by instruction, counters by instruction, a fault) to a WwResult: totals,
 * source lines, instruction classes, opcodes that are not exact, and the finding that says what stopped the kernel.
 *
 * Invariants: a line's counters are the sum of its instructions' and the total is the sum of the lines; lines exist for
 * instructions that ran; every string is copied, so the result outlives module and device.  What was inlined from headers of the toolkit
 * belongs to the line that called it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mangle.h"
#include "check/count/count.h"
#include "check/count/count_flops.h"
#include "check/picture.h"
#include "check/placed.h"
#include "device/emulator_own.h"
#include "emu/memory/memory.h"
#include "model/occupancy.h"
#include "ptx/op.h"

/* ---- lines ---- */

typedef struct Ran {
    const EmuResult *e;
    Observer        *count;
} Ran;

static bool ran(void *user, uint32_t id)
{
    const Ran *r = user;
    return r->e->executed[id] || count_instr(r->count, id);
}

static void add_instr(WwCounters *to, const EmuResult *e, Observer *count, uint32_t id)
{
    const WwCounters *c = count_instr(count, id);
    if (c)
        counters_add(to, c);
    to->inst_executed += e->executed[id];
    to->thread_inst_executed += e->lanes[id];
    count_flops(to, &e->instr[id], e->lanes[id]);
}

static void collect_lines(const Module *m, const EmuResult *e, Observer *count, WwResult *r)
{
    Placed *list = NULL;
    size_t  n = placed_by_line(m, e->instr, e->ninstr, ran, &(Ran){e, count}, &list), lines = 0;
    for (size_t i = 0; i < n; i++)
        lines += !i || !placed_together(&list[i], &list[i - 1]);
    r->lines = ARENA_ARRAY(r->arena, WwLine, lines + 1);
    for (size_t i = 0; i < n; i++) {
        const Place *p = &list[i].place;
        if (!i || !placed_together(&list[i], &list[i - 1])) {
            WwLine *l = &r->lines[r->nlines++];
            l->file   = r->nlines > 1 && !strcmp(l[-1].file, p->file) ? l[-1].file : arena_strdup(r->arena, p->file);
            l->line   = p->line;
        }
        add_instr(&r->lines[r->nlines - 1].counters, e, count, list[i].id);
        if (e->instr[list[i].id].waits)
            add_instr(&r->lines[r->nlines - 1].waiting, e, count, list[i].id);
    }
    free(list);
    for (size_t i = 0; i < r->nlines; i++)
        counters_add(&r->total, &r->lines[i].counters);
}

/* ---- instruction classes ---- */

static int by_opcode(const void *a, const void *b)
{
    return strcmp(((const Inexact *)a)->opcode, ((const Inexact *)b)->opcode);
}

static void collect_classes(const EmuResult *e, WwResult *r)
{
    Inexact *list = xcalloc(e->ninstr + 1u, sizeof *list);
    size_t   n    = 0;
    for (uint32_t i = 0; i < e->ninstr; i++) {
        const Instr *in     = e->instr[i].in;
        bool         faulty = e->fault.kind == FAULT_UNSUPPORTED && e->fault.instr == i;
        uint64_t     times  = e->executed[i] || !faulty ? e->executed[i] : 1;
        if (!times || !in || !in->op)
            continue;
        Exactness x = faulty ? UNSUPPORTED : op_form(in->op->op)->exactness;
        if (x == EXACT && e->instr[i].contracts)
            x = APPROXIMATE;
        if (x == EXACT)
            r->classes.exact += times;
        else if (x == APPROXIMATE)
            r->classes.approximate += times;
        else
            r->classes.unsupported += times;
        if (x != EXACT)
            list[n++] = (Inexact){in->op->text, x == UNSUPPORTED, times};
    }
    qsort(list, n, sizeof *list, by_opcode);
    r->inexact = ARENA_ARRAY(r->arena, Inexact, n + 1);
    for (size_t i = 0; i < n; i++) {
        if (!r->ninexact || strcmp(r->inexact[r->ninexact - 1].opcode, list[i].opcode) != 0)
            r->inexact[r->ninexact++].opcode = arena_strdup(r->arena, list[i].opcode);
        r->inexact[r->ninexact - 1].unsupported |= list[i].unsupported;
        r->inexact[r->ninexact - 1].executed += list[i].executed;
    }
    free(list);
}

void emulator_collect(const Module *m, const EmuResult *e, Observer *count, WwResult *r)
{
    if (!e->executed || !e->instr)
        return;
    collect_classes(e, r);
    if (count)
        collect_lines(m, e, count, r);
}

/* ---- faults ---- */

/* The rule of a fault. */
static RuleId rule_of(FaultKind kind)
{
    static const RuleId of[] = {
        [FAULT_NONE] = RULE_STOPPED, /* WwLaunch.stop */
#define RULE(...)
#define FAULT(ID, ...) [FAULT_##ID] = RULE_##ID,
#include "check/rules.def"
#undef RULE
#undef FAULT
    };
    return of[kind];
}

/* What lies nearest may be another mapping of the system, at a distance that changes from run to run: then it is not what was meant. */
static uint64_t room_near(const Fault *f)
{
    enum { NEAR = 1 << 20 };
    for (uint32_t m = f->mask; m; m &= m - 1) {
        int64_t off = (int64_t)(f->lane[__builtin_ctz(m)] - f->base);
        if (off < -NEAR || (off > 0 && (uint64_t)off > f->room + NEAR))
            return 0;
    }
    return f->room;
}

/* The access that went wrong; NULL: it is none, or its lanes were not kept.  Addresses of what is not known are of the lanes that are bad, from
 * the lowest of them on; those of null pointers as they are. */
static const WwPicture *picture(const Fault *f, Arena *a)
{
    bool       null = f->kind == FAULT_NULL_ACCESS;
    uint64_t   room = room_near(f);
    uint32_t   mask = room ? f->mask : f->bad;
    uint64_t   base = room ? f->base : UINT64_MAX;
    WwPicture *p    = f->mask ? ARENA_NEW(a, WwPicture) : NULL;
    if (!p)
        return NULL;
    for (uint32_t m = room ? 0 : mask; m; m &= m - 1)
        base = f->lane[__builtin_ctz(m)] < base ? f->lane[__builtin_ctz(m)] : base;
    base = null ? 0 : base;
    *p   = (WwPicture){.space = f->space == SPACE_SHARED  ? "shared"
                                : f->space == SPACE_LOCAL ? "local"
                                                          : "global",
                       .op    = picture_op((AccessOp)f->op),
                       .bytes = (uint32_t)f->bytes,
                       .mask  = mask,
                       .bad   = f->bad,
                       .of    = room};
    for (uint32_t m = mask; m; m &= m - 1)
        p->offset[__builtin_ctz(m)] = (int64_t)(f->lane[__builtin_ctz(m)] - base);
    return p;
}

/* Of a kernel as a whole: its first line, where the source's are known. */
static Place kernel_place(const Module *m, const Func *k)
{
    for (size_t i = 0; i < k->ninstrs; i++) {
        Place p = instr_user_place(m, &k->instrs[i]);
        if (!p.from_ptx)
            return p;
    }
    return (Place){.file = m->name, .line = k->line, .col = k->col, .from_ptx = true};
}

/* The finding of a fault, without its message. */
static WwFinding *place_finding(const Module *m, const Func *k, const EmuResult *e, const Fault *f, WwResult *r)
{
    const Rule  *rule  = rule_row(rule_of(f->kind));
    const Instr *in    = f->instr < e->ninstr ? e->instr[f->instr].in : NULL;
    Place        place = in ? instr_user_place(m, in) : kernel_place(m, k);
    WwFinding   *g     = result_finding(r, rule->id, rule->category);
    g->file            = arena_strdup(r->arena, place.file);
    g->line            = place.line;
    g->col             = place.col;
    g->block           = (WwDim3){f->block[0], f->block[1], f->block[2]};
    g->thread          = (WwDim3){f->thread[0], f->thread[1], f->thread[2]};
    g->address         = f->address;
    g->inlined         = placed_inlined(m, in, r->arena, &g->ninlined);
    g->snippet         = placed_snippet(m, &place, r->arena);
    g->picture         = picture(f, r->arena);
    return g;
}

static uint64_t kept_count(const EmuResult *e, const Fault *f)
{
    for (size_t i = 0; i < e->nkept; i++)
        if (!e->kept[i].done && e->kept[i].fault.instr == f->instr && e->kept[i].fault.kind == f->kind)
            return e->kept[i].count;
    return 1;
}

void emulator_kept(const Emulator *d, const Module *m, const Func *k, const EmuResult *e, WwResult *r)
{
    for (size_t i = 0; i < e->nkept; i++) {
        const KeptFault *f = &e->kept[i];
        if (e->went_on && !f->done && f->fault.instr == e->fault.instr && f->fault.kind == e->fault.kind)
            continue; /* emulator_fault has it */
        Str        s = {0};
        WwFinding *g = place_finding(m, k, e, &f->fault, r);
        str_add(&s, f->fault.text);
        if (f->done && f->kind == FAULT_MBARRIER)
            str_add(&s, "; a card does not stop here");
        if (f->done && !d->checks)
            g->severity = "warning";
        g->count   = f->count;
        g->message = arena_strdup(r->arena, str_text(&s));
        str_free(&s);
    }
}

Status emulator_fault(WwDevice *d, const Module *m, const Func *k, const EmuResult *e, Status s, WwResult *r)
{
    const Fault *f       = &e->fault;
    const Rule  *rule    = rule_row(rule_of(f->kind));
    const char  *message = f->text;
    if (!*message)
        message = f->kind == FAULT_NONE ? ww_status_text(s) : rule->brief;
    if (s != WW_ERR_FAULT && s != WW_ERR_LIMIT && s != WW_ERR_UNSUPPORTED) {
        char       *name  = mangled_text(k->name);
        const char *error = refusal_error(f->refusal);
        (void)device_fail(d, s, "kernel %s: %s%s%s%s", name, message, error ? " (" : "", error ? error : "",
                          error ? ")" : "");
        free(name);
        if (error)
            snprintf(d->refused, sizeof d->refused, "%.*s", REFUSAL_TEXT - 1, message);
        return s;
    }

    WwFinding *g = place_finding(m, k, e, f, r);
    g->count     = e->went_on ? kept_count(e, f) : f->lanes ? (uint64_t)__builtin_popcount(f->lanes) : 1;
    g->message   = arena_strdup(r->arena, message);
    char *name   = mangled_text(k->name);
    device_fail(d, s, "%s:%u:%u: error: kernel %s, block (%u, %u, %u), thread (%u, %u, %u): %s [%s]", g->file, g->line,
                g->col, name, g->block.x, g->block.y, g->block.z, g->thread.x, g->thread.y, g->thread.z, g->message,
                rule->id);
    free(name);
    return s;
}

/* ---- checks ---- */

static bool find_allocation(void *user, uint64_t address, uint64_t *base, uint64_t *bytes, const char **name)
{
    return emu_find(((const Emulator *)user)->emu, address, base, bytes, name);
}

static uint64_t find_variable(const void *loaded, const Var *v, uint64_t *bytes)
{
    return emu_module_variable(loaded, v->name, bytes);
}

static bool find_resources(void *user, const Module *m, const Func *kernel, Resources *out)
{
    Emulator *e = user;
    return e->asks_registers && ptxas_resources(e->ptxas, m, kernel, out);
}

static bool has_local(const Func *f)
{
    for (size_t i = 0; i < f->nvars; i++)
        if (f->vars[i]->space == SPACE_LOCAL)
            return true;
    return false;
}

bool emulator_in_registers(Emulator *e, const Module *m, const Func *k)
{
    Resources is;
    if (!has_local(k))
        return false;
    for (size_t i = 0; i < k->ninstrs; i++)
        if (k->instrs[i].op && k->instrs[i].op->op == OP_alloca)
            return false;
    for (size_t i = 0; i < m->nfuncs;
         i++) { /* a function that is called has a frame of its own, which nobody asked about */
        const Func *f = m->funcs[i];
        if (!f->entry && f->has_body && (f->unread || has_local(f)))
            return false;
    }
    return ptxas_resources(e->ptxas, m, k, &is) && !is.stack;
}

CheckLaunch emulator_check_launch(const Emulator *e, const Module *m, const Func *k, const WwLaunch *w,
                                  const void *params)
{
    return (CheckLaunch){.module    = m,
                         .kernel    = k,
                         .serial    = e->launches,
                         .grid      = {w->grid.x, w->grid.y, w->grid.z},
                         .block     = {w->block.x, w->block.y, w->block.z},
                         .params    = params,
                         .seed      = e->seed,
                         .profile   = e->profile,
                         .find      = find_allocation,
                         .variable  = find_variable,
                         .user      = (void *)(uintptr_t)e,
                         .resources = find_resources};
}

void emulator_findings(Findings *found, const Module *m, const Func *k, const EmuResult *e, const WwLaunch *w,
                       WwResult *r)
{
    FindingContext c    = {.module = m,
                           .instr  = e->instr,
                           .ninstr = e->ninstr,
                           .grid   = {w->grid.x, w->grid.y, w->grid.z},
                           .block  = {w->block.x, w->block.y, w->block.z},
                           .kernel = k->name,
                           .func   = k};
    size_t         n    = 0;
    WwFinding     *list = findings_list(found, &c, r->arena, &n);
    result_findings(r, list, n);
    findings_free(found);
}

void emulator_resources(Emulator *e, const Module *m, const Func *k, const WwLaunch *w, WwResult *r)
{
    Resources is;
    if (!find_resources(e, m, k, &is))
        return;
    uint64_t shared = w->shared, threads = (uint64_t)w->block.x * w->block.y * w->block.z;
    for (size_t i = 0; i < k->nvars; i++)
        shared += k->vars[i]->space == SPACE_SHARED ? k->vars[i]->bytes : 0;
    Occupancy o        = occupancy_of(&e->limits, (unsigned)threads, is.registers, shared);
    r->resources_known = true;
    r->resources       = (WwResources){.registers    = is.registers,
                                       .stack        = is.stack,
                                       .spill_stores = is.spill_stores,
                                       .spill_loads  = is.spill_loads,
                                       .spills_known = is.spills,
                                       .shared       = (uint32_t)shared,
                                       .warps        = o.warps,
                                       .most_warps   = o.most_warps,
                                       .limiter      = o.limiter};
}
