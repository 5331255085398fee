/* SPDX-License-Identifier: Apache-2.0
 *
 * libcusolver: dense factorisations, solutions, eigenvalues and singular values over the host's LAPACK.
 *
 *   job.c     a Job: what is to be done with which matrices; its memory; running it     dense.c  the functions by type
 *   x.c       the functions with 64-bit sizes (cusolverDnX...)                             handle.c handles, parameters
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
    SOL_NOT_SUPPORTED    = 9
} Sol;

typedef struct Handle {
    void *stream;
    int   mode, math; /* kept */
} Handle;

/* NULL: not a handle. */
Handle *handle_of(void *handle);

/* What is done; each has a row in job.c. */
typedef enum Task { POTRF, POTRI, POTRS, GETRF, GETRS, GEQRF, ORGQR, ORMQR, GESVD, GESVDJ, SYEVD, SYGVD, SYTRF, TRTRI, TASKS } Task;

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

/* Checks it and gives it to the handle's stream. */
Sol job_do(void *handle, const Job *j);

#endif
