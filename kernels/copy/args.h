/* SPDX-License-Identifier: Apache-2.0
 *
 * The one argument of copy_words, shared by host and device: one or two copies of matrices of 4-byte elements.
 *
 *     as it is     to[r * to_ld + c] = from[r * from_ld + c]
 *     transposed   to[c * to_ld + r] = from[r * from_ld + c]      r < rows, c < columns */
#ifndef WW_KERNELS_COPY_ARGS_H
#define WW_KERNELS_COPY_ARGS_H

#if defined(__CUDACC__) || defined(__CUDA__)
typedef const unsigned *CopyFrom;
typedef unsigned       *CopyTo;
#else
#include <stdint.h>
typedef uint64_t CopyFrom, CopyTo;
#endif

/* How the rows of `from` and of `to` lie, and what is done. */
enum { COPY_FROM_ALIGNED = 1, COPY_TO_ALIGNED = 2, COPY_TRANSPOSED = 4 };

typedef struct CopyPart {
    CopyFrom           from;
    CopyTo             to;
    unsigned long long from_ld, to_ld;
    unsigned           rows, columns, how;
    unsigned           blocks; /* a multiple of the tiles in a row; the rows of tiles are shared out among them */
} CopyPart;

typedef struct CopyArgs {
    CopyPart part[2]; /* the blocks of the first come first; the second may have none */
} CopyArgs;

#endif
