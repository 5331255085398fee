/* SPDX-License-Identifier: Apache-2.0
 *
 * Parses and evaluates --fail-on.  Each condition is parsed again when it is evaluated: there are few, once at the end of a program. */
#include "report/fail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/nearest.h"

#include "check/rules.h"
#include "report/rows.h"

enum { MAX_WORD = 512 };

static const struct {
    const char *name, *counters;
} metrics[] = {
#define METRIC(name, counters) {name, counters},
#include "report/metrics.def"
#undef METRIC
};

static const char *const operators[] = {">=", "<=", "==", "!=", ">", "<"};
typedef enum Operator { AT_LEAST, AT_MOST, EQUAL, NOT_EQUAL, ABOVE, BELOW, OPERATORS } Operator;

typedef struct Condition {
    char     name[MAX_WORD]; /* severity, rule, category or counter */
    Operator op;             /* OPERATORS: no assertion */
    double   number;
    char     place[MAX_WORD]; /* "" = everywhere */
} Condition;

static int rank(const char *severity)
{
    return !strcmp(severity, "error") ? 3 : !strcmp(severity, "warning") ? 2 : !strcmp(severity, "note") ? 1 : 0;
}

/* ---- parsing ---- */

static bool is_counter(const char *name)
{
    for (size_t i = 0; i < ww_counter_count(); i++)
        if (!strcmp(ww_counter_name(i), name))
            return true;
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        if (!strcmp(metrics[i].name, name))
            return true;
    return false;
}

/* NULL, or what is wrong. */
static const char *parse(const char *text, size_t len, Condition *c)
{
    char row[MAX_WORD], *end;
    *c = (Condition){.op = OPERATORS};
    if (len >= sizeof row)
        return "it is too long";
    memcpy(row, text, len);
    row[len]  = 0;
    size_t at = strcspn(row, "<>=!");
    memcpy(c->name, row, at);
    if (!row[at])
        return rank(c->name) || rule_is_category(c->name) || rule_find(c->name) != RULE_COUNT
                   ? NULL
                   : "a severity (error, warning, note), a rule or an assertion such as bank_conflicts>0@file.cu:42 is "
                     "expected";
    for (int i = 0; i < OPERATORS && c->op == OPERATORS; i++)
        if (!strncmp(row + at, operators[i], strlen(operators[i])))
            c->op = (Operator)i;
    if (c->op == OPERATORS)
        return "one of > >= < <= == != is expected";
    char *dot = strstr(c->name, ".sum");
    if (dot && !dot[4])
        *dot = 0;
    if (!is_counter(c->name))
        return "there is no such counter";
    char *number = row + at + strlen(operators[c->op]);
    c->number    = strtod(number, &end);
    if (end == number || isnan(c->number) || (*end && *end != '@'))
        return "a number is expected behind the comparison";
    if (*end == '@' && !end[1])
        return "a file, FILE:LINE or a kernel is expected behind @";
    if (*end == '@')
        strcpy(c->place, end + 1);
    return NULL;
}

static const char *next(const char *text, size_t *len)
{
    text += strspn(text, ",");
    *len = strcspn(text, ",");
    return *len ? text : NULL;
}

/* Counters before a comparison; else severities and rules. */
static void hint(const char *word, size_t len, Str *why)
{
    enum { METRICS = sizeof metrics / sizeof *metrics, SEVERITIES = 3 };
    size_t       at = 0, n = ww_counter_count();
    const char **words   = xcalloc(n + METRICS + SEVERITIES + 1, sizeof *words);
    size_t       name    = strcspn(word, "<>=!");
    bool         compare = name < len;
    for (size_t i = 0; compare && i < n; i++)
        words[at++] = ww_counter_name(i);
    for (size_t i = 0; compare && i < METRICS; i++)
        words[at++] = metrics[i].name;
    static const char *const severities[SEVERITIES] = {"error", "warning", "note"};
    for (size_t i = 0; !compare && i < SEVERITIES; i++)
        words[at++] = severities[i];
    size_t before = why->len;
    nearest_hint(word, compare ? name : len, words, why);
    if (!compare && why->len == before)
        rules_hint(word, len, why);
    free(words);
}

Status fail_check(const char *text, Str *why)
{
    Condition c;
    size_t    len;
    if (!next(text, &len)) {
        str_add(why, "--fail-on: a severity (error, warning, note), a rule or an assertion is expected");
        return WW_ERR_INVALID;
    }
    for (const char *p = text; (p = next(p, &len)); p += len) {
        const char *wrong = parse(p, len, &c);
        if (wrong) {
            str_printf(why, "--fail-on: '%.*s': %s", (int)len, p, wrong);
            hint(p, len, why);
            return WW_ERR_INVALID;
        }
    }
    return WW_OK;
}

/* ---- evaluation ---- */

static double value_of(const WwCounters *c, const char *name)
{
    for (size_t i = 0; i < ww_counter_count(); i++)
        if (!strcmp(ww_counter_name(i), name))
            return (double)ww_counter_value(c, i);
    double sum = 0;
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        if (!strcmp(metrics[i].name, name)) {
            char list[MAX_WORD], *save = NULL;
            strcpy(list, metrics[i].counters);
            for (char *w = strtok_r(list, " ", &save); w; w = strtok_r(NULL, " ", &save))
                sum += value_of(c, w);
        }
    return sum;
}

static bool ends_path(const char *path, const char *tail, size_t m)
{
    size_t n = strlen(path);
    return n >= m && !strncmp(path + n - m, tail, m) && (n == m || path[n - m - 1] == '/' || *tail == '/');
}

/* "gemm" names gemm and gemm(float*, int); "gemm<4>" also void gemm<4>(...). */
static bool names_kernel(const Row *row, const char *name)
{
    size_t      n = strlen(name);
    const char *k = row->kernel;
    if (!strncmp(k, "void ", 5))
        k += 5;
    return !strcmp(row->symbol, name) || !strcmp(row->kernel, name) ||
           (!strncmp(k, name, n) && strchr("(<", k[n]) && k[n]);
}

typedef struct Measured {
    double         sum, most;
    const Row     *row;  /* where most of it is; NULL: nowhere */
    const RowLine *line; /* NULL: not known */
} Measured;

/* The line of the row that has most of the counter, of those at the place. */
static void most_of(Measured *m, const Row *row, const Condition *c, const char *file, size_t n, uint32_t number)
{
    for (size_t j = 0; j < row->nlines; j++) {
        const RowLine *l = &row->line[j];
        double         v = value_of(&l->counters, c->name);
        if (v > m->most && (!file || (ends_path(l->file, file, n) && (!number || l->line == number)))) {
            m->most = v;
            m->row  = row;
            m->line = l;
        }
    }
}

static Measured measured(const Report *r, const Condition *c)
{
    const char *colon = strrchr(c->place, ':');
    size_t      file  = colon ? (size_t)(colon - c->place) : strlen(c->place);
    uint32_t    line  = colon ? (uint32_t)strtoul(colon + 1, NULL, 10) : 0;
    Measured    m     = {0};
    for (size_t i = 0; i < r->nrows; i++) {
        const Row *row  = &r->row[i];
        bool       full = !*c->place || names_kernel(row, c->place);
        double     all  = value_of(&row->counters, c->name);
        if (full)
            m.sum += all;
        else
            for (size_t j = 0; j < row->nlines; j++)
                if (ends_path(row->line[j].file, c->place, file) && (!line || row->line[j].line == line))
                    m.sum += value_of(&row->line[j].counters, c->name);
        most_of(&m, row, c, full ? NULL : c->place, file, line);
        if (full && all > m.most) /* a row without lines */
            m = (Measured){m.sum, all, row, NULL};
    }
    return m;
}

static bool compares(double x, Operator op, double y)
{
    switch (op) {
    case AT_LEAST: return x >= y;
    case AT_MOST: return x <= y;
    case EQUAL: return x == y;
    case NOT_EQUAL: return x != y;
    case ABOVE: return x > y;
    default: return x < y;
    }
}

static bool holds(const Report *r, const Condition *c, Str *met)
{
    Measured m = measured(r, c);
    if (!compares(m.sum, c->op, c->number))
        return false;
    str_printf(met, "%.0f", m.sum);
    if (m.row)
        str_printf(met, "; %s in kernel %s", m.most < m.sum ? "most" : "all of it", m.row->kernel);
    if (m.line)
        str_printf(met, " at %s:%u", m.line->file, m.line->line);
    if (m.row && m.most < m.sum)
        str_printf(met, " (%.0f)", m.most);
    return true;
}

static bool found(const Report *r, const char *name, Str *met)
{
    const WwFinding *first = NULL;
    size_t           n     = 0;
    for (size_t i = 0; i < r->nfindings; i++) {
        const WwFinding *f = &r->finding[i].f;
        if (rank(name) ? rank(f->severity) >= rank(name) : !strcmp(f->rule, name) || !strcmp(f->category, name)) {
            first = first ? first : f;
            n++;
        }
    }
    if (!n)
        return false;
    str_printf(met, "%zu finding%s, %s%s", n, n == 1 ? "" : "s", n == 1 ? "" : "the first ", first->rule);
    if (first->kernel)
        str_printf(met, " in kernel %s", first->kernel);
    if (first->file)
        str_printf(met, " at %s:%u", first->file, first->line);
    return true;
}

bool report_fails(Report *r, const char *text, Str *met)
{
    Condition c;
    size_t    len;
    bool      any = false;
    report_sort(r);
    for (const char *p = text ? text : ""; (p = next(p, &len)); p += len) {
        Str why = {0};
        if (!parse(p, len, &c) && (c.op == OPERATORS ? found(r, c.name, &why) : holds(r, &c, &why))) {
            str_printf(met, "--fail-on %.*s is met: %s\n", (int)len, p, str_text(&why));
            any = true;
        }
        str_free(&why);
    }
    return any;
}
