/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of products over several devices share.
 *
 *   grid.c     the devices; a public problem -> refused with a message, or a GridProblem: row-major
 *   shape.c    how large tiles and panels are, and each device's memory for them
 *   tiles.c    which tiles a device has, and their products
 *
 * A GridProblem has no layouts left: C is row by row, X (m x k) and Y (k x n) are stored row by row, or transposed. */
#ifndef WW_GRID_GRID_OWN_H
#define WW_GRID_GRID_OWN_H

#include <stdatomic.h>

#include "base/status.h"
#include "blas/blas.h"
#include "device/device.h"
#include "warpwright/grid.h"

typedef struct GridMatrix { /* as stored: lines of elements, ld apart */
    const char *at;
    bool        trans; /* the index of C runs along a line, k from line to line */
    size_t      ld;
} GridMatrix;

typedef struct GridProblem {
    WwType      type;
    size_t      operand, result; /* bytes of an element */
    size_t      m, n, k;
    WwScalar    alpha, beta;
    bool        keep; /* beta is not zero: C is read */
    GridMatrix  x, y; /* symmetric: y is x */
    char       *c;
    size_t      ldc;
    bool        symmetric;
    bool        full, upper; /* of a symmetric result: both triangles are written; the upper one is computed, and read */
    WwLayout    layout;      /* the caller's, with its fill and transposition: for the tiles on the diagonal */
    WwFill      fill;
    bool        trans;
    WwPrecision precision;
    size_t      tile, panel, ranks, rank;
} GridProblem;

enum { SLOTS = 2 }; /* panels of each operand: one is multiplied while the next arrives */

/* Device memory of one tile's work; pitch: elements from one line of a panel, or of a tile, to the next. */
typedef struct GridBuffers {
    WwPtr x[SLOTS], y[SLOTS], c[SLOTS], turned[SLOTS];
} GridBuffers;

typedef struct GridMember {
    WwDevice   *device;
    WwBlas     *blas;
    WwStream   *in, *work, *out;
    /* Marks on streams, by slot: panels and an old tile have come; panels are multiplied; a tile is computed, and is back in host memory. */
    void       *arrived[SLOTS], *used_x[SLOTS], *used_y[SLOTS], *done[SLOTS], *left[SLOTS];
    GridBuffers at;
    WwGridShare share;
    Status      status; /* of the last call */
} GridMember;

struct WwGrid {
    GridMember  *member;
    size_t       n;
    GridProblem  last; /* without its matrices */
    atomic_bool  stop;        /* a device failed */
    Str          error;
};

Status grid_fail(WwGrid *g, Status s, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* shape.c: sets p->tile and p->panel, and every device's buffers; smaller ones where a device's memory does not hold them. */
Status grid_shape(WwGrid *g, GridProblem *p);
void   grid_release(WwGrid *g);

/* tiles.c: how many tiles of C are computed; a tile; those of one device, all of them complete when it returns. */
typedef struct GridPlace { /* a tile: its first row and column, and how many */
    size_t row, col, rows, cols;
    bool   diagonal;
} GridPlace;
size_t    grid_tiles(const GridProblem *p);
GridPlace grid_place(const GridProblem *p, size_t i);
/* The first tile of worker w of all; of the one behind the last: how many tiles there are. */
size_t grid_first(size_t tiles, size_t workers, size_t w);
Status grid_work(WwGrid *g, size_t device, const GridProblem *p);

static inline size_t grid_cover(size_t n, size_t each) { return (n + each - 1) / each; }
static inline size_t grid_pitch(size_t n) { return (n + 63) / 64 * 64; }

#endif
