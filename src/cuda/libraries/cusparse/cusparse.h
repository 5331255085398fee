/* SPDX-License-Identifier: Apache-2.0
 *
 * libcusparse: the generic interface, by plain loops of our own: no kept library of the host has these operations for all of its formats and types.
 *
 *   objects.c   handles and descriptors      multiply.c  SpMV, SpMM, SDDMM      solve.c  SpSV, SpSM
 *   convert.c   conversions, sparse vectors  missing.def functions that are not here
 *
 * A matrix by rows, columns or coordinates is read one nonzero after the other; sums are of double.  Offsets and indices are looked at when the work
 * runs: what lies outside of its matrix is left out and told. */
#ifndef WW_CUSPARSE_H
#define WW_CUSPARSE_H

#include "cuda/libraries/host/host.h"
#include "cuda/libraries/library.h"

/* cusparseStatus_t */
typedef enum Sp {
    SP_SUCCESS = 0, SP_NOT_INITIALIZED = 1, SP_ALLOC_FAILED = 2, SP_INVALID_VALUE = 3, SP_EXECUTION_FAILED = 6, SP_NOT_SUPPORTED = 10
} Sp;

enum { OP_N, OP_T, OP_C };
enum { BY_ROWS = 1, BY_COLUMNS = 2, COORDINATES = 3 }; /* cusparseFormat_t: CSR, CSC, COO */
enum { ORDER_COLUMN = 1, ORDER_ROW = 2 };
enum { INDEX_32 = 2, INDEX_64 = 3 };
enum { FILL_LOWER, FILL_UPPER };

typedef struct Handle {
    void *stream;
    int   pointer; /* 1: factors in device memory */
} Handle;

typedef struct Sparse {
    int     format, offset_type, index_type, base, type, fill, diag;
    int64_t rows, columns, nonzeros;
    void   *offsets; /* COORDINATES: the row of each */
    void   *indices, *values;
} Sparse;

typedef struct Dense { /* a vector is a matrix of one column */
    int64_t rows, columns, ld;
    void   *values;
    int     type, order;
} Dense;

typedef struct SparseVector {
    int64_t size, nonzeros;
    void   *indices, *values;
    int     index_type, base, type;
} SparseVector;

/* NULL: it is none. */
Handle       *handle_of(void *p);
Sparse       *sparse_of(const void *p);
Dense        *dense_of(const void *p);
SparseVector *vector_of(const void *p);

/* ---- reading ---- */

typedef struct Nonzero {
    int64_t row, column;
    Number  value;
} Nonzero;

/* Goes through a matrix: false at its end. */
typedef struct Walk {
    const Sparse *m;
    const char   *call;
    int64_t       at, line; /* nonzero; row or column */
    bool          told;
} Walk;

bool    walk_next(Walk *w, Nonzero *out);
int64_t index_at(int type, const void *p, int64_t i);
void    index_put(int type, void *p, int64_t i, int64_t x);
Number  dense_at(const Dense *d, int op, int64_t row, int64_t column);
void    dense_put(const Dense *d, int64_t row, int64_t column, Number x);
/* alpha * x + beta * what stands there; a beta of zero reads nothing. */
void    dense_update(const Dense *d, int64_t row, int64_t column, Number alpha, Number x, Number beta);

/* ---- work ---- */

typedef struct Factor {
    const void *device; /* NULL: the copy */
    _Alignas(16) unsigned char host[16];
} Factor;

Number factor_of(const Factor *f, int type);
/* From where the handle's pointer mode says. */
void   take_factor(const Handle *h, LibraryWork *w, Factor *f, const void *given, int type);
void   tell_sparse(LibraryWork *w, const Sparse *m, LibraryUse structure, LibraryUse values);
/* beta: NULL, or what is multiplied with what stands there. */
void   tell_dense(LibraryWork *w, const Dense *d, LibraryUse use, const Factor *beta, int type);
void   tell(LibraryWork *w, const void *p, size_t bytes, LibraryUse use);
Sp     give(const Handle *h, LibraryWork *w, const char *call, void (*compute)(const void *), const void *args, size_t bytes);

#endif
