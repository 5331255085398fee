/* SPDX-License-Identifier: Apache-2.0
 *
 * libcufft: plans (plan.c) and their execution (execute.c) by the host's FFTW, which transforms the same: unnormalised, Hermitian halves of the
 * last dimension, batches, strides and embeddings of the advanced data layout; matrices shared out among devices (shared.c).
 *
 *   missing.def  functions of cuFFT that are not here: they answer CUFFT_NOT_SUPPORTED and are named at the program's end
 *
 * Callbacks are among them.  No work area is needed: its size is 0.  Half precision and bfloat16 are widened, transformed in float, and rounded once. */
#ifndef WW_CUFFT_H
#define WW_CUFFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda/libraries/library.h"

/* Status, of cufftResult */
typedef enum Fft {
    FFT_SUCCESS          = 0,
    FFT_INVALID_PLAN     = 1,
    FFT_ALLOC_FAILED     = 2,
    FFT_INVALID_TYPE     = 3,
    FFT_INVALID_VALUE    = 4,
    FFT_INTERNAL_ERROR   = 5,
    FFT_EXEC_FAILED      = 6,
    FFT_SETUP_FAILED     = 7,
    FFT_INVALID_SIZE     = 8,
    FFT_INVALID_DEVICE   = 11,
    FFT_NOT_SUPPORTED    = 16
} Fft;

/* cufftType: precision and what is on either side */
enum { FFT_R2C = 0x2a, FFT_C2R = 0x2c, FFT_C2C = 0x29, FFT_D2Z = 0x6a, FFT_Z2D = 0x6c, FFT_Z2Z = 0x69 };
enum { FFT_FORWARD = -1, FFT_INVERSE = 1 };
enum { FFT_DIMS = 3, FFT_GPUS = 16, FFT_PROPERTIES = 2 };
enum { FFT_FLOATING = 0, FFT_HALF = 1, FFT_BFLOAT = 2 }; /* how numbers of float's types lie in memory */

typedef struct Layout { /* of one side; in elements of that side */
    int embed[FFT_DIMS], stride, dist;
} Layout;

typedef struct Plan {
    bool   made;
    int    type, rank, n[FFT_DIMS], batch;
    bool   basic[2];  /* input, output: the layout follows from sizes and from whether it is in place */
    Layout layout[2]; /* where not basic */
    void  *stream;
    int    narrow;    /* FFT_HALF, FFT_BFLOAT */
    int    gpus, gpu[FFT_GPUS]; /* 0: the device that is current */
    long long property[FFT_PROPERTIES]; /* kept and answered */
} Plan;

/* A copy of the plan; false: there is none of that handle. */
bool plan_of(int handle, Plan *out);
/* What computes it, a file of the host; NULL: it is not there, and that was said. */
const char *fft_host(const Plan *p);
/* Of one execution, for the report. */
double fft_operations(const Plan *p);
/* Transforms memory of the host in the basic layout. */
void fft_compute(const Plan *p, int sign, void *in, void *out);

#endif
