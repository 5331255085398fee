/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of products over several devices share: emulated devices (or those that WW_TEST_DEVICE names, WW_TEST_GPUS of them) with a grid. */
#ifndef WW_TESTS_UNIT_GRID_FIXTURE_H
#define WW_TESTS_UNIT_GRID_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "warpwright/grid.h"

enum { MOST = 3 };

static WwDevice *device[MOST];
static WwGrid   *grid;

static inline void open_grid(size_t n, uint64_t memory)
{
    const char *name = getenv("WW_TEST_DEVICE"), *gpus = getenv("WW_TEST_GPUS"),
               *why  = ""; /* "cuda" under `warpwright run` too */
    unsigned several = gpus && atoi(gpus) > 0 ? (unsigned)atoi(gpus) : 1;
    for (size_t i = 0; i < n; i++)
        if (ww_device_open(name ? name : "emulator",
                           &(WwDeviceOptions){.ordinal = (unsigned)i % several, .threads = 1, .memory = memory},
                           &device[i], &why) != WW_OK)
            fail_msg("%s", why);
    if (ww_grid_open(device, n, &grid, &why) != WW_OK)
        fail_msg("%s", why);
}

static inline void close_grid(void)
{
    size_t n = ww_grid_size(grid);
    ww_grid_close(grid);
    for (size_t i = 0; i < n; i++)
        ww_device_close(device[i]);
}

#define assert_works(call)                                                                                             \
    do {                                                                                                               \
        if ((call) != WW_OK)                                                                                           \
            fail_msg("%s", ww_grid_error(grid));                                                                       \
    } while (0)

#endif
