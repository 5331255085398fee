/* SPDX-License-Identifier: Apache-2.0
 *
 * warpwright lab: runs experiments and shows their table.  What an experiment does is src/lab's business; here are
 * only the options, the progress bar (on a terminal), the log lines, and the exit code: 120 when a row is not verified.
 * The seed of the inputs is new in each run unless --seed is given; the table shows it, so that a run can be
 * repeated. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/nearest.h"
#include "cli/cli.h"
#include "cli/picture.h"
#include "cli/spread.h"
#include "cli/together.h"
#include "kernels/kernels.h"
#include "lab/lab.h"
#include "report/doc.h"

enum { BAR = 24 };

/* Drawn again when a percent more of the kernel's blocks has ended. */
static void show_progress(void *user, size_t done, size_t total, const char *kernel, double part)
{
    int *shown = user, percent = (int)(100 * part);
    if (part > 0 && percent <= *shown)
        return;
    *shown      = percent;
    size_t full = total ? (size_t)(((double)done + part) * BAR / (double)total) : BAR;
    fputs("\r\033[K", stderr);
    if (done < total) {
        fputc('[', stderr);
        for (size_t i = 0; i < BAR; i++)
            fputc(i < full ? '#' : '.', stderr);
        fprintf(stderr, "] %zu/%zu %s", done + 1, total, kernel);
        if (percent > 0)
            fprintf(stderr, " %d %%", percent);
    }
    fflush(stderr);
}

static void show_log(void *user, const char *line)
{
    (void)user;
    puts(line);
}

static uint64_t fresh_seed(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return ((uint64_t)t.tv_sec * 1000003u ^ (uint64_t)t.tv_nsec ^ (uint64_t)getpid() << 20) & 0xffffffffu;
}

/* ---- --list ------------------------------------------------------------------------------------------------------ */

static void list_kernels(const char *family, const char *compiler)
{
    for (size_t i = 0; i < kernel_count(); i++) {
        const KernelEntry *e = kernel_entry(i);
        if (strncmp(e->file, family, strlen(family)) != 0)
            continue;
        const KernelText *t = kernel_text(e, compiler);
        printf("  %-24s %s\n", e->name, e->what);
        if (t && t->data)
            printf("  %-24s %s, built by %s\n", "", e->file, t->compiler);
        else
            printf("  %-24s %s, NOT BUILT: %s\n", "", e->file, t ? t->reason : "not by this compiler");
    }
}

static void list(const Experiment *const *e, size_t n, const char *compiler)
{
    for (size_t i = 0; i < n; i++) {
        printf("%s%s: %s\n", i ? "\n" : "", lab_experiment_name(e[i]), lab_experiment_question(e[i]));
        for (size_t f = 0; lab_experiment_family(e[i], f); f++)
            list_kernels(lab_experiment_family(e[i], f), compiler);
    }
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

/* The experiments named, or all; false after a message. */
static bool choose(const CliArgs *a, const Experiment **e, size_t *n)
{
    const char *names[16] = {NULL};
    for (size_t i = 0; i < lab_experiment_count() && i < 15; i++)
        names[i] = lab_experiment_name(lab_experiment(i));
    *n = a->noperands ? 0 : lab_experiment_count();
    for (size_t i = 0; i < *n; i++)
        e[i] = lab_experiment(i);
    for (size_t i = 0; i < a->noperands; i++) {
        const char *given = a->operand[i];
        e[*n]             = lab_experiment_find(given);
        if (!e[(*n)++]) {
            const char *near = nearest_word(given, names);
            if (near)
                cli_error("lab", "unknown experiment '%s'; did you mean '%s'?", given, near);
            else
                cli_error("lab", "unknown experiment '%s'; lab --list names those there are", given);
            return false;
        }
    }
    return true;
}

static bool reads(const Experiment *e, const char *option)
{
    size_t len = strlen(option);
    for (const char *at = lab_experiment_reads(e); *at; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == len && strncmp(at, option, len) == 0)
            return true;
    return false;
}

/* An option that no chosen experiment reads is said: it may be a mistake. */
static void warn_of_unread(const CliArgs *a, const Experiment *const *e, size_t n)
{
    static const char *const names[] = {"m", "n", "k", "tile", "offset", "stride", "blocks", "regression", "log"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        bool read = !cli_has(a, names[i]);
        for (size_t j = 0; j < n && !read; j++)
            read = reads(e[j], names[i]);
        if (!read)
            fprintf(stderr, "warpwright lab: warning: --%s changes nothing in %s, which reads: %s\n", names[i],
                    lab_experiment_name(e[0]), lab_experiment_reads(e[0]));
    }
}

static void read_options(const CliArgs *a, LabOptions *o)
{
    *o            = lab_defaults();
    o->device     = cli_text(a, "device", "auto");
    o->profile    = cli_text(a, "profile", NULL);
    o->compiler   = cli_text(a, "compiler", NULL);
    o->threads    = (unsigned)cli_number(a, "threads", 0);
    o->engine     = cli_engine(a);
    o->seed       = cli_has(a, "seed") ? cli_number(a, "seed", 0) : fresh_seed();
    o->m          = (int64_t)cli_number(a, "m", 0);
    o->n          = (int64_t)cli_number(a, "n", 0);
    o->k          = (int64_t)cli_number(a, "k", 0);
    o->tile       = (int64_t)cli_number(a, "tile", 0);
    o->stride     = (int64_t)cli_number(a, "stride", 0);
    o->blocks     = (int64_t)cli_number(a, "blocks", 0);
    o->offset     = cli_has(a, "offset") ? (int64_t)cli_number(a, "offset", 0) : -1;
    o->regression = cli_text(a, "regression", NULL);
    o->log        = cli_has(a, "log");
    o->on_log     = show_log;
    o->pictures   = cli_has(a, "html");
    if (!cli_has(a, "quiet") && isatty(STDERR_FILENO))
        o->on_progress = show_progress;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

static int write_json(const Lab *lab, const char *path)
{
    json_t *doc = lab_json(lab);
    FILE   *f   = file_create(path);
    bool    ok  = f && json_dumpf(doc, f, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) == 0;
    ok          = f && fclose(f) == 0 && ok;
    json_decref(doc);
    return ok ? CLI_OK : cli_error("lab", "cannot write %s: %s", path, file_error(errno));
}

/* The row's dearest accesses, each with what the profile makes of it. */
static json_t *pictures(const LabRow *row, const Profile *profile)
{
    json_t *list = json_array();
    for (size_t i = 0; i < row->npictures; i++) {
        const WwPicture *p = &row->picture[i];
        uint64_t         addr[32];
        ModelAccess      a = {.bytes = p->bytes, .mask = p->mask, .addr = addr};
        for (int k = 0; k < 32; k++)
            addr[k] = (uint64_t)p->offset[k];
        if (access_words(p->space, p->op, &a))
            access_page_add(list, "", 0, profile, &a);
    }
    return list;
}

/* What the page says beside the rows: each experiment's question, each kernel's idea and dearest accesses, and the article's figure. */
static void teach(const Lab *lab, const Profile *profile, json_t *doc)
{
    static const struct {
        const char *kernel, *figure, *unit;
    } articles[] = {
#define ARTICLE(kernel, figure, unit, ...) {kernel, figure, unit},
#include "lab/articles.def"
#undef ARTICLE
    };
    size_t  i;
    json_t *row, *questions = json_object();
    for (size_t e = 0; e < lab_experiment_count(); e++)
        json_object_set_new(questions, lab_experiment_name(lab_experiment(e)),
                            json_string(lab_experiment_question(lab_experiment(e))));
    json_object_set_new(doc, "questions", questions);
    json_array_foreach(json_object_get(doc, "rows"), i, row)
    {
        const char *entry = json_string_value(json_object_get(row, "entry")),
                   *name  = json_string_value(json_object_get(row, "kernel"));
        json_object_set_new(row, "pictures", pictures(lab_row(lab, i), profile));
        for (size_t k = 0; entry && k < kernel_count(); k++)
            if (!strcmp(kernel_entry(k)->name, entry))
                json_object_set_new(row, "what", json_string(kernel_entry(k)->what));
        for (size_t k = 0; name && k < sizeof articles / sizeof *articles; k++)
            if (!strcmp(articles[k].kernel, name))
                json_object_set_new(row, "article", json_pack("[s,s]", articles[k].figure, articles[k].unit));
    }
}

static int write_html(const Lab *lab, const Profile *profile, const char *path)
{
    json_t *doc = lab_json(lab);
    Str     out = {0}, why = {0};
    teach(lab, profile, doc);
    doc_page(doc, &out);
    int code = doc_write(path, &out, &why) ? CLI_OK : cli_error("lab", "%s", str_text(&why));
    json_decref(doc);
    str_free(&out);
    str_free(&why);
    return code;
}

/* Where this process is one of several: all have the same inputs, and only rank 0 has something to tell. */
static bool be_spread(Spread *k, const CliArgs *a, LabOptions *o)
{
    static const SpreadAsk ask = {"lab", NULL, {{"regression", "is a file of one process"}}};
    if (!spread_begin(k, a, &ask) || !spread_number(k, &o->seed))
        return false;
    if (!k->ranks)
        return true;
    if (strcmp(o->device, "cuda") == 0) {
        cli_error("lab", "a GPU is one process's; with --ranks=off each of the %u ranks runs alone", k->who.ranks);
        return false;
    }
    o->device  = "emulator";
    o->share   = &k->share;
    o->threads = o->threads ? o->threads : together_threads(&k->who);
    if (spread_other(k))
        o->on_progress = NULL;
    return true;
}

static int run(const CliArgs *a, const LabOptions *o, const Experiment *const *e, size_t n)
{
    Lab *lab;
    Str  message = {0}, table = {0};
    if (!o->share || !o->share->rank)
        warn_of_unread(a, e, n);
    if (!cli_can_report(a))
        return CLI_USAGE;
    Status s = lab_open(o, &lab, &message);
    if (s != WW_OK) {
        int code = s == WW_ERR_INVALID ? cli_error("lab", "%s", str_text(&message)) : CLI_KERNEL;
        if (code == CLI_KERNEL)
            fprintf(stderr, "warpwright lab: error: %s\n", str_text(&message));
        str_free(&message);
        return code;
    }
    s = lab_run(lab, e, n);
    if (s != WW_OK && o->on_progress)
        show_progress(o->user, 0, 0, "", 0);
    bool other = o->share && o->share->rank;
    if (!other)
        lab_table(lab, !cli_has(a, "quiet"), &table);
    if (lab_row_count(lab) > 0 && !other)
        fputs(str_text(&table), cli_table(a));
    int code = s == WW_OK ? CLI_OK : cli_error("lab", "%s", lab_error(lab));
    if (code == CLI_OK && !other && cli_has(a, "json"))
        code = write_json(lab, cli_text(a, "json", NULL));
    if (code == CLI_OK && !other && cli_has(a, "html"))
        code = write_html(lab, cli_profile(a), cli_text(a, "html", NULL));
    if (code == CLI_OK && !other && !lab_all_verified(lab))
        code = CLI_KERNEL;
    str_free(&table);
    str_free(&message);
    lab_close(lab);
    return code;
}

int cmd_lab(int argc, char **argv)
{
    CliArgs    a;
    LabOptions o;
    int        percent = 0; /* that the bar shows of the case */
    int        code;
    size_t     n = 0;
    if (!cli_parse(&a, argc, argv, &code))
        return code;
    const Experiment **e = xcalloc(a.noperands + lab_experiment_count(), sizeof *e);
    code                 = CLI_USAGE;
    if (choose(&a, e, &n)) {
        read_options(&a, &o);
        o.user        = &percent;
        Spread spread = {0};
        if (cli_has(&a, "list")) {
            warn_of_unread(&a, e, n);
            list(e, n, o.compiler);
            code = CLI_OK;
        } else {
            code = be_spread(&spread, &a, &o) ? run(&a, &o, e, n) : CLI_USAGE;
            code = spread_end(&spread, code);
        }
    }
    free(e);
    cli_free(&a);
    return code;
}
