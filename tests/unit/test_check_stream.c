/* SPDX-License-Identifier: Apache-2.0
 *
 * What the time model keeps of global accesses: pairs of sectors that L2 fetches, sectors that are stored in part, turns of atomics. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check/time/stream.h"
#include "model/time.h"
#include "ptx/ptx.h"

enum { BASE = 1 << 24, CONTIGUOUS = 0, INTEGER = 0, FLOAT = 1, DOUBLE = 2, INC = 3, INSTRS = 4 };

typedef struct Run {
    Observer  *o;
    void      *worker[2];
    LaunchInfo info;
    StreamSum  sum;
} Run;

static const Opcode u32 = {.ntypes = 1, .types = {TY_U32}}, f32 = {.ntypes = 1, .types = {TY_F32}},
                    f64       = {.ntypes = 1, .types = {TY_F64}};
static Opcode         inc     = {.ntypes = 1, .types = {TY_U32}};
static const Instr    add_u32 = {.op = &u32}, add_f32 = {.op = &f32}, add_f64 = {.op = &f64}, inc_u32 = {.op = &inc};
static const EmuInstr instrs[INSTRS] = {{.in = &add_u32}, {.in = &add_f32}, {.in = &add_f64}, {.in = &inc_u32}};

static Run begin(StreamSetting is)
{
    is.sms      = 132;
    is.resident = 1;
    Run r = {.o = stream_new(&is), .info = {{1, 1, 1}, {256, 1, 1}, .instrs = INSTRS, .workers = 2, .instr = instrs}};
    for (unsigned i = 0; i < 2; i++)
        r.worker[i] = r.o->fork(r.o, &r.info, i);
    return r;
}

/* A warp's access of `bytes` a lane, the lanes so many bytes apart (CONTIGUOUS: side by side), the first of them at `from`. */
static void access_of(Run *r, unsigned worker, AccessOp op, uint32_t instr, uint8_t bytes, uint64_t from,
                      uint64_t stride)
{
    uint64_t addr[LANES];
    for (unsigned i = 0; i < LANES; i++)
        addr[i] = BASE + from + i * (stride ? stride : bytes);
    r->o->access(r->worker[worker],
                 &(Access){.instr = instr, .op = (uint8_t)op, .bytes = bytes, .mask = UINT32_MAX, .addr = addr});
}

static void end(Run *r)
{
    for (unsigned i = 0; i < 2; i++)
        r->o->join(r->o, r->worker[i]);
    stream_replay(r->o, &r->sum);
    stream_free(r->o);
}

/* One sector in 64 bytes: the other one comes with it, and whoever asks for it later finds it. */
static void a_sector_brings_its_neighbour(void **state)
{
    (void)state;
    for (unsigned pairs = 0; pairs < 2; pairs++) {
        Run r = begin((StreamSetting){.pairs = pairs});
        access_of(&r, 0, ACCESS_LD, 0, 4, 32, 64);
        end(&r);
        assert_int_equal(r.sum.seen.missed, 32);
        assert_int_equal(r.sum.seen.fetched, pairs ? 64 : 32);
        assert_int_equal(r.sum.seen.all, r.sum.seen.fetched);
        r = begin((StreamSetting){.pairs = pairs});
        access_of(&r, 0, ACCESS_LD, 0, 4, 32, 64);
        access_of(&r, 1, ACCESS_LD, 0, 4, 0, 64);
        end(&r);
        assert_int_equal(r.sum.seen.missed, pairs ? 32 : 64);
        assert_int_equal(r.sum.seen.fetched, 64);
    }
}

static void a_request_for_both_misses_both(void **state)
{
    (void)state;
    Run r = begin((StreamSetting){.pairs = true});
    access_of(&r, 0, ACCESS_LD, 0, 4, 0, CONTIGUOUS); /* one line */
    access_of(&r, 1, ACCESS_LD, 0, 4, 4096 + 32,
              32); /* 32 sectors, the first and the last of which share their pair with nobody */
    end(&r);
    assert_int_equal(r.sum.seen.missed, 4 + 32);
    assert_int_equal(r.sum.seen.fetched, 4 + 34);
    r = begin((StreamSetting){.pairs = true}); /* updates pass L2 one by one */
    access_of(&r, 0, ACCESS_RED, INTEGER, 4, 0, CONTIGUOUS);
    end(&r);
    assert_int_equal(r.sum.seen.missed, 2);
    assert_int_equal(r.sum.seen.fetched, 4);
    assert_int_equal(r.sum.seen.written, 4);
}

/* Of sectors that are stored in part the rest is read some day; of whole ones nothing. */
static void what_is_stored_in_part_is_read(void **state)
{
    (void)state;
    Run r = begin((StreamSetting){.pairs = true});
    access_of(&r, 0, ACCESS_ST, 0, 4, 0, 32);
    end(&r);
    assert_int_equal(r.sum.seen.written, 32);
    assert_int_equal(r.sum.seen.partly, 32);
    assert_int_equal(r.sum.seen.fetched, 0);
    static const uint8_t widths[] = {1, 4, 16, 32};
    for (unsigned i = 0; i < sizeof widths; i++) {
        r = begin((StreamSetting){.pairs = true});
        access_of(&r, 0, ACCESS_ST, 0, widths[i], 0, CONTIGUOUS);
        end(&r);
        assert_int_equal(r.sum.seen.written, widths[i]);
        assert_int_equal(r.sum.seen.partly, 0);
    }
}

/* Warp 1 finds what warp 0 has loaded in the round before, warp 2 waits for device memory each time: the block waits for it. */
static void the_slowest_warp_of_a_block_is_told(void **state)
{
    (void)state;
    Run      r = begin((StreamSetting){.l1_bytes = 1 << 17, .clocks = {34, 280, 750}});
    uint64_t addr[LANES];
    for (unsigned round = 0; round < 4; round++)
        for (unsigned warp = 0; warp < 3; warp++) {
            for (unsigned i = 0; i < LANES; i++)
                addr[i] = BASE + 4 * i + (warp == 2 ? (1 << 16) + 128 * round : 128 * (warp == 0 && !round));
            r.o->access(
                r.worker[0],
                &(Access){
                    .instr = round % 2, .op = ACCESS_LD, .bytes = 4, .warp = warp, .mask = UINT32_MAX, .addr = addr});
        }
    for (unsigned i = 0; i < 2; i++)
        r.o->join(r.o, r.worker[i]);
    stream_replay(r.o, &r.sum);
    for (unsigned i = 0; i < 2; i++) {
        const StreamHits *h = stream_instr(r.o, i);
        assert_int_equal(h->accesses, 6);
        assert_int_equal(h->slow[FETCH_DRAM], 2);
        assert_int_equal(h->slow[FETCH_L2] + h->slow[FETCH_NEAR], 0);
        assert_true(h->from[FETCH_DRAM] < 6);
    }
    stream_free(r.o);
}

/* By two warps of different workers, half each; and a load that brings what was not stored. */
static void stores_fill_sectors_together(void **state)
{
    (void)state;
    Run r = begin((StreamSetting){0});
    access_of(&r, 0, ACCESS_ST, 0, 16, 0, 32);
    access_of(&r, 1, ACCESS_ST, 0, 16, 16, 32);
    access_of(&r, 0, ACCESS_ST, 0, 16, 8192, 32); /* these stay halves */
    access_of(&r, 1, ACCESS_ST, 0, 2, 16384, 32);
    access_of(&r, 0, ACCESS_LD, 0, 4, 16384, 32);
    end(&r);
    assert_int_equal(r.sum.seen.written, 96);
    assert_int_equal(r.sum.seen.partly, 32);
    assert_int_equal(r.sum.seen.fetched, 32);
}

/* Loads, stores of whole and of part sectors, and updates; other ones for the two workers. */
static void mixed(Run *r, unsigned worker)
{
    for (uint64_t i = 0; i < 20; i++) {
        access_of(r, worker, ACCESS_LD, 0, 4, 4096 * i + 64 * worker, i % 3 ? 64 : CONTIGUOUS);
        access_of(r, worker, ACCESS_ST, 0, i % 2 ? 4 : 16, (1 << 20) + 512 * i + 2048 * worker, 32);
        access_of(r, worker, ACCESS_RED, i % 2 ? FLOAT : INTEGER, 4, (3 << 20) + 128 * i * worker, 0);
    }
}

/* What two processes have seen becomes what two workers of one have; a parcel that is cut off is no harm. */
static void processes_join_as_workers_do(void **state)
{
    (void)state;
    Run    one = begin((StreamSetting){.pairs = true, .slices = 96});
    Run    two[2];
    Parcel p = {0};
    for (unsigned i = 0; i < 2; i++) {
        two[i] = begin((StreamSetting){.pairs = true, .slices = 96});
        mixed(&one, i);
        mixed(&two[i], i);
        two[i].o->join(two[i].o, two[i].worker[0]);
        two[i].o->join(two[i].o, two[i].worker[1]);
    }
    end(&one);
    stream_put(two[1].o, &p);
    assert_true(one.sum.seen.written && one.sum.seen.partly && one.sum.updates.passes);
    stream_add(two[0].o, &p);
    assert_false(p.bad);
    assert_int_equal(p.at, p.n);
    stream_replay(two[0].o, &two[0].sum);
    assert_memory_equal(&two[0].sum.seen, &one.sum.seen, sizeof one.sum.seen);
    assert_memory_equal(&two[0].sum.updates, &one.sum.updates, sizeof one.sum.updates);
    assert_int_equal(two[0].sum.busy_blocks * 1000, one.sum.busy_blocks * 1000);
    assert_int_equal(two[0].sum.uneven * 1000, one.sum.uneven * 1000);
    for (size_t n = p.n; n; n = n / 7 * 5) {
        p.at  = 0;
        p.bad = false;
        p.n   = n - 1;
        stream_add(two[1].o, &p);
    }
    stream_free(two[0].o);
    stream_free(two[1].o);
    parcel_free(&p);
}

/* The first warp asks for a sector of each pair; `later` accesses find them on their way, in L1, or in L2. */
static void warps_wait_for_what_is_on_its_way(void **state)
{
    (void)state;
    for (unsigned big = 0; big < 2; big++) { /* L1: nothing stays, or all */
        Run        r = begin((StreamSetting){.pairs = true, .l1_bytes = big ? 65536 : 0});
        StreamHits h;
        for (unsigned warp = 0; warp < 2; warp++)
            for (unsigned time = 0; time < 2; time++) {
                uint64_t addr = BASE;
                r.o->access(r.worker[0],
                            &(Access){.warp = warp, .op = ACCESS_LD, .bytes = 4, .mask = 1, .addr = &addr});
                addr = BASE + 32; /* the other one of the pair */
                r.o->access(r.worker[0],
                            &(Access){.instr = 1, .warp = warp, .op = ACCESS_LD, .bytes = 4, .mask = 1, .addr = &addr});
            }
        r.o->join(r.o, r.worker[0]);
        r.o->join(r.o, r.worker[1]);
        stream_replay(r.o, &r.sum);
        h = *stream_instr(r.o, 0);
        assert_int_equal(h.accesses, 4);
        assert_int_equal(h.from[FETCH_DRAM], 2); /* both warps at once, the first time */
        assert_int_equal(h.from[FETCH_L2], big ? 0 : 2);
        assert_int_equal(h.hits, big ? 3 : 0);
        h = *stream_instr(r.o, 1);
        assert_int_equal(h.from[FETCH_DRAM], 0);
        assert_int_equal(h.from[FETCH_L2], big ? 2 : 4);
        stream_free(r.o);
    }
}

/* What is stored is in L2, updates pass L1 by, and each line waits for its last sector. */
static void accesses_come_from_as_far_as_their_last_sector(void **state)
{
    (void)state;
    Run        r = begin((StreamSetting){.l1_bytes = 65536});
    StreamHits h;
    access_of(&r, 0, ACCESS_ST, 3, 4, 0, CONTIGUOUS);
    access_of(&r, 0, ACCESS_LD, 0, 4, 0, CONTIGUOUS);
    access_of(&r, 0, ACCESS_LD, 0, 8, 0, CONTIGUOUS); /* half of it anew */
    access_of(&r, 0, ACCESS_RED, 1, 4, 0, CONTIGUOUS);
    access_of(&r, 0, ACCESS_RED, 1, 4, 4096, CONTIGUOUS);
    r.o->join(r.o, r.worker[0]);
    r.o->join(r.o, r.worker[1]);
    stream_replay(r.o, &r.sum);
    h = *stream_instr(r.o, 0);
    assert_int_equal(h.from[FETCH_L2], 1);
    assert_int_equal(h.from[FETCH_DRAM], 1);
    assert_int_equal(h.sectors, 12);
    assert_int_equal(h.hits, 4);
    h = *stream_instr(r.o, 1);
    assert_int_equal(h.from[FETCH_L2], 1);
    assert_int_equal(h.from[FETCH_DRAM], 1);
    assert_int_equal(h.sectors, 0);
    assert_int_equal(stream_instr(r.o, 3)->accesses, 0);
    stream_free(r.o);
}

/* Real and imaginary parts, one store after the other; then with a load in between. */
static void stores_join_before_they_leave_l1(void **state)
{
    (void)state;
    Run r = begin((StreamSetting){0});
    access_of(&r, 0, ACCESS_ST, 0, 4, 0, 8);
    access_of(&r, 0, ACCESS_ST, 0, 4, 4, 8);
    access_of(&r, 0, ACCESS_LD, 0, 4, 4096, CONTIGUOUS);
    access_of(&r, 0, ACCESS_ST, 0, 4, 4, 8);
    access_of(&r, 0, ACCESS_ST, 0, 4, 128, CONTIGUOUS); /* one of the two lines, and no byte of another */
    end(&r);
    assert_int_equal(r.sum.stored, 8 + 8 + 8 + 4);
    assert_int_equal(r.sum.joined, 8 + 4);
}

/* Volatile loads, and those that see what other blocks write, pass L1 by. */
static void l1_is_not_asked_for_what_others_write(void **state)
{
    (void)state;
    uint64_t addr = BASE;
    Run      r    = begin((StreamSetting){.l1_bytes = 65536});
    Access   each = {.op = ACCESS_LD, .bytes = 4, .mask = 1, .addr = &addr};
    for (unsigned i = 0; i < 8; i++) {
        each.is_volatile = i == 1;
        each.sem         = i < 2 ? SEM_WEAK : i < 5 ? SEM_RELAXED : SEM_ACQUIRE;
        each.scope       = i < 2 ? SCOPE_NONE : i % 3 ? SCOPE_CTA : SCOPE_GPU; /* 3 and 6 */
        r.o->access(r.worker[0], &each);
    }
    end(&r);
    assert_int_equal(r.sum.l1.sectors, 8);
    assert_int_equal(r.sum.l1.hits, 8 - 4); /* the first, and those three */
}

/* Four texels of each lane, of two rows: one access that asks for each sector once. */
static void texels_of_a_fetch_are_one_access(void **state)
{
    (void)state;
    Run      r = begin((StreamSetting){.l1_bytes = 65536});
    uint64_t addr[LANES];
    Access fetch = {.space = ACCESS_TEXTURE, .op = ACCESS_LD, .bytes = 4, .mask = UINT32_MAX, .nc = true, .addr = addr};
    for (unsigned time = 0; time < 2; time++) /* the second finds everything in L1 */
        for (unsigned texel = 0; texel < 4; texel++) {
            for (unsigned i = 0; i < LANES; i++)
                addr[i] = BASE + 4 * i + 4 * (texel & 1) + (texel & 2 ? 4096 : 0);
            fetch.texel = (uint8_t)texel;
            r.o->access(r.worker[0], &fetch);
        }
    access_of(&r, 0, ACCESS_LD, 1, 4, 1 << 20, CONTIGUOUS);
    r.o->join(r.o, r.worker[0]);
    r.o->join(r.o, r.worker[1]);
    stream_replay(r.o, &r.sum);
    assert_int_equal(stream_instr(r.o, 0)->accesses, 2);
    assert_int_equal(stream_instr(r.o, 0)->lines, 2 * 4); /* each row's last lane reads a texel of the next line */
    assert_int_equal(r.sum.textured, 2 * 10);
    assert_int_equal(r.sum.texture.sectors, 2 * 10);
    assert_int_equal(r.sum.texture.hits, 10);
    assert_int_equal(r.sum.l1.sectors, 4); /* the load alone */
    assert_int_equal(r.sum.drawn, 0);
    stream_free(r.o);
    r = begin((StreamSetting){0});
    for (unsigned i = 0; i < LANES; i++)
        addr[i] = BASE + 32 * i;
    r.o->access(r.worker[1],
                &(Access){.space = ACCESS_SURFACE, .op = ACCESS_ST, .bytes = 4, .mask = UINT32_MAX, .addr = addr});
    end(&r);
    assert_int_equal(r.sum.drawn, LANES);
    assert_int_equal(r.sum.textured, 0);
    assert_int_equal(r.sum.seen.written, LANES);
}

/* Fetches that are scattered so far that no list holds their lines are counted all the same. */
static void a_scattered_fetch_loses_nothing(void **state)
{
    (void)state;
    Run      r = begin((StreamSetting){0});
    uint64_t addr[LANES];
    for (unsigned texel = 0; texel < 8; texel++) {
        for (unsigned i = 0; i < LANES; i++)
            addr[i] = BASE + 4096 * (i + LANES * texel);
        r.o->access(r.worker[0], &(Access){.space = ACCESS_TEXTURE,
                                           .op    = ACCESS_LD,
                                           .texel = (uint8_t)texel,
                                           .bytes = 4,
                                           .mask  = UINT32_MAX,
                                           .addr  = addr});
    }
    end(&r);
    assert_int_equal(r.sum.textured, 8 * LANES);
    assert_int_equal(r.sum.seen.fetched, 8 * LANES);
}

/* 2 KiB of the host's, of which the first KiB moves; its neighbours are the card's. */
static void memory_of_the_host_is_told_apart(void **state)
{
    (void)state;
    static const HostRange range[] = {{BASE + 1024, BASE + 2048, true}, {BASE + 2048, BASE + 3072, false}};
    const StreamSetting    is      = {.clocks = {34, 280, 750, 2273}, .host = {range, 2}};
    Run                    r       = begin(is);
    for (unsigned i = 0; i < 32; i++) /* 4 KiB */
        access_of(&r, i % 2, ACCESS_LD, i / 8, 4, 128 * i, CONTIGUOUS);
    access_of(&r, 0, ACCESS_ST, 0, 4, 2048, CONTIGUOUS);
    access_of(&r, 1, ACCESS_ST, 0, 4, 0, CONTIGUOUS);
    for (unsigned i = 0; i < 2; i++)
        r.o->join(r.o, r.worker[i]);
    stream_replay(r.o, &r.sum);
    assert_int_equal(r.sum.seen.host_read, 32);
    assert_int_equal(r.sum.seen.host_written, 4);
    assert_int_equal(r.sum.seen.moved, 32);
    assert_int_equal(r.sum.seen.fetched, 96);
    assert_int_equal(r.sum.seen.written, 4);
    assert_int_equal(stream_instr(r.o, 2)->from[FETCH_HOST] > 0, 1);
    for (unsigned i = 0; i < INSTRS; i++)
        assert_true(i == 2 || !stream_instr(r.o, i)->from[FETCH_HOST]);
    stream_free(r.o);
}

/* Of 4 blocks of 8 warps, two warps of the first make 9 accesses each, one of the second 6. */
static void work_may_lie_with_few_blocks(void **state)
{
    (void)state;
    Run      r      = {.o    = stream_new(&(StreamSetting){.sms = 132, .resident = 1}),
                       .info = {{4, 1, 1}, {256, 1, 1}, .instrs = INSTRS, .workers = 1, .instr = instrs}};
    void    *worker = r.o->fork(r.o, &r.info, 0);
    uint64_t addr   = BASE;
    for (unsigned i = 0; i < 24; i++)
        r.o->access(
            worker,
            &(Access){
                .block = i >= 18, .warp = i < 18 ? i % 2 : 3, .op = ACCESS_LD, .bytes = 4, .mask = 1, .addr = &addr});
    assert_non_null(r.o->warp_end);
    for (unsigned i = 0; i < 32; i++)
        r.o->warp_end(worker, i / 8, i % 8, i == 3 ? 690 : 10);
    r.o->join(r.o, worker);
    stream_replay(r.o, &r.sum);
    assert_int_equal(r.sum.busy_blocks * 10, 16); /* 24^2 / (18^2 + 6^2) */
    assert_int_equal(r.sum.longest * 100, 96);    /* 9 of (9 + 6) / 1.6 */
    assert_int_equal(r.sum.uneven * 100, 2208);   /* 690 of (31 * 10 + 690) / 32 */
    assert_int_equal(r.sum.heaviest * 100, 76);   /* 760 of 1000 */
    stream_free(r.o);
}

static UpdatesSum updates(StreamSetting is, uint32_t instr, uint8_t bytes, uint64_t stride, unsigned warps)
{
    Run r = begin(is);
    for (unsigned i = 0; i < warps; i++)
        access_of(&r, i % 2, ACCESS_RED, instr, bytes, (uint64_t)i * LANES * bytes, stride);
    end(&r);
    return r.sum.updates;
}

/* Turns of the busiest slice, as read on an H100: word by word, or the words of a sector at once. */
static void slices_take_turns(void **state)
{
    (void)state;
    static const unsigned counts[] = {80, 96, UPDATE_SLICES};
    for (unsigned i = 0; i < 3; i++) {
        StreamSetting is = {.slices = counts[i]};
        assert_true(updates(is, INTEGER, 4, CONTIGUOUS, 1).turns == 4);
        assert_true(updates(is, INTEGER, 8, CONTIGUOUS, 1).turns == 8); /* 256 bytes are one slice's */
        assert_true(updates(is, INTEGER, 4, 32, 1).turns == 16 * 1.25); /* 1 KiB: two slices; a word of each sector */
        assert_true(updates(is, INTEGER, 4, 128, 1).turns == 4 * 1.25); /* 4 KiB: eight */
        assert_true(updates(is, INTEGER, 4, 4096, 1).turns == 1.25);    /* pages: one each */
        assert_true(updates(is, DOUBLE, 8, CONTIGUOUS, 1).turns == 16); /* two doubles a turn */
        assert_true(updates(is, DOUBLE, 8, CONTIGUOUS, 8).turns == 32); /* 2 KiB: four slices */
        assert_int_equal(updates(is, INTEGER, 4, 32, 1).passes, 32);
    }
}

static UpdatesSum one_word(StreamSetting is, uint32_t instr, AccessOp op)
{
    uint64_t addr[LANES];
    Run      r = begin(is);
    for (unsigned i = 0; i < LANES; i++)
        addr[i] = BASE;
    r.o->access(
        r.worker[0],
        &(Access){
            .instr = instr, .op = (uint8_t)op, .bytes = instr == DOUBLE ? 8 : 4, .mask = UINT32_MAX, .addr = addr});
    end(&r);
    return r.sum.updates;
}

static void lanes_update_one_word_one_by_one(void **state)
{
    (void)state;
    StreamSetting is = {.slices = 96};
    UpdatesSum    u  = one_word(is, INTEGER, ACCESS_RED);
    assert_int_equal(u.hottest, 32);
    assert_int_equal(u.hottest_float, 0);
    assert_int_equal(u.passes, 32);
    assert_true(u.turns == 32 * 1.25);
    for (uint32_t i = FLOAT; i <= DOUBLE; i++) {
        u = one_word(is, i, ACCESS_ATOM);
        assert_int_equal(u.hottest, 0);
        assert_int_equal(u.hottest_float, 32);
        assert_true(u.turns == 32 * 1.25);
    }
    is.slices = 0; /* not known */
    assert_true(one_word(is, INTEGER, ACCESS_RED).turns == 0);
}

/* Warps reduce integers that they add, not floats, and not what inc and dec do. */
static void warps_join_what_they_can_reduce(void **state)
{
    (void)state;
    StreamSetting is       = {.slices = 96, .joins = true};
    inc.has[WORD_inc >> 6] = UINT64_C(1) << (WORD_inc & 63);
    assert_int_equal(one_word(is, INTEGER, ACCESS_RED).hottest, 1);
    assert_int_equal(one_word(is, INTEGER, ACCESS_RED).passes, 1);
    assert_int_equal(one_word(is, FLOAT, ACCESS_RED).hottest_float, 32);
    assert_int_equal(one_word(is, INC, ACCESS_ATOM).hottest, 32);
}

static FILE *readings(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, WW_TEST_DATA "/time/%s", name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    return f;
}

/* Of launches on an H100: the share of hits, and what device memory reads for a sector that L2 is asked for, of fewer warps of the same kind.
 * Not alike: updates of a sector in 64 bytes hit half the time and read 48 of them; stores to parts of lines miss now and then, and begin to leave
 * L2 before it is full. */
static void pairs_and_parts_are_as_read_on_an_h100(void **state)
{
    enum { WARPS = 64 };
    (void)state;
    FILE    *f = readings("l2_h100.tsv");
    char     line[512], kernel[32];
    unsigned bytes, stride, again, rows = 0;
    double   threads, asked, hits, reads;
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "%31s %lf %u %u %u %lf %lf %lf", kernel, &threads, &bytes, &stride, &again, &asked, &hits,
                   &reads) != 8)
            continue;
        bool load = strstr(kernel, "load") != NULL, update = strcmp(kernel, "update") == 0, leaves = threads > 262144;
        Run  r = begin((StreamSetting){.pairs = true});
        for (unsigned i = 0; i < WARPS; i++) {
            AccessOp first = load ? ACCESS_LD : update ? ACCESS_RED : ACCESS_ST;
            bool     half  = strcmp(kernel, "sectors") == 0; /* lanes 16 bytes apart, sectors `stride` */
            uint64_t from  = (uint64_t)i * LANES * (half ? stride / 2 : stride);
            for (unsigned k = 0; half && k < 2; k++)
                access_of(&r, i % 2, ACCESS_ST, 0, 32, from, stride);
            if (!half)
                access_of(&r, i % 2, first, 0, (uint8_t)bytes, from, stride);
            if (again)
                access_of(&r, i % 2, strcmp(kernel, "load") == 0 ? ACCESS_LD : ACCESS_ST, 0, (uint8_t)bytes,
                          from + again, stride);
        }
        end(&r);
        double each   = asked / threads * WARPS * LANES; /* sectors that these warps ask for */
        double missed = (double)r.sum.seen.missed / each,
               read   = (double)(r.sum.seen.fetched + (leaves ? r.sum.seen.partly : 0)) / each;
        if (!update || stride <= 32)
            assert_true(1 - missed > hits / asked - 0.05 && 1 - missed < hits / asked + (load || update ? 0.05 : 0.15));
        if (!update && (load || leaves))
            assert_true(read > reads / 32 / asked - 0.2 && read < reads / 32 / asked + 0.05);
        rows++;
    }
    fclose(f);
    assert_int_equal(rows, 35);
}

/* A launch of so many blocks of one warp, which loads `words` words of 4 bytes, `stride` bytes apart: all the same ones, or each its own. */
static StreamSum loads_of_blocks(unsigned blocks, unsigned words, unsigned stride, bool same)
{
    StreamSetting is = {.pairs = true, .l1_bytes = 1 << 17, .sms = 132, .resident = 1};
    Run           r  = {.o    = stream_new(&is),
                        .info = {{blocks, 1, 1}, {32, 1, 1}, .instrs = INSTRS, .workers = 2, .instr = instrs}};
    for (unsigned i = 0; i < 2; i++)
        r.worker[i] = r.o->fork(r.o, &r.info, i);
    for (unsigned b = 0; b < blocks; b++)
        for (unsigned k = 0; k < words; k += LANES) {
            uint64_t addr[LANES];
            for (unsigned i = 0; i < LANES; i++)
                addr[i] = BASE + ((uint64_t)(same ? 0 : b) * words + k + i) * stride;
            r.o->access(r.worker[b & 1],
                        &(Access){.op = ACCESS_LD, .bytes = 4, .mask = UINT32_MAX, .block = b, .addr = addr});
        }
    end(&r);
    return r.sum;
}

/* Of few blocks several are looked at, and more of each. */
static void few_blocks_are_looked_at(void **state)
{
    (void)state;
    StreamSum s = loads_of_blocks(4, 1024, 32, true);
    assert_int_equal(s.blocks, 4);
    assert_float_equal(s.shared, 1, 1e-9);
    s = loads_of_blocks(4, 1024, 32, false);
    assert_float_equal(s.shared, 0, 1e-9);
    s = loads_of_blocks(1, 1 << 18, 128, true);
    assert_int_equal(s.cut, 0);
    assert_float_equal(s.shared, 0, 1e-9);
}

/* Multiprocessors that load the same at once: how often L2 is asked for it.  Which of few join is the card's chance; of 32 and more the number is as read
 * within a quarter, and of what each loads for itself exactly so. */
static void loads_join_as_read_on_an_h200(void **state)
{
    (void)state;
    Timing   t;
    FILE    *f = readings("joined_h200.tsv");
    char     line[512], kind[8];
    unsigned blocks, words, stride, l1, l2, rows = 0;
    assert_true(timing_of(profile_find("h200"), &t, NULL));
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "%7s %u %u %u %u %u", kind, &blocks, &words, &stride, &l1, &l2) != 6)
            continue;
        StreamSum s     = loads_of_blocks(blocks, words, stride, kind[0] == 's');
        double    asked = time_joined(&t, l1, s.shared, blocks), ratio = asked / l2;
        assert_true(asked > 0.999 * l1 / blocks && asked <= l1);
        if (kind[0] == 'o' || blocks == 1)
            assert_float_equal(ratio, 1, 1e-9);
        else if (blocks >= 32)
            assert_true(ratio > 0.75 && ratio < 1.25);
        rows++;
    }
    fclose(f);
    assert_int_equal(rows, 49);
    t.joined_sms = 0; /* not known */
    assert_float_equal(time_joined(&t, 1000, 1, 132), 1000, 1e-9);
}

/* The clocks of a warp's access, of many: those of its slice's turns, or of its word.  A quarter more or less; a few lines that share a slice
 * take up to a half longer there. */
static void turns_are_as_read_on_an_h100(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t    instr;
        uint8_t     bytes;
    } types[] = {{"u32", INTEGER, 4}, {"u64", INTEGER, 8}, {"f32", FLOAT, 4}, {"f64", DOUBLE, 8}};
    Timing   t;
    FILE    *f = readings("atomics_h100.tsv");
    char     line[512], type[8];
    unsigned words, stride, rows = 0, near = 0;
    double   us;
    assert_true(timing_of(profile_find("h100"), &t, NULL));
    while (fgets(line, sizeof line, f)) {
        uint64_t addr[LANES];
        size_t   k = 0;
        if (sscanf(line, "%7s %u %u %lf", type, &words, &stride, &us) != 4)
            continue;
        while (strcmp(types[k].name, type) != 0)
            k++;
        for (unsigned i = 0; i < LANES; i++)
            addr[i] = BASE + (uint64_t)(i % words) * stride;
        Run r = begin((StreamSetting){.slices = (unsigned)t.l2_slices});
        r.o->access(
            r.worker[0],
            &(Access){
                .instr = types[k].instr, .op = ACCESS_RED, .bytes = types[k].bytes, .mask = UINT32_MAX, .addr = addr});
        end(&r);
        double slice = r.sum.updates.turns * t.turn_clocks, word = (double)r.sum.updates.hottest_float * t.float_clocks;
        double ratio = (slice > word ? slice : word) / ((us - 2.5) * 1980 / (264 * 8 * 64));
        near += ratio > 0.75 && ratio < 1.25;
        assert_true(ratio > 0.65 && ratio < 1.25);
        rows++;
    }
    fclose(f);
    assert_int_equal(rows, 144);
    assert_true(near >= 110);
}

/* The clocks of a warp's store on a busy multiprocessor: sectors and lines, of one alone by what it sends, of all by what L2 takes.  A quarter more
 * or less: whole lines and, of all, half sectors are furthest off. */
static void stores_are_as_read_on_an_h100(void **state)
{
    enum { SMS = 132, MANY = 1000 }; /* stores of each multiprocessor */
    (void)state;
    Timing   t;
    FILE    *f = readings("stores_h100.tsv");
    char     line[512], kind[8];
    unsigned blocks, warps, stride, rows = 0, near = 0;
    double   clocks;
    assert_true(timing_of(profile_find("h100"), &t, NULL));
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "%7s %u %u %u %lf", kind, &blocks, &warps, &stride, &clocks) != 5)
            continue;
        Run r = begin((StreamSetting){0});
        access_of(&r, 0, ACCESS_ST, 0, 4, 0, stride);
        end(&r);
        double         many = (double)blocks * MANY;
        TimeWork       w    = {.blocks       = blocks,
                               .warps        = (double)blocks * warps,
                               .resident     = 1,
                               .sms          = SMS,
                               .l2_sectors   = (double)r.sum.stored * many,
                               .stored       = (double)r.sum.stored * many,
                               .stored_lines = (double)r.sum.stored_lines * many};
        TimePrediction p;
        assert_true(time_predict(&t, &w, &p));
        double ratio = p.part[TIME_L2] / MANY / clocks;
        near += ratio > 0.9 && ratio < 1.1;
        assert_true(ratio > 0.74 && ratio < 1.25);
        rows++;
    }
    fclose(f);
    assert_int_equal(rows, 17);
    assert_true(near >= 13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_sector_brings_its_neighbour),
                                       cmocka_unit_test(a_request_for_both_misses_both),
                                       cmocka_unit_test(what_is_stored_in_part_is_read),
                                       cmocka_unit_test(the_slowest_warp_of_a_block_is_told),
                                       cmocka_unit_test(stores_fill_sectors_together),
                                       cmocka_unit_test(processes_join_as_workers_do),
                                       cmocka_unit_test(warps_wait_for_what_is_on_its_way),
                                       cmocka_unit_test(accesses_come_from_as_far_as_their_last_sector),
                                       cmocka_unit_test(texels_of_a_fetch_are_one_access),
                                       cmocka_unit_test(a_scattered_fetch_loses_nothing),
                                       cmocka_unit_test(memory_of_the_host_is_told_apart),
                                       cmocka_unit_test(work_may_lie_with_few_blocks),
                                       cmocka_unit_test(stores_join_before_they_leave_l1),
                                       cmocka_unit_test(l1_is_not_asked_for_what_others_write),
                                       cmocka_unit_test(slices_take_turns),
                                       cmocka_unit_test(lanes_update_one_word_one_by_one),
                                       cmocka_unit_test(warps_join_what_they_can_reduce),
                                       cmocka_unit_test(pairs_and_parts_are_as_read_on_an_h100),
                                       cmocka_unit_test(few_blocks_are_looked_at),
                                       cmocka_unit_test(loads_join_as_read_on_an_h200),
                                       cmocka_unit_test(turns_are_as_read_on_an_h100),
                                       cmocka_unit_test(stores_are_as_read_on_an_h100)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
