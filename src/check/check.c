/* SPDX-License-Identifier: Apache-2.0
 *
 * The registry of checkers and the calls that go to all of them.  A checker that serves no rule that is on does not exist. */
#include "check/check.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#define CHECKER(name) extern const Checker checker_##name;
#include "check/checkers.def"
#undef CHECKER

static const Checker *const registry[] = {
#define CHECKER(name) &checker_##name,
#include "check/checkers.def"
#undef CHECKER
    NULL};

_Static_assert(sizeof registry / sizeof *registry <= CHECKERS_MAX, "CHECKERS_MAX is too small");

typedef struct Active {
    const Checker *checker;
    void          *self;
} Active;

struct Checks {
    RuleSet rules;
    Active  active[CHECKERS_MAX];
    size_t  nactive;
};

static bool names(const char *words, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = words; (p = strstr(p, word)); p += n)
        if ((p == words || p[-1] == ' ') && (!p[n] || p[n] == ' '))
            return true;
    return false;
}

static bool serves(const Checker *c, const RuleSet *rules)
{
    for (int r = 0; r < RULE_COUNT; r++)
        if (rules->on[r] && names(rule_row((RuleId)r)->checker, c->name))
            return true;
    return false;
}

Status checks_new(const char *rules, Str *why, Checks **out)
{
    Checks *c = xcalloc(1, sizeof *c);
    Status  s = rules_select(rules, &c->rules, why);
    *out      = NULL;
    if (s != WW_OK) {
        free(c);
        return s;
    }
    for (const Checker *const *k = registry; *k; k++)
        if (serves(*k, &c->rules))
            c->active[c->nactive++] = (Active){*k, (*k)->open ? (*k)->open(&c->rules) : NULL};
    *out = c;
    return WW_OK;
}

void checks_free(Checks *c)
{
    for (size_t i = 0; c && i < c->nactive; i++)
        if (c->active[i].checker->close)
            c->active[i].checker->close(c->active[i].self);
    free(c);
}

const RuleSet *checks_rules(const Checks *c)
{
    return &c->rules;
}

bool checks_count(const Checks *c)
{
    for (size_t i = 0; c && i < c->nactive; i++)
        if (c->active[i].checker->counts)
            return true;
    return false;
}

void checks_memory(Checks *c, const MemoryEvent *e)
{
    for (size_t i = 0; c && i < c->nactive; i++)
        if (c->active[i].checker->memory)
            c->active[i].checker->memory(c->active[i].self, e);
}

void checks_shown(Checks *c, uint64_t from, uint64_t to, const WorkOrder *host)
{
    for (size_t i = 0; c && i < c->nactive; i++)
        if (c->active[i].checker->shown)
            c->active[i].checker->shown(c->active[i].self, from, to, host);
}

MemoryUse checks_uses(Checks *c, uint64_t from, uint64_t to, bool writes, const WorkOrder *host)
{
    MemoryUse most = USE_NONE;
    for (size_t i = 0; c && i < c->nactive; i++) {
        const Checker *k = c->active[i].checker;
        MemoryUse      u = k->uses ? k->uses(c->active[i].self, from, to, writes, host) : USE_NONE;
        most             = u > most ? u : most;
    }
    return most;
}

size_t checks_begin(Checks *c, CheckLaunch *l, Observer **list)
{
    size_t n = 0;
    for (size_t i = 0; i < c->nactive; i++) {
        l->observer[i] = c->active[i].checker->begin(c->active[i].self, &c->rules, l);
        if (l->observer[i])
            list[n++] = l->observer[i];
    }
    return n;
}

void checks_put(const Checks *c, const CheckLaunch *l, Parcel *p)
{
    for (size_t i = 0; c && i < c->nactive; i++)
        if (l->observer[i] && c->active[i].checker->put)
            c->active[i].checker->put(l->observer[i], p);
}

void checks_add(Checks *c, const CheckLaunch *l, Parcel *p)
{
    for (size_t i = 0; c && i < c->nactive; i++)
        if (l->observer[i] && c->active[i].checker->add)
            c->active[i].checker->add(l->observer[i], p);
}

void checks_end(Checks *c, const CheckLaunch *l, Findings *found)
{
    for (size_t i = 0; i < c->nactive; i++)
        if (l->observer[i])
            c->active[i].checker->end(c->active[i].self, l->observer[i], l, found);
}

void checks_pending(Checks *c, void (*each)(void *user, const WwFinding *f), void *user)
{
    for (size_t i = 0; c && i < c->nactive; i++) {
        size_t           n = 0;
        const WwFinding *list =
            c->active[i].checker->pending ? c->active[i].checker->pending(c->active[i].self, &n) : NULL;
        for (size_t k = 0; k < n; k++)
            each(user, &list[k]);
    }
}
