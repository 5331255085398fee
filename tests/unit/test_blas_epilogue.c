/* SPDX-License-Identifier: Apache-2.0
 *
 * Biases and activations behind a product: every floating type, layout and rung that brings them in by a way of its own.  What is expected is
 * computed in double from the same product with float results and no end, which other tests compare with sums in double.  Ends of the results' lines,
 * beta, batches, products of no terms; what is refused. */
#include "blas_fixture.h"

static const struct Way {
    WwType      type, plain; /* plain: the same operands with float results */
    const char *rungs[6];
} ways[] = {{WW_F32, WW_F32, {NULL, "naive", "middle:4", "tensor"}},
            {WW_F16, WW_F16_F32, {"half", "half_narrow", "half_plain", "half_little:3", "half_middle:2"}},
            {WW_BF16, WW_BF16_F32, {"half", "half_160", "half_slim", "half_warp", NULL, "half_quad_128"}},
            {WW_F16_F32, WW_F16_F32, {"half", "half_warp_little", "half_plain", "half_little", "half_middle"}},
            {WW_E4M3_BF16, WW_E4M3_F32, {"eight", "eight_narrow", "eight_plain"}},
            {WW_E5M2_F32, WW_E5M2_F32, {"eight", "eight_slim", "eight_plain"}}};
enum { WAYS = sizeof ways / sizeof *ways, PAD = 0x5a };

typedef struct Shape {
    size_t m, n, k, extra, batch;
    float  alpha, beta;
    bool   rows, columns; /* biases */
} Shape;

typedef struct Bits {
    size_t bytes, each, count;
    void  *v;
    WwPtr  at;
} Bits;

static Bits bits_new(size_t count, size_t each)
{
    Bits b = {count * each, each, count, malloc(count * each + 1), 0};
    assert_works(ww_alloc(device, b.bytes + !b.bytes, &b.at));
    return b;
}

static void bits_free(Bits *b)
{
    assert_works(ww_free(device, b->at));
    free(b->v);
}

static size_t operand_bytes(WwType t)
{
    return t == WW_F32 ? 4 : t == WW_E4M3_BF16 || t == WW_E5M2_F32 ? 1 : 2;
}

static size_t result_bytes(WwType t)
{
    return t == WW_F16 || t == WW_BF16 || t == WW_E4M3_BF16 ? 2 : 4;
}

static bool brain(WwType t)
{
    return t != WW_F16 && t != WW_F16_F32;
}

/* Numbers of about one, of both signs. */
static void random_operand(Bits *b, WwType t, uint64_t *seed)
{
    for (size_t i = 0; i < b->count; i++) {
        uint32_t r = next_bits(seed), sign = r >> 31;
        float    f = (float)(r & 0xffff) / 0x1p16f + 0.25f;
        if (b->each == 4)
            ((float *)b->v)[i] = sign ? -f : f;
        else if (b->each == 2)
            ((uint16_t *)b->v)[i] =
                (uint16_t)((brain(t) ? 0x3f00 : 0x3800) + (r & (brain(t) ? 0xff : 0x7ff)) + (sign << 15));
        else
            ((uint8_t *)b->v)[i] = (uint8_t)((t == WW_E4M3_BF16 ? 0x30 : 0x38) + (r & 7) + (sign << 7));
    }
    assert_works(ww_copy_in(device, b->at, b->v, b->bytes));
}

/* Element i of results of that type. */
static double result_at(const Bits *b, WwType t, size_t i)
{
    if (b->each == 4)
        return (double)((float *)b->v)[i];
    return half_value(((uint16_t *)b->v)[i], brain(t));
}

static double activated(WwActivation a, double v)
{
    switch (a) {
    case WW_RELU: return v < 0 ? 0 : v;
    case WW_GELU: return 0.5 * v * (1 + tanh(sqrt(2 / acos(-1)) * (v + 0.044715 * v * v * v)));
    case WW_SILU: return v / (1 + exp(-v));
    case WW_NO_ACTIVATION: break;
    }
    return v;
}

/* As ww_gemm's types: a result in elements of C's type, biases too. */
static void check(const struct Way *w, const char *rung, WwLayout layout, WwActivation act, const Shape *s,
                  uint64_t *seed)
{
    bool   cm   = layout == WW_COLUMN_MAJOR;
    size_t each = operand_bytes(w->type), ldc = (cm ? s->m : s->n) + s->extra, lines = cm ? s->n : s->m,
           size = lines * ldc;
    Bits a = bits_new(s->batch * s->m * s->k, each), b = bits_new(s->k * s->n, each),
         c = bits_new(s->batch * size, result_bytes(w->type)), plain = bits_new(s->batch * size, 4),
         old = bits_new(s->batch * size, c.each), row = bits_new(s->m, c.each), col = bits_new(s->n, c.each);
    WwType of_bias = c.each == 4 ? WW_F32 : brain(w->type) ? WW_BF16 : WW_F16;
    random_operand(&a, w->type, seed);
    random_operand(&b, w->type, seed);
    random_operand(&old, of_bias, seed);
    random_operand(&row, of_bias, seed);
    random_operand(&col, of_bias, seed);
    WwGemm p = {.type      = w->plain,
                .layout    = layout,
                .trans_a   = cm,
                .trans_b   = !cm, /* both along k, where 8-bit ones go without a copy */
                .m         = s->m,
                .n         = s->n,
                .k         = s->k,
                .alpha.f32 = s->alpha,
                .a         = a.at,
                .b         = b.at,
                .c         = plain.at,
                .lda       = s->k ? s->k : 1,
                .ldb       = s->k ? s->k : 1,
                .ldc       = ldc,
                .batch     = s->batch,
                .stride_a  = s->m * s->k,
                .stride_c  = size,
                .rung      = rung};
    if (!works_if_built(ww_gemm(blas, &p)))
        goto end;
    assert_works(ww_copy_out(device, plain.v, plain.at, plain.bytes));
    memcpy(c.v, old.v, c.bytes);
    assert_works(ww_copy_in(device, c.at, c.v, c.bytes));
    p.type = w->type, p.c = c.at, p.beta.f32 = s->beta, p.activation = act;
    p.row_bias    = s->rows ? row.at : 0;
    p.column_bias = s->columns ? col.at : 0;
    assert_works(ww_gemm(blas, &p));
    assert_works(ww_copy_out(device, c.v, c.at, c.bytes));
    double unit = c.each == 4 ? 0x1p-23 : brain(w->type) ? 0x1p-8 : 0x1p-11;
    for (size_t i = 0; i < s->batch * size; i++) {
        size_t line = i % size / ldc, at = i % ldc, of_row = cm ? at : line, of_col = cm ? line : at;
        if (at >= ldc - s->extra) {
            assert_memory_equal((char *)c.v + i * c.each, (char *)old.v + i * c.each, c.each);
            continue;
        }
        double sum  = result_at(&plain, WW_F32, i),
               kept = s->beta != 0 ? (double)s->beta * result_at(&old, of_bias, i) : 0;
        double bias =
            (s->rows ? result_at(&row, of_bias, of_row) : 0) + (s->columns ? result_at(&col, of_bias, of_col) : 0);
        double want = activated(act, sum + kept + bias), got = result_at(&c, of_bias, i);
        double near = (fabs(sum) + fabs(kept) + fabs(bias)) * 0x1p-21;
        double tol  = near + unit * fabs(want) + (act > WW_RELU ? 0x1p-17 * fabs(want) : 0) + 0x1p-26;
        if (!(fabs(got - want) <= tol))
            fail_msg("type %d rung %s layout %d activation %d %zu x %zu x %zu beta %g biases %d %d: (%zu, %zu) is "
                     "%.9g, not %.9g",
                     (int)w->type, rung ? rung : "chosen", (int)layout, (int)act, s->m, s->n, s->k, (double)s->beta,
                     s->rows, s->columns, of_row, of_col, got, want);
    }
end:
    bits_free(&a), bits_free(&b), bits_free(&c), bits_free(&plain), bits_free(&old), bits_free(&row), bits_free(&col);
}

static void every_rung(void **state)
{
    static const Shape shape[] = {{136, 264, 136, 8, 1, 1, 0, true, true},
                                  {61, 67, 19, 1, 1, 0.5f, 2, true, false},
                                  {130, 200, 300, 0, 1, 1, 0.5f, false, true},
                                  {70, 90, 40, 3, 1, -1, 0, false, false}};
    uint64_t           seed    = 91;
    (void)state;
    for (size_t w = 0; w < WAYS; w++)
        for (size_t r = 0; r < 6 && (r == 0 || ways[w].rungs[r]); r++)
            for (size_t i = 0; i < 4; i++)
                check(&ways[w], ways[w].rungs[r], (w + r + i) % 2 ? WW_COLUMN_MAJOR : WW_ROW_MAJOR,
                      (WwActivation)((r + i) % 4), &shape[i], &seed);
}

/* Of each kind by the choice: all activations, large arguments among them, a batch, whose problems share the biases, and no terms. */
static void every_end(void **state)
{
    uint64_t seed = 92;
    (void)state;
    for (size_t w = 0; w < WAYS; w++)
        for (int act = 0; act < 4; act++) {
            check(&ways[w], NULL, WW_ROW_MAJOR, (WwActivation)act, &(Shape){24, 40, 32, 2, 1, 40, 0, true, true},
                  &seed);
            check(&ways[w], NULL, act & 1 ? WW_COLUMN_MAJOR : WW_ROW_MAJOR, (WwActivation)act,
                  &(Shape){20, 36, 24, 0, 3, 0.25f, 1, true, act != 2}, &seed);
            check(&ways[w], NULL, WW_ROW_MAJOR, (WwActivation)act, &(Shape){9, 11, 0, 0, 1, 1, 2, true, true}, &seed);
        }
}

/* NaN stays NaN, also of WW_RELU; infinity stays, or becomes nothing where it is negative. */
static void not_finite(void **state)
{
    static const float with[4] = {NAN, INFINITY, -INFINITY, 3};
    (void)state;
    for (int act = 1; act < 4; act++) {
        float got[4];
        Bits  bias = bits_new(4, 4), c = bits_new(4, 4);
        assert_works(ww_copy_in(device, bias.at, with, sizeof with));
        WwGemm p = {.m           = 1,
                    .n           = 4,
                    .a           = bias.at,
                    .b           = bias.at,
                    .c           = c.at,
                    .lda         = 1,
                    .ldb         = 4,
                    .ldc         = 4,
                    .column_bias = bias.at,
                    .activation  = (WwActivation)act};
        assert_works(ww_gemm(blas, &p));
        assert_works(ww_copy_out(device, got, c.at, sizeof got));
        assert_true(isnan(got[0]) && isinf(got[1]) && got[1] > 0);
        assert_true(act == WW_RELU ? got[2] == 0 : isnan(got[2]));
        assert_true(act == WW_RELU ? got[3] == 3 : got[3] > 2.8f && got[3] < 3);
        bits_free(&bias), bits_free(&c);
    }
}

static void refuse(const WwGemm *p, const char *part)
{
    if (ww_gemm(blas, p) != WW_ERR_INVALID || !strstr(ww_device_error(device), part))
        fail_msg("\"%s\" instead of \"%s\"", ww_device_error(device), part);
}

static void refused(void **state)
{
    Bits   m    = bits_new(4096, 4);
    WwGemm good = {.m         = 4,
                   .n         = 5,
                   .k         = 6,
                   .alpha.f32 = 1,
                   .a         = m.at,
                   .b         = m.at + 1024,
                   .c         = m.at + 4096,
                   .lda       = 6,
                   .ldb       = 5,
                   .ldc       = 5},
           p    = good;
    (void)state;
    assert_works(ww_fill(device, m.at, 0, m.bytes));
    assert_works(ww_gemm(blas, &p));
    p.activation = (WwActivation)4;
    refuse(&p, "activation 4 is not one of");
    p = good, p.row_bias = m.at + 2;
    refuse(&p, "row_bias = 0x");
    p = good, p.type = WW_I32, p.activation = WW_RELU;
    refuse(&p, "for floating point of up to 32 bits, not for int32");
    p = good, p.type = WW_I32_I64, p.column_bias = m.at;
    refuse(&p, "for floating point of up to 32 bits, not for int64 results");
    p = good, p.column_bias = m.at + m.bytes - 16; /* five elements */
    if (!getenv("WW_TEST_DEVICE"))
        refuse(&p, "column_bias has 1 x 5 elements");
    bits_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_rung), cmocka_unit_test(every_end),
                                       cmocka_unit_test(not_finite), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, open_blas, close_blas);
}
