/* SPDX-License-Identifier: Apache-2.0
 *
 * The arguments of products of doubles by residues (5_residues.cu), shared by host and device. */
#ifndef WW_KERNELS_LONG_RESIDUES_H
#define WW_KERNELS_LONG_RESIDUES_H

#include "../gemm/half.h"

/* The largest numbers up to 256 of which no two share a factor, so many that their product, 2^109.9, holds a product as accurate as dgemm's. */
#define RESIDUE_MODULI 256, 255, 253, 251, 247, 241, 239, 233, 229, 227, 223, 217, 211, 199
enum {
    RESIDUES         = 14,
    RESIDUE_SLICE    = 128,     /* bytes of k in a slice */
    RESIDUE_MOST_K   = 1 << 16, /* sums of so many products of bytes are below 2^30, as the reduction wants them */
    RESIDUE_THREADS  = 512,     /* of residues_split */
    RESIDUE_TOP      = 50,      /* numbers are integers below 2^51 */
    RESIDUE_RANGE    = 400,     /* the largest of a row lies between 2^-400 and 2^400 */
    RESIDUE_EACH     = 4,       /* columns of a thread of residues_join */
    RESIDUE_JOINERS  = 256      /* its threads */
};

/* Words: some row's numbers are out of range;  the most numbers of a row of X, and of a column of Y, that are small against the others of it;  what the
 * judge says. */
enum { RESIDUE_OUT = 0, RESIDUE_SMALL = 1, RESIDUE_BAD = 3, RESIDUE_SEEN = 4 };

/* An operand, its `lines` rows of op(X) or columns of op(Y) each contiguous along k.  Plane i has its line r from (i * lines + r) * pitch on; shift: by
 * which power of two line r was multiplied. */
typedef struct ResidueSplit {
    GemmConst          from;
    GemmPtr            to, shift, seen;
    unsigned long long ld, pitch;
    double             limit; /* of a line's norm, scaled: the root of half the moduli's product */
    int                lines, k, side /* 0: X, 1: Y */, aligned /* lines begin on 16 bytes */;
} ResidueSplit;

typedef struct ResidueJudge {
    GemmPtr seen, told; /* told: NULL or a word of the caller's */
    int     k;
} ResidueJudge;

/* h.x, h.y, h.c: maps of three dimensions, the last one the modulus: boxes of 128 bytes of k and 128 rows; of 128 columns of a line and 64 lines of C's
 * planes.  h.g.m and h.g.n: the problem's; h.group: as in half.h. */
typedef struct ResidueProduct {
    HalfArgs  h;
    GemmConst bad;                /* nothing is done where that word is not 0 */
    unsigned  modulus[RESIDUES];
    unsigned  inverse[RESIDUES];  /* 2^39 / modulus, rounded down */
    unsigned  offset[RESIDUES];   /* the least multiple of it from 2^30 on */
} ResidueProduct;

/* Plane i of the residues has row r from (i * m + r) * pitch on. */
typedef struct ResidueJoin {
    GemmConst          planes, x_shift, y_shift, bad;
    GemmPtr            c;
    unsigned long long pitch, plane, ldc;
    double             unit; /* the moduli's product / 2^64 */
    double             alpha, beta;
    int                m, n, aligned;
    unsigned           weight[RESIDUES][3]; /* of a residue: a fraction of the moduli's product in units of 2^-96, low word first */
} ResidueJoin;

#endif
