/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes at all as a module on the emulator: every kernel that loads is launched with one small block, one buffer for each
 * 8-byte parameter and a short instruction limit.  Whatever it does, it must end with a status, say why when it failed, and leave
 * the device usable: the next launch is the same device's.  The answer must not depend on chance: a second run gives the same. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "warpwright/warpwright.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BUFFER = 4096, MAX_ARGS = 32, MAX_ARG_BYTES = 256 };

static void fail(const char *what, const char *text)
{
    fprintf(stderr, "%s: %s\n", what, text);
    abort();
}

static WwStatus run(WwDevice *d, WwModule *m, size_t kernel, WwPtr buffer, uint64_t *executed)
{
    static char values[MAX_ARGS][MAX_ARG_BYTES];
    void       *args[MAX_ARGS];
    size_t      n = ww_module_kernel_arg_count(m, kernel);
    if (n > MAX_ARGS)
        return WW_OK;
    for (size_t i = 0; i < n; i++) {
        memset(values[i], 0, sizeof values[i]);
        size_t bytes = ww_module_kernel_arg_bytes(m, kernel, i);
        if (bytes > MAX_ARG_BYTES)
            return WW_OK;
        if (bytes == sizeof buffer)
            memcpy(values[i], &buffer, sizeof buffer);
        else
            values[i][0] = 32;
        args[i] = values[i];
    }
    WwLaunch  launch = {.grid             = {2, 1, 1},
                        .block            = {40, 1, 1},
                        .shared           = 1024,
                        .args             = args,
                        .arg_count        = n,
                        .observe          = WW_OBSERVE_COUNTERS,
                        .max_instructions = 20000};
    WwResult *r      = NULL;
    WwStatus  s      = ww_launch(d, m, ww_module_kernel_name(m, kernel), &launch, &r);
    if (s != WW_OK && ww_device_error(d)[0] == '\0')
        fail("failed without a message", ww_status_text(s));
    if (r) {
        WwInstructionClasses c = ww_result_instructions(r);
        *executed              = c.exact + c.approximate + c.unsupported;
    }
    ww_result_free(r);
    return s;
}

/* Loads the module anew, since its variables keep what a launch wrote, and runs its i-th kernel; false: there is none. */
static bool run_fresh(WwDevice *d, WwPtr buffer, const uint8_t *data, size_t size, size_t i, WwStatus *s,
                      uint64_t *executed)
{
    WwModule *m = NULL;
    if (ww_module_load(d, "fuzz.ptx", (const char *)data, size, &m) != WW_OK)
        return false;
    bool there = i < ww_module_kernel_count(m);
    if (there) {
        if (ww_fill(d, buffer, 0, BUFFER) != WW_OK)
            fail("the device is unusable after a launch", ww_device_error(d));
        *s = run(d, m, i, buffer, executed);
    }
    ww_module_unload(d, m);
    return there;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    WwDeviceOptions options = {.threads = 1, .memory = 64 << 20};
    WwDevice       *d       = NULL;
    WwPtr           buffer  = 0;
    const char     *why     = NULL;
    if (ww_device_open("emulator", &options, &d, &why) != WW_OK)
        fail("no emulator", why);
    if (ww_alloc(d, BUFFER, &buffer) != WW_OK)
        fail("no buffer", ww_device_error(d));
    WwStatus s[2];
    uint64_t executed[2] = {0, 0};
    for (size_t i = 0; run_fresh(d, buffer, data, size, i, &s[0], &executed[0]); i++) {
        if (!run_fresh(d, buffer, data, size, i, &s[1], &executed[1]))
            fail("a module loads once and then no more", ww_device_error(d));
        if (s[0] != s[1] || executed[0] != executed[1])
            fail("two runs of one kernel differ", ww_status_text(s[1]));
    }
    ww_device_close(d);
    return 0;
}
