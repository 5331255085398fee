/* SPDX-License-Identifier: Apache-2.0
 *
 * Builds the graph of cfg.h: blocks and edges, dominators both ways (dom.c), natural loops, and the layout.
 *
 * The layout takes every edge at the innermost loop that contains both its ends: there it joins two items, each a block of that
 * loop or a whole inner loop.  A depth-first search over the items of one loop, from its header and without edges back to it,
 * gives them in reverse postorder; inner loops are then put in place of their items.  So loops are contiguous by construction
 * and everything a loop exits to comes behind it.  Edges of irreducible regions that run against the search are ignored.
 *
 * Not modelled: calls that never return end no block, and brx.idx is taken to reach every label of its list. */
#include "ptx/cfg.h"

#include <string.h>

#include "ptx/dom.h"
#include "ptx/traits.h"

typedef struct Build {
    Arena      *a; /* the caller's */
    Arena      *scratch;
    const Func *f;
    Cfg        *c;
    Graph       succ;  /* of blocks */
    bool       *ends;  /* by block: a path may end the function here */
    uint32_t   *stamp; /* by block: the last brx.idx that listed it, + 1 */
} Build;

static const Label *list_of(const Func *f, const Instr *in)
{
    const Operand *o = op_is(in, TRAIT_JUMP) && in->nopd > 1 ? &in->opd[1] : NULL;
    return o && o->kind == OPD_NAME ? &f->labels[o->ival] : NULL;
}

static bool jumps_to_label(const Instr *in)
{
    return op_is(in, TRAIT_JUMP) && in->nopd && in->opd[0].kind == OPD_LABEL;
}

static bool ends_block(const Instr *in)
{
    return op_is(in, TRAIT_JUMP | TRAIT_END);
}

static void mark_leaders(const Func *f, bool *leader)
{
    leader[0] = true;
    for (uint32_t i = 0; i < f->ninstrs; i++) {
        const Instr *in = &f->instrs[i];
        if (ends_block(in))
            leader[i + 1] = true;
        if (jumps_to_label(in))
            leader[f->labels[in->opd[0].label].target] = true;
        const Label *l = list_of(f, in);
        for (size_t k = 0; l && k < l->ntargets; k++)
            leader[f->labels[l->targets[k]].target] = true;
    }
}

static void find_blocks(Build *b)
{
    const Func *f      = b->f;
    uint32_t    n      = (uint32_t)f->ninstrs;
    bool       *leader = ARENA_ARRAY(b->scratch, bool, (size_t)n + 1);
    mark_leaders(f, leader);
    Cfg *c = b->c;
    for (uint32_t i = 0; i < n; i++)
        c->nblocks += leader[i];
    if (n == 0)
        c->nblocks = 1;
    c->block    = ARENA_ARRAY(b->a, CfgBlock, c->nblocks);
    c->block_of = ARENA_ARRAY(b->a, uint32_t, n);
    uint32_t at = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++) {
        if (leader[i])
            c->block[++at].first = i;
        c->block_of[i]   = at;
        c->block[at].end = i + 1;
    }
}

/* Appends the block at instruction `target` unless that is the function's end. */
static void add_target(Build *b, CfgBlock *k, uint32_t target, uint32_t from)
{
    if (target < b->f->ninstrs)
        k->succ[k->nsucc++] = b->c->block_of[target];
    else
        b->ends[from] = true;
}

static void add_list(Build *b, CfgBlock *k, const Label *l, uint32_t from)
{
    for (size_t i = 0; i < l->ntargets; i++) {
        uint32_t  target = b->f->labels[l->targets[i]].target;
        uint32_t *stamp  = target < b->f->ninstrs ? &b->stamp[b->c->block_of[target]] : NULL;
        if (stamp && *stamp == from + 1)
            continue;
        add_target(b, k, target, from);
        if (stamp)
            *stamp = from + 1;
    }
}

static void find_edges(Build *b)
{
    const Func *f = b->f;
    for (uint32_t v = 0; v < b->c->nblocks; v++) {
        CfgBlock *k = &b->c->block[v];
        if (k->end == k->first) {
            b->ends[v] = true;
            continue;
        }
        const Instr *last = &f->instrs[k->end - 1];
        const Label *list = list_of(f, last);
        k->succ           = ARENA_ARRAY(b->a, uint32_t, 2 + (list ? list->ntargets : 0));
        bool jumps        = ends_block(last);
        if (!jumps || last->guard)
            add_target(b, k, k->end, v);
        if (jumps_to_label(last))
            add_target(b, k, f->labels[last->opd[0].label].target, v);
        else if (list)
            add_list(b, k, list, v);
        else if (jumps)
            b->ends[v] = true;
    }
}

/* Depth-first from block 0: reachable flags, and the graph of reachable blocks. */
static void find_reachable(Build *b)
{
    Cfg      *c     = b->c;
    uint32_t *stack = ARENA_ARRAY(b->scratch, uint32_t, c->nblocks), top = 0;
    size_t    n           = 0;
    c->block[0].reachable = true;
    stack[top++]          = 0;
    while (top) {
        const CfgBlock *k = &c->block[stack[--top]];
        n += k->nsucc;
        for (uint32_t i = 0; i < k->nsucc; i++)
            if (!c->block[k->succ[i]].reachable) {
                c->block[k->succ[i]].reachable = true;
                stack[top++]                   = k->succ[i];
            }
    }
    Edge *edge = ARENA_ARRAY(b->scratch, Edge, n);
    n          = 0;
    for (uint32_t v = 0; v < c->nblocks; v++)
        for (uint32_t i = 0; c->block[v].reachable && i < c->block[v].nsucc; i++)
            edge[n++] = (Edge){v, c->block[v].succ[i]};
    b->succ        = graph_new(b->scratch, c->nblocks, edge, n);
    Graph     pred = graph_reverse(b->scratch, &b->succ);
    uint32_t *all  = ARENA_ARRAY(b->a, uint32_t, n);
    memcpy(all, pred.to, n * sizeof *all);
    for (uint32_t v = 0; v < c->nblocks; v++) {
        c->block[v].pred  = all + pred.first[v];
        c->block[v].npred = pred.first[v + 1] - pred.first[v];
    }
}

/* ipdom: dominators of the reversed graph, with one more node behind every end of the function. */
static void find_post_dominators(Build *b)
{
    Cfg     *c    = b->c;
    uint32_t end  = c->nblocks;
    size_t   n    = 0;
    Edge    *edge = ARENA_ARRAY(b->scratch, Edge, b->succ.first[end] + (size_t)end);
    for (uint32_t v = 0; v < end; v++) {
        if (b->ends[v] && c->block[v].reachable)
            edge[n++] = (Edge){end, v};
        for (uint32_t i = b->succ.first[v]; i < b->succ.first[v + 1]; i++)
            edge[n++] = (Edge){b->succ.to[i], v};
    }
    Graph     back = graph_new(b->scratch, end + 1, edge, n);
    uint32_t *idom = dom_tree(b->scratch, &back, end);
    for (uint32_t v = 0; v < end; v++)
        c->block[v].ipdom = idom[v] == end ? CFG_NONE : idom[v];
}

/* ---- loops -------------------------------------------------------------------------------------------------------- */

typedef struct DomOrder {
    uint32_t *in, *out; /* by block: v dominates w when in[v] <= in[w] and out[w] <= out[v] */
    uint32_t *pre;      /* blocks in preorder of the dominator tree */
    uint32_t  n;
} DomOrder;

static DomOrder number_dominators(Build *b)
{
    Cfg     *c = b->c;
    uint32_t n = c->nblocks, count = 0, top = 0, clock = 0;
    Edge    *edge = ARENA_ARRAY(b->scratch, Edge, n);
    for (uint32_t v = 0; v < n; v++)
        if (c->block[v].idom != CFG_NONE)
            edge[count++] = (Edge){c->block[v].idom, v};
    Graph     tree  = graph_new(b->scratch, n, edge, count);
    DomOrder  d     = {ARENA_ARRAY(b->scratch, uint32_t, n), ARENA_ARRAY(b->scratch, uint32_t, n),
                       ARENA_ARRAY(b->scratch, uint32_t, n), 0};
    uint32_t *stack = ARENA_ARRAY(b->scratch, uint32_t, n), *next = ARENA_ARRAY(b->scratch, uint32_t, n);
    stack[top++] = 0;
    d.pre[d.n++] = 0;
    next[0]      = tree.first[0];
    d.in[0]      = clock++;
    while (top) {
        uint32_t v = stack[top - 1];
        if (next[v] == tree.first[v + 1]) {
            d.out[v] = clock++;
            top--;
            continue;
        }
        uint32_t w   = tree.to[next[v]++];
        next[w]      = tree.first[w];
        d.in[w]      = clock++;
        d.pre[d.n++] = w;
        stack[top++] = w;
    }
    return d;
}

/* The outermost loop around loop l found so far, with path compression in `top`. */
static uint32_t outermost(uint32_t *top, uint32_t l)
{
    while (top[l] != l) {
        top[l] = top[top[l]];
        l      = top[l];
    }
    return l;
}

typedef struct Loops {
    Build    *b;
    uint32_t *top; /* by loop: union-find towards the outermost */
    uint32_t *stack;
    uint32_t  n;
} Loops;

static void push_preds(Loops *s, const CfgBlock *k)
{
    for (uint32_t i = 0; i < k->npred; i++)
        s->stack[s->n++] = k->pred[i];
}

/* Blocks and inner loops that reach the back edges on the stack without passing the header of loop l. */
static void fill_loop(Loops *s, uint32_t l)
{
    Cfg     *c      = s->b->c;
    uint32_t header = c->loop[l].header;
    while (s->n) {
        uint32_t  v = s->stack[--s->n];
        CfgBlock *k = &c->block[v];
        if (k->loop == CFG_NONE) {
            k->loop = l;
            if (v != header)
                push_preds(s, k);
            continue;
        }
        uint32_t inner = outermost(s->top, k->loop);
        if (inner == l)
            continue;
        c->loop[inner].parent = l;
        s->top[inner]         = l;
        push_preds(s, &c->block[c->loop[inner].header]);
    }
}

/* Headers from the innermost outwards: a header's dominator tree preorder runs the other way. */
static void find_loops(Build *b)
{
    Cfg     *c     = b->c;
    DomOrder d     = number_dominators(b);
    size_t   edges = b->succ.first[c->nblocks];
    Loops s = {b, ARENA_ARRAY(b->scratch, uint32_t, c->nblocks), ARENA_ARRAY(b->scratch, uint32_t, 2 * edges + 1), 0};
    c->loop = ARENA_ARRAY(b->a, CfgLoop, c->nblocks);
    for (uint32_t i = d.n; i-- > 0;) {
        uint32_t  h = d.pre[i];
        CfgBlock *k = &c->block[h];
        for (uint32_t j = 0; j < k->npred; j++)
            if (d.in[h] <= d.in[k->pred[j]] && d.out[k->pred[j]] <= d.out[h])
                s.stack[s.n++] = k->pred[j];
        if (!s.n)
            continue;
        uint32_t l = c->nloops++;
        s.top[l]   = l;
        c->loop[l] = (CfgLoop){.header = h, .parent = CFG_NONE};
        k->loop    = l; /* inner loops never contain it: it dominates them */
        fill_loop(&s, l);
    }
    for (uint32_t l = c->nloops; l-- > 0;)
        c->loop[l].depth = c->loop[l].parent == CFG_NONE ? 1 : c->loop[c->loop[l].parent].depth + 1;
    for (uint32_t v = 0; v < c->nblocks; v++)
        if (c->block[v].reachable && c->block[v].loop != CFG_NONE)
            c->loop[c->block[v].loop].nblocks++;
    for (uint32_t l = 0; l < c->nloops; l++) /* parents have higher numbers */
        if (c->loop[l].parent != CFG_NONE)
            c->loop[c->loop[l].parent].nblocks += c->loop[l].nblocks;
}

/* ---- layout ------------------------------------------------------------------------------------------------------- */

static uint32_t depth_of(const Cfg *c, uint32_t loop)
{
    return loop == CFG_NONE ? 0 : c->loop[loop].depth;
}

/* Innermost loop around both blocks, or CFG_NONE; and what each is at that level: a block, or nblocks + loop. */
static uint32_t common_level(const Cfg *c, uint32_t v, uint32_t w, uint32_t item[2])
{
    uint32_t lv = c->block[v].loop, lw = c->block[w].loop;
    item[0] = v;
    item[1] = w;
    while (lv != lw) {
        if (depth_of(c, lv) >= depth_of(c, lw)) {
            item[0] = c->nblocks + lv;
            lv      = c->loop[lv].parent;
        } else {
            item[1] = c->nblocks + lw;
            lw      = c->loop[lw].parent;
        }
    }
    return lv;
}

/* Every edge but those back to the header of its level, between items. */
static Graph item_graph(Build *b)
{
    Cfg   *c    = b->c;
    size_t n    = 0;
    Edge  *edge = ARENA_ARRAY(b->scratch, Edge, b->succ.first[c->nblocks]);
    for (uint32_t v = 0; v < c->nblocks; v++)
        for (uint32_t i = b->succ.first[v]; i < b->succ.first[v + 1]; i++) {
            uint32_t item[2], w = b->succ.to[i];
            uint32_t level = common_level(c, v, w, item);
            if (level == CFG_NONE || w != c->loop[level].header)
                edge[n++] = (Edge){item[0], item[1]};
        }
    return graph_new(b->scratch, c->nblocks + c->nloops, edge, n);
}

typedef struct Layout {
    const Graph *g;
    uint32_t    *next, *stack, *post;
    bool        *seen;
    uint32_t     npost;
} Layout;

static void visit(Layout *y, uint32_t *top, uint32_t item)
{
    y->seen[item]      = true;
    y->next[item]      = y->g->first[item + 1];
    y->stack[(*top)++] = item;
}

/* Postorder of the items of one level, appended to y->post.  Edges are taken last to first, so that a fall-through, listed
 * first, comes right behind its block in the reversed order. */
static void search(Layout *y, uint32_t root)
{
    uint32_t top = 0;
    visit(y, &top, root);
    while (top) {
        uint32_t v = y->stack[top - 1];
        if (y->next[v] == y->g->first[v]) {
            y->post[y->npost++] = v;
            top--;
            continue;
        }
        uint32_t w = y->g->to[--y->next[v]];
        if (!y->seen[w])
            visit(y, &top, w);
    }
}

/* Replaces loops by their items, outermost first, walking each level's postorder backwards. */
static void expand(Build *b, const Layout *y, const uint32_t *from, const uint32_t *to)
{
    Cfg      *c     = b->c;
    uint32_t *level = ARENA_ARRAY(b->scratch, uint32_t, (size_t)c->nloops + 1);
    uint32_t *place = ARENA_ARRAY(b->scratch, uint32_t, (size_t)c->nloops + 1);
    uint32_t  top   = 1;
    level[0]        = c->nloops; /* the function itself */
    place[0]        = to[c->nloops];
    while (top) {
        uint32_t l = level[top - 1];
        if (place[top - 1] == from[l]) {
            top--;
            continue;
        }
        uint32_t item = y->post[--place[top - 1]];
        if (item < c->nblocks) {
            c->block[item].pos    = c->norder;
            c->order[c->norder++] = item;
        } else {
            level[top]   = item - c->nblocks;
            place[top++] = to[item - c->nblocks];
        }
    }
}

static void lay_out(Build *b)
{
    Cfg      *c    = b->c;
    Graph     g    = item_graph(b);
    uint32_t *from = ARENA_ARRAY(b->scratch, uint32_t, (size_t)c->nloops + 1);
    uint32_t *to   = ARENA_ARRAY(b->scratch, uint32_t, (size_t)c->nloops + 1);
    Layout    y    = {&g,
                      ARENA_ARRAY(b->scratch, uint32_t, g.n),
                      ARENA_ARRAY(b->scratch, uint32_t, g.n),
                      ARENA_ARRAY(b->scratch, uint32_t, g.n),
                      ARENA_ARRAY(b->scratch, bool, g.n),
                      0};
    for (uint32_t l = 0; l < c->nloops; l++) {
        from[l] = y.npost;
        search(&y, c->loop[l].header);
        to[l] = y.npost;
    }
    uint32_t item = 0; /* of block 0 at the outermost level */
    for (uint32_t l = c->block[0].loop; l != CFG_NONE; l = c->loop[l].parent)
        item = c->nblocks + l;
    from[c->nloops] = y.npost;
    search(&y, item);
    to[c->nloops] = y.npost;
    c->order      = ARENA_ARRAY(b->a, uint32_t, c->nblocks);
    expand(b, &y, from, to);
}

Cfg *cfg_build(Arena *a, const Func *f)
{
    Build b = {.a = a, .scratch = arena_new(), .f = f, .c = ARENA_NEW(a, Cfg)};
    Cfg  *c = b.c;
    find_blocks(&b);
    b.ends  = ARENA_ARRAY(b.scratch, bool, c->nblocks);
    b.stamp = ARENA_ARRAY(b.scratch, uint32_t, c->nblocks);
    find_edges(&b);
    find_reachable(&b);
    uint32_t *idom = dom_tree(b.scratch, &b.succ, 0);
    for (uint32_t v = 0; v < c->nblocks; v++) {
        c->block[v].idom = idom[v];
        c->block[v].loop = CFG_NONE;
        c->block[v].pos  = CFG_NONE;
    }
    find_post_dominators(&b);
    find_loops(&b);
    lay_out(&b);
    arena_free(b.scratch);
    return c;
}

bool cfg_lies_in(const Cfg *cfg, uint32_t block, uint32_t loop)
{
    uint32_t in = cfg->block[block].loop;
    while (in != CFG_NONE && in != loop)
        in = cfg->loop[in].parent;
    return in == loop;
}
