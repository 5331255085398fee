/* SPDX-License-Identifier: Apache-2.0
 *
 * Public problems, checked and turned into row-major ones.
 *
 * A column-major matrix is its transpose row by row, so C = A * B column-major is C^T = B^T * A^T row-major: the operands
 * change places.  The symmetric product needs no such change, only lower and upper change their names.
 * Refused: sizes a kernel's int cannot hold, leading dimensions below a row's length, addresses that are 0, not aligned to an
 * element or whose last element lies past the end of the address space, results of a strided batch that share an element, and a C that
 * begins where an operand of the same problem does, and on the emulator what does not lie in one allocation (a GPU would have to ask its
 * driver at each call).  Not checked: whether C overlaps an operand elsewhere.
 * As in BLAS, a product of no terms is zero whatever alpha is. */
#include <inttypes.h>

#include "base/sizes.h"
#include "blas/blas.h"

enum { MAX_SIZE = 1 << 30, MAX_BATCH = 1 << 20 };

typedef struct Matrix { /* as stored: `lines` of `length` elements, ld apart */
    const char  *name, *ld_name;
    WwPtr        at;
    const WwPtr *array;
    size_t       lines, length, ld, stride;
    size_t       element; /* bytes */
    bool         runs;    /* not only asked about: it must be allocated */
} Matrix;

static Status check_size(WwDevice *d, const char *function, const char *name, size_t v)
{
    if (v > MAX_SIZE)
        return device_fail(d, WW_ERR_INVALID, "%s: %s = %zu is more than %d", function, name, v, (int)MAX_SIZE);
    return WW_OK;
}

static Status ends_late(WwDevice *d, const char *function, const Matrix *m, size_t batch)
{
    if (batch > 1 && !m->array)
        return device_fail(d, WW_ERR_INVALID,
                           "%s: %s ends past the last address with %s = %zu and stride_%s = %zu in a batch of %zu",
                           function, m->name, m->ld_name, m->ld, m->name, m->stride, batch);
    return device_fail(d, WW_ERR_INVALID, "%s: %s ends past the last address with %s = %zu", function, m->name,
                       m->ld_name, m->ld);
}

/* Is all of it allocated? */
static Status check_allocated(WwDevice *d, const char *function, const Matrix *m, WwPtr at, uint64_t bytes)
{
    const char *why = "";
    if (!m->runs || !d->ops->holds || d->ops->holds(d, at, bytes, &why) == WW_OK)
        return WW_OK;
    return device_fail(d, WW_ERR_INVALID,
                       "%s: %s has %zu x %zu elements with %s = %zu, %" PRIu64 " bytes from 0x%" PRIx64 " on: %s",
                       function, m->name, m->lines, m->length, m->ld_name, m->ld, bytes, at, why);
}

/* last: elements up to the end of the last line, which is as long as the others. */
static Status check_address(WwDevice *d, const char *function, const Matrix *m, WwPtr at, uint64_t last, size_t batch)
{
    if (at == 0)
        return device_fail(d, WW_ERR_INVALID, "%s: %s is a null pointer", function, m->name);
    if (at % m->element)
        return device_fail(d, WW_ERR_INVALID, "%s: %s = 0x%" PRIx64 " is not aligned to the %zu bytes of an element",
                           function, m->name, at, m->element);
    uint64_t bytes, end;
    if (__builtin_mul_overflow(last, (uint64_t)m->element, &bytes) || __builtin_add_overflow(at, bytes, &end))
        return ends_late(d, function, m, batch);
    return check_allocated(d, function, m, at, bytes - (uint64_t)(m->ld - m->length) * m->element);
}

static Status check_matrix(WwDevice *d, const char *function, const Matrix *m, size_t batch)
{
    if (m->ld < m->length || m->ld == 0)
        return device_fail(d, WW_ERR_INVALID, "%s: %s = %zu is less than the %zu elements of a row or column of %s",
                           function, m->ld_name, m->ld, m->length ? m->length : 1, m->name);
    if (m->lines == 0 || m->length == 0)
        return WW_OK;
    uint64_t last, far, apart = m->array ? 0 : m->stride;
    if (__builtin_mul_overflow((uint64_t)m->lines, (uint64_t)m->ld, &last) ||
        __builtin_mul_overflow(apart, (uint64_t)(batch - 1), &far) || __builtin_add_overflow(last, far, &last))
        return ends_late(d, function, m, batch);
    if (!m->array)
        return check_address(d, function, m, m->at, last, batch);
    for (size_t i = 0; i < batch; i++)
        TRY(check_address(d, function, m, m->array[i], last, batch));
    return WW_OK;
}

/* Do two results of a strided batch share an element?  The rows of one may lie between those of another. */
static bool results_meet(const Matrix *c, size_t batch)
{
    for (size_t i = 1; i < batch && c->lines && c->length; i++) {
        uint64_t down = i * c->stride / c->ld, along = i * c->stride % c->ld;
        if (down >= c->lines)
            return false;
        if (along < c->length || (down + 1 < c->lines && c->ld - along < c->length))
            return true;
    }
    return false;
}

static Status check_result(WwDevice *d, const char *function, const Matrix *c, size_t batch)
{
    TRY(check_matrix(d, function, c, batch));
    if (!c->array && results_meet(c, batch))
        return device_fail(d, WW_ERR_INVALID, "%s: stride_c = %zu lets the results of a batch overlap", function,
                           c->stride);
    return WW_OK;
}

/* An operand that is read. */
static Status check_operand(WwDevice *d, const char *function, const Matrix *m, const Matrix *c, size_t batch)
{
    TRY(check_matrix(d, function, m, batch));
    for (size_t i = 0; m->lines && m->length && i < (c->array ? batch : 1); i++)
        if ((m->array ? m->array[i] : m->at) == (c->array ? c->array[i] : c->at))
            return device_fail(d, WW_ERR_INVALID, "%s: c begins where %s does: a result must not overlap an operand",
                               function, m->name);
    return WW_OK;
}

static Status no_type(WwDevice *d, const char *function, WwType type)
{
    return device_fail(d, WW_ERR_INVALID, "%s: type %d is not one of"
#define TYPE(name, word, entry, operand, result, scalar, kind, text) " " #name
#include "blas/types.def"
#undef TYPE
                       ,
                       function, (int)type);
}

static Status check_kinds(WwDevice *d, const char *function, WwType type, WwLayout layout, size_t batch)
{
    if (!type_row(type))
        return no_type(d, function, type);
    if (layout != WW_ROW_MAJOR && layout != WW_COLUMN_MAJOR)
        return device_fail(d, WW_ERR_INVALID, "%s: layout %d is neither WW_ROW_MAJOR nor WW_COLUMN_MAJOR", function,
                           (int)layout);
    if (batch > MAX_BATCH)
        return device_fail(d, WW_ERR_INVALID, "%s: batch = %zu is more than %d", function, batch, (int)MAX_BATCH);
    return WW_OK;
}

static uint32_t scalar_bits(WwType type, WwScalar v)
{
    TypeScalar s = type_row(type)->scalar;
    return s == SCALAR_i64   ? (uint32_t)v.i64
           : s == SCALAR_i32 ? (uint32_t)v.i32
                             : (union {
                                   float    f;
                                   uint32_t u;
                               }){v.f32}
                                   .u;
}

static uint64_t double_bits(double v)
{
    return (union {
               double   f;
               uint64_t u;
           }){v}
        .u;
}

static void set_sizes(Problem *p)
{
    p->operand = type_row(p->type)->operand;
    p->result  = type_row(p->type)->result;
}

static void set_scalars(Problem *p, WwScalar alpha, WwScalar beta, size_t k)
{
    p->args.alpha = k ? scalar_bits(p->type, alpha) : 0;
    p->args.beta  = scalar_bits(p->type, beta);
    if (type_row(p->type)->scalar == SCALAR_i64) {
        p->alpha = (uint64_t)alpha.i64;
        p->beta  = (uint64_t)beta.i64;
    }
    if (type_row(p->type)->scalar == SCALAR_f64) {
        p->alpha = double_bits(k ? alpha.f64 : 0);
        p->beta  = double_bits(beta.f64);
    }
}

/* Whether every line of the matrix, in every problem of the batch, begins on 16 bytes. */
static bool aligned(const Matrix *m, size_t batch)
{
    size_t each = 16 / m->element;
    if (m->ld % each || (batch > 1 && !m->array && m->stride % each))
        return false;
    if (!m->array)
        return m->at % 16 == 0;
    for (size_t i = 0; i < batch; i++)
        if (m->array[i] % 16)
            return false;
    return true;
}

static void set_operand(const Matrix *m, bool contiguous_in_k, unsigned long long *row_or_col, unsigned long long *k,
                        unsigned long long *batch)
{
    *row_or_col = contiguous_in_k ? m->ld : 1;
    *k          = contiguous_in_k ? 1 : m->ld;
    *batch      = m->stride;
}

static Status set_precision(WwDevice *d, const char *who, WwPrecision precision, WwPtr told, Problem *out)
{
    if (precision != WW_EXACT && precision != WW_TENSOR)
        return device_fail(d, WW_ERR_INVALID, "%s: precision %d is neither WW_EXACT nor WW_TENSOR", who,
                           (int)precision);
    if (told % sizeof(uint32_t))
        return device_fail(d, WW_ERR_INVALID, "%s: told = 0x%" PRIx64 " is not aligned to a word", who, told);
    out->precision = precision;
    out->told      = told;
    return WW_OK;
}

/* The scales of so many rows or columns of each problem of a batch. */
static Status check_scale(WwDevice *d, const char *function, const char *name, const char *length, WwPtr at, size_t n,
                          const Problem *p, bool runs)
{
    Matrix m = {name, length, at, NULL, 1, size_mul(n, p->batch), size_mul(n, p->batch), 0, sizeof(float), runs};
    if (at && type_row(p->type)->kind != TYPE_EIGHT)
        return device_fail(d, WW_ERR_INVALID, "%s: %s is for operands of 8 bits, not for %s", function, name,
                           type_row(p->type)->text);
    return at && n ? check_matrix(d, function, &m, 1) : WW_OK;
}

/* One element of C's type for each of so many rows or columns. */
static Status check_bias(WwDevice *d, const char *name, const char *length, WwPtr at, size_t n, const Problem *p,
                         bool runs)
{
    Matrix m = {name, length, at, NULL, 1, n, n, 0, p->result, runs};
    return at && n ? check_matrix(d, "ww_gemm", &m, 1) : WW_OK;
}

Status problem_of_gemm(WwBlas *b, const WwGemm *p, bool runs, Problem *out)
{
    WwDevice *d  = b->device;
    bool      cm = p->layout == WW_COLUMN_MAJOR;
    *out         = (Problem){.type = p->type, .batch = p->batch ? p->batch : 1};
    TRY(check_kinds(d, "ww_gemm", p->type, p->layout, p->batch));
    TRY(set_precision(d, "ww_gemm", p->precision, p->told, out));
    set_sizes(out);
    TRY(check_size(d, "ww_gemm", "m", p->m));
    TRY(check_size(d, "ww_gemm", "n", p->n));
    TRY(check_size(d, "ww_gemm", "k", p->k));
    set_scalars(out, p->alpha, p->beta, p->k);
    bool arrays = p->a_array || p->b_array || p->c_array;
    if (arrays && !(p->a_array && p->b_array && p->c_array))
        return device_fail(d, WW_ERR_INVALID, "ww_gemm: give all of a_array, b_array and c_array, or none");
    bool   rows_a = p->trans_a == cm, rows_b = p->trans_b == cm; /* lines run along k, along n */
    Matrix a = {"a",    "lda",       p->a,         p->a_array, rows_a ? p->m : p->k, rows_a ? p->k : p->m,
                p->lda, p->stride_a, out->operand, runs};
    Matrix e = {"b",    "ldb",       p->b,         p->b_array, rows_b ? p->k : p->n, rows_b ? p->n : p->k,
                p->ldb, p->stride_b, out->operand, runs};
    Matrix c = {"c",    "ldc",       p->c,        p->c_array, cm ? p->n : p->m, cm ? p->m : p->n,
                p->ldc, p->stride_c, out->result, runs};
    TRY(check_result(d, "ww_gemm", &c, out->batch));
    TRY(check_scale(d, "ww_gemm", "scale_a", "m", p->scale_a, p->m, out, runs));
    TRY(check_scale(d, "ww_gemm", "scale_b", "n", p->scale_b, p->n, out, runs));
    out->scale_x = cm ? p->scale_b : p->scale_a;
    out->scale_y = cm ? p->scale_a : p->scale_b;
    TRY(check_bias(d, "row_bias", "m", p->row_bias, p->m, out, runs));
    TRY(check_bias(d, "column_bias", "n", p->column_bias, p->n, out, runs));
    TRY(finish_set(d, p, out));
    bool none = type_zero(p->type, p->alpha);
    if (!none && p->m && p->n) {
        TRY(check_operand(d, "ww_gemm", &a, &c, out->batch));
        TRY(check_operand(d, "ww_gemm", &e, &c, out->batch));
    }
    const Matrix *x = cm ? &e : &a, *y = cm ? &a : &e;
    GemmArgs     *g = &out->args;
    g->x            = x->at;
    g->y            = y->at;
    g->c            = c.at;
    out->x          = x->array;
    out->y          = y->array;
    out->c          = c.array;
    set_operand(x, cm ? !rows_b : rows_a, &g->x_row, &g->x_col, &g->x_batch);
    set_operand(y, cm ? rows_a : !rows_b, &g->y_col, &g->y_row, &g->y_batch);
    g->ldc               = p->ldc;
    g->c_batch           = p->stride_c;
    g->m                 = (int)(cm ? p->n : p->m);
    g->n                 = (int)(cm ? p->m : p->n);
    g->k                 = none ? 0 : (int)p->k;
    g->vector            = aligned(x, out->batch) | aligned(y, out->batch) << 1 | aligned(&c, out->batch) << 2;
    out->workspace       = p->workspace;
    out->workspace_bytes = p->workspace_bytes;
    return WW_OK;
}

Status problem_of_syrk(WwBlas *b, const WwSyrk *p, bool runs, Problem *out)
{
    WwDevice *d  = b->device;
    bool      cm = p->layout == WW_COLUMN_MAJOR;
    *out         = (Problem){.type = p->type, .symmetric = true, .batch = p->batch ? p->batch : 1};
    TRY(check_kinds(d, "ww_syrk", p->type, p->layout, p->batch));
    TRY(set_precision(d, "ww_syrk", p->precision, p->told, out));
    set_sizes(out);
    if (p->fill != WW_FULL && p->fill != WW_LOWER && p->fill != WW_UPPER)
        return device_fail(d, WW_ERR_INVALID, "ww_syrk: fill %d is not one of WW_FULL, WW_LOWER, WW_UPPER",
                           (int)p->fill);
    TRY(check_size(d, "ww_syrk", "n", p->n));
    TRY(check_size(d, "ww_syrk", "k", p->k));
    set_scalars(out, p->alpha, p->beta, p->k);
    if (!p->a_array != !p->c_array)
        return device_fail(d, WW_ERR_INVALID, "ww_syrk: give both a_array and c_array, or neither");
    bool   along_k = p->trans == cm;
    Matrix a       = {"a",    "lda",       p->a,         p->a_array, along_k ? p->n : p->k, along_k ? p->k : p->n,
                      p->lda, p->stride_a, out->operand, runs};
    Matrix c       = {"c", "ldc", p->c, p->c_array, p->n, p->n, p->ldc, p->stride_c, out->result, runs};
    TRY(check_result(d, "ww_syrk", &c, out->batch));
    TRY(check_scale(d, "ww_syrk", "scale", "n", p->scale, p->n, out, runs));
    out->scale_x = out->scale_y = p->scale;
    bool none                   = type_zero(p->type, p->alpha);
    if (!none && p->n)
        TRY(check_operand(d, "ww_syrk", &a, &c, out->batch));
    GemmArgs *g = &out->args;
    g->x = g->y = p->a;
    g->c        = p->c;
    out->x = out->y = p->a_array;
    out->c          = p->c_array;
    set_operand(&a, along_k, &g->x_row, &g->x_col, &g->x_batch);
    set_operand(&a, along_k, &g->y_col, &g->y_row, &g->y_batch);
    g->ldc     = p->ldc;
    g->c_batch = p->stride_c;
    g->m = g->n = (int)p->n;
    g->k        = none ? 0 : (int)p->k;
    g->vector   = aligned(&a, out->batch) * 3 | aligned(&c, out->batch) << 2;
    /* The kernel's lower triangle is the caller's upper one in a column-major result; a full result is kept in the caller's
     * lower triangle, so the kernel must read its upper one then. */
    if (p->fill == WW_FULL)
        g->fill = cm ? GEMM_FILL_FULL_FROM_UPPER : GEMM_FILL_FULL;
    else
        g->fill = (p->fill == WW_LOWER) != cm ? GEMM_FILL_LOWER : GEMM_FILL_UPPER;
    out->workspace       = p->workspace;
    out->workspace_bytes = p->workspace_bytes;
    return WW_OK;
}
