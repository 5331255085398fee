/* SPDX-License-Identifier: Apache-2.0
 *
 * How many blocks begin before others have ended: as many as the card holds, to one, with any number of workers; registers count once blocks
 * wait for each other, and are asked for at no other time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "emu/emu.h"
#include "ptx_text.h"

enum { CARD = 132, REGISTERS = 200 };

/* Every block waits for all of them, or (waits: 0) for none. */
static const char text[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 flag, .param .u32 waits)\n{\n"
    ".reg .b32 %r<4>; .reg .b64 %d<2>; .reg .pred %p<2>;\n"
    "ld.param.u64 %d0, [flag]; ld.param.u32 %r2, [waits]; mov.u32 %r0, %nctaid.x; mul.lo.u32 %r0, %r0, %r2;\n"
    "mov.u32 %r3, %tid.x; setp.ne.u32 %p1, %r3, 0; @%p1 ret; red.global.add.u32 [%d0], 1;\n"
    "look: ld.acquire.gpu.global.u32 %r1, [%d0]; setp.lt.u32 %p0, %r1, %r0; @%p0 bra look; ret;\n}\n";

static unsigned asked, per_sm;

static unsigned fit(void *user, unsigned *registers)
{
    (void)user;
    asked++;
    *registers = REGISTERS;
    return per_sm;
}

static Status launch(unsigned threads, unsigned blocks, uint32_t waits, char *why)
{
    struct {
        uint64_t flag;
        uint32_t waits;
    } params        = {.waits = waits};
    EmuDevice  *d   = NULL;
    EmuModule  *m   = NULL;
    const char *bad = NULL;
    EmuResult   r   = {0};
    assert_int_equal(emu_open(&(EmuOptions){.memory = 1 << 24, .threads = threads}, &d), WW_OK);
    assert_int_equal(emu_module_load(d, text_parse(text, sizeof text - 1, NULL), &m, &bad), WW_OK);
    assert_int_equal(emu_alloc(d, 256, 1, &params.flag), WW_OK);
    memset(emu_host(d, params.flag), 0, 256);
    asked    = 0;
    Status s = emu_launch(
        d, m, "k", &(EmuLaunch){.grid = {blocks, 1, 1}, .block = {256, 1, 1}, .params = &params, .fit = fit}, &r);
    strcpy(why, r.fault.text);
    emu_result_free(&r);
    emu_module_unload(d, m);
    emu_close(d);
    return s;
}

static void registers_leave_room_for_one(void **state)
{
    (void)state;
    char why[sizeof((Fault *)0)->text];
    per_sm = 1;
    for (unsigned threads = 1; threads <= 7; threads += 3) {
        assert_int_equal(launch(threads, CARD, 1, why), WW_OK);
        assert_int_equal(launch(threads, CARD + 1, 1, why), WW_ERR_FAULT);
        assert_int_equal(asked, 1);
        assert_non_null(strstr(why, "the launch never ends"));
        assert_non_null(strstr(
            why,
            "; 1 block cannot begin before others end, as the card holds 132 at once (a thread has 200 registers)"));
    }
}

static void unknown_registers_limit_nothing(void **state)
{
    (void)state;
    char why[sizeof((Fault *)0)->text];
    per_sm = 0;
    assert_int_equal(launch(3, CARD * 2, 1, why), WW_OK);
    assert_int_equal(asked, 1);
}

static void nobody_asks_where_nobody_waits(void **state)
{
    (void)state;
    char why[sizeof((Fault *)0)->text];
    per_sm = 1;
    assert_int_equal(launch(3, CARD * 20, 0, why), WW_OK);
    assert_int_equal(launch(3, CARD - 1, 1, why), WW_OK);
    assert_int_equal(asked, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_leave_room_for_one),
        cmocka_unit_test(unknown_registers_limit_nothing),
        cmocka_unit_test(nobody_asks_where_nobody_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
