/* SPDX-License-Identifier: Apache-2.0
 *
 * cuSPARSE's interface of old in all four types, on small random matrices that are also kept dense: blocks, sums, what is left out, orders and colours,
 * products, solutions and factors with blocks.  The file is compiled once for each type by including itself. */
#ifndef LETTER
#include <complex.h>
#include <cusparse.h>

#include "common.h"

typedef double complex Z;

enum { ROWS = 7, COLUMNS = 9, MOST = 16 * 16 };

static cusparseHandle_t   h;
static cusparseMatDescr_t d, e; /* of what is read, and of what is made */
static void              *buffer;

/* A matrix by rows: of the host, by rows (dense); of the device, as cuSPARSE takes it. */
typedef struct Matrix {
    int   m, n, nonzeros, base;
    Z     dense[MOST];
    int   offset[MOST + 1], column[MOST];
    void *values;
    int  *offsets, *columns;
} Matrix;

static void drop(Matrix *a)
{
    cudaFree(a->values), cudaFree(a->offsets), cudaFree(a->columns);
}

static void bases(int first, int second)
{
    cusparseSetMatIndexBase(d, first ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO);
    cusparseSetMatIndexBase(e, second ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO);
}

static size_t large; /* what a bufferSizeExt says */

static void *room(size_t bytes)
{
    void *p = device(NULL, bytes ? bytes : 4);
    GOOD(cudaMemset(p, 0xee, bytes ? bytes : 4));
    return p;
}

#define JOIN_(a, b, c)    a##b##c
#define JOIN(a, b, c)     JOIN_(a, b, c)
#define CALL(name)        JOIN(cusparse, LETTER, name)
#define NAME(name)        JOIN(name, _, LETTER)
#define SIDES(rows, cols) rows, cols

#define LETTER S
#define T      float
#define REAL   float
#define SMALL  1e-5
#define PUT(z) ((float)creal(z))
#define GET(t) ((Z)(t))
#include "cusparse_old.c"
#define LETTER D
#define T      double
#define REAL   double
#define SMALL  1e-12
#define PUT(z) creal(z)
#define GET(t) ((Z)(t))
#include "cusparse_old.c"
#define LETTER     C
#define T          cuComplex
#define REAL       float
#define SMALL      1e-5
#define PUT(z)     make_cuComplex((float)creal(z), (float)cimag(z))
#define GET(t)     ((t).x + I * (t).y)
#define IS_COMPLEX 1
#include "cusparse_old.c"
#define LETTER     Z
#define T          cuDoubleComplex
#define REAL       double
#define SMALL      1e-12
#define PUT(z)     make_cuDoubleComplex(creal(z), cimag(z))
#define GET(t)     ((t).x + I * (t).y)
#define IS_COMPLEX 1
#include "cusparse_old.c"

#define ALL(name)                                                                                                      \
    static void name(void)                                                                                             \
    {                                                                                                                  \
        name##_S(), name##_D(), name##_C(), name##_Z();                                                                \
    }
ALL(blocks)
ALL(sums)
ALL(counts)
ALL(orders)
ALL(colours)
ALL(vectors)
ALL(products)
ALL(solutions)
ALL(factors)

int main(int argc, char **argv)
{
    static const Part parts[] = {{"blocks", blocks},     {"sums", sums},           {"counts", counts},
                                 {"orders", orders},     {"colours", colours},     {"vectors", vectors},
                                 {"products", products}, {"solutions", solutions}, {"factors", factors}};
    GOOD(cusparseCreate(&h)), GOOD(cusparseCreateMatDescr(&d)), GOOD(cusparseCreateMatDescr(&e));
    buffer = device(NULL, 256);
    int r  = run_parts(parts, sizeof parts / sizeof *parts, argc, argv);
    cudaFree(buffer);
    return cusparseDestroyMatDescr(d) || cusparseDestroyMatDescr(e) || cusparseDestroy(h) || r;
}
#else

/* ---- once for each type ---- */

/* A number that the type holds. */
static Z NAME(number)(void)
{
#ifdef IS_COMPLEX
    float re = (float)random_number(), im = (float)random_number();
    return re + I * im;
#else
    return (float)random_number();
#endif
}

static void *NAME(upload)(const Z *x, int n)
{
    T *host = malloc((size_t)n * sizeof *host + 1);
    for (int i = 0; i < n; i++)
        host[i] = PUT(x[i]);
    void *p = device(host, (size_t)(n ? n : 1) * sizeof *host);
    free(host);
    return p;
}

static void NAME(take)(Z *to, const void *from, int n)
{
    T host[MOST * 2];
    fetch(host, from, (size_t)n * sizeof *host);
    for (int i = 0; i < n; i++)
        to[i] = GET(host[i]);
}

static Matrix NAME(from_dense)(int m, int n, int base, const Z *dense)
{
    Matrix a = {.m = m, .n = n, .base = base};
    Z      values[MOST];
    memcpy(a.dense, dense, (size_t)(m * n) * sizeof *dense);
    for (int i = 0; i < m; i++) {
        a.offset[i] = a.nonzeros + base;
        for (int j = 0; j < n; j++)
            if (dense[i * n + j] != 0)
                values[a.nonzeros] = dense[i * n + j], a.column[a.nonzeros++] = j + base;
    }
    a.offset[m] = a.nonzeros + base;
    a.values    = NAME(upload)(values, a.nonzeros);
    a.offsets   = device(a.offset, (size_t)(m + 1) * 4);
    a.columns   = device(a.column, (size_t)a.nonzeros * 4);
    return a;
}

static Matrix NAME(random)(int m, int n, int base)
{
    Z dense[MOST];
    for (int i = 0; i < m * n; i++)
        dense[i] = random_number() > 0.2 ? NAME(number)() : 0;
    return NAME(from_dense)(m, n, base, dense);
}

/* What blocks hold, by rows, of m x n elements (more than the matrix, where blocks reach over its edge); `turned`: they are by columns of blocks. */
static int NAME(unblock)(Z *dense, int mb, int nb, int rows, int cols, int direction, int turned, int base,
                         const void *values, const int *offsets, const int *indices)
{
    int lines = turned ? nb : mb, offset[MOST], index[MOST];
    Z   value[MOST * 2];
    fetch(offset, offsets, (size_t)(lines + 1) * 4);
    int n = offset[lines] - offset[0];
    EXPECT(offset[0] == base && n >= 0 && n * rows * cols <= MOST * 2);
    fetch(index, indices, (size_t)n * 4);
    NAME(take)(value, values, n * rows * cols);
    for (int i = 0; i < mb * rows * nb * cols; i++)
        dense[i] = 0;
    for (int line = 0; line < lines; line++)
        for (int k = offset[line] - base; k < offset[line + 1] - base; k++)
            for (int r = 0; r < rows; r++)
                for (int c = 0; c < cols; c++) {
                    int row = (turned ? index[k] - base : line) * rows + r,
                        col = (turned ? line : index[k] - base) * cols + c;
                    EXPECT(k == offset[line] - base || index[k] > index[k - 1]);
                    dense[row * nb * cols + col] = value[k * rows * cols + (direction ? c * rows + r : r * cols + c)];
                }
    return n;
}

/* Is the matrix what the first rows and columns of `dense` are, and is the rest of that zero? */
static int NAME(same)(const Matrix *a, const Z *dense, int m, int n)
{
    int good = 1;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            good = good && dense[i * n + j] == (i < a->m && j < a->n ? a->dense[i * a->n + j] : 0);
    return good;
}

static int NAME(blocks_wanted)(const Matrix *a, int rows, int cols)
{
    int n = 0;
    for (int i = 0; i < a->m; i += rows)
        for (int j = 0; j < a->n; j += cols) {
            int any = 0;
            for (int r = i; r < i + rows && r < a->m; r++)
                for (int c = j; c < j + cols && c < a->n; c++)
                    any = any || a->dense[r * a->n + c] != 0;
            n += any;
        }
    return n;
}

static void NAME(blocks)(void)
{
    for (int how = 0; how < 8; how++) {
        int    direction = how & 1, side = how & 2 ? 3 : 2, base = how & 4 ? 1 : 0, total = -1, bytes;
        int    mb = (ROWS + side - 1) / side, nb = (COLUMNS + side - 1) / side;
        Matrix a = NAME(random)(ROWS, COLUMNS, base);
        Z      dense[MOST];
        bases(base, !base);
        int *of = room(64), *in = room(4 * MOST), *of2 = room(128), *in2 = room(4 * MOST);
        T   *v = room(sizeof(T) * MOST), *v2 = room(sizeof(T) * MOST);
        GOOD(cusparseXcsr2bsrNnz(h, direction, ROWS, COLUMNS, d, a.offsets, a.columns, side, e, of, &total));
        EXPECT(total == NAME(blocks_wanted)(&a, side, side));
        GOOD(CALL(csr2bsr)(h, direction, ROWS, COLUMNS, d, a.values, a.offsets, a.columns, side, e, v, of, in));
        EXPECT(NAME(unblock)(dense, mb, nb, side, side, direction, 0, !base, v, of, in) == total);
        EXPECT(NAME(same)(&a, dense, mb * side, nb * side));
        /* back: all elements of blocks are stored */
        GOOD(CALL(bsr2csr)(h, direction, mb, nb, e, v, of, in, side, d, v2, of2, in2));
        EXPECT(NAME(unblock)(dense, mb * side, nb * side, 1, 1, 0, 0, base, v2, of2, in2) == total * side * side);
        EXPECT(NAME(same)(&a, dense, mb * side, nb * side));
        /* 2 x 3, then 3 x 2, then elements, then by columns */
        int *buffers = buffer;
        GOOD(CALL(csr2gebsr_bufferSize)(h, direction, ROWS, COLUMNS, d, a.values, a.offsets, a.columns, 2, 3, &bytes));
        large = 0;
        GOOD(CALL(csr2gebsr_bufferSizeExt)(h, direction, ROWS, COLUMNS, d, a.values, a.offsets, a.columns, 2, 3,
                                           &large));
        EXPECT(large == (size_t)bytes);
        GOOD(cusparseXcsr2gebsrNnz(h, direction, ROWS, COLUMNS, d, a.offsets, a.columns, e, of, 2, 3, &total, buffers));
        EXPECT(total == NAME(blocks_wanted)(&a, 2, 3));
        GOOD(CALL(csr2gebsr)(h, direction, ROWS, COLUMNS, d, a.values, a.offsets, a.columns, e, v, of, in, 2, 3,
                             buffer));
        EXPECT(NAME(unblock)(dense, 4, 3, 2, 3, direction, 0, !base, v, of, in) == total);
        EXPECT(NAME(same)(&a, dense, 8, 9));
        int again = -1;
        GOOD(CALL(gebsr2gebsr_bufferSize)(h, direction, 4, 3, total, e, v, of, in, 2, 3, 3, 2, &bytes));
        large = 0;
        GOOD(CALL(gebsr2gebsr_bufferSizeExt)(h, direction, 4, 3, total, e, v, of, in, 2, 3, 3, 2, &large));
        EXPECT(large == (size_t)bytes);
        GOOD(cusparseXgebsr2gebsrNnz(h, direction, 4, 3, total, e, of, in, 2, 3, d, of2, 3, 2, &again, buffer));
        GOOD(CALL(gebsr2gebsr)(h, direction, 4, 3, total, e, v, of, in, 2, 3, d, v2, of2, in2, 3, 2, buffer));
        EXPECT(NAME(unblock)(dense, 3, 5, 3, 2, direction, 0, base, v2, of2, in2) == again);
        EXPECT(NAME(same)(&a, dense, 9, 10));
        GOOD(CALL(gebsr2csr)(h, direction, 4, 3, e, v, of, in, 2, 3, d, v2, of2, in2));
        EXPECT(NAME(unblock)(dense, 8, 9, 1, 1, 0, 0, base, v2, of2, in2) == total * 6);
        EXPECT(NAME(same)(&a, dense, 8, 9));
        cudaMemset(of2, 0, 9 * sizeof(int)); /* the pattern alone: the values are those of before */
        cudaMemset(in2, 0, (size_t)total * 6 * sizeof(int));
        GOOD(cusparseXgebsr2csr(h, direction, 4, 3, e, of, in, 2, 3, d, of2, in2));
        EXPECT(NAME(unblock)(dense, 8, 9, 1, 1, 0, 0, base, v2, of2, in2) == total * 6);
        EXPECT(NAME(same)(&a, dense, 8, 9));
        EXPECT(cusparseXgebsr2csr(h, direction, 4, 3, e, of, in, 0, 3, d, of2, in2) == CUSPARSE_STATUS_INVALID_VALUE);
        GOOD(CALL(gebsr2gebsc_bufferSize)(h, 4, 3, total, v, of, in, 2, 3, &bytes));
        large = 0;
        GOOD(CALL(gebsr2gebsc_bufferSizeExt)(h, 4, 3, total, v, of, in, 2, 3, &large));
        EXPECT(large == (size_t)bytes);
        GOOD(CALL(gebsr2gebsc)(h, 4, 3, total, v, of, in, 2, 3, v2, in2, of2, CUSPARSE_ACTION_NUMERIC,
                               base ? CUSPARSE_INDEX_BASE_ZERO : CUSPARSE_INDEX_BASE_ONE, buffer));
        EXPECT(NAME(unblock)(dense, 4, 3, 2, 3, direction, 1, !base, v2, of2, in2) == total);
        EXPECT(NAME(same)(&a, dense, 8, 9));
        int was = total;
        EXPECT(cusparseXcsr2bsrNnz(NULL, direction, ROWS, COLUMNS, d, a.offsets, a.columns, side, e, of, &total) ==
               CUSPARSE_STATUS_NOT_INITIALIZED);
        EXPECT(cusparseXcsr2bsrNnz(h, direction, ROWS, COLUMNS, d, a.offsets, a.columns, 0, e, of, &total) ==
               CUSPARSE_STATUS_INVALID_VALUE);
        EXPECT(cusparseXcsr2bsrNnz(h, direction, -1, COLUMNS, d, a.offsets, a.columns, side, e, of, &total) ==
               CUSPARSE_STATUS_INVALID_VALUE);
        EXPECT(CALL(csr2bsr)(h, direction, ROWS, COLUMNS, NULL, a.values, a.offsets, a.columns, side, e, v, of, in) ==
               CUSPARSE_STATUS_INVALID_VALUE);
        cusparseSetMatType(d, CUSPARSE_MATRIX_TYPE_SYMMETRIC);
        EXPECT(CALL(csr2bsr)(h, direction, ROWS, COLUMNS, d, a.values, a.offsets, a.columns, side, e, v, of, in) ==
               CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED);
        cusparseSetMatType(d, CUSPARSE_MATRIX_TYPE_GENERAL);
        EXPECT(total == was);
        cudaFree(of), cudaFree(in), cudaFree(of2), cudaFree(in2), cudaFree(v), cudaFree(v2), drop(&a);
    }
}

static void NAME(sums)(void)
{
    for (int how = 0; how < 4; how++) {
        Matrix a = NAME(random)(ROWS, COLUMNS, how & 1), b = NAME(random)(ROWS, COLUMNS, how & 1);
        Z      dense[MOST], alpha = NAME(number)(), beta = NAME(number)();
        T      factor[2] = {PUT(alpha), PUT(beta)}, *on_device = device(factor, sizeof factor);
        size_t bytes;
        int    total = -1, want = 0, *of = room(64), *in = room(4 * MOST), *there = room(4);
        T     *v = room(sizeof(T) * MOST);
        bases(how & 1, how & 1);
        GOOD(cusparseSetPointerMode(h, how & 2 ? CUSPARSE_POINTER_MODE_DEVICE : CUSPARSE_POINTER_MODE_HOST));
        const T *fa = how & 2 ? on_device : factor, *fb = fa + 1;
        GOOD(CALL(csrgeam2_bufferSizeExt)(h, ROWS, COLUMNS, fa, d, a.nonzeros, a.values, a.offsets, a.columns, fb, d,
                                          b.nonzeros, b.values, b.offsets, b.columns, e, v, of, in, &bytes));
        GOOD(cusparseXcsrgeam2Nnz(h, ROWS, COLUMNS, d, a.nonzeros, a.offsets, a.columns, d, b.nonzeros, b.offsets,
                                  b.columns, e, of, how & 2 ? there : &total, buffer));
        if (how & 2)
            fetch(&total, there, 4);
        for (int i = 0; i < ROWS * COLUMNS; i++)
            want += a.dense[i] != 0 || b.dense[i] != 0;
        EXPECT(total == want);
        GOOD(CALL(csrgeam2)(h, ROWS, COLUMNS, fa, d, a.nonzeros, a.values, a.offsets, a.columns, fb, d, b.nonzeros,
                            b.values, b.offsets, b.columns, e, v, of, in, buffer));
        EXPECT(NAME(unblock)(dense, ROWS, COLUMNS, 1, 1, 0, 0, how & 1, v, of, in) == want);
        for (int i = 0; i < ROWS * COLUMNS; i++)
            EXPECT(cabs(dense[i] - alpha * a.dense[i] - beta * b.dense[i]) < SMALL);
        GOOD(cusparseSetPointerMode(h, CUSPARSE_POINTER_MODE_HOST));
        EXPECT(CALL(csrgeam2)(h, ROWS, COLUMNS, NULL, d, a.nonzeros, a.values, a.offsets, a.columns, fb, d, b.nonzeros,
                              b.values, b.offsets, b.columns, e, v, of, in, buffer) == CUSPARSE_STATUS_INVALID_VALUE);
        EXPECT(cusparseXcsrgeam2Nnz(h, ROWS, COLUMNS, d, -1, a.offsets, a.columns, d, b.nonzeros, b.offsets, b.columns,
                                    e, of, &total, buffer) == CUSPARSE_STATUS_INVALID_VALUE);
        cudaFree(on_device), cudaFree(of), cudaFree(in), cudaFree(there), cudaFree(v), drop(&a), drop(&b);
    }
}

static void NAME(counts)(void)
{
    for (int base = 0; base < 2; base++) {
        Matrix a = NAME(random)(ROWS, COLUMNS, base);
        Z      by_columns[MOST], dense[MOST];
        int    lines[16], total = -1, kept = 0, *per = room(64), *of = room(64), *in = room(4 * MOST);
        T     *v = room(sizeof(T) * MOST), tolerance = PUT(0.25 + 0 * I);
        bases(base, base);
        for (int i = 0; i < ROWS * COLUMNS; i++)
            by_columns[i % COLUMNS * (ROWS + 1) + i / COLUMNS] = a.dense[i];
        for (int j = 0; j < COLUMNS; j++)
            by_columns[j * (ROWS + 1) + ROWS] = 5; /* between the columns */
        T *full = NAME(upload)(by_columns, (ROWS + 1) * COLUMNS);
        for (int by = 0; by < 2; by++) {
            GOOD(CALL(nnz)(h, by ? CUSPARSE_DIRECTION_COLUMN : CUSPARSE_DIRECTION_ROW, ROWS, COLUMNS, d, full, ROWS + 1,
                           per, &total));
            EXPECT(total == a.nonzeros);
            fetch(lines, per, (size_t)(by ? COLUMNS : ROWS) * 4);
            for (int i = 0; i < (by ? COLUMNS : ROWS); i++) {
                int want = 0;
                for (int k = 0; k < (by ? ROWS : COLUMNS); k++)
                    want += a.dense[by ? k * COLUMNS + i : i * COLUMNS + k] != 0;
                EXPECT(lines[i] == want);
            }
        }
        GOOD(CALL(nnz_compress)(h, ROWS, d, a.values, a.offsets, per, &total, tolerance));
        fetch(lines, per, ROWS * 4);
        for (int i = 0; i < ROWS; i++) {
            int want = 0;
            for (int k = 0; k < COLUMNS; k++)
                want += cabs(a.dense[i * COLUMNS + k]) > 0.25;
            EXPECT(lines[i] == want);
            kept += want;
        }
        EXPECT(total == kept && kept < a.nonzeros && kept);
        GOOD(CALL(csr2csr_compress)(h, ROWS, COLUMNS, d, a.values, a.columns, a.offsets, a.nonzeros, per, v, in, of,
                                    tolerance));
        EXPECT(NAME(unblock)(dense, ROWS, COLUMNS, 1, 1, 0, 0, base, v, of, in) == kept);
        for (int i = 0; i < ROWS * COLUMNS; i++)
            EXPECT(dense[i] == (cabs(a.dense[i]) > 0.25 ? a.dense[i] : 0));
        total = 7;
        EXPECT(CALL(nnz)(h, CUSPARSE_DIRECTION_ROW, ROWS, COLUMNS, d, full, ROWS - 1, per, &total) ==
               CUSPARSE_STATUS_INVALID_VALUE);
        EXPECT(CALL(nnz_compress)(h, ROWS, d, a.values, a.offsets, per, &total, PUT(-0.25 + 0 * I)) ==
               CUSPARSE_STATUS_INVALID_VALUE);
        EXPECT(total == 7);
        cudaFree(full), cudaFree(per), cudaFree(of), cudaFree(in), cudaFree(v), drop(&a);
    }
}

static void NAME(orders)(void)
{
    for (int base = 0; base < 2; base++) {
        csru2csrInfo_t info;
        Matrix         a = NAME(random)(ROWS, COLUMNS, base);
        Z              sorted[MOST], was[MOST], now[MOST];
        int            column[MOST], back[MOST];
        size_t         bytes;
        bases(base, base);
        GOOD(cusparseCreateCsru2csrInfo(&info));
        NAME(take)(sorted, a.values, a.nonzeros);
        for (int i = 0; i < ROWS; i++) /* the other way round */
            for (int k = a.offset[i] - base, m = a.offset[i + 1] - base - 1; k < a.offset[i + 1] - base; k++, m--)
                was[k] = sorted[m], column[k] = a.column[m];
        T   *v = NAME(upload)(was, a.nonzeros);
        int *c = device(column, (size_t)a.nonzeros * 4);
        EXPECT(CALL(csr2csru)(h, ROWS, COLUMNS, a.nonzeros, d, v, a.offsets, c, info, buffer) ==
               CUSPARSE_STATUS_INVALID_VALUE); /* no order yet */
        for (int times = 0; times < 2; times++) {
            GOOD(CALL(csru2csr_bufferSizeExt)(h, ROWS, COLUMNS, a.nonzeros, v, a.offsets, c, info, &bytes));
            GOOD(CALL(csru2csr)(h, ROWS, COLUMNS, a.nonzeros, d, v, a.offsets, c, info, buffer));
            NAME(take)(now, v, a.nonzeros), fetch(back, c, (size_t)a.nonzeros * 4);
            for (int i = 0; i < a.nonzeros; i++)
                EXPECT(now[i] == sorted[i] && back[i] == a.column[i]);
            GOOD(CALL(csr2csru)(h, ROWS, COLUMNS, a.nonzeros, d, v, a.offsets, c, info, buffer));
            NAME(take)(now, v, a.nonzeros), fetch(back, c, (size_t)a.nonzeros * 4);
            for (int i = 0; i < a.nonzeros; i++)
                EXPECT(now[i] == was[i] && back[i] == column[i]);
        }
        EXPECT(CALL(csru2csr)(h, ROWS, COLUMNS, a.nonzeros, d, v, a.offsets, c, NULL, buffer) ==
               CUSPARSE_STATUS_INVALID_VALUE);
        GOOD(cusparseDestroyCsru2csrInfo(info));
        cudaFree(v), cudaFree(c), drop(&a);
    }
}

static void NAME(colours)(void)
{
    enum { N = 11 };
    for (int half = 0; half < 2; half++) {
        cusparseColorInfo_t info;
        Z                   dense[N * N] = {0};
        REAL                fraction     = half ? (REAL)0.5 : 1;
        int                 n = -1, colour[N], order[N], seen[N] = {0}, *dc = room(64), *dorder = room(64);
        GOOD(cusparseCreateColorInfo(&info));
        for (int i = 0; i < N; i++) /* a ring with chords */
            dense[i * N + i] = 4, dense[i * N + (i + 1) % N] = dense[(i + 1) % N * N + i] = -1,
                          dense[i * N + (i + 4) % N] = dense[(i + 4) % N * N + i] = -1;
        Matrix a = NAME(from_dense)(N, N, half, dense);
        bases(half, half);
        GOOD(CALL(csrcolor)(h, N, a.nonzeros, d, a.values, a.offsets, a.columns, &fraction, &n, dc, dorder, info));
        fetch(colour, dc, sizeof colour), fetch(order, dorder, sizeof order);
        EXPECT(n >= 3 && (half || n <= 5));
        for (int i = 0; i < N; i++) {
            EXPECT(colour[i] >= 0 && colour[i] < n && order[i] >= 0 && order[i] < N && !seen[order[i]]++);
            EXPECT(!i || colour[order[i]] >= colour[order[i - 1]]);
            for (int j = 0; j < N; j++)
                EXPECT(i == j || dense[i * N + j] == 0 || colour[i] != colour[j]);
        }
        GOOD(CALL(csrcolor)(h, N, a.nonzeros, d, a.values, a.offsets, a.columns, &fraction, &n, dc, NULL, info));
        EXPECT(CALL(csrcolor)(h, N, a.nonzeros, d, a.values, a.offsets, a.columns, NULL, &n, dc, dorder, info) ==
               CUSPARSE_STATUS_INVALID_VALUE);
        GOOD(cusparseDestroyColorInfo(info));
        cudaFree(dc), cudaFree(dorder), drop(&a);
    }
}

/* op(element (row, column)) of a matrix by rows. */
static Z NAME(element)(const Z *dense, int n, int op, int row, int column)
{
    Z x = op ? dense[column * n + row] : dense[row * n + column];
    return op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? conj(x) : x;
}

static void NAME(vectors)(void)
{
    for (int op = 0; op < 3; op++) {
        Z   a[5 * 6], by_rows[5 * 6], x[3], y[6], got[6], alpha = NAME(number)(), beta = NAME(number)();
        int at[] = {2, 1, 5}, bytes, rows = op ? 6 : 5; /* of a base of one, in any order */
        for (int i = 0; i < 30; i++)
            a[i] = NAME(number)(), by_rows[i % 5 * 6 + i / 5] = a[i];
        for (int i = 0; i < 6; i++)
            y[i] = NAME(number)(), x[i % 3] = NAME(number)();
        T *da = NAME(upload)(a, 30), *dx = NAME(upload)(x, 3), *dy = NAME(upload)(y, 6), fa = PUT(alpha),
          fb    = PUT(beta);
        int *di = device(at, sizeof at);
        GOOD(CALL(gemvi_bufferSize)(h, op, 5, 6, 3, &bytes));
        GOOD(CALL(gemvi)(h, op, 5, 6, &fa, da, 5, 3, dx, di, &fb, dy, CUSPARSE_INDEX_BASE_ONE, buffer));
        NAME(take)(got, dy, 6);
        for (int i = 0; i < 6; i++) {
            Z sum = i < rows ? beta * y[i] : y[i];
            for (int k = 0; k < 3 && i < rows; k++)
                sum += alpha * NAME(element)(by_rows, 6, op, i, at[k] - 1) * x[k];
            EXPECT(cabs(got[i] - sum) < SMALL);
        }
        EXPECT(CALL(gemvi)(h, op, 5, 6, &fa, da, 4, 3, dx, di, &fb, dy, CUSPARSE_INDEX_BASE_ONE, buffer) ==
               CUSPARSE_STATUS_INVALID_VALUE);
        cudaFree(da), cudaFree(dx), cudaFree(dy), cudaFree(di);
    }
}

/* The same matrix in blocks of `side`; the arrays are the caller's to free. */
static int NAME(to_blocks)(const Matrix *a, int side, int direction, T **v, int **of, int **in)
{
    int total = -1;
    *of = room(128), *in = room(4 * MOST), *v = room(sizeof(T) * MOST * 2);
    GOOD(cusparseXcsr2bsrNnz(h, direction, a->m, a->n, d, a->offsets, a->columns, side, d, *of, &total));
    GOOD(CALL(csr2bsr)(h, direction, a->m, a->n, d, a->values, a->offsets, a->columns, side, d, *v, *of, *in));
    return total;
}

static void NAME(products)(void)
{
    enum { M = 6, N = 9, SIDE = 3, WIDE = 4 };
    for (int how = 0; how < 4; how++) {
        int    direction = how & 1, base = how / 2, mask[] = {1 + base}, *of, *in;
        Matrix a = NAME(random)(M, N, base);
        Z      x[N * WIDE], y[M * WIDE], got[M * WIDE], alpha = NAME(number)(), beta = NAME(number)();
        T     *v, fa = PUT(alpha), fb = PUT(beta);
        bases(base, base);
        int n = NAME(to_blocks)(&a, SIDE, direction, &v, &of, &in);
        for (int i = 0; i < N * WIDE; i++)
            x[i] = NAME(number)(), y[i % (M * WIDE)] = NAME(number)();
        T *dx = NAME(upload)(x, N * WIDE), *dy = NAME(upload)(y, M * WIDE);
        GOOD(CALL(bsrmv)(h, direction, 0, 2, 3, n, &fa, d, v, of, in, SIDE, dx, &fb, dy));
        NAME(take)(got, dy, M);
        for (int i = 0; i < M; i++) {
            Z sum = beta * y[i];
            for (int j = 0; j < N; j++)
                sum += alpha * a.dense[i * N + j] * x[j];
            EXPECT(cabs(got[i] - sum) < SMALL);
        }
        cudaFree(dy), dy = NAME(upload)(y, M * WIDE);
        int *dm = device(mask, sizeof mask);
        GOOD(CALL(bsrxmv)(h, direction, 0, 1, 2, 3, n, &fa, d, v, dm, of, of + 1, in, SIDE, dx, &fb, dy));
        NAME(take)(got, dy, M);
        for (int i = 0; i < M; i++) { /* only the second row of blocks */
            Z sum = i < SIDE ? y[i] : beta * y[i];
            for (int j = 0; j < N && i >= SIDE; j++)
                sum += alpha * a.dense[i * N + j] * x[j];
            EXPECT(cabs(got[i] - sum) < SMALL);
        }
        for (int op = 0; op < 2; op++) { /* B of 9 x 4 by columns, or its transpose */
            cudaFree(dy), dy = NAME(upload)(y, M * WIDE);
            GOOD(CALL(bsrmm)(h, direction, 0, op, 2, WIDE, 3, n, &fa, d, v, of, in, SIDE, dx, op ? WIDE : N, &fb, dy,
                             M));
            NAME(take)(got, dy, M * WIDE);
            for (int i = 0; i < M * WIDE; i++) {
                Z sum = beta * y[i];
                for (int j = 0; j < N; j++)
                    sum += alpha * a.dense[i % M * N + j] * x[op ? j * WIDE + i / M : i / M * N + j];
                EXPECT(cabs(got[i] - sum) < SMALL);
            }
        }
        EXPECT(CALL(bsrmv)(h, direction, 1, 2, 3, n, &fa, d, v, of, in, SIDE, dx, &fb, dy) ==
               CUSPARSE_STATUS_NOT_SUPPORTED);
        EXPECT(CALL(bsrmv)(h, direction, 0, 2, 3, n, &fa, d, v, of, in, 0, dx, &fb, dy) ==
               CUSPARSE_STATUS_INVALID_VALUE);
        EXPECT(CALL(bsrmm)(h, direction, 0, 0, 2, WIDE, 3, n, &fa, d, v, of, in, SIDE, dx, N - 1, &fb, dy, M) ==
               CUSPARSE_STATUS_INVALID_VALUE);
        cudaFree(dx), cudaFree(dy), cudaFree(dm), cudaFree(v), cudaFree(of), cudaFree(in), drop(&a);
    }
}

/* Of size n, with a diagonal that is far from zero. */
static Matrix NAME(heavy)(int n, int base)
{
    Z dense[MOST];
    for (int i = 0; i < n * n; i++)
        dense[i] = i / n == i % n ? 4 + NAME(number)() : random_number() > 0 ? NAME(number)() : 0;
    return NAME(from_dense)(n, n, base, dense);
}

static void NAME(solutions)(void)
{
    enum { N = 6, SIDE = 2, WIDE = 3 };
    for (int how = 0; how < 24; how++) {
        int op = how % 3, upper = how / 3 & 1, unit = how / 6 & 1, direction = how / 12, base = how & 1, *of, *in,
            bytes, position = 7;
        bsrsv2Info_t one;
        bsrsm2Info_t many;
        Matrix       a = NAME(heavy)(N, base);
        Z            f[N * WIDE], x[N * WIDE], alpha = NAME(number)(), triangle[N * N];
        T           *v, fa = PUT(alpha);
        bases(base, base);
        int n = NAME(to_blocks)(&a, SIDE, direction, &v, &of, &in);
        for (int i = 0; i < N * N; i++)
            triangle[i] = i / N == i % N ? unit ? 1 : a.dense[i] : (i / N < i % N) == upper ? a.dense[i] : 0;
        for (int i = 0; i < N * WIDE; i++)
            f[i] = NAME(number)();
        T *df = NAME(upload)(f, N * WIDE), *dx = room(sizeof(T) * N * WIDE);
        GOOD(cusparseSetMatFillMode(d, upper ? CUSPARSE_FILL_MODE_UPPER : CUSPARSE_FILL_MODE_LOWER));
        GOOD(cusparseSetMatDiagType(d, unit ? CUSPARSE_DIAG_TYPE_UNIT : CUSPARSE_DIAG_TYPE_NON_UNIT));
        GOOD(cusparseCreateBsrsv2Info(&one)), GOOD(cusparseCreateBsrsm2Info(&many));
        EXPECT(CALL(bsrsv2_solve)(h, direction, op, N / SIDE, n, &fa, d, v, of, in, SIDE, one, df, dx, 0, buffer) ==
               CUSPARSE_STATUS_INVALID_VALUE); /* not analysed */
        GOOD(CALL(bsrsv2_bufferSize)(h, direction, op, N / SIDE, n, d, v, of, in, SIDE, one, &bytes));
        large = 0;
        GOOD(CALL(bsrsv2_bufferSizeExt)(h, direction, op, N / SIDE, n, d, v, of, in, SIDE, one, &large));
        EXPECT(large == (size_t)bytes);
        GOOD(CALL(bsrsv2_analysis)(h, direction, op, N / SIDE, n, d, v, of, in, SIDE, one, 0, buffer));
        GOOD(cusparseXbsrsv2_zeroPivot(h, one, &position));
        EXPECT(position == -1);
        GOOD(CALL(bsrsv2_solve)(h, direction, op, N / SIDE, n, &fa, d, v, of, in, SIDE, one, df, dx, 0, buffer));
        NAME(take)(x, dx, N);
        for (int i = 0; i < N; i++) {
            Z sum = -alpha * f[i];
            for (int j = 0; j < N; j++)
                sum += NAME(element)(triangle, N, op, i, j) * x[j];
            EXPECT(cabs(sum) < 8 * SMALL);
        }
        GOOD(cusparseXbsrsv2_zeroPivot(h, one, &position));
        EXPECT(position == -1);
        for (int turned = 0; turned < 2; turned++) { /* right sides by columns or by rows */
            int ld = turned ? WIDE : N;
            GOOD(
                CALL(bsrsm2_bufferSize)(h, direction, op, turned, N / SIDE, WIDE, n, d, v, of, in, SIDE, many, &bytes));
            GOOD(CALL(bsrsm2_analysis)(h, direction, op, turned, N / SIDE, WIDE, n, d, v, of, in, SIDE, many, 0,
                                       buffer));
            GOOD(CALL(bsrsm2_solve)(h, direction, op, turned, N / SIDE, WIDE, n, &fa, d, v, of, in, SIDE, many, df, ld,
                                    dx, ld, 0, buffer));
            NAME(take)(x, dx, N * WIDE);
            for (int i = 0; i < N * WIDE; i++) {
                int row = turned ? i / WIDE : i % N, col = turned ? i % WIDE : i / N;
                Z   sum = -alpha * f[i];
                for (int j = 0; j < N; j++)
                    sum += NAME(element)(triangle, N, op, row, j) * x[turned ? j * WIDE + col : col * N + j];
                EXPECT(cabs(sum) < 8 * SMALL);
            }
        }
        /* the fourth element of the diagonal, which is of the second block, is zero */
        Z values[MOST];
        NAME(take)(values, v, n * SIDE * SIDE);
        int offset[8], column[MOST];
        fetch(offset, of, (N / SIDE + 1) * 4), fetch(column, in, (size_t)n * 4);
        for (int k = offset[1] - base; k < offset[2] - base; k++)
            if (column[k] - base == 1)
                values[k * SIDE * SIDE + 3] = 0;
        cudaFree(v), v = NAME(upload)(values, n * SIDE * SIDE);
        GOOD(CALL(bsrsv2_solve)(h, direction, op, N / SIDE, n, &fa, d, v, of, in, SIDE, one, df, dx, 0, buffer));
        EXPECT(cusparseXbsrsv2_zeroPivot(h, one, &position) ==
               (unit ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT));
        EXPECT(position == (unit ? -1 : 1 + base));
        GOOD(cusparseDestroyBsrsv2Info(one)), GOOD(cusparseDestroyBsrsm2Info(many));
        cudaFree(df), cudaFree(dx), cudaFree(v), cudaFree(of), cudaFree(in), drop(&a);
    }
    GOOD(cusparseSetMatFillMode(d, CUSPARSE_FILL_MODE_LOWER));
    GOOD(cusparseSetMatDiagType(d, CUSPARSE_DIAG_TYPE_NON_UNIT));
}

/* Three diagonals of blocks, whose factors fill nothing in: they are the factors of the whole matrix. */
static void NAME(factors)(void)
{
    enum { N = 8, SIDE = 2, BLOCKS = N / SIDE };
    for (int how = 0; how < 8; how++) {
        int            direction = how & 1, base = how >> 1 & 1, cholesky = how >> 2, *of, *in, bytes, position = 7;
        bsrilu02Info_t lu;
        bsric02Info_t  ic;
        Z              dense[N * N], factor[N * N];
        T             *v;
        for (int i = 0; i < N; i++)
            for (int j = 0; j <= i; j++) {
                int far          = i / SIDE - j / SIDE > 1;
                dense[i * N + j] = i == j ? 5 + (cholesky ? creal(NAME(number)()) : NAME(number)())
                                   : far  ? 0
                                          : NAME(number)();
                dense[j * N + i] = i == j     ? dense[i * N + j]
                                   : far      ? 0
                                   : cholesky ? conj(dense[i * N + j])
                                              : NAME(number)();
            }
        Matrix a = NAME(from_dense)(N, N, base, dense);
        bases(base, base);
        int n = NAME(to_blocks)(&a, SIDE, direction, &v, &of, &in);
        if (cholesky) {
            GOOD(cusparseCreateBsric02Info(&ic));
            GOOD(CALL(bsric02_bufferSize)(h, direction, BLOCKS, n, d, v, of, in, SIDE, ic, &bytes));
            GOOD(CALL(bsric02_analysis)(h, direction, BLOCKS, n, d, v, of, in, SIDE, ic, 0, buffer));
            GOOD(CALL(bsric02)(h, direction, BLOCKS, n, d, v, of, in, SIDE, ic, 0, buffer));
            GOOD(cusparseXbsric02_zeroPivot(h, ic, &position));
            GOOD(cusparseDestroyBsric02Info(ic));
        } else {
            GOOD(cusparseCreateBsrilu02Info(&lu));
            GOOD(CALL(bsrilu02_bufferSize)(h, direction, BLOCKS, n, d, v, of, in, SIDE, lu, &bytes));
            large = 0;
            GOOD(CALL(bsrilu02_bufferSizeExt)(h, direction, BLOCKS, n, d, v, of, in, SIDE, lu, &large));
            EXPECT(large == (size_t)bytes);
            GOOD(CALL(bsrilu02_analysis)(h, direction, BLOCKS, n, d, v, of, in, SIDE, lu, 0, buffer));
            GOOD(CALL(bsrilu02)(h, direction, BLOCKS, n, d, v, of, in, SIDE, lu, 0, buffer));
            GOOD(cusparseXbsrilu02_zeroPivot(h, lu, &position));
        }
        EXPECT(position == -1);
        NAME(unblock)(factor, BLOCKS, BLOCKS, SIDE, SIDE, direction, 0, base, v, of, in);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                Z sum = 0;
                for (int k = 0; k <= i && k <= j; k++) {
                    Z l = cholesky || i != k ? factor[i * N + k] : 1;
                    sum += l * (cholesky ? conj(factor[j * N + k]) : factor[k * N + j]);
                }
                EXPECT(cabs(sum - dense[i * N + j]) < 8 * SMALL);
            }
        if (!cholesky) { /* of zeros: the first pivot, unless it is replaced */
            double tolerance = 1e-3;
            T      instead   = PUT(1 + 0 * I);
            GOOD(cudaMemset(v, 0, (size_t)(n * SIDE * SIDE) * sizeof(T)));
            GOOD(CALL(bsrilu02)(h, direction, BLOCKS, n, d, v, of, in, SIDE, lu, 0, buffer));
            EXPECT(cusparseXbsrilu02_zeroPivot(h, lu, &position) == CUSPARSE_STATUS_ZERO_PIVOT && position == base);
            GOOD(CALL(bsrilu02_numericBoost)(h, lu, 1, &tolerance, &instead));
            GOOD(cudaMemset(v, 0, (size_t)(n * SIDE * SIDE) * sizeof(T)));
            GOOD(CALL(bsrilu02)(h, direction, BLOCKS, n, d, v, of, in, SIDE, lu, 0, buffer));
            GOOD(cusparseXbsrilu02_zeroPivot(h, lu, &position));
            NAME(unblock)(factor, BLOCKS, BLOCKS, SIDE, SIDE, direction, 0, base, v, of, in);
            for (int i = 0; i < N * N; i++)
                EXPECT(factor[i] == (i / N == i % N ? 1 : 0));
            EXPECT(CALL(bsrilu02)(h, direction, BLOCKS, n, d, v, of, in, 0, lu, 0, buffer) ==
                   CUSPARSE_STATUS_INVALID_VALUE);
            GOOD(cusparseDestroyBsrilu02Info(lu));
        }
        cudaFree(v), cudaFree(of), cudaFree(in), drop(&a);
    }
}

#undef LETTER
#undef T
#undef REAL
#undef SMALL
#undef PUT
#undef GET
#undef IS_COMPLEX
#endif
