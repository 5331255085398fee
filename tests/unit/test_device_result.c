/* SPDX-License-Identifier: Apache-2.0
 *
 * What a launch leaves: counters, source lines, instruction classes, findings, printed text, accesses.  Most of it only the
 * emulator can tell: those tests are skipped on a GPU. */
#include <math.h>
#include <pthread.h>

#include "tests/unit/device_fixture.h"

/* ---- results ---- */

static const WwLine *find_line(const WwResult *r, const char *file, uint32_t line)
{
    for (size_t i = 0; i < ww_result_line_count(r); i++)
        if (!strcmp(ww_result_line(r, i)->file, file) && ww_result_line(r, i)->line == line)
            return ww_result_line(r, i);
    fail_msg("no line %s:%u", file, line);
    return NULL;
}

/* The model's figures of a small launch: 1000 of 1024 threads load 8 bytes each and store 4 of them. */
static void time_is_predicted(void **state)
{
    (void)state;
    Saxpy        s;
    WwResult    *r = NULL;
    WwPrediction p, warm;
    emulator_only();
    saxpy_begin(&s);
    WwLaunch w = saxpy_launch(&s, WW_OBSERVE_COUNTERS);
    assert_ok(ww_launch(d, m, "saxpy", &w, &r));
    assert_false(ww_result_prediction(r, &p));
    ww_result_free(r);
    w.observe = WW_OBSERVE_TIME;
    assert_ok(ww_launch(d, m, "saxpy", &w, &r));
    assert_true(ww_result_prediction(r, &p));
    assert_int_equal(p.dram_read_bytes, 2 * ((N * 4 + 63) / 64 * 64)); /* L2 fetches 64 bytes at once */
    assert_int_equal(p.dram_write_bytes, 0);                           /* it stays in L2 */
    assert_true(p.l1_hit_rate == 0);
    assert_true(p.ns > 1500 && p.ns < 6000); /* what the model says, not how long anything took */
    assert_true(p.instructions >= 32 * 12 && p.instructions <= 32 * 40);
    assert_true(!strcmp(p.source, "ptxas") == (p.registers != 0));
    assert_string_equal(p.limiter, "latency");
    assert_string_equal(p.card, "h200");
    assert_true(p.most_instructions > 1045 && p.most_instructions < 1046); /* 4 a clock of 132 multiprocessors */
    assert_true(p.most_dram_bytes == 4554 && p.most_l2_bytes > p.most_dram_bytes);
    assert_int_equal(p.single_flops, 2 * N); /* a product and a sum, fused */
    assert_int_equal(p.half_flops + p.double_flops, 0);
    assert_true(fabs(p.most_single_flops - 2 * 128 * 132 * 1.98) < 1e-6 && p.most_double_flops < p.most_single_flops);
    assert_int_equal(p.most_warps, 64);
    assert_int_equal(p.resident_warps, 64);
    assert_null(p.resident_limiter);
    assert_true(fabs(p.waves * p.resident_blocks * 132 - w.grid.x) < 1e-9);
    ww_result_free(r);
    w.observe = WW_OBSERVE_TIME | WW_OBSERVE_WARM;
    assert_ok(ww_launch(d, m, "saxpy", &w, &r));
    assert_true(ww_result_prediction(r, &warm));
    assert_int_equal(warm.dram_read_bytes, 0);
    assert_true(warm.l2_hit_rate == 1);
    ww_result_free(r);
}

static void counters_are_counted(void **state)
{
    (void)state;
    Saxpy     s;
    WwResult *r = NULL;
    emulator_only();
    saxpy_begin(&s);
    WwLaunch w = saxpy_launch(&s, WW_OBSERVE_COUNTERS);
    assert_ok(ww_launch(d, m, "saxpy", &w, &r));
    const WwCounters *c = ww_result_counters(r);
    /* 1000 of 1024 threads: 31 full warps and one of 8 lanes */
    assert_int_equal(c->global_ld_requests, 64);
    assert_int_equal(c->global_ld_sectors, 2 * N / 8);
    assert_int_equal(c->global_st_requests, 32);
    assert_int_equal(c->global_st_sectors, N / 8);
    assert_int_equal(c->useful_bytes, 12 * N);
    assert_int_equal(c->shared_ld_inst, 0);
    assert_int_equal(c->inst_executed, 32 * (10 + 3 + 2 + 2 + 1));
    assert_int_equal(c->thread_inst_executed, 1024 * 11 + N * 7);

    const WwLine *loads = find_line(r, "saxpy.cu", 12), *stores = find_line(r, "saxpy.cu", 13);
    assert_int_equal(loads->counters.global_ld_requests, 64);
    assert_int_equal(loads->counters.global_st_requests, 0);
    assert_int_equal(loads->counters.inst_executed, 32 * 5);
    assert_int_equal(stores->counters.global_st_sectors, N / 8);
    WwCounters sum = {0};
    for (size_t i = 0; i < ww_result_line_count(r); i++) {
        const WwLine *l = ww_result_line(r, i);
        sum.inst_executed += l->counters.inst_executed;
        sum.global_ld_sectors += l->counters.global_ld_sectors;
        if (i) {
            int order = strcmp(l[-1].file, l->file);
            assert_true(order < 0 || (!order && l[-1].line < l->line));
        }
    }
    assert_int_equal(sum.inst_executed, c->inst_executed);
    assert_int_equal(sum.global_ld_sectors, c->global_ld_sectors);
    assert_null(ww_result_line(r, ww_result_line_count(r)));
    WwInstructionClasses k = ww_result_instructions(r);
    assert_int_equal(k.exact, c->inst_executed);
    assert_int_equal(k.approximate + k.unsupported, 0);
    ww_result_free(r);
}

static void lines_without_loc_are_the_ptx_itself(void **state)
{
    (void)state;
    WwPtr     p      = 0;
    uint32_t  stride = 32;
    WwResult *r      = NULL;
    emulator_only();
    assert_ok(ww_alloc(d, 128, &p));
    WwLaunch w = {
        .grid = {1, 1, 1}, .block = {32, 1, 1}, .shared = 4096, .args = (void *[]){&p, &stride}, .arg_count = 2};
    w.observe = WW_OBSERVE_COUNTERS;
    assert_ok(ww_launch(d, m, "gather", &w, &r));
    assert_int_equal(ww_result_counters(r)->shared_st_bank_conflicts, 31);
    assert_int_equal(ww_result_counters(r)->shared_ld_wavefronts, 32);
    uint32_t at = 1;
    for (const char *t = ptx; t < strstr(ptx, "ld.shared"); t++)
        at += *t == '\n';
    assert_int_equal(find_line(r, "api.ptx", at)->counters.shared_ld_bank_conflicts, 31);
    ww_result_free(r);
}

static void approximate_instructions_are_told(void **state)
{
    (void)state;
    WwPtr     p           = 0;
    WwResult *r           = NULL;
    float     f           = 3;
    bool      unsupported = true;
    uint64_t  times       = 0;
    emulator_only();
    assert_ok(ww_alloc(d, 4, &p));
    assert_ok(ww_copy_in(d, p, &f, 4));
    WwLaunch w = {.grid = {3, 1, 1}, .block = {1, 1, 1}, .args = (void *[]){&p}, .arg_count = 1};
    assert_ok(ww_launch(d, m, "rounded", &w, &r));
    assert_int_equal(ww_result_inexact_count(r), 1);
    assert_string_equal(ww_result_inexact(r, 0, &unsupported, &times), "ex2.approx.ftz.f32");
    assert_false(unsupported);
    assert_int_equal(times, 3);
    assert_null(ww_result_inexact(r, 1, NULL, NULL));
    assert_int_equal(ww_result_instructions(r).approximate, 3);
    assert_int_equal(ww_result_instructions(r).exact, 12);
    ww_result_free(r);
}

static void faults_become_findings(void **state)
{
    (void)state;
    WwPtr     p   = 0;
    uint64_t  off = 4096;
    WwResult *r   = NULL;
    emulator_only();
    assert_ok(ww_alloc(d, 64, &p));
    WwLaunch w = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .args = (void *[]){&p, &off}, .arg_count = 2};
    w.observe  = WW_OBSERVE_COUNTERS;
    assert_fails(ww_launch(d, m, "stray", &w, &r), WW_ERR_FAULT,
                 "saxpy.cu:42:7: error: kernel stray, block (0, 0, 0), thread (5, 0, 0)");
    assert_non_null(r);
    assert_int_equal(ww_result_finding_count(r), 1);
    const WwFinding *f = ww_result_finding(r, 0);
    assert_string_equal(f->rule, "out-of-bounds");
    assert_string_equal(f->category, "memory");
    assert_string_equal(f->severity, "error");
    assert_string_equal(f->kernel, "stray");
    assert_string_equal(f->file, "saxpy.cu");
    assert_int_equal(f->line, 42);
    assert_int_equal(f->col, 7);
    assert_int_equal(f->thread.x, 5);
    assert_int_equal(f->address, p + off);
    assert_int_equal(f->count, 1);
    assert_true(strlen(f->message) > 10);
    assert_null(ww_result_finding(r, 1));
    ww_result_free(r);

    off = 8; /* the device goes on working */
    assert_ok(ww_launch(d, m, "stray", &w, NULL));
    uint32_t v = 0;
    assert_ok(ww_copy_out(d, &v, p + 8, 4));
    assert_int_equal(v, 5);
}

static void unsupported_instructions_are_told(void **state)
{
    (void)state;
    const char *text =
        ".version 7.3\n.target sm_80\n.address_size 64\n"
        ".visible .entry k()\n{\n    .reg .b64 %s;\n    st.bulk.weak.shared::cta [0], 8, 0;\n    ret;\n}\n";
    WwModule *x           = NULL;
    WwResult *r           = NULL;
    bool      unsupported = false;
    uint64_t  times       = 0;
    emulator_only();
    assert_ok(ww_module_load(d, "k.ptx", text, strlen(text), &x));
    WwLaunch w = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    assert_fails(ww_launch(d, x, "k", &w, &r), WW_ERR_UNSUPPORTED, "k.ptx:7:5: error: kernel k");
    assert_contains(ww_device_error(d), "st.bulk.weak.shared::cta");
    assert_string_equal(ww_result_finding(r, 0)->rule, "unsupported");
    assert_int_equal(ww_result_inexact_count(r), 1);
    assert_string_equal(ww_result_inexact(r, 0, &unsupported, &times), "st.bulk.weak.shared::cta");
    assert_true(unsupported);
    assert_int_equal(times, 1);
    assert_int_equal(ww_result_instructions(r).unsupported, 1);
    ww_result_free(r);
}

static void limits_end_a_kernel(void **state)
{
    (void)state;
    WwResult    *r    = NULL;
    volatile int stop = 1;
    emulator_only();
    WwLaunch w = {.grid = {2, 1, 1}, .block = {64, 1, 1}, .max_instructions = 100000};
    assert_int_equal(ww_launch(d, m, "endless", &w, &r), WW_ERR_LIMIT);
    assert_string_equal(ww_result_finding(r, 0)->rule, "instruction-limit");
    assert_string_equal(ww_result_finding(r, 0)->kernel, "endless");
    ww_result_free(r);
    w = (WwLaunch){.grid = {2, 1, 1}, .block = {64, 1, 1}, .max_seconds = 0.05};
    assert_int_equal(ww_launch(d, m, "endless", &w, &r), WW_ERR_LIMIT);
    assert_string_equal(ww_result_finding(r, 0)->rule, "time-limit");
    ww_result_free(r);
    w = (WwLaunch){.grid = {2, 1, 1}, .block = {64, 1, 1}, .stop = &stop};
    assert_int_equal(ww_launch(d, m, "endless", &w, &r), WW_ERR_LIMIT);
    assert_int_equal(ww_result_finding_count(r), 1);
    ww_result_free(r);
}

typedef struct Text {
    char   s[1024];
    size_t len;
} Text;

static void keep_text(void *user, const char *text, size_t len)
{
    Text *t = user;
    if (t->len + len < sizeof t->s)
        memcpy(t->s + t->len, text, len);
    t->len += len;
}

static void printing_is_handed_over(void **state)
{
    (void)state;
    Text t = {0};
    emulator_only();
    WwLaunch w = {.grid = {2, 1, 1}, .block = {3, 1, 1}, .on_print = keep_text, .user = &t};
    assert_ok(ww_launch(d, m, "speak", &w, NULL));
    assert_string_equal(t.s, "t=0;t=1;t=2;t=0;t=1;t=2;");
    w.on_print = NULL;
    assert_ok(ww_launch(d, m, "speak", &w, NULL));
}

typedef struct Log {
    size_t   n;
    WwAccess first[4];
    uint64_t step[4]; /* from lane 0 to lane 1 */
} Log;

static void keep_access(void *user, const WwAccess *a)
{
    Log *l = user;
    if (l->n < 4) {
        l->first[l->n] = *a;
        l->step[l->n]  = a->address[1] - a->address[0];
    }
    l->n++;
}

static void accesses_are_handed_over(void **state)
{
    (void)state;
    Log      l      = {0};
    WwPtr    p      = 0;
    uint32_t stride = 2;
    emulator_only();
    assert_ok(ww_alloc(d, 128, &p));
    WwLaunch w = {
        .grid = {1, 1, 1}, .block = {32, 1, 1}, .shared = 256, .args = (void *[]){&p, &stride}, .arg_count = 2};
    w.observe = WW_OBSERVE_ACCESSES;
    assert_fails(ww_launch(d, m, "gather", &w, NULL), WW_ERR_INVALID, "needs on_access");
    w.on_access = keep_access;
    w.user      = &l;
    assert_ok(ww_launch(d, m, "gather", &w, NULL));
    assert_int_equal(l.n, 3);
    assert_string_equal(l.first[0].space, "shared");
    assert_string_equal(l.first[0].op, "st");
    assert_int_equal(l.first[0].bytes, 4);
    assert_int_equal(l.first[0].mask, UINT32_MAX);
    assert_int_equal(l.first[0].wavefronts, 2);
    assert_int_equal(l.first[0].conflicts, 1);
    assert_null(l.first[0].file);
    assert_int_equal(l.step[0], 8);
    assert_string_equal(l.first[1].op, "ld");
    assert_int_equal(l.first[1].ptx_line, l.first[0].ptx_line + 2);
    assert_string_equal(l.first[2].space, "global");
    assert_int_equal(l.step[2], 4);
    assert_int_equal(l.first[2].sectors, 4);

    Saxpy s;
    saxpy_begin(&s);
    l           = (Log){0};
    w           = saxpy_launch(&s, WW_OBSERVE_ACCESSES | WW_OBSERVE_COUNTERS);
    w.on_access = keep_access;
    w.user      = &l;
    assert_ok(ww_launch(d, m, "saxpy", &w, NULL));
    assert_int_equal(l.n, 96);
    assert_string_equal(l.first[0].file, "saxpy.cu");
}

static void results_outlive_their_module(void **state)
{
    (void)state;
    Saxpy     s;
    WwModule *x = NULL;
    WwResult *r = NULL;
    emulator_only();
    assert_ok(ww_module_load(d, "later.ptx", ptx, strlen(ptx), &x));
    saxpy_begin(&s);
    WwLaunch w = saxpy_launch(&s, WW_OBSERVE_COUNTERS);
    assert_ok(ww_launch(d, x, "saxpy", &w, &r));
    ww_module_unload(d, x);
    assert_int_equal(find_line(r, "saxpy.cu", 12)->counters.global_ld_requests, 64);
    ww_result_free(r);
}

/* ---- threads ---- */

typedef struct Party {
    pthread_t  thread;
    WwCounters total;
    Log        log;
    float      last;
    WwStatus   status;
} Party;

static void *run_party(void *arg)
{
    Party    *p  = arg;
    WwDevice *dv = NULL;
    WwModule *mv = NULL;
    WwResult *r  = NULL;
    WwPtr     x  = 0;
    float     a  = 2, h[N];
    uint32_t  n  = N;
    for (int i = 0; i < N; i++)
        h[i] = (float)i;
    WwLaunch w = {.grid      = {64, 1, 1},
                  .block     = {64, 1, 1},
                  .args      = (void *[]){&x, &x, &a, &n},
                  .arg_count = 4,
                  .observe   = WW_OBSERVE_COUNTERS | WW_OBSERVE_ACCESSES,
                  .on_access = keep_access,
                  .user      = &p->log};
    p->status  = ww_device_open("emulator", &(WwDeviceOptions){.threads = 2}, &dv, NULL);
    if (!p->status)
        p->status = ww_module_load(dv, "api.ptx", ptx, strlen(ptx), &mv);
    if (!p->status)
        p->status = ww_alloc(dv, sizeof h, &x);
    if (!p->status)
        p->status = ww_copy_in(dv, x, h, sizeof h);
    for (int i = 0; i < 5 && !p->status; i++) {
        ww_result_free(r);
        p->status = ww_launch(dv, mv, "saxpy", &w, &r);
    }
    if (!p->status)
        p->status = ww_copy_out(dv, h, x, sizeof h);
    if (!p->status)
        p->total = *ww_result_counters(r);
    p->last = h[N - 1];
    ww_result_free(r);
    ww_device_close(dv);
    return NULL;
}

static void devices_are_independent(void **state)
{
    (void)state;
    Party party[3] = {0};
    emulator_only();
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&party[i].thread, NULL, run_party, &party[i]), 0);
    for (int i = 0; i < 3; i++)
        pthread_join(party[i].thread, NULL);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(party[i].status, WW_OK);
        assert_true(party[i].last == 999.0f * 243);
        assert_int_equal(party[i].log.n, 5 * 96);
        assert_int_equal(party[i].total.global_ld_requests, 64);
    }
}

/* ---- rounds ---- */

static int run(const char *device)
{
#define T(f) cmocka_unit_test_setup_teardown(f, open_device, close_device)
    const struct CMUnitTest tests[] = {
        T(time_is_predicted),
        T(counters_are_counted),
        T(lines_without_loc_are_the_ptx_itself),
        T(approximate_instructions_are_told),
        T(faults_become_findings),
        T(unsupported_instructions_are_told),
        T(limits_end_a_kernel),
        T(printing_is_handed_over),
        T(accesses_are_handed_over),
        T(results_outlive_their_module),
        T(devices_are_independent),
    };
#undef T
    return cmocka_run_group_tests_name(device, tests, NULL, NULL);
}

int main(void)
{
    return run_on_devices(run);
}
