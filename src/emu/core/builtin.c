/* SPDX-License-Identifier: Apache-2.0
 *
 * Which function of the CUDA runtime a call without a body means. */
#include "emu/core/builtin.h"

#include <stddef.h>
#include <string.h>

static Builtin device_runtime(const char *name)
{
    static const char *const prefix[]    = {"__cudaCDP2", "cuda"};
    static const char *const functions[] = {
#define CDP(name, function) #name,
#include "emu/core/devrt.def"
#undef CDP
    };
    for (int p = 0; p < 2; p++) {
        size_t n = strlen(prefix[p]);
        if (strncmp(name, prefix[p], n) != 0)
            continue;
        size_t len = strlen(name + n);
        if (len > 5 && !strcmp(name + n + len - 5, "_ptsz"))
            len -= 5;
        for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
            if (strlen(functions[i]) == len && !memcmp(functions[i], name + n, len))
                return (Builtin)(BUILTIN_CDP + i);
    }
    return BUILTIN_NONE;
}

Builtin builtin_find(const char *name)
{
    static const char *const builtins[] = {
#define BUILTIN(id, name) [BUILTIN_##id] = name,
#include "emu/core/devrt.def"
#undef BUILTIN
    };
    for (size_t i = BUILTIN_NONE + 1; i < sizeof builtins / sizeof *builtins; i++)
        if (strcmp(builtins[i], name) == 0)
            return (Builtin)i;
    return device_runtime(name);
}
