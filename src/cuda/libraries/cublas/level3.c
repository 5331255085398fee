/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrices with matrices.  For the four types one body each; the functions themselves are made by macros at the end.  The triangular product has a result of
 * its own in cuBLAS: the operand is copied there first. */
#include <string.h>

#include "cuda/libraries/cublas/cublas.h"

static bool is_complex(char letter)
{
    return letter == 'c' || letter == 'z';
}

static double times(const Call *c, double products)
{
    return (is_complex(c->letter) ? 8 : 2) * products;
}

typedef struct Matrix {
    const void *p;
    int64_t     ld;
} Matrix;

static Blas gemm(void *handle, char letter, const char *name, const char *routine, int ta, int tb, int64_t m, int64_t n,
                 int64_t k, const void *alpha, Matrix a, Matrix b, const void *beta, Matrix to)
{
    Call c = call_begin(handle, letter, name, routine);
    call_op(&c, ta);
    call_op(&c, tb);
    call_refuse(&c, m < 0 || n < 0 || k < 0);
    call_int(&c, m);
    call_int(&c, n);
    call_int(&c, k);
    call_factor(&c, alpha, c.element);
    call_matrix(&c, a.p, a.ld, ta == OP_N ? m : k, ta == OP_N ? k : m, LIBRARY_READS);
    call_matrix(&c, b.p, b.ld, tb == OP_N ? k : n, tb == OP_N ? n : k, LIBRARY_READS);
    call_factor(&c, beta, c.element);
    call_matrix(&c, to.p, to.ld, m, n, LIBRARY_WRITES);
    call_scaled(&c);
    c.work.operations = times(&c, (double)m * (double)n * (double)k);
    return call_end(&c, !m || !n);
}

static Blas symm(void *handle, char letter, const char *name, const char *routine, int side, int fill, int64_t m,
                 int64_t n, const void *alpha, Matrix a, Matrix b, const void *beta, Matrix to)
{
    Call    c = call_begin(handle, letter, name, routine);
    int64_t q = side == SIDE_LEFT ? m : n;
    call_side(&c, side);
    call_fill(&c, fill);
    call_refuse(&c, m < 0 || n < 0);
    call_int(&c, m);
    call_int(&c, n);
    call_factor(&c, alpha, c.element);
    call_matrix(&c, a.p, a.ld, q, q, LIBRARY_READS);
    call_part(&c, fill);
    call_matrix(&c, b.p, b.ld, m, n, LIBRARY_READS);
    call_factor(&c, beta, c.element);
    call_matrix(&c, to.p, to.ld, m, n, LIBRARY_WRITES);
    call_scaled(&c);
    c.work.operations = times(&c, (double)m * (double)n * (double)q);
    return call_end(&c, !m || !n);
}

/* factors: bytes of alpha and of beta, which herk and her2k have real. */
static Blas syrk(void *handle, char letter, const char *name, const char *routine, int fill, int trans, int64_t n,
                 int64_t k, const void *alpha, size_t alpha_bytes, Matrix a, const Matrix *b, const void *beta,
                 size_t beta_bytes, Matrix to)
{
    Call c = call_begin(handle, letter, name, routine);
    if (is_complex(letter) && (trans == OP_T || trans == OP_C)) /* whichever is asked for, as an H100 was seen to do */
        trans = routine[0] == 'h' ? OP_C : OP_T;
    call_fill(&c, fill);
    call_op(&c, trans);
    call_refuse(&c, n < 0 || k < 0);
    call_int(&c, n);
    call_int(&c, k);
    call_factor(&c, alpha, alpha_bytes);
    call_matrix(&c, a.p, a.ld, trans == OP_N ? n : k, trans == OP_N ? k : n, LIBRARY_READS);
    if (b)
        call_matrix(&c, b->p, b->ld, trans == OP_N ? n : k, trans == OP_N ? k : n, LIBRARY_READS);
    call_factor(&c, beta, beta_bytes);
    call_matrix(&c, to.p, to.ld, n, n, LIBRARY_WRITES);
    call_part(&c, fill);
    call_scaled(&c);
    c.work.operations = times(&c, (double)n * (double)n * (double)k * (b ? 2 : 1) / 2);
    return call_end(&c, !n);
}

/* trsm, and trmm as BLAS has it: the result takes b's place. */
static Blas triangle(void *handle, char letter, const char *name, const char *routine, int side, int fill, int trans,
                     int diag, int64_t m, int64_t n, const void *alpha, Matrix a, Matrix b)
{
    Call    c = call_begin(handle, letter, name, routine);
    int64_t q = side == SIDE_LEFT ? m : n;
    call_side(&c, side);
    call_fill(&c, fill);
    call_op(&c, trans);
    call_diag(&c, diag);
    call_refuse(&c, m < 0 || n < 0);
    call_int(&c, m);
    call_int(&c, n);
    call_factor(&c, alpha, c.element);
    call_matrix(&c, a.p, a.ld, q, q, LIBRARY_READS);
    call_part(&c, fill);
    call_matrix(&c, b.p, b.ld, m, n, LIBRARY_UPDATES);
    c.work.operations = times(&c, (double)m * (double)n * (double)q / 2);
    return call_end(&c, !m || !n);
}

typedef struct Moved {
    const char *from;
    char       *to;
    size_t      from_pitch, to_pitch, width, height;
} Moved;

static void move(const void *args)
{
    const Moved *v = args;
    for (size_t y = 0; y < v->height; y++)
        memmove(v->to + y * v->to_pitch, v->from + y * v->from_pitch, v->width);
}

static Blas trmm(void *handle, char letter, const char *name, int side, int fill, int trans, int diag, int64_t m,
                 int64_t n, const void *alpha, Matrix a, Matrix b, Matrix to)
{
    Call c = call_begin(handle, letter, name, "");
    call_refuse(&c, m < 0 || n < 0);
    call_matrix(&c, b.p, b.ld, m, n, LIBRARY_READS);
    call_matrix(&c, to.p, to.ld, m, n, LIBRARY_WRITES);
    Moved v = {
        b.p,      (char *)(uintptr_t)to.p, (size_t)b.ld * c.element, (size_t)to.ld * c.element, (size_t)m * c.element,
        (size_t)n};
    c.work.compute = move;
    c.work.args    = &v;
    c.work.bytes   = sizeof v;
    Blas status    = c.status || (b.p == to.p && b.ld == to.ld) ? c.status : call_end(&c, !m || !n);
    return status ? status : triangle(handle, letter, name, "trmm", side, fill, trans, diag, m, n, alpha, a, to);
}

/* ---- geam, dgmm: not in BLAS ---- */

typedef struct Sum {
    int         ta, tb;
    int64_t     m, n;
    char        letter;
    Matrix      a, b, to;
    const void *alpha, *beta; /* device memory, or NULL: the copies */
    _Alignas(16) unsigned char host[2][16];
} Sum;

typedef struct Complex {
    double re, im;
} Complex;

static Complex load(char letter, const void *p, int64_t i)
{
    switch (letter) {
    case 's': return (Complex){((const float *)p)[i], 0};
    case 'd': return (Complex){((const double *)p)[i], 0};
    case 'c': return (Complex){((const float *)p)[2 * i], ((const float *)p)[2 * i + 1]};
    default: return (Complex){((const double *)p)[2 * i], ((const double *)p)[2 * i + 1]};
    }
}

static void put(char letter, void *p, int64_t i, Complex x)
{
    switch (letter) {
    case 's': ((float *)p)[i] = (float)x.re; break;
    case 'd': ((double *)p)[i] = x.re; break;
    case 'c':
        ((float *)p)[2 * i]     = (float)x.re;
        ((float *)p)[2 * i + 1] = (float)x.im;
        break;
    default: ((double *)p)[2 * i] = x.re; ((double *)p)[2 * i + 1] = x.im;
    }
}

static Complex product(Complex a, Complex b)
{
    return (Complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* factor * op(a)[i][j]; a factor of 0 reads nothing. */
static Complex term(const Sum *s, Complex factor, int op, Matrix a, int64_t i, int64_t j)
{
    if (factor.re == 0 && factor.im == 0)
        return (Complex){0, 0};
    Complex x = load(s->letter, a.p, op == OP_N ? j * a.ld + i : i * a.ld + j);
    if (op == OP_C)
        x.im = -x.im;
    return product(factor, x);
}

static void add(const void *args)
{
    const Sum *s     = args;
    Complex    alpha = load(s->letter, s->alpha ? s->alpha : s->host[0], 0),
            beta     = load(s->letter, s->beta ? s->beta : s->host[1], 0);
    for (int64_t j = 0; j < s->n; j++)
        for (int64_t i = 0; i < s->m; i++) {
            Complex x = term(s, alpha, s->ta, s->a, i, j), y = term(s, beta, s->tb, s->b, i, j);
            put(s->letter, (void *)(uintptr_t)s->to.p, j * s->to.ld + i, (Complex){x.re + y.re, x.im + y.im});
        }
}

static Blas geam(void *handle, char letter, const char *name, int ta, int tb, int64_t m, int64_t n, const void *alpha,
                 Matrix a, const void *beta, Matrix b, Matrix to)
{
    Call c = call_begin(handle, letter, name, "");
    call_refuse(&c, m < 0 || n < 0 || ta < OP_N || ta > OP_C || tb < OP_N || tb > OP_C || !alpha || !beta);
    call_refuse(&c, (to.p == a.p && (ta != OP_N || to.ld != a.ld)) || (to.p == b.p && (tb != OP_N || to.ld != b.ld)));
    if (c.status)
        return c.status;
    Sum s = {.ta = ta, .tb = tb, .m = m, .n = n, .letter = letter, .a = a, .b = b, .to = to};
    if (c.handle->pointer == POINTER_DEVICE) {
        s.alpha = alpha;
        s.beta  = beta;
        call_memory(&c, alpha, c.element, LIBRARY_READS);
        call_memory(&c, beta, c.element, LIBRARY_READS);
    } else {
        memcpy(s.host[0], alpha, c.element);
        memcpy(s.host[1], beta, c.element);
    }
    Complex x = s.alpha ? (Complex){1, 0} : load(letter, alpha, 0),
            y = s.beta ? (Complex){1, 0} : load(letter, beta, 0);
    if (x.re != 0 || x.im != 0)
        call_matrix(&c, a.p, a.ld, ta == OP_N ? m : n, ta == OP_N ? n : m, LIBRARY_READS);
    if (y.re != 0 || y.im != 0)
        call_matrix(&c, b.p, b.ld, tb == OP_N ? m : n, tb == OP_N ? n : m, LIBRARY_READS);
    call_matrix(&c, to.p, to.ld, m, n, LIBRARY_WRITES);
    c.work.compute = add;
    c.work.args    = &s;
    c.work.bytes   = sizeof s;
    return call_end(&c, !m || !n);
}

typedef struct Scaled {
    int         side;
    int64_t     m, n, stride;
    char        letter;
    Matrix      a, to;
    const void *x;
} Scaled;

static void scale(const void *args)
{
    const Scaled *s     = args;
    int64_t       count = s->side == SIDE_LEFT ? s->m : s->n, first = s->stride < 0 ? (1 - count) * s->stride : 0;
    for (int64_t j = 0; j < s->n; j++)
        for (int64_t i = 0; i < s->m; i++) {
            Complex f = load(s->letter, s->x, first + (s->side == SIDE_LEFT ? i : j) * s->stride);
            put(s->letter, (void *)(uintptr_t)s->to.p, j * s->to.ld + i,
                product(f, load(s->letter, s->a.p, j * s->a.ld + i)));
        }
}

static Blas dgmm(void *handle, char letter, const char *name, int side, int64_t m, int64_t n, Matrix a, const void *x,
                 int64_t stride, Matrix to)
{
    Call   c = call_begin(handle, letter, name, "");
    Scaled s = {side, m, n, stride, letter, a, to, x};
    call_refuse(&c, m < 0 || n < 0 || side < SIDE_LEFT || side > SIDE_RIGHT);
    call_matrix(&c, a.p, a.ld, m, n, LIBRARY_READS);
    call_vector(&c, x, side == SIDE_LEFT ? m : n, stride, LIBRARY_READS);
    call_matrix(&c, to.p, to.ld, m, n, LIBRARY_WRITES);
    c.work.compute = scale;
    c.work.args    = &s;
    c.work.bytes   = sizeof s;
    return call_end(&c, !m || !n);
}

/* ---- the functions ---- */

#define M(p, ld)                                                                                                       \
    (Matrix)                                                                                                           \
    {                                                                                                                  \
        p, (int64_t)(ld)                                                                                               \
    }
#define FUNCTIONS(L, l, X, Int)                                                                                        \
    Blas cublas##L##gemm_v2##X(void *h, int ta, int tb, Int m, Int n, Int k, const void *alpha, const void *a,         \
                               Int lda, const void *b, Int ldb, const void *beta, void *c, Int ldc)                    \
    {                                                                                                                  \
        return gemm(h, l, "cublas" #L "gemm", "gemm", ta, tb, m, n, k, alpha, M(a, lda), M(b, ldb), beta, M(c, ldc));  \
    }                                                                                                                  \
    Blas cublas##L##symm_v2##X(void *h, int side, int fill, Int m, Int n, const void *alpha, const void *a, Int lda,   \
                               const void *b, Int ldb, const void *beta, void *c, Int ldc)                             \
    {                                                                                                                  \
        return symm(h, l, "cublas" #L "symm", "symm", side, fill, m, n, alpha, M(a, lda), M(b, ldb), beta, M(c, ldc)); \
    }                                                                                                                  \
    Blas cublas##L##syrk_v2##X(void *h, int fill, int trans, Int n, Int k, const void *alpha, const void *a, Int lda,  \
                               const void *beta, void *c, Int ldc)                                                     \
    {                                                                                                                  \
        size_t e = l == 's' ? 4 : l == 'z' ? 16 : 8;                                                                   \
        return syrk(h, l, "cublas" #L "syrk", "syrk", fill, trans, n, k, alpha, e, M(a, lda), NULL, beta, e,           \
                    M(c, ldc));                                                                                        \
    }                                                                                                                  \
    Blas cublas##L##syr2k_v2##X(void *h, int fill, int trans, Int n, Int k, const void *alpha, const void *a, Int lda, \
                                const void *b, Int ldb, const void *beta, void *c, Int ldc)                            \
    {                                                                                                                  \
        size_t e = l == 's' ? 4 : l == 'z' ? 16 : 8;                                                                   \
        return syrk(h, l, "cublas" #L "syr2k", "syr2k", fill, trans, n, k, alpha, e, M(a, lda), &M(b, ldb), beta, e,   \
                    M(c, ldc));                                                                                        \
    }                                                                                                                  \
    Blas cublas##L##trsm_v2##X(void *h, int side, int fill, int trans, int diag, Int m, Int n, const void *alpha,      \
                               const void *a, Int lda, void *b, Int ldb)                                               \
    {                                                                                                                  \
        return triangle(h, l, "cublas" #L "trsm", "trsm", side, fill, trans, diag, m, n, alpha, M(a, lda), M(b, ldb)); \
    }                                                                                                                  \
    Blas cublas##L##trmm_v2##X(void *h, int side, int fill, int trans, int diag, Int m, Int n, const void *alpha,      \
                               const void *a, Int lda, const void *b, Int ldb, void *c, Int ldc)                       \
    {                                                                                                                  \
        return trmm(h, l, "cublas" #L "trmm", side, fill, trans, diag, m, n, alpha, M(a, lda), M(b, ldb), M(c, ldc));  \
    }                                                                                                                  \
    Blas cublas##L##geam##X(void *h, int ta, int tb, Int m, Int n, const void *alpha, const void *a, Int lda,          \
                            const void *beta, const void *b, Int ldb, void *c, Int ldc)                                \
    {                                                                                                                  \
        return geam(h, l, "cublas" #L "geam", ta, tb, m, n, alpha, M(a, lda), beta, M(b, ldb), M(c, ldc));             \
    }                                                                                                                  \
    Blas cublas##L##dgmm##X(void *h, int side, Int m, Int n, const void *a, Int lda, const void *x, Int incx, void *c, \
                            Int ldc)                                                                                   \
    {                                                                                                                  \
        return dgmm(h, l, "cublas" #L "dgmm", side, m, n, M(a, lda), x, incx, M(c, ldc));                              \
    }
WIDTHS(FUNCTIONS, S, 's')
WIDTHS(FUNCTIONS, D, 'd')
WIDTHS(FUNCTIONS, C, 'c')
WIDTHS(FUNCTIONS, Z, 'z')

/* Of Hermitian matrices; real: bytes of a real factor. */
#define HERMITIAN(L, l, real, X, Int)                                                                                  \
    Blas cublas##L##hemm_v2##X(void *h, int side, int fill, Int m, Int n, const void *alpha, const void *a, Int lda,   \
                               const void *b, Int ldb, const void *beta, void *c, Int ldc)                             \
    {                                                                                                                  \
        return symm(h, l, "cublas" #L "hemm", "hemm", side, fill, m, n, alpha, M(a, lda), M(b, ldb), beta, M(c, ldc)); \
    }                                                                                                                  \
    Blas cublas##L##herk_v2##X(void *h, int fill, int trans, Int n, Int k, const void *alpha, const void *a, Int lda,  \
                               const void *beta, void *c, Int ldc)                                                     \
    {                                                                                                                  \
        return syrk(h, l, "cublas" #L "herk", "herk", fill, trans, n, k, alpha, real, M(a, lda), NULL, beta, real,     \
                    M(c, ldc));                                                                                        \
    }                                                                                                                  \
    Blas cublas##L##her2k_v2##X(void *h, int fill, int trans, Int n, Int k, const void *alpha, const void *a, Int lda, \
                                const void *b, Int ldb, const void *beta, void *c, Int ldc)                            \
    {                                                                                                                  \
        return syrk(h, l, "cublas" #L "her2k", "her2k", fill, trans, n, k, alpha, 2 * (real), M(a, lda), &M(b, ldb),   \
                    beta, real, M(c, ldc));                                                                            \
    }
WIDTHS(HERMITIAN, C, 'c', 4)
WIDTHS(HERMITIAN, Z, 'z', 8)

/* Three real products for four: another order of the same sums. */
#define THREE(L, l, X, Int)                                                                                            \
    Blas cublas##L##gemm3m##X(void *h, int ta, int tb, Int m, Int n, Int k, const void *alpha, const void *a, Int lda, \
                              const void *b, Int ldb, const void *beta, void *c, Int ldc)                              \
    {                                                                                                                  \
        return gemm(h, l, "cublas" #L "gemm3m", "gemm", ta, tb, m, n, k, alpha, M(a, lda), M(b, ldb), beta,            \
                    M(c, ldc));                                                                                        \
    }
WIDTHS(THREE, C, 'c')
WIDTHS(THREE, Z, 'z')

/* ---- cublasXt ---- */

#define XT(L, l)                                                                                                       \
    Blas cublasXt##L##gemm(void *h, int ta, int tb, size_t m, size_t n, size_t k, const void *alpha, const void *a,    \
                           size_t lda, const void *b, size_t ldb, const void *beta, void *c, size_t ldc)               \
    {                                                                                                                  \
        return gemm(h, l, "cublasXt" #L "gemm", "gemm", ta, tb, (int64_t)m, (int64_t)n, (int64_t)k, alpha, M(a, lda),  \
                    M(b, ldb), beta, M(c, ldc));                                                                       \
    }                                                                                                                  \
    Blas cublasXt##L##symm(void *h, int side, int fill, size_t m, size_t n, const void *alpha, const void *a,          \
                           size_t lda, const void *b, size_t ldb, const void *beta, void *c, size_t ldc)               \
    {                                                                                                                  \
        return symm(h, l, "cublasXt" #L "symm", "symm", side, fill, (int64_t)m, (int64_t)n, alpha, M(a, lda),          \
                    M(b, ldb), beta, M(c, ldc));                                                                       \
    }                                                                                                                  \
    Blas cublasXt##L##syrk(void *h, int fill, int trans, size_t n, size_t k, const void *alpha, const void *a,         \
                           size_t lda, const void *beta, void *c, size_t ldc)                                          \
    {                                                                                                                  \
        size_t e = number_bytes(number_type(l));                                                                       \
        return syrk(h, l, "cublasXt" #L "syrk", "syrk", fill, trans, (int64_t)n, (int64_t)k, alpha, e, M(a, lda),      \
                    NULL, beta, e, M(c, ldc));                                                                         \
    }                                                                                                                  \
    Blas cublasXt##L##syr2k(void *h, int fill, int trans, size_t n, size_t k, const void *alpha, const void *a,        \
                            size_t lda, const void *b, size_t ldb, const void *beta, void *c, size_t ldc)              \
    {                                                                                                                  \
        size_t e = number_bytes(number_type(l));                                                                       \
        return syrk(h, l, "cublasXt" #L "syr2k", "syr2k", fill, trans, (int64_t)n, (int64_t)k, alpha, e, M(a, lda),    \
                    &M(b, ldb), beta, e, M(c, ldc));                                                                   \
    }                                                                                                                  \
    Blas cublasXt##L##trsm(void *h, int side, int fill, int trans, int diag, size_t m, size_t n, const void *alpha,    \
                           const void *a, size_t lda, void *b, size_t ldb)                                             \
    {                                                                                                                  \
        return triangle(h, l, "cublasXt" #L "trsm", "trsm", side, fill, trans, diag, (int64_t)m, (int64_t)n, alpha,    \
                        M(a, lda), M(b, ldb));                                                                         \
    }                                                                                                                  \
    Blas cublasXt##L##trmm(void *h, int side, int fill, int trans, int diag, size_t m, size_t n, const void *alpha,    \
                           const void *a, size_t lda, const void *b, size_t ldb, void *c, size_t ldc)                  \
    {                                                                                                                  \
        return trmm(h, l, "cublasXt" #L "trmm", side, fill, trans, diag, (int64_t)m, (int64_t)n, alpha, M(a, lda),     \
                    M(b, ldb), M(c, ldc));                                                                             \
    }
XT(S, 's')
XT(D, 'd')
XT(C, 'c')
XT(Z, 'z')

#define XT_HERMITIAN(L, l, real)                                                                                       \
    Blas cublasXt##L##hemm(void *h, int side, int fill, size_t m, size_t n, const void *alpha, const void *a,          \
                           size_t lda, const void *b, size_t ldb, const void *beta, void *c, size_t ldc)               \
    {                                                                                                                  \
        return symm(h, l, "cublasXt" #L "hemm", "hemm", side, fill, (int64_t)m, (int64_t)n, alpha, M(a, lda),          \
                    M(b, ldb), beta, M(c, ldc));                                                                       \
    }                                                                                                                  \
    Blas cublasXt##L##herk(void *h, int fill, int trans, size_t n, size_t k, const void *alpha, const void *a,         \
                           size_t lda, const void *beta, void *c, size_t ldc)                                          \
    {                                                                                                                  \
        return syrk(h, l, "cublasXt" #L "herk", "herk", fill, trans, (int64_t)n, (int64_t)k, alpha, real, M(a, lda),   \
                    NULL, beta, real, M(c, ldc));                                                                      \
    }                                                                                                                  \
    Blas cublasXt##L##her2k(void *h, int fill, int trans, size_t n, size_t k, const void *alpha, const void *a,        \
                            size_t lda, const void *b, size_t ldb, const void *beta, void *c, size_t ldc)              \
    {                                                                                                                  \
        return syrk(h, l, "cublasXt" #L "her2k", "her2k", fill, trans, (int64_t)n, (int64_t)k, alpha, 2 * (real),      \
                    M(a, lda), &M(b, ldb), beta, real, M(c, ldc));                                                     \
    }
XT_HERMITIAN(C, 'c', 4)
XT_HERMITIAN(Z, 'z', 8)
