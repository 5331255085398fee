/* SPDX-License-Identifier: Apache-2.0
 *
 * Sweeps made by hand, told to the race checker at once and one access after the other: every cell of shadow memory must hold the same that is
 * alive, and both must find the same.  Between two barriers shared accesses are only noted (race_log.h), so what was noted is written out
 * at random times before cells are compared.  A sweep that the checker has said it rests for is not told at all (Observer.rests), mostly
 * at the very ends of the ranges that it gave. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "check/race/race_log.h"
#include "emu/emu.h"
#include "emu/jit/rest.h"
#include "ptx_text.h"
#include "share.h"

extern const Checker checker_race;

enum {
    WARPS  = 4,
    BLOCKS = 14,
    WINDOW = 3 * PAGE_BYTES, /* of shared memory, and of the global memory that is used */
    SITES  = 4,              /* loads; as many stores, further accesses and barriers */
    SWEEPS = 24,
    ROUNDS = 48,
    STEPS  = 500
};

/* One instruction for each site that something is told of. */
static const char text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
    ".shared .align 16 .b8 s[11264]; .reg .b32 %x; .reg .b64 %g; .reg .pred %w;\n"
    "ld.param.u64 %g, [p];\n"
    "ld.shared.u32 %x, [s];\n"
    "ld.global.u32 %x, [%g];\nld.global.u32 %x, [%g];\nld.global.u32 %x, [%g];\nld.global.u32 %x, [%g];\n"
    "st.global.u32 [%g], %x;\nst.global.u32 [%g], %x;\nst.global.u32 [%g], %x;\nst.global.u32 [%g], %x;\n"
    "bar.sync 0;\nret;\n}\n";
enum { LOAD = 2, STORE = LOAD + SITES, BARRIER = STORE + SITES };

typedef struct Made { /* one sweep; at: where its parties may begin */
    Sweep       sweep;
    SweepParty  party[SWEEP_PARTIES];
    SweepAccess access[8];
    Access      seen[8];
} Made;

static struct {
    uint64_t   random, memory;
    Observer  *race[2]; /* told at once; one after the other */
    RaceState *state[2];
    Made       made[SWEEPS];
    Rest      *rest;
    uint64_t   last[SWEEPS][SWEEP_PARTIES]; /* where it was told of last */
    uint64_t   rested, noted, compared, block;
    LaunchInfo mine;
} t;

static uint32_t below(uint32_t n)
{
    t.random = t.random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((t.random >> 33) % n);
}

static bool chance(uint32_t percent)
{
    return below(100) < percent;
}

/* ---- sweeps ---- */

/* Which word, of `bytes` bytes, each lane touches; distinct: no two the same. */
static void make_lanes(uint32_t *lane, uint32_t bytes, bool distinct)
{
    uint32_t kind = distinct ? below(4) : below(9), step = 1 + below(3);
    for (uint32_t i = 0; i < LANES; i++) {
        uint32_t word = kind == 0   ? i
                        : kind == 1 ? (LANES - 1 - i)
                        : kind == 2 ? i * step
                        : kind == 3 ? (i & 3) * 16 + (i >> 2)
                        : kind == 4 ? (i & 15)
                        : kind == 5 ? (i >> 4) * 5
                        : kind == 6 ? 0
                        : kind == 7 ? below(40)
                                    : (i >> 3) * 16;
        lane[i]       = word * bytes;
    }
}

/* lowest: what is the party's lowest byte so far; makes it 0 and says how far the party reaches. */
static void settle(Made *m, uint32_t party)
{
    uint32_t low = UINT32_MAX, high = 0;
    for (uint32_t i = 0; i < m->sweep.naccesses; i++)
        for (uint32_t l = 0; m->access[i].party == party && l < LANES; l++)
            low = m->access[i].lane[l] < low ? m->access[i].lane[l] : low;
    for (uint32_t i = 0; i < m->sweep.naccesses; i++) {
        SweepAccess *x = &m->access[i];
        if (x->party != party)
            continue;
        x->low  = UINT32_MAX;
        x->high = 0;
        for (uint32_t l = 0; l < LANES; l++) {
            x->lane[l] -= low;
            x->low  = x->lane[l] < x->low ? x->lane[l] : x->low;
            x->high = x->lane[l] + x->seen->bytes > x->high ? x->lane[l] + x->seen->bytes : x->high;
        }
        high = x->high > high ? x->high : high;
    }
    m->party[party].bytes = high;
}

static void make_sweep(Made *m, uint32_t number)
{
    bool     writes = chance(25);
    uint32_t n = writes ? 1 : 1 + below(6), parties = writes ? 1 : 1 + below(n < 3 ? n : 3);
    *m = (Made){.sweep = {.nparties = parties, .naccesses = n, .number = number}};
    uint32_t size[SWEEP_PARTIES]; /* of the accesses of a party, so that all of them lie at multiples of it */
    for (uint32_t k = 0; k < parties; k++) {
        m->party[k].space = chance(50) ? ACCESS_SHARED : ACCESS_GLOBAL;
        size[k]           = chance(75) ? 4 : chance(80) ? 8u << below(2) : 2;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t party = i < parties ? i : below(parties), bytes = size[party];
        m->seen[i]   = (Access){.instr = writes ? STORE + below(SITES) : LOAD + below(SITES),
                                .op    = writes ? ACCESS_ST : ACCESS_LD,
                                .bytes = (uint8_t)bytes};
        m->access[i] = (SweepAccess){.seen = &m->seen[i], .party = party};
        make_lanes(m->access[i].lane, bytes, writes && chance(85));
        for (uint32_t l = 0, off = below(4) * 64; l < LANES; l++)
            m->access[i].lane[l] += off;
    }
    for (uint32_t k = 0; k < parties; k++)
        settle(m, k);
}

/* ---- cells ---- */

static Stamp alive(const Page *p, Plane k, uint32_t byte, Stamp base)
{
    Stamp s = p && p->plane[k] ? p->plane[k][byte >> p->shift] : 0;
    return s >= base ? s : 0;
}

static void same_page(const Page *a, const Page *b, Stamp base, const char *space, uint32_t page)
{
    for (Plane k = 0; k < PLANES; k++)
        for (uint32_t i = 0; i < PAGE_BYTES; i += 2)
            if (alive(a, k, i, base) != alive(b, k, i, base))
                fail_msg("%s page %u, plane %d, byte %u: %llx, %llx", space, page, (int)k, i,
                         (unsigned long long)alive(a, k, i, base), (unsigned long long)alive(b, k, i, base));
}

static RaceBlock *block_of(const RaceState *s)
{
    RaceBlock *b = s->active;
    while (b->index != t.block)
        b = b->next;
    return b;
}

static void same_cells(void)
{
    RaceBlock *a = block_of(t.state[0]), *b = block_of(t.state[1]);
    race_log_flush(&t.state[0]->cells, a);
    assert_int_equal(a->base, b->base);
    for (uint32_t i = 0; i < a->npages; i++)
        same_page(&a->shared[i], &b->shared[i], a->base << TIME_SHIFT, "shared", i);
    for (uint64_t at = t.memory; at < t.memory + 2 * WINDOW; at += PAGE_BYTES)
        same_page(shadow_find(t.state[0]->run->race->shadow, at), shadow_find(t.state[1]->run->race->shadow, at),
                  t.state[0]->run->floor << TIME_SHIFT, "global", (uint32_t)((at - t.memory) >> PAGE_BITS));
    t.compared++;
}

/* ---- what happens ---- */

static void tell(uint32_t number, uint32_t warp, const uint64_t *at)
{
    const Made *m     = &t.made[number];
    SweepCall   c     = {.of = &m->sweep, .warp = warp, .block = t.block, .at = at};
    uint64_t    stirs = *t.mine.stirs;
    uint32_t    awake = rest_awake(&t.rest[number], &c, stirs);
    SweepRoom   room;
    t.rested += !awake;
    memcpy(t.last[number], at, m->sweep.nparties * sizeof *at);
    if (awake) {
        c.rests = ~awake & ((UINT32_C(1) << c.of->nparties) - 1);
        t.race[0]->sweep(t.state[0], &c);
        rest_ask(&t.rest[number], &c, stirs, awake, &t.race[0], 1, (void *const *)&t.state[0]);
    }
    for (uint32_t i = 0; i < m->sweep.naccesses; i++) {
        Access a = sweep_access(&c, i, &room);
        t.race[1]->access(t.state[1], &a);
    }
}

/* Accesses lie at multiples of their bytes. */
static uint32_t align_of(const Made *m, uint32_t party)
{
    uint32_t align = 2;
    for (uint32_t i = 0; i < m->sweep.naccesses; i++)
        if (m->access[i].party == party && m->seen[i].bytes > align)
            align = m->seen[i].bytes;
    return align;
}

/* Global memory has a half that is mostly read, in words, and one for the others. */
static uint64_t half(bool writes, uint32_t bytes)
{
    return t.memory + ((writes ? below(400) == 0 : bytes >= 4 && chance(90)) ? 0 : WINDOW);
}

static uint64_t place(const Made *m, uint32_t party)
{
    const SweepParty *p      = &m->party[party];
    bool              shared = p->space == ACCESS_SHARED;
    uint32_t most = WINDOW - 1024 - p->bytes, at = chance(70) ? below(6) * 64 : below(most), align = align_of(m, party);
    return (shared ? 1024 : half(m->seen[0].op == ACCESS_ST, align)) + (uint64_t)(at / align * align);
}

/* The party's range that holds where the sweep was last; NULL: none. */
static const RestRange *range_of(uint32_t number, uint32_t party)
{
    const Rest *rest = &t.rest[number];
    uint64_t    at = t.last[number][party], stirs = *t.mine.stirs;
    if (rest_has(&rest->wide[party], at, stirs))
        return &rest->wide[party];
    return rest->near && rest_has(rest_near(rest, party, at), at, stirs) ? rest_near(rest, party, at) : NULL;
}

/* Somewhere, or where the sweep rests: just within one of the ends of what is known of a party, or just outside. */
static void step_sweep(void)
{
    uint32_t number = below(SWEEPS), warp = below(WARPS), turns = chance(65) ? 1 : chance(70) ? 12 : 60;
    Made    *m = &t.made[number];
    uint64_t at[SWEEP_PARTIES];
    for (uint32_t k = 0; k < m->sweep.nparties; k++) {
        const RestRange *range = range_of(number, k);
        uint32_t         align = align_of(m, k);
        at[k]                  = place(m, k);
        if (m->party[k].space == ACCESS_GLOBAL && range && chance(60)) {
            uint64_t edge = chance(50) ? range->low + 4 : range->low + range->room + 8;
            edge          = (edge - below(3) * 4) / align * align;
            if (edge >= t.memory && edge + m->party[k].bytes <= t.memory + 2 * WINDOW)
                at[k] = edge;
        }
    }
    for (uint32_t i = 0; i < turns; i++) {
        for (uint32_t k = 0; k < m->sweep.nparties && i; k++)
            if (m->party[k].space == ACCESS_GLOBAL && at[k] + m->party[k].bytes + 64 < t.memory + WINDOW)
                at[k] += turns > 12 ? 128 : 16u << below(3);
        tell(number, (warp + i) % WARPS, at);
    }
}

/* By some lanes, of bytes, or atomically: never told at once. */
static void step_access(void)
{
    uint64_t addr[LANES];
    uint32_t off[LANES], bytes = chance(70) ? 4 : 1, step = bytes * below(3);
    bool     shared = chance(50), writes = chance(40), atomic = bytes == 4 && chance(20);
    uint64_t at = (shared ? 1024 : half(writes || atomic, bytes)) + (below(40) * 64u + below(2) * bytes);
    Access   a  = {.instr = writes || atomic ? STORE + below(SITES) : LOAD + below(SITES),
                   .space = shared ? ACCESS_SHARED : ACCESS_GLOBAL,
                   .op    = atomic   ? ACCESS_ATOM
                            : writes ? ACCESS_ST
                                     : ACCESS_LD,
                   .bytes = (uint8_t)bytes,
                   .mask  = chance(50) ? UINT32_MAX : 1u << below(LANES) | 1u << below(LANES),
                   .warp  = below(WARPS),
                   .block = t.block,
                   .off   = shared ? off : NULL,
                   .addr  = shared ? NULL : addr};
    if (atomic) {
        a.sem   = SEM_RELAXED;
        a.scope = SCOPE_GPU;
    }
    for (uint32_t i = 0; i < LANES; i++) {
        off[i]  = (uint32_t)at + i * step;
        addr[i] = at + i * step;
    }
    for (int k = 0; k < 2; k++)
        t.race[k]->access(t.state[k], &a);
}

static void both(const SyncEvent *e)
{
    for (int k = 0; k < 2; k++)
        t.race[k]->sync(t.state[k], e);
}

static void step_barrier(void)
{
    SyncEvent e = {.instr = BARRIER, .block = t.block, .live = UINT32_MAX};
    if (chance(20)) { /* of one warp */
        e.kind = SYNC_WARP;
        e.mask = chance(70) ? UINT32_MAX : 0xffff;
        e.warp = below(WARPS);
        both(&e);
        return;
    }
    e.kind  = SYNC_BAR;
    e.mask  = UINT32_MAX;
    e.waits = true;
    for (e.warp = 0; e.warp < WARPS; e.warp++)
        both(&e);
    e.kind = SYNC_BAR_DONE;
    e.mask = 0;
    both(&e);
}

static void run_block(void)
{
    for (int k = 0; k < 2; k++)
        t.race[k]->block_start(t.state[k], t.block);
    uint32_t others = chance(50) ? 0 : below(12), barriers = chance(20) ? 0 : 12; /* more than there is room to note */
    for (uint32_t i = 0; i < (barriers ? STEPS : 6 * STEPS) / BLOCKS; i++) {
        if (chance(others))
            step_access();
        else if (chance(barriers))
            step_barrier();
        else
            step_sweep();
        const RaceBlock *a = block_of(t.state[0]);
        t.noted += a->log != NULL;
        if (chance(6))
            same_cells();
    }
    same_cells();
    for (int k = 0; k < 2; k++)
        t.race[k]->block_end(t.state[k], t.block);
}

static void *drive(Observer *o, const LaunchInfo *info, unsigned worker)
{
    t.mine         = *info;
    t.mine.workers = 1 + below(2); /* pages are locked where there are more than one */
    assert_int_equal(info->instrs, BARRIER + 2);
    for (int k = 0; k < 2; k++)
        t.state[k] = t.race[k]->fork(t.race[k], &t.mine, worker);
    for (uint32_t i = 0; i < SWEEPS; i++) {
        make_sweep(&t.made[i], i);
        t.made[i].sweep.party  = t.made[i].party;
        t.made[i].sweep.access = t.made[i].access;
    }
    t.rest = rests_new(SWEEPS);
    for (t.block = 0; t.block < BLOCKS; t.block++)
        run_block();
    rests_free(t.rest, SWEEPS);
    for (int k = 0; k < 2; k++)
        t.race[k]->join(t.race[k], t.state[k]);
    return o;
}

/* ---- a launch ---- */

static void none(void *state, const Access *a)
{
    (void)state;
    (void)a;
}

static void leave(Observer *o, void *state)
{
    (void)o;
    (void)state;
}

static bool find(void *user, uint64_t address, uint64_t *base, uint64_t *bytes, const char **name)
{
    (void)user;
    *base  = t.memory;
    *bytes = 2 * WINDOW;
    *name  = NULL;
    return address - t.memory < 2 * WINDOW;
}

static void same_findings(Findings found[2], const FindingContext *c)
{
    Arena     *a = arena_new();
    size_t     n[2];
    WwFinding *x = findings_list(&found[0], c, a, &n[0]), *y = findings_list(&found[1], c, a, &n[1]);
    assert_int_equal(n[0], n[1]);
    for (size_t i = 0; i < n[0]; i++) {
        assert_string_equal(x[i].rule, y[i].rule);
        assert_string_equal(x[i].message, y[i].message);
        assert_int_equal(x[i].count, y[i].count);
        assert_memory_equal(&x[i].thread, &y[i].thread, sizeof x[i].thread);
        assert_memory_equal(&x[i].block, &y[i].block, sizeof x[i].block);
    }
    arena_free(a);
}

static void run(EmuDevice *d, Module *m, void *self[2], const RuleSet *rules)
{
    EmuModule  *module = NULL;
    const char *bad    = NULL;
    EmuResult   r      = {0};
    Observer    driver = {.fork = drive, .access = none, .join = leave}, *list[] = {&driver};
    EmuLaunch   e = {.params = &t.memory, .grid = {BLOCKS, 1, 1}, .block = {WARPS * LANES, 1, 1}, .observers = list};
    CheckLaunch l = {.module = m, .kernel = ptx_find_func(m, "k"), .find = find, .params = (const uint8_t *)&t.memory};
    Findings    found[2] = {{0}};
    e.nobservers         = 1;
    memcpy(l.grid, e.grid, sizeof l.grid);
    memcpy(l.block, e.block, sizeof l.block);
    for (int k = 0; k < 2; k++)
        t.race[k] = checker_race.begin(self[k], rules, &l);
    assert_int_equal(emu_module_load(d, m, &module, &bad), WW_OK);
    assert_int_equal(emu_launch(d, module, "k", &e, &r), WW_OK);
    l.ninstr = r.ninstr;
    l.instr  = r.instr;
    for (int k = 0; k < 2; k++)
        checker_race.end(self[k], t.race[k], &l, &found[k]);
    FindingContext c = {.module = m, .instr = r.instr, .ninstr = r.ninstr, .kernel = "k", .func = l.kernel};
    memcpy(c.grid, l.grid, sizeof c.grid);
    memcpy(c.block, l.block, sizeof c.block);
    same_findings(found, &c);
    for (int k = 0; k < 2; k++)
        findings_free(&found[k]);
    emu_result_free(&r);
    emu_module_unload(d, module);
}

static void told_at_once_is_told_one_by_one(void **state)
{
    EmuDevice *d = NULL;
    RuleSet    rules;
    void      *self[2];
    (void)state;
    assert_int_equal(emu_open(&(EmuOptions){.memory = 1 << 24, .threads = 1, .engine = EMU_INTERPRETER}, &d), WW_OK);
    assert_int_equal(rules_select("race", &rules, NULL), WW_OK);
    assert_int_equal(emu_alloc(d, 2 * WINDOW, PAGE_BYTES, &t.memory), WW_OK);
    for (int k = 0; k < 2; k++)
        self[k] = checker_race.open(&rules);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        if (share_skips())
            continue;
        Module *m = text_parse(text, sizeof text - 1, NULL);
        assert_non_null(m);
        t.random = round * UINT64_C(0x9e3779b97f4a7c15) + 1;
        run(d, m, self, &rules);
    }
    for (int k = 0; k < 2; k++)
        checker_race.close(self[k]);
    emu_close(d);
    assert_true(t.noted > 1000 && t.rested > 1000 && t.compared > 250);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(told_at_once_is_told_one_by_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
