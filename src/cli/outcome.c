/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of a run, told by the process that outlives the others.  A harness (ctest, pytest) keeps what its tests say to itself, so the sums
 * and the lines of those that found something are told again here, sorted by program and arguments, those of one command line as one. */
#include "cli/outcome.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cli/cli.h"

enum { NUMBERS = 7 };

typedef struct OutcomeProcess {
    union {
        struct {
            int64_t pid, code, errors, warnings, notes, failed, watched;
        };
        int64_t number[NUMBERS];
    };
    char  *label;
    size_t times;
} OutcomeProcess;

/* ---- reading ---- */

static void add_once(char ***list, size_t *n, const char *text)
{
    for (size_t i = 0; i < *n; i++)
        if (!strcmp((*list)[i], text))
            return;
    *list           = xrealloc(*list, (*n + 1) * sizeof **list);
    (*list)[(*n)++] = strdup(text);
}

static void add_process(Outcome *o, char *row)
{
    OutcomeProcess p = {.times = 1};
    for (int i = 0; i < NUMBERS; i++) {
        char *end;
        p.number[i] = strtoll(row, &end, 10);
        if (*end != '\t')
            return;
        row = end + 1;
    }
    p.label                     = strdup(row);
    o->process                  = xrealloc(o->process, (o->nprocesses + 1) * sizeof *o->process);
    o->process[o->nprocesses++] = p;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int by_label(const void *a, const void *b)
{
    const OutcomeProcess *x = a, *y = b;
    int                   c = strcmp(x->label, y->label);
    return c ? c : (x->pid > y->pid) - (x->pid < y->pid);
}

Outcome outcome_read(const char *status)
{
    static const char findings[] = "findings\t", process[] = "process\t", used[] = "used\t", left[] = "left\t";
    Outcome           o    = {0};
    char             *line = NULL;
    size_t            room = 0;
    FILE             *f    = fopen(status, "r");
    while (f && getline(&line, &room, f) > 0) {
        line[strcspn(line, "\n")] = 0;
        o.file |= !strcmp(line, "file");
        o.kernel |= !strcmp(line, "kernel");
        o.unfinished |= !strcmp(line, "unfinished");
        if (!strncmp(line, findings, sizeof findings - 1)) {
            o.findings = true;
            add_once(&o.met, &o.nmet, line + sizeof findings - 1);
        }
        if (!strncmp(line, left, sizeof left - 1))
            add_once(&o.left, &o.nleft, line + sizeof left - 1);
        if (!strncmp(line, used, sizeof used - 1)) {
            o.used            = xrealloc(o.used, (o.nused + 1) * sizeof *o.used);
            o.used[o.nused++] = (unsigned)strtoul(line + sizeof used - 1, NULL, 10);
        }
        if (!strncmp(line, process, sizeof process - 1))
            add_process(&o, line + sizeof process - 1);
    }
    if (f)
        fclose(f);
    free(line);
    if (o.nmet)
        qsort(o.met, o.nmet, sizeof *o.met, by_text);
    if (o.nleft)
        qsort(o.left, o.nleft, sizeof *o.left, by_text);
    if (o.nprocesses)
        qsort(o.process, o.nprocesses, sizeof *o.process, by_label);
    return o;
}

void outcome_free(Outcome *o)
{
    for (size_t i = 0; i < o->nmet; i++)
        free(o->met[i]);
    for (size_t i = 0; i < o->nprocesses; i++)
        free(o->process[i].label);
    for (size_t i = 0; i < o->nleft; i++)
        free(o->left[i]);
    free(o->met);
    free(o->left);
    free(o->used);
    free(o->process);
    *o = (Outcome){0};
}

int outcome_code(const Outcome *o, int code)
{
    return o->file || code == CLI_USAGE ? CLI_USAGE : o->kernel ? CLI_KERNEL : o->findings ? CLI_FINDINGS : code;
}

/* ---- telling ---- */

static void number(Str *out, int64_t n, const char *what)
{
    str_printf(out, "%s%" PRId64 " %s%s", out->len ? ", " : "", n, what, n == 1 ? "" : "s");
}

static bool is_worth(const OutcomeProcess *p)
{
    return p->errors || p->warnings || p->notes || p->failed || p->code;
}

static void row(const OutcomeProcess *p, Str *out)
{
    Str s = {0};
    if (p->errors)
        number(&s, p->errors, "error");
    if (p->warnings)
        number(&s, p->warnings, "warning");
    if (p->notes)
        number(&s, p->notes, "note");
    if (p->failed)
        str_printf(&s, "%s%" PRId64 " failed launch%s", s.len ? ", " : "", p->failed, p->failed == 1 ? "" : "es");
    if (p->code)
        str_printf(&s, "%sexit code %" PRId64, s.len ? ", " : "", p->code);
    str_printf(out, "  %s: %s", p->label, str_text(&s));
    if (p->times > 1)
        str_printf(out, " (%zu processes)", p->times);
    str_addc(out, '\n');
    str_free(&s);
}

static void add_up(OutcomeProcess *to, const OutcomeProcess *p)
{
    to->errors += p->errors;
    to->warnings += p->warnings;
    to->notes += p->notes;
    to->failed += p->failed;
    to->code = to->code ? to->code : p->code;
    to->times += p->times;
}

static void tell_processes(const Outcome *o, bool quiet, FILE *to)
{
    Str            out = {0}, sums = {0};
    OutcomeProcess all = {0};
    size_t         bad = 0;
    for (size_t i = 0; i < o->nprocesses;) {
        OutcomeProcess p = o->process[i];
        while (++i < o->nprocesses && !strcmp(o->process[i].label, p.label))
            add_up(&p, &o->process[i]);
        add_up(&all, &p);
        if (is_worth(&p))
            row(&p, &out);
    }
    for (size_t i = 0; i < o->nprocesses; i++)
        bad += o->process[i].code != 0;
    number(&sums, all.errors, "error");
    number(&sums, all.warnings, "warning");
    number(&sums, all.notes, "note");
    if (!quiet || out.len)
        fprintf(to, "\nwarpwright: %zu process%s used CUDA: %s; %zu failed\n%s", o->nprocesses,
                o->nprocesses == 1 ? "" : "es", str_text(&sums), bad, str_text(&out));
    str_free(&out);
    str_free(&sums);
}

void outcome_tell_processes(const Outcome *o, pid_t child, bool quiet, FILE *to)
{
    if (!o->nprocesses && !quiet)
        fputs("warpwright: no process used CUDA: nothing was run on the emulator\n", to);
    if (o->nprocesses > 1 || (o->nprocesses == 1 && o->process[0].pid != child))
        tell_processes(o, quiet, to);
}

uint64_t outcome_watched(const Outcome *o)
{
    uint64_t n = 0;
    for (size_t i = 0; i < o->nprocesses; i++)
        n += (uint64_t)o->process[i].watched;
    return n;
}

void outcome_tell_met(const Outcome *o, FILE *to)
{
    for (size_t i = 0; i < o->nmet; i++)
        fprintf(to, "warpwright: %s\n", o->met[i]);
}
