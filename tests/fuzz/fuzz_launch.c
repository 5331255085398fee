/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes at all as a module on the emulator: every kernel that loads is launched with a small grid, one buffer for each
 * 8-byte parameter and a short instruction limit.  Whatever it does, it must end with a status, say why when it failed, and leave
 * the device usable.  The answer must not depend on chance: a second run, made for one input in four, gives the same.
 *
 * All checkers watch, and times are predicted.  A first line "// fuzz HEX" chooses the mode, bits of Mode; without one it is the plain one. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "report/doc.h"
#include "tests/fuzz/fuzz.h"
#include "warpwright/warpwright.h"

enum { BUFFER = 4096, MAX_ARGS = 32, MAX_ARG_BYTES = 4096, MAX_KERNELS = 4 };

typedef enum Mode {
    LATE        = 1 << 0,
    RANDOM      = 1 << 1,
    SEEDED      = 1 << 2,
    UNCHECKED   = 1 << 3,
    DEEP        = 1 << 4, /* grid */
    TALL        = 1 << 5, /* block */
    PAGED       = 1 << 6,
    GRANULAR    = 1 << 7,
    COOPERATIVE = 1 << 8,
    CLUSTERS    = 1 << 9,
    REPORTED    = 1 << 10,
    OLD_CARD    = 1 << 11,
} Mode;

typedef struct Ran { /* what one launch gave */
    WwStatus status;
    uint64_t executed, findings, printed;
} Ran;

/* In place of the C library's, which base/command.c calls: neither ptxas nor clang is started, whose time would be most of it all. */
int clone(int (*begin)(void *), void *stack, int flags, void *argument, ...)
{
    (void)begin, (void)stack, (void)flags, (void)argument;
    errno = ENOENT;
    return -1;
}

/* Under ThreadSanitizer commands start by fork, which is not replaced. */
static void expect_no_command(void)
{
#ifndef __SANITIZE_THREAD__
    struct rusage u;
    if (getrusage(RUSAGE_CHILDREN, &u) == 0 && u.ru_minflt)
        fuzz_fail("a launch started a command", "");
#endif
}

static unsigned mode_of(const uint8_t *data, size_t size)
{
    char     head[24] = {0};
    unsigned mode     = 0;
    memcpy(head, data, size < sizeof head ? size : sizeof head - 1);
    return sscanf(head, "// fuzz %8x", &mode) == 1 ? mode : 0;
}

static void on_print(void *user, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        *(uint64_t *)user = *(uint64_t *)user * 31 + (unsigned char)text[i];
}

/* What all writers make of it. */
static void report(const WwResult *r, const char *kernel, WwStatus s)
{
    Report      *report = report_new(true);
    ReportLaunch l      = {.kernel  = kernel,
                           .symbol  = kernel,
                           .grid    = {2, 1, 1},
                           .block   = {40, 1, 1},
                           .outcome = s == WW_OK ? LAUNCH_OK : LAUNCH_FAILED,
                           .why     = s == WW_OK ? NULL : "it failed",
                           .result  = r};
    Str          out    = {0};
    report_add(report, &l);
    report_sort(report);
    report_text(report, &out);
    report_findings_text(report, true, &out);
    json_t *doc = doc_of(report, "fuzz", 0);
    str_clear(&out);
    doc_sarif(doc, &out);
    json_t *again = json_loadb(str_text(&out), out.len, 0, NULL);
    if (!again)
        fuzz_fail("SARIF that is no JSON", str_text(&out));
    str_clear(&out);
    doc_html(doc, NULL, NULL, &out);
    json_decref(again);
    json_decref(doc);
    str_free(&out);
    report_free(report);
}

static void read_result(const WwResult *r, Ran *ran)
{
    WwInstructionClasses c = ww_result_instructions(r);
    WwResources          resources;
    ran->executed = c.exact + c.approximate + c.unsupported;
    ran->findings = ww_result_finding_count(r);
    for (size_t i = 0; i < ran->findings; i++) {
        const WwFinding *f = ww_result_finding(r, i);
        if (!f->rule || !f->message || !*f->message)
            fuzz_fail("a finding without a rule or a message", f->rule ? f->rule : "");
        ran->printed = ran->printed * 31 + strlen(f->message) + f->count;
    }
    for (size_t i = 0; i < ww_result_pattern_count(r); i++)
        ran->printed += ww_result_pattern(r, i)->count;
    ww_result_resources(r, &resources);
}

static Ran run(WwDevice *d, WwModule *m, size_t kernel, WwPtr buffer, unsigned mode)
{
    static char values[MAX_ARGS][MAX_ARG_BYTES];
    void       *args[MAX_ARGS];
    size_t      n   = ww_module_kernel_arg_count(m, kernel);
    Ran         ran = {0};
    for (size_t i = 0; i < n; i++) {
        size_t bytes = i < MAX_ARGS ? ww_module_kernel_arg_bytes(m, kernel, i) : SIZE_MAX;
        if (bytes > MAX_ARG_BYTES)
            return ran;
        memset(values[i], 0, bytes < 8 ? 8 : bytes);
        if (bytes == sizeof buffer)
            memcpy(values[i], &buffer, sizeof buffer);
        else
            values[i][0] = 32;
        args[i] = values[i];
    }
    WwLaunch    launch = {.grid             = {2, mode & DEEP ? 2 : 1, 1},
                          .block            = {40, mode & TALL ? 2 : 1, 1},
                          .shared           = 1024,
                          .args             = args,
                          .arg_count        = n,
                          .observe          = WW_OBSERVE_COUNTERS | WW_OBSERVE_TIME,
                          .max_instructions = 4000,
                          .on_print         = on_print,
                          .user             = &ran.printed,
                          .paged            = mode & PAGED,
                          .granular         = mode & GRANULAR,
                          .cooperative      = mode & COOPERATIVE,
                          .cluster = {mode & CLUSTERS ? 2 : 0, mode & CLUSTERS ? 1 : 0, mode & CLUSTERS ? 1 : 0}};
    const char *name   = ww_module_kernel_name(m, kernel);
    WwResult   *r      = NULL;
    ran.status         = ww_launch(d, m, name, &launch, &r);
    if (ran.status != WW_OK && ww_device_error(d)[0] == '\0')
        fuzz_fail("failed without a message", ww_status_text(ran.status));
    if (r)
        read_result(r, &ran);
    if (r && mode & REPORTED)
        report(r, name, ran.status);
    ww_result_free(r);
    return ran;
}

/* Loads the module anew, since its variables keep what a launch wrote, and runs its i-th kernel; false: there is none. */
static bool run_fresh(const uint8_t *data, size_t size, size_t i, unsigned mode, Ran *ran)
{
    WwDeviceOptions options = {.threads = 1,
                               .memory  = 64 << 20,
                               .check   = mode & UNCHECKED ? NULL : "",
                               .profile = mode & OLD_CARD ? "sm_20" : NULL,
                               .async   = mode & LATE     ? "late"
                                          : mode & RANDOM ? "random"
                                                          : "eager",
                               .seed    = mode & SEEDED ? 7 : 0};
    WwDevice       *d       = NULL;
    WwModule       *m       = NULL;
    WwPtr           buffer  = 0;
    const char     *why     = NULL;
    setenv("WARPWRIGHT_CACHE", "off", 1); /* nothing outside of the input shall matter */
    if (ww_device_open("emulator", &options, &d, &why) != WW_OK)
        fuzz_fail("no emulator", why);
    if (ww_alloc(d, BUFFER, &buffer) != WW_OK || ww_fill(d, buffer, 0, BUFFER) != WW_OK)
        fuzz_fail("no buffer", ww_device_error(d));
    bool there = ww_module_load(d, "fuzz.ptx", (const char *)data, size, &m) == WW_OK && i < ww_module_kernel_count(m);
    if (there)
        *ran = run(d, m, i, buffer, mode);
    if (there && ww_fill(d, buffer, 0, BUFFER) != WW_OK)
        fuzz_fail("the device is unusable after a launch", ww_device_error(d));
    ww_module_unload(d, m);
    ww_device_close(d);
    return there;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned mode = mode_of(data, size);
    Ran      ran[2];
    for (size_t i = 0; i < MAX_KERNELS && run_fresh(data, size, i, mode, &ran[0]); i++) {
        if (size % 4) /* for one input in four that is enough */
            continue;
        if (!run_fresh(data, size, i, mode, &ran[1]))
            fuzz_fail("a module loads once and then no more", "");
        if (ran[0].status != ran[1].status || ran[0].executed != ran[1].executed ||
            ran[0].findings != ran[1].findings || ran[0].printed != ran[1].printed)
            fuzz_fail("two runs of one kernel differ", ww_status_text(ran[1].status));
    }
    expect_no_command();
    return 0;
}
