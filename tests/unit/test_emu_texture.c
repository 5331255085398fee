/* SPDX-License-Identifier: Apache-2.0
 *
 * Fetches of a whole warp (exec/texture.c) beside those of single lanes (texture_fetch), at every SIMD level that this CPU has: random textures
 * of every format, mode and filter, coordinates in and out of them, numbers of every kind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "emu/core/code.h"
#include "emu/texture/texwarp.h"

enum { WIDE = 37, HIGH = 19, TRIALS = 4000 };

static uint64_t seed = 1;

static uint32_t draw(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((seed >> 33) % n);
}

static float float_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* Mostly near the texture; also between texels, tiny, huge and no number. */
static float coordinate(bool normalised, unsigned n)
{
    static const uint32_t odd[] = {0,          0x80000000, 1,          0x7f800000, 0xff800000,
                                   0x7fc00000, 0x4b800000, 0xcb800000, 0x00800000, 0x44800001};
    float                 unit  = normalised ? 1.0f / (float)n : 1.0f;
    switch (draw(8)) {
    case 0: return float_of(odd[draw(sizeof odd / sizeof *odd)]);
    case 1: return ((float)draw(3 * n) - (float)n) * unit;
    case 2: return ((float)draw(3 * n) - (float)n + 0.5f) * unit;
    case 3: return ((float)draw(1 << 20) - (1 << 19)) * unit;
    default: return ((float)draw(3 * 4096 * n) / 4096 - (float)n) * unit;
    }
}

/* A float that filters like: small, denormal, infinite, NaN, or any. */
static uint32_t texel_word(unsigned kind)
{
    static const uint32_t odd[] = {0,          0x80000000, 1,          0x7f800000, 0xff800000,
                                   0x7fc00001, 0x7f7fffff, 0x00800000, 0x01000001};
    uint32_t              any   = draw(1u << 31) << 1 ^ draw(2);
    switch (kind) {
    case 0: return any;
    case 1: return (any & 0x807fffff) | (120 + draw(12)) << 23;
    case 2: return odd[draw(sizeof odd / sizeof *odd)];
    default: return draw(4) ? 0 : (any & 0x80ffffff);
    }
}

static void fill(uint8_t *memory, size_t bytes)
{
    unsigned kind = draw(4);
    for (size_t i = 0; i + 4 <= bytes; i += 4) {
        uint32_t v = texel_word(draw(16) ? kind : 0);
        memcpy(memory + i, &v, 4);
    }
}

static TexObject object(const uint8_t *memory, bool whole)
{
    static const uint8_t channels[] = {1, 2, 4}, bits[] = {8, 16, 32};
    TexObject            t = {.kind = TEX_TEXTURE, .nlevels = 1, .linear_memory = whole};
    t.shape                = whole || draw(3) == 0 ? TEX_1D : TEX_2D;
    t.format               = (TexFormat){.kind = "usf"[draw(3)], .bits = bits[draw(3)], .channels = channels[draw(3)]};
    if (t.format.kind == 'f' && t.format.bits == 8)
        t.format.bits = 32;
    bool fractions = t.format.kind != 'f' && t.format.bits < 32 && draw(2);
    t.level[0]     = (TexLevel){.base   = (uint64_t)(uintptr_t)memory,
                                .width  = 1 + draw(WIDE),
                                .height = t.shape == TEX_2D ? 1 + draw(HIGH) : 1,
                                .depth  = 1,
                                .pitch  = 16 * WIDE,
                                .slice  = 16 * WIDE * HIGH};
    t.sampler      = (TexSampler){.address    = {(TexAddress)draw(4), (TexAddress)draw(4), TEX_CLAMP},
                                  .linear     = !whole && (t.format.kind == 'f' || fractions) && draw(3),
                                  .normalised = draw(2),
                                  .to_float   = fractions};
    for (unsigned c = 0; c < 4; c++)
        t.sampler.border[c] = draw(4) ? (float)draw(1000) / 999 : -(float)draw(1000) / 999;
    return t;
}

typedef union Coordinates {
    float   f[LANES];
    int32_t i[LANES];
} Coordinates;

/* How many lanes were done together. */
static unsigned compare(const TexOps *ops, const TexObject *t, const Coordinates *u, const Coordinates *v)
{
    TexWarp  all;
    uint32_t together[4][LANES], mask = draw(2) ? UINT32_MAX : draw(1u << 31) << 1 | draw(2), done = mask;
    bool     whole = t->linear_memory;
    assert_true(texture_plain(t, &t->sampler, whole, &all));
    if (whole)
        ops->fetch_whole(&all, u->i, together);
    else
        done = ops->fetch(&all, u->f, t->shape == TEX_2D ? v->f : NULL, mask, together);
    assert_int_equal(done & ~mask, 0);
    for (uint32_t m = done; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint32_t one[4];
        TexFetch q = {.whole = whole, .gather = -1, .f = {u->f[lane], v->f[lane], 0}};
        q.i[0]     = whole ? u->i[lane] : 0;
        texture_fetch(t, &t->sampler, &q, one);
        for (unsigned c = 0; c < 4; c++)
            if (one[c] != together[c][lane])
                fail_msg("%c%u x %u, linear %d, modes %d %d, normalised %d, %u x %u, at %a %a, channel %u: %08x alone, "
                         "%08x together",
                         t->format.kind, t->format.bits, t->format.channels, t->sampler.linear, t->sampler.address[0],
                         t->sampler.address[1], t->sampler.normalised, t->level[0].width, t->level[0].height,
                         (double)u->f[lane], (double)v->f[lane], c, one[c], together[c][lane]);
    }
    return (unsigned)__builtin_popcount(done);
}

static void warps_fetch_what_lanes_do(void **state)
{
    static const char *const levels[] = {"avx512", "avx2", "baseline"};
    (void)state;
    uint8_t *memory = malloc(16 * WIDE * (HIGH + 1));
    for (unsigned l = 0; l < sizeof levels / sizeof *levels; l++) {
        const ExecTable *table = emu_exec_table(levels[l]);
        unsigned         done  = 0;
        for (unsigned trial = 0; table && trial < TRIALS; trial++) {
            bool        whole = draw(8) == 0;
            TexObject   t     = object(memory, whole);
            Coordinates u, v;
            fill(memory, 16 * WIDE * (HIGH + 1));
            for (unsigned i = 0; i < LANES; i++) {
                u.f[i] = coordinate(t.sampler.normalised, t.level[0].width);
                v.f[i] = coordinate(t.sampler.normalised, t.level[0].height);
                if (whole)
                    u.i[i] = draw(16) ? (int32_t)draw(t.level[0].width + 4) - 2 : (int32_t)(draw(1u << 31) << 1);
            }
            done += compare(table->texture, &t, &u, &v);
        }
        assert_true(!table || done > TRIALS * 32 / 3); /* masks, odd coordinates and odd floats have the rest */
    }
    free(memory);
}

/* What only single lanes do: several levels, colours of sRGB, three dimensions, whole coordinates into an array. */
static void others_are_left_to_single_lanes(void **state)
{
    (void)state;
    TexWarp   all;
    TexObject t = {.shape = TEX_2D, .nlevels = 1, .format = {'u', 8, 4, false}};
    assert_true(texture_plain(&t, &t.sampler, false, &all));
    assert_false(texture_plain(&t, &t.sampler, true, &all));
    t.nlevels = 2;
    assert_false(texture_plain(&t, &t.sampler, false, &all));
    t.nlevels      = 1;
    t.sampler.srgb = true;
    assert_false(texture_plain(&t, &t.sampler, false, &all));
    t.sampler.srgb = false;
    for (unsigned shape = TEX_3D; shape <= TEX_CUBE_LAYERED; shape++) {
        t.shape = (TexShape)shape;
        assert_false(texture_plain(&t, &t.sampler, false, &all));
    }
    t.shape         = TEX_1D;
    t.linear_memory = true;
    assert_false(texture_plain(&t, &t.sampler, false, &all));
    assert_true(texture_plain(&t, &t.sampler, true, &all));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warps_fetch_what_lanes_do),
        cmocka_unit_test(others_are_left_to_single_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
