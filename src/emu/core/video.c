/* SPDX-License-Identifier: Apache-2.0
 *
 * Video instructions with part selectors, destination masks and second operations, and the scalar ones: lane by lane.  Packed ones are as
 * the PTX manual's pseudocode has it: a part is extended by its operand's type, the operation is exact, the result is clamped to the
 * destination's part (.sat), then added to c (.add) or put in its place in c.
 *
 * No GPU since sm_50 has the scalar ones, and what the assembler makes of them departs from the pseudocode; where a rule could be read off
 * an H200's results (tests/words) it is followed:
 *   .sat      into a part: what is outside of it becomes its largest number, a negative one too; vshr clamps to 32 bits only.  Into an
 *             unsigned word: a negative result becomes 0, a large one keeps its low bits
 *   d.h1      gets the upper half of the result
 *   min, max  an unsigned result whose top bit is set is the larger one, unless it cannot be negative (vabsdiff, vset, vshr of u32); such a
 *             one counts as unsigned next to a signed c
 *   vshl      has 64 bits; .sat takes the low 34 of them, as a signed number, and clamps to 32 bits only; min and max compare all 64 with c
 *   vmad      words of a and b, and c, count as signed; the sum has 64 bits */
#include "emu/core/video.h"

#include "emu/core/ctl.h"

static int64_t part(uint64_t word, VideoPart p, bool is_signed)
{
    uint64_t x = word >> p.shift & (UINT64_MAX >> (64 - p.width));
    return is_signed && x >> (p.width - 1) & 1 ? (int64_t)x - (INT64_C(1) << p.width) : (int64_t)x;
}

static int64_t clamp(int64_t x, unsigned width, bool is_signed)
{
    int64_t least = is_signed ? -(INT64_C(1) << (width - 1)) : 0,
            most  = (INT64_C(1) << (is_signed ? width - 1 : width)) - 1;
    return x < least ? least : x > most ? most : x;
}

static int64_t combine(const VideoInfo *v, int64_t a, int64_t b)
{
    unsigned n = v->wrap ? (unsigned)(b & 31) : b > 32 ? 32 : (unsigned)b;
    switch (v->op) {
    case VIDEO_ADD: return a + b;
    case VIDEO_SUB: return a - b;
    case VIDEO_ABSDIFF: return a < b ? b - a : a - b;
    case VIDEO_MIN: return a < b ? a : b;
    case VIDEO_MAX: return a > b ? a : b;
    case VIDEO_AVERAGE: return (a + b + (a + b >= 0)) >> 1;
    case VIDEO_SHL: return (int64_t)((uint64_t)a << n);
    case VIDEO_SHR: return a >> n;
    default: return (v->accept & (a < b ? VIDEO_LESS : a > b ? VIDEO_GREATER : VIDEO_EQUAL)) != 0;
    }
}

/* Is the result x larger than c?  Scalar instructions compare 64 bits, which but for vshl are a word's, extended. */
static bool is_greater(const VideoInfo *v, int64_t x, uint32_t c)
{
    bool     is_signed  = v->op == VIDEO_SET ? v->signed_a : v->signed_d;
    bool     is_natural = v->op == VIDEO_ABSDIFF || v->op == VIDEO_SET || (v->op == VIDEO_SHR && !v->signed_a);
    uint32_t word       = (uint32_t)x;
    if (v->op != VIDEO_SHL || v->saturate)
        x = is_natural ? (int64_t)word : (int64_t)(int32_t)word;
    return is_signed ? x > (int32_t)c : (uint64_t)x > c;
}

/* x: the result, d: with what of it is written. */
static uint32_t then(const VideoInfo *v, int64_t x, uint32_t d, uint32_t c)
{
    switch (v->second) {
    case VIDEO_THEN_ADD: return d + c;
    case VIDEO_THEN_MIN: return is_greater(v, x, c) ? c : d;
    case VIDEO_THEN_MAX: return is_greater(v, x, c) ? d : c;
    default: return d;
    }
}

static int64_t saturate(const VideoInfo *v, int64_t x, unsigned width)
{
    int64_t most = (INT64_C(1) << (v->signed_d ? width - 1 : width)) - 1;
    if (v->parts > 1)
        return clamp(x, width, v->signed_d);
    if (v->op == VIDEO_SHR)
        return clamp(x, 32, v->signed_d);
    if (v->op == VIDEO_SHL)
        return clamp((int64_t)((uint64_t)x << 30) >> 30, 32, v->signed_d);
    if (width < 32)
        return x < 0 || x > most ? most : x;
    return v->signed_d ? clamp(x, 32, true) : x < 0 ? 0 : x;
}

static uint32_t one(const VideoInfo *v, uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t words = v->parts > 1 ? (uint64_t)b << 32 | a : 0;
    uint32_t d     = v->merge || v->parts > 1 ? c : 0;
    int64_t  x     = 0;
    for (unsigned i = 0; i < v->parts; i++) {
        VideoPart p = v->d[i];
        if (p.width == 0)
            continue;
        x             = combine(v, part(v->parts > 1 ? words : a, v->a[i], v->signed_a),
                                part(v->parts > 1 ? words : b, v->b[i], v->signed_b));
        x             = v->saturate ? saturate(v, x, p.width) : x;
        uint32_t mask = UINT32_MAX >> (32 - p.width) << p.shift;
        bool     high = p.width == 16 && p.shift == 16 && v->parts == 1;
        if (v->parts > 1 && v->second)
            d += (uint32_t)x;
        else
            d = (d & ~mask) | ((uint32_t)((uint64_t)x << (high ? 0 : p.shift)) & mask);
    }
    return v->parts > 1 ? d : then(v, x, d, c);
}

static int64_t factor(uint32_t word, VideoPart p, bool is_signed)
{
    return part(word, p, is_signed || p.width == 32);
}

/* a * b + c in 64 bits, then scaled. */
static uint32_t multiply_add(const VideoInfo *v, uint32_t a, uint32_t b, uint32_t c)
{
    bool     is_signed = v->signed_a || v->signed_b || v->negate_product || v->negate_c;
    uint64_t product   = (uint64_t)(factor(a, v->a[0], v->signed_a) * factor(b, v->b[0], v->signed_b));
    uint64_t addend    = (uint64_t)(int32_t)c;
    uint64_t sum = (v->negate_product ? 0 - product : product) + (v->negate_c ? 0 - addend : addend) + v->plus_one;
    int64_t  x   = is_signed || !v->scale ? (int64_t)sum >> v->scale : (int64_t)(sum >> v->scale);
    return (uint32_t)(v->saturate ? clamp(x, 32, is_signed) : x);
}

const Uop *ctl_video(Warp *w, const Uop *u)
{
    const VideoInfo *v = u->ptr;
    const uint32_t  *a = SLOT(w, uint32_t, u->a), *b = SLOT(w, uint32_t, u->b), *c = SLOT(w, uint32_t, u->c);
    uint32_t        *d = SLOT(w, uint32_t, u->d);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        d[i]       = v->op == VIDEO_MAD ? multiply_add(v, a[i], b[i], c[i]) : one(v, a[i], b[i], c[i]);
    }
    return u + 1;
}
