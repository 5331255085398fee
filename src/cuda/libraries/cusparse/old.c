/* SPDX-License-Identifier: Apache-2.0
 *
 * The interface of old, where a matrix by rows is three pointers: what its files share; sums of two matrices (csrgeam2), the order of a row's nonzeros and
 * back (csru2csr, csr2csru), colours (csrcolor), dense by sparse vector (gemvi).
 *
 * Functions that are not told how many nonzeros there are find that in the offsets when the work runs, and the memory is checked then. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/libraries/cusparse/cusparse.h"

/* ---- shared ---- */

Sparse old_matrix(int type, int base, int64_t lines, int64_t line_columns, int64_t nonzeros, const void *values,
                  const int *offsets, const int *indices)
{
    return (Sparse){.format        = BLOCK_ROWS,
                    .offset_type   = INDEX_32,
                    .index_type    = INDEX_32,
                    .base          = base,
                    .type          = type,
                    .rows          = lines,
                    .columns       = line_columns,
                    .nonzeros      = nonzeros,
                    .offsets       = (void *)(uintptr_t)offsets,
                    .indices       = (void *)(uintptr_t)indices,
                    .values        = (void *)(uintptr_t)values,
                    .block_rows    = 1,
                    .block_columns = 1,
                    .block_order   = ORDER_ROW,
                    .batches       = 1};
}

Sparse old_blocks(Sparse m, int direction, int rows, int columns)
{
    m.rows *= rows;
    m.columns *= columns;
    m.block_rows    = rows;
    m.block_columns = columns;
    m.block_order   = direction ? ORDER_COLUMN : ORDER_ROW;
    return m;
}

static bool measured(const char *call, const void *p, size_t bytes, LibraryUse use)
{
    LibrarySpan s = {.at = p, .pitch = bytes, .width = bytes, .height = 1, .use = use};
    return !p || !bytes || ww_cuda_library_uses(call, &s);
}

bool old_measure(const char *call, Sparse *m, LibraryUse structure, LibraryUse values)
{
    if (m->nonzeros != NONZEROS_UNKNOWN)
        return true;
    int64_t last = index_at(m->offset_type, m->offsets, stored_offsets(m) - 1) - m->base;
    m->nonzeros  = last > 0 ? last : 0;
    return measured(call, m->indices, (size_t)stored_indices(m) * sizeof(int), structure) &&
           measured(call, m->values, (size_t)stored_values(m) * number_bytes(m->type), values);
}

Sp give_total(const Handle *h, LibraryWork *w, const char *call, void (*compute)(const void *), const void *args,
              size_t bytes, int *total)
{
    bool waits = total && !h->pointer;
    if (total && h->pointer)
        tell(w, total, sizeof *total, LIBRARY_WRITES);
    if (waits && !ww_cuda_library_wait(h->stream)) /* also where a graph is captured */
        return SP_EXECUTION_FAILED;
    Sp e = give(h, w, call, compute, args, bytes);
    return e || !waits || ww_cuda_library_wait(h->stream) ? e : SP_EXECUTION_FAILED;
}

/* The first nonzero of a row, inside of what there is. */
static int64_t row_begin(const Sparse *m, int64_t row)
{
    int64_t at = ((const int *)m->offsets)[row] - m->base;
    return at < 0 ? 0 : at > m->nonzeros ? m->nonzeros : at;
}

/* ---- alpha A + beta B ---- */

typedef struct Sum {
    const char *call;
    Sparse      a, b, c;
    Factor      alpha, beta;
    int        *total;
    bool        fills;
} Sum;

typedef struct Term {
    int64_t column, at;
    bool    second; /* of B */
} Term;

static int by_column(const void *x, const void *y)
{
    const Term *a = x, *b = y;
    if (a->column != b->column)
        return a->column < b->column ? -1 : 1;
    return (int)a->second - (int)b->second;
}

static size_t terms_of(const Sparse *m, int64_t row, bool second, Term *out)
{
    size_t n = 0;
    for (int64_t k = row_begin(m, row); k < row_begin(m, row + 1); k++)
        out[n++] = (Term){((const int *)m->indices)[k] - m->base, k, second};
    return n;
}

static Number term(const Sum *s, const Term *t, Number alpha, Number beta)
{
    const Sparse *m = t->second ? &s->b : &s->a;
    return number_product(t->second ? beta : alpha, number_at(m->type, m->values, t->at));
}

static void add(const void *args)
{
    Sum     s     = *(const Sum *)args;
    int64_t n     = 0;
    Number  alpha = {0, 0}, beta = {0, 0};
    Term   *terms = ww_cuda_library_memory((size_t)(s.a.nonzeros + s.b.nonzeros) * sizeof *terms);
    if (s.fills) {
        alpha = factor_of(&s.alpha, s.c.type);
        beta  = factor_of(&s.beta, s.c.type);
        if (!old_measure(s.call, &s.c, LIBRARY_HOLDS, LIBRARY_HOLDS)) {
            free(terms);
            return;
        }
    }
    for (int64_t row = 0; row < s.c.rows; row++) {
        size_t many = terms_of(&s.a, row, false, terms);
        many += terms_of(&s.b, row, true, terms + many);
        qsort(terms, many, sizeof *terms, by_column);
        if (!s.fills)
            ((int *)s.c.offsets)[row] = (int)n + s.c.base;
        for (size_t i = 0; i < many; n++) {
            int64_t column = terms[i].column;
            Number  sum    = {0, 0};
            for (; i < many && terms[i].column == column; i++)
                if (s.fills) {
                    Number t = term(&s, &terms[i], alpha, beta);
                    sum      = (Number){sum.re + t.re, sum.im + t.im};
                }
            if (s.fills && n < s.c.nonzeros) {
                ((int *)s.c.indices)[n] = (int)column + s.c.base;
                number_put(s.c.type, s.c.values, n, sum);
            }
        }
    }
    if (!s.fills)
        ((int *)s.c.offsets)[s.c.rows] = (int)n + s.c.base;
    if (s.total)
        *s.total = (int)n;
    free(terms);
    for (int i = 0; s.fills && i < 2; i++) {
        size_t bytes = (size_t)s.c.nonzeros * (i ? number_bytes(s.c.type) : sizeof(int));
        ww_cuda_library_wrote(&(LibrarySpan){
            .at = i ? s.c.values : s.c.indices, .pitch = bytes, .width = bytes, .height = 1, .use = LIBRARY_WRITES});
    }
}

/* descriptors: of A, B and C. */
static Sp sum_do(void *handle, Sum s, const void *const descriptors[3], const void *alpha, const void *beta)
{
    const Handle     *h = handle_of(handle);
    LibraryWork       w = {0};
    LibraryDescriptor d;
    Sparse           *part[] = {&s.a, &s.b, &s.c};
    if (!h)
        return SP_NOT_INITIALIZED;
    for (int i = 0; i < 3; i++) {
        bool known = i < 2;
        if (part[i]->rows < 0 || part[i]->columns < 0 || !part[i]->offsets || (known && part[i]->nonzeros < 0) ||
            (known && part[i]->nonzeros && (!part[i]->indices || (s.fills && !part[i]->values))) ||
            (s.fills && (!alpha || !beta || !s.c.indices || !s.c.values)))
            return SP_INVALID_VALUE;
        Sp e = descr_read(descriptors[i], &d);
        if (e)
            return e;
        part[i]->base = d.base;
    }
    if (s.fills) {
        take_factor(h, &w, &s.alpha, alpha, s.c.type);
        take_factor(h, &w, &s.beta, beta, s.c.type);
    }
    for (int i = 0; i < 2; i++)
        tell_sparse(&w, part[i], LIBRARY_READS, LIBRARY_READS);
    tell(&w, s.c.offsets, ((size_t)s.c.rows + 1) * sizeof(int), s.fills ? LIBRARY_READS : LIBRARY_WRITES);
    w.operations = s.fills ? 2.0 * (double)(s.a.nonzeros + s.b.nonzeros) : 0;
    return give_total(h, &w, s.call, add, &s, sizeof s, s.total);
}

Sp cusparseXcsrgeam2Nnz(void *h, int m, int n, const void *da, int nonzeros_a, const int *offsets_a,
                        const int *columns_a, const void *db, int nonzeros_b, const int *offsets_b,
                        const int *columns_b, const void *dc, int *offsets_c, int *total, void *buffer)
{
    (void)buffer;
    return sum_do(h,
                  (Sum){.call  = "cusparseXcsrgeam2Nnz",
                        .a     = old_matrix(R_64F, 0, m, n, nonzeros_a, NULL, offsets_a, columns_a),
                        .b     = old_matrix(R_64F, 0, m, n, nonzeros_b, NULL, offsets_b, columns_b),
                        .c     = old_matrix(R_64F, 0, m, n, NONZEROS_UNKNOWN, NULL, offsets_c, NULL),
                        .total = total},
                  (const void *const[]){da, db, dc}, NULL, NULL);
}

#define GEAM(L, T)                                                                                                     \
    Sp cusparse##L##csrgeam2_bufferSizeExt(void *h, int m, int n, const void *alpha, const void *da, int nonzeros_a,   \
                                           const void *va, const int *offsets_a, const int *columns_a,                 \
                                           const void *beta, const void *db, int nonzeros_b, const void *vb,           \
                                           const int *offsets_b, const int *columns_b, const void *dc, const void *vc, \
                                           const int *offsets_c, const int *columns_c, size_t *bytes)                  \
    {                                                                                                                  \
        (void)m, (void)n, (void)alpha, (void)da, (void)nonzeros_a, (void)va, (void)offsets_a, (void)columns_a;         \
        (void)beta, (void)db, (void)nonzeros_b, (void)vb, (void)offsets_b, (void)columns_b;                            \
        (void)dc, (void)vc, (void)offsets_c, (void)columns_c;                                                          \
        return space(h, bytes);                                                                                        \
    }                                                                                                                  \
    Sp cusparse##L##csrgeam2(void *h, int m, int n, const void *alpha, const void *da, int nonzeros_a, const void *va, \
                             const int *offsets_a, const int *columns_a, const void *beta, const void *db,             \
                             int nonzeros_b, const void *vb, const int *offsets_b, const int *columns_b,               \
                             const void *dc, void *vc, int *offsets_c, int *columns_c, void *buffer)                   \
    {                                                                                                                  \
        (void)buffer;                                                                                                  \
        return sum_do(h,                                                                                               \
                      (Sum){.call  = "cusparse" #L "csrgeam2",                                                         \
                            .a     = old_matrix(T, 0, m, n, nonzeros_a, va, offsets_a, columns_a),                     \
                            .b     = old_matrix(T, 0, m, n, nonzeros_b, vb, offsets_b, columns_b),                     \
                            .c     = old_matrix(T, 0, m, n, NONZEROS_UNKNOWN, vc, offsets_c, columns_c),               \
                            .fills = true},                                                                            \
                      (const void *const[]){da, db, dc}, alpha, beta);                                                 \
    }

/* ---- an order that can be undone ---- */

static const char permutations;

typedef struct Order {
    bool wanted; /* a call that makes it was given to a stream */
    int  nonzeros, *from;
} Order;

typedef struct Shuffle {
    Sparse m;
    bool   back;
    void  *info;
} Shuffle;

static Order *order_of(const void *p)
{
    return ww_cuda_library_has(&permutations, p) ? (void *)(uintptr_t)p : NULL;
}

Sp cusparseCreateCsru2csrInfo(void **out)
{
    return object_new(&permutations, out, &(Order){0}, sizeof(Order));
}

Sp cusparseDestroyCsru2csrInfo(void *p)
{
    if (order_of(p))
        free(order_of(p)->from);
    return object_drop(&permutations, p);
}

/* Where each nonzero comes from: made once, by the columns of each row; equal ones keep their order. */
static void make_order(const Sparse *m, Order *o)
{
    Term *terms = ww_cuda_library_memory((size_t)m->nonzeros * sizeof *terms);
    free(o->from);
    o->nonzeros = (int)m->nonzeros;
    o->from     = ww_cuda_library_memory((size_t)m->nonzeros * sizeof(int));
    for (int i = 0; i < o->nonzeros; i++)
        o->from[i] = i;
    for (int64_t row = 0; row < m->rows; row++) {
        int64_t first = row_begin(m, row);
        size_t  many  = terms_of(m, row, false, terms);
        /* inserted one after the other, which is stable; rows are short */
        for (size_t i = 1; i < many; i++)
            for (size_t k = i; k > 0 && terms[k - 1].column > terms[k].column; k--) {
                Term t       = terms[k];
                terms[k]     = terms[k - 1];
                terms[k - 1] = t;
            }
        for (size_t i = 0; i < many; i++)
            o->from[first + (int64_t)i] = (int)terms[i].at;
    }
    free(terms);
}

static void shuffle(const void *args)
{
    const Shuffle *s = args;
    Order         *o = order_of(s->info);
    int            n = (int)s->m.nonzeros, *columns = s->m.indices;
    if (!o)
        return;
    if (!s->back && (!o->from || o->nonzeros != n))
        make_order(&s->m, o);
    if (!o->from || o->nonzeros != n)
        return;
    size_t e      = number_bytes(s->m.type);
    char  *values = s->m.values, *was = ww_cuda_library_memory((size_t)n * e);
    int   *was_column = ww_cuda_library_memory((size_t)n * sizeof *was_column);
    memcpy(was, values, (size_t)n * e);
    memcpy(was_column, columns, (size_t)n * sizeof *was_column);
    for (int i = 0; i < n; i++) {
        int to = s->back ? o->from[i] : i, from = s->back ? i : o->from[i];
        columns[to] = was_column[from];
        memcpy(values + (size_t)to * e, was + (size_t)from * e, e);
    }
    free(was);
    free(was_column);
}

static Sp shuffle_do(void *handle, const char *call, Shuffle s, const void *descriptor)
{
    const Handle     *h = handle_of(handle);
    Order            *o = order_of(s.info);
    LibraryWork       w = {0};
    LibraryDescriptor d;
    if (!h)
        return SP_NOT_INITIALIZED;
    if (s.m.rows < 0 || s.m.columns < 0 || s.m.nonzeros < 0 || !o || (s.back && !o->wanted) || !s.m.offsets ||
        (s.m.nonzeros && (!s.m.values || !s.m.indices)))
        return SP_INVALID_VALUE;
    Sp e = descr_read(descriptor, &d);
    if (e)
        return e;
    s.m.base  = d.base;
    o->wanted = true;
    tell_sparse(&w, &s.m, LIBRARY_UPDATES, LIBRARY_UPDATES);
    w.span[0].use = LIBRARY_READS; /* the offsets stay */
    return give(h, &w, call, shuffle, &s, sizeof s);
}

#define SHUFFLE(L, T)                                                                                                  \
    Sp cusparse##L##csru2csr_bufferSizeExt(void *h, int m, int n, int nonzeros, void *values, const int *offsets,      \
                                           int *columns, void *info, size_t *bytes)                                    \
    {                                                                                                                  \
        (void)m, (void)n, (void)nonzeros, (void)values, (void)offsets, (void)columns, (void)info;                      \
        return space(h, bytes);                                                                                        \
    }                                                                                                                  \
    Sp cusparse##L##csru2csr(void *h, int m, int n, int nonzeros, const void *d, void *values, const int *offsets,     \
                             int *columns, void *info, void *buffer)                                                   \
    {                                                                                                                  \
        (void)buffer;                                                                                                  \
        return shuffle_do(h, "cusparse" #L "csru2csr",                                                                 \
                          (Shuffle){old_matrix(T, 0, m, n, nonzeros, values, offsets, columns), false, info}, d);      \
    }                                                                                                                  \
    Sp cusparse##L##csr2csru(void *h, int m, int n, int nonzeros, const void *d, void *values, const int *offsets,     \
                             int *columns, void *info, void *buffer)                                                   \
    {                                                                                                                  \
        (void)buffer;                                                                                                  \
        return shuffle_do(h, "cusparse" #L "csr2csru",                                                                 \
                          (Shuffle){old_matrix(T, 0, m, n, nonzeros, values, offsets, columns), true, info}, d);       \
    }

/* ---- colours ---- */

static const char colours;

typedef struct Colouring {
    const char *call;
    Sparse      m;
    Factor      fraction;
    int         real; /* the fraction's type */
    int        *total, *colour, *order;
} Colouring;

Sp cusparseCreateColorInfo(void **out)
{
    return object_new(&colours, out, &(char){0}, 1);
}

Sp cusparseDestroyColorInfo(void *p)
{
    return object_drop(&colours, p);
}

/* The least colour that no neighbour has; the rest of the nodes have one of their own each. */
static void colour(const void *args)
{
    const Colouring *c = args;
    int64_t          n = c->m.rows;
    int   *taken = ww_cuda_library_memory(((size_t)n + 1) * sizeof *taken), colours_ = 0; /* by node i: i + 1 */
    double part = ceil(factor_of(&c->fraction, c->real).re * (double)n);
    for (int64_t i = 0; i < n; i++)
        c->colour[i] = -1;
    for (int64_t i = 0; i < n; i++) {
        int least = 0;
        for (int64_t k = row_begin(&c->m, i); k < row_begin(&c->m, i + 1); k++) {
            int64_t j = ((const int *)c->m.indices)[k] - c->m.base;
            if (j >= 0 && j < n && j != i && c->colour[j] >= 0)
                taken[c->colour[j]] = (int)i + 1;
        }
        while ((double)i < part && least < colours_ && taken[least] == (int)i + 1)
            least++;
        c->colour[i] = (double)i < part ? least : colours_;
        colours_ += c->colour[i] == colours_;
    }
    for (int64_t i = 0, at = 0; c->order && i < colours_; i++)
        for (int64_t k = 0; k < n; k++)
            if (c->colour[k] == i)
                c->order[at++] = (int)k;
    if (c->total)
        *c->total = colours_;
    free(taken);
}

static Sp colour_do(void *handle, Colouring c, const void *descriptor, const void *fraction, const void *info)
{
    const Handle     *h = handle_of(handle);
    LibraryWork       w = {0};
    LibraryDescriptor d;
    size_t            bytes = c.m.rows > 0 ? (size_t)c.m.rows * sizeof(int) : 0;
    if (!h)
        return SP_NOT_INITIALIZED;
    if (c.m.rows < 0 || c.m.nonzeros < 0 || !c.m.offsets || (c.m.nonzeros && !c.m.indices) || !fraction || !c.total ||
        (c.m.rows && !c.colour) || !ww_cuda_library_has(&colours, info))
        return SP_INVALID_VALUE;
    Sp e = descr_read(descriptor, &d);
    if (e)
        return e;
    c.m.base = d.base;
    take_factor(h, &w, &c.fraction, fraction, c.real);
    tell_sparse(&w, &c.m, LIBRARY_READS, LIBRARY_READS);
    tell(&w, c.colour, bytes, LIBRARY_WRITES);
    if (c.order)
        tell(&w, c.order, bytes, LIBRARY_WRITES);
    return give_total(h, &w, c.call, colour, &c, sizeof c, c.total);
}

/* The values are not looked at. */
#define COLOUR(L, T, R)                                                                                                \
    Sp cusparse##L##csrcolor(void *h, int m, int nonzeros, const void *d, const void *values, const int *offsets,      \
                             const int *columns, const void *fraction, int *total, int *to, int *order, void *info)    \
    {                                                                                                                  \
        (void)values;                                                                                                  \
        return colour_do(h,                                                                                            \
                         (Colouring){.call   = "cusparse" #L "csrcolor",                                               \
                                     .m      = old_matrix(T, 0, m, m, nonzeros, NULL, offsets, columns),               \
                                     .real   = R,                                                                      \
                                     .total  = total,                                                                  \
                                     .colour = to,                                                                     \
                                     .order  = order},                                                                  \
                         d, fraction, info);                                                                           \
    }

/* ---- dense by sparse vector ---- */

typedef struct Gemvi {
    int          op;
    Dense        a, y;
    SparseVector x;
    Factor       alpha, beta;
} Gemvi;

static void gemvi(const void *args)
{
    const Gemvi *g     = args;
    int          type  = g->y.type;
    Number       alpha = factor_of(&g->alpha, type), beta = factor_of(&g->beta, type);
    for (int64_t i = 0; i < g->y.rows; i++) {
        Number sum = {0, 0};
        for (int64_t k = 0; k < g->x.nonzeros; k++) {
            int64_t at = index_at(INDEX_32, g->x.indices, k) - g->x.base;
            if (at < 0 || at >= g->x.size)
                continue;
            Number p = number_product(dense_at(&g->a, g->op, i, at), number_at(type, g->x.values, k));
            sum      = (Number){sum.re + p.re, sum.im + p.im};
        }
        dense_update(&g->y, i, 0, alpha, sum, beta);
    }
}

static Sp gemvi_do(void *handle, const char *call, int type, int op, int m, int n, const void *alpha, const void *a,
                   int lda, int nonzeros, const void *values, const int *indices, const void *beta, void *y, int base)
{
    const Handle *h    = handle_of(handle);
    LibraryWork   w    = {0};
    int64_t       rows = op == OP_N ? m : n, inner = op == OP_N ? n : m;
    if (!h)
        return SP_NOT_INITIALIZED;
    if (op < OP_N || op > OP_C || m < 0 || n < 0 || lda < (m > 1 ? m : 1) || nonzeros < 0 || base < 0 || base > 1 ||
        !alpha || !beta || (m && n && !a) || (rows && !y) || (nonzeros && (!values || !indices)))
        return SP_INVALID_VALUE;
    Gemvi g = {.op = op,
               .a  = {m, n, lda, (void *)(uintptr_t)a, type, ORDER_COLUMN, 1, 0},
               .y  = {rows, 1, rows, y, type, ORDER_COLUMN, 1, 0},
               .x  = {inner, nonzeros, (void *)(uintptr_t)indices, (void *)(uintptr_t)values, INDEX_32, base, type}};
    take_factor(h, &w, &g.alpha, alpha, type);
    take_factor(h, &w, &g.beta, beta, type);
    tell_dense(&w, &g.a, LIBRARY_HOLDS, NULL, type); /* only some of it is read */
    tell(&w, values, (size_t)nonzeros * number_bytes(type), LIBRARY_READS);
    tell(&w, indices, (size_t)nonzeros * sizeof(int), LIBRARY_READS);
    tell_dense(&w, &g.y, LIBRARY_WRITES, &g.beta, type);
    w.operations = 2.0 * (double)rows * nonzeros;
    return give(h, &w, call, gemvi, &g, sizeof g);
}

#define GEMVI(L, T)                                                                                                    \
    Sp cusparse##L##gemvi(void *h, int op, int m, int n, const void *alpha, const void *a, int lda, int nonzeros,      \
                          const void *values, const int *indices, const void *beta, void *y, int base, void *buffer)   \
    {                                                                                                                  \
        (void)buffer;                                                                                                  \
        return gemvi_do(h, "cusparse" #L "gemvi", T, op, m, n, alpha, a, lda, nonzeros, values, indices, beta, y,      \
                        base);                                                                                         \
    }                                                                                                                  \
    Sp cusparse##L##gemvi_bufferSize(void *h, int op, int m, int n, int nonzeros, int *bytes)                          \
    {                                                                                                                  \
        (void)op, (void)m, (void)n, (void)nonzeros;                                                                    \
        return space_int(h, bytes);                                                                                    \
    }

#define TYPE(L, T, R)                                                                                                  \
    GEAM(L, T)                                                                                                         \
    SHUFFLE(L, T)                                                                                                      \
    COLOUR(L, T, R)                                                                                                    \
    GEMVI(L, T)
TYPE(S, R_32F, R_32F)
TYPE(D, R_64F, R_64F)
TYPE(C, C_32F, R_32F)
TYPE(Z, C_64F, R_64F)
