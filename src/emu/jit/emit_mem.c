/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads and stores of global and shared memory.  Where the address is linear, bounds are asked once for the warp, and the lanes' elements are
 * taken as the pattern says: one for all, runs of 8, 16 or 32 neighbours, or each by itself from a place that is known beforehand.
 * Whenever the question is answered with no (another allocation than last time, out of bounds, unaligned), the interpreter's handler does
 * the access, with its messages.  Other addresses: emit_far.c. */
#include <stdlib.h>

#include "emu/jit/emit_mem.h"

static bool run_is(const Place *x, unsigned first, unsigned n, int64_t step)
{
    for (unsigned i = 1; i < n; i++)
        if (x->at[first + i] != x->at[first] + step * i)
            return false;
    return true;
}

static unsigned runs_of(const Place *x, int64_t step)
{
    for (unsigned n = LANES; n >= 8; n /= 2) {
        bool all = true;
        for (unsigned i = 0; i < LANES; i += n)
            all &= run_is(x, i, n, step) || run_is(x, i, n, 0);
        if (all)
            return n;
    }
    return 1;
}

Place emit_place(const Emit *e, const Item *it)
{
    Place   x = {.info = e->p->code->uops[it->uop].ptr, .apart = true};
    Spread  f = emit_spread(e, it->read[0]);
    int64_t most, step = (int64_t)x.info->bytes * x.info->nvec;
    pattern_ends(&e->p->patterns, f.pattern, &x.least, &most);
    x.reach = most - x.least;
    x.one   = f.pattern == 0;
    for (int i = 0; i < LANES; i++)
        x.at[i] = e->p->patterns.lane[f.pattern][i] - x.least;
    for (int i = 0; i < LANES; i++)
        for (int j = 0; j < i; j++)
            x.apart &= llabs(x.at[i] - x.at[j]) >= step;
    x.run = runs_of(&x, step);
    return x;
}

/* Lanes' differences must keep an aligned address aligned, and stay small against an allocation. */
bool emit_serves(const Emit *e, const Item *it, const Place *x)
{
    int64_t step = (int64_t)x->info->bytes * x->info->nvec;
    if (emit_spread(e, it->read[0]).kind != SPREAD_LINEAR || !emit_heard(e, x->info).serves || x->reach > 1 << 24 ||
        x->info->space == SPACE_LOCAL)
        return false;
    for (int i = 0; i < LANES; i++)
        if (x->at[i] % step)
            return false;
    return true;
}

/* ---- loads ---- */

/* The elements k of all lanes: a vector of the element's width. */
static void gather(Emit *e, const Place *x, unsigned k)
{
    unsigned b = x->info->bytes;
    OUT("(V%u){", b);
    for (int i = 0; i < LANES; i++)
        OUT("%s*(u%uu *)(q + %lld)", i ? ", " : "", b, (long long)(x->at[i] + k * b));
    OUT("}");
}

/* One run: neighbours, or one address for all of it. */
static void load_run(Emit *e, const Place *x, unsigned first)
{
    unsigned b = x->info->bytes;
    if (run_is(x, first, x->run, b))
        OUT("*(V%u_%uu *)(q + %lld)", b, x->run, (long long)x->at[first]);
    else
        OUT("((V%u_%u){} + *(u%uu *)(q + %lld))", b, x->run, b, (long long)x->at[first]);
}

static void indices(Emit *e, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        OUT(", %u", i);
}

/* Runs of n lanes from `first` on become a vector of n * count. */
static void join_runs(Emit *e, const Place *x, unsigned first, unsigned lanes)
{
    if (lanes == x->run) {
        load_run(e, x, first);
        return;
    }
    OUT("SH(");
    join_runs(e, x, first, lanes / 2);
    OUT(", ");
    join_runs(e, x, first + lanes / 2, lanes / 2);
    indices(e, lanes);
    OUT(")");
}

static void widen(Emit *e, const Item *it, uint32_t v, const char *name)
{
    const MemInfo *info = e->p->code->uops[it->uop].ptr;
    unsigned       r    = e->p->value[v].bytes;
    if (r == info->bytes)
        OUT("r%u = (V%u)%s;\n", v, r, name);
    else if (info->is_signed)
        OUT("r%u = (V%u)__builtin_convertvector((W%u)%s, W%u);\n", v, r, info->bytes, name, r);
    else
        OUT("r%u = __builtin_convertvector(%s, V%u);\n", v, name, r);
}

/* Lanes of several elements in runs: the runs are read whole and dealt out. */
static void deal_out(Emit *e, const Item *it, const Place *x)
{
    unsigned b = x->info->bytes, n = x->info->nvec;
    for (unsigned first = 0; first < LANES; first += x->run)
        OUT("V%u_%u c%u = *(V%u_%uu *)(q + %lld);\n", b, x->run * n, first, b, x->run * n, (long long)x->at[first]);
    for (unsigned k = 0; k < n; k++) {
        for (unsigned first = 0; first < LANES; first += x->run) {
            OUT("V%u_%u d%u_%u = SH(c%u, c%u", b, x->run, k, first, first, first);
            for (unsigned i = 0; i < x->run; i++)
                OUT(", %u", i * n + k);
            OUT(");\n");
        }
        OUT("r%u = ", it->write[k]);
        if (x->run == LANES) {
            OUT("(V%u)d%u_0;\n", b, k);
            continue;
        }
        OUT("(V%u)", b);
        if (x->run == 16) {
            OUT("SH(d%u_0, d%u_16", k, k);
        } else {
            OUT("SH(SH(d%u_0, d%u_8", k, k);
            indices(e, 16);
            OUT("), SH(d%u_16, d%u_24", k, k);
            indices(e, 16);
            OUT(")");
        }
        indices(e, 32);
        OUT(");\n");
    }
}

static bool runs_are_dense(const Place *x)
{
    if (x->run == 1)
        return false;
    for (unsigned first = 0; first < LANES; first += x->run)
        if (!run_is(x, first, x->run, (int64_t)x->info->bytes * x->info->nvec))
            return false;
    return true;
}

static void load_lanes(Emit *e, const Item *it, const Place *x)
{
    unsigned b = x->info->bytes;
    if (x->one) {
        for (unsigned k = 0; k < x->info->nvec; k++) {
            unsigned r = e->p->value[it->write[k]].bytes;
            OUT("s%u = (u%u)(%c%u)*(u%uu *)(q + %u);\n", it->write[k], r, x->info->is_signed ? 'i' : 'u', b, b, k * b);
        }
    } else if (x->info->nvec == 1) {
        OUT("V%u x = ", b);
        if (x->run > 1)
            join_runs(e, x, 0, LANES);
        else
            gather(e, x, 0);
        OUT(";\n");
        widen(e, it, it->write[0], "x");
    } else if (runs_are_dense(x)) {
        deal_out(e, it, x);
    } else {
        for (unsigned k = 0; k < x->info->nvec; k++) {
            OUT("r%u = ", it->write[k]);
            gather(e, x, k);
            OUT(";\n");
        }
    }
}

/* After the handler: one value for all lanes is still one, unless lanes were left out for a fault. */
static void still_same(Emit *e, const Item *it)
{
    uint64_t *others = xcalloc(emit_words(e->p), sizeof *others);
    for (uint32_t w = 0; w + 1 < emit_words(e->p); w++)
        others[w] = e->after[w];
    for (uint32_t k = 0; k < it->nwrite; k++)
        bit_clear(others, it->write[k]);
    for (uint32_t k = 0; k < it->nwrite; k++) {
        const Value *v = &e->p->value[it->write[k]];
        if (!bit_get(e->after, it->write[k]))
            continue;
        OUT("if (!w_same%u(r + %u))\n", v->bytes, v->slot);
        emit_leave(e, others, "n");
    }
    free(others);
}

/* ---- addresses that are not known to be linear ---- */

/* Many have a pattern all the same, what is guessed or neighbours: native code looks.  Meanwhile the address has that spread. */
static void guess(Emit *e, const Item *it)
{
    const MemInfo *info  = e->p->code->uops[it->uop].ptr;
    unsigned       bytes = e->p->value[it->read[0]].bytes;
    int64_t        lane[LANES];
    uint32_t       known = emit_spread(e, it->read[0]).guess;
    for (int i = 0; i < LANES; i++)
        lane[i] = (int64_t)i * info->bytes * info->nvec;
    e->now[it->read[0]]         = spread_same();
    e->now[it->read[0]].pattern = known ? known - 1 : pattern_of(&e->p->patterns, lane, bytes);
}

/* `{ u1 *q = ` as emit_ask; NULL, too, where the lanes are no neighbours. */
static void ask_guessed(Emit *e, const Item *it, const Place *x)
{
    uint32_t v     = it->read[0];
    unsigned bytes = e->p->value[v].bytes;
    OUT("s%u = r%u[0];\n", v, v);
    emit_ask(e, it, x);
    OUT("if (q && !w_even%u((const u%u *)&r%u, (const u%u *)&P%u_%u_%u)) q = 0;\n", bytes, bytes, v, bytes, e->index,
        e->now[v].pattern, bytes);
}

/* The question, and what happens when the answer is no; behind it stands what happens else.  false: there is nothing but the handler. */
static bool begin_access(Emit *e, const Item *it, Place *x, Spread want)
{
    uint32_t v      = it->read[0];
    Spread   had    = emit_spread(e, v);
    bool     linear = had.kind == SPREAD_LINEAR;
    if (!linear && !e->crossing)
        guess(e, it);
    if (!e->crossing)
        *x = emit_place(e, it);
    if (e->crossing || !emit_serves(e, it, x)) {
        if (!linear && !e->crossing)
            e->now[v] = had;
        emit_anywhere(e, it, want);
        return false;
    }
    e->ended = "";
    if (linear && emit_asked(e, it))
        return true;
    e->ended = " } }";
    if (linear)
        emit_ask(e, it, x);
    else
        ask_guessed(e, it, x);
    emit_sweep(e, it, x);
    if (!linear)
        e->now[v] = had;
    OUT(linear ? "if (COLD(!q)) {\n" : "if (!q) {\n");
    (linear ? emit_call : emit_anywhere)(e, it, want);
    if (it->kind == ITEM_LOAD && spread_is_same(want))
        still_same(e, it);
    OUT("} else {\n");
    Spread now = e->now[v];
    if (!linear)
        guess(e, it);
    emit_count(e, it, x);
    e->now[v] = now;
    OUT("{\n");
    return true;
}

/* Between barriers warps load what none has looked at since long, and rows of a matrix lie too far apart for the host to foresee which: a tile's
 * lines were half of the time of a product on a Xeon.  The next look of the place is likely to be as far from this one as this is from the last. */
static void fetch_ahead(Emit *e, const Item *it, const Place *x)
{
    enum { LINE = 64, MOST = 4 };
    int64_t  step = (int64_t)x->info->bytes * x->info->nvec, end = -1;
    unsigned n = 0;
    if (!e->waits || !*e->ended || x->info->space == SPACE_SHARED || x->one)
        return;
    OUT("{ u1 *a = w_ahead(w, %u, q);", e->p->code->uops[it->uop].instr);
    for (int i = 0; i < LANES && n < MOST; i++)
        if (x->at[i] + step > end) {
            OUT(" __builtin_prefetch(a + %lld);", (long long)x->at[i]);
            end = x->at[i] + LINE;
            n++;
        }
    OUT(" }\n");
}

void emit_load(Emit *e, const Item *it)
{
    Place  x    = {0};
    bool   one  = !e->crossing && plan_loads_one(e->p, it, emit_spread(e, it->read[0]));
    Spread want = one ? spread_same() : spread_vector();
    if (!begin_access(e, it, &x, want)) {
        if (one)
            still_same(e, it);
        return;
    }
    fetch_ahead(e, it, &x);
    load_lanes(e, it, &x);
    OUT("}%s\n", e->ended);
    for (uint32_t k = 0; k < it->nwrite; k++)
        emit_made(e, it->write[k], want);
}

/* ---- stores ---- */

/* Lane after lane, the highest last. */
static void store_each(Emit *e, const Item *it, const Place *x)
{
    unsigned b = x->info->bytes;
    for (unsigned k = 0; k < x->info->nvec; k++) {
        char name[8] = {'d', (char)('0' + k)};
        emit_vector(e, it->read[1 + k], name);
    }
    for (int i = 0; i < LANES; i++)
        for (unsigned k = 0; k < x->info->nvec; k++)
            OUT("*(u%uu *)(q + %lld) = (u%u)d%u[%d];%s", b, (long long)(x->at[i] + k * b), b, k, i,
                i % 4 == 3 ? "\n" : " ");
}

static void store_runs(Emit *e, const Item *it, const Place *x)
{
    unsigned b = x->info->bytes, r = x->info->reg_bytes;
    emit_vector(e, it->read[1], "d");
    if (r == b)
        OUT("V%u t = d;\n", b);
    else
        OUT("V%u t = __builtin_convertvector(d, V%u);\n", b, b);
    for (unsigned first = 0; first < LANES; first += x->run) {
        OUT("*(V%u_%uu *)(q + %lld) = ", b, x->run, (long long)x->at[first]);
        if (x->run == LANES) {
            OUT("t;\n");
            continue;
        }
        OUT("SH(t, t");
        for (unsigned i = 0; i < x->run; i++)
            OUT(", %u", first + i);
        OUT(");\n");
    }
}

/* Two or four elements a lane, lanes side by side. */
static void store_dealt(Emit *e, const Item *it, const Place *x)
{
    unsigned b = x->info->bytes, n = x->info->nvec;
    for (unsigned k = 0; k < n; k++) {
        char name[8] = {'d', (char)('0' + k)};
        emit_vector(e, it->read[1 + k], name);
    }
    for (unsigned k = 0; k < n; k += 2) {
        OUT("V%u_64 t%u = SH(d%u, d%u", b, k, k, k + 1);
        for (unsigned i = 0; i < LANES; i++)
            OUT(", %u, %u", i, LANES + i);
        OUT(");\n");
    }
    if (n == 2) {
        OUT("*(V%u_64u *)q = t0;\n", b);
        return;
    }
    OUT("*(V%u_128u *)q = SH(t0, t2", b);
    for (unsigned i = 0; i < LANES; i++)
        OUT(", %u, %u, %u, %u", 2 * i, 2 * i + 1, 64 + 2 * i, 65 + 2 * i);
    OUT(");\n");
}

void emit_store(Emit *e, const Item *it)
{
    Place x = {0};
    if (!begin_access(e, it, &x, spread_vector()))
        return;
    if (x.apart && x.info->nvec == 1 && runs_are_dense(&x))
        store_runs(e, it, &x);
    else if (x.apart && x.run == LANES && runs_are_dense(&x))
        store_dealt(e, it, &x);
    else
        store_each(e, it, &x);
    OUT("}%s\n", e->ended);
}
