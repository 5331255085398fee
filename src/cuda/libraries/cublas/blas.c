/* SPDX-License-Identifier: Apache-2.0
 *
 * A call of a routine of the host's BLAS: its arguments in the routine's order, and the memory that it reads and writes.  What is wrong with
 * them is remembered and answered at the end.  The routine's integers have 32 bits: larger sizes are not supported. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cuda/libraries/cublas/cublas.h"

/* ---- arguments ---- */

Call call_begin(void *handle, char letter, const char *name, const char *routine)
{
    char fortran[32];
    Call c = {.work    = {.library = "cuBLAS", .call = name},
              .handle  = handle_of(handle),
              .letter  = letter,
              .element = letter == 's'   ? 4
                         : letter == 'z' ? 16
                                         : 8};
    if (!c.handle || c.handle->host != !strncmp(name, "cublasXt", 8)) {
        c.status = BLAS_NOT_INITIALIZED;
        return c;
    }
    snprintf(fortran, sizeof fortran, "%c%s_", letter, routine);
    if (!*routine)
        return c;
    c.routine = host_routine(fortran);
    if (!c.routine)
        c.status = BLAS_NOT_SUPPORTED;
    return c;
}

static CallArg *next(Call *c, int kind)
{
    CallArg *a = &c->arg[c->nargs++];
    a->kind    = kind;
    return a;
}

void call_refuse(Call *c, bool wrong)
{
    if (wrong && c->status != BLAS_NOT_INITIALIZED)
        c->status = BLAS_INVALID_VALUE;
}

void call_char(Call *c, char x)
{
    next(c, ARG_CHAR)->c = x;
    call_refuse(c, !x);
}

void call_int(Call *c, int64_t x)
{
    next(c, ARG_INT)->i = (int)x;
    if ((x > INT_MAX || x < -INT_MAX) && c->status == BLAS_SUCCESS)
        c->status = BLAS_NOT_SUPPORTED;
}

/* NULL: nothing is touched. */
static LibrarySpan *last_span(Call *c)
{
    return c->status || !c->work.nspans ? NULL : &c->work.span[c->work.nspans - 1];
}

void call_part(Call *c, int fill)
{
    LibrarySpan *s = last_span(c);
    if (!s)
        return;
    s->part    = fill == FILL_LOWER ? LIBRARY_LOWER : LIBRARY_UPPER;
    s->element = c->element;
}

void call_scaled(Call *c)
{
    static const unsigned char zeros[16];
    LibrarySpan               *s = last_span(c);
    if (!s)
        return;
    const Factor *f = &c->factor[c->nfactors - 1];
    s->factor       = f->device;
    s->factor_bytes = f->bytes;
    if (f->device || memcmp(f->host, zeros, f->bytes) != 0)
        s->use = LIBRARY_UPDATES;
}

static void add_span(Call *c, LibrarySpan s)
{
    if (c->work.nspans < LIBRARY_SPANS && s.at && !c->handle->host)
        c->work.span[c->work.nspans++] = s;
}

void call_memory(Call *c, const void *p, size_t bytes, LibraryUse use)
{
    if (!c->status)
        add_span(c, (LibrarySpan){.at = p, .width = bytes, .height = 1, .use = use});
}

void call_factor(Call *c, const void *factor, size_t bytes)
{
    call_refuse(c, !factor);
    next(c, ARG_FACTOR)->factor = c->nfactors;
    if (c->status)
        return;
    if (c->handle->pointer == POINTER_DEVICE) {
        c->factor[c->nfactors].device = factor;
        call_memory(c, factor, bytes, LIBRARY_READS);
    } else {
        memcpy(c->factor[c->nfactors].host, factor, bytes);
    }
    c->factor[c->nfactors].bytes = bytes;
    c->nfactors++;
}

/* The letter that BLAS has for it; of real types the conjugate transpose is the transpose. */
void call_op(Call *c, int op)
{
    call_char(c, op == OP_N   ? 'N'
                 : op == OP_T ? 'T'
                 : op == OP_C ? c->letter == 's' || c->letter == 'd' ? 'T' : 'C'
                              : 0);
}

void call_fill(Call *c, int fill)
{
    call_char(c, fill == FILL_LOWER ? 'L' : fill == FILL_UPPER ? 'U' : 0);
}

void call_side(Call *c, int side)
{
    call_char(c, side == SIDE_LEFT ? 'L' : side == SIDE_RIGHT ? 'R' : 0);
}

void call_diag(Call *c, int diag)
{
    call_char(c, diag == DIAG_UNIT ? 'U' : diag == DIAG_NON_UNIT ? 'N' : 0);
}

void call_matrix(Call *c, const void *p, int64_t ld, int64_t rows, int64_t columns, LibraryUse use)
{
    c->nmatrices++;
    if (rows > 0 && ld < rows && !c->why[0])
        snprintf(c->why, sizeof c->why, "matrix %u has %lld rows and a leading dimension of %lld", c->nmatrices,
                 (long long)rows, (long long)ld);
    call_refuse(c, rows < 0 || columns < 0 || ld < (rows > 1 ? rows : 1) || (!p && rows && columns));
    next(c, ARG_POINTER)->p = (void *)(uintptr_t)p;
    call_int(c, ld);
    if (!c->status)
        add_span(c, (LibrarySpan){.at     = p,
                                  .pitch  = (size_t)ld * c->element,
                                  .width  = (size_t)rows * c->element,
                                  .height = (size_t)columns,
                                  .use    = use});
}

void call_vector(Call *c, const void *p, int64_t n, int64_t stride, LibraryUse use)
{
    call_refuse(c, !p && n > 0);
    next(c, ARG_POINTER)->p = (void *)(uintptr_t)p;
    call_int(c, stride);
    if (c->status || n <= 0)
        return;
    size_t      step = (size_t)(stride < 0 ? -stride : stride) * c->element;
    LibrarySpan s    = {.at = p, .pitch = step, .width = c->element, .height = stride ? (size_t)n : 1, .use = use};
    if (step == c->element) {
        s.width  = (size_t)n * c->element;
        s.height = 1;
    }
    add_span(c, s);
}

void call_packed(Call *c, const void *p, int64_t n, LibraryUse use)
{
    call_refuse(c, !p && n > 0);
    next(c, ARG_POINTER)->p = (void *)(uintptr_t)p;
    if (!c->status && n > 0)
        call_memory(c, p, (size_t)n * ((size_t)n + 1) / 2 * c->element, use);
}

/* ---- running it ---- */

typedef void (*Fortran)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                        void *, void *);

static void compute(const void *args)
{
    Call  c             = *(const Call *)args;
    void *at[CALL_ARGS] = {0};
    for (unsigned i = 0; i < c.nargs; i++)
        switch (c.arg[i].kind) {
        case ARG_CHAR: at[i] = &c.arg[i].c; break;
        case ARG_INT: at[i] = &c.arg[i].i; break;
        case ARG_FACTOR: {
            const void *d = c.factor[c.arg[i].factor].device;
            at[i]         = d ? (void *)(uintptr_t)d : c.factor[c.arg[i].factor].host;
            break;
        }
        case ARG_POINTER: at[i] = c.arg[i].p; break;
        }
    /* arguments behind those that a routine has do no harm: the caller passes and removes them */
    ((Fortran)c.routine)(at[0], at[1], at[2], at[3], at[4], at[5], at[6], at[7], at[8], at[9], at[10], at[11], at[12],
                         at[13]);
}

Blas call_end(Call *c, bool nothing)
{
    if (c->status == BLAS_NOT_INITIALIZED)
        ww_cuda_library_refused(c->work.call, cublasGetStatusName(BLAS_NOT_INITIALIZED), "the handle is none");
    else if (c->status && c->status != BLAS_NOT_SUPPORTED)
        ww_cuda_library_refused(c->work.call, cublasGetStatusName((int)c->status),
                                c->why[0] ? c->why : "an argument is not one that it takes");
    if (c->status || nothing)
        return c->status;
    if (!c->work.compute) {
        c->work.compute = compute;
        c->work.args    = c;
        c->work.bytes   = sizeof *c;
    }
    c->work.by = host_file();
    bool ok    = ww_cuda_library_do(c->handle->stream, &c->work);
    if (ok && c->handle->host)
        ok = ww_cuda_library_wait(c->handle->stream);
    return ok ? BLAS_SUCCESS : BLAS_EXECUTION_FAILED;
}
