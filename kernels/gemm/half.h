/* SPDX-License-Identifier: Apache-2.0
 *
 * The argument of the kernels whose operands are bf16 or fp16 on the tensor cores, shared by host and device. */
#ifndef WW_KERNELS_GEMM_HALF_H
#define WW_KERNELS_GEMM_HALF_H

#include "args.h"

enum {
    HALF_ROWS = 128, /* of a tile: one block's; the two blocks of a cluster have tiles below each other */
    HALF_SLICE = 64, /* elements of k in a slice, 128 bytes */
    JOINED_STAGES = 13 /* slices in the ring of half_joined, at most */
};

/* x, y: maps of the operands, swizzled by 128 bytes.  Along k: boxes of 64 elements of k and 128 rows of X, or half as many of Y as the tile
 * has columns; 128 elements of 8 bits, which always lie along k.  Not along k: boxes of 64 elements along m or n and 64 of k, or 32 where half of the
 * tile's columns are no whole boxes.
 * x_edge, y_edge: along k, the same with boxes of x_rest, y_rest lines, for the last lines of an operand where those do not fill a box; multiples of 8.
 * c: a map of C with boxes of 64 lines of 128 bytes, swizzled likewise; used where `store` says so: rows aligned to 16 bytes and of whole 16 bytes,
 * of floats without beta.  c_last: the same with lines of 64 or 32 bytes, for the last 32 or 16 columns of tiles that have such; of a turned C with so many
 * lines.
 * GEMM_PAIRS in g.vector: two neighbours of C, and of `from`, from an even column on are aligned to their size; GEMM_FOURS: likewise four neighbours
 * from every fourth column on.  g.x and g.y are not used; g.alpha and g.beta are floats. */
typedef struct HalfArgs {
    GemmMap  x, y, x_edge, y_edge, c, c_last;
    GemmArgs g;
    GemmConst          from;   /* beta * C reads C there, as is g.c or another matrix; its rows */
    unsigned long long ldfrom; /* so far apart */
    int      x_rest, y_rest;
    int      x_grain, y_grain; /* half_joined: how many bytes at a time the operands' lines allow, 2, 4, 8 or 16; 0: they come by tensor copies */
    int      stages;           /* and how many slices its ring has */
    int      staged;           /* 16-bit results pass through shared memory */
    int      alone;            /* half.cuh, narrow tiles: the blocks of a cluster share nothing */
    int      store; /* results leave by tensor copies */
    int      wide;  /* C is float */
    int      group; /* rows of pairs of tiles that are computed together; half_column: of tiles in a cluster */
    int      pairs; /* of tiles, all together */
    int      whole; /* so many pairs of tiles are computed whole; the slices of the others, one pair's behind the other's, */
    int      span;  /* so many a pair (at least as many as it has), */
    int      share; /* are shared out among the clusters, so many each, with g.work and g.count (half.cuh); 0: there are no others */
    GemmConst scale_x, scale_y; /* 8-bit operands: floats, of each row of X and column of Y; 0: none */
    int       ends; /* `end` does something; never of A * A^T */
    int       turned; /* half.cuh: C, of 16 bits and without beta or ends, is n x m: what is added up is its transpose */
    GemmEnd   end;
} HalfArgs;

#endif
