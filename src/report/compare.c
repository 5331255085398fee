/* SPDX-License-Identifier: Apache-2.0
 *
 * What got better or worse from one document to another.
 *
 * Runs: kernels are matched by name, sums over their launches; every counter of the table below counts down.  Findings are matched
 * by rule, kernel and file name (line numbers move).  Experiments: rows are matched by experiment or work, kernel or impl, sizes.
 * Counts are exact, so any difference is one; times and rates vary, so less than NOISE of a difference is none.  The number of warp
 * instructions is shown and not judged: fewer is not always better. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/doc.h"
#include "report/launches.h"

static const double NOISE = 0.05;

typedef enum Sense { LESS_IS_BETTER, MORE_IS_BETTER, NEITHER } Sense;

typedef struct Metric {
    const char *title;
    Sense       sense;
    bool        varies;
    const char *part[4]; /* keys that are added up */
} Metric;

static const Metric run_metrics[] = {
    {"global sectors", LESS_IS_BETTER, false, {"global_ld_sectors", "global_st_sectors", "global_atom_sectors"}},
    {"global sectors beyond ideal", LESS_IS_BETTER, false, {"derived__memory_l2_theoretical_sectors_global_excessive"}},
    {"shared passes", LESS_IS_BETTER, false, {"memory_l1_wavefronts_shared"}},
    {"bank conflicts",
     LESS_IS_BETTER,
     false,
     {"shared_ld_bank_conflicts", "shared_st_bank_conflicts", "shared_atom_bank_conflicts"}},
    {"local sectors", LESS_IS_BETTER, false, {"local_ld_sectors", "local_st_sectors"}},
    {"warp instructions", NEITHER, false, {"inst_executed"}},
    {NULL, NEITHER, false, {NULL}},
};

static const Metric row_metrics[] = {
    {"sectors", LESS_IS_BETTER, false, {"global_ld_sectors", "global_st_sectors"}},
    {"bank conflicts", LESS_IS_BETTER, false, {"shared_ld_bank_conflicts", "shared_st_bank_conflicts"}},
    {"moved bytes", LESS_IS_BETTER, false, {"moved_bytes"}},
    {"time, ms", LESS_IS_BETTER, true, {"time_ms", "median_ms"}},
    {"rate", MORE_IS_BETTER, true, {"rate"}},
    {NULL, NEITHER, false, {NULL}},
};

static const char *text(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

static bool value_of(const Metric *m, const json_t *o, double *out)
{
    bool any = false;
    *out     = 0;
    for (int i = 0; i < 4 && m->part[i]; i++) {
        const json_t *v = json_object_get(o, m->part[i]);
        any |= json_is_number(v);
        *out += json_number_value(v);
    }
    return any;
}

/* ---- rows of the result ---- */

typedef struct Tally {
    json_t *rows;
    int     better, worse;
} Tally;

static void note(Tally *t, const char *what, double before, double after, int worse)
{
    static const char *const words[] = {"better", "changed", "worse"};
    json_t *b = before == floor(before) && fabs(before) < 1e15 ? json_integer((json_int_t)before) : json_real(before);
    json_t *a = after == floor(after) && fabs(after) < 1e15 ? json_integer((json_int_t)after) : json_real(after);
    t->better += worse < 0;
    t->worse += worse > 0;
    json_array_append_new(
        t->rows, json_pack("{s:s,s:o,s:o,s:s}", "what", what, "before", b, "after", a, "change", words[worse + 1]));
}

static void compare_values(Tally *t, const Metric *m, const char *name, const json_t *a, const json_t *b)
{
    double x, y;
    Str    what = {0};
    if (!value_of(m, a, &x) || !value_of(m, b, &y) || x == y)
        return;
    if (m->varies && fabs(y - x) < NOISE * fmax(fabs(x), fabs(y)))
        return;
    int worse = m->sense == NEITHER ? 0 : (y > x) == (m->sense == LESS_IS_BETTER) ? 1 : -1;
    str_printf(&what, "%s: %s", name, m->title);
    note(t, str_text(&what), x, y, worse);
    str_free(&what);
}

/* ---- runs ---- */

json_t *doc_kernel_sums(const json_t *doc)
{
    json_t       *sums = json_object(), *v;
    const json_t *k;
    size_t        i;
    const char   *key;
    json_array_foreach(json_object_get(doc, "kernels"), i, k)
    {
        json_t *sum = json_object_get(sums, text(k, "name"));
        if (!sum) {
            sum = json_object();
            json_object_set_new(sums, text(k, "name"), sum);
        }
        json_t *n = json_integer(launches_of(k));
        json_object_set_new(sum, "launches", launches_sum(json_object_get(sum, "launches"), n));
        json_decref(n);
        json_object_foreach(json_object_get(k, "counters"), key, v)
            json_object_set_new(sum, key, launches_sum(json_object_get(sum, key), v));
    }
    return sums;
}

/* "error [rule] in kernel at file" -> how many */
static json_t *finding_counts(const json_t *doc)
{
    json_t       *counts = json_object();
    const json_t *f;
    size_t        i;
    json_array_foreach(json_object_get(doc, "findings"), i, f)
    {
        const char *file = text(f, "file"), *slash = strrchr(file, '/');
        Str         key = {0};
        str_printf(&key, "%s: %s [%s]", *text(f, "kernel") ? text(f, "kernel") : "program", text(f, "severity"),
                   text(f, "rule"));
        if (*file)
            str_printf(&key, " in %s", slash ? slash + 1 : file);
        json_int_t old = json_integer_value(json_object_get(counts, str_text(&key)));
        json_object_set_new(counts, str_text(&key), json_integer(old + 1));
        str_free(&key);
    }
    return counts;
}

static void compare_findings(Tally *t, const json_t *a, const json_t *b)
{
    json_t     *x = finding_counts(a), *y = finding_counts(b), *v;
    const char *key;
    json_object_foreach(x, key, v)
    {
        double before = json_number_value(v), after = json_number_value(json_object_get(y, key));
        if (before != after)
            note(t, key, before, after, after > before ? 1 : -1);
    }
    json_object_foreach(y, key, v)
    {
        if (!json_object_get(x, key))
            note(t, key, 0, json_number_value(v), 1);
    }
    json_decref(x);
    json_decref(y);
}

static void compare_runs(Tally *t, const json_t *a, const json_t *b)
{
    json_t     *x = doc_kernel_sums(a), *y = doc_kernel_sums(b), *v;
    const char *key;
    compare_findings(t, a, b);
    json_object_foreach(x, key, v)
    {
        const json_t *with = json_object_get(y, key);
        for (const Metric *m = run_metrics; with && m->title; m++)
            compare_values(t, m, key, v, with);
    }
    json_decref(x);
    json_decref(y);
}

/* ---- experiments ---- */

static void row_name(const json_t *r, Str *out)
{
    static const char *const keys[] = {"experiment", "work", "kernel", "impl", "type", "layout", "device", NULL};
    for (int i = 0; keys[i]; i++)
        if (*text(r, keys[i]))
            str_printf(out, "%s%s", out->len ? " " : "", text(r, keys[i]));
    static const char *const numbers[] = {"m", "n", "k", NULL};
    for (int i = 0; numbers[i]; i++)
        if (json_is_integer(json_object_get(r, numbers[i])))
            str_printf(out, " %s=%lld", numbers[i], (long long)json_integer_value(json_object_get(r, numbers[i])));
    const char   *key;
    const json_t *v;
    json_object_foreach(json_object_get(r, "sizes"), key, v)
    {
        str_printf(out, " %s=%lld", key, (long long)json_integer_value(v));
    }
}

/* The same name again is "NAME (2)": the second row of a name is compared with the other document's second.  seen: how many there were. */
static void number_name(json_t *seen, Str *name)
{
    json_int_t n = json_integer_value(json_object_get(seen, str_text(name))) + 1;
    json_object_set_new(seen, str_text(name), json_integer(n));
    if (n > 1)
        str_printf(name, " (%lld)", (long long)n);
}

static void compare_rows(Tally *t, const json_t *a, const json_t *b)
{
    const json_t *r;
    size_t        i;
    json_t       *known = json_object(), *before = json_object(), *after = json_object();
    json_array_foreach(json_object_get(a, "rows"), i, r)
    {
        Str name = {0};
        row_name(r, &name);
        number_name(before, &name);
        json_object_set(known, str_text(&name), (json_t *)(uintptr_t)r);
        str_free(&name);
    }
    json_array_foreach(json_object_get(b, "rows"), i, r)
    {
        Str name = {0};
        row_name(r, &name);
        number_name(after, &name);
        const json_t *old = json_object_get(known, str_text(&name));
        if (old && json_is_true(json_object_get(old, "verified")) != json_is_true(json_object_get(r, "verified"))) {
            bool now = json_is_true(json_object_get(r, "verified"));
            str_add(&name, ": verified");
            note(t, str_text(&name), !now, now, now ? -1 : 1);
        }
        for (const Metric *m = row_metrics; old && m->title; m++)
            compare_values(t, m, str_text(&name), old, r);
        str_free(&name);
    }
    json_decref(known);
    json_decref(before);
    json_decref(after);
}

json_t *doc_compare(const json_t *a, const json_t *b)
{
    Tally t = {.rows = json_array()};
    if (doc_is_run(a) != doc_is_run(b)) {
        json_decref(t.rows);
        return NULL;
    }
    if (doc_is_run(a))
        compare_runs(&t, a, b);
    else
        compare_rows(&t, a, b);
    return json_pack("{s:i,s:i,s:o}", "better", t.better, "worse", t.worse, "rows", t.rows);
}

void doc_compare_text(const json_t *compared, Str *out)
{
    const json_t *r;
    size_t        i;
    json_array_foreach(json_object_get(compared, "rows"), i, r)
    {
        str_printf(out, "%-7s  %s: %.15g -> %.15g\n", text(r, "change"), text(r, "what"),
                   json_number_value(json_object_get(r, "before")), json_number_value(json_object_get(r, "after")));
    }
    str_printf(out, "%lld better, %lld worse\n", (long long)json_integer_value(json_object_get(compared, "better")),
               (long long)json_integer_value(json_object_get(compared, "worse")));
}
