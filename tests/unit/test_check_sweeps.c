/* SPDX-License-Identifier: Apache-2.0
 *
 * What the race checker makes of accesses that native code tells of at once is what it makes of each by itself: two race checkers watch
 * the same launches of random kernels, whose warps share memory with and without barriers.  One takes sweeps, and is not told of those that it
 * has said it rests for; the other has all of them taken apart.  Both must find the same, with the same counts, threads and words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "check/check.h"
#include "emu/emu.h"
#include "emu/jit/rest.h"
#include "ptx_text.h"

extern const Checker checker_race;

enum {
    MOST    = 12288 /* bytes of shared memory */,
    OUT     = 8192 /* of either buffer */,
    EPOCHS  = 7,
    KERNELS = 60,
    SWEEPS  = 256
};

typedef struct Grown { /* a kernel */
    Str      text;
    uint64_t state; /* of the random sequence */
    unsigned label;
    uint32_t grid[3], block[3], threads;
    bool     reads; /* many blocks that mostly read global memory */
} Grown;

/* ---- random kernels ---- */

static unsigned below(Grown *r, unsigned n)
{
    r->state = r->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)((r->state >> 33) % n);
}

static bool chance(Grown *r, unsigned percent)
{
    return below(r, 100) < percent;
}

/* ---- statements ---- */

/* A byte offset from the thread's number %t, into %p: for each a number that no offset reaches. */
static const struct Where {
    const char *text;
    unsigned    most;
} patterns[] = {
    {"shl.b32 %p, %t, 2;", 1024},
    {"shl.b32 %p, %t, 2;", 1024},
    {"and.b32 %p, %t, 15; shl.b32 %p, %p, 2;", 64},
    {"shr.u32 %p, %t, 4; shl.b32 %p, %p, 6;", 1024},
    {"shr.u32 %p, %t, 4; shl.b32 %p, %p, 2;", 64},
    {"shr.u32 %p, %t, 5; shl.b32 %p, %p, 2;", 32},
    {"shr.u32 %p, %t, 5; shl.b32 %p, %p, 7;", 1024},
    {"mov.u32 %p, 0;", 16},
    {"shl.b32 %p, %t, 3;", 2048},
    {"shl.b32 %p, %t, 4;", 4096},
    {"and.b32 %p, %t, 15; shl.b32 %p, %p, 6; shr.u32 %q, %t, 4; shl.b32 %q, %q, 2; add.u32 %p, %p, %q;", 1024},
    {"mul.lo.u32 %p, %t, -4; add.u32 %p, %p, 1020;", 1024},
    {"and.b32 %p, %t, 31; shl.b32 %p, %p, 2;", 128},
};

static void put_address(Grown *r, bool shared)
{
    static const unsigned steps[] = {4, 16, 64, 64, 128, 256, 512, 1024};
    const struct Where   *p       = &patterns[below(r, sizeof patterns / sizeof *patterns)];
    unsigned              room = (shared ? MOST : OUT) - p->most, step = steps[below(r, 8)];
    unsigned              at = chance(r, 60) ? below(r, 4) * step : below(r, room / step) * step;
    at                       = (at < room ? at : 0) & ~15u;
    str_printf(&r->text, "%s ", p->text);
    if (shared)
        str_printf(&r->text, "mov.u32 %%a, buf; add.u32 %%a, %%a, %%p; add.u32 %%a, %%a, %u;\n", at);
    else
        str_printf(&r->text, "cvt.u64.u32 %%g, %%p; add.u64 %%g, %%g, %s; add.u64 %%g, %%g, %u;\n",
                   chance(r, 25) ? "%in" : "%out", at);
}

/* Loads that follow each other, as an unrolled loop has them. */
static void put_loads(Grown *r, bool shared)
{
    unsigned n = 1 + below(r, 6), step = 4u << below(r, 5);
    put_address(r, shared);
    for (unsigned i = 0; i < n; i++)
        str_printf(&r->text, "ld.%s.u32 %%x, [%s+%u]; add.u32 %%s, %%s, %%x;\n", shared ? "shared" : "global",
                   shared ? "%a" : "%g", i * step);
}

static void put_store(Grown *r)
{
    put_address(r, true);
    str_add(&r->text, "st.shared.u32 [%a], %s;\n");
}

/* Accesses that are not of whole warps, of words, or weak. */
static void put_other(Grown *r)
{
    static const char *const kinds[] = {"st.shared.u8 [%a], %s;",           "ld.volatile.shared.u32 %x, [%a];",
                                        "st.volatile.shared.u32 [%a], %s;", "atom.shared.add.u32 %x, [%a], 1;",
                                        "ld.shared.u16 %h, [%a];",          "st.shared.u32 [%a], %s;",
                                        "ld.shared.u32 %x, [%a];",          "red.shared.add.u32 [%a], 1;"};
    put_address(r, true);
    if (chance(r, 50))
        str_printf(&r->text, "setp.lt.u32 %%w, %%t, %u;\n@%%w %s\n", 1 + below(r, r->threads), kinds[below(r, 8)]);
    else
        str_printf(&r->text, "%s\n", kinds[below(r, 8)]);
}

static void put_wide(Grown *r)
{
    static const char *const kinds[] = {"st.shared.v2.u32 [%a], {%s, %x};", "ld.shared.v2.u32 {%x, %y}, [%a];",
                                        "st.shared.v4.u32 [%a], {%s, %x, %y, %s};",
                                        "ld.shared.v4.u32 {%x, %y, %z, %v}, [%a];"};
    str_add(&r->text, "shl.b32 %p, %t, 4; mov.u32 %a, buf; add.u32 %a, %a, %p;\n");
    str_printf(&r->text, "%s\n", kinds[below(r, 4)]);
}

/* A store to global memory by one block, mostly a late one, in a part that others have read for long. */
static void put_late_store(Grown *r)
{
    unsigned block = r->grid[0] - 1 - below(r, r->grid[0]) * below(r, 2);
    put_address(r, false);
    str_printf(&r->text, "mov.u32 %%x, %%ctaid.x; setp.eq.u32 %%w, %%x, %u;\n@%%w st.global.u32 [%%g], %%s;\n", block);
}

static void put_global(Grown *r)
{
    unsigned kind = below(r, 100);
    if (kind < 90)
        put_loads(r, false);
    else if (kind < 96)
        put_late_store(r);
    else
        put_store(r);
}

static void put_statement(Grown *r)
{
    unsigned kind = below(r, 100);
    if (r->reads)
        put_global(r);
    else if (kind < 40)
        put_loads(r, true);
    else if (kind < 65)
        put_store(r);
    else if (kind < 75)
        put_wide(r);
    else if (kind < 83)
        put_other(r);
    else if (kind < 89)
        put_loads(r, false);
    else if (kind < 97)
        str_printf(&r->text,
                   "shl.b32 %%p, %%t, 2; cvt.u64.u32 %%o, %%p; add.u64 %%o, %%o, %%out;\nst.global.u32 "
                   "[%%o+%u], %%s;\n",
                   below(r, 4) * 64);
    else
        str_add(&r->text, "bar.warp.sync -1;\n");
}

static void put_barrier(Grown *r)
{
    unsigned kind = below(r, 100);
    if (kind < 75)
        str_add(&r->text, "bar.sync 0;\n");
    else if (kind < 85)
        str_add(&r->text, "bar.warp.sync -1;\n");
    else if (kind < 90)
        str_printf(&r->text, "bar.sync 1, %u;\n", r->threads);
    else if (kind < 93 && r->threads > 32)
        str_add(&r->text, "setp.lt.u32 %w, %t, 64;\n@%w bar.sync 2, 64;\n");
}

/* ---- a kernel ---- */

static void put_loop(Grown *r, bool begins, unsigned turns)
{
    if (begins)
        str_printf(&r->text, "mov.u32 %%i, 0;\n$L%u:\n", ++r->label);
    else
        str_printf(&r->text, "add.u32 %%i, %%i, 1; setp.lt.u32 %%w, %%i, %u;\n@%%w bra $L%u;\n", turns, r->label);
}

static void grow(Grown *r, uint64_t seed)
{
    *r = (Grown){.state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
    below(r, 2);
    bool flat = chance(r, 60);
    r->reads  = chance(r, 40);
    memcpy(r->grid, (uint32_t[]){r->reads ? 8 + below(r, 25) : 1 + below(r, 4), 1, 1}, sizeof r->grid);
    memcpy(r->block, (uint32_t[]){flat ? 32u << below(r, 4) : 16, flat ? 1 : 16, 1}, sizeof r->block);
    r->threads = r->block[0] * r->block[1];
    str_printf(&r->text,
               ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 "
               "out)\n{\n.shared .align 16 .b8 buf[%u];\n.reg .b16 %%h; .reg .b32 %%t, %%p, %%q, %%a, %%x, %%y, "
               "%%z, %%v, %%s, %%i; .reg .b64 %%g, %%o, %%in, %%out; .reg .pred %%w;\nld.param.u64 %%in, [in]; "
               "ld.param.u64 %%out, [out];\nmov.u32 %%t, %%tid.y; mov.u32 %%s, %%tid.x; mad.lo.u32 %%t, %%t, %u, "
               "%%s; mov.u32 %%x, 1; mov.u32 %%y, 2; mov.u32 %%z, 3; mov.u32 %%v, 4;\n",
               MOST, r->block[0]);
    for (unsigned at = 0; at < MOST; at += r->threads * 16)
        str_printf(&r->text,
                   "shl.b32 %%p, %%t, 4; mov.u32 %%a, buf; add.u32 %%a, %%a, %%p; st.shared.v4.u32 [%%a+%u], "
                   "{%%s, %%x, %%y, %%z};\n",
                   at);
    str_add(&r->text, "bar.sync 0;\n");
    unsigned epochs = 2 + below(r, EPOCHS), from = below(r, epochs), turns = 2 + below(r, 4);
    bool     loops = chance(r, 60);
    for (unsigned i = 0; i < epochs; i++) {
        if (loops && i == from)
            put_loop(r, true, turns);
        for (unsigned n = 1 + below(r, 5); n--;)
            put_statement(r);
        put_barrier(r);
    }
    if (loops)
        put_loop(r, false, turns);
    str_add(&r->text, "st.global.u32 [%out+8192], %s;\nret;\n}\n");
}

/* ---- two checkers ---- */

typedef struct Pair {
    EmuDevice        *d;
    RuleSet           rules;
    uint64_t          buffer[2]; /* read; read and written */
    void             *self[2];
    uint64_t          swept, found, rested;
    Observer          first; /* as the first one is by itself */
    Rest             *rest;  /* where it rests, by sweep */
    const LaunchInfo *info;
} Pair;

static Pair pair;
static void (*accessed)(void *state, const Access *a); /* the second one's */

static bool takes(void *state, const SweepCall *c)
{
    (void)state;
    (void)c;
    return true;
}

static void *forked(Observer *o, const LaunchInfo *info, unsigned worker)
{
    pair.info = info;
    return pair.first.fork(o, info, worker);
}

/* As the emulator does, but the second one hears of all. */
static void sweep(void *state, const SweepCall *c)
{
    Observer *first = &pair.first;
    Rest     *rest  = &pair.rest[c->of->number];
    uint64_t  stirs = *pair.info->stirs;
    uint32_t  awake = rest_awake(rest, c, stirs);
    assert_true(c->of->number < SWEEPS);
    pair.swept += c->of->naccesses;
    pair.rested += awake ? 0 : c->of->naccesses;
    if (!awake)
        return;
    SweepCall call = *c;
    call.rests     = ~awake & ((UINT32_C(1) << c->of->nparties) - 1);
    first->sweep(state, &call);
    rest_ask(rest, c, stirs, awake, &first, 1, &state);
}

static void sweep_apart(void *state, const SweepCall *c)
{
    SweepRoom room;
    for (uint32_t i = 0; i < c->of->naccesses; i++) {
        Access a = sweep_access(c, i, &room);
        accessed(state, &a);
    }
}

static bool find_buffer(void *user, uint64_t address, uint64_t *base, uint64_t *bytes, const char **name)
{
    const Pair *p = user;
    for (int i = 0; i < 2; i++)
        if (address - p->buffer[i] < 2 * OUT) {
            *base  = p->buffer[i];
            *bytes = 2 * OUT;
            *name  = NULL;
            return true;
        }
    return false;
}

static void same_text(const char *a, const char *b)
{
    assert_true(!a == !b);
    if (a)
        assert_string_equal(a, b);
}

static void same_findings(const WwFinding *a, size_t na, const WwFinding *b, size_t nb)
{
    assert_int_equal(na, nb);
    for (size_t i = 0; i < na; i++) {
        same_text(a[i].rule, b[i].rule);
        same_text(a[i].message, b[i].message);
        assert_int_equal(a[i].line, b[i].line);
        assert_int_equal(a[i].count, b[i].count);
        assert_memory_equal(&a[i].thread, &b[i].thread, sizeof a[i].thread);
        assert_memory_equal(&a[i].block, &b[i].block, sizeof a[i].block);
        const WwFindingEnd *x = a[i].other, *y = b[i].other;
        assert_true(!x == !y);
        if (!x)
            continue;
        same_text(x->message, y->message);
        assert_int_equal(x->line, y->line);
        assert_memory_equal(&x->thread, &y->thread, sizeof x->thread);
        assert_memory_equal(&x->block, &y->block, sizeof x->block);
    }
}

static void launch(Module *m, const Grown *g, Observer *o[2], Findings found[2], CheckLaunch *l)
{
    EmuModule  *module = NULL;
    const char *bad    = NULL;
    EmuResult   r      = {0};
    EmuLaunch   e      = {.params = pair.buffer, .observers = o, .nobservers = 2};
    memcpy(e.grid, g->grid, sizeof e.grid);
    memcpy(e.block, g->block, sizeof e.block);
    assert_int_equal(emu_module_load(pair.d, m, &module, &bad), WW_OK);
    assert_int_equal(emu_launch(pair.d, module, "k", &e, &r), WW_OK);
    l->ninstr = r.ninstr;
    l->instr  = r.instr;
    for (int i = 0; i < 2; i++)
        checker_race.end(pair.self[i], o[i], l, &found[i]);
    FindingContext c = {.module = m, .instr = r.instr, .ninstr = r.ninstr, .kernel = "k", .func = l->kernel};
    memcpy(c.grid, g->grid, sizeof c.grid);
    memcpy(c.block, g->block, sizeof c.block);
    Arena     *a = arena_new();
    size_t     n[2];
    WwFinding *list[2] = {findings_list(&found[0], &c, a, &n[0]), findings_list(&found[1], &c, a, &n[1])};
    same_findings(list[0], n[0], list[1], n[1]);
    pair.found += n[0];
    arena_free(a);
    emu_result_free(&r);
    emu_module_unload(pair.d, module);
}

static void run(uint64_t seed)
{
    Grown g;
    grow(&g, seed);
    Module *m = text_parse(str_text(&g.text), g.text.len, NULL);
    assert_non_null(m);
    CheckLaunch l = {.module = m,
                     .kernel = ptx_find_func(m, "k"),
                     .find   = find_buffer,
                     .user   = &pair,
                     .params = (const uint8_t *)pair.buffer};
    Observer   *o[2];
    Findings    found[2] = {{0}};
    memcpy(l.grid, g.grid, sizeof l.grid);
    memcpy(l.block, g.block, sizeof l.block);
    for (int i = 0; i < 2; i++)
        o[i] = checker_race.begin(pair.self[i], &pair.rules, &l);
    pair.first  = *o[0];
    pair.rest   = rests_new(SWEEPS);
    accessed    = o[1]->access;
    o[0]->takes = o[1]->takes = takes;
    o[0]->rests = o[1]->rests = NULL;
    o[0]->fork                = forked;
    o[0]->sweep               = sweep;
    o[1]->sweep               = sweep_apart;
    launch(m, &g, o, found, &l);
    rests_free(pair.rest, SWEEPS);
    findings_free(&found[0]);
    findings_free(&found[1]);
    str_free(&g.text);
}

static void sweeps_find_what_accesses_find(void **state)
{
    (void)state;
    assert_int_equal(emu_open(&(EmuOptions){.memory = 1 << 24, .threads = 1, .engine = EMU_JIT}, &pair.d), WW_OK);
    assert_int_equal(rules_select("race", &pair.rules, NULL), WW_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(emu_alloc(pair.d, 2 * OUT, 256, &pair.buffer[i]), WW_OK);
        pair.self[i] = checker_race.open(&pair.rules);
    }
    for (uint64_t seed = 0; seed < KERNELS; seed++)
        run(seed);
    for (int i = 0; i < 2; i++)
        checker_race.close(pair.self[i]);
    emu_close(pair.d);
    assert_true(pair.found > KERNELS);
    if (!emu_native_missing())
        assert_true(pair.swept > 100 * KERNELS && pair.rested > 100 * KERNELS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sweeps_find_what_accesses_find)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
