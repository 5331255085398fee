/* SPDX-License-Identifier: Apache-2.0
 *
 * Runtime interface: the limits of a device, and hints for all of its kernels.
 * Two limits decide what a kernel can do: the device-side heap has the bytes asked for, and a thread of a kernel whose depth of calls is
 * not known beforehand has at least the stack asked for.  The others are kept and answered: output of printf is never dropped, launches
 * from kernels are never too many, and nothing is held in or fetched into a cache.  A hint changes a card's speed and nothing else, so
 * that is all that happens here too. */
#include <string.h>

#include "cuda/runtime/properties.h"
#include "device/emulator.h"

enum { LIMIT_STACK, LIMIT_PRINTF, LIMIT_HEAP, LIMIT_SYNC_DEPTH, LIMIT_SHARED = 7, LIMITS = 9, MOST_STACK = 512 << 10 };

/* as a fresh H200 answers; shared memory as the card has it */
static const size_t first[LIMITS] = {1024, 8650752, 8388608, 0, 2048, 64, 11796480, 0, 0};

static struct {
    bool   asked;
    size_t value;
} limits[MAX_DEVICES][LIMITS];
static int cache_config;

/* ---- limits ---- */

static CuErr check_limit(int limit)
{
    return limit < 0 || limit >= LIMITS ? cudaErrorInvalidValue
           : limit == LIMIT_SYNC_DEPTH  ? cudaErrorUnsupportedLimit /* since compute capability 9.0 */
                                        : cudaSuccess;
}

CuErr rt_cudaDeviceGetLimit(size_t *value, int limit)
{
    ENTER();
    int   n = state_current();
    CuErr e = value ? check_limit(limit) : cudaErrorInvalidValue;
    if (e == cudaSuccess)
        *value = limits[n][limit].asked  ? limits[n][limit].value
                 : limit == LIMIT_SHARED ? state_limits().block_shared_most
                                         : first[limit];
    return LEAVE(e);
}

/* The heap cannot be changed any more when a kernel had memory of it. */
static CuErr apply(int limit, size_t value)
{
    CuErr     e;
    WwDevice *d = state_device(state_current(), &e);
    if (d && limit == LIMIT_STACK)
        emulator_set_stack(d, (uint32_t)value);
    Status s = d && limit == LIMIT_HEAP ? emulator_set_heap(d, value) : WW_OK;
    return s == WW_OK ? e : s == WW_ERR_NO_MEMORY ? cudaErrorMemoryAllocation : cudaErrorInvalidValue;
}

CuErr rt_cudaDeviceSetLimit(int limit, size_t value)
{
    static const size_t least[LIMITS] = {[LIMIT_PRINTF] = 512 << 10, [LIMIT_HEAP] = 4 << 20};
    ENTER();
    CuErr e = check_limit(limit);
    if (e == cudaSuccess && limit == LIMIT_STACK && value > MOST_STACK)
        e = cudaErrorInvalidValue;
    if (e != cudaSuccess)
        return LEAVE(e);
    value = value > least[limit] ? value : least[limit];
    e     = apply(limit, value);
    if (e == cudaSuccess) {
        limits[state_current()][limit].asked = true;
        limits[state_current()][limit].value = value;
    }
    return LEAVE(e);
}

void limits_reset(int device)
{
    memset(limits[device], 0, sizeof limits[device]);
    if (state.device[device])
        emulator_reset_limits(state.device[device]);
}

/* ---- hints ---- */

CuErr rt_cudaDeviceGetCacheConfig(int *config)
{
    ENTER();
    if (config)
        *config = cache_config;
    return LEAVE(config ? cudaSuccess : cudaErrorInvalidValue);
}

CuErr rt_cudaDeviceSetCacheConfig(int config)
{
    ENTER();
    if (config < 0 || config > 3)
        return LEAVE(cudaErrorInvalidValue);
    cache_config = config;
    return LEAVE(cudaSuccess);
}

CuErr rt_cudaDeviceGetSharedMemConfig(int *config)
{
    ENTER();
    if (config)
        *config = 1; /* four-byte banks: the only width since cc 5.0 */
    return LEAVE(config ? cudaSuccess : cudaErrorInvalidValue);
}

CuErr rt_cudaDeviceSetSharedMemConfig(int config)
{
    ENTER();
    return LEAVE(config < 0 || config > 2 ? cudaErrorInvalidValue : cudaSuccess);
}

CuErr rt_cudaCtxResetPersistingL2Cache(void)
{
    ENTER();
    return LEAVE(cudaSuccess);
}

CuErr rt_cudaProfilerStart(void)
{
    ENTER();
    return LEAVE(cudaSuccess);
}

CuErr rt_cudaProfilerStop(void)
{
    ENTER();
    return LEAVE(cudaSuccess);
}

CuErr rt_cudaDeviceFlushGPUDirectRDMAWrites(int target, int scope)
{
    ENTER();
    return LEAVE(target || (scope != 100 && scope != 200) ? cudaErrorInvalidValue : cudaSuccess);
}
