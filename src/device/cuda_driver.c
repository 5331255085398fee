/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the CUDA driver at run time.  The library stays loaded once found: the driver starts threads and exit handlers of its
 * own, so taking it out of the process again is not safe.  dlopen counts: opening it twice gives the same one. */
#include "device/cuda_driver.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

Status cuda_driver_load(CudaDriver *c, Str *why)
{
    const char *name = getenv("WARPWRIGHT_CUDA_DRIVER");
    if (!name || !*name)
        name = "libcuda.so.1";
    void *lib = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!lib) {
        const char *reason = dlerror();
        str_printf(why, "no CUDA driver: %s (install the NVIDIA driver, or use the emulator)", reason ? reason : name);
        return WW_ERR_UNAVAILABLE;
    }
    static const struct {
        const char *symbol;
        size_t      at;
        bool        may_lack;
    } entries[] = {
#define ENTRY(member, symbol, params) {symbol, offsetof(CudaDriver, member), false},
        CUDA_ENTRIES(ENTRY)
#undef ENTRY
#define ENTRY(member, symbol, params) {symbol, offsetof(CudaDriver, member), true},
            CUDA_NEW_ENTRIES(ENTRY)
#undef ENTRY
    };
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        void *f = dlsym(lib, entries[i].symbol);
        if (!f && !entries[i].may_lack) {
            str_printf(why, "the CUDA driver %s has no %s: it is too old (version 11 or later is needed)", name,
                       entries[i].symbol);
            dlclose(lib); /* nothing in it was called */
            return WW_ERR_UNAVAILABLE;
        }
        memcpy((char *)c + entries[i].at, &f, sizeof f);
    }
    return WW_OK;
}

void cuda_driver_error(const CudaDriver *c, CuResult e, Str *out)
{
    const char *name = NULL, *text = NULL;
    if (c->error_name(e, &name) != CU_OK || !name)
        name = "unknown error";
    if (c->error_text(e, &text) != CU_OK || !text)
        text = "the driver has no text for this error";
    str_printf(out, "%s (%s, %d)", text, name, e);
}
