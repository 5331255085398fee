/* SPDX-License-Identifier: Apache-2.0
 *
 * Where lanes that part meet, and whether they come by one block before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ptx/parting.h"
#include "ptx_text.h"

/* The first branch of the body meets at the label `m`, if there is one; what is said of it. */
static Parting first_branch(const char *body, bool *at_m)
{
    Str     all = {0};
    Arena  *a   = arena_new();
    Module *m;
    str_printf(&all, ".entry k()\n{\n.reg .pred p, q;\n.reg .b32 a, b, c;\n%s}\n", body);
    const Func *f = text_function(str_text(&all), &m);
    assert_non_null(f);
    const Cfg *cfg   = cfg_build(a, f);
    Parting   *parts = ptx_partings(a, f, cfg), found = {CFG_NONE, false};
    for (uint32_t b = cfg->nblocks; b-- > 0;)
        if (cfg->block[b].nsucc > 1)
            found = parts[b];
    *at_m = false;
    for (size_t i = 0; i < f->nlabels && found.meets != CFG_NONE; i++)
        *at_m |= !strcmp(f->labels[i].name, "m") && cfg->block[found.meets].first == f->labels[i].target;
    arena_free(a);
    ptx_module_free(m);
    str_free(&all);
    return found;
}

static void meets(const char *body, bool early)
{
    bool    at_m;
    Parting p = first_branch(body, &at_m);
    assert_true(at_m);
    assert_int_equal(p.early, early);
}

static void structured(void **state)
{
    (void)state;
    meets("@p bra m; add.u32 a, a, 1; m: add.u32 b, b, 1; ret;", false);
    meets("@p bra e; add.u32 a, a, 1; bra m; e: add.u32 a, a, 2; m: add.u32 b, b, 1; ret;", false);
    /* a loop with one way out */
    meets("l: add.u32 a, a, 1; @p bra l; m: add.u32 b, b, 1; ret;", false);
    /* both conditions must hold: nobody else comes to what they guard */
    meets("@p bra m; @q bra m; add.u32 a, a, 1; m: add.u32 b, b, 1; ret;", false);
}

static void several_ways_out(void **state)
{
    (void)state;
    /* one of two conditions is enough: no loop, so they meet at x */
    meets("@p bra x; @q bra m; x: add.u32 a, a, 1; m: add.u32 b, b, 1; ret;", false);
    meets("@p bra x; l: @q bra m; add.u32 c, c, 1; @p bra l; x: add.u32 a, a, 1; m: add.u32 b, b, 1; ret;", true);
    /* a loop that is left to two places */
    meets("l: add.u32 a, a, 1; @p bra m; @q bra l; add.u32 c, c, 1; m: add.u32 b, b, 1; ret;", false);
    meets("l: add.u32 a, a, 1; @p bra x; @q bra m; bra l; x: add.u32 c, c, 1; m: add.u32 b, b, 1; ret;", true);
}

/* Lanes that exit are waited for by nobody, so what they skip is no way. */
static void exits(void **state)
{
    (void)state;
    /* so is what only jumps there: a search that ends the kernel where it finds nothing */
    meets("l: add.u32 a, a, 1; @p bra m; @q bra l; bra n; m: add.u32 b, b, 1; n: ret;", false);
    /* a loop whose lanes all exit behind it */
    meets("l: add.u32 a, a, 1; @q bra x; add.u32 a, a, 2; bra m; x: add.u32 a, a, 3; m: add.u32 b, b, 1; @p bra l; n: "
          "ret;",
          false);
    bool    at_m;
    Parting p = first_branch("@p bra n; add.u32 a, a, 1; n: ret;", &at_m);
    assert_false(p.early);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(structured), cmocka_unit_test(several_ways_out),
                                       cmocka_unit_test(exits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
