/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernels of `profile measure`: each one runs on the emulator without a finding and leaves the witness that the host expects.  How long
 * they take is a GPU's to say; here clocks only have to move. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/device.h"
#include "kernels/kernels.h"

static WwDevice *device;
static WwModule *module;
static WwPtr     out, memory;

enum { BYTES = 64 << 10 };

static int begin(void **state)
{
    (void)state;
    const KernelText *text = kernel_text(kernel_find("measure_nothing"), NULL);
    if (!text || !text->data) {
        print_error("the kernels were not built: %s\n", text ? text->reason : "not listed");
        return -1;
    }
    WwDeviceOptions o   = {.check = ""};
    char           *ptx = kernel_ptx(text);
    bool            ok  = ww_device_open("emulator", &o, &device, NULL) == WW_OK &&
              ww_module_load(device, text->file, ptx, text->len, &module) == WW_OK &&
              ww_alloc(device, 16, &out) == WW_OK && ww_alloc(device, BYTES, &memory) == WW_OK;
    free(ptx);
    if (!ok)
        print_error("%s\n", device ? ww_device_error(device) : "no device");
    return ok ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    ww_device_close(device);
    return 0;
}

/* The witness; args end with NULL. */
static uint64_t run(const char *kernel, unsigned blocks, unsigned threads, bool clocks, void **args)
{
    WwLaunch  w = {.grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .args = args};
    WwResult *r = NULL;
    uint64_t  told[2];
    while (args[w.arg_count])
        w.arg_count++;
    assert_int_equal(ww_fill(device, out, 0, 16), WW_OK);
    WwStatus s = ww_launch(device, module, kernel, &w, &r);
    if (s != WW_OK)
        fail_msg("%s: %s", kernel, ww_device_error(device));
    assert_int_equal(ww_copy_out(device, told, out, sizeof told), WW_OK);
    assert_true(!clocks || told[0] > 0);
    ww_result_free(r);
    return told[1];
}

static void chains_end_where_they_should(void **state)
{
    (void)state;
    unsigned steps = 8, rounds = 2;
    float    x = 1, a = 0.75f, b = 0.5f;
    void    *circle[] = {&out, &memory, &steps, NULL}, *shared[] = {&out, &steps, NULL},
         *chain[] = {&out, &rounds, &x, &a, &b, NULL}, *near[] = {&out, &rounds, &x, NULL};
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t next = (i + 1) % 16 * 32;
        assert_int_equal(ww_copy_in(device, memory + 128 * i, &next, 4), WW_OK);
    }
    assert_int_equal(run("measure_l1", 1, 1, true, circle), 0);    /* two turns of eight steps */
    assert_int_equal(run("measure_far", 1, 1, true, circle), 256); /* one */
    assert_int_equal(run("measure_shared", 1, 32, true, shared), 8 * 17);
    assert_int_equal(run("measure_chain", 1, 32, true, chain), 1);
    assert_int_equal(run("measure_near", 1, 32, true, near), 1);
}

static void blocks_alone_read_and_count(void **state)
{
    (void)state;
    unsigned rounds = 3, stride = 32, vectors = BYTES / 16;
    float    a = 0.75f, b = 0.5f;
    void    *issue[] = {&out, &rounds, &a, &b, NULL}, *passes[] = {&out, &rounds, &stride, NULL},
         *read[] = {&out, &memory, &vectors, &rounds, NULL};
    assert_int_equal(ww_fill(device, memory, 0, BYTES), WW_OK);
    assert_int_equal(run("measure_issue", 1, 1024, true, issue), 1);
    assert_int_equal(run("measure_passes", 1, 1024, true, passes), rounds);
    assert_int_equal(run("measure_l1_rate", 1, 1024, true, read), 0);
    assert_int_equal(run("measure_port", 1, 1024, true, read), 0);
    assert_int_equal(run("measure_read", 4, 256, false, read), 0);
}

static void the_card_writes_updates_and_waits(void **state)
{
    (void)state;
    unsigned vectors = BYTES / 16, value = 7, rounds = 5, got[2];
    uint64_t clocks  = 1000;
    void    *write[] = {&memory, &vectors, &value, NULL}, *update[] = {&memory, &rounds, NULL}, *none[] = {NULL},
         *wait[] = {&out, &clocks, NULL};
    run("measure_write", 4, 256, false, write);
    assert_int_equal(ww_copy_out(device, got, memory + BYTES - 8, 8), WW_OK);
    assert_true(got[0] == 7 && got[1] == 7);
    run("measure_updates", 2, 64, false, update); /* a lane of each warp */
    assert_int_equal(ww_copy_out(device, got, memory, 4), WW_OK);
    assert_int_equal(got[0], 7 + 2 * 2 * 5);
    run("measure_nothing", 3, 32, false, none);
    run("measure_clock", 1, 1, true, wait);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(chains_end_where_they_should),
                                       cmocka_unit_test(blocks_alone_read_and_count),
                                       cmocka_unit_test(the_card_writes_updates_and_waits)};
    return cmocka_run_group_tests(tests, begin, end);
}
