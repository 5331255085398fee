/* SPDX-License-Identifier: Apache-2.0
 *
 * The order of isa.def's rows means nothing: forms.c is compiled here a second time over the same rows in another order
 * (shuffle_rows.py), and finds the same row for every opcode of the lists in tests/data and for opcodes made from each form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define opcode_match shuffled_match
#define op_form      shuffled_form
#define word_text    shuffled_word_text
#define type_text    shuffled_type_text
#define type_bytes   shuffled_type_bytes
#define type_kind    shuffled_type_kind
#define space_text   shuffled_space_text
#include "ptx/forms.c"
#undef opcode_match
#undef op_form

const Opcode *opcode_match(Arena *a, const char *text, size_t len, const char **why); /* the library's */
const Form   *op_form(Op op);

typedef struct Same {
    Arena *a;
    size_t found, moved;
} Same;

static void compare(Same *s, const char *text)
{
    const char   *why;
    size_t        n = strlen(text);
    const Opcode *x = opcode_match(s->a, text, n, &why), *y = shuffled_match(s->a, text, n, &why);
    const char   *a = x ? op_form(x->op)->id : "no row", *b = y ? shuffled_form(y->op)->id : "no row";
    if (strcmp(a, b) != 0)
        fail_msg("%s: %s, with the rows in another order %s", text, a, b);
    s->found += x != NULL;
    s->moved += x && y && x->op != y->op;
}

static void compare_list(Same *s, const char *name)
{
    char  path[600], line[400];
    FILE *f;
    snprintf(path, sizeof path, "%s/%s", WW_TEST_DATA, name);
    f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, " \t\r\n")] = 0;
        if (line[0] && line[0] != '#')
            compare(s, line);
    }
    fclose(f);
}

static void test_lists(void **state)
{
    (void)state;
    Same s = {.a = arena_new()};
    compare_list(&s, "isa_list.txt");
    compare_list(&s, "ptx_opcodes.txt");
    compare_list(&s, "forms_list.txt");
    compare_list(&s, "forms_wrong_list.txt");
    arena_free(s.a);
    assert_true(s.found > 5000);
    assert_true(s.moved > s.found / 2); /* the order is another one */
}

static uint32_t noise(uint32_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 17;
    return *x ^= *x << 5;
}

/* One of the opcodes that a form stands for. */
static void spell(const Match *m, const char *form, uint32_t *seed, char *text, size_t size)
{
    Piece base = base_of(form, strlen(form));
    int   at   = snprintf(text, size, "%.*s", (int)base.len, base.s);
    for (size_t i = 0; i < m->nelem; i++) {
        const Elem *e = &m->elem[i];
        Piece       w = e->text;
        if (e->any || (e->optional && noise(seed) & 1))
            continue;
        if (e->words) {
            uint32_t words = 1;
            for (const char *c = e->words; *c; c++)
                words += *c == ' ';
            w.s = e->words;
            for (uint32_t k = noise(seed) % words; k; k--)
                w.s = strchr(w.s, ' ') + 1;
            w.len = strcspn(w.s, " ");
        }
        at += snprintf(text + at, size - (size_t)at, ".%.*s", (int)w.len, w.s);
    }
}

static void test_forms(void **state)
{
    (void)state;
    Same     s     = {.a = arena_new()};
    uint32_t seed  = 1;
    size_t   forms = 0;
    for (int op = OP_NONE + 1; op < OP_COUNT; op++) {
        const char *form = shuffled_form((Op)op)->form;
        Match       m    = {0};
        char        text[400];
        form_split(form, &m);
        for (int k = 0; form[0] && k < 40; k++) {
            spell(&m, form, &seed, text, sizeof text);
            compare(&s, text);
        }
        forms += form[0] != 0;
    }
    arena_free(s.a);
    assert_true(s.found >= 40 * forms / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lists), cmocka_unit_test(test_forms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
