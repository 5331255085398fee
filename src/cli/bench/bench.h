/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of `warpwright bench` share.
 *
 *   cmd_bench.c     options; which works and implementations
 *   bench_work.c    one work: data, implementations, verification
 *   bench_grid.c    products over several devices     bench_ranks.c   and over those of several processes
 *   bench_ends.c    biases and activations
 *   bench_half.c    16-bit and 8-bit numbers from floats, and back
 *   bench_copy.c    copies: their data, the call, whether they are right
 *   bench_time.c    the clock: events around calls on one stream, on buffers that take turns
 *   bench_peer.c    cuBLAS, cublasLt (bench_lt.c), the driver's copy; bench_xt.c cublasXt beside grid
 *   bench_peak.c    the card's ceiling
 *   bench_table.c   the table and JSON
 *   bench_verify.c  whether a product is right */
#ifndef WW_CLI_BENCH_H
#define WW_CLI_BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "warpwright/grid.h"
#include "warpwright/blas.h"

enum { BENCH_RUNS = 20, BENCH_FULL_RUNS = 10, BENCH_OFFSETS = 64, BENCH_POISON = 0xff };

/* In the order of --bias. */
typedef enum BenchBias { BENCH_NO_BIAS, BENCH_ROWS, BENCH_COLUMNS } BenchBias;

typedef struct BenchWork {
    const char *work; /* "gemm", "aat", "copy" */
    size_t      m, n, k;
    size_t      src_offset, dst_offset, bytes; /* copy */
    size_t      element, src_ld, dst_ld;       /* copy of an m x n matrix, with ta transposed; element 0: of bytes */
    WwType      type;
    bool        ta, tb;
    WwPrecision precision;
    BenchBias    bias; /* gemm */
    WwActivation activation;
    WwPtr        bias_at; /* once there are data */
} BenchWork;

/* The matrices or ranges of one work, on the host and, `sets` times, on the device. */
typedef struct BenchData {
    size_t             an, bn, cn; /* bytes */
    void              *a, *b, *c;
    WwPtr              da, db, dc;
    size_t             sets, step_a, step_b, step_c; /* from one set to the next */
    struct BenchTruth *truth;                        /* bench_verify.c; NULL: not yet */
    void              *bias;                         /* bench_ends.c */
    WwPtr              dbias;
    float             *plain; /* the sums without bias and activation; NULL: not yet */
} BenchData;

struct Bench;

typedef struct BenchRow {
    BenchWork w;
    char      impl[32];
    char note[64]; /* what else is to be known: the algorithm that cublasLt's heuristic found best; the rung of auto */
    double     median_ms; /* 0 = not measured */
    double     host_us;   /* of the host, to enqueue a call; 0 = not measured */
    unsigned   runs;
    double     max_error; /* of a float product: in units of the bound; else the number of wrong elements */
    bool       verified;
    double     clock_mhz, power_w; /* right after the last run; 0 = unknown */
    double     ceiling;            /* of the card, in the rate's unit; 0 = unknown */
    double     cublas_ms;          /* of cuBLAS for the same work in the same run; 0 = unknown */
    bool       counted;
    WwCounters counters; /* of all launches of the call */
    char       problem[256];
} BenchRow;

/* The product as the library's callers give it; rung NULL: chosen. */
WwGemm      bench_gemm(const BenchWork *w, const char *rung, WwPtr a, WwPtr b, WwPtr c);
WwSyrk      bench_syrk(const BenchWork *w, const char *rung, WwPtr a, WwPtr c);
const char *bench_unit(const BenchWork *w);
/* What the operands, row by row, say of any result; bench_truth_free. */
struct BenchTruth *bench_truth(const BenchWork *w, const void *a, const void *b, uint64_t seed);
/* The part of a result that its rounding may take. */
double bench_rounding(WwType type);
/* bench_verify of a result of the work's type. */
bool bench_right(const struct BenchTruth *t, const BenchWork *w, const void *c, bool symmetric, double *max_error, const char **problem);

/* ---- biases and activations (bench_ends.c) ---- */

bool bench_has_ends(const BenchWork *w);
/* Makes the bias, and says in w where it is; what it made is bench_ends_close's, also after an error. */
WwStatus bench_ends_open(struct Bench *x, BenchWork *w, BenchData *p);
void     bench_ends_close(struct Bench *x, BenchData *p);
/* Of the result in p->c; max_error: in units of what is allowed. */
bool bench_ends_right(struct Bench *x, const BenchWork *w, BenchData *p, double *max_error, const char **problem);

/* counted: the columns are those of the counters. */
void bench_table_head(FILE *to, bool counted);
void bench_table_row(FILE *to, const BenchRow *r);
/* false: cannot be written. */
bool bench_json(const char *file, const BenchRow *rows, size_t n, const char *device);

/* n random operands of that type: -1 to 1, of integers any bits. */
void bench_fill(void *v, size_t n, WwType type, uint64_t seed, uint64_t stream);
/* The same of 16-bit and 8-bit ones, from those of floats to nearest; and floats of n operands or results, owned by the caller. */
void   bench_half_fill(void *v, size_t n, WwType type, uint64_t seed, uint64_t stream);
float *bench_half_read(const void *v, size_t n, WwType type, bool result);
/* Operands of 16 or 8 bits? */
bool bench_small(WwType type);

/* ---- the clock (a GPU only) ---- */

/* Enqueues the work once; false: it could not be. */
typedef bool (*BenchCall)(void *user, const BenchWork *w, WwPtr a, WwPtr b, WwPtr c);
/* Warms up, then `runs` timed runs; false: a call failed.  host_us: NULL, or the host's part of a call. */
bool bench_time(WwStream *s, const BenchWork *w, const BenchData *d, BenchCall call, void *user, unsigned runs,
                double *median_ms, double *host_us);
/* How many sets keep the caches of this GPU from holding what a call reads: 1 when one set is larger than they are. */
size_t bench_sets(WwDevice *d, size_t set_bytes);
/* SM clock in MHz and power in W from NVML; 0: unknown. */
typedef struct BenchSensors BenchSensors;
BenchSensors               *bench_sensors_open(unsigned ordinal); /* NULL: no NVML */
void                        bench_sensors_read(const BenchSensors *s, double *clock_mhz, double *power_w);
void                        bench_sensors_close(BenchSensors *s);
/* The rate of multiplications alone, as bench_unit says; 0: not known. */
double bench_peak(WwBlas *b, WwType type);

/* ---- what people use instead ---- */

/* The number of cudaDataType_t for an element of A and B, and of C. */
int bench_peer_operand(WwType type);
int bench_peer_result(WwType type);

typedef struct BenchPeer BenchPeer;
BenchPeer               *bench_peer_open(WwDevice *d, WwStream *s, const char *cublas, char *why, size_t size);
void                     bench_peer_close(BenchPeer *p);
/* "cublas", "cublaslt" and "memcpy" are peers; takes: this work is one of theirs, and the library is there. */
bool bench_peer_is(const char *impl);
bool bench_peer_takes(const BenchPeer *p, const char *impl, const BenchWork *w);
/* Fills in median_ms, runs, note; on failure problem. */
bool bench_peer_run(BenchPeer *p, const BenchWork *w, const BenchData *d, BenchRow *row);

/* bench_lt.c: the same product by cublasLt; the fastest of the algorithms that its heuristic names. */
typedef struct BenchLt BenchLt;
BenchLt               *bench_lt_open(WwDevice *d, const char *cublas, char *why, size_t size);
void                   bench_lt_close(BenchLt *p);
bool                   bench_lt_run(BenchLt *p, WwStream *s, const BenchWork *w, const BenchData *d, BenchRow *row);

/* ---- copies (bench_copy.c) ---- */

/* Bytes that the source or the destination needs, offsets included. */
size_t   bench_copy_room(const BenchWork *w, bool source);
WwStatus bench_copy(WwBlas *b, const BenchWork *w, WwPtr from, WwPtr to);
/* On the host.  from: the source's memory; to: the destination's, of bytes `count` from `first` on. */
bool bench_copy_bytes_right(const BenchWork *w, const uint8_t *from, const uint8_t *to, size_t first, size_t count);
bool bench_copy_matrix_right(const BenchWork *w, const uint8_t *from, const uint8_t *to);

/* bench_xt.c: products of floats in host memory by cublasXt on the first so many GPUs.  NULL, and the reason in why: there is no such library. */
typedef struct BenchXt BenchXt;
BenchXt *bench_xt_open(const char *cublas, size_t devices, char *why, size_t size);
void     bench_xt_close(BenchXt *x);
/* By tiles of `block`.  false: *status is cuBLAS's. */
bool     bench_xt_run(BenchXt *x, const BenchWork *w, int block, const void *a, const void *b, void *c, int *status);

/* ---- one work (bench_work.c) ---- */

typedef enum BenchWhere { BENCH_HOST, BENCH_DEVICES, BENCH_RANKS } BenchWhere; /* in the order of --operands */

typedef struct Bench {
    WwDevice     *device;
    WwBlas       *blas;
    WwStream     *stream;
    BenchPeer    *peer; /* NULL: none */
    const char   *cublas; /* the library's file, where one was named; else NULL */
    bool          alone;  /* grid: without cublasXt */
    bool          verbose; /* grid: what each device did */
    size_t        tile, panel; /* grid: asked for; 0: chosen */
    size_t        devices;     /* grid: how many */
    BenchWhere    where;       /* grid: the matrices */
    BenchSensors *sensors;
    FILE         *table;        /* where rows are printed */
    bool          cuda, counted;
    unsigned      runs; /* timed ones of each implementation */
    uint64_t      seed;
    BenchRow     *row;
    size_t        nrows, room;
    double        peer_ms; /* cuBLAS for the work at hand */
    double        ceiling;
} Bench;

/* Bytes of this machine's memory that arrays of so many take: the host has its own copy, and an emulated device is this machine's memory as well. */
uint64_t bench_room(const Bench *x, uint64_t bytes);

/* Runs every implementation; a row for each.  An exit status. */
int bench_work(Bench *x, const BenchWork *w, const char *const *impls, size_t n);
/* Copies from and to every offset below BENCH_OFFSETS, next to the driver's aligned copy.  Of a result the ends are compared. */
int bench_sweep(Bench *x, const BenchWork *w, const char *impl);
/* The products of bench_grid, of matrices in bands on the devices of several processes, of which this is one (bench_ranks.c). */
int bench_ranks(Bench *x, const BenchWork *w);
/* Both products on one device and on several. */
int bench_grid(Bench *x, const BenchWork *w);

#endif
