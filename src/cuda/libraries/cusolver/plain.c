/* SPDX-License-Identifier: Apache-2.0
 *
 * A call of one routine of LAPACK: its arguments in the routine's order and the memory that it reads and writes.  What is wrong with them is remembered and
 * answered at the end.  Work space is LAPACK's own; the integers have 32 bits. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/libraries/cusolver/cusolver.h"

Plain plain_begin(void *handle, const char *call, char letter, const char *real, const char *complex, int *info)
{
    char  name[16];
    Plain p = {
        .work = {.library = "cuSOLVER", .call = call}, .handle = handle_of(handle), .letter = letter, .info = info};
    if (!p.handle) {
        p.status = SOL_NOT_INITIALIZED;
        return p;
    }
    snprintf(name, sizeof name, "%c%s_", letter, letter == 'c' || letter == 'z' ? complex : real);
    p.routine = letter ? host_routine(name) : NULL;
    if (!p.routine) {
        ww_cuda_library_missing(call);
        p.status = SOL_NOT_SUPPORTED;
    }
    if (info)
        p.work.span[p.work.nspans++] =
            (LibrarySpan){.at = info, .width = sizeof *info, .height = 1, .use = LIBRARY_WRITES};
    return p;
}

size_t plain_element(const Plain *p, bool real)
{
    return p->letter == 's' || (real && p->letter == 'c') ? 4 : p->letter == 'z' && !real ? 16 : 8;
}

static PlainArg *next(Plain *p, int kind)
{
    PlainArg *a = &p->arg[p->nargs++];
    a->kind     = kind;
    return a;
}

static void refuse(Plain *p, bool wrong)
{
    if (wrong && !p->status)
        p->status = SOL_INVALID_VALUE;
}

void plain_char(Plain *p, bool right, char c)
{
    refuse(p, !right);
    next(p, PLAIN_CHAR)->c = c;
}

void plain_int(Plain *p, int64_t x, int64_t least)
{
    refuse(p, x < least);
    if (x > INT_MAX && !p->status)
        p->status = SOL_NOT_SUPPORTED;
    next(p, PLAIN_INT)->i = (int)x;
}

static void tell(Plain *p, LibrarySpan s)
{
    if (!p->status && s.at && s.width && s.height && p->work.nspans < LIBRARY_SPANS)
        p->work.span[p->work.nspans++] = s;
}

void plain_matrix(Plain *p, const void *a, int64_t ld, int64_t rows, int64_t columns, LibraryUse use)
{
    refuse(p, rows < 0 || columns < 0 || (rows && columns && !a));
    next(p, PLAIN_POINTER)->p = (void *)(uintptr_t)a;
    plain_int(p, ld, rows > 1 ? rows : 1);
    tell(p, (LibrarySpan){.at     = a,
                          .pitch  = (size_t)ld * plain_element(p, false),
                          .width  = (size_t)rows * plain_element(p, false),
                          .height = (size_t)columns,
                          .use    = use});
}

void plain_vector(Plain *p, const void *v, int64_t n, bool real, LibraryUse use)
{
    refuse(p, n > 0 && !v);
    next(p, PLAIN_POINTER)->p = (void *)(uintptr_t)v;
    if (n > 0)
        tell(p, (LibrarySpan){.at = v, .width = (size_t)n * plain_element(p, real), .height = 1, .use = use});
}

void plain_work(Plain *p, int64_t elements)
{
    if (elements > INT_MAX && !p->status)
        p->status = SOL_NOT_SUPPORTED;
    next(p, PLAIN_WORK)->i   = (int)elements;
    next(p, PLAIN_LENGTH)->i = (int)elements;
}

void plain_info(Plain *p)
{
    next(p, PLAIN_INFO);
}

/* Behind the arguments Fortran wants the lengths of texts, which are all 1. */
static void compute(const void *args)
{
    typedef void (*F)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                      void *, void *, void *, void *, void *);
    Plain p = *(const Plain *)args;
    void *x[PLAIN_ARGS], *own[PLAIN_ARGS] = {0};
    int   info = 0;
    for (unsigned i = 0; i < PLAIN_ARGS; i++) {
        PlainArg *a = &p.arg[i];
        x[i]        = (void *)(uintptr_t)1;
        if (i >= p.nargs)
            continue;
        switch (a->kind) {
        case PLAIN_CHAR: x[i] = &a->c; break;
        case PLAIN_INT:
        case PLAIN_LENGTH: x[i] = &a->i; break;
        case PLAIN_POINTER: x[i] = a->p; break;
        case PLAIN_INFO: x[i] = &info; break;
        default: x[i] = own[i] = ww_cuda_library_memory(((size_t)a->i + 1) * plain_element(&p, false));
        }
    }
    ((F)p.routine)(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10], x[11], x[12], x[13], x[14], x[15],
                   x[16]);
    for (unsigned i = 0; i < PLAIN_ARGS; i++)
        free(own[i]);
    if (p.info)
        *p.info = info;
}

Sol plain_do(Plain *p, bool nothing)
{
    if (p->status || nothing)
        return p->status;
    if (!p->work.compute) {
        p->work.compute = compute;
        p->work.args    = p;
        p->work.bytes   = sizeof *p;
    }
    p->work.by = host_file();
    return ww_cuda_library_do(p->handle->stream, &p->work) ? SOL_SUCCESS : SOL_EXECUTION_FAILED;
}
