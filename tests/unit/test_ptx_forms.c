/* SPDX-License-Identifier: Apache-2.0
 *
 * The instruction table: every opcode that real programs use matches a form, modifiers may stand in any order while types may
 * not, wrong text is refused with a message that names the culprit, and the tables keep the order and the names that forms.c relies on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ptx/op.h"
#include "ptx/ptx.h"

static const Opcode *match(Arena *a, const char *text, const char **why)
{
    *why = NULL;
    return opcode_match(a, text, strlen(text), why);
}

static void test_real_opcodes(void **state)
{
    (void)state;
    FILE *f = fopen(WW_TEST_DATA "/ptx_opcodes.txt", "r");
    assert_non_null(f);
    Arena *a = arena_new();
    char   line[512];
    int    n = 0;
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        if (line[0] == '#' || !line[0])
            continue;
        const char *why;
        if (!match(a, line, &why))
            fail_msg("%s: %s", line, why);
        n++;
    }
    assert_int_equal(n, 840);
    fclose(f);
    arena_free(a);
}

static void test_fields(void **state)
{
    (void)state;
    Arena        *a = arena_new();
    const char   *why;
    const Opcode *o = match(a, "ld.global.nc.L2::128B.v4.u32", &why);
    assert_non_null(o);
    assert_int_equal(o->op, OP_ld);
    assert_int_equal(o->field[FIELD_space], WORD_global);
    assert_int_equal(o->field[FIELD_vec], WORD_v4);
    assert_int_equal(o->field[FIELD_fetch], WORD_L2_128B);
    assert_int_equal(o->field[FIELD_sem], WORD_NONE);
    assert_true(opcode_has(o, WORD_nc));
    assert_false(opcode_has(o, WORD_uni));
    assert_int_equal(o->ntypes, 1);
    assert_int_equal(o->types[0], TY_U32);
    o = match(a, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", &why);
    assert_non_null(o);
    assert_int_equal(o->field[FIELD_layout], WORD_row);
    assert_int_equal(o->field[FIELD_layout2], WORD_col);
    assert_int_equal(o->field[FIELD_shape], WORD_mnk);
    assert_int_equal(o->ntypes, 4);
    assert_int_equal(o->types[3], TY_F32);
    o = match(a, "cvt.rn.f32.u8", &why);
    assert_non_null(o);
    assert_int_equal(o->types[0], TY_F32);
    assert_int_equal(o->types[1], TY_U8);
    arena_free(a);
}

static void test_order(void **state)
{
    (void)state;
    static const char *const same[][2] = {
        {"vote.sync.any.pred", "vote.any.sync.pred"},
        {"vote.sync.ballot.b32", "vote.ballot.sync.b32"},
        {"add.rn.ftz.f32", "add.ftz.rn.f32"},
        {"ld.volatile.global.u32", "ld.global.volatile.u32"},
        {"atom.global.add.u32", "atom.add.global.u32"},
        {"mma.sync.aligned.m8n8k32.row.col.satfinite.s32.s4.s4.s32",
         "mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32.satfinite"},
    };
    Arena *a = arena_new();
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        const char   *why;
        const Opcode *x = match(a, same[i][0], &why), *y = match(a, same[i][1], &why);
        assert_non_null(x);
        assert_non_null(y);
        assert_int_equal(x->op, y->op);
        assert_memory_equal(x->field, y->field, sizeof x->field);
        assert_memory_equal(x->types, y->types, sizeof x->types);
    }
    arena_free(a);
}

static void test_refusals(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"frobnicate.u32", "unknown opcode 'frobnicate'"},
        {"ad.s32", "unknown opcode 'ad'"},
        {"", "unknown opcode ''"},
        {".s32", "unknown opcode ''"},
        {"add.foo.s32", "'.foo' is not a modifier of add here"},
        {"add.sat.u32", "'.u32' is not a modifier of add here"},
        {"add", "a modifier or type of add is missing"},
        {"add..s32", "malformed opcode"},
        {"add.s32.", "malformed opcode"},
        {"add.s32.s32", "'.s32' is not a modifier of add here"},
        {"add.rn.rn.f32", "'.rn' is not a modifier of add here"},
        {"mul.s32", "a modifier or type of mul is missing"},
        {"setp.f32.lt.s32", "'.s32' is not a modifier of setp here"},
        {"cvt.u32", "a modifier or type of cvt is missing"},
        {"ld.global.v3.f32", "'.v3' is not a modifier of ld here"},
        {"mma.sync.aligned.m16n8kx.row.col.f32.f16.f16.f32", "'.m16n8kx' is not a modifier of mma here"},
        {"bra.u32", "'.u32' is not a modifier of bra here"},
        {"add.a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v.w.x.y.z", "malformed opcode"},
    };
    Arena *a = arena_new();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *why;
        if (match(a, bad[i][0], &why))
            fail_msg("%s was accepted", bad[i][0]);
        assert_non_null(why);
        if (strncmp(why, bad[i][1], strlen(bad[i][1])) != 0)
            fail_msg("%s: said '%s', expected '%s'", bad[i][0], why, bad[i][1]);
    }
    arena_free(a);
}

static void test_tables(void **state)
{
    (void)state;
    static const char *const sets[] = {
#define SET(name, words) #name,
#include "ptx/sets.def"
#undef SET
    };
    for (int w = WORD_NONE + 2; w < WORD_COUNT; w++)
        assert_true(strcmp(word_text((Word)(w - 1)), word_text((Word)w)) < 0);
    for (int w = WORD_NONE + 1; w < WORD_COUNT; w++) {
        for (int s = 0; s < FIELD_COUNT; s++) /* a set's name that is a word would hide the word in forms */
            assert_string_not_equal(sets[s], word_text((Word)w));
        for (int t = TY_NONE + 1; t < TY_COUNT; t++)
            assert_string_not_equal(type_text((Type)t), word_text((Word)w));
    }
    for (int op = OP_NONE + 1; op < OP_COUNT; op++) {
        const Form *f = op_form((Op)op);
        assert_true(f->exactness != UNSUPPORTED || f->note[0]);
    }
}

/* Every word of every form is known: the literal words are in words.def, and each set's words are words or types. */
static void test_words_known(void **state)
{
    (void)state;
    static const char *const lists[] = {
#define SET(name, words) words,
#include "ptx/sets.def"
#undef SET
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        char copy[512];
        snprintf(copy, sizeof copy, "%s", lists[i]);
        for (char *p = strtok(copy, " "); p; p = strtok(NULL, " ")) {
            bool known = false;
            for (int w = 1; w < WORD_COUNT; w++)
                known = known || strcmp(word_text((Word)w), p) == 0;
            for (int t = 1; t < TY_COUNT; t++)
                known = known || strcmp(type_text((Type)t), p) == 0;
            if (!known)
                fail_msg("word %s of a set is neither in words.def nor in types.def", p);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_real_opcodes), cmocka_unit_test(test_fields), cmocka_unit_test(test_order),
        cmocka_unit_test(test_refusals),     cmocka_unit_test(test_tables), cmocka_unit_test(test_words_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
