/* SPDX-License-Identifier: Apache-2.0
 *
 * Tridiagonal and bidiagonal forms and their orthogonal matrices, exchanges of rows, products of triangles, eigenvalues of general matrices.  One
 * routine of LAPACK each. */
#include <stdlib.h>
#include <string.h>

#include "cuda/libraries/cusolver/cusolver.h"

static void fill_of(Plain *p, int fill)
{
    plain_char(p, fill == 0 || fill == 1, fill ? 'U' : 'L');
}

static int64_t less(int64_t n)
{
    return n > 1 ? n - 1 : 0;
}

static Sol sytrd(void *h, const char *call, char l, int fill, int n, void *a, int lda, void *d, void *e, void *tau,
                 int *info)
{
    Plain p = plain_begin(h, call, l, "sytrd", "hetrd", info);
    fill_of(&p, fill);
    plain_int(&p, n, 0);
    plain_matrix(&p, a, lda, n, n, LIBRARY_UPDATES);
    plain_vector(&p, d, n, true, LIBRARY_WRITES);
    plain_vector(&p, e, less(n), true, LIBRARY_WRITES);
    plain_vector(&p, tau, less(n), false, LIBRARY_WRITES);
    plain_work(&p, 64 * (int64_t)n + 64);
    plain_info(&p);
    return plain_do(&p, !n);
}

static Sol orgtr(void *h, const char *call, char l, int fill, int n, void *a, int lda, const void *tau, int *info)
{
    Plain p = plain_begin(h, call, l, "orgtr", "ungtr", info);
    fill_of(&p, fill);
    plain_int(&p, n, 0);
    plain_matrix(&p, a, lda, n, n, LIBRARY_UPDATES);
    plain_vector(&p, tau, less(n), false, LIBRARY_READS);
    plain_work(&p, 64 * (int64_t)n + 64);
    plain_info(&p);
    return plain_do(&p, !n);
}

static Sol ormtr(void *h, const char *call, char l, int side, int fill, int trans, int m, int n, const void *a, int lda,
                 const void *tau, void *c, int ldc, int *info)
{
    Plain   p       = plain_begin(h, call, l, "ormtr", "unmtr", info);
    int64_t q       = side ? n : m;
    bool    complex = l == 'c' || l == 'z';
    plain_char(&p, side == 0 || side == 1, side ? 'R' : 'L');
    fill_of(&p, fill);
    plain_char(&p, trans >= 0 && trans <= 2 && !(complex && trans == 1), !trans ? 'N' : complex ? 'C' : 'T');
    plain_int(&p, m, 0);
    plain_int(&p, n, 0);
    plain_matrix(&p, a, lda, q, q, LIBRARY_HOLDS);
    plain_vector(&p, tau, less(q), false, LIBRARY_READS);
    plain_matrix(&p, c, ldc, m, n, LIBRARY_UPDATES);
    plain_work(&p, 64 * (int64_t)(m > n ? m : n) + 64 * 65);
    plain_info(&p);
    return plain_do(&p, !m || !n);
}

static Sol gebrd(void *h, const char *call, char l, int m, int n, void *a, int lda, void *d, void *e, void *tauq,
                 void *taup, int *info)
{
    Plain   p = plain_begin(h, call, l, "gebrd", "gebrd", info);
    int64_t k = m < n ? m : n;
    plain_int(&p, m, 0);
    plain_int(&p, n, 0);
    plain_matrix(&p, a, lda, m, n, LIBRARY_UPDATES);
    plain_vector(&p, d, k, true, LIBRARY_WRITES);
    plain_vector(&p, e, less(k), true, LIBRARY_WRITES);
    plain_vector(&p, tauq, k, false, LIBRARY_WRITES);
    plain_vector(&p, taup, k, false, LIBRARY_WRITES);
    plain_work(&p, 64 * ((int64_t)m + n) + 64);
    plain_info(&p);
    return plain_do(&p, !k);
}

static Sol orgbr(void *h, const char *call, char l, int side, int m, int n, int k, void *a, int lda, const void *tau,
                 int *info)
{
    Plain   p    = plain_begin(h, call, l, "orgbr", "ungbr", info);
    int64_t taus = side ? n < k ? n : k : m < k ? m : k;
    plain_char(&p, side == 0 || side == 1, side ? 'P' : 'Q');
    plain_int(&p, m, 0);
    plain_int(&p, n, 0);
    plain_int(&p, k, 0);
    plain_matrix(&p, a, lda, m, n, LIBRARY_UPDATES);
    plain_vector(&p, tau, taus, false, LIBRARY_READS);
    plain_work(&p, 64 * (int64_t)(m > n ? m : n) + 64);
    plain_info(&p);
    return plain_do(&p, !m || !n);
}

static Sol laswp(void *h, const char *call, char l, int n, void *a, int lda, int first, int last, const int *pivots,
                 int stride)
{
    Plain p = plain_begin(h, call, l, "laswp", "laswp", NULL);
    plain_int(&p, n, 0);
    plain_matrix(&p, a, lda, last > 0 ? last : 0, n, LIBRARY_UPDATES);
    plain_int(&p, first, 1);
    plain_int(&p, last, first);
    plain_vector(&p, pivots, 0, false, LIBRARY_HOLDS);
    plain_int(&p, stride, -1);
    if (!p.status && (!pivots || !stride))
        p.status = SOL_INVALID_VALUE;
    if (!p.status)
        p.work.span[p.work.nspans++] =
            (LibrarySpan){.at = pivots, .width = (size_t)last * sizeof *pivots, .height = 1, .use = LIBRARY_HOLDS};
    return plain_do(&p, !n);
}

static Sol lauum(void *h, const char *call, char l, int fill, int n, void *a, int lda, int *info)
{
    Plain p = plain_begin(h, call, l, "lauum", "lauum", info);
    fill_of(&p, fill);
    plain_int(&p, n, 0);
    plain_matrix(&p, a, lda, n, n, LIBRARY_HOLDS);
    if (!p.status && p.work.nspans) {
        LibrarySpan *s = &p.work.span[p.work.nspans - 1];
        s->use         = LIBRARY_UPDATES;
        s->part        = fill ? LIBRARY_UPPER : LIBRARY_LOWER;
        s->element     = plain_element(&p, false);
    }
    plain_info(&p);
    return plain_do(&p, !n);
}

#define LIKE(L, l, o, s)                                                                                               \
    Sol cusolverDn##L##s##trd_bufferSize(void *h, int fill, int n, const void *a, int lda, const void *d,              \
                                         const void *e, const void *tau, int *size)                                    \
    {                                                                                                                  \
        (void)fill, (void)n, (void)a, (void)lda, (void)d, (void)e, (void)tau;                                          \
        return size_elements(h, size);                                                                                 \
    }                                                                                                                  \
    Sol cusolverDn##L##s##trd(void *h, int fill, int n, void *a, int lda, void *d, void *e, void *tau, void *work,     \
                              int size, int *info)                                                                     \
    {                                                                                                                  \
        (void)work, (void)size;                                                                                        \
        return sytrd(h, "cusolverDn" #L#s "trd", l, fill, n, a, lda, d, e, tau, info);                                 \
    }                                                                                                                  \
    Sol cusolverDn##L##o##gtr_bufferSize(void *h, int fill, int n, const void *a, int lda, const void *tau, int *size) \
    {                                                                                                                  \
        (void)fill, (void)n, (void)a, (void)lda, (void)tau;                                                            \
        return size_elements(h, size);                                                                                 \
    }                                                                                                                  \
    Sol cusolverDn##L##o##gtr(void *h, int fill, int n, void *a, int lda, const void *tau, void *work, int size,       \
                              int *info)                                                                               \
    {                                                                                                                  \
        (void)work, (void)size;                                                                                        \
        return orgtr(h, "cusolverDn" #L#o "gtr", l, fill, n, a, lda, tau, info);                                       \
    }                                                                                                                  \
    Sol cusolverDn##L##o##mtr_bufferSize(void *h, int side, int fill, int trans, int m, int n, const void *a, int lda, \
                                         const void *tau, const void *c, int ldc, int *size)                           \
    {                                                                                                                  \
        (void)side, (void)fill, (void)trans, (void)m, (void)n, (void)a, (void)lda, (void)tau, (void)c, (void)ldc;      \
        return size_elements(h, size);                                                                                 \
    }                                                                                                                  \
    Sol cusolverDn##L##o##mtr(void *h, int side, int fill, int trans, int m, int n, void *a, int lda, void *tau,       \
                              void *c, int ldc, void *work, int size, int *info)                                       \
    {                                                                                                                  \
        (void)work, (void)size;                                                                                        \
        return ormtr(h, "cusolverDn" #L#o "mtr", l, side, fill, trans, m, n, a, lda, tau, c, ldc, info);               \
    }                                                                                                                  \
    Sol cusolverDn##L##gebrd_bufferSize(void *h, int m, int n, int *size)                                              \
    {                                                                                                                  \
        (void)m, (void)n;                                                                                              \
        return size_elements(h, size);                                                                                 \
    }                                                                                                                  \
    Sol cusolverDn##L##gebrd(void *h, int m, int n, void *a, int lda, void *d, void *e, void *tauq, void *taup,        \
                             void *work, int size, int *info)                                                          \
    {                                                                                                                  \
        (void)work, (void)size;                                                                                        \
        return gebrd(h, "cusolverDn" #L "gebrd", l, m, n, a, lda, d, e, tauq, taup, info);                             \
    }                                                                                                                  \
    Sol cusolverDn##L##o##gbr_bufferSize(void *h, int side, int m, int n, int k, const void *a, int lda,               \
                                         const void *tau, int *size)                                                   \
    {                                                                                                                  \
        (void)side, (void)m, (void)n, (void)k, (void)a, (void)lda, (void)tau;                                          \
        return size_elements(h, size);                                                                                 \
    }                                                                                                                  \
    Sol cusolverDn##L##o##gbr(void *h, int side, int m, int n, int k, void *a, int lda, const void *tau, void *work,   \
                              int size, int *info)                                                                     \
    {                                                                                                                  \
        (void)work, (void)size;                                                                                        \
        return orgbr(h, "cusolverDn" #L#o "gbr", l, side, m, n, k, a, lda, tau, info);                                 \
    }                                                                                                                  \
    Sol cusolverDn##L##laswp(void *h, int n, void *a, int lda, int first, int last, const int *pivots, int stride)     \
    {                                                                                                                  \
        return laswp(h, "cusolverDn" #L "laswp", l, n, a, lda, first, last, pivots, stride);                           \
    }                                                                                                                  \
    Sol cusolverDn##L##lauum_bufferSize(void *h, int fill, int n, void *a, int lda, int *size)                         \
    {                                                                                                                  \
        (void)fill, (void)n, (void)a, (void)lda;                                                                       \
        return size_elements(h, size);                                                                                 \
    }                                                                                                                  \
    Sol cusolverDn##L##lauum(void *h, int fill, int n, void *a, int lda, void *work, int size, int *info)              \
    {                                                                                                                  \
        (void)work, (void)size;                                                                                        \
        return lauum(h, "cusolverDn" #L "lauum", l, fill, n, a, lda, info);                                            \
    }
LIKE(S, 's', or, sy)
LIKE(D, 'd', or, sy)
LIKE(C, 'c', un, he)
LIKE(Z, 'z', un, he)

/* ---- eigenvalues of a general matrix ---- */

typedef struct General {
    Plain   plain;
    int64_t n;
    int     type, wtype; /* of real matrices' eigenvalues: complex, or real parts and then imaginary ones */
    void   *a, *w, *left, *right;
    int64_t lda, ldl, ldr;
} General;

static void geev(const void *args)
{
    typedef void (*Real)(const char *, const char *, const int *, void *, const int *, void *, void *, void *,
                         const int *, void *, const int *, void *, const int *, int *, size_t, size_t);
    typedef void (*Complex)(const char *, const char *, const int *, void *, const int *, void *, void *, const int *,
                            void *, const int *, void *, const int *, void *, int *, size_t, size_t);
    const General *g = args;
    const Plain   *p = &g->plain;
    int            n = (int)g->n, lda = (int)g->lda, ldl = (int)g->ldl, ldr = (int)g->ldr, work = 66 * n + 64, info = 0;
    char           jobl = g->left ? 'V' : 'N', jobr = g->right ? 'V' : 'N';
    size_t         e = plain_element(p, false);
    char *space = ww_cuda_library_memory((size_t)work * e), *values = ww_cuda_library_memory((size_t)(2 * n) * e + 16),
         none[16];
    void *left = g->left ? g->left : none, *right = g->right ? g->right : none;
    if (number_is_complex(g->type)) {
        ((Complex)p->routine)(&jobl, &jobr, &n, g->a, &lda, g->w, left, &ldl, right, &ldr, space, &work, values, &info,
                              1, 1);
    } else {
        char *imaginary = values + (size_t)n * e;
        ((Real)p->routine)(&jobl, &jobr, &n, g->a, &lda, values, imaginary, left, &ldl, right, &ldr, space, &work,
                           &info, 1, 1);
        for (int i = 0; i < n; i++) {
            double re = number_at(g->type, values, i).re, im = number_at(g->type, imaginary, i).re;
            if (number_is_complex(g->wtype)) {
                number_put(g->wtype, g->w, i, (Number){re, im});
            } else {
                number_put(g->wtype, g->w, i, (Number){re, 0});
                number_put(g->wtype, g->w, n + i, (Number){im, 0});
            }
        }
    }
    *p->info = info;
    free(space);
    free(values);
}

Sol cusolverDnXgeev_bufferSize(void *h, void *params, int jobl, int jobr, int64_t n, int type, const void *a,
                               int64_t lda, int wtype, const void *w, int ltype, const void *left, int64_t ldl,
                               int rtype, const void *right, int64_t ldr, int compute, size_t *device, size_t *host)
{
    (void)params, (void)jobl, (void)jobr, (void)n, (void)type, (void)a, (void)lda, (void)wtype, (void)w, (void)ltype;
    (void)left, (void)ldl, (void)rtype, (void)right, (void)ldr, (void)compute;
    return size_bytes(h, device, host);
}

/* Vectors of a real matrix stand as LAPACK has them: of a pair of complex ones the real part and the imaginary part. */
Sol cusolverDnXgeev(void *h, void *params, int jobl, int jobr, int64_t n, int type, void *a, int64_t lda, int wtype,
                    void *w, int ltype, void *left, int64_t ldl, int rtype, void *right, int64_t ldr, int compute,
                    void *buffer, size_t bytes, void *host, size_t host_bytes, int *info)
{
    (void)params, (void)buffer, (void)bytes, (void)host, (void)host_bytes;
    if (handle_of(h) && !info)
        return SOL_INVALID_VALUE;
    General g       = {.plain = plain_begin(h, "cusolverDnXgeev", number_letter(type), "geev", "geev", info),
                       .n     = n,
                       .type  = type,
                       .wtype = wtype,
                       .a     = a,
                       .w     = w,
                       .left  = jobl ? left : NULL,
                       .right = jobr ? right : NULL,
                       .lda   = lda,
                       .ldl   = ldl > 0 ? ldl : 1,
                       .ldr   = ldr > 0 ? ldr : 1};
    Plain  *p       = &g.plain;
    bool    complex = number_is_complex(type), single = type == R_32F || type == C_32F;
    bool    pairs = number_is_complex(wtype) && !complex;
    if (!p->status && (compute != type || (ltype != type && jobl) || (rtype != type && jobr) ||
                       (wtype != type && !(pairs && wtype == (single ? C_32F : C_64F)))))
        p->status = SOL_NOT_SUPPORTED;
    plain_int(p, n, 0);
    plain_matrix(p, a, lda, n, n, LIBRARY_UPDATES);
    plain_vector(p, w, complex ? n : 2 * n, false, LIBRARY_WRITES);
    if (jobl)
        plain_matrix(p, left, ldl, n, n, LIBRARY_WRITES);
    if (jobr)
        plain_matrix(p, right, ldr, n, n, LIBRARY_WRITES);
    p->work.compute = geev;
    p->work.args    = &g;
    p->work.bytes   = sizeof g;
    return plain_do(p, !n);
}
