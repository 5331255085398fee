/* SPDX-License-Identifier: Apache-2.0
 *
 * Driver interface: initialisation, errors by name, and what a device is. */
#include "cuda/driver/driver.h"
#include "cuda/runtime/properties.h"

enum { API_VERSION = 13000 };

CuErr drv_cuInit(unsigned flags)
{
    ENTER_ALWAYS();
    if (state.forked)
        return state_refusal();
    if (!flags)
        context_initialise();
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
    const char *text = error_name(code, true);
    if (out)
        *out = text;
    return out && text ? cudaSuccess : cudaErrorInvalidValue;
}

CuErr drv_cuGetErrorString(int code, const char **out)
{
    const char *text = error_text(code);
    if (out)
        *out = text;
    return out && text ? cudaSuccess : cudaErrorInvalidValue;
}

/* ---- devices ---- */

CuErr drv_cuDeviceGetCount(int *count)
{
    CuErr e = context_check_device(count, 0);
    if (e == cudaSuccess)
        *count = state.count;
    return e;
}

CuErr drv_cuDeviceGet(int *device, int ordinal)
{
    CuErr e = context_check_device(device, ordinal);
    if (e == cudaSuccess)
        *device = ordinal;
    return e;
}

CuErr drv_cuDeviceGetName(char *out, int cap, int device)
{
    CuErr e = context_check_device(out, device);
    if (e == cudaSuccess && cap > 0)
        device_title(device, out, (size_t)cap);
    return e;
}

CuErr drv_cuDeviceGetUuid_v2(unsigned char *out, int device)
{
    CuErr e = context_check_device(out, device);
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
    CuErr e = context_check_device(bytes, device);
    if (e == cudaSuccess)
        *bytes = device_memory();
    return e;
}

CuErr drv_cuDeviceGetAttribute(int *value, int attribute, int device)
{
    CuErr e = context_check_device(value, device);
    return e != cudaSuccess || device_attribute(attribute, device, value) ? e : cudaErrorInvalidValue;
}

CuErr drv_cuDeviceComputeCapability(int *major, int *minor, int device)
{
    CuErr e = context_check_device(major && minor ? major : NULL, device);
    if (e == cudaSuccess) {
        *major = (int)state_limits().cc / 10;
        *minor = (int)state_limits().cc % 10;
    }
    return e;
}

/* ---- of the hardware ---- */

CuErr drv_cuDeviceGetExecAffinitySupport(int *supported, int type, int device)
{
    (void)type;
    CuErr e = context_check_device(supported, device);
    if (e == cudaSuccess)
        *supported = 0;
    return e;
}

CuErr drv_cuDeviceGetProperties(int *out, int device)
{
    static const int attribute[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
    CuErr            e           = context_check_device(out, device);
    for (size_t i = 0; e == cudaSuccess && i < sizeof attribute / sizeof *attribute; i++)
        e = device_attribute(attribute[i], device, &out[i]) ? cudaSuccess : cudaErrorInvalidValue;
    return e;
}
