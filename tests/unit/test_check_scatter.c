/* SPDX-License-Identifier: Apache-2.0
 *
 * Costs in vectors against the model: every space, operation, width and mask, addresses from all in one place to all apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/simd.h"
#include "check/count/scatter.h"

enum { TRIALS = 200000 };

static uint64_t seed = 1;

static uint64_t some(void)
{
    seed += 0x9e3779b97f4a7c15ull;
    uint64_t z = seed;
    z          = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z          = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

typedef struct Trial {
    Access   a;
    ModelOp  op;
    uint32_t off[MODEL_LANES];
    uint64_t addr[MODEL_LANES];
} Trial;

static void make(Trial *t)
{
    static const uint8_t spaces[] = {ACCESS_GLOBAL, ACCESS_SHARED, ACCESS_LOCAL};
    bool                 global   = false;
    uint64_t             base     = (UINT64_C(1) << 40) + some() % 4096 * 32, range;
    memset(t, 0, sizeof *t);
    t->a.space = spaces[some() % 3];
    global     = t->a.space == ACCESS_GLOBAL;
    t->op      = (ModelOp)(t->a.space == ACCESS_LOCAL ? some() % 2 : some() % 4);
    t->a.op    = (uint8_t)t->op;
    t->a.bytes = (uint8_t)(1u << some() % (global ? 6 : 5));
    t->a.mask  = some() % 2 ? UINT32_MAX : (uint32_t)some() | UINT32_C(1) << some() % 32;
    range      = UINT64_C(1) << (5 + some() % (global ? 36 : 14)); /* some wider than what fits 32 bits */
    for (unsigned i = 0; i < MODEL_LANES; i++) {
        uint64_t at = some() % range / t->a.bytes * t->a.bytes;
        bool     on = t->a.mask >> i & 1;
        t->addr[i]  = on ? global ? base + at : at : some(); /* idle lanes: anything */
        t->off[i]   = (uint32_t)t->addr[i];
    }
    t->a.off  = global ? NULL : t->off;
    t->a.addr = global ? t->addr : NULL;
}

/* How many of the trials the level answered itself. */
static unsigned compare(const char *level, const char *profile)
{
    const Profile *p = profile_find(profile);
    unsigned       n = 0;
    Trial          t;
    setenv(SIMD_VARIABLE, level, 1);
    Scatter *scatter = scatter_best();
    unsetenv(SIMD_VARIABLE);
    for (unsigned i = 0; scatter && i < TRIALS; i++) {
        ModelCost got, want;
        make(&t);
        ModelAccess m = {(ModelSpace)t.a.space, t.op, MODEL_L1_AUTO, t.a.bytes, t.a.mask, t.addr};
        memset(&got, 0xff, sizeof got);
        if (!scatter(p, &t.a, t.op, &got))
            continue;
        n++;
        model_access(p, &m, &want);
        assert_memory_equal(&got, &want, sizeof want);
    }
    return n;
}

static void every_level_gives_the_models_numbers(void **state)
{
    (void)state;
    static const char *const profiles[] = {"sm_10", "sm_20", "sm_35", "sm_52", "sm_90", "h200"};
    for (unsigned l = SIMD_BASELINE; l <= simd_best(); l++)
        for (unsigned i = 0; i < sizeof profiles / sizeof *profiles; i++)
            if (profile_find(profiles[i]))
                compare(simd_name((Simd)l), profiles[i]);
}

/* A level that answered nothing would pass the test above. */
static void common_accesses_are_answered(void **state)
{
    (void)state;
    if (simd_best() >= SIMD_AVX2)
        assert_true(compare("avx2", "sm_90") > TRIALS / 3);
    if (simd_best() == SIMD_AVX512)
        assert_true(compare("avx512", "sm_90") > TRIALS / 3);
    assert_int_equal(compare("baseline", "sm_90"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_level_gives_the_models_numbers),
        cmocka_unit_test(common_accesses_are_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
