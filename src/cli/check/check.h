/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside `warpwright check`: arguments as the command line or a launch file describes them, the launches, and compiling the source. */
#ifndef WW_CLI_CHECK_H
#define WW_CLI_CHECK_H

#include <jansson.h>

#include "base/arena.h"
#include "base/status.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/spread.h"
#include "device/device.h"
#include "report/report.h"
#include "warpwright/warpwright.h"

/* ---- arguments (check_args.c) ---- */

typedef struct ElementType {
    const char *name;  /* "f32" */
    char        kind;  /* 'i', 'u', 'f', 'h' (half), 'b' (bfloat16) */
    uint32_t    bytes;
    const char *npy;   /* "<f4"; bf16 is stored as "<u2" */
} ElementType;

typedef struct Argument {
    const char        *name;
    const ElementType *type;
    bool               buffer;      /* NAME:TYPE[COUNT] */
    uint64_t           count;
    const char        *value;       /* behind '=', NULL: uninitialised */
    uint64_t           scalar;      /* its bits */
    uint8_t           *data;        /* a buffer's initial contents, malloc; NULL: uninitialised */
    WwPtr              address;     /* once it is on the device */
} Argument;

/* Writes a buffer's bytes to a file: .npy by the name's end, else raw. */
Status argument_write(const Argument *a, const void *bytes, const char *file, Str *why);

/* ---- npy files (npy.c) ---- */

/* The elements of a little-endian .npy file in C order, malloc.  WW_ERR_IO, WW_ERR_INVALID: *why. */
Status npy_read(const char *file, const ElementType *type, uint64_t count, uint8_t *out, Str *why);
Status npy_write(const char *file, const ElementType *type, uint64_t count, const void *data, Str *why);

/* ---- the launches ---- */

typedef struct CheckedLaunch {
    const char  *kernel;
    WwDim3       grid, block, cluster; /* cluster.x = 0: as the kernel says */
    uint32_t     shared;
    bool         cooperative;
    size_t      *arg; /* indices into the plan's arguments */
    size_t       nargs;
} CheckedLaunch;

typedef struct OutFile {
    const char *name, *file;
} OutFile;

typedef struct CheckPlan {
    Arena         *arena;
    Argument      *arg; size_t nargs;
    CheckedLaunch *launch; size_t nlaunches;
    OutFile       *out; size_t nouts;
    uint64_t       seed;
} CheckPlan;

/* Adds an argument; *index is its place.  Text without ':' names one that was added before. */
Status plan_argument(CheckPlan *p, const char *text, size_t *index, Str *why);
Status plan_out(CheckPlan *p, const char *text, Str *why); /* NAME=FILE */
/* "X", "X,Y" or "X,Y,Z". */
bool   plan_dim(const char *text, WwDim3 *out);
/* check_file.c: adds the launches of a YAML or JSON file. */
Status plan_read(CheckPlan *p, const char *file, Str *why);
void   plan_free(CheckPlan *p);
/* check_bind.c: pointers to the values of a launch's arguments, in the kernel's order, malloc; NULL: *why says what the kernel takes. */
void **plan_bind(CheckPlan *p, const CheckedLaunch *l, const WwModule *m, size_t kernel, Str *why);

/* ---- ranks (check_ranks.c) ---- */

/* Rank 0 gets what the others' blocks left to be found at the end, into its report; what the device of this one has comes first.  False after a message. */
bool check_ranks_pending(Spread *k, WwDevice *d, Report *r);

/* check_suggest.c: appends a command line for the kernel; grid, block: as given, or NULL. */
void check_suggest(const WwModule *m, size_t kernel, const char *file, const char *grid, const char *block, Str *out);

/* check_compile.c: the PTX of a .cu (compiled) or .ptx file, to be freed; NULL after a message. */
char *check_source(const char *verb, const char *file, size_t *len);

#endif
