/* SPDX-License-Identifier: Apache-2.0
 *
 * Damaged PTX: the files of data/ptx with bytes changed, dropped, doubled, cut off or spliced, from fixed seeds.  Whatever comes
 * out either parses, and then prints to a fixed point and gives a control-flow graph, or is refused with a located message.
 * For a longer hunt: ROUNDS on the command line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ptx/cfg.h"
#include "ptx_text.h"

static int      rounds = 300;
static uint64_t rng_state;

static size_t rng(size_t n)
{
    rng_state = rng_state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(rng_state >> 33) % n;
}

/* Words that lead into rarely used corners. */
static const char *const words[] = {"{",
                                    "}",
                                    "[",
                                    "]",
                                    "(",
                                    ")",
                                    ";",
                                    ",",
                                    ":",
                                    "@",
                                    "!",
                                    "-",
                                    "|",
                                    "<1000000>",
                                    ".v4",
                                    ".b128",
                                    ".pred",
                                    ".reg",
                                    ".param",
                                    ".global",
                                    ".shared",
                                    "= {",
                                    "generic(",
                                    "0xff(",
                                    ".branchtargets",
                                    ".callprototype",
                                    ".section",
                                    ".loc 1 2 3\n",
                                    "call",
                                    "bra",
                                    "brx.idx",
                                    "ret;",
                                    "%r1",
                                    "%p1",
                                    "%tid.x",
                                    "_",
                                    "0f3F800000",
                                    "18446744073709551615",
                                    "-1",
                                    "/*",
                                    "//",
                                    "\"",
                                    ".entry x()",
                                    ".func",
                                    ".extern",
                                    "[1000000000]",
                                    "[]",
                                    "? 1 :",
                                    "<<",
                                    "WARP_SZ",
                                    "\n#\n",
                                    ".align 8",
                                    ".pragma \"x\";",
                                    ".alias",
                                    "inlined_at 1 2 3"};

/* Drops a line or changes a digit: what comes out is often still right. */
static void touch(Str *t)
{
    size_t at  = rng(t->len), end;
    Str    out = {0};
    if (rng(2)) {
        while (at < t->len && (t->s[at] < '0' || t->s[at] > '9'))
            at++;
        if (at < t->len)
            t->s[at] = (char)('0' + rng(10));
        return;
    }
    while (at > 0 && t->s[at - 1] != '\n')
        at--;
    for (end = at; end < t->len && t->s[end] != '\n'; end++)
        ;
    str_addn(&out, t->s, at);
    str_addn(&out, t->s + end, t->len - end);
    str_free(t);
    *t = out;
}

static void damage(Str *t)
{
    size_t      at = rng(t->len), n = 1 + rng(20), from = rng(t->len);
    const char *word = words[rng(sizeof words / sizeof *words)];
    Str         out  = {0};
    if (n > t->len - at)
        n = t->len - at;
    str_addn(&out, t->s, at);
    switch (rng(7)) {
    case 0:
        str_addc(&out, (char)rng(256));
        n = 1;
        break;
    case 1: break; /* dropped */
    case 2:
        str_addn(&out, t->s + at, n);
        n = 0;
        break; /* doubled */
    case 3:
        str_add(&out, word);
        n = 0;
        break;
    case 4: str_add(&out, word); break;
    case 5:
        str_addn(&out, t->s + from, rng(t->len - from));
        n = 0;
        break;                                     /* spliced */
    default: n = rng(50) ? n : t->len - at; break; /* cut off, now and then */
    }
    str_addn(&out, t->s + at + n, t->len - at - n);
    str_free(t);
    *t = out;
}

static void check_good(const Module *m)
{
    Str once = {0}, twice = {0}, first = {0};
    ptx_print(m, &once);
    Module *again = text_parse(once.s, once.len, &first);
    if (!again)
        print_error("%s\n%s\n", str_text(&first), once.s);
    assert_non_null(again);
    ptx_print(again, &twice);
    assert_string_equal(once.s, twice.s);
    for (size_t i = 0; i < m->nfuncs; i++) {
        Arena *a = arena_new();
        Cfg   *c = cfg_build(a, m->funcs[i]);
        assert_true(c->norder >= 1 && c->norder <= c->nblocks);
        arena_free(a);
    }
    ptx_module_free(again);
    str_free(&once);
    str_free(&twice);
    str_free(&first);
}

static void check_refused(const Diags *d, const Str *t)
{
    assert_true(d->errors >= 1 && d->errors <= 20);
    size_t lines = 2;
    for (size_t i = 0; i < t->len; i++)
        lines += t->s[i] == '\n';
    for (size_t i = 0; i < d->count; i++) {
        assert_true(d->list[i].line >= 1 && d->list[i].line <= lines && d->list[i].col >= 1);
        assert_true(strlen(d->list[i].message) > 5);
    }
    Str shown = {0};
    diags_render(d, &shown);
    str_free(&shown);
}

static void one_file(const char *name, const Str *text, void *arg)
{
    (void)name;
    unsigned *good = arg;
    for (int i = 0; i < rounds; i++) {
        Str     t = {0};
        Diags   d;
        Module *m;
        rng_state = (uint64_t)i * 977 + text->len;
        str_addn(&t, text->s, text->len);
        for (size_t k = 1 + rng(4); k > 0 && t.len > 0; k--)
            rng(3) ? touch(&t) : damage(&t);
        diags_init(&d);
        if (ptx_parse("fuzz.ptx", str_text(&t), t.len, &d, &m) == WW_OK) {
            check_good(m);
            good[0]++;
        } else {
            check_refused(&d, &t);
            good[1]++;
        }
        ptx_module_free(m);
        diags_free(&d);
        str_free(&t);
    }
}

static void mutations(void **state)
{
    (void)state;
    unsigned good[2] = {0};
    text_each(WW_TEST_DATA "/ptx", one_file, good);
    print_message("%u accepted, %u refused\n", good[0], good[1]);
    assert_true(good[0] > (good[0] + good[1]) / 20 && good[1] > good[0]);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        rounds = atoi(argv[1]);
    const struct CMUnitTest tests[] = {cmocka_unit_test(mutations)};
    return cmocka_run_group_tests_name("ptx_fuzz", tests, NULL, NULL);
}
