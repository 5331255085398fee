/* SPDX-License-Identifier: Apache-2.0
 *
 * cublasLtMatmul: D = f(alpha * op(A) * op(B) + beta * C + bias), with scales of operands and result.
 *
 * The product is the BLAS routine's of the scale type, into memory of its own; the rest is done element by element through double.  An operand
 * whose type BLAS does not have is converted first, as are tiles and planes of complex numbers.  A matrix by rows is its transpose by columns.
 * 8-bit floats may have a scale for each row of op(A) and column of op(B), or for each 128 terms of one of these or of 128 of them, as a card of
 * compute capability 9.0 has.  Not here: the scales of 16 and 32 terms, which such a card has not, and triangular results.  There is one
 * algorithm, number 0, without workspace.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/libraries/cublaslt/cublaslt.h"

typedef void (*Gemm)(const char *, const char *, const int *, const int *, const int *, const void *, const void *,
                     const int *, const void *, const int *, const void *, void *, const int *);

typedef struct Job {
    Desc        desc;
    Layout      la, lb, lc, ld;
    const void *a, *b, *c, *alpha, *beta; /* alpha, beta: device memory, or NULL: the copies */
    void       *d;
    int         m, n, k;
    char        letter; /* of the routine */
    Gemm        gemm;
    _Alignas(16) unsigned char host[2][16];
} Job;

static const char call_name[] = "cublasLtMatmul";

/* cublasLtMatmulMatrixScale_t: one number; one for each line; for each 128 terms of a line; for each 128 terms of 128 lines. */
enum { SCALE_NUMBER = 0, SCALE_LINES = 3, SCALE_TERMS = 4, SCALE_SQUARES = 5, SCALE_TILE = 128 };

static void *allocate(size_t count, size_t bytes)
{
    void *p = calloc(count + 1, bytes);
    if (!p) {
        fprintf(stderr, "warpwright: %s: no memory for a matrix of %zu elements\n", call_name, count);
        abort();
    }
    return p;
}

/* ---- the product ---- */

typedef struct Operand { /* as the routine takes it */
    const void *p;
    void       *own; /* to be freed */
    int         ld;
    char        op;
} Operand;

/* The scales of op(A)'s rows or op(B)'s columns, `lines`. */
typedef struct Scales {
    const float *p; /* NULL: all 1 */
    int          mode;
    int64_t      lines, terms;
} Scales;

static Scales scales_of(const Job *j, bool b)
{
    return (Scales){b ? j->desc.scale_b : j->desc.scale_a, b ? j->desc.mode_b : j->desc.mode_a, b ? j->n : j->m, j->k};
}

static int64_t tiles_of(int64_t n)
{
    return (n + SCALE_TILE - 1) / SCALE_TILE;
}

/* As they lie in memory: those of terms line by line, those of squares term by term, rows of a multiple of four. */
static LibrarySpan scales_span(const Scales *s)
{
    int64_t     tiles = tiles_of(s->terms), all = s->mode == SCALE_LINES ? s->lines : s->lines * tiles;
    LibrarySpan out = {.at = s->p, .width = (size_t)all * sizeof *s->p, .height = 1, .use = LIBRARY_READS};
    if (s->mode == SCALE_SQUARES) {
        out.pitch  = (size_t)((tiles + 3) / 4 * 4) * sizeof *s->p;
        out.width  = (size_t)tiles * sizeof *s->p;
        out.height = (size_t)tiles_of(s->lines);
    }
    return out;
}

static double scale_at(const Scales *s, int64_t line, int64_t term)
{
    int64_t tile = term / SCALE_TILE;
    if (!s->p || s->mode == SCALE_NUMBER) /* that one is the whole product's */
        return 1;
    return (double)s->p[s->mode == SCALE_LINES   ? line
                        : s->mode == SCALE_TERMS ? tile * s->lines + line
                                                 : line / SCALE_TILE * ((tiles_of(s->terms) + 3) / 4 * 4) + tile];
}

/* rows x columns: of op(matrix), whose lines are rows where `b` is not. */
static Operand operand(const Job *j, const Layout *l, const void *p, int op, int rows, int columns, bool b)
{
    const Scales scales  = scales_of(j, b);
    bool         by_rows = l->order == ORDER_ROW;
    if (number_letter((int)l->type) == j->letter && l->order <= ORDER_ROW && !l->plane &&
        !(by_rows && op == OP_C && number_is_complex((int)l->type)))
        return (Operand){p, NULL, (int)l->ld,
                         op == OP_C && number_is_complex((int)l->type) ? 'C'
                         : (op != OP_N) != by_rows                     ? 'T'
                                                                       : 'N'};
    int     type = number_type(j->letter);
    Operand o    = {
           .own = allocate((size_t)rows * (size_t)columns, number_bytes(type)), .ld = rows > 1 ? rows : 1, .op = 'N'};
    for (int64_t x = 0; x < columns; x++)
        for (int64_t y = 0; y < rows; y++) {
            Number v = op == OP_N ? layout_at(l, p, y, x) : layout_at(l, p, x, y);
            if (op == OP_C)
                v.im = -v.im;
            v.re *= scale_at(&scales, b ? x : y, b ? y : x);
            number_put(type, o.own, x * rows + y, v);
        }
    o.p = o.own;
    return o;
}

/* m x n by columns; to be freed. */
static void *multiply(const Job *j, const void *a, const void *b)
{
    static const double one[2] = {1, 0}, none[2] = {0, 0};
    static const float  onef[2] = {1, 0};
    bool                wide    = j->letter == 'd' || j->letter == 'z';
    Operand             x       = operand(j, &j->la, a, j->desc.ta, j->m, j->k, false),
            y                   = operand(j, &j->lb, b, j->desc.tb, j->k, j->n, true);
    void *sum                   = allocate((size_t)j->m * (size_t)j->n, number_bytes(number_type(j->letter)));
    j->gemm(&x.op, &y.op, &j->m, &j->n, &j->k, wide ? (const void *)one : onef, x.p, &x.ld, y.p, &y.ld, none, sum,
            &j->m);
    free(x.own);
    free(y.own);
    return sum;
}

/* ---- what follows it ---- */

static double scale(const void *p)
{
    return p ? (double)*(const float *)p : 1;
}

static int bias_type(const Job *j)
{
    int d = (int)j->ld.type;
    return j->desc.bias_type >= 0 ? j->desc.bias_type : d == R_E4M3 || d == R_E5M2 ? R_16BF : d == R_8I ? R_32F : d;
}

static int aux_type(const Job *j)
{
    return j->desc.aux_type >= 0 ? j->desc.aux_type : (int)j->ld.type;
}

/* Gaussian error linear unit, by its usual approximation, and its derivative. */
static double gelu(double x)
{
    return 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
}

static double gelu_slope(double x)
{
    double t = tanh(0.7978845608028654 * (x + 0.044715 * x * x * x));
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * 0.7978845608028654 * (1 + 3 * 0.044715 * x * x);
}

/* The second matrix of an epilogue, by columns: bits of relu, numbers of gelu. */
typedef struct Aux {
    void *p;
    int   type; /* less than 0: bits */
} Aux;

static bool aux_bit(const Job *j, const Aux *x, int64_t row, int64_t column)
{
    int64_t at = column * j->desc.aux_ld + row;
    return ((const uint8_t *)x->p)[at / 8] >> at % 8 & 1;
}

static void aux_set(const Job *j, const Aux *x, int64_t row, int64_t column, bool bit)
{
    int64_t  at   = column * j->desc.aux_ld + row;
    uint8_t *byte = (uint8_t *)x->p + at / 8;
    *byte         = (uint8_t)((*byte & ~(1U << at % 8)) | (unsigned)bit << at % 8);
}

static double activate(const Job *j, const Aux *x, int64_t row, int64_t column, double v)
{
    uint32_t e   = j->desc.epilogue;
    double   aux = scale(j->desc.aux_scale);
    if (e & EPILOGUE_DRELU)
        return aux_bit(j, x, row, column) ? v : 0;
    if (e & EPILOGUE_DGELU)
        return v * gelu_slope(number_at(x->type, x->p, column * j->desc.aux_ld + row).re * aux);
    if (e & EPILOGUE_AUX && e & EPILOGUE_RELU)
        aux_set(j, x, row, column, v > 0);
    if (e & EPILOGUE_AUX && e & EPILOGUE_GELU)
        number_put(x->type, x->p, column * j->desc.aux_ld + row, (Number){v * aux, 0});
    return e & EPILOGUE_RELU ? v > 0 ? v : v != v ? v : 0 : e & EPILOGUE_GELU ? gelu(v) : v;
}

typedef struct Factors {
    const void *alpha, *beta; /* NULL: zero */
    int64_t     step_alpha, step_beta;
} Factors;

static Factors factors(const Job *j)
{
    int     mode = j->desc.pointer;
    Factors f    = {j->alpha ? j->alpha : j->host[0], j->beta ? j->beta : j->host[1], mode >= POINTER_VECTORS,
                 mode == POINTER_VECTORS};
    if (mode == POINTER_VECTOR_ZERO)
        f.beta = NULL;
    return f;
}

/* Is there nothing of C in the result?  Of a vector: nobody looks. */
static bool beta_is_zero(const Job *j)
{
    Factors f = factors(j);
    Number  x = f.beta && !f.step_beta ? number_at(j->desc.scale, f.beta, 0) : (Number){f.beta != NULL, 0};
    return x.re == 0 && x.im == 0;
}

static void finish(const Job *j, const void *sum, const void *c, void *d, const void *bias, const Aux *aux)
{
    Factors f    = factors(j);
    int     type = number_type(j->letter);
    bool    add  = !beta_is_zero(j);
    double  both = j->desc.mode_a ? 1 : scale(j->desc.scale_a) * scale(j->desc.scale_b), from = scale(j->desc.scale_c),
           to = scale(j->desc.scale_d), most = 0;
    for (int64_t x = 0; x < j->n; x++)
        for (int64_t y = 0; y < j->m; y++) {
            Number v =
                number_product(number_at(j->desc.scale, f.alpha, y * f.step_alpha), number_at(type, sum, x * j->m + y));
            v.re *= both;
            v.im *= both;
            if (add) {
                Number old =
                    number_product(number_at(j->desc.scale, f.beta, y * f.step_beta), layout_at(&j->lc, c, y, x));
                v.re += old.re * from;
                v.im += old.im * from;
            }
            if (j->desc.epilogue & EPILOGUE_BIAS) {
                Number b = number_at(bias_type(j), bias, y);
                v.re += b.re;
                v.im += b.im;
            }
            if (!number_is_complex(type))
                v.re = activate(j, aux, y, x, v.re);
            most = fmax(most, fabs(v.re));
            layout_put(&j->ld, d, y, x, (Number){v.re * to, v.im * to});
        }
    if (j->desc.most_d) {
        float *out = (float *)(uintptr_t)j->desc.most_d;
        *out       = fmaxf(*out, (float)most);
    }
}

/* Sums of a matrix's rows or columns, as the gradient of a bias. */
static void sum_up(const Job *j, const Layout *l, const void *p, bool columns, int64_t n, int64_t of, void *out)
{
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t k = 0; k < of; k++)
            sum += (columns ? layout_at(l, p, k, i) : layout_at(l, p, i, k)).re;
        number_put(bias_type(j), out, i, (Number){sum, 0});
    }
}

static void gradients(const Job *j, const void *a, const void *b, const void *d, void *bias)
{
    if (j->desc.epilogue & EPILOGUE_BGRAD)
        sum_up(j, &j->ld, d, false, j->m, j->n, bias);
    if (j->desc.epilogue & EPILOGUE_BGRADA)
        sum_up(j, &j->la, a, j->desc.ta != OP_N, j->m, j->k, bias);
    if (j->desc.epilogue & EPILOGUE_BGRADB)
        sum_up(j, &j->lb, b, j->desc.tb == OP_N, j->n, j->k, bias);
}

/* ---- memory ---- */

static unsigned spans(const Job *j, int64_t i, LibrarySpan out[LIBRARY_SPANS])
{
    unsigned n = 0, e = j->desc.epilogue;
    n += layout_spans(&j->la, layout_item(&j->la, j->a, i), LIBRARY_READS, out + n);
    n += layout_spans(&j->lb, layout_item(&j->lb, j->b, i), LIBRARY_READS, out + n);
    if (!beta_is_zero(j))
        n += layout_spans(&j->lc, layout_item(&j->lc, j->c, i), LIBRARY_READS, out + n);
    n += layout_spans(&j->ld, layout_item(&j->ld, j->d, i), LIBRARY_WRITES, out + n);
    if (e & (EPILOGUE_BIAS | EPILOGUE_BGRAD | EPILOGUE_BGRADA | EPILOGUE_BGRADB)) {
        size_t bytes = number_bytes(bias_type(j));
        out[n++]     = (LibrarySpan){.at     = (const char *)j->desc.bias + (size_t)(i * j->desc.bias_stride) * bytes,
                                     .width  = (size_t)(e & EPILOGUE_BGRADB ? j->n : j->m) * bytes,
                                     .height = 1,
                                     .use    = e & EPILOGUE_BIAS ? LIBRARY_READS : LIBRARY_WRITES};
    }
    if (e & EPILOGUE_AUX) {
        bool   bits  = e & (EPILOGUE_RELU | EPILOGUE_DRELU);
        size_t bytes = bits ? 1 : number_bytes(aux_type(j)), per = bits ? 8 : 1;
        out[n++] = (LibrarySpan){.at     = (const char *)j->desc.aux + (size_t)(i * j->desc.aux_stride) / per * bytes,
                                 .pitch  = (size_t)j->desc.aux_ld / per * bytes,
                                 .width  = ((size_t)j->m + per - 1) / per * bytes,
                                 .height = (size_t)j->n,
                                 .use    = e & (EPILOGUE_DRELU | EPILOGUE_DGELU) ? LIBRARY_READS : LIBRARY_WRITES};
    }
    return n;
}

static void compute(const void *args)
{
    const Job  *j = args;
    LibrarySpan s[LIBRARY_SPANS];
    for (int64_t i = 0; i < j->ld.count; i++) {
        unsigned    n = spans(j, i, s);
        const void *a = layout_item(&j->la, j->a, i), *b = layout_item(&j->lb, j->b, i),
                   *c = layout_item(&j->lc, j->c, i);
        void *d = (void *)(uintptr_t)layout_item(&j->ld, j->d, i), *bias = NULL;
        Aux   aux = {NULL, j->desc.epilogue & (EPILOGUE_RELU | EPILOGUE_DRELU) ? -1 : aux_type(j)};
        if (j->desc.epilogue & EPILOGUE_AUX)
            aux.p = (void *)(uintptr_t)s[n - 1].at;
        if (j->desc.bias)
            bias = (char *)(uintptr_t)j->desc.bias + (size_t)(i * j->desc.bias_stride) * number_bytes(bias_type(j));
        for (unsigned k = 0; k < n; k++)
            if (!ww_cuda_library_uses(call_name, &s[k]))
                return;
        void *sum = multiply(j, a, b);
        finish(j, sum, c, d, bias, &aux);
        gradients(j, a, b, d, bias);
        free(sum);
        for (unsigned k = 0; k < n; k++)
            ww_cuda_library_wrote(&s[k]);
    }
}

/* ---- what is asked for ---- */

/* Compute types: cublasComputeType_t has them from 64 on. */
static char routine_letter(const Job *j)
{
    switch (j->desc.scale) {
    case R_32F:
    case R_16F:
    case R_16BF: return 's';
    case C_32F: return 'c';
    case C_64F: return 'z';
    case R_64F:
    case R_32I: return 'd';
    default: return 0;
    }
}

static bool is_tiny(int type)
{
    return type == R_E4M3 || type == R_E5M2;
}

/* As documented for compute capability 9.0: of 8-bit floats whose terms follow each other, and not both of squares. */
static bool scales_fit(const Job *j)
{
    const Desc *d = &j->desc;
    if (d->mode_c || d->mode_d || d->mode_aux || d->mode_out)
        return false;
    if (!d->mode_a && !d->mode_b)
        return true;
    bool lines = d->mode_a == SCALE_LINES && d->mode_b == SCALE_LINES,
         terms = (d->mode_a == SCALE_TERMS && (d->mode_b == SCALE_TERMS || d->mode_b == SCALE_SQUARES)) ||
                 (d->mode_a == SCALE_SQUARES && d->mode_b == SCALE_TERMS);
    return (lines || terms) && is_tiny((int)j->la.type) && is_tiny((int)j->lb.type) && !is_tiny((int)j->ld.type) &&
           d->ta == OP_T && d->tb == OP_N && j->la.order == ORDER_COLUMN && j->lb.order == ORDER_COLUMN &&
           j->letter == 's' && j->ld.count == 1;
}

static Lt check_epilogue(const Job *j)
{
    uint32_t e = j->desc.epilogue, needs_bias = EPILOGUE_BIAS | EPILOGUE_BGRAD | EPILOGUE_BGRADA | EPILOGUE_BGRADB;
    if (j->desc.fill != 2 || j->desc.tc != OP_N || j->desc.pointer < POINTER_HOST ||
        j->desc.pointer > POINTER_VECTOR_HOST)
        return LT_NOT_SUPPORTED;
    if (!scales_fit(j))
        return LT_NOT_SUPPORTED;
    if (((e & ~1U) && layout_is_complex(&j->ld) && e != EPILOGUE_BIAS) || e >= 2 * EPILOGUE_BGRADB)
        return LT_NOT_SUPPORTED;
    if ((e & needs_bias && (!j->desc.bias || !number_bytes(bias_type(j)))) || (e & EPILOGUE_AUX && !j->desc.aux))
        return LT_INVALID_VALUE;
    if (e & EPILOGUE_AUX &&
        (j->desc.aux_ld < j->m || j->desc.aux_ld % (e & (EPILOGUE_RELU | EPILOGUE_DRELU) ? 128 : 8)))
        return LT_INVALID_VALUE;
    return e & EPILOGUE_AUX && !number_bytes(aux_type(j)) ? LT_NOT_SUPPORTED : LT_SUCCESS;
}

static Lt check_shapes(const Job *j)
{
    const Layout *const all[] = {&j->la, &j->lb, &j->lc, &j->ld};
    uint64_t            m = j->ld.rows, n = j->ld.columns, k = j->desc.ta == OP_N ? j->la.columns : j->la.rows;
    bool                tiled = false;
    if (j->desc.ta < OP_N || j->desc.ta > OP_C || j->desc.tb < OP_N || j->desc.tb > OP_C)
        return LT_INVALID_VALUE;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        Lt e = layout_check(all[i]);
        if (e != LT_SUCCESS || all[i]->count != j->ld.count)
            return e != LT_SUCCESS ? e : LT_INVALID_VALUE;
        if (layout_is_complex(all[i]) != layout_is_complex(&j->ld))
            return LT_NOT_SUPPORTED;
        tiled = tiled || all[i]->order > ORDER_ROW;
    }
    /* as documented: bytes, in these orders only */
    if (tiled && (j->la.order != ORDER_COL32 || j->lb.order < ORDER_COL4_4R2_8C || j->lc.order != ORDER_COL32 ||
                  j->ld.order != ORDER_COL32 || j->la.type != R_8I || j->lb.type != R_8I || j->desc.ta != OP_N ||
                  j->desc.tb != OP_T))
        return LT_NOT_SUPPORTED;
    bool same = (j->desc.ta == OP_N ? j->la.rows : j->la.columns) == m &&
                (j->desc.tb == OP_N ? j->lb.columns : j->lb.rows) == n &&
                (j->desc.tb == OP_N ? j->lb.rows : j->lb.columns) == k && j->lc.rows == m && j->lc.columns == n;
    return same ? LT_SUCCESS : LT_INVALID_VALUE;
}

/* Sizes, routine and copies from what a call was given; what is wrong with it. */
static Lt prepare(Job *j, const void *desc, const void *la, const void *lb, const void *lc, const void *ld)
{
    if (!desc_of(desc) || !layout_of(la) || !layout_of(lb) || !layout_of(lc) || !layout_of(ld))
        return LT_INVALID_VALUE;
    *j = (Job){
        .desc = *desc_of(desc), .la = *layout_of(la), .lb = *layout_of(lb), .lc = *layout_of(lc), .ld = *layout_of(ld)};
    Lt e = check_shapes(j);
    if (e != LT_SUCCESS)
        return e;
    j->m      = (int)j->ld.rows;
    j->n      = (int)j->ld.columns;
    j->k      = (int)(j->desc.ta == OP_N ? j->la.columns : j->la.rows);
    j->letter = routine_letter(j);
    if (!j->letter || layout_is_complex(&j->ld) != (j->letter == 'c' || j->letter == 'z'))
        return LT_NOT_SUPPORTED;
    e = check_epilogue(j);
    if (e == LT_NOT_SUPPORTED)
        ww_cuda_library_missing("cublasLtMatmul with such an epilogue or scale");
    return e;
}

/* alpha and beta: copied, or left in device memory, which is told. */
static void take_factors(Job *j, const void *alpha, const void *beta, LibraryWork *w)
{
    const void *given[] = {alpha, beta};
    size_t      bytes   = number_bytes(j->desc.scale);
    for (int i = 0; i < 2; i++) {
        bool device = i ? j->desc.pointer == POINTER_DEVICE || j->desc.pointer == POINTER_VECTORS
                        : j->desc.pointer != POINTER_HOST;
        if (i && j->desc.pointer == POINTER_VECTOR_ZERO)
            continue;
        if (!device) {
            memcpy(j->host[i], given[i], bytes);
            continue;
        }
        *(i ? &j->beta : &j->alpha) = given[i];
        bool vector                 = i ? j->desc.pointer == POINTER_VECTORS : j->desc.pointer >= POINTER_VECTORS;
        w->span[w->nspans++]        = (LibrarySpan){
                   .at = given[i], .width = bytes * (vector ? (size_t)j->m : 1), .height = 1, .use = LIBRARY_READS};
    }
}

static void tell_number(LibraryWork *w, const void *at, LibraryUse use)
{
    if (at && w->nspans < LIBRARY_SPANS)
        w->span[w->nspans++] = (LibrarySpan){.at = at, .width = sizeof(float), .height = 1, .use = use};
}

Lt cublasLtMatmul(void *handle, const void *desc, const void *alpha, const void *a, const void *la, const void *b,
                  const void *lb, const void *beta, const void *c, const void *lc, void *d, const void *ld,
                  const void *algorithm, void *workspace, size_t workspace_bytes, void *stream)
{
    Job j;
    (void)algorithm, (void)workspace, (void)workspace_bytes;
    if (!is_handle(handle))
        return LT_NOT_INITIALIZED;
    Lt e = prepare(&j, desc, la, lb, lc, ld);
    if (e != LT_SUCCESS)
        return e;
    if (!alpha || (!beta && j.desc.pointer != POINTER_VECTOR_ZERO) || (j.m && j.n && (!d || (j.k && (!a || !b)))))
        return LT_INVALID_VALUE;
    LibraryWork w = {.library = "cuBLASLt", .call = call_name, .compute = compute, .args = &j, .bytes = sizeof j};
    j.a           = a;
    j.b           = b;
    j.c           = c;
    j.d           = d;
    take_factors(&j, alpha, beta, &w);
    if (!c && j.desc.pointer == POINTER_HOST && !beta_is_zero(&j))
        return LT_INVALID_VALUE;
    for (int i = 0; i < 2; i++) {
        Scales of = scales_of(&j, i);
        if (of.p && of.mode)
            w.span[w.nspans++] = scales_span(&of);
        else
            tell_number(&w, of.p, LIBRARY_READS);
    }
    tell_number(&w, j.desc.scale_c, LIBRARY_READS);
    tell_number(&w, j.desc.scale_d, LIBRARY_READS);
    tell_number(&w, j.desc.most_d, LIBRARY_UPDATES);
    if (!j.m || !j.n)
        return LT_SUCCESS;
    char name[] = {j.letter, 'g', 'e', 'm', 'm', '_', 0};
    j.gemm      = (Gemm)host_routine(name);
    if (!j.gemm)
        return LT_NOT_SUPPORTED;
    w.by         = host_file();
    w.operations = (j.letter == 'c' || j.letter == 'z' ? 8.0 : 2.0) * j.m * j.n * j.k * j.ld.count;
    return ww_cuda_library_do(stream, &w) ? LT_SUCCESS : LT_EXECUTION_FAILED;
}

/* ---- the algorithm ---- */

enum { CONFIGS = 15 };

typedef struct Algorithm {         /* cublasLtMatmulAlgo_t */
    uint32_t config[CONFIGS], pad; /* by attribute; none changes the result */
} Algorithm;

typedef struct Answer { /* cublasLtMatmulHeuristicResult_t */
    Algorithm algorithm;
    size_t    workspace;
    int       state;
    float     waves;
    int       reserved[4];
} Answer;

Lt cublasLtMatmulAlgoGetHeuristic(void *handle, const void *desc, const void *la, const void *lb, const void *lc,
                                  const void *ld, const void *preference, int asked, Answer *answers, int *got)
{
    Job j;
    if (!is_handle(handle))
        return LT_NOT_INITIALIZED;
    if (!got || !answers || asked < 1 || !preference_of(preference))
        return LT_INVALID_VALUE;
    *got = 0;
    Lt e = prepare(&j, desc, la, lb, lc, ld);
    if (e != LT_SUCCESS)
        return e;
    answers[0] = (Answer){.waves = 1};
    *got       = 1;
    return LT_SUCCESS;
}

Lt cublasLtMatmulAlgoGetIds(void *handle, int compute_type, int scale_type, int a, int b, int c, int d, int asked,
                            int *ids, int *got)
{
    (void)compute_type, (void)scale_type, (void)a, (void)b, (void)c, (void)d;
    if (!is_handle(handle) || asked < 1 || !ids)
        return is_handle(handle) ? LT_INVALID_VALUE : LT_NOT_INITIALIZED;
    ids[0] = 0;
    if (got)
        *got = 1;
    return LT_SUCCESS;
}

Lt cublasLtMatmulAlgoInit(void *handle, int compute_type, int scale_type, int a, int b, int c, int d, int id,
                          Algorithm *out)
{
    (void)compute_type, (void)scale_type, (void)a, (void)b, (void)c, (void)d;
    if (!is_handle(handle) || !out || id < 0) /* a preset one of a card's is as good: there is one way here */
        return is_handle(handle) ? LT_INVALID_VALUE : LT_NOT_INITIALIZED;
    *out = (Algorithm){{0}, 0};
    return LT_SUCCESS;
}

Lt cublasLtMatmulAlgoCheck(void *handle, const void *desc, const void *la, const void *lb, const void *lc,
                           const void *ld, const Algorithm *algorithm, Answer *answer)
{
    Job j;
    if (!is_handle(handle) || !algorithm || !answer)
        return is_handle(handle) ? LT_INVALID_VALUE : LT_NOT_INITIALIZED;
    Lt e = prepare(&j, desc, la, lb, lc, ld);
    if (e == LT_SUCCESS)
        *answer = (Answer){.algorithm = *algorithm, .waves = 1};
    return e;
}

Lt cublasLtMatmulAlgoConfigSetAttribute(Algorithm *a, int attribute, const void *from, size_t size)
{
    if (!a || !from || attribute < 0 || attribute >= CONFIGS || !size || size > sizeof *a->config)
        return LT_INVALID_VALUE;
    memcpy(&a->config[attribute], from, size);
    return LT_SUCCESS;
}

Lt cublasLtMatmulAlgoConfigGetAttribute(const Algorithm *a, int attribute, void *to, size_t size, size_t *written)
{
    if (!a || attribute < 0 || attribute >= CONFIGS || size > sizeof *a->config || (size ? !to : !written))
        return LT_INVALID_VALUE;
    if (size)
        memcpy(to, &a->config[attribute], size);
    if (written)
        *written = size ? size : sizeof *a->config;
    return LT_SUCCESS;
}

/* Of the one algorithm: it splits and swizzles nothing, takes batches, and results that are not C. */
Lt cublasLtMatmulAlgoCapGetAttribute(const Algorithm *a, int attribute, void *to, size_t size, size_t *written)
{
    static const int32_t caps[] = {
        [3] = 1, [4] = 1, [10] = 1, [11] = 31, [12] = -1, [16] = 1, [17] = 1, [18] = 1, [19] = 1, [21] = 1};
    int32_t cap = attribute >= 0 && attribute < (int)(sizeof caps / sizeof *caps) ? caps[attribute] : 0;
    if (!a || attribute < 0 || (size ? !to : !written))
        return LT_INVALID_VALUE;
    if (written)
        *written = sizeof cap;
    if (size >= sizeof cap)
        memcpy(to, &cap, sizeof cap);
    return LT_SUCCESS;
}
