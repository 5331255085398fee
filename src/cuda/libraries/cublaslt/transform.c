/* SPDX-License-Identifier: Apache-2.0
 *
 * cublasLtMatrixTransform: C = alpha * op(A) + beta * op(B), with another type or order: columns, rows, and the tiled orders of int8 products;
 * complex numbers in planes. */
#include <string.h>

#include "cuda/libraries/cublaslt/cublaslt.h"

typedef struct Job {
    Transform   how;
    Layout      la, lb, lc;
    const void *a, *b; /* NULL: there is none */
    void       *c;
    const void *alpha, *beta; /* device memory, or NULL: the copies */
    _Alignas(16) unsigned char host[2][16];
} Job;

static Number term(int scale, const void *factor, const Layout *l, const void *p, int op, int64_t row, int64_t column)
{
    if (!p)
        return (Number){0, 0};
    Number x = op == OP_N ? layout_at(l, p, row, column) : layout_at(l, p, column, row);
    if (op == OP_C)
        x.im = -x.im;
    return number_product(number_at(scale, factor, 0), x);
}

static void compute(const void *args)
{
    const Job *j = args;
    for (int64_t i = 0; i < j->lc.count; i++) {
        const void *a = j->a ? layout_item(&j->la, j->a, i) : NULL, *b = j->b ? layout_item(&j->lb, j->b, i) : NULL,
                   *c = layout_item(&j->lc, j->c, i);
        LibrarySpan s[6];
        unsigned    n = 0;
        if (a)
            n += layout_spans(&j->la, a, LIBRARY_READS, s + n);
        if (b)
            n += layout_spans(&j->lb, b, LIBRARY_READS, s + n);
        n += layout_spans(&j->lc, c, LIBRARY_WRITES, s + n);
        for (unsigned k = 0; k < n; k++)
            if (!ww_cuda_library_uses("cublasLtMatrixTransform", &s[k]))
                return;
        for (int64_t y = 0; y < (int64_t)j->lc.rows; y++)
            for (int64_t x = 0; x < (int64_t)j->lc.columns; x++) {
                Number p = term(j->how.scale, j->alpha ? j->alpha : j->host[0], &j->la, a, j->how.ta, y, x),
                       q = term(j->how.scale, j->beta ? j->beta : j->host[1], &j->lb, b, j->how.tb, y, x);
                layout_put(&j->lc, (void *)(uintptr_t)c, y, x, (Number){p.re + q.re, p.im + q.im});
            }
        for (unsigned k = 0; k < n; k++)
            if (s[k].use == LIBRARY_WRITES)
                ww_cuda_library_wrote(&s[k]);
    }
}

static bool fits(const Layout *l, const Layout *c, int op)
{
    return (op == OP_N ? l->rows : l->columns) == c->rows && (op == OP_N ? l->columns : l->rows) == c->columns &&
           l->count == c->count;
}

Lt cublasLtMatrixTransform(void *handle, const void *how, const void *alpha, const void *a, const void *la,
                           const void *beta, const void *b, const void *lb, void *c, const void *lc, void *stream)
{
    if (!is_handle(handle))
        return LT_NOT_INITIALIZED;
    if (!transform_of(how) || !layout_of(lc) || !c || !alpha || (a && !layout_of(la)) ||
        (b && (!layout_of(lb) || !beta)))
        return LT_INVALID_VALUE;
    Job j = {.how = *transform_of(how), .lc = *layout_of(lc), .a = a, .b = b, .c = c};
    if (a)
        j.la = *layout_of(la);
    if (b)
        j.lb = *layout_of(lb);
    size_t        bytes  = number_bytes(j.how.scale);
    Lt            e      = layout_check(&j.lc);
    const Layout *from[] = {a ? &j.la : &j.lc, b ? &j.lb : &j.lc};
    for (int i = 0; i < 2 && e == LT_SUCCESS; i++)
        e = layout_check(from[i]);
    if (e != LT_SUCCESS || !bytes)
        return bytes ? e : LT_NOT_SUPPORTED;
    if ((a && !fits(&j.la, &j.lc, j.how.ta)) || (b && !fits(&j.lb, &j.lc, j.how.tb)) || j.how.pointer > POINTER_DEVICE)
        return LT_INVALID_VALUE;
    Layout *const all[] = {&j.la, &j.lb, &j.lc};
    for (int i = 0; i < 3; i++) /* as cublasLt.h says of this function: of planes, strides count complex numbers */
        if (all[i]->plane)
            all[i]->stride *= 2;
    LibraryWork w       = {.library = "cuBLASLt",
                           .call    = "cublasLtMatrixTransform",
                           .by      = "warpwright",
                           .compute = compute,
                           .args    = &j,
                           .bytes   = sizeof j};
    const void *given[] = {alpha, beta};
    for (int i = 0; i < 2; i++) {
        if (!given[i])
            continue;
        if (j.how.pointer == POINTER_HOST) {
            memcpy(j.host[i], given[i], bytes);
            continue;
        }
        *(i ? &j.beta : &j.alpha) = given[i];
        w.span[w.nspans++]        = (LibrarySpan){.at = given[i], .width = bytes, .height = 1, .use = LIBRARY_READS};
    }
    return ww_cuda_library_do(stream, &w) ? LT_SUCCESS : LT_EXECUTION_FAILED;
}
