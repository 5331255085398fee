/* SPDX-License-Identifier: Apache-2.0
 *
 * warpwright run: starts a CUDA program on the emulator.  The program is not changed: the drop-in libraries come first
 * on the library path, a preloaded library redirects a runtime that was linked statically, and options travel in the
 * environment, so child processes are followed too.  Each process writes its own report when it ends; here are the
 * compilation of a .cu file, the signals, the JSON document's frame and the exit code: the program's own, unless a
 * kernel could not be run (120) or --fail-on was met (121).
 *
 * --schedules runs the program again and again, each time with the next seed, and reads what was found from each run's JSON.  The later runs
 * get the same standard input where it is a file, and their output goes nowhere. */
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
#include "report/doc.h"
#include "report/fail.h"

typedef struct Run {
    CliArgs  a;
    char     libs[PATH_MAX];                       /* the folder of the drop-in libraries */
    char    *status, *built, *json, *later, *link; /* temporary files; NULL = none; later: JSON of a later schedule */
    FILE    *log;                                  /* where what is told at the end goes */
    int      claim;                                /* see claim_report; 0 or less: none */
    pid_t    child;
    uint64_t schedule; /* that runs now, from 0 on */
} Run;

static volatile sig_atomic_t child_pid;

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

/* ---- environment ------------------------------------------------------------------------------------------------- */

static void put_first(const char *name, const char *value)
{
    const char *old = getenv(name);
    Str         s   = {0};
    str_printf(&s, "%s%s%s", value, old && *old ? ":" : "", old ? old : "");
    setenv(name, s.s, 1);
    str_free(&s);
}

static void pass(const Run *r, const char *option, const char *variable)
{
    if (cli_has(&r->a, option))
        setenv(variable, cli_text(&r->a, option, ""), 1);
}

/* Does each process write a file of its own under this option? */
static bool per_process(const Run *r, const char *option)
{
    return strstr(cli_text(&r->a, option, ""), "%p") != NULL;
}

/* Is the option's file written here, from the JSON of all processes? */
static bool rendered(const Run *r, const char *option)
{
    return cli_has(&r->a, option) && !per_process(r, option);
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

/* Before the program runs: can its reports go where they shall?  false after a message. */
static bool reports_ready(const Run *r)
{
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
    if (!rendered(r, "json") || stat(file, &s) != 0 || !S_ISREG(s.st_mode))
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

/* Where the processes write JSON; NULL: nowhere. */
static const char *json_file(const Run *r)
{
    return r->schedule ? r->later : r->json ? r->json : cli_text(&r->a, "json", NULL);
}

static uint64_t seed_of(const Run *r, uint64_t schedule)
{
    return cli_number(&r->a, "seed", 0) + schedule;
}

static void set_seed(const Run *r)
{
    if (!cli_has(&r->a, "seed") && cli_number(&r->a, "schedules", 1) <= 1)
        return; /* the environment's, if it has one */
    Str s = {0};
    str_printf(&s, "%" PRIu64, seed_of(r, r->schedule));
    setenv("WARPWRIGHT_SEED", s.s, 1);
    str_free(&s);
}

/* Files that each process writes itself. */
static void export_files(const Run *r)
{
    static const char *const variable[] = {
#define FORMAT(ID, option, writer) "WARPWRIGHT_" #ID,
#include "report/formats.def"
#undef FORMAT
    };
    for (int f = DOC_JSON + 1; f < DOC_FORMATS && !r->schedule; f++) {
        const char *option = doc_format_option((DocFormat)f);
        if (per_process(r, option))
            cli_export_path(variable[f], cli_text(&r->a, option, ""));
    }
    if (cli_has(&r->a, "log-file") && !r->schedule)
        cli_export_path("WARPWRIGHT_LOG_FILE", cli_text(&r->a, "log-file", ""));
}

/* Is there an executable of that name in a folder of PATH? */
static bool on_path(const char *name)
{
    const char *path  = getenv("PATH");
    bool        found = false;
    for (const char *p = path; p && *p && !found;) {
        size_t n    = strcspn(p, ":");
        Str    file = {0};
        str_printf(&file, "%.*s/%s", (int)n, p, name);
        found = access(file.s, X_OK) == 0;
        str_free(&file);
        p += n + (p[n] == ':');
    }
    return found;
}

/* Where the machine has no assembler, ours stands in for it, behind everything else. */
static void stand_in(const Run *r)
{
    Str bin = {0}, path = {0};
    setenv("WARPWRIGHT_PTXAS", "1", 1);
    str_printf(&bin, "%s/bin/ptxas", r->libs);
    if (!on_path("ptxas") && access("/usr/local/cuda/bin/ptxas", X_OK) != 0 && access(bin.s, X_OK) == 0) {
        const char *old = getenv("PATH");
        setenv("TRITON_PTXAS_PATH", bin.s, 0);
        str_printf(&path, "%s%s%s/bin", old ? old : "", old && *old ? ":" : "", r->libs);
        setenv("PATH", path.s, 1);
    }
    str_free(&bin);
    str_free(&path);
}

static void set_environment(const Run *r)
{
    Str preload = {0}, python = {0};
    str_printf(&preload, "%s/libwarpwright-preload.so", r->libs);
    str_printf(&python, "%s/python", r->libs);
    put_first("LD_LIBRARY_PATH", r->libs);
    put_first("LD_PRELOAD", preload.s);
    put_first("PYTHONPATH", python.s);
    stand_in(r);
    str_free(&preload);
    str_free(&python);
    if (!cli_has(&r->a, "quiet"))
        setenv("WARPWRIGHT_REPORT", "1", 1);
    if (json_file(r))
        cli_export_path("WARPWRIGHT_JSON", json_file(r));
    set_seed(r);
    export_files(r);
    if (cli_rules(&r->a))
        setenv("WARPWRIGHT_CHECK", cli_rules(&r->a), 1);
    if (cli_has(&r->a, "force"))
        setenv("WARPWRIGHT_FORCE", "1", 1);
    if (cli_time(&r->a))
        setenv("WARPWRIGHT_TIME", "1", 1);
    if (cli_has(&r->a, "suppressions"))
        cli_export_path("WARPWRIGHT_SUPPRESSIONS", cli_text(&r->a, "suppressions", ""));
    if (cli_has(&r->a, "write-suppressions") && !r->schedule)
        cli_export_path("WARPWRIGHT_WRITE_SUPPRESSIONS", cli_text(&r->a, "write-suppressions", ""));
    if (cli_has(&r->a, "verbose"))
        setenv("WARPWRIGHT_VERBOSE", "1", 1);
    if (cli_coloured(&r->a, cli_has(&r->a, "log-file") ? -1 : STDERR_FILENO))
        setenv("WARPWRIGHT_COLOUR", "1", 1);
    setenv("WARPWRIGHT_STATUS", r->status, 1);
    if (profile_is_file(cli_text(&r->a, "profile", NULL)))
        cli_export_path("WARPWRIGHT_PROFILE", cli_text(&r->a, "profile", ""));
    else
        pass(r, "profile", "WARPWRIGHT_PROFILE");
    pass(r, "devices", "WARPWRIGHT_DEVICES");
    pass(r, "memory", "WARPWRIGHT_MEMORY");
    pass(r, "max-seconds", "WARPWRIGHT_MAX_SECONDS");
    pass(r, "max-instructions", "WARPWRIGHT_MAX_INSTRUCTIONS");
    pass(r, "keep-launches", "WARPWRIGHT_KEEP_LAUNCHES");
    pass(r, "threads", "WARPWRIGHT_THREADS");
    if (cli_engine(&r->a))
        setenv("WARPWRIGHT_ENGINE", cli_text(&r->a, "engine", NULL), 1);
    pass(r, "async", "WARPWRIGHT_ASYNC");
    pass(r, "blocks", "WARPWRIGHT_BLOCKS");
    pass(r, "kernel", "WARPWRIGHT_KERNEL");
    cli_export_ranges(&r->a, r->libs);
    pass(r, "only", "WARPWRIGHT_ONLY");
    pass(r, "launch-skip", "WARPWRIGHT_LAUNCH_SKIP");
    pass(r, "launch-count", "WARPWRIGHT_LAUNCH_COUNT");
    pass(r, "print-limit", "WARPWRIGHT_PRINT_LIMIT");
    if (cli_fail_on(&r->a))
        setenv("WARPWRIGHT_FAIL_ON", cli_fail_on(&r->a), 1);
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

/* Compiles a .cu file into a temporary executable; false after a message. */
static bool compile(Run *r, const char *source)
{
    char *name = temporary(&r->built, "run") ? compiler_source("run", source) : NULL;
    if (!name)
        return false;
    pid_t self = getpid(), pid = fork();
    if (pid == 0) {
        die_with(self);
        static const char toolkit[] = "/usr/local/cuda/bin/nvcc";
        const char       *args[] = {"nvcc", "-O3", "-g", "-lineinfo", "-gencode", "arch=compute_90a,code=compute_90a",
                                    "-x",   "cu",  "-o", r->built,    name,       NULL};
        compiler_environment();
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
}

/* The terminal interrupts the program itself; somebody who interrupts this process alone means the program. */
static void interrupted(int sig, siginfo_t *info, void *context)
{
    (void)context;
    if (info->si_code <= 0)
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
    set_environment(r);
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
    const char *file = json_file(r);
    if (!file || per_process(r, "json"))
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
        doc = doc_load(json_file(r), &why);
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
    const char *rows = cli_text(&r->a, "write-suppressions", NULL), *json = json_file(r);
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
    add_findings(all, json_file(r), seed_of(r, 0));
    for (uint64_t i = 1; i < n && code < 128; i++) {
        r->schedule = i;
        unlink(r->later);
        int now = run_program(r, program);
        add_findings(all, r->later, seed_of(r, i));
        if (now != code && !cli_has(&r->a, "quiet"))
            fprintf(stderr, "warpwright: with --seed %" PRIu64 " the program ends with exit code %d\n", seed_of(r, i),
                    now);
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
    if (!file || per_process(r, "log-file"))
        return true;
    FILE *empty = file_create(file);
    r->log      = empty && fclose(empty) == 0 ? file_append(file) : NULL;
    if (!r->log)
        cli_error("run", "cannot write %s: %s", file, file_error(errno));
    return r->log != NULL;
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
    if (!open_log(r) || !plain_libraries(r) || !reports_ready(r) || !cli_export_cache(&r->a) || !claim_report(r))
        return CLI_USAGE;
    bool several = cli_number(&r->a, "schedules", 1) > 1, together = several;
    for (int f = DOC_JSON + 1; f < DOC_FORMATS; f++)
        together |= rendered(r, doc_format_option((DocFormat)f));
    if (together && per_process(r, "json"))
        return cli_error(
            "run", "--schedules, and --sarif, --html, --csv and --junit without %%p, are made from the JSON of all "
                   "processes: give --json without %%p too");
    if (!temporary(&r->status, "status") || (several && !temporary(&r->later, "later")) ||
        ((json_at_end(r) || (together && !cli_has(&r->a, "json"))) && !temporary(&r->json, "json")))
        return CLI_USAGE;
    int    code   = CLI_USAGE;
    Keeper keeper = keeper_start(r->status);
    if ((!is_source(program) || compile(r, program)) && write_frame(r, -1)) {
        program   = r->built ? r->built : program;
        code      = run_program(r, program);
        code      = several ? run_later(r, program, code) : code;
        Outcome o = outcome_read(r->status);
        code      = outcome_code(&o, code);
        code      = tell(r, &o, several, code);
        outcome_free(&o);
        if (!write_frame(r, code) || !render(r))
            code = CLI_USAGE;
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
