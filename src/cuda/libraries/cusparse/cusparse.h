/* SPDX-License-Identifier: Apache-2.0
 *
 * libcusparse: the generic interface, by plain loops of our own: no kept library of the host has these operations for all of its formats and types.
 *
 *   objects.c   handles and descriptors       blocked.c    blocks and slices, batches, what a descriptor holds
 *   multiply.c  SpMV, SpMM, SDDMM             spgemm.c     sparse by sparse
 *   solve.c     SpSV, SpSM                    band.c       systems of three and five diagonals
 *   convert.c   conversions, sparse vectors   sort.c       nonzeros in order
 *   factor.c    incomplete factors of the interface of old     missing.def  functions that are not here
 *
 * A matrix of any format is read one stored value after the other; sums are of double.  Offsets and indices are looked at when the work
 * runs: what lies outside of its matrix is left out and told. */
#ifndef WW_CUSPARSE_H
#define WW_CUSPARSE_H

#include "cuda/libraries/host/host.h"
#include "cuda/libraries/library.h"

/* cusparseStatus_t */
typedef enum Sp {
    SP_SUCCESS = 0, SP_NOT_INITIALIZED = 1, SP_ALLOC_FAILED = 2, SP_INVALID_VALUE = 3, SP_EXECUTION_FAILED = 6, SP_MATRIX_TYPE_NOT_SUPPORTED = 8,
    SP_ZERO_PIVOT = 9, SP_NOT_SUPPORTED = 10
} Sp;

enum { OP_N, OP_T, OP_C };
enum { BY_ROWS = 1, BY_COLUMNS = 2, COORDINATES = 3, BLOCKED_ELL = 5, BLOCK_ROWS = 6, SLICED_ELL = 7 }; /* cusparseFormat_t: CSR, CSC, COO ... BSR */
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
    void   *offsets; /* COORDINATES: the row of each; BLOCKED_ELL: none */
    void   *indices, *values;
    /* blocks: their sides; BLOCKED_ELL: columns stored of each row; SLICED_ELL: rows of a slice (block_rows), values stored (width) */
    int64_t block_rows, block_columns, width;
    int     block_order;
    /* matrices, and how many offsets, indices and values from one to the next */
    int64_t batches, offset_stride, index_stride, value_stride;
} Sparse;

typedef struct Dense { /* a vector is a matrix of one column */
    int64_t rows, columns, ld;
    void   *values;
    int     type, order;
    int64_t batches, stride;
} Dense;

typedef struct SparseVector {
    int64_t size, nonzeros;
    void   *indices, *values;
    int     index_type, base, type;
} SparseVector;

/* What the interface of today says of a handle that is none; that of old says SP_NOT_INITIALIZED of all. */
static inline Sp no_handle(const void *p)
{
    return p ? SP_NOT_INITIALIZED : SP_INVALID_VALUE;
}

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

/* Nonzeros outside of the matrix are left out and told, places that a format fills up are left out; w->at is the number of the next value. */
bool    walk_next(Walk *w, Nonzero *out);
/* Values, indices and offsets that it stores. */
int64_t stored_values(const Sparse *m), stored_indices(const Sparse *m), stored_offsets(const Sparse *m);
/* Matrix i of a batch; of a single one always that. */
Sparse  sparse_item(const Sparse *m, int64_t i);
Dense   dense_item(const Dense *d, int64_t i);
int64_t index_at(int type, const void *p, int64_t i);
void    index_put(int type, void *p, int64_t i, int64_t x);
Number  dense_at(const Dense *d, int op, int64_t row, int64_t column);
void    dense_put(const Dense *d, int64_t row, int64_t column, Number x);
/* alpha * x + beta * what stands there; a beta of zero reads nothing. */
void    dense_update(const Dense *d, int64_t row, int64_t column, Number alpha, Number x, Number beta);

/* rows.c.  Is the matrix by rows, of real floats or doubles, with ascending offsets and columns inside?  Then the following serve it: */
bool    rows_plain(const Sparse *m);
/* y = A x, x of m->columns and y of m->rows. */
void    rows_product(const Sparse *m, const double *x, double *y);
/* Solves by the triangle m->fill, or its transpose, in place; the diagonal's values: these, or NULL: those stored. */
void    rows_solve(const Sparse *m, bool transposed, const double *diagonal, double *y);

/* ---- descriptors ---- */

Sp      sparse_new(void **out, Sparse m);
/* Of a kind of its own, whose address tells it from others. */
Sp      object_new(const char *kind, void **out, const void *value, size_t bytes);
Sp      object_drop(const char *kind, void *p);

/* ---- the interface of old ---- */

/* Of a descriptor; 0 where it is none. */
int     descr_base(const void *p);
/* SP_INVALID_VALUE: it is none; SP_MATRIX_TYPE_NOT_SUPPORTED: of a matrix that is not general. */
Sp      descr_read(const void *p, LibraryDescriptor *out);
/* In the info of factors and solutions, if it is there: the first pivot that is missing or zero, -1: none. */
void    pivot_note(void *info, int position);
/* Which triangle a solution's analysis has seen, and taking that for the solution.  SP_INVALID_VALUE: no info, or no analysis before. */
Sp      triangle_keep(void *info, const LibraryDescriptor *d);
Sp      triangle_of(const void *info, Sparse *m);

enum { NONZEROS_UNKNOWN = -1 };

/* By rows of blocks, whose direction is 0 by rows and 1 by columns; an element is a block of 1 x 1.  NONZEROS_UNKNOWN: old_measure finds them. */
Sparse  old_matrix(int type, int base, int64_t lines, int64_t line_columns, int64_t nonzeros, const void *values, const int *offsets, const int *indices);
Sparse  old_blocks(Sparse m, int direction, int rows, int columns);
/* While work runs: how many nonzeros the offsets say, where that was not told; false: what they need is not allocated. */
bool    old_measure(const char *call, Sparse *m, LibraryUse structure, LibraryUse values);
/* Work that also answers with a number (NULL: nobody asks), in the memory that the handle's pointer mode says. */
Sp      give_total(const Handle *h, LibraryWork *w, const char *call, void (*compute)(const void *), const void *args, size_t bytes, int *total);

/* ---- work ---- */

/* Of a buffer: no space is needed; a size above none, because programs allocate it. */
Sp     space(void *handle, size_t *bytes);
Sp     space_int(void *handle, int *bytes);
static inline Sp space_today(void *handle, size_t *bytes)
{
    return handle ? space(handle, bytes) : no_handle(handle);
}

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
/* While matrix i of a batch is worked on: where the batch has gaps, only the first was told.  false: it is not allocated. */
bool   dense_uses(const char *call, const Dense *d, int64_t i, LibraryUse use, const Factor *beta, int type);
void   dense_wrote(const Dense *d, int64_t i);
void   tell(LibraryWork *w, const void *p, size_t bytes, LibraryUse use);
/* op(A) B, and the solution of op(A) Y = alpha op(X), for what is no descriptor; alpha NULL: only looks at the diagonal.  info: see pivot_note. */
Sp     product_do(const Handle *h, const char *call, int opa, int opb, const void *alpha, const Sparse *m, const Dense *x, const void *beta, const Dense *y,
                  int type);
Sp     solve_do(const Handle *h, const char *call, int opa, int opb, const void *alpha, const Sparse *m, const Dense *x, const Dense *y, int type, void *info);
Sp     give(const Handle *h, LibraryWork *w, const char *call, void (*compute)(const void *), const void *args, size_t bytes);

#endif
