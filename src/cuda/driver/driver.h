/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the driver interface share. */
#ifndef WARPWRIGHT_CUDA_DRIVER_H
#define WARPWRIGHT_CUDA_DRIVER_H

#include "cuda/work/graph.h"
#include "cuda/process/context.h"

/* ---- drv_module.c ---- */

/* An image from what a program hands over: a fat binary, its wrapper, or PTX text (of at most limit bytes).  Loaded on the current device
 * unless lazy.  On failure `why` (may be NULL) gets the message. */
CuErr driver_load(Image **out, const void *data, size_t limit, bool lazy, Str *why);
CuErr driver_load_file(Image **out, const char *path, bool lazy, Str *why);
/* All of a file that should be device code. */
CuErr driver_read_file(const char *path, Str *out);


/* ---- drv_array.c ---- */

/* A copy as a CUDA_MEMCPY3D describes it. */
CuErr driver_copy_node(const void *memcpy3d, NodeCopy *out);

/* ---- drv_link.c ---- */

typedef struct JitLog { /* the buffers among a list of JIT options */
    char   *text[2];    /* information, errors */
    void  **size[2];    /* in: capacity, out: bytes written */
    void  **wall_time;
} JitLog;

JitLog jit_log(unsigned n, const int *options, void **values);
/* Fills the error buffer with `why` (may be empty), the other with nothing. */
void   jit_log_end(const JitLog *log, const Str *why);

#endif
