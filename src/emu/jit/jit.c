/* SPDX-License-Identifier: Apache-2.0
 *
 * Which launches run native code, and when it is made.  A Program has a set of functions for each shape of blocks and kind of observers.
 * Engine JIT makes it before the first launch begins; AUTO beside the interpreter, once the kernel has run HOT warp instructions, and
 * workers take it up between two blocks.  What an earlier process made is looked for much sooner: writing the text, which is its key, and looking
 * take about as long as the interpreter needs for LOOK / 10 warp instructions an operation.  The interpreter runs all of a launch whose order
 * a seed decides or whose functions are not compiled (plan.h); and of any launch what native code hands back. */
#include "emu/jit/jit.h"

#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "emu/jit/build.h"
#include "emu/jit/emit.h"
#include "emu/jit/help.h"
#include "emu/jit/pieces.h"
#include "emu/jit/rest.h"

enum {
    HOT       = 4000000,
    SOON      = 200000,
    LOOK      = 5000,
    WORDS     = 64,
    MOST_UOPS = 30000 /* of all functions: half a minute of clang */
};

typedef enum Step { STEP_NONE, STEP_LOOKING, STEP_LOOKED, STEP_ASKED } Step;

struct NativeSet {
    uint32_t  block[3];
    uint64_t  used; /* words of the parameter block that it takes for constants, a bit each; all until that is known */
    uint32_t  arg[WORDS]; /* their values */
    bool      any;        /* it takes none: it is for every launch */
    uint32_t  window;     /* see Plan; 0: how large it is does not matter */
    bool      heard;      /* an observer wants to hear of exchanges between lanes */
    Observer *observer;
    size_t    nobservers; /* copies of those that its text was written for */
    uint64_t  ran;        /* warp instructions of the launches that it is for, which have ended */
    int       step;       /* atomic: STEP_LOOKING and STEP_ASKED are somebody's who is at it, or was */
    Str       text;       /* that was not found */
    Build    *build;
    UopFn    *fn; /* by Code.index; NULL: the interpreter runs it.  Atomic pointer: NULL until the build is done */
    Tally     tally;
    const char *why; /* the kernel itself is not among them; NULL: it is */
    NativeSet  *next;
};

/* ---- making it ---- */

/* The one that takes accesses by their number, or nobservers. */
static size_t counting(const Launch *l)
{
    size_t o = 0;
    while (o < l->ask->nobservers && !l->ask->observers[o]->many)
        o++;
    return o;
}

/* Shared memory's bytes, where an observer wants to know each offset; as a power of two, so that launches of other sizes find it large enough. */
static uint32_t window_of(const Launch *l)
{
    size_t   o     = counting(l);
    uint32_t bytes = 1024;
    if (o == l->ask->nobservers || l->ask->observers[o]->period(l->ask->observers[o], ACCESS_SHARED, ACCESS_LD, 4))
        return 0;
    while (bytes < l->shared_bytes)
        bytes *= 2;
    return bytes;
}

static bool follows_values(const Launch *l)
{
    for (size_t o = 0; o < l->ask->nobservers; o++)
        if (l->ask->observers[o]->use)
            return true;
    return false;
}

static uint64_t uops_of(const Program *p)
{
    uint64_t uops = 0;
    for (uint32_t i = 0; i < p->ncode; i++)
        uops += p->code[i]->nuops;
    return uops;
}

/* Nothing: there is no native code of it. */
static Str text_of(NativeSet *s, const Launch *l)
{
    Str text = {0};
    if (uops_of(l->prog) > MOST_UOPS) {
        s->why = "its functions together are too large for native code";
        return text;
    }
    WhatMap *map   = what_map(l->dev->exec, l->dev->ctl);
    Tally    tally = {0};
    uint64_t used  = 0;
    emit_prelude(&text);
    for (uint32_t i = 0; i < l->prog->ncode; i++) {
        const char *why;
        Plan *p = jit_plan(map, l->prog, l->prog->code[i], l->block, s->any ? NULL : (const uint8_t *)s->arg, &why);
        if (!p && i == 0)
            s->why = why;
        if (!p)
            continue;
        used |= p->known;
        p->observer   = l->ask->observers;
        p->nobservers = l->ask->nobservers;
        p->count      = counting(l) < p->nobservers ? p->observer[counting(l)] : NULL;
        p->window     = s->window;
        p->tracked    = follows_values(l);
        p->tally      = &tally;
        p->heard      = s->heard;
        emit_function(p, i, &text);
        jit_plan_free(p);
    }
    what_free(map);
    s->tally = tally;
    __atomic_store_n(&s->used, used, __ATOMIC_RELEASE);
    return text;
}

/* The step is this caller's to do. */
static bool take(NativeSet *s, Step from, Step to)
{
    int expected = (int)from;
    return __atomic_compare_exchange_n(&s->step, &expected, (int)to, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static void make(NativeSet *s, const Launch *l, bool waits)
{
    if (!s->text.len)
        s->text = text_of(s, l);
    if (s->text.len)
        __atomic_store_n(&s->build, build_start(&s->text, l->dev->exec->level, waits), __ATOMIC_RELEASE);
}

/* Is it there already? */
static void look(NativeSet *s, const Launch *l)
{
    s->text  = text_of(s, l);
    Build *b = s->text.len ? build_find(&s->text, l->dev->exec->level) : NULL;
    if (b)
        __atomic_store_n(&s->build, b, __ATOMIC_RELEASE);
    __atomic_store_n(&s->step, (int)(b ? STEP_ASKED : STEP_LOOKED), __ATOMIC_RELEASE);
}

/* Its functions; NULL: they are not there, or not yet. */
static UopFn *functions(NativeSet *s, const Program *p)
{
    UopFn *fn = __atomic_load_n(&s->fn, __ATOMIC_ACQUIRE), *none = NULL;
    if (fn)
        return fn;
    NativeLib *lib = build_result(__atomic_load_n(&s->build, __ATOMIC_ACQUIRE));
    if (!lib)
        return NULL;
    fn = xcalloc(p->ncode, sizeof *fn);
    for (uint32_t i = 0; i < p->ncode; i++)
        fn[i] = native_function(lib, i);
    if (__atomic_compare_exchange_n(&s->fn, &none, fn, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return fn;
    free(fn); /* another worker was first */
    return none;
}

/* Native code asks them the same, in the same order. */
static bool same_observers(const NativeSet *s, const EmuLaunch *ask)
{
    bool same = s->nobservers == ask->nobservers;
    for (size_t i = 0; same && i < s->nobservers; i++) {
        const Observer *a = &s->observer[i], *b = ask->observers[i];
        same = a->many == b->many && a->period == b->period && a->takes == b->takes && a->sweep == b->sweep &&
               !a->use == !b->use && !a->skips == !b->skips && memcmp(a->wants, b->wants, sizeof a->wants) == 0;
    }
    return same;
}

static void keep_observers(NativeSet *s, const EmuLaunch *ask)
{
    s->nobservers = ask->nobservers;
    s->observer   = xcalloc(s->nobservers + 1, sizeof *s->observer);
    for (size_t i = 0; i < s->nobservers; i++)
        s->observer[i] = *ask->observers[i];
}

static bool is_for(const NativeSet *s, const Launch *l, const uint32_t arg[WORDS])
{
    uint64_t used = s->any ? 0 : __atomic_load_n(&s->used, __ATOMIC_ACQUIRE);
    if (memcmp(s->block, l->block, sizeof s->block) != 0 || !same_observers(s, l->ask) || s->heard != l->watches_sync ||
        s->window < window_of(l))
        return false;
    for (; used; used &= used - 1)
        if (s->arg[__builtin_ctzll(used)] != arg[__builtin_ctzll(used)])
            return false;
    return true;
}

/* The first set of a kernel is for its arguments; when others come, a second one is for any. */
static NativeSet *find_or_add(const Launch *l)
{
    uint32_t arg[WORDS] = {0};
    bool     any        = false;
    memcpy(arg, l->params, l->param_bytes < sizeof arg ? l->param_bytes : sizeof arg);
    for (NativeSet *s = l->prog->native; s; s = s->next) {
        if (is_for(s, l, arg))
            return s;
        any |= memcmp(s->block, l->block, sizeof s->block) == 0 && same_observers(s, l->ask);
    }
    NativeSet *s = xcalloc(1, sizeof *s);
    memcpy(s->block, l->block, sizeof s->block);
    memcpy(s->arg, arg, sizeof arg);
    s->any  = any;
    s->used = UINT64_MAX;
    keep_observers(s, l->ask);
    s->heard        = l->watches_sync;
    s->window       = window_of(l);
    s->next         = l->prog->native;
    l->prog->native = s;
    return s;
}

void jit_launch(Launch *l)
{
    if (l->dev->engine == EMU_INTERPRETER || l->random)
        return;
    l->native = find_or_add(l);
    if (l->dev->engine == EMU_JIT && take(l->native, STEP_NONE, STEP_ASKED))
        make(l->native, l, true);
}

/* So many warp instructions and the kernel is worth a look. */
static uint64_t look_after(const Program *p)
{
    uint64_t n = LOOK * uops_of(p);
    return n > SOON ? n : SOON;
}

void jit_tick(Launch *l, uint64_t spent)
{
    NativeSet *s = l->native;
    if (!s || l->prog->ran + spent < SOON || __atomic_load_n(&s->step, __ATOMIC_ACQUIRE) == STEP_ASKED)
        return;
    if (l->prog->ran + spent >= HOT) {
        if (take(s, STEP_LOOKED, STEP_ASKED) || take(s, STEP_NONE, STEP_ASKED))
            make(s, l, false);
    } else if (s->ran + spent >= look_after(l->prog) && take(s, STEP_NONE, STEP_LOOKING)) {
        look(s, l);
    }
}

void jit_ran(Launch *l)
{
    l->prog->ran += l->spent;
    if (l->native)
        l->native->ran += l->spent;
}

const char *jit_left(const Launch *l)
{
    const NativeSet *s      = l->native;
    const char      *failed = s ? build_failed(__atomic_load_n(&s->build, __ATOMIC_ACQUIRE)) : NULL;
    return failed ? failed : s && l->dev->engine == EMU_JIT ? s->why : NULL;
}

static void tally_free(Tally *t)
{
    for (uint32_t i = 0; i < t->nsweeps; i++) {
        free(t->sweep[i]->party);
        free(t->sweep[i]->access);
        free(t->sweep[i]);
    }
    free(t->sweep);
    free(t->site);
}

void jit_free(Program *p)
{
    for (NativeSet *s = p->native, *next; s; s = next) {
        next = s->next;
        build_drop(s->build);
        str_free(&s->text);
        tally_free(&s->tally);
        free(s->observer);
        free(s->fn);
        free(s);
    }
    p->native = NULL;
}

const char *jit_missing(const char *level)
{
    if (!level || !jit_rows(level, NULL))
        return "it was built without clang";
    return command_clang() ? NULL : "there is no clang in PATH";
}

/* ---- running it ---- */

void jit_begin(Worker *k)
{
    NativeSet *s = k->launch->native;
    if (!s || k->native)
        return;
    k->native = functions(s, k->launch->prog);
    if (!k->native) /* another worker may be writing its plan, tally and all */
        return;
    k->help  = &native_help;
    k->sweep = (const Sweep *const *)s->tally.sweep;
    k->rest  = rests_new(s->tally.nsweeps);
    if (s->tally.places)
        k->tally = xcalloc(s->tally.places, sizeof *k->tally);
}

/* n accesses whose first lane stands at that place of the period, far from both ends, or of the window. */
static void tell(Worker *k, const TallySite *t, uint32_t place, uint64_t n)
{
    Access   a   = t->info->seen;
    uint64_t far = t->space == ACCESS_SHARED ? UINT64_C(1) << 30 : UINT64_C(1) << 60;
    uint64_t addr[LANES], base = (t->whole ? 0 : far) + ((uint64_t)place << t->shift);
    uint32_t off[LANES];
    for (int i = 0; i < LANES; i++) {
        addr[i] = base + (uint64_t)t->lane[i];
        off[i]  = (uint32_t)addr[i];
    }
    a.space  = t->space;
    a.mask   = UINT32_MAX;
    a.addr   = t->space == ACCESS_SHARED ? NULL : addr;
    a.off    = t->space == ACCESS_SHARED ? off : NULL;
    size_t o = counting(k->launch);
    k->launch->ask->observers[o]->many(k->observer[o], &a, n);
}

void jit_end(Worker *k)
{
    const NativeSet *s = k->launch->native;
    for (uint32_t i = 0; k->tally && i < s->tally.nsites; i++) {
        const TallySite *t = &s->tally.site[i];
        for (uint32_t place = 0; place < t->places; place++)
            if (k->tally[t->first + place])
                tell(k, t, place, k->tally[t->first + place]);
    }
    free(k->tally);
    k->tally = NULL;
    if (k->rest)
        rests_free(k->rest, s->tally.nsweeps);
    k->rest = NULL;
}
