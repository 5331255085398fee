/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrices by rows of square blocks, in the interface of old: products with a vector (bsrmv; bsrxmv of the rows in a list only) and with a dense
 * matrix (bsrmm), triangular solutions (bsrsv2, bsrsm2).  They are those of the generic interface, for what has no descriptor there; which triangle
 * a solution takes, its analysis keeps in the info. */
#include <stdlib.h>

#include "cuda/libraries/cusparse/cusparse.h"

/* ---- what all of them look at ---- */

typedef struct Blocks {
    const char *call;
    int         type, direction, mb, nb, nonzeros, block;
    const void *values;
    const int  *offsets, *indices;
} Blocks;

/* good: what the caller has looked at; false gives SP_INVALID_VALUE after what is wrong with the handle. */
static Sp blocks(void *handle, const Blocks *b, const void *descriptor, bool good, Sparse *out)
{
    LibraryDescriptor d;
    if (!handle_of(handle))
        return SP_NOT_INITIALIZED;
    if (!good || b->direction < 0 || b->direction > 1 || b->mb < 0 || b->nb < 0 || b->nonzeros < 0 || b->block < 1 ||
        !b->offsets || (b->nonzeros && (!b->values || !b->indices)))
        return SP_INVALID_VALUE;
    Sp e      = descr_read(descriptor, &d);
    *out      = old_blocks(old_matrix(b->type, d.base, b->mb, b->nb, b->nonzeros, b->values, b->offsets, b->indices),
                           b->direction, b->block, b->block);
    out->fill = d.fill;
    out->diag = d.diag;
    return e;
}

/* `turned`: columns are rows of memory, one behind the other. */
static Dense dense_of_old(int type, int64_t rows, int64_t columns, int64_t ld, const void *p, bool turned)
{
    return (Dense){rows, columns, ld, (void *)(uintptr_t)p, type, turned ? ORDER_ROW : ORDER_COLUMN, 1, 0};
}

static bool fits(int64_t ld, int64_t rows, int64_t columns, bool turned)
{
    int64_t least = turned ? columns : rows;
    return ld >= (least > 1 ? least : 1);
}

/* ---- products ---- */

static Sp product(void *handle, const Blocks *b, const void *descriptor, int op, const void *alpha, const void *x,
                  const void *beta, void *y)
{
    Sparse m;
    Sp     e = blocks(handle, b, descriptor, op >= OP_N && op <= OP_C && alpha && beta && x && y, &m);
    if (e || op != OP_N) /* as documented: not transposed */
        return e ? e : SP_NOT_SUPPORTED;
    Dense from = dense_of_old(b->type, m.columns, 1, m.columns, x, false),
          to   = dense_of_old(b->type, m.rows, 1, m.rows, y, false);
    return product_do(handle_of(handle), b->call, op, OP_N, alpha, &m, &from, beta, &to, b->type);
}

typedef struct Times { /* op(B) and C of bsrmm */
    int         op, n, ldb, ldc;
    const void *b;
    void       *c;
} Times;

static Sp times(void *handle, const Blocks *b, const void *descriptor, int op, const Times *t, const void *alpha,
                const void *beta)
{
    Sparse m;
    bool   turned = t->op == OP_T;
    Sp     e      = blocks(
                 handle, b, descriptor,
                 op >= OP_N && op <= OP_C && t->op >= OP_N && t->op <= OP_C && t->n >= 0 && alpha && beta && t->b && t->c, &m);
    if (e || op != OP_N || t->op == OP_C) /* as documented */
        return e ? e : SP_NOT_SUPPORTED;
    if (!fits(t->ldb, m.columns, t->n, turned) || !fits(t->ldc, m.rows, t->n, false))
        return SP_INVALID_VALUE;
    Dense from = dense_of_old(b->type, m.columns, t->n, t->ldb, t->b, turned),
          to   = dense_of_old(b->type, m.rows, t->n, t->ldc, t->c, false);
    return product_do(handle_of(handle), b->call, op, OP_N, alpha, &m, &from, beta, &to, b->type);
}

/* ---- some rows only ---- */

typedef struct Masked {
    Sparse     m;
    int        type, rows;
    const int *mask, *ends; /* which rows of blocks; where each of all ends */
    Dense      x, y;
    Factor     alpha, beta;
} Masked;

static void masked_row(const Masked *k, int64_t row, int64_t inside, Number alpha, Number beta)
{
    const Sparse *m     = &k->m;
    int64_t       side  = m->block_rows;
    Number        sum   = {0, 0};
    int64_t       begin = ((const int *)m->offsets)[row] - m->base, end = k->ends[row] - m->base;
    for (int64_t at = begin < 0 ? 0 : begin; at < end && at < m->nonzeros; at++) {
        int64_t first = (((const int *)m->indices)[at] - m->base) * side;
        for (int64_t c = 0; c < side && first >= 0 && first < m->columns; c++) {
            int64_t place = at * side * side + (m->block_order == ORDER_ROW ? inside * side + c : c * side + inside);
            Number  p     = number_product(number_at(m->type, m->values, place), dense_at(&k->x, OP_N, first + c, 0));
            sum           = (Number){sum.re + p.re, sum.im + p.im};
        }
    }
    dense_update(&k->y, row * side + inside, 0, alpha, sum, beta);
}

static void masked(const void *args)
{
    const Masked *k     = args;
    Number        alpha = factor_of(&k->alpha, k->type), beta = factor_of(&k->beta, k->type);
    for (int i = 0; i < k->rows; i++) {
        int64_t row = k->mask[i] - k->m.base;
        for (int64_t inside = 0; row >= 0 && row < k->m.rows / k->m.block_rows && inside < k->m.block_rows; inside++)
            masked_row(k, row, inside, alpha, beta);
    }
}

static Sp masked_do(void *handle, const Blocks *b, const void *descriptor, int op, Masked k, const void *alpha,
                    const void *x, const void *beta, void *y)
{
    LibraryWork w = {0};
    Sp          e = blocks(handle, b, descriptor,
                           op >= OP_N && op <= OP_C && alpha && beta && x && y && k.rows >= 0 && k.rows <= b->mb && k.ends &&
                               (k.mask || !k.rows),
                           &k.m);
    if (e || op != OP_N || b->block == 1) /* as documented */
        return e ? e : SP_NOT_SUPPORTED;
    const Handle *h     = handle_of(handle);
    size_t        lines = (size_t)b->mb * sizeof(int);
    k.type              = b->type;
    k.x                 = dense_of_old(b->type, k.m.columns, 1, k.m.columns, x, false);
    k.y                 = dense_of_old(b->type, k.m.rows, 1, k.m.rows, y, false);
    take_factor(h, &w, &k.alpha, alpha, b->type);
    take_factor(h, &w, &k.beta, beta, b->type);
    tell(&w, k.m.offsets, lines, LIBRARY_READS); /* no end behind the last row */
    tell(&w, k.ends, lines, LIBRARY_READS);
    tell(&w, k.mask, (size_t)k.rows * sizeof(int), LIBRARY_READS);
    tell(&w, k.m.indices, (size_t)k.m.nonzeros * sizeof(int), LIBRARY_HOLDS);
    tell(&w, k.m.values, (size_t)stored_values(&k.m) * number_bytes(b->type), LIBRARY_HOLDS);
    tell_dense(&w, &k.x, LIBRARY_HOLDS, NULL, 0);
    tell_dense(&w, &k.y, LIBRARY_HOLDS, NULL, 0); /* other rows of it are not touched */
    return give(h, &w, b->call, masked, &k, sizeof k);
}

/* ---- solutions ---- */

static Sp analyse(void *handle, const Blocks *b, const void *descriptor, int op, int opx, void *info)
{
    Sparse            m;
    LibraryDescriptor d;
    Sp                e = blocks(handle, b, descriptor, op >= OP_N && op <= OP_C && opx >= OP_N && opx <= OP_C, &m);
    if (e || (e = descr_read(descriptor, &d)) || (e = triangle_keep(info, &d)))
        return e;
    return opx == OP_C ? SP_NOT_SUPPORTED
                       : solve_do(handle_of(handle), b->call, op, OP_N, NULL, &m, NULL, NULL, b->type, info);
}

typedef struct Sides { /* B and X */
    int         op, n, ldb, ldx;
    const void *b;
    void       *x;
} Sides;

static Sp solve(void *handle, const Blocks *b, const void *descriptor, int op, const Sides *s, const void *alpha,
                void *info)
{
    Sparse m;
    bool   turned = s->op == OP_T;
    Sp     e      = blocks(handle, b, descriptor,
                           op >= OP_N && op <= OP_C && s->op >= OP_N && s->op <= OP_C && s->n >= 0 && alpha && s->b && s->x, &m);
    if (e || (e = triangle_of(info, &m)))
        return e;
    if (s->op == OP_C)
        return SP_NOT_SUPPORTED;
    if (!fits(s->ldb, m.rows, s->n, turned) || !fits(s->ldx, m.rows, s->n, turned))
        return SP_INVALID_VALUE;
    Dense from = dense_of_old(b->type, m.rows, s->n, s->ldb, s->b, turned),
          to   = dense_of_old(b->type, m.rows, s->n, s->ldx, s->x, turned);
    return solve_do(handle_of(handle), b->call, op, OP_N, alpha, &m, &from, &to, b->type, info);
}

/* ---- the functions ---- */

#define MATRIX const void *values, const int *offsets, const int *indices
#define BLOCKS(name, T, columns)                                                                                       \
    &(Blocks)                                                                                                          \
    {                                                                                                                  \
        name, T, direction, mb, columns, nonzeros, block, values, offsets, indices                                     \
    }

#define PRODUCTS(L, T)                                                                                                 \
    Sp cusparse##L##bsrmv(void *h, int direction, int op, int mb, int nb, int nonzeros, const void *alpha,             \
                          const void *d, MATRIX, int block, const void *x, const void *beta, void *y)                  \
    {                                                                                                                  \
        return product(h, BLOCKS("cusparse" #L "bsrmv", T, nb), d, op, alpha, x, beta, y);                             \
    }                                                                                                                  \
    Sp cusparse##L##bsrxmv(void *h, int direction, int op, int masks, int mb, int nb, int nonzeros, const void *alpha, \
                           const void *d, const void *values, const int *mask, const int *offsets, const int *ends,    \
                           const int *indices, int block, const void *x, const void *beta, void *y)                    \
    {                                                                                                                  \
        return masked_do(h, BLOCKS("cusparse" #L "bsrxmv", T, nb), d, op,                                              \
                         (Masked){.rows = masks, .mask = mask, .ends = ends}, alpha, x, beta, y);                      \
    }                                                                                                                  \
    Sp cusparse##L##bsrmm(void *h, int direction, int op, int opb, int mb, int n, int kb, int nonzeros,                \
                          const void *alpha, const void *d, MATRIX, const int block, const void *b, const int ldb,     \
                          const void *beta, void *c, int ldc)                                                          \
    {                                                                                                                  \
        return times(h, BLOCKS("cusparse" #L "bsrmm", T, kb), d, op, &(Times){opb, n, ldb, ldc, b, c}, alpha, beta);   \
    }

#define BSRSM2_SPACE(L, suffix, SIZE, give_space)                                                                      \
    Sp cusparse##L##bsrsm2_bufferSize##suffix(void *h, int direction, int op, int opx, int mb, int n, int nonzeros,    \
                                              const void *d, MATRIX, int block, void *info, SIZE *bytes)               \
    {                                                                                                                  \
        (void)direction, (void)op, (void)opx, (void)mb, (void)n, (void)nonzeros, (void)d, (void)values;                \
        (void)offsets, (void)indices, (void)block, (void)info;                                                         \
        return give_space(h, bytes);                                                                                   \
    }

#define BSRSV2_SPACE(L, suffix, SIZE, give_space)                                                                      \
    Sp cusparse##L##bsrsv2_bufferSize##suffix(void *h, int direction, int op, int mb, int nonzeros, const void *d,     \
                                              MATRIX, int block, void *info, SIZE *bytes)                              \
    {                                                                                                                  \
        (void)direction, (void)op, (void)mb, (void)nonzeros, (void)d, (void)values, (void)offsets, (void)indices;      \
        (void)block, (void)info;                                                                                       \
        return give_space(h, bytes);                                                                                   \
    }

#define SOLUTIONS(L, T)                                                                                                \
    BSRSV2_SPACE(L, , int, space_int)                                                                                  \
    BSRSV2_SPACE(L, Ext, size_t, space)                                                                                \
    Sp cusparse##L##bsrsv2_analysis(void *h, int direction, int op, int mb, int nonzeros, const void *d, MATRIX,       \
                                    int block, void *info, int policy, void *buffer)                                   \
    {                                                                                                                  \
        (void)policy, (void)buffer;                                                                                    \
        return analyse(h, BLOCKS("cusparse" #L "bsrsv2_analysis", T, mb), d, op, OP_N, info);                          \
    }                                                                                                                  \
    Sp cusparse##L##bsrsv2_solve(void *h, int direction, int op, int mb, int nonzeros, const void *alpha,              \
                                 const void *d, MATRIX, int block, void *info, const void *f, void *x, int policy,     \
                                 void *buffer)                                                                         \
    {                                                                                                                  \
        (void)policy, (void)buffer;                                                                                    \
        int ld = block > 0 && mb > 0 ? mb * block : 1;                                                                 \
        return solve(h, BLOCKS("cusparse" #L "bsrsv2_solve", T, mb), d, op, &(Sides){OP_N, 1, ld, ld, f, x}, alpha,    \
                     info);                                                                                            \
    }                                                                                                                  \
    BSRSM2_SPACE(L, , int, space_int)                                                                                  \
    BSRSM2_SPACE(L, Ext, size_t, space)                                                                                \
    Sp cusparse##L##bsrsm2_analysis(void *h, int direction, int op, int opx, int mb, int n, int nonzeros,              \
                                    const void *d, MATRIX, int block, void *info, int policy, void *buffer)            \
    {                                                                                                                  \
        (void)policy, (void)buffer;                                                                                    \
        if (n < 0)                                                                                                     \
            return handle_of(h) ? SP_INVALID_VALUE : SP_NOT_INITIALIZED;                                               \
        return analyse(h, BLOCKS("cusparse" #L "bsrsm2_analysis", T, mb), d, op, opx, info);                           \
    }                                                                                                                  \
    Sp cusparse##L##bsrsm2_solve(void *h, int direction, int op, int opx, int mb, int n, int nonzeros,                 \
                                 const void *alpha, const void *d, MATRIX, int block, void *info, const void *b,       \
                                 int ldb, void *x, int ldx, int policy, void *buffer)                                  \
    {                                                                                                                  \
        (void)policy, (void)buffer;                                                                                    \
        return solve(h, BLOCKS("cusparse" #L "bsrsm2_solve", T, mb), d, op, &(Sides){opx, n, ldb, ldx, b, x}, alpha,   \
                     info);                                                                                            \
    }

#define TYPE(L, T)                                                                                                     \
    PRODUCTS(L, T)                                                                                                     \
    SOLUTIONS(L, T)
TYPE(S, R_32F)
TYPE(D, R_64F)
TYPE(C, C_32F)
TYPE(Z, C_64F)
