/* SPDX-License-Identifier: Apache-2.0
 *
 * The CUDA device over tests/mock/mock_cuda.c, a driver without a GPU: what src/device/cuda*.c asks of a driver, in which
 * order, and what it makes of every answer.  That the answers of a real driver are as the mock's is test_device_cuda.c's part. */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/device.h"
#include "tests/mock/mock_cuda.h"

static const char ptx[] = ".version 7.0\n"
                          ".target sm_80\n"
                          ".address_size 64\n"
                          ".visible .global .align 4 .b8 table[64];\n"
                          ".visible .entry scale(.param .u64 p, .param .f32 f, .param .u32 n)\n"
                          "{\n"
                          "    ret;\n"
                          "}\n"
                          ".visible .entry other()\n"
                          "{\n"
                          "    ret;\n"
                          "}\n";

static MockCuda *gpu; /* what the driver was asked, and how it answers */
static void (*mock_reset)(void);

#define assert_contains(text, part)                                                                                    \
    do {                                                                                                               \
        if (!strstr((text), (part)))                                                                                   \
            fail_msg("\"%s\" is not in \"%s\"", (part), (text));                                                       \
    } while (0)

static void *symbol(void *lib, const char *name)
{
    void *f = dlsym(lib, name);
    assert_non_null(f);
    return f;
}

static int group_setup(void **state)
{
    (void)state;
    void *lib = dlopen(WW_MOCK_CUDA, RTLD_NOW);
    if (!lib)
        return -1;
    MockCuda *(*get)(void);
    void *f = symbol(lib, "mock_cuda"), *g = symbol(lib, "mock_cuda_reset");
    memcpy(&get, &f, sizeof f);
    memcpy(&mock_reset, &g, sizeof g);
    gpu = get();
    return 0;
}

static int setup(void **state)
{
    (void)state;
    mock_reset();
    return setenv("WARPWRIGHT_CUDA_DRIVER", WW_MOCK_CUDA, 1);
}

static WwDevice *open_gpu(void)
{
    WwDevice   *d   = NULL;
    const char *why = NULL;
    if (ww_device_open("cuda", NULL, &d, &why) != WW_OK)
        fail_msg("%s", why);
    return d;
}

static WwModule *load(WwDevice *d)
{
    WwModule *m = NULL;
    if (ww_module_load(d, "scale.ptx", ptx, strlen(ptx), &m) != WW_OK)
        fail_msg("%s", ww_device_error(d));
    return m;
}

static void refuse_open(const WwDeviceOptions *o, WwStatus s, const char *part)
{
    WwDevice   *d   = NULL;
    const char *why = NULL;
    assert_int_equal(ww_device_open("cuda", o, &d, &why), s);
    assert_null(d);
    assert_contains(why, part);
}

static void opens_and_closes(void **state)
{
    (void)state;
    WwDevice *d = open_gpu();
    assert_string_equal(ww_device_name(d), "Mock GPU");
    assert_string_equal(ww_device_kind(d), "cuda");
    assert_string_equal(ww_device_profile(d), "sm_90");
    assert_int_equal(gpu->retained, 1);
    WwPtr p = 0;
    assert_int_equal(ww_alloc(d, 100, &p), WW_OK);
    load(d);
    ww_device_close(d);
    assert_int_equal(gpu->retained, 0);
    assert_int_equal(gpu->buffers, 0);
    assert_int_equal(gpu->modules, 0);
    assert_int_equal(gpu->resets, 0);
}

static void says_what_is_missing(void **state)
{
    (void)state;
    setenv("WARPWRIGHT_CUDA_DRIVER", "/nonexistent/libcuda.so.1", 1);
    refuse_open(NULL, WW_ERR_UNAVAILABLE, "no CUDA driver: /nonexistent/libcuda.so.1");
    setenv("WARPWRIGHT_CUDA_DRIVER", "libm.so.6", 1);
    refuse_open(NULL, WW_ERR_UNAVAILABLE, "libm.so.6 has no cuInit: it is too old");
    setenv("WARPWRIGHT_CUDA_DRIVER", WW_MOCK_CUDA, 1);
    gpu->fail_init = 100;
    refuse_open(NULL, WW_ERR_UNAVAILABLE, "there is no device (MOCK_NO_DEVICE, 100)");
    gpu->fail_init = 54321;
    refuse_open(NULL, WW_ERR_UNAVAILABLE, "(unknown error, 54321)");
    gpu->fail_init = 0;
    gpu->devices   = 0;
    refuse_open(NULL, WW_ERR_UNAVAILABLE, "sees none");
    gpu->devices = 2;
    refuse_open(&(WwDeviceOptions){.ordinal = 2}, WW_ERR_NOT_FOUND, "there is no GPU 2: this machine has 2");
    refuse_open(&(WwDeviceOptions){.profile = "sm_1"}, WW_ERR_NOT_FOUND, "no profile 'sm_1'; there are: sm_10");
}

static void describes_itself(void **state)
{
    (void)state;
    Str text = {0};
    assert_true(cuda_describe(&text));
    assert_string_equal(str_text(&text), "CUDA driver for CUDA 12.4; GPU 0: Mock GPU, compute capability 9.0");
    str_clear(&text);
    gpu->devices = 0;
    assert_false(cuda_describe(&text));
    assert_contains(str_text(&text), "sees none");
    str_free(&text);
}

static void moves_memory(void **state)
{
    (void)state;
    WwDevice *d = open_gpu();
    WwPtr     p = 0, q = 0;
    char      in[16] = "fifteen letters", out[16] = "";
    assert_int_equal(ww_alloc(d, 16, &p), WW_OK);
    assert_int_equal(ww_alloc(d, 16, &q), WW_OK);
    assert_int_equal(ww_copy_in(d, p, in, 16), WW_OK);
    assert_int_equal(ww_copy(d, q, p, 16), WW_OK);
    assert_int_equal(ww_fill(d, q, 'x', 3), WW_OK);
    assert_int_equal(ww_copy_out(d, out, q, 16), WW_OK);
    assert_string_equal(out, "xxxteen letters");

    assert_int_equal(ww_copy_in(d, p + 8, in, 9), WW_ERR_INVALID);
    assert_contains(ww_device_error(d), "ww_copy_in: 9 bytes");
    assert_contains(ww_device_error(d), "8 bytes are left of the 16");
    assert_int_equal(ww_copy_out(d, out, 64, 1), WW_ERR_INVALID);
    assert_contains(ww_device_error(d), "at 0x40 are not in one allocation: this device has none there");
    assert_int_equal(ww_copy(d, p, p + 4, 8), WW_ERR_INVALID);
    assert_contains(ww_device_error(d), "overlap");

    assert_int_equal(ww_free(d, p + 4), WW_ERR_INVALID);
    assert_int_equal(ww_free(d, p), WW_OK);
    assert_int_equal(ww_free(d, p), WW_ERR_INVALID);
    assert_contains(ww_device_error(d), "freed before");
    gpu->fail_alloc = 2;
    assert_int_equal(ww_alloc(d, 4096, &p), WW_ERR_NO_MEMORY);
    assert_contains(ww_device_error(d), "out of device memory: 4096 bytes");
    ww_device_close(d);
}

static void loads_modules(void **state)
{
    (void)state;
    WwDevice *d = open_gpu();
    WwModule *m = load(d);
    size_t    n = 0;
    WwPtr     p = 0;
    assert_string_equal(gpu->image, ptx);
    assert_int_equal(ww_module_variable(d, m, "table", &p, &n), WW_OK);
    assert_int_equal(n, 64);
    assert_int_equal(ww_fill(d, p, 1, 65), WW_ERR_INVALID);
    assert_int_equal(ww_fill(d, p, 1, 64), WW_OK);
    assert_int_equal(ww_free(d, p), WW_ERR_INVALID);
    assert_int_equal(ww_module_variable(d, m, "tables", &p, &n), WW_ERR_NOT_FOUND);
    ww_module_unload(d, m);
    assert_int_equal(gpu->modules, 0);

    gpu->fail_load = 218;
    gpu->jit_log   = "line 6: something is wrong\n";
    assert_int_equal(ww_module_load(d, "scale.ptx", ptx, strlen(ptx), &m), WW_ERR_PARSE);
    assert_null(m);
    assert_contains(ww_device_error(d), "scale.ptx: the CUDA driver did not load this module");
    assert_contains(ww_device_error(d), "it is for sm_80, the GPU is sm_90\nline 6: something is wrong");
    gpu->fail_load = 222;
    gpu->jit_log   = NULL;
    assert_int_equal(ww_module_load(d, "scale.ptx", ptx, strlen(ptx), &m), WW_ERR_UNSUPPORTED);
    assert_contains(ww_device_error(d), "PTX 7.0: a newer driver is needed");
    ww_device_close(d);
}

static void prefers_machine_code(void **state)
{
    (void)state;
    const DeviceText text = {"scale.ptx", ptx, strlen(ptx), .code = "machine code"};
    WwDevice        *d    = open_gpu();
    WwModule        *m    = NULL;
    assert_int_equal(device_load(d, &text, &m), WW_OK);
    assert_string_equal(gpu->image, "machine code");
    assert_int_equal(ww_module_kernel_count(m), 2);
    ww_module_unload(d, m);

    gpu->fail_code = 209; /* another GPU's: the text is compiled */
    assert_int_equal(device_load(d, &text, &m), WW_OK);
    assert_string_equal(gpu->image, ptx);
    ww_module_unload(d, m);
    gpu->fail_load = 218;
    assert_int_equal(device_load(d, &text, &m), WW_ERR_PARSE);
    assert_contains(ww_device_error(d), "it is for sm_80, the GPU is sm_90");
    assert_int_equal(gpu->modules, 0);
    ww_device_close(d);
}

static struct {
    char     name[32];
    uint64_t p;
    float    f;
    uint32_t n;
} got;

static void record_args(const char *name, void **args)
{
    strcpy(got.name, name);
    memcpy(&got.p, args[0], sizeof got.p);
    memcpy(&got.f, args[1], sizeof got.f);
    memcpy(&got.n, args[2], sizeof got.n);
}

/* A launch of scale with its three arguments. */
static WwStatus launch(WwDevice *d, WwModule *m, WwLaunch w, WwResult **r)
{
    uint64_t p  = 0x1234567890;
    float    f  = 1.5f;
    uint32_t n  = 77;
    w.grid      = w.grid.x ? w.grid : (WwDim3){4, 3, 2};
    w.block     = (WwDim3){32, 2, 1};
    w.args      = (void *[]){&p, &f, &n};
    w.arg_count = 3;
    return ww_launch(d, m, "scale", &w, r);
}

static void launches(void **state)
{
    (void)state;
    WwDevice *d = open_gpu();
    WwModule *m = load(d);
    WwResult *r = NULL;
    gpu->kernel = record_args;
    assert_int_equal(launch(d, m, (WwLaunch){0}, &r), WW_OK);
    assert_string_equal(got.name, "scale");
    assert_true(got.p == 0x1234567890 && got.f == 1.5f && got.n == 77);
    assert_int_equal(gpu->launches, 1);
    assert_memory_equal(gpu->grid, ((unsigned[]){4, 3, 2}), sizeof gpu->grid);
    assert_memory_equal(gpu->block, ((unsigned[]){32, 2, 1}), sizeof gpu->block);
    assert_int_equal(gpu->attribute, 0);
    assert_false(ww_result_time(r, NULL, NULL, NULL));
    assert_int_equal(ww_result_finding_count(r), 0);
    ww_result_free(r);

    assert_int_equal(launch(d, m, (WwLaunch){.shared = 100000}, NULL), WW_OK);
    assert_int_equal(gpu->shared, 100000);
    assert_int_equal(gpu->attribute, 8);
    assert_int_equal(gpu->attribute_value, 100000);
    assert_int_equal(launch(d, m, (WwLaunch){.shared = 50000}, NULL), WW_OK);
    assert_int_equal(gpu->attribute_value, 100000); /* allowed already */
    ww_device_close(d);
}

/* What needs attributes goes with them, everything else without. */
static void launches_with_attributes(void **state)
{
    (void)state;
    WwDevice *d = open_gpu();
    WwModule *m = load(d);
    assert_int_equal(launch(d, m, (WwLaunch){.cluster = {2, 3, 1}, .programmatic = true}, NULL), WW_OK);
    assert_memory_equal(gpu->cluster, ((unsigned[]){2, 3, 1}), sizeof gpu->cluster);
    assert_int_equal(gpu->programmatic, 1);
    assert_int_equal(launch(d, m, (WwLaunch){.programmatic = true}, NULL), WW_OK);
    assert_int_equal(gpu->cluster[0], 0);
    assert_int_equal(gpu->programmatic, 1);
    assert_memory_equal(gpu->grid, ((unsigned[]){4, 3, 2}), sizeof gpu->grid);
    assert_int_equal(launch(d, m, (WwLaunch){0}, NULL), WW_OK);
    assert_int_equal(gpu->programmatic, 0);
    assert_int_equal(gpu->launches, 3);
    ww_device_close(d);
}

static void refuses_launches(void **state)
{
    (void)state;
    WwDevice *d = open_gpu();
    WwModule *m = load(d);
    WwResult *r = NULL;
    assert_int_equal(launch(d, m, (WwLaunch){.observe = WW_OBSERVE_COUNTERS}, &r), WW_ERR_INVALID);
    assert_contains(ww_device_error(d), "cuda cannot observe counters");
    assert_int_equal(launch(d, m, (WwLaunch){.time = true, .repeats = 1000000}, &r), WW_ERR_INVALID);
    gpu->fail_attribute = 1;
    assert_int_equal(launch(d, m, (WwLaunch){.shared = 300000}, &r), WW_ERR_LAUNCH);
    assert_contains(ww_device_error(d), "300000 bytes of dynamic shared memory are more");
    gpu->fail_attribute = 0;
    gpu->fail_launch    = 1;
    assert_int_equal(launch(d, m, (WwLaunch){.grid = {1, 70000, 1}}, &r), WW_ERR_LAUNCH);
    assert_contains(ww_device_error(d), "does not accept grid (1, 70000, 1), block (32, 2, 1)");
    gpu->fail_launch = 701;
    assert_int_equal(launch(d, m, (WwLaunch){0}, &r), WW_ERR_LAUNCH);
    assert_contains(ww_device_error(d), "MOCK_OUT_OF_RESOURCES");
    gpu->fail_launch   = 0;
    gpu->fail_function = 500;
    assert_int_equal(ww_launch(d, m, "other", &(WwLaunch){.grid = {1, 1, 1}, .block = {1, 1, 1}}, &r),
                     WW_ERR_NOT_FOUND);
    assert_null(r);
    assert_int_equal(gpu->launches, 0);
    ww_device_close(d);
}

static void faults_are_sticky(void **state)
{
    (void)state;
    WwDevice *d = open_gpu();
    WwModule *m = load(d);
    WwResult *r = NULL;
    WwPtr     p = 0;
    ww_alloc(d, 16, &p);
    gpu->fault = 700;
    assert_int_equal(launch(d, m, (WwLaunch){0}, &r), WW_ERR_FAULT);
    assert_non_null(r);
    assert_int_equal(ww_result_finding_count(r), 1);
    const WwFinding *f = ww_result_finding(r, 0);
    assert_string_equal(f->rule, "out-of-bounds");
    assert_string_equal(f->category, "memory");
    assert_string_equal(f->severity, "error");
    assert_string_equal(f->kernel, "scale");
    assert_string_equal(f->file, "scale.ptx");
    assert_int_equal(f->line, 5);
    assert_contains(f->message, "a kernel went astray (MOCK_ILLEGAL_ADDRESS, 700); run it on the emulator");
    assert_contains(ww_device_error(d), "start the program again");
    ww_result_free(r);

    assert_int_equal(ww_copy_in(d, p, "x", 1), WW_ERR_DEVICE);
    assert_contains(ww_device_error(d), "cannot be used since a kernel failed on it");
    assert_contains(ww_device_error(d), "MOCK_ILLEGAL_ADDRESS");
    assert_int_equal(launch(d, m, (WwLaunch){0}, &r), WW_ERR_DEVICE);
    assert_null(r);
    ww_device_close(d);
    assert_int_equal(gpu->resets, 1);
    assert_int_equal(gpu->retained, 0);

    gpu->fault = 0;
    d          = open_gpu();
    assert_int_equal(launch(d, load(d), (WwLaunch){0}, NULL), WW_OK);
    ww_device_close(d);
}

static unsigned falls_at; /* the launch that faults */

static void fall(const char *name, void **args)
{
    (void)name;
    (void)args;
    if (gpu->launches == falls_at)
        gpu->fault = 716;
}

static void a_timed_launch_may_fault(void **state)
{
    (void)state;
    WwDevice *d = open_gpu();
    WwResult *r = NULL;
    falls_at    = 9;
    gpu->kernel = fall;
    assert_int_equal(launch(d, load(d), (WwLaunch){.time = true}, &r), WW_ERR_FAULT);
    assert_string_equal(ww_result_finding(r, 0)->rule, "misaligned");
    assert_false(ww_result_time(r, NULL, NULL, NULL));
    ww_result_free(r);
    ww_device_close(d);
    assert_int_equal(gpu->events, 0);
}

static void time_launch(double ms, unsigned repeats, unsigned want_runs, unsigned want_batch)
{
    WwDevice *d      = open_gpu();
    WwResult *r      = NULL;
    double    median = 0, fastest = 0;
    unsigned  runs = 0;
    gpu->launch_ms = ms;
    assert_int_equal(launch(d, load(d), (WwLaunch){.time = true, .repeats = repeats}, &r), WW_OK);
    assert_true(ww_result_time(r, &median, &fastest, &runs));
    assert_int_equal(runs, want_runs);
    assert_int_equal(ww_result_time_batch(r), want_batch);
    assert_true(median > 0.99 * ms && median < 1.01 * ms);
    assert_true(fastest > 0.99 * ms && fastest <= median);
    assert_int_equal(gpu->events, 0);
    assert_in_range(gpu->launches, want_runs * want_batch + 4, want_runs * want_batch + 1001);
    ww_result_free(r);
    ww_device_close(d);
}

static void measures_time(void **state)
{
    (void)state;
    time_launch(5.0, 0, 20, 1);
    mock_reset();
    time_launch(0.25, 7, 7, 4);
    mock_reset();
    time_launch(0.0001, 2, 2, 1000);
    assert_true(gpu->records >= 2 * 2);
}

static void knows_streams(void **state)
{
    (void)state;
    WwDevice *d = open_gpu(), *other = open_gpu();
    WwModule *m   = load(d);
    WwStream *own = NULL, *theirs = NULL;
    int       native;
    assert_int_equal(ww_stream_open(d, NULL, &own), WW_OK);
    assert_int_equal(ww_stream_open(d, &native, &theirs), WW_OK);
    assert_int_equal(gpu->streams, 1);
    unsigned waits = gpu->waits;
    assert_int_equal(launch(d, m, (WwLaunch){.stream = own}, NULL), WW_OK);
    assert_ptr_equal(gpu->stream, own->native);
    assert_int_equal(launch(d, m, (WwLaunch){.stream = theirs}, NULL), WW_OK);
    assert_ptr_equal(gpu->stream, &native);
    assert_int_equal(gpu->waits, waits);
    assert_int_equal(ww_stream_wait(theirs), WW_OK);
    assert_ptr_equal(gpu->waited, &native);
    WwPtr p = 0;
    assert_int_equal(ww_alloc(d, 16, &p), WW_OK);
    assert_int_equal(device_fill(d, p, 7, 16, own), WW_OK);
    assert_ptr_equal(gpu->stream, own->native);
    assert_int_equal(device_fill(d, p, 7, 17, own), WW_ERR_INVALID);

    assert_int_equal(launch(d, m, (WwLaunch){.stream = own, .time = true}, NULL), WW_ERR_INVALID);
    assert_contains(ww_device_error(d), "cannot be timed");
    assert_int_equal(launch(other, load(other), (WwLaunch){.stream = own}, NULL), WW_ERR_INVALID);
    assert_contains(ww_device_error(other), "another device");
    assert_int_equal(ww_stream_open(d, NULL, NULL), WW_ERR_INVALID);
    assert_int_equal(ww_stream_wait(NULL), WW_ERR_INVALID);

    gpu->fault = 700; /* seen by whoever waits */
    assert_int_equal(launch(d, m, (WwLaunch){.stream = own}, NULL), WW_OK);
    assert_int_equal(ww_stream_wait(own), WW_ERR_FAULT);
    ww_stream_close(own);
    ww_stream_close(theirs);
    ww_stream_close(NULL);
    ww_device_close(other);
    ww_device_close(d);
}

/* A stream of the caller's that is gone is not touched any more. */
static void leaves_streams(void **state)
{
    (void)state;
    WwDevice *d   = open_gpu();
    WwStream *own = NULL, *theirs = NULL;
    void     *mark = NULL;
    int       native;
    assert_int_equal(ww_stream_open(d, NULL, &own), WW_OK);
    assert_int_equal(ww_stream_open(d, &native, &theirs), WW_OK);
    assert_int_equal(d->ops->mark(d, theirs, &mark), WW_OK);
    assert_int_equal(gpu->events, 1);
    assert_int_equal(d->ops->mark(d, theirs, &mark), WW_OK);
    assert_int_equal(gpu->events, 1);
    unsigned waits = gpu->waits;
    assert_int_equal(d->ops->follow(d, own, mark), WW_OK);
    assert_ptr_equal(gpu->stream, own->native);
    assert_int_equal(d->ops->follow(d, NULL, mark), WW_OK);
    ww_stream_close(theirs);
    assert_int_equal(gpu->waits, waits);
    d->ops->mark_free(d, mark);
    assert_int_equal(gpu->events, 0);
    ww_stream_close(own);
    assert_int_equal(gpu->streams, 0);
    ww_device_close(d);
}

/* Memory of another library in the same context. */
static void knows_foreign_memory(void **state)
{
    static char theirs[32];
    (void)state;
    WwDevice *d        = open_gpu();
    gpu->foreign       = (uint64_t)(uintptr_t)theirs;
    gpu->foreign_bytes = sizeof theirs;
    assert_int_equal(ww_copy_in(d, gpu->foreign + 1, "four", 4), WW_ERR_INVALID);
    assert_contains(ww_device_error(d), "MOCK_INVALID_VALUE"); /* past our check; the mock's copy has buffers only */
    assert_int_equal(ww_copy_in(d, gpu->foreign + 30, "four", 4), WW_ERR_INVALID);
    assert_contains(ww_device_error(d), "2 bytes are left of the 32");
    ww_device_close(d);
}

/* A caller that works on another device of its own has that one's context after every call. */
static void keeps_the_callers_context(void **state)
{
    (void)state;
    void *lib = dlopen(WW_MOCK_CUDA, RTLD_NOW), *f = symbol(lib, "cuCtxSetCurrent"),
         *g = symbol(lib, "cuCtxGetCurrent"), *now = NULL;
    int         theirs, (*set)(void *), (*get)(void **);
    const char *why = NULL;
    WwDevice   *d;
    WwModule   *m;
    WwPtr       p;
    char        bytes[16] = {0};
    memcpy(&set, &f, sizeof f);
    memcpy(&get, &g, sizeof g);
    set(&theirs);
#define UNCHANGED(call)                                                                                                \
    do {                                                                                                               \
        call;                                                                                                          \
        get(&now);                                                                                                     \
        assert_ptr_equal(now, &theirs);                                                                                \
    } while (0)
    UNCHANGED(assert_int_equal(ww_device_open("cuda", NULL, &d, &why), WW_OK));
    UNCHANGED(assert_int_equal(ww_alloc(d, 16, &p), WW_OK));
    UNCHANGED(assert_int_equal(ww_copy_in(d, p, bytes, 16), WW_OK));
    UNCHANGED(assert_int_not_equal(ww_copy_in(d, p, bytes, 17), WW_OK)); /* and where it fails */
    UNCHANGED(assert_int_equal(ww_module_load(d, "scale.ptx", ptx, strlen(ptx), &m), WW_OK));
    UNCHANGED(ww_module_unload(d, m));
    UNCHANGED(assert_int_equal(ww_free(d, p), WW_OK));
    UNCHANGED(ww_device_close(d));
#undef UNCHANGED
    set(NULL);
    dlclose(lib);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(opens_and_closes, setup),
        cmocka_unit_test_setup(says_what_is_missing, setup),
        cmocka_unit_test_setup(describes_itself, setup),
        cmocka_unit_test_setup(moves_memory, setup),
        cmocka_unit_test_setup(loads_modules, setup),
        cmocka_unit_test_setup(prefers_machine_code, setup),
        cmocka_unit_test_setup(launches, setup),
        cmocka_unit_test_setup(launches_with_attributes, setup),
        cmocka_unit_test_setup(refuses_launches, setup),
        cmocka_unit_test_setup(faults_are_sticky, setup),
        cmocka_unit_test_setup(a_timed_launch_may_fault, setup),
        cmocka_unit_test_setup(measures_time, setup),
        cmocka_unit_test_setup(knows_streams, setup),
        cmocka_unit_test_setup(knows_foreign_memory, setup),
        cmocka_unit_test_setup(leaves_streams, setup),
        cmocka_unit_test_setup(keeps_the_callers_context, setup),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
