/* SPDX-License-Identifier: Apache-2.0
 *
 * What rows make of spreads.  The table below names the rows that keep more than "all lanes have one value"; every other row keeps that and
 * nothing else.  A rule answers for the result's pattern only: lane 0's value is computed by the row itself, when the kernel runs.
 *
 * Arithmetic is modulo 2^bits, so sums, differences and products by a known number need no proof.  What looks at the size of a value
 * (widening, shifting right) does: the pattern is the result's only while no lane wraps round, which native code asks (Guard). */
#include "emu/jit/spread.h"

#include <stdlib.h>
#include <string.h>

#include "ptx/op.h"

typedef enum Rule {
    RULE_NONE,
    RULE_COPY,
    RULE_ADD,
    RULE_SUB,
    RULE_NEG,
    RULE_MUL,
    RULE_MAD,
    RULE_SHL,
    RULE_SHR,
    RULE_AND,
    RULE_OR,
    RULE_XOR,
    RULE_MUL_WIDE,
    RULE_MAD_WIDE,
    RULE_CONVERT,
    RULE_SELECT
} Rule;

static const struct {
    uint16_t op;
    uint8_t  rule;
} rules[] = {
    {OP_copy, RULE_COPY},         {OP_add, RULE_ADD},           {OP_sub, RULE_SUB},         {OP_neg, RULE_NEG},
    {OP_not, RULE_NEG},           {OP_mul_lo, RULE_MUL},        {OP_mad_lo, RULE_MAD},      {OP_shl_lane, RULE_SHL},
    {OP_shr_lane, RULE_SHR},      {OP_and, RULE_AND},           {OP_or, RULE_OR},           {OP_xor, RULE_XOR},
    {OP_mul_wide, RULE_MUL_WIDE}, {OP_mad_wide, RULE_MAD_WIDE}, {OP_cvt_u32, RULE_CONVERT}, {OP_cvt_u64, RULE_CONVERT},
    {OP_selp, RULE_SELECT},
};

static Rule rule_of(What w)
{
    bool integer = w.lane == LT_u32 || w.lane == LT_s32 || w.lane == LT_u64 || w.lane == LT_s64;
    for (size_t i = 0; integer && i < sizeof rules / sizeof *rules; i++)
        if (rules[i].op == w.id)
            return (Rule)rules[i].rule;
    return RULE_NONE;
}

/* ---- patterns ---- */

/* The number of that width that x is modulo 2^bits. */
static int64_t narrow(int64_t x, unsigned bytes)
{
    return bytes >= 8 ? x : (int64_t)((uint64_t)x << (64 - 8 * bytes)) >> (64 - 8 * bytes);
}

uint32_t pattern_of(SpreadPool *p, const int64_t lane[LANES], unsigned bytes)
{
    int64_t want[LANES];
    for (int i = 0; i < LANES; i++)
        want[i] = narrow((int64_t)((uint64_t)lane[i] - (uint64_t)lane[0]), bytes);
    for (uint32_t k = 0; k < p->n; k++)
        if (memcmp(p->lane[k], want, sizeof want) == 0)
            return k;
    if (p->n == p->cap) {
        p->cap  = p->cap ? 2 * p->cap : 16;
        p->lane = xrealloc(p->lane, p->cap * sizeof *p->lane);
    }
    memcpy(p->lane[p->n], want, sizeof want);
    return p->n++;
}

void spread_pool_init(SpreadPool *p)
{
    const int64_t zero[LANES] = {0};
    *p                        = (SpreadPool){0};
    pattern_of(p, zero, 8);
}

void spread_pool_free(SpreadPool *p)
{
    free(p->lane);
}

void pattern_ends(const SpreadPool *p, uint32_t pattern, int64_t *least, int64_t *most)
{
    *least = *most = 0;
    for (int i = 1; i < LANES; i++) {
        int64_t x = p->lane[pattern][i];
        *least    = x < *least ? x : *least;
        *most     = x > *most ? x : *most;
    }
}

/* ---- spreads ---- */

Spread spread_known(uint64_t value)
{
    return (Spread){
        .kind = SPREAD_LINEAR, .align = (uint8_t)(value ? __builtin_ctzll(value) : 63), .known = true, .value = value};
}

Spread spread_same(void)
{
    return (Spread){.kind = SPREAD_LINEAR};
}

Spread spread_vector(void)
{
    return (Spread){.kind = SPREAD_VECTOR};
}

bool spread_equal(Spread a, Spread b)
{
    return a.kind == b.kind && a.align == b.align && a.known == b.known && a.pattern == b.pattern &&
           a.value == b.value && a.from == b.from && a.guess == b.guess;
}

static Spread guessed(uint32_t guess)
{
    return (Spread){.kind = SPREAD_VECTOR, .guess = guess};
}

static uint32_t guess_of(Spread f)
{
    return f.kind == SPREAD_LINEAR ? f.pattern + 1 : f.guess;
}

static Spread unknown(Spread f, unsigned align)
{
    return (Spread){.kind = SPREAD_LINEAR, .align = (uint8_t)align, .pattern = f.pattern};
}

static unsigned lower(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

Spread spread_meet(Spread a, Spread b)
{
    if (a.kind == SPREAD_UNSEEN)
        return b;
    if (b.kind == SPREAD_UNSEEN)
        return a;
    if (a.kind == SPREAD_VECTOR || b.kind == SPREAD_VECTOR || a.pattern != b.pattern)
        return guessed(guess_of(a) == guess_of(b) ? guess_of(a) : 0);
    if (a.known && b.known && a.value == b.value) {
        a.from |= b.from;
        return a;
    }
    return unknown(a, lower(a.align, b.align));
}

static uint64_t cut(uint64_t x, unsigned bytes)
{
    return bytes >= 8 ? x : x & ((UINT64_C(1) << 8 * bytes) - 1);
}

static Spread linear(SpreadPool *p, const int64_t lane[LANES], unsigned bytes, unsigned align)
{
    return (Spread){.kind = SPREAD_LINEAR, .align = (uint8_t)align, .pattern = pattern_of(p, lane, bytes)};
}

static Spread with_value(Spread f, bool known, uint64_t value, unsigned bytes)
{
    if (known) {
        f.known = true;
        f.value = cut(value, bytes);
        f.align = (uint8_t)(f.value ? __builtin_ctzll(f.value) : 63);
    }
    return f;
}

Spread spread_plus(Spread a, uint64_t imm, unsigned bytes)
{
    if (a.kind != SPREAD_LINEAR)
        return guessed(a.guess);
    Spread d = unknown(a, lower(a.align, spread_known(imm).align));
    d        = with_value(d, a.known, a.value + imm, bytes);
    d.from   = d.known ? a.from : 0;
    return d;
}

/* ---- rules ---- */

/* x + sign * y */
static Spread sum(SpreadPool *p, Spread x, Spread y, int64_t sign, unsigned bytes)
{
    int64_t lane[LANES];
    for (int i = 0; i < LANES; i++)
        lane[i] = p->lane[x.pattern][i] + sign * p->lane[y.pattern][i];
    Spread d = linear(p, lane, bytes, lower(x.align, y.align));
    return with_value(d, x.known && y.known, x.value + (uint64_t)sign * y.value, bytes);
}

/* x times the number y, which must be known where x is not one value for all */
static Spread product(SpreadPool *p, Spread x, Spread y, unsigned bytes)
{
    if (spread_is_same(y) && y.known) {
        int64_t lane[LANES];
        p->used |= x.pattern ? y.from : 0;
        for (int i = 0; i < LANES; i++)
            lane[i] = (int64_t)((uint64_t)p->lane[x.pattern][i] * (uint64_t)narrow((int64_t)y.value, bytes));
        Spread d = linear(p, lane, bytes, lower(x.align + y.align, 63));
        return with_value(d, x.known, x.value * y.value, bytes);
    }
    if (spread_is_same(x) && x.known)
        return product(p, y, x, bytes);
    return spread_is_same(x) && spread_is_same(y) ? unknown(x, lower(x.align + y.align, 63)) : spread_vector();
}

static Spread shifted_left(SpreadPool *p, Spread x, Spread n, unsigned bytes)
{
    if (!spread_is_same(n) || !n.known || n.value >= 8 * bytes)
        return spread_is_same(x) && spread_is_same(n) ? spread_same() : spread_vector();
    p->used |= x.pattern ? n.from : 0;
    return product(p, x, spread_known(UINT64_C(1) << n.value), bytes);
}

/* Lane 0's value is a multiple of 2^n: the differences lose their low bits, unless a lane wraps round. */
static Spread shifted_right(SpreadPool *p, Spread x, Spread n, bool is_signed, Guard *guard)
{
    if (spread_is_same(x) && spread_is_same(n))
        return spread_same();
    if (!spread_is_same(n) || !n.known || n.value > x.align)
        return spread_vector();
    int64_t lane[LANES];
    p->used |= n.from;
    for (int i = 0; i < LANES; i++)
        lane[i] = p->lane[x.pattern][i] >> n.value;
    *guard = is_signed ? GUARD_SIGNED : GUARD_UNSIGNED;
    return linear(p, lane, 8, x.align - (unsigned)n.value);
}

/* Of bits below x's alignment: those of the pattern, in every lane. */
static bool fits_below(const SpreadPool *p, Spread x)
{
    for (int i = 0; i < LANES; i++)
        if (p->lane[x.pattern][i] < 0 || (uint64_t)p->lane[x.pattern][i] >> lower(x.align, 62))
            return false;
    return true;
}

/* x op y, y one known number */
static Spread bits(SpreadPool *p, Spread x, Spread y, Rule rule, unsigned bytes)
{
    if (spread_is_same(x) && spread_is_same(y))
        return spread_same();
    if (!y.known || !spread_is_same(y)) {
        if (x.known && spread_is_same(x))
            return bits(p, y, x, rule, bytes);
        /* y's bits lie below those of x: a sum */
        bool apart = rule != RULE_AND && spread_is_same(x) && y.known && y.value == 0;
        for (int i = 0; apart && i < LANES; i++)
            apart = p->lane[y.pattern][i] >= 0 && !((uint64_t)p->lane[y.pattern][i] >> lower(x.align, 62));
        if (apart)
            return sum(p, x, y, 1, bytes);
        return spread_vector();
    }
    uint64_t m = y.value;
    int64_t  lane[LANES];
    p->used |= y.from;
    unsigned width = m ? 64 - (unsigned)__builtin_clzll(m) : 0; /* bits of m */
    if (rule == RULE_AND && width <= x.align) {                 /* low bits only: those of the pattern */
        for (int i = 0; i < LANES; i++)
            lane[i] = (int64_t)((uint64_t)p->lane[x.pattern][i] & m);
        return with_value(linear(p, lane, bytes, 63), true, 0, bytes);
    }
    if (!fits_below(p, x))
        return spread_vector();
    if (rule == RULE_AND) { /* what lies above the pattern is one value, too */
        for (int i = 0; i < LANES; i++)
            lane[i] = (int64_t)((uint64_t)p->lane[x.pattern][i] & m);
        return linear(p, lane, bytes, 0);
    }
    for (int i = 0; i < LANES; i++) {
        uint64_t low = (uint64_t)p->lane[x.pattern][i], mask = (UINT64_C(1) << lower(x.align, 62)) - 1;
        lane[i] = (int64_t)(rule == RULE_OR ? (low | (m & mask)) : (low ^ (m & mask)));
    }
    return linear(p, lane, bytes, 0);
}

/* From the width of x to `bytes`. */
static Spread widened(SpreadPool *p, Spread x, bool is_signed, unsigned from, unsigned bytes, Guard *guard)
{
    Spread d = linear(p, p->lane[x.pattern], bytes, x.align);
    if (bytes > from && x.pattern)
        *guard = is_signed ? GUARD_SIGNED : GUARD_UNSIGNED;
    d.from = x.from;
    return with_value(d, x.known, is_signed ? (uint64_t)narrow((int64_t)x.value, from) : x.value, bytes);
}

static bool all_same(const RowShape *s, const Spread *f)
{
    for (int i = 0; i < s->sources; i++)
        if (!spread_is_same(f[i]))
            return false;
    return true;
}

static Spread by_rule(SpreadPool *p, Rule rule, What w, const RowShape *s, const Spread *f, Guard *guard)
{
    bool     is_signed = w.lane == LT_s32 || w.lane == LT_s64;
    unsigned bytes = s->bytes[0], from = s->bytes[1];
    Spread   wide;
    switch (rule) {
    case RULE_COPY: return f[0];
    case RULE_ADD: return sum(p, f[0], f[1], 1, bytes);
    case RULE_SUB: return sum(p, f[0], f[1], -1, bytes);
    case RULE_NEG: return unknown(sum(p, spread_same(), f[0], -1, bytes), 0);
    case RULE_MUL: return product(p, f[0], f[1], bytes);
    case RULE_MAD:
        wide = product(p, f[0], f[1], bytes);
        return wide.kind == SPREAD_LINEAR ? sum(p, wide, f[2], 1, bytes) : wide;
    case RULE_SHL: return shifted_left(p, f[0], f[1], bytes);
    case RULE_SHR: return shifted_right(p, f[0], f[1], is_signed, guard);
    case RULE_AND:
    case RULE_OR:
    case RULE_XOR: return bits(p, f[0], f[1], rule, bytes);
    case RULE_MUL_WIDE:
    case RULE_MAD_WIDE:
        if (f[0].pattern && f[1].pattern)
            return spread_vector();
        wide = product(p, widened(p, f[0], is_signed, from, bytes, guard),
                       widened(p, f[1], is_signed, from, bytes, guard), bytes);
        return wide.kind == SPREAD_LINEAR && rule == RULE_MAD_WIDE ? sum(p, wide, f[2], 1, bytes) : wide;
    case RULE_CONVERT: return widened(p, f[0], is_signed, from, bytes, guard);
    case RULE_SELECT:
        return spread_is_same(f[2]) && f[0].pattern == f[1].pattern ? unknown(f[0], lower(f[0].align, f[1].align))
                                                                    : spread_vector();
    default: return spread_vector();
    }
}

/* The pattern that a row's vector result has if those are right that are guessed of its sources. */
static uint32_t guess_row(SpreadPool *p, Rule rule, What w, const RowShape *s, const Spread *f)
{
    Spread line[ROW_SOURCES];
    bool   integer = w.lane == LT_u32 || w.lane == LT_s32 || w.lane == LT_u64 || w.lane == LT_s64;
    for (int i = 0; i < s->sources; i++) {
        line[i] = f[i];
        if (f[i].kind != SPREAD_LINEAR && !f[i].guess)
            return 0;
        if (f[i].kind != SPREAD_LINEAR) {
            line[i]         = spread_same();
            line[i].pattern = f[i].guess - 1;
        }
    }
    if (integer && w.id == OP_rem && spread_is_same(line[1]))
        return line[0].pattern + 1;
    Spread d = rule != RULE_NONE ? by_rule(p, rule, w, s, line, &(Guard){GUARD_NONE}) : spread_vector();
    return d.kind == SPREAD_LINEAR ? d.pattern + 1 : 0;
}

Spread spread_of_row(SpreadPool *p, What w, const RowShape *s, const Spread *f, Guard *guard)
{
    Rule rule = rule_of(w);
    *guard    = GUARD_NONE;
    bool line = true;
    for (int i = 0; i < s->sources; i++)
        line &= f[i].kind == SPREAD_LINEAR;
    if (s->table)
        return spread_vector();
    Spread d = line && rule != RULE_NONE ? by_rule(p, rule, w, s, f, guard) : spread_vector();
    if (d.kind != SPREAD_LINEAR) {
        *guard = GUARD_NONE;
        return line && all_same(s, f) ? spread_same() : guessed(guess_row(p, rule, w, s, f));
    }
    d.from = 0;
    for (int i = 0; i < s->sources && d.known; i++)
        d.from |= f[i].from;
    return d;
}

/* ---- divisions ---- */

static const struct {
    uint16_t op;
    uint8_t  kind;
    bool     bits; /* y is a power of two that the second source names: how far it shifts, or what a mask leaves */
} floors[] = {
    {OP_div, FLOOR_QUOTIENT, false},
    {OP_rem, FLOOR_REMAINDER, false},
    {OP_shr_lane, FLOOR_QUOTIENT, true},
    {OP_and, FLOOR_REMAINDER, true},
};

/* The power of two that is y; 0: none. */
static uint64_t power_of(uint16_t op, uint64_t second, unsigned bytes)
{
    if (op == OP_shr_lane)
        return second && second < 8 * bytes ? UINT64_C(1) << second : 0;
    return second & (second + 1) ? 0 : second + 1;
}

Floor spread_floor(const SpreadPool *p, What w, const RowShape *s, const Spread *f)
{
    Floor none    = {.kind = FLOOR_NONE};
    bool  integer = w.lane == LT_u32 || w.lane == LT_s32 || w.lane == LT_u64 || w.lane == LT_s64;
    for (size_t i = 0; integer && w.kind == WHAT_ROW && i < sizeof floors / sizeof *floors; i++) {
        if (floors[i].op != w.id)
            continue;
        unsigned x    = w.id == OP_and && spread_is_same(f[0]);
        bool     bits = floors[i].bits;
        Spread   y = f[1 - x], d = spread_same();
        int64_t  least, most;
        if (f[x].kind != SPREAD_LINEAR || !f[x].pattern || !spread_is_same(y) || (bits && !y.known))
            return none;
        uint64_t by = bits ? power_of(w.id, y.value, s->bytes[0]) : 0;
        pattern_ends(p, f[x].pattern, &least, &most);
        if ((bits || y.known) && (bits ? by : y.value) <= (uint64_t)(most - least)) /* lanes always part */
            return none;
        if (floors[i].kind == FLOOR_REMAINDER)
            d.pattern = f[x].pattern;
        return (Floor){.kind = floors[i].kind, .x = (uint8_t)x, .by = by, .result = d};
    }
    return none;
}
