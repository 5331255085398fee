/* SPDX-License-Identifier: Apache-2.0
 *
 * Something that runs kernels: the emulator on a SIMD level with one of its engines, or a GPU. */
#ifndef WW_TESTS_ENGINES_ENGINE_H
#define WW_TESTS_ENGINES_ENGINE_H

#include "tests/engines/random.h"
#include "warpwright/warpwright.h"

typedef enum Watch { WATCH_NOTHING, WATCH_COUNTERS, WATCH_ALL, WATCHES } Watch; /* ALL: every rule of --check too */

typedef struct Engine Engine;

/* "interpreter:avx2", "jit:avx512", "cuda".  NULL: *why says why not.  engine_close; NULL is fine. */
Engine     *engine_open(const char *name, const char **why);
void        engine_close(Engine *e);
const char *engine_name(const Engine *e);
bool        engine_is_gpu(const Engine *e);

typedef struct Outcome {
    WwStatus status;
    Str      told;      /* the report as JSON, without times and addresses; the message where the launch failed.  Not of a GPU */
    uint8_t *out;       /* kernel_out_bytes */
} Outcome;

/* Runs the text as kernel k: its input and what the output held before are the kernel's. */
void engine_run(Engine *e, const Kernel *k, const Str *text, Watch watch, Outcome *o);
void outcome_free(Outcome *o);

/* Appends how b differs from a, a line; false: it does not. */
bool outcome_differs(const Kernel *k, const Outcome *a, const Outcome *b, bool gpu, Str *how);

/* Leaves out of the kernel what is not needed for `still` to hold; the kernel as it is holds it.  left_out: a bit for each line. */
void kernel_reduce(const Kernel *k, bool (*still)(void *user, const uint64_t *left_out), void *user, uint64_t *left_out);

#endif
