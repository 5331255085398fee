/* SPDX-License-Identifier: Apache-2.0
 *
 * cusolverSp in all four types, on the device and on the host: solutions are put into their systems, eigenvectors into their matrices, least squares into
 * the normal equations; matrices whose columns depend on each other; the steps, shifts and batches of QR; LU's factors. */
#include <complex.h>
#include <cusolverSp.h>
#include <cusolverSp_LOWLEVEL_PREVIEW.h>
#include <cusparse.h>

#include "common.h"

enum { N = 10, MOST = 16 };

typedef double complex Z;

static cusolverSpHandle_t h;
static cusparseMatDescr_t d;

/* A matrix of m x n as it is, by rows, and as cusolverSp takes it. */
static Z   dense[MOST * MOST], b[MOST];
static int m, n, offset[MOST + 1], column[MOST * MOST], nonzeros;

/* ---- the types ---- */

typedef struct Memory { /* of the host or of the device */
    void *values, *b, *x, *value;
    int  *offsets, *columns;
} Memory;

typedef struct Kind {
    const char *name;
    size_t      bytes;
    int         is_complex;
    double      tolerance;
    void (*put)(void *p, int i, Z x);
    Z (*get)(const void *p, int i);
    int (*solve)(int how, int host, int reorder, const Memory *a, int *at); /* how: 0 QR, 1 Cholesky, 2 LU */
    int (*eigen)(int host, Z guess, const Memory *a);
    int (*least)(const Memory *a, int *rank, int *p, double *distance);
    int (*steps)(Z shift, const Memory *a, int batch, csrqrInfo_t info, int *at);
    int (*cholesky)(const Memory *a, csrcholInfo_t info, int *at);
    int (*lu)(const Memory *a, csrluInfoHost_t info, int *p, int *q, void *vl, int *ol, int *cl, void *vu, int *ou,
              int *cu);
} Kind;

static cuComplex single(Z x)
{
    return make_cuComplex((float)creal(x), (float)cimag(x));
}

static cuDoubleComplex pair(Z x)
{
    return make_cuDoubleComplex(creal(x), cimag(x));
}

#define SYSTEM(T) h, n, nonzeros, d, (const T *)a->values, a->offsets, a->columns
#define FUNCTIONS(L, T, Real, SET, MAKE)                                                                               \
    static void put_##L(void *p, int i, Z x)                                                                           \
    {                                                                                                                  \
        SET(((T *)p)[i], x);                                                                                           \
    }                                                                                                                  \
    static int solve_##L(int how, int host, int reorder, const Memory *a, int *at)                                     \
    {                                                                                                                  \
        const T   *right = a->b;                                                                                       \
        T         *x     = a->x;                                                                                       \
        const Real small = sizeof(Real) == 4 ? (Real)1e-6 : (Real)1e-12;                                               \
        if (how == 2)                                                                                                  \
            return cusolverSp##L##csrlsvluHost(SYSTEM(T), right, small, reorder, x, at);                               \
        if (how == 1)                                                                                                  \
            return host ? cusolverSp##L##csrlsvcholHost(SYSTEM(T), right, small, reorder, x, at)                       \
                        : cusolverSp##L##csrlsvchol(SYSTEM(T), right, small, reorder, x, at);                          \
        return host ? cusolverSp##L##csrlsvqrHost(SYSTEM(T), right, small, reorder, x, at)                             \
                    : cusolverSp##L##csrlsvqr(SYSTEM(T), right, small, reorder, x, at);                                \
    }                                                                                                                  \
    static int eigen_##L(int host, Z guess, const Memory *a)                                                           \
    {                                                                                                                  \
        const Real small = sizeof(Real) == 4 ? (Real)1e-5 : (Real)1e-11;                                               \
        return host ? cusolverSp##L##csreigvsiHost(SYSTEM(T), MAKE(guess), (const T *)a->b, 2000, small,               \
                                                   (T *)a->value, (T *)a->x)                                           \
                    : cusolverSp##L##csreigvsi(SYSTEM(T), MAKE(guess), (const T *)a->b, 2000, small, (T *)a->value,    \
                                               (T *)a->x);                                                             \
    }                                                                                                                  \
    static int least_##L(const Memory *a, int *rank, int *p, double *distance)                                         \
    {                                                                                                                  \
        Real norm = -1;                                                                                                \
        int  e    = cusolverSp##L##csrlsqvqrHost(h, m, n, nonzeros, d, (const T *)a->values, a->offsets, a->columns,   \
                                                 (const T *)a->b, (Real)1e-5, rank, (T *)a->x, p, &norm);              \
        *distance = (double)norm;                                                                                      \
        return e;                                                                                                      \
    }                                                                                                                  \
    static int steps_##L(Z shift, const Memory *a, int batch, csrqrInfo_t info, int *at)                               \
    {                                                                                                                  \
        size_t inside, work;                                                                                           \
        int    e = cusolverSpXcsrqrAnalysis(h, n, n, nonzeros, d, a->offsets, a->columns, info);                       \
        if (batch) /* one after the other: values, right sides and solutions */                                        \
            return e ||                                                                                                \
                   cusolverSp##L##csrqrBufferInfoBatched(h, n, n, nonzeros, d, (const T *)a->values, a->offsets,       \
                                                         a->columns, batch, info, &inside, &work) ||                   \
                   cusolverSp##L##csrqrsvBatched(h, n, n, nonzeros, d, (const T *)a->values, a->offsets, a->columns,   \
                                                 (const T *)a->b, (T *)a->x, batch, info, a->value);                   \
        return e ||                                                                                                    \
               cusolverSp##L##csrqrBufferInfo(h, n, n, nonzeros, d, (const T *)a->values, a->offsets, a->columns,      \
                                              info, &inside, &work) ||                                                 \
               cusolverSp##L##csrqrSetup(h, n, n, nonzeros, d, (const T *)a->values, a->offsets, a->columns,           \
                                         MAKE(shift), info) ||                                                         \
               cusolverSp##L##csrqrFactor(h, n, n, nonzeros, NULL, NULL, info, a->value) ||                            \
               cusolverSp##L##csrqrZeroPivot(h, info, (Real)1e-6, at) ||                                               \
               cusolverSp##L##csrqrSolve(h, n, n, (T *)a->b, (T *)a->x, info, a->value);                               \
    }                                                                                                                  \
    static int cholesky_##L(const Memory *a, csrcholInfo_t info, int *at)                                              \
    {                                                                                                                  \
        return cusolverSpXcsrcholAnalysis(h, n, nonzeros, d, a->offsets, a->columns, info) ||                          \
               cusolverSp##L##csrcholFactor(SYSTEM(T), info, a->value) ||                                              \
               cusolverSp##L##csrcholZeroPivot(h, info, (Real)1e-6, at) ||                                             \
               cusolverSp##L##csrcholSolve(h, n, (const T *)a->b, (T *)a->x, info, a->value);                          \
    }                                                                                                                  \
    static int lu_##L(const Memory *a, csrluInfoHost_t info, int *p, int *q, void *vl, int *ol, int *cl, void *vu,     \
                      int *ou, int *cu)                                                                                \
    {                                                                                                                  \
        return cusolverSpXcsrluAnalysisHost(h, n, nonzeros, d, a->offsets, a->columns, info) ||                        \
               cusolverSp##L##csrluFactorHost(SYSTEM(T), info, (Real)1, NULL) ||                                       \
               cusolverSp##L##csrluSolveHost(h, n, (const T *)a->b, (T *)a->x, info, NULL) ||                          \
               cusolverSp##L##csrluExtractHost(h, p, q, d, (T *)vl, ol, cl, d, (T *)vu, ou, cu, info, NULL);           \
    }
#define SET_REAL(to, v)    to = creal(v)
#define SET_COMPLEX(to, v) to.x = creal(v), to.y = cimag(v)
FUNCTIONS(S, float, float, SET_REAL, (float)creal)
FUNCTIONS(D, double, double, SET_REAL, creal)
FUNCTIONS(C, cuComplex, float, SET_COMPLEX, single)
FUNCTIONS(Z, cuDoubleComplex, double, SET_COMPLEX, pair)

static Z get_S(const void *p, int i)
{
    return ((const float *)p)[i];
}

static Z get_D(const void *p, int i)
{
    return ((const double *)p)[i];
}

static Z get_C(const void *p, int i)
{
    return ((const cuComplex *)p)[i].x + I * ((const cuComplex *)p)[i].y;
}

static Z get_Z(const void *p, int i)
{
    return ((const cuDoubleComplex *)p)[i].x + I * ((const cuDoubleComplex *)p)[i].y;
}

#define KIND(L, bytes, is_complex, tolerance)                                                                          \
    {                                                                                                                  \
#L, bytes, is_complex, tolerance, put_##L, get_##L, solve_##L, eigen_##L, least_##L, steps_##L, cholesky_##L,  \
            lu_##L                                                                                                     \
    }
static const Kind  kinds[] = {KIND(S, 4, 0, 2e-5), KIND(D, 8, 0, 1e-11), KIND(C, 8, 1, 2e-5), KIND(Z, 16, 1, 1e-11)};
static const Kind *k; /* the one that is tried */

/* ---- matrices ---- */

/* The numbers that the type holds. */
static Z number(void)
{
    float re = (float)random_number(), im = (float)random_number();
    return k->is_complex ? re + I * im : re;
}

static void compress(int base)
{
    nonzeros = 0;
    for (int i = 0; i < m; i++) {
        offset[i] = nonzeros + base;
        for (int j = 0; j < n; j++)
            if (dense[i * n + j] != 0)
                column[nonzeros++] = j + base;
    }
    offset[m] = nonzeros + base;
    cusparseSetMatIndexBase(d, base ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO);
}

/* Its own conjugate transpose, or nothing of that kind; either way it has an inverse. */
static void make(int hermitian, int base)
{
    m = n = N;
    for (int i = 0; i < N; i++) {
        b[i] = number();
        for (int j = 0; j <= i; j++) {
            Z x = number(), y = number();
            dense[i * N + j] = i == j ? 4 + creal(x) + i : creal(x) > 0.1 ? x : 0;
            dense[j * N + i] = i == j || hermitian ? conj(dense[i * N + j]) : creal(y) > 0.1 ? y : 0;
        }
    }
    for (int i = 0; i < N && !hermitian; i++)
        dense[i * N + i] *= k->is_complex ? I : 1;
    compress(base);
}

static void fill(void *values)
{
    for (int i = 0; i < m; i++)
        for (int at = offset[i] - offset[0]; at < offset[i + 1] - offset[0]; at++)
            k->put(values, at, dense[i * n + column[at] - offset[0]]);
}

static Memory memory(int host, int systems)
{
    static char values[MOST * MOST * 16 * 4], right[MOST * 16 * 4], x[MOST * 16 * 4], value[64];
    for (int s = 0; s < systems; s++) {
        fill(values + (size_t)(s * nonzeros) * k->bytes);
        for (int i = 0; i < m; i++)
            k->put(right, s * m + i, b[i] * (s + 1));
    }
    memset(x, 0, sizeof x);
    if (host)
        return (Memory){values, right, x, value, offset, column};
    return (Memory){
        device(values, (size_t)(nonzeros * systems) * k->bytes), device(right, (size_t)(m * systems) * k->bytes),
        device(NULL, (size_t)(n * systems) * k->bytes),          device(NULL, 64),
        device(offset, (size_t)(m + 1) * sizeof(int)),           device(column, (size_t)nonzeros * sizeof(int))};
}

static void take(Z *to, const void *from, int host, int count)
{
    char bytes[MOST * 16 * 4];
    if (host)
        memcpy(bytes, from, (size_t)count * k->bytes);
    else
        fetch(bytes, from, (size_t)count * k->bytes);
    for (int i = 0; i < count; i++)
        to[i] = k->get(bytes, i);
}

static void release(const Memory *a, int host)
{
    if (!host)
        cudaFree(a->values), cudaFree(a->b), cudaFree(a->x), cudaFree(a->value), cudaFree(a->offsets),
            cudaFree(a->columns);
}

/* |a x - shift x - value| for the right side times `scale`. */
static double residual(const Z *x, Z shift, const Z *right, double scale)
{
    double worst = 0;
    for (int i = 0; i < m; i++) {
        Z sum = -scale * right[i];
        for (int j = 0; j < n; j++)
            sum += (dense[i * n + j] - (i == j ? shift : 0)) * x[j];
        worst = fmax(worst, cabs(sum));
    }
    return worst;
}

#define EACH_KIND for (k = kinds; k < kinds + 4; k++)
#define IN_KIND(condition)                                                                                             \
    do {                                                                                                               \
        int good = !!(condition);                                                                                      \
        if (!good)                                                                                                     \
            printf("type %s: ", k->name);                                                                              \
        expect_at(good, #condition, __LINE__);                                                                         \
    } while (0)

/* ---- parts ---- */

static void solves(void)
{
    EACH_KIND
    {
        for (int how = 0; how < 3; how++)
            for (int host = how == 2; host < 2; host++)
                for (int reorder = 0; reorder < 4; reorder++) {
                    Z   x[MOST];
                    int at = 7;
                    make(how == 1, reorder & 1);
                    Memory a = memory(host, 1);
                    GOOD(k->solve(how, host, reorder, &a, &at));
                    take(x, a.x, host, n);
                    IN_KIND(at == -1 && residual(x, 0, b, 1) < k->tolerance);
                    release(&a, host);
                }
        for (int host = 0; host < 2; host++) { /* column 4 is twice column 2 */
            int at = 7;
            make(0, 0);
            for (int i = 0; i < N; i++)
                dense[i * N + 4] = 2 * dense[i * N + 2];
            compress(0);
            Memory a = memory(host, 1);
            GOOD(k->solve(0, host, 0, &a, &at));
            IN_KIND(at >= 0 && at < N);
            for (int i = 0; i < N && host; i++)
                IN_KIND(k->get(a.x, i) == 0);
            release(&a, host);
        }
    }
}

/* The eigenvalue of a Hermitian matrix next to a guess, of one that is none, and where the guess is an eigenvalue. */
static void eigen(void)
{
    EACH_KIND
    for (int how = 0; how < 3; how++) {
        Z found[2], guess = k->is_complex && how == 1 ? 0.5 + 9.3 * I : 9.3;
        make(how != 1, how & 1);
        for (int i = 0; i < N; i++) {
            b[i] = 1 + (double)i / 16;
            for (int j = 0; j < N && how == 2; j++)
                dense[i * N + j] = i == j ? i + 1 : 0;
        }
        if (how == 2)
            compress(0), guess = 6;
        for (int host = 0; host < 2; host++) {
            Z      x[MOST], value, zero[MOST] = {0};
            double length = 0;
            Memory a      = memory(host, 1);
            GOOD(k->eigen(host, guess, &a));
            take(x, a.x, host, n), take(&value, a.value, host, 1);
            for (int i = 0; i < N; i++)
                length += creal(x[i] * conj(x[i]));
            IN_KIND(fabs(length - 1) < k->tolerance && residual(x, value, zero, 0) < 20 * k->tolerance);
            IN_KIND(cabs(value - guess) < 2 && (how == 1 || fabs(cimag(value)) < k->tolerance));
            found[host] = value;
            release(&a, host);
        }
        IN_KIND(cabs(found[0] - found[1]) < k->tolerance);
        IN_KIND(how != 2 || cabs(found[0] - 6) < k->tolerance);
    }
}

/* Of all columns that are independent: the rest is orthogonal to every column, and as long as it says. */
static void least(void)
{
    EACH_KIND
    for (int how = 0; how < 4; how++) { /* columns that depend on others: none, one, two of which one is empty, all */
        Z      x[MOST], rest[MOST];
        double sum  = 0, distance;
        int    rank = -1, p[MOST], seen[MOST] = {0}, want[] = {6, 5, 4, 0};
        m = 9, n = 6;
        for (int i = 0; i < m; i++) {
            b[i] = number();
            for (int j = 0; j < n; j++)
                dense[i * n + j] = (i + j) % 3 ? number() : 0;
            if (how >= 1)
                dense[i * n + 3] = dense[i * n] + dense[i * n + 1];
            if (how == 2)
                dense[i * n + 5] = 0;
        }
        compress(how & 1);
        Memory a = memory(1, 1);
        for (int i = 0; i < nonzeros && how == 3; i++)
            k->put(a.values, i, 0);
        for (int i = 0; i < m * n && how == 3; i++)
            dense[i] = 0;
        GOOD(k->least(&a, &rank, p, &distance));
        take(x, a.x, 1, n);
        for (int i = 0; i < m; i++) {
            rest[i] = b[i];
            for (int j = 0; j < n; j++)
                rest[i] -= dense[i * n + j] * x[j];
            sum += creal(rest[i] * conj(rest[i]));
        }
        IN_KIND(rank == want[how] && fabs(sqrt(sum) - distance) < k->tolerance);
        for (int j = 0; j < n; j++) {
            Z inner = 0;
            for (int i = 0; i < m; i++)
                inner += conj(dense[i * n + j]) * rest[i];
            IN_KIND(cabs(inner) < k->tolerance);
            IN_KIND(p[j] >= 0 && p[j] < n && !seen[p[j]]++);
            IN_KIND(j < rank || x[p[j]] == 0);
        }
    }
}

static void steps(void)
{
    EACH_KIND
    for (int batch = 0; batch < 4; batch += 3) {
        csrqrInfo_t   qr;
        csrcholInfo_t cholesky;
        Z             x[3 * MOST], shift = k->is_complex ? 0.25 - 0.5 * I : 0.25;
        int           at = 7;
        GOOD(cusolverSpCreateCsrqrInfo(&qr)), GOOD(cusolverSpCreateCsrcholInfo(&cholesky));
        make(0, batch & 1);
        Memory a = memory(0, batch ? batch : 1);
        GOOD(k->steps(batch ? 0 : shift, &a, batch, qr, &at));
        take(x, a.x, 0, batch ? batch * n : n);
        for (int s = 0; s < (batch ? batch : 1); s++)
            IN_KIND(residual(x + s * n, batch ? 0 : shift, b, s + 1) < 4 * k->tolerance);
        IN_KIND(batch || at == -1);
        release(&a, 0);
        make(1, batch & 1);
        a  = memory(0, 1);
        at = 7;
        GOOD(k->cholesky(&a, cholesky, &at));
        take(x, a.x, 0, n);
        IN_KIND(at == -1 && residual(x, 0, b, 1) < k->tolerance);
        release(&a, 0);
        GOOD(cusolverSpDestroyCsrqrInfo(qr)), GOOD(cusolverSpDestroyCsrcholInfo(cholesky));
    }
}

static void factors(void)
{
    EACH_KIND
    for (int base = 0; base < 2; base++) {
        csrluInfoHost_t lu;
        Z               x[MOST], product[N * N] = {0};
        int             p[N], q[N], ol[N + 1], ou[N + 1], cl[N * N], cu[N * N];
        char            vl[N * N * 16], vu[N * N * 16];
        GOOD(cusolverSpCreateCsrluInfoHost(&lu));
        make(0, base);
        Memory a = memory(1, 1);
        GOOD(k->lu(&a, lu, p, q, vl, ol, cl, vu, ou, cu));
        take(x, a.x, 1, n);
        IN_KIND(residual(x, 0, b, 1) < k->tolerance);
        for (int i = 0; i < N; i++)
            for (int s = ol[i] - base; s < ol[i + 1] - base; s++)
                for (int t = ou[cl[s] - base] - base; t < ou[cl[s] - base + 1] - base; t++)
                    product[i * N + cu[t] - base] += k->get(vl, s) * k->get(vu, t);
        for (int i = 0; i < N * N; i++)
            IN_KIND(cabs(product[i] - dense[p[i / N] * N + q[i % N]]) < k->tolerance);
        GOOD(cusolverSpDestroyCsrluInfoHost(lu));
    }
}

int main(int argc, char **argv)
{
    static const Part parts[] = {
        {"solves", solves}, {"eigen", eigen}, {"least", least}, {"steps", steps}, {"factors", factors}};
    GOOD(cusolverSpCreate(&h)), GOOD(cusparseCreateMatDescr(&d));
    int r = run_parts(parts, sizeof parts / sizeof *parts, argc, argv);
    return cusparseDestroyMatDescr(d) || cusolverSpDestroy(h) || r;
}
