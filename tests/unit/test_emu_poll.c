/* SPDX-License-Identifier: Apache-2.0
 *
 * Waiting costs little: each block waits in a loop for the one behind it, and the last one computes for long.  However the loop looks, it
 * takes few instructions, and not more where it waits for long; one that a look cannot see through (it counts its turns) still ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "base/stress.h"
#include "warpwright/warpwright.h"

enum {
    BLOCKS = 128,
    LONG   = 50000,
    OWN    = 40,
    SLEEPS = 160 /* instructions of a block beside its loop; of that, whose length waiting does not add to */
};

#define HEAD                                                                                                           \
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"                             \
    ".shared .b32 own[32]; .reg .b32 %r<9>; .reg .b64 %d<4>; .reg .pred %p<3>;\n"                                      \
    "ld.param.u64 %d0, [p]; mov.u32 %r0, %ctaid.x; mov.u32 %r1, %nctaid.x; mul.wide.u32 %d1, %r0, 4;\n"                \
    "add.u64 %d1, %d1, %d0; add.u32 %r2, %r0, 1; mov.u32 %r4, 0; mov.u32 %r5, %tid.x;\n"                               \
    "mov.u32 %r6, "
#define LOOK                                                                                                           \
    "setp.ge.u32 %p2, %r5, %r6; @%p2 bra together; setp.eq.u32 %p0, %r2, %r1; @%p0 bra last;\n"                        \
    "look:\n"
#define TAIL                                                                                                           \
    "setp.eq.u32 %p0, %r3, 0; @%p0 bra look; bra done;\n"                                                              \
    "last: add.u32 %r4, %r4, 1; setp.lt.u32 %p0, %r4, 50000; @%p0 bra last;\n"                                         \
    "done: st.release.gpu.global.u32 [%d1], 1;\n"                                                                      \
    "together: bar.sync 0; ret;\n}\n"

/* Instructions that the launch ran beside the last block's computing. */
static uint64_t launch(const char *look, unsigned lanes, unsigned threads, const char *engine, WwStatus want)
{
    WwDevice *d    = NULL;
    WwModule *m    = NULL;
    WwResult *r    = NULL;
    WwPtr     p    = 0;
    Str       text = {0};
    uint32_t  flags[BLOCKS];
    str_printf(&text, "%s%u;\n%s%s%s", HEAD, lanes, LOOK, look, TAIL);
    assert_int_equal(ww_device_open("emulator", &(WwDeviceOptions){.threads = threads, .engine = engine}, &d, NULL),
                     WW_OK);
    if (ww_module_load(d, "poll.ptx", text.s, text.len, &m) != WW_OK)
        fail_msg("%s", ww_device_error(d));
    memset(flags, 0, sizeof flags);
    assert_int_equal(ww_alloc(d, sizeof flags, &p), WW_OK);
    assert_int_equal(ww_copy_in(d, p, flags, sizeof flags), WW_OK);
    void    *args[] = {&p};
    WwLaunch w      = {.grid = {BLOCKS, 1, 1}, .block = {64, 1, 1}, .args = args, .arg_count = 1};
    WwStatus got    = ww_launch(d, m, "k", &w, &r);
    if (got != want)
        fail_msg("%s", ww_device_error(d));
    if (want != WW_OK)
        assert_non_null(strstr(ww_device_error(d), "aligned"));
    WwInstructionClasses n = ww_result_instructions(r);
    assert_int_equal(ww_copy_out(d, flags, p, sizeof flags), WW_OK);
    for (unsigned i = 0; want == WW_OK && i < BLOCKS; i++)
        assert_int_equal(flags[i], 1);
    ww_result_free(r);
    ww_device_close(d);
    str_free(&text);
    return n.exact - 3 * LONG;
}

static uint64_t run(const char *look, unsigned lanes, unsigned threads)
{
    return launch(look, lanes, threads, "interpreter", WW_OK);
}

static void few_looks(const char *look, unsigned lanes)
{
    uint64_t n = run(look, lanes, 1);
    if (!STRESSED(false, true) && n > BLOCKS * (OWN + SLEEPS))
        fail_msg("%llu instructions for %s", (unsigned long long)n, look);
    assert_int_equal(launch(look, lanes, 1, "jit", WW_OK), n);
}

static void acquiring_loads_wait(void **state)
{
    (void)state;
    few_looks("ld.acquire.gpu.global.u32 %r3, [%d1+4];\n", 1);
    few_looks("ld.acquire.gpu.global.u32 %r3, [%d1+4];\n", 32);
    few_looks("ld.volatile.global.u32 %r3, [%d1+4];\n", 1);
    few_looks("ld.volatile.global.u32 %r3, [%d1+4]; setp.eq.u32 %p1, %r3, 0; vote.sync.any.pred %p1, %p1, 1;\n", 1);
    few_looks("nanosleep.u32 20; ld.acquire.gpu.global.u32 %r3, [%d1+4]; fence.acq_rel.gpu;\n", 1);
}

static void atomics_that_change_nothing_wait(void **state)
{
    (void)state;
    few_looks("atom.global.cas.b32 %r3, [%d1+4], 1, 1;\n", 1);
    few_looks("atom.global.or.b32 %r3, [%d1+4], 0;\n", 1);
}

static void loops_of_several_blocks_wait(void **state)
{
    (void)state;
    few_looks("ld.acquire.gpu.global.u32 %r3, [%d1+4]; setp.ne.u32 %p0, %r3, 0; @%p0 bra done;\n"
              "setp.eq.u32 %p1, %r0, 3; @%p1 bra odd; add.u32 %r6, %r3, 7; odd: add.u32 %r7, %r3, 5;\n",
              1);
}

static void words_of_every_kind_are_looked_at(void **state)
{
    (void)state;
    few_looks("ld.volatile.global.u8 %r3, [%d1+4];\n", 1);
    few_looks("ld.volatile.u32 %r3, [%d1+4];\n", 1);
    few_looks("setp.eq.u32 %p1, %r5, 0; @%p1 ld.volatile.global.u32 %r3, [%d1+4]; @!%p1 mov.u32 %r3, 1;\n", 32);
    few_looks("add.u64 %d2, %d1, 4; and.b64 %d2, %d2, -8; ld.volatile.global.v2.u32 {%r7, %r8}, [%d2];\n"
              "and.b32 %r6, %r0, 1; setp.ne.u32 %p1, %r6, 0; selp.u32 %r3, %r7, %r8, %p1;\n",
              1);
    few_looks("ld.volatile.shared.u32 %r7, [own]; ld.acquire.gpu.global.u32 %r3, [%d1+4];\n", 1);
}

/* Some lanes go another way in each round. */
static void lanes_that_part_wait(void **state)
{
    (void)state;
    few_looks("and.b32 %r6, %r5, 3; setp.eq.u32 %p1, %r6, 0; mov.u32 %r3, 1; @%p1 bra odd;\n"
              "ld.volatile.global.u32 %r3, [%d1+4]; odd: setp.eq.u32 %p1, %r3, 0; vote.sync.any.pred %p1, %p1, -1;\n"
              "selp.u32 %r3, 0, 1, %p1;\n",
              32);
}

/* Behind an instruction that is not the loop's. */
static void loops_are_found_from_before_them(void **state)
{
    (void)state;
    few_looks(
        "add.u32 %r7, %r0, 1; again: ld.volatile.global.u32 %r3, [%d1+4]; setp.eq.u32 %p1, %r3, 0; @%p1 bra again;\n",
        1);
}

static void loops_that_count_end(void **state)
{
    (void)state;
    assert_true(run("ld.acquire.gpu.global.u32 %r3, [%d1+4]; add.u32 %r8, %r8, 1;\n", 1, 1) > BLOCKS);
}

/* Block 1 reads 8 bytes at a place that is a multiple of 4, and block 0 waits for it. */
static void who_waits_for_a_fault_is_stopped(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 3; threads++)
        launch("ld.volatile.global.v2.u32 {%r7, %r3}, [%d1];\n", 1, threads, "interpreter", WW_ERR_FAULT);
}

static void workers_wait_for_each_other(void **state)
{
    (void)state;
    for (unsigned threads = 2; threads <= 4; threads++)
        assert_true(run("ld.acquire.gpu.global.u32 %r3, [%d1+4];\n", 1, threads) > BLOCKS);
}

/* Where a seed's order lets any of those that wait go next, those that sleep are passed over; turns count for the limit as if they had looked. */
static void who_sleeps_is_passed_over(void **state)
{
    (void)state;
    enum { MANY = 1024, MOST = 2000000 };
    static uint32_t flags[MANY];
    for (uint64_t seed = 0; seed < 3; seed++) {
        WwDevice *d    = NULL;
        WwModule *m    = NULL;
        WwResult *r    = NULL;
        WwPtr     p    = 0;
        Str       text = {0};
        str_printf(&text, "%s%u;\n%s%s%s", HEAD, 1, LOOK, "ld.acquire.gpu.global.u32 %r3, [%d1+4];\n", TAIL);
        assert_int_equal(ww_device_open("emulator", &(WwDeviceOptions){.threads = 1, .seed = seed}, &d, NULL), WW_OK);
        assert_int_equal(ww_module_load(d, "poll.ptx", text.s, text.len, &m), WW_OK);
        memset(flags, 0, sizeof flags);
        assert_int_equal(ww_alloc(d, sizeof flags, &p), WW_OK);
        assert_int_equal(ww_copy_in(d, p, flags, sizeof flags), WW_OK);
        void    *args[] = {&p};
        WwLaunch w      = {.grid             = {MANY, 1, 1},
                           .block            = {32, 1, 1},
                           .args             = args,
                           .arg_count        = 1,
                           .max_instructions = STRESSED(MOST, 0)};
        if (ww_launch(d, m, "k", &w, &r) != WW_OK)
            fail_msg("seed %u: %s", (unsigned)seed, ww_device_error(d));
        assert_int_equal(ww_copy_out(d, flags, p, sizeof flags), WW_OK);
        for (unsigned i = 0; i < MANY; i++)
            assert_int_equal(flags[i], 1);
        ww_result_free(r);
        ww_device_close(d);
        str_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(acquiring_loads_wait),
        cmocka_unit_test(atomics_that_change_nothing_wait),
        cmocka_unit_test(loops_of_several_blocks_wait),
        cmocka_unit_test(loops_that_count_end),
        cmocka_unit_test(who_waits_for_a_fault_is_stopped),
        cmocka_unit_test(workers_wait_for_each_other),
        cmocka_unit_test(words_of_every_kind_are_looked_at),
        cmocka_unit_test(lanes_that_part_wait),
        cmocka_unit_test(loops_are_found_from_before_them),
        cmocka_unit_test(who_sleeps_is_passed_over),
    };
    return cmocka_run_group_tests_name("emu_poll", tests, NULL, NULL);
}
