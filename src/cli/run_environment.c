/* SPDX-License-Identifier: Apache-2.0
 *
 * What `warpwright run` tells the program's processes: options travel in the environment, so child processes are followed too.  Each option of a process
 * is a variable WARPWRIGHT_<OPTION>; the drop-in libraries come first on the library path, and what redirects a runtime that was linked
 * statically, or hears what is given to MPI, is preloaded.  Called in the child, before it becomes the program. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/run_own.h"

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

static void set_seed(const Run *r)
{
    if (!cli_has(&r->a, "seed") && cli_number(&r->a, "schedules", 1) <= 1)
        return; /* the environment's, if it has one */
    Str s = {0};
    str_printf(&s, "%" PRIu64, run_seed_of(r, r->schedule));
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
        if (run_per_process(r, option))
            cli_export_path(variable[f], cli_text(&r->a, option, ""));
    }
    if (cli_has(&r->a, "log-file") && !r->schedule && !r->together.ranks)
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

/* Is it a list of numbers below n? */
static bool lists_devices(const char *list, unsigned long long n)
{
    for (const char *p = list;;) {
        char              *end;
        unsigned long long i = strtoull(p, &end, 10);
        p += strspn(p, " ");
        end += strspn(end, " ");
        if (*p < '0' || *p > '9' || i >= n || (*end && *end != ','))
            return false;
        if (!*end)
            return true;
        p = end + 1;
    }
}

/* CUDA_VISIBLE_DEVICES is mostly said of the machine's GPUs, by whoever shares them out or wants them left alone.  Frameworks read it themselves (PyTorch
 * counts devices by it), and see no emulated device where it hides all GPUs, or names others than the emulated ones. */
static void show_devices(const Run *r)
{
    static const char  name[]  = "CUDA_VISIBLE_DEVICES";
    const char        *visible = getenv(name), *devices = getenv("WARPWRIGHT_DEVICES");
    unsigned long long n = cli_number(&r->a, "devices", devices && *devices ? strtoull(devices, NULL, 10) : 1);
    if (!visible || lists_devices(visible, n))
        return;
    if (cli_has(&r->a, "verbose"))
        fprintf(
            stderr,
            "warpwright run: %s='%s' names other GPUs than the emulated ones (%llu, numbered from 0); the program is "
            "not given it\n",
            name, visible, n);
    unsetenv(name);
}

void run_environment(const Run *r)
{
    show_devices(r);
    Str preload = {0}, python = {0};
    str_printf(&preload, "%s/libwarpwright-preload.so", r->libs);
    str_printf(&python, "%s/python", r->libs);
    put_first("LD_LIBRARY_PATH", r->libs);
    put_first("LD_PRELOAD", preload.s);
    str_clear(&preload);
    str_printf(&preload, "%s/libwarpwright-mpi.so", r->libs);
    if (together_is_rank())
        put_first("LD_PRELOAD", preload.s);
    put_first("PYTHONPATH", python.s);
    stand_in(r);
    str_free(&preload);
    str_free(&python);
    if (!cli_has(&r->a, "quiet"))
        setenv("WARPWRIGHT_REPORT", "1", 1);
    together_export(&r->together, &r->a);
    if (run_json_file(r))
        cli_export_path("WARPWRIGHT_JSON", run_json_file(r));
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
