/* SPDX-License-Identifier: Apache-2.0
 *
 * Instructions become words one by one (standin.def), but for what an assembler puts together whatever the program: copies and conversions of
 * addresses, sums that end in an access's offset or in a product, products that a sum takes, arguments, which are operands.
 *
 * A small loop that counts is written out COPIES times, with the loop for what is left behind it, as assemblers do.
 *
 * Left out: everything else that an optimiser does (of code by nvcc or clang, which have optimised, little); registers that do not suffice; how lanes
 * that part meet again. */
#include "check/time/standin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check/time/order.h"
#include "check/time/recipe.h"
#include "ptx/cfg.h"
#include "ptx/merge.h"
#include "ptx/op.h"
#include "ptx/registers.h"
#include "ptx/traits.h"
#include "ptx/uniform.h"

enum {
    COPIES = 4,
    SMALL  = 64,   /* instructions of a loop that is written out, at most */
    LITTLE = 12,   /* of a side that becomes guarded ones */
    WINDOW = 4096, /* words that one order is looked for */
    WIDEST = 16,   /* bytes of a lane's access */
    ALWAYS = 7,
    ROOM   = 64,
    SWAP   = 0x18d /* ATOMS, of a compare-and-swap */
};

/* By how many clocks their results come later than others' (stalls in machine code of cc 9.0). */
static const double predicates = 9, doubles = 4, matrices = 20;

typedef struct Use {                         /* of a register, in the function */
    uint32_t writes, reads, addresses, sums; /* reads: all; as the base of an address; by additions */
    uint32_t reader;                         /* the last one, an instruction */
} Use;

typedef struct Home {       /* of a register's value, where the text stands */
    uint32_t stamp, node;   /* of the block's copy in which a node made it; else it comes from outside */
    uint8_t  told;          /* 0, or the barrier that tells it, plus 1 */
    bool     wide, widened; /* a product that an addition may join; a conversion that a shift or product takes along */
} Home;

typedef struct Maker {
    const StandInInput *in;
    Arena              *arena;
    const Func         *f;
    const Cfg          *cfg;
    uint32_t            first; /* id of the function's first instruction */
    Use                *use;
    Home               *home;
    size_t             *at; /* by block: its first word */
    uint32_t  *parts;   /* by block: the first one from which lanes come apart to meet there; CFG_NONE: they do not */
    bool      *varying; /* uniform.h */
    OrderNode *node;    /* of a block; these five are malloc's */
    OrderEdge *edge;
    SassWord  *word;
    uint32_t  *line, *target; /* by word; target: the block that it jumps to, plus 1 */
    size_t     nodes, node_room, edges, edge_room, words, word_room;
    uint32_t   stamp, store, load, fence; /* the latest ones that made an access, or ORDER_NONE */
    uint8_t    barrier;
    const Reg *guard; /* of what is made now; NULL: none */
    bool       copy;  /* not the first one of a loop that is written out */
} Maker;

/* ---- nodes ---- */

/* Room for one more. */
static void *grow(void *p, size_t n, size_t *room, size_t size)
{
    if (n < *room)
        return p;
    *room = *room ? 2 * *room : ROOM;
    return xrealloc(p, *room * size);
}

static void add_word(Maker *m, const SassWord *w, uint32_t line, uint32_t target)
{
    size_t room           = m->word_room;
    m->line               = grow(m->line, m->words, &room, sizeof *m->line);
    room                  = m->word_room;
    m->target             = grow(m->target, m->words, &room, sizeof *m->target);
    m->word               = grow(m->word, m->words, &m->word_room, sizeof *m->word);
    m->word[m->words]     = *w;
    m->line[m->words]     = line;
    m->target[m->words++] = target;
}

static const Home *home_of(const Maker *m, const Reg *r)
{
    return &m->home[r->index];
}

static void edge(Maker *m, uint32_t to, bool value)
{
    if (to == ORDER_NONE || to + 1 >= m->nodes)
        return;
    m->edge             = grow(m->edge, m->edges, &m->edge_room, sizeof *m->edge);
    m->edge[m->edges++] = (OrderEdge){to, value};
    m->node[m->nodes - 1].needs++;
}

static void need(Maker *m, const Reg *r)
{
    const Home *h = home_of(m, r);
    if (h->stamp == m->stamp)
        edge(m, h->node, true);
    else if (h->told)
        m->node[m->nodes - 1].outside |= (uint8_t)(1u << (h->told - 1));
}

static void need_read(void *user, const Operand *o, bool written)
{
    if (!written)
        need(user, o->reg);
}

static double latency(const Maker *m, const SassWord *w, bool *tells)
{
    const StandInResults *in = &m->in->results;
    *tells                   = true;
    if (w->pipe == SASS_XU || w->pipe == SASS_CONST || !strcmp(w->name, "S2R"))
        return in->near;
    bool stores = !strncmp(w->name, "ST", 2);
    if (w->reach != SASS_NEAR && !stores)
        return w->reach == SASS_SHARED ? in->shared : in->global;
    *tells = false;
    if (strstr(w->name, "SETP") || !strcmp(w->name, "PLOP3"))
        return in->dependent + predicates;
    return in->dependent + (w->pipe == SASS_FP64 ? doubles : w->pipe == SASS_TENSOR ? matrices : 0);
}

static uint32_t add_node(Maker *m, const char *name, size_t len, uint32_t line)
{
    OrderNode x = {.line = line, .first = (uint32_t)m->edges};
    if (!sass_named(name, len, &x.word))
        return ORDER_NONE;
    x.latency = latency(m, &x.word, &x.tells);
    if (x.tells) {
        x.barrier  = m->barrier;
        m->barrier = (uint8_t)((m->barrier + 1) % SASS_BARRIERS);
    }
    m->node             = grow(m->node, m->nodes, &m->node_room, sizeof *m->node);
    m->node[m->nodes++] = x;
    return (uint32_t)m->nodes - 1;
}

/* The words of a recipe up to its end or a `;`, one behind the other; the last one, or ORDER_NONE. */
static uint32_t add_nodes(Maker *m, const Instr *in, const char *code)
{
    uint32_t last = ORDER_NONE;
    while (*code && *code != ';') {
        size_t      len   = strcspn(code, " *;");
        unsigned    count = 1;
        const char *name  = code;
        code += len;
        if (*code == '*')
            for (count = 0, code++; *code >= '0' && *code <= '9'; code++)
                count = count * 10 + (unsigned)(*code - '0');
        code += strspn(code, " ");
        for (unsigned k = 0; k < count; k++) {
            uint32_t node = add_node(m, name, len, in->line);
            if (node == ORDER_NONE)
                continue;
            if (last != ORDER_NONE) {
                edge(m, last, true);
            } else {
                ptx_each_register(in, need_read, m);
                if (in->guard)
                    need(m, in->guard);
                if (m->guard)
                    need(m, m->guard);
            }
            last = node;
        }
    }
    return last;
}

static void write_node(Maker *m, const Reg *r, uint32_t node)
{
    const OrderNode *x = &m->node[node];
    m->home[r->index]  = (Home){m->stamp, node, x->tells ? (uint8_t)(x->barrier + 1) : 0, false, false};
}

typedef struct Write {
    Maker   *m;
    uint32_t node;
} Write;

static void write_result(void *user, const Operand *o, bool written)
{
    const Write *w = user;
    if (written)
        write_node(w->m, o->reg, w->node);
}

typedef struct Take { /* what a result takes over */
    Maker *m;
    Home   home;
    bool   any;
} Take;

static void take_source(void *user, const Operand *o, bool written)
{
    Take       *t    = user;
    const Home *h    = home_of(t->m, o->reg);
    bool        here = h->stamp == t->m->stamp, before = t->home.stamp == t->m->stamp;
    if (!written && (!t->any || (here && (!before || h->node > t->home.node)))) {
        t->home = *h;
        t->any  = true;
    }
}

static void take_result(void *user, const Operand *o, bool written)
{
    const Take *t = user;
    if (written)
        t->m->home[o->reg->index] = t->home;
}

/* Nothing is left of the instruction: its result is there when its sources are. */
static void vanish(Maker *m, const Instr *in)
{
    Take t = {.m = m};
    ptx_each_register(in, take_source, &t);
    ptx_each_register(in, take_result, &t);
}

/* ---- what is put together ---- */

static const Reg *result_of(const Instr *in)
{
    return in->nopd && in->opd[0].kind == OPD_REG ? in->opd[0].reg : NULL;
}

static const Use *use_of(const Maker *m, const Instr *in)
{
    const Reg *r = result_of(in);
    return r ? &m->use[r->index] : NULL;
}

static bool has_number(const Instr *in)
{
    return in->nopd > 2 && in->opd[2].kind == OPD_INT;
}

/* One of its sources, a register: the home of it. */
static Home *source_home(const Maker *m, const Instr *in, unsigned k)
{
    return k < in->nopd && in->opd[k].kind == OPD_REG ? &m->home[in->opd[k].reg->index] : NULL;
}

/* Does a product of this block, of nobody else, end in the sum? */
static bool joins_product(const Maker *m, const Instr *in)
{
    for (unsigned k = 1; k < in->nopd; k++) {
        const Home *h = source_home(m, in, k);
        if (h && h->wide && h->stamp == m->stamp && m->use[in->opd[k].reg->index].reads == 1)
            return true;
    }
    return false;
}

static bool counts_up(const Instr *in)
{
    return in->op->op == OP_add && has_number(in) && in->opd[1].kind == OPD_REG && result_of(in) == in->opd[1].reg;
}

static bool add_vanishes(const Maker *m, const Instr *in)
{
    const Use *u    = use_of(m, in);
    bool       wide = type_bytes(recipe_type(in->op, 0)) == 8;
    if (!u || (m->copy && counts_up(in)))
        return true;
    return wide && ((has_number(in) && u->reads && u->reads == u->addresses) || joins_product(m, in));
}

/* A number becomes an operand of who reads it, unless it is where a loop begins from. */
static bool mov_vanishes(const Maker *m, const Instr *in)
{
    const Operand *from = in->nopd > 1 ? &in->opd[1] : NULL;
    const Use     *u    = use_of(m, in);
    if (from && u && (from->kind == OPD_INT || from->kind == OPD_FLOAT))
        return u->writes == 1;
    if (!from || from->kind != OPD_SREG)
        return true;
    return !strncmp(from->name, "nt", 2) || !strncmp(from->name, "nc", 2); /* sizes are arguments of the launch */
}

/* Is it a conversion to a wider integer whose only reader shifts or multiplies it? */
static bool widens(const Maker *m, const Instr *in)
{
    const Use *u = use_of(m, in);
    if (in->op->op != OP_cvt || type_bytes(recipe_type(in->op, 0)) != 8 || type_bytes(recipe_type(in->op, 1)) != 4 ||
        recipe_is_float(recipe_type(in->op, 0)) || !u || u->reads != 1)
        return false;
    Op by = m->f->instrs[u->reader].op->op;
    return by == OP_shl || by == OP_mul_lo || by == OP_add;
}

static bool vanishes(const Maker *m, const Instr *in, uint32_t id)
{
    const Use *u = use_of(m, in);
    switch (in->op->op) {
    case OP_mov: return mov_vanishes(m, in);
    case OP_add: return add_vanishes(m, in);
    case OP_shl: return u && u->reads == 1 && u->sums == 1 && has_number(in) && type_bytes(recipe_type(in->op, 0)) == 4;
    case OP_setp_i: return m->copy && u && u->reads == 1 && m->f->instrs[u->reader].op->op == OP_bra;
    default: break;
    }
    if (widens(m, in) || m->in->instr[id].fuses == EMU_FUSES_PRODUCT)
        return true;
    return recipe_is_access(in) && m->in->gone && m->in->gone(m->in->user, id);
}

/* A shift of what was converted is one product; so is that of two numbers. */
static bool is_wide_product(const Maker *m, const Instr *in)
{
    const Home *h = source_home(m, in, 1);
    return in->op->op == OP_mul_wide || (in->op->op == OP_shl && has_number(in) && h && h->widened);
}

/* ---- accesses ---- */

static void begin_block(Maker *m)
{
    m->nodes = m->edges = 0;
    m->store = m->load = m->fence = ORDER_NONE;
    m->stamp++;
}

static void finish_block(Maker *m, uint32_t target)
{
    Arena    *brief = arena_new();
    size_t    made  = 0;
    SassWord *word  = ARENA_ARRAY(brief, SassWord, m->nodes + 1);
    uint32_t *line  = ARENA_ARRAY(brief, uint32_t, m->nodes + 1);
    order_block(brief, m->node, (uint32_t)m->nodes, m->edge, word, line, &made);
    for (size_t i = 0; i < made; i++)
        add_word(m, &word[i], line[i], i + 1 == made && target != CFG_NONE ? target + 1 : 0);
    arena_free(brief);
}

static void from_outside(void *user, const Operand *o, bool written)
{
    Maker *m = user;
    if (written)
        m->home[o->reg->index] = (Home){0};
}

/* Loads keep behind stores, stores and fences behind everything. */
static void keep_order(Maker *m, const Instr *in, uint32_t node)
{
    bool loads = op_is(in, TRAIT_LOAD) && !op_is(in, TRAIT_STORE);
    edge(m, m->fence, false);
    if (!loads || !opcode_has(in->op, WORD_nc))
        edge(m, m->store, false);
    if (loads) {
        m->load = node;
        return;
    }
    edge(m, m->load, false);
    m->store = node;
}

/* A loop that goes round until each lane has swapped its word: a load, then an operation, the swap and a look at what came of it. */
static void make_swaps(Maker *m, const Instr *in)
{
    Type        type = recipe_type(in->op, 0);
    const char *code = !recipe_is_float(type)  ? "IADD3*2 ATOMS ISETP BRA"
                       : type_bytes(type) == 8 ? "DADD ATOMS ISETP BRA"
                                               : "FADD ATOMS ISETP BRA";
    add_nodes(m, in, "LDS");
    finish_block(m, CFG_NONE);
    begin_block(m);
    size_t   first            = m->words;
    uint32_t last             = add_nodes(m, in, code);
    m->node[last].word.guard  = 0;
    m->node[last - 2].word.op = SWAP;
    finish_block(m, CFG_NONE);
    m->word[m->words - 1].jump = (int64_t)first - (int64_t)m->words;
    begin_block(m);
    ptx_each_register(in, from_outside, m);
}

static void make_access(Maker *m, const Instr *in, uint32_t id)
{
    const char *code = recipe_of_access(in, m->in->instr[id].merges);
    unsigned    all = recipe_bytes(in), one = all > WIDEST ? WIDEST : all;
    if (!*code) {
        vanish(m, in);
        return;
    }
    if (m->in->instr[id].merges & MERGE_SWAPS && recipe_in_shared(recipe_space(in))) {
        make_swaps(m, in);
        return;
    }
    for (unsigned done = 0; done < all || !done; done += one ? one : 1) {
        uint32_t node            = add_nodes(m, in, code);
        m->node[node].word.bytes = one;
        keep_order(m, in, node);
        ptx_each_register(in, write_result, &(Write){m, node});
    }
}

/* Others see that it was done: accesses keep to their side of it. */
static bool is_fence(const Instr *in)
{
    return !op_is(in, TRAIT_COMPUTE) && !recipe_is_access(in) && !op_is(in, TRAIT_JUMP);
}

/* Of a recipe with a `;` what stands before it ends its block: nothing moves across the branch there. */
static const char *make_first_part(Maker *m, const Instr *in, const char *code)
{
    const char *rest = strchr(code, ';');
    if (!rest)
        return code;
    uint32_t node            = add_nodes(m, in, code);
    m->node[node].last       = true;
    m->node[node].word.guard = 0;
    finish_block(m, CFG_NONE);
    begin_block(m);
    return rest + 1 + strspn(rest + 1, " ");
}

static const char *mov_code(const Instr *in)
{
    return in->nopd > 1 && in->opd[1].kind == OPD_SREG ? "S2R" : "MOV";
}

static void make_plain(Maker *m, const Instr *in)
{
    bool        product = is_wide_product(m, in);
    const char *code    = product ? "IMAD" : in->op->op == OP_mov ? mov_code(in) : recipe_of(in->op);
    uint32_t    node    = add_nodes(m, in, make_first_part(m, in, code));
    if (node == ORDER_NONE) {
        vanish(m, in);
        return;
    }
    if (is_fence(in)) {
        edge(m, m->load, false);
        edge(m, m->store, false);
        edge(m, m->fence, false);
        m->fence = node;
    }
    ptx_each_register(in, write_result, &(Write){m, node});
    if (product && result_of(in))
        m->home[result_of(in)->index].wide = true;
}

static void make(Maker *m, const Instr *in, uint32_t id)
{
    if (vanishes(m, in, id)) {
        bool widened = widens(m, in);
        vanish(m, in);
        if (widened)
            m->home[result_of(in)->index].widened = true;
    } else if (recipe_is_access(in)) {
        make_access(m, in, id);
    } else {
        make_plain(m, in);
    }
}

/* ---- blocks ---- */

static bool ends_block(const Instr *in)
{
    return op_is(in, TRAIT_JUMP | TRAIT_END);
}

static uint32_t label_block(const Maker *m, const Instr *in)
{
    for (unsigned i = 0; i < in->nopd; i++)
        if (in->opd[i].kind == OPD_LABEL) {
            uint32_t to = m->f->labels[in->opd[i].label].target;
            return to < m->f->ninstrs ? m->cfg->block_of[to] : CFG_NONE;
        }
    return CFG_NONE;
}

static const char *end_code(const Maker *m, const Instr *in)
{
    if (in->op->op == OP_ret)
        return m->f->entry ? "EXIT" : "RET";
    return recipe_of(in->op);
}

/* Does the block end with a branch around a few instructions, which become guarded ones? */
static bool is_little(const Maker *m, uint32_t block)
{
    const CfgBlock *b   = &m->cfg->block[block];
    const Instr    *end = &m->f->instrs[b->end - 1];
    if (end->op->op != OP_bra || !end->guard || block + 2 >= m->cfg->nblocks || label_block(m, end) != block + 2)
        return false;
    const CfgBlock *side = &m->cfg->block[block + 1];
    if (!side->reachable || side->npred != 1 || side->nsucc != 1 || side->succ[0] != block + 2 ||
        side->end - side->first > LITTLE)
        return false;
    for (uint32_t i = side->first; i < side->end; i++) {
        const Instr *in = &m->f->instrs[i];
        if ((is_fence(in) || op_is(in, TRAIT_ATOMIC | TRAIT_CALL)) && !op_is(in, TRAIT_JUMP))
            return false;
        if (strchr(recipe_of(in->op), ';'))
            return false;
    }
    return true;
}

/* Where lanes that may part at the block's end meet again, if not at the function's end nor round a loop; else CFG_NONE. */
static uint32_t meeting(const Maker *m, uint32_t block)
{
    const CfgBlock *b   = &m->cfg->block[block];
    const Instr    *end = &m->f->instrs[b->end - 1];
    if (end->op->op != OP_bra || !end->guard || !m->varying[end->guard->index] || b->ipdom == CFG_NONE ||
        label_block(m, end) <= block || is_little(m, block))
        return CFG_NONE;
    const CfgBlock *to = &m->cfg->block[b->ipdom];
    return op_is(&m->f->instrs[to->first], TRAIT_END) ? CFG_NONE : b->ipdom;
}

/* The end comes last, whatever is under way. */
static void make_end(Maker *m, const Instr *in)
{
    uint32_t node = add_nodes(m, in, end_code(m, in));
    if (node == ORDER_NONE)
        return;
    m->node[node].last       = true;
    m->node[node].word.guard = in->guard ? 0 : ALWAYS;
    m->node[node].after      = (uint8_t)fmin(m->in->results.dependent + 1, UINT8_MAX);
}

static bool goes_on(const Maker *m, uint32_t block, const Instr *end)
{
    return end->op->op == OP_bra && !end->guard && label_block(m, end) == block + 1;
}

/* Is the block a loop of its own that counts to a number that it does not change, and does nothing that keeps an assembler from writing it out? */
static bool can_unroll(const Maker *m, uint32_t block)
{
    const CfgBlock *b      = &m->cfg->block[block];
    const Instr    *end    = &m->f->instrs[b->end - 1];
    bool            counts = false;
    if (b->end - b->first > SMALL || end->op->op != OP_bra || !end->guard || label_block(m, end) != block)
        return false;
    for (uint32_t i = b->first; i < b->end - 1; i++) {
        const Instr *in = &m->f->instrs[i];
        if (is_fence(in) || op_is(in, TRAIT_ATOMIC))
            return false;
        counts |= counts_up(in);
    }
    return counts;
}

static void make_body(Maker *m, uint32_t block)
{
    const CfgBlock *b    = &m->cfg->block[block];
    bool            ends = ends_block(&m->f->instrs[b->end - 1]);
    for (uint32_t i = b->first; i < b->end - (ends ? 1 : 0); i++) {
        make(m, &m->f->instrs[i], m->first + i);
        if (m->nodes < WINDOW)
            continue;
        finish_block(m, CFG_NONE);
        begin_block(m);
    }
}

/* The block with what becomes guarded instructions behind it, up to what ends a basic block for an assembler.  Gives the last block. */
static uint32_t make_block(Maker *m, uint32_t block, unsigned copies)
{
    begin_block(m);
    if (m->parts[block] != CFG_NONE) {
        add_node(m, "BSYNC", 5, m->f->instrs[m->cfg->block[block].first].line);
        finish_block(m, CFG_NONE);
        begin_block(m);
    }
    for (unsigned k = 0; k < copies; k++) {
        m->copy = k > 0;
        make_body(m, block);
    }
    m->copy = false;
    while (is_little(m, block)) {
        m->guard = m->f->instrs[m->cfg->block[block].end - 1].guard;
        make_body(m, block + 1);
        m->guard = NULL;
        if (m->cfg->block[block + 2].npred > 2 || m->parts[block + 2] != CFG_NONE) {
            finish_block(m, CFG_NONE);
            return block + 1;
        }
        block += 2;
        make_body(m, block);
    }
    const Instr *end   = &m->f->instrs[m->cfg->block[block].end - 1];
    bool         jumps = ends_block(end) && !goes_on(m, block, end);
    uint32_t     meets = meeting(m, block);
    if (meets != CFG_NONE && m->parts[meets] == block)
        add_node(m, "BSSY", 4, end->line);
    if (jumps)
        make_end(m, end);
    finish_block(m, jumps ? label_block(m, end) : CFG_NONE);
    return block;
}

static void point_jumps(Maker *m, size_t from)
{
    for (size_t i = from; i < m->words; i++)
        if (m->target[i])
            m->word[i].jump = (int64_t)m->at[m->target[i] - 1] - (int64_t)i - 1;
}

/* The block just made is a loop by itself. */
static void make_loop(Maker *m, uint32_t block, unsigned copies)
{
    size_t first = m->words;
    make_block(m, block, copies);
    m->word[m->words - 1].jump = (int64_t)first - (int64_t)m->words;
    m->target[m->words - 1]    = 0;
}

static void make_blocks(Maker *m)
{
    size_t from = m->words;
    for (uint32_t b = 0; b < m->cfg->nblocks; b++) {
        m->at[b] = m->words;
        if (!m->cfg->block[b].reachable || m->cfg->block[b].first == m->cfg->block[b].end)
            continue;
        if (can_unroll(m, b)) {
            make_loop(m, b, COPIES);
            make_loop(m, b, 1);
            continue;
        }
        b = make_block(m, b, 1);
    }
    if (m->words == from || m->word[m->words - 1].flow == SASS_NEXT) {
        SassWord end;
        sass_named("EXIT", 4, &end);
        add_word(m, &end, 0, 0);
    }
    point_jumps(m, from);
}

/* ---- functions ---- */

typedef struct Counting {
    Use     *use;
    uint32_t instr;
    bool     sums;
} Counting;

static void count_register(Counting *c, const Reg *r, bool written, bool address)
{
    Use *u = &c->use[r->index];
    if (written) {
        u->writes++;
        return;
    }
    u->reads++;
    u->addresses += address;
    u->sums += c->sums;
    u->reader = c->instr;
}

static void count_read(void *user, const Operand *o, bool written)
{
    count_register(user, o->reg, written, false);
}

static void count_uses(Maker *m)
{
    for (uint32_t i = 0; i < m->f->ninstrs; i++) {
        const Instr *in = &m->f->instrs[i];
        Counting     c  = {m->use, i, in->op->op == OP_add};
        ptx_each_register(in, count_read, &c);
        if (in->guard)
            count_register(&c, in->guard, false, false);
        for (unsigned k = 0; k < in->nopd; k++)
            if (in->opd[k].kind == OPD_MEM && in->opd[k].elem[0].kind == OPD_REG)
                m->use[in->opd[k].elem[0].reg->index].addresses++;
    }
}

static void make_function(Maker *m, const Func *f, uint32_t first)
{
    m->f       = f;
    m->first   = first;
    m->cfg     = cfg_build(m->arena, f);
    m->use     = ARENA_ARRAY(m->arena, Use, f->nregs + 1);
    m->home    = ARENA_ARRAY(m->arena, Home, f->nregs + 1);
    m->at      = ARENA_ARRAY(m->arena, size_t, m->cfg->nblocks + 1);
    m->stamp   = 1;
    m->parts   = ARENA_ARRAY(m->arena, uint32_t, m->cfg->nblocks + 1);
    m->varying = uniform_varying(f);
    for (uint32_t b = 0; b < m->cfg->nblocks; b++)
        m->parts[b] = CFG_NONE;
    for (uint32_t b = 0; b < m->cfg->nblocks; b++) {
        uint32_t at = m->cfg->block[b].reachable ? meeting(m, b) : CFG_NONE;
        if (at != CFG_NONE && m->parts[at] == CFG_NONE)
            m->parts[at] = b;
    }
    count_uses(m);
    make_blocks(m);
    free(m->varying);
}

void standin_make(Arena *a, const StandInInput *in, StandIn *out)
{
    Maker       m    = {.in = in, .arena = a};
    const Func *last = NULL;
    for (uint32_t i = 0; i < in->ninstr; i++) {
        const EmuInstr *e = &in->instr[i];
        if (!e->in || !e->func || e->func == last)
            continue;
        last = e->func;
        make_function(&m, last, i - (uint32_t)(e->in - last->instrs));
    }
    *out = (StandIn){ARENA_ARRAY(a, SassWord, m.words + 1), ARENA_ARRAY(a, uint32_t, m.words + 1), m.words};
    for (size_t i = 0; i < m.words; i++) {
        out->word[i] = m.word[i];
        out->line[i] = m.line[i];
    }
    free(m.node);
    free(m.edge);
    free(m.word);
    free(m.line);
    free(m.target);
}
