/* SPDX-License-Identifier: Apache-2.0
 *
 * Gathers launches into rows.  Kernels are told apart by their symbol and keep the order of their first launch; source
 * lines by file and line.  Numbers are the emulator's counters, never estimates. */
#include "report/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/pattern.h"
#include "report/ranges.h"
#include "report/rows.h"

Report *report_new(size_t keep_launches)
{
    Report *r    = xcalloc(1, sizeof *r);
    r->arena     = arena_new();
    r->launches  = launches_new(keep_launches);
    r->keep      = keep_launches;
    r->processes = 1;
    report_select(r, "");
    return r;
}

void report_free(Report *r)
{
    if (!r)
        return;
    launches_free(r->launches);
    for (size_t i = 0; i < r->nfindings; i++)
        json_decref(r->finding[i].who);
    json_decref(r->who);
    json_decref(r->own);
    if (r->has_kernels)
        regfree(&r->kernels);
    free(r->left);
    free(r->finding);
    suppressions_free(&r->suppress);
    for (size_t i = 0; i < r->nrows; i++)
        free(r->row[i].line);
    free(r->row);
    free(r->range);
    free(r->missing);
    free(r->call);
    free(r->note);
    arena_free(r->arena);
    free(r);
}

void report_who(Report *r, json_t *who, json_int_t processes)
{
    json_incref(who);
    json_decref(r->who);
    r->who       = who;
    r->processes = processes;
}

void report_process(Report *r, const char *program, const char *const *arguments, size_t n, long pid)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, text_json(arguments[i]));
    json_decref(r->own);
    r->own = json_pack("{s:o,s:o,s:o}", "program", text_json(program), "arguments", list, "pid",
                       pid ? json_integer(pid) : json_null());
}

void report_rank(Report *r, unsigned rank)
{
    json_object_set_new(r->own, "rank", json_integer(rank));
}

static Row *row_of(Report *r, const ReportLaunch *l)
{
    for (size_t i = r->nrows; i--;)
        if (!strcmp(r->row[i].symbol, l->symbol))
            return &r->row[i];
    if (r->nrows == r->rows_cap) {
        r->rows_cap = r->rows_cap ? r->rows_cap * 2 : 16;
        r->row      = xrealloc(r->row, r->rows_cap * sizeof *r->row);
    }
    Row *row = &r->row[r->nrows++];
    *row     = (Row){.kernel = arena_strdup(r->arena, l->kernel), .symbol = arena_strdup(r->arena, l->symbol)};
    return row;
}

bool report_is_written(const ReportLaunch *l, const WwLine *line)
{
    size_t n = strlen(line->file);
    return !l->generated || n < 5 || strcmp(line->file + n - 4, ".ptx") != 0;
}

/* Both lists are sorted by file and line: a merge. */
static void add_lines(Report *r, Row *row, const ReportLaunch *l)
{
    size_t         more = ww_result_line_count(l->result), wanted = 0, n = 0, i = 0, j = 0;
    const WwLine **from = xcalloc(more + 1, sizeof *from);
    for (size_t k = 0; k < more; k++)
        if (report_is_written(l, ww_result_line(l->result, k)))
            from[wanted++] = ww_result_line(l->result, k);
    RowLine *list = xcalloc(row->nlines + wanted + 1, sizeof *list);
    while (i < row->nlines || j < wanted) {
        const WwLine *b = from[j]; /* NULL behind the last */
        int           c = i == row->nlines ? 1 : !b ? -1 : strcmp(row->line[i].file, b->file);
        if (c == 0)
            c = row->line[i].line < b->line ? -1 : row->line[i].line > b->line;
        if (c <= 0)
            list[n] = row->line[i++];
        else
            list[n] = (RowLine){.file = n && !strcmp(list[n - 1].file, b->file) ? list[n - 1].file
                                                                                : arena_strdup(r->arena, b->file),
                                .line = b->line};
        if (c >= 0) {
            counters_add(&list[n].counters, &b->counters);
            j++;
        }
        n++;
    }
    free(from);
    free(row->line);
    row->line   = list;
    row->nlines = n;
}

static void add_findings(Report *r, const ReportLaunch *l)
{
    for (size_t i = 0; l->result && !l->unwatched && i < ww_result_finding_count(l->result); i++)
        report_add_finding(r, ww_result_finding(l->result, i), l->kernel, (int64_t)l->launch);
}

static void keep_launch(Report *r, const ReportLaunch *l, bool first)
{
    char text[160];
    launches_add(r->launches, launch_json(l, first));
    if (!launches_joined(r->launches))
        return;
    snprintf(text, sizeof text, "of more than %zu launches, entries of the JSON stand for several (--keep-launches)",
             r->keep);
    report_note(r, text);
}

/* Native code was asked for, or should have been made. */
static void note_interpreted(Report *r, const ReportLaunch *l)
{
    const char *why  = l->result ? ww_result_interpreted(l->result) : NULL;
    Str         text = {0};
    if (!why)
        return;
    str_printf(&text, "the interpreter ran kernel %s: %s", l->kernel, why);
    report_note(r, str_text(&text));
    str_free(&text);
}

void report_tell(Report *r, void (*told)(void *user, const char *line), void *user)
{
    r->told      = told;
    r->told_user = user;
}

static void tell_launch(const Report *r, const ReportLaunch *l)
{
    static const char *const ends[] = {"ok", "FAILED", "NOT RUN"};
    Str                      line   = {0};
    str_printf(&line, "launch %" PRIu64 ": %s, %ux%ux%u blocks of %ux%ux%u threads: %s, emulated in %.1f ms", l->launch,
               l->kernel, l->grid.x, l->grid.y, l->grid.z, l->block.x, l->block.y, l->block.z, ends[l->outcome],
               l->seconds * 1e3);
    double native = l->result ? ww_result_native(l->result) : 0;
    if (native > 0)
        str_printf(&line, ", %.1f %% of it native", 100 * native);
    if (l->why)
        str_printf(&line, ": %s", l->why);
    r->told(r->told_user, str_text(&line));
    str_free(&line);
}

static void add_prediction(const Report *r, Row *row, const WwResult *result)
{
    WwPrediction p;
    if (!ww_result_prediction(result, &p))
        return;
    row->predicted++;
    row->ns += p.ns;
    if (row->predicted > 1 && p.ns <= row->longest.ns)
        return;
    p.limiter    = arena_strdup(r->arena, p.limiter);
    p.source     = arena_strdup(r->arena, p.source);
    p.card       = arena_strdup(r->arena, p.card);
    p.parts      = NULL;
    p.nparts     = 0;
    p.lines      = NULL;
    p.nlines     = 0;
    row->longest = p;
}

/* A launch of which only some blocks ran, or ran whole although it was not to. */
static void add_sample(Report *r, Row *row, const ReportLaunch *l)
{
    const WwSample *s    = ww_result_sample(l->result);
    Str             text = {0};
    if (s && s->whole) {
        str_printf(&text, "--blocks: kernel %s ran whole: %s", l->kernel, s->whole);
        report_note(r, str_text(&text));
    } else if (s) {
        report_note(
            r,
            "--blocks: of sampled launches only some blocks ran; what they were to compute was not, so the program's "
            "results are not to be used, and reads of memory that they may have written count as written");
        row->sampled++;
        row->blocks += s->blocks;
        row->of += s->of;
        row->spread += s->spread;
        counters_add(&row->estimate, &s->estimate);
        counters_add(&row->error, &s->error);
    }
    str_free(&text);
}

static Row *range_row(Report *r, const char *name, size_t n)
{
    for (size_t k = 0; k < r->nranges; k++)
        if (strlen(r->range[k].symbol) == n && memcmp(r->range[k].symbol, name, n) == 0)
            return &r->range[k];
    char *text = arena_alloc(r->arena, n + 1);
    memcpy(text, name, n);
    text[n]                = 0;
    r->range               = xrealloc(r->range, (r->nranges + 1) * sizeof *r->range);
    r->range[r->nranges++] = (Row){.kernel = text, .symbol = text};
    return &r->range[r->nranges - 1];
}

static void add_to_range(Row *row, const ReportLaunch *l)
{
    row->launches++;
    row->seconds += l->seconds;
    row->failed += l->outcome == LAUNCH_FAILED;
    row->unsupported += l->outcome == LAUNCH_UNSUPPORTED;
    if (l->result)
        counters_add(&row->counters, ww_result_counters(l->result));
}

/* The launch in the sums of each range around it: of "step 3/forward/" in those of "step 3/" too. */
static void add_ranges(Report *r, const ReportLaunch *l)
{
    for (size_t i = 0; i < l->nranges && !l->unwatched; i++) {
        size_t n = range_outer(l->ranges[i], 0);
        for (; l->ranges[i][n]; n = range_outer(l->ranges[i], n))
            add_to_range(range_row(r, l->ranges[i], n), l);
        add_to_range(range_row(r, l->ranges[i], n), l);
    }
}

void report_show_ranges(Report *r)
{
    r->show_ranges = true;
}

void report_add(Report *r, const ReportLaunch *l)
{
    if (r->told)
        tell_launch(r, l);
    if (r->schedule > 1) {
        add_findings(r, l);
        return;
    }
    note_interpreted(r, l);
    add_ranges(r, l);
    Row *row = row_of(r, l);
    r->looked += !l->unwatched;
    row->launches++;
    row->seconds += l->seconds;
    row->failed += l->outcome == LAUNCH_FAILED;
    row->unsupported += l->outcome == LAUNCH_UNSUPPORTED;
    if (l->why && !row->why)
        row->why = arena_strdup(r->arena, l->why);
    if (l->result) {
        WwInstructionClasses c = ww_result_instructions(l->result);
        counters_add(&row->counters, ww_result_counters(l->result));
        add_prediction(r, row, l->result);
        add_sample(r, row, l);
        add_lines(r, row, l);
        row->exact += c.exact;
        row->approximate += c.approximate;
        row->inexact += c.unsupported;
        add_findings(r, l);
    }
    if (r->keep)
        keep_launch(r, l, row->launches == 1);
}

void report_missing(Report *r, const char *entry_point)
{
    for (size_t i = 0; i < r->nmissing; i++)
        if (!strcmp(r->missing[i].name, entry_point)) {
            r->missing[i].calls++;
            return;
        }
    r->missing                = xrealloc(r->missing, (r->nmissing + 1) * sizeof *r->missing);
    r->missing[r->nmissing++] = (Missing){arena_strdup(r->arena, entry_point), 1};
}

void report_call(Report *r, const ReportCall *c)
{
    size_t i = 0;
    while (i < r->ncalls && (strcmp(r->call[i].call, c->call) != 0 || strcmp(r->call[i].library, c->library) != 0 ||
                             strcmp(r->call[i].by, c->by) != 0))
        i++;
    if (i == r->ncalls) {
        r->call              = xrealloc(r->call, (r->ncalls + 1) * sizeof *r->call);
        r->call[r->ncalls++] = (ReportCall){.library = arena_strdup(r->arena, c->library),
                                            .call    = arena_strdup(r->arena, c->call),
                                            .by      = arena_strdup(r->arena, c->by)};
    }
    r->call[i].count += c->count;
    r->call[i].operations += c->operations;
}

void report_note(Report *r, const char *text)
{
    for (size_t i = 0; i < r->nnotes; i++)
        if (!strcmp(r->note[i], text))
            return;
    r->note              = xrealloc(r->note, (r->nnotes + 1) * sizeof *r->note);
    r->note[r->nnotes++] = arena_strdup(r->arena, text);
}

void report_select(Report *r, const char *rules)
{
    Str why = {0};
    rules_select(rules, &r->rules, &why);
    str_free(&why);
}

Status report_suppress(Report *r, const char *file, Str *why)
{
    return suppressions_read(&r->suppress, file, why);
}

void report_unused(const Report *r, const char *file, Str *out)
{
    for (size_t i = 0; i < r->suppress.n; i++)
        if (!r->suppress.list[i].used)
            str_printf(out, "%s:%u: nothing was suppressed by this row\n", file, r->suppress.list[i].row);
}

void report_used(Report *r, void (*each)(void *user, unsigned row), void *user)
{
    for (size_t i = 0; i < r->suppress.n; i++)
        if (r->suppress.list[i].used)
            each(user, r->suppress.list[i].row);
}

void report_use(Report *r, unsigned row)
{
    for (size_t i = 0; i < r->suppress.n; i++)
        r->suppress.list[i].used |= r->suppress.list[i].row == row;
}

void report_only(Report *r, const char *globs, const char *kernels)
{
    Str why        = {0};
    r->only        = globs ? arena_strdup(r->arena, globs) : NULL;
    r->has_kernels = kernels && pattern_compile(kernels, &r->kernels, &why);
    str_free(&why);
}

void report_limit(Report *r, uint64_t findings)
{
    r->limit = findings;
}

void report_left_out(Report *r, const char *kernel)
{
    enum { MOST = 32 };
    for (size_t i = 0; i < r->nleft; i++)
        if (!strcmp(r->left[i], kernel))
            return;
    if (r->nleft == MOST)
        return;
    r->left             = xrealloc(r->left, (r->nleft + 1) * sizeof *r->left);
    r->left[r->nleft++] = arena_strdup(r->arena, kernel);
}

const char *report_left(const Report *r, size_t n)
{
    return n < r->nleft ? r->left[n] : NULL;
}

Status report_write_suppressions(Report *r, const char *file)
{
    FILE *f = file_append(file);
    if (!f)
        return WW_ERR_IO;
    report_sort(r);
    for (size_t i = 0; i < r->nfindings; i++) {
        Str row = {0};
        suppression_row(&r->finding[i].f, &row);
        fputs(str_text(&row), f);
        str_free(&row);
    }
    bool written = !ferror(f);
    return fclose(f) == 0 && written ? WW_OK : WW_ERR_IO;
}

bool report_empty(const Report *r)
{
    return !r->nrows && !r->nmissing && !r->ncalls && !r->nnotes && !r->nfindings;
}

bool report_unsupported(const Report *r)
{
    for (size_t i = 0; i < r->nrows; i++)
        if (r->row[i].unsupported)
            return true;
    return false;
}
