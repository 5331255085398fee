/* SPDX-License-Identifier: Apache-2.0
 *
 * cuSPARSE's pruning of dense and sparse matrices, which only real types have: by a threshold and by a percentage.  Besides: memory that is
 * none of the device's, where its size is found when the work runs. */
#include <cusparse.h>

#include "common.h"

static cusparseHandle_t   h;
static cusparseMatDescr_t d, e; /* of what is read, and of what is made */
static void              *buffer;

static void *room(size_t bytes)
{
    void *p = device(NULL, bytes);
    GOOD(cudaMemset(p, 0xee, bytes));
    return p;
}

static int larger(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* From 5 x 6 dense elements, and from the same as a matrix by rows: what is larger than a threshold, and what a percentage leaves. */
#define PRUNES(L, T)                                                                                                   \
    static void prunes_##L(void)                                                                                       \
    {                                                                                                                  \
        enum { M = 5, N = 6 };                                                                                         \
        T           a[M * N], limit = (T)0.125;                                                                        \
        double      sizes[M * N];                                                                                      \
        int         offset[M + 1], column[M * N];                                                                      \
        pruneInfo_t info;                                                                                              \
        size_t      bytes;                                                                                             \
        cusparseSetMatIndexBase(e, CUSPARSE_INDEX_BASE_ONE);                                                           \
        GOOD(cusparseCreatePruneInfo(&info));                                                                          \
        for (int i = 0; i < M * N; i++) /* by columns */                                                               \
            a[i] = (T)((i * 7 % 30 - 15) / 32.0);                                                                      \
        T by_rows[M * N], *da = device(a, sizeof a);                                                                   \
        for (int i = 0; i < M; i++)                                                                                    \
            for (int j = 0; j < N; j++)                                                                                \
                by_rows[i * N + j] = a[j * M + i], column[i * N + j] = j,                                              \
                                sizes[i * N + j] = fabs((double)a[j * M + i]);                                         \
        for (int i = 0; i <= M; i++)                                                                                   \
            offset[i] = i * N;                                                                                         \
        qsort(sizes, M *N, sizeof *sizes, larger);                                                                     \
        T   *dv = device(by_rows, sizeof by_rows), *cv = room(sizeof a);                                               \
        int *dof = device(offset, sizeof offset), *dc = device(column, sizeof column), *cof = room(sizeof offset),     \
            *cc = room(sizeof column);                                                                                 \
        for (int how = 0; how < 4; how++) {                                                                            \
            double least = how & 1 ? sizes[(int)ceil(30 * 0.35) - 1] : 0.125;                                          \
            int    total = -1, want = 0, of[M + 1], cols[M * N];                                                       \
            T      kept[M * N];                                                                                        \
            if (how == 0) {                                                                                            \
                GOOD(cusparse##L##pruneDense2csr_bufferSizeExt(h, M, N, da, M, &limit, e, cv, cof, cc, &bytes));       \
                GOOD(cusparse##L##pruneDense2csrNnz(h, M, N, da, M, &limit, e, cof, &total, buffer));                  \
                GOOD(cusparse##L##pruneDense2csr(h, M, N, da, M, &limit, e, cv, cof, cc, buffer));                     \
            } else if (how == 1) {                                                                                     \
                GOOD(cusparse##L##pruneDense2csrByPercentage_bufferSizeExt(h, M, N, da, M, 35, e, cv, cof, cc, info,   \
                                                                           &bytes));                                   \
                GOOD(cusparse##L##pruneDense2csrNnzByPercentage(h, M, N, da, M, 35, e, cof, &total, info, buffer));    \
                GOOD(cusparse##L##pruneDense2csrByPercentage(h, M, N, da, M, 35, e, cv, cof, cc, info, buffer));       \
            } else if (how == 2) {                                                                                     \
                GOOD(cusparse##L##pruneCsr2csr_bufferSizeExt(h, M, N, M *N, d, dv, dof, dc, &limit, e, cv, cof, cc,    \
                                                             &bytes));                                                 \
                GOOD(cusparse##L##pruneCsr2csrNnz(h, M, N, M *N, d, dv, dof, dc, &limit, e, cof, &total, buffer));     \
                GOOD(cusparse##L##pruneCsr2csr(h, M, N, M *N, d, dv, dof, dc, &limit, e, cv, cof, cc, buffer));        \
            } else {                                                                                                   \
                GOOD(cusparse##L##pruneCsr2csrByPercentage_bufferSizeExt(h, M, N, M *N, d, dv, dof, dc, 35, e, cv,     \
                                                                         cof, cc, info, &bytes));                      \
                GOOD(cusparse##L##pruneCsr2csrNnzByPercentage(h, M, N, M *N, d, dv, dof, dc, 35, e, cof, &total, info, \
                                                              buffer));                                                \
                GOOD(cusparse##L##pruneCsr2csrByPercentage(h, M, N, M *N, d, dv, dof, dc, 35, e, cv, cof, cc, info,    \
                                                           buffer));                                                   \
            }                                                                                                          \
            fetch(of, cof, sizeof of);                                                                                 \
            EXPECT(of[0] == 1 && of[M] == total + 1 && total > 0 && total < M * N);                                    \
            fetch(kept, cv, (size_t)total * sizeof *kept), fetch(cols, cc, (size_t)total * sizeof *cols);              \
            for (int i = 0, at = 0; i < M; i++) {                                                                      \
                EXPECT(of[i] == at + 1);                                                                               \
                for (int j = 0; j < N; j++)                                                                            \
                    if (fabs((double)a[j * M + i]) > least) {                                                          \
                        EXPECT(cols[at] == j + 1 && (double)kept[at] == (double)a[j * M + i]);                         \
                        at++, want++;                                                                                  \
                    }                                                                                                  \
            }                                                                                                          \
            EXPECT(want == total);                                                                                     \
        }                                                                                                              \
        int total = 7;                                                                                                 \
        EXPECT(cusparse##L##pruneDense2csrNnzByPercentage(h, M, N, da, M, 101, e, cof, &total, info, buffer) ==        \
               CUSPARSE_STATUS_INVALID_VALUE);                                                                         \
        EXPECT(cusparse##L##pruneDense2csrNnzByPercentage(h, M, N, da, M, 35, e, cof, &total, NULL, buffer) ==         \
               CUSPARSE_STATUS_INVALID_VALUE);                                                                         \
        EXPECT(cusparse##L##pruneDense2csrNnz(h, M, N, da, M - 1, &limit, e, cof, &total, buffer) ==                   \
               CUSPARSE_STATUS_INVALID_VALUE);                                                                         \
        EXPECT(cusparse##L##pruneCsr2csrNnz(NULL, M, N, M *N, d, dv, dof, dc, &limit, e, cof, &total, buffer) ==       \
               CUSPARSE_STATUS_NOT_INITIALIZED);                                                                       \
        EXPECT(total == 7);                                                                                            \
        GOOD(cusparseDestroyPruneInfo(info));                                                                          \
        cudaFree(da), cudaFree(dv), cudaFree(cv), cudaFree(dof), cudaFree(dc), cudaFree(cof), cudaFree(cc);            \
    }
/* The header has those of half-precision numbers for C++ only. */
typedef _Float16                 Half;
typedef const cusparseMatDescr_t Descr;
#define HANDLE cusparseHandle_t, int, int
#define DENSE  HANDLE, const Half *, int
#define CSR    HANDLE, int, Descr, const Half *, const int *, const int *
#define SPACE  Descr, const Half *, const int *, const int *
#define COUNT  Descr, int *, int *
#define FILL   Descr, Half *, const int *, int *
int cusparseHpruneDense2csr_bufferSizeExt(DENSE, const Half *, SPACE, size_t *);
int cusparseHpruneDense2csrNnz(DENSE, const Half *, COUNT, void *);
int cusparseHpruneDense2csr(DENSE, const Half *, FILL, void *);
int cusparseHpruneDense2csrByPercentage_bufferSizeExt(DENSE, float, SPACE, pruneInfo_t, size_t *);
int cusparseHpruneDense2csrNnzByPercentage(DENSE, float, COUNT, pruneInfo_t, void *);
int cusparseHpruneDense2csrByPercentage(DENSE, float, FILL, pruneInfo_t, void *);
int cusparseHpruneCsr2csr_bufferSizeExt(CSR, const Half *, SPACE, size_t *);
int cusparseHpruneCsr2csrNnz(CSR, const Half *, COUNT, void *);
int cusparseHpruneCsr2csr(CSR, const Half *, FILL, void *);
int cusparseHpruneCsr2csrByPercentage_bufferSizeExt(CSR, float, SPACE, pruneInfo_t, size_t *);
int cusparseHpruneCsr2csrNnzByPercentage(CSR, float, COUNT, pruneInfo_t, void *);
int cusparseHpruneCsr2csrByPercentage(CSR, float, FILL, pruneInfo_t, void *);

PRUNES(H, Half)
PRUNES(S, float)
PRUNES(D, double)

/* How much is written is known when the work runs: what is no device memory is told then, and CUDA has failed. */
static void beyond(void)
{
    int   offset[] = {0, 2, 3}, column[] = {0, 1, 1}, total = -1;
    float value[] = {1, 2, 3}, *v = device(value, sizeof value);
    int  *of = device(offset, sizeof offset), *c = device(column, sizeof column), *to = room(64), *in = room(64);
    GOOD(cusparseXcsr2bsrNnz(h, CUSPARSE_DIRECTION_ROW, 2, 2, d, of, c, 2, d, to, &total));
    EXPECT(total == 1);
    cusparseScsr2bsr(h, CUSPARSE_DIRECTION_ROW, 2, 2, d, v, of, c, 2, d, (float *)0x40, to, in);
    EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
}

int main(int argc, char **argv)
{
    static const Part parts[] = {{"half", prunes_H}, {"single", prunes_S}, {"double", prunes_D}, {"beyond", beyond}};
    GOOD(cusparseCreate(&h)), GOOD(cusparseCreateMatDescr(&d)), GOOD(cusparseCreateMatDescr(&e));
    buffer = device(NULL, 256);
    int r  = run_parts(parts, sizeof parts / sizeof *parts, argc, argv);
    cudaFree(buffer);
    return cusparseDestroyMatDescr(d) || cusparseDestroyMatDescr(e) || cusparseDestroy(h) || r;
}
