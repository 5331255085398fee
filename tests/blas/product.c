/* SPDX-License-Identifier: Apache-2.0
 *
 * One random product, and whether every element of it is right.
 *
 *   shapes    1 to `most`: edges of the tiles, primes, anything; batches by stride and by address
 *   memory    operands end where their allocation ends (the emulator stops behind it); what lies between their rows is NaN, and so is C
 *             where it must not be read (beta = 0; the other triangle).  C has guard words on both sides, and its gaps must stay.
 *   values    in [-1, 1]; sometimes a few NaN and infinities; integers of 32 random bits
 *   float     |C - exact| <= (k + 3) 2^-24 (|alpha| sum |x y| + |beta c|), of the rung split k + 16 (WW_TENSOR in blas.h), exact in
 *             double; where the exact value is NaN or infinite so is C
 *   integers  bit for bit, modulo 2^32 or 2^64
 *   twice     the same call on the same C gives the same bits, the second time perhaps on a stream
 *
 * The products are computed densely in double (integers: modulo 2^64), element by element; nothing is sampled. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "tests/blas/verify.h"

enum { GUARD = 32, NAN_WORD = 0xffffffff, MAX_BATCH = 3 };

typedef struct Case {
    bool     syrk, cm, ta, tb, arrays, special;
    WwFill   fill;
    WwType   type;
    size_t   m, n, k, batch;
    size_t   ld[3], shift; /* of a, b, c; words in front */
    WwScalar alpha, beta;
} Case;

/* A stack of matrices: lines of `length` elements, ld apart, `stride` elements from one to the next; e bytes each. */
typedef struct Stack {
    size_t   lines, length, ld, stride, e, bytes, front; /* bytes: all of it, guards included */
    uint8_t *host, *before;
    WwPtr    base, at;
} Stack;

static size_t pick_size(Verify *v)
{
    static const size_t edges[] = {1,  2,  3,  4,  5,  7,   8,   9,   13,  15,  16,  17,  31,  32,  33,  47,
                                   61, 63, 64, 65, 96, 127, 128, 129, 131, 191, 193, 255, 256, 257, 299, 300};
    enum { EDGES = sizeof edges / sizeof *edges };
    size_t n = random_below(v, 3) ? edges[random_below(v, EDGES)] : 1 + random_below(v, v->most);
    return n > v->most ? 1 + n % v->most : n;
}

static Stack stack_new(Verify *v, const Case *t, size_t lines, size_t length, size_t ld, size_t e, bool guarded)
{
    Stack  s = {.lines = lines, .length = length, .ld = ld, .e = e, .front = t->shift * e + (guarded ? GUARD * 4 : 0)};
    size_t one = lines ? (lines - 1) * ld + length : 0;
    s.stride   = lines * ld + random_below(v, 3);
    s.bytes    = s.front + ((t->batch - 1) * s.stride + one) * e + (guarded && v->cuda ? GUARD * 4 : 0);
    s.host     = xmalloc(s.bytes + 8);
    s.before   = xmalloc(s.bytes + 8);
    memset(s.host, 0xff, s.bytes);
    if (ww_alloc(v->device, s.bytes ? s.bytes : 1, &s.base) != WW_OK)
        abort();
    s.at = s.base + s.front;
    return s;
}

static void stack_free(Verify *v, Stack *s)
{
    ww_free(v->device, s->base);
    free(s->host);
    free(s->before);
}

/* Element (i, j) as op reads it: `turned` when the lines run along i. */
static size_t place(const Stack *s, size_t z, size_t i, size_t j, bool turned)
{
    return s->front + (z * s->stride + (turned ? j * s->ld + i : i * s->ld + j)) * s->e;
}

static uint32_t word(const Stack *s, size_t at)
{
    uint32_t u;
    memcpy(&u, s->host + at, 4);
    return u;
}

static float real(const uint8_t *bytes, size_t at)
{
    float f;
    memcpy(&f, bytes + at, 4);
    return f;
}

static uint64_t whole(const Stack *s, const uint8_t *bytes, size_t at)
{
    uint64_t u = 0;
    memcpy(&u, bytes + at, s->e);
    return u;
}

static void stack_random(Verify *v, const Case *t, Stack *s)
{
    for (size_t z = 0; z < t->batch; z++)
        for (size_t l = 0; l < s->lines; l++)
            for (size_t i = 0; i < s->length; i++) {
                uint32_t bits = random_bits(v);
                float    f    = (float)(int32_t)bits * 0x1p-31f;
                uint64_t u    = (uint64_t)bits << 32 | (bits * 0x9e3779b9u);
                size_t   at   = place(s, z, l, i, false);
                memcpy(s->host + at, t->type == WW_F32 ? (void *)&f : (void *)&u, s->e);
            }
    static const float odd[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; t->special && i < 2 && s->lines && s->length; i++) {
        float f = odd[random_below(v, 3)];
        memcpy(s->host +
                   place(s, random_below(v, t->batch), random_below(v, s->lines), random_below(v, s->length), false),
               &f, 4);
    }
}

static bool stack_put(Verify *v, const Stack *s)
{
    return s->bytes == 0 || ww_copy_in(v->device, s->base, s->host, s->bytes) == WW_OK;
}

/* ---- the reference -------------------------------------------------------------------------------------------------------------- */

typedef struct Dense {           /* of one problem */
    double   *x, *y, *sum, *all; /* m x k, k x n, m x n */
    uint64_t *ix, *iy, *isum;
} Dense;

static void dense_float(Dense *d, size_t m, size_t n, size_t k)
{
    memset(d->sum, 0, m * n * sizeof *d->sum);
    memset(d->all, 0, m * n * sizeof *d->all);
    for (size_t i = 0; i < m; i++)
        for (size_t l = 0; l < k; l++) {
            double        x = d->x[i * k + l], ax = fabs(x), *sum = d->sum + i * n, *all = d->all + i * n;
            const double *y = d->y + l * n;
            for (size_t j = 0; j < n; j++) {
                sum[j] += x * y[j];
                all[j] += ax * fabs(y[j]);
            }
        }
}

static void dense_integer(Dense *d, size_t m, size_t n, size_t k)
{
    memset(d->isum, 0, m * n * sizeof *d->isum);
    for (size_t i = 0; i < m; i++)
        for (size_t l = 0; l < k; l++) {
            uint64_t        x = d->ix[i * k + l], *sum = d->isum + i * n;
            const uint64_t *y = d->iy + l * n;
            for (size_t j = 0; j < n; j++)
                sum[j] += x * y[j];
        }
}

static Dense dense_of(Arena *arena, const Case *t, const Stack *a, const Stack *b, size_t z)
{
    size_t     k         = t->type == WW_I32_I64 ? t->alpha.i64 ? t->k : 0
                           : t->type == WW_I32   ? t->alpha.i32 ? t->k : 0
                           : t->alpha.f32 != 0   ? t->k
                                                 : 0;
    bool       real_type = t->type == WW_F32;
    Dense      d         = {0};
    double   **f[]       = {&d.x, &d.y};
    uint64_t **u[]       = {&d.ix, &d.iy};
    for (int side = 0; side < 2; side++) {
        const Stack *s    = side ? b : a;
        size_t       rows = side ? k : t->m, cols = side ? t->n : k;
        *f[side] = ARENA_ARRAY(arena, double, rows *cols + 1);
        *u[side] = ARENA_ARRAY(arena, uint64_t, rows * cols + 1);
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < cols; j++) {
                size_t at = place(s, z, i, j, side ? t->tb != t->cm : t->ta != t->cm);
                if (real_type)
                    (*f[side])[i * cols + j] = (double)real(s->host, at);
                else
                    (*u[side])[i * cols + j] = (uint64_t)(int64_t)(int32_t)word(s, at);
            }
    }
    d.sum  = ARENA_ARRAY(arena, double, t->m * t->n + 1);
    d.all  = ARENA_ARRAY(arena, double, t->m * t->n + 1);
    d.isum = ARENA_ARRAY(arena, uint64_t, t->m * t->n + 1);
    if (real_type)
        dense_float(&d, t->m, t->n, k);
    else
        dense_integer(&d, t->m, t->n, k);
    return d;
}

/* Whether a result of float is within its bound. */
static bool float_fits(float got, double want, double bound, double *worst)
{
    if (isnan(want) || isinf(want))
        return isnan(want) ? isnan(got) : (double)got == want;
    double error = fabs((double)got - want) / bound;
    if (bound == 0)
        error = (double)got == want ? 0 : INFINITY;
    if (!(error <= *worst))
        *worst = error;
    return error <= 1;
}

static bool element_right(Row *r, const Case *t, const Dense *d, const Stack *c, const uint8_t *got, size_t z, size_t i,
                          size_t j, size_t beta_at)
{
    size_t at = place(c, z, i, j, t->cm), e = i * t->n + j;
    if (t->type == WW_F32) {
        double alpha = (double)t->alpha.f32, beta = (double)t->beta.f32;
        double old  = t->beta.f32 != 0 ? beta * (double)real(c->host, beta_at) : 0;
        double have = t->alpha.f32 != 0 ? alpha * d->sum[e] : 0, all = t->alpha.f32 != 0 ? fabs(alpha) * d->all[e] : 0;
        double bound = (double)(t->k + (strcmp(r->name, "split") == 0 ? 16 : 3)) * 0x1p-24 * (all + fabs(old)),
               worst = r->worst;
        bool fits    = float_fits(real(got, at), have + old, bound, &worst);
        if (fits)
            r->worst = worst;
        return fits || wrong(r, "C(%zu, %zu) of problem %zu is %.9g, not %.9g within %.3g", i, j, z,
                             (double)real(got, at), have + old, bound);
    }
    uint64_t alpha = t->type == WW_I32 ? (uint64_t)t->alpha.i32 : (uint64_t)t->alpha.i64;
    uint64_t beta  = t->type == WW_I32 ? (uint64_t)t->beta.i32 : (uint64_t)t->beta.i64;
    uint64_t want  = alpha * d->isum[e] + (beta ? beta * whole(c, c->host, beta_at) : 0);
    if (t->type == WW_I32)
        want = (uint32_t)want;
    return whole(c, got, at) == want || wrong(r, "C(%zu, %zu) of problem %zu is 0x%llx, not 0x%llx", i, j, z,
                                              (unsigned long long)whole(c, got, at), (unsigned long long)want);
}

/* Everything of C: elements against the reference, all else unchanged. */
static bool compare(Row *r, const Case *t, const Stack *a, const Stack *b, const Stack *c, const uint8_t *got)
{
    Arena   *arena   = arena_new();
    uint8_t *written = ARENA_ARRAY(arena, uint8_t, c->bytes + 1);
    bool     ok      = true;
    memset(written, 0, c->bytes);
    for (size_t z = 0; z < t->batch && ok; z++) {
        Dense d = dense_of(arena, t, a, b, z);
        for (size_t i = 0; i < t->m && ok; i++)
            for (size_t j = 0; j < t->n && ok; j++) {
                size_t at = place(c, z, i, j, t->cm), from = at, mirror = t->syrk ? place(c, z, j, i, t->cm) : at;
                if (t->syrk && t->fill != WW_FULL && (t->fill == WW_LOWER ? i < j : i > j))
                    continue;
                if (t->syrk && t->fill == WW_FULL && i < j)
                    from = mirror; /* only the lower triangle is read */
                memset(written + at, 1, c->e);
                ok = element_right(r, t, &d, c, got, z, i, j, from);
                if (ok && t->syrk && t->fill == WW_FULL && memcmp(got + at, got + mirror, c->e) != 0)
                    ok = wrong(r, "C(%zu, %zu) and C(%zu, %zu) have different bits", i, j, j, i);
                r->elements++;
            }
    }
    for (size_t i = 0; i < c->bytes && ok; i++)
        if (!written[i] && got[i] != c->host[i])
            ok = wrong(r, "byte %zu of C's memory, which is none of its elements', has changed", i);
    arena_free(arena);
    return ok;
}

/* ---- one case ------------------------------------------------------------------------------------------------------------------- */

static WwScalar pick_scalar(Verify *v, WwType type, bool alpha)
{
    static const float   floats[]   = {1, 0, -1.5f, 0.3f};
    static const int64_t integers[] = {1, 0, -3, 0x123456789abcdef};
    size_t               i          = alpha && random_below(v, 2) ? 0 : random_below(v, 4);
    if (!alpha && random_below(v, 3) == 0)
        i = 1;
    return type == WW_F32   ? (WwScalar){.f32 = floats[i]}
           : type == WW_I32 ? (WwScalar){.i32 = (int32_t)integers[i]}
                            : (WwScalar){.i64 = integers[i]};
}

static Case case_new(Verify *v, const Row *r, bool syrk)
{
    Case t    = {.syrk = syrk, .type = r->type};
    t.cm      = random_below(v, 2);
    t.ta      = random_below(v, 2);
    t.tb      = syrk ? !t.ta : random_below(v, 2);
    t.fill    = syrk ? (WwFill)random_below(v, 3) : WW_FULL;
    t.m       = pick_size(v);
    t.n       = syrk ? t.m : pick_size(v);
    t.k       = random_below(v, 16) ? pick_size(v) : 0;
    t.batch   = random_below(v, 5) ? 1 : 1 + random_below(v, MAX_BATCH);
    t.arrays  = t.batch > 1 && random_below(v, 2);
    t.shift   = random_below(v, 2) ? 0 : random_below(v, 4);
    t.special = t.type == WW_F32 && random_below(v, 6) == 0;
    t.alpha   = pick_scalar(v, t.type, true);
    t.beta    = pick_scalar(v, t.type, false);
    return t;
}

static Status call(Verify *v, const Case *t, const Stack *a, const Stack *b, const Stack *c, const char *rung)
{
    WwPtr pa[MAX_BATCH], pb[MAX_BATCH], pc[MAX_BATCH];
    for (size_t z = 0; z < t->batch; z++) {
        pa[z] = a->at + z * a->stride * a->e;
        pb[z] = b->at + z * b->stride * b->e;
        pc[z] = c->at + z * c->stride * c->e;
    }
    WwLayout layout = t->cm ? WW_COLUMN_MAJOR : WW_ROW_MAJOR;
    if (t->syrk)
        return ww_syrk(v->blas, &(WwSyrk){.type     = t->type,
                                          .layout   = layout,
                                          .fill     = t->fill,
                                          .trans    = t->ta,
                                          .n        = t->n,
                                          .k        = t->k,
                                          .alpha    = t->alpha,
                                          .beta     = t->beta,
                                          .a        = a->at,
                                          .c        = c->at,
                                          .lda      = a->ld,
                                          .ldc      = c->ld,
                                          .batch    = t->batch,
                                          .stride_a = a->stride,
                                          .stride_c = c->stride,
                                          .a_array  = t->arrays ? pa : NULL,
                                          .c_array  = t->arrays ? pc : NULL,
                                          .rung     = rung});
    return ww_gemm(v->blas, &(WwGemm){.type     = t->type,
                                      .layout   = layout,
                                      .trans_a  = t->ta,
                                      .trans_b  = t->tb,
                                      .m        = t->m,
                                      .n        = t->n,
                                      .k        = t->k,
                                      .alpha    = t->alpha,
                                      .beta     = t->beta,
                                      .a        = a->at,
                                      .b        = b->at,
                                      .c        = c->at,
                                      .lda      = a->ld,
                                      .ldb      = b->ld,
                                      .ldc      = c->ld,
                                      .batch    = t->batch,
                                      .stride_a = a->stride,
                                      .stride_b = b->stride,
                                      .stride_c = c->stride,
                                      .a_array  = t->arrays ? pa : NULL,
                                      .b_array  = t->arrays ? pb : NULL,
                                      .c_array  = t->arrays ? pc : NULL,
                                      .rung     = rung});
}

static bool run_once(Verify *v, Row *r, const Case *t, const Stack *s, const char *rung, uint8_t *got)
{
    uint64_t found = v->findings;
    Status   done  = stack_put(v, &s[2]) ? call(v, t, &s[0], &s[1], &s[2], rung) : WW_ERR_DEVICE;
    r->missing     = done == WW_ERR_UNAVAILABLE; /* this build lacks the kernel */
    if (r->missing)
        return false;
    if (done != WW_OK || (v->blas->stream && ww_stream_wait(v->blas->stream) != WW_OK) ||
        ww_copy_out(v->device, got, s[2].base, s[2].bytes) != WW_OK)
        return wrong(r, "%s", ww_device_error(v->device));
    return found == v->findings || wrong(r, "%llu findings of the checkers", (unsigned long long)(v->findings - found));
}

/* Poisons what must not be read of C: all of it with beta = 0, the triangle that is not written, the upper one of a full result. */
static void poison_result(const Case *t, const Stack *c)
{
    uint64_t zero = 0;
    bool     none = memcmp(&t->beta, &zero, t->type == WW_I32_I64 ? 8 : 4) == 0;
    for (size_t z = 0; z < t->batch; z++)
        for (size_t i = 0; i < t->m; i++)
            for (size_t j = 0; j < t->n; j++)
                if (none || (t->syrk && (t->fill == WW_UPPER ? i > j : i < j)))
                    memset(c->host + place(c, z, i, j, t->cm), 0xff, c->e);
}

static bool operand_kept(Verify *v, Row *r, const Stack *s, const char *name)
{
    memcpy(s->before, s->host, s->bytes);
    if (s->bytes && ww_copy_out(v->device, s->before, s->base, s->bytes) != WW_OK)
        return wrong(r, "%s", ww_device_error(v->device));
    return memcmp(s->before, s->host, s->bytes) == 0 || wrong(r, "%s has changed", name);
}

static bool run_case(Verify *v, Row *r, const Case *t, const char *rung)
{
    size_t e       = t->type == WW_I32_I64 ? 8 : 4;
    bool   a_lines = t->ta == t->cm, b_lines = t->tb == t->cm; /* along k; along n */
    size_t la = a_lines ? t->k : t->m, lb = b_lines ? t->n : t->k, lc = t->cm ? t->m : t->n;
    Stack  s[] = {stack_new(v, t, a_lines ? t->m : t->k, la, la + random_below(v, 9) + !la, 4, false),
                  stack_new(v, t, b_lines ? t->k : t->n, lb, lb + random_below(v, 9) + !lb, 4, false),
                  stack_new(v, t, t->cm ? t->n : t->m, lc, lc + random_below(v, 9), e, true)};
    for (int i = 0; i < 3; i++)
        stack_random(v, t, &s[i]);
    if (t->syrk) { /* one operand: the reference reads it as both */
        Stack two = s[0];
        stack_free(v, &s[1]);
        s[1] = two;
    }
    poison_result(t, &s[2]);
    uint8_t *one = xmalloc(s[2].bytes + 1), *two = xmalloc(s[2].bytes + 1);
    bool ok = (stack_put(v, &s[0]) && (t->syrk || stack_put(v, &s[1]))) || wrong(r, "%s", ww_device_error(v->device));
    ok      = ok && run_once(v, r, t, s, rung, one) && compare(r, t, &s[0], &s[1], &s[2], one) &&
         operand_kept(v, r, &s[0], "A") && (t->syrk || operand_kept(v, r, &s[1], "B"));
    if (random_below(v, 2))
        ww_blas_stream(v->blas, v->stream);
    ok = ok && run_once(v, r, t, s, rung, two) &&
         (memcmp(one, two, s[2].bytes) == 0 || wrong(r, "the second run has other bits"));
    ww_blas_stream(v->blas, NULL);
    if (!ok && !r->missing)
        wrong(r,
              "  %s %s type %d, %s, trans %d %d, fill %d, %zu x %zu x %zu, batch %zu%s, ld %zu %zu %zu, shift %zu, "
              "special %d, "
              "alpha 0x%llx, beta 0x%llx",
              r->ladder, r->name, (int)t->type, t->cm ? "columns" : "rows", t->ta, t->tb, (int)t->fill, t->m, t->n,
              t->k, t->batch, t->arrays ? " by address" : "", s[0].ld, s[1].ld, s[2].ld, t->shift, t->special,
              (unsigned long long)t->alpha.i64, (unsigned long long)t->beta.i64);
    free(one);
    free(two);
    stack_free(v, &s[0]);
    if (!t->syrk)
        stack_free(v, &s[1]);
    stack_free(v, &s[2]);
    r->cases++;
    return ok;
}

bool verify_gemm(Verify *v, Row *r, const char *rung)
{
    Case t = case_new(v, r, false);
    return run_case(v, r, &t, rung);
}

bool verify_syrk(Verify *v, Row *r, const char *rung)
{
    Case t = case_new(v, r, true);
    return run_case(v, r, &t, rung);
}
