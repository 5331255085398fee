/* SPDX-License-Identifier: Apache-2.0
 *
 * Driver entry points by name and version, asked of the driver itself, or of the runtime by programs that do not link the driver. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "cuda/entry/entry_points.h"
#include "cuda/process/caller.h"
#include "cuda/process/state.h"
#include "cuda/runtime/properties.h"

/* ---- of the driver ---- */

/* Which symbol a name stands for at a version of the interface: the last row that is not newer.  Names without a row:
 * the highest suffix. */
static const struct {
    const char *name;
    int         since;
    const char *symbol;
} versions[] = {
#define SINCE(name, version, symbol) {#name, version, #symbol},
#include "cuda/entry/versions.def"
#undef SINCE
};

static void *driver_entry(const char *name)
{
    for (const ApiEntry *e = ww_cuda_driver(); e->name; e++)
        if (!strcmp(e->name, name))
            return *(void *const *)(const void *)&e->fn;
    return NULL;
}

CuErr drv_cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *found)
{
    static const char *const suffix[] = {"_v4", "_v3", "_v2", ""};
    enum { FOUND, NOT_FOUND, TOO_OLD, PER_THREAD = 2 };
    ENTER_ALWAYS();
    flags = state_per_thread && !flags ? PER_THREAD : flags;
    if (!name || !out || flags > PER_THREAD)
        return cudaErrorInvalidValue;
    const char *symbol = NULL;
    bool        listed = false;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (!strcmp(versions[i].name, name)) {
            listed = true;
            symbol = versions[i].since <= version ? versions[i].symbol : symbol;
        }
    *out = NULL;
    for (size_t s = 0; s < 4 && !*out && (symbol || !listed); s++) {
        char full[256];
        snprintf(full, sizeof full, "%s%s%s", symbol ? symbol : name, symbol ? "" : suffix[s],
                 flags == PER_THREAD ? "_ptsz" : "");
        *out = driver_entry(full);
        if (!*out && flags == PER_THREAD) {
            memcpy(strstr(full, "_ptsz"), "_ptds", 5);
            *out = driver_entry(full);
        }
        if (!*out && flags == PER_THREAD) {
            *strstr(full, "_ptds") = 0;
            *out                   = driver_entry(full);
        }
    }
    if (found)
        *found = *out ? FOUND : listed ? TOO_OLD : NOT_FOUND;
    return *out || found ? cudaSuccess : cudaErrorSymbolNotFound;
}

CuErr drv_cuGetProcAddress(const char *name, void **out, int version, uint64_t flags)
{
    return drv_cuGetProcAddress_v2(name, out, version, flags, NULL);
}

/* ---- of the runtime ---- */

CuErr rt_cudaGetDriverEntryPointByVersion(const char *name, void **out, unsigned version, unsigned long long flags,
                                          int *found)
{
    ENTER();
    return LEAVE(drv_cuGetProcAddress_v2(name, out, (int)version, flags, found));
}

CuErr rt_cudaGetDriverEntryPoint(const char *name, void **out, unsigned long long flags, int *found)
{
    return rt_cudaGetDriverEntryPointByVersion(name, out, DRIVER_VERSION, flags, found);
}

/* CUDA 11 has no status. */
CuErr rt_cudaGetDriverEntryPoint_11(const char *symbol, void **out, unsigned long long flags)
{
    return rt_cudaGetDriverEntryPoint(symbol, out, flags, NULL);
}

/* Libraries that ask too and carry no runtime: they do without. */
static const char *const modest[] = {"libnvidia-ml.so", "libnvrtc.so", "libnvJitLink.so", "libcupti.so"};

/* A runtime that a library carries without symbols asks for them first of all, and fails: the library is named, once. */
static void tell_asker(void)
{
    static const void *known[64];
    static size_t      n;
    const Caller       c = caller_now();
    Dl_info            lib;
    if (!c.n || !dladdr(c.at[0], &lib) || !lib.dli_fname)
        return;
    for (size_t i = 0; i < n; i++)
        if (known[i] == lib.dli_fbase)
            return;
    for (size_t i = 0; i < sizeof modest / sizeof *modest; i++)
        if (strstr(lib.dli_fname, modest[i]))
            return;
    if (n < sizeof known / sizeof *known)
        known[n++] = lib.dli_fbase;
    state_say("%s brings a CUDA runtime of its own that cannot be redirected: its calls fail", lib.dli_fname);
}

/* Tables of private functions, which NVIDIA's own libraries ask for by a number: there are none here. */
CuErr drv_cuGetExportTable(const void **out, const void *id)
{
    ENTER_ALWAYS();
    if (!out || !id)
        return cudaErrorInvalidValue;
    *out = NULL;
    tell_asker();
    return cudaErrorInvalidValue;
}

CuErr rt_cudaGetExportTable(const void **out, const void *id)
{
    return drv_cuGetExportTable(out, id);
}
