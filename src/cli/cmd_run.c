/* SPDX-License-Identifier: Apache-2.0
 *
 * warpwright run: starts a CUDA program on the emulator.  The program is not changed: the drop-in libraries come first
 * on the library path, a preloaded library redirects a runtime that was linked statically, and options travel in the
 * environment, so child processes are followed too.  Each process writes its own report when it ends; here are the
 * compilation of a .cu file, the signals, the JSON document's frame and the exit code: the program's own, unless a
 * kernel could not be run (120) or --fail-on was met (121).
 *
 * --schedules runs the program again and again, each time with the next seed, and reads what was found from each run's JSON.  The later runs
 * get the same standard input where it is a file, and their output goes nowhere.
 *
 * --ranks makes one report of the runs of several ranks (together.h): the first one writes it, the others only run their programs. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/pattern.h"
#include "base/temporary.h"
#include "check/rules.h"
#include "cli/cli.h"
#include "cli/compiler.h"
#include "cli/keeper.h"
#include "cli/outcome.h"
#include "cli/run_own.h"
#include "report/doc.h"
#include "report/fail.h"

static volatile sig_atomic_t child_pid;
static volatile int          interrupted_by; /* a signal, while no program runs that it could be handed to */

/* ---- options ----------------------------------------------------------------------------------------------------- */

/* Does this option (as typed) take the next argument as its value? */
static bool takes_value(const char *arg)
{
    size_t           n;
    const CliOption *o = cli_options(&n);
    if (arg[1] != '-' || strchr(arg, '='))
        return false;
    for (size_t i = 0; i < n; i++)
        if (strcmp(o[i].verb, "run") == 0 && strstr(o[i].name, arg + 2) == o[i].name)
            return o[i].kind != CLI_FLAG && o[i].kind != CLI_OPTIONAL;
    return false;
}

/* Everything from the program's name on is the program's: a "--" is put before it. */
static char **split(int argc, char **argv, int *count)
{
    char **out = xcalloc((size_t)argc + 2, sizeof *out);
    int    n = 0, i = 0;
    out[n++] = argv[i++];
    while (i < argc && argv[i][0] == '-' && strcmp(argv[i], "--") != 0) {
        bool value = takes_value(argv[i]);
        out[n++]   = argv[i++];
        if (value && i < argc)
            out[n++] = argv[i++];
    }
    if (i < argc && strcmp(argv[i], "--") != 0)
        out[n++] = (char *)(uintptr_t) "--";
    while (i < argc)
        out[n++] = argv[i++];
    *count = n;
    return out;
}

/* All of them: without one a program would run past the emulator, on the card or on nothing. */
static bool libraries_in(const char *folder)
{
    static const char *const names[] = {"libwarpwright-preload.so", "libwarpwright-cuda.so", "libcuda.so.1",
                                        "libcudart.so.11.0",        "libcudart.so.12",       "libcudart.so.13"};
    bool                     all     = true;
    for (size_t i = 0; all && i < sizeof names / sizeof *names; i++) {
        Str path = {0};
        str_printf(&path, "%s/%s", folder, names[i]);
        all = access(path.s, R_OK) == 0;
        str_free(&path);
    }
    return all;
}

/* false after a message. */
static bool temporary(char **path, const char *what)
{
    int fd = temporary_file(what, path);
    if (fd < 0)
        cli_error("run", "cannot make a temporary file: %s", strerror(errno));
    else
        close(fd);
    return fd >= 0;
}

/* The dynamic linker reads lists of paths, in which a space, a colon or a dollar sign means something: a folder of such a name gets another
 * one for as long as the program runs.  False after a message. */
static bool plain_libraries(Run *r)
{
    if (file_plain_name(r->libs))
        return true;
    if (!temporary(&r->link, "libraries"))
        return false;
    if (unlink(r->link) != 0 || symlink(r->libs, r->link) != 0)
        return cli_error("run", "cannot link to the libraries in '%s': %s", r->libs, strerror(errno)), false;
    snprintf(r->libs, sizeof r->libs, "%s", r->link);
    return true;
}

static bool find_libraries(Run *r)
{
    char    exe[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (n <= 0)
        return false;
    exe[n]      = 0;
    char *slash = strrchr(exe, '/');
    *slash      = 0;
    int  len    = snprintf(r->libs, sizeof r->libs, "%s/../lib/warpwright", exe);
    char real[PATH_MAX];
    if (len < 0 || (size_t)len >= sizeof r->libs || !realpath(r->libs, real))
        return false;
    strcpy(r->libs, real);
    return libraries_in(real);
}

/* ---- files --------------------------------------------------------------------------------------------------------- */

bool run_per_process(const Run *r, const char *option)
{
    return strstr(cli_text(&r->a, option, ""), "%p") != NULL;
}

/* Is the option's file written here, from the JSON of all processes? */
static bool rendered(const Run *r, const char *option)
{
    return cli_has(&r->a, option) && !run_per_process(r, option);
}

/* A pipe or a device, or standard output? */
static bool is_special(const Run *r, const char *option)
{
    struct stat s;
    const char *file = cli_text(&r->a, option, "");
    return rendered(r, option) &&
           (strcmp(file, "-") == 0 || (stat(file, &s) == 0 && !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode)));
}

/* Such cannot be read back and added to: the document goes there when it is whole. */
static bool json_at_end(const Run *r)
{
    return is_special(r, "json");
}

/* Is another rank the one that writes the report? */
static bool is_other_rank(const Run *r)
{
    return r->together.ranks && r->together.who.rank;
}

/* Before the program runs: can its reports go where they shall?  false after a message. */
static bool reports_ready(const Run *r)
{
    if (is_other_rank(r))
        return true; /* the first rank's are looked at */
    if (rendered(r, "json") && !cli_can_report(&r->a))
        return false;
    for (int f = DOC_JSON + 1; f < DOC_FORMATS; f++) {
        const char *made = doc_format_option((DocFormat)f), *file = cli_text(&r->a, made, "");
        if (is_special(r, made) && strcmp(file, "-") != 0 && !cli_can_write("run", file))
            return false;
    }
    return true;
}

/* One run at a time writes a document; the other would add its launches to it.  A socket's name without a file says so for as long as this
 * process lives.  (A lock of the file would stand in the way of the program's processes, whose locks of it are another kind only on some
 * file systems.)  false after a message. */
static bool claim_report(Run *r)
{
    struct stat        s;
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    const char        *file = cli_text(&r->a, "json", NULL);
    if (!rendered(r, "json") || is_other_rank(r) || stat(file, &s) != 0 || !S_ISREG(s.st_mode))
        return true;
    int    n = snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "warpwright-report-%jx-%jx", (uintmax_t)s.st_dev,
                        (uintmax_t)s.st_ino);
    size_t size = offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n;
    r->claim    = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (r->claim < 0 || bind(r->claim, (const struct sockaddr *)&name, (socklen_t)size) == 0 || errno != EADDRINUSE)
        return true;
    cli_error("run", "--json %s: another run writes its report there now; give each its own, with %%p for instance",
              file);
    return false;
}

const char *run_json_file(const Run *r)
{
    return r->schedule ? r->later : r->json ? r->json : cli_text(&r->a, "json", NULL);
}

uint64_t run_seed_of(const Run *r, uint64_t schedule)
{
    return cli_number(&r->a, "seed", 0) + schedule;
}

/* ---- processes --------------------------------------------------------------------------------------------------- */

static int wait_for(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return CLI_USAGE;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n > m && !strcmp(s + n - m, end);
}

/* A source of CUDA, as its name says?  An executable or a script of that name is none, as its beginning says. */
static bool is_source(const char *program)
{
    char  head[4] = {0};
    FILE *f       = ends_with(program, ".cu") ? file_read(program) : NULL;
    bool  other   = f && fread(head, 1, sizeof head, f) >= 2 && (!memcmp(head, "\177ELF", 4) || !memcmp(head, "#!", 2));
    if (f)
        fclose(f);
    return ends_with(program, ".cu") && !other;
}

static void drop(char *path)
{
    if (path)
        unlink(path);
    free(path);
}

/* This process may be killed outright: then the program must not go on alone.  `parent` may have died before the kernel knew of the wish. */
static void die_with(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(CLI_USAGE);
}

/* Compiles a .cu file into the temporary executable; false after a message. */
static bool compile(Run *r, const char *source)
{
    char *name = compiler_source("run", source);
    if (!name)
        return false;
    pid_t self = getpid(), pid = fork();
    if (pid == 0) {
        die_with(self);
        static const char toolkit[] = "/usr/local/cuda/bin/nvcc";
        const char       *args[] = {"nvcc", "-O3", "-g", "-lineinfo", "-gencode", "arch=compute_90a,code=compute_90a",
                                    "-x",   "cu",  "-o", r->built,    name,       NULL};
        compiler_environment();
        compiler_links();
        execvp(args[0], (char **)(uintptr_t)args);
        execv(toolkit, (char **)(uintptr_t)args);
        fprintf(stderr,
                "warpwright run: error: there is no nvcc on the path nor in %s; compile the program elsewhere and run "
                "the executable\n",
                toolkit);
        _exit(CLI_USAGE);
    }
    int code = pid > 0 ? wait_for(pid) : CLI_USAGE;
    compiler_done(name, source);
    if (code != 0 && code != CLI_USAGE)
        cli_error("run", "nvcc could not compile %s", source);
    return code == 0;
}

static void hand_on(int sig)
{
    if (child_pid > 0)
        kill((pid_t)child_pid, sig);
    else
        interrupted_by = sig;
}

/* The terminal interrupts the program itself; somebody who interrupts this process alone means the program. */
static void interrupted(int sig, siginfo_t *info, void *context)
{
    (void)context;
    if (info->si_code <= 0 || child_pid <= 0)
        hand_on(sig);
}

static void catch_signals(void)
{
    struct sigaction a = {.sa_sigaction = interrupted, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigaction(SIGINT, &a, NULL);
    signal(SIGTERM, hand_on);
    signal(SIGHUP, hand_on);
}

/* A later schedule says nothing; its JSON is read. */
static void be_silent(void)
{
    int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
        dup2(fd, STDOUT_FILENO);
        dup2(fd, STDERR_FILENO);
        close(fd);
    }
    lseek(STDIN_FILENO, 0, SEEK_SET);
}

static void start_program(const Run *r, const char *program)
{
    if (r->schedule)
        be_silent();
    size_t n    = r->a.noperands;
    char **argv = xcalloc(n + 1, sizeof *argv);
    for (size_t i = 0; i < n; i++)
        argv[i] = (char *)(uintptr_t)r->a.operand[i];
    run_environment(r);
    execvp(program, argv);
    fprintf(stderr, "warpwright run: error: %s: %s\n", program, strerror(errno));
    _exit(CLI_USAGE);
}

static int run_program(Run *r, const char *program)
{
    signal(SIGINT, SIG_IGN);
    pid_t self = getpid();
    r->child   = fork();
    if (r->child < 0)
        return cli_error("run", "cannot start a process: %s", strerror(errno));
    if (r->child == 0) {
        signal(SIGINT, SIG_DFL);
        die_with(self);
        start_program(r, program);
    }
    siginfo_t ended;
    child_pid = r->child;
    catch_signals();
    while (waitid(P_PID, (id_t)r->child, &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        ;
    child_pid = 0; /* before another process can have its number */
    return wait_for(r->child);
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

/* The frame of the document that every process of the run adds to; false after a message. */
static bool write_frame(const Run *r, int code)
{
    const char *file = run_json_file(r);
    if (!file || run_per_process(r, "json"))
        return true;
    Report  *none = report_new(REPORT_LAUNCHES);
    WwStatus s    = code < 0 && truncate(file, 0) != 0 && errno != ENOENT ? WW_ERR_IO : WW_OK;
    if (s == WW_OK)
        s = report_json(none, file, r->a.operand[0], code);
    report_free(none);
    if (s != WW_OK)
        cli_error("run", "cannot write %s: %s", file, strerror(errno));
    return s == WW_OK;
}

/* Whoever reads a pipe may stop: then a signal ends this process, which has no child any more to hand it to. */
static void end_on_signals(void)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
}

/* What is made from the JSON of all processes; false after a message. */
static bool render(const Run *r)
{
    Str      why = {0};
    json_t  *doc = NULL;
    bool     ok = true, any = false;
    DocFiles files = {0};
    for (int f = 0; f < DOC_FORMATS; f++) {
        const char *option = doc_format_option((DocFormat)f);
        if (is_special(r, option))
            end_on_signals();
        if (f == DOC_JSON ? r->json && cli_has(&r->a, option) : rendered(r, option)) {
            files.file[f] = cli_text(&r->a, option, NULL);
            any           = true;
        }
    }
    if (any) {
        doc = doc_load(run_json_file(r), &why);
        ok  = doc && doc_render(doc, &files, &why);
    }
    if (!ok)
        cli_error("run", "%s", str_text(&why));
    json_decref(doc);
    str_free(&why);
    return ok;
}

/* Rows of the suppression file that no process used. */
static void tell_unused(const Run *r, const Outcome *o)
{
    Str         text = {0}, why = {0};
    const char *file = cli_text(&r->a, "suppressions", NULL);
    Report     *none = report_new(0);
    if (file && report_suppress(none, file, &why) == WW_OK) {
        for (size_t i = 0; i < o->nused; i++)
            report_use(none, o->used[i]);
        report_unused(none, file, &text);
    }
    fputs(str_text(&text), r->log);
    report_free(none);
    str_free(&text);
    str_free(&why);
}

/* Were all launches left out?  With --fail-on that is wrong: nothing was looked at. */
static int tell_left(const Run *r, const Outcome *o, int code)
{
    if (!o->nleft || outcome_watched(o))
        return code;
    Str names = {0};
    for (size_t i = 0; i < o->nleft; i++)
        str_printf(&names, "%s%s", i ? ", " : "", o->left[i]);
    if (cli_has(&r->a, "kernel"))
        fprintf(r->log, "warpwright: --kernel '%s': no launch was looked at; the program launched %s\n",
                cli_text(&r->a, "kernel", ""), str_text(&names));
    else if (cli_has(&r->a, "nvtx-include") || cli_has(&r->a, "nvtx-exclude"))
        fprintf(r->log,
                "warpwright: --nvtx-include and --nvtx-exclude left no launch to look at; the program launched %s\n",
                str_text(&names));
    else
        fprintf(r->log,
                "warpwright: --launch-skip and --launch-count left no launch to look at; the program launched %s\n",
                str_text(&names));
    str_free(&names);
    return cli_fail_on(&r->a) ? CLI_USAGE : code;
}

/* What the processes left to be said; the exit code. */
static int tell(const Run *r, const Outcome *o, bool several, int code)
{
    if (!several)
        outcome_tell_processes(o, r->child, cli_has(&r->a, "quiet"), r->log);
    if (!cli_has(&r->a, "quiet"))
        tell_unused(r, o);
    outcome_tell_met(o, r->log);
    if (code == CLI_FINDINGS && o->findings)
        code = (int)cli_number(&r->a, "error-exitcode", CLI_FINDINGS);
    return tell_left(r, o, code);
}

/* ---- schedules --------------------------------------------------------------------------------------------------- */

static void add_findings(Report *r, const char *file, uint64_t seed)
{
    Str     why = {0};
    json_t *doc = access(file, R_OK) == 0 ? doc_load(file, &why) : NULL;
    report_schedule(r, seed);
    if (doc)
        doc_findings(doc, r);
    json_decref(doc);
    str_free(&why);
}

/* What only later schedules showed; false after a message. */
static bool tell_later(const Run *r, Report *all)
{
    const char *rows = cli_text(&r->a, "write-suppressions", NULL), *json = run_json_file(r);
    Str         text = {0};
    report_only_later(all);
    if (report_finding_count(all)) {
        str_printf(&text, "\nwarpwright: found by later schedules only\n");
        report_findings_text(all, cli_coloured(&r->a, r->log == stderr ? STDERR_FILENO : -1), &text);
    } else if (!cli_has(&r->a, "quiet")) {
        str_printf(&text, "\nwarpwright: %" PRIu64 " schedules were tried; the later ones found nothing more\n",
                   cli_number(&r->a, "schedules", 1));
    }
    fputs(str_text(&text), r->log);
    str_free(&text);
    bool ok = !rows || report_write_suppressions(all, rows) == WW_OK;
    if (!ok)
        cli_error("run", "cannot write %s: %s", rows, strerror(errno));
    if (ok && report_json(all, json, NULL, -1) != WW_OK) {
        ok = false;
        cli_error("run", "cannot write %s: %s", json, strerror(errno));
    }
    return ok;
}

/* The program under the seeds behind the first; the exit code of them all. */
static int run_later(Run *r, const char *program, int code)
{
    uint64_t n   = cli_number(&r->a, "schedules", 1);
    Report  *all = report_new(0);
    report_select(all, cli_rules(&r->a));
    add_findings(all, run_json_file(r), run_seed_of(r, 0));
    for (uint64_t i = 1; i < n && code < 128; i++) {
        r->schedule = i;
        unlink(r->later);
        int now = run_program(r, program);
        add_findings(all, r->later, run_seed_of(r, i));
        if (now != code && !cli_has(&r->a, "quiet"))
            fprintf(stderr, "warpwright: with --seed %" PRIu64 " the program ends with exit code %d\n",
                    run_seed_of(r, i), now);
        code = code ? code : now;
    }
    r->schedule = 0;
    if (!tell_later(r, all))
        code = CLI_USAGE;
    report_free(all);
    return code;
}

static Status check_pattern(const char *pattern, Str *why)
{
    regex_t compiled;
    Str     what = {0};
    bool    ok   = pattern_compile(pattern, &compiled, &what);
    if (ok)
        regfree(&compiled);
    else
        str_printf(why, "--kernel '%s': %s", pattern, str_text(&what));
    str_free(&what);
    return ok ? WW_OK : WW_ERR_INVALID;
}

/* Texts whose mistakes no child process could report; 0 or an exit code after a message. */
static int check_texts(const Run *r)
{
    Str         why = {0};
    RuleSet     rules;
    const char *file = cli_text(&r->a, "suppressions", NULL);
    Report     *none = report_new(0);
    Status      s    = rules_select(cli_rules(&r->a), &rules, &why);
    if (s == WW_OK && cli_has(&r->a, "fail-on"))
        s = fail_check(cli_text(&r->a, "fail-on", ""), &why);
    if (s == WW_OK && file)
        s = report_suppress(none, file, &why);
    if (s == WW_OK)
        s = check_pattern(cli_text(&r->a, "kernel", ""), &why);
    if (s == WW_OK)
        s = cli_check_ranges(&r->a, &why) ? WW_OK : WW_ERR_INVALID;
    int code = s == WW_OK ? CLI_OK : cli_error("run", "%s", str_text(&why));
    report_free(none);
    str_free(&why);
    return code;
}

/* The file of --log-file, empty; processes and, at the end, this one append to it.  With %p each process has its own, and the rest is told on the
 * terminal.  False after a message. */
static bool open_log(Run *r)
{
    const char *file = cli_text(&r->a, "log-file", NULL);
    r->log           = stderr;
    if (!file || is_other_rank(r) || run_per_process(r, "log-file"))
        return true;
    FILE *empty = file_create(file);
    r->log      = empty && fclose(empty) == 0 ? file_append(file) : NULL;
    if (!r->log)
        cli_error("run", "cannot write %s: %s", file, file_error(errno));
    return r->log != NULL;
}

/* What the processes of all ranks found, as they would have told it one by one. */
static void tell_ranks(const Run *r)
{
    Str     text = {0}, why = {0};
    json_t *doc = r->together.ranks ? doc_load(r->json, &why) : NULL;
    if (doc && (!cli_has(&r->a, "quiet") || json_array_size(json_object_get(doc, "findings")))) {
        fprintf(r->log, "\nwarpwright: what the kernels of %u ranks did\n", r->together.who.ranks);
        doc_text(doc, cli_coloured(&r->a, r->log == stderr ? STDERR_FILENO : -1), &text);
        fputs(str_text(&text), r->log);
    }
    if (r->together.gone.len)
        fprintf(r->log, "warpwright: %s; what it had not written is not in the report\n", r->together.gone.s);
    json_decref(doc);
    str_free(&text);
    str_free(&why);
}

/* The program has ended: what is said and written of it, and the exit code. */
static int end_run(Run *r, bool several, int code)
{
    int     own = code;
    Outcome o   = outcome_read(r->status);
    code        = outcome_code(&o, code);
    bool bad    = own || o.unfinished;
    outcome_free(&o);
    if (!together_gather(&r->together, own, bad, r->status))
        return code ? code : CLI_KERNEL;
    if (!r->together.first && r->together.gone.len)
        fprintf(stderr, "warpwright run: rank %u of %u: %s\n", r->together.who.rank, r->together.who.ranks,
                r->together.gone.s);
    if (!r->together.first)
        return code || !r->together.gone.len ? code : CLI_KERNEL;
    o           = outcome_read(r->status);
    code        = outcome_code(&o, own);
    bool joined = write_frame(r, code) && together_join(&r->together, &r->a);
    tell_ranks(r);
    code = tell(r, &o, several, code);
    outcome_free(&o);
    if (r->together.gone.len && !code)
        code = CLI_KERNEL;
    return write_frame(r, code) && joined && render(r) ? code : CLI_USAGE;
}

static int run(Run *r)
{
    const char *program = r->a.operand[0];
    if (check_texts(r) != CLI_OK)
        return CLI_USAGE;
    if (!find_libraries(r))
        return cli_error("run",
                         "the drop-in CUDA libraries are not all in ../lib/warpwright beside this program's folder: "
                         "build or install them");
    bool several = cli_number(&r->a, "schedules", 1) > 1, together = several;
    if (cli_has(&r->a, "ranks") && (several || run_per_process(r, "json")))
        return cli_error("run", "--ranks makes one report of one run: it goes without --schedules, and with a --json "
                                "without %%p");
    if (!together_begin(&r->together, &r->a, &interrupted_by))
        return CLI_USAGE;
    if (!open_log(r) || !plain_libraries(r) || !reports_ready(r) || !cli_export_cache(&r->a) || !claim_report(r))
        return CLI_USAGE;
    for (int f = DOC_JSON + 1; f < DOC_FORMATS; f++)
        together |= rendered(r, doc_format_option((DocFormat)f));
    if (together && run_per_process(r, "json"))
        return cli_error(
            "run", "--schedules, and --sarif, --html, --csv and --junit without %%p, are made from the JSON of all "
                   "processes: give --json without %%p too");
    bool source = is_source(program);
    if (!temporary(&r->status, "status") || (several && !temporary(&r->later, "later")) ||
        (source && !temporary(&r->built, "run")) ||
        (!r->together.ranks && (json_at_end(r) || (together && !cli_has(&r->a, "json"))) &&
         !temporary(&r->json, "json")))
        return CLI_USAGE;
    char *const files[] = {r->status, r->later, r->built, r->json, r->link};
    if (r->together.ranks)
        r->json = strdup(r->together.json); /* of all ranks, so none of the files */
    int    code   = CLI_USAGE;
    Keeper keeper = keeper_start(r->status, files, sizeof files / sizeof *files);
    if ((!source || compile(r, program)) && write_frame(r, -1)) {
        program = r->built ? r->built : program;
        code    = run_program(r, program);
        code    = several ? run_later(r, program, code) : code;
        code    = end_run(r, several, code);
    }
    keeper_end(&keeper);
    return code;
}

int cmd_run(int argc, char **argv)
{
    Run    r = {0};
    int    code, n;
    char **args = split(argc, argv, &n);
    if (cli_parse(&r.a, n, args, &code)) {
        code = run(&r);
        if (together_end(&r.together)) { /* the others may still read it */
            free(r.json);
            r.json = NULL;
        }
        drop(r.status);
        drop(r.built);
        drop(r.json);
        drop(r.later);
        drop(r.link);
        if (r.log && r.log != stderr && fclose(r.log) != 0)
            code = cli_error("run", "cannot write the file of --log-file: %s", strerror(errno));
        if (r.claim > 0)
            close(r.claim);
        cli_free(&r.a);
    }
    free(args);
    return code;
}
