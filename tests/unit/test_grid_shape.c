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

/* Between matrices in host memory: a device's first panels come in parts along k, each as long as those before it together, and its last tile leaves
 * a quarter at a time.  All parts together are the whole product. */
static void in_parts(void **state)
{
    enum { N = 32768 };
    static const size_t along[] = {1024, 1024, 2048, 4096, 8192}, down[] = {8192, 2048, 2048, 2048, 2048};
    GridMatrix          host = {.ld = N};
    GridProblem         p    = {
                   .type = WW_F32, .operand = 4, .result = 4, .m = N, .n = N, .k = N, .x = host, .y = host, .c = host, .ranks = 1};
    GridStep s;
    double   all = 0;
    (void)state;
    assert_int_equal(grid_shape(grid, &p, ""), WW_OK);
    assert_int_equal(p.panel, 8192);
    for (size_t w = 0; w < 2; w++) {
        GridCourse c = grid_course(grid, &p, w, 8);
        size_t     n = 0, tiles = 0, k0 = 0, rows[256];
        bool       came = true;
        for (; grid_course_next(&c, &s); n++) {
            assert_true(n < 256 && s.k0 >= s.p0 && s.k0 + s.kc <= s.p0 + s.pc);
            if (n < 5) {
                assert_int_equal(s.kc, along[n]);
                assert_int_equal(s.k0, k0);
                came = came && s.fetch[0] && s.fetch[1];
            }
            k0 += s.kc;
            rows[n] = s.at.rows;
            tiles += grid_ends(&s);
            all += (double)s.at.rows * (double)s.at.cols * (double)s.kc;
        }
        assert_true(came);
        assert_int_equal(tiles, 8);
        for (size_t i = 0; i < 5; i++)
            assert_int_equal(rows[n - 5 + i], down[i]);
        grid_course_end(&c);
    }
    assert_true(all == (double)N * N * N);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(sides), cmocka_unit_test(in_parts), cmocka_unit_test(is_quick)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
