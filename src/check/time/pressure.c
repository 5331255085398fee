/* SPDX-License-Identifier: Apache-2.0
 *
 * A register's value is kept from the first instruction that names it to the last one, in the order of the text; of what comes into a loop, to the
 * loop's end.  Copies count twice while both are wanted. */
#include "check/time/pressure.h"

#include "base/arena.h"
#include "ptx/cfg.h"
#include "ptx/registers.h"

enum { REGISTER = 4 }; /* bytes */

typedef struct Span { /* of instructions, from the first that names a register to the last that wants its value */
    uint32_t first, last;
    bool     any;
} Span;

typedef struct Spans {
    Span    *span;
    uint32_t at, loop_first, loop_end; /* of the outermost loop around `at`; loop_end 0: there is none */
} Spans;

static void name_register(void *user, const Operand *o, bool written)
{
    Spans *s = user;
    Span  *x = &s->span[o->reg->index];
    (void)written;
    if (!x->any)
        *x = (Span){s->at, s->at, true};
    uint32_t last = s->loop_end && x->first < s->loop_first ? s->loop_end - 1 : s->at; /* wanted each time round */
    x->last       = last > x->last ? last : x->last;
}

/* Where the outermost loop around a block begins and ends in the text; *end 0: there is none. */
static void outermost_loop(const Cfg *cfg, uint32_t block, uint32_t *first, uint32_t *end)
{
    uint32_t loop = cfg->block[block].loop;
    *end          = 0;
    while (loop != CFG_NONE && cfg->loop[loop].parent != CFG_NONE)
        loop = cfg->loop[loop].parent;
    for (uint32_t b = 0; loop != CFG_NONE && b < cfg->nblocks; b++) {
        if (!cfg_lies_in(cfg, b, loop))
            continue;
        *first = *end && *first < cfg->block[b].first ? *first : cfg->block[b].first;
        *end   = *end > cfg->block[b].end ? *end : cfg->block[b].end;
    }
}

/* Of 32 bits. */
static unsigned size_of(const Reg *r)
{
    unsigned bytes = type_bytes(r->type);
    return (bytes + REGISTER - 1) / REGISTER * (r->vec ? r->vec : 1);
}

unsigned pressure_of(const Func *f)
{
    Arena     *a    = arena_new();
    const Cfg *cfg  = cfg_build(a, f);
    Spans      s    = {.span = ARENA_ARRAY(a, Span, f->nregs + 1)};
    int64_t   *more = ARENA_ARRAY(a, int64_t, f->ninstrs + 2), held = 0, most = 0;
    for (uint32_t b = 0; b < cfg->nblocks; b++) {
        outermost_loop(cfg, b, &s.loop_first, &s.loop_end);
        for (s.at = cfg->block[b].first; s.at < cfg->block[b].end; s.at++)
            ptx_each_register(&f->instrs[s.at], name_register, &s);
    }
    for (size_t i = 0; i < f->nregs; i++) {
        if (!s.span[i].any)
            continue;
        more[s.span[i].first] += size_of(f->regs[i]);
        more[s.span[i].last] -= size_of(f->regs[i]);
    }
    for (size_t i = 0; i < f->ninstrs; i++) {
        held += more[i];
        most = held > most ? held : most;
    }
    arena_free(a);
    return (unsigned)most;
}
