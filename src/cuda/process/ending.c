/* SPDX-License-Identifier: Apache-2.0
 *
 * What a process tells when it ends: leaks, the table, the findings, the files that were asked for, and a line for `warpwright run`, which
 * outlives it (src/cli/outcome.h).  It is called once, under the state's lock. */
#include "cuda/process/ending.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cuda/process/calls.h"
#include "cuda/process/state.h"
#include "report/doc.h"
#include "report/fail.h"

enum { MOST_ARGUMENTS = 256 };

/* ---- files ---- */

static void own_program(Str *out)
{
    char    path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    str_addn(out, path, n > 0 ? (size_t)n : 0);
}

/* The files of this process alone; false after a message. */
static bool write_rendered(int code)
{
    bool any = false;
    for (int f = 0; f < DOC_FORMATS; f++)
        any |= state.options.files.file[f] != NULL;
    if (!any)
        return true;
    Str program = {0}, why = {0};
    own_program(&program);
    json_t *doc = doc_of(state.report, str_text(&program), code);
    bool    ok  = doc_render(doc, &state.options.files, &why);
    if (!ok)
        state_say("%s", str_text(&why));
    json_decref(doc);
    str_free(&program);
    str_free(&why);
    return ok;
}

/* false after a message. */
static bool write_json(int code)
{
    Str  name = {0}, program = {0};
    bool own = strstr(state.options.json, "%p") != NULL; /* else `warpwright run` knows program and exit code */
    doc_name(state.options.json, &name);
    own_program(&program);
    bool free = state.options.force || doc_may_replace(str_text(&name));
    bool ok =
        free && report_json(state.report, str_text(&name), own ? str_text(&program) : NULL, own ? code : -1) == WW_OK;
    if (!free)
        state_say("cannot write %s: the file exists and is no report; --force replaces it", str_text(&name));
    else if (!ok)
        state_say("cannot write %s: %s", str_text(&name), file_error(errno));
    str_free(&name);
    str_free(&program);
    return ok;
}

/* false after a message. */
static bool write_suppressions(void)
{
    const char *file = state.options.write_suppressions;
    if (report_write_suppressions(state.report, file) == WW_OK)
        return true;
    state_say("cannot write %s: %s", file, strerror(errno));
    return false;
}

/* Each line with the word and a tabulator before it. */
static void add_lines(Str *out, const char *word, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, "\n");
        str_printf(out, "%s\t%.*s\n", word, (int)n, text);
        text += n + (text[n] != 0);
    }
}

static void command_line(Str *out)
{
    int  fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    char part[512];
    for (ssize_t n; fd >= 0 && (n = read(fd, part, sizeof part)) > 0;)
        str_addn(out, part, (size_t)n);
    if (fd >= 0)
        close(fd);
}

/* The command line on one line, and where pytest says so the test that started it. */
static void own_label(Str *out)
{
    const char *test = getenv("PYTEST_CURRENT_TEST");
    command_line(out);
    if (out->len && !out->s[out->len - 1])
        out->len--;
    if (test)
        str_printf(out, " (%s)", test);
    for (size_t i = 0; i < out->len; i++)
        if ((unsigned char)out->s[i] < ' ')
            out->s[i] = ' ';
}

static void add_process(Str *out, int code)
{
    ReportSums n     = report_sums(state.report);
    Str        label = {0};
    if (!state.runtime_used && report_empty(state.report))
        return;
    own_label(&label);
    str_printf(out, "process\t%ld\t%d\t%zu\t%zu\t%zu\t%llu\t%llu\t%s\n", (long)getpid(), code, n.errors, n.warnings,
               n.notes, (unsigned long long)n.failed, (unsigned long long)n.launches, str_text(&label));
    str_free(&label);
}

static void add_used(void *out, unsigned row)
{
    str_printf(out, "used\t%u\n", row);
}

/* Tells `warpwright run` what its exit code must know (src/cli/outcome.h); written: every file that was asked for is. */
static void write_status(int code, bool written)
{
    Str s = {0}, met = {0};
    add_process(&s, code);
    report_used(state.report, add_used, &s);
    for (size_t i = 0; report_left(state.report, i); i++)
        str_printf(&s, "left\t%s\n", report_left(state.report, i));
    if (!written)
        str_add(&s, "file\n");
    if (report_unsupported(state.report))
        str_add(&s, "kernel\n");
    if (report_fails(state.report, state.options.fail_on, &met))
        add_lines(&s, "findings", str_text(&met));
    int fd = s.len ? open(state.options.status, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
    if (fd >= 0 && write(fd, s.s, s.len) < 0)
        state_say("%s: %s", state.options.status, strerror(errno));
    if (fd >= 0)
        close(fd);
    str_free(&s);
    str_free(&met);
}

/* Did `warpwright run` start us itself?  Then there is no other process to tell us from, and our number would only make documents differ. */
static bool is_first(void)
{
    char link[64], parent[4096];
    snprintf(link, sizeof link, "/proc/%ld/exe", (long)getppid());
    ssize_t     n    = readlink(link, parent, sizeof parent - 1);
    const char *name = n > 0 ? (parent[n] = 0, strrchr(parent, '/')) : NULL;
    return name && strcmp(name, "/warpwright") == 0;
}

/* Our own program and arguments, for the entries of documents. */
static void tell_process(Report *r)
{
    const char *argument[MOST_ARGUMENTS];
    size_t      n       = 0;
    Str         program = {0}, line = {0};
    own_program(&program);
    command_line(&line);
    for (const char *p = line.s; p && p < line.s + line.len && n < MOST_ARGUMENTS; p += strlen(p) + 1)
        argument[n++] = p;
    report_process(r, str_text(&program), argument + 1, n ? n - 1 : 0, is_first() ? 0 : (long)getpid());
    if (state.options.rank >= 0)
        report_rank(r, (unsigned)state.options.rank);
    str_free(&program);
    str_free(&line);
}

/* ---- what is left ---- */

static bool same_line(const WwFinding *a, const WwFinding *b)
{
    return a->file && b->file && a->line == b->line && !strcmp(a->file, b->file);
}

/* One finding for each line of the program that allocates; for each call where no line is known. */
static void find_unfreed(void)
{
    LeakSite  *site = NULL;
    size_t     n = state_parts.leaks(&site), lines = 0;
    WwFinding *found = xcalloc(n + 1, sizeof *found);
    for (size_t i = 0; i < n; i++) {
        WwFinding      f = {0};
        size_t         frames, k = 0;
        const WwFrame *at = caller_frames(&site[i].caller, &frames);
        caller_place(&f, at, frames);
        while (k < lines && !same_line(&found[k], &f))
            k++;
        if (k == lines) {
            found[lines]  = f;
            site[lines++] = site[i];
        } else {
            site[k].n += site[i].n;
            site[k].bytes += site[i].bytes;
            site[k].largest = site[i].largest > site[k].largest ? site[i].largest : site[k].largest;
        }
    }
    for (size_t k = 0; k < lines; k++) {
        Str text = {0};
        if (site[k].n == 1)
            str_printf(&text, "an allocation of %zu bytes was never freed", site[k].bytes);
        else
            str_printf(&text, "%zu allocations of %zu bytes in all were never freed; the largest has %zu bytes",
                       site[k].n, site[k].bytes, site[k].largest);
        found[k].count   = site[k].n;
        found[k].message = str_text(&text);
        state_add_finding("leak", found[k]);
        str_free(&text);
    }
    free(found);
    free(site);
}

static void find_leaks(void)
{
    uint64_t blocks, heap;
    if (!state.options.check || state.sticky != cudaSuccess) /* behind a failed kernel nothing can be freed */
        return;
    if (!state.collected)
        find_unfreed();
    for (int i = 0; i < state.count; i++) {
        if (!state.device[i])
            continue;
        emu_heap_used(emulator_emu(state.device[i]), &blocks, &heap);
        if (blocks)
            state_finding("leak", 0, blocks, "%llu block%s of the device-side heap, %llu bytes in all, %s never freed",
                          (unsigned long long)blocks, blocks == 1 ? "" : "s", (unsigned long long)heap,
                          blocks == 1 ? "was" : "were");
    }
}

static void add_pending(void *user, const WwFinding *f)
{
    (void)user;
    report_add_finding(state.report, f, f->kernel, -1);
}

/* To the file of --log-file, behind what other processes wrote there, or to standard error; false after a message. */
static bool put_text(const Str *s)
{
    Str         name = {0};
    const char *file = state.options.log_file;
    if (!s->len)
        return true;
    if (!file) {
        fflush(stdout);
        fputs(str_text(s), stderr);
        return true;
    }
    doc_name(file, &name);
    FILE *f  = file_append(str_text(&name));
    bool  ok = f && fwrite(s->s, 1, s->len, f) == s->len;
    ok       = f && fclose(f) == 0 && ok;
    if (!ok)
        state_say("cannot write %s: %s", str_text(&name), file_error(errno));
    str_free(&name);
    return ok;
}

/* The table and the findings. */
static bool tell_texts(void)
{
    Str s = {0};
    if (state.options.rank >= 0)
        return true; /* the ranks' report is one, told by `run` */
    if (state.options.report && !report_empty(state.report)) {
        str_printf(&s, "\nwarpwright: what the kernels did (profile %s)\n", state_profile()->name);
        report_text(state.report, &s);
    }
    if (state.options.check && (state.options.report || report_finding_count(state.report))) {
        str_add(&s, "\nwarpwright: findings\n");
        report_findings_text(state.report, state.options.coloured, &s);
    } else if (state.options.report && report_sums(state.report).warnings) {
        str_add(&s, "\nwarpwright: warnings\n");
        report_warnings_text(state.report, state.options.coloured, &s);
    }
    bool ok = put_text(&s);
    str_free(&s);
    return ok;
}

void ending_write(int code)
{
    if (state_parts.work_left())
        report_note(state.report, "work was left: the program ended without waiting for its streams");
    for (int i = 0; i < state.count; i++)
        if (state.device[i])
            emulator_pending(state.device[i], add_pending, NULL);
    calls_finish();
    find_leaks();
    if (state.printed.len)
        report_note(state.report,
                    "device printf was lost: the program ended without synchronising after the kernel that printed");
    progress_clear(&state.progress);
    bool told = tell_texts();
    tell_process(state.report);
    bool written = told;
    written &= !state.options.write_suppressions || write_suppressions();
    if (state.options.json)
        written &= write_json(code);
    written &= write_rendered(code);
    if (state.options.status)
        write_status(code, written);
}
