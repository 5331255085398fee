/* SPDX-License-Identifier: Apache-2.0
 *
 * libcublas: handles and their modes (handle.c), and products computed by a BLAS of the host.  cuBLAS stores matrices by columns, as BLAS
 * does, so nearly every function is the routine of that name with the same arguments.
 *
 *   blas.c       a Call: the routine of the host's BLAS, its arguments, the memory it touches
 *   level1.c     vectors by the host's BLAS     vectors.c  numbers of vectors, rotations, vectors of any types
 *   level2.c     a matrix and vectors           level3.c   matrices
 *   banded.c     banded and packed matrices with vectors     batched.c  batches of factorisations
 *   xt.c         cublasXt: operands of the host
 *   extended.c   mixed types (cublasGemmEx), batches, groups, triangles     transfer.c  cublasSetMatrix and the like
 *   legacy.c     the functions without a handle (cublas.h)
 *   missing.def  functions of cuBLAS that are not here: they answer CUBLAS_STATUS_NOT_SUPPORTED and are named at the program's end
 *
 * Sizes and strides are checked as cuBLAS documents it (CUBLAS_STATUS_INVALID_VALUE), pointers only for NULL: the rest of memory when the work runs. */
#ifndef WW_CUBLAS_H
#define WW_CUBLAS_H

#include <stddef.h>
#include <stdint.h>

#include "cuda/libraries/host/host.h"
#include "cuda/libraries/library.h"

/* Status, of cublasStatus_t */
typedef enum Blas {
    BLAS_SUCCESS          = 0,
    BLAS_NOT_INITIALIZED  = 1,
    BLAS_ALLOC_FAILED     = 3,
    BLAS_INVALID_VALUE    = 7,
    BLAS_ARCH_MISMATCH    = 8,
    BLAS_MAPPING_ERROR    = 11,
    BLAS_EXECUTION_FAILED = 13,
    BLAS_INTERNAL_ERROR   = 14,
    BLAS_NOT_SUPPORTED    = 15,
    BLAS_LICENSE_ERROR    = 16
} Blas;

enum { OP_N, OP_T, OP_C };               /* cublasOperation_t */
enum { FILL_LOWER, FILL_UPPER };         /* cublasFillMode_t */
enum { SIDE_LEFT, SIDE_RIGHT };          /* cublasSideMode_t */
enum { DIAG_NON_UNIT, DIAG_UNIT };       /* cublasDiagType_t */
enum { POINTER_HOST, POINTER_DEVICE };   /* cublasPointerMode_t */

typedef struct Handle {
    void    *stream;
    int      pointer, math, atomics, sms;
    void    *workspace; size_t workspace_bytes;
    int      block, pinning; /* of cublasXt; kept */
    bool     host; /* of cublasXt: operands are the host's or a device's, and calls wait */
    int      emulation, special, mantissa, mantissa_most, mantissa_offset; /* of emulated products; kept: the host computes with its own */
    int     *mantissa_count;
} Handle;

Blas    cublasCreate_v2(void **handle), cublasDestroy_v2(void *handle);
/* NULL: not a handle. */
Handle *handle_of(void *handle);

/* ---- a call of a routine of the host's BLAS ---- */

enum { CALL_ARGS = 14, CALL_FACTORS = 2 };

typedef struct CallArg {
    enum { ARG_CHAR, ARG_INT, ARG_FACTOR, ARG_POINTER } kind;
    union {
        char     c;
        int      i;
        unsigned factor;
        void    *p;
    };
} CallArg;

typedef struct Factor { /* alpha, beta: in device memory, or a copy */
    const void *device;
    size_t      bytes;
    _Alignas(16) unsigned char host[16];
} Factor;

typedef struct Call {
    LibraryWork work;
    void      (*routine)(void);  /* of Fortran: every argument is a pointer */
    CallArg     arg[CALL_ARGS]; unsigned nargs;
    Factor      factor[CALL_FACTORS]; unsigned nfactors;
    Blas        status;          /* the first thing that was wrong */
    char        why[96];         /* in words, where there are some */
    unsigned    nmatrices;
    Handle     *handle;
    char        letter;          /* s d c z */
    size_t      element;         /* bytes */
} Call;

/* name: of the cuBLAS function; routine: Fortran's without the type's letter and the underscore ("gemm"), or "": the caller computes it itself. */
const char *cublasGetStatusName(int status);
Call call_begin(void *handle, char letter, const char *name, const char *routine);
void call_char(Call *c, char x);
void call_int(Call *c, int64_t x);
void call_factor(Call *c, const void *factor, size_t bytes);
void call_op(Call *c, int op);
void call_fill(Call *c, int fill);
void call_side(Call *c, int side);
void call_diag(Call *c, int diag);
/* rows x columns, stored by columns, ld apart; of real routines with complex matrices `element` is the call's. */
void call_matrix(Call *c, const void *p, int64_t ld, int64_t rows, int64_t columns, LibraryUse use);
void call_vector(Call *c, const void *p, int64_t n, int64_t stride, LibraryUse use);
/* The last matrix or vector is a triangular, symmetric or Hermitian one: only this triangle is touched. */
void call_part(Call *c, int fill);
/* The last matrix or vector is multiplied with the last factor before it is written: it is read unless that is zero. */
void call_scaled(Call *c);
/* A triangle stored column behind column; no leading dimension follows it. */
void call_packed(Call *c, const void *p, int64_t n, LibraryUse use);
/* Memory beside matrices and vectors that it reads or writes. */
void call_memory(Call *c, const void *p, size_t bytes, LibraryUse use);
/* Something is wrong with the arguments. */
void call_refuse(Call *c, bool wrong);
/* Gives it to the handle's stream; nothing is to be done: success. */
Blas call_end(Call *c, bool nothing);

/* level2.c: a product of one vector (y NULL) or two is added to a symmetric matrix, packed or lda apart.  bytes: of alpha, which her and hpr
 * have real. */
Blas call_rank(void *handle, char letter, const char *name, const char *routine, int fill, int64_t n, const void *alpha,
               size_t bytes, const void *x, int64_t incx, const void *y, int64_t incy, void *a, int64_t lda, bool packed);

/* Functions of 32-bit sizes and, under names that end in _64, of 64-bit ones: MACRO has two more parameters, the ending and the integer. */
#define WIDTHS(MACRO, ...)                                                                                             \
    MACRO(__VA_ARGS__, , int)                                                                                          \
    MACRO(__VA_ARGS__, _64, int64_t)

#endif
