/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of doubles that follow each other, tried as if no result were a NaN: of a NaN, which one it is depends on more than the host's
 * arithmetic.  Behind the last the results are asked, and if one is a NaN, the handlers compute all of them again, from the values before the
 * first.
 *
 * Where two attempts in a row have failed, the handlers compute the next ones at once: a kernel may have nothing but NaNs.
 *
 * A result need not be asked if every lane of it that is a NaN makes one of a later result that is; nor if nobody wants it.  What reads one
 * in another way, can stop the warp or be seen ends the trial. */
#include <stdlib.h>
#include <string.h>

#include "emu/jit/emit.h"

enum { GIVEN_UP = 32 }; /* attempts that are not made, and one */

/* ---- which rows ---- */

/* Its result is asked by itself, where there is no trial. */
static bool is_tried(const Item *it)
{
    return it->kind == ITEM_ROW && it->shape.checked && !it->mode;
}

/* Is its result a NaN wherever that source is one? */
static bool hands_on(const Item *it)
{
    const RowShape *s = &it->shape;
    return is_tried(it) || (it->kind == ITEM_ROW && s->steady && s->sources == 1 && s->bytes[0] == 8 &&
                            strcmp(s->type[0], "double") == 0 && strcmp(s->type[1], "double") == 0);
}

static bool reads(const Item *it, uint32_t v)
{
    for (uint32_t i = 0; i < it->nread; i++)
        if (it->read[i] == v)
            return true;
    return false;
}

static bool reads_any(const Item *it, const uint64_t *set)
{
    for (uint32_t i = 0; i < it->nread; i++)
        if (bit_get(set, it->read[i]))
            return true;
    return false;
}

/* The item behind the trial that begins with item k, and how many rows it tries.  Spreads are those of the text there. */
static uint32_t trial_end(Emit *e, const Segment *s, uint32_t k, uint32_t *tried)
{
    uint64_t *open = xcalloc(emit_words(e->p), sizeof *open); /* values that may be the wrong NaN */
    uint32_t  end = k, last = k;
    for (; end < s->nitems; end++) {
        const Item *it = &s->item[end];
        Guard       guard;
        bool        on = hands_on(it) && (is_tried(it) || reads_any(it, open));
        if (emit_mode_of(e, it) || (end > k && emit_forks(e, end)) || (!on && reads_any(it, open)))
            break;
        plan_step(e->p, it, e->now, &guard);
        if (!emit_is_quiet(it, guard))
            break;
        for (uint32_t i = 0; i < it->nwrite; i++)
            (on && e->now[it->write[i]].kind != SPREAD_LINEAR ? bit_set : bit_clear)(open, it->write[i]);
        if (on && e->now[it->write[0]].kind != SPREAD_LINEAR) {
            last = end + 1;
            *tried += is_tried(it);
        }
    }
    free(open);
    return last;
}

/* ---- around them ---- */

/* What the trial overwrites, and the handlers would need: under another name, and back. */
static void copies(Emit *e, const Trial *x, const uint64_t *before, bool back)
{
    uint64_t *done = xcalloc(emit_words(e->p), sizeof *done);
    for (uint32_t j = x->from; j < x->end; j++) {
        uint32_t v    = x->of->item[j].write[0];
        unsigned b    = e->p->value[v].bytes;
        Spread   f    = emit_spread(e, v);
        char     name = !b ? 'p' : f.kind == SPREAD_LINEAR ? 's' : 'r';
        if (!bit_get(before, v) || bit_get(done, v) || f.known || e->clean[v] || e->kept[v])
            continue;
        bit_set(done, v);
        if (back)
            OUT("%c%u = o%u; ", name, v, v);
        else
            OUT("const %c%u o%u = %c%u; ", name == 'r' ? 'V' : 'u', b ? b : 4, v, name, v);
    }
    OUT("\n");
    free(done);
}

static bool *odd_of(const Emit *e)
{
    bool *odd = xmalloc(e->p->nvalues + 1);
    memcpy(odd, e->odd, e->p->nvalues);
    return odd;
}

static void state_back(Emit *e, const Trial *x)
{
    emit_state_back(e, &x->state);
    memcpy(e->odd, x->odd, e->p->nvalues);
}

static void trial_free(Trial *x)
{
    emit_state_free(&x->state);
    free(x->odd);
}

void emit_trial(Emit *e, const Segment *s, uint32_t k)
{
    size_t   bytes = e->p->nvalues * sizeof *e->now;
    Spread  *now   = xmalloc(bytes + 1);
    uint32_t tried = 0, end = k;
    memcpy(now, e->now, bytes);
    if (is_tried(&s->item[k]))
        end = trial_end(e, s, k, &tried);
    memcpy(e->now, now, bytes);
    free(now);
    if (tried < 2)
        return;
    emit_mode(e, 0);
    for (uint32_t j = k; j < end; j++)
        emit_present_item(e, &s->item[j]);
    e->trial =
        (Trial){.of = s, .from = k, .end = end, .number = e->ntrials++, .state = emit_state(e), .odd = odd_of(e)};
    OUT("{ if (COLD(n%u > 1)) { n%u--; goto N%u; }\n", e->trial.number, e->trial.number, e->trial.number);
    copies(e, &e->trial, e->before, false);
}

bool emit_in_trial(const Emit *e, const Item *it)
{
    const Trial *x = &e->trial;
    return x->of && it >= x->of->item + x->from && it < x->of->item + x->end;
}

/* Does a later item show item j's NaNs?  `shows`: of those items it is known. */
static bool shown_later(const Emit *e, uint32_t j, const bool *shows)
{
    const Trial *x = &e->trial;
    uint32_t     v = x->of->item[j].write[0];
    for (uint32_t i = j + 1; i < x->end; i++) {
        const Item *it = &x->of->item[i];
        if (reads(it, v) && hands_on(it) && shows[i - x->from])
            return true;
        if (it->nwrite && it->write[0] == v)
            return false;
    }
    return false;
}

static bool written_later(const Emit *e, uint32_t j)
{
    const Trial *x = &e->trial;
    for (uint32_t i = j + 1; i < x->end; i++)
        if (x->of->item[i].nwrite && x->of->item[i].write[0] == x->of->item[j].write[0])
            return true;
    return false;
}

/* The question, as an expression; behind: what is wanted behind the last. */
static void question(Emit *e, const uint64_t *behind)
{
    const Trial *x     = &e->trial;
    bool        *shows = xcalloc(x->end - x->from, sizeof *shows);
    OUT("0");
    for (uint32_t j = x->end; j-- > x->from;) {
        const Item *it = &x->of->item[j];
        if (!hands_on(it) || emit_spread(e, it->write[0]).kind == SPREAD_LINEAR)
            continue;
        bool seen          = bit_get(behind, it->write[0]) && !written_later(e, j);
        bool later         = shown_later(e, j, shows);
        shows[j - x->from] = seen || later;
        if (seen && !later)
            OUT(" | w_nan((const double *)&r%u)", it->write[0]);
    }
    free(shows);
}

/* What goes to the frame for the handlers, or comes back behind them: what the trial's items read or write; vectors, because a call leaves no
 * register that would hold them. */
static uint64_t *in_frame(const Emit *e, const Trial *x, const uint64_t *wanted, bool back)
{
    uint64_t *set = xcalloc(emit_words(e->p), sizeof *set);
    for (uint32_t j = x->from; j < x->end; j++) {
        const Item *it = &x->of->item[j];
        for (uint32_t i = 0; i < (back ? it->nwrite : it->nread); i++)
            bit_set(set, back ? it->write[i] : it->read[i]);
    }
    for (uint32_t v = 0; v < e->p->nvalues; v++)
        if (e->p->value[v].bytes && !e->p->value[v].constant && emit_spread(e, v).kind == SPREAD_VECTOR)
            bit_set(set, v);
    for (uint32_t w = 0; w + 1 < emit_words(e->p); w++)
        set[w] &= wanted[w];
    return set;
}

void emit_trial_end(Emit *e, const uint64_t *before, const uint64_t *behind)
{
    Trial       x    = e->trial;
    const Item *last = &x.of->item[x.end - 1];
    Trial       now  = {.state = emit_state(e), .odd = odd_of(e)};
    OUT("if (COLD(");
    question(e, behind);
    OUT(")) {\nn%u = n%u ? %d : 1;\n", x.number, x.number, GIVEN_UP);
    state_back(e, &x);
    copies(e, &x, before, true);
    OUT("N%u:;\n", x.number);
    uint64_t *there = in_frame(e, &x, before, false);
    emit_keep(e, there);
    emit_fill(e, there);
    OUT("w_again(w, w_uop(U, %u), w_uop(U, %u));\n", x.of->item[x.from].uop, last->uop + last->span);
    state_back(e, &now);
    uint64_t *back = in_frame(e, &x, behind, true);
    emit_fetch(e, back);
    OUT("} else n%u = 0; }\n", x.number);
    free(there);
    free(back);
    trial_free(&now);
    trial_free(&x);
    e->trial = (Trial){0};
}
