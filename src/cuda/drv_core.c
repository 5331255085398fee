/* SPDX-License-Identifier: Apache-2.0
 *
 * Driver interface: initialisation, errors by name, symbols by name and version, and what a device is. */
#include <stdio.h>
#include <string.h>

#include "cuda/api.h"
#include "cuda/device.h"
#include "cuda/driver.h"

enum { API_VERSION = 13000 };

static bool initialised;

static bool ready(void)
{
    return initialised || state.runtime_used;
}

CuErr driver_started(void)
{
    return ready() ? cudaSuccess : cudaErrorInitializationError;
}

CuErr drv_cuInit(unsigned flags)
{
    ENTER_ANYWAY();
    initialised |= !flags;
    return flags ? cudaErrorInvalidValue : cudaSuccess;
}

CuErr drv_cuDriverGetVersion(int *version)
{
    if (version)
        *version = API_VERSION;
    return version ? cudaSuccess : cudaErrorInvalidValue;
}

CuErr drv_cuGetErrorName(int code, const char **out)
{
    *out = error_name(code, true);
    return *out ? cudaSuccess : cudaErrorInvalidValue;
}

CuErr drv_cuGetErrorString(int code, const char **out)
{
    *out = error_text(code);
    return *out ? cudaSuccess : cudaErrorInvalidValue;
}

/* Which symbol a name stands for at a version of the interface: the last row that is not newer.  Names without a row:
 * the highest suffix. */
static const struct {
    const char *name;
    int         since;
    const char *symbol;
} versions[] = {
#define SINCE(name, version, symbol) {#name, version, #symbol},
#include "cuda/versions.def"
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
    ENTER_ANYWAY();
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

/* ---- devices ---- */

CuErr driver_check_device(const void *out, int device)
{
    return !ready()                              ? cudaErrorInitializationError
           : !out                                ? cudaErrorInvalidValue
           : device < 0 || device >= state.count ? cudaErrorInvalidDevice
                                                 : cudaSuccess;
}

CuErr drv_cuDeviceGetCount(int *count)
{
    if (!ready() || !count)
        return ready() ? cudaErrorInvalidValue : cudaErrorInitializationError;
    *count = state.count;
    return cudaSuccess;
}

CuErr drv_cuDeviceGet(int *device, int ordinal)
{
    CuErr e = driver_check_device(device, ordinal);
    if (e == cudaSuccess)
        *device = ordinal;
    return e;
}

CuErr drv_cuDeviceGetName(char *out, int cap, int device)
{
    CuErr e = driver_check_device(out, device);
    if (e == cudaSuccess && cap > 0)
        device_title(device, out, (size_t)cap);
    return e;
}

CuErr drv_cuDeviceGetUuid_v2(unsigned char *out, int device)
{
    CuErr e = driver_check_device(out, device);
    if (e == cudaSuccess)
        device_uuid(device, out);
    return e;
}

CuErr drv_cuDeviceGetUuid(unsigned char *out, int device)
{
    return drv_cuDeviceGetUuid_v2(out, device);
}

CuErr drv_cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    CuErr e = driver_check_device(bytes, device);
    if (e == cudaSuccess)
        *bytes = device_memory();
    return e;
}

CuErr drv_cuDeviceGetAttribute(int *value, int attribute, int device)
{
    CuErr e = driver_check_device(value, device);
    return e != cudaSuccess || device_attribute(attribute, device, value) ? e : cudaErrorInvalidValue;
}

CuErr drv_cuDeviceComputeCapability(int *major, int *minor, int device)
{
    CuErr e = driver_check_device(major && minor ? major : NULL, device);
    if (e == cudaSuccess) {
        *major = 9;
        *minor = 0;
    }
    return e;
}

/* ---- of the hardware ---- */

CuErr drv_cuDeviceGetExecAffinitySupport(int *supported, int type, int device)
{
    (void)type;
    CuErr e = driver_check_device(supported, device);
    if (e == cudaSuccess)
        *supported = 0;
    return e;
}

CuErr drv_cuDeviceGetProperties(int *out, int device)
{
    static const int attribute[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
    CuErr            e           = driver_check_device(out, device);
    for (size_t i = 0; e == cudaSuccess && i < sizeof attribute / sizeof *attribute; i++)
        e = device_attribute(attribute[i], device, &out[i]) ? cudaSuccess : cudaErrorInvalidValue;
    return e;
}
