/* SPDX-License-Identifier: Apache-2.0
 *
 * What a library may ask of a device without using CUDA: a process that has only asked may fork. */
#include <string.h>

#include "cuda/libraries/library.h"
#include "cuda/memory/array.h"
#include "cuda/memory/devmem.h"
#include "cuda/runtime/properties.h"

int ww_cuda_library_devices(void)
{
    return state.count;
}

int ww_cuda_library_driver(void)
{
    return DRIVER_VERSION;
}

bool ww_cuda_library_card(int device, LibraryCard *out)
{
    memset(out, 0, sizeof *out);
    if (device < 0 || device >= state.count)
        return false;
    state_hold();
    device_title(device, out->name, sizeof out->name);
    device_uuid(device, out->uuid);
    out->total = device_memory();
    out->used  = devmem_used(device) + array_used(device);
    if (out->used > out->total)
        out->used = out->total;
    out->capability = (int)state_limits().cc;
    state_let();
    return true;
}

bool ww_cuda_library_attribute(int device, int attribute, int *value)
{
    if (device < 0 || device >= state.count)
        return false;
    state_hold();
    bool ok = device_attribute(attribute, device, value);
    state_let();
    return ok;
}
