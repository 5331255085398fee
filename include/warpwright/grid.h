/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix products over several devices, and of matrices larger than a device's memory: each matrix lies in host memory, or is spread over the
 * devices' own memory (WwGridArray).
 *
 *     C = alpha * op(A) * op(B) + beta * C        ww_grid_gemm
 *     C = alpha * A * A^T + beta * C              ww_grid_syrk   the whole symmetric result, or one triangle
 *
 * The result is cut into square tiles, each computed by one device: stationary C.  Of a result in host memory the devices have as many tiles each, in
 * order; of one that is spread each computes the tiles that it holds, as far as the work is even.  Panels of the operands are copied to a device
 * while it multiplies those before them, from host memory or from the device that holds them, and stay there as long as there is room; what the device
 * holds itself is multiplied where it lies.  Host memory that is pinned (cudaHostAlloc) lets a GPU copy and multiply at once, other memory is copied as
 * well, but not meanwhile.  Of A * A^T each tile of the triangle is computed once, and written to both places, which have the same bits.
 *
 * Conventions, exactness and types are those of warpwright/blas.h (8-bit operands without scales).  Each tile is the product that ww_gemm or
 * ww_syrk of its device computes; a k that does not fit a device is added up panel after panel.  The same call on as many devices of the same kind
 * gives the same bits in every run.  With 16-bit results k is not cut, since each panel would round them.
 *
 * Several processes, as those of MPI, share a product out among them in the same way: each computes its tiles in its own copy of C, and the program
 * passes them on as it likes (examples/grid_mpi.c).  Or ww_grid_link joins their grids: a matrix may then lie on the devices of all of them, and panels
 * and tiles go from one to another by NCCL, or by a function of the caller's (examples/grid_link_mpi.c).
 *
 * Errors: everything is checked before anything runs; ww_grid_error() says what is wrong, and on which device.  After WW_ERR_INVALID nothing was
 * written; after any other error C holds some tiles of the result and some of what was there.  One failed device ends the call on all of them. */
#ifndef WARPWRIGHT_GRID_H
#define WARPWRIGHT_GRID_H

#include "warpwright/blas.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Devices that work together, each with its kernels, three streams and room for tiles and panels, which it keeps between calls of one shape (ww_grid_trim).
 * Used by one thread at a time, and so are its devices meanwhile. */
typedef struct WwGrid WwGrid;

enum { WW_GRID_DEVICES = 64 }; /* at most */

/* devices: n of them, open, of one kind or several, none twice; close the grid before them.  On failure *out is NULL and *message (if message is not
 * NULL) a thread-local text. */
WwStatus    ww_grid_open(WwDevice *const *devices, size_t n, WwGrid **out, const char **message);
void        ww_grid_close(WwGrid *g);
/* Gives back the devices' memory that the last call has left for the next one of its shape. */
void        ww_grid_trim(WwGrid *g);
size_t      ww_grid_size(const WwGrid *g);
/* Of the last call that failed; "" if none did. */
const char *ww_grid_error(const WwGrid *g);

/* Host memory that every GPU of the grid copies from and to while it computes (pinned); other memory does as well, but its copies wait.  Aligned to 256;
 * free it before the grid is closed.  NULL: there is not so much; ww_grid_error says why. */
void *ww_grid_memory(WwGrid *g, size_t bytes);
void  ww_grid_memory_free(WwGrid *g, void *p);

/* A matrix in the devices' memory, as rows x columns elements, before any transposition.  It is cut into blocks of block_rows x block_columns, of which
 * the last ones may be smaller; block (i, j) is held by device (i % down) * across + j % across of the grid (the two-dimensional block-cyclic
 * distribution of ScaLAPACK).  A device keeps its blocks side by side, in order, as one matrix in the call's layout: row r of the whole is its row
 * r / (down * block_rows) * block_rows + r % block_rows, and columns likewise.
 *   block_rows = (rows + n - 1) / n, down = n, across = 1, block_columns = columns: n devices have a band of rows each.
 *   down = across = 0: every device has all of it.  As a result, all get all of it. */
typedef struct WwGridArray {
    const WwPtr *at;                          /* one for each device of this process, aligned to an element's bytes; 0 where it holds nothing */
    size_t       block_rows, block_columns;   /* at least 1, unless all have all of it */
    size_t       down, across;                /* their product is the number of devices (of all processes), or both are 0 */
    size_t       ld;                          /* elements from one row (column-major: column) of a device's part to the next; of processes, each its own */
} WwGridArray;

/* Rows and columns of what device i of the grid (of joined ones: of all processes) holds of a rows x columns matrix.  WW_ERR_INVALID: there is no
 * device i, or a does not fit the grid. */
WwStatus ww_grid_part(const WwGrid *g, const WwGridArray *a, size_t rows, size_t columns, size_t i, size_t *part_rows, size_t *part_columns);

/* Copies a whole matrix from host memory to the devices that hold its parts, and back; element: bytes, 1, 2, 4, 8 or 16.  `host` has rows (column-major:
 * columns) ld elements apart.  Complete when they return.  Of joined grids each process copies what its own devices hold, from and to its own
 * host memory, and waits for no other. */
typedef struct WwGridCopy {
    const WwGridArray *array;
    WwLayout           layout;
    size_t             element, rows, columns;
    void              *host; /* only read by ww_grid_scatter */
    size_t             ld;
} WwGridCopy;
WwStatus ww_grid_scatter(WwGrid *g, const WwGridCopy *c);
WwStatus ww_grid_gather(WwGrid *g, const WwGridCopy *c);

/* ---- Devices of several processes ---- */

typedef struct WwGridMessage { /* between this process and another */
    bool   send;  /* or receive */
    size_t peer;  /* the other's rank */
    void  *at;    /* host memory; only read where it is sent */
    size_t bytes;
} WwGridMessage;

typedef enum WwGridWay {
    WW_GRID_ANY,  /* NCCL where all devices are GPUs, none of two processes, and every process has the library; else by `move` */
    WW_GRID_NCCL, /* nothing else will do */
    WW_GRID_HOST  /* by `move` */
} WwGridWay;

/* How this process reaches the others.  The functions return 0, or anything else where they failed; a call then ends with WW_ERR_UNAVAILABLE.  They are
 * called by the thread that calls the grid, never by two at once. */
typedef struct WwGridLink {
    size_t ranks, rank; /* how many processes; which this one is, from 0 on */
    void  *user;
    /* Every rank gives `bytes` bytes, the same number on all, and gets those of all, by rank: ranks * bytes.  As MPI_Allgather. */
    int (*gather)(void *user, const void *mine, size_t bytes, void *all);
    /* Sends and receives, all under way at once, complete when it returns; messages of two ranks keep their order.  Every rank calls it as often as
     * every other, with n = 0 where it has none.  As MPI_Isend and MPI_Irecv of each, and MPI_Waitall.  May be NULL where NCCL serves. */
    int (*move)(void *user, const WwGridMessage *message, size_t n);
    /* Has another rank failed, or ended?  Asked ten times a second while this one waits for NCCL.  May be NULL: nobody knows. */
    bool (*lost)(void *user);
    WwGridWay way;
    unsigned  seconds; /* with NCCL: how long another rank may keep this one waiting before it is taken for gone; 0: 60 */
} WwGridLink;

/* Joins the grids of `ranks` processes, of n devices each: device i of rank r is number r * n + i of all.  Every rank calls it, and from then on calls
 * ww_grid_gemm and ww_grid_syrk as every other does, with the same problem: matrices are spread over the devices of all, in the same way on each rank
 * (`at` and `ld` are each one's own); one in host memory is, as an operand, whole on every rank, and as a result each one's tiles of it.  Before anything
 * is computed the ranks compare what they were given, and all fail where it differs, or where a rank has too little memory; `tile`s and panels are chosen
 * by all alike.  When a call returns, every rank's part of the result is complete, or every rank knows whose failed.
 * NCCL is libnccl.so.2 (2.18 or newer), or what WARPWRIGHT_NCCL names, found when this is called.  With it a rank that fails, or does not answer
 * within `seconds`, ends the call on the others (WW_ERR_UNAVAILABLE) and the link: join again.  With `move` that time is the function's own affair.
 * link NULL: leaves the others, as ww_grid_close does; nobody waits.  On failure the grid is of one process again, and ww_grid_error says why. */
WwStatus  ww_grid_link(WwGrid *g, const WwGridLink *link);
/* WW_GRID_NCCL or WW_GRID_HOST; WW_GRID_ANY: it is not joined with others. */
WwGridWay ww_grid_way(const WwGrid *g);

typedef struct WwGridGemm {
    WwType      type;
    WwLayout    layout;
    bool        trans_a, trans_b;
    size_t      m, n, k; /* as in WwGemm */
    WwScalar    alpha, beta;
    const void *a, *b; /* in host memory, aligned to an element's bytes */
    void       *c;
    size_t      lda, ldb, ldc; /* elements */
    /* Where they lie in the devices' memory instead; NULL: a, b, c and lda, ldb, ldc.  Each on its own; nothing may still be at work on them. */
    const WwGridArray *on_a, *on_b, *on_c;
    WwPrecision precision;
    size_t      tile;  /* rows and columns of a tile of C, a multiple of 64; 0: chosen */
    size_t      panel; /* elements of k that are copied at a time, a multiple of 64; 0: chosen */
    /* Of a product that several processes compute: how many they are, with as many devices each, and which of them this one is, from 0 on; 0 ranks: one
     * alone.  Each is given the same problem and has all of A and B; it computes its own tiles of C and touches no others (ww_grid_tile).  Not for
     * matrices that are spread, and 0 where the grid is joined with others (ww_grid_link). */
    size_t ranks, rank;
} WwGridGemm;

WwStatus ww_grid_gemm(WwGrid *g, const WwGridGemm *p);

typedef struct WwGridSyrk {
    WwType      type;
    WwLayout    layout;
    WwFill      fill;
    bool        trans;
    size_t      n, k; /* as in WwSyrk */
    WwScalar    alpha, beta;
    const void *a;
    void       *c;
    size_t      lda, ldc;
    const WwGridArray *on_a, *on_c; /* as in WwGridGemm */
    WwPrecision precision;
    size_t      tile, panel, ranks, rank;
} WwGridSyrk;

WwStatus ww_grid_syrk(WwGrid *g, const WwGridSyrk *p);

/* What p computes, as one line: two ranks of which anything differs that decides tiles, bits or their version of the library have different lines.
 * Ranks compare them before they begin, by MPI as a rule (examples/grid_mpi.c): a rank that has another product would otherwise be found out by wrong
 * results.  As snprintf; text may be NULL where bytes is 0. */
size_t ww_grid_gemm_text(const WwGrid *g, const WwGridGemm *p, char *text, size_t bytes);
size_t ww_grid_syrk_text(const WwGrid *g, const WwGridSyrk *p, char *text, size_t bytes);

/* What device i did in the last call. */
typedef struct WwGridShare {
    size_t   tiles, panels;       /* of C; of operands that were multiplied, a pair counts once */
    uint64_t in_bytes, out_bytes; /* copied from host memory to the device, and back */
    uint64_t peer_bytes;          /* copied between it and other devices by its own work, or sent and received for it */
    /* Milliseconds from the call's beginning, by the host's clock: tiles were chosen and memory was there; all work was put on the device's streams;
     * it was done. */
    double   planned_ms, enqueued_ms, done_ms;
} WwGridShare;

/* A tile of the last call's result: its first row and column in C, and how many. */
typedef struct WwGridTile {
    size_t row, col, rows, cols;
    size_t rank, device; /* who computed it */
    bool   mirrored;     /* and wrote its transpose at (col, row), too: cols x rows */
} WwGridTile;

/* How many tiles the last call's result has, those of all ranks; tile i.  WW_ERR_INVALID: there is no tile i. */
size_t   ww_grid_tiles(const WwGrid *g);
WwStatus ww_grid_tile(const WwGrid *g, size_t i, WwGridTile *out);

/* WW_ERR_INVALID: there is no device i. */
WwStatus ww_grid_share(const WwGrid *g, size_t i, WwGridShare *out);
/* The sides of the tiles and the length of the panels of the last call: those asked for, or chosen, or less where a device's memory is small. */
void ww_grid_shape(const WwGrid *g, size_t *tile, size_t *panel);

#ifdef __cplusplus
}
#endif
#endif
