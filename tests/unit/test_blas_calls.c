/* SPDX-License-Identifier: Apache-2.0
 *
 * What a call of the matrix library asks of a driver, counted over tests/mock/mock_cuda.c: launches, their attributes, tensor maps. */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gemm/args.h"
#include "tests/mock/mock_cuda.h"
#include "warpwright/blas.h"

static MockCuda *gpu;
static void (*mock_reset)(void);
static WwDevice *device;
static WwBlas   *blas;
static WwStream *stream;
static WwPtr     memory;

static struct {
    char     name[64];
    unsigned blocks;
} call[8]; /* the launches of a call */

static uint64_t counted; /* bytes from the counters to the partial tiles, of the last launch of stream */

static void note(const char *name, void **args)
{
    const GemmArgs *g = args[0];
    size_t          i = 0;
    if (strncmp(name, "gemm_stream", 11) == 0)
        counted = g->work - g->count;
    while (i + 1 < sizeof call / sizeof *call && *call[i].name)
        i++;
    strncpy(call[i].name, name, sizeof call[i].name - 1);
    call[i].blocks = gpu->grid[0];
}

static int group_setup(void **state)
{
    (void)state;
    void *lib = dlopen(WW_MOCK_CUDA, RTLD_NOW), *get = lib ? dlsym(lib, "mock_cuda") : NULL;
    void *reset = lib ? dlsym(lib, "mock_cuda_reset") : NULL;
    if (!get || !reset)
        return -1;
    MockCuda *(*answers)(void);
    memcpy(&answers, &get, sizeof get);
    memcpy(&mock_reset, &reset, sizeof reset);
    gpu = answers();
    return setenv("WARPWRIGHT_CUDA_DRIVER", WW_MOCK_CUDA, 1);
}

static int setup(void **state)
{
    const char *why = "";
    (void)state;
    mock_reset();
    memset(call, 0, sizeof call);
    if (ww_device_open("cuda", NULL, &device, &why) != WW_OK || ww_blas_open(device, &blas) != WW_OK ||
        ww_stream_open(device, NULL, &stream) != WW_OK || ww_blas_stream(blas, stream) != WW_OK ||
        ww_alloc(device, 1 << 22, &memory) != WW_OK)
        return print_error("%s\n", why), -1;
    gpu->kernel = note;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    ww_blas_close(blas);
    ww_stream_close(stream);
    ww_device_close(device);
    return 0;
}

/* Floats, rows without gaps. */
static WwGemm problem(const char *rung, size_t m, size_t n, size_t k)
{
    return (WwGemm){.type  = WW_F32,
                    .m     = m,
                    .n     = n,
                    .k     = k,
                    .alpha = {.f32 = 1},
                    .a     = memory,
                    .b     = memory + (1 << 20),
                    .c     = memory + (2 << 20),
                    .lda   = k,
                    .ldb   = n,
                    .ldc   = n,
                    .rung  = rung};
}

static WwStatus multiply(const WwGemm *g)
{
    memset(call, 0, sizeof call);
    return ww_gemm(blas, g);
}

/* 300 x 200 x 100; the strides of A and B are their rows and `more`. */
static WwStatus product(const char *rung, bool trans_a, bool trans_b, size_t more)
{
    WwGemm g  = problem(rung, 300, 200, 100);
    g.trans_a = trans_a;
    g.trans_b = trans_b;
    g.lda     = (trans_a ? g.m : g.k) + more;
    g.ldb     = (trans_b ? g.k : g.n) + more;
    return multiply(&g);
}

/* False where the build has no compiler for the kernel. */
static bool worked(WwStatus s)
{
    if (s == WW_ERR_UNAVAILABLE)
        print_message("skipped: %s\n", ww_device_error(device));
    else if (s != WW_OK)
        fail_msg("%s", ww_device_error(device));
    return s == WW_OK;
}

static void copies_in_one_launch(void **state)
{
    (void)state;
    if (!worked(product("tensor", false, true, 0))) /* both contiguous along k */
        return;
    assert_string_equal(call[0].name, "copy_operands");
    assert_int_equal(call[0].blocks, 5 * 2 + 4 * 2);
    assert_string_equal(call[1].name, "gemm_tensor_f32");
    assert_string_equal(call[2].name, "");
    worked(product("tensor", true, true, 0)); /* B alone */
    assert_string_equal(call[0].name, "copy_operands");
    assert_int_equal(call[0].blocks, 4 * 2);
    worked(product("tensor", true, false, 0)); /* as they are */
    assert_string_equal(call[0].name, "gemm_tensor_f32");
    assert_string_equal(call[1].name, "");
    worked(product("tensor", true, false, 1)); /* rows that are not aligned */
    assert_string_equal(call[0].name, "copy_operands");
    assert_int_equal(call[0].blocks, 2 * 5 + 2 * 4);
    assert_string_equal(call[1].name, "gemm_tensor_f32");
}

/* A kernel that waits for the launch in front of it by itself may begin before that has ended, and no other. */
static void begins_early_where_the_kernel_waits(void **state)
{
    static const struct {
        const char *rung;
        int         early;
    } rungs[] = {{"tensor", 1}, {"flow", 1},  {"middle:2", 1}, {"little:16", 1}, {"flat", 1},
                 {"small", 0},  {"sheet", 0}, {"wide", 0},     {"brief", 1}};
    (void)state;
    for (size_t i = 0; i < sizeof rungs / sizeof *rungs; i++)
        if (worked(product(rungs[i].rung, false, false, 0)) && gpu->programmatic != rungs[i].early)
            fail_msg("%s: %s", rungs[i].rung,
                     rungs[i].early ? "waits for the launch before" : "does not wait by itself");
}

static void one_launch_in_place(void **state)
{
    (void)state;
    unsigned before = gpu->launches;
    if (!worked(product("middle", false, true, 1)))
        return;
    assert_int_equal(gpu->launches, before + 1);
    assert_int_equal(gpu->maps, 0);
}

/* flow turns an X that lies along k itself, unless there are so many columns that a copy is faster. */
static void turns_or_copies(void **state)
{
    static const struct {
        size_t      n;
        const char *first;
    } cases[] = {{5120, "gemm_flow_f32_k"}, {5124, "copy_operands"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        WwGemm g = problem("flow", 300, cases[i].n, 100);
        if (worked(multiply(&g)))
            assert_string_equal(call[0].name, cases[i].first);
    }
}

/* More tiles than the library's own place for counters has room for: they do not reach into the partial tiles. */
static void many_counters(void **state)
{
    enum { SIDE = 130 };
    (void)state;
    for (size_t side = 2; side <= SIDE; side += SIDE - 2) {
        WwGemm g = problem("stream", side * 128, side * 128, 300);
        worked(multiply(&g));
        assert_true(counted >= side * side * 4);
    }
}

/* A grid has 65535 blocks along z. */
static void large_batches(void **state)
{
    enum { MOST = 65535, MORE = 7 };
    (void)state;
    unsigned before = gpu->launches;
    WwGemm   g      = problem("small", 1, 1, 1);
    g.batch         = MOST + MORE;
    g.stride_c      = 1;
    worked(multiply(&g));
    assert_int_equal(gpu->launches, before + 2);
    assert_int_equal(gpu->grid[2], MORE);
}

/* A workspace that is too small is given back when the work that uses it is complete. */
static void waits_before_the_workspace_goes(void **state)
{
    (void)state;
    if (!worked(product("tensor", true, true, 0))) /* a copy of B */
        return;
    unsigned before = gpu->waits;
    worked(product("tensor", true, true, 0));
    assert_int_equal(gpu->waits, before);
    worked(product("tensor", false, true, 0)); /* of A, too */
    assert_int_equal(gpu->waits, before + 1);
    assert_ptr_equal(gpu->waited, gpu->stream);
}

/* What was left on a stream is waited for by whatever comes next, a copy too. */
static void copies_after_what_was_left(void **state)
{
    (void)state;
    WwCopy part = {4, true, 8, 8, memory, memory + 4096, 8, 8};
    if (!worked(ww_blas_copy(blas, memory + 4096, memory, 64)))
        return;
    for (int matrix = 0; matrix < 2; matrix++) {
        assert_true(worked(ww_blas_stream(blas, stream)));
        assert_true(worked(ww_blas_leave(blas)));
        unsigned before = gpu->synced;
        assert_true(worked(matrix ? ww_blas_copy_matrix(blas, &part) : ww_blas_copy(blas, memory + 4096, memory, 64)));
        assert_int_equal(gpu->synced, before + 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(copies_in_one_launch, setup, teardown),
        cmocka_unit_test_setup_teardown(begins_early_where_the_kernel_waits, setup, teardown),
        cmocka_unit_test_setup_teardown(one_launch_in_place, setup, teardown),
        cmocka_unit_test_setup_teardown(turns_or_copies, setup, teardown),
        cmocka_unit_test_setup_teardown(many_counters, setup, teardown),
        cmocka_unit_test_setup_teardown(large_batches, setup, teardown),
        cmocka_unit_test_setup_teardown(waits_before_the_workspace_goes, setup, teardown),
        cmocka_unit_test_setup_teardown(copies_after_what_was_left, setup, teardown),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
