/* SPDX-License-Identifier: Apache-2.0
 *
 * Predicts a launch's time on the profile's card (WW_OBSERVE_TIME): gathers what the models want from the counting observer, the streams of
 * accesses and the machine code, and asks model/time.h.
 *
 * Machine code is the program's own, where it has lines of this text, else what the ptxas at hand makes of it; without one, or where it
 * refuses, what PTX becomes here stands in for it (check/time/standin.h), and `source` says so.  A module is assembled once.
 *
 * DRAM: a launch that finds L2 empty reads each sector that it loads once, on some cards with its neighbour, and what it stores stays in L2 as far
 * as that holds it; sectors that were stored in part are filled when they leave.  A launch that is one of many alike (warm) finds there what fits.
 * A card of cc 1.x has no L2: every transaction reaches DRAM.
 * What is evicted and read again is left out.  Bulk and tensor copies count as sectors that
 * pass L1.  Nothing is predicted of a launch that did not end well, or on a card without figures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check/count/count.h"
#include "check/count/count_flops.h"
#include "check/placed.h"
#include "check/time/code.h"
#include "check/time/pressure.h"
#include "check/time/stream.h"
#include "device/assemble.h"
#include "device/emulator_own.h"
#include "model/occupancy.h"
#include "model/time.h"

enum { SECTOR_BYTES = 32, SECTORS = 4, WARP = 32, ARCH_NAME = 32 };

struct TimedModule {
    TimedModule  *next;
    const Module *module;
    Str           code;
    Cubin        *cubin; /* NULL: there is none */
    bool          own;   /* the program's; else assembled here */
};

struct LaunchTime {
    const Module    *module;
    const Func      *kernel;
    void           **args; /* into the launch's parameter block */
    HostRange       *host; /* memory that lies with the host: so many ranges */
    size_t           nhost;
    Observer        *stream;
    const char      *card;
    Timing           timing;
    const CubinFunc *code; /* NULL: PTX stands in */
    const char      *source;
    Occupancy        fits;
    unsigned         registers, warps_of_block, sms;
    TimeWork         work; /* of the launch, once it has been predicted */
    bool             warm;
    bool             uncached; /* the card has no cache between a kernel and device memory */
};

/* ---- machine code ---- */

/* The line of ".entry NAME(" in a text; 0: it is not there. */
static unsigned entry_line(const char *text, const char *name)
{
    Str         head = {0};
    const char *at;
    unsigned    line = 0;
    str_printf(&head, ".entry %s(", name);
    if ((at = strstr(text, str_text(&head))))
        for (line = 1; at > text; at--)
            line += at[-1] == '\n';
    str_free(&head);
    return line;
}

/* Are the lines of the code those of the module's text? */
static bool is_code_of(const Cubin *c, const Module *m)
{
    size_t kernels = 0;
    for (size_t i = 0; i < c->funcs; i++) {
        const CubinFunc *f = &c->func[i];
        if (!f->kernel)
            continue;
        unsigned line = f->line && f->text ? entry_line(f->text->ptx, f->name) : 0;
        if (!line || line != entry_line(m->text, f->name))
            return false;
        kernels++;
    }
    return kernels > 0;
}

bool emulator_code_is(WwDevice *d, WwModule *m, const void *code, size_t bytes)
{
    Emulator    *e   = (Emulator *)d;
    TimedModule *t   = xcalloc(1, sizeof *t);
    Str          why = {0};
    *t               = (TimedModule){.next = e->timed, .module = m->ptx, .own = true};
    str_addn(&t->code, code, bytes);
    bool ok = cubin_open(t->code.s, t->code.len, &t->cubin, &why) == WW_OK && is_code_of(t->cubin, m->ptx);
    if (ok) {
        e->timed = t;
    } else {
        cubin_free(t->cubin);
        str_free(&t->code);
        free(t);
    }
    str_free(&why);
    return ok;
}

static const TimedModule *code_of(Emulator *e, const Module *m)
{
    for (TimedModule *t = e->timed; t; t = t->next)
        if (t->module == m)
            return t;
    TimedModule *t = xcalloc(1, sizeof *t);
    char         arch[ARCH_NAME];
    Str          why = {0};
    *t               = (TimedModule){.next = e->timed, .module = m};
    e->timed         = t;
    assemble_arch(e->profile->arch->cc, m->target, arch, sizeof arch);
    if (assemble(m->text, m->text_len, arch, &t->code, &why) &&
        cubin_open(t->code.s, t->code.len, &t->cubin, &why) != WW_OK)
        t->cubin = NULL;
    str_free(&why);
    return t;
}

void emulator_time_forget(Emulator *e, const Module *m)
{
    for (TimedModule **at = &e->timed; *at;) {
        TimedModule *t = *at;
        if (m && t->module != m) {
            at = &t->next;
            continue;
        }
        *at = t->next;
        cubin_free(t->cubin);
        str_free(&t->code);
        free(t);
    }
}

/* ---- before the launch ---- */

static uint64_t shared_of(const Func *k, const WwLaunch *w)
{
    uint64_t shared = w->shared;
    for (size_t i = 0; i < k->nvars; i++)
        shared += k->vars[i]->space == SPACE_SHARED ? k->vars[i]->bytes : 0;
    return shared;
}

/* Registers of a thread.  What the stand-in has no room for an assembler would keep elsewhere. */
static unsigned registers_of(const Emulator *e, const LaunchTime *t, const Func *k, unsigned threads)
{
    if (t->code)
        return t->code->registers;
    unsigned need = pressure_of(k), all = (threads + WARP - 1) / WARP * WARP;
    unsigned most = all ? (unsigned)(e->limits.block_registers / all) : need;
    most          = most < e->limits.thread_registers ? most : e->limits.thread_registers;
    most          = k->maxnreg && k->maxnreg < most ? k->maxnreg : most;
    return need < most ? need : most;
}

/* Clocks until a load of the host's memory is there. */
static double link_latency(const Timing *f)
{
    return f->link_clocks > 0 ? f->link_clocks : f->dram;
}

LaunchTime *emulator_time_begin(Emulator *e, const Module *m, const Func *k, const WwLaunch *w, const void *params)
{
    Timing timing;
    if (!timing_of(e->profile, &timing, NULL))
        return NULL;
    LaunchTime        *t       = xcalloc(1, sizeof *t);
    const TimedModule *c       = code_of(e, m);
    uint64_t           shared  = shared_of(k, w);
    unsigned           threads = w->block.x * w->block.y * w->block.z;
    t->args                    = xcalloc(k->nparams + 1, sizeof *t->args);
    t->module                  = m;
    t->kernel                  = k;
    t->card                    = e->limits.card->name;
    t->timing                  = timing;
    t->code                    = c->cubin ? cubin_func(c->cubin, k->name) : NULL;
    t->source                  = !t->code ? "ptx" : c->own ? "cubin" : "ptxas";
    t->registers               = t->code ? t->code->registers : 0;
    t->fits                    = occupancy_of(&e->limits, threads, registers_of(e, t, k, threads), shared);
    t->warps_of_block          = (threads + WARP - 1) / WARP;
    t->sms                     = e->limits.card->sms;
    t->warm                    = w->observe & WW_OBSERVE_WARM;
    emu_arguments(k, params, t->args);
    t->nhost       = e->host_memory ? e->host_memory(&t->host) : 0;
    t->uncached    = e->profile->arch->global_rule < GLOBAL_LINES;
    uint64_t taken = (shared + e->limits.block_shared_kept) * t->fits.blocks,
             all   = e->profile->arch->l1_loads ? (uint64_t)(timing.l1_kib * 1024) : 0;
    t->stream      = stream_new(
             &(StreamSetting){.sms      = t->sms,
                              .resident = t->fits.blocks ? t->fits.blocks : 1,
                              .l1_bytes = taken < all ? all - taken : 0,
                              .slices   = (unsigned)timing.l2_slices,
                              .pairs    = timing.fetch_bytes > SECTOR_BYTES,
                              .clocks   = {timing.l1, timing.l2, t->warm ? timing.l2 : timing.dram, link_latency(&timing)},
                              .host     = {t->host, t->nhost},
                              .sinks    = e->profile->arch->cc >= 70,
                              .joins    = t->code ? code_joins_updates(t->code) : e->profile->arch->cc >= 80});
    return t;
}

Observer *emulator_time_observer(const LaunchTime *t)
{
    return t->stream;
}

void emulator_time_put(const LaunchTime *t, Parcel *p)
{
    stream_put(t->stream, p);
}

void emulator_time_add(LaunchTime *t, Parcel *p)
{
    stream_add(t->stream, p);
}

void emulator_time_free(LaunchTime *t)
{
    if (!t)
        return;
    stream_free(t->stream);
    free(t->host);
    free(t->args);
    free(t);
}

/* ---- afterwards ---- */

typedef struct Reach {
    const LaunchTime *t;
    Observer         *count;
    bool              found;   /* L2 holds what is asked for: the launch before left it there */
    double            l2_hits; /* share of what passes L1 */
} Reach;

/* How much of [i, i + 1) lies between two numbers. */
static double within(unsigned i, double from, double to)
{
    return fmax(0, fmin(i + 1.0, to) - fmax(i, from));
}

/* An access to global memory: a warp waits for the last of its sectors, and lines come one after the other.  A block is done when the warp of it is
 * that waits longest: where that makes the access, it says how far it goes.  Of the copies of a load that the assembler has written out the first ones go
 * as far as the others together: they are under way at once, and of a loop that goes along lines the same ones miss each time. */
static double far(const Reach *r, const StreamHits *h, unsigned copy, unsigned copies)
{
    const Timing *f = &r->t->timing;
    if (!h || !h->accesses)
        return r->l2_hits * f->l2 + (1 - r->l2_hits) * f->dram;
    double n = (double)h->accesses, missed = (double)(h->sectors - h->hits), near = 1, clocks = 0;
    double slow = (double)(h->slow[FETCH_NEAR] + h->slow[FETCH_L2] + h->slow[FETCH_DRAM] + h->slow[FETCH_HOST]);
    const uint64_t *from = slow > 0 ? h->slow : h->from;
    double          all = slow > 0 ? slow : n, before = 0;
    const double    waits[FETCH_FROMS] = {f->l1, f->l2, r->found ? f->l2 : f->dram, link_latency(f)};
    for (FetchFrom k = FETCH_FROMS; --k > FETCH_NEAR;) { /* the farthest first */
        double share = copies * (double)from[k] / all, part = within(copy, before, before + share);
        clocks += part * waits[k];
        before += share;
        near -= part;
    }
    return clocks + near * f->l1 + missed / n * SECTOR_BYTES / f->port_bytes + (double)h->lines / n - 1;
}

/* Clocks until the result of an instruction is there: CodeInput.reach. */
static double reach(void *user, uint32_t id, SassReach from, unsigned copy, unsigned copies)
{
    const Reach      *r = user;
    const Timing     *f = &r->t->timing;
    const WwCounters *c = id == UINT32_MAX ? NULL : count_instr(r->count, id);
    switch (from) {
    case SASS_SHARED: {
        uint64_t passes = c ? c->shared_ld_wavefronts + c->shared_st_wavefronts + c->shared_copy_wavefronts +
                                  c->shared_atom_wavefronts
                            : 0;
        uint64_t times  = c ? c->shared_ld_inst + c->shared_st_inst + c->shared_copy_inst + c->shared_atom_inst : 0;
        return f->shared + (times ? (double)passes / (double)times - 1 : 0);
    }
    case SASS_GLOBAL:
        if (c && c->local_ld_requests) /* spilled registers and small arrays: L1 has them */
            return f->l1;
        return far(r, id == UINT32_MAX ? NULL : stream_instr(r->t->stream, id), copy, copies);
    case SASS_UPDATE: return far(r, id == UINT32_MAX ? NULL : stream_instr(r->t->stream, id), copy, copies);
    case SASS_NEAR: break;
    }
    return f->near;
}

/* CodeInput.lines */
static double lines(void *user, uint32_t id)
{
    const StreamHits *h = stream_instr(((const Reach *)user)->t->stream, id);
    return h->accesses ? (double)h->lines / (double)h->accesses : 0;
}

/* CodeInput.turns */
static double turns(void *user, uint32_t id)
{
    const WwCounters *c = count_instr(((const Reach *)user)->count, id);
    if (!c || !c->shared_atom_inst)
        return 1;
    uint64_t rounds = count_rounds(((const Reach *)user)->count, id);
    return fmax(1, (double)(rounds ? rounds : c->shared_atom_wavefronts) / (double)c->shared_atom_inst);
}

/* CodeInput.gone */
static bool gone(void *user, uint32_t id)
{
    const WwCounters *c = count_instr(((const Reach *)user)->count, id);
    if (!c)
        return false;
    return (c->shared_ld_inst_ptx && !c->shared_ld_inst) || (c->shared_st_inst_ptx && !c->shared_st_inst);
}

static StandInResults results_of(const LaunchTime *t)
{
    const Timing *f = &t->timing;
    return (StandInResults){f->dependent, f->near, f->shared, t->warm ? f->l2 : f->dram};
}

static double busiest(const CodeWork *c)
{
    double most = 0;
    for (int i = 0; i < SASS_PIPES; i++) /* textures are a part of their own */
        most = i == SASS_TEX ? most : c->pipe[i] > most ? c->pipe[i] : most;
    return most;
}

typedef struct Traffic {
    double loads, hits;            /* sectors of loads; share of them in L1 */
    double l2, asked, atomics;     /* sectors: that pass L1; that L2 is asked for */
    double stored, stored_lines;   /* that leave L1: sectors, and the lines that they leave in */
    double textured, kept;         /* sectors that fetches of textures ask for; share of them in L1 */
    double l2_hits, read, written; /* bytes */
    double host_read, host_written, moved;
} Traffic;

static Traffic traffic_of(const LaunchTime *t, const WwCounters *c, const StreamSum *s, double l2_bytes)
{
    double writes = (double)s->seen.written * SECTOR_BYTES;
    double partly =
        t->timing.fetch_bytes > 0 ? (double)s->seen.partly * SECTOR_BYTES : 0; /* not known of older cards */
    double  tma   = (double)(c->tma_ld_sectors + c->tma_st_sectors + c->tma_red_sectors);
    double  all   = (double)s->seen.all * SECTOR_BYTES;
    Traffic x     = {.loads = (double)c->global_ld_sectors, .atomics = (double)s->updates.passes};
    x.hits        = s->l1.sectors ? (double)s->l1.hits / (double)s->l1.sectors : 0;
    double joined = s->stored ? (double)s->joined / (double)s->stored : 0;
    double left   = (double)(s->stored - s->joined);
    x.stored      = (double)(c->global_st_sectors + s->drawn) * (1 - joined) + (double)c->local_st_sectors;
    x.stored_lines =
        x.stored * (left > 0 ? (double)s->stored_lines / left : 1.0 / SECTORS); /* not known: whole lines */
    x.textured  = (double)s->textured;
    x.kept      = s->texture.sectors ? (double)s->texture.hits / (double)s->texture.sectors : 0;
    double past = x.loads * (1 - x.hits) + x.textured * (1 - x.kept);
    x.l2        = past + x.stored + x.atomics + tma;
    x.asked     = x.l2 - past + time_joined(&t->timing, past, s->shared, fmin((double)s->of, t->sms));
    /* What was used longest ago goes first: of more than fits nothing is found by the next launch. */
    bool fits      = t->warm && all <= l2_bytes;
    x.written      = fits ? 0 : t->warm ? writes : fmax(0, writes - l2_bytes);
    double leave   = writes > 0 ? x.written / writes : 0;
    x.read         = fits ? 0 : (double)s->seen.fetched * SECTOR_BYTES + leave * partly;
    double missed  = (fits ? 0 : (double)s->seen.missed) + (double)s->seen.host_read;
    x.host_read    = (double)s->seen.host_read * SECTOR_BYTES;
    x.host_written = (double)s->seen.host_written * SECTOR_BYTES;
    x.moved        = (double)s->seen.moved * SECTOR_BYTES;
    if (t->uncached) {
        x.read    = (x.loads + x.textured * (1 - x.kept) + x.atomics) * SECTOR_BYTES;
        x.written = (double)(c->global_st_sectors + c->local_st_sectors) * SECTOR_BYTES + x.atomics * SECTOR_BYTES;
        missed    = x.read / SECTOR_BYTES;
    }
    x.l2_hits = x.asked > 0 ? fmax(0, 1 - missed / x.asked) : 1;
    return x;
}

static void tell(WwResult *r, const LaunchTime *t, const TimePrediction *p, const Traffic *x, const CodeWork *c,
                 const StreamSum *s)
{
    WwPrediction *out = &r->prediction;
    const Timing *f   = &t->timing;
    double        ghz = f->clock_mhz / 1e3, places = (t->fits.blocks ? t->fits.blocks : 1) * (double)t->sms;
    WwTimePart   *part = ARENA_ARRAY(r->arena, WwTimePart, TIME_PARTS);
    for (int i = 0; i < TIME_PARTS; i++)
        part[i] = (WwTimePart){time_part_text((TimePart)i), p->part[i] / t->timing.clock_mhz * 1e3};
    *out         = (WwPrediction){.ns                = p->ns,
                                  .limiter           = time_part_text(p->limiter),
                                  .share             = p->share,
                                  .headroom          = p->headroom,
                                  .l1_hit_rate       = x->hits,
                                  .l2_hit_rate       = x->l2_hits,
                                  .l2_sectors        = (uint64_t)x->asked,
                                  .dram_read_bytes   = (uint64_t)x->read,
                                  .dram_write_bytes  = (uint64_t)x->written,
                                  .host_read_bytes   = (uint64_t)x->host_read,
                                  .host_write_bytes  = (uint64_t)x->host_written,
                                  .texture_sectors   = (uint64_t)x->textured,
                                  .texture_hits      = (uint64_t)(x->textured * x->kept),
                                  .managed_bytes     = (uint64_t)x->moved,
                                  .instructions      = (uint64_t)c->issued,
                                  .registers         = t->registers,
                                  .source            = t->source,
                                  .blocks_sampled    = s->blocks,
                                  .parts             = part,
                                  .nparts            = TIME_PARTS,
                                  .card              = arena_strdup(r->arena, t->card),
                                  .most_instructions = f->issue * t->sms * ghz,
                                  .most_l2_bytes     = fmin(f->l2_bytes, f->port_bytes * t->sms) * ghz,
                                  .most_dram_bytes   = f->read_gbs,
                                  .resident_blocks   = t->fits.blocks,
                                  .resident_warps    = t->fits.warps,
                                  .most_warps        = t->fits.most_warps,
                                  .resident_limiter  = t->fits.limiter,
                                  .waves             = t->work.blocks / places};
    r->predicted = true;
}

static void tell_flops(WwResult *r, const LaunchTime *t, const EmuResult *e)
{
    WwPrediction *out  = &r->prediction;
    WwCounters    n    = {0};
    double        most = 2 * t->sms * t->timing.clock_mhz / 1e3;
    for (uint32_t i = 0; i < e->ninstr; i++)
        count_flops(&n, &e->instr[i], e->lanes[i]);
    out->half_flops   = n.flops_half;
    out->single_flops = n.sm__sass_thread_inst_executed_op_fadd_pred_on +
                        n.sm__sass_thread_inst_executed_op_fmul_pred_on +
                        2 * n.sm__sass_thread_inst_executed_op_ffma_pred_on;
    out->double_flops = n.sm__sass_thread_inst_executed_op_dadd_pred_on +
                        n.sm__sass_thread_inst_executed_op_dmul_pred_on +
                        2 * n.sm__sass_thread_inst_executed_op_dfma_pred_on;
    out->most_half_flops   = most * t->timing.halves;
    out->most_single_flops = most * t->timing.floats;
    out->most_double_flops = most * t->timing.doubles;
}

static double printed(const LaunchTime *t, const CodeWork *c)
{
    return (c->prints * t->timing.print_ns + c->print_turns * t->timing.print_turn_ns +
            c->print_lanes * t->timing.print_lane_ns) *
           t->timing.clock_mhz / 1e3;
}

/* What a texture is lies in device memory: whoever asks first waits for it. */
static double described(const LaunchTime *t, const CodeWork *c)
{
    return c->pipe[SASS_TEX] > 0 && !t->warm ? t->timing.dram : 0;
}

static bool loads_global(void *user, uint32_t id)
{
    const WwCounters *c = count_instr(user, id);
    return c && c->global_ld_sectors;
}

/* Sectors of a line's loads are counted; how many of them L1 has is known of the blocks that were replayed, and else as of the launch. */
static void tell_lines(WwResult *r, const LaunchTime *t, const EmuResult *e, Observer *count, double hits)
{
    Placed       *list = NULL;
    size_t        n    = placed_by_line(t->module, e->instr, e->ninstr, loads_global, count, &list);
    WwCachedLine *line = ARENA_ARRAY(r->arena, WwCachedLine, n + 1), *l = line;
    for (size_t i = 0; i < n; i++) {
        const StreamHits *h       = stream_instr(t->stream, list[i].id);
        uint64_t          sectors = count_instr(count, list[i].id)->global_ld_sectors;
        if (i && !placed_together(&list[i], &list[i - 1]))
            l++;
        if (!l->file)
            *l = (WwCachedLine){.file = arena_strdup(r->arena, list[i].place.file), .line = list[i].place.line};
        l->sectors += sectors;
        l->hits += (uint64_t)((double)sectors * (h->sectors ? (double)h->hits / (double)h->sectors : hits));
    }
    free(list);
    r->prediction.lines  = line;
    r->prediction.nlines = n ? (size_t)(l - line) + 1 : 0;
    tell_flops(r, t, e);
}

/* Of the warp that runs most instructions, those that it runs more than the average do not wait as often for what nobody has asked for: as if all
 * loads were near, at least.  Where a warp makes more accesses it waits more often for those, but no longer than all its instructions would. */
static double longest_warp(const StreamSum *s, const CodeWork *code)
{
    double uneven = s->uneven / code->folded, near = code->mean_clocks + fmax(0, uneven - 1) * code->near_clocks;
    return fmax(near, fmin(code->warp_clocks * s->longest, code->mean_clocks * uneven));
}

static TimeWork work_of(const LaunchTime *t, const WwCounters *c, const StreamSum *s, const Traffic *x,
                        const CodeWork *code, double blocks)
{
    double shared = (double)c->memory_l1_wavefronts_shared, ideal = (double)c->memory_l1_wavefronts_shared_ideal;
    return (TimeWork){.warm          = t->warm,
                      .blocks        = blocks,
                      .warps         = blocks * t->warps_of_block,
                      .resident      = t->fits.blocks ? t->fits.blocks : 1,
                      .sms           = t->sms,
                      .busy_blocks   = s->busy_blocks,
                      .warp_clocks   = code->warp_clocks,
                      .once          = code->constant_clocks + printed(t, code) + described(t, code),
                      .heaviest      = s->heaviest,
                      .longest_warp  = longest_warp(s, code),
                      .issued        = code->issued,
                      .pipe          = busiest(code),
                      .texture       = code->pipe[SASS_TEX],
                      .shared_passes = shared + (double)c->gmma_wavefronts,
                      .ideal_passes  = ideal,
                      .l1_tags       = (double)c->memory_l1_tag_requests_global,
                      .l1_sectors =
                          x->loads + x->textured +
                          (double)(c->global_st_sectors + s->drawn + c->local_ld_sectors + c->local_st_sectors),
                      .l2_sectors     = x->l2,
                      .stored         = x->stored,
                      .stored_lines   = x->stored_lines,
                      .atomic_sectors = x->atomics,
                      .hottest        = (double)s->updates.hottest,
                      .hottest_float  = (double)s->updates.hottest_float,
                      .slice_turns    = s->updates.turns,
                      .dram_read      = x->read,
                      .dram_write     = x->written,
                      .link_read      = x->host_read,
                      .link_write     = x->host_written};
}

void emulator_time_end(LaunchTime *t, const WwLaunch *w, const EmuResult *e, Observer *count, WwResult *r)
{
    StreamSum s;
    double    blocks = (double)w->grid.x * w->grid.y * w->grid.z;
    if (!e->executed || !e->instr || !count)
        return;
    stream_replay(t->stream, &s);
    const WwCounters *c    = count_total(count);
    Traffic           x    = traffic_of(t, c, &s, t->timing.l2_kept_mib * 1048576);
    Reach             user = {t, count, x.l2_hits >= 1 && t->warm, x.l2_hits};
    CodeWork          code;
    CodeInput         in = {.code          = t->code,
                            .instr         = e->instr,
                            .ninstr        = e->ninstr,
                            .executed      = e->executed,
                            .warps         = (uint64_t)blocks * t->warps_of_block,
                            .lanes         = e->lanes,
                            .parted        = e->parted,
                            .constant_line = t->timing.constant_line,
                            .constant_far =
                        t->warm ? 0 : t->timing.constant_far, /* multiprocessors still have what launches before read */
                            .kernel      = t->kernel,
                            .args        = (const void *const *)t->args,
                            .mhz         = t->timing.clock_mhz,
                            .busy_blocks = s.busy_blocks > 0 ? s.busy_blocks : blocks,
                            .results     = results_of(t),
                            .gone        = gone,
                            .reach       = reach,
                            .lines       = lines,
                            .turns       = turns,
                            .user        = &user};
    code_work(&in, &code);
    t->work = work_of(t, c, &s, &x, &code, blocks);
    TimePrediction p;
    if (!time_predict(&t->timing, &t->work, &p))
        return;
    tell(r, t, &p, &x, &code, &s);
    tell_lines(r, t, e, count, x.hits);
}

/* ---- mends ---- */

/* What a mend's figures count.  Of most a replay may have looked at some blocks only: its share of what it counted is taken off the line's own
 * counters.  Extra passes are counted over the launch, and of a whole array: other lines gain as well. */
static const struct {
    const char *unit;
    size_t      member;      /* of TimeMend */
    size_t      load, store; /* counters of the line; both 0: the figures are those of the launch */
} units[] = {
#define OF(member) offsetof(WwCounters, member)
    {"extra passes", offsetof(TimeMend, passes), 0, 0},
    {"sectors", offsetof(TimeMend, sectors), OF(global_ld_sectors), OF(global_st_sectors)},
    {"requests", offsetof(TimeMend, issued), OF(global_ld_requests), OF(global_st_requests)},
#undef OF
};

static double counter(const WwCounters *c, size_t at)
{
    uint64_t v;
    memcpy(&v, (const char *)c + at, sizeof v);
    return (double)v;
}

static const WwCounters *line_of(const WwResult *r, const WwFinding *f)
{
    for (size_t i = 0; i < ww_result_line_count(r); i++) {
        const WwLine *l = ww_result_line(r, i);
        if (f->file && l->file && l->line == f->line && !strcmp(l->file, f->file))
            return &l->counters;
    }
    return NULL;
}

/* 0: the model does not know what the mend saves. */
static double gain_of(const LaunchTime *t, const WwResult *r, const WwFinding *f)
{
    const WwMend     *m     = f->mend;
    const WwCounters *line  = line_of(r, f);
    TimeMend          off   = {0};
    double            saved = m->before > m->after ? (double)(m->before - m->after) : 0;
    double            part  = saved > 0 ? saved / (double)m->before : 0;
    if (!strcmp(m->unit, "turns")) {
        off.turns = part;
        return time_gain(&t->timing, &t->work, &off);
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        bool of_line = units[i].load != units[i].store;
        if (strcmp(units[i].unit, m->unit) != 0 || (of_line && !line))
            continue;
        double off_all = of_line ? part * (counter(line, units[i].load) + counter(line, units[i].store)) : saved;
        memcpy((char *)&off + units[i].member, &off_all, sizeof off_all);
        return time_gain(&t->timing, &t->work, &off);
    }
    return 0;
}

void emulator_time_mends(const LaunchTime *t, WwResult *r)
{
    for (size_t i = 0; t && r->predicted && i < ww_result_finding_count(r); i++) {
        const WwFinding *f = ww_result_finding(r, i);
        if (f->mend)
            ((WwMend *)(uintptr_t)f->mend)->gain = gain_of(t, r, f); /* the result's own */
    }
}
