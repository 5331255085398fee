/* SPDX-License-Identifier: Apache-2.0
 *
 * The lab: experiments that ask one question each about memory accesses.  An experiment plans its cases (one row of
 * the table each), every case launches one kernel of kernels/ on the chosen devices, and its result is verified
 * against a host reference before any figure is believed.
 *
 *     lab_open -> lab_run(experiment) ... -> lab_row / lab_json / lab_table -> lab_close
 *
 * Counts come from the emulator's counters and times from a GPU; a row has what its devices could give.  The lab
 * stands on the public API (warpwright.h), but for why a card refuses a launch, never prints, and owns every string it hands out. */
#ifndef WW_LAB_LAB_H
#define WW_LAB_LAB_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/str.h"
#include "warpwright/warpwright.h"

enum { LAB_SIZES = 8, LAB_PICTURES = 2 };

typedef struct LabSize {
    const char *name;
    int64_t     value;
} LabSize;

typedef struct LabRow {
    const char *experiment, *kernel; /* kernel: the row's name, such as "offsetCopy_7" */
    const char *entry, *file;        /* the entry point it launched and its source */
    const char *compiler;            /* that built it; NULL when none did */
    const char *device, *profile;    /* "emulator", "cuda" or "emulator+cuda" */
    const char *card;        /* of profiles.def, that the profile stands for; NULL: a GPU's own, or a file's */
    bool        lines;       /* the profile moves 128-byte lines through L1 */
    LabSize     size[LAB_SIZES];
    size_t      nsizes;
    WwDim3      grid, block;
    uint32_t    shared;      /* dynamic shared memory, bytes */
    bool        verified;    /* on every device it ran on */
    const char *problem;     /* why not; NULL when verified */
    const char *not_launchable; /* the limit of the profile's card that refuses it, which is not a failure; NULL: it was launched */
    double      max_error;   /* largest difference from the reference; NaN when there is no result */
    uint64_t    checked, values; /* elements compared with the reference, and elements of the result */
    WwPicture   picture[LAB_PICTURES]; /* the dearest access to shared and to global memory, with LabOptions.pictures */
    size_t      npictures;
    bool        counted;     /* by the emulator */
    WwCounters  counters;
    uint64_t    least_bytes; /* every input read once and every output written once */
    double      predicted_ms; /* on the profile's card, as one of many launches alike; NaN: not known */
    const char *limiter;      /* what bounds it there; NULL: not known */
    bool        timed;       /* by a GPU */
    double      time_ms, min_ms;
    unsigned    runs;
    double      effective_gbs; /* least_bytes in time_ms, 1e9 bytes a second; 0 when not timed */
} LabRow;

typedef struct LabOptions {
    const char *device;   /* "emulator", "cuda", "auto"; NULL = auto */
    const char *profile;  /* NULL = the default */
    const char *compiler; /* whose kernels: "nvcc", "clang"; NULL = the build's default */
    const char *engine;   /* of the emulator: WwDeviceOptions.engine */
    unsigned    threads;  /* of the emulator; 0 = one for each core */
    uint64_t    seed;     /* of the inputs */
    int64_t     m, n, k, tile, offset, stride, blocks; /* 0 or less = the article's; offset: less than 0 */
    struct DeviceShare *share; /* this process is one of several that run a part of every grid each: rank 0 has the rows then; NULL: alone */
    const char *regression; /* banks: file to compare with, or to write when it does not exist */
    bool        pictures;   /* rows have pictures of their dearest accesses; the emulator then keeps every pattern */
    bool        log;        /* banks: call on_log for every access that conflicts; the emulator then has one thread */
    void (*on_row)(void *user, const LabRow *row);
    /* before each case, with part 0, and now and then while its kernel runs on the emulator: the share of its blocks that have ended */
    void (*on_progress)(void *user, size_t done, size_t total, const char *kernel, double part);
    void (*on_log)(void *user, const char *line); /* without a newline */
    void *user;
} LabOptions;

/* lab_open's o with everything at its default. */
LabOptions lab_defaults(void);

typedef struct Lab        Lab;
typedef struct Experiment Experiment;

size_t            lab_experiment_count(void);
const Experiment *lab_experiment(size_t i);
const Experiment *lab_experiment_find(const char *name); /* NULL: none of that name */
const char       *lab_experiment_name(const Experiment *e);
const char       *lab_experiment_question(const Experiment *e);
/* The options of LabOptions that this one reads and not all do, with blanks between: "m n k tile". */
const char       *lab_experiment_reads(const Experiment *e);
/* The i-th kernel family it launches ("kernels/aat/"), NULL past the last. */
const char *lab_experiment_family(const Experiment *e, size_t i);

/* Opens the devices.  On failure *out is NULL and `message` says why. */
Status lab_open(const LabOptions *o, Lab **out, Str *message);
void   lab_close(Lab *lab);
/* Runs experiments; rows are appended.  WW_ERR_INVALID: the options do not fit (lab_error); a kernel that fails is a
 * row that is not verified, never an error here. */
Status      lab_run(Lab *lab, const Experiment *const *e, size_t n);
const char *lab_error(const Lab *lab);

size_t        lab_row_count(const Lab *lab);
const LabRow *lab_row(const Lab *lab, size_t i);
bool          lab_all_verified(const Lab *lab); /* but those not launchable; false when there is no row at all */
/* What the user should know of this run ("no GPU: ..."), or "". */
const char *lab_note(const Lab *lab);
/* The devices' own names, for people. */
const char *lab_device_text(const Lab *lab);
uint64_t    lab_seed(const Lab *lab);

/* The document of `lab --json`; a new reference. */
json_t *lab_json(const Lab *lab);
/* The table on the screen; legend: with the explanation of its columns. */
void lab_table(const Lab *lab, bool legend, Str *out);

#endif
