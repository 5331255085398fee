/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses that native code tells of at once.  What does not change from time to time is found out when a Sweep is met first: sites, and which
 * shape each access has.  Then whole parties are left out where nothing is to be told or kept.  All the rest is what each access would do by
 * itself, in their order; a Sweep with anything but weak loads and stores is taken apart (race.c). */
#include "check/race/race_sweep.h"

#include "base/arena.h"

/* ---- once ---- */

static bool is_row(const SweepAccess *x, unsigned lanes)
{
    for (unsigned i = 0; i < lanes; i++)
        if (x->lane[i] != x->lane[0] + (i << WORD_BITS))
            return false;
    return true;
}

static bool are_twins(const SweepAccess *x)
{
    for (unsigned i = 0; i < LANES / 2; i++)
        if (x->lane[i] != x->lane[i + LANES / 2])
            return false;
    return is_row(x, LANES / 2);
}

/* Lanes side by side at one place, at least two for each, all places apart. */
static bool find_groups(SweptAccess *k, const SweepAccess *x)
{
    for (unsigned i = 0, size = 0; i < LANES; i++, size++) {
        if (i && x->lane[i] == x->lane[i - 1])
            continue;
        if (k->groups == SWEPT_GROUPS || (i && size < 2))
            return false;
        for (unsigned g = 0; g < k->groups; g++)
            if (x->lane[k->first[g]] == x->lane[i])
                return false;
        k->first[k->groups++] = (uint8_t)i;
        size                  = 0;
    }
    return x->lane[LANES - 1] == x->lane[LANES - 2];
}

static void find_shape(SweptAccess *k, const SweepAccess *x)
{
    if (x->seen->bytes == 1 << WORD_BITS && is_row(x, LANES))
        k->shape = SHAPE_ROW;
    else if (x->seen->bytes == 1 << WORD_BITS && are_twins(x))
        k->shape = SHAPE_TWINS;
    else if (find_groups(k, x))
        k->shape = SHAPE_GROUPS;
}

/* Does the party read each word for one group of lanes only? */
static bool is_apart(const Swept *s, const Sweep *of, uint32_t party)
{
    uint32_t cells[PAGE_BYTES >> WORD_BITS >> 5] = {0};
    bool     apart                               = of->party[party].bytes <= PAGE_BYTES;
    for (uint32_t i = 0; apart && i < of->naccesses; i++) {
        const SweptAccess *k = &s->access[i];
        if (of->access[i].party != party)
            continue;
        apart = k->shape == SHAPE_GROUPS && of->access[i].seen->bytes == 1 << WORD_BITS;
        for (unsigned g = 0; apart && g < k->groups; g++) {
            uint32_t cell = of->access[i].lane[k->first[g]] >> WORD_BITS, bit = UINT32_C(1) << cell % 32;
            apart = !(cells[cell / 32] & bit);
            cells[cell / 32] |= bit;
        }
    }
    return apart;
}

Swept *swept_new(RaceRun *r, const Sweep *of, unsigned (*site)(RaceRun *r, uint32_t instr),
                 Strength (*strength)(RaceRun *r, const Access *a))
{
    Swept *s  = xcalloc(1, sizeof *s + of->naccesses * sizeof *s->access);
    s->simple = !r->flags && !r->open && !r->nbeside;
    s->reads  = UINT32_MAX;
    for (uint32_t i = 0; i < of->naccesses; i++) {
        const SweepAccess *x    = &of->access[i];
        const Access      *seen = x->seen;
        bool               word = seen->op == ACCESS_LD && seen->bytes >= 1 << WORD_BITS && seen->bytes <= 16 &&
                    of->party[x->party].space == ACCESS_SHARED;
        s->access[i].site = (uint16_t)site(r, seen->instr);
        s->simple &=
            (seen->op == ACCESS_LD || seen->op == ACCESS_ST) && !seen->nc && strength(r, seen) == STRENGTH_WEAK;
        if (word)
            find_shape(&s->access[i], x);
        else
            s->reads &= ~(UINT32_C(1) << x->party);
    }
    for (uint32_t i = 0; i < of->nparties; i++)
        s->apart |= (uint32_t)((s->reads >> i & 1) && is_apart(s, of, i)) << i;
    return s;
}

/* ---- each time ---- */

/* Parties of which nothing is to be told or kept: all their rows are quiet. */
static uint32_t quiet_parties(const Touch *t, const SweepCall *c, uint32_t reads)
{
    uint32_t quiet = 0;
    for (uint32_t i = 0; i < c->of->nparties; i++) {
        uint64_t at = c->at[i], end = at + c->of->party[i].bytes - 1;
        if ((reads >> i & 1) && at >> PAGE_BITS == end >> PAGE_BITS &&
            cells_quiet(t, &t->pages[at >> PAGE_BITS], (uint32_t)at & (PAGE_BYTES - 1), c->of->party[i].bytes))
            quiet |= UINT32_C(1) << i;
    }
    return quiet;
}

void swept_touch(Cells *cells, RaceBlock *b, const SweepCall *c, const Swept *s)
{
    const RaceRun *r = cells->run;
    Touch t[2] = {{.cells = cells, .b = b, .me = stamp_make(b->now, c->warp * LANES, 0, BY_THREAD, STRENGTH_WEAK)}};
    t[0].dead = t[0].base = r->floor << TIME_SHIFT;
    t[1]                  = t[0];
    t[1].owner            = b;
    t[1].pages            = b->shared;
    t[1].base             = (b->foreign ? b->oldest : b->base) << TIME_SHIFT;
    t[1].dead             = b->async ? b->oldest << TIME_SHIFT : t[1].base;
    uint32_t quiet        = quiet_parties(&t[1], c, s->reads);
    if (quiet + 1 != UINT32_C(1) << c->of->nparties)
        r->sweep(t, c, s, quiet);
}
