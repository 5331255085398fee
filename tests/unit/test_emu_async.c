/* SPDX-License-Identifier: Apache-2.0
 *
 * When asynchronous copies land: a kernel that waits computes the same whatever the mode; one that does not is found out by "late".
 * Counters of copies and of matrix loads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "warpwright/warpwright.h"

/* %s: what stands between the copies and the reads.  Two groups of 16 bytes a lane. */
static const char copy_text[] =
    ".version 8.3\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
    ".reg .b32 %%r<20>;\n.reg .b64 %%rd<10>;\n.reg .pred %%p<4>;\n"
    ".shared .align 16 .b8 tile[1024];\n.shared .align 8 .b8 bar[8];\n"
    "ld.param.u64 %%rd0, [in];\nld.param.u64 %%rd1, [out];\nmov.u32 %%r0, %%tid.x;\n"
    "mul.wide.u32 %%rd2, %%r0, 16;\nadd.u64 %%rd0, %%rd0, %%rd2;\nadd.u64 %%rd1, %%rd1, %%rd2;\n"
    "mov.u32 %%r1, tile;\nmad.lo.u32 %%r1, %%r0, 16, %%r1;\nmov.u32 %%r9, bar;\n"
    "setp.eq.u32 %%p0, %%r0, 0;\n@%%p0 mbarrier.init.shared.b64 [%%r9], 32;\nbar.sync 0;\n"
    "cp.async.cg.shared.global [%%r1], [%%rd0], 16;\ncp.async.commit_group;\n"
    "cp.async.cg.shared.global [%%r1+512], [%%rd0+512], 16;\ncp.async.commit_group;\n"
    "%s\n"
    "ld.shared.v4.u32 {%%r2, %%r3, %%r4, %%r5}, [%%r1];\nst.global.v4.u32 [%%rd1], {%%r2, %%r3, %%r4, %%r5};\n"
    "ld.shared.v4.u32 {%%r2, %%r3, %%r4, %%r5}, [%%r1+512];\nst.global.v4.u32 [%%rd1+512], {%%r2, %%r3, %%r4, %%r5};\n"
    "ret;\n}\n";

enum { WORDS = 256 };

static void run(const char *mode, const char *text, unsigned in_words, uint32_t *out, WwCounters *count)
{
    WwDeviceOptions o = {.threads = 1, .seed = 5, .async = mode};
    WwDevice       *d;
    WwModule       *m;
    WwResult       *r;
    WwPtr           in_at, out_at;
    uint32_t        in[4 * WORDS];
    const char     *why = "";
    for (unsigned i = 0; i < 4 * WORDS; i++)
        in[i] = i + 1;
    if (ww_device_open("emulator", &o, &d, &why))
        fail_msg("%s", why);
    if (ww_module_load(d, "t.ptx", text, strlen(text), &m))
        fail_msg("%s", ww_device_error(d));
    assert_int_equal(ww_alloc(d, in_words * 4, &in_at), 0);
    assert_int_equal(ww_alloc(d, WORDS * 4, &out_at), 0);
    assert_int_equal(ww_copy_in(d, in_at, in, in_words * 4), 0);
    assert_int_equal(ww_fill(d, out_at, 0, WORDS * 4), 0);
    WwLaunch l = {
        {1, 1, 1}, {32, 1, 1}, .args = (void *[]){&in_at, &out_at}, .arg_count = 2, .observe = WW_OBSERVE_COUNTERS};
    if (ww_launch(d, m, "k", &l, &r))
        fail_msg("%s", ww_device_error(d));
    assert_int_equal(ww_copy_out(d, out, out_at, WORDS * 4), 0);
    if (count)
        *count = *ww_result_counters(r);
    ww_result_free(r);
    ww_module_unload(d, m);
    ww_device_close(d);
}

/* How many words of each half arrived. */
static void arrived(const char *mode, const char *between, unsigned n[2])
{
    char     text[4096];
    uint32_t out[WORDS];
    snprintf(text, sizeof text, copy_text, between);
    run(mode, text, WORDS, out, NULL);
    n[0] = n[1] = 0;
    for (unsigned i = 0; i < WORDS; i++) {
        assert_true(out[i] == i + 1 || out[i] == 0);
        n[i / (WORDS / 2)] += out[i] == i + 1;
    }
}

static void waits_are_enough(void **state)
{
    static const char *const modes[] = {"eager", "late", "random"};
    static const char *const waits[] = {
        "cp.async.wait_group 0;", "cp.async.wait_all;",
        "cp.async.mbarrier.arrive.noinc.shared.b64 [%r9];\nw: mbarrier.try_wait.parity.shared.b64 %p1, [%r9], "
        "0;\n@!%p1 bra w;",
        "cp.async.mbarrier.arrive.shared.b64 [%r9];\nmbarrier.arrive.shared.b64 %rd5, [%r9];\n"
        "w: mbarrier.test_wait.shared.b64 %p1, [%r9], %rd5;\n@!%p1 bra w;"};
    (void)state;
    for (unsigned i = 0; i < 3; i++)
        for (unsigned k = 0; k < 4; k++) {
            unsigned n[2];
            arrived(modes[i], waits[k], n);
            assert_int_equal(n[0], WORDS / 2);
            assert_int_equal(n[1], WORDS / 2);
        }
}

static void a_missing_wait_shows(void **state)
{
    unsigned n[2];
    (void)state;
    arrived("eager", "", n);
    assert_int_equal(n[0] + n[1], WORDS);
    arrived("late", "", n);
    assert_int_equal(n[0] + n[1], 0);
    arrived("late", "cp.async.wait_group 1;", n);
    assert_int_equal(n[0], WORDS / 2);
    assert_int_equal(n[1], 0);
    arrived("late", "cp.async.wait_group 2;", n);
    assert_int_equal(n[0] + n[1], 0);
    arrived("random", "", n);
    assert_in_range(n[0] + n[1], 1, WORDS - 1);
}

static void a_mode_must_be_known(void **state)
{
    WwDeviceOptions o = {.async = "soon"};
    WwDevice       *d;
    const char     *why = "";
    (void)state;
    assert_int_equal(ww_device_open("emulator", &o, &d, &why), WW_ERR_INVALID);
    assert_string_equal(why, "'soon' is not a way to time asynchronous copies; eager, late or random expected");
}

static void copies_are_counted(void **state)
{
    char       text[4096];
    uint32_t   out[WORDS];
    WwCounters c;
    (void)state;
    snprintf(text, sizeof text, copy_text, "cp.async.wait_all;");
    run("late", text, WORDS, out, &c);
    assert_int_equal(c.global_ld_requests, 2);
    assert_int_equal(c.global_ld_sectors, 32);
    assert_int_equal(c.shared_copy_inst, 2);
    assert_int_equal(c.shared_copy_wavefronts, 8);
    assert_int_equal(c.shared_st_wavefronts, 0);
    assert_int_equal(c.shared_st_bank_conflicts, 0);
}

/* Each line of global memory takes a pass: 64 bytes apart, of 16 lines, which four passes could write (tests/data/golden/copies_h200.tsv). */
static void lines_of_copies_take_passes(void **state)
{
    char       text[4096], *at;
    uint32_t   out[WORDS];
    WwCounters c;
    (void)state;
    snprintf(text, sizeof text, copy_text, "cp.async.wait_all;");
    at = strstr(text, "%r0, 16;");
    memcpy(at, "%r0, 64;", strlen("%r0, 64;"));
    at = strstr(text, "add.u64 %rd1, %rd1, %rd2;");
    memcpy(at, "                         ", strlen("add.u64 %rd1, %rd1, %rd2;")); /* all write the same words */
    run("late", text, 4 * WORDS, out, &c);
    assert_int_equal(c.global_ld_requests, 2);
    assert_int_equal(c.global_ld_sectors, 64);
    assert_int_equal(c.shared_copy_wavefronts, 32);
    assert_int_equal(c.memory_l1_wavefronts_shared - c.memory_l1_wavefronts_shared_ideal, 24);
}

/* Rows `stride` bytes apart: passes as the model has them. */
static void matrix_passes(unsigned stride, unsigned loads, unsigned stores)
{
    char       text[2048];
    uint32_t   out[WORDS];
    WwCounters c;
    snprintf(
        text, sizeof text,
        ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
        ".reg .b32 %%r<9>;\n.shared .align 16 .b8 tile[8192];\nmov.u32 %%r0, %%tid.x;\nmov.u32 %%r1, tile;\n"
        "mad.lo.u32 %%r1, %%r0, %u, %%r1;\nldmatrix.sync.aligned.m8n8.x4.shared.b16 {%%r2, %%r3, %%r4, %%r5}, [%%r1];\n"
        "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%%r1], {%%r2, %%r3};\nret;\n}\n",
        stride);
    run(NULL, text, WORDS, out, &c);
    assert_int_equal(c.shared_ld_inst, 1);
    assert_int_equal(c.shared_ld_wavefronts, loads);
    assert_int_equal(c.shared_ld_bank_conflicts, loads - 4);
    assert_int_equal(c.shared_st_inst, 1);
    assert_int_equal(c.shared_st_wavefronts, stores);
    assert_int_equal(c.shared_st_bank_conflicts, stores - 2);
    assert_int_equal(c.memory_l1_wavefronts_shared, loads + stores);
}

static void rows_are_counted(void **state)
{
    (void)state;
    matrix_passes(16, 4, 2);
    matrix_passes(32, 8, 4);
    matrix_passes(128, 32, 16);
    matrix_passes(144, 4, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_are_enough),
        cmocka_unit_test(a_missing_wait_shows),
        cmocka_unit_test(a_mode_must_be_known),
        cmocka_unit_test(copies_are_counted),
        cmocka_unit_test(lines_of_copies_take_passes),
        cmocka_unit_test(rows_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
