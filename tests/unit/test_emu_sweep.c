/* SPDX-License-Identifier: Apache-2.0
 *
 * What observers hear of native code.  One that takes accesses at once hears of the same ones, in each warp in the same order, as one that
 * hears of each by itself, and as any hears of the interpreter; and so where it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "emu/emu.h"
#include "ptx_text.h"

enum { WARPS = 8, TILES = 4, SIDE = 64 };

/* Rows of 16 threads: each loads one word and two that lie side by side into shared memory, and reads a row and a column of them. */
static const char text[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 p)\n{\n"
    ".reg .b32 %r<20>; .reg .b64 %d<8>; .reg .pred %p<2>; .reg .f32 %f<12>;\n"
    ".shared .align 16 .b8 a[1024]; .shared .align 16 .b8 b[2048];\n"
    "ld.param.u64 %d0, [p]; mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y; mov.u32 %r2, 0; mov.f32 %f0, 0f00000000;\n"
    "shl.b32 %r3, %r1, 4; add.u32 %r3, %r3, %r0; mul.lo.u32 %r4, %r1, 64; add.u32 %r4, %r4, %r0;\n"
    "mov.u32 %r5, a; mov.u32 %r6, b; shl.b32 %r7, %r3, 2; add.u32 %r8, %r5, %r7; shl.b32 %r9, %r3, 3; add.u32 %r10, "
    "%r6, %r9;\n"
    "shl.b32 %r11, %r1, 6; add.u32 %r11, %r5, %r11; shl.b32 %r12, %r0, 2; add.u32 %r12, %r6, %r12;\n"
    "top: mul.wide.u32 %d1, %r4, 4; add.u64 %d2, %d0, %d1; ld.global.f32 %f1, [%d2]; mul.wide.u32 %d3, %r3, 8; add.u64 "
    "%d4, %d0, %d3;\n"
    "ld.global.v2.f32 {%f2, %f3}, [%d4]; st.shared.f32 [%r8], %f1; st.shared.v2.f32 [%r10], {%f2, %f3}; bar.sync 0;\n"
    "ld.shared.f32 %f4, [%r11]; ld.shared.f32 %f5, [%r12]; ld.shared.f32 %f6, [%r11+4]; ld.shared.f32 %f7, [%r12+64];\n"
    "fma.rn.f32 %f0, %f4, %f5, %f0; fma.rn.f32 %f0, %f6, %f7, %f0; bar.sync 0; add.u32 %r4, %r4, 16; add.u32 %r2, %r2, "
    "1;\n"
    "setp.lt.u32 %p0, %r2, 4; @%p0 bra top;\n"
    "mul.wide.u32 %d5, %r3, 4; add.u64 %d6, %d0, %d5; st.global.f32 [%d6+16384], %f0; ret;\n}\n";

typedef struct Heard {
    Observer base;
    uint64_t from;        /* the allocation */
    uint64_t warp[WARPS]; /* a number that stands for all it heard of the warp, in order */
    unsigned told, swept; /* accesses */
    bool     refuses;
} Heard;

static void *fork_it(Observer *o, const LaunchInfo *info, unsigned worker)
{
    (void)info;
    assert_int_equal(worker, 0);
    return o;
}

static void join(Observer *o, void *state)
{
    (void)o;
    (void)state;
}

static void add(Heard *h, const Access *a)
{
    uint64_t *x = &h->warp[a->warp];
    *x          = *x * 1099511628211u + a->instr + 64u * a->op + 1024u * a->space + 8192u * a->bytes;
    *x          = *x * 1099511628211u + a->mask;
    for (int i = 0; i < LANES; i++)
        *x = *x * 1099511628211u + (a->off ? a->off[i] : a->addr[i] - h->from);
    for (unsigned i = 0; a->op == ACCESS_ST && i < LANES; i++) { /* what is stored is there to be seen */
        uint32_t word;
        memcpy(&word, a->regs + a->slot[0] + i * a->stride, sizeof word);
        *x = *x * 1099511628211u + word;
    }
}

static void told(void *state, const Access *a)
{
    if (a->block) /* the first block is looked at */
        return;
    ((Heard *)state)->told++;
    add(state, a);
}

static bool takes(void *state, const SweepCall *s)
{
    (void)s;
    return !((Heard *)state)->refuses;
}

static void sweep(void *state, const SweepCall *s)
{
    SweepRoom room;
    assert_true(s->block == 0 || !((Heard *)state)->base.skips);
    for (uint32_t i = 0; i < s->of->naccesses; i++) {
        const SweepAccess *x = &s->of->access[i];
        Access             a = sweep_access(s, i, &room);
        ((Heard *)state)->swept++;
        for (int lane = 0; lane < LANES; lane++) {
            assert_true(x->lane[lane] >= x->low && x->lane[lane] + a.bytes <= x->high);
            assert_true(x->high <= s->of->party[x->party].bytes);
        }
        add(state, &a);
    }
}

static bool skips(void *state, uint64_t block)
{
    (void)state;
    return block != 0;
}

static void run(EmuEngine engine, Heard *h)
{
    EmuDevice  *d    = NULL;
    EmuModule  *m    = NULL;
    const char *bad  = NULL;
    EmuResult   r    = {0};
    Observer   *list = &h->base;
    memset(h->base.wants, 0xff, sizeof h->base.wants);
    h->base.fork   = fork_it;
    h->base.access = told;
    h->base.join   = join;
    assert_int_equal(emu_open(&(EmuOptions){.memory = 1 << 24, .threads = 1, .engine = engine}, &d), WW_OK);
    assert_int_equal(emu_module_load(d, text_parse(text, sizeof text - 1, NULL), &m, &bad), WW_OK);
    assert_int_equal(emu_alloc(d, 32768, 256, &h->from), WW_OK);
    for (int i = 0; i < 8192; i++)
        ((float *)emu_host(d, h->from))[i] = (float)(i % 17);
    EmuLaunch l = {.grid       = {h->base.skips ? 3 : 1, 1, 1},
                   .block      = {16, 16, 1},
                   .params     = &h->from,
                   .observers  = &list,
                   .nobservers = 1};
    assert_int_equal(emu_launch(d, m, "k", &l, &r), WW_OK);
    emu_result_free(&r);
    emu_module_unload(d, m);
    emu_close(d);
}

enum { ALL = WARPS * (TILES * 8 + 1) }; /* accesses */

static void all_ways_hear_the_same(void **state)
{
    (void)state;
    Heard interpreted = {0}, one = {0}, many = {.base = {.takes = takes, .sweep = sweep}},
          refusing = {.base = {.takes = takes, .sweep = sweep}, .refuses = true};
    run(EMU_INTERPRETER, &interpreted);
    run(EMU_JIT, &one);
    run(EMU_JIT, &many);
    run(EMU_JIT, &refusing);
    assert_int_equal(interpreted.told, ALL);
    assert_int_equal(one.told, ALL);
    assert_int_equal(many.told + many.swept, ALL);
    assert_int_equal(refusing.told, ALL);
    assert_memory_equal(one.warp, interpreted.warp, sizeof one.warp);
    assert_memory_equal(many.warp, interpreted.warp, sizeof many.warp);
    assert_memory_equal(refusing.warp, interpreted.warp, sizeof refusing.warp);
    if (!emu_native_missing())
        assert_true(many.swept > ALL / 2);
}

/* Of three blocks that do the same, two are skipped: native code has a way of its own for them. */
static void skipped_blocks_are_not_swept(void **state)
{
    (void)state;
    Heard interpreted = {.base = {.skips = skips}}, many = {.base = {.takes = takes, .sweep = sweep, .skips = skips}};
    run(EMU_INTERPRETER, &interpreted);
    run(EMU_JIT, &many);
    assert_int_equal(interpreted.told, ALL);
    assert_int_equal(many.told + many.swept, ALL);
    assert_memory_equal(many.warp, interpreted.warp, sizeof many.warp);
    if (!emu_native_missing())
        assert_true(many.swept > ALL / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_ways_hear_the_same),
                                       cmocka_unit_test(skipped_blocks_are_not_swept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
