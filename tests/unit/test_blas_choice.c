/* SPDX-License-Identifier: Apache-2.0
 *
 * The model behind the choice of a rung, its numbers (rates.def, rates_aat.def), the table of rungs and the kept times (docs/data/tune_h200.tsv.bz2,
 * tune_aat_h200.tsv.bz2) belong together: who changes a rung's tile, slice or memory, or the formula without a new fit, finds out here. */
#include "blas_fixture.h"

#include <stdio.h>

#include "blas/blas.h"

enum {
    SHARED_BYTES = 227 * 1024,
    BLOCK_BYTES  = 1024,
    MOST_THREADS = 2048
}; /* of a multiprocessor; reserved for each block */

typedef struct Row {
    const char *ladder, *rung;
    unsigned    blocks; /* a digit for each layout; 0: another row of the rung is for it */
} Row;

static const Row rows[] = {
#define RATE(rung, blocks, ...) {LADDER, #rung, 1##blocks - 10000},
#define SHARED(...)
#define LADDER "gemm"
#include "blas/rates.def"
#undef LADDER
#define LADDER "aat"
#include "blas/rates_aat.def"
#undef LADDER
#undef RATE
#undef SHARED
};

enum { ROWS = sizeof rows / sizeof *rows };

static void rates_are_of_rungs(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        const Rung *r = rung_find(rows[i].ladder, rows[i].rung);
        if (!r)
            fail_msg("the rates have times of %s %s, which is not a rung", rows[i].ladder, rows[i].rung);
        assert_true(rows[i].blocks >= 1 && rows[i].blocks <= 9999);
        for (unsigned b = rows[i].blocks; b; b /= 10)
            if (b % 10 * (r->shared + BLOCK_BYTES) > SHARED_BYTES || b % 10 * (unsigned)r->threads > MOST_THREADS)
                fail_msg("%u blocks of %s do not fit a multiprocessor", b % 10, rows[i].rung);
    }
}

static void every_layout_has_one_row(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++)
        for (unsigned layout = 1; layout <= 1000; layout *= 10) {
            unsigned found = 0;
            for (size_t j = 0; j < ROWS; j++)
                found += strcmp(rows[j].ladder, rows[i].ladder) == 0 && strcmp(rows[j].rung, rows[i].rung) == 0 &&
                         rows[j].blocks / layout % 10 != 0;
            if (found != 1)
                fail_msg("%u rows of %s are for the layout of the digit %u", found, rows[i].rung, layout);
        }
}

/* The product of a kept shape, on addresses that nobody reads. */
static Problem problem_of(bool symmetric, const size_t *size, const char *layout)
{
    enum { A = 1 << 20, B = 2 << 20, C = 3 << 20 };
    WwGemm  g = {.trans_a   = layout[0] == 'T',
                 .trans_b   = layout[1] == 'T',
                 .m         = size[0],
                 .n         = size[1],
                 .k         = size[2],
                 .alpha.f32 = 1,
                 .a         = A,
                 .b         = B,
                 .c         = C,
                 .lda       = layout[0] == 'T' ? size[0] : size[2],
                 .ldb       = layout[1] == 'T' ? size[2] : size[1],
                 .ldc       = size[1]};
    WwSyrk  s = {.trans = g.trans_a, .n = g.m, .k = g.k, .alpha = g.alpha, .a = A, .c = C, .lda = g.lda, .ldc = g.ldc};
    Problem p;
    assert_works(symmetric ? problem_of_syrk(blas, &s, false, &p) : problem_of_gemm(blas, &g, false, &p));
    return p;
}

typedef struct Fit {
    double   error, lost; /* sums: of the logarithms of predicted / measured, without sign; of taken / fastest */
    unsigned times, shapes, far;
} Fit;

/* line: of tools/tune list. */
static void judge(bool symmetric, char *line, Fit *f)
{
    size_t size[3];
    char   layout[3], name[32];
    int    at, end;
    assert_int_equal(sscanf(line, "%zu %zu %zu %2s %*f cublas %*f%n", &size[0], &size[1], &size[2], layout, &at), 4);
    Problem p     = problem_of(symmetric, size, layout);
    double  least = 0, taken = 0, fastest = 0, read;
    for (line += at; sscanf(line, "%31s %lf%n", name, &read, &end) == 2; line += end) {
        char *colon                                          = strchr(name, ':');
        p.split                                              = colon ? (unsigned)atoi(colon + 1) : 1;
        name[colon ? colon - name : (ptrdiff_t)strlen(name)] = 0;
        p.rung                                               = rung_find(symmetric ? "aat" : "gemm", name);
        double predicted = p.rung && predict_takes(p.rung, &p.args) ? predict_us(blas, &p) : 0;
        if (predicted == 0)
            continue;
        f->error += fabs(log(predicted / read));
        f->times++;
        fastest = fastest == 0 || read < fastest ? read : fastest;
        if (least == 0 || predicted < least) {
            least = predicted;
            taken = read;
        }
    }
    if (least == 0)
        return;
    f->shapes++;
    f->lost += log(taken / fastest);
    f->far += taken > 1.3 * fastest;
}

static Fit judged(bool symmetric, const char *file)
{
    Fit    f    = {0};
    char  *line = NULL;
    size_t room = 0;
    char   command[1024];
    snprintf(command, sizeof command, "%s/../../tools/tune list %s/../../docs/data/%s", WW_TEST_DATA, WW_TEST_DATA,
             file);
    FILE          *data = popen(command, "r");
    const unsigned sms  = blas->sms;
    assert_non_null(data);
    blas->sms = 132;
    while (getline(&line, &room, data) > 0)
        judge(symmetric, line, &f);
    blas->sms = sms;
    free(line);
    assert_int_equal(pclose(data), 0);
    f.error /= f.times;
    f.lost /= f.shapes;
    print_message(
        "%u times predicted to %.1f %%; %u shapes lose %.1f %% against the fastest rung, %u more than 30 %%\n", f.times,
        100 * f.error, f.shapes, 100 * expm1(f.lost), f.far);
    return f;
}

static void times_are_predicted(void **state)
{
    (void)state;
    Fit f = judged(false, "tune_h200.tsv.bz2");
    assert_true(f.shapes > 300 && f.error < 0.08 && f.lost < 0.03 && f.far * 50 < f.shapes);
}

static void symmetric_times_are_predicted(void **state)
{
    (void)state;
    Fit f = judged(true, "tune_aat_h200.tsv.bz2");
    assert_true(f.shapes > 200 && f.error < 0.08 && f.lost < 0.02 && f.far * 50 < f.shapes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rates_are_of_rungs), cmocka_unit_test(every_layout_has_one_row),
                                       cmocka_unit_test(times_are_predicted),
                                       cmocka_unit_test(symmetric_times_are_predicted)};
    return cmocka_run_group_tests(tests, open_blas, close_blas);
}
