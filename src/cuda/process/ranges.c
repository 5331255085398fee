/* SPDX-License-Identifier: Apache-2.0
 *
 * NVTX ranges (ranges.h).  Threads of the program push and pop without the state's lock, each on a stack of its own, in which all domains lie
 * together; ranges that were started may be ended by any thread and have a lock of their own.  Texts are copied: a program may change or free
 * its own right after the call. */
#include "cuda/process/ranges.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/arena.h"
#include "cuda/process/state.h"

struct RangeDomain {
    char        *name;
    RangeDomain *next;
};

typedef struct Open { /* a range */
    const RangeDomain *domain;
    char              *name;
    uint64_t           id;
    struct Open       *next; /* of a stack: the one below */
} Open;

typedef struct Kept {
    Ranges         ranges;
    char          *key;
    UT_hash_handle hh;
} Kept;

static pthread_mutex_t     lock = PTHREAD_MUTEX_INITIALIZER; /* domains and what was started */
static RangeDomain        *domains;
static Open               *started;
static uint64_t            ids;
static Kept               *kept; /* under the state's lock */
static _Thread_local Open *stack;

RangeDomain *ranges_domain(const char *name)
{
    pthread_mutex_lock(&lock);
    RangeDomain *d = domains;
    while (d && strcmp(d->name, name) != 0)
        d = d->next;
    if (!d) {
        d       = xcalloc(1, sizeof *d);
        *d      = (RangeDomain){xstrdup(name), domains};
        domains = d;
    }
    pthread_mutex_unlock(&lock);
    return d;
}

static Open *open_new(const RangeDomain *d, const char *name, Open *next)
{
    Open *o = xcalloc(1, sizeof *o);
    *o      = (Open){.domain = d, .name = xstrdup(name), .next = next};
    return o;
}

static void open_free(Open *o)
{
    free(o->name);
    free(o);
}

static int depth(const RangeDomain *d)
{
    int n = 0;
    for (const Open *o = stack; o; o = o->next)
        n += o->domain == d;
    return n;
}

int ranges_push(const RangeDomain *d, const char *name)
{
    int before = depth(d);
    stack      = open_new(d, name, stack);
    return before;
}

int ranges_pop(const RangeDomain *d)
{
    for (Open **at = &stack, *o; (o = *at); at = &o->next)
        if (o->domain == d) {
            *at = o->next;
            open_free(o);
            return depth(d);
        }
    return -1;
}

uint64_t ranges_start(const RangeDomain *d, const char *name)
{
    Open *o = open_new(d, name, NULL);
    pthread_mutex_lock(&lock);
    uint64_t id = o->id = ++ids;
    o->next             = started;
    started             = o;
    pthread_mutex_unlock(&lock);
    return id;
}

void ranges_end(uint64_t id)
{
    pthread_mutex_lock(&lock);
    for (Open **at = &started, *o; (o = *at); at = &o->next)
        if (o->id == id) {
            *at = o->next;
            open_free(o);
            break;
        }
    pthread_mutex_unlock(&lock);
}

/* ---- what is open ---- */

enum { MOST_PATHS = 64, MOST_NAMES = 512 }; /* more are left out */

typedef struct Gathered {
    RangePath   path[MOST_PATHS];
    size_t      n;
    const char *name[MOST_NAMES];
    size_t      names;
} Gathered;

static const char *name_of(const RangeDomain *d)
{
    return d ? d->name : NULL;
}

/* The stack of one domain, outermost first. */
static void gather_stack(Gathered *g, const RangeDomain *d)
{
    size_t n = 0, from = g->names;
    for (const Open *o = stack; o; o = o->next)
        n += o->domain == d;
    if (!n || g->n == MOST_PATHS || g->names + n > MOST_NAMES)
        return;
    g->names += n;
    for (const Open *o = stack; o; o = o->next)
        if (o->domain == d)
            g->name[from + --n] = o->name;
    g->path[g->n++] = (RangePath){name_of(d), true, &g->name[from], g->names - from};
}

/* The lock is held. */
static void gather(Gathered *g)
{
    gather_stack(g, NULL);
    for (const RangeDomain *d = domains; d; d = d->next)
        gather_stack(g, d);
    for (const Open *o = started; o && g->n < MOST_PATHS && g->names < MOST_NAMES; o = o->next) {
        g->name[g->names] = o->name;
        g->path[g->n++]   = (RangePath){name_of(o->domain), false, &g->name[g->names++], 1};
    }
}

/* Does an expression of the list, one a line, fit? */
static bool any_fits(const char *list, const Gathered *g)
{
    bool fits = false;
    while (list && *list && !fits) {
        size_t n   = strcspn(list, "\n");
        char  *one = xmalloc(n + 1);
        memcpy(one, list, n);
        one[n] = 0;
        fits   = range_fits(one, g->path, g->n);
        free(one);
        list += n + (list[n] != 0);
    }
    return fits;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static Kept *keep(const Gathered *g, const char *key)
{
    Kept  *k    = xcalloc(1, sizeof *k);
    char **text = xcalloc(g->n + 1, sizeof *text);
    k->key      = xstrdup(key);
    for (size_t i = 0; i < g->n; i++) {
        Str s = {0};
        range_text(&g->path[i], &s);
        text[i] = xstrdup(str_text(&s));
        str_free(&s);
    }
    qsort(text, g->n, sizeof *text, by_text);
    k->ranges        = (Ranges){.n = g->n, .shown = (const char *const *)text};
    k->ranges.chosen = (!state.options.nvtx_include || any_fits(state.options.nvtx_include, g)) &&
                       !any_fits(state.options.nvtx_exclude, g);
    HASH_ADD_KEYPTR(hh, kept, k->key, strlen(k->key), k);
    return k;
}

const Ranges *ranges_now(void)
{
    Gathered g   = {.n = 0};
    Str      key = {0};
    Kept    *k   = NULL;
    pthread_mutex_lock(&lock);
    gather(&g);
    for (size_t i = 0; i < g.n; i++) {
        range_text(&g.path[i], &key);
        str_addc(&key, '\n');
    }
    HASH_FIND(hh, kept, str_text(&key), key.len, k);
    if (!k)
        k = keep(&g, str_text(&key));
    pthread_mutex_unlock(&lock);
    str_free(&key);
    return &k->ranges;
}
