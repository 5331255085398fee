/* SPDX-License-Identifier: Apache-2.0
 *
 * The findings of a report: one for each rule, kernel, place and other place, with the count of all launches that showed it and the
 * words of the first; and their text, as compilers write it:
 *
 *     file:line:col: severity: message [rule]
 *     source line
 *     ^ */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/pattern.h"
#include "check/finding.h"
#include "report/rows.h"

enum { MAX_SOURCE = 400, NAMED_CALLERS = 3 };

static const char *keep(Report *r, const char *s)
{
    return s ? arena_strdup(r->arena, s) : NULL;
}

static const WwPlace *keep_places(Report *r, const WwPlace *p, size_t n)
{
    WwPlace *q = n ? ARENA_ARRAY(r->arena, WwPlace, n) : NULL;
    for (size_t i = 0; i < n; i++)
        q[i] = (WwPlace){keep(r, p[i].file), p[i].line, p[i].col};
    return q;
}

static const WwFrame *keep_frames(Report *r, const WwFrame *p, size_t n)
{
    WwFrame *q = n ? ARENA_ARRAY(r->arena, WwFrame, n) : NULL;
    for (size_t i = 0; i < n; i++)
        q[i] = (WwFrame){keep(r, p[i].function), keep(r, p[i].file), p[i].line};
    return q;
}

static const WwPicture *keep_picture(Report *r, const WwPicture *p)
{
    WwPicture *c = p ? ARENA_NEW(r->arena, WwPicture) : NULL;
    if (p) {
        *c       = *p;
        c->space = keep(r, p->space);
        c->op    = keep(r, p->op);
    }
    return c;
}

/* Costs are told from the first schedule, leaks from the end of the program. */
static bool is_of_schedule(const WwFinding *f)
{
    return f->file && strcmp(f->category, "perf") != 0;
}

static ReportFinding copy_of(Report *r, const WwFinding *f, const char *kernel, int64_t launch)
{
    ReportFinding c = {
        .f = *f, .launch = launch, .schedule = r->schedule, .who = json_incref(r->who), .processes = r->processes};
    c.f.kernel   = keep(r, f->kernel ? kernel : NULL);
    c.f.rule     = keep(r, f->rule);
    c.f.category = keep(r, f->category);
    c.f.severity = keep(r, f->severity);
    c.f.file     = keep(r, f->file);
    c.f.message  = keep(r, f->message);
    c.f.snippet  = keep(r, f->snippet);
    c.f.inlined  = keep_places(r, f->inlined, f->ninlined);
    c.f.host     = keep_frames(r, f->host, f->nhost);
    c.f.picture  = keep_picture(r, f->picture);
    if (!c.f.seed && is_of_schedule(f))
        c.f.seed = r->seed;
    if (f->other) {
        WwFindingEnd *e = ARENA_NEW(r->arena, WwFindingEnd);
        *e              = *f->other;
        bool same       = kernel && f->kernel && f->other->kernel && strcmp(f->kernel, f->other->kernel) == 0;
        e->kernel       = keep(r, same ? kernel : f->other->kernel);
        e->file         = keep(r, f->other->file);
        e->message      = keep(r, f->other->message);
        e->inlined      = keep_places(r, f->other->inlined, f->other->ninlined);
        c.f.other       = e;
    }
    if (f->mend) {
        WwMend *m = ARENA_NEW(r->arena, WwMend);
        *m        = *f->mend;
        m->text   = keep(r, f->mend->text);
        m->unit   = keep(r, f->mend->unit);
        m->from   = keep_picture(r, f->mend->from);
        m->to     = keep_picture(r, f->mend->to);
        c.f.mend  = m;
    }
    return c;
}

/* What has no place in a source is a program's own. */
static bool same_program(const json_t *a, const json_t *b)
{
    const json_t *x = json_object_get(a, "program"), *y = json_object_get(b, "program");
    return x == y || json_equal(x, y);
}

static bool only_file(const char *globs, const char *file)
{
    char glob[MAX_SOURCE];
    for (const char *p = globs; *p; p += *p == ',') {
        size_t n = strcspn(p, ",");
        snprintf(glob, sizeof glob, "%.*s", (int)n, p);
        if (file && pattern_glob_path(glob, file))
            return true;
        p += n;
    }
    return false;
}

/* In one of the files that were named, or inlined there, and of one of the kernels. */
static bool in_scope(const Report *r, const WwFinding *f)
{
    bool here = !r->only || !f->file || only_file(r->only, f->file);
    for (size_t i = 0; i < f->ninlined && !here; i++)
        here = only_file(r->only, f->inlined[i].file);
    if (!here || !r->has_kernels || !f->kernel || regexec(&r->kernels, f->kernel, 0, NULL, 0) == 0)
        return here;
    return f->other && f->other->kernel && regexec(&r->kernels, f->other->kernel, 0, NULL, 0) == 0;
}

void report_add_finding(Report *r, const WwFinding *f, const char *kernel, int64_t launch)
{
    if (r->divert) {
        parcel_put_number(r->divert, REPORT_FINDING);
        report_put_finding(r->divert, f, kernel, launch);
        return;
    }
    WwFinding named = *f;
    RuleId    rule  = rule_find(f->rule);
    named.kernel    = f->kernel ? kernel : NULL;
    if ((rule != RULE_COUNT && !r->rules.on[rule]) || !in_scope(r, &named) ||
        suppressions_match(&r->suppress, &named) || (r->schedule > 1 && !is_of_schedule(f)))
        return;
    for (size_t i = 0; i < r->nfindings; i++) {
        ReportFinding *known = &r->finding[i];
        if (finding_compare(&known->f, &named) == 0 && (f->file || same_program(known->who, r->who))) {
            if (known->schedule == r->schedule)
                known->f.count += f->count;
            if (known->who != r->who && !json_equal(known->who, r->who))
                known->processes += r->processes;
            return;
        }
    }
    if (r->nfindings == r->findings_cap) {
        r->findings_cap = r->findings_cap ? r->findings_cap * 2 : 16;
        r->finding      = xrealloc(r->finding, r->findings_cap * sizeof *r->finding);
    }
    r->finding[r->nfindings++] = copy_of(r, f, kernel, launch);
}

static int in_order(const void *a, const void *b)
{
    const ReportFinding *x = a, *y = b;
    return finding_compare(&x->f, &y->f);
}

void report_sort(Report *r)
{
    if (r->nfindings)
        qsort(r->finding, r->nfindings, sizeof *r->finding, in_order);
}

void report_divert(Report *r, Parcel *to)
{
    r->divert = to;
}

void report_schedule(Report *r, uint64_t seed)
{
    r->schedule++;
    r->seed = seed;
}

void report_only_later(Report *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->nfindings; i++)
        if (r->finding[i].schedule > 1)
            r->finding[kept++] = r->finding[i];
        else
            json_decref(r->finding[i].who);
    r->nfindings = kept;
}

ReportSums report_sums(const Report *r)
{
    ReportSums n = {0};
    for (size_t i = 0; i < r->nfindings; i++) {
        n.errors += !strcmp(r->finding[i].f.severity, "error");
        n.warnings += !strcmp(r->finding[i].f.severity, "warning");
    }
    n.notes = r->nfindings - n.errors - n.warnings;
    for (size_t i = 0; i < r->nrows; i++) {
        n.failed += r->row[i].failed + r->row[i].unsupported;
    }
    n.launches = r->looked;
    return n;
}

size_t report_finding_count(const Report *r)
{
    return r->nfindings;
}

/* ---- text ---- */

typedef struct Colours {
    const char *place, *error, *warning, *note, *caret, *off;
} Colours;

static const Colours plain  = {"", "", "", "", "", ""};
static const Colours bright = {"\033[1m", "\033[1;31m", "\033[1;35m", "\033[1;36m", "\033[1;32m", "\033[0m"};

/* Line `line` of a file into s (zero-terminated, cut); false when it cannot be had. */
static bool source_line(const char *file, uint32_t line, char *s, size_t cap)
{
    FILE *f  = file && line ? file_read(file) : NULL;
    bool  ok = false;
    for (uint32_t n = 1; f && fgets(s, (int)cap, f);) {
        bool whole = strchr(s, '\n') != NULL;
        if (n == line) {
            s[strcspn(s, "\r\n")] = 0;
            ok                    = true;
            break;
        }
        n += whole;
    }
    if (f)
        fclose(f);
    return ok;
}

/* otherwise: what the line is where the file cannot be had; may be NULL. */
static void source(const char *file, uint32_t line, uint32_t col, const char *otherwise, const Colours *c, Str *out)
{
    char s[MAX_SOURCE];
    bool known = source_line(file, line, s, sizeof s);
    if (!known && otherwise)
        snprintf(s, sizeof s, "%s", otherwise);
    if (!known && !otherwise)
        return;
    if (col == 0 || col > strlen(s)) /* none given: where the text begins */
        col = 1 + (uint32_t)strspn(s, " \t");
    for (char *p = s; *p; p++)
        if ((unsigned char)*p < 32 && *p != '\t')
            *p = '?';
    str_printf(out, "%s\n", s);
    for (uint32_t i = 0; i + 1 < col && s[i]; i++)
        str_addc(out, s[i] == '\t' ? '\t' : ' ');
    str_printf(out, "%s^%s\n", c->caret, c->off);
}

static void place(const char *file, uint32_t line, uint32_t col, const Colours *c, Str *out)
{
    if (file)
        str_printf(out, "%s%s:%u:%u:%s ", c->place, file, line, col, c->off);
    else
        str_printf(out, "%swarpwright:%s ", c->place, c->off);
}

/* The calls that brought an inlined line into the kernel. */
static void callers(const WwPlace *p, size_t n, const Colours *c, Str *out)
{
    for (size_t i = 0; i < n; i++) {
        place(p[i].file, p[i].line, p[i].col, c, out);
        str_printf(out, "%snote:%s inlined here\n", c->note, c->off);
        source(p[i].file, p[i].line, p[i].col, NULL, c, out);
    }
}

/* Who called the line that the finding stands at, as far as lines are known; behind the first that is not, names tell nothing. */
static void host_text(const WwFinding *f, const Colours *c, Str *out)
{
    bool here = false;
    for (size_t i = 0; i < f->nhost; i++) {
        const WwFrame *h = &f->host[i];
        if (here && h->file) {
            place(h->file, h->line, 0, c, out);
            str_printf(out, "%snote:%s called here, in %s\n", c->note, c->off,
                       h->function ? h->function : "a function");
        }
        here |= h->file && f->file && h->line == f->line && !strcmp(h->file, f->file);
    }
    if (here || !f->nhost || !f->host[0].function)
        return;
    str_printf(out, "  called by %s", f->host[0].function);
    for (size_t i = 1; i < f->nhost && i < NAMED_CALLERS && f->host[i].function; i++)
        str_printf(out, ", from %s", f->host[i].function);
    str_add(out, "; a program compiled with -g shows the line\n");
}

/* Only kernels have threads. */
static void other_text(const WwFindingEnd *e, const Colours *c, Str *out)
{
    str_printf(out, "%snote:%s ", c->note, c->off);
    if (e->kernel)
        str_printf(out, "block (%u, %u, %u), thread (%u, %u, %u): ", e->block.x, e->block.y, e->block.z, e->thread.x,
                   e->thread.y, e->thread.z);
    str_printf(out, "%s\n", e->message ? e->message : "the other end");
}

static void finding_text(const ReportFinding *r, const Colours *c, Str *out)
{
    const WwFinding *f      = &r->f;
    const char      *colour = !strcmp(f->severity, "error")     ? c->error
                              : !strcmp(f->severity, "warning") ? c->warning
                                                                : c->note;
    place(f->file, f->line, f->col, c, out);
    str_printf(out, "%s%s:%s ", colour, f->severity, c->off);
    bool perf = !strcmp(f->category, "perf");                /* what was counted stands in the message */
    if (f->kernel && (perf || !strcmp(f->category, "host"))) /* of no thread in particular */
        str_printf(out, "kernel %s: ", f->kernel);
    else if (f->kernel)
        str_printf(out, "kernel %s, block (%u, %u, %u), thread (%u, %u, %u): ", f->kernel, f->block.x, f->block.y,
                   f->block.z, f->thread.x, f->thread.y, f->thread.z);
    str_add(out, f->message);
    if (f->count > 1 && !perf && strcmp(f->rule, rule_row(RULE_LEAK)->id) != 0) /* whose message has it */
        str_printf(out, "; %" PRIu64 " times", f->count);
    str_printf(out, " [%s]\n", f->rule);
    source(f->file, f->line, f->col, f->snippet, c, out);
    callers(f->inlined, f->ninlined, c, out);
    host_text(f, c, out);
    if (f->other && f->other->file) {
        place(f->other->file, f->other->line, f->other->col, c, out);
        other_text(f->other, c, out);
        source(f->other->file, f->other->line, f->other->col, NULL, c, out);
        callers(f->other->inlined, f->other->ninlined, c, out);
    } else if (f->other && f->other->message) {
        str_printf(out, "  %s\n", f->other->message);
    }
    if (f->mend) {
        str_printf(out, "  mend: %s: %" PRIu64 " -> %" PRIu64 " %s", f->mend->text, f->mend->before, f->mend->after,
                   f->mend->unit);
        if (f->mend->shared_bytes)
            str_printf(out, ", %+" PRId64 " bytes of shared memory", f->mend->shared_bytes);
        if (f->mend->gain > 0)
            str_printf(out, "; predicted %.3g times as fast", f->mend->gain);
        str_addc(out, '\n');
    }
    if (f->seed)
        str_printf(out, "  shown by --seed %" PRIu64 "\n", f->seed);
}

/* Do the findings come from several command lines? */
static bool several_programs(const Report *r)
{
    for (size_t i = 1; i < r->nfindings; i++) {
        const json_t *a = r->finding[0].who, *b = r->finding[i].who;
        if (!same_program(a, b) || !json_equal(json_object_get(a, "arguments"), json_object_get(b, "arguments")))
            return true;
    }
    return false;
}

static void who_text(const ReportFinding *f, Str *out)
{
    const char *program = json_string_value(json_object_get(f->who, "program"));
    json_t     *v;
    size_t      i;
    if (!program)
        return;
    str_printf(out, "  in %s", program);
    json_array_foreach(json_object_get(f->who, "arguments"), i, v) str_printf(out, " %s", json_string_value(v));
    if (f->processes > 1)
        str_printf(out, ", the first of %lld processes", (long long)f->processes);
    str_addc(out, '\n');
}

/* How to get source lines, where a finding has none and its PTX is in no file. */
static void lines_hint(const Report *r, Str *out)
{
    for (size_t i = 0; i < r->nfindings; i++) {
        const WwFinding *f = &r->finding[i].f;
        if (f->snippet && f->file && access(f->file, R_OK) != 0) {
            str_printf(out,
                       "kernel %s has no source lines: compile it with nvcc -lineinfo (clang: -gline-tables-only) to "
                       "see them\n",
                       f->kernel ? f->kernel : "");
            return;
        }
    }
}

void report_warnings_text(Report *r, bool coloured, Str *out)
{
    report_sort(r);
    for (size_t i = 0; i < r->nfindings; i++)
        if (!strcmp(r->finding[i].f.severity, "warning"))
            finding_text(&r->finding[i], coloured ? &bright : &plain, out);
}

void report_findings_text(Report *r, bool coloured, Str *out)
{
    ReportSums n = report_sums(r);
    report_sort(r);
    bool   several = several_programs(r);
    size_t shown   = r->limit && r->limit < r->nfindings ? r->limit : r->nfindings;
    for (size_t i = 0; i < shown; i++) {
        finding_text(&r->finding[i], coloured ? &bright : &plain, out);
        if (several)
            who_text(&r->finding[i], out);
    }
    lines_hint(r, out);
    if (shown < r->nfindings)
        str_printf(out, "%zu more are not printed (--print-limit)\n", r->nfindings - shown);
    str_printf(out, "%zu error%s, %zu warning%s, %zu note%s", n.errors, n.errors == 1 ? "" : "s", n.warnings,
               n.warnings == 1 ? "" : "s", n.notes, n.notes == 1 ? "" : "s");
    if (r->suppress.hits)
        str_printf(out, "; %" PRIu64 " suppressed", r->suppress.hits);
    str_addc(out, '\n');
}
