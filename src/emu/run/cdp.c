/* SPDX-License-Identifier: Apache-2.0
 *
 * The device runtime, which nvcc links from libcudadevrt: launches, copies and sets from kernels, streams, events, memory, questions.
 * Functions are known by the names of CUDA 12 and later (__cudaCDP2X), by the older ones (cudaX), and with _ptsz.
 *
 * A grid that a kernel launches runs when that kernel has ended: a parent can no longer wait for its children, so it cannot tell.
 * Order: by launching block, then by time; launches into cudaStreamTailLaunch after all others.  That is one order that every
 * stream and event of a block allows, so streams and events here are numbers that order nothing.
 *
 * A parameter buffer is a block of the device-side heap with a Pending in front.
 * Not modelled: the limit on pending launches; graphs launched from kernels. */
#include <stdlib.h>
#include <string.h>

#include "emu/core/fault.h"
#include "emu/core/notify.h"
#include "emu/run/devrt.h"
#include "model/occupancy.h"

enum { /* of cudaError */
       CUDA_SUCCESS               = 0,
       CUDA_INVALID_VALUE         = 1,
       CUDA_MEMORY_ALLOCATION     = 2,
       CUDA_INVALID_CONFIGURATION = 9,
       CUDA_INVALID_PTR           = 17,
       CUDA_INVALID_FUNCTION      = 98,
       CUDA_NOT_SUPPORTED         = 801
};
enum { TAIL_LAUNCH = 3 };

typedef struct Pending { /* 64 bytes, so that parameters are aligned */
    uint64_t func;       /* index in the module */
    uint32_t grid[3], block[3], shared;
    uint8_t  pad[64 - 36];
} Pending;
_Static_assert(sizeof(Pending) == 64, "parameters follow, aligned to 64");

typedef struct Call {
    Warp           *w;
    const Uop      *u;
    const CallInfo *info;
    unsigned        lane;
    const Uop      *stop; /* set by a fault */
} Call;

typedef uint64_t (*Function)(Call *c);

static uint64_t arg(const Call *c, uint32_t i)
{
    return devrt_arg(c->w, c->info, i, c->lane);
}

static Launch *launch_of(const Call *c)
{
    return c->w->block->launch;
}

/* Memory of the heap for this lane; 0: there is none. */
static uint64_t heap(Call *c, uint64_t bytes)
{
    uint64_t at[LANES] = {0}, size[LANES] = {0};
    at[c->lane]   = memory_heap_alloc(&launch_of(c)->dev->mem, bytes);
    size[c->lane] = bytes;
    if (at[c->lane])
        NOTIFY_SYNC(c->w, c->u, .kind = SYNC_MALLOC, .mask = UINT32_C(1) << c->lane, .addr = at, .values = size);
    return at[c->lane];
}

/* A function of the device runtime that is there, but not for what this call asks. */
static uint64_t not_here(Call *c, const char *what, uint64_t number)
{
    c->stop = fault_raise(c->w, c->u, FAULT_UNSUPPORTED, c->lane, 1u << c->lane, "%s: %s %llu is not implemented",
                          c->info->name, what, (unsigned long long)number);
    return CUDA_NOT_SUPPORTED;
}

/* Writes through a pointer that the kernel gave. */
static uint64_t store(Call *c, uint64_t where, const void *value, unsigned bytes)
{
    uint64_t room;
    uint8_t *at = devrt_memory(c->w, where, c->lane, &room);
    if (!at || room < bytes)
        return CUDA_INVALID_VALUE;
    memcpy(at, value, bytes);
    return CUDA_SUCCESS;
}

static uint64_t store32(Call *c, uint64_t where, uint32_t value)
{
    return store(c, where, &value, 4);
}

static uint64_t store64(Call *c, uint64_t where, uint64_t value)
{
    return store(c, where, &value, 8);
}

/* ---- launches ---- */

static const Func *kernel_at(const Call *c, uint64_t address)
{
    const Module *m     = launch_of(c)->em->ptx;
    uint64_t      index = (address - CODE_WINDOW) / 16;
    bool          known = address >= CODE_WINDOW && index < m->nfuncs && address % 16 == 0;
    return known && m->funcs[index]->entry && m->funcs[index]->has_body ? m->funcs[index] : NULL;
}

static const Limits *limits_here(const Call *c)
{
    return &launch_of(c)->dev->limits;
}

static uint64_t fail(Call *c, uint32_t error)
{
    c->w->runtime_error[c->lane] = error;
    return error;
}

static uint64_t take_buffer(Call *c, uint64_t func, const uint32_t grid[3], const uint32_t block[3], uint32_t shared)
{
    const Func *f = kernel_at(c, func);
    uint32_t    none;
    char        why[REFUSAL_TEXT];
    if (!f || limits_grid(limits_here(c), grid, block, why) || shared > limits_here(c)->block_shared) {
        fail(c, f ? CUDA_INVALID_CONFIGURATION : CUDA_INVALID_FUNCTION);
        return 0;
    }
    Pending  p  = {.func = f->index, .grid = {grid[0], grid[1], grid[2]}, .block = {block[0], block[1], block[2]}};
    uint64_t at = heap(c, sizeof p + emu_param(f, SIZE_MAX, &none, &none));
    p.shared    = shared;
    if (!at) {
        fail(c, CUDA_MEMORY_ALLOCATION);
        return 0;
    }
    memcpy((void *)(uintptr_t)at, &p, sizeof p);
    return at + sizeof p;
}

static uint64_t get_parameter_buffer(Call *c)
{
    uint32_t grid[3], block[3];
    memcpy(grid, devrt_arg_at(c->w, c->info, 1, c->lane), sizeof grid);
    memcpy(block, devrt_arg_at(c->w, c->info, 2, c->lane), sizeof block);
    return take_buffer(c, arg(c, 0), grid, block, (uint32_t)arg(c, 3));
}

static void hand_over(Call *c, EmuChild child)
{
    Launch *l  = launch_of(c);
    child.from = c->w->block->index;
    pthread_mutex_lock(&l->lock);
    child.serial = l->nchild;
    if (l->nchild == l->child_cap) {
        l->child_cap = l->child_cap ? l->child_cap * 2 : 16;
        l->child     = xrealloc(l->child, l->child_cap * sizeof *l->child);
    }
    l->child[l->nchild++] = child;
    pthread_mutex_unlock(&l->lock);
}

static uint64_t launch_device(Call *c)
{
    uint64_t       buffer = arg(c, 0), room;
    const uint8_t *at     = devrt_memory(c->w, buffer - sizeof(Pending), c->lane, &room);
    Pending        p;
    uint32_t       none;
    if (!at || room < sizeof p)
        return fail(c, CUDA_INVALID_VALUE);
    memcpy(&p, at, sizeof p);
    const Func *f     = launch_of(c)->em->ptx->funcs[p.func];
    uint32_t    bytes = emu_param(f, SIZE_MAX, &none, &none);
    EmuChild    child = {.kind   = EMU_CHILD_GRID,
                         .tail   = arg(c, 1) == TAIL_LAUNCH,
                         .waits  = __atomic_load_n(&launch_of(c)->orders, __ATOMIC_RELAXED),
                         .stream = arg(c, 1),
                         .src    = buffer - sizeof p,
                         .kernel = f,
                         .shared = p.shared,
                         .params = xcalloc(bytes + 1, 1)};
    memcpy(child.grid, p.grid, sizeof child.grid);
    memcpy(child.block, p.block, sizeof child.block);
    memcpy(child.params, at + sizeof p, bytes);
    memory_heap_free(&launch_of(c)->dev->mem, buffer - sizeof p);
    hand_over(c, child);
    return CUDA_SUCCESS;
}

/* ---- copies and sets ---- */

static uint64_t hand_over_copy(Call *c, EmuChild child, uint64_t stream)
{
    if (!child.width || !child.rows)
        return CUDA_SUCCESS;
    uint64_t first = child.dpitch * (child.rows - 1) + child.width, room;
    uint64_t read  = child.spitch * (child.rows - 1) + child.width;
    if (!devrt_memory(c->w, child.dst, c->lane, &room) || room < first ||
        (child.kind == EMU_CHILD_COPY && (!devrt_memory(c->w, child.src, c->lane, &room) || room < read)))
        return fail(c, CUDA_INVALID_VALUE);
    child.tail = stream == TAIL_LAUNCH;
    hand_over(c, child);
    return CUDA_SUCCESS;
}

static uint64_t memcpy_async(Call *c)
{
    return hand_over_copy(
        c, (EmuChild){.kind = EMU_CHILD_COPY, .dst = arg(c, 0), .src = arg(c, 1), .width = arg(c, 2), .rows = 1},
        arg(c, 4));
}

static uint64_t memcpy_2d_async(Call *c)
{
    return hand_over_copy(c,
                          (EmuChild){.kind   = EMU_CHILD_COPY,
                                     .dst    = arg(c, 0),
                                     .dpitch = arg(c, 1),
                                     .src    = arg(c, 2),
                                     .spitch = arg(c, 3),
                                     .width  = arg(c, 4),
                                     .rows   = arg(c, 5)},
                          arg(c, 7));
}

static uint64_t memset_async(Call *c)
{
    return hand_over_copy(
        c,
        (EmuChild){.kind = EMU_CHILD_SET, .dst = arg(c, 0), .value = (uint8_t)arg(c, 1), .width = arg(c, 2), .rows = 1},
        arg(c, 3));
}

static uint64_t memset_2d_async(Call *c)
{
    return hand_over_copy(c,
                          (EmuChild){.kind   = EMU_CHILD_SET,
                                     .dst    = arg(c, 0),
                                     .dpitch = arg(c, 1),
                                     .value  = (uint8_t)arg(c, 2),
                                     .width  = arg(c, 3),
                                     .rows   = arg(c, 4)},
                          arg(c, 5));
}

/* ---- streams, events, memory ---- */

static uint64_t make_handle(Call *c)
{
    enum { FIRST = 0x1000 }; /* behind the named streams */
    return store64(c, arg(c, 0), FIRST + __atomic_fetch_add(&launch_of(c)->streams, 1, __ATOMIC_RELAXED));
}

static uint64_t nothing(Call *c)
{
    (void)c;
    return CUDA_SUCCESS;
}

static uint64_t wait_event(Call *c)
{
    __atomic_store_n(&launch_of(c)->orders, true, __ATOMIC_RELAXED);
    return CUDA_SUCCESS;
}

static uint64_t malloc_(Call *c)
{
    uint64_t p = heap(c, arg(c, 1));
    return p ? store64(c, arg(c, 0), p) : fail(c, CUDA_MEMORY_ALLOCATION);
}

static uint64_t free_(Call *c)
{
    uint64_t p = arg(c, 0);
    return !p || memory_heap_free(&launch_of(c)->dev->mem, p) ? CUDA_SUCCESS : fail(c, CUDA_INVALID_VALUE);
}

static uint64_t set_conditional(Call *c)
{
    uint32_t value = (uint32_t)arg(c, 1); /* a handle is the address of the condition's word */
    if (store32(c, arg(c, 0), value) != CUDA_SUCCESS)
        c->stop = fault_raise(c->w, c->u, FAULT_OUT_OF_BOUNDS, c->lane, 1u << c->lane,
                              "0x%llx is not the handle of a conditional node", (unsigned long long)arg(c, 0));
    return 0;
}

/* ---- errors ---- */

static uint64_t get_last_error(Call *c)
{
    uint32_t e                   = c->w->runtime_error[c->lane];
    c->w->runtime_error[c->lane] = CUDA_SUCCESS;
    return e;
}

static uint64_t peek_at_last_error(Call *c)
{
    return c->w->runtime_error[c->lane];
}

static const struct {
    uint32_t    code;
    const char *name, *text;
} errors[] = {
    /* those that the device runtime gives */
    {CUDA_SUCCESS, "cudaSuccess", "no error"},
    {CUDA_INVALID_VALUE, "cudaErrorInvalidValue", "invalid argument"},
    {CUDA_MEMORY_ALLOCATION, "cudaErrorMemoryAllocation", "out of memory"},
    {CUDA_INVALID_CONFIGURATION, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {CUDA_INVALID_PTR, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
    {CUDA_INVALID_FUNCTION, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {CUDA_NOT_SUPPORTED, "cudaErrorNotSupported", "operation not supported"},
};

/* The text in memory of the device; never freed, as the interface promises. */
static uint64_t error_string(Call *c, bool name)
{
    const char *text = "unrecognized error code";
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].code == (uint32_t)arg(c, 0))
            text = name ? errors[i].name : errors[i].text;
    uint64_t at = memory_heap_alloc(&launch_of(c)->dev->mem, strlen(text) + 1);
    if (at)
        memcpy((void *)(uintptr_t)at, text, strlen(text) + 1);
    return at;
}

static uint64_t get_error_string(Call *c)
{
    return error_string(c, false);
}

static uint64_t get_error_name(Call *c)
{
    return error_string(c, true);
}

/* ---- questions ---- */

static uint64_t get_device(Call *c)
{
    return store32(c, arg(c, 0), 0);
}

static uint64_t get_device_count(Call *c)
{
    return store32(c, arg(c, 0), 1);
}

static uint64_t runtime_version(Call *c)
{
    return store32(c, arg(c, 0), 13000);
}

static uint64_t device_attribute(Call *c)
{
    const Limits  *l          = limits_here(c);
    const uint32_t known[][2] = {
        /* cudaDeviceAttr */
        {1, l->block_threads},
        {2, l->block[0]},
        {3, l->block[1]},
        {4, l->block[2]},
        {5, l->grid[0]},
        {6, l->grid[1]},
        {7, l->grid[2]},
        {8, l->block_shared},
        {9, 65536}, /* constant memory */
        {10, LANES},
        {12, l->block_registers},
        {16, l->card->sms},
        {39, l->sm_threads},
        {75, l->cc / 10},
        {76, l->cc % 10},
        {81, l->sm_shared},
        {82, l->sm_registers},
        {95, 1}, /* cooperative launches */
        {97, l->block_shared_most},
        {106, l->sm_blocks},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i][0] == (uint32_t)arg(c, 1))
            return store32(c, arg(c, 0), known[i][1]);
    return not_here(c, "attribute", arg(c, 1));
}

static uint32_t static_shared(const Func *f)
{
    uint64_t at = 0;
    for (size_t i = 0; i < f->nvars; i++)
        if (f->vars[i]->space == SPACE_SHARED) {
            uint64_t align = f->vars[i]->align ? f->vars[i]->align : 1;
            at             = ((at + align - 1) & -align) + f->vars[i]->bytes;
        }
    return (uint32_t)at;
}

static uint64_t occupancy(Call *c)
{
    const Func *f       = kernel_at(c, arg(c, 1));
    int32_t     threads = (int32_t)arg(c, 2);
    if (!f || threads <= 0)
        return fail(c, f ? CUDA_INVALID_VALUE : CUDA_INVALID_FUNCTION);
    Occupancy o = occupancy_of(limits_here(c), (unsigned)threads, 0, static_shared(f) + arg(c, 3));
    return store32(c, arg(c, 0), o.blocks);
}

static const Function functions[] = {
#define CDP(name, function) function,
#include "emu/core/devrt.def"
#undef CDP
};

const Uop *cdp_run(Warp *w, const Uop *u, Builtin which)
{
    for (uint32_t m = w->mask; m; m &= m - 1) {
        Call     c = {.w = w, .u = u, .info = u->ptr, .lane = (unsigned)__builtin_ctz(m)};
        uint64_t v = functions[which - BUILTIN_CDP](&c);
        if (c.stop)
            return c.stop;
        devrt_result(w, c.info, c.lane, v);
    }
    return u + 1;
}
