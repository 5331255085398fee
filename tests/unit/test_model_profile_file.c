/* SPDX-License-Identifier: Apache-2.0
 *
 * Profile files: what is read, that what is written is read as the same, and where each mistake is said to be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/limits.h"
#include "model/profile_file.h"

static const Profile *parse(const char *text, Str *why)
{
    str_clear(why);
    return profile_parse("my.profile", text, strlen(text), why);
}

static void a_base_lends_its_figures(void **state)
{
    (void)state;
    Str            why = {0};
    Timing         t;
    const Profile *p    = parse("# ours\nbase: h200\nsms: 114 # fewer\n\n  near : 25\r\n", &why),
                  *h200 = profile_find("h200");
    assert_non_null(p);
    assert_string_equal(p->name, "my.profile");
    assert_int_equal(p->sms, 114);
    assert_int_equal(p->memory_mib, h200->memory_mib);
    assert_ptr_equal(p->arch, h200->arch);
    assert_true(timing_of(p, &t, NULL));
    assert_true(t.near == 25 && t.dram == timing_row("h200")->dram && t.clock_mhz == 1980);
    Limits mine = limits_of(p), its = limits_of(h200);
    assert_memory_equal(mine.group, its.group, sizeof mine.group);
    assert_ptr_equal(mine.card, p);
    profile_close(p);
    str_free(&why);
}

/* Every profile of the table that is a card, written, and the file's own text again. */
static void what_is_written_is_read(void **state)
{
    (void)state;
    Str            why = {0}, text = {0}, again = {0};
    const Profile *p;
    for (size_t i = 0; (p = profile_at(i)); i++) {
        if (!p->sms)
            continue;
        str_clear(&text), str_clear(&again);
        profile_print(p, timing_row(p->name), &text);
        const Profile *q = parse(str_text(&text), &why);
        assert_string_equal(str_text(&why), "");
        assert_non_null(q);
        profile_print(q, q->timing, &again);
        assert_string_equal(str_text(&again), str_text(&text));
        profile_close(q);
    }
    str_free(&why), str_free(&text), str_free(&again);
}

#define CARD                                                                                                           \
    "arch: sm_80\nsms: 8\nclock_mhz: 1000\nmemory_mib: 1024\nmemory_gbs: 100\nl2_kib: 4096\nbus_bits: unknown\n"       \
    "memory_mhz: 0\nseen_kib: 0\nset_aside_kib: 0\necc: 1\nintegrated: 0\n"

static void a_card_without_times_is_not_predicted(void **state)
{
    (void)state;
    Str            why = {0};
    Timing         t;
    const char    *lacks = "";
    const Profile *p     = parse(CARD, &why);
    assert_non_null(p);
    assert_false(timing_of(p, &t, &lacks));
    assert_null(lacks);
    profile_close(p);
    p = parse("base: h200\ndram: unknown\n", &why);
    assert_non_null(p);
    assert_false(timing_of(p, &t, &lacks));
    assert_string_equal(lacks, "dram");
    profile_close(p);
    str_free(&why);
}

static void mistakes_are_said_with_their_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"", "my.profile:1: the file is empty"},
        {"sms: 4\n", ":1: the first line must be 'base: CARD' or 'arch: sm_NN'"},
        {"base: h20\n", ":1: there is no profile 'h20'; did you mean 'h200'?"},
        {"base: sm_90\n", ":1: 'sm_90' is an architecture, not a card; write arch: sm_90"},
        {"arch: h200\n", ":1: 'h200' is a card, not an architecture"},
        {"base: h200\nbase: h200\n", ":2: line 1 already says"},
        {"base: h200\nsm: 4\n", ":2: there is no figure 'sm'; did you mean 'sms'?"},
        {"base: h200\nwarp_speed: 4\n", ":2: there is no figure 'warp_speed'; 'warpwright profile show h200'"},
        {"base: h200\n\nsms 4\n", ":3: 'sms 4': a line is 'name: value'"},
        {"base: h200\nsms: 4\nsms: 5\n", ":3: 'sms' stands in line 2 already"},
        {"base: h200\nsms: 0\n", ":2: sms must be 1 to 4096, not 0"},
        {"base: h200\nsms: unknown\n", ":2: 'unknown' of sms is no number;"},
        {"base: h200\nsms: 3.5\n", ":2: sms must be whole"},
        {"base: h200\nnear: nan\n", ":2: 'nan' of near is no number, nor 'unknown'"},
        {"base: h200\nnear: inf\n", ":2: 'inf' of near is no number"},
        {"base: h200\nnear: 0x10\n", ":2: '0x10' of near is no number"},
        {"base: h200\nnear: -1\n", ":2: near must be 1 to 10000, not -1"},
        {"base: h200\nl1: 300\n", ":2: latencies must not fall"},
        {"base: h200\nread_gbs: 4900\n", ":2: 4900 GB/s are more than memory_gbs, 4800"},
        {"base: h200\nfetch_bytes: 48\n", ":2: L2 fetches 32 or 64 bytes, not 48"},
        {"base: h200\nl2_kept_mib: 61\n", ":2: L2 of 61440 KiB cannot keep 61 MiB"},
        {"arch: sm_80\nsms: 8\n", ":2: the file ends without 'clock_mhz'"},
        {CARD "near: 20\n",
         ":13: the file ends without 'l1_kib' (KiB of L1 with shared memory); where it is not known: unknown"},
        {"title:\nbase: h200\n", ":1: a title has 1 to 63 bytes"},
    };
    Str why = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const Profile *p = parse(rows[i].text, &why);
        if (p || !strstr(str_text(&why), rows[i].says))
            fail_msg("row %zu: \"%s\", not \"%s\"", i, str_text(&why), rows[i].says);
    }
    assert_null(profile_parse("x.y", "base: h200\n\0", 12, &why));
    assert_null(profile_open("./there/is/no.such", &why));
    assert_non_null(strstr(str_text(&why), "no such file"));
    assert_null(profile_open("", NULL) == profile_find(NULL) ? NULL : "the default");
    str_free(&why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_base_lends_its_figures), cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(a_card_without_times_is_not_predicted), cmocka_unit_test(mistakes_are_said_with_their_line)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
