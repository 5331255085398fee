/* SPDX-License-Identifier: Apache-2.0
 *
 * A worker uses a block's context again for later blocks.  Blocks of one kernel that all do the same must count the same, however many came
 * before them in their context: a grid of n blocks has n times the counters of one block, with any number of threads.
 * A kernel's launches use one another's register frames: the host's system is not asked for those pages again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "base/str.h"
#include "base/stress.h"
#include "warpwright/warpwright.h"

enum { BLOCKS = 1200 };

static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                          /* half of the lanes compute for more than a quantum while the others wait for them */
                          ".visible .entry long_way()\n"
                          "{\n"
                          "    .reg .b32 %t, %i; .reg .pred %p;\n"
                          "    mov.u32 %t, %tid.x; and.b32 %t, %t, 1; setp.ne.u32 %p, %t, 0;\n"
                          "    mov.u32 %i, 0;\n"
                          "    @%p bra $join;\n"
                          "$turn:\n"
                          "    add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 1500;\n"
                          "    @%p bra $turn;\n"
                          "$join:\n"
                          "    add.u32 %i, %i, 1;\n"
                          "    ret;\n"
                          "}\n"
                          /* the first turns of a warp are one basic block each */
                          ".visible .entry short_ways()\n"
                          "{\n"
                          "    .reg .b32 %t, %i; .reg .pred %p;\n"
                          "    mov.u32 %t, %tid.x; and.b32 %i, %t, 7; setp.ne.u32 %p, %i, 0;\n"
                          "    @%p bra $join;\n"
                          "    and.b32 %i, %t, 15; setp.ne.u32 %p, %i, 0;\n"
                          "    @%p bra $join;\n"
                          "    add.u32 %i, %i, 1; setp.ne.u32 %p, %t, 16;\n"
                          "    @%p bra $join;\n"
                          "    add.u32 %i, %i, 1;\n"
                          "$join:\n"
                          "    add.u32 %i, %i, 1;\n"
                          "    ret;\n"
                          "}\n"
                          /* local memory that a block never wrote */
                          ".visible .entry leftovers()\n"
                          "{\n"
                          "    .local .align 4 .b8 kept[64];\n"
                          "    .reg .b32 %v, %i; .reg .b64 %a; .reg .pred %p;\n"
                          "    mov.u64 %a, kept;\n"
                          "    ld.local.u32 %v, [%a+32];\n"
                          "    setp.ne.u32 %p, %v, 0;\n"
                          "    @%p bra $done;\n"
                          "    mov.u32 %i, 7; st.local.u32 [%a+32], %i;\n"
                          "    add.u32 %i, %i, 1;\n"
                          "$done:\n"
                          "    ret;\n"
                          "}\n";

static WwCounters count(const char *kernel, unsigned threads, uint32_t blocks, uint32_t block)
{
    WwDevice   *d   = NULL;
    WwModule   *m   = NULL;
    WwResult   *r   = NULL;
    const char *why = NULL;
    WwLaunch    w   = {.grid = {blocks, 1, 1}, .block = {block, 1, 1}, .observe = WW_OBSERVE_COUNTERS};
    assert_int_equal(ww_device_open("emulator", &(WwDeviceOptions){.threads = threads}, &d, &why), WW_OK);
    if (ww_module_load(d, "reuse.ptx", ptx, strlen(ptx), &m) != WW_OK || ww_launch(d, m, kernel, &w, &r) != WW_OK)
        fail_msg("%s", ww_device_error(d));
    WwCounters c = *ww_result_counters(r);
    ww_result_free(r);
    ww_device_close(d);
    return c;
}

static void same_in_every_block(const char *kernel, uint32_t block)
{
    static const unsigned threads[] = {1, 2, 3, 7};
    WwCounters            one       = count(kernel, 1, 1, block);
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
        WwCounters all = count(kernel, threads[t], BLOCKS, block);
        for (size_t i = 0; i < ww_counter_count(); i++)
            if (ww_counter_value(&all, i) != BLOCKS * ww_counter_value(&one, i))
                fail_msg("%s, %u threads: %s is %llu in %d blocks, %llu in one", kernel, threads[t], ww_counter_name(i),
                         (unsigned long long)ww_counter_value(&all, i), BLOCKS,
                         (unsigned long long)ww_counter_value(&one, i));
    }
}

static void lanes_meet_after_a_long_way(void **state)
{
    (void)state;
    same_in_every_block("long_way", 32);
}

static void lanes_meet_after_short_turns(void **state)
{
    (void)state;
    same_in_every_block("short_ways", 64);
}

static void local_memory_begins_the_same(void **state)
{
    (void)state;
    same_in_every_block("leftovers", 64);
}

static long faults(void)
{
    struct rusage use;
    assert_int_equal(getrusage(RUSAGE_SELF, &use), 0);
    return use.ru_minflt;
}

/* A kernel whose 16 warps have 2.4 MB of registers. */
static void launches_take_no_new_pages(void **state)
{
    enum { REGISTERS = 600, LAUNCHES = 40, MOST_PAGES = 60 };
    Str       text = {0};
    WwDevice *d    = NULL;
    WwModule *m    = NULL;
    WwLaunch  w    = {.grid = {1, 1, 1}, .block = {512, 1, 1}};
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    skip(); /* it keeps what is freed */
#endif
    if (STRESSED(false, true))
        skip(); /* frames are dropped on purpose */
    str_printf(&text, ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .b64 %%d<%d>;\n",
               REGISTERS);
    for (int i = 0; i < REGISTERS; i++)
        str_printf(&text, "mov.u64 %%d%d, %d;\n", i, i);
    str_add(&text, "ret;\n}\n");
    assert_int_equal(ww_device_open("emulator", &(WwDeviceOptions){.threads = 1}, &d, NULL), WW_OK);
    assert_int_equal(ww_module_load(d, "k.ptx", text.s, text.len, &m), WW_OK);
    assert_int_equal(ww_launch(d, m, "k", &w, NULL), WW_OK);
    long before = faults();
    for (int i = 0; i < LAUNCHES; i++)
        assert_int_equal(ww_launch(d, m, "k", &w, NULL), WW_OK);
    assert_true(faults() - before < (long)LAUNCHES * MOST_PAGES);
    ww_device_close(d);
    str_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_meet_after_a_long_way),
        cmocka_unit_test(lanes_meet_after_short_turns),
        cmocka_unit_test(local_memory_begins_the_same),
        cmocka_unit_test(launches_take_no_new_pages),
    };
    return cmocka_run_group_tests_name("emu_reuse", tests, NULL, NULL);
}
