/* SPDX-License-Identifier: Apache-2.0
 *
 * The emulator counted PTX; the card runs what the assembler made of it.  Machine code is cut at jumps and where they lead into stretches.  A
 * stretch belongs to the basic block of PTX that most of its instructions come from (some were moved there from others), and runs as often as
 * that block, divided by the copies that the assembler made of the block (a loop unrolled by four has four, and one more for the rest).  Copies
 * are counted by what is seldom merged: how many machine instructions of one kind a load, store or float operation of the block became, the middle
 * of them (some are hoisted out of a loop, and some become several).
 *
 * A warp's time is that of its stretches, one after the other: an instruction issues its predecessor's stall later, and not before the barriers
 * are free that it waits for.  A stretch that jumps back to its own beginning is run twice, and the second time counts: by then its loads
 * overlap as they do in the loop.
 *
 * Left out: functions that are called (their instructions count with the kernel's stretches by their lines, where they were inlined), warps of a
 * block that run different parts (all are the average), barriers between warps beyond their own latency. */
#include "check/time/code.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "ptx/cfg.h"

enum { NONE = UINT32_MAX, BARRIER_CLOCKS = 30, LEAST_STALL = 1, MOST_COPIES = 64 };

typedef struct Line {   /* of PTX */
    uint32_t id, block; /* NONE: no instruction; block: of all functions, numbered through */
    uint64_t executed;
} Line;

typedef struct Block {
    uint64_t executed;
    uint32_t copies;
} Block;

typedef struct Stretch {
    size_t   first, end;
    uint32_t block;
    bool     loops; /* jumps back to its beginning */
    double   times;
    bool     seldom; /* of a routine for rare operands, or on the way to it */
} Stretch;

typedef struct Reader {
    const CodeInput *in;
    Arena           *arena;
    Line            *line;
    size_t           lines;
    Block           *block;
    uint32_t         blocks;
    SassWord        *word;
    bool            *begins; /* by word */
    Stretch         *stretch;
    size_t           stretches;
} Reader;

static const Line *line_of(const Reader *r, size_t word)
{
    uint32_t n = r->in->code->line ? r->in->code->line[word] : 0;
    return n && n < r->lines && r->line[n].id != NONE ? &r->line[n] : NULL;
}

static void read_lines(Reader *r)
{
    const CodeInput *in = r->in;
    for (uint32_t i = 0; i < in->ninstr; i++)
        if (in->instr[i].in && in->instr[i].in->line >= r->lines)
            r->lines = in->instr[i].in->line + 1;
    r->line = ARENA_ARRAY(r->arena, Line, r->lines + 1);
    for (size_t i = 0; i < r->lines; i++)
        r->line[i].id = NONE;
    const Func *f    = NULL;
    const Cfg  *cfg  = NULL;
    uint32_t    base = 0;
    for (uint32_t i = 0; i < in->ninstr; i++) {
        const EmuInstr *e = &in->instr[i];
        if (!e->in || !e->func)
            continue;
        if (e->func != f) {
            base += cfg ? cfg->nblocks : 0;
            f   = e->func;
            cfg = cfg_build(r->arena, f);
        }
        Line *l = &r->line[e->in->line];
        if (l->id == NONE)
            *l = (Line){.id = i, .block = base + cfg->block_of[e->in - f->instrs]};
        if (in->executed[i] > l->executed) /* several may stand on a line */
            l->executed = in->executed[i];
    }
    r->blocks = base + (cfg ? cfg->nblocks : 0);
    r->block  = ARENA_ARRAY(r->arena, Block, r->blocks + 1);
    for (size_t i = 0; i < r->lines; i++)
        if (r->line[i].id != NONE && r->line[i].executed > r->block[r->line[i].block].executed)
            r->block[r->line[i].block].executed = r->line[i].executed;
}

/* Machine instructions that stand for a PTX instruction one for one, or for several of it. */
static bool is_anchor(const SassWord *w)
{
    return w->bytes || w->pipe == SASS_FMA || w->pipe == SASS_FP64 || w->pipe == SASS_TENSOR;
}

/* The middle one of how many machine instructions of one kind the block's lines became: first of anchors, else of all. */
static void count_block(Block *b, const Line *line, size_t lines, uint32_t block, const uint32_t *made)
{
    uint32_t many[MOST_COPIES + 1] = {0}, n = 0, seen = 0;
    for (size_t i = 0; i < lines; i++)
        if (line[i].id != NONE && line[i].block == block && made[i]) {
            many[made[i] < MOST_COPIES ? made[i] : MOST_COPIES]++;
            n++;
        }
    for (uint32_t k = 1; n && k <= MOST_COPIES; k++) {
        seen += many[k];
        if (2 * seen >= n) {
            b->copies = k;
            return;
        }
    }
}

static void count_made(const Reader *r, bool anchors, uint32_t *made)
{
    uint16_t *kind = ARENA_ARRAY(r->arena, uint16_t, r->lines + 1);
    for (size_t i = 0; i < r->in->code->words; i++) {
        const Line *l = line_of(r, i);
        if (!l || (anchors && !is_anchor(&r->word[i])))
            continue;
        size_t   at = (size_t)(l - r->line);
        unsigned op = (r->word[i].op & 0x1ff) + 1u;
        if (!kind[at])
            kind[at] = (uint16_t)op;
        made[at] += kind[at] == op;
    }
}

static void count_copies(Reader *r)
{
    uint32_t *anchors = ARENA_ARRAY(r->arena, uint32_t, r->lines + 1),
             *all     = ARENA_ARRAY(r->arena, uint32_t, r->lines + 1);
    count_made(r, true, anchors);
    count_made(r, false, all);
    for (size_t first = 0, end; first < r->lines; first = end) { /* a block's lines stand together */
        uint32_t block = r->line[first].block;
        for (end = first + 1; end < r->lines && (r->line[end].id == NONE || r->line[end].block == block);)
            end++;
        if (r->line[first].id == NONE)
            continue;
        Block *b = &r->block[block];
        count_block(b, r->line + first, end - first, block, anchors + first);
        if (!b->copies)
            count_block(b, r->line + first, end - first, block, all + first);
    }
}

static void cut(Reader *r)
{
    size_t n   = r->in->code->words;
    r->begins  = ARENA_ARRAY(r->arena, bool, n + 1);
    r->stretch = ARENA_ARRAY(r->arena, Stretch, n + 1);
    for (size_t i = 0; i < n; i++) {
        const SassWord *w  = &r->word[i];
        int64_t         to = (int64_t)i + 1 + w->jump;
        if (w->flow != SASS_NEXT)
            r->begins[i + 1] = true;
        if (w->flow == SASS_JUMP && to >= 0 && to < (int64_t)n)
            r->begins[to] = true;
    }
    for (size_t i = 0; i < n; i++) {
        if (!i || r->begins[i])
            r->stretch[r->stretches++] = (Stretch){.first = i};
        Stretch *s = &r->stretch[r->stretches - 1];
        s->end     = i + 1;
        s->loops |= r->word[i].flow == SASS_JUMP && (int64_t)i + 1 + r->word[i].jump == (int64_t)s->first;
    }
}

/* The block that most instructions of the stretch come from; NONE: of none is it known. */
static uint32_t block_of(const Reader *r, const Stretch *s, uint32_t *votes)
{
    uint32_t best = NONE;
    for (size_t i = s->first; i < s->end; i++) {
        const Line *l = line_of(r, i);
        if (l && ++votes[l->block] && (best == NONE || votes[l->block] > votes[best]))
            best = l->block;
    }
    for (size_t i = s->first; i < s->end; i++) {
        const Line *l = line_of(r, i);
        if (l)
            votes[l->block] = 0;
    }
    return best;
}

/* A kernel ends with EXIT; what ends with RETURN in it are routines behind it, for operands that divisions and roots meet rarely (denormal, huge).
 * Whoever calls functions of the user has RETURN too: then nothing is known to be seldom. */
static void find_seldom(Reader *r)
{
    bool own = true;
    for (uint32_t i = 0; i < r->in->ninstr; i++)
        own &= !r->in->instr[i].func || r->in->instr[i].func->entry;
    bool behind = false; /* what follows in the code ends with RETURN before any EXIT */
    for (size_t i = r->stretches; own && i--;) {
        Stretch *s    = &r->stretch[i];
        SassFlow flow = r->word[s->end - 1].flow;
        behind        = flow == SASS_RETURN || (behind && flow != SASS_EXIT);
        s->seldom     = behind || flow == SASS_CALL;
    }
}

/* How often each stretch runs, by all warps; one that no line is known of runs as often as the one before it. */
static void count_times(Reader *r)
{
    uint32_t *votes  = ARENA_ARRAY(r->arena, uint32_t, r->blocks + 1);
    double    before = (double)r->in->warps;
    for (size_t i = 0; i < r->stretches; i++) {
        Stretch *s = &r->stretch[i];
        s->block   = block_of(r, s, votes);
        if (s->block != NONE) {
            const Block *b = &r->block[s->block];
            before         = (double)b->executed / (b->copies ? b->copies : 1);
        }
        s->times = s->seldom ? 0 : before;
    }
}

/* Runs a stretch from clock `at` on; free[]: when barriers are.  Gives the clock behind it. */
static double run(const Reader *r, const Stretch *s, double at, double *free_at)
{
    for (size_t i = s->first; i < s->end; i++) {
        const SassWord *w = &r->word[i];
        const Line     *l = line_of(r, i);
        for (unsigned b = 0; b < SASS_BARRIERS; b++)
            if (w->waits & 1u << b && free_at[b] > at)
                at = free_at[b];
        double there = w->writes == SASS_NO_BARRIER && w->reads == SASS_NO_BARRIER
                           ? 0
                           : r->in->reach(r->in->user, l ? l->id : NONE, w->reach);
        if (w->writes != SASS_NO_BARRIER)
            free_at[w->writes] = at + there;
        if (w->reads != SASS_NO_BARRIER)
            free_at[w->reads] = at + r->in->reach(r->in->user, NONE, SASS_NEAR);
        if (w->name && !strcmp(w->name, "BAR"))
            at += BARRIER_CLOCKS;
        at += w->stall > LEAST_STALL ? w->stall : LEAST_STALL;
    }
    return at;
}

static void add_time(const Reader *r, CodeWork *out)
{
    double free_at[SASS_BARRIERS] = {0}, at = 0;
    for (size_t i = 0; i < r->stretches; i++) {
        const Stretch *s      = &r->stretch[i];
        double         before = at, each;
        if (s->times <= 0)
            continue;
        at   = run(r, s, at, free_at);
        each = at - before;
        if (s->loops) {
            before = at;
            at     = run(r, s, at, free_at);
            each   = at - before;
        }
        double share = s->times / (double)r->in->warps;
        if (share < 1 && s->times > 0) { /* one warp of each block does it, and the others wait */
            double of_block = s->times / (double)r->in->blocks;
            share           = of_block < 1 ? of_block : 1;
        }
        out->warp_clocks += share * each;
    }
}

bool code_joins_updates(const CubinFunc *code)
{
    bool joins = false;
    for (size_t i = 0; i < code->words && !joins; i++) {
        SassWord w;
        sass_decode(code->code + i * SASS_WORD, &w);
        joins = w.name && !strcmp(w.name, "REDUX");
    }
    return joins;
}

void code_work(const CodeInput *in, CodeWork *out)
{
    Reader r      = {.in = in, .arena = arena_new()};
    double placed = 0;
    *out          = (CodeWork){0};
    r.word        = ARENA_ARRAY(r.arena, SassWord, in->code->words + 1);
    for (size_t i = 0; i < in->code->words; i++)
        sass_decode(in->code->code + i * SASS_WORD, &r.word[i]);
    read_lines(&r);
    count_copies(&r);
    cut(&r);
    find_seldom(&r);
    count_times(&r);
    for (size_t k = 0; k < r.stretches; k++)
        for (size_t i = r.stretch[k].first; i < r.stretch[k].end; i++) {
            out->issued += r.stretch[k].times;
            placed += line_of(&r, i) ? r.stretch[k].times : 0;
            out->pipe[r.word[i].pipe] += r.stretch[k].times * sass_pipe_clocks(r.word[i].pipe);
        }
    out->placed = out->issued > 0 ? placed / out->issued : 0;
    add_time(&r, out);
    arena_free(r.arena);
}
