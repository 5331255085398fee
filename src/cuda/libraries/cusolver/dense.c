/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions by type.  A buffer's size is asked with nearly the arguments of the call; it is one element, whatever they are. */
#include "cuda/libraries/cusolver/cusolver.h"

enum { VECTOR = 1 }; /* cusolverEigMode_t */

#define NAME(L, name) .call = "cusolverDn" #L#name, .count = 1
#define IN(q)         (void *)(uintptr_t)(q)

#define FUNCTIONS(L, l)                                                                                                \
    Sol cusolverDn##L##potrf_bufferSize(void *h, int fill, int n, void *a, int lda, int *size)                         \
    {                                                                                                                  \
        (void)fill, (void)n, (void)a, (void)lda;                                                                       \
        return size_elements(h, size);                                                                                 \
    }                                                                                                                  \
    Sol cusolverDn##L##potrf(void *h, int fill, int n, void *a, int lda, void *work, int size, int *info)              \
    {                                                                                                                  \
        (void)work, (void)size;                                                                                        \
        return job_do(h, &(Job){NAME(L, potrf), .task = POTRF, .letter = l, .fill = fill, .n = n, .a = {a, lda, 0},    \
                                .info = info});                                                                        \
    }                                                                                                                  \
    Sol cusolverDn##L##potri_bufferSize(void *h, int fill, int n, void *a, int lda, int *size)                         \
    {                                                                                                                  \
        (void)fill, (void)n, (void)a, (void)lda;                                                                       \
        return size_elements(h, size);                                                                                 \
    }                                                                                                                  \
    Sol cusolverDn##L##potri(void *h, int fill, int n, void *a, int lda, void *work, int size, int *info)              \
    {                                                                                                                  \
        (void)work, (void)size;                                                                                        \
        return job_do(h, &(Job){NAME(L, potri), .task = POTRI, .letter = l, .fill = fill, .n = n, .a = {a, lda, 0},    \
                                .info = info});                                                                        \
    }                                                                                                                  \
    Sol cusolverDn##L##potrs(void *h, int fill, int n, int columns, const void *a, int lda, void *b, int ldb,          \
                             int *info)                                                                                \
    {                                                                                                                  \
        return job_do(h, &(Job){NAME(L, potrs), .task = POTRS, .letter = l, .fill = fill, .n = n, .k = columns,        \
                                .a = {IN(a), lda, 0}, .b = {b, ldb, 0}, .info = info});                                \
    }                                                                                                                  \
    Sol cusolverDn##L##potrfBatched(void *h, int fill, int n, void *a, int lda, int *info, int count)                  \
    {                                                                                                                  \
        return job_do(h, &(Job){.call     = "cusolverDn" #L "potrfBatched",                                            \
                                .count    = count,                                                                     \
                                .pointers = true,                                                                      \
                                .task     = POTRF,                                                                     \
                                .letter   = l,                                                                         \
                                .fill     = fill,                                                                      \
                                .n        = n,                                                                         \
                                .a        = {a, lda, 0},                                                               \
                                .info     = info});                                                                        \
    }                                                                                                                  \
    Sol cusolverDn##L##potrsBatched(void *h, int fill, int n, int columns, void *a, int lda, void *b, int ldb,         \
                                    int *info, int count)                                                              \
    {                                                                                                                  \
        return job_do(h, &(Job){.call     = "cusolverDn" #L "potrsBatched",                                            \
                                .count    = count,                                                                     \
                                .pointers = true,                                                                      \
                                .task     = POTRS,                                                                     \
                                .letter   = l,                                                                         \
                                .fill     = fill,                                                                      \
                                .n        = n,                                                                         \
                                .k        = columns,                                                                   \
                                .a        = {a, lda, 0},                                                               \
                                .b        = {b, ldb, 0},                                                               \
                                .info     = info});                                                                        \
    }                                                                                                                  \
    Sol cusolverDn##L##getrf_bufferSize(void *h, int m, int n, void *a, int lda, int *size)                            \
    {                                                                                                                  \
        (void)m, (void)n, (void)a, (void)lda;                                                                          \
        return size_elements(h, size);                                                                                 \
    }                                                                                                                  \
    Sol cusolverDn##L##getrf(void *h, int m, int n, void *a, int lda, void *work, int *pivots, int *info)              \
    {                                                                                                                  \
        (void)work;                                                                                                    \
        return job_do(h, &(Job){NAME(L, getrf), .task = GETRF, .letter = l, .m = m, .n = n, .a = {a, lda, 0},          \
                                .pivots = pivots, .info = info});                                                      \
    }                                                                                                                  \
    Sol cusolverDn##L##getrs(void *h, int trans, int n, int columns, const void *a, int lda, const int *pivots,        \
                             void *b, int ldb, int *info)                                                              \
    {                                                                                                                  \
        return job_do(h, &(Job){NAME(L, getrs), .task = GETRS, .letter = l, .trans = trans, .n = n, .k = columns,      \
                                .a = {IN(a), lda, 0}, .b = {b, ldb, 0}, .pivots = IN(pivots), .info = info});          \
    }                                                                                                                  \
    Sol cusolverDn##L##geqrf_bufferSize(void *h, int m, int n, void *a, int lda, int *size)                            \
    {                                                                                                                  \
        (void)m, (void)n, (void)a, (void)lda;                                                                          \
        return size_elements(h, size);                                                                                 \
    }                                                                                                                  \
    Sol cusolverDn##L##geqrf(void *h, int m, int n, void *a, int lda, void *tau, void *work, int size, int *info)      \
    {                                                                                                                  \
        (void)work, (void)size;                                                                                        \
        return job_do(h, &(Job){NAME(L, geqrf), .task = GEQRF, .letter = l, .m = m, .n = n, .a = {a, lda, 0},          \
                                .values = {tau, 0, 0}, .info = info});                                                 \
    }                                                                                                                  \
    Sol cusolverDn##L##gesvd_bufferSize(void *h, int m, int n, int *size)                                              \
    {                                                                                                                  \
        (void)m, (void)n;                                                                                              \
        return size_elements(h, size);                                                                                 \
    }                                                                                                                  \
    Sol cusolverDn##L##gesvd(void *h, signed char jobu, signed char jobv, int m, int n, void *a, int lda, void *s,     \
                             void *u, int ldu, void *v, int ldv, void *work, int size, void *reals, int *info)         \
    {                                                                                                                  \
        (void)work, (void)size, (void)reals;                                                                           \
        return job_do(h, &(Job){NAME(L, gesvd), .task = GESVD, .letter = l, .m = m, .n = n, .jobu = jobu,              \
                                .jobv = jobv, .a = {a, lda, 0}, .b = {u, ldu, 0}, .c = {v, ldv, 0},                    \
                                .values = {s, 0, 0}, .info = info});                                                   \
    }                                                                                                                  \
    Sol cusolverDn##L##gesvdj_bufferSize(void *h, int jobz, int econ, int m, int n, const void *a, int lda,            \
                                         const void *s, const void *u, int ldu, const void *v, int ldv, int *size,     \
                                         void *parameters)                                                             \
    {                                                                                                                  \
        (void)jobz, (void)econ, (void)m, (void)n, (void)a, (void)lda, (void)s, (void)u, (void)ldu, (void)v, (void)ldv; \
        (void)parameters;                                                                                              \
        return size_elements(h, size);                                                                                 \
    }                                                                                                                  \
    Sol cusolverDn##L##gesvdj(void *h, int jobz, int econ, int m, int n, void *a, int lda, void *s, void *u, int ldu,  \
                              void *v, int ldv, void *work, int size, int *info, void *parameters)                     \
    {                                                                                                                  \
        (void)work, (void)size, (void)parameters;                                                                      \
        return job_do(h, &(Job){NAME(L, gesvdj), .task = GESVDJ, .letter = l, .m = m, .n = n,                          \
                                .vectors = jobz == VECTOR, .economic = econ, .a = {a, lda, 0}, .b = {u, ldu, 0},       \
                                .c = {v, ldv, 0}, .values = {s, 0, 0}, .info = info});                                 \
    }                                                                                                                  \
    Sol cusolverDn##L##gesvdjBatched_bufferSize(void *h, int jobz, int m, int n, const void *a, int lda,               \
                                                const void *s, const void *u, int ldu, const void *v, int ldv,         \
                                                int *size, void *parameters, int count)                                \
    {                                                                                                                  \
        (void)jobz, (void)m, (void)n, (void)a, (void)lda, (void)s, (void)u, (void)ldu, (void)v, (void)ldv;             \
        (void)parameters, (void)count;                                                                                 \
        return size_elements(h, size);                                                                                 \
    }                                                                                                                  \
    Sol cusolverDn##L##gesvdjBatched(void *h, int jobz, int m, int n, void *a, int lda, void *s, void *u, int ldu,     \
                                     void *v, int ldv, void *work, int size, int *info, void *parameters, int count)   \
    {                                                                                                                  \
        (void)work, (void)size, (void)parameters;                                                                      \
        return job_do(h, &(Job){.call    = "cusolverDn" #L "gesvdjBatched",                                            \
                                .task    = GESVDJ,                                                                     \
                                .letter  = l,                                                                          \
                                .m       = m,                                                                          \
                                .n       = n,                                                                          \
                                .vectors = jobz == VECTOR,                                                             \
                                .a       = {a, lda, (int64_t)lda * n},                                                 \
                                .b       = {u, ldu, (int64_t)ldu * m},                                                 \
                                .c       = {v, ldv, (int64_t)ldv * n},                                                 \
                                .values  = {s, 0, m < n ? m : n},                                                      \
                                .info    = info,                                                                       \
                                .count   = count});                                                                      \
    }                                                                                                                  \
    Sol cusolverDn##L##gesvdaStridedBatched_bufferSize(                                                                \
        void *h, int jobz, int rank, int m, int n, const void *a, int lda, long long sa, const void *s, long long ss,  \
        const void *u, int ldu, long long su, const void *v, int ldv, long long sv, int *size, int count)              \
    {                                                                                                                  \
        (void)jobz, (void)rank, (void)m, (void)n, (void)a, (void)lda, (void)sa, (void)s, (void)ss, (void)u, (void)ldu; \
        (void)su, (void)v, (void)ldv, (void)sv, (void)count;                                                           \
        return size_elements(h, size);                                                                                 \
    }                                                                                                                  \
    Sol cusolverDn##L##gesvdaStridedBatched(void *h, int jobz, int rank, int m, int n, const void *a, int lda,         \
                                            long long sa, void *s, long long ss, void *u, int ldu, long long su,       \
                                            void *v, int ldv, long long sv, void *work, int size, int *info,           \
                                            double *residuals, int count)                                              \
    {                                                                                                                  \
        (void)work, (void)size;                                                                                        \
        Sol done = job_do(h, &(Job){.call     = "cusolverDn" #L "gesvdaStridedBatched",                                \
                                    .task     = GESVDJ,                                                                \
                                    .letter   = l,                                                                     \
                                    .m        = m,                                                                     \
                                    .n        = n,                                                                     \
                                    .vectors  = jobz == VECTOR,                                                        \
                                    .economic = true,                                                                  \
                                    .rank     = rank,                                                                  \
                                    .a        = {IN(a), lda, sa},                                                      \
                                    .b        = {u, ldu, su},                                                          \
                                    .c        = {v, ldv, sv},                                                          \
                                    .values   = {s, 0, ss},                                                            \
                                    .info     = info,                                                                  \
                                    .count    = count});                                                                  \
        if (residuals &&                                                                                               \
            done == SOL_SUCCESS) /* of so many matrices as there are: only if all of them were in memory */            \
            done = ww_cuda_library_wait(handle_of(h)->stream) ? SOL_SUCCESS : SOL_EXECUTION_FAILED;                    \
        for (int i = 0; residuals && done == SOL_SUCCESS && i < count; i++)                                            \
            residuals[i] = 0;                                                                                          \
        return done;                                                                                                   \
    }                                                                                                                  \
    Sol cusolverDn##L##sytrf_bufferSize(void *h, int n, void *a, int lda, int *size)                                   \
    {                                                                                                                  \
        (void)n, (void)a, (void)lda;                                                                                   \
        return size_elements(h, size);                                                                                 \
    }                                                                                                                  \
    Sol cusolverDn##L##sytrf(void *h, int fill, int n, void *a, int lda, int *pivots, void *work, int size, int *info) \
    {                                                                                                                  \
        (void)work, (void)size;                                                                                        \
        return job_do(h, &(Job){NAME(L, sytrf), .task = SYTRF, .letter = l, .fill = fill, .n = n, .a = {a, lda, 0},    \
                                .pivots = pivots, .info = info});                                                      \
    }                                                                                                                  \
    Sol cusolverDn##L##sytri_bufferSize(void *h, int fill, int n, void *a, int lda, const int *pivots, int *size)      \
    {                                                                                                                  \
        (void)fill, (void)n, (void)a, (void)lda, (void)pivots;                                                         \
        return size_elements(h, size);                                                                                 \
    }                                                                                                                  \
    Sol cusolverDn##L##sytri(void *h, int fill, int n, void *a, int lda, const int *pivots, void *work, int size,      \
                             int *info)                                                                                \
    {                                                                                                                  \
        (void)work, (void)size;                                                                                        \
        return job_do(h, &(Job){NAME(L, sytri), .task = SYTRI, .letter = l, .fill = fill, .n = n, .a = {a, lda, 0},    \
                                .pivots = IN(pivots), .info = info});                                                  \
    }
FUNCTIONS(S, 's')
FUNCTIONS(D, 'd')
FUNCTIONS(C, 'c')
FUNCTIONS(Z, 'z')

/* o: or, of real types, un; s: sy or he. */
#define NAMED(L, l, o, s)                                                                                              \
    Sol cusolverDn##L##o##gqr_bufferSize(void *h, int m, int n, int k, const void *a, int lda, const void *tau,        \
                                         int *size)                                                                    \
    {                                                                                                                  \
        (void)m, (void)n, (void)k, (void)a, (void)lda, (void)tau;                                                      \
        return size_elements(h, size);                                                                                 \
    }                                                                                                                  \
    Sol cusolverDn##L##o##gqr(void *h, int m, int n, int k, void *a, int lda, const void *tau, void *work, int size,   \
                              int *info)                                                                               \
    {                                                                                                                  \
        (void)work, (void)size;                                                                                        \
        return job_do(h, &(Job){NAME(L, o##gqr), .task = ORGQR, .letter = l, .m = m, .n = n, .k = k, .a = {a, lda, 0}, \
                                .values = {IN(tau), 0, 0}, .info = info});                                             \
    }                                                                                                                  \
    Sol cusolverDn##L##o##mqr_bufferSize(void *h, int side, int trans, int m, int n, int k, const void *a, int lda,    \
                                         const void *tau, const void *c, int ldc, int *size)                           \
    {                                                                                                                  \
        (void)side, (void)trans, (void)m, (void)n, (void)k, (void)a, (void)lda, (void)tau, (void)c, (void)ldc;         \
        return size_elements(h, size);                                                                                 \
    }                                                                                                                  \
    Sol cusolverDn##L##o##mqr(void *h, int side, int trans, int m, int n, int k, const void *a, int lda,               \
                              const void *tau, void *c, int ldc, void *work, int size, int *info)                      \
    {                                                                                                                  \
        (void)work, (void)size;                                                                                        \
        return job_do(h, &(Job){NAME(L, o##mqr), .task = ORMQR, .letter = l, .side = side, .trans = trans, .m = m,     \
                                .n = n, .k = k, .a = {IN(a), lda, 0}, .b = {c, ldc, 0}, .values = {IN(tau), 0, 0},     \
                                .info = info});                                                                        \
    }                                                                                                                  \
    Sol cusolverDn##L##s##evd_bufferSize(void *h, int jobz, int fill, int n, const void *a, int lda, const void *w,    \
                                         int *size)                                                                    \
    {                                                                                                                  \
        (void)jobz, (void)fill, (void)n, (void)a, (void)lda, (void)w;                                                  \
        return size_elements(h, size);                                                                                 \
    }                                                                                                                  \
    Sol cusolverDn##L##s##evd(void *h, int jobz, int fill, int n, void *a, int lda, void *w, void *work, int size,     \
                              int *info)                                                                               \
    {                                                                                                                  \
        (void)work, (void)size;                                                                                        \
        return job_do(h, &(Job){NAME(L, s##evd), .task = SYEVD, .letter = l, .fill = fill, .n = n,                     \
                                .vectors = jobz == VECTOR, .a = {a, lda, 0}, .values = {w, 0, 0}, .info = info});      \
    }                                                                                                                  \
    Sol cusolverDn##L##s##evj_bufferSize(void *h, int jobz, int fill, int n, const void *a, int lda, const void *w,    \
                                         int *size, void *parameters)                                                  \
    {                                                                                                                  \
        (void)jobz, (void)fill, (void)n, (void)a, (void)lda, (void)w, (void)parameters;                                \
        return size_elements(h, size);                                                                                 \
    }                                                                                                                  \
    Sol cusolverDn##L##s##evj(void *h, int jobz, int fill, int n, void *a, int lda, void *w, void *work, int size,     \
                              int *info, void *parameters)                                                             \
    {                                                                                                                  \
        (void)work, (void)size, (void)parameters;                                                                      \
        return job_do(h, &(Job){NAME(L, s##evj), .task = SYEVD, .letter = l, .fill = fill, .n = n,                     \
                                .vectors = jobz == VECTOR, .a = {a, lda, 0}, .values = {w, 0, 0}, .info = info});      \
    }                                                                                                                  \
    Sol cusolverDn##L##s##evjBatched_bufferSize(void *h, int jobz, int fill, int n, const void *a, int lda,            \
                                                const void *w, int *size, void *parameters, int count)                 \
    {                                                                                                                  \
        (void)jobz, (void)fill, (void)n, (void)a, (void)lda, (void)w, (void)parameters, (void)count;                   \
        return size_elements(h, size);                                                                                 \
    }                                                                                                                  \
    Sol cusolverDn##L##s##evjBatched(void *h, int jobz, int fill, int n, void *a, int lda, void *w, void *work,        \
                                     int size, int *info, void *parameters, int count)                                 \
    {                                                                                                                  \
        (void)work, (void)size, (void)parameters;                                                                      \
        return job_do(h, &(Job){.call    = "cusolverDn" #L#s "evjBatched",                                             \
                                .task    = SYEVD,                                                                      \
                                .letter  = l,                                                                          \
                                .fill    = fill,                                                                       \
                                .n       = n,                                                                          \
                                .vectors = jobz == VECTOR,                                                             \
                                .a       = {a, lda, (int64_t)lda * n},                                                 \
                                .values  = {w, 0, n},                                                                  \
                                .info    = info,                                                                       \
                                .count   = count});                                                                      \
    }                                                                                                                  \
    Sol cusolverDn##L##s##gvd_bufferSize(void *h, int type, int jobz, int fill, int n, const void *a, int lda,         \
                                         const void *b, int ldb, const void *w, int *size)                             \
    {                                                                                                                  \
        (void)type, (void)jobz, (void)fill, (void)n, (void)a, (void)lda, (void)b, (void)ldb, (void)w;                  \
        return size_elements(h, size);                                                                                 \
    }                                                                                                                  \
    Sol cusolverDn##L##s##gvd(void *h, int type, int jobz, int fill, int n, void *a, int lda, void *b, int ldb,        \
                              void *w, void *work, int size, int *info)                                                \
    {                                                                                                                  \
        (void)work, (void)size;                                                                                        \
        return job_do(h, &(Job){NAME(L, s##gvd), .task = SYGVD, .letter = l, .type = type, .fill = fill, .n = n,       \
                                .vectors = jobz == VECTOR, .a = {a, lda, 0}, .b = {b, ldb, 0}, .values = {w, 0, 0},    \
                                .info = info});                                                                        \
    }
NAMED(S, 's', or, sy)
NAMED(D, 'd', or, sy)
NAMED(C, 'c', un, he)
NAMED(Z, 'z', un, he)

/* The same by another method, and of a part of the eigenvalues: r is the type of their limits. */
#define RANGES(L, l, s, r)                                                                                             \
    Sol cusolverDn##L##s##gvj_bufferSize(void *h, int type, int jobz, int fill, int n, const void *a, int lda,         \
                                         const void *b, int ldb, const void *w, int *size, void *parameters)           \
    {                                                                                                                  \
        (void)type, (void)jobz, (void)fill, (void)n, (void)a, (void)lda, (void)b, (void)ldb, (void)w;                  \
        (void)parameters;                                                                                              \
        return size_elements(h, size);                                                                                 \
    }                                                                                                                  \
    Sol cusolverDn##L##s##gvj(void *h, int type, int jobz, int fill, int n, void *a, int lda, void *b, int ldb,        \
                              void *w, void *work, int size, int *info, void *parameters)                              \
    {                                                                                                                  \
        (void)work, (void)size, (void)parameters;                                                                      \
        return job_do(h, &(Job){NAME(L, s##gvj), .task = SYGVD, .letter = l, .type = type, .fill = fill, .n = n,       \
                                .vectors = jobz == VECTOR, .a = {a, lda, 0}, .b = {b, ldb, 0}, .values = {w, 0, 0},    \
                                .info = info});                                                                        \
    }                                                                                                                  \
    Sol cusolverDn##L##s##evdx_bufferSize(void *h, int jobz, int range, int fill, int n, const void *a, int lda, r vl, \
                                          r vu, int il, int iu, int *found, const void *w, int *size)                  \
    {                                                                                                                  \
        (void)jobz, (void)range, (void)fill, (void)n, (void)a, (void)lda, (void)vl, (void)vu, (void)il, (void)iu;      \
        (void)found, (void)w;                                                                                          \
        return size_elements(h, size);                                                                                 \
    }                                                                                                                  \
    Sol cusolverDn##L##s##evdx(void *h, int jobz, int range, int fill, int n, void *a, int lda, r vl, r vu, int il,    \
                               int iu, int *found, void *w, void *work, int size, int *info)                           \
    {                                                                                                                  \
        (void)work, (void)size;                                                                                        \
        return job_range(h,                                                                                            \
                         (Job){NAME(L, s##evdx), .task = SYEVD, .letter = l, .fill = fill, .n = n, .low = vl,          \
                               .high = vu, .first = il, .last = iu, .range = range, .vectors = jobz == VECTOR,         \
                               .a = {a, lda, 0}, .values = {w, 0, 0}, .info = info},                                   \
                         found, NULL);                                                                                 \
    }                                                                                                                  \
    Sol cusolverDn##L##s##gvdx_bufferSize(void *h, int type, int jobz, int range, int fill, int n, const void *a,      \
                                          int lda, const void *b, int ldb, r vl, r vu, int il, int iu, int *found,     \
                                          const void *w, int *size)                                                    \
    {                                                                                                                  \
        (void)type, (void)jobz, (void)range, (void)fill, (void)n, (void)a, (void)lda, (void)b, (void)ldb, (void)vl;    \
        (void)vu, (void)il, (void)iu, (void)found, (void)w;                                                            \
        return size_elements(h, size);                                                                                 \
    }                                                                                                                  \
    Sol cusolverDn##L##s##gvdx(void *h, int type, int jobz, int range, int fill, int n, void *a, int lda, void *b,     \
                               int ldb, r vl, r vu, int il, int iu, int *found, void *w, void *work, int size,         \
                               int *info)                                                                              \
    {                                                                                                                  \
        (void)work, (void)size;                                                                                        \
        return job_range(h,                                                                                            \
                         (Job){NAME(L, s##gvdx), .task = SYGVD, .letter = l, .type = type, .fill = fill, .n = n,       \
                               .low = vl, .high = vu, .first = il, .last = iu, .range = range,                         \
                               .vectors = jobz == VECTOR, .a = {a, lda, 0}, .b = {b, ldb, 0}, .values = {w, 0, 0},     \
                               .info = info},                                                                          \
                         found, NULL);                                                                                 \
    }
RANGES(S, 's', sy, float)
RANGES(D, 'd', sy, double)
RANGES(C, 'c', he, float)
RANGES(Z, 'z', he, double)
