/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops that wait for other threads, and loops that only look as if they did. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ptx/waits.h"
#include "ptx_text.h"

#define REGS ".reg .pred p, q;\n.reg .b32 a, b, c;\n.reg .b64 x, y;\n"

/* '1' for each instruction that waits, '0' for others. */
static void expect(const char *text, const char *want)
{
    Str         got = {0};
    Arena      *a   = arena_new();
    Module     *m;
    const Func *f = text_function(text, &m);
    assert_non_null(f);
    const bool *wait = waits_of(a, f, cfg_build(a, f));
    for (size_t i = 0; i < f->ninstrs; i++)
        str_addc(&got, wait && wait[i] ? '1' : '0');
    assert_string_equal(str_text(&got), want);
    arena_free(a);
    ptx_module_free(m);
    str_free(&got);
}

#define KERNEL(body, want) expect(".entry k()\n{\n" REGS body "}\n", want)

static void waiting(void **state)
{
    (void)state;
    KERNEL("l: ld.volatile.global.u32 a, [x]; setp.eq.u32 p, a, 0; @p bra l; ret;", "1110");
    KERNEL("l: ld.acquire.gpu.global.u32 a, [x]; add.u32 b, a, 1; setp.eq.u32 p, b, 0; @p bra l; ret;", "11110");
    KERNEL("l: atom.global.cas.b32 a, [x], 0, 1; setp.ne.u32 p, a, 0; @p bra l; st.global.u32 [y], a; ret;", "11100");
    KERNEL("l: ld.relaxed.gpu.global.u32 a, [x]; setp.eq.u32 p, a, 0; @p bra m; bra l; m: ret;", "11110");
    KERNEL("l: mbarrier.test_wait.shared.b64 p, [a], x; @!p bra l; ret;", "110");
    /* what it finds may be a value or "look further back" */
    KERNEL("o: sub.u64 x, x, 4; l: ld.relaxed.gpu.global.u32 a, [x]; setp.eq.u32 p, a, 0; @p bra l; setp.eq.u32 q, a, "
           "1; @q bra o; ret;",
           "1111110");
}

static void working(void **state)
{
    (void)state;
    KERNEL("l: ld.global.u32 a, [x]; setp.eq.u32 p, a, 0; @p bra l; ret;", "0000");
    KERNEL("l: ld.volatile.global.u32 a, [x]; add.u32 b, b, 1; setp.lt.u32 p, b, 9; @p bra l; ret;", "00000");
    KERNEL("l: atom.global.add.u32 a, [x], 1; setp.lt.u32 p, a, 9; @p bra l; ret;", "0000");
    KERNEL("l: red.global.add.u32 [x], 1; add.u32 b, b, 1; setp.lt.u32 p, b, 9; @p bra l; ret;", "00000");
    KERNEL("ld.volatile.global.u32 a, [x]; setp.eq.u32 p, a, 0; @p bra m; ret; m: ret;", "00000");
    /* a piece of work, for which it waits, in a loop of its own */
    KERNEL("o: add.u64 x, x, 4; l: ld.volatile.global.u32 a, [x]; setp.eq.u32 p, a, 0; @p bra l; st.global.u32 [y], a; "
           "setp.ne.u32 q, a, 9; @q bra o; ret;",
           "01110000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(waiting), cmocka_unit_test(working)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
