/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines, sectors and bytes that a warp asks for, of addresses without a pattern, against a count byte by byte; the sectors of atomics, where
 * they are easily said, against those of the rounds that serve them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/model.h"
#include "model/rules.h"

enum { TRIALS = 20000 };

static uint64_t seed = 1;

static uint64_t some(void)
{
    seed += 0x9e3779b97f4a7c15ull;
    uint64_t z = seed;
    z          = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z          = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static unsigned distinct(uint64_t *list, unsigned n)
{
    unsigned count = n != 0;
    qsort(list, n, sizeof *list, by_value);
    for (unsigned i = 1; i < n; i++)
        count += list[i] != list[i - 1];
    return count;
}

/* The place of byte b of a lane's access, as the memory lays it out. */
static uint64_t place(const ModelAccess *a, unsigned lane, unsigned b)
{
    uint64_t at = a->addr[lane] + b;
    return a->space == MODEL_LOCAL ? at / 4 * 128 + 4 * lane + at % 4 : at;
}

static void check(const ModelAccess *a)
{
    static uint64_t bytes[MODEL_LANES * 32], sectors[MODEL_LANES * 32], lines[MODEL_LANES * 32];
    unsigned        n = 0;
    ModelCost       c;
    for (uint32_t m = a->mask; m; m &= m - 1)
        for (unsigned b = 0; b < a->bytes; b++, n++) {
            bytes[n]   = place(a, (unsigned)__builtin_ctz(m), b);
            sectors[n] = bytes[n] / 32;
            lines[n]   = bytes[n] / 128;
        }
    model_access(profile_find("sm_90"), a, &c);
    assert_int_equal(c.useful_bytes, distinct(bytes, n));
    assert_int_equal(c.touched, distinct(sectors, n));
    assert_int_equal(a->op == MODEL_RED ? c.touched : c.sectors, c.touched);
    assert_int_equal(c.tag_requests, distinct(lines, n));
}

static void every_byte_counts_once(void **state)
{
    (void)state;
    for (unsigned i = 0; i < TRIALS; i++) {
        unsigned bytes = 1u << some() % 5, range = 1u << (4 + some() % 20); /* from the same few lines to all apart */
        uint64_t addr[MODEL_LANES];
        ModelAccess a = {i % 2 ? MODEL_LOCAL : MODEL_GLOBAL,
                         some() % 2 ? MODEL_LD : MODEL_ST,
                         MODEL_L1_AUTO,
                         bytes,
                         (uint32_t)some(),
                         addr};
        a.mask |= UINT32_C(1) << i % 32;
        for (unsigned k = 0; k < MODEL_LANES; k++)
            addr[k] = (UINT64_C(1) << 40) + some() % range / bytes * bytes;
        check(&a);
    }
}

static void simple_atomics_cost_what_the_rounds_do(void **state)
{
    (void)state;
    unsigned simple = 0;
    for (unsigned i = 0; i < TRIALS; i++) {
        unsigned    bytes = some() % 2 ? 4 : 8, range = 1u << (5 + some() % 8);
        uint64_t    addr[MODEL_LANES], at             = some() >> 20;
        ModelAccess a = {MODEL_GLOBAL, MODEL_RED, MODEL_L1_AUTO, bytes, (uint32_t)(some() | UINT64_C(1) << i % 32),
                         addr};
        Touched     t;
        uint32_t    sectors;
        for (unsigned k = 0; k < MODEL_LANES; k++)
            addr[k] = at / 128 * 128 + some() % range / bytes * bytes;
        check(&a);
        if (!model_atomic_simple(&a, &t, &sectors))
            continue;
        simple++;
        assert_int_equal(sectors, model_atomic_sectors(&a));
    }
    assert_in_range(simple, TRIALS / 4, TRIALS - TRIALS / 10); /* of both kinds */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_byte_counts_once),
                                       cmocka_unit_test(simple_atomics_cost_what_the_rounds_do)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
