/* SPDX-License-Identifier: Apache-2.0
 *
 * A CUDA driver that is none: a shared library with the driver's entry points, host memory for device memory, and a record of
 * what it was asked.  It lets src/device/cuda*.c run on a machine without a GPU: argument packing, order of calls, error paths.
 * A test loads the same library and reads or sets the MockCuda that mock_cuda() returns.  It runs no PTX: a launch calls
 * `kernel`, when the test has set one, with the arguments that a driver would have copied. */
#ifndef WW_TESTS_MOCK_CUDA_H
#define WW_TESTS_MOCK_CUDA_H

#include <stddef.h>
#include <stdint.h>

typedef struct MockCuda {
    /* what the driver does: set by the test */
    int         devices, cc;
    int         fail_init, fail_alloc, fail_load, fail_code, fail_function, fail_attribute, fail_launch; /* CUDA error numbers; 0 = work */
    int         fault;       /* the next launch leaves this sticky error, as a faulting kernel does */
    /* fail_load: of any module, fail_code: of one that is not text */
    const char *jit_log;     /* written to the error log of a failing load */
    double      launch_ms;   /* what one launch adds to the events' clock */
    void      (*kernel)(const char *name, void **args);
    uint64_t    foreign;        /* another library's allocation: address and size */
    size_t      foreign_bytes;
    /* what it was asked: read by the test */
    int         retained, resets;
    int         modules, events, buffers; /* alive */
    unsigned    launches, records;
    unsigned    grid[3], block[3], shared;
    unsigned    cluster[3];   /* of the last launch; 0: without that attribute */
    int         programmatic; /* of the last launch */
    unsigned    maps;         /* tensor maps encoded */
    int         attribute, attribute_value;
    int         streams;        /* alive */
    void       *stream;         /* of the last launch or asynchronous fill */
    void       *waited;         /* the stream last waited for */
    unsigned    waits;
    unsigned    synced; /* events waited for */
    char        image[4096]; /* beginning of the last module's text */
} MockCuda;

MockCuda *mock_cuda(void);
/* Back to the beginning: one GPU of compute capability 9.0, everything works, nothing recorded. */
void mock_cuda_reset(void);

#endif
