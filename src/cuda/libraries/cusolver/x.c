/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions with 64-bit sizes and types as arguments.  All types of a call must be one, of four, and the results' its real one. */
#include "cuda/libraries/cusolver/cusolver.h"

enum { VECTOR = 1 }; /* cusolverEigMode_t */

/* With the letter of its types; another type is not supported. */
static Sol typed(void *handle, Job j, int type, int compute)
{
    j.letter = number_letter(type);
    j.count  = j.count ? j.count : 1;
    if (handle_of(handle) && (!j.letter || compute != type))
        return SOL_NOT_SUPPORTED;
    return job_do(handle, &j);
}

#define IGNORED (void)params, (void)buffer, (void)bytes, (void)host, (void)host_bytes
#define TAIL    int compute, void *buffer, size_t bytes, void *host, size_t host_bytes, int *info

Sol cusolverDnXpotrf_bufferSize(void *h, void *params, int fill, int64_t n, int type, const void *a, int64_t lda,
                                int compute, size_t *device, size_t *host)
{
    (void)params, (void)fill, (void)n, (void)type, (void)a, (void)lda, (void)compute;
    return size_bytes(h, device, host);
}

Sol cusolverDnXpotrf(void *h, void *params, int fill, int64_t n, int type, void *a, int64_t lda, TAIL)
{
    IGNORED;
    return typed(h,
                 (Job){.call = "cusolverDnXpotrf", .task = POTRF, .fill = fill, .n = n, .a = {a, lda, 0}, .info = info},
                 type, compute);
}

Sol cusolverDnXpotrs(void *h, void *params, int fill, int64_t n, int64_t columns, int type, const void *a, int64_t lda,
                     int btype, void *b, int64_t ldb, int *info)
{
    (void)params;
    return typed(h,
                 (Job){.call = "cusolverDnXpotrs",
                       .task = POTRS,
                       .fill = fill,
                       .n    = n,
                       .k    = columns,
                       .a    = {(void *)(uintptr_t)a, lda, 0},
                       .b    = {b, ldb, 0},
                       .info = info},
                 type, btype);
}

Sol cusolverDnXgetrf_bufferSize(void *h, void *params, int64_t m, int64_t n, int type, const void *a, int64_t lda,
                                int compute, size_t *device, size_t *host)
{
    (void)params, (void)m, (void)n, (void)type, (void)a, (void)lda, (void)compute;
    return size_bytes(h, device, host);
}

Sol cusolverDnXgetrf(void *h, void *params, int64_t m, int64_t n, int type, void *a, int64_t lda, int64_t *pivots, TAIL)
{
    IGNORED;
    return typed(h,
                 (Job){.call   = "cusolverDnXgetrf",
                       .task   = GETRF,
                       .m      = m,
                       .n      = n,
                       .a      = {a, lda, 0},
                       .pivots = pivots,
                       .wide   = true,
                       .info   = info},
                 type, compute);
}

Sol cusolverDnXgetrs(void *h, void *params, int trans, int64_t n, int64_t columns, int type, const void *a, int64_t lda,
                     const int64_t *pivots, int btype, void *b, int64_t ldb, int *info)
{
    (void)params;
    return typed(h,
                 (Job){.call   = "cusolverDnXgetrs",
                       .task   = GETRS,
                       .trans  = trans,
                       .n      = n,
                       .k      = columns,
                       .a      = {(void *)(uintptr_t)a, lda, 0},
                       .b      = {b, ldb, 0},
                       .pivots = (void *)(uintptr_t)pivots,
                       .wide   = true,
                       .info   = info},
                 type, btype);
}

Sol cusolverDnXsytrs_bufferSize(void *h, int fill, int64_t n, int64_t columns, int type, const void *a, int64_t lda,
                                const int64_t *pivots, int btype, void *b, int64_t ldb, size_t *device, size_t *host)
{
    (void)fill, (void)n, (void)columns, (void)type, (void)a, (void)lda, (void)pivots, (void)btype, (void)b, (void)ldb;
    return size_bytes(h, device, host);
}

/* Without pivots: of a factorisation without them. */
Sol cusolverDnXsytrs(void *h, int fill, int64_t n, int64_t columns, int type, const void *a, int64_t lda,
                     const int64_t *pivots, int btype, void *b, int64_t ldb, void *buffer, size_t bytes, void *host,
                     size_t host_bytes, int *info)
{
    (void)buffer, (void)bytes, (void)host, (void)host_bytes;
    return typed(h,
                 (Job){.call   = "cusolverDnXsytrs",
                       .task   = SYTRS,
                       .fill   = fill,
                       .n      = n,
                       .k      = columns,
                       .a      = {(void *)(uintptr_t)a, lda, 0},
                       .b      = {b, ldb, 0},
                       .pivots = (void *)(uintptr_t)pivots,
                       .wide   = true,
                       .info   = info},
                 type, btype);
}

/* The triangle T of k reflectors: I - V T V' is their product. */
Sol cusolverDnXlarft_bufferSize(void *h, void *params, int direct, int store, int64_t n, int64_t k, int type,
                                const void *v, int64_t ldv, int tau_type, const void *tau, int ttype, void *t,
                                int64_t ldt, int compute, size_t *device, size_t *host)
{
    (void)params, (void)direct, (void)store, (void)n, (void)k, (void)type, (void)v, (void)ldv, (void)tau_type;
    (void)tau, (void)ttype, (void)t, (void)ldt, (void)compute;
    return size_bytes(h, device, host);
}

Sol cusolverDnXlarft(void *h, void *params, int direct, int store, int64_t n, int64_t k, int type, const void *v,
                     int64_t ldv, int tau_type, const void *tau, int ttype, void *t, int64_t ldt, int compute,
                     void *buffer, size_t bytes, void *host, size_t host_bytes)
{
    IGNORED;
    if (handle_of(h) && (!number_letter(type) || tau_type != type || ttype != type || compute != type))
        return SOL_NOT_SUPPORTED;
    Plain p = plain_begin(h, "cusolverDnXlarft", number_letter(type), "larft", "larft", NULL);
    plain_char(&p, direct == 0 || direct == 1, direct ? 'B' : 'F');
    plain_char(&p, store == 0 || store == 1, store ? 'R' : 'C');
    plain_int(&p, n, 0);
    plain_int(&p, k, 0);
    plain_matrix(&p, v, ldv, store ? k : n, store ? n : k, LIBRARY_HOLDS); /* of its triangle nothing is read */
    plain_vector(&p, tau, k, false, LIBRARY_READS);
    plain_matrix(&p, t, ldt, k, k, LIBRARY_HOLDS);
    if (!p.status && k > n)
        p.status = SOL_INVALID_VALUE;
    if (!p.status && k)
        p.work.span[p.work.nspans++] = (LibrarySpan){.at      = t,
                                                     .pitch   = (size_t)ldt * plain_element(&p, false),
                                                     .width   = (size_t)k * plain_element(&p, false),
                                                     .height  = (size_t)k,
                                                     .use     = LIBRARY_WRITES,
                                                     .part    = direct ? LIBRARY_LOWER : LIBRARY_UPPER,
                                                     .element = plain_element(&p, false)};
    return plain_do(&p, !k);
}

Sol cusolverDnXgeqrf_bufferSize(void *h, void *params, int64_t m, int64_t n, int type, const void *a, int64_t lda,
                                int tau_type, const void *tau, int compute, size_t *device, size_t *host)
{
    (void)params, (void)m, (void)n, (void)type, (void)a, (void)lda, (void)tau_type, (void)tau, (void)compute;
    return size_bytes(h, device, host);
}

Sol cusolverDnXgeqrf(void *h, void *params, int64_t m, int64_t n, int type, void *a, int64_t lda, int tau_type,
                     void *tau, TAIL)
{
    IGNORED;
    return typed(h,
                 (Job){.call   = "cusolverDnXgeqrf",
                       .task   = GEQRF,
                       .m      = m,
                       .n      = n,
                       .a      = {a, lda, 0},
                       .values = {tau, 0, 0},
                       .info   = info},
                 tau_type == type ? type : -1, compute);
}

Sol cusolverDnXsyevd_bufferSize(void *h, void *params, int jobz, int fill, int64_t n, int type, const void *a,
                                int64_t lda, int wtype, const void *w, int compute, size_t *device, size_t *host)
{
    (void)params, (void)jobz, (void)fill, (void)n, (void)type, (void)a, (void)lda, (void)wtype, (void)w, (void)compute;
    return size_bytes(h, device, host);
}

/* Is it the type of the parts? */
static bool is_real_of(int real, int type)
{
    return real == (type == C_32F ? R_32F : type == C_64F ? R_64F : type);
}

Sol cusolverDnXsyevd(void *h, void *params, int jobz, int fill, int64_t n, int type, void *a, int64_t lda, int wtype,
                     void *w, TAIL)
{
    IGNORED;
    return typed(h,
                 (Job){.call    = "cusolverDnXsyevd",
                       .task    = SYEVD,
                       .fill    = fill,
                       .n       = n,
                       .vectors = jobz == VECTOR,
                       .a       = {a, lda, 0},
                       .values  = {w, 0, 0},
                       .info    = info},
                 is_real_of(wtype, type) ? type : -1, compute);
}

Sol cusolverDnXgesvd_bufferSize(void *h, void *params, signed char jobu, signed char jobv, int64_t m, int64_t n,
                                int type, const void *a, int64_t lda, int stype, const void *s, int utype,
                                const void *u, int64_t ldu, int vtype, const void *v, int64_t ldv, int compute,
                                size_t *device, size_t *host)
{
    (void)params, (void)jobu, (void)jobv, (void)m, (void)n, (void)type, (void)a, (void)lda, (void)stype, (void)s,
        (void)utype, (void)u, (void)ldu;
    (void)vtype, (void)v, (void)ldv, (void)compute;
    return size_bytes(h, device, host);
}

Sol cusolverDnXgesvd(void *h, void *params, signed char jobu, signed char jobv, int64_t m, int64_t n, int type, void *a,
                     int64_t lda, int stype, void *s, int utype, void *u, int64_t ldu, int vtype, void *v, int64_t ldv,
                     TAIL)
{
    IGNORED;
    bool same = is_real_of(stype, type) && utype == type && vtype == type;
    return typed(h,
                 (Job){.call   = "cusolverDnXgesvd",
                       .task   = GESVD,
                       .m      = m,
                       .n      = n,
                       .jobu   = jobu,
                       .jobv   = jobv,
                       .a      = {a, lda, 0},
                       .b      = {u, ldu, 0},
                       .c      = {v, ldv, 0},
                       .values = {s, 0, 0},
                       .info   = info},
                 same ? type : -1, compute);
}

Sol cusolverDnXtrtri_bufferSize(void *h, int fill, int diag, int64_t n, int type, void *a, int64_t lda, size_t *device,
                                size_t *host)
{
    (void)fill, (void)diag, (void)n, (void)type, (void)a, (void)lda;
    return size_bytes(h, device, host);
}

Sol cusolverDnXtrtri(void *h, int fill, int diag, int64_t n, int type, void *a, int64_t lda, void *buffer, size_t bytes,
                     void *host, size_t host_bytes, int *info)
{
    (void)buffer, (void)bytes, (void)host, (void)host_bytes;
    return typed(h,
                 (Job){.call = "cusolverDnXtrtri",
                       .task = TRTRI,
                       .fill = fill,
                       .diag = diag,
                       .n    = n,
                       .a    = {a, lda, 0},
                       .info = info},
                 type, type);
}

/* ---- a part of the eigenvalues; singular values by the polar form, and the largest ones ---- */

Sol cusolverDnXsyevdx_bufferSize(void *h, void *params, int jobz, int range, int fill, int64_t n, int type,
                                 const void *a, int64_t lda, void *vl, void *vu, int64_t il, int64_t iu, int64_t *found,
                                 int wtype, const void *w, int compute, size_t *device, size_t *host)
{
    (void)params, (void)jobz, (void)range, (void)fill, (void)n, (void)type, (void)a, (void)lda, (void)vl, (void)vu;
    (void)il, (void)iu, (void)found, (void)wtype, (void)w, (void)compute;
    return size_bytes(h, device, host);
}

Sol cusolverDnXsyevdx(void *h, void *params, int jobz, int range, int fill, int64_t n, int type, void *a, int64_t lda,
                      const void *vl, const void *vu, int64_t il, int64_t iu, int64_t *found, int wtype, void *w, TAIL)
{
    IGNORED;
    char letter = number_letter(type);
    if (handle_of(h) && (!letter || compute != type || !is_real_of(wtype, type)))
        return SOL_NOT_SUPPORTED;
    if (handle_of(h) && range == RANGE_VALUES && (!vl || !vu))
        return SOL_INVALID_VALUE;
    bool limits = range == RANGE_VALUES && letter;
    return job_range(h,
                     (Job){.call    = "cusolverDnXsyevdx",
                           .count   = 1,
                           .task    = SYEVD,
                           .letter  = letter,
                           .fill    = fill,
                           .n       = n,
                           .range   = range,
                           .low     = limits ? number_at(wtype, vl, 0).re : 0,
                           .high    = limits ? number_at(wtype, vu, 0).re : 0,
                           .first   = il,
                           .last    = iu,
                           .vectors = jobz == VECTOR,
                           .a       = {a, lda, 0},
                           .values  = {w, 0, 0},
                           .info    = info},
                     NULL, found);
}

Sol cusolverDnXsyevBatched_bufferSize(void *h, void *params, int jobz, int fill, int64_t n, int type, const void *a,
                                      int64_t lda, int wtype, const void *w, int compute, size_t *device, size_t *host,
                                      int64_t count)
{
    (void)params, (void)jobz, (void)fill, (void)n, (void)type, (void)a, (void)lda, (void)wtype, (void)w, (void)compute;
    (void)count;
    return size_bytes(h, device, host);
}

Sol cusolverDnXsyevBatched(void *h, void *params, int jobz, int fill, int64_t n, int type, void *a, int64_t lda,
                           int wtype, void *w, TAIL, int64_t count)
{
    IGNORED;
    return typed(h,
                 (Job){.call    = "cusolverDnXsyevBatched",
                       .task    = SYEVD,
                       .fill    = fill,
                       .n       = n,
                       .vectors = jobz == VECTOR,
                       .a       = {a, lda, lda * n},
                       .values  = {w, 0, n},
                       .info    = info,
                       .count   = count},
                 is_real_of(wtype, type) ? type : -1, compute);
}

Sol cusolverDnXgesvdp_bufferSize(void *h, void *params, int jobz, int economic, int64_t m, int64_t n, int type,
                                 const void *a, int64_t lda, int stype, const void *s, int utype, const void *u,
                                 int64_t ldu, int vtype, const void *v, int64_t ldv, int compute, size_t *device,
                                 size_t *host)
{
    (void)params, (void)jobz, (void)economic, (void)m, (void)n, (void)type, (void)a, (void)lda, (void)stype, (void)s;
    (void)utype, (void)u, (void)ldu, (void)vtype, (void)v, (void)ldv, (void)compute;
    return size_bytes(h, device, host);
}

/* error: of the card's method, which moves singular values away from zero; there is none here. */
Sol cusolverDnXgesvdp(void *h, void *params, int jobz, int economic, int64_t m, int64_t n, int type, void *a,
                      int64_t lda, int stype, void *s, int utype, void *u, int64_t ldu, int vtype, void *v, int64_t ldv,
                      TAIL, double *error)
{
    IGNORED;
    if (error)
        *error = 0;
    return typed(h,
                 (Job){.call     = "cusolverDnXgesvdp",
                       .task     = GESVDJ,
                       .m        = m,
                       .n        = n,
                       .vectors  = jobz == VECTOR,
                       .economic = economic != 0,
                       .a        = {a, lda, 0},
                       .b        = {u, ldu, 0},
                       .c        = {v, ldv, 0},
                       .values   = {s, 0, 0},
                       .info     = info},
                 is_real_of(stype, type) && utype == type && vtype == type ? type : -1, compute);
}

Sol cusolverDnXgesvdr_bufferSize(void *h, void *params, signed char jobu, signed char jobv, int64_t m, int64_t n,
                                 int64_t k, int64_t p, int64_t iterations, int type, const void *a, int64_t lda,
                                 int stype, const void *s, int utype, const void *u, int64_t ldu, int vtype,
                                 const void *v, int64_t ldv, int compute, size_t *device, size_t *host)
{
    (void)params, (void)jobu, (void)jobv, (void)m, (void)n, (void)k, (void)p, (void)iterations, (void)type, (void)a;
    (void)lda, (void)stype, (void)s, (void)utype, (void)u, (void)ldu, (void)vtype, (void)v, (void)ldv, (void)compute;
    return size_bytes(h, device, host);
}

/* The k largest, without chance: p more and the iterations would make them as exact. */
Sol cusolverDnXgesvdr(void *h, void *params, signed char jobu, signed char jobv, int64_t m, int64_t n, int64_t k,
                      int64_t p, int64_t iterations, int type, void *a, int64_t lda, int stype, void *s, int utype,
                      void *u, int64_t ldu, int vtype, void *v, int64_t ldv, TAIL)
{
    IGNORED;
    if (handle_of(h) && (k < 1 || p < 0 || iterations < 0 || (jobu != 'S' && jobu != 'N') || jobu != jobv)) {
        if (jobu != jobv)
            ww_cuda_library_missing("cusolverDnXgesvdr of one kind of vectors");
        return jobu != jobv ? SOL_NOT_SUPPORTED : SOL_INVALID_VALUE;
    }
    return typed(h,
                 (Job){.call     = "cusolverDnXgesvdr",
                       .task     = GESVDJ,
                       .m        = m,
                       .n        = n,
                       .rank     = k,
                       .vectors  = jobu == 'S',
                       .economic = true,
                       .a        = {a, lda, 0},
                       .b        = {u, ldu, 0},
                       .c        = {v, ldv, 0},
                       .values   = {s, 0, 0},
                       .info     = info},
                 is_real_of(stype, type) && utype == type && vtype == type ? type : -1, compute);
}
