/* SPDX-License-Identifier: Apache-2.0
 *
 * What got better or worse from one document to another.
 *
 * Runs: kernels are matched by name, sums over their launches; every counter of the table below counts down.  Findings are matched
 * by rule, kernel and file name (line numbers move).  Experiments: rows are matched by experiment or work, kernel or impl, sizes.
 * Counts are exact, so any difference is one, unless the caller has a threshold.  What loops that wait for other threads counted
 * (ptx/waits.h) is left out, and a kernel that has such loops may differ by less than WAITING_NOISE: lanes that wait part from their warps,
 * and meet them again sooner or later.  Times and rates vary, so less than NOISE of a difference is none.  The number of warp instructions
 * is shown and not judged: fewer is not always better. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mangle.h"
#include "report/doc.h"
#include "report/launches.h"

static const double NOISE = 0.05, WAITING_NOISE = 0.01;

typedef enum Sense { LESS_IS_BETTER, MORE_IS_BETTER, NEITHER } Sense;

typedef struct Metric {
    const char *title;
    Sense       sense;
    bool        varies;
    const char *part[5]; /* keys that are added up, up to a NULL */
} Metric;

static const Metric run_metrics[] = {
    {"global sectors", LESS_IS_BETTER, false, {"global_ld_sectors", "global_st_sectors", "global_atom_sectors"}},
    {"global sectors beyond ideal", LESS_IS_BETTER, false, {"derived__memory_l2_theoretical_sectors_global_excessive"}},
    {"shared passes", LESS_IS_BETTER, false, {"memory_l1_wavefronts_shared"}},
    {"bank conflicts",
     LESS_IS_BETTER,
     false,
     {"shared_ld_bank_conflicts", "shared_st_bank_conflicts", "shared_copy_bank_conflicts",
      "shared_atom_bank_conflicts"}},
    {"local sectors", LESS_IS_BETTER, false, {"local_ld_sectors", "local_st_sectors"}},
    {"predicted time, ns", LESS_IS_BETTER, true, {"predicted_ns"}},
    {"warp instructions", NEITHER, false, {"inst_executed"}},
    {NULL, NEITHER, false, {NULL}},
};

static const Metric row_metrics[] = {
    {"sectors", LESS_IS_BETTER, false, {"global_ld_sectors", "global_st_sectors"}},
    {"bank conflicts",
     LESS_IS_BETTER,
     false,
     {"shared_ld_bank_conflicts", "shared_st_bank_conflicts", "shared_copy_bank_conflicts"}},
    {"moved bytes", LESS_IS_BETTER, false, {"moved_bytes"}},
    {"time, ms", LESS_IS_BETTER, true, {"time_ms", "median_ms"}},
    {"predicted time, ms", LESS_IS_BETTER, true, {"predicted_ms"}},
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
    for (size_t i = 0; i < sizeof m->part / sizeof *m->part && m->part[i]; i++) {
        const json_t *v = json_object_get(o, m->part[i]),
                     *w = json_object_get(json_object_get(o, "waiting"), m->part[i]);
        any |= json_is_number(v);
        *out += json_number_value(v) - json_number_value(w);
    }
    return any;
}

/* ---- rows of the result ---- */

typedef struct Tally {
    json_t *rows;
    int     better, worse;
    double  least; /* part of a value by which it must differ */
} Tally;

/* The row, which is the tally's. */
static json_t *note(Tally *t, const char *what, double before, double after, int worse)
{
    static const char *const words[] = {"better", "changed", "worse"};
    json_t *b = before == floor(before) && fabs(before) < 1e15 ? json_integer((json_int_t)before) : json_real(before);
    json_t *a = after == floor(after) && fabs(after) < 1e15 ? json_integer((json_int_t)after) : json_real(after);
    t->better += worse < 0;
    t->worse += worse > 0;
    json_t *row = json_pack("{s:s,s:o,s:o,s:s}", "what", what, "before", b, "after", a, "change", words[worse + 1]);
    json_array_append_new(t->rows, row);
    return row;
}

static bool waits(const json_t *o)
{
    return json_object_size(json_object_get(o, "waiting")) > 0;
}

/* The row; NULL: no difference. */
static json_t *compare_values(Tally *t, const Metric *m, const char *name, const json_t *a, const json_t *b)
{
    double x, y;
    Str    what = {0};
    if (!value_of(m, a, &x) || !value_of(m, b, &y) || x == y)
        return NULL;
    double noise = fmax(m->varies ? NOISE : waits(a) || waits(b) ? WAITING_NOISE : 0, t->least);
    if (fabs(y - x) < noise * fmax(fabs(x), fabs(y)))
        return NULL;
    int worse = m->sense == NEITHER ? 0 : (y > x) == (m->sense == LESS_IS_BETTER) ? 1 : -1;
    str_printf(&what, "%s: %s", name, m->title);
    json_t *row = note(t, str_text(&what), x, y, worse);
    str_free(&what);
    return row;
}

/* ---- runs ---- */

/* The predicted time of a kernel's launches, whole ns; of joined launches each takes what the first did.  One that is not predicted leaves
 * the sum without a meaning: then there is none (null). */
static void add_predicted(json_t *sum, const json_t *k)
{
    const json_t *ns  = json_object_get(json_object_get(k, "predicted"), "ns"),
                 *old = json_object_get(sum, "predicted_ns");
    double all        = json_number_value(old) + floor(json_number_value(ns) * (double)launches_of(k) + 0.5);
    json_object_set_new(sum, "predicted_ns", json_is_number(ns) && !json_is_null(old) ? json_real(all) : json_null());
}

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
        add_predicted(sum, k);
        json_t *waiting = json_object_get(sum, "waiting");
        if (!waiting)
            json_object_set_new(sum, "waiting", waiting = json_object());
        json_object_foreach(json_object_get(k, "waiting"), key, v)
            json_object_set_new(waiting, key, launches_sum(json_object_get(waiting, key), v));
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

/* ---- lines ---- */

/* "file:line" -> the sums of its counters over the launches of the kernel; the file by its last part, as checkouts lie elsewhere. */
static json_t *line_sums(const json_t *doc, const char *kernel)
{
    json_t       *sums = json_object(), *v;
    const json_t *k, *line;
    const char   *key;
    size_t        i, j;
    json_array_foreach(json_object_get(doc, "kernels"), i, k)
    {
        json_array_foreach(strcmp(text(k, "name"), kernel) ? NULL : json_object_get(k, "lines"), j, line)
        {
            const char *slash = strrchr(text(line, "file"), '/');
            Str         place = {0};
            str_printf(&place, "%s:%lld", slash ? slash + 1 : text(line, "file"),
                       (long long)json_integer_value(json_object_get(line, "line")));
            json_t *sum = json_object_get(sums, str_text(&place));
            if (!sum)
                json_object_set_new(sums, str_text(&place), sum = json_object());
            str_free(&place);
            json_object_foreach((json_t *)(uintptr_t)line, key, v) if (json_is_integer(v))
                json_object_set_new(sum, key, launches_sum(json_object_get(sum, key), v));
        }
    }
    return sums;
}

static int dearer_first(const void *a, const void *b)
{
    double x = json_real_value(json_object_get(*(json_t *const *)a, "by")),
           y = json_real_value(json_object_get(*(json_t *const *)b, "by"));
    int c    = (fabs(x) < fabs(y)) - (fabs(x) > fabs(y));
    return c ? c : strcmp(text(*(json_t *const *)a, "place"), text(*(json_t *const *)b, "place"));
}

/* Which lines make the difference: row.lines[] of {place, before, after}, the most first.  A line that has moved is two of them. */
static void add_places(json_t *row, const Metric *m, const json_t *x, const json_t *y)
{
    enum { MOST = 3 };
    json_t     *list = json_array(), *v;
    const char *key;
    json_t     *both = json_copy((json_t *)(uintptr_t)x);
    json_object_update_missing(both, (json_t *)(uintptr_t)y);
    json_object_foreach(both, key, v)
    {
        double before = 0, after = 0;
        value_of(m, json_object_get(x, key), &before);
        value_of(m, json_object_get(y, key), &after);
        if (before != after)
            json_array_append_new(list, json_pack("{s:s,s:I,s:I,s:f}", "place", key, "before", (json_int_t)before,
                                                  "after", (json_int_t)after, "by", after - before));
    }
    size_t   n    = json_array_size(list);
    json_t **sort = xcalloc(n + 1, sizeof *sort);
    for (size_t i = 0; i < n; i++)
        sort[i] = json_array_get(list, i);
    qsort(sort, n, sizeof *sort, dearer_first);
    json_t *most = json_array();
    for (size_t i = 0; i < n && i < MOST; i++)
        json_array_append(most, sort[i]);
    json_object_set_new(row, "lines", most);
    free(sort);
    json_decref(list);
    json_decref(both);
}

static void compare_runs(Tally *t, const json_t *a, const json_t *b)
{
    json_t     *x = doc_kernel_sums(a), *y = doc_kernel_sums(b), *v;
    const char *key;
    compare_findings(t, a, b);
    json_object_foreach(x, key, v)
    {
        const json_t *with = json_object_get(y, key);
        json_t       *la = NULL, *lb = NULL;
        for (const Metric *m = run_metrics; with && m->title; m++) {
            json_t *row = compare_values(t, m, key, v, with);
            if (!row)
                continue;
            la = la ? la : line_sums(a, key);
            lb = lb ? lb : line_sums(b, key);
            json_object_set_new(row, "kernel", json_string(key));
            json_object_set_new(row, "metric", json_string(m->title));
            add_places(row, m, la, lb);
        }
        json_decref(la);
        json_decref(lb);
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

json_t *doc_compare(const json_t *a, const json_t *b, double least)
{
    Tally t = {.rows = json_array(), .least = least};
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

void doc_compare_text(const json_t *compared, bool lines, Str *out)
{
    const json_t *r;
    size_t        i;
    json_array_foreach(json_object_get(compared, "rows"), i, r)
    {
        str_printf(out, "%-7s  %s: %.15g -> %.15g", text(r, "change"), text(r, "what"),
                   json_number_value(json_object_get(r, "before")), json_number_value(json_object_get(r, "after")));
        const json_t *line;
        size_t        k;
        json_array_foreach(lines ? json_object_get(r, "lines") : NULL, k, line)
            str_printf(out, "%s%s (%+.15g)", k ? ", " : "; at ", text(line, "place"),
                       json_number_value(json_object_get(line, "by")));
        str_addc(out, '\n');
    }
    str_printf(out, "%lld better, %lld worse\n", (long long)json_integer_value(json_object_get(compared, "better")),
               (long long)json_integer_value(json_object_get(compared, "worse")));
}

/* ---- text ---- */

/* "+992", or with what it was "+12.5 %". */
static void by_how_much(const json_t *row, Str *out)
{
    double x = json_number_value(json_object_get(row, "before")), y = json_number_value(json_object_get(row, "after"));
    if (x == 0 || y == 0)
        str_printf(out, "%+.15g", y - x);
    else
        str_printf(out, "%+.3g %%", 100 * (y - x) / fabs(x));
}

static void markdown_cell(const char *s, Str *out)
{
    for (; *s; s++)
        str_printf(out, strchr("|<>*_`\\", *s) ? "\\%c" : "%c", *s);
}

static void markdown_row(const json_t *r, Str *out)
{
    const json_t *line;
    size_t        i;
    char         *name = *text(r, "kernel") ? mangled_short(text(r, "kernel")) : NULL;
    str_printf(out, "| %s | ", text(r, "change"));
    markdown_cell(name ? name : text(r, "what"), out);
    str_printf(out, " | %s | %.15g | %.15g | ", text(r, "metric"), json_number_value(json_object_get(r, "before")),
               json_number_value(json_object_get(r, "after")));
    by_how_much(r, out);
    str_add(out, " | ");
    json_array_foreach(json_object_get(r, "lines"), i, line)
    {
        str_add(out, i ? ", " : "");
        markdown_cell(text(line, "place"), out);
        str_printf(out, " (%+.15g)", json_number_value(json_object_get(line, "by")));
    }
    str_add(out, " |\n");
    free(name);
}

void doc_compare_markdown(const json_t *compared, const char *before, const char *after, Str *out)
{
    static const char *const order[] = {"worse", "better", "changed"};
    const json_t            *r;
    size_t                   i;
    str_printf(out, "### warpwright: %lld worse, %lld better\n\n",
               (long long)json_integer_value(json_object_get(compared, "worse")),
               (long long)json_integer_value(json_object_get(compared, "better")));
    if (!json_array_size(json_object_get(compared, "rows")))
        str_add(out, "No count has changed.\n");
    else
        str_add(out, "| | kernel | what | base | head | by | lines |\n|---|---|---|--:|--:|--:|---|\n");
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        json_array_foreach(json_object_get(compared, "rows"), i, r) if (!strcmp(text(r, "change"), order[k]))
            markdown_row(r, out);
    str_printf(out, "\nCounts of the emulator, not times: the same program gives the same numbers. Base: ");
    markdown_cell(before, out);
    str_add(out, ", head: ");
    markdown_cell(after, out);
    str_add(out, ".\n");
}
