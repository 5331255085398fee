/* SPDX-License-Identifier: Apache-2.0
 *
 * A hash of records; what they become at the end.  Several instructions of one source line (an unrolled loop) are one finding there. */
#include "check/finding.h"

#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "base/arena.h"
#include "base/mangle.h"
#include "check/picture.h"
#include "check/placed.h"
#include "ptx/place.h"

struct FindingRecord {
    Finding        f;
    UT_hash_handle hh;
};

static Arena *arena_of(Findings *l)
{
    if (!l->arena)
        l->arena = arena_new();
    return l->arena;
}

/* a before b: by block, then thread. */
static bool earlier(uint64_t block, uint32_t thread, const Finding *b)
{
    return block != b->block ? block < b->block : thread < b->thread;
}

Finding *findings_note(Findings *l, RuleId rule, uint32_t instr, uint32_t other, uint32_t part, uint64_t block,
                       uint32_t thread, uint64_t n)
{
    struct FindingKey key = {(uint32_t)rule, instr, other, part};
    FindingRecord    *r;
    HASH_FIND(hh, l->record, &key, sizeof key, r);
    if (r && !earlier(block, thread, &r->f)) {
        r->f.count += n;
        return NULL;
    }
    uint64_t before = r ? r->f.count : 0;
    if (!r) {
        r        = ARENA_NEW(arena_of(l), FindingRecord);
        r->f.key = key;
        HASH_ADD(hh, l->record, f.key, sizeof key, r);
    }
    r->f = (Finding){.key = key, .block = block, .thread = thread, .count = before + n};
    return &r->f;
}

const char *findings_text(Findings *l, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *s = arena_vprintf(arena_of(l), fmt, ap);
    va_end(ap);
    return s;
}

void *findings_alloc(Findings *l, size_t bytes)
{
    return arena_alloc(arena_of(l), bytes);
}

static const char *copy_text(Arena *a, const char *s)
{
    return s ? arena_strdup(a, s) : NULL;
}

static const WwFindingEnd *copy_end(Arena *a, const WwFindingEnd *e)
{
    if (!e)
        return NULL;
    WwFindingEnd *c = ARENA_NEW(a, WwFindingEnd);
    *c              = *e;
    c->kernel       = copy_text(a, e->kernel);
    c->file         = copy_text(a, e->file);
    c->message      = copy_text(a, e->message);
    return c;
}

static const WwMend *copy_mend(Arena *a, const WwMend *m)
{
    if (!m)
        return NULL;
    WwMend *c = ARENA_NEW(a, WwMend);
    *c        = *m;
    c->text   = copy_text(a, m->text);
    c->unit   = copy_text(a, m->unit);
    c->from   = picture_copy(a, m->from);
    c->to     = picture_copy(a, m->to);
    return c;
}

static void put_end(const WwFindingEnd *e, Parcel *p)
{
    parcel_put_number(p, e != NULL);
    if (!e)
        return;
    parcel_put_text(p, e->kernel);
    parcel_put_text(p, e->file);
    parcel_put_text(p, e->message);
    parcel_put(p, e, sizeof *e);
}

static const WwFindingEnd *take_end(Findings *to, Parcel *p)
{
    if (!parcel_number(p))
        return NULL;
    const char   *kernel = parcel_text(p), *file = parcel_text(p), *message = parcel_text(p);
    WwFindingEnd *e = findings_alloc(to, sizeof *e);
    parcel_take(p, e, sizeof *e);
    e->kernel   = copy_text(to->arena, kernel);
    e->file     = copy_text(to->arena, file);
    e->message  = copy_text(to->arena, message);
    e->inlined  = NULL; /* of a launch before this one, which every process has told of by itself */
    e->ninlined = 0;
    return e;
}

static void put_mend(const WwMend *m, Parcel *p)
{
    parcel_put_number(p, m != NULL);
    if (!m)
        return;
    parcel_put_text(p, m->text);
    parcel_put_text(p, m->unit);
    parcel_put(p, m, sizeof *m);
    picture_put(m->from, p);
    picture_put(m->to, p);
}

static const WwMend *take_mend(Findings *to, Parcel *p)
{
    if (!parcel_number(p))
        return NULL;
    const char *text = parcel_text(p), *unit = parcel_text(p);
    WwMend     *m = findings_alloc(to, sizeof *m);
    parcel_take(p, m, sizeof *m);
    m->text = copy_text(to->arena, text);
    m->unit = copy_text(to->arena, unit);
    m->from = picture_take(to->arena, p);
    m->to   = picture_take(to->arena, p);
    return m;
}

void findings_put(const Findings *l, const char *but, Parcel *p)
{
    FindingRecord *r, *next;
    HASH_ITER(hh, l->record, r, next)
    {
        if (!strcmp(rule_row((RuleId)r->f.key.rule)->category, but))
            continue;
        parcel_put_number(p, 1);
        parcel_put(p, &r->f, sizeof r->f);
        parcel_put_text(p, r->f.message);
        parcel_put_text(p, r->f.other_message);
        put_end(r->f.far, p);
        put_mend(r->f.mend, p);
        picture_put(r->f.picture, p);
    }
    parcel_put_number(p, 0);
}

void findings_add(Findings *to, Parcel *p)
{
    while (parcel_number(p) && !p->bad) {
        Finding f;
        parcel_take(p, &f, sizeof f);
        const char         *message = parcel_text(p), *other = parcel_text(p);
        const WwFindingEnd *far  = take_end(to, p);
        const WwMend       *mend = take_mend(to, p);
        const WwPicture    *seen = picture_take(arena_of(to), p);
        Finding            *t =
            findings_note(to, (RuleId)f.key.rule, f.key.instr, f.key.other, f.key.part, f.block, f.thread, f.count);
        if (!t || p->bad)
            continue;
        uint64_t count   = t->count;
        *t               = f;
        t->count         = count;
        t->message       = copy_text(to->arena, message);
        t->other_message = copy_text(to->arena, other);
        t->far           = far;
        t->mend          = mend;
        t->picture       = seen;
    }
}

bool findings_have(const Findings *l, RuleId rule, uint32_t instr, uint32_t other, uint32_t part)
{
    struct FindingKey key = {(uint32_t)rule, instr, other, part};
    FindingRecord    *r;
    HASH_FIND(hh, l->record, &key, sizeof key, r);
    return r != NULL;
}

void findings_merge(Findings *to, Findings *from)
{
    findings_merge_if(to, from, NULL, NULL);
}

void findings_merge_if(Findings *to, Findings *from, bool (*keep)(const Finding *f, void *user), void *user)
{
    FindingRecord *r, *next;
    HASH_ITER(hh, from->record, r, next)
    {
        const Finding *f = &r->f;
        if (keep && !keep(f, user))
            continue;
        Finding *t = findings_note(to, (RuleId)f->key.rule, f->key.instr, f->key.other, f->key.part, f->block,
                                   f->thread, f->count);
        if (!t)
            continue;
        uint64_t count   = t->count;
        *t               = *f;
        t->count         = count;
        t->message       = copy_text(arena_of(to), f->message);
        t->other_message = copy_text(arena_of(to), f->other_message);
        t->far           = copy_end(arena_of(to), f->far);
        t->mend          = copy_mend(arena_of(to), f->mend);
        t->picture       = picture_copy(arena_of(to), f->picture);
    }
    findings_free(from);
}

void findings_free(Findings *l)
{
    HASH_CLEAR(hh, l->record);
    arena_free(l->arena);
    *l = (Findings){0};
}

static size_t findings_count(const Findings *l)
{
    return HASH_COUNT(l->record);
}

/* ---- the list ---- */

static WwDim3 unfold(uint64_t i, const uint32_t size[3])
{
    uint64_t x = size[0] ? size[0] : 1, y = size[1] ? size[1] : 1;
    return (WwDim3){(uint32_t)(i % x), (uint32_t)(i / x % y), (uint32_t)(i / x / y)};
}

static const Instr *instr_of(const FindingContext *c, uint32_t id)
{
    return id < c->ninstr ? c->instr[id].in : NULL;
}

static Place place_of(const FindingContext *c, uint32_t id)
{
    const Instr *in = instr_of(c, id);
    return in ? instr_user_place(c->module, in)
              : (Place){.file = c->module->name, .line = c->func->line, .col = c->func->col, .from_ptx = true};
}

static const WwFindingEnd *other_end(const Finding *f, const FindingContext *c, Arena *a)
{
    if (f->far)
        return copy_end(a, f->far);
    if (f->key.other == NO_INSTR)
        return NULL;
    Place         p = place_of(c, f->key.other);
    WwFindingEnd *e = ARENA_NEW(a, WwFindingEnd);
    e->kernel       = arena_strdup(a, c->kernel);
    e->file         = arena_strdup(a, p.file);
    e->line         = p.line;
    e->col          = p.col;
    e->block        = unfold(f->other_block, c->grid);
    e->thread       = unfold(f->other_thread, c->block);
    e->message      = copy_text(a, f->other_message);
    e->inlined      = placed_inlined(c->module, instr_of(c, f->key.other), a, &e->ninlined);
    return e;
}

static WwFinding listed(const Finding *f, const FindingContext *c, Arena *a)
{
    const Rule *rule = rule_row((RuleId)f->key.rule);
    Place       p    = place_of(c, f->key.instr);
    WwFinding   g    = {.rule     = rule->id,
                        .category = rule->category,
                        .severity = rule->severity,
                        .kernel   = arena_strdup(a, c->kernel),
                        .file     = arena_strdup(a, p.file),
                        .line     = p.line,
                        .col      = p.col,
                        .block    = unfold(f->block, c->grid),
                        .thread   = unfold(f->thread, c->block),
                        .address  = f->address,
                        .count    = f->count,
                        .message  = f->message ? arena_strdup(a, f->message) : rule->brief,
                        .other    = other_end(f, c, a),
                        .mend     = copy_mend(a, f->mend),
                        .seed     = f->seed,
                        .picture  = picture_copy(a, f->picture)};
    g.inlined        = placed_inlined(c->module, instr_of(c, f->key.instr), a, &g.ninlined);
    g.snippet        = placed_snippet(c->module, &p, a);
    return g;
}

static int by_number(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_place(const char *f, uint32_t l, uint32_t c, const char *g, uint32_t m, uint32_t d)
{
    int order = strcmp(f ? f : "", g ? g : "");
    order     = order ? order : by_number(l, m);
    return order ? order : by_number(c, d);
}

/* Where the function was inlined into the kernel. */
static WwPlace outermost(const WwPlace *inlined, size_t n)
{
    return n ? inlined[n - 1] : (WwPlace){0};
}

static int by_caller(const WwPlace *p, size_t np, const WwPlace *q, size_t nq)
{
    WwPlace x = outermost(p, np), y = outermost(q, nq);
    return by_place(x.file, x.line, x.col, y.file, y.line, y.col);
}

/* What is to be done, without what it was tried on, which stands in parentheses. */
static int by_mend(const WwMend *x, const WwMend *y)
{
    const char *a = x ? x->text : "", *b = y ? y->text : "";
    size_t      n = strcspn(a, "("), m = strcspn(b, "(");
    int         c = strncmp(a, b, n < m ? n : m);
    return c ? c : by_number(n, m);
}

/* Without a place two findings are one only where the same call says the same. */
static int by_call(const WwFinding *x, const WwFinding *y)
{
    int c = x->file || y->file ? 0 : by_number(x->nhost, y->nhost);
    for (size_t i = 0; !x->file && !y->file && !c && i < x->nhost; i++) {
        const char *f = x->host[i].function, *g = y->host[i].function;
        c = strcmp(f ? f : "", g ? g : "");
    }
    return c || x->file || y->file || x->kernel || y->kernel ? c : strcmp(x->message, y->message);
}

int finding_compare(const WwFinding *x, const WwFinding *y)
{
    int c = by_place(x->file, x->line, x->col, y->file, y->line, y->col);
    c     = c ? c : strcmp(x->rule, y->rule);
    c     = c ? c : mangled_compare_templates(x->kernel ? x->kernel : "", y->kernel ? y->kernel : "");
    c     = c ? c : by_call(x, y);
    c     = c ? c : by_caller(x->inlined, x->ninlined, y->inlined, y->ninlined);
    c     = c ? c : by_mend(x->mend, y->mend);
    if (c || !x->other || !y->other)
        return c ? c : (x->other != NULL) - (y->other != NULL);
    const WwFindingEnd *e = x->other, *o = y->other;
    c = by_place(e->file, e->line, e->col, o->file, o->line, o->col);
    return c ? c : by_caller(e->inlined, e->ninlined, o->inlined, o->ninlined);
}

static uint64_t place_in_grid(const WwDim3 *d)
{
    return ((uint64_t)d->z << 48) + ((uint64_t)d->y << 32) + d->x;
}

static int in_order(const void *a, const void *b)
{
    const WwFinding *x = a, *y = b;
    int              c = finding_compare(x, y);
    c                  = c ? c : by_number(place_in_grid(&x->block), place_in_grid(&y->block));
    c                  = c ? c : by_number(place_in_grid(&x->thread), place_in_grid(&y->thread));
    return c ? c : strcmp(x->message, y->message);
}

WwFinding *findings_list(const Findings *l, const FindingContext *c, Arena *a, size_t *n)
{
    WwFinding     *list = ARENA_ARRAY(a, WwFinding, findings_count(l) + 1);
    FindingRecord *r, *next;
    size_t         all = 0, kept = 0;
    HASH_ITER(hh, l->record, r, next)
    {
        list[all++] = listed(&r->f, c, a);
    }
    if (all)
        qsort(list, all, sizeof *list, in_order);
    for (size_t i = 0; i < all; i++)
        if (kept && finding_compare(&list[kept - 1], &list[i]) == 0)
            list[kept - 1].count += list[i].count;
        else
            list[kept++] = list[i];
    *n = kept;
    return list;
}
