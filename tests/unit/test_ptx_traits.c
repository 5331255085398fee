/* SPDX-License-Identifier: Apache-2.0
 *
 * The columns of isa.def agree with what its forms and kinds say, and a row that says nothing may do anything. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ptx/op.h"
#include "ptx/traits.h"

enum { /* traits by kind */
       MAY  = 1,
       ONLY = 0,
#define TRAIT(name, kind, what) MAY_##name = (kind) ? TRAIT_##name : 0,
#include "ptx/traits.def"
       ANYTHING = 0
#define TRAIT(name, kind, what) | MAY_##name
#include "ptx/traits.def"
};

static void test_unknown(void **state)
{
    (void)state;
    OpTraits t = op_traits(OP_NONE);
    assert_int_equal(t.is, ANYTHING);
    assert_int_equal(t.pipe, PIPE_UNKNOWN);
    assert_int_equal(t.flow, FLOW_MIX);
    assert_true(t.is & TRAIT_STORE && t.is & TRAIT_CONTROL && t.is & TRAIT_ORDERS);
    assert_false(t.is & (TRAIT_COMPUTE | TRAIT_QUIET | TRAIT_LANEWISE | TRAIT_END));
    assert_int_equal(op_traits(OP_tcgen05).is, ANYTHING); /* its row has no traits */
}

/* What an expression says is all that its row does. */
static const bool computes[OP_COUNT] = {
#define ISA_ANY(id, ...)
#define HAND(id, ...)  [OP_##id] = true,
#define LANE1(id, ...) [OP_##id] = true,
#define LANE2(id, ...) [OP_##id] = true,
#define LANE3(id, ...) [OP_##id] = true,
#define WIDE2(id, ...) [OP_##id] = true,
#define WIDE3(id, ...) [OP_##id] = true,
#define CONV(id, ...)  [OP_##id] = true,
#define PRED1(id, ...) [OP_##id] = true,
#define PRED2(id, ...) [OP_##id] = true,
#define MASK1(id, ...) [OP_##id] = true,
#define MASK2(id, ...) [OP_##id] = true,
#define MASK3(id, ...) [OP_##id] = true,
#include "ptx/isa.def"
};

static bool has(const char *form, const char *part)
{
    return strstr(form, part) != NULL;
}

#define RULE(condition, holds)                                                                                         \
    if ((condition) && !(holds))                                                                                       \
    fail_msg("row %s: " #condition " without " #holds, f->id)

static void test_forms(void **state)
{
    (void)state;
    for (int op = OP_NONE + 1; op < OP_COUNT; op++) {
        const Form *f  = op_form((Op)op);
        OpTraits    t  = op_traits((Op)op);
        uint32_t    is = t.is;
        if (is == ANYTHING) {
            RULE(true, f->exactness == UNSUPPORTED && has(f->form, "{.*} *")); /* of what runs, everything is known */
            continue;
        }
        RULE(true, t.pipe != PIPE_UNKNOWN);
        RULE(computes[op], is & TRAIT_COMPUTE);
        RULE(is & TRAIT_COMPUTE, !(is & ANYTHING));
        RULE(t.flow != FLOW_MIX, is & (TRAIT_COMPUTE | TRAIT_LOAD | TRAIT_STORE));
        RULE(has(f->form, "[a]") && !has(f->form, "createpolicy"), !(is & TRAIT_COMPUTE));
        RULE(has(f->form, "[a]") && has(f->form, "{.sem}"),
             is & (TRAIT_LANEWISE | TRAIT_MBARRIER | TRAIT_ASYNC)); /* else its order is nobody's */
        RULE(strncmp(f->form, "fence", 5) == 0 || strncmp(f->form, "membar", 6) == 0, is & TRAIT_FENCE);
        RULE(is & TRAIT_ORDERS, is & TRAIT_FENCE);
        RULE(strncmp(f->form, "bar", 3) == 0, is & TRAIT_BARRIER);
        RULE(has(f->form, ".complete"), is & TRAIT_COMPLETES);
        RULE(strncmp(f->form, "mbarrier.arrive", 15) == 0 || has(f->form, "mbarrier.arrive"), is & TRAIT_ARRIVES);
        RULE(strncmp(f->form, "cp.", 3) == 0 || strncmp(f->form, "wgmma.", 6) == 0 || has(f->form, ".async."),
             is & TRAIT_ASYNC);
        RULE(has(f->form, " L"), is & TRAIT_JUMP);
        RULE(is & (TRAIT_JUMP | TRAIT_END | TRAIT_CALL), is & TRAIT_CONTROL);
        RULE(is & TRAIT_QUIET, !(is & (TRAIT_STORE | TRAIT_ATOMIC | TRAIT_ARRIVES | TRAIT_COMPLETES | TRAIT_STACK)));
        RULE(is & TRAIT_BULK, is & TRAIT_ASYNC && !(is & TRAIT_LANEWISE));
        RULE(t.pipe == PIPE_TEX, is & TRAIT_TEXTURE);
    }
}

/* The numbers of rows are theirs alone, so that one that joins or leaves a group is seen. */
static unsigned count(uint32_t all)
{
    unsigned n = 0;
    for (int op = OP_NONE + 1; op < OP_COUNT; op++)
        n += op_traits((Op)op).is != ANYTHING && (op_traits((Op)op).is & all) == all;
    return n;
}

static void test_groups(void **state)
{
    (void)state;
    assert_int_equal(count(TRAIT_ORDERS), 3);               /* membar, fence with and without a restriction */
    assert_int_equal(count(TRAIT_END), 3);                  /* ret, exit, trap */
    assert_int_equal(count(TRAIT_ALIGNED), 4);              /* bar.sync, .arrive, .red */
    assert_int_equal(count(TRAIT_ATOMIC | TRAIT_TELLS), 7); /* atom, red */
    assert_int_equal(count(TRAIT_ACCUMULATES), 3);          /* wgmma */
    assert_int_equal(count(TRAIT_ADDRESS | TRAIT_SUBTRACTS), 3);
    assert_int_equal(count(TRAIT_CONTRACTS), 12); /* mul, add and sub: f32, f64, f16, bf16 */
    assert_int_equal(count(TRAIT_ARRIVES), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_unknown), cmocka_unit_test(test_forms),
                                       cmocka_unit_test(test_groups)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
