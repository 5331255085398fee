/* SPDX-License-Identifier: Apache-2.0
 *
 * Video instructions with part selectors, destination masks and second operations, and the scalar ones: lane by lane, as the PTX manual's
 * pseudocode has it.  A part is extended by its operand's type; the operation is exact; the result is clamped to the
 * destination's part (.sat), then combined with c (.add, .min, .max) or put in its place in c. */
#include "emu/video.h"

#include "emu/ctl.h"

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

static int64_t shift_left(int64_t a, unsigned n)
{
    if (n < 32)
        return a * (INT64_C(1) << n);
    return a > 0   ? INT64_C(1) << 62
           : a < 0 ? -(INT64_C(1) << 62)
                   : 0; /* beyond every clamp, and zero in the low word */
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
    case VIDEO_SHL: return shift_left(a, n);
    case VIDEO_SHR: return a >> n;
    default: return (v->accept & (a < b ? VIDEO_LESS : a > b ? VIDEO_GREATER : VIDEO_EQUAL)) != 0;
    }
}

static uint32_t then(const VideoInfo *v, uint32_t x, uint32_t c)
{
    bool less = v->signed_d ? (int32_t)x < (int32_t)c : x < c;
    switch (v->second) {
    case VIDEO_THEN_ADD: return x + c;
    case VIDEO_THEN_MIN: return less ? x : c;
    case VIDEO_THEN_MAX: return less ? c : x;
    default: return x;
    }
}

static uint32_t one(const VideoInfo *v, uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t words = v->parts > 1 ? (uint64_t)b << 32 | a : 0;
    uint32_t d     = v->merge || v->parts > 1 ? c : 0;
    for (unsigned i = 0; i < v->parts; i++) {
        VideoPart p = v->d[i];
        if (p.width == 0)
            continue;
        int64_t x     = combine(v, part(v->parts > 1 ? words : a, v->a[i], v->signed_a),
                                part(v->parts > 1 ? words : b, v->b[i], v->signed_b));
        x             = v->saturate ? clamp(x, p.width, v->signed_d) : x;
        uint32_t mask = UINT32_MAX >> (32 - p.width) << p.shift;
        if (v->parts > 1 && v->second)
            d += (uint32_t)x;
        else
            d = (d & ~mask) | ((uint32_t)((uint64_t)x << p.shift) & mask);
    }
    return v->parts > 1 ? d : then(v, d, c);
}

/* a * b + c, both exact, then scaled. */
static uint32_t multiply_add(const VideoInfo *v, uint32_t a, uint32_t b, uint32_t c)
{
    bool     is_signed = v->signed_a || v->signed_b || v->negate_product || v->negate_c;
    __int128 product   = (__int128)part(a, v->a[0], v->signed_a) * part(b, v->b[0], v->signed_b);
    __int128 sum       = is_signed ? (__int128)(int32_t)c : (__int128)c;
    sum                = (v->negate_product ? -product : product) + (v->negate_c ? -sum : sum) + v->plus_one;
    sum >>= v->scale;
    __int128 least = is_signed ? INT32_MIN : 0, most = is_signed ? INT32_MAX : UINT32_MAX;
    if (v->saturate)
        sum = sum < least ? least : sum > most ? most : sum;
    return (uint32_t)sum;
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
