/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared memory that is read behind a barrier and written before the next one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ptx/reuse.h"
#include "ptx_text.h"

static bool reuses(const char *body)
{
    Str     all = {0};
    Arena  *a   = arena_new();
    Module *m;
    str_printf(&all, ".entry k()\n{\n.reg .pred p;\n.reg .b32 a, b, c;\n.reg .b64 x;\n.shared .b32 s[64];\n%s}\n",
               body);
    const Func *f = text_function(str_text(&all), &m);
    assert_non_null(f);
    bool does = reuses_shared(a, f, cfg_build(a, f));
    arena_free(a);
    ptx_module_free(m);
    str_free(&all);
    return does;
}

static void forgotten(void **state)
{
    (void)state;
    /* the next round's store */
    assert_true(reuses("l: st.shared.u32 [s], a; bar.sync 0; ld.shared.u32 b, [s]; add.u32 c, c, 1; setp.lt.u32 p, c, "
                       "9; @p bra l; ret;"));
    /* a second sum behind the first */
    assert_true(reuses("st.shared.u32 [s], a; barrier.sync 0; ld.shared.u32 b, [s]; @p bra m; st.shared.u32 [s], b; m: "
                       "bar.sync 0; ret;"));
    assert_true(reuses("bar.sync 0; ld.shared.u32 b, [s]; bra m; m: atom.shared.add.u32 a, [s], 1; ret;"));
    /* one of two ways has a barrier */
    assert_true(reuses("bar.sync 0; ld.shared.u32 b, [s]; @p bra m; bar.sync 0; m: st.shared.u32 [s], b; ret;"));
    /* a warp's barrier is none */
    assert_true(reuses("bar.sync 0; ld.shared.u32 b, [s]; bar.warp.sync -1; bra m; m: st.shared.u32 [s], b; ret;"));
}

static void waited_for(void **state)
{
    (void)state;
    assert_false(reuses(
        "l: st.shared.u32 [s], a; bar.sync 0; ld.shared.u32 b, [s]; bar.sync 0; setp.lt.u32 p, b, 9; @p bra l; ret;"));
    /* nothing is read behind a barrier */
    assert_false(reuses("l: ld.shared.u32 b, [s]; bra m; m: st.shared.u32 [s], b; ret;"));
    /* a tree of sums: an element is read and written in one block */
    assert_false(reuses("l: bar.sync 0; @p bra m; ld.shared.u32 b, [s + 4]; st.shared.u32 [s], b; m: setp.lt.u32 p, a, "
                        "9; @p bra l; ret;"));
    /* other memory */
    assert_false(reuses("bar.sync 0; ld.shared.u32 b, [s]; bra m; m: st.global.u32 [x], b; ret;"));
    assert_false(reuses("bar.sync 0; ld.global.u32 b, [x]; bra m; m: st.shared.u32 [s], b; ret;"));
    assert_false(reuses("ret;"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(forgotten), cmocka_unit_test(waited_for)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
