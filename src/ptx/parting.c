/* SPDX-License-Identifier: Apache-2.0
 *
 * The assembler encloses a branch on which lanes may part in BSSY and BSYNC: who comes to BSYNC waits for all that BSSY saw.  It puts BSYNC
 * where all ways from the branch come together, not where some of them do.
 *
 *     a: if p goto c          lanes that jump from a and those that leave the loop to c
 *     b: if q goto d          do not meet there: c runs once for each turn in which lanes come,
 *        if r goto b          and all meet at d
 *     c: ...
 *     d: ...
 *
 * A way that does nothing but end the kernel is none: those lanes exit where they are (EXIT under a predicate), and nobody waits for them.
 * Blocks that loop for ever have no such place; their lanes meet nowhere.
 *
 * Not modelled: without a loop on the ways it often encloses c as well, and takes the lanes that go past it out (BREAK), as of a switch whose cases
 * fall through: there lanes are taken to meet wherever they come together. */
#include "ptx/parting.h"

#include "ptx/dom.h"
#include "ptx/traits.h"

typedef struct Search {
    const Graph *g;
    uint32_t    *stamp, *stack; /* stamp: by block, 1 + the branch whose ways were last seen there */
    bool         loops;         /* a block is in one */
} Search;

/* Does the block do nothing but end the kernel, or jump to one that does? */
static bool only_ends(const Func *f, const CfgBlock *k, const bool *gone)
{
    const Instr *in = &f->instrs[k->first];
    if (!f->entry || k->end != k->first + 1 || in->guard)
        return false;
    return k->nsucc == 0 ? op_is(in, TRAIT_END) : op_is(in, TRAIT_JUMP) && k->nsucc == 1 && gone[k->succ[0]];
}

/* Edges, without those that leave a branch to where the kernel ends. */
static Graph ways(Arena *a, const Func *f, const Cfg *cfg)
{
    size_t n    = 0;
    bool  *gone = ARENA_ARRAY(a, bool, cfg->nblocks);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t v = 0; v < cfg->nblocks; v++)
            if (!gone[v] && only_ends(f, &cfg->block[v], gone))
                more = gone[v] = true;
    }
    for (uint32_t v = 0; v < cfg->nblocks; v++)
        n += cfg->block[v].nsucc;
    Edge *edge = ARENA_ARRAY(a, Edge, n);
    n          = 0;
    for (uint32_t v = 0; v < cfg->nblocks; v++) {
        const CfgBlock *k = &cfg->block[v];
        for (uint32_t i = 0; k->reachable && i < k->nsucc; i++)
            if (k->nsucc == 1 || !gone[k->succ[i]])
                edge[n++] = (Edge){v, k->succ[i]};
    }
    return graph_new(a, cfg->nblocks, edge, n);
}

/* Dominators of the ways walked backwards, from a node behind all that go nowhere and those of `ends`. */
static uint32_t *walk_back(Arena *a, const Cfg *cfg, const Graph *g, const bool *ends)
{
    uint32_t end  = g->n;
    size_t   n    = 0;
    Edge    *edge = ARENA_ARRAY(a, Edge, g->first[end] + (size_t)end);
    for (uint32_t v = 0; v < end; v++) {
        if (cfg->block[v].reachable && (ends[v] || g->first[v] == g->first[v + 1]))
            edge[n++] = (Edge){end, v};
        for (uint32_t i = g->first[v]; i < g->first[v + 1]; i++)
            edge[n++] = (Edge){g->to[i], v};
    }
    Graph back = graph_new(a, end + 1, edge, n);
    return dom_tree(a, &back, end);
}

/* Where all ways from a block come together; a loop that is left only by exits ends where it does so. */
static uint32_t *meeting_places(Arena *a, const Cfg *cfg, const Graph *g)
{
    bool     *ends = ARENA_ARRAY(a, bool, g->n);
    uint32_t *up   = walk_back(a, cfg, g, ends);
    for (uint32_t v = 0; v < g->n; v++)
        ends[v] = up[v] == CFG_NONE && g->first[v + 1] - g->first[v] < cfg->block[v].nsucc;
    up = walk_back(a, cfg, g, ends);
    for (uint32_t v = 0; v < g->n; v++)
        if (up[v] == g->n)
            up[v] = CFG_NONE;
    return up;
}

/* Does a way from successor `from` of block b come by a block that another one passes, before they meet? */
static bool joins(Search *s, uint32_t b, uint32_t from, uint32_t meets)
{
    uint32_t top = 0, mine = 2 * (b + 1), others = mine + 1;
    if (from == meets)
        return false;
    s->stack[top++] = from;
    if (s->stamp[from] == others)
        return true;
    s->stamp[from] = mine;
    for (uint32_t i = 0; i < top; i++)
        for (uint32_t k = s->g->first[s->stack[i]]; k < s->g->first[s->stack[i] + 1]; k++) {
            uint32_t to = s->g->to[k];
            if (to == meets || s->stamp[to] == mine)
                continue;
            if (s->stamp[to] == others)
                return true;
            s->stamp[to]    = mine;
            s->stack[top++] = to;
        }
    for (uint32_t i = 0; i < top; i++)
        s->stamp[s->stack[i]] = others;
    return false;
}

/* Is the branch in a loop that ends before its ways meet, or is one of those that were seen on them? */
static bool passes_loop(const Search *s, const Cfg *cfg, uint32_t b, uint32_t meets)
{
    for (uint32_t v = 0; v < cfg->nblocks; v++) {
        uint32_t loop = cfg->block[v].loop;
        bool     here = v == b || s->stamp[v] == 2 * (b + 1) || s->stamp[v] == 2 * (b + 1) + 1;
        if (here && loop != CFG_NONE && (meets == CFG_NONE || !cfg_lies_in(cfg, meets, loop)))
            return true;
    }
    return false;
}

/* Can ways of the block's end come together before they meet?  Not of one way, nor where no block is in a loop. */
static bool has_ways(const Search *s, uint32_t b, uint32_t meets)
{
    uint32_t n = 0;
    for (uint32_t i = s->g->first[b]; s->loops && i < s->g->first[b + 1]; i++)
        n += s->g->to[i] != meets;
    return n > 1;
}

Parting *ptx_partings(Arena *a, const Func *f, const Cfg *cfg)
{
    Arena    *tmp  = arena_new();
    Parting  *out  = ARENA_ARRAY(a, Parting, cfg->nblocks);
    Graph     g    = ways(tmp, f, cfg);
    uint32_t *meet = meeting_places(tmp, cfg, &g);
    Search    s = {&g, ARENA_ARRAY(tmp, uint32_t, cfg->nblocks), ARENA_ARRAY(tmp, uint32_t, cfg->nblocks + 1), false};
    for (uint32_t v = 0; v < cfg->nblocks; v++)
        s.loops |= cfg->block[v].loop != CFG_NONE;
    for (uint32_t v = 0; v < cfg->nblocks; v++) {
        out[v].meets = meet[v];
        bool several = has_ways(&s, v, meet[v]);
        for (uint32_t i = g.first[v]; several && i < g.first[v + 1] && !out[v].early; i++)
            out[v].early = joins(&s, v, g.to[i], meet[v]) && passes_loop(&s, cfg, v, meet[v]);
    }
    arena_free(tmp);
    return out;
}
