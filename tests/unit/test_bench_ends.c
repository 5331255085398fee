/* SPDX-License-Identifier: Apache-2.0
 *
 * Does `warpwright bench` see a product whose bias or activation is wrong?  Results are made here, right ones and wrong ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cli/bench/bench_ends.c"
#include "cli/bench/bench_half.c"

/* The sums are given: nothing is computed. */
WwGemm bench_gemm(const BenchWork *w, const char *rung, WwPtr a, WwPtr b, WwPtr c)
{
    (void)w, (void)rung, (void)a, (void)b, (void)c;
    fail();
    return (WwGemm){0};
}

struct BenchTruth *bench_truth(const BenchWork *w, const void *a, const void *b, uint64_t seed)
{
    (void)w, (void)a, (void)b, (void)seed;
    fail();
    return NULL;
}

bool bench_right(const struct BenchTruth *t, const BenchWork *w, const void *c, bool symmetric, double *max_error,
                 const char **problem)
{
    (void)t, (void)w, (void)c, (void)symmetric, (void)max_error, (void)problem;
    fail();
    return false;
}

void bench_truth_free(struct BenchTruth *t)
{
    assert_null(t);
}

void bench_fill(void *v, size_t n, WwType type, uint64_t seed, uint64_t stream)
{
    if (bench_small(type))
        bench_half_fill(v, n, type, seed, stream);
    else
        inputs_unit_shared(v, n, seed, stream);
}

enum { M = 37, N = 29, K = 64 };

typedef struct Made {
    BenchWork w;
    BenchData d;
} Made;

/* What a program makes of the sums that has this bias and this activation. */
static void result(Made *p, BenchBias bias, WwActivation activation)
{
    WwType type = type_row(p->w.type)->result == 4 ? WW_F32 : p->w.type == WW_F16 ? WW_F16 : WW_BF16;
    float *b = floats(p->d.bias, M > N ? M : N, type), *c = malloc(M * N * sizeof *c);
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < N; j++)
            c[i * N + j] = (float)activated(
                activation, p->d.plain[i * N + j] + (bias == BENCH_NO_BIAS ? 0 : b[bias == BENCH_ROWS ? i : j]));
    if (type == WW_F32)
        memcpy(p->d.c, c, M * N * sizeof *c);
    else
        make(p->d.c, c, M * N, type);
    free(b);
    free(c);
}

static Made made(WwType type, BenchBias bias, WwActivation activation)
{
    const TypeRow *row = type_row(type);
    Made p    = {.w = {.work = "gemm", .type = type, .m = M, .n = N, .k = K, .bias = bias, .activation = activation}};
    p.d.a     = calloc(M * K, row->operand);
    p.d.b     = calloc(K * N, row->operand);
    p.d.c     = calloc(M * N, row->result);
    p.d.bias  = calloc(M, row->result);
    p.d.plain = malloc(M * N * sizeof(float));
    bench_fill(p.d.a, M * K, type, 3, 1);
    bench_fill(p.d.b, K * N, type, 3, 2);
    bench_fill(p.d.bias, M, bias_type(type), 3, 4);
    inputs_unit_shared(p.d.plain, M * N, 3, 5);
    result(&p, bias, activation);
    return p;
}

static void drop_made(Made *p)
{
    free(p->d.a);
    free(p->d.b);
    free(p->d.c);
    free(p->d.bias);
    free(p->d.plain);
}

static bool right(Made *p)
{
    const char *problem = "";
    double      error   = -1;
    bool        is      = bench_ends_right(NULL, &p->w, &p->d, &error, &problem);
    assert_int_equal(*problem == 0, is);
    assert_true(is ? error <= 1 : !(error <= 1));
    return is;
}

static void tells(void **state)
{
    static const WwType types[] = {WW_F32, WW_F16, WW_BF16, WW_BF16_F32, WW_E4M3_BF16, WW_E5M2_F32};
    (void)state;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (BenchBias b = BENCH_NO_BIAS; b <= BENCH_COLUMNS; b++)
            for (WwActivation a = WW_NO_ACTIVATION; a <= WW_SILU; a++) {
                Made p = made(types[t], b, a);
                for (BenchBias other = BENCH_NO_BIAS; other <= BENCH_COLUMNS; other++)
                    for (WwActivation made_of = WW_NO_ACTIVATION; made_of <= WW_SILU; made_of++) {
                        result(&p, other, made_of);
                        if (right(&p) != (other == b && made_of == a))
                            fail_msg("%s: a bias %d and activation %d where %d and %d were asked for",
                                     type_row(types[t])->word, other, made_of, b, a);
                    }
                drop_made(&p);
            }
}

/* One element alone. */
static void one(void **state)
{
    (void)state;
    Made p = made(WW_BF16, BENCH_ROWS, WW_RELU);
    assert_true(right(&p));
    uint16_t nan = 0x7fff, three = 0x4040; /* 3, of a sum and a bias below 1 */
    memcpy((char *)p.d.c + 2 * (M * N - 1), &nan, 2);
    assert_false(right(&p));
    memcpy((char *)p.d.c + 2 * (M * N - 1), &three, 2);
    assert_false(right(&p));
    drop_made(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tells), cmocka_unit_test(one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
