/* SPDX-License-Identifier: Apache-2.0
 *
 * cusolverSp on random sparse matrices that are also kept dense: every solution is put into its system, orders must be permutations, LU's factors
 * must give the matrix; singular matrices; statuses. */
#include <cusolverSp.h>
#include <cusolverSp_LOWLEVEL_PREVIEW.h>
#include <cusparse.h>

#include "common.h"

enum { N = 12, MOST = N * N };

static cusolverSpHandle_t h;
static cusparseMatDescr_t d;
static double             dense[MOST], value[MOST], b[N]; /* by rows */
static int                offset[N + 1], column[MOST], nonzeros;
static double            *dv, *db, *dx;
static int               *dof, *dc;

static void make(int symmetric, int base)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++) {
            double x = random_number(), y = random_number();
            dense[i * N + j] = i == j ? 8 + x : x > 0.1 ? x : 0;
            dense[j * N + i] = i == j || symmetric ? dense[i * N + j] : y > 0.1 ? y : 0;
        }
    if (!symmetric) /* LU has to choose */
        dense[0] = 0, dense[1] = 3, dense[N] = 2;
    nonzeros = 0;
    for (int i = 0; i < N; i++) {
        offset[i] = nonzeros + base;
        b[i]      = random_number();
        for (int j = 0; j < N; j++)
            if (dense[i * N + j] != 0)
                value[nonzeros] = dense[i * N + j], column[nonzeros++] = j + base;
    }
    offset[N] = nonzeros + base;
    cusparseSetMatIndexBase(d, base ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO);
    cudaFree(dv), cudaFree(db), cudaFree(dx), cudaFree(dof), cudaFree(dc);
    dv = device(value, (size_t)nonzeros * 8), db = device(b, sizeof b), dx = device(NULL, sizeof b);
    dof = device(offset, sizeof offset), dc = device(column, (size_t)nonzeros * 4);
}

static int solved(const double *x)
{
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int j = 0; j < N; j++)
            sum += dense[i * N + j] * x[j];
        if (!near(sum, b[i], 1e-12))
            return 0;
    }
    return 1;
}

static void solves(void)
{
    for (int how = 0; how < 8; how++) {
        double x[N];
        int    at = 7, reorder = how / 2;
        make(how & 1, how & 1);
        GOOD(cusolverSpDcsrlsvqr(h, N, nonzeros, d, dv, dof, dc, db, 1e-12, reorder, dx, &at));
        fetch(x, dx, sizeof x);
        EXPECT(at == -1 && solved(x));
        GOOD(cusolverSpDcsrlsvqrHost(h, N, nonzeros, d, value, offset, column, b, 1e-12, reorder, x, &at));
        EXPECT(at == -1 && solved(x));
        memset(x, 0, sizeof x);
        GOOD(cusolverSpDcsrlsvluHost(h, N, nonzeros, d, value, offset, column, b, 1e-12, reorder, x, &at));
        EXPECT(at == -1 && solved(x));
        if (!(how & 1))
            continue;
        memset(x, 0, sizeof x);
        GOOD(cusolverSpDcsrlsvcholHost(h, N, nonzeros, d, value, offset, column, b, 1e-12, reorder, x, &at));
        EXPECT(at == -1 && solved(x));
        GOOD(cudaMemset(dx, 0, sizeof x));
        GOOD(cusolverSpDcsrlsvchol(h, N, nonzeros, d, dv, dof, dc, db, 1e-12, reorder, dx, &at));
        fetch(x, dx, sizeof x);
        EXPECT(at == -1 && solved(x));
    }
}

static void eigen(void)
{
    double start[N], x[N], mu = 0;
    make(1, 0);
    for (int i = 0; i < N; i++)
        start[i] = 1;
    GOOD(cusolverSpDcsreigvsiHost(h, N, nonzeros, d, value, offset, column, 7.7, start, 400, 1e-10, &mu, x));
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int j = 0; j < N; j++)
            sum += dense[i * N + j] * x[j];
        EXPECT(near(sum, mu * x[i], 1e-9));
    }
    int    rank, p[N], offsets[] = {0, 2, 4, 6}, columns[] = {0, 1, 0, 1, 0, 1}; /* a line through three points */
    double line[] = {1, 0, 1, 1, 1, 2}, y[] = {1, 3, 5}, distance;
    GOOD(cusolverSpDcsrlsqvqrHost(h, 3, 2, 6, d, line, offsets, columns, y, 1e-12, &rank, x, p, &distance));
    EXPECT(rank == 2 && near(x[0], 1, 1e-12) && near(x[1], 2, 1e-12) && near(distance, 0, 1e-12));
}

static void steps(void)
{
    double          x[N];
    size_t          inside, work;
    int             at;
    csrqrInfo_t     qr;
    csrcholInfo_t   chol;
    csrluInfoHost_t lu;
    void           *buffer = device(NULL, 64);
    make(1, 0);
    GOOD(cusolverSpCreateCsrqrInfo(&qr)), GOOD(cusolverSpCreateCsrcholInfo(&chol)),
        GOOD(cusolverSpCreateCsrluInfoHost(&lu));
    GOOD(cusolverSpXcsrqrAnalysis(h, N, N, nonzeros, d, dof, dc, qr));
    GOOD(cusolverSpDcsrqrBufferInfo(h, N, N, nonzeros, d, dv, dof, dc, qr, &inside, &work));
    GOOD(cusolverSpDcsrqrSetup(h, N, N, nonzeros, d, dv, dof, dc, 0, qr));
    GOOD(cusolverSpDcsrqrFactor(h, N, N, nonzeros, NULL, NULL, qr, buffer));
    GOOD(cusolverSpDcsrqrZeroPivot(h, qr, 1e-12, &at));
    GOOD(cusolverSpDcsrqrSolve(h, N, N, db, dx, qr, buffer));
    fetch(x, dx, sizeof x);
    EXPECT(at == -1 && solved(x));
    GOOD(cudaMemset(dx, 0, sizeof x));
    GOOD(cusolverSpDcsrqrsvBatched(h, N, N, nonzeros, d, dv, dof, dc, db, dx, 1, qr, buffer));
    fetch(x, dx, sizeof x);
    EXPECT(solved(x));
    GOOD(cudaMemset(dx, 0, sizeof x));
    GOOD(cusolverSpXcsrcholAnalysis(h, N, nonzeros, d, dof, dc, chol));
    GOOD(cusolverSpDcsrcholFactor(h, N, nonzeros, d, dv, dof, dc, chol, buffer));
    GOOD(cusolverSpDcsrcholZeroPivot(h, chol, 1e-12, &at));
    GOOD(cusolverSpDcsrcholSolve(h, N, db, dx, chol, buffer));
    fetch(x, dx, sizeof x);
    EXPECT(at == -1 && solved(x));
    int    p[N], q[N], nl, nu, ol[N + 1], ou[N + 1], cl[MOST], cu[MOST];
    double vl[MOST], vu[MOST], product[MOST] = {0};
    make(0, 0);
    GOOD(cusolverSpXcsrluAnalysisHost(h, N, nonzeros, d, offset, column, lu));
    GOOD(cusolverSpDcsrluFactorHost(h, N, nonzeros, d, value, offset, column, lu, 1, NULL));
    GOOD(cusolverSpDcsrluSolveHost(h, N, b, x, lu, NULL));
    EXPECT(solved(x));
    GOOD(cusolverSpXcsrluNnzHost(h, &nl, &nu, lu));
    GOOD(cusolverSpDcsrluExtractHost(h, p, q, d, vl, ol, cl, d, vu, ou, cu, lu, NULL));
    EXPECT(ol[N] == nl && ou[N] == nu);
    for (int i = 0; i < N; i++)
        for (int k = ol[i]; k < ol[i + 1]; k++)
            for (int m = ou[cl[k]]; m < ou[cl[k] + 1]; m++)
                product[i * N + cu[m]] += vl[k] * vu[m];
    for (int i = 0; i < MOST; i++)
        EXPECT(near(product[i], dense[p[i / N] * N + q[i % N]], 1e-12));
    GOOD(cusolverSpDestroyCsrqrInfo(qr)), GOOD(cusolverSpDestroyCsrcholInfo(chol)),
        GOOD(cusolverSpDestroyCsrluInfoHost(lu));
    cudaFree(buffer);
}

static void orders(void)
{
    int p[4][N], seen[N], found;
    make(0, 1);
    GOOD(cusolverSpXcsrsymrcmHost(h, N, nonzeros, d, offset, column, p[0]));
    GOOD(cusolverSpXcsrsymamdHost(h, N, nonzeros, d, offset, column, p[1]));
    GOOD(cusolverSpXcsrmetisndHost(h, N, nonzeros, d, offset, column, NULL, p[2]));
    GOOD(cusolverSpDcsrzfdHost(h, N, nonzeros, d, value, offset, column, p[3], &found));
    EXPECT(found == N);
    for (int k = 0; k < 4; k++) {
        memset(seen, 0, sizeof seen);
        for (int i = 0; i < N; i++)
            seen[p[k][i]]++;
        for (int i = 0; i < N; i++)
            EXPECT(seen[i] == 1);
    }
    for (int i = 0; i < N; i++)
        EXPECT(dense[p[3][i] * N + i] != 0);
    int map[MOST], of[N + 1], cols[MOST];
    memcpy(of, offset, sizeof of), memcpy(cols, column, sizeof cols);
    for (int i = 0; i < nonzeros; i++)
        map[i] = i;
    GOOD(cusolverSpXcsrpermHost(h, N, N, nonzeros, d, of, cols, p[0], p[1], map, NULL));
    for (int i = 0; i < N; i++)
        for (int k = of[i] - 1; k < of[i + 1] - 1; k++)
            EXPECT(value[map[k]] == dense[p[0][i] * N + p[1][cols[k] - 1]]);
}

static void statuses(void)
{
    double x[N] = {42};
    int    at   = 7;
    make(1, 0);
    for (int k = offset[5]; k < offset[6]; k++) /* row 5 is zero */
        value[k] = 0;
    GOOD(cusolverSpDcsrlsvqrHost(h, N, nonzeros, d, value, offset, column, b, 1e-12, 0, x, &at));
    EXPECT(at >= 0 && x[0] == 42);
    for (int i = 0; i < N; i++)
        for (int k = offset[i]; k < offset[i + 1]; k++)
            value[k] = column[k] != i ? 0 : i == 4 ? -1 : 1;
    GOOD(cusolverSpDcsrlsvcholHost(h, N, nonzeros, d, value, offset, column, b, 1e-12, 0, x, &at));
    EXPECT(at == 4 && x[0] == 42);
    EXPECT(cusolverSpDcsrlsvqrHost(NULL, N, nonzeros, d, value, offset, column, b, 0, 0, x, &at) ==
           CUSOLVER_STATUS_NOT_INITIALIZED);
    EXPECT(cusolverSpDcsrlsvqrHost(h, N, nonzeros, d, value, offset, column, b, 0, 4, x, &at) ==
           CUSOLVER_STATUS_INVALID_VALUE);
    EXPECT(cusolverSpDcsrlsvqrHost(h, N, nonzeros, NULL, value, offset, column, b, 0, 0, x, &at) ==
           CUSOLVER_STATUS_INVALID_VALUE);
    column[3] = N; /* outside of the matrix */
    EXPECT(cusolverSpDcsrlsvqrHost(h, N, nonzeros, d, value, offset, column, b, 0, 0, x, &at) ==
           CUSOLVER_STATUS_INVALID_VALUE);
    EXPECT(x[0] == 42);
}

/* What is no device memory is told, and nothing is touched; CUDA has failed then. */
static void beyond(void)
{
    int at = 7;
    make(1, 0);
    EXPECT(cusolverSpDcsrlsvqr(h, N, nonzeros, d, dv, dof, dc, (double *)0x40, 0, 0, dx, &at) ==
           CUSOLVER_STATUS_EXECUTION_FAILED);
    EXPECT(at == 7);
}

int main(int argc, char **argv)
{
    static const Part parts[] = {{"solves", solves}, {"eigen", eigen},       {"steps", steps},
                                 {"orders", orders}, {"statuses", statuses}, {"beyond", beyond}};
    GOOD(cusolverSpCreate(&h)), GOOD(cusparseCreateMatDescr(&d));
    int r = run_parts(parts, sizeof parts / sizeof *parts, argc, argv);
    cudaFree(dv), cudaFree(db), cudaFree(dx), cudaFree(dof), cudaFree(dc);
    return cusparseDestroyMatDescr(d) || cusolverSpDestroy(h) || r;
}
