/* SPDX-License-Identifier: Apache-2.0
 *
 * The questions before accesses of linear addresses: are they in bounds and aligned, and how are they counted?
 *
 * Accesses from one base that follow each other, with nothing between them that can stop the warp, are a party: one question for all of
 * them, from the lowest byte to the highest, and one count (emit_tell.c).  Where the answer is no, the interpreter runs what follows, access by access. */
#include <stdlib.h>
#include <string.h>

#include "emu/jit/emit_mem.h"

enum { PARTIES = SWEEP_PARTIES /* of one stretch */, MOST_REACH = 1 << 26 };

typedef struct Party {
    uint32_t base; /* value */
    uint8_t  space;
    bool     stores;      /* of global memory: what may be read may not always be written */
    int64_t  first;       /* offset of the first access's first lane */
    int64_t  least, most; /* offsets of the lowest address and the highest */
    int64_t  step;        /* bytes of a lane */
    uint32_t instr;
    uint32_t n;
} Party;

static int64_t step_of(const MemInfo *info)
{
    return (int64_t)info->bytes * info->nvec;
}

int64_t emit_offset(const Emit *e, const Item *it)
{
    return (int32_t)e->p->code->uops[it->uop].e;
}

/* The question whether lanes of `step` bytes between two offsets from the base are there, as an expression. */
static void question(Emit *e, const Party *x)
{
    if (x->space == SPACE_SHARED) {
        OUT("w_shared(w, ");
        emit_scalar(e, x->base);
        OUT(" + (u4)%lldll, %lld, %lld)", (long long)x->least, (long long)(x->most - x->least + x->step),
            (long long)(x->step - 1));
    } else {
        OUT("w_global(w, %u, ", x->instr);
        emit_scalar(e, x->base);
        OUT(" + (u8)%lldll, %lld, %lld)", (long long)x->least, (long long)(x->most - x->least),
            (long long)(x->step - 1));
    }
}

static Party party_of(const Emit *e, const Item *it, const Place *x)
{
    int64_t off = emit_offset(e, it);
    return (Party){.base   = it->read[0],
                   .space  = x->info->space,
                   .stores = x->info->space != SPACE_SHARED && it->kind == ITEM_STORE,
                   .first  = off,
                   .least  = off + x->least,
                   .most   = off + x->least + x->reach,
                   .step   = step_of(x->info),
                   .instr  = e->p->code->uops[it->uop].instr};
}

void emit_ask(Emit *e, const Item *it, const Place *x)
{
    Party one = party_of(e, it, x);
    OUT("{ u1 *q = ");
    question(e, &one);
    OUT(";\n");
}

/* ---- stretches ---- */

/* An access joins a party, or founds one; its number, or PARTIES. */
static uint32_t join(Party *party, uint32_t *n, Party x)
{
    for (uint32_t i = 0; i < *n; i++) {
        Party *p = &party[i];
        if (p->base != x.base || p->space != x.space || p->stores != x.stores || p->step != x.step ||
            (x.first - p->first) % x.step || x.most - p->least > MOST_REACH || p->most - x.least > MOST_REACH)
            continue;
        p->least = x.least < p->least ? x.least : p->least;
        p->most  = x.most > p->most ? x.most : p->most;
        p->n++;
        return i;
    }
    if (*n == PARTIES)
        return PARTIES;
    x.n       = 1;
    party[*n] = x;
    return (*n)++;
}

/* The accesses of the stretch that begins with item k: whose party each is.  Spreads are those of the text there. */
static uint32_t find_parties(Emit *e, const Segment *s, uint32_t k, Party *party, uint32_t *end)
{
    uint32_t  n     = 0;
    uint64_t *wrote = xcalloc(emit_words(e->p), sizeof *wrote);
    for (*end = k; *end < s->nitems; ++*end) {
        const Item *it = &s->item[*end];
        Guard       guard;
        bool        access = item_is_access(it);
        if (emit_forks(e, *end))
            break;
        if (access && (bit_get(wrote, it->read[0]) || emit_spread(e, it->read[0]).kind != SPREAD_LINEAR))
            break;
        if (access) {
            Place x = emit_place(e, it);
            if (!emit_serves(e, it, &x) || (it->kind == ITEM_STORE && emit_heard(e, x.info).sweeps) ||
                (e->party[*end] = (uint8_t)join(party, &n, party_of(e, it, &x))) == PARTIES)
                break;
        }
        plan_step(e->p, it, e->now, &guard);
        if (!access && !emit_is_quiet(it, guard))
            break;
        for (uint32_t i = 0; i < it->nwrite; i++)
            bit_set(wrote, it->write[i]);
    }
    free(wrote);
    return n;
}

uint32_t emit_stretch(Emit *e, const Segment *s, uint32_t k)
{
    Party    party[PARTIES + 1];
    uint32_t end;
    size_t   bytes = e->p->nvalues * sizeof *e->now;
    Spread  *now   = xmalloc(bytes + 1);
    memcpy(now, e->now, bytes);
    uint32_t n = find_parties(e, s, k, party, &end), accesses = 0;
    memcpy(e->now, now, bytes);
    while (end > k && !item_is_access(&s->item[end - 1]))
        end--;
    for (uint32_t i = 0; i < n; i++)
        accesses += party[i].n;
    if (accesses < 2) {
        free(now);
        return k;
    }
    for (uint32_t i = 0; i < n; i++)
        emit_present(e, party[i].base);
    for (uint32_t i = 0; i < n; i++) {
        OUT("u1 *q%u = ", e->nquestions + i);
        question(e, &party[i]);
        OUT(";\n");
    }
    OUT("if (COLD(");
    for (uint32_t i = 0; i < n; i++)
        OUT("%s!q%u", i ? " | " : "", e->nquestions + i);
    OUT("))\n");
    emit_leave_at(e, e->before, s->item[k].uop);
    for (uint32_t i = k; i < end; i++) {
        const Item *it = &s->item[i];
        if (!item_is_access(it))
            continue;
        Place x     = emit_place(e, it);
        e->place[i] = emit_offset(e, it) + x.least - party[e->party[i]].least;
    }
    emit_sweep_parties(e, s, k, end, n, e->nquestions);
    for (uint32_t i = 0; i < n; i++)
        emit_count_party(e, s, k, end, i);
    e->stretch = (Stretch){s, k, end, e->nquestions};
    e->nquestions += n;
    free(now);
    return end;
}

bool emit_in_stretch(const Emit *e, const Item *it)
{
    const Stretch *x = &e->stretch;
    return x->of && it >= x->of->item + x->from && it < x->of->item + x->end;
}

bool emit_asked(Emit *e, const Item *it)
{
    const Stretch *x = &e->stretch;
    if (!emit_in_stretch(e, it))
        return false;
    size_t i = (size_t)(it - x->of->item);
    OUT("{ u1 *q = q%u + %lld;\n", x->question + e->party[i], (long long)e->place[i]);
    return true;
}
