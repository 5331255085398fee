/* SPDX-License-Identifier: Apache-2.0
 *
 * The emulator counted PTX; the card runs what the assembler made of it.  Machine code is cut at jumps and where they lead into stretches.  A
 * stretch belongs to the basic block of PTX that most of its instructions come from (some were moved there from others), and runs as often as
 * that block, divided by the copies that the assembler made of the block (a loop unrolled by four has four, and one more for the rest).  Copies
 * are counted by what is seldom merged: how many machine instructions of one kind a load, store or float operation of the block became, the middle
 * of them (some are hoisted out of a loop, and some become several).  A block outside of loops is not copied.
 *
 * A warp's time is that of its way through the stretches (path.h).
 *
 * Left out: functions that are called (their instructions count with the kernel's stretches by their lines, where they were inlined), warps of a
 * block that run different parts (all are the average), barriers between warps beyond their own latency. */
#include "check/time/code.h"

#include <string.h>

#include "base/arena.h"
#include "check/time/path.h"
#include "ptx/cfg.h"

enum { NONE = UINT32_MAX, MOST_COPIES = 64 };
enum { KIND = 0x1ff, SWAP = 0x18d, SWAP_STRETCHES = 8 }; /* KIND: bits of SassWord.op; SWAP: ATOMS.CAS */

typedef struct Line {   /* of PTX */
    uint32_t id, block; /* NONE: no instruction; block: of all functions, numbered through */
    bool     in_loop;
    uint64_t executed;
} Line;

typedef struct Block {
    uint64_t executed;
    uint32_t copies;
} Block;

typedef struct Stretch {
    size_t   first, end;
    uint32_t block;
    double   times;
    bool     seldom; /* of a routine for rare operands, or on the way to it */
    bool     swaps;  /* in a loop that goes round until each lane has swapped its word */
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
        if (l->id == NONE) {
            uint32_t b = cfg->block_of[e->in - f->instrs];
            *l         = (Line){.id = i, .block = base + b, .in_loop = cfg->block[b].loop != CFG_NONE};
        }
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
        if (r->line[first].id == NONE || !r->line[first].in_loop)
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

/* What shared memory cannot do at once (doubles, floats) is a loop of compare-and-swap.  Gives the instruction of PTX that it comes from; NONE: the
 * stretch has none. */
static uint32_t swap_of(const Reader *r, const Stretch *s)
{
    for (size_t i = s->first; i < s->end; i++) {
        const Line *l = (r->word[i].op & KIND) == SWAP ? line_of(r, i) : NULL;
        if (l && !opcode_has(r->in->instr[l->id].in->op, WORD_cas))
            return l->id;
    }
    return NONE;
}

/* The loop goes round once for each of the lanes that update one word.  It ends with the first jump back over the swap, a few stretches on. */
static void go_round(Reader *r, size_t swap)
{
    double times = r->in->turns(r->in->user, swap_of(r, &r->stretch[swap]));
    for (size_t j = swap; j < r->stretches && j < swap + SWAP_STRETCHES; j++) {
        const SassWord *w  = &r->word[r->stretch[j].end - 1];
        int64_t         to = (int64_t)r->stretch[j].end + w->jump;
        if (w->flow != SASS_JUMP || to < 0 || to > (int64_t)r->stretch[swap].first)
            continue;
        for (size_t k = j + 1; k-- && (int64_t)r->stretch[k].first >= to;) {
            r->stretch[k].times *= times;
            r->stretch[k].swaps = true;
        }
        break;
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
    for (size_t i = 0; i < r->stretches; i++)
        if (swap_of(r, &r->stretch[i]) != NONE)
            go_round(r, i);
}

/* Clocks until what the word's barrier tells is there.  A swapping lane has a pass of its own each time round. */
static double reach_of(const Reader *r, const Stretch *s, size_t i)
{
    const Line *l = line_of(r, i);
    if (r->word[i].writes == SASS_NO_BARRIER)
        return 0;
    bool alone = s->swaps && r->word[i].reach == SASS_SHARED;
    return r->in->reach(r->in->user, l && !alone ? l->id : NONE, r->word[i].reach);
}

static double warp_clocks(const Reader *r)
{
    const CodeInput *in    = r->in;
    double          *there = ARENA_ARRAY(r->arena, double, in->code->words + 1);
    PathStretch     *path  = ARENA_ARRAY(r->arena, PathStretch, r->stretches + 1);
    for (size_t k = 0; k < r->stretches; k++) {
        const Stretch *s = &r->stretch[k];
        path[k]          = (PathStretch){s->first, s->end, s->times};
        for (size_t i = s->first; i < s->end; i++)
            there[i] = reach_of(r, s, i);
    }
    return path_clocks(&(PathInput){.word      = r->word,
                                    .there     = there,
                                    .words     = in->code->words,
                                    .near      = in->reach(in->user, NONE, SASS_NEAR),
                                    .stretch   = path,
                                    .stretches = r->stretches,
                                    .warps     = (double)in->warps,
                                    .blocks    = in->busy_blocks});
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
    out->placed      = out->issued > 0 ? placed / out->issued : 0;
    out->warp_clocks = warp_clocks(&r);
    arena_free(r.arena);
}
