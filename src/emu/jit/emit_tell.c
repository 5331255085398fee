/* SPDX-License-Identifier: Apache-2.0
 *
 * Who hears of accesses that native code does itself.
 *
 * An observer that takes accesses of one pattern by their number hears of them when the worker ends: native code counts them by the place of
 * their first lane.  Others are told at once of all that follow each other (Sweep), before anything is read or written: one call for many
 * accesses.  What neither of the two serves, the interpreter's handler does. */
#include "emu/jit/emit_mem.h"

#include "base/arena.h"

/* ---- who ---- */

static bool wants(const Observer *o, const MemInfo *info)
{
    AccessSpace space = info->space == SPACE_SHARED  ? ACCESS_SHARED
                        : info->space == SPACE_LOCAL ? ACCESS_LOCAL
                                                     : ACCESS_GLOBAL;
    return o->wants[space] >> info->seen.op & 1;
}

Heard emit_heard(const Emit *e, const MemInfo *info)
{
    const Plan *p = e->p;
    Heard       h = {.serves = true};
    for (size_t i = 0; info->observed && i < p->nobservers; i++) {
        const Observer *o        = p->observer[i];
        bool            wants_it = wants(o, info), many = o == p->count, sweeps = o->takes || o->sweep;
        h.counts |= wants_it && many;
        h.sweeps |= wants_it && !many && sweeps;
        h.serves &= !wants_it || many || sweeps;
    }
    return h;
}

/* Blocks that no observer sweeps have code of their own: a call that is not made still costs the registers that would not outlive it. */
bool emit_may_skip(const Emit *e)
{
    bool skips = true;
    for (size_t i = 0; i < e->p->nobservers; i++) {
        const Observer *o = e->p->observer[i];
        skips &= o->skips || !(o->takes || o->sweep);
    }
    return skips;
}

/* ---- by number ---- */

static void add_site(Emit *e, const Place *x, int64_t delta)
{
    Tally *t        = e->p->tally;
    t->site         = xrealloc(t->site, (t->nsites + 1) * sizeof *t->site);
    TallySite *site = &t->site[t->nsites++];
    *site           = (TallySite){.info  = x->info,
                                  .space = (uint8_t)(x->info->space == SPACE_SHARED ? ACCESS_SHARED : ACCESS_GLOBAL),
                                  .shift = (uint8_t)__builtin_ctz(x->info->seen.bytes)};
    for (int i = 0; i < LANES; i++)
        site->lane[i] = x->at[i] - x->at[0] + delta;
}

/* Sites [from, end) are counted together, by the place of the first one's first lane, `off` from the base. */
static void count_sites(Emit *e, uint32_t from, uint32_t base, int64_t off)
{
    Tally          *t      = e->p->tally;
    const Observer *o      = e->p->count;
    uint32_t        period = 1;
    bool            whole  = false;
    for (uint32_t i = from; i < t->nsites; i++) {
        const TallySite *s     = &t->site[i];
        uint32_t         bytes = o->period(o, (AccessSpace)s->space, (AccessOp)s->info->op, s->info->seen.bytes);
        uint32_t         p     = (bytes ? bytes : e->p->window) >> t->site[from].shift;
        whole |= !bytes;
        period = p > period ? p : period;
    }
    for (uint32_t i = from; i < t->nsites; i++) {
        t->site[i].shift  = t->site[from].shift;
        t->site[i].whole  = whole;
        t->site[i].places = period;
        t->site[i].first  = t->places;
    }
    OUT("tally[%u + ((", t->places);
    emit_scalar(e, base);
    OUT(" + (u8)%lldll) >> %u & %u)]++;\n", (long long)off, t->site[from].shift, period - 1);
    t->places += period;
}

void emit_count(Emit *e, const Item *it, const Place *x)
{
    if (!emit_heard(e, x->info).counts)
        return;
    uint32_t from = e->p->tally->nsites;
    add_site(e, x, 0);
    count_sites(e, from, it->read[0], emit_offset(e, it));
}

void emit_count_party(Emit *e, const Segment *s, uint32_t k, uint32_t end, uint32_t number)
{
    uint32_t    from  = e->p->tally->nsites;
    const Item *first = NULL;
    for (uint32_t i = k; i < end; i++) {
        const Item *it = &s->item[i];
        if (!item_is_access(it) || e->party[i] != number)
            continue;
        Place place = emit_place(e, it);
        first       = first ? first : it;
        if (emit_heard(e, place.info).counts)
            add_site(e, &place, emit_offset(e, it) - emit_offset(e, first));
    }
    if (e->p->tally->nsites > from)
        count_sites(e, from, first->read[0], emit_offset(e, first));
}

/* ---- at once ---- */

static uint32_t sweep_new(Emit *e)
{
    Tally *t             = e->p->tally;
    e->sweeps            = true;
    t->sweep             = xrealloc(t->sweep, (t->nsweeps + 1) * sizeof *t->sweep);
    Sweep *s             = xcalloc(1, sizeof *s);
    s->party             = xcalloc(SWEEP_PARTIES, sizeof *s->party);
    s->number            = t->nsweeps;
    t->sweep[t->nsweeps] = s;
    return t->nsweeps++;
}

/* An access of `party`, whose lowest address is `above` the party's. */
static void sweep_add(Emit *e, uint32_t number, const Place *x, uint32_t party, int64_t above)
{
    Sweep *s         = e->p->tally->sweep[number];
    s->access        = xrealloc(s->access, (s->naccesses + 1) * sizeof *s->access);
    SweepAccess *a   = &s->access[s->naccesses++];
    uint32_t     end = (uint32_t)(x->reach + above) + x->info->seen.bytes;
    *a               = (SweepAccess){.seen = &x->info->seen, .party = party, .low = (uint32_t)above, .high = end};
    for (int i = 0; i < LANES; i++)
        a->lane[i] = (uint32_t)(x->at[i] + above);
    SweepParty *p = &s->party[party];
    p->space      = x->info->space == SPACE_SHARED ? ACCESS_SHARED : ACCESS_GLOBAL;
    p->bytes      = end > p->bytes ? end : p->bytes;
    s->nparties   = party + 1 > s->nparties ? party + 1 : s->nparties;
}

bool emit_sweep(Emit *e, const Item *it, const Place *x)
{
    if (!emit_heard(e, x->info).sweeps)
        return false;
    uint32_t number = sweep_new(e);
    sweep_add(e, number, x, 0, 0);
    for (uint32_t i = 1; it->kind == ITEM_STORE && i < it->nread; i++)
        emit_flush(e, it->read[i]); /* what is stored may be looked at */
    OUT("{ const u1 *at = q; if (q && swept && !w_sweep(w, %u, &at)) q = 0; }\n", number);
    return true;
}

bool emit_sweep_parties(Emit *e, const Segment *s, uint32_t k, uint32_t end, uint32_t n, uint32_t question)
{
    uint32_t number = UINT32_MAX;
    for (uint32_t i = k; i < end; i++) {
        if (!item_is_access(&s->item[i]))
            continue;
        Place x = emit_place(e, &s->item[i]);
        if (!emit_heard(e, x.info).sweeps)
            continue;
        number = number == UINT32_MAX ? sweep_new(e) : number;
        sweep_add(e, number, &x, e->party[i], e->place[i]);
    }
    if (number == UINT32_MAX)
        return false;
    OUT("{ const u1 *at[] = {");
    for (uint32_t i = 0; i < n; i++)
        OUT("%sq%u", i ? ", " : "", question + i);
    OUT("};\nif (COLD(swept && !w_sweep(w, %u, at)))\n", number);
    emit_leave_at(e, e->before, s->item[k].uop);
    OUT("}\n");
    return true;
}
