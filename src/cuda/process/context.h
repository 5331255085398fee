/* SPDX-License-Identifier: Apache-2.0
 *
 * Contexts of the driver interface, and what every entry point asks of them.  One that needs a context begins with ENTER_CTX().
 * A context is a handle that names a device; each thread has a stack of current ones, and the runtime's current device follows it. */
#ifndef WW_CUDA_CONTEXT_H
#define WW_CUDA_CONTEXT_H

#include "cuda/process/state.h"

typedef struct Context {
    int             device;
    unsigned        flags;
    unsigned        users; /* of a primary context: calls of Retain, and 1 for the runtime */
    unsigned        sms;   /* of a green context; 0: it is not green */
    bool            runtime, destroyed;
    struct Context *next;
} Context;

/* cuInit was called, or the runtime has done it. */
CuErr context_started(void);
void  context_initialise(void);
/* The driver has started, out is not a null pointer, and there is such a device. */
CuErr context_check_device(const void *out, int device);
/* The driver has started and the thread has a current context. */
CuErr context_ready(void);

/* The runtime makes a device current (cudaSetDevice), gives up its use of one (cudaDeviceReset). */
void context_set_device(int device);
void context_reset_device(int device);

Context *context_new(int device, unsigned flags, unsigned sms);
/* The primary context of a device; retained: one user more. */
Context *context_primary(int device);
Context *context_retain(int device);
/* Is it one that was not destroyed? */
bool     context_known(const void *context);
/* Is it one of ours that was destroyed?  NULL is none. */
bool     context_destroyed(const Context *c);
/* The same of a handle that may be anything. */
bool     context_ended(const void *context);
/* A green one's multiprocessors; 0: it is not green. */
unsigned context_sms(const void *context);

/* The thread's, or NULL.  Pushing fails when the stack is full. */
Context *context_now(void);
bool     context_push(Context *c);
Context *context_pop(void);
/* Off the stack, if it is the current one. */
void     context_drop(const Context *c);
/* In place of the current one; NULL: none. */
void     context_replace(Context *c);

#define ENTER_CTX()                                                                                                    \
    ENTER();                                                                                                           \
    state_in_driver = true;                                                                                            \
    do {                                                                                                               \
        CuErr ready_ = context_ready();                                                                                \
        if (ready_ != cudaSuccess)                                                                                     \
            return ready_;                                                                                             \
    } while (0)

/* For entry points that ask for no context. */
#define ENTER_STARTED()                                                                                                \
    ENTER();                                                                                                           \
    do {                                                                                                               \
        CuErr started_ = context_started();                                                                            \
        if (started_ != cudaSuccess)                                                                                   \
            return started_;                                                                                           \
    } while (0)

#endif
