/* SPDX-License-Identifier: Apache-2.0
 *
 * The counting observer: on any stream of accesses its sums equal the sums of the model over the single accesses (so the memo of
 * patterns changes nothing), however the stream is spread over workers; and scalar shared loads are joined as merge.h says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "check/count/atomic.h"
#include "check/count/count.h"
#include "model/model.h"
#include "ptx/merge.h"
#include "ptx/op.h"

enum { INSTRS = 24, ACCESSES = 20000 };

static uint32_t noise(uint32_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 17;
    return *x ^= *x << 5;
}

typedef struct Sample {
    Access   a;
    uint32_t off[LANES];
    uint64_t addr[LANES];
} Sample;

/* Instruction ids fix operation and width, as a program does; patterns repeat often but not always. */
static void sample_make(Sample *s, uint32_t *seed)
{
    static const uint8_t widths[] = {1, 2, 4, 8, 16, 4};
    uint32_t             id       = noise(seed) % INSTRS;
    memset(s, 0, sizeof *s);
    s->a = (Access){.instr = id,
                    .space = (uint8_t)(id % 3),
                    .op    = (uint8_t)(id / 3 % 4),
                    .bytes = widths[id / 4],
                    .cache = id % 5 == 0 ? CACHE_CG : 0};
    if (s->a.space == ACCESS_LOCAL || (s->a.op >= ACCESS_ATOM && s->a.bytes < 4))
        s->a.op = id & 1; /* no atomics there */
    s->a.mask       = noise(seed) % 3 ? UINT32_MAX : noise(seed) | 1u << (noise(seed) & 31);
    uint32_t stride = noise(seed) % 9, wild = noise(seed) % 8 == 0;
    uint64_t base = noise(seed) % 512;
    for (unsigned i = 0; i < LANES; i++) {
        uint64_t at = (base + (wild ? noise(seed) % 700 : i * stride)) * s->a.bytes;
        s->off[i]   = (uint32_t)at;
        s->addr[i]  = 0x7f5500000000u + at + (wild && i == 9 ? UINT64_C(1) << 32 : 0);
        if (!(s->a.mask >> i & 1)) {
            s->off[i]  = noise(seed);
            s->addr[i] = noise(seed);
        }
    }
}

static void sample_send(Observer *o, void *state, Sample *s)
{
    if (s->a.space == ACCESS_GLOBAL)
        s->a.addr = s->addr;
    else
        s->a.off = s->off;
    o->access(state, &s->a);
}

static ModelCost sample_cost(const Profile *p, const Sample *s)
{
    uint64_t addr[LANES];
    for (int i = 0; i < LANES; i++)
        addr[i] = s->a.space == ACCESS_GLOBAL ? s->addr[i] : s->off[i];
    ModelAccess m = {(ModelSpace)s->a.space,
                     (ModelOp)s->a.op,
                     s->a.cache == CACHE_CG ? MODEL_L1_OFF : MODEL_L1_AUTO,
                     s->a.bytes,
                     s->a.mask,
                     addr};
    ModelCost   c;
    model_access(p, &m, &c);
    return c;
}

static void expect(WwCounters *w, const Sample *s, const ModelCost *c)
{
    bool ld = s->a.op == ACCESS_LD, st = s->a.op == ACCESS_ST;
    if (s->a.space == ACCESS_GLOBAL) {
        *(ld ? &w->global_ld_requests : st ? &w->global_st_requests : &w->global_atom_requests) += 1;
        *(ld ? &w->global_ld_sectors : st ? &w->global_st_sectors : &w->global_atom_sectors) += c->sectors;
        w->memory_l1_tag_requests_global += c->tag_requests;
        w->memory_l2_theoretical_sectors_global_ideal += c->ideal;
        w->lines_128 += c->lines_128;
        w->moved_bytes += c->moved_bytes;
        w->useful_bytes += c->useful_bytes;
    } else if (s->a.space == ACCESS_SHARED) {
        *(ld ? &w->shared_ld_inst : st ? &w->shared_st_inst : &w->shared_atom_inst) += 1;
        *(ld ? &w->shared_ld_wavefronts : st ? &w->shared_st_wavefronts : &w->shared_atom_wavefronts) += c->wavefronts;
        *(ld   ? &w->shared_ld_bank_conflicts
          : st ? &w->shared_st_bank_conflicts
               : &w->shared_atom_bank_conflicts) += c->conflicts;
        w->memory_l1_wavefronts_shared += c->wavefronts;
        w->memory_l1_wavefronts_shared_ideal += c->ideal_wavefronts;
    } else {
        *(ld ? &w->local_ld_requests : &w->local_st_requests) += 1;
        *(ld ? &w->local_ld_sectors : &w->local_st_sectors) += c->sectors;
    }
}

static void compare(const WwCounters *got, const WwCounters *want)
{
#define SAME(field) assert_int_equal(got->field, want->field)
    SAME(global_ld_requests);
    SAME(global_ld_sectors);
    SAME(global_st_requests);
    SAME(global_st_sectors);
    SAME(global_atom_requests);
    SAME(global_atom_sectors);
    SAME(shared_ld_inst);
    SAME(shared_ld_wavefronts);
    SAME(shared_ld_bank_conflicts);
    SAME(shared_st_inst);
    SAME(shared_st_wavefronts);
    SAME(shared_st_bank_conflicts);
    SAME(shared_atom_inst);
    SAME(shared_atom_wavefronts);
    SAME(shared_atom_bank_conflicts);
    SAME(local_ld_requests);
    SAME(local_ld_sectors);
    SAME(local_st_requests);
    SAME(local_st_sectors);
    SAME(memory_l1_tag_requests_global);
    SAME(memory_l1_wavefronts_shared);
    SAME(memory_l1_wavefronts_shared_ideal);
    SAME(memory_l2_theoretical_sectors_global_ideal);
    SAME(lines_128);
    SAME(moved_bytes);
    SAME(useful_bytes);
#undef SAME
    assert_int_equal(got->derived__memory_l1_wavefronts_shared_excessive,
                     want->memory_l1_wavefronts_shared - want->memory_l1_wavefronts_shared_ideal);
}

static void sums_are_the_models(void **state)
{
    (void)state;
    for (size_t k = 0; profile_at(k); k++) {
        const Profile *p = profile_at(k);
        for (unsigned workers = 1; workers <= 3; workers += 2) {
            Observer  *o    = count_new(p);
            LaunchInfo info = {.instrs = INSTRS, .workers = workers};
            void      *w[3];
            for (unsigned i = 0; i < workers; i++)
                w[i] = o->fork(o, &info, i);
            WwCounters want = {0}, first = {0};
            uint32_t   seed = 2463534242u;
            for (int i = 0; i < ACCESSES / 10; i++) {
                Sample s;
                sample_make(&s, &seed);
                for (unsigned repeat = 0; repeat < 1 + (seed & 3); repeat++) {
                    sample_send(o, w[((unsigned)i + repeat) % workers], &s);
                    ModelCost c = sample_cost(p, &s);
                    expect(&want, &s, &c);
                    if (s.a.instr == 6)
                        expect(&first, &s, &c);
                }
            }
            for (unsigned i = 0; i < workers; i++)
                o->join(o, w[i]);
            compare(count_total(o), &want);
            compare(count_instr(o, 6), &first);
            assert_int_equal(count_instrs(o), INSTRS);
            assert_null(count_instr(o, INSTRS));
            count_free(o);
        }
    }
}

/* A load and a store of each space, at random places: mostly the same ones; else of other lanes, with a lane elsewhere, or after a load
 * of another space or width. */
static void stores_behind_loads(void **state)
{
    (void)state;
    for (size_t k = 0; profile_at(k); k++) {
        const Profile *p    = profile_at(k);
        Observer      *o    = count_new(p);
        LaunchInfo     info = {.instrs = INSTRS, .workers = 1};
        void          *w    = o->fork(o, &info, 0);
        WwCounters     want = {0};
        uint32_t       seed = 88172645u;
        Sample         s    = {0};
        for (int i = 0; i < ACCESSES / 10; i++) {
            bool     store = i & 1, same = store && noise(&seed) % 4;
            uint32_t id = store && noise(&seed) % 8 ? s.a.instr | 1 : (noise(&seed) % 12) << 1 | store;
            s.a = (Access){.instr = id, .space = (uint8_t)(id / 2 % 3), .op = store, .bytes = (uint8_t)(1 << id / 6)};
            s.a.mask = noise(&seed) % 5 ? UINT32_MAX : noise(&seed) | 1;
            for (unsigned l = 0; l < LANES; l++)
                if (!same || (noise(&seed) & 1023) == 0) {
                    s.off[l]  = noise(&seed) % 4096 * 8;
                    s.addr[l] = 0x7f5500000000u + s.off[l];
                }
            sample_send(o, w, &s);
            ModelCost c = sample_cost(p, &s);
            expect(&want, &s, &c);
        }
        o->join(o, w);
        compare(count_total(o), &want);
        count_free(o);
    }
}

/* ---- merged loads ---------------------------------------------------------------------------------------------------- */

enum { REGS = 40 };
static Reg  regs[REGS];
static Reg *by_index[REGS];

static Func function(Instr *in, size_t n)
{
    for (unsigned i = 0; i < REGS; i++) {
        regs[i].index = i;
        by_index[i]   = &regs[i];
    }
    return (Func){.instrs = in, .ninstrs = n, .regs = by_index, .nregs = REGS};
}

static Opcode opcode(Op op, const char *text, Word space)
{
    Opcode o = {.text = text, .op = op, .ntypes = 1, .types = {TY_F32}};
    if (space != WORD_NONE)
        o.has[space >> 6] |= UINT64_C(1) << (space & 63);
    return o;
}

/* ld.shared.f32 %f<d>, [%r<base> + offset] */
static Instr load(Arena *a, const Opcode *op, unsigned d, unsigned base, int64_t offset)
{
    Operand *o = ARENA_ARRAY(a, Operand, 2);
    o[0]       = (Operand){.kind = OPD_REG, .part = -1, .reg = &regs[d]};
    o[1]       = (Operand){.kind = OPD_MEM, .part = -1, .elem = ARENA_NEW(a, Operand), .ival = offset, .count = 1};
    *o[1].elem = (Operand){.kind = OPD_REG, .part = -1, .reg = &regs[base]};
    return (Instr){.op = op, .nopd = 2, .opd = o};
}

static Instr other(Arena *a, const Opcode *op, unsigned d)
{
    Operand *o = ARENA_NEW(a, Operand);
    *o         = (Operand){.kind = OPD_REG, .part = -1, .reg = &regs[d]};
    return (Instr){.op = op, .nopd = 1, .opd = o};
}

/* mov.u32 %r<d>, to */
static Instr moved(Arena *a, const Opcode *op, unsigned d, int64_t to)
{
    Operand *o = ARENA_ARRAY(a, Operand, 2);
    o[0]       = (Operand){.kind = OPD_REG, .part = -1, .reg = &regs[d]};
    o[1]       = (Operand){.kind = OPD_INT, .part = -1, .ival = to};
    return (Instr){.op = op, .nopd = 2, .opd = o};
}

/* Two neighbours by a register that is a multiple of so much. */
static uint32_t role_of_base(int64_t multiple)
{
    Arena *a  = arena_new();
    Opcode ld = opcode(OP_ld, "ld.shared.f32", WORD_shared), mov = opcode(OP_mov, "mov.u32", WORD_NONE);
    Instr  in[] = {moved(a, &mov, 1, multiple), load(a, &ld, 10, 1, 0), load(a, &ld, 11, 1, 4), load(a, &ld, 12, 1, 8)};
    Func   f    = function(in, sizeof in / sizeof *in);
    uint32_t role[sizeof in / sizeof *in];
    mov.types[0] = TY_U32;
    merge_plan(&f, cfg_build(a, &f), NULL, NULL, role);
    arena_free(a);
    return role[1];
}

static void alignment(void **state)
{
    (void)state;
    assert_int_equal(role_of_base(48) & 15, MERGE_QUAD | MERGE_QUAD1 | MERGE_PAIR | MERGE_PAIR1);
    assert_int_equal(role_of_base(8) & 15, MERGE_PAIR | MERGE_PAIR1);
    assert_int_equal(role_of_base(4) & 15, 0);
}

static void roles(void **state)
{
    (void)state;
    Arena *a  = arena_new();
    Opcode ld = opcode(OP_ld, "ld.shared.f32", WORD_shared), mov = opcode(OP_mov, "mov.u32", WORD_NONE),
           st = opcode(OP_st, "st.shared.f32", WORD_shared), stg = opcode(OP_st, "st.global.f32", WORD_global);
    mov.types[0] = TY_U32;
    Instr in[]   = {
          moved(a, &mov, 1, 0),                                                       /* written again below */
          load(a, &ld, 10, 1, 8),  load(a, &ld, 11, 1, 0),  load(a, &ld, 12, 2, 128), /* another base */
          other(a, &stg, 30),      load(a, &ld, 13, 1, 4),  load(a, &ld, 14, 1, 12),  /* 0 to 12: four */
          load(a, &ld, 15, 1, 16), load(a, &ld, 16, 1, 20),                           /* two */
          load(a, &ld, 17, 1, 16),                                                    /* again: alone */
          other(a, &st, 31),       load(a, &ld, 18, 1, 24),                           /* not across a store: alone */
          moved(a, &mov, 1, 16),   load(a, &ld, 19, 1, 28),                           /* nor across a new base */
          load(a, &ld, 20, 1, 36), load(a, &ld, 21, 1, 40),                           /* 36 is not a multiple of 8 */
    };
    enum { N = sizeof in / sizeof *in };
    Func     f = function(in, N);
    uint32_t role[N];
    merge_plan(&f, cfg_build(a, &f), NULL, NULL, role); /* there are no variables */
    static const uint16_t want[N] = {0,
                                     MERGE_QUAD | MERGE_PAIR | MERGE_PAIR1,
                                     MERGE_QUAD | MERGE_QUAD1 | MERGE_PAIR | MERGE_PAIR1,
                                     0,
                                     0,
                                     MERGE_QUAD | MERGE_PAIR,
                                     MERGE_QUAD | MERGE_PAIR,
                                     MERGE_PAIR | MERGE_PAIR1,
                                     MERGE_PAIR,
                                     0,
                                     0,
                                     0,
                                     0,
                                     0,
                                     0,
                                     0};
    for (int i = 0; i < N; i++)
        assert_int_equal(role[i] & 15, want[i]);
    assert_int_equal(role[1] >> 4, 8);
    arena_free(a);
}

/* Four loads of a uniform word each, as in a tiled product; `skew` moves the base off its alignment in the last execution. */
static WwCounters uniform_loads(const char *profile, uint32_t base, uint32_t skew)
{
    Arena   *a  = arena_new();
    Opcode   ld = opcode(OP_ld, "ld.shared.f32", WORD_shared);
    Instr    in[4];
    Func     f = function(in, 4);
    EmuInstr ids[4];
    uint32_t role[4];
    for (unsigned i = 0; i < 4; i++)
        in[i] = load(a, &ld, 10 + i, 1, 4 * i);
    merge_plan(&f, cfg_build(a, &f), NULL, NULL, role); /* there are no variables */
    for (unsigned i = 0; i < 4; i++)
        ids[i] = (EmuInstr){.func = &f, .in = &in[i], .merges = role[i]};
    LaunchInfo info = {.instrs = 4, .workers = 1, .instr = ids};
    Observer  *o    = count_new(profile_find(profile));
    void      *s    = o->fork(o, &info, 0);
    for (unsigned r = 0; r < 10; r++)
        for (unsigned i = 0; i < 4; i++) {
            uint32_t off[LANES];
            for (unsigned l = 0; l < LANES; l++)
                off[l] = base + 64 * r + 4 * i + (r == 9 ? skew : 0);
            Access x = {
                .instr = i, .space = ACCESS_SHARED, .op = ACCESS_LD, .bytes = 4, .mask = UINT32_MAX, .off = off};
            o->access(s, &x);
        }
    o->join(o, s);
    WwCounters c = *count_total(o);
    count_free(o);
    arena_free(a);
    return c;
}

static void merged_counts(void **state)
{
    (void)state;
    WwCounters c = uniform_loads("sm_90", 1024, 0);
    assert_int_equal(c.shared_ld_inst_ptx, 40);
    assert_int_equal(c.shared_ld_wavefronts_ptx, 40);
    assert_int_equal(c.shared_ld_inst, 10);       /* one 128-bit load for four */
    assert_int_equal(c.shared_ld_wavefronts, 20); /* which takes two passes even when uniform */
    assert_int_equal(c.memory_l1_wavefronts_shared, 20);
    assert_int_equal(c.memory_l1_wavefronts_shared_ideal, 20);
    c = uniform_loads("sm_90", 1032, 0); /* aligned to 8 only */
    assert_int_equal(c.shared_ld_inst, 20);
    assert_int_equal(c.shared_ld_wavefronts, 20);
    c = uniform_loads("sm_90", 1024, 4); /* one unaligned execution: the assembler cannot have joined them */
    assert_int_equal(c.shared_ld_inst, 40);
    assert_int_equal(c.shared_ld_wavefronts, 40);
    c = uniform_loads("sm_60", 1024, 0);
    assert_int_equal(c.shared_ld_inst, 40);
}

/* Passes that `warps` warps of a block take to add to `words` words, lane i to word i modulo words, in this order of warps. */
static uint64_t passes_of_sums(unsigned warps, unsigned words, uint32_t role, bool backwards)
{
    static const Opcode add  = {.text = "red.shared.add.f32", .op = OP_red};
    static const Instr  in   = {.op = &add};
    EmuInstr            id   = {.in = &in, .merges = role};
    LaunchInfo          info = {.instrs = 1, .workers = 1, .instr = &id};
    Observer           *o    = count_new(profile_find("sm_90"));
    void               *s    = o->fork(o, &info, 0);
    for (unsigned block = 0; block < 2; block++)
        for (unsigned w = 0; w < warps; w++) {
            uint32_t off[LANES];
            unsigned warp = backwards ? warps - 1 - w : w;
            for (unsigned i = 0; i < LANES; i++)
                off[i] = 1024 + 4 * ((warp * LANES + i) % words);
            o->access(s, &(Access){.space = ACCESS_SHARED,
                                   .op    = ACCESS_RED,
                                   .bytes = 4,
                                   .mask  = UINT32_MAX,
                                   .warp  = warp,
                                   .block = block,
                                   .off   = off});
        }
    o->join(o, s);
    uint64_t passes = count_total(o)->memory_l1_wavefronts_shared;
    assert_int_equal(passes, count_total(o)->memory_l1_wavefronts_shared_ideal);
    count_free(o);
    return passes / 2;
}

/* Rounds that warps of a block lose to each other, as read on an H200; of one word for all lanes exactly those of up to three warps. */
static void sums_of_warps_take_turns(void **state)
{
    (void)state;
    FILE    *f = fopen(WW_TEST_DATA "/time/rounds_h200.tsv", "r");
    char     line[512];
    unsigned threads, words, read, rows = 0, exact = 0;
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "%u %u %u", &threads, &words, &read) != 3)
            continue;
        unsigned warps = threads / LANES, sums = read - 32 - warps;
        uint64_t made = passes_of_sums(warps, words, MERGE_SWAPS | MERGE_AT_ONCE, false);
        assert_int_equal(made, passes_of_sums(warps, words, MERGE_SWAPS | MERGE_AT_ONCE, true));
        assert_int_equal(passes_of_sums(warps, words, MERGE_SWAPS, false),
                         3 * warps * (words < LANES ? LANES : 1)); /* they come one by one */
        assert_true(warps > (words < LANES ? 3 : 8) || made == sums);
        assert_true((double)made < 1.3 * sums && (double)made > (words < LANES ? 0.85 : 0.95) * sums);
        exact += made == sums;
        rows++;
    }
    fclose(f);
    assert_int_equal(rows, 32);
    assert_true(exact >= 23);
}

/* Scattered atomics of shared memory, as the assembler makes each kind: whichever level counts them, they cost what the model says of each. */
static void scattered_atomics(void **state)
{
    (void)state;
    static const uint32_t roles[] = {0, MERGE_COUNTS, MERGE_COMPARES, MERGE_SCANS, MERGE_LEADER, MERGE_SWAPS};
    static const Opcode   add     = {.text = "red.shared.add.u32", .op = OP_red};
    static const Instr    in      = {.op = &add};
    const Profile        *p       = profile_find("sm_90");
    uint32_t              seed    = 5;
    for (unsigned k = 0; k < sizeof roles / sizeof *roles; k++) {
        EmuInstr   id   = {.in = &in, .merges = roles[k]};
        LaunchInfo info = {.instrs = 1, .workers = 1, .instr = &id};
        Observer  *o    = count_new(p);
        void      *s    = o->fork(o, &info, 0);
        uint64_t   want = 0, plain = 0;
        for (unsigned n = 0; n < 3000; n++) {
            uint32_t off[LANES], mask = noise(&seed) % 4 ? UINT32_MAX : noise(&seed) | 1;
            uint64_t addr[LANES];
            for (unsigned i = 0; i < LANES; i++)
                addr[i] = off[i] = 1024 + 4 * (noise(&seed) % 200);
            ModelAccess m = {MODEL_SHARED, MODEL_RED, MODEL_L1_AUTO, 4, mask, addr};
            ModelCost   c;
            model_access(p, &m, &c);
            plain += c.wavefronts;
            want += atomic_cost(p, roles[k], &m, &c).wavefronts;
            o->access(
                s,
                &(Access){.space = ACCESS_SHARED, .op = ACCESS_RED, .bytes = 4, .mask = mask, .block = n, .off = off});
        }
        o->join(o, s);
        assert_int_equal(count_total(o)->memory_l1_wavefronts_shared, want);
        assert_int_equal(count_total(o)->shared_atom_wavefronts, plain);
        count_free(o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_are_the_models),
                                       cmocka_unit_test(stores_behind_loads),
                                       cmocka_unit_test(roles),
                                       cmocka_unit_test(merged_counts),
                                       cmocka_unit_test(alignment),
                                       cmocka_unit_test(scattered_atomics),
                                       cmocka_unit_test(sums_of_warps_take_turns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
