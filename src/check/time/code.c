/* SPDX-License-Identifier: Apache-2.0
 *
 * The emulator counted PTX; the card runs what the assembler made of it.  Machine code is cut at jumps and where they lead into stretches.  A
 * stretch belongs to the basic block of PTX that most of its instructions come from (some were moved there from others), and runs as often as
 * that block; where that lies in a loop, of which the assembler may have made several copies, copies.h says how often each runs.
 *
 * A warp's time is that of its way through the stretches (path.h).
 *
 * Left out: functions that are called (their instructions count with the kernel's stretches by their lines, where they were inlined), warps of a
 * block that run different parts (all are the average), barriers between warps beyond their own latency. */
#include "check/time/code.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "check/time/constants.h"
#include "check/time/copies.h"
#include "check/time/path.h"
#include "check/time/wait.h"
#include "ptx/cfg.h"
#include "ptx/op.h"
#include "ptx/traits.h"

enum { NONE = UINT32_MAX };
enum { KIND = 0x1ff, SWAP = 0x18d, NOP = 0x118, TABLE = 0x149 }; /* bits of SassWord.op; ATOMS.CAS, NOP, BRX */
enum { SWAP_STRETCHES = 8 };
/* tests/data/time/turns_h200.tsv: a group of lanes more, at a branch and at a table of branches; and such a table itself, where all go the same way. */
enum { PART_CLOCKS = 20, CASE_CLOCKS = 77, TABLE_CLOCKS = 50 };
/* tests/data/time/long_h200.tsv: words that the nearer caches hold, clocks for one behind them */
enum { NEAR_WORDS = 2048, FAR_WORDS = 8192 };
static const double near_fetch = 2.4, far_fetch = 5.8;
/* A guarded line that runs so many times as often as PTX has it is a side of a branch that the assembler made none of. */
static const double mostly_folded = 1.2;

typedef struct Line {   /* of PTX */
    uint32_t id, block; /* NONE: no instruction; block: of all functions, numbered through */
    bool     in_loop;
    uint64_t executed;
} Line;

typedef struct Stretch {
    size_t   first, end;
    uint32_t block, group;
    double   times;
    bool     seldom;           /* of a routine for rare operands, or on the way to it */
    bool     never;            /* for warps whose lanes are apart, or behind the end */
    bool     swaps;            /* in a loop that goes round until each lane has swapped its word */
    size_t   routine, returns; /* as PathStretch */
    bool     called;
} Stretch;

typedef struct FuncBlocks FuncBlocks;
struct FuncBlocks { /* of one function */
    FuncBlocks *next;
    const Func *func;
    const Cfg  *cfg;
    uint32_t    base; /* its blocks are numbered from here on */
};

typedef struct Reader {
    const CodeInput *in;
    Arena           *arena;
    Line            *line;
    size_t           lines;
    FuncBlocks      *func;
    CopyBlock       *block;
    uint32_t         blocks;
    SassWord        *word;
    size_t           words;
    const uint32_t  *word_line; /* of PTX; NULL: not known */
    bool            *begins;    /* by word */
    Stretch         *stretch;
    size_t           stretches;
    bool            *is_loop; /* by stretch: it begins one */
    Copy            *copy;    /* malloc's */
    size_t           copies;
    double           waited; /* clocks, by all warps, in loops that wait for the clock */
} Reader;

static const Line *line_of(const Reader *r, size_t word)
{
    uint32_t n = r->word_line ? r->word_line[word] : 0;
    return n && n < r->lines && r->line[n].id != NONE ? &r->line[n] : NULL;
}

/* How often control came from outside to the loops of a function: as often as what leads there ran. */
static void count_entries(Reader *r, const FuncBlocks *f)
{
    const Cfg *cfg  = f->cfg;
    uint32_t   base = f->base;
    for (uint32_t b = 0; b < cfg->nblocks; b++) {
        CopyBlock *to   = &r->block[base + b];
        uint32_t   loop = cfg->block[b].loop, header = loop == CFG_NONE ? b : cfg->loop[loop].header;
        for (uint32_t i = 0; loop != CFG_NONE && i < cfg->block[header].npred; i++) {
            uint32_t from = cfg->block[header].pred[i];
            to->entered += cfg_lies_in(cfg, from, loop) ? 0 : r->block[base + from].executed;
        }
        double least = to->executed < 1 ? to->executed : 1, most = r->block[base + header].executed;
        to->entered = to->entered < least ? least : to->entered > most ? most : to->entered;
    }
}

/* A loop that waits for the clock goes round as often as it must on the card: here once each time, and what it waits for is added. */
static void wait_once(Reader *r, const FuncBlocks *f)
{
    const CodeInput *in     = r->in;
    const Cfg       *cfg    = f->cfg;
    double          *clocks = ARENA_ARRAY(r->arena, double, cfg->nloops + 1);
    wait_clocks(&(WaitInput){f->func, cfg, f->func == in->kernel ? in->args : NULL, in->mhz}, clocks);
    for (uint32_t l = 0; l < cfg->nloops; l++) {
        if (clocks[l] <= 0)
            continue;
        r->waited += clocks[l] * r->block[f->base + cfg->loop[l].header].entered;
        for (uint32_t b = 0; b < cfg->nblocks; b++)
            if (cfg_lies_in(cfg, b, l))
                r->block[f->base + b].executed = r->block[f->base + b].entered;
    }
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
    FuncBlocks *func = NULL;
    for (uint32_t i = 0; i < in->ninstr; i++) {
        const EmuInstr *e = &in->instr[i];
        if (!e->in || !e->func)
            continue;
        if (e->func != f) {
            base += cfg ? cfg->nblocks : 0;
            f       = e->func;
            cfg     = cfg_build(r->arena, f);
            func    = ARENA_NEW(r->arena, FuncBlocks);
            *func   = (FuncBlocks){r->func, f, cfg, base};
            r->func = func;
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
    r->block  = ARENA_ARRAY(r->arena, CopyBlock, r->blocks + 1);
    for (size_t i = 0; i < r->lines; i++)
        if (r->line[i].id != NONE && (double)r->line[i].executed > r->block[r->line[i].block].executed)
            r->block[r->line[i].block].executed = (double)r->line[i].executed;
    for (const FuncBlocks *k = r->func; k; k = k->next) {
        count_entries(r, k);
        wait_once(r, k);
    }
}

/* Machine instructions that stand for a PTX instruction one for one, or for several of it; divisions and roots become many each. */
static bool is_anchor(const Reader *r, const Line *l, const SassWord *w)
{
    const Instr *in = r->in->instr[l->id].in;
    if (in && op_traits(in->op->op).flow == FLOW_ROUTINE)
        return false;
    return w->bytes || w->pipe == SASS_FMA || w->pipe == SASS_FP64 || w->pipe == SASS_TENSOR;
}

/* What becomes of loops (copies.h): the words of their blocks, each with the group that it stands in. */
static void count_copies(Reader *r)
{
    size_t    n    = r->stretches;
    CopyWord *word = ARENA_ARRAY(r->arena, CopyWord, r->words + 1);
    CopyInput in   = {.word = word, .block = r->block, .loop = r->is_loop};
    for (size_t k = 0; k < n; k++)
        for (size_t i = r->stretch[k].first; i < r->stretch[k].end && !r->stretch[k].never; i++) {
            const Line *l = line_of(r, i);
            if (l && l->in_loop && r->block[l->block].executed > 0)
                word[in.words++] = (CopyWord){.block  = l->block,
                                              .line   = (uint32_t)(l - r->line),
                                              .group  = r->stretch[k].group,
                                              .op     = r->word[i].op & KIND,
                                              .anchor = is_anchor(r, l, &r->word[i])};
        }
    r->copies = copies_find(&in, &r->copy);
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

/* The first stretch of the innermost loop that a stretch lies in, or itself where it lies in none; `end` by stretch as path_loops. */
static size_t innermost(const size_t *end, size_t k)
{
    size_t at = k;
    while (at && end[at] <= k)
        at--;
    return end[at] > k ? at : k;
}

/* A stretch's group is its innermost loop of those that PTX has as well: one of compare-and-swap is a part of the body. */
static void find_groups(Reader *r)
{
    size_t      *end  = ARENA_ARRAY(r->arena, size_t, r->stretches + 1);
    PathStretch *path = ARENA_ARRAY(r->arena, PathStretch, r->stretches + 1);
    r->is_loop        = ARENA_ARRAY(r->arena, bool, r->stretches + 1);
    for (size_t k = 0; k < r->stretches; k++)
        path[k] = (PathStretch){r->stretch[k].first, r->stretch[k].end, .times = 0};
    path_loops(&(PathInput){.word = r->word, .words = r->words, .stretch = path, .stretches = r->stretches}, end);
    for (size_t k = 0; k < r->stretches; k++)
        if (swap_of(r, &r->stretch[k]) != NONE)
            end[innermost(end, k)] = 0;
    for (size_t k = 0; k < r->stretches; k++) {
        r->is_loop[k]       = end[k] > 0;
        r->stretch[k].group = (uint32_t)innermost(end, k);
    }
}

static void cut(Reader *r)
{
    size_t n   = r->words;
    r->begins  = ARENA_ARRAY(r->arena, bool, n + 1);
    r->stretch = ARENA_ARRAY(r->arena, Stretch, n + 1);
    for (size_t i = 0; i < n; i++) {
        const SassWord *w  = &r->word[i];
        int64_t         to = (int64_t)i + 1 + w->jump;
        if (w->flow != SASS_NEXT)
            r->begins[i + 1] = true;
        if (w->jump && to >= 0 && to < (int64_t)n)
            r->begins[to] = true;
    }
    for (size_t i = 0; i < n; i++) {
        if (!i || r->begins[i])
            r->stretch[r->stretches++] = (Stretch){.first = i};
        Stretch *s = &r->stretch[r->stretches - 1];
        s->end     = i + 1;
    }
}

/* The stretch that begins with a word; `stretches`: none does. */
static size_t stretch_at(const Reader *r, int64_t word)
{
    size_t k = 0;
    while (k < r->stretches && (int64_t)r->stretch[k].first != word)
        k++;
    return k;
}

/* Behind a kernel's end stand a jump to itself and empty words. */
static bool fills_up(const Reader *r, const Stretch *s)
{
    const SassWord *w = &r->word[s->first];
    if (w->flow == SASS_JUMP && path_ends(w) && w->jump == -1)
        return true;
    for (size_t i = s->first; i < s->end; i++)
        if ((r->word[i].op & KIND) != NOP)
            return false;
    return true;
}

/* Shuffles and votes stand there twice where a warp may come with its lanes apart: once more out of the way, up to the jump back, with code that
 * collects them.  Lanes that PTX has together are taken to be together. */
static void find_never(Reader *r)
{
    for (size_t i = 0; i < r->stretches; i++) {
        size_t          last = r->stretch[i].end - 1;
        const SassWord *w    = &r->word[last];
        if (path_ends(w))
            for (size_t k = i + 1; k < r->stretches && fills_up(r, &r->stretch[k]); k++)
                r->stretch[k].never = true;
        if (w->flow != SASS_APART)
            continue;
        for (size_t k = stretch_at(r, (int64_t)last + 1 + w->jump); k < r->stretches; k++) {
            r->stretch[k].never = true;
            if (path_ends(&r->word[r->stretch[k].end - 1]))
                break;
        }
    }
}

/* The block that most instructions of the stretch come from, of those with or without a guard; NONE: of none is it known. */
static uint32_t most_votes(const Reader *r, const Stretch *s, uint32_t *votes, bool guarded)
{
    uint32_t best = NONE;
    for (size_t i = s->first; i < s->end; i++) {
        const Line *l = (r->word[i].guard != SASS_ALWAYS) == guarded ? line_of(r, i) : NULL;
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

/* What has a guard may come from a side of a branch that the assembler made none of: the stretch runs as often as the others in it. */
static uint32_t block_of(const Reader *r, const Stretch *s, uint32_t *votes)
{
    uint32_t plain = most_votes(r, s, votes, false);
    return plain != NONE ? plain : most_votes(r, s, votes, true);
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

/* Is the call a part of what stands for one instruction of PTX, each time?  Integers of 64 bits are divided by a routine (where both fit 32 bits, the
 * compiler of PTX has branched around already), and so is all that is rounded another way than to the nearest, but roots and reciprocals of single
 * precision. */
static bool always_calls(const Reader *r, size_t word)
{
    const Line   *l  = line_of(r, word);
    const Opcode *op = l ? r->in->instr[l->id].in->op : NULL;
    if (!op || !op->ntypes)
        return false;
    switch (op->op) {
    case OP_div:
    case OP_rem: return type_bytes(op->types[0]) == 8;
    case OP_fdiv:
    case OP_fdiv_f64:
    case OP_frcp_f64:
    case OP_fsqrt_f64: return opcode_has(op, WORD_rz) || opcode_has(op, WORD_rm) || opcode_has(op, WORD_rp);
    default: return false;
    }
}

/* A routine ends with its first RETURN, and runs as often as those together that call it. */
static void find_calls(Reader *r)
{
    for (size_t i = 0; i < r->stretches; i++) {
        Stretch        *s    = &r->stretch[i];
        const SassWord *w    = &r->word[s->end - 1];
        size_t          from = w->flow == SASS_CALL && w->jump && always_calls(r, s->end - 1)
                                   ? stretch_at(r, (int64_t)s->end + w->jump)
                                   : r->stretches,
               to            = from;
        while (to < r->stretches && r->word[r->stretch[to].end - 1].flow != SASS_RETURN)
            to++;
        if (to == r->stretches)
            continue;
        s->seldom  = false;
        s->routine = from;
        s->returns = to + 1;
        for (size_t k = from; k <= to; k++)
            r->stretch[k].called = true;
    }
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
            const Copy *c = copies_of(r->copy, r->copies, s->block, s->group);
            before        = c ? c->times : r->block[s->block].executed;
        }
        s->times = s->seldom || s->called || s->never ? 0 : before;
    }
    for (size_t i = 0; i < r->stretches; i++)
        for (size_t k = r->stretch[i].routine; k < r->stretch[i].returns; k++)
            r->stretch[k].times += r->stretch[i].times;
    for (size_t i = 0; i < r->stretches; i++)
        if (swap_of(r, &r->stretch[i]) != NONE)
            go_round(r, i);
}

/* Clocks until what the word's barrier tells is there.  A swapping lane has a pass of its own each time round. */
static double reach_of(const Reader *r, const Stretch *s, size_t i, unsigned copy, unsigned copies)
{
    const Line *l = line_of(r, i);
    if (r->word[i].writes == SASS_NO_BARRIER)
        return 0;
    bool alone = s->swaps && r->word[i].reach == SASS_SHARED;
    return r->in->reach(r->in->user, l && !alone ? l->id : NONE, r->word[i].reach, copy, copies);
}

/* The same of all words of a stretch.  copies: by instruction of PTX how many words of the stretch it has, and how many came by; all 0. */
static void reach_stretch(const Reader *r, const Stretch *s, unsigned (*copies)[2], double *there)
{
    for (size_t i = s->first; i < s->end; i++) {
        const Line *l = line_of(r, i);
        if (l && r->word[i].writes != SASS_NO_BARRIER)
            copies[l->id][0]++;
    }
    for (size_t i = s->first; i < s->end; i++) {
        const Line *l    = line_of(r, i);
        bool        some = l && r->word[i].writes != SASS_NO_BARRIER;
        there[i]         = reach_of(r, s, i, some ? copies[l->id][1]++ : 0, some ? copies[l->id][0] : 1);
    }
    for (size_t i = s->first; i < s->end; i++) {
        const Line *l = line_of(r, i);
        if (l)
            copies[l->id][0] = copies[l->id][1] = 0;
    }
}

/* The loop of PTX that a block lies in, by its header, numbered through; NONE: it lies in none. */
static uint32_t loop_of(const Reader *r, uint32_t block)
{
    for (const FuncBlocks *f = r->func; f && block != NONE; f = f->next)
        if (block >= f->base && block < f->base + f->cfg->nblocks) {
            uint32_t loop = f->cfg->block[block - f->base].loop;
            return loop == CFG_NONE ? NONE : f->base + f->cfg->loop[loop].header;
        }
    return NONE;
}

/* How often a loop is entered is counted of PTX's; each of several that the assembler has made of one is entered as often at most.  (What leads to it
 * in the code may be an instruction that was moved there from where it ran less often, or a way that only some warps take to it.) */
static void count_entered(const Reader *r, size_t k, PathStretch *to)
{
    uint32_t loop  = r->is_loop[k] ? loop_of(r, r->stretch[k].block) : (uint32_t)NONE;
    bool     alone = true;
    for (size_t i = 0; i < r->stretches && loop != NONE; i++)
        alone &= i == k || !r->is_loop[i] || loop_of(r, r->stretch[i].block) != loop;
    if (loop != NONE)
        *(alone ? &to->entered : &to->entered_most) = r->block[loop].entered;
}

/* Words from one stretch to before another that any warp runs. */
static size_t words_run(const Reader *r, size_t first, size_t end)
{
    size_t n = 0;
    for (size_t k = first; k < end; k++)
        n += r->stretch[k].times > 0 ? r->stretch[k].end - r->stretch[k].first : 0;
    return n;
}

/* Clocks that a word of each stretch takes at least: of code that a loop goes round in, or, outside of loops, of all code that runs.  Where that is less
 * than nearer caches hold, nothing is waited for (docs/time-model.md). */
static void fetch_clocks(const Reader *r, double *fetch)
{
    PathStretch *path = ARENA_ARRAY(r->arena, PathStretch, r->stretches + 1);
    size_t      *end = ARENA_ARRAY(r->arena, size_t, r->stretches + 1), all = words_run(r, 0, r->stretches);
    if (all <= NEAR_WORDS)
        return;
    for (size_t k = 0; k < r->stretches; k++)
        path[k] = (PathStretch){r->stretch[k].first, r->stretch[k].end, .times = 0};
    path_loops(&(PathInput){.word = r->word, .words = r->words, .stretch = path, .stretches = r->stretches}, end);
    for (size_t k = 0; k < r->stretches; k++) {
        size_t at = innermost(end, k), n = end[at] > k ? words_run(r, at, end[at]) : all > FAR_WORDS ? all : 0;
        double clocks = n > FAR_WORDS ? far_fetch : n > NEAR_WORDS ? near_fetch : 0;
        for (size_t i = r->stretch[k].first; i < r->stretch[k].end; i++)
            fetch[i] = clocks;
    }
}

/* The assembler makes a table of a chain of comparisons and branches, in the place of the first one. */
static double parted_in_chain(const Reader *r, uint32_t id)
{
    double n = 0;
    for (uint32_t i = id; i < r->in->ninstr && r->in->instr[i].in; i++) {
        const Instr *in = r->in->instr[i].in;
        n += (double)r->in->parted[i];
        if (op_is(in, TRAIT_JUMP | TRAIT_END) && !in->guard)
            break;
    }
    return n;
}

/* Clocks that a word takes longer as lanes part there, of the average warp that comes by; a table of branches takes longer anyhow.  A branch that the
 * assembler made none of parts nobody. */
static double parting_of(const Reader *r, size_t i)
{
    const SassWord *w     = &r->word[i];
    const Line     *l     = line_of(r, i);
    bool            table = (w->op & KIND) == TABLE;
    if (!table && (w->flow != SASS_JUMP || path_ends(w)))
        return 0;
    double always = table ? TABLE_CLOCKS : 0;
    if (!r->in->parted || !l || !r->in->executed[l->id])
        return always;
    double times = table ? parted_in_chain(r, l->id) : (double)r->in->parted[l->id];
    return always + times / (double)r->in->executed[l->id] * (table ? CASE_CLOCKS : PART_CLOCKS);
}

/* Clocks of the warp that a block waits for, and of the average of all warps.  One that runs more instructions takes longer by those, not by waiting
 * as often for what nobody has asked for before: so that of the average is told without as well. */
static void warp_clocks(const Reader *r, CodeWork *out)
{
    const CodeInput *in    = r->in;
    double          *there = ARENA_ARRAY(r->arena, double, r->words + 1);
    double          *lines = ARENA_ARRAY(r->arena, double, r->words + 1);
    double          *parts = ARENA_ARRAY(r->arena, double, r->words + 1);
    double          *fetch = ARENA_ARRAY(r->arena, double, r->words + 1);
    PathStretch     *path  = ARENA_ARRAY(r->arena, PathStretch, r->stretches + 1);
    unsigned(*copies)[2]   = (unsigned(*)[2])ARENA_ARRAY(r->arena, unsigned, 2 * ((size_t)in->ninstr + 1));
    for (size_t k = 0; k < r->stretches; k++) {
        const Stretch *s = &r->stretch[k];
        path[k]          = (PathStretch){s->first, s->end, s->times, s->routine, s->returns, s->called, 0, 0};
        count_entered(r, k, &path[k]);
        reach_stretch(r, s, copies, there);
        for (size_t i = s->first; i < s->end; i++) {
            const Line *l = line_of(r, i);
            lines[i]      = l && r->word[i].reach == SASS_GLOBAL ? in->lines(in->user, l->id) : 0;
            parts[i]      = parting_of(r, i);
        }
    }
    fetch_clocks(r, fetch);
    PathInput way    = {.word      = r->word,
                        .there     = there,
                        .lines     = lines,
                        .parts     = parts,
                        .fetch     = fetch,
                        .words     = r->words,
                        .near      = in->reach(in->user, NONE, SASS_NEAR, 0, 1),
                        .stretch   = path,
                        .stretches = r->stretches,
                        .warps     = (double)in->warps,
                        .blocks    = in->busy_blocks};
    out->warp_clocks = path_clocks(&way);
    way.blocks       = way.warps;
    out->mean_clocks = path_clocks(&way);
    double shared    = in->reach(in->user, NONE, SASS_SHARED, 0, 1);
    for (size_t i = 0; i < r->words; i++)
        there[i] = fmin(there[i], shared);
    way.lines        = NULL;
    out->near_clocks = path_clocks(&way);
}

/* How often a warp that comes by executes the instruction: as often as the outermost loop around it goes round, at most. */
static double by_one_warp(const Reader *r, const Line *l, double executed)
{
    for (const FuncBlocks *f = r->func; f; f = f->next) {
        if (l->block < f->base || l->block >= f->base + f->cfg->nblocks)
            continue;
        uint32_t loop = f->cfg->block[l->block - f->base].loop;
        while (loop != CFG_NONE && f->cfg->loop[loop].parent != CFG_NONE)
            loop = f->cfg->loop[loop].parent;
        return loop == CFG_NONE ? 1 : executed / r->block[f->base + f->cfg->loop[loop].header].entered;
    }
    return 1;
}

static void count_prints(const Reader *r, CodeWork *out)
{
    for (uint32_t i = 0; i < r->in->ninstr; i++) {
        const Instr *in       = r->in->instr[i].in;
        double       executed = (double)r->in->executed[i];
        if (!in || in->nopd < 2 || in->opd[1].kind != OPD_FUNC || strcmp(in->opd[1].func->name, "vprintf") != 0 ||
            !executed)
            continue;
        double once = fmin(executed, fmax(1, by_one_warp(r, &r->line[in->line], executed)));
        out->prints += once;
        out->print_turns += executed - once;
        out->print_lanes += fmax(0, (double)r->in->lanes[i] - executed);
    }
}

/* Sides of branches that the assembler made none of, but guards: all warps that come by run these, whatever PTX has them run. */
static double count_folded(const Reader *r)
{
    double   *runs = ARENA_ARRAY(r->arena, double, (size_t)r->in->ninstr + 1), all = 0, more = 0;
    uint32_t *last = ARENA_ARRAY(r->arena, uint32_t, (size_t)r->in->ninstr + 1); /* stretch that counted, from 1 */
    for (size_t k = 0; k < r->stretches; k++)
        for (size_t i = r->stretch[k].first; i < r->stretch[k].end; i++) {
            const Line *l = r->word[i].guard != SASS_ALWAYS && r->word[i].flow == SASS_NEXT ? line_of(r, i) : NULL;
            if (l && last[l->id] != k + 1) {
                last[l->id] = (uint32_t)k + 1;
                runs[l->id] += r->stretch[k].times;
            }
        }
    for (uint32_t i = 0; i < r->in->ninstr; i++) {
        double executed = (double)r->in->executed[i];
        all += executed;
        more += executed > 0 && runs[i] > mostly_folded * executed ? runs[i] - executed : 0;
    }
    return all > 0 ? (all + more) / all : 1;
}

static void count_constants(const Reader *r, CodeWork *out)
{
    Constants *c = ARENA_NEW(r->arena, Constants);
    for (size_t k = 0; k < r->stretches; k++)
        for (size_t i = r->stretch[k].first; i < r->stretch[k].end; i++)
            constants_add(c, &r->word[i], r->stretch[k].times / (double)r->in->warps);
    out->constant_clocks = r->in->code ? constants_wait(c, r->in->code, r->in->constant_line, r->in->constant_far) : 0;
}

bool code_joins_updates(const CubinFunc *code)
{
    bool     joins   = false;
    uint32_t counted = 0; /* the PTX line that lanes were last counted for */
    for (size_t i = 0; i < code->words && !joins; i++) {
        SassWord w;
        sass_decode(code->code + i * SASS_WORD, &w);
        uint32_t line = code->line ? code->line[i] : 0;
        if (w.name && !strcmp(w.name, "POPC"))
            counted = line;
        joins = w.name && (!strcmp(w.name, "REDUX") ||
                           (w.reach == SASS_UPDATE && w.guard != SASS_ALWAYS && line && line == counted));
    }
    return joins;
}

static void read_words(Reader *r)
{
    const CodeInput *in = r->in;
    if (!in->code) {
        StandIn made;
        standin_make(r->arena, &(StandInInput){in->instr, in->ninstr, in->results, in->gone, in->user}, &made);
        r->word      = made.word;
        r->words     = made.words;
        r->word_line = made.line;
        return;
    }
    r->words     = in->code->words;
    r->word_line = in->code->line;
    r->word      = ARENA_ARRAY(r->arena, SassWord, r->words + 1);
    for (size_t i = 0; i < r->words; i++)
        sass_decode(in->code->code + i * SASS_WORD, &r->word[i]);
}

void code_work(const CodeInput *in, CodeWork *out)
{
    Reader r      = {.in = in, .arena = arena_new()};
    double placed = 0;
    *out          = (CodeWork){0};
    read_words(&r);
    read_lines(&r);
    cut(&r);
    find_never(&r);
    find_groups(&r);
    count_copies(&r);
    find_seldom(&r);
    find_calls(&r);
    count_times(&r);
    for (size_t k = 0; k < r.stretches; k++)
        for (size_t i = r.stretch[k].first; i < r.stretch[k].end; i++) {
            out->issued += r.stretch[k].times;
            placed += line_of(&r, i) ? r.stretch[k].times : 0;
            out->pipe[r.word[i].pipe] += r.stretch[k].times * (sass_pipe_clocks(r.word[i].pipe) +
                                                               sass_read_clocks(&r.word[i], i ? &r.word[i - 1] : NULL));
        }
    count_constants(&r, out);
    out->folded = count_folded(&r);
    count_prints(&r, out);
    out->placed = out->issued > 0 ? placed / out->issued : 0;
    warp_clocks(&r, out);
    out->warp_clocks += r.waited / (double)in->warps;
    free(r.copy);
    arena_free(r.arena);
}
