/* SPDX-License-Identifier: Apache-2.0
 *
 * Decides which failing calls of the program are findings.
 *
 * A program that looks at what a call returns cannot be seen to do so.  It can be seen to ask for the error (cudaGetLastError,
 * cudaGetErrorString), and then nothing is told.  So a failure waits for the thread's next call, or for the end of the process.
 *     told as an error     launches, and the first call that gives back what a kernel failed with
 *     told as a warning    everything else
 *     not told             failures that are answers: rows of kind PROBE, codes of kind ANSWER (errors.def), and calls that another finding
 *                          is about already
 * Pointers and handles are told by the name of their parameter, so that a report is the same in every run.
 * Left out: values behind an argument that is a structure, and calls of our own code. */
#include "cuda/process/calls.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "check/rules.h"
#include "cuda/process/state.h"

typedef struct Kept { /* a failure that may still be asked for */
    const CallRow *row;
    CuErr          code;
    bool           refused; /* the launch was not accepted */
    bool           fatal;   /* a kernel had failed */
    char          *text, *kernel;
    Caller         caller;
    struct Kept   *next;
} Kept;

int calls_watched;

static Kept *all; /* under the state's lock */

static _Thread_local Kept          *mine;
static _Thread_local const CallRow *current;
static _Thread_local bool           refused, told;
static _Thread_local Str            why, launch_text, kernel_name;

/* ---- what the call itself says ---- */

void calls_why(const char *fmt, ...)
{
    va_list ap;
    if (!current)
        return;
    str_clear(&why);
    va_start(ap, fmt);
    str_vprintf(&why, fmt, ap);
    va_end(ap);
}

bool calls_refuse(const char *kernel, const char *launch, const char *text)
{
    if (!current)
        return false;
    calls_why("%s", text);
    str_clear(&launch_text);
    str_clear(&kernel_name);
    str_add(&launch_text, launch);
    str_add(&kernel_name, kernel);
    refused = true;
    return true;
}

void calls_told(void)
{
    told = true;
}

/* ---- arguments ---- */

#if defined(__x86_64__)
enum { REGISTERS = 6 };
#else
enum { REGISTERS = CALL_REGISTERS };
#endif

typedef struct Arguments {
    const uint64_t *regs, *stack;
    unsigned        used;
} Arguments;

/* The next value of n words. */
static const uint64_t *next_words(Arguments *a, unsigned n)
{
    const uint64_t *at = a->stack;
    if (a->used + n <= REGISTERS) {
        at = a->regs + a->used;
        a->used += n;
    } else {
        a->stack += n;
    }
    return at;
}

/* One word of the row's column: "name" or "name:KIND". */
static void add_argument(const char *word, size_t len, Arguments *a, Str *out)
{
    const char *colon = memchr(word, ':', len);
    int         n     = (int)(colon ? colon - word : (ptrdiff_t)len);
    char        kind  = 'p';
    if (colon)
        kind = colon[1];
    str_printf(out, "%.*s", n, word);
    if (kind == 'f') /* in a register of another kind */
        return;
    const uint64_t *v = next_words(a, kind == '3' ? 2 : 1);
    if (kind == 'p' && !v[0])
        str_add(out, "=null");
    else if (kind == 'd')
        str_printf(out, "=%d", (int)(uint32_t)v[0]);
    else if (kind == 'u')
        str_printf(out, "=%u", (unsigned)v[0]);
    else if (kind == 'z')
        str_printf(out, "=%llu", (unsigned long long)v[0]);
    else if (kind == '3')
        str_printf(out, "=(%u, %u, %u)", (unsigned)v[0], (unsigned)(v[0] >> 32), (unsigned)v[1]);
}

static void add_arguments(const CallRow *row, const uint64_t *regs, const uint64_t *stack, Str *out)
{
    Arguments   a    = {regs, stack, 0};
    const char *word = row->args;
    while (*word && strncmp(word, "...", 3) != 0) {
        size_t len = strcspn(word, " ");
        if (word != row->args)
            str_add(out, ", ");
        add_argument(word, len, &a, out);
        word += len + strspn(word + len, " ");
    }
    if (*word)
        str_add(out, word == row->args ? "..." : ", ...");
}

/* ---- keeping and telling ---- */

static void describe(const CallRow *row, CuErr code, const uint64_t *regs, const uint64_t *stack, Str *out)
{
    const char *name = error_name((int)code, row->driver), *text = error_text((int)code);
    if (refused) {
        str_printf(out, "the launch %s failed", str_text(&launch_text));
    } else {
        str_printf(out, "%s(", row->name);
        add_arguments(row, regs, stack, out);
        str_add(out, ") failed");
    }
    str_printf(out, ": %s (%s)", name ? name : "unknown error", text ? text : "no text");
    if (why.len)
        str_printf(out, ": %s", str_text(&why));
}

static void keep(const CallRow *row, CuErr code, bool fatal, const uint64_t *regs, const uint64_t *stack)
{
    Str   text = {0};
    Kept *k    = xcalloc(1, sizeof *k);
    describe(row, code, regs, stack, &text);
    *k = (Kept){.row = row, .code = code, .refused = refused, .fatal = fatal, .text = text.s, .caller = caller_now()};
    if (refused)
        k->kernel = strdup(str_text(&kernel_name));
    state_hold();
    k->next = all;
    all     = k;
    state_let();
    mine = k;
}

static void tell(const Kept *k)
{
    const Rule    *rule  = rule_row(k->refused ? RULE_LAUNCH_CONFIG : RULE_FAILED_CALL);
    bool           grave = k->refused || k->fatal || k->row->failure == CALL_LAUNCH;
    size_t         n;
    const WwFrame *frames = caller_frames(&k->caller, &n);
    WwFinding      f      = {.rule     = rule->id,
                             .category = rule->category,
                             .severity = grave ? "error" : rule->severity,
                             .kernel   = k->kernel,
                             .count    = 1,
                             .message  = k->text};
    caller_place(&f, frames, n);
    report_add_finding(state.report, &f, k->kernel, -1);
}

static void drop(Kept *k)
{
    Kept **at = &all;
    while (*at != k)
        at = &(*at)->next;
    *at = k->next;
    free(k->text);
    free(k->kernel);
    free(k);
}

static void settle_mine(bool asked)
{
    state_hold();
    if (!asked)
        tell(mine);
    drop(mine);
    state_let();
    mine = NULL;
}

void calls_finish(void)
{
    for (; all; drop(all))
        tell(all);
    mine = NULL;
}

void calls_forget(void)
{
    while (all)
        drop(all);
    mine    = NULL;
    current = NULL;
}

/* ---- the program's calls ---- */

void calls_begin(const CallRow *row)
{
    CallFailure f = row->failure;
    if (mine && f != CALL_NONE && f != CALL_PROBE && f != CALL_WAIT)
        settle_mine(f == CALL_ASK);
    current = row;
    refused = told = false;
    str_clear(&why);
}

/* Is what a kernel failed with: true once. */
static bool fatal_first(CuErr code)
{
    static bool said;
    bool        first = code == state.sticky && !said;
    said |= first;
    return first;
}

unsigned calls_end(const CallRow *row, unsigned code, const uint64_t *regs, const uint64_t *stack)
{
    CuErr e     = (CuErr)code;
    bool  fails = e != cudaSuccess && row->failure > CALL_PROBE && !told && !error_is_answer((int)code);
    bool  fatal = fails && fatal_first(e);
    current     = NULL;
    if (fails && (fatal || e != state.sticky)) {
        if (mine)
            settle_mine(false);
        keep(row, e, fatal, regs, stack);
    }
    str_free(&why);
    str_free(&launch_text);
    str_free(&kernel_name);
    return code;
}
