/* SPDX-License-Identifier: Apache-2.0
 *
 * WARPWRIGHT_LAUNCH_SKIP is --launch-skip of run, and so with every option of that verb: its row in cli/options.def says what values there
 * are, and the same functions look at them.  Rules, conditions, expressions and files are looked at here as `run` looks at them.
 * An empty variable counts as none, but for WARPWRIGHT_CHECK, where it means every rule. */
#include "cuda/process/environment.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/cache.h"
#include "base/pattern.h"
#include "base/value.h"
#include "check/rules.h"
#include "model/profile_file.h"
#include "report/fail.h"
#include "report/ranges.h"

typedef enum Kind { FLAG, NUMBER, HEX, TEXT, FILE_NAME, CHOICE, PROFILE, BLOCKS, LIST, OPTIONAL } Kind;

#define KIND_FLAG     FLAG
#define KIND_NUMBER   NUMBER
#define KIND_HEX      HEX
#define KIND_TEXT     TEXT
#define KIND_FILE     FILE_NAME
#define KIND_CHOICE   CHOICE
#define KIND_PROFILE  PROFILE
#define KIND_BLOCKS   BLOCKS
#define KIND_LIST     LIST
#define KIND_OPTIONAL OPTIONAL

static const struct Row {
    const char *verb, *name;
    Kind        kind;
    const char *values;
} rows[] = {
#define VERB(id, operands, min, max, summary, text)
#define EXAMPLE(verb, command, text)
#define OPTION(verb, name, letter, kind, meta, values, text) {#verb, name, KIND_##kind, values},
#include "cli/options.def"
#undef VERB
#undef EXAMPLE
#undef OPTION
};

enum { MOST_NAME = 64 };

static const char *variable_of(const char *option, char name[MOST_NAME])
{
    static const char prefix[] = "WARPWRIGHT_";
    size_t            n        = sizeof prefix - 1;
    memcpy(name, prefix, n);
    for (; *option && n + 1 < MOST_NAME; option++)
        name[n++] = *option == '-' ? '_' : (char)toupper((unsigned char)*option);
    name[n] = 0;
    return name;
}

static bool check_row(const struct Row *row, const char *text, Str *why)
{
    uint64_t number;
    uint32_t first, random;
    int      word;
    switch (row->kind) {
    case NUMBER: return value_number(text, row->values, &number, why);
    case HEX: return value_hex(text, &number, why);
    case CHOICE: return value_choice(text, row->values, &word, why);
    case BLOCKS: return value_blocks(text, &first, &random, why);
    case PROFILE: {
        const Profile *p = profile_open(text, why);
        profile_close(p);
        return p;
    }
    default: return true;
    }
}

static bool check_rows(Str *why)
{
    char name[MOST_NAME];
    Str  what = {0};
    bool ok   = true;
    for (size_t i = 0; ok && i < sizeof rows / sizeof *rows; i++) {
        const char *text = strcmp(rows[i].verb, "run") == 0 ? getenv(variable_of(rows[i].name, name)) : NULL;
        ok               = !text || !*text || check_row(&rows[i], text, &what);
        if (!ok)
            str_printf(why, "%s: %s", name, str_text(&what));
    }
    str_free(&what);
    return ok;
}

static bool check_pattern(const char *pattern, Str *why)
{
    regex_t compiled;
    Str     what = {0};
    bool    ok   = !pattern || pattern_compile(pattern, &compiled, &what);
    if (ok && pattern)
        regfree(&compiled);
    if (!ok)
        str_printf(why, "WARPWRIGHT_KERNEL: '%s': %s", pattern, str_text(&what));
    str_free(&what);
    return ok;
}

/* Expressions of NVTX ranges, one a line. */
static bool check_ranges(const char *name, const char *list, Str *why)
{
    Str  one = {0}, what = {0};
    bool ok = true;
    while (list && *list && ok) {
        size_t n = strcspn(list, "\n");
        str_clear(&one);
        str_addn(&one, list, n);
        ok = range_check(str_text(&one), &what);
        list += n + (list[n] != 0);
    }
    if (!ok)
        str_printf(why, "%s: '%s': %s", name, str_text(&one), str_text(&what));
    str_free(&one);
    str_free(&what);
    return ok;
}

static bool check_texts(const Options *o, Str *why)
{
    RuleSet rules;
    Str     what  = {0};
    Report *none  = report_new(0);
    bool    fits  = rules_select(o->check ? o->check : "", &rules, &what) == WW_OK;
    bool    fails = fits && (!o->fail_on || fail_check(o->fail_on, &what) == WW_OK);
    bool    read  = fails && (!o->suppressions || report_suppress(none, o->suppressions, &what) == WW_OK);
    if (!read)
        str_printf(why, "WARPWRIGHT_%s: %s", !fits ? "CHECK" : !fails ? "FAIL_ON" : "SUPPRESSIONS", str_text(&what));
    report_free(none);
    str_free(&what);
    if (cache_misnamed()) {
        str_printf(why, CACHE_VARIABLE ": '%s' is neither 'off' nor an absolute path", cache_misnamed());
        return false;
    }
    return read && check_pattern(o->kernels, why) && check_ranges("WARPWRIGHT_NVTX_INCLUDE", o->nvtx_include, why) &&
           check_ranges("WARPWRIGHT_NVTX_EXCLUDE", o->nvtx_exclude, why);
}

static uint64_t number(const char *name, uint64_t fallback)
{
    const char *s   = getenv(name);
    uint64_t    v   = fallback;
    Str         why = {0};
    if (s && *s && !value_number(s, "", &v, &why))
        v = fallback; /* no option's: those were checked */
    str_free(&why);
    return v;
}

static const char *text(const char *name)
{
    const char *s = getenv(name);
    return s && *s ? s : NULL;
}

bool environment_read(Options *o, Str *why)
{
    o->report = number("WARPWRIGHT_REPORT", 0) != 0;
    o->json   = text("WARPWRIGHT_JSON");
    o->force  = number("WARPWRIGHT_FORCE", 0) != 0;
    for (int f = 0; f < DOC_FORMATS; f++) {
        char name[MOST_NAME];
        o->files.file[f] = f == DOC_JSON ? NULL : text(variable_of(doc_format_option((DocFormat)f), name));
    }
    o->log_file           = text("WARPWRIGHT_LOG_FILE");
    o->verbose            = number("WARPWRIGHT_VERBOSE", 0) != 0;
    o->profile            = text("WARPWRIGHT_PROFILE");
    o->kernels            = text("WARPWRIGHT_KERNEL");
    o->nvtx               = number("WARPWRIGHT_NVTX", 0) != 0;
    o->nvtx_include       = text("WARPWRIGHT_NVTX_INCLUDE");
    o->nvtx_exclude       = text("WARPWRIGHT_NVTX_EXCLUDE");
    o->status             = text("WARPWRIGHT_STATUS");
    o->rank               = (int)number("WARPWRIGHT_OF_RANK", UINT64_MAX);
    o->fail_on            = text("WARPWRIGHT_FAIL_ON");
    o->check              = getenv("WARPWRIGHT_CHECK");
    o->time               = getenv("WARPWRIGHT_TIME") != NULL;
    o->async              = text("WARPWRIGHT_ASYNC");
    o->blocks             = text("WARPWRIGHT_BLOCKS");
    o->coloured           = number("WARPWRIGHT_COLOUR", 0) != 0;
    o->suppressions       = text("WARPWRIGHT_SUPPRESSIONS");
    o->only               = text("WARPWRIGHT_ONLY");
    o->write_suppressions = text("WARPWRIGHT_WRITE_SUPPRESSIONS");
    o->devices            = (unsigned)number("WARPWRIGHT_DEVICES", 1);
    o->threads            = (unsigned)number("WARPWRIGHT_THREADS", 0);
    o->memory             = number("WARPWRIGHT_MEMORY", 0) << 20;
    o->print_limit        = number("WARPWRIGHT_PRINT_LIMIT", 0);
    o->max_seconds        = number("WARPWRIGHT_MAX_SECONDS", 0);
    o->max_instructions   = number("WARPWRIGHT_MAX_INSTRUCTIONS", 0);
    o->keep_launches      = number("WARPWRIGHT_KEEP_LAUNCHES", REPORT_LAUNCHES);
    o->seed               = number("WARPWRIGHT_SEED", 0);
    o->skip               = number("WARPWRIGHT_LAUNCH_SKIP", 0);
    o->count              = number("WARPWRIGHT_LAUNCH_COUNT", UINT64_MAX);
    return check_rows(why) && check_texts(o, why);
}
