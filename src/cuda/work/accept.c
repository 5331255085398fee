/* SPDX-License-Identifier: Apache-2.0
 *
 * Does the device take a launch?  What it would refuse is refused here, before the emulator sees it, with the device's error and, for
 * findings, the number that is wrong and what would be allowed.
 * Left out: what the kernel's own text asks of its blocks (.reqntid) and static shared memory, which the emulator checks; registers of a kernel for which
 * the program has no machine code of the card. */
#include "cuda/work/accept.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/sizes.h"
#include "cuda/process/calls.h"
#include "cuda/process/context.h"
#include "emu/emu.h"
#include "model/occupancy.h"

size_t accept_static_shared(const Func *f)
{
    uint64_t at = 0;
    for (size_t i = 0; i < f->nvars; i++)
        if (f->vars[i]->space == SPACE_SHARED) {
            uint64_t align = f->vars[i]->align ? f->vars[i]->align : 1;
            at             = ((at + align - 1) & -align) + f->vars[i]->bytes;
        }
    return at;
}

static CuErr refuse(char r[ACCEPT_TEXT], CuErr e, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static CuErr refuse(char r[ACCEPT_TEXT], CuErr e, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(r, ACCEPT_TEXT, fmt, ap);
    va_end(ap);
    return e;
}

/* Clusters of more blocks than are portable have to be allowed first (cudaFuncAttributeNonPortableClusterSizeAllowed). */
static CuErr check_cluster(const Limits *l, const Kernel *k, const Func *f, const LaunchAsk *a, char r[ACCEPT_TEXT])
{
    const uint32_t *from = f->reqnctapercluster, grid[3] = {a->grid.x, a->grid.y, a->grid.z},
                   ask[3] = {a->cluster.x, a->cluster.y, a->cluster.z};
    const CuErr bad       = cudaErrorInvalidClusterSize;
    uint64_t    blocks    = 1;
    if (!ask[0] && !from[0])
        return f->explicitcluster ? refuse(r, bad, "the kernel wants a cluster size (.explicitcluster)") : cudaSuccess;
    for (int i = 0; i < 3; i++) {
        uint32_t req = from[0] ? (from[i] ? from[i] : 1) : 0, n = ask[0] ? ask[i] : req;
        if (!n || (req && n != req))
            return refuse(r, bad, "a cluster has %u blocks along %c, the kernel wants %u", n, "xyz"[i], req);
        if (!f->blocksareclusters && grid[i] % n)
            return refuse(r, bad, "grid.%c is %u, not a multiple of the cluster's %u", "xyz"[i], grid[i], n);
        blocks *= n;
    }
    if (blocks > l->cluster || (f->maxclusterrank && blocks > f->maxclusterrank))
        return refuse(r, bad, "a cluster of %llu blocks, at most %u fit", (unsigned long long)blocks,
                      f->maxclusterrank && f->maxclusterrank < l->cluster ? f->maxclusterrank : l->cluster);
    if (blocks > l->cluster_portable && !k->non_portable_cluster)
        return refuse(r, bad,
                      "a cluster of %llu blocks; more than %u are allowed by cudaFuncSetAttribute "
                      "(cudaFuncAttributeNonPortableClusterSizeAllowed)",
                      (unsigned long long)blocks, l->cluster_portable);
    return cudaSuccess;
}

static CuErr check_shared(const Limits *l, const Kernel *k, const Func *f, const LaunchAsk *a, char r[ACCEPT_TEXT])
{
    uint64_t fixed   = accept_static_shared(f),
             plain   = l->block_shared - (fixed < l->block_shared ? fixed : l->block_shared),
             allowed = k->max_dynamic >= 0 ? (uint64_t)k->max_dynamic : plain;
    if (a->shared <= allowed)
        return cudaSuccess;
    return refuse(
        r, cudaErrorInvalidValue,
        "%zu bytes of dynamic shared memory, the kernel may have %llu; up to %llu are allowed by cudaFuncSetAttribute "
        "(cudaFuncAttributeMaxDynamicSharedMemorySize)",
        a->shared, (unsigned long long)allowed,
        (unsigned long long)(l->block_shared_most - (fixed < l->block_shared_most ? fixed : l->block_shared_most)));
}

/* As far as the program's own machine code says how many a thread has; any number fits in a block of few threads. */
static CuErr check_registers(const Limits *l, Kernel *k, uint64_t threads, char r[ACCEPT_TEXT])
{
    unsigned registers, stack;
    if (threads * l->thread_registers <= l->block_registers ||
        !kernel_resources(k, state_current(), &registers, &stack) ||
        occupancy_of(l, (unsigned)threads, registers, 0).blocks)
        return cudaSuccess;
    return refuse(r, cudaErrorLaunchOutOfResources,
                  "%llu threads of %u registers; a block has %u (fewer threads, or __launch_bounds__)",
                  (unsigned long long)threads, registers, l->block_registers);
}

static CuErr check_cooperative(const Limits *l, Kernel *k, const LaunchAsk *a, uint64_t threads, char r[ACCEPT_TEXT])
{
    int      blocks = 0;
    unsigned sms    = context_sms(context_now());
    if (!a->cooperative)
        return cudaSuccess;
    launch_occupancy(k, (int)threads, a->shared, &blocks);
    uint64_t fit = (uint64_t)blocks * (sms ? sms : l->card->sms), ask = (uint64_t)a->grid.x * a->grid.y * a->grid.z;
    if (ask <= fit)
        return cudaSuccess;
    return refuse(r, cudaErrorCooperativeLaunchTooLarge,
                  "a cooperative launch of %llu blocks, the card holds %llu at once", (unsigned long long)ask,
                  (unsigned long long)fit);
}

CuErr accept_launch(Kernel *k, const Func *f, const LaunchAsk *a, char r[ACCEPT_TEXT])
{
    const WwDim3 g = a->grid, b = a->block;
    uint64_t     threads = (uint64_t)b.x * b.y * b.z;
    Limits       l       = state_limits();
    if (limits_grid(&l, (uint32_t[]){g.x, g.y, g.z}, (uint32_t[]){b.x, b.y, b.z}, r))
        return state_before_13() ? cudaErrorInvalidConfiguration : cudaErrorInvalidValue;
    if (a->refused != cudaSuccess)
        return refuse(r, a->refused, "an attribute of the launch has no such value");
    if (f->nparams && !a->args)
        return refuse(r, cudaErrorInvalidValue, "the kernel has %zu parameters and the launch gives none",
                      (size_t)f->nparams);
    uint64_t most = f->maxntid[0];
    for (int i = 1; i < 3 && most; i++)
        most *= f->maxntid[i] ? f->maxntid[i] : 1;
    if (most && threads > most)
        return refuse(r, cudaErrorInvalidValue, "%llu threads a block, the kernel allows %llu (__launch_bounds__)",
                      (unsigned long long)threads, (unsigned long long)most);
    CuErr e = check_registers(&l, k, threads, r);
    e       = e != cudaSuccess ? e : check_shared(&l, k, f, a, r);
    e       = e != cudaSuccess ? e : check_cooperative(&l, k, a, threads, r);
    return e != cudaSuccess ? e : check_cluster(&l, k, f, a, r);
}

bool accept_refused(Kernel *k, const LaunchAsk *a, const char *why)
{
    Str launch = {0}, text = {0};
    str_printf(&launch, "%s<<<(%u, %u, %u), (%u, %u, %u), %zu>>>", kernel_shown(k), a->grid.x, a->grid.y, a->grid.z,
               a->block.x, a->block.y, a->block.z, a->shared);
    str_printf(&text, "%s; the kernel did not run", why);
    bool told = calls_refuse(kernel_shown(k), str_text(&launch), str_text(&text));
    str_free(&launch);
    str_free(&text);
    return told;
}

enum { PARAM_BUFFER = 1, PARAM_BYTES = 2, MOST_PARAMS = 4096 }; /* CU_LAUNCH_PARAM_BUFFER_POINTER, _SIZE */

/* PARAM_BUFFER, the buffer's address, PARAM_BYTES, the address of its size, 0. */
CuErr launch_unpack(Kernel *k, void **extra, LaunchAsk *a)
{
    static void *args[MOST_PARAMS]; /* under the lock */
    CuErr        e;
    WwModule    *m;
    char        *buffer = NULL;
    size_t       bytes = 0, end = 0;
    for (size_t i = 0; extra[i]; i += 2) {
        if (extra[i] == (void *)PARAM_BUFFER)
            buffer = extra[i + 1];
        else if (extra[i] == (void *)PARAM_BYTES && extra[i + 1])
            bytes = *(size_t *)extra[i + 1];
        else
            return cudaErrorInvalidValue;
    }
    const Func *f = kernel_func(k, state_current(), &m, &e);
    if (!f)
        return e;
    for (size_t i = 0; i < f->nparams; i++) {
        uint32_t at, n;
        emu_param(f, i, &at, &n);
        if (!buffer || size_add(at, n) > bytes || i == MOST_PARAMS)
            return cudaErrorInvalidValue;
        args[i] = buffer + at;
        end     = at + n;
    }
    a->args = args;
    return (bytes + 7) / 8 > (end + 7) / 8 ? cudaErrorLaunchOutOfResources : cudaSuccess;
}
