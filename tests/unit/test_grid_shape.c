/* SPDX-License-Identifier: Apache-2.0
 *
 * How tiles of products over several devices are chosen: which side, for matrices in bands on two devices, and that the choice costs next to nothing:
 * it is made in every call, before the first product. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "grid/grid.h"

static WwDevice *device[2];
static WwGrid   *grid;

static int set_up(void **state)
{
    const char *why = "";
    (void)state;
    for (int i = 0; i < 2; i++)
        if (ww_device_open("emulator", &(WwDeviceOptions){.threads = 1}, &device[i], &why) != WW_OK)
            return -1;
    return ww_grid_open(device, 2, &grid, &why) == WW_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    ww_grid_close(grid);
    ww_device_close(device[0]);
    ww_device_close(device[1]);
    return 0;
}

/* n x n x n, all of it in bands of rows; nobody reads the matrices. */
static void choose(WwType type, size_t n, bool symmetric, size_t *tile, size_t *panel)
{
    WwPtr       at[]  = {4096, 8192};
    WwGridArray bands = {at, n / 2, n, 2, 1, n};
    GridSpread  s     = grid_spread(grid, &bands, WW_ROW_MAJOR);
    GridMatrix  rows = {.ld = n, .spread = &s}, columns = {.ld = n, .spread = &s, .trans = true};
    GridProblem p = {.type      = type,
                     .operand   = type == WW_BF16 ? 2 : 4,
                     .result    = type == WW_BF16 ? 2 : 4,
                     .m         = n,
                     .n         = n,
                     .k         = n,
                     .x         = rows,
                     .y         = symmetric ? rows : columns,
                     .c         = rows,
                     .symmetric = symmetric,
                     .full      = symmetric,
                     .ranks     = 1};
    assert_int_equal(grid_shape(grid, &p, ""), WW_OK);
    *tile  = p.tile;
    *panel = p.panel;
}

/* 16-bit results take k whole, so the first product waits for a band of another device: smaller tiles, where that is much. */
static void sides(void **state)
{
    size_t tile, panel;
    (void)state;
    choose(WW_F32, 32768, false, &tile, &panel);
    assert_int_equal(tile, 8192);
    assert_int_equal(panel, 16384);
    choose(WW_F32, 16384, true, &tile, &panel);
    assert_int_equal(tile, 4096);
    choose(WW_BF16, 32768, false, &tile, &panel);
    assert_int_equal(tile, 8192);
    assert_int_equal(panel, 32768);
    choose(WW_BF16, 16384, false, &tile, &panel);
    assert_int_equal(tile, 4096);
    assert_int_equal(panel, 16384);
}

static void is_quick(void **state)
{
    enum { CALLS = 100 };
    size_t  tile, panel;
    clock_t began = clock();
    (void)state;
    for (int i = 0; i < CALLS; i++)
        choose(WW_BF16, i % 2 ? 16384 : 32768, i % 4 < 2, &tile, &panel);
    assert_true((double)(clock() - began) / CLOCKS_PER_SEC / CALLS < 0.001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sides), cmocka_unit_test(is_quick)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
