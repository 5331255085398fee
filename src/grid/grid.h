/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of products over several devices share.
 *
 *   grid.c       the devices; a public problem -> refused with a message, or a GridProblem: row-major
 *   fail.c       errors
 *   given.c      is a matrix that the caller gives one?
 *   spread.c     matrices that lie on the devices: which part of which device
 *   shape.c      how large tiles and panels are, who computes which tile, and each device's memory for them
 *   course.c     what a device does, step by step: its tiles, their panels, and where those are kept
 *   tiles.c      a tile's products, and the copies around them
 *   link.c       grids of several processes: what they say to each other, and pieces of matrices between their devices
 *   rounds.c     the steps of all devices of joined grids, side by side
 *   nccl.c       NCCL, found at run time
 *
 * A worker is a device of the whole product, the rank times the number of devices of a process plus the device; a member is a device of this process.
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
    const WwPtr *at;        /* of those of this process: `here` workers from `own` on */
    size_t       own, here;
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

typedef struct GridPiece { /* the part of a rectangle that one worker has in one piece: where in the rectangle, and there */
    GridRect part;
    size_t   device;
    WwPtr    at; /* 0: in another process */
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

typedef struct GridSlot { /* room for a panel */
    WwPtr at;
    void *arrived, *used; /* marks: it has come; what was multiplied with it is done */
} GridSlot;

typedef struct GridMember {
    WwDevice   *device;
    WwBlas     *blas;
    WwStream   *in, *work, *out;
    void       *came[SLOTS], *done[SLOTS], *left[SLOTS]; /* marks: an old tile has come; a tile is computed; it is back */
    WwPtr       c[SLOTS], turned[SLOTS];
    GridSlot   *slot;
    size_t      nslots;
    WwGridShare share;
    Status      status; /* of the last call */
} GridMember;

typedef struct GridRoom { /* what each member's memory is for */
    size_t tile, panel, slots; /* bytes; how many were asked for */
    bool   turned;
} GridRoom;

typedef struct GridLink GridLink;

struct WwGrid {
    GridMember  *member;
    size_t       n;
    GridProblem  last; /* without its matrices */
    uint32_t    *by;   /* who computes each tile of the last call: the rank times the number of devices, plus the device */
    GridRoom     room;
    GridLink    *link; /* NULL: this process is alone */
    size_t       ranks, rank; /* of joined grids; alone 1 and 0 */
    size_t      *slots; /* of joined grids: how many each worker has */
    atomic_bool  stop; /* a device failed */
    double       began; /* the call; clock_ms */
    Str          error;
    bool         told; /* the error is about the link, and not the device's */
};

/* ---- fail.c ---- */

/* Sets the grid's error and returns s. */
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

GridSpread grid_spread(const WwGrid *g, const WwGridArray *a, WwLayout layout);
/* How many of n elements in that direction the worker has. */
size_t     grid_local(const GridSpread *s, int direction, size_t n, size_t device);
/* The next piece of the rectangle; begin with *out all zero.  here: whose part is taken of what is everywhere.  False: that was the last. */
bool       grid_piece(const GridMatrix *x, size_t element, const GridRect *r, size_t here, GridPiece *out);
/* Does the worker have the rectangle in one piece?  Then *at is where (in this process). */
bool       grid_in_place(const GridMatrix *x, size_t element, const GridRect *r, size_t device, WwPtr *at);
/* The rectangle to or from the member's memory, pitch bytes apart, on one of its streams. */
Status     grid_move(WwGrid *g, size_t member, WwStream *s, const GridMatrix *x, size_t element, const GridRect *r, WwPtr at,
                     size_t pitch, bool in);
/* One piece of it, which a device of this process holds. */
Status     grid_move_piece(WwGrid *g, size_t member, WwStream *s, const GridMatrix *x, size_t element, const GridPiece *q, WwPtr at,
                           size_t pitch, bool in);

/* ---- shape.c ---- */

/* Sets p->tile, p->panel, g->by and every device's room; smaller ones where a device's memory does not hold them.  Of joined grids the same on all, if
 * `text` is. */
Status grid_shape(WwGrid *g, GridProblem *p, const char *text);
void   grid_release(WwGrid *g);

/* ---- course.c ---- */

/* How many tiles of C are computed; a tile. */
typedef struct GridPlace { /* a tile: its first row and column, and how many */
    size_t row, col, rows, cols;
    bool   diagonal;
} GridPlace;
size_t    grid_tiles(const GridProblem *p);
GridPlace grid_place(const GridProblem *p, size_t i);
/* x, or y: 0 or 1. */
const GridMatrix *grid_factor(const GridProblem *p, int which);
/* Does the worker hold the factor's panel itself, in one piece: `count` rows or columns of C from `first` on, kc of k from k0 on? */
bool      grid_panel_here(size_t worker, const GridProblem *p, const GridMatrix *x, size_t first, size_t count, size_t k0, size_t kc);

enum { GRID_NO_SLOT = -1 };
typedef struct GridStep { /* one product: a tile, or some rows of it, and a panel of each factor, or a part of it along k */
    GridPlace at, whole;   /* what is computed, the tile */
    size_t    tile;        /* how many tiles its worker had before */
    bool      first, last; /* of all k */
    size_t    k0, kc, p0, pc; /* the part of k, the panels that it is of */
    int       slot[2];  /* of x, of y; GRID_NO_SLOT: the panel lies on the device, or there is none */
    bool      fetch[2]; /* this part of it has to come there */
} GridStep;
/* What comes of the factor, and what is computed, as stored; turned: its other place in a symmetric result. */
GridRect grid_panel_rect(const GridProblem *p, const GridStep *s, int which);
/* `count` rows or columns of C from `first` on, kc of k from k0 on. */
GridRect grid_factor_rect(const GridMatrix *x, size_t first, size_t count, size_t k0, size_t kc);
GridRect grid_tile_rect(const GridStep *s, bool turned);
/* A panel in its slot: elements from line to line, and where the step's part begins, for rows or columns of C from `first` on. */
size_t grid_slot_pitch(const GridProblem *p, const GridStep *s, int which);
size_t grid_slot_offset(const GridProblem *p, const GridStep *s, int which, size_t first);
/* Is it the tile's first product, its last one, the last one with its panels? */
bool grid_begins(const GridStep *s);
bool grid_ends(const GridStep *s);
bool grid_ends_panel(const GridStep *s);
/* Does the first panel of a device come in parts, the first one an eighth of it?  Does its last tile leave in parts, a quarter each? */
enum { GRID_PARTS = 8, GRID_STRIPS = 4 };
bool grid_comes_in_parts(const GridProblem *p);
bool grid_leaves_in_parts(const GridProblem *p);

typedef struct GridShelf { /* the panel in a slot */
    const GridMatrix *of; /* NULL: none */
    size_t            first, k0;
    uint64_t          turn; /* of its last use; the least is replaced */
} GridShelf;

typedef struct GridCourse { /* of one worker; the same on every rank */
    const GridProblem *p;
    const uint32_t    *by;
    size_t             worker;
    GridShelf         *shelf;
    size_t             nslots;
    uint64_t           turn;
    int                far;
    size_t             next, begun; /* the tile to look at next; how many it has begun */
    GridPlace          at;          /* the one under way, and its panels: how many are done, the first one */
    size_t             panel, start;
    size_t             along, down; /* of the panel under way, and of the tile: how much of k, and how many rows, are done */
    bool               came[2];     /* of the panel under way: it had to come */
    bool               under_way;
} GridCourse;
GridCourse grid_course(const WwGrid *g, const GridProblem *p, size_t worker, size_t nslots);
/* The next step; false: there is none. */
bool grid_course_next(GridCourse *c, GridStep *out);
void grid_course_end(GridCourse *c);

/* ---- tiles.c ---- */

typedef struct GridTurn { /* of one member */
    WwGrid            *g;
    size_t             member, worker;
    const GridProblem *p;
} GridTurn;

typedef struct GridTile { /* where one that is computed lies on its worker */
    size_t slot;
    WwPtr  c, turned; /* 0: in another process; turned: only one place is written */
    size_t ld, turned_ld;
    bool   in_place, turned_in_place; /* there is nothing to copy */
} GridTile;

GridTile grid_tile_of(const GridTurn *turn, const GridStep *s);
/* Does it read what is in C, and has to bring it? */
bool     grid_tile_reads(const GridProblem *p, const GridStep *s, const GridTile *t);
/* The step's product on the work stream, and behind the last one the tile's transpose; all that it needs is on its way. */
Status   grid_multiply(const GridTurn *turn, const GridStep *s, const GridTile *t);
/* All tiles of a member; they are complete when it returns. */
Status   grid_work(WwGrid *g, size_t member, const GridProblem *p);
/* Waits for all that is on its streams: its failure is the first one, s or theirs. */
Status   grid_rest(WwGrid *g, size_t member, Status s);
Status   grid_mark(GridMember *m, const WwStream *s, void **at);
Status   grid_follow(GridMember *m, const WwStream *s, void *at);

/* ---- rounds.c ---- */

/* grid_work of joined grids: all devices of this process, whose status it sets. */
void grid_rounds(WwGrid *g, const GridProblem *p);

/* ---- link.c ---- */

enum { GRID_TEXT = 1000 };
/* Every rank says how it fared, and what must be the same on all.  The same on all: the first failure, or WW_ERR_INVALID for a difference; where
 * this rank did not fail itself, the grid's error says who did.  Alone: own. */
Status grid_agree(WwGrid *g, Status own, const char *text);

typedef struct GridTransfer { /* a rectangle of x, from its holders to a worker's memory (in), or from there to them */
    const GridMatrix *x;
    size_t            element;
    GridRect          r;
    size_t            worker;
    bool              in;
    WwPtr             at; /* lines pitch bytes apart; 0 in another process */
    size_t            pitch;
} GridTransfer;
/* A call begins: the member's room for what is under way in products of that shape.  WW_ERR_NO_MEMORY: there is no such room. */
Status grid_link_begin(WwGrid *g, size_t member, const GridProblem *p);
/* Every rank makes the same calls, in the same order: pieces go on the members' `in` streams, all of them behind grid_link_flush.  A failure is the
 * link's: there are no other ranks any more.  This rank's own are noted. */
Status grid_link_add(WwGrid *g, const GridTransfer *t);
Status grid_link_flush(WwGrid *g);
/* A device's answer: the first failure of the call stays (grid_link_noted; member, which may be NULL: whose it is).  Over the host this rank then goes
 * on and passes on anything, so that no other waits for it. */
void   grid_link_note(WwGrid *g, size_t member, Status s);
Status grid_link_noted(const WwGrid *g, size_t *member);
/* Waits for the member's mark, which is put behind what is on the stream now, or (NULL) was put before, no longer than another rank may take. */
Status grid_link_wait(WwGrid *g, size_t member, const WwStream *s, void **mark);
/* The call ends, on all ranks alike: its failure, or another one's. */
Status grid_link_end(WwGrid *g, Status own);
/* Gives back what grid_link_begin has taken; there may be no link. */
void   grid_link_trim(WwGrid *g);
void   grid_link_close(WwGrid *g);

/* How many workers matrices are spread over; the first one of this process. */
static inline size_t grid_workers(const WwGrid *g) { return g->n * g->ranks; }
static inline size_t grid_first(const WwGrid *g) { return g->n * g->rank; }
static inline bool   grid_may_cut(const GridProblem *p) { return p->result > 2; } /* k: each panel would round 16-bit results */
static inline size_t grid_cover(size_t n, size_t each) { return (n + each - 1) / each; }
static inline size_t grid_pitch(size_t n) { return (n + 63) / 64 * 64; }

#endif
