/* SPDX-License-Identifier: Apache-2.0
 *
 * Inputs of a case: edge values of the operand's type (extremes, signed zeros, subnormals, infinities, NaN with payloads, ties of
 * every narrower format, borders of every integer type), then seeded random ones.  They depend on the operand's type and place
 * alone, so opcodes that must agree can be seen to agree.
 *
 *   tuple      0 ... 159   edges: source s goes through its list one by one from tuple 64 * s on, else picks from it
 *            160 ... 255   random; every eighth tuple of all has equal sources */
#include <string.h>

#include "forms.h"
#include "ptx/op.h"

static const uint32_t f32_edges[] = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x3f000000, 0xbf000000, 0x3fc00000, 0x40200000, 0xc0200000,
    0x40600000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff,
    0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc12345, 0x7fffffff, 0x3f800001, 0x3f7fffff, 0x4b000000,
    0x4afffffe, 0xcb000001, 0x4f000000, 0x4effffff, 0xcf000000, 0xcf000001, 0x4f800000, 0x4f7fffff, 0x5f000000,
    0x5effffff, 0xdf000000, 0x5f800000, 0x42ff0000, 0x437f8000, 0xc3008000, 0x46ffff00, 0x477fff80, 0x477fe000,
    0x477ff000, 0x477fefff, 0x33800000, 0x33000000, 0x33000001, 0x38800000, 0x387fc000, 0x3f801000, 0x3f803000,
    0x3f808000, 0x3f818000, 0x43e00000, 0x43e80000, 0x47600000, 0x47700000, 0x3b000000, 0x3a800000, 0x37000000,
    0x7f7f8000, 0x3f802000, 0xc77fe000, 0x3f801001, 0x3f7fefff,
};
static const uint64_t f64_edges[] = {
    0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x3fe0000000000000,
    0xbfe0000000000000, 0x3ff8000000000000, 0x4004000000000000, 0xc004000000000000, 0x400c000000000000,
    0x0000000000000001, 0x8000000000000001, 0x000fffffffffffff, 0x800fffffffffffff, 0x0010000000000000,
    0x8010000000000000, 0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
    0x7ff8000000000000, 0x7ff0000000000001, 0xfff8000012345678, 0x7fffffffffffffff, 0x3ff0000000000001,
    0x3fefffffffffffff, 0x4330000000000000, 0x432fffffffffffff, 0xc330000000000001, 0x4340000000000000,
    0x41e0000000000000, 0x41dfffffffe00000, 0xc1e0000000000000, 0xc1e0000000100000, 0x41f0000000000000,
    0x41efffffffe00000, 0x43e0000000000000, 0x43dfffffffffffff, 0xc3e0000000000000, 0x43f0000000000000,
    0x43efffffffffffff, 0x405fe00000000000, 0x406ff00000000000, 0xc060100000000000, 0x40dfffe000000000,
    0x40effff000000000, 0x40effc0000000000, 0x40effe0000000000, 0x47efffffe0000000, 0x47effffff0000000,
    0x47efffffefffffff, 0x36a0000000000000, 0x3690000000000000, 0x3690000000000001, 0x3810000000000000,
    0x380fffffc0000000, 0x3ff0000010000000, 0x3ff0000030000000, 0x3ff0020000000000, 0x3ff0020000000001,
    0x3ff0010000000000, 0x3ff0100000000000, 0x3f10000000000000, 0xc7efffffe0000000,
};
static const uint16_t f16_edges[] = {
    0x0000, 0x8000, 0x3c00, 0xbc00, 0x3800, 0xb800, 0x3e00, 0x4100, 0xc100, 0x4300, 0x0001, 0x8001,
    0x03ff, 0x83ff, 0x0400, 0x8400, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0xfe12, 0xfd55,
    0x7fff, 0xffff, 0x3c01, 0x3bff, 0x5800, 0x57f8, 0x5bfc, 0x5c00, 0xd808, 0x7800, 0x77ff, 0xf800,
    0x6400, 0x63ff, 0xe401, 0x1400, 0x1000, 0x5f00, 0x5f40, 0x7b00, 0x7b80, 0x2400, 0x0200, 0x0401,
};
static const uint64_t int_edges[] = {
    0,
    1,
    2,
    3,
    5,
    7,
    8,
    15,
    16,
    17,
    24,
    31,
    32,
    33,
    63,
    64,
    65,
    127,
    128,
    255,
    256,
    257,
    0x7fff,
    0x8000,
    0x8001,
    0xffff,
    0x10000,
    0xffffff,
    0x1000001,
    0x7fffff,
    0x800000,
    0x7fffffff,
    0x80000000,
    0x80000001,
    0xffffffff,
    0x100000000,
    0x1000000080000001,
    0x7fffffffffffffff,
    0x8000000000000000,
    0x8000000000000001,
    0xffffffffffffffff,
    0xfffffffffffffffe,
    0xfffffffffffffffd,
    0xffffffff80000000,
    0xffffffff7fffffff,
    0xffffffffffff8000,
    0xffffffffffff7fff,
    0xffffffffffffff80,
    0xffffffffffffff7f,
    0x5555555555555555,
    0xaaaaaaaaaaaaaaaa,
    0x00ff00ff00ff00ff,
    0x0123456789abcdef,
    0xfedcba9876543210,
    0x20000000000001,
    0x3fffffdfffffff,
    0x7fffffbfffffffff,
    0x8080808080808080,
    0x7f7f7f7f7f7f7f7f,
};
static const uint32_t amount_edges[] = {
    0,   1,   2,       3,          4,          5,          7,          8,          9,     12,         15,
    16,  17,  20,      24,         30,         31,         32,         33,         40,    47,         48,
    63,  64,  65,      100,        127,        128,        200,        254,        255,   256,        257,
    264, 511, 0x10000, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x101, 0xffffff01, 0x120,
};

#define COUNT(a) (sizeof(a) / sizeof *(a))

static uint64_t mix(uint64_t x) /* a fixed random sequence */
{
    x = (x + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 31) * 0x94d049bb133111ebu;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
    return x ^ x >> 32;
}

static uint64_t edge(Type t, bool amount, size_t k)
{
    if (amount)
        return amount_edges[k % COUNT(amount_edges)];
    switch (t) {
    case TY_F32: return f32_edges[k % COUNT(f32_edges)];
    case TY_F64: return f64_edges[k % COUNT(f64_edges)];
    case TY_F16: return f16_edges[k % COUNT(f16_edges)];
    case TY_BF16: return f32_edges[k % COUNT(f32_edges)] >> 16;
    default: return int_edges[k % COUNT(int_edges)];
    }
}

/* Floats: of every magnitude, of magnitudes near 1 (so that sums round), and halves of integers. */
static uint64_t random_float(uint64_t h, unsigned exp_bits, unsigned man_bits)
{
    uint64_t man = h & ((1ull << man_bits) - 1), sign = h >> 63, bias = (1ull << (exp_bits - 1)) - 1;
    uint64_t e   = h >> 52 & ((1u << exp_bits) - 1);
    unsigned how = (unsigned)(h >> 48 & 3);
    if (how)
        e = bias - 6 + (h >> 54) % 13;
    if (how == 3)
        man &= ~0ull << (man_bits - 4);
    return sign << (exp_bits + man_bits) | e << man_bits | man;
}

static uint64_t random_value(Type t, bool amount, uint64_t h)
{
    if (amount)
        return h % 5 == 0 ? h >> 32 : h >> 32 & 63;
    switch (t) {
    case TY_F32: return random_float(h, 8, 23);
    case TY_F64: return random_float(h, 11, 52) ^ (h << 21 & 0xfffff);
    case TY_F16: return random_float(h, 5, 10);
    case TY_BF16: return random_float(h, 8, 7);
    default: return h % 3 == 0 ? h : (uint64_t)((int64_t)mix(h) >> h % 63);
    }
}

static uint64_t element(Type t, bool amount, unsigned s, unsigned i, uint64_t salt)
{
    uint64_t h = mix(((uint64_t)s << 32 | i) ^ salt << 48);
    if (i >= 160)
        return random_value(t, amount, h);
    return edge(t, amount, i / 64 >= s && i < 64 * (s + 2) ? i - 64 * s : (size_t)(h >> 8));
}

static Type half_of(Type t)
{
    switch (t) {
    case TY_F16X2: return TY_F16;
    case TY_BF16X2: return TY_BF16;
    case TY_U16X2: return TY_U16;
    case TY_S16X2: return TY_S16;
    default: return TY_NONE;
    }
}

static uint64_t value(Type t, bool amount, unsigned s, unsigned i)
{
    Type half = half_of(t);
    if (t == TY_PRED)
        return mix(s * 977 + i) >> 40 & 1;
    if (half)
        return (element(half, false, s, i, 0) & 0xffff) | (element(half, false, s, i, 1) & 0xffff) << 16;
    return element(t, amount, s, i, 0);
}

void inputs_make(const Case *c, uint64_t *values)
{
    unsigned s = 0;
    for (unsigned k = 0; k < c->noperands; k++) {
        const FormOperand *p = &c->operand[k];
        Type               t = p->type;
        if (p->written || (c->constant && p->name == 'e'))
            continue;
        if (c->op == OP_cvt_fp8_half2)
            t = TY_F16X2;
        uint64_t ones = p->bytes == 0 ? 1 : p->bytes == 8 ? ~0ull : (1ull << 8 * p->bytes) - 1;
        for (unsigned i = 0; i < TUPLES; i++) {
            uint64_t v = value(t, p->amount, s, i);
            if (c->op == OP_cvt_half2_fp8) /* both bytes go through all there are */
                v = i | (i * 37 + 11) % 256 << 8;
            if (i % 8 == 7 && s > 0 && p->bytes > 1 && !p->amount)
                v = values[i];
            values[s * TUPLES + i] = v & ones;
        }
        s++;
    }
    for (unsigned i = 0; c->carry_in && i < TUPLES; i++)
        values[s * TUPLES + i] = mix(i + 5000) >> 40 & 1;
}
