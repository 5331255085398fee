/* SPDX-License-Identifier: Apache-2.0
 *
 * One object of each kind that entry points take, and the values that their arguments get: the object, NULL, zero, one, what is maximal, and
 * what is an object of another kind. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/calls/calls.h"

#include <calls.inc>

uint64_t     calls_good[KINDS], calls_node[CALLS_NODES];
char        *calls_buffer[CALLS_MOST];
static void *library;

const Call *calls_table(size_t *count)
{
    *count = sizeof calls / sizeof *calls;
    return calls;
}

void calls_clear(void)
{
    for (int i = 0; i < CALLS_MOST; i++)
        memset(calls_buffer[i], 0, 4096);
}

static void make_buffers(void)
{
    for (int i = 0; i < CALLS_MOST; i++) {
        char *p = mmap(NULL, 2 * CALLS_BUFFER, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED || mprotect(p + CALLS_BUFFER, CALLS_BUFFER, PROT_NONE) != 0) /* nothing lies behind it */
            _exit(4);
        calls_buffer[i] = p;
    }
}

/* ---- one object of each kind ---- */

static void callback(void *user)
{
    (void)user;
}

static int ask(const char *name, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    int (*f)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t) = NULL;
    *(void **)&f                                               = dlsym(library, name);
    return f(a, b, c, d, 0);
}

/* A node that begins its graph. */
static int add_node(const char *name, int i, uint64_t a, uint64_t b, uint64_t bytes, uint64_t direction)
{
    int (*f)(uint64_t *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t) = NULL;
    *(void **)&f                                                                               = dlsym(library, name);
    return f(&calls_node[i], calls_good[GRAPH], 0, 0, a, b, bytes, direction);
}

static uint64_t at(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

static const char module_text[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n.visible .global .u32 g;\n.visible .entry k(){ret;}\n";

/* A kernel and a variable, registered as nvcc's code does: a fat binary with one entry of text. */
static int make_program(void)
{
    static uint64_t   fat[512];
    static const char stub, variable;
    static struct {
        uint32_t    magic, version;
        const void *data, *more;
    } wrapper                       = {0x466243b1, 1, fat, NULL};
    static const uint32_t head[4]   = {0xba55ed50, 16 << 16 | 1, 64 + sizeof module_text, 0};
    uint32_t              entry[16] = {1 << 16 | 1, 64, sizeof module_text, 0, 0, 0, 0, 75};
    memcpy(fat, head, sizeof head);
    memcpy(fat + 2, entry, sizeof entry);
    memcpy(fat + 10, module_text, sizeof module_text);
    void **(*begin)(void *) = NULL;
    *(void **)&begin        = dlsym(library, "rt___cudaRegisterFatBinary");
    void **handle           = begin(&wrapper);
    void (*add)(void **, const void *, const char *, const char *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                uint64_t)   = NULL;
    *(void **)&add          = dlsym(library, "rt___cudaRegisterFunction");
    add(handle, &stub, "k", "k", UINT64_MAX, 0, 0, 0, 0, 0);
    *(void **)&add = dlsym(library, "rt___cudaRegisterVar");
    add(handle, &variable, "g", "g", 0, 4, 0, 0, 0, 0);
    calls_good[STUB]   = at(&stub);
    calls_good[SYMBOL] = at(&variable);
    size_t size;
    return ask("rt_cudaGetSymbolSize", at(&size), calls_good[SYMBOL], 0, 0) |
           ask("rt_cudaFuncSetCacheConfig", calls_good[STUB], 0, 0, 0);
}

void calls_objects(void *from)
{
    static const int desc[5] = {32, 0, 0, 0, 2}, props[22] = {1, 0, 1, 0};
    static struct {
        size_t   w, h, d;
        unsigned format, channels, flags;
    } shape = {16, 16, 0, 0x20, 1, 0};
    library = from;
    make_buffers();
    int bad = ask("drv_cuInit", 0, 0, 0, 0) | ask("rt_cudaFree", 0, 0, 0, 0) |
              ask("rt_cudaMalloc", at(&calls_good[DEVICE]), 4096, 0, 0) |
              ask("rt_cudaStreamCreate", at(&calls_good[STREAM]), 0, 0, 0) |
              ask("rt_cudaEventCreate", at(&calls_good[EVENT]), 0, 0, 0) |
              ask("rt_cudaGraphCreate", at(&calls_good[GRAPH]), 0, 0, 0) |
              ask("rt_cudaMemPoolCreate", at(&calls_good[POOL]), at(props), 0, 0) |
              ask("rt_cudaMallocArray", at(&calls_good[ARRAY]), at(desc), 16, 16) |
              ask("drv_cuMipmappedArrayCreate", at(&calls_good[MIPMAP]), at(&shape), 3, 0) |
              ask("drv_cuCtxGetCurrent", at(&calls_good[CONTEXT]), 0, 0, 0) |
              ask("drv_cuModuleLoadData", at(&calls_good[MODULE]), at(module_text), 0, 0) |
              ask("drv_cuModuleGetFunction", at(&calls_good[KERNEL]), calls_good[MODULE], at("k"), 0) | make_program();
    static struct {
        const void *func;
        WwDim3      grid, block;
        unsigned    shared;
        void      **args, **extra;
    } kernel = {NULL, {1, 1, 1}, {1, 1, 1}, 0, 0, 0};
    static struct {
        uint64_t dst;
        size_t   pitch;
        unsigned value, element;
        size_t   width, height;
    } set = {0, 64, 0, 1, 64, 1};
    static struct {
        void (*fn)(void *);
        void *user;
    } host         = {callback, NULL};
    uint64_t other = 0;
    memcpy(&kernel.func, &calls_good[STUB], sizeof kernel.func);
    set.dst = calls_good[DEVICE];
    bad = bad | ask("rt_cudaGraphCreate", at(&other), 0, 0, 0) | add_node("rt_cudaGraphAddEmptyNode", 0, 0, 0, 0, 0) |
          add_node("rt_cudaGraphAddKernelNode", 1, at(&kernel), 0, 0, 0) |
          add_node("rt_cudaGraphAddMemsetNode", 2, at(&set), 0, 0, 0) |
          add_node("rt_cudaGraphAddMemcpyNode1D", 3, calls_good[DEVICE], calls_good[DEVICE] + 512, 64, 3) |
          add_node("rt_cudaGraphAddEventRecordNode", 4, calls_good[EVENT], 0, 0, 0) |
          add_node("rt_cudaGraphAddEventWaitNode", 5, calls_good[EVENT], 0, 0, 0) |
          add_node("rt_cudaGraphAddHostNode", 6, at(&host), 0, 0, 0) |
          add_node("rt_cudaGraphAddChildGraphNode", 7, other, 0, 0, 0) |
          ask("rt_cudaGraphInstantiate", at(&calls_good[EXEC]), calls_good[GRAPH], 0, 0);
    calls_good[NODE] = calls_node[0];
    if (bad) {
        printf("the objects could not be made: %d\n", bad);
        exit(2);
    }
    calls_good[OTHER]  = calls_good[STREAM];
    void (*fn)(void *) = callback;
    memcpy(&calls_good[FUNCTION], &fn, sizeof fn);
}

/* ---- values ---- */

/* A structure of numbers and handles: zeros, -1, sizes, ones, and what is whole pages of a device. */
static void *fill(void *p, int e)
{
    static const uint64_t words[CALLS_EXTREMES] = {
        0, 0, UINT64_MAX, UINT64_C(1) << 62, UINT64_C(0x100000001), UINT64_C(2) << 20};
    uint64_t *w = p;
    for (int i = 0; i < 32; i++)
        w[i] = words[e];
    return p;
}

/* Extreme e of argument i; 0 is the plain one. */
Value calls_value(Kind k, int i, int e)
{
    static const uint64_t ints[CALLS_EXTREMES]  = {0, 1, UINT32_MAX, INT32_MAX, UINT64_C(0x80000000), 2};
    static const uint64_t sizes[CALLS_EXTREMES] = {
        8, 0, UINT64_MAX, UINT64_C(1) << 62, UINT64_C(1) << 63, (UINT64_C(1) << 62) + 16};
    static const char *texts[CALLS_EXTREMES] = {"k", "", ".", "/dev/zero", "/dev/stdin", "nothing/there"};
    Value              v                     = {0};
    if (k == INT)
        v.u = ints[e];
    else if (k == SIZE)
        v.u = sizes[e];
    else if (k == PLAIN && e != 1)
        v.u = at(fill(calls_buffer[i], e));
    else if (k == COUNT)
        v.u = (uint64_t)e % 3;
    else if (k == DEVICE && e == 4) /* across the end */
        v.u = calls_good[k] + 4090;
    else if (k == FLOAT)
        v.f = e ? __builtin_inff() : 1;
    else if (k == STRUCT)
        memset(&v, e == 1 ? 0xff : e == 2 ? 0x7f : 0, sizeof v);
    else if (k == TEXT && e < 5)
        v.u = e == 1 ? 0 : at(strcpy(calls_buffer[i], texts[e]));
    else if (k == BUFFER || k == TEXT || k == PLAIN)
        v.u = e == 1 ? 0 : at(calls_buffer[i]);
    else if (k == FUNCTION)
        v.u = e == 1 ? 0 : calls_good[k];
    else /* a handle, or an address */
        v.u = e == 0        ? calls_good[k]
              : e == 1      ? 0
              : e == 2      ? UINT64_MAX
              : e == 3      ? at(calls_buffer[i])
              : e == 4      ? 0x7ffff0000001
              : k == DEVICE ? calls_good[k] + 1
                            : calls_good[STREAM + e];
    if (k == STRUCT && e == 0)
        v.WwDim3 = (WwDim3){1, 1, 1};
    return v;
}
