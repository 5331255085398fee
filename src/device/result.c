/* SPDX-License-Identifier: Apache-2.0
 *
 * WwResult: what a launch left behind, and the public functions that read it.
 * Invariants: everything it points to is in its own arena; lines are sorted by file and line, inexact opcodes by name.
 * Counters are read as an array of uint64_t: WwCounters has no other members (checked at compile time). */
#include "device/device.h"

#include <stdlib.h>

enum {
#define COUNTER(name, text) INDEX_##name,
#include "warpwright/counters.def"
#undef COUNTER
    NCOUNTERS
};
_Static_assert(sizeof(WwCounters) == NCOUNTERS * sizeof(uint64_t), "WwCounters is an array of counters");

static const struct {
    const char *name, *text;
} counters[] = {
#define COUNTER(name, text) {#name, text},
#include "warpwright/counters.def"
#undef COUNTER
};

size_t ww_counter_count(void)
{
    return NCOUNTERS;
}

const char *ww_counter_name(size_t i)
{
    return i < NCOUNTERS ? counters[i].name : NULL;
}

const char *ww_counter_text(size_t i)
{
    return i < NCOUNTERS ? counters[i].text : NULL;
}

uint64_t ww_counter_value(const WwCounters *c, size_t i)
{
    return c && i < NCOUNTERS ? ((const uint64_t *)c)[i] : 0;
}

WwResult *result_new(const char *kernel)
{
    Arena    *a = arena_new();
    WwResult *r = ARENA_NEW(a, WwResult);
    r->arena    = a;
    r->kernel   = arena_strdup(a, kernel);
    return r;
}

void result_findings(WwResult *r, const WwFinding *more, size_t n)
{
    WwFinding *list = ARENA_ARRAY(r->arena, WwFinding, r->nfindings + n + 1);
    for (size_t i = 0; i < r->nfindings; i++)
        list[i] = r->findings[i];
    for (size_t i = 0; i < n; i++)
        list[r->nfindings + i] = more[i];
    r->findings = list;
    r->nfindings += n;
}

WwFinding *result_finding(WwResult *r, const char *rule, const char *category)
{
    WwFinding f = {.rule     = arena_strdup(r->arena, rule),
                   .category = arena_strdup(r->arena, category),
                   .severity = "error",
                   .kernel   = r->kernel};
    result_findings(r, &f, 1);
    return &r->findings[r->nfindings - 1];
}

void ww_result_free(WwResult *r)
{
    if (r)
        arena_free(r->arena);
}

const WwCounters *ww_result_counters(const WwResult *r)
{
    return r ? &r->total : NULL;
}

size_t ww_result_line_count(const WwResult *r)
{
    return r ? r->nlines : 0;
}

const WwLine *ww_result_line(const WwResult *r, size_t i)
{
    return r && i < r->nlines ? &r->lines[i] : NULL;
}

WwInstructionClasses ww_result_instructions(const WwResult *r)
{
    return r ? r->classes : (WwInstructionClasses){0};
}

size_t ww_result_inexact_count(const WwResult *r)
{
    return r ? r->ninexact : 0;
}

const char *ww_result_inexact(const WwResult *r, size_t i, bool *unsupported, uint64_t *warp_instructions)
{
    if (!r || i >= r->ninexact)
        return NULL;
    if (unsupported)
        *unsupported = r->inexact[i].unsupported;
    if (warp_instructions)
        *warp_instructions = r->inexact[i].executed;
    return r->inexact[i].opcode;
}

size_t ww_result_finding_count(const WwResult *r)
{
    return r ? r->nfindings : 0;
}

const WwFinding *ww_result_finding(const WwResult *r, size_t i)
{
    return r && i < r->nfindings ? &r->findings[i] : NULL;
}

size_t ww_result_pattern_count(const WwResult *r)
{
    return r ? r->npatterns : 0;
}

const WwPattern *ww_result_pattern(const WwResult *r, size_t i)
{
    return r && i < r->npatterns ? &r->patterns[i] : NULL;
}

const char *ww_result_interpreted(const WwResult *r)
{
    return r->left;
}

double ww_result_native(const WwResult *r)
{
    return r && r->spent ? (double)r->compiled / (double)r->spent : 0;
}

const WwSample *ww_result_sample(const WwResult *r)
{
    return r && (r->sample.blocks < r->sample.of || r->sample.whole) ? &r->sample : NULL;
}

bool ww_result_resources(const WwResult *r, WwResources *out)
{
    if (!r || !r->resources_known)
        return false;
    *out = r->resources;
    return true;
}

bool ww_result_prediction(const WwResult *r, WwPrediction *out)
{
    *out = r->prediction;
    return r->predicted;
}

bool ww_result_time(const WwResult *r, double *median_ms, double *min_ms, unsigned *runs)
{
    if (!r || !r->runs)
        return false;
    if (median_ms)
        *median_ms = r->median_ms;
    if (min_ms)
        *min_ms = r->min_ms;
    if (runs)
        *runs = r->runs;
    return true;
}

unsigned ww_result_time_batch(const WwResult *r)
{
    return r ? r->batch : 0;
}
