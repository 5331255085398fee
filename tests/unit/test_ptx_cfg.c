/* SPDX-License-Identifier: Apache-2.0
 *
 * Control-flow graphs: known small ones exactly; random ones against plain definitions (a block post-dominates another when
 * without it no end can be reached ...); and a large one, which must not take quadratic time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ptx/cfg.h"
#include "ptx/op.h"
#include "ptx_text.h"

#define HEAD ".version 8.5\n.target sm_90\n.entry k()\n{\n.reg .pred p;\n.reg .b32 r;\n"

typedef struct Built {
    Module *m;
    Arena  *a;
    Cfg    *c;
} Built;

static Built build(const char *body)
{
    Built b    = {.a = arena_new()};
    Str   text = {0}, first = {0};
    str_add(&text, HEAD);
    str_add(&text, body);
    str_add(&text, "}\n");
    b.m = text_parse(text.s, text.len, &first);
    if (!b.m)
        print_error("%s\n", str_text(&first));
    assert_non_null(b.m);
    b.c = cfg_build(b.a, b.m->funcs[0]);
    str_free(&text);
    str_free(&first);
    return b;
}

static void release(Built *b)
{
    ptx_module_free(b->m);
    arena_free(b->a);
}

/* "0>1,2 1>3 ...; order; ipdoms" */
static void expect(const char *body, const char *edges, const char *order, const char *ipdom)
{
    Built b = build(body);
    Str   e = {0}, o = {0}, d = {0};
    for (uint32_t v = 0; v < b.c->nblocks; v++) {
        const CfgBlock *k = &b.c->block[v];
        str_printf(&e, "%s%u>", v ? " " : "", v);
        for (uint32_t i = 0; i < k->nsucc; i++)
            str_printf(&e, "%s%u", i ? "," : "", k->succ[i]);
        str_printf(&d, "%s%d", v ? " " : "", (int)k->ipdom);
    }
    for (uint32_t i = 0; i < b.c->norder; i++)
        str_printf(&o, "%s%u", i ? " " : "", b.c->order[i]);
    assert_string_equal(str_text(&e), edges);
    assert_string_equal(str_text(&o), order);
    assert_string_equal(str_text(&d), ipdom);
    str_free(&e);
    str_free(&o);
    str_free(&d);
    release(&b);
}

static void small(void **state)
{
    (void)state;
    expect("", "0>", "0", "-1");
    expect("ret;\n", "0>", "0", "-1");
    expect("mov.b32 r, 0;\n", "0>", "0", "-1");
    /* if, else */
    expect("@p bra E;\nmov.b32 r, 1;\nbra J;\nE: mov.b32 r, 2;\nJ: ret;\n", "0>1,2 1>3 2>3 3>", "0 1 2 3", "3 3 3 -1");
    /* the else side lies behind the join in the text */
    expect("@p bra E;\nJ: ret;\nE: bra J;\n", "0>1,2 1> 2>1", "0 2 1", "1 -1 1");
    /* a loop with an early exit: its blocks first, then what it exits to */
    expect("L: @p bra X;\nmov.b32 r, 1;\n@p bra L;\nbra Y;\nX: mov.b32 r, 2;\nY: ret;\n", "0>1,3 1>2,0 2>4 3>4 4>",
           "0 1 3 2 4", "4 4 4 4 -1");
    /* a loop whose exit is first in the text */
    expect("bra H;\nX: ret;\nH: @p bra X;\nbra H;\n", "0>2 1> 2>3,1 3>2", "0 2 3 1", "2 -1 1 2");
    /* guarded returns and unreachable code */
    expect("@p ret;\n@!p exit;\nbra E;\nmov.b32 r, 1;\nE: trap;\n", "0>1 1>2 2>4 3>4 4>", "0 1 2 4", "-1 -1 4 -1 -1");
    /* endless */
    expect("L: bra L;\n", "0>0", "0", "-1");
    /* a list of targets, each once; a label behind the end */
    expect("t: .branchtargets A, B, A, E;\nbrx.idx r, t;\nA: mov.b32 r, 1;\nB: bra E;\nE:\n", "0>1,2 1>2 2>", "0 1 2",
           "-1 2 -1");
    /* labels that nobody branches to end no block; calls and barriers neither */
    expect("bar.sync 0;\nA: mov.b32 r, 1;\nB: ret;\n", "0>", "0", "-1");
}

static void nested(void **state)
{
    (void)state;
    Built b = build(
        "O: mov.b32 r, 0;\nI: @p bra C;\nmov.b32 r, 1;\nbra J;\nC: mov.b32 r, 2;\nJ: @p bra I;\n@p bra O;\nret;\n");
    const Cfg *c = b.c;
    assert_int_equal(c->nloops, 2);
    const CfgLoop *inner = &c->loop[c->block[1].loop], *outer = &c->loop[c->block[0].loop];
    assert_int_equal(inner->depth, 2);
    assert_int_equal(outer->depth, 1);
    assert_int_equal(inner->nblocks, 4);
    assert_int_equal(outer->nblocks, 6);
    assert_ptr_equal(&c->loop[inner->parent], outer);
    assert_int_equal(c->block[6].loop, CFG_NONE);
    assert_int_equal(c->block[4].idom, 1);
    assert_int_equal(c->block[4].npred, 2);
    for (uint32_t i = 0; i < b.m->funcs[0]->ninstrs; i++) {
        const CfgBlock *k = &c->block[c->block_of[i]];
        assert_true(k->first <= i && i < k->end);
    }
    release(&b);
}

/* ---- random graphs ------------------------------------------------------------------------------------------------ */

static uint64_t rng_state;
static uint32_t rng(uint32_t n)
{
    rng_state = rng_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((rng_state >> 33) % n);
}

static void random_body(Str *text, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        str_printf(text, "L%u: mov.b32 r, %u;\n", i, i);
        switch (rng(8)) {
        case 0: str_printf(text, "bra L%u;\n", rng(n)); break;
        case 1: str_add(text, "@p ret;\n"); break;
        case 2: str_add(text, rng(4) ? "" : "exit;\n"); break;
        case 3:
            str_printf(text, "t%u: .branchtargets L%u, L%u, L%u;\nbrx.idx r, t%u;\n", i, rng(n), rng(n), rng(n), i);
            break;
        case 4:
        case 5:
        case 6: str_printf(text, "@p bra L%u;\n", rng(n)); break;
        default: break;
        }
    }
}

/* Which blocks are reached from `from` when `without` is taken away. */
static void reach(const Cfg *c, uint32_t from, uint32_t without, bool *seen)
{
    uint32_t stack[256], top = 0;
    memset(seen, 0, c->nblocks);
    if (from == without)
        return;
    seen[from]   = true;
    stack[top++] = from;
    while (top) {
        const CfgBlock *k = &c->block[stack[--top]];
        for (uint32_t i = 0; i < k->nsucc; i++)
            if (k->succ[i] != without && !seen[k->succ[i]]) {
                seen[k->succ[i]] = true;
                stack[top++]     = k->succ[i];
            }
    }
}

static bool may_end(const Func *f, const CfgBlock *k)
{
    const Op op = f->instrs[k->end - 1].op->op;
    if (op == OP_ret || op == OP_exit || op == OP_trap)
        return true;
    return k->end == f->ninstrs && (op != OP_bra || f->instrs[k->end - 1].guard) && op != OP_brx_idx;
}

static bool reaches_end(const Func *f, const Cfg *c, uint32_t from, uint32_t without)
{
    bool seen[256];
    reach(c, from, without, seen);
    for (uint32_t v = 0; v < c->nblocks; v++)
        if (seen[v] && may_end(f, &c->block[v]))
            return true;
    return false;
}

static void check_ipdom(const Func *f, const Cfg *c, uint32_t v)
{
    if (!reaches_end(f, c, v, CFG_NONE)) {
        assert_int_equal(c->block[v].ipdom, CFG_NONE);
        return;
    }
    uint32_t nearest = CFG_NONE; /* the post-dominator that all others post-dominate */
    for (uint32_t w = 0; w < c->nblocks; w++) {
        if (w == v || !c->block[w].reachable || reaches_end(f, c, v, w))
            continue;
        if (nearest == CFG_NONE || !reaches_end(f, c, w, nearest))
            nearest = w;
    }
    assert_int_equal(c->block[v].ipdom, nearest);
}

static void check_idom(const Cfg *c, uint32_t v)
{
    bool     seen[256];
    uint32_t nearest = CFG_NONE;
    for (uint32_t w = 0; w < c->nblocks; w++) {
        if (w == v || !c->block[w].reachable)
            continue;
        reach(c, 0, w, seen);
        if (seen[v])
            continue; /* w does not dominate v */
        reach(c, 0, nearest, seen);
        if (nearest == CFG_NONE || !seen[w])
            nearest = w;
    }
    assert_int_equal(c->block[v].idom, nearest);
}

static bool in_loop(const Cfg *c, uint32_t v, uint32_t l)
{
    for (uint32_t k = c->block[v].loop; k != CFG_NONE; k = c->loop[k].parent)
        if (k == l)
            return true;
    return false;
}

/* Contiguous loops, headers first, and edges forward unless they go round a loop. */
static void check_order(const Cfg *c, bool reducible)
{
    uint32_t n = 0;
    for (uint32_t v = 0; v < c->nblocks; v++)
        n += c->block[v].reachable;
    assert_int_equal(c->norder, n);
    assert_int_equal(c->order[0], 0);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(c->block[c->order[i]].pos, i);
    for (uint32_t l = 0; l < c->nloops; l++) {
        uint32_t first = c->block[c->loop[l].header].pos;
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(in_loop(c, c->order[i], l), i >= first && i < first + c->loop[l].nblocks);
    }
    for (uint32_t v = 0; reducible && v < c->nblocks; v++)
        for (uint32_t i = 0; c->block[v].reachable && i < c->block[v].nsucc; i++) {
            uint32_t w    = c->block[v].succ[i];
            bool     back = c->block[w].loop != CFG_NONE && c->loop[c->block[w].loop].header == w &&
                        in_loop(c, v, c->block[w].loop);
            assert_true(back || c->block[w].pos > c->block[v].pos);
        }
}

/* Every cycle of a reducible graph has a back edge to a block that dominates it: without those it is acyclic. */
static bool is_reducible(const Cfg *c)
{
    uint32_t in[256] = {0}, stack[256], top = 0, done = 0, n = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t v = 0; v < c->nblocks && !pass; v++)
            for (uint32_t i = 0; c->block[v].reachable && i < c->block[v].nsucc; i++) {
                uint32_t w = c->block[v].succ[i], d = v;
                while (d != w && d != CFG_NONE)
                    d = c->block[d].idom;
                in[w] += d != w;
            }
    }
    for (uint32_t v = 0; v < c->nblocks; v++) {
        n += c->block[v].reachable;
        if (c->block[v].reachable && !in[v])
            stack[top++] = v;
    }
    while (top) {
        uint32_t v = stack[--top];
        done++;
        for (uint32_t i = 0; i < c->block[v].nsucc; i++) {
            uint32_t w = c->block[v].succ[i], d = v;
            while (d != w && d != CFG_NONE)
                d = c->block[d].idom;
            if (d != w && --in[w] == 0)
                stack[top++] = w;
        }
    }
    return done == n;
}

static void random_graphs(void **state)
{
    (void)state;
    int reducible = 0;
    for (uint32_t seed = 0; seed < 2000; seed++) {
        Str text  = {0};
        rng_state = seed;
        random_body(&text, 2 + rng(seed % 10 == 0 ? 40 : 10));
        Built       b     = build(str_text(&text));
        const Func *f     = b.m->funcs[0];
        bool        plain = is_reducible(b.c);
        reducible += plain;
        for (uint32_t v = 0; v < b.c->nblocks; v++) {
            if (!b.c->block[v].reachable)
                continue;
            check_ipdom(f, b.c, v);
            check_idom(b.c, v);
        }
        check_order(b.c, plain);
        release(&b);
        str_free(&text);
    }
    assert_true(reducible > 500 && reducible < 2000);
}

static void large(void **state)
{
    (void)state;
    Str text = {0};
    for (int i = 0; i < 40000; i++)
        str_printf(&text, "A%d: @p bra B%d;\nB%d: @p bra A%d;\n", i, i % 7 ? i : 39999 - i, i, i % 5 ? i : i / 2);
    Built b = build(text.s);
    assert_true(b.c->nblocks >= 80000);
    assert_int_equal(b.c->norder, b.c->nblocks);
    release(&b);
    str_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(small), cmocka_unit_test(nested),
                                       cmocka_unit_test(random_graphs), cmocka_unit_test(large)};
    return cmocka_run_group_tests_name("ptx_cfg", tests, NULL, NULL);
}
