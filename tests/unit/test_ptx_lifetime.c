/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers that live within one basic block, and how long. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ptx/lifetime.h"
#include "ptx_text.h"

/* Of each register in order: its name and the first and the last instruction, "-": it lives longer than a block, nothing: it is not used. */
static void expect(const char *text, const char *want, bool cfg)
{
    Str         got = {0};
    Arena      *a   = arena_new();
    Module     *m;
    const Func *f = text_function(text, &m);
    assert_non_null(f);
    const Lifetime *life = ptx_lifetimes(a, f, cfg ? cfg_build(a, f) : NULL);
    for (uint32_t i = 0; i < f->nregs; i++)
        if (life[i].brief)
            str_printf(&got, "%s%u-%u ", f->regs[i]->name, life[i].first, life[i].last);
        else if (life[i].used)
            str_printf(&got, "%s- ", f->regs[i]->name);
    assert_string_equal(str_text(&got), want);
    arena_free(a);
    ptx_module_free(m);
    str_free(&got);
}

#define KERNEL(body, want)                                                                                             \
    expect(".entry k()\n{\n.reg .pred p;\n.reg .b32 a, b, c;\n.reg .b64 x, y;\n.reg .v2 .f32 v;\n" body "}\n", want,   \
           true)

static void within_a_block(void **state)
{
    (void)state;
    KERNEL("mov.u32 a, 1; add.u32 b, a, 1; add.u32 c, b, a; ret;", "a0-2 b1-2 c2-2 ");
    KERNEL("mov.u32 a, 1; add.u32 a, a, 1; ret;", "a0-1 ");
    KERNEL("mov.u64 x, 0; ld.global.u32 a, [x + 4]; st.global.u32 [x], a; ret;", "a1-2 x0-2 ");
    KERNEL("mov.u32 a, 1; mov.u32 b, 2; mov.b64 x, {a, b}; mov.b64 {b, c}, x; ret;", "a0-2 b1-3 c3-3 x2-3 ");
    KERNEL("ret;", "");
}

static void longer(void **state)
{
    (void)state;
    KERNEL("add.u32 b, a, 1; ret;", "a- b0-0 ");                                       /* read before it is written */
    KERNEL("mov.u32 a, 1; setp.eq.u32 p, a, 1; @p mov.u32 b, 1; ret;", "p- a0-1 b- "); /* written by some lanes only */
    KERNEL("mov.u32 a, 1; setp.eq.u32 p, a, 1; @p bra l; mov.u32 b, a; l: ret;", "p- a- b3-3 ");
    KERNEL("l: mov.u32 a, 1; setp.eq.u32 p, a, 1; @p bra l; ret;", "p- a0-1 "); /* anew in each round */
    KERNEL("mov.f32 v.x, 0f00000000; ret;", "v- ");
    expect(".entry k()\n{\n.reg .b32 a, b;\nmov.u32 a, 1; ret;\n}\n", "a- ",
           false); /* asked without blocks: only who is used */
    expect(".func (.reg .b32 s) f(.reg .b32 a)\n{\nmov.u32 s, a; ret;\n}\n", "s- a- ", true);
}

/* The sum may be made of the product's factors. */
static void factors(void **state)
{
    (void)state;
    expect(".entry k()\n{\n.reg .f32 a, b, c, d;\nmov.f32 a, 0f3f800000; mov.f32 b, a; mul.f32 c, a, b; mov.f32 d, "
           "0f00000000; add.f32 d, c, d; ret;\n}\n",
           "a0-4 b1-4 c2-4 d3-4 ", true);
    expect(".entry k()\n{\n.reg .f32 a, c;\n.reg .pred p;\nmov.f32 a, 0f3f800000; mul.f32 c, a, a; setp.eq.f32 p, a, "
           "c; @p bra l; add.f32 c, c, c; l: ret;\n}\n",
           "a0-3 c- p- ", true); /* the product lives longer: up to the block's end */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(within_a_block), cmocka_unit_test(longer),
                                       cmocka_unit_test(factors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
