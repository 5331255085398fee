/* SPDX-License-Identifier: Apache-2.0
 *
 * What the experiments share: the plan of cases, launching a case on every open device, and the lab's own state.
 *
 * A case is one launch and one row.  Every kernel of the lab takes its buffers first and its numbers after them; the
 * buffers stand in the order of the kernel's parameters. */
#ifndef WW_LAB_RUN_H
#define WW_LAB_RUN_H

#include "base/arena.h"
#include "kernels/kernels.h"
#include "lab/lab.h"

/* What an output holds before the launch: as float a NaN, so that an element nobody wrote never verifies. */
enum { LAB_POISON = 0xff };

typedef struct LabCase {
    const Experiment *experiment;
    const char       *name, *entry;
    LabSize           size[LAB_SIZES];
    size_t            nsizes;
    WwDim3            grid, block;
    uint32_t          shared;
    /* What plan tells run. */
    int64_t  m, n, k;
    int64_t  pad;   /* elements between rows beyond the row itself */
    int64_t  step;  /* copy: offset, stride, flip or mask */
    int      kind;  /* the experiment's own enum */
    size_t   shift; /* bytes the arrays are moved off their 256-byte alignment */
    unsigned repeats; /* launches a GPU is timed over; 0 = the default */
} LabCase;

struct Experiment {
    const char *name, *question;
    const char *reads;     /* the options that it reads and not all do, with blanks between */
    const char *family[3]; /* folders of kernels/ it launches from, NULL-terminated */
    bool        logs;      /* --log lists its conflicts */
    /* May fail when options do not fit (lab_fail). */
    Status (*plan)(Lab *lab, const Experiment *e);
    void (*run)(Lab *lab, const LabCase *c, LabRow *row);
    /* Before the first and after the last case; either may be NULL. */
    Status (*begin)(Lab *lab);
    Status (*end)(Lab *lab);
};

struct Gemm;       /* gemm.h */
struct Regression; /* regression.h */

struct Lab {
    LabOptions  opt;
    Arena      *arena;
    WwDevice   *emulator, *cuda; /* NULL when not open */
    LabRow    **row;
    size_t      nrows, rows_cap;
    LabCase    *plan; /* of the running lab_run */
    size_t      nplan, plan_cap, running; /* running: the case under way */
    struct Gemm       *gemm;       /* inputs and reference the running experiment keeps between its cases */
    struct Regression *regression; /* banks only */
    Str         error, note, devices;
};

/* Sets the message of lab_error; gives WW_ERR_INVALID. */
Status lab_fail(Lab *lab, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Marks the row as not verified; the first problem is kept. */
void lab_problem(Lab *lab, LabRow *row, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Appends a case to the plan; its name is copied. */
LabCase *lab_plan(Lab *lab, const Experiment *e, const char *entry, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void lab_size(LabCase *c, const char *name, int64_t value);
/* An option's value, or the fallback when it was not given. */
int64_t lab_pick(int64_t given, int64_t fallback);
/* Blocks of `tile` that cover n. */
uint32_t lab_cover(int64_t n, int64_t tile);

typedef struct LabBuffer {
    const void *in;    /* contents before the launch; NULL: LAB_POISON */
    void       *out;   /* receives the contents after the launch; NULL: not wanted */
    size_t      bytes;
    size_t      shift; /* the kernel's pointer is this far off its 256-byte alignment */
} LabBuffer;

typedef struct LabLaunch {
    LabBuffer *buffer;
    size_t     nbuffers;
    void     **number; /* the arguments after the buffers: one pointer to each */
    size_t     nnumbers;
    /* Called on each device with the outputs filled in; reports with lab_problem, sets max_error, checked and values. */
    void (*verify)(Lab *lab, const LabCase *c, LabRow *row, void *user);
    void *user;
} LabLaunch;

/* Launches the case on every open device, verifies each result, and fills in counters and times. */
void lab_launch(Lab *lab, const LabCase *c, const LabLaunch *l, LabRow *row);
/* Raises the row's largest error; NaN sticks. */
void lab_raise_error(LabRow *row, double error);
/* False, and a problem in the row, when the host has not the memory for it. */
bool lab_fits(Lab *lab, LabRow *row, uint64_t bytes);

extern const Experiment experiment_aat, experiment_matmul, experiment_copy, experiment_banks, experiment_intmatmul;

#endif
