/* SPDX-License-Identifier: Apache-2.0
 *
 * Driver interface: settings of core dumps.  They are kept and answered, for the process and for each context's wishes alike (one set).
 * Not there: the dumps.  Asking for one on exceptions is refused with the documented not-supported error, because none would be written;
 * `warpwright run --check` shows what a dump is looked at for. */
#include <stdio.h>
#include <string.h>

#include "cuda/driver/driver.h"

enum { /* CUcoredumpSettings */
       ON_EXCEPTION = 1,
       TRIGGER_HOST,
       LIGHTWEIGHT,
       USER_TRIGGER,
       DUMP_FILE,
       DUMP_PIPE,
       GENERATION_FLAGS
};
enum { TEXT = 1024 };

static struct {
    bool     trigger_host, lightweight;
    unsigned flags;
    char     file[TEXT];
} settings = {.trigger_host = true};

/* Where a setting of `size` bytes lies; NULL: there is no such one, here. */
static const void *setting(int which, bool global, size_t *size)
{
    static const bool no; /* nothing is ever dumped */
    switch (which) {
    case ON_EXCEPTION: *size = 1; return &no;
    case TRIGGER_HOST: *size = 1; return &settings.trigger_host;
    case LIGHTWEIGHT: *size = 1; return &settings.lightweight;
    case GENERATION_FLAGS: *size = sizeof settings.flags; return &settings.flags;
    case USER_TRIGGER: *size = 1; return global ? &no : NULL;
    default: return NULL;
    }
}

static CuErr get(int which, void *value, size_t *size, bool global)
{
    size_t need = 0;
    if (!size)
        return cudaErrorInvalidValue;
    if (which == DUMP_FILE || (which == DUMP_PIPE && global)) {
        if (value && *size)
            snprintf(value, *size, "%s", which == DUMP_FILE ? settings.file : "");
        else
            *size = TEXT;
        return cudaSuccess;
    }
    const void *from = setting(which, global, &need);
    if (!from || (value && *size != need))
        return cudaErrorInvalidValue;
    if (value)
        memcpy(value, from, need);
    *size = need;
    return cudaSuccess;
}

static CuErr set(int which, const void *value, const size_t *size, bool global)
{
    size_t need = 0;
    if (!size)
        return cudaErrorInvalidValue;
    if (which == DUMP_FILE) {
        if (!value || *size > TEXT)
            return cudaErrorInvalidValue;
        snprintf(settings.file, sizeof settings.file, "%.*s", (int)*size, (const char *)value);
        return cudaSuccess;
    }
    if (!setting(which, global, &need) || *size != need)
        return cudaErrorInvalidValue;
    if (!value)
        return cudaSuccess; /* as the driver has it: only the size was looked at */
    bool on = *(const char *)value != 0;
    switch (which) {
    case ON_EXCEPTION:
    case USER_TRIGGER: return on ? cudaErrorNotSupported : cudaSuccess;
    case TRIGGER_HOST: settings.trigger_host = on; break;
    case LIGHTWEIGHT: settings.lightweight = on; break;
    default: memcpy(&settings.flags, value, sizeof settings.flags);
    }
    return cudaSuccess;
}

CuErr drv_cuCoredumpGetAttribute(int which, void *value, size_t *size)
{
    ENTER_CTX();
    return get(which, value, size, false);
}

CuErr drv_cuCoredumpGetAttributeGlobal(int which, void *value, size_t *size)
{
    ENTER();
    return get(which, value, size, true);
}

CuErr drv_cuCoredumpSetAttribute(int which, void *value, size_t *size)
{
    ENTER_CTX();
    return set(which, value, size, false);
}

CuErr drv_cuCoredumpSetAttributeGlobal(int which, void *value, size_t *size)
{
    ENTER();
    return set(which, value, size, true);
}
