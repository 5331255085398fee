/* SPDX-License-Identifier: Apache-2.0
 *
 * libcusolver: dense factorisations, solutions, eigenvalues and singular values over the host's LAPACK.
 *
 *   job.c     a Job: what is to be done with which matrices; its memory; running it     dense.c  the functions by type
 *   x.c       the functions with 64-bit sizes (cusolverDnX...)                             handle.c handles, parameters
 *   plain.c   a Plain: a call of one routine of LAPACK with its arguments                  reduce.c tridiagonal and bidiagonal forms, norms, eigenvalues of
 *   refine.c  solutions that a card refines from a lower precision                                  general matrices
 *   direct.h  sparse matrices (cusolverSp), over CXSparse
 *   missing.def  functions that are not here: they answer CUSOLVER_STATUS_NOT_SUPPORTED and are named at the program's end
 *
 * LAPACK makes its own work space, so a buffer's size is that of one element and is not looked at.  What the iterative methods are told (tolerance, sweeps)
 * is kept and answered; they are computed by the direct ones. */
#ifndef WW_CUSOLVER_H
#define WW_CUSOLVER_H

#include "cuda/libraries/host/host.h"
#include "cuda/libraries/library.h"

/* cusolverStatus_t */
typedef enum Sol {
    SOL_SUCCESS          = 0,
    SOL_NOT_INITIALIZED  = 1,
    SOL_ALLOC_FAILED     = 2,
    SOL_INVALID_VALUE    = 3,
    SOL_EXECUTION_FAILED = 6,
    SOL_NOT_SUPPORTED    = 9,
    SOL_NO_PARAMETERS    = 12, /* CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED */
    SOL_NO_INFORMATIONS  = 25  /* CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED */
} Sol;

typedef struct Handle {
    void *stream;
    int   mode, math, emulation; /* kept */
} Handle;

/* NULL: not a handle. */
Handle *handle_of(void *handle);

/* Objects of a kind of their own, whose address tells it from others. */
Sol     object_new(const char *of, void **out, const void *value, size_t bytes);
Sol     object_drop(const char *of, void *p);
/* Of a buffer that nothing is done with: elements; bytes on the device and on the host. */
Sol     size_elements(void *handle, int *elements);
Sol     size_bytes(void *handle, size_t *device, size_t *host);

/* What is done; each has a row in job.c. */
typedef enum Task { POTRF, POTRI, POTRS, GETRF, GETRS, GEQRF, ORGQR, ORMQR, GESVD, GESVDJ, SYEVD, SYGVD, SYTRF, SYTRS, SYTRI, TRTRI, TASKS } Task;

typedef struct Matrix {
    void   *p; /* a list of pointers, where the job says so */
    int64_t ld, stride;
} Matrix;

typedef struct Job {
    Task        task;
    const char *call;   /* static */
    char        letter; /* s d c z */
    int         side, fill, trans, diag; /* as cuBLAS numbers them */
    int         type;                    /* of sygvd: 1 to 3 */
    bool        vectors, economic;       /* eigenvectors, singular vectors wanted; only as many as there are values */
    int64_t     rank;                    /* of gesvdj: the largest so many of them; 0: all */
    int         range;                   /* of eigenvalues, which come first: RANGE_... */
    double      low, high;               /* in (low, high] */
    int64_t     first, last;             /* by number, from 1 */
    int64_t    *found;                   /* how many, the host's: the caller waits; NULL: not asked for */
    signed char jobu, jobv;              /* of gesvd */
    int64_t     m, n, k;                 /* k: right sides, reflectors */
    Matrix      a, b, c;                 /* b: right sides, C of ormqr, U; c: V or its transpose */
    Matrix      values;                  /* tau, eigenvalues, singular values */
    void       *pivots;
    bool        wide;     /* pivots of 64 bits */
    bool        pointers; /* a and b are lists of pointers */
    int        *info;
    int64_t     count;
} Job;

enum { RANGE_ALL = 1001, RANGE_NUMBERS, RANGE_VALUES }; /* cusolverEigRange_t; 0: all */

/* Checks it and gives it to the handle's stream. */
Sol job_do(void *handle, const Job *j);
/* The same, and waits: with how many eigenvalues were found, as a number of 32 or 64 bits (one of them NULL). */
Sol job_range(void *handle, Job j, int *found, int64_t *found64);

/* ---- a call of one routine ---- */

enum { PLAIN_ARGS = 17 };

typedef struct PlainArg {
    enum { PLAIN_CHAR, PLAIN_INT, PLAIN_POINTER, PLAIN_WORK, PLAIN_LENGTH, PLAIN_INFO } kind;
    union {
        char  c;
        int   i; /* also elements of work space */
        void *p;
    };
} PlainArg;

typedef struct Plain {
    LibraryWork work;
    Handle     *handle;
    Routine     routine;
    char        letter;
    PlainArg    arg[PLAIN_ARGS]; unsigned nargs;
    int        *info;      /* the device's; NULL: none */
    Sol         status;    /* the first thing that was wrong */
} Plain;

/* routine: LAPACK's without the letter. */
Plain plain_begin(void *handle, const char *call, char letter, const char *real, const char *complex, int *info);
void  plain_char(Plain *p, bool right, char c);
void  plain_int(Plain *p, int64_t x, int64_t least);
/* rows x columns elements, and the leading dimension behind it. */
void  plain_matrix(Plain *p, const void *a, int64_t ld, int64_t rows, int64_t columns, LibraryUse use);
/* n elements, of the real type where `real`. */
void  plain_vector(Plain *p, const void *v, int64_t n, bool real, LibraryUse use);
void  plain_work(Plain *p, int64_t elements); /* and its length */
void  plain_info(Plain *p);
Sol   plain_do(Plain *p, bool nothing);
size_t plain_element(const Plain *p, bool real);

#endif
