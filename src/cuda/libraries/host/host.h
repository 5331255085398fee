/* SPDX-License-Identifier: Apache-2.0
 *
 * What several drop-ins stand on: the host's BLAS and LAPACK, and numbers of the types that CUDA's libraries have (cudaDataType).  Its files are
 * compiled into each drop-in that names them, so nothing here is shown to programs. */
#ifndef WW_CUDA_HOST_H
#define WW_CUDA_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void (*Routine)(void);

/* A routine of the host's BLAS or LAPACK by its Fortran name ("sgemm_"); NULL: there is none, and a message has said once what to install. */
Routine     host_routine(const char *name);
/* The file that it comes from. */
const char *host_file(void);

/* a = L U in place, of m x n elements of the type.  0, or the number of the first pivot that is zero. */
int         host_lu(int type, void *a, int64_t m, int64_t n, int64_t lda);
/* The symmetric a = L D L' (of the upper triangle U D U') in place, L's diagonal 1.  0, or the number of a pivot that is zero: nothing more is done. */
int         host_ldl(int type, void *a, bool upper, int64_t n, int64_t lda);

/* Of cuBLAS and cublasLt: the last release's of a CUDA, since frameworks ask for a least version. */
#define BLAS_MINOR(major) ((major) == 13 ? 1 : (major) == 12 ? 9 : 11)
#define BLAS_PATCH(major) ((major) == 13 ? 0 : (major) == 12 ? 1 : 3)

/* cudaDataType */
enum {
    R_32F = 0, R_64F = 1, R_16F = 2, R_8I = 3, C_32F = 4, C_64F = 5, C_16F = 6, C_8I = 7, R_8U = 8, R_32I = 10, R_16BF = 14, C_16BF = 15,
    R_64I = 24, R_E4M3 = 28, R_E5M2 = 29, TYPES
};

/* Bytes of an element; 0: no such type here. */
size_t number_bytes(int type);
bool   number_is_complex(int type);
/* The type that BLAS calls by this letter (s d c z), and the letter of a type, 0 for one that BLAS does not have. */
int    number_type(char letter);
char   number_letter(int type);

typedef struct Number {
    double re, im;
} Number;

/* A parameter of each type (S, D, C, Z) as a number. */
typedef struct ComplexFloat {
    float x, y;
} ComplexFloat;

#define FROM_S(v) ((Number){(double)(v), 0})
#define FROM_D(v) ((Number){v, 0})
#define FROM_C(v) ((Number){(double)(v).x, (double)(v).y})
#define FROM_Z(v) (v)

/* Element i of an array.  Integers wider than 53 bits are rounded. */
Number number_at(int type, const void *p, int64_t i);
/* Rounds to the nearest; bytes and 8-bit floats saturate, wider integers are taken modulo their size. */
void   number_put(int type, void *p, int64_t i, Number x);

static inline Number number_quotient(Number a, Number b)
{
    double s = b.re * b.re + b.im * b.im;
    return (Number){(a.re * b.re + a.im * b.im) / s, (a.im * b.re - a.re * b.im) / s};
}

static inline Number number_product(Number a, Number b)
{
    return (Number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

#endif
