/* SPDX-License-Identifier: Apache-2.0
 *
 * Products by PoCL, the OpenCL implementation that compiles for the CPU at hand.  Another implementation that may be installed is no peer: the
 * platform is chosen by its name.  Contraction is on, as nvcc has it, but nothing else that changes results (-cl-mad-enable).
 * It takes one thread, as the emulator does beside it (POCL_MAX_PTHREAD_COUNT; a value that is set stands). */
#include "bench/opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef WW_HAVE_OPENCL

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "base/arena.h"
#include "base/file.h"

typedef struct Peer {
    Product          product;
    cl_context       context;
    cl_command_queue queue;
    cl_device_id     device;
    cl_program       program;
    cl_kernel        kernel;
    cl_mem           matrix[3];
} Peer;

enum { MOST_PLATFORMS = 16, MOST_SOURCE = 1 << 20 };

static bool find_pocl(cl_device_id *out)
{
    cl_platform_id all[MOST_PLATFORMS];
    cl_uint        count = 0;
    char           name[256];
    if (clGetPlatformIDs(MOST_PLATFORMS, all, &count) != CL_SUCCESS)
        return false;
    for (cl_uint i = 0; i < count && i < MOST_PLATFORMS; i++)
        if (clGetPlatformInfo(all[i], CL_PLATFORM_NAME, sizeof name, name, NULL) == CL_SUCCESS &&
            strstr(name, "Portable Computing Language") &&
            clGetDeviceIDs(all[i], CL_DEVICE_TYPE_CPU, 1, out, NULL) == CL_SUCCESS)
            return true;
    return false;
}

static bool build(Peer *x, const char *kernel)
{
    Str    source = {0};
    cl_int e      = CL_SUCCESS;
    if (!file_text(WW_PRODUCTS_CL, MOST_SOURCE, &source))
        return false;
    const char *text = source.s;
    x->program       = clCreateProgramWithSource(x->context, 1, &text, NULL, &e);
    if (e == CL_SUCCESS)
        e = clBuildProgram(x->program, 1, &x->device, "-cl-std=CL1.2 -cl-mad-enable", NULL, NULL);
    if (e == CL_SUCCESS)
        x->kernel = clCreateKernel(x->program, kernel, &e);
    str_free(&source);
    return e == CL_SUCCESS;
}

static bool make_matrix(Peer *x, unsigned which, size_t count)
{
    float *host = xmalloc(sizeof *host * count);
    cl_int e    = CL_SUCCESS;
    for (size_t i = 0; i < count; i++)
        host[i] = which < 2 ? product_element(which + 1, (unsigned)i) : 0;
    x->matrix[which] =
        clCreateBuffer(x->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof *host * count, host, &e);
    free(host);
    return e == CL_SUCCESS && clSetKernelArg(x->kernel, which, sizeof(cl_mem), &x->matrix[which]) == CL_SUCCESS;
}

static bool set_up(Peer *x)
{
    const Product *p = &x->product;
    cl_int         e;
    x->context = clCreateContext(NULL, 1, &x->device, NULL, NULL, &e);
    if (e == CL_SUCCESS)
        x->queue = clCreateCommandQueue(x->context, x->device, 0, &e);
    bool ok = e == CL_SUCCESS && build(x, p->kernel) && make_matrix(x, 0, (size_t)p->m * p->k) &&
              make_matrix(x, 1, (size_t)p->k * p->n) && make_matrix(x, 2, (size_t)p->m * p->n);
    const cl_int sizes[] = {(cl_int)p->m, (cl_int)p->n, (cl_int)p->k, (cl_int)p->k, (cl_int)p->n, (cl_int)p->n};
    for (cl_uint i = 0; i < sizeof sizes / sizeof *sizes && ok; i++)
        ok = clSetKernelArg(x->kernel, 3 + i, sizeof sizes[i], &sizes[i]) == CL_SUCCESS;
    return ok;
}

static void take_down(Peer *x)
{
    for (unsigned i = 0; i < 3; i++)
        if (x->matrix[i])
            clReleaseMemObject(x->matrix[i]);
    if (x->kernel)
        clReleaseKernel(x->kernel);
    if (x->program)
        clReleaseProgram(x->program);
    if (x->queue)
        clReleaseCommandQueue(x->queue);
    if (x->context)
        clReleaseContext(x->context);
    free(x);
}

static bool launch(Peer *x)
{
    const Product *p        = &x->product;
    WwDim3         grid     = product_grid(p);
    const size_t   local[]  = {PRODUCT_BLOCK, PRODUCT_BLOCK};
    const size_t   global[] = {(size_t)grid.x * PRODUCT_BLOCK, (size_t)grid.y * PRODUCT_BLOCK};
    return clEnqueueNDRangeKernel(x->queue, x->kernel, 2, NULL, global, local, 0, NULL, NULL) == CL_SUCCESS &&
           clFinish(x->queue) == CL_SUCCESS;
}

static bool read_element(void *user, uint64_t at, float *out)
{
    const Peer *x = user;
    return clEnqueueReadBuffer(x->queue, x->matrix[2], CL_TRUE, sizeof *out * at, sizeof *out, out, 0, NULL, NULL) ==
           CL_SUCCESS;
}

static bool is_here(void)
{
    cl_device_id device;
    setenv("POCL_MAX_PTHREAD_COUNT", "1", 0);
    if (find_pocl(&device))
        return true;
    fprintf(stderr, "bench: PoCL is not installed (tools/setup bench): no ratios to it\n");
    return false;
}

static bool said(bool ok, const Peer *x)
{
    if (!ok)
        fprintf(stderr, "bench: PoCL did not run %s\n", x->product.kernel);
    return ok;
}

/* With a launch, in which it compiles for these sizes of block. */
static void *open_peer(const Product *p)
{
    Peer *x    = xcalloc(1, sizeof *x);
    x->product = *p;
    if (said(find_pocl(&x->device) && set_up(x) && launch(x), x))
        return x;
    take_down(x);
    return NULL;
}

static bool launch_peer(void *user, Reading *out)
{
    double begin = product_clock(CLOCK_MONOTONIC), before = product_clock(CLOCK_PROCESS_CPUTIME_ID);
    bool   ok      = launch(user);
    out->seconds   = product_clock(CLOCK_MONOTONIC) - begin;
    out->processor = product_clock(CLOCK_PROCESS_CPUTIME_ID) - before;
    out->native    = 1;
    return said(ok, user);
}

static bool close_peer(void *user, const Product *p)
{
    bool right = product_right(p, read_element, user);
    take_down(user);
    return right;
}

const Maker product_pocl = {is_here, open_peer, launch_peer, close_peer};

#else

static bool is_here(void)
{
    fprintf(stderr, "bench: OpenCL was not there when this was built (tools/setup bench): no ratios to PoCL\n");
    return false;
}

const Maker product_pocl = {.is_here = is_here};

#endif
