/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the driver interface share.  Every entry point that needs a context begins with ENTER_CTX(). */
#ifndef WW_CUDA_DRIVER_H
#define WW_CUDA_DRIVER_H

#include "cuda/cgraph.h"

/* cuInit was called, or the runtime has done it. */
CuErr driver_started(void);

/* The driver has started, out is no null pointer, and there is such a device. */
CuErr driver_check_device(const void *out, int device);

/* ---- drv_context.c ---- */

/* cuInit was called and the thread has a current context. */
CuErr driver_ready(void);

/* The runtime makes a device current (cudaSetDevice), gives up its use of one (cudaDeviceReset). */
void driver_set_device(int device);
void driver_reset_device(int device);

/* A green context of some multiprocessors; and questions about any context: is it one, its device, a green one's multiprocessors (0: it is
 * none), the thread's. */
void    *driver_context_new(int device, unsigned sms);
bool     driver_context_known(const void *context);
int      driver_context_device(const void *context);
unsigned driver_context_sms(const void *context);
void    *driver_context_current(void);

/* The primary context of a device, as a handle. */
void *driver_primary(int device);

#define ENTER_CTX()                                                                                                    \
    ENTER();                                                                                                           \
    state_in_driver = true;                                                                                            \
    do {                                                                                                               \
        CuErr ready_ = driver_ready();                                                                                 \
        if (ready_ != cudaSuccess)                                                                                     \
            return ready_;                                                                                             \
    } while (0)

/* For entry points that ask for no context. */
#define ENTER_STARTED()                                                                                                \
    ENTER();                                                                                                           \
    do {                                                                                                               \
        CuErr started_ = driver_started();                                                                             \
        if (started_ != cudaSuccess)                                                                                   \
            return started_;                                                                                           \
    } while (0)

/* ---- drv_module.c ---- */

/* An image from what a program hands over: a fat binary, its wrapper, or PTX text (of at most limit bytes).  Loaded on the current device
 * unless lazy.  On failure `why` (may be NULL) gets the message. */
CuErr driver_load(Image **out, const void *data, size_t limit, bool lazy, Str *why);
CuErr driver_load_file(Image **out, const char *path, bool lazy, Str *why);


/* ---- drv_array.c ---- */

/* A copy as a CUDA_MEMCPY3D describes it. */
CuErr driver_copy_node(const void *memcpy3d, NodeCopy *out);

/* ---- jit.c ---- */

typedef struct JitLog { /* the buffers among a list of JIT options */
    char   *text[2];    /* information, errors */
    void  **size[2];    /* in: capacity, out: bytes written */
    void  **wall_time;
} JitLog;

JitLog jit_log(unsigned n, const int *options, void **values);
/* Fills the error buffer with `why` (may be empty), the other with nothing. */
void   jit_log_end(const JitLog *log, const Str *why);

#endif
