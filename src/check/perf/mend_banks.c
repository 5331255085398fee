/* SPDX-License-Identifier: Apache-2.0
 *
 * Bank conflicts under other layouts.  What the rows of the variable are is not in the code any more, so every stride that a
 * conflicting access shows and that divides the variable is tried as the row pitch, and so is a turn over the banks; for each, paddings
 * from one element to a whole turn over the banks, and exclusive-or swizzles of the column by the row.
 *
 * Places of a pattern that a layout cannot tell apart are replayed once, with the sum of their hits.
 * A search of MOST_STEPS replayed places (LOOKS_A_STEP places that are only looked at count as one) ends with what was found by then.
 * Adjacent scalar loads that the assembler joins (merge.h) are joined in the replay too, where the new addresses are still aligned.
 * Not modelled: what the new index arithmetic costs, and a variable in which arrays of different pitch lie side by side. */
#include "check/perf/mend.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "check/count/joined.h"
#include "model/model.h"

enum { MOST_PITCHES = 16, TURN = 128, MOST_STEPS = 1 << 21, LOOKS_A_STEP = 64 };

uint64_t layout_map(const Layout *l, uint64_t at)
{
    if (!l->pitch)
        return at;
    uint64_t row = at / l->pitch, column = at % l->pitch;
    if (l->mask)
        column = (column / l->unit ^ (row >> l->shift & l->mask)) * l->unit + column % l->unit;
    return row * (l->pitch + l->pad) + column;
}

/* ---- replay ---------------------------------------------------------------------------------------------------------- */

static ModelOp model_op(unsigned op)
{
    return op == ACCESS_COPY ? MODEL_ST : (ModelOp)op;
}

/* Bytes after which the layout, seen from the banks, repeats: whole rows whose new length is a multiple of the banks' period. */
static uint64_t repeat_of(const Profile *p, const Layout *l, const Pattern *t, uint32_t role)
{
    uint64_t period = model_period(p, MODEL_SHARED, model_op(t->op), t->bytes);
    uint64_t pitch = l->pitch ? l->pitch : period, row = pitch + l->pad;
    period = role && period < 16 ? 16 : period;
    for (uint64_t rows = 1;; rows++)
        if (rows * row % period == 0 && (!l->mask || rows % ((uint64_t)(l->mask + 1) << l->shift) == 0))
            return rows * pitch;
}

/* The new addresses of the pattern's lanes when its first active one is at `at` of the variable; false: it does not fit. */
static bool place(const SharedUse *u, const Layout *l, const Pattern *t, uint64_t at, uint64_t *out)
{
    memset(out, 0, LANES * sizeof *out);
    for (uint32_t m = t->mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        uint64_t a = at + (uint64_t)t->delta[i];
        if (l->pitch && a % l->pitch + t->bytes > l->pitch)
            return false;
        uint64_t b = layout_map(l, a) + u->offset;
        if (b % t->bytes || (l->mask && t->bytes > l->unit))
            return false;
        out[i] = b;
    }
    return true;
}

static void add_place(const Profile *p, const Pattern *t, uint32_t role, const uint64_t *addr, uint64_t n, Joined *s)
{
    ModelCost   c;
    ModelAccess a = {MODEL_SHARED, model_op(t->op), MODEL_L1_AUTO, t->bytes, t->mask, addr};
    model_access(p, &a, &c);
    joined_count(s, p, role, &a, &c, n);
}

/* How much may be tried: the replay of a layout ends when it has more conflicts than the best, the search when steps are spent. */
typedef struct Effort {
    uint64_t most_conflicts, steps;
} Effort;

/* Hits of the places that a layout cannot tell apart, and one of those places. */
typedef struct Folded {
    uint64_t hits, at;
} Folded;

static bool replay_pattern(const Profile *p, const SharedUse *u, const Layout *l, const Pattern *t, uint32_t role,
                           Joined *s, Effort *e)
{
    uint64_t repeat = repeat_of(p, l, t, role), step = repeat & -repeat, addr[LANES];
    repeat         = repeat < u->bytes ? repeat : u->bytes; /* no place is behind the variable */
    step           = step < t->bytes ? step : t->bytes;     /* places are so far apart, wherever the variable lies */
    uint64_t slots = (repeat - 1) / step + 1, looks = (t->places + slots) / LOOKS_A_STEP;
    Folded  *folded = xcalloc(slots, sizeof *folded);
    e->steps -= looks < e->steps ? looks : e->steps;
    for (uint32_t i = 0; i < t->places; i++) {
        if (!t->hits[i])
            continue;
        uint64_t a = (uint64_t)(t->first + i) * t->bytes - u->offset;
        Folded  *f = &folded[a % repeat / step];
        f->at      = f->hits ? f->at : a;
        f->hits += t->hits[i];
    }
    bool ok = true;
    for (uint64_t k = 0; k < slots && ok; k++)
        if (folded[k].hits && (ok = e->steps && place(u, l, t, folded[k].at, addr))) {
            add_place(p, t, role, addr, folded[k].hits, s);
            e->steps--;
        }
    free(folded);
    return ok;
}

static void settle(const Joined *s, uint32_t role, BankCost *out)
{
    int h = joined_as(s, role);
    out->passes += s->passes[h];
    out->conflicts += s->conflicts[h];
}

static bool replay(const Profile *p, const SharedUse *u, const Layout *l, Effort *e, BankCost *out)
{
    *out = (BankCost){0};
    for (size_t i = 0; i < u->n;) {
        uint32_t role  = u->role ? u->role[i] : 0;
        uint32_t instr = u->pattern[i]->instr;
        Joined   s     = {0};
        for (; i < u->n && u->pattern[i]->instr == instr; i++)
            if (!replay_pattern(p, u, l, u->pattern[i], role, &s, e))
                return false;
        settle(&s, role, out);
        if (out->conflicts > e->most_conflicts)
            return false;
    }
    return true;
}

bool mend_replay(const Profile *p, const SharedUse *u, const Layout *l, BankCost *out)
{
    Effort whole = {UINT64_MAX, UINT64_MAX};
    return replay(p, u, l, &whole, out);
}

bool mend_shown(const Profile *p, const SharedUse *u, const Layout *l, uint64_t from[LANES], uint64_t to[LANES],
                const Pattern **of)
{
    uint32_t most = 0;
    uint64_t addr[LANES];
    for (size_t i = 0; i < u->n; i++) {
        const Pattern *t = u->pattern[i];
        for (uint32_t k = 0; k < t->places; k++) {
            ModelCost c;
            uint64_t  at = (uint64_t)(t->first + k) * t->bytes - u->offset;
            if (!t->hits[k] || !place(u, &(Layout){0}, t, at, addr))
                continue;
            model_access(p, &(ModelAccess){MODEL_SHARED, model_op(t->op), MODEL_L1_AUTO, t->bytes, t->mask, addr}, &c);
            if (c.conflicts <= most || !place(u, l, t, at, to))
                continue;
            most = c.conflicts;
            *of  = t;
            memcpy(from, addr, sizeof addr);
        }
    }
    return most && place(u, l, *of, from[__builtin_ctz((*of)->mask)] - u->offset, to);
}

/* ---- candidates ------------------------------------------------------------------------------------------------------ */

static bool conflicts(const Profile *p, const SharedUse *u, size_t i)
{
    SharedUse one = {u->offset, u->bytes, &u->pattern[i], 1, u->role ? &u->role[i] : NULL};
    BankCost  c;
    return mend_replay(p, &one, &(Layout){0}, &c) && c.conflicts;
}

/* Adds a pitch in ascending order, once. */
static unsigned add_pitch(uint32_t *pitch, unsigned n, uint64_t s)
{
    unsigned j = 0;
    while (j < n && pitch[j] < s)
        j++;
    if ((j < n && pitch[j] == s) || n == MOST_PITCHES)
        return n;
    memmove(&pitch[j + 1], &pitch[j], (n - j) * sizeof *pitch);
    pitch[j] = (uint32_t)s;
    return n + 1;
}

/* Strides between neighbouring lanes of conflicting accesses, and a turn over the banks, as far as they divide the variable.  *alone: the
 * turn, when it is not among the strides. */
static unsigned find_pitches(const Profile *p, const SharedUse *u, uint32_t *pitch, uint64_t *alone)
{
    uint64_t turn = (uint64_t)p->arch->banks * p->arch->bank_bytes;
    unsigned n    = u->bytes > turn && u->bytes % turn == 0 ? add_pitch(pitch, 0, turn) : 0;
    *alone        = turn;
    for (size_t i = 0; i < u->n; i++) {
        const Pattern *t = u->pattern[i];
        if (!conflicts(p, u, i))
            continue;
        for (unsigned k = 1; k < LANES; k++) {
            int64_t  d = t->delta[k] - t->delta[k - 1];
            uint64_t s = (uint64_t)(d < 0 ? -d : d);
            if ((t->mask >> k & 1) && (t->mask >> (k - 1) & 1) && s > t->bytes && s < u->bytes && u->bytes % s == 0) {
                n      = add_pitch(pitch, n, s);
                *alone = s == turn ? 0 : *alone;
            }
        }
    }
    return n;
}

static uint32_t smallest_access(const SharedUse *u)
{
    uint32_t least = 128;
    for (size_t i = 0; i < u->n; i++)
        if (u->pattern[i]->bytes < least)
            least = u->pattern[i]->bytes;
    return least;
}

static uint32_t largest_access(const SharedUse *u)
{
    uint32_t most = 1;
    for (size_t i = 0; i < u->n; i++)
        if (u->pattern[i]->bytes > most)
            most = u->pattern[i]->bytes;
    return most;
}

/* Keeps the layout when it leaves fewer conflicts than the best so far, or as few for less memory. */
static void consider(const Profile *p, const SharedUse *u, const Layout *l, uint64_t *steps, BankMend *best)
{
    BankCost c;
    Effort   e     = {best->after.conflicts, *steps};
    uint64_t cost  = l->pitch ? u->bytes / l->pitch * l->pad : 0;
    bool     whole = replay(p, u, l, &e, &c);
    *steps         = e.steps;
    if (!whole)
        return;
    if (c.conflicts < best->after.conflicts || (c.conflicts == best->after.conflicts && cost < best->cost)) {
        best->layout = *l;
        best->after  = c;
        best->cost   = cost;
    }
}

unsigned mend_banks(const Profile *p, const SharedUse *u, BankMend *pad, BankMend *swizzle)
{
    uint32_t pitch[MOST_PITCHES + 1], unit = smallest_access(u), wide = largest_access(u);
    BankMend none = {.unit = unit};
    if (!u->n || !mend_replay(p, u, &(Layout){0}, &none.before))
        return 0;
    none.after = none.before;
    *pad = *swizzle = none;
    uint64_t alone;
    unsigned n     = find_pitches(p, u, pitch, &alone);
    uint64_t steps = MOST_STEPS;
    for (unsigned i = 0; i < n; i++) {
        for (uint32_t b = unit; b <= TURN && pad->after.conflicts; b += unit)
            if ((pitch[i] + b) % wide == 0)
                consider(p, u, &(Layout){.pitch = pitch[i], .pad = b}, &steps, pad);
        uint32_t units = pitch[i] / wide;
        if (units < 2 || units & (units - 1) || pitch[i] % wide)
            continue;
        for (uint32_t mask = units - 1; mask && swizzle->after.conflicts; mask >>= 1)
            for (uint32_t shift = 0; shift < 3; shift++)
                consider(p, u, &(Layout){.pitch = pitch[i], .unit = wide, .shift = shift, .mask = mask}, &steps,
                         swizzle);
    }
    unsigned found = 0;
    pad->strided   = pad->layout.pitch != alone;
    if (pad->layout.pitch && pad->after.conflicts * 2 <= pad->before.conflicts)
        found |= 1;
    if (swizzle->layout.pitch && swizzle->after.conflicts * 2 <= swizzle->before.conflicts)
        found |= 2;
    return found;
}
