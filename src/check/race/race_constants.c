/* SPDX-License-Identifier: Apache-2.0
 *
 * Constants that a kernel reads while the host's work in another stream writes them.
 *
 * Of an address that was computed from a variable it is known that some of its bytes are read (constants.h), so only work that writes all of it
 * races for sure: nothing here invents a race. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mangle.h"
#include "check/constants.h"
#include "check/race/race_work_own.h"
#include "ptx/place.h"

typedef ConstantReading Reading;

/* ---- what a launch read ---- */

/* Does work that writes [from, to) write what was read? */
static bool meets(uint64_t from, uint64_t to, uint64_t read_from, uint64_t read_to, bool some)
{
    return some ? from <= read_from && read_to <= to : from < read_to && read_from < to;
}

static void note(Findings *found, uint32_t instr, const Reading *x, const HostWork *h)
{
    size_t      len;
    const char *name = mangled_variable(x->var->name, &len);
    Finding    *f    = findings_note(found, RULE_RACE_STREAM, instr, NO_INSTR,
                                     UINT32_C(1) << 31 | (uint32_t)h->kind << 1 | h->writes, 0, 0, 1);
    if (!f)
        return;
    f->address = x->from;
    f->far     = h->asked;
    f->message =
        findings_text(found,
                      "reads the constant '%.*s', which a %s of another stream writes; nothing orders the two (an "
                      "event, a wait of the host)",
                      (int)len, name, works_noun(h));
}

/* ---- and what is kept of it ---- */

static void keep(Works *w, const CheckLaunch *l, uint32_t instr, const Reading *x)
{
    const WorkOrder *o = l->work;
    for (size_t i = w->nconstants; i--;) {
        const ConstantRead *c = &w->constant[i];
        if (c->queue != o->queue || c->count != o->count) /* a launch before */
            break;
        if (c->from == x->from && c->to == x->to && c->some == x->some)
            return;
    }
    if (w->nconstants == w->constants_cap) {
        w->constants_cap = w->constants_cap ? w->constants_cap * 2 : 16;
        w->constant      = xrealloc(w->constant, w->constants_cap * sizeof *w->constant);
    }
    Place         p = instr_user_place(l->module, l->instr[instr].in);
    ConstantRead *c = &w->constant[w->nconstants++];
    *c     = (ConstantRead){.queue = o->queue, .count = o->count, .from = x->from, .to = x->to, .some = x->some};
    c->end = (WwFindingEnd){.kernel = works_shown_name(w, l->kernel->name), .line = p.line, .col = p.col};
    if (p.file)
        c->end.file = works_file_name(w, p.file);
}

typedef struct Reader {
    Works             *works;
    const RaceRun     *run;
    const CheckLaunch *launch;
    Findings          *found;
} Reader;

static void on_read(void *user, uint32_t instr, const Reading *x)
{
    Reader        *u = user;
    const RaceRun *r = u->run;
    for (size_t k = 0; k < r->nbeside; k++)
        if (r->beside[k].writes && meets(r->beside[k].from, r->beside[k].to, x->from, x->to, x->some))
            note(u->found, instr, x, &r->beside[k]);
    keep(u->works, u->launch, instr, x);
}

void works_constants(Works *w, const RaceRun *r, const CheckLaunch *l, Findings *found)
{
    if (l->work && r->rules->on[RULE_RACE_STREAM])
        constants_read(l, on_read, &(Reader){w, r, l, found});
}

void constants_host(Works *w, HostWork *h, const WorkOrder *o)
{
    for (size_t i = 0; h->writes && i < w->nconstants; i++) {
        ConstantRead *c = &w->constant[i];
        if (works_is_before(o, c->queue, c->count) || !meets(h->from, h->to, c->from, c->to, c->some) ||
            !works_fresh(w, (uint64_t)c->end.line << 32 | c->end.col, (uint64_t)h->kind << 1 | h->writes))
            continue;
        WwFinding *f = works_tell(
            w, &c->end, c->from,
            arena_printf(w->arena,
                         "reads a constant at address 0x%" PRIx64
                         ", which a %s of another stream writes; nothing orders the two (an event, a wait of "
                         "the host)",
                         c->from, works_noun(h)));
        f->other = works_asked(w, h);
    }
}

void constants_settle(Works *w, const WorkOrder *o)
{
    size_t kept = 0;
    for (size_t i = 0; i < w->nconstants; i++) {
        const ConstantRead *c    = &w->constant[i];
        uint32_t            upto = c->queue < o->n ? o->settled[c->queue] : 0;
        if (c->count > upto)
            w->constant[kept++] = *c;
    }
    w->nconstants = kept;
}

void constants_forget(Works *w, uint64_t address, uint64_t bytes)
{
    size_t kept = 0;
    for (size_t i = 0; i < w->nconstants; i++)
        if (w->constant[i].to <= address || address + bytes <= w->constant[i].from)
            w->constant[kept++] = w->constant[i];
    w->nconstants = kept;
}
