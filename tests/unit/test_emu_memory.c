/* SPDX-License-Identifier: Apache-2.0
 *
 * Device memory: allocation, freeing, what an address outside every allocation is said to be, the device-side heap. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "emu/memory/memory.h"

enum { MIB = 1 << 20 };

static int open_memory(void **state)
{
    Memory *m = calloc(1, sizeof *m);
    *state    = m;
    return memory_open(m, 64 * MIB) == WW_OK ? 0 : -1;
}

static int close_memory(void **state)
{
    memory_close(*state);
    free(*state);
    return 0;
}

static uint64_t get(Memory *m, uint64_t bytes)
{
    uint64_t p;
    assert_int_equal(memory_alloc(m, bytes, 256, ALLOC_USER, NULL, &p), WW_OK);
    return p;
}

static void aligned_and_disjoint(void **state)
{
    Memory  *m = *state;
    uint64_t p[50];
    for (unsigned i = 0; i < 50; i++) {
        p[i] = get(m, 1 + i * 37);
        assert_int_equal(p[i] % MEMORY_GRANULE, 0);
        memset((void *)(uintptr_t)p[i], (int)i, 1 + i * 37);
    }
    for (unsigned i = 0; i < 50; i++)
        for (unsigned b = 0; b < 1 + i * 37; b++)
            assert_int_equal(((uint8_t *)(uintptr_t)p[i])[b], i);
}

static void freed_space_is_used_again(void **state)
{
    Memory  *m = *state;
    uint64_t a = get(m, 30 * MIB), b = get(m, 30 * MIB), none;
    assert_int_equal(memory_alloc(m, 30 * MIB, 256, ALLOC_USER, NULL, &none), WW_ERR_NO_MEMORY);
    assert_int_equal(none, 0);
    assert_int_equal(memory_free(m, a), WW_OK);
    assert_int_equal(get(m, 30 * MIB), a);
    assert_int_equal(memory_free(m, b + 256), WW_ERR_INVALID);
    assert_int_equal(memory_free(m, b), WW_OK);
    assert_int_equal(memory_free(m, b), WW_ERR_INVALID);
}

static void absurd_sizes_are_refused(void **state)
{
    uint64_t p;
    assert_int_equal(memory_alloc(*state, UINT64_MAX, 256, ALLOC_USER, NULL, &p), WW_ERR_NO_MEMORY);
    assert_int_equal(memory_alloc(*state, UINT64_MAX - 100, 256, ALLOC_USER, NULL, &p), WW_ERR_NO_MEMORY);
    assert_int_equal(memory_alloc(*state, 0, 256, ALLOC_USER, NULL, &p), WW_OK);
    assert_true(p != 0);
}

static void addresses_are_explained(void **state)
{
    Memory  *m = *state;
    uint64_t a = get(m, 1000), b = get(m, 400);
    char     s[300];
    memory_explain(m, a + 1008, 4, s, sizeof s);
    assert_string_equal(s, "8 bytes past the end of allocation 1 (1000 bytes)");
    memory_explain(m, a + 998, 4, s, sizeof s);
    assert_string_equal(s, "the last 2 of its 4 bytes are past the end of allocation 1 (1000 bytes)");
    memory_free(m, a);
    memory_explain(m, a + 40, 4, s, sizeof s);
    assert_string_equal(s, "40 bytes into allocation 1 (1000 bytes), which was freed");
    assert_true(memory_was_freed(m, a + 40));
    assert_false(memory_was_freed(m, b));
    memory_explain(m, b - 24, 4, s, sizeof s);
    assert_string_equal(s, "24 bytes before allocation 2 (400 bytes)");
    memory_explain(m, 64, 4, s, sizeof s);
    assert_string_equal(s, "nowhere near any allocation (an address of the host?)");
}

static void lookup_finds_the_owner(void **state)
{
    Memory  *m = *state;
    uint64_t a = get(m, 100);
    Alloc    tmp;
    assert_non_null(memory_find(m, a, &tmp));
    assert_non_null(memory_find(m, a + 99, &tmp));
    assert_null(memory_find(m, a + 100, &tmp));
    assert_null(memory_find(m, a - 1, &tmp));
    assert_null(memory_find(m, 0, &tmp));
}

static void heap_blocks_come_and_go(void **state)
{
    Memory *m = *state;
    Alloc   tmp;
    assert_int_equal(memory_heap_alloc(m, 16), 0); /* no heap yet */
    assert_int_equal(memory_alloc(m, 4096, 4096, ALLOC_HEAP, NULL, &m->heap_base), WW_OK);
    m->heap_bytes = 4096;
    uint64_t a = memory_heap_alloc(m, 100), b = memory_heap_alloc(m, 100);
    assert_true(a && b && a != b && a % 16 == 0);
    assert_non_null(memory_find(m, a + 99, &tmp));
    assert_null(memory_find(m, a + 100, &tmp));
    assert_int_equal(memory_heap_alloc(m, 8192), 0);
    assert_false(memory_heap_free(m, a + 16));
    assert_true(memory_heap_free(m, a));
    assert_false(memory_heap_free(m, a));
    assert_null(memory_find(m, a, &tmp));
}

static void freed_memory_is_kept_apart(void **state)
{
    Memory *m = *state;
    char    s[300];
    m->apart   = true;
    uint64_t a = get(m, 20 * MIB);
    assert_int_equal(memory_free(m, a), WW_OK);
    uint64_t b = get(m, 20 * MIB), c = get(m, 20 * MIB);
    assert_true(b > a && c > b); /* there is other room */
    assert_true(memory_was_freed(m, a));
    assert_int_equal(get(m, 20 * MIB), a); /* there is none any more */
    assert_false(memory_was_freed(m, a));
    assert_int_equal(memory_alloc(m, 4096, 4096, ALLOC_HEAP, NULL, &m->heap_base), WW_OK);
    m->heap_bytes = 4096;
    uint64_t p    = memory_heap_alloc(m, 1000);
    assert_true(memory_heap_free(m, p));
    assert_true(memory_heap_alloc(m, 1000) > p);
    assert_true(memory_was_freed(m, p + 999));
    memory_explain(m, p + 8, 4, s, sizeof s);
    assert_string_equal(s, "8 bytes into heap block 1 (1000 bytes), which was freed");
    assert_true(memory_heap_alloc(m, 1000) > p);
    assert_true(memory_heap_alloc(m, 1000) > p);
    assert_int_equal(memory_heap_alloc(m, 1000), p);
    assert_false(memory_was_freed(m, p));
}

enum { MOST = 400, ROUNDS = 20000 };

typedef struct Model { /* sorted by address */
    uint64_t at[MOST + 1], bytes[MOST + 1];
    size_t   n;
} Model;

static uint64_t span_of(uint64_t bytes)
{
    return (bytes + MEMORY_GRANULE - 1) / MEMORY_GRANULE * MEMORY_GRANULE + MEMORY_GRANULE;
}

/* The lowest gap. */
static size_t fitting(const Model *model, uint64_t base, uint64_t bytes, uint64_t *at)
{
    *at = base;
    for (size_t i = 0; i < model->n; i++) {
        if (model->at[i] - *at >= span_of(bytes))
            return i;
        *at = model->at[i] + span_of(model->bytes[i]);
    }
    return model->n;
}

static void take_out(Model *model, size_t i)
{
    model->n--;
    memmove(&model->at[i], &model->at[i + 1], (model->n - i) * sizeof *model->at);
    memmove(&model->bytes[i], &model->bytes[i + 1], (model->n - i) * sizeof *model->bytes);
}

static void put_in(Model *model, size_t i, uint64_t at, uint64_t bytes)
{
    memmove(&model->at[i + 1], &model->at[i], (model->n - i) * sizeof *model->at);
    memmove(&model->bytes[i + 1], &model->bytes[i], (model->n - i) * sizeof *model->bytes);
    model->n++;
    model->at[i]    = at;
    model->bytes[i] = bytes;
}

/* Freed entries stay in the table, and what is full is not looked at: neither changes what is given and found. */
static void the_lowest_gap_is_taken(void **state)
{
    Memory  *m     = *state;
    Model    model = {0};
    uint32_t seed  = 9;
    for (int round = 0; round < ROUNDS; round++) {
        seed          = seed * 1664525 + 1013904223;
        uint32_t dice = seed >> 8;
        bool     grow = round / 1000 % 2 ? dice % 5 == 0 : dice % 5 != 0; /* mostly more, then mostly fewer */
        if (model.n && (!grow || model.n == MOST)) {
            size_t i = dice / 8 % model.n;
            assert_int_equal(memory_free(m, model.at[i]), WW_OK);
            assert_int_equal(memory_free(m, model.at[i]), WW_ERR_INVALID);
            take_out(&model, i);
        } else {
            uint64_t bytes = 1 + dice / 8 % 9000, want;
            size_t   i     = fitting(&model, m->base, bytes, &want);
            assert_int_equal(get(m, bytes), want);
            put_in(&model, i, want, bytes);
        }
        for (size_t i = round % 50 ? model.n : 0; i < model.n; i++) {
            const Alloc *a = memory_find(m, model.at[i] + model.bytes[i] - 1, NULL);
            assert_non_null(a);
            assert_int_equal(a->base, model.at[i]);
            assert_null(memory_find(m, model.at[i] + span_of(model.bytes[i]) - 1, NULL));
        }
        assert_true(m->nlive <= 2 * model.n + 130);
    }
}

/* Of pages that were written and others that were not, from the middle of a page to that of another. */
static void what_is_cleared_takes_no_more_memory(void **state)
{
    enum { PAGE = 4096, PAGES = 1000 /* no huge ones */, SIZE = PAGES * PAGE };
    static unsigned char there[PAGES];
    uint64_t             p     = get(*state, SIZE);
    uint8_t             *at    = (uint8_t *)(uintptr_t)p;
    unsigned             pages = 0;
    for (unsigned i = 0; i < PAGES; i += i % 100 ? 1 : 97)
        memset(at + (size_t)i * PAGE, 7, PAGE);
    memory_clear(p + 100, SIZE - PAGE);
    assert_int_equal(mincore(at, SIZE, there), 0);
    for (unsigned i = 0; i < PAGES; i++)
        pages += there[i] & 1;
    assert_true(pages <= PAGES / 20);
    for (size_t i = 0; i < SIZE; i++)
        if (at[i] != (i < 100 || i >= SIZE - PAGE + 100 ? 7 : 0))
            fail_msg("byte %zu is %u", i, at[i]);
    memset(at, 9, SIZE);
    memory_clear(p + 5, 3); /* no whole page */
    assert_int_equal(at[4] + at[5] + at[7] + at[8], 18);
    memory_clear(p, SIZE);
    for (size_t i = 0; i < SIZE; i++)
        if (at[i])
            fail_msg("byte %zu is %u", i, at[i]);
}

/* Is the mapping in which the address lies one of huge pages?  -1: this kernel does not say. */
static int is_huge(uint64_t address)
{
    FILE    *f = fopen("/proc/self/smaps", "r");
    char     line[512];
    uint64_t from, to;
    bool     here = false;
    int      huge = -1;
    while (f && fgets(line, sizeof line, f)) {
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &from, &to) == 2)
            here = address >= from && address < to;
        if (here && !strncmp(line, "VmFlags:", 8))
            huge = strstr(line, " hg") != NULL;
    }
    if (f)
        fclose(f);
    return huge;
}

static void large_allocations_have_huge_pages(void **state)
{
    uint64_t little = get(*state, 2 * MIB), large = get(*state, 16 * MIB);
    if (is_huge(large) < 0 || access("/sys/kernel/mm/transparent_hugepage/enabled", R_OK) != 0)
        skip(); /* this kernel has no huge pages, or does not say */
    assert_int_equal(is_huge(large + 8 * MIB), 1);
    assert_int_equal(is_huge(little), 0);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, open_memory, close_memory)
    const struct CMUnitTest tests[] = {T(aligned_and_disjoint),
                                       T(freed_space_is_used_again),
                                       T(absurd_sizes_are_refused),
                                       T(addresses_are_explained),
                                       T(lookup_finds_the_owner),
                                       T(heap_blocks_come_and_go),
                                       T(freed_memory_is_kept_apart),
                                       T(the_lowest_gap_is_taken),
                                       T(what_is_cleared_takes_no_more_memory),
                                       T(large_allocations_have_huge_pages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
