/* SPDX-License-Identifier: Apache-2.0
 *
 * The arguments of float products on the tensor cores (split.cuh), shared by host and device. */
#ifndef WW_KERNELS_GEMM_SPLIT_H
#define WW_KERNELS_GEMM_SPLIT_H

#include "half.h"

enum { SPLIT_LINES = 64, SPLIT_COLUMNS = 256 /* of a block that reads an operand */, SPLIT_TOP = 14 /* the largest of a row is 2^14 to 2^15 */ };

/* An operand of `lines` of `length` floats; along_k: a line is a row of op(X) or a column of op(Y), else an element of each.  The arrays most (bits of the
 * largest size) and few (how many are small against it) have an element for each such row or column, zero before. */
typedef struct SplitPart {
    GemmConst          from;
    GemmPtr            high, low; /* fp16, lines `pitch` apart */
    GemmPtr            most, few;
    unsigned long long ld, pitch;
    unsigned           lines, length, blocks;
    int                along_k;
} SplitPart;

typedef struct SplitArgs {
    SplitPart part[2];
    GemmPtr   seen; /* SPLIT_SEEN words, zero before */
    GemmPtr   told; /* NULL or a word of the caller's: what the judge says */
    int       k;
} SplitArgs;

/* Words of `seen`: some number is outside of what two halves hold; some line's exponents are; what the judge says. */
enum { SPLIT_TINY = 0, SPLIT_RANGE = 1, SPLIT_BAD = 2, SPLIT_SEEN = 4 };

typedef struct SplitProduct {
    HalfArgs  h; /* maps of the high halves; C is float */
    GemmMap   x, y; /* of the low ones */
    GemmConst x_most, y_most, bad;
} SplitProduct;

#endif
