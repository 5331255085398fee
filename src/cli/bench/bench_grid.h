/* SPDX-License-Identifier: Apache-2.0
 *
 * What products on the devices of one process (bench_grid.c) and of several (bench_ranks.c) share. */
#ifndef WW_CLI_BENCH_GRID_H
#define WW_CLI_BENCH_GRID_H

#include "cli/bench/bench.h"
#include "warpwright/grid.h"

typedef struct GridBand { /* a matrix on the devices */
    WwGridArray array;
    WwPtr       at[WW_GRID_DEVICES];
    WwGridCopy  copy;
    size_t      bytes[WW_GRID_DEVICES];
} GridBand;

typedef struct GridBench {
    Bench             *x;
    WwGrid            *grid;
    BenchWork          w;
    void              *a, *b, *c;
    size_t             cn, room; /* bytes of this work's result, and of the larger one */
    WwDevice *const   *device;
    size_t             rank, ranks; /* of joined grids; ranks 0: one process */
    struct GridMeet   *meet;
    GridBand          *band; /* of a, b, c; NULL: in host memory */
    struct BenchTruth *truth;
    BenchXt           *xt; /* NULL: the grid itself */
    int                block;
} GridBench;

/* x->devices of them, from number `first` on; an exit code.  Closed also where it failed; device is all NULL before. */
int      grid_devices_open(const Bench *x, size_t first, WwDevice **device);
void     grid_devices_close(const Bench *x, WwDevice *const *device);
/* A, B and room for both results, for all devices; false: there is not so much memory.  c: that of the results, or NULL. */
bool     grid_make_data(GridBench *g, void *c);
void     grid_drop_data(GridBench *g);
/* false: a device has no room, or a copy failed. */
bool     grid_bands_open(GridBench *g);
void     grid_bands_close(GridBench *g);
/* The product, once. */
WwStatus grid_call(const GridBench *g);
/* A row of the table; one_ms, xt_ms: of one device, of cublasXt; 0: not known.  Its median. */
double   grid_row(GridBench *g, double one_ms, double xt_ms);
/* One work, A * B (0) or A * A^T. */
void     grid_set_work(GridBench *g, const BenchWork *w, int which);

#endif
