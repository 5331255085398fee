/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of products over several devices share.
 *
 *   grid.c       the devices; a public problem -> refused with a message, or a GridProblem: row-major
 *   given.c      is a matrix that the caller gives one?
 *   spread.c     matrices that lie on the devices: which part of which device
 *   shape.c      how large tiles and panels are, who computes which tile, and each device's memory for them
 *   panels.c     panels of the operands on a device
 *   tiles.c      a tile's products, and the copies around them
 *
 * A GridProblem has no layouts left: C is row by row, X (m x k) and Y (k x n) are stored row by row, or transposed. */
#ifndef WW_GRID_GRID_H
#define WW_GRID_GRID_H

#include <stdatomic.h>

#include "base/status.h"
#include "blas/blas.h"
#include "device/device.h"
#include "warpwright/grid.h"

/* A matrix on the devices, by lines: [0] is across lines (rows, where it is row-major), [1] along them. */
typedef struct GridSpread {
    const WwPtr *at;
    size_t       block[2], count[2], stride[2]; /* elements; devices; from one device to the next */
    bool         everywhere;
} GridSpread;

typedef struct GridMatrix { /* as stored: lines of elements, ld apart */
    const char       *at;
    bool              trans; /* the index of C runs along a line, k from line to line */
    size_t            ld;    /* of each device's part, where it is spread */
    const GridSpread *spread;
} GridMatrix;

typedef struct GridRect { /* a part of a matrix as stored */
    size_t line, lines, along, length;
} GridRect;

typedef struct GridPiece { /* the part of a rectangle that one device has in one piece: where in the rectangle, and there */
    GridRect part;
    size_t   device;
    WwPtr    at;
} GridPiece;

typedef struct GridProblem {
    WwType      type;
    size_t      operand, result; /* bytes of an element */
    size_t      m, n, k;
    WwScalar    alpha, beta;
    bool        keep; /* beta is not zero: C is read */
    GridMatrix  x, y; /* symmetric: y is x */
    GridMatrix  c;
    bool        symmetric;
    bool        full, upper; /* of a symmetric result: both triangles are written; the upper one is computed, and read */
    WwLayout    layout;      /* the caller's, with its fill and transposition: for the tiles on the diagonal */
    WwFill      fill;
    bool        trans;
    WwPrecision precision;
    size_t      tile, panel, ranks, rank;
} GridProblem;

enum { SLOTS = 2 }; /* tiles: one is computed while the one before leaves */

typedef struct GridSlot { /* room for a panel, and which it holds */
    WwPtr             at;
    const GridMatrix *of; /* NULL: none */
    size_t            first, k0;
    uint64_t          turn;           /* of its last use; the least is replaced */
    void             *arrived, *used; /* marks: it has come; what was multiplied with it is done */
} GridSlot;

typedef struct GridMember {
    WwDevice   *device;
    WwBlas     *blas;
    WwStream   *in, *work, *out;
    void       *came[SLOTS], *done[SLOTS], *left[SLOTS]; /* marks: an old tile has come; a tile is computed; it is back */
    WwPtr       c[SLOTS], turned[SLOTS];
    GridSlot   *slot;
    size_t      nslots;
    uint64_t    turn;
    WwGridShare share;
    Status      status; /* of the last call */
} GridMember;

typedef struct GridRoom { /* what each member's memory is for */
    size_t tile, panel, slots; /* bytes; how many were asked for */
    bool   turned;
} GridRoom;

struct WwGrid {
    GridMember  *member;
    size_t       n;
    GridProblem  last; /* without its matrices */
    uint32_t    *by;   /* who computes each tile of the last call: the rank times the number of devices, plus the device */
    GridRoom     room;
    atomic_bool  stop; /* a device failed */
    double       began; /* the call; grid_clock */
    Str          error;
};

/* Milliseconds of the host's clock. */
double grid_clock(void);
Status grid_fail(WwGrid *g, Status s, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* ---- given.c ---- */

typedef struct GridGiven { /* a matrix as the caller gives it: `lines` of `length` elements, on the devices or not */
    const char        *name;
    const void        *at;
    size_t             lines, length, ld, element;
    const WwGridArray *on;
} GridGiven;
Status grid_check(WwGrid *g, const char *who, WwLayout layout, const GridGiven *m);

/* ---- spread.c ---- */

GridSpread grid_spread(const WwGridArray *a, WwLayout layout);
/* How many of n elements in that direction the device has. */
size_t     grid_local(const GridSpread *s, int direction, size_t n, size_t device);
/* The next piece of the rectangle; begin with *out all zero.  here: whose part is taken of what is everywhere.  False: that was the last. */
bool       grid_piece(const GridMatrix *x, size_t element, const GridRect *r, size_t here, GridPiece *out);
/* Does the device have the rectangle in one piece?  Then *at is where. */
bool       grid_in_place(const GridMatrix *x, size_t element, const GridRect *r, size_t device, WwPtr *at);
/* The rectangle to or from the member's memory, pitch bytes apart, on one of its streams. */
Status     grid_move(WwGrid *g, size_t member, WwStream *s, const GridMatrix *x, size_t element, const GridRect *r, WwPtr at,
                     size_t pitch, bool in);

/* ---- shape.c ---- */

/* Sets p->tile, p->panel, g->by and every device's room; smaller ones where a device's memory does not hold them. */
Status grid_shape(WwGrid *g, GridProblem *p);
void   grid_release(WwGrid *g);

/* ---- panels.c ---- */

/* The panel of x for `count` rows or columns of C from `first` on, kc of k from k0 on: *at, lines *ld elements apart, on the device when the work stream
 * comes there; *slot is what holds it, NULL: it lies there anyway. */
Status grid_panel(WwGrid *g, size_t member, const GridProblem *p, const GridMatrix *x, size_t first, size_t count, size_t k0,
                  size_t kc, WwPtr *at, size_t *ld, GridSlot **slot);
/* Does the device hold that panel itself, in one piece? */
bool   grid_panel_here(size_t member, const GridProblem *p, const GridMatrix *x, size_t first, size_t count, size_t k0, size_t kc);
/* What was put on the work stream so far is the last that needs it for now. */
Status grid_panel_used(GridMember *m, GridSlot *slot);
Status grid_mark(GridMember *m, const WwStream *s, void **at);
Status grid_follow(GridMember *m, const WwStream *s, void *at);

/* ---- tiles.c ---- */

/* How many tiles of C are computed; a tile; those of one device, all of them complete when it returns. */
typedef struct GridPlace { /* a tile: its first row and column, and how many */
    size_t row, col, rows, cols;
    bool   diagonal;
} GridPlace;
size_t    grid_tiles(const GridProblem *p);
GridPlace grid_place(const GridProblem *p, size_t i);
Status grid_work(WwGrid *g, size_t device, const GridProblem *p);

static inline size_t grid_cover(size_t n, size_t each) { return (n + each - 1) / each; }
static inline size_t grid_pitch(size_t n) { return (n + 63) / 64 * 64; }

#endif
