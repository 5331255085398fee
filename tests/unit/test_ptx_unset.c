/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers that some path reads before it has written them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ptx/unset.h"
#include "ptx_text.h"

#define REGS ".reg .pred p, q;\n.reg .b32 a, b, c;\n.reg .b64 x, y;\n"

/* The names of those of the module's last function, with blanks between them. */
static void expect(const char *text, const char *want)
{
    Str         got = {0};
    Arena      *a   = arena_new();
    Module     *m;
    const Func *f = text_function(text, &m);
    assert_non_null(f);
    uint32_t        n;
    const uint32_t *reg = ptx_unset(a, f, cfg_build(a, f), &n);
    for (uint32_t i = 0; i < n; i++)
        str_printf(&got, "%s%s", i ? " " : "", f->regs[reg[i]]->name);
    assert_string_equal(str_text(&got), want);
    arena_free(a);
    ptx_module_free(m);
    str_free(&got);
}

#define KERNEL(body, want) expect(".entry k()\n{\n" REGS body "}\n", want)

static void straight(void **state)
{
    (void)state;
    KERNEL("mov.u32 a, 1; add.u32 b, a, 1; ret;", "");
    KERNEL("add.u32 b, a, 1; ret;", "a");
    KERNEL("add.u32 a, a, 1; ret;", "a"); /* sources come before the destination */
    KERNEL("st.global.u32 [x + 4], a; ret;", "a x");
    KERNEL("mov.b64 x, {a, b}; mov.b64 {b, c}, x; ret;", "a b");
    KERNEL("selp.u32 a, 1, 2, p; setp.eq.u32 p|q, a, 1; @q mov.u32 b, 1; ret;", "p");
}

static void guards_and_paths(void **state)
{
    (void)state;
    KERNEL("setp.eq.u32 p, 1, 1; @p mov.u32 a, 1; mov.u32 b, a; ret;", "a");
    KERNEL("@p bra l; mov.u32 a, 1; l: mov.u32 b, a; ret;", "p a");
    KERNEL("@p bra l; mov.u32 a, 1; bra m; l: mov.u32 a, 2; m: mov.u32 b, a; ret;", "p");
    KERNEL("mov.u32 a, 0; l: add.u32 a, a, 1; setp.lt.u32 p, a, 9; @p bra l; ret;", "");
    KERNEL("mov.u32 a, 0; l: add.u32 a, a, b; setp.lt.u32 p, a, 9; mov.u32 b, 1; @p bra l; ret;", "b");
    KERNEL("ret; mov.u32 a, b;", ""); /* nothing gets there */
}

static void functions(void **state)
{
    (void)state;
    expect(".func (.reg .b32 s) f(.reg .b32 a)\n{\nmov.u32 s, a; ret;\n}\n", "");
    expect(".func (.reg .b32 s) f(.reg .b32 a)\n{\n.reg .pred p;\nsetp.eq.u32 p, a, 1; @p bra l; mov.u32 s, a; l: "
           "ret;\n}\n",
           "s");
    expect(".func (.reg .b32 s) f(.reg .b32 a) { mov.u32 s, a; ret; }\n.entry k()\n{\n" REGS
           "call (a), f, (b); mov.u32 c, a; ret;\n}\n",
           "b");
}

/* A product adds to its destination. */
static void products(void **state)
{
    (void)state;
    expect(".entry k()\n{\n.reg .f32 d<4>;\n.reg .b64 x;\n"
           "mov.f32 d0, 0f00000000; mov.f32 d1, d0; mov.u64 x, 0;\n"
           "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {d0, d1, d2, d3}, x, x, 1, 1, 1, 0, 0; ret;\n}\n",
           "d2 d3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight),
        cmocka_unit_test(guards_and_paths),
        cmocka_unit_test(functions),
        cmocka_unit_test(products),
    };
    return cmocka_run_group_tests_name("ptx_unset", tests, NULL, NULL);
}
