/* SPDX-License-Identifier: Apache-2.0
 *
 * What the host does to memory, and what it reads there that nobody wrote: copies of such bytes, which are found at the load that brought
 * them, and bytes that were never written at all, found at the host's copy.
 *
 * Padding is a note.  Nobody says where the members of a structure are, so it is known by its shape: less than 16 bytes in a row that
 * end where a wider member may begin or the structure end; stores that wide came to the same memory; and the next such place
 * is a structure away.  The end of a row is padding where the allocation was made in rows (cudaMallocPitch). */
#include <inttypes.h>
#include <string.h>

#include "check/init/filled.h"
#include "check/init/init.h"

enum { ALIGNS = 5 /* 1 to 16 */, DENSE = 256 }; /* bytes: in a longer array, padding comes as often as that at least */

typedef struct Reading { /* of a range by the host */
    Init              *in;
    const MemoryEvent *e;
    Region            *r;
    bool               dense;           /* places with padding's shape are often enough */
    uint64_t           bytes[2], at[2]; /* never written: a fault, padding; the first of each */
} Reading;

static InitOrigin *origin_get(const Init *in, uint32_t id)
{
    return in->origin[id - 1];
}

/* ---- padding ---- */

static bool ends_row(const Region *r, const Hole *h)
{
    uint64_t at = r->pitch ? (h->at - r->base) % r->pitch : 0;
    return r->pitch && at >= r->width && at + h->bytes <= r->pitch;
}

/* Padding's shape; before: where the last hole of each alignment ended. */
static bool shaped(const Reading *g, const Hole *h, uint64_t before[ALIGNS])
{
    const Widths *w   = h->origin ? origin_get(g->in, h->origin)->widths : g->r->widths;
    uint64_t      end = h->at + h->bytes, align = 2;
    while (align <= h->bytes)
        align *= 2;
    if (align > 16 || end % align)
        return false;
    uint64_t *last = &before[__builtin_ctzll(align)];
    bool      far  = !*last || end - *last >= 2 * align;
    *last          = end;
    return far && w->seen >= align;
}

static bool is_padding(const Reading *g, const Hole *h, uint64_t before[ALIGNS])
{
    bool shape = shaped(g, h, before);
    return ends_row(g->r, h) || (g->dense && shape);
}

/* ---- findings ---- */

static WwFinding *add(Init *in, RuleId rule)
{
    const Rule *row = rule_row(rule);
    in->pending     = xrealloc(in->pending, (in->npending + 1) * sizeof *in->pending);
    WwFinding *f    = &in->pending[in->npending++];
    *f              = (WwFinding){.rule = row->id, .category = row->category, .severity = row->severity, .count = 1};
    return f;
}

/* Who reads for the host. */
static const char *reader(const MemoryEvent *e)
{
    return e->name ? e->name : "the host";
}

/* Each worker has its own record of a load: they are told once, in the words of the lowest block. */
static const InitOrigin *tell_once(const Init *in, const InitOrigin *o, bool padding)
{
    const InitOrigin *first = o;
    for (uint32_t i = 0; i < in->norigins; i++) {
        InitOrigin *x = in->origin[i];
        if (x->launch != o->launch || x->instr != o->instr || x->rule != o->rule || x->parent != o->parent ||
            x->region != o->region)
            continue;
        x->told[padding] = true;
        if (x->block < first->block || (x->block == first->block && x->thread < first->thread))
            first = x;
    }
    return first;
}

/* Values that a kernel loaded and stored: found where it loaded them. */
static void add_copied(Init *in, const InitOrigin *o, const MemoryEvent *e, bool padding)
{
    if (o->told[padding])
        return;
    o            = tell_once(in, o, padding);
    WwFinding *f = add(in, padding ? RULE_UNINIT_PADDING : o->rule);
    f->kernel    = o->end.kernel;
    f->file      = o->end.file;
    f->line      = o->end.line;
    f->col       = o->end.col;
    f->block     = o->end.block;
    f->thread    = o->end.thread;
    f->message   = arena_printf(in->arena, "%u-byte read of what nobody wrote, %s; the %s stored and %s read %s",
                                o->bytes, o->what, padding ? "bytes, padding by their places, were" : "value was",
                                reader(e), padding ? "them" : "it");
}

/* Bytes that were never written at all: found where the host reads them. */
static void add_unwritten(const Reading *g, bool padding)
{
    if (!g->bytes[padding] || g->r->told[padding])
        return;
    g->r->told[padding] = true;
    WwFinding *f        = add(g->in, padding ? RULE_UNINIT_PADDING : RULE_UNINIT_GLOBAL);
    f->address          = g->at[padding];
    f->message          = arena_printf(g->in->arena,
                                       "%s reads %" PRIu64 " bytes of an allocation of %" PRIu64 " bytes; nobody wrote %" PRIu64
                                       " of them, the first %" PRIu64 " bytes into it%s",
                                       reader(g->e), g->e->bytes, g->r->bytes, g->bytes[padding], g->at[padding] - g->r->base,
                              padding ? ": padding, by their places" : "");
    if (g->e->host)
        g->e->host(f, NULL);
}

/* ---- reading ---- */

static void count_shapes(Reading *g)
{
    uint64_t end = g->e->address + g->e->bytes, before[ALIGNS] = {0}, n = 0;
    Hole     h;
    for (uint64_t at = g->e->address; at < end && written_hole(g->r, at, end - at, &h); at = h.at + h.bytes)
        n += shaped(g, &h, before);
    g->dense = g->e->bytes <= DENSE || n >= g->e->bytes / DENSE;
}

/* all: bytes that were never written count, too. */
static void host_reads(Init *in, const MemoryEvent *e, bool all)
{
    Reading  g   = {.in = in, .e = e, .r = written_find(&in->written, e->address)};
    uint64_t end = e->address + e->bytes, before[ALIGNS] = {0};
    Hole     h;
    if (!g.r)
        return;
    filled_settle(g.r, e->address, e->bytes);
    if (!g.r->left)
        return;
    count_shapes(&g);
    for (uint64_t at = e->address; at < end && written_hole(g.r, at, end - at, &h); at = h.at + h.bytes) {
        bool padding = is_padding(&g, &h, before);
        if (h.origin && (all || !padding))
            add_copied(in, origin_get(in, h.origin), e, padding);
        if (h.origin)
            continue;
        g.at[padding] = g.bytes[padding] ? g.at[padding] : h.at;
        g.bytes[padding] += h.bytes;
    }
    for (int padding = 0; all && padding < 2; padding++)
        add_unwritten(&g, padding);
}

/* What a copy brought from where nobody wrote is zero, as in a plain run. */
static void clear_copied(const Region *from, const MemoryEvent *e)
{
    Hole h;
    for (uint64_t at = e->from, end = at + e->bytes; from->filled && at < end && written_hole(from, at, end - at, &h);
         at = h.at + h.bytes)
        memset((void *)(uintptr_t)(e->address + (h.at - e->from)), 0, h.bytes);
}

/* Between allocations; to memory that the host sees it is a read of the host's. */
static void copies(Init *in, const MemoryEvent *e)
{
    Region     *r = written_find(&in->written, e->address), *from = written_find(&in->written, e->from);
    MemoryEvent read = *e;
    read.address     = e->from;
    if (from) {
        filled_settle(from, e->from, e->bytes);
        clear_copied(from, e);
    }
    if (r && r->host) {
        host_reads(in, &read, true);
        written_write(r, e->address, e->bytes);
        return;
    }
    if (!r)
        unset_wrote(&in->set, e->address, e->bytes);
    if (r && from && from->filled)
        widths_add(r->widths, from->widths->seen);
    written_copy(&in->written, e->address, e->from, e->bytes);
}

/* The host writes members, too: a copy as wide as one. */
static void host_writes(Init *in, const MemoryEvent *e)
{
    Region *r = written_find(&in->written, e->address);
    if (!r) {
        unset_wrote(&in->set, e->address, e->bytes);
        return;
    }
    if (e->bytes <= 16 && (e->bytes & (e->bytes - 1)) == 0)
        widths_add(r->widths, (uint32_t)e->bytes);
    written_by_host(r, e->address, e->bytes);
}

void init_host(void *self, const MemoryEvent *e)
{
    Init   *in = self;
    Region *r;
    switch (e->kind) {
    case MEMORY_ALLOC:
        if (!e->known)
            written_alloc(&in->written, e->address, e->bytes);
        return;
    case MEMORY_AGAIN:
        written_release(&in->written, e->address);
        written_alloc(&in->written, e->address, e->bytes);
        return;
    case MEMORY_FREE: written_release(&in->written, e->address); return;
    case MEMORY_WRITE: host_writes(in, e); return;
    case MEMORY_READ: host_reads(in, e, true); return;
    case MEMORY_LEFT: host_reads(in, e, false); return;
    case MEMORY_HEAP:
        in->heap = e->address;
        written_alloc(&in->written, e->address, e->bytes);
        written_write(written_find(&in->written, e->address), e->address, e->bytes);
        return;
    case MEMORY_SHOWN:
        if ((r = written_find(&in->written, e->address))) {
            r->host = true;
            filled_make(r);
        }
        return;
    case MEMORY_ROWS:
        if ((r = written_find(&in->written, e->address))) {
            r->pitch = e->bytes;
            r->width = e->from;
        }
        return;
    case MEMORY_SEEN:
    case MEMORY_LOOKED:
    case MEMORY_CHANGED:
    case MEMORY_UNBOUND:
    case MEMORY_GIVEN:
    case MEMORY_TAKEN: return;
    case MEMORY_COPY: copies(in, e); return;
    }
}
