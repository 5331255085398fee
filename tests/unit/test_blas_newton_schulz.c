/* SPDX-License-Identifier: Apache-2.0
 *
 * Newton-Schulz steps: one step against sums in double, wide and tall, both layouts and types, lines that begin anywhere; several steps against as
 * many calls of one, bit for bit; what is refused. */
#include "blas_fixture.h"

typedef struct Case {
    WwType   type;
    WwLayout layout;
    size_t   m, n, extra;
    float    a, b, c;
} Case;

typedef struct Lines {
    size_t    count, ld;
    uint16_t *v;
    WwPtr     p;
} Lines;

/* Numbers of about 2^-4, so that the powers of A A^T stay small. */
static uint16_t half_random(WwType type, uint64_t *seed)
{
    *seed      = *seed * 6364136223846793005u + 1442695040888963407u;
    unsigned r = (unsigned)(*seed >> 40);
    return type == WW_BF16 ? (uint16_t)((r & 0x807f) | (unsigned)(122 + (r >> 16 & 1)) << 7)
                           : (uint16_t)((r & 0x83ff) | (unsigned)(10 + (r >> 16 & 1)) << 10);
}

static Lines lines_new(const Case *t, uint64_t *seed)
{
    bool   cm    = t->layout == WW_COLUMN_MAJOR;
    size_t lines = cm ? t->n : t->m, length = cm ? t->m : t->n;
    Lines  l = {.ld = length + t->extra};
    l.count  = (lines - 1) * l.ld + length;
    l.v      = malloc(l.count * 2);
    for (size_t i = 0; i < l.count; i++)
        l.v[i] = half_random(t->type, seed);
    assert_works(ww_alloc(device, l.count * 2, &l.p));
    assert_works(ww_copy_in(device, l.p, l.v, l.count * 2));
    return l;
}

static void lines_free(Lines *l)
{
    free(l->v);
    assert_works(ww_free(device, l->p));
}

static double at(const Case *t, const Lines *l, size_t i, size_t j)
{
    return half_value(l->v[t->layout == WW_COLUMN_MAJOR ? j * l->ld + i : i * l->ld + j], t->type == WW_BF16);
}

static WwNewtonSchulz problem(const Case *t, const Lines *x, const Lines *y, size_t steps)
{
    return (WwNewtonSchulz){.type   = t->type,
                            .layout = t->layout,
                            .m      = t->m,
                            .n      = t->n,
                            .a      = t->a,
                            .b      = t->b,
                            .c      = t->c,
                            .steps  = steps,
                            .x      = x->p,
                            .y      = y->p,
                            .ldx    = x->ld,
                            .ldy    = y->ld};
}

/* (b A + c A^2) with A = X X^T or X^T X, and the sums of sizes; side x side. */
static void polynomial(const Case *t, const Lines *x, size_t side, double *poly, double *sizes)
{
    size_t  along = t->m <= t->n ? t->n : t->m;
    double *a = calloc(side * side, sizeof *a), *s = calloc(side * side, sizeof *s);
    for (size_t i = 0; i < side; i++)
        for (size_t j = 0; j < side; j++)
            for (size_t l = 0; l < along; l++) {
                double v = t->m <= t->n ? at(t, x, i, l) * at(t, x, j, l) : at(t, x, l, i) * at(t, x, l, j);
                a[i * side + j] += v;
                s[i * side + j] += fabs(v);
            }
    for (size_t i = 0; i < side; i++)
        for (size_t j = 0; j < side; j++) {
            double v = 0, w = 0;
            for (size_t l = 0; l < side; l++) {
                v += a[i * side + l] * a[l * side + j];
                w += s[i * side + l] * s[l * side + j];
            }
            poly[i * side + j]  = (double)t->b * a[i * side + j] + (double)t->c * v;
            sizes[i * side + j] = fabs((double)t->b) * s[i * side + j] + fabs((double)t->c) * w;
        }
    free(a);
    free(s);
}

/* Three roundings to 16 bits, and the sums': within 4 units of the last place of the sum of sizes. */
static void one_step(const Case *t, uint64_t *seed)
{
    size_t         side = t->m < t->n ? t->m : t->n;
    double         unit = t->type == WW_BF16 ? 0x1p-8 : 0x1p-11;
    double        *poly = malloc(side * side * sizeof *poly), *sizes = malloc(side * side * sizeof *sizes);
    Lines          x = lines_new(t, seed), y = lines_new(t, seed), old = y;
    WwNewtonSchulz p = problem(t, &x, &y, 0);
    old.v            = malloc(y.count * 2);
    memcpy(old.v, y.v, y.count * 2);
    assert_works(ww_newton_schulz(blas, &p));
    assert_works(ww_copy_out(device, y.v, y.p, y.count * 2));
    polynomial(t, &x, side, poly, sizes);
    for (size_t i = 0; i < t->m; i++)
        for (size_t j = 0; j < t->n; j++) {
            double want = (double)t->a * at(t, &x, i, j), size = fabs(want), got = at(t, &y, i, j);
            for (size_t l = 0; l < side; l++) {
                size_t r = t->m <= t->n ? i * side + l : l * side + j;
                double v = t->m <= t->n ? at(t, &x, l, j) : at(t, &x, i, l);
                want += poly[r] * v;
                size += sizes[r] * fabs(v);
            }
            if (!(fabs(got - want) <= 4 * unit * size))
                fail_msg("(%zu, %zu) of %zu x %zu is %.6g, not %.6g within %.3g", i, j, t->m, t->n, got, want,
                         4 * unit * size);
        }
    for (size_t i = 0; i < y.count; i++) /* between lines nothing is written */
        if (i % y.ld >= y.ld - t->extra)
            assert_int_equal(y.v[i], old.v[i]);
    free(old.v);
    free(poly);
    free(sizes);
    lines_free(&x);
    lines_free(&y);
}

static void steps_of_one(void **state)
{
    uint64_t seed = 9;
    (void)state;
    for (unsigned how = 0; how < 16; how++) {
        Case t = {how & 1 ? WW_F16 : WW_BF16,
                  how & 2 ? WW_COLUMN_MAJOR : WW_ROW_MAJOR,
                  how & 4 ? 140 : 72,
                  how & 8 ? 60 : 100,
                  how % 3 ? 0 : 3,
                  3.4445f,
                  -4.775f,
                  2.0315f};
        if (how % 5 == 0)
            t = (Case){t.type, t.layout, t.m, t.n, t.extra, 1.5f, -0.5f, 0};
        one_step(&t, &seed);
    }
    /* More than a pair of tiles on each side, whole 16 bytes a row. */
    one_step(&(Case){WW_BF16, WW_ROW_MAJOR, 288, 320, 8, 3.4445f, -4.775f, 2.0315f}, &seed);
}

static void many_steps(void **state)
{
    uint64_t seed = 4;
    (void)state;
    for (size_t steps = 2; steps <= 5; steps++) {
        Case           t = {WW_BF16, steps % 2 ? WW_COLUMN_MAJOR : WW_ROW_MAJOR, 40, 70, steps % 3, 1.5f, -0.5f, 0};
        Lines          x = lines_new(&t, &seed), y = lines_new(&t, &seed), z = lines_new(&t, &seed);
        WwNewtonSchulz p    = problem(&t, &x, &y, steps);
        uint16_t      *once = malloc(y.count * 2);
        assert_works(ww_newton_schulz(blas, &p));
        assert_works(ww_copy_out(device, y.v, y.p, y.count * 2));
        for (size_t i = 0; i < steps; i++) { /* x, y and z in turn, so that the last is not what it reads */
            p = problem(&t, i ? (i % 2 ? &z : &y) : &x, i % 2 ? &y : &z, 1);
            assert_works(ww_newton_schulz(blas, &p));
        }
        const Lines *last = steps % 2 ? &z : &y;
        assert_works(ww_copy_out(device, once, last->p, y.count * 2));
        for (size_t i = 0; i < y.count; i++)
            if (i % y.ld < y.ld - t.extra)
                assert_int_equal(once[i], y.v[i]);
        free(once);
        lines_free(&x);
        lines_free(&y);
        lines_free(&z);
    }
}

static void refuse(WwNewtonSchulz p, const char *why)
{
    assert_int_equal(ww_newton_schulz(blas, &p), WW_ERR_INVALID);
    assert_string_equal(ww_device_error(device), why);
}

static void refused(void **state)
{
    WwNewtonSchulz p = {.type = WW_BF16, .m = 4, .n = 6, .a = 1, .x = 1 << 20, .y = 2 << 20, .ldx = 6, .ldy = 6}, q;
    (void)state;
    assert_int_equal(ww_newton_schulz(NULL, &p), WW_ERR_INVALID);
    assert_int_equal(ww_newton_schulz(blas, NULL), WW_ERR_INVALID);
    q      = p;
    q.type = WW_F32;
    refuse(q, "ww_newton_schulz: type 0 is neither WW_F16 nor WW_BF16");
    q        = p;
    q.layout = (WwLayout)5;
    refuse(q, "ww_newton_schulz: layout 5 is neither WW_ROW_MAJOR nor WW_COLUMN_MAJOR");
    q     = p;
    q.ldx = 5;
    refuse(q, "ww_newton_schulz: ldx = 5 and ldy = 6: a line has 6 elements");
    q   = p;
    q.x = 1;
    refuse(q, "ww_newton_schulz: x = 0x1 and y = 0x200000 are to be aligned to an element of 2 bytes");
    q   = p;
    q.y = p.x;
    refuse(q, "ww_newton_schulz: y begins where x does; the result must not overlap it");
    if (!getenv("WW_TEST_DEVICE")) { /* the emulator knows its allocations: nothing has run when y is found too short */
        WwPtr memory;
        assert_works(ww_alloc(device, 512, &memory));
        q     = p;
        q.x   = memory;
        q.y   = memory + 512 - 32;
        q.ldx = 8;
        assert_int_equal(ww_newton_schulz(blas, &q), WW_ERR_INVALID);
        assert_non_null(strstr(ww_device_error(device), "c has 4 x 6 elements"));
        assert_works(ww_free(device, memory));
    }
    q   = p;
    q.m = SIZE_MAX;
    assert_int_equal(ww_newton_schulz(blas, &q), WW_ERR_INVALID);
    q   = p;
    q.m = 0;
    assert_works(ww_newton_schulz(blas, &q));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(steps_of_one, open_blas, close_blas),
        cmocka_unit_test_setup_teardown(many_steps, open_blas, close_blas),
        cmocka_unit_test_setup_teardown(refused, open_blas, close_blas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
