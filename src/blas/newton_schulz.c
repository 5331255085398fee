/* SPDX-License-Identifier: Apache-2.0
 *
 * Newton-Schulz steps: X' = a X + (b A + c A^2) X with A = X X^T, or, where X has more rows than columns, X' = a X + X (b A + c A^2) with
 * A = X^T X, so that A is the smaller of the two.
 *
 * Three products a step: A and B = b A + c A A^T (A is symmetric to the bit) are symmetric ones at half the cost, and add what they scale as they
 * store.  A, B and every second X lie in the scratch.  A column-major matrix is the row-major one of its transpose, of which the step is the
 * transpose.
 *
 * Not done: a batch; other polynomials. */
#include <inttypes.h>

#include "blas/blas.h"

enum {
    LINE    = 64,     /* lines of what lies in the scratch begin on so many elements */
    LONGEST = 1 << 28 /* side: its squares can be counted in bytes */
};

/* Row-major. */
typedef struct Plan {
    WwType type;
    size_t m, n, side, ld, ld_side; /* side: of A */
    size_t square, other;           /* bytes of A, and of X in the scratch */
} Plan;

static size_t pitch(size_t n)
{
    return (n + LINE - 1) / LINE * LINE;
}

static Plan plan_of(const WwNewtonSchulz *p)
{
    bool turn    = p->layout == WW_COLUMN_MAJOR;
    Plan plan    = {.type = p->type, .m = turn ? p->n : p->m, .n = turn ? p->m : p->n};
    plan.side    = plan.m < plan.n ? plan.m : plan.n;
    plan.ld      = pitch(plan.n);
    plan.ld_side = pitch(plan.side);
    plan.square  = plan.side * plan.ld_side * 2;
    plan.other   = p->steps > 1 ? plan.m * plan.ld * 2 : 0;
    return plan;
}

static Status check(WwBlas *b, const WwNewtonSchulz *p)
{
    static const char who[] = "ww_newton_schulz";
    if (p->type != WW_F16 && p->type != WW_BF16)
        return device_fail(b->device, WW_ERR_INVALID, "%s: type %d is neither WW_F16 nor WW_BF16", who, (int)p->type);
    if (p->layout != WW_ROW_MAJOR && p->layout != WW_COLUMN_MAJOR)
        return device_fail(b->device, WW_ERR_INVALID, "%s: layout %d is neither WW_ROW_MAJOR nor WW_COLUMN_MAJOR", who,
                           (int)p->layout);
    if (p->m > LONGEST || p->n > LONGEST)
        return device_fail(b->device, WW_ERR_INVALID, "%s: m = %zu, n = %zu: no side is longer than %d", who, p->m,
                           p->n, LONGEST);
    size_t line = p->layout == WW_ROW_MAJOR ? p->n : p->m;
    if (p->ldx < line || p->ldy < line)
        return device_fail(b->device, WW_ERR_INVALID, "%s: ldx = %zu and ldy = %zu: a line has %zu elements", who,
                           p->ldx, p->ldy, line);
    if (p->m && p->n && (!p->x || !p->y || p->x % 2 || p->y % 2))
        return device_fail(b->device, WW_ERR_INVALID,
                           "%s: x = 0x%" PRIx64 " and y = 0x%" PRIx64 " are to be aligned to an element of 2 bytes",
                           who, p->x, p->y);
    if (p->m && p->n && p->x == p->y)
        return device_fail(b->device, WW_ERR_INVALID, "%s: y begins where x does; the result must not overlap it", who);
    return WW_OK;
}

/* c = alpha * a * a^T (turn: a^T * a) + beta * from. */
static Status symmetric(WwBlas *b, const Plan *q, WwPtr a, size_t lda, size_t k, bool turn, float alpha, float beta,
                        WwPtr from, WwPtr c)
{
    Problem p;
    WwSyrk  s = {.type      = q->type,
                 .trans     = turn,
                 .n         = q->side,
                 .k         = k,
                 .alpha.f32 = alpha,
                 .beta.f32  = beta,
                 .a         = a,
                 .c         = c,
                 .lda       = lda,
                 .ldc       = q->ld_side};
    TRY(problem_of_syrk(b, &s, true, &p));
    TRY(problem_choose(b, &p, "aat", NULL));
    p.from   = from;
    p.ldfrom = q->ld_side;
    return problem_run(b, &p);
}

/* y = a X + (the polynomial) X, checked. */
static Status last_product(WwBlas *b, const WwNewtonSchulz *n, const Plan *q, WwPtr x, size_t ldx, WwPtr y, size_t ldy,
                           Problem *p)
{
    bool   tall = q->m > q->n;
    WwPtr  poly = b->scratch + q->square;
    WwGemm g    = {.type      = q->type,
                   .m         = q->m,
                   .n         = q->n,
                   .k         = q->side,
                   .alpha.f32 = 1,
                   .beta.f32  = n->a,
                   .a         = tall ? x : poly,
                   .b         = tall ? poly : x,
                   .c         = y,
                   .lda       = tall ? ldx : q->ld_side,
                   .ldb       = tall ? q->ld_side : ldx,
                   .ldc       = ldy};
    TRY(problem_of_gemm(b, &g, true, p));
    TRY(problem_choose(b, p, "gemm", NULL));
    p->from   = x;
    p->ldfrom = ldx;
    return WW_OK;
}

static Status step(WwBlas *b, const WwNewtonSchulz *n, const Plan *q, WwPtr x, size_t ldx, WwPtr y, size_t ldy)
{
    bool    tall = q->m > q->n;
    WwPtr   a    = b->scratch;
    Problem p;
    TRY(last_product(b, n, q, x, ldx, y, ldy, &p));
    TRY(symmetric(b, q, x, ldx, tall ? q->m : q->n, tall, 1, 0, 0, a));
    TRY(symmetric(b, q, a, q->ld_side, q->side, false, n->c, n->b, a, a + q->square));
    return problem_run(b, &p);
}

WwStatus ww_newton_schulz(WwBlas *b, const WwNewtonSchulz *p)
{
    if (!b)
        return WW_ERR_INVALID;
    if (!p)
        return device_fail(b->device, WW_ERR_INVALID, "ww_newton_schulz needs a problem");
    TRY(check(b, p));
    Plan   q     = plan_of(p);
    size_t steps = p->steps ? p->steps : 1;
    if (!q.m || !q.n)
        return WW_OK;
    TRY(blas_follow(b, b->stream));
    TRY(blas_grow(b, &b->scratch, &b->scratch_bytes, 2 * q.square + q.other));
    Problem whole; /* x and y, before anything runs */
    TRY(last_product(b, p, &q, p->x, p->ldx, p->y, p->ldy, &whole));
    WwPtr  other = b->scratch + 2 * q.square, from = p->x;
    size_t ld = p->ldx;
    for (size_t left = steps; left > 0; left--) { /* the last one writes y */
        WwPtr  to   = left % 2 ? p->y : other;
        size_t next = left % 2 ? p->ldy : q.ld;
        TRY(step(b, p, &q, from, ld, to, next));
        from = to;
        ld   = next;
    }
    return WW_OK;
}
