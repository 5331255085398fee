/* SPDX-License-Identifier: Apache-2.0
 *
 * warpwright check: one module's kernels with arguments from the command line or a launch file, on the emulator, with the checkers on.
 * Findings go to stdout as compilers write them, then one line that counts them; messages about the input go to stderr.
 *
 * Exit code: 122 when the input is wrong (also a launch the device would refuse), 120 when a kernel could not be run, 121 when
 * --fail-on is met (default: error), else 0.  A launch that stops does not keep the next ones from running: every one is checked. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mangle.h"
#include "check/rules.h"
#include "cli/check/check.h"
#include "cli/cli.h"
#include "cli/together.h"
#include "device/emulator.h"
#include "report/doc.h"
#include "report/fail.h"
#include "report/progress.h"

typedef struct Check {
    CliArgs   a;
    CheckPlan plan;
    WwDevice *device;
    WwModule *module;
    Report   *report;
    uint64_t  seed; /* of the schedule that is tried */
    char     *text;
    size_t    len;  /* the module's PTX */
    bool      time; /* is predicted */
    bool      lost; /* a kernel could not be run */
    Progress  progress;
    Spread    ranks;  /* a grid's blocks run in several processes */
    Spread    apart;  /* or whole schedules do */
    Parcel   *kept;   /* what this schedule has to say, for rank 0; NULL: it is said at once */
    uint64_t  launch; /* that runs */
} Check;

/* What stands in a schedule's parcel besides findings, which are REPORT_FINDING. */
enum { SAID_END = 0, SAID_TEXT = REPORT_FINDING + 1, SAID_LINE };

static volatile int stopped;

static double now(void)
{
    return 1e-3 * clock_ms();
}

/* The first one ends the launch, and the report is written; a second one ends everything at once.  Some senders send each twice, to the
 * process and to its group. */
static void on_signal(int sig)
{
    static double       first;
    static const double twice = 0.25; /* seconds */
    if (stopped && now() - first > twice)
        _exit(128 + sig);
    if (!stopped)
        first = now();
    stopped = sig;
}

static int fail(const Str *why)
{
    return cli_error("check", "%s", str_text(why));
}

/* ---- kernels by name --------------------------------------------------------------------------------------------- */

/* As people read it. */
static const char *shown_name(const Check *c, const char *symbol)
{
    char       *text = mangled_text(symbol);
    const char *name = arena_strdup(c->plan.arena, text);
    free(text);
    return name;
}

/* The same text but for blanks: reduce<float,256> is reduce<float, 256>. */
static bool same_text(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strspn(a, " ");
        b += strspn(b, " ");
        if (*a != *b)
            return false;
        if (!*a)
            return true;
    }
}

/* By its symbol, as people read it, or by its own name alone. */
static bool is_named(const Check *c, const char *symbol, const char *name)
{
    size_t      n;
    const char *plain = mangled_function(symbol, &n);
    return !strcmp(symbol, name) || (n == strlen(name) && !memcmp(plain, name, n)) ||
           same_text(shown_name(c, symbol), name);
}

/* As people read them; those that read alike by their symbols. */
static void list_kernels(const Check *c, Str *out)
{
    size_t       n    = ww_module_kernel_count(c->module);
    const char **name = xcalloc(n + 1, sizeof *name);
    for (size_t i = 0; i < n; i++)
        name[i] = shown_name(c, ww_module_kernel_name(c->module, i));
    for (size_t i = 0; i < n; i++) {
        bool alone = true;
        for (size_t j = 0; j < n && alone; j++)
            alone = i == j || strcmp(name[i], name[j]) != 0;
        str_printf(out, "%s%s", i ? ", " : "", alone ? name[i] : ww_module_kernel_name(c->module, i));
    }
    free(name);
}

/* Index of the kernel of that name (NULL: the only one); -1 after a message. */
static long find_kernel(const Check *c, const char *name)
{
    size_t n = ww_module_kernel_count(c->module), exact = n, hits = 0, last = 0;
    Str    names = {0};
    for (size_t i = 0; i < n; i++) {
        const char *symbol = ww_module_kernel_name(c->module, i);
        if (name && !strcmp(symbol, name))
            exact = i;
        if (!name || is_named(c, symbol, name)) {
            hits++;
            last = i;
        }
    }
    if (exact < n || hits == 1)
        return (long)(exact < n ? exact : last);
    list_kernels(c, &names);
    if (!n)
        cli_error("check", "%s has no kernel (__global__, .entry)", c->a.operand[0]);
    else if (!name)
        cli_error("check", "--kernel is needed; there are: %s", names.s);
    else if (hits)
        cli_error("check", "several kernels are called '%s'; give the full name: %s", name, names.s);
    else
        cli_error("check", "there is no kernel '%s'; there are: %s", name, names.s);
    str_free(&names);
    return -1;
}

/* ---- arguments on the device ------------------------------------------------------------------------------------- */

static int put_buffers(Check *c)
{
    for (size_t i = 0; i < c->plan.nargs; i++) {
        Argument *a     = &c->plan.arg[i];
        size_t    bytes = (size_t)(a->count * a->type->bytes);
        if (!a->buffer)
            continue;
        if (ww_alloc(c->device, bytes, &a->address) != WW_OK ||
            (a->data && ww_copy_in(c->device, a->address, a->data, bytes) != WW_OK))
            return cli_error("check", "argument %s: %s", a->name, ww_device_error(c->device));
        emu_name(emulator_emu(c->device), a->address, a->name);
    }
    return CLI_OK;
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

static void on_print(void *user, const char *text, size_t len)
{
    Check *c = user;
    if (c->kept) {
        parcel_put_number(c->kept, SAID_TEXT);
        parcel_put_number(c->kept, len);
        parcel_put(c->kept, text, len);
        return;
    }
    progress_clear(&c->progress);
    fwrite(text, 1, len, cli_table(&c->a));
}

/* device_on_progress */
static void tell_progress(void *user, const char *kernel, uint64_t done, uint64_t blocks)
{
    Check *c = user;
    progress_tell(&c->progress, &(ProgressNow){.kernel   = shown_name(c, kernel),
                                               .launch   = c->launch,
                                               .done     = done,
                                               .blocks   = blocks,
                                               .findings = report_finding_count(c->report)});
}

static void suggest(const Check *c, size_t kernel)
{
    Str text = {0};
    check_suggest(c->module, kernel, c->a.operand[0], cli_text(&c->a, "grid", NULL), cli_text(&c->a, "block", NULL),
                  &text);
    fputs(str_text(&text), stderr);
    str_free(&text);
}

/* Here, or this rank's blocks of it; memory that a later launch or --out looks at is made the same on all ranks. */
static WwStatus launch(Check *c, const char *symbol, const WwLaunch *w, size_t index, WwResult **r)
{
    const Func *kernel;
    if (!c->ranks.ranks)
        return ww_launch(c->device, c->module, symbol, w, r);
    WwStatus s            = device_kernel(c->device, c->module, symbol, &kernel);
    c->ranks.share.memory = index + 1 < c->plan.nlaunches || c->plan.nouts > 0;
    return s == WW_OK ? device_launch_kernel(c->device, c->module, kernel,
                                             &(DeviceLaunch){.w = w, .share = &c->ranks.share}, r)
                      : s;
}

/* Why a launch cannot be spread all ranks know, and one says it. */
static int tell_refused(const Check *c, const char *symbol)
{
    if (c->ranks.share.broken)
        return cli_error("check", "rank %u of %u: %s", c->ranks.who.rank, c->ranks.who.ranks, c->ranks.share.refused.s);
    if (!c->ranks.who.rank)
        cli_error("check", "kernel %s cannot be spread over %u ranks: %s; run it on one, or with --ranks=off",
                  shown_name(c, symbol), c->ranks.who.ranks, c->ranks.share.refused.s);
    return CLI_USAGE;
}

static int run_launch(Check *c, size_t index)
{
    const CheckedLaunch *l      = &c->plan.launch[index];
    long                 kernel = find_kernel(c, l->kernel);
    if (kernel < 0)
        return CLI_USAGE;
    Str    why  = {0};
    void **args = plan_bind(&c->plan, l, c->module, (size_t)kernel, &why);
    if (!args) {
        fail(&why);
        str_free(&why);
        if (!l->nargs && !cli_has(&c->a, "launches"))
            suggest(c, (size_t)kernel);
        return CLI_USAGE;
    }
    const char *symbol = ww_module_kernel_name(c->module, (size_t)kernel);
    WwLaunch    w      = {.grid             = l->grid,
                          .block            = l->block,
                          .cluster          = l->cluster,
                          .shared           = l->shared,
                          .cooperative      = l->cooperative || cli_has(&c->a, "cooperative"),
                          .args             = args,
                          .arg_count        = l->nargs,
                          .observe          = c->time ? WW_OBSERVE_COUNTERS | WW_OBSERVE_TIME : WW_OBSERVE_COUNTERS,
                          .max_instructions = cli_number(&c->a, "max-instructions", 0),
                          .max_seconds      = (double)cli_number(&c->a, "max-seconds", 0),
                          .stop             = &stopped,
                          .on_print         = on_print,
                          .user             = c};
    WwResult   *r      = NULL;
    double      start  = now();
    c->launch          = index;
    WwStatus s         = launch(c, symbol, &w, index, &r);
    int      code      = CLI_OK;
    progress_clear(&c->progress);
    if (c->ranks.share.refused.len) {
        code = tell_refused(c, symbol);
    } else if (!r) {
        code = cli_error("check", "%s", ww_device_error(c->device));
    } else if (!spread_other(&c->ranks)) {
        report_add(c->report,
                   &(ReportLaunch){.kernel  = shown_name(c, symbol),
                                   .symbol  = symbol,
                                   .launch  = index,
                                   .grid    = l->grid,
                                   .block   = l->block,
                                   .outcome = s == WW_OK                ? LAUNCH_OK
                                              : s == WW_ERR_UNSUPPORTED ? LAUNCH_UNSUPPORTED
                                                                        : LAUNCH_FAILED,
                                   .seconds = now() - start,
                                   .why     = s == WW_OK || s == WW_ERR_FAULT ? NULL : ww_device_error(c->device),
                                   .result  = r});
        c->lost |= s == WW_ERR_UNSUPPORTED;
    }
    ww_result_free(r);
    free(args);
    return code;
}

static void find_leaks(Check *c)
{
    uint64_t    blocks, bytes;
    const Rule *rule = rule_row(RULE_LEAK);
    Str         text = {0};
    emu_heap_used(emulator_emu(c->device), &blocks, &bytes);
    str_printf(&text, "%" PRIu64 " block%s of the device-side heap, %" PRIu64 " bytes in all, %s never freed", blocks,
               blocks == 1 ? "" : "s", bytes, blocks == 1 ? "was" : "were");
    WwFinding f = {.rule     = rule->id,
                   .category = rule->category,
                   .severity = rule->severity,
                   .count    = blocks,
                   .message  = str_text(&text)};
    if (blocks)
        report_add_finding(c->report, &f, NULL, -1);
    str_free(&text);
}

static bool is_out(const Check *c, const Argument *a)
{
    for (size_t i = 0; i < c->plan.nouts; i++)
        if (!strcmp(c->plan.out[i].name, a->name))
            return true;
    return false;
}

/* Every buffer may be an output: a value that was stored there has to have been written.  Of those that --out names all bytes are read. */
static int read_buffers(Check *c)
{
    for (size_t i = 0; i < c->plan.nargs; i++) {
        const Argument *a = &c->plan.arg[i];
        if (a->buffer)
            emulator_tell(c->device, is_out(c, a) ? MEMORY_READ : MEMORY_LEFT, a->address, 0,
                          a->count * a->type->bytes);
    }
    bool told = check_ranks_pending(&c->ranks, c->device, c->report);
    find_leaks(c);
    return told ? CLI_OK : CLI_USAGE;
}

static const Argument *find_buffer(const Check *c, const char *name)
{
    for (size_t k = 0; k < c->plan.nargs; k++)
        if (c->plan.arg[k].buffer && !strcmp(c->plan.arg[k].name, name))
            return &c->plan.arg[k];
    return NULL;
}

static int write_outs(Check *c)
{
    for (size_t i = 0; i < c->plan.nouts; i++) {
        const OutFile  *o    = &c->plan.out[i];
        const Argument *a    = find_buffer(c, o->name);
        Str             why  = {0};
        void           *data = xcalloc(a->count, a->type->bytes);
        WwStatus        s    = ww_copy_out(c->device, data, a->address, (size_t)(a->count * a->type->bytes));
        if (s == WW_OK && !spread_other(&c->ranks))
            s = argument_write(a, data, o->file, &why);
        free(data);
        int code = s == WW_OK ? CLI_OK : fail(&why);
        str_free(&why);
        if (code != CLI_OK)
            return code;
    }
    return CLI_OK;
}

/* ---- from the command line --------------------------------------------------------------------------------------- */

static int plan_from_file(Check *c, const char *file, Str *why)
{
    static const char *const instead[] = {"kernel", "grid", "block", "cluster", "shared", "arg"};
    for (size_t i = 0; i < sizeof instead / sizeof *instead; i++)
        if (cli_has(&c->a, instead[i]))
            return cli_error("check", "--%s has no place beside --launches: the file says it", instead[i]);
    if (plan_read(&c->plan, file, why) != WW_OK)
        return why->len ? fail(why) : CLI_USAGE;
    return CLI_OK;
}

static int open_device(Check *c)
{
    const char *why     = "";
    unsigned    threads = c->ranks.ranks   ? together_threads(&c->ranks.who)
                          : c->apart.ranks ? together_threads(&c->apart.who)
                                           : 0;
    c->time             = cli_time(&c->a);
    WwDeviceOptions o   = {.profile = cli_text(&c->a, "profile", NULL),
                           .threads = (unsigned)cli_number(&c->a, "threads", threads),
                           .memory  = cli_number(&c->a, "memory", 0) << 20,
                           .seed    = c->seed,
                           .async   = cli_text(&c->a, "async", NULL),
                           .blocks  = cli_text(&c->a, "blocks", NULL),
                           .engine  = cli_engine(&c->a),
                           .check   = cli_rules(&c->a) ? cli_rules(&c->a) : ""};
    if (ww_device_open("emulator", &o, &c->device, &why) != WW_OK)
        return cli_error("check", "%s", why);
    if (!cli_has(&c->a, "quiet") && !spread_other(&c->ranks) && !spread_other(&c->apart) && progress_possible())
        device_on_progress(c->device, tell_progress, c);
    return CLI_OK;
}

/* Machine code is told from PTX by how it begins: an ELF file, or a container of them. */
static bool is_machine_code(const char *text, size_t len)
{
    return len >= 4 && (!memcmp(text, "\177ELF", 4) || !memcmp(text, "\x50\xed\x55\xba", 4));
}

static int load(Check *c)
{
    const char *file = c->a.operand[0];
    if (!c->text)
        c->text = check_source("check", file, &c->len);
    if (!c->text)
        return CLI_USAGE;
    if (is_machine_code(c->text, c->len))
        return cli_error("check",
                         "'%s' is machine code, and check wants a .cu or .ptx file; 'warpwright run' runs programs, "
                         "'warpwright sass' shows machine code",
                         file);
    WwStatus s = ww_module_load(c->device, file, c->text, c->len, &c->module);
    if (s != WW_OK)
        fprintf(stderr, "%s\n", ww_device_error(c->device));
    return s == WW_OK ? CLI_OK : CLI_USAGE;
}

/* No --grid or no --block: says so, with a line for the kernel, where it is clear which one is meant. */
static int ask_for_size(Check *c)
{
    int code = cli_error("check", "--grid and --block are needed, or --launches FILE");
    if (open_device(c) == CLI_OK && load(c) == CLI_OK) {
        long kernel = find_kernel(c, cli_text(&c->a, "kernel", NULL));
        if (kernel >= 0)
            suggest(c, (size_t)kernel);
    }
    return code;
}

static int plan_from_options(Check *c, Str *why)
{
    CheckedLaunch l = {.kernel = cli_text(&c->a, "kernel", NULL), .shared = (uint32_t)cli_number(&c->a, "shared", 0)};
    const char   *file = cli_text(&c->a, "launches", NULL);
    c->plan            = (CheckPlan){.arena = arena_new(), .seed = c->seed};
    l.arg              = ARENA_ARRAY(c->plan.arena, size_t, c->a.nvalues + 1);
    for (size_t i = 0; i < c->a.nvalues; i++) {
        const CliValue *v = &c->a.value[i];
        if (!strcmp(v->option->name, "arg") && plan_argument(&c->plan, v->text, &l.arg[l.nargs++], why) != WW_OK)
            return fail(why);
        if (!strcmp(v->option->name, "out") && plan_out(&c->plan, v->text, why) != WW_OK)
            return fail(why);
    }
    if (file)
        return plan_from_file(c, file, why);
    const char *grid = cli_text(&c->a, "grid", NULL), *block = cli_text(&c->a, "block", NULL);
    if (!grid || !block)
        return ask_for_size(c);
    if (!plan_dim(grid, &l.grid))
        return cli_error("check", "--grid: '%s' is not X[,Y[,Z]]", grid);
    if (!plan_dim(block, &l.block))
        return cli_error("check", "--block: '%s' is not X[,Y[,Z]]", block);
    const char *cluster = cli_text(&c->a, "cluster", NULL);
    if (cluster && !plan_dim(cluster, &l.cluster))
        return cli_error("check", "--cluster: '%s' is not X[,Y[,Z]]", cluster);
    if (cluster && (!l.cluster.x || !l.cluster.y || !l.cluster.z)) /* which would mean: as the kernel says */
        return cli_error("check", "--cluster: every dimension must be at least 1, not '%s'", cluster);
    c->plan.launch    = xcalloc(1, sizeof *c->plan.launch);
    c->plan.launch[0] = l;
    c->plan.nlaunches = 1;
    return CLI_OK;
}

/* Which launches --launch-skip and --launch-count leave. */
static int run_launches(Check *c)
{
    uint64_t skip = cli_number(&c->a, "launch-skip", 0), count = cli_number(&c->a, "launch-count", UINT64_MAX);
    int      code = CLI_OK;
    for (size_t i = 0; i < c->plan.nlaunches && code == CLI_OK && !stopped; i++)
        if (i >= skip && i - skip < count)
            code = run_launch(c, i);
    return code;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

/* The files; the exit code, which a file that cannot be written changes. */
static int render(Check *c, int code)
{
    DocFiles files = cli_files(&c->a);
    Str      why   = {0};
    if (!cli_keeps(&c->a))
        return code;
    json_t *doc = doc_of(c->report, c->a.operand[0], code);
    if (!doc_render(doc, &files, &why))
        code = fail(&why);
    json_decref(doc);
    str_free(&why);
    return code;
}

/* Where --log-file says; false after a message. */
static bool put_text(const Check *c, const Str *text)
{
    Str         name = {0}, why = {0};
    const char *file = cli_text(&c->a, "log-file", NULL);
    if (!file) {
        fputs(str_text(text), cli_table(&c->a));
        return true;
    }
    doc_name(file, &name);
    bool ok = doc_write(str_text(&name), text, &why);
    if (!ok)
        fail(&why);
    str_free(&name);
    str_free(&why);
    return ok;
}

static void tell_line(void *user, const char *line)
{
    Check *c = user;
    if (c->kept) {
        parcel_put_number(c->kept, SAID_LINE);
        parcel_put_text(c->kept, line);
        return;
    }
    fprintf(stderr, "warpwright: %s\n", line);
}

static int write_report(Check *c, int code)
{
    Str         text = {0};
    const char *rows = cli_text(&c->a, "write-suppressions", NULL);
    if (!cli_has(&c->a, "quiet")) {
        report_text(c->report, &text);
        str_addc(&text, '\n');
    }
    if (!cli_has(&c->a, "quiet") || report_finding_count(c->report))
        report_findings_text(c->report, cli_coloured(&c->a, cli_has(&c->a, "log-file") ? -1 : STDOUT_FILENO), &text);
    if (!put_text(c, &text))
        code = CLI_USAGE;
    if (rows && report_write_suppressions(c->report, rows) != WW_OK)
        code = cli_error("check", "cannot write %s: %s", rows, strerror(errno));
    str_free(&text);
    return render(c, code);
}

static int check_texts(Check *c, Str *why)
{
    RuleSet     rules;
    const char *file = cli_text(&c->a, "suppressions", NULL);
    if (rules_select(cli_rules(&c->a), &rules, why) != WW_OK ||
        fail_check(cli_text(&c->a, "fail-on", "error"), why) != WW_OK ||
        (file && report_suppress(c->report, file, why) != WW_OK))
        return fail(why);
    report_select(c->report, cli_rules(&c->a));
    report_limit(c->report, cli_number(&c->a, "print-limit", 0));
    report_only(c->report, cli_text(&c->a, "only", NULL), NULL);
    return CLI_OK;
}

/* Everything once, as a command of its own with this seed would do it. */
static int try_schedule(Check *c, uint64_t seed, bool first)
{
    Str why = {0};
    c->seed = seed;
    report_schedule(c->report, seed);
    int code = plan_from_options(c, &why);
    for (size_t i = 0; i < c->plan.nouts && code == CLI_OK; i++)
        if (!find_buffer(c, c->plan.out[i].name))
            code = cli_error("check", "--out %s: there is no buffer of that name", c->plan.out[i].name);
    str_free(&why);
    if (code == CLI_OK)
        code = open_device(c);
    if (code == CLI_OK)
        code = load(c);
    if (code == CLI_OK)
        code = put_buffers(c);
    if (code == CLI_OK) {
        code = run_launches(c);
        if (code == CLI_OK && first)
            code = write_outs(c);
        int read = code == CLI_OK || !c->ranks.ranks ? read_buffers(c) : CLI_OK;
        code     = code ? code : read;
    }
    ww_device_close(c->device);
    c->device = NULL;
    plan_free(&c->plan);
    return code;
}

/* ---- schedules of several ranks ---------------------------------------------------------------------------------- */

/* Schedule i, whose words go into the parcel. */
static int keep_schedule(Check *c, uint64_t seed, Parcel *p)
{
    bool lost = c->lost;
    c->lost   = false;
    c->kept   = p;
    report_divert(c->report, p);
    int code = try_schedule(c, seed, false);
    report_divert(c->report, NULL);
    c->kept = NULL;
    parcel_put_number(p, SAID_END);
    parcel_put_number(p, (uint64_t)code);
    parcel_put_number(p, c->lost);
    c->lost = lost;
    return code;
}

/* What one schedule had to say, as if it had run here. */
static int tell_schedule(Check *c, uint64_t seed, Parcel *p)
{
    report_schedule(c->report, seed);
    while (!p->bad) {
        uint64_t said = parcel_number(p);
        if (said == REPORT_FINDING) {
            report_take_finding(c->report, p);
        } else if (said == SAID_LINE) {
            const char *line = parcel_text(p);
            tell_line(c, line ? line : "");
        } else if (said == SAID_TEXT) {
            size_t      n    = parcel_count(p, 1);
            const char *text = parcel_bytes(p, n);
            on_print(c, text ? text : "", text ? n : 0);
        } else {
            break;
        }
    }
    int code = (int)parcel_number(p);
    c->lost |= parcel_number(p) != 0;
    return p->bad ? cli_error("check", "a rank did not end its schedules") : code;
}

/* Each rank runs every so many-th schedule with all blocks, and rank 0 hears of them in order. */
static int schedules_apart(Check *c, uint64_t seed, uint64_t n)
{
    Str      why   = {0};
    unsigned ranks = c->ranks.who.ranks, own = c->ranks.who.rank;
    Parcel   mine = {0}, *theirs = xcalloc(ranks, sizeof *theirs);
    int      first = CLI_OK, code = CLI_OK;
    c->apart = c->ranks;
    c->ranks = (Spread){0};
    for (uint64_t i = own; i < n && code == CLI_OK && first == CLI_OK && !stopped; i += ranks)
        if (i == 0)
            first = try_schedule(c, seed, true);
        else
            code = keep_schedule(c, seed + i, &mine);
    code = ranks_exchange(c->apart.ranks, &mine, theirs, &why) == WW_OK
               ? first
               : cli_error("check", "rank %u of %u: %s", own, ranks, str_text(&why));
    for (uint64_t i = 1; i < n && code == CLI_OK && own == 0 && !stopped; i++)
        code = tell_schedule(c, seed + i, i % ranks ? &theirs[i % ranks] : &mine);
    for (unsigned i = 0; i < ranks; i++)
        parcel_free(&theirs[i]);
    parcel_free(&mine);
    free(theirs);
    str_free(&why);
    c->ranks = c->apart;
    return code;
}

static int check(Check *c)
{
    Str      why = {0}, met = {0};
    int      code = check_texts(c, &why);
    uint64_t seed = cli_number(&c->a, "seed", 0), n = cli_number(&c->a, "schedules", 1);
    str_free(&why);
    if (code == CLI_OK && strcmp(c->a.operand[0], "-") != 0 && access(c->a.operand[0], R_OK) != 0)
        code = cli_error("check", "cannot open '%s': %s", c->a.operand[0], strerror(errno));
    if (code == CLI_OK && (!cli_can_report(&c->a) || !cli_export_cache(&c->a)))
        code = CLI_USAGE;
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    if (code == CLI_OK && !spread_begin(&c->ranks, &c->a, &(SpreadAsk){"check", &stopped, {{NULL, NULL}}}))
        code = CLI_USAGE;
    if (code == CLI_OK && c->ranks.ranks && n > 1)
        code = schedules_apart(c, seed, n);
    else
        for (uint64_t i = 0; i < n && code == CLI_OK && !stopped; i++)
            code = try_schedule(c, seed + i, i == 0);
    if (code != CLI_OK || spread_other(&c->ranks))
        return code;
    if (c->lost)
        code = CLI_KERNEL;
    else if (report_fails(c->report, cli_text(&c->a, "fail-on", "error"), &met))
        code = (int)cli_number(&c->a, "error-exitcode", CLI_FINDINGS);
    code = write_report(c, code);
    if (cli_has(&c->a, "fail-on") && met.len) {
        fflush(stdout);
        fputs(str_text(&met), stderr);
    }
    str_clear(&met);
    if (cli_has(&c->a, "suppressions") && !cli_has(&c->a, "quiet"))
        report_unused(c->report, cli_text(&c->a, "suppressions", ""), &met);
    fputs(str_text(&met), stderr);
    str_free(&met);
    return stopped ? 128 + stopped : code;
}

int cmd_check(int argc, char **argv)
{
    Check c = {0};
    int   code;
    if (!cli_parse(&c.a, argc, argv, &code))
        return code;
    c.report = report_new(cli_keeps(&c.a) ? cli_number(&c.a, "keep-launches", REPORT_LAUNCHES) : 0);
    if (cli_has(&c.a, "verbose"))
        report_tell(c.report, tell_line, &c);
    report_process(c.report, c.a.operand[0], NULL, 0, 0); /* one process: its number would only make documents differ */
    code = spread_end(&c.ranks, check(&c));
    free(c.text);
    report_free(c.report);
    cli_free(&c.a);
    return code;
}
