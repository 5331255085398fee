/* SPDX-License-Identifier: Apache-2.0
 *
 * Sparse matrices by rows, factored by the host's CXSparse: what cusolverSp's functions share.
 *
 *   direct.c  loading CXSparse; factors, solutions     order.c  orders of rows and columns     steps.c  analysis, factor and solution apart
 *   sparse.c  handles; solutions and eigenvalues in one call     rf.c     cusolverRf: new factors of a known structure, by loops of our own
 *
 * All is computed in complex numbers of double, whatever the type. */
#ifndef WW_CUSOLVER_DIRECT_H
#define WW_CUSOLVER_DIRECT_H

#include "cuda/libraries/cusolver/cusolver.h"

enum { SOL_MATRIX_TYPE_NOT_SUPPORTED = 8, SOL_ZERO_PIVOT = 10 };

typedef struct Rows {
    int         m, n, nonzeros, base, type;
    const void *values; /* NULL: the structure alone */
    const int  *offsets, *columns;
} Rows;

typedef enum Way { WAY_QR, WAY_CHOLESKY, WAY_LU } Way;

/* As CXSparse's cs_ci, cs_cis and cs_cin: https://github.com/DrTimothyAldenDavis/SuiteSparse, CXSparse/Include/cs.h */
typedef struct CxMatrix {
    int     nzmax, m, n;
    int    *p, *i; /* by columns, or as triplets (column, row) */
    Number *x;
    int     nz;    /* triplets; -1: by columns */
} CxMatrix;

typedef struct CxSymbolic {
    int   *pinv, *q, *parent, *cp, *leftmost, m2;
    double lnz, unz;
} CxSymbolic;

typedef struct CxNumeric {
    CxMatrix *l, *u;
    int      *pinv;
    double   *beta;
} CxNumeric;

typedef struct Direct {
    Way         way;
    int         m, n;
    int        *order; /* row and column k were order[k]; NULL: as they were */
    CxSymbolic *s;
    CxNumeric  *f;
    int         pivot; /* the one at which it stopped; -1: none */
} Direct;

/* The file of the host that computes; NULL: there is none, and a message has said once what to install. */
const char *direct_file(void);
/* Offsets ascend from the base, columns lie inside, and twice as many elements have numbers of type int. */
bool direct_rows_good(const Rows *a);
/* Factors a - shift * I.  order: kept, freed by direct_end; `spares`: LU may choose the order of columns; threshold: of LU's pivots, 1: the largest.
 * Cholesky reads the lower triangle. */
Direct direct_factor(Way way, const Rows *a, int *order, bool spares, double threshold, Number shift);
/* The first pivot that is not above the tolerance, -1: none. */
int    direct_pivot(const Direct *d, double tolerance);
/* x has n elements, b has m. */
void   direct_solve(const Direct *d, const Number *b, Number *x);
void   direct_end(Direct *d);

/* Minimum degree of a square matrix. */
int *order_amd(const Rows *a);
/* Of a square matrix, as cusolverSp numbers them: 0 none (NULL), 1 reverse Cuthill-McKee, 2 and 3 minimum degree. */
int *order_make(const Rows *a, int how);
/* For each column a row that has an element there, so far as there are; how many have. */
int  order_diagonal(const Rows *a, int *rows);

/* Of the functions for sparse matrices. */
Handle *sparse_handle(void *handle);
/* What a descriptor of cuSPARSE says; the matrix's base. */
Sol     sparse_describe(const void *descriptor, Rows *a);
/* Runs it when all before it in the stream is done, and waits; the arguments are not copied. */
typedef struct SparseWork {
    const char *call;
    const char *by;                                    /* NULL: CXSparse, which must be there */
    void      (*compute)(void *args);
    void       *args;
    bool        device;                                /* the memory is the device's */
    struct { const void *p; size_t bytes; } read[11]; unsigned nread;
    void       *wrote; size_t wrote_bytes;             /* checked before; not NULL: and written, if `writes` is true afterwards */
    bool        writes;
} SparseWork;
Sol  sparse_do(const Handle *h, SparseWork *w);
void sparse_reads(SparseWork *w, const void *p, size_t bytes);
void sparse_reads_rows(SparseWork *w, const Rows *a);
/* Elements of a type as numbers, and back. */
Number *sparse_numbers(int type, const void *p, int64_t n);
void    sparse_put(int type, void *p, const Number *x, int64_t n);

#endif
