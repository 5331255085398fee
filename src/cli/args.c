/* SPDX-License-Identifier: Apache-2.0
 *
 * Parses a verb's arguments by the rows of options.def.  getopt_long does the walk (abbreviations, --name=value, options after
 * operands, --); this file checks values and words the messages.  Every error is one line "warpwright VERB: error: ..." that
 * names the offending text, what was expected, and where to read on; the exit code is then CLI_USAGE.
 *
 * Not modelled: options whose meaning depends on their place. */
#include "cli/cli.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/nearest.h"
#include "base/value.h"
#include "cli/project.h"
#include "report/doc.h"

enum { CODE_OPTION = 256, MAX_OPTIONS = 64, MAX_WORD = 32 };

int cli_error(const char *verb, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    Str text = {0};
    str_vprintf(&text, fmt, ap);
    va_end(ap);
    fprintf(stderr, "warpwright %s: error: %s\nTry 'warpwright help %s'.\n", verb, str_text(&text), verb);
    str_free(&text);
    return CLI_USAGE;
}

/* Checks the value of one option; false after a message. */
static bool check_value(const CliOption *o, CliValue *v)
{
    int      word;
    uint32_t first, random;
    bool     ok  = true;
    Str      why = {0};
    switch (o->kind) {
    case CLI_NUMBER: ok = value_number(v->text, o->values, &v->number, &why); break;
    case CLI_HEX: ok = value_hex(v->text, &v->number, &why); break;
    case CLI_CHOICE: ok = value_choice(v->text, o->values, &word, &why); break;
    case CLI_BLOCKS: ok = value_blocks(v->text, &first, &random, &why); break;
    case CLI_PROFILE:
        v->profile = *v->text ? profile_open(v->text, &why) : NULL;
        ok         = v->profile;
        if (!*v->text)
            profile_missing(v->text, &why);
        break;
    case CLI_FLAG:
    case CLI_TEXT:
    case CLI_FILE:
    case CLI_LIST:
    case CLI_OPTIONAL: break;
    }
    if (!ok)
        cli_error(o->verb, "--%s: %s", o->name, str_text(&why));
    str_free(&why);
    return ok;
}

typedef struct Table { /* a verb's rows in getopt's shape */
    struct option    longs[MAX_OPTIONS];
    const CliOption *row[MAX_OPTIONS];
    const char      *words[MAX_OPTIONS + 1];
    char             letters[2 * MAX_OPTIONS + 4];
    int              count;
} Table;

static void table_make(const CliVerb *verb, Table *t)
{
    size_t           n;
    const CliOption *o = cli_options(&n);
    char            *s = t->letters;
    *s++               = ':'; /* tell a missing value from an unknown option */
    *s++               = 'h';
    t->count           = 0;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(o[i].verb, verb->name) != 0)
            continue;
        assert(t->count < MAX_OPTIONS - 2);
        bool flag          = o[i].kind == CLI_FLAG;
        int  argument      = flag ? no_argument : o[i].kind == CLI_OPTIONAL ? optional_argument : required_argument;
        t->longs[t->count] = (struct option){o[i].name, argument, NULL, CODE_OPTION + t->count};
        t->words[t->count] = o[i].name;
        t->row[t->count++] = &o[i];
        if (o[i].letter) {
            *s++ = o[i].letter;
            if (!flag)
                *s++ = ':';
        }
    }
    *s                     = '\0';
    t->longs[t->count]     = (struct option){"help", no_argument, NULL, 'h'};
    t->words[t->count]     = "help";
    t->longs[t->count + 1] = (struct option){NULL, 0, NULL, 0};
    t->words[t->count + 1] = NULL;
}

static const CliOption *row_of(const Table *t, int c)
{
    if (c >= CODE_OPTION)
        return t->row[c - CODE_OPTION];
    for (int i = 0; i < t->count; i++) {
        if (t->row[i]->letter == c)
            return t->row[i];
    }
    return NULL;
}

/* What other tools call otherwise. */
static const struct {
    const char *theirs, *ours, *with;
} elsewhere[] = {
#define ELSEWHERE(theirs, ours, with) {theirs, ours, with},
#include "cli/elsewhere.def"
#undef ELSEWHERE
};

/* Is it another tool's name for an option of this verb?  Then it is said which. */
static bool told_from_elsewhere(const CliVerb *verb, const Table *t, const char *name)
{
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        for (int k = 0; strcmp(elsewhere[i].theirs, name) == 0 && k < t->count; k++)
            if (strcmp(t->row[k]->name, elsewhere[i].ours) == 0) {
                cli_error(verb->name, "unknown option '--%s'; here that is '--%s%s'", name, elsewhere[i].ours,
                          elsewhere[i].with);
                return true;
            }
    return false;
}

/* getopt did not know the option: say which and what it may have been. */
static void unknown_option(const CliVerb *verb, const Table *t, const char *given)
{
    if (strncmp(given, "--", 2) != 0) {
        cli_error(verb->name, "unknown option '-%c'", optopt ? optopt : given[1]);
        return;
    }
    char   name[MAX_WORD + 1];
    size_t n = strcspn(given + 2, "=");
    snprintf(name, sizeof name, "%.*s", (int)(n > MAX_WORD ? MAX_WORD : n), given + 2);
    int same = 0;
    for (int i = 0; i < t->count; i++)
        same += strncmp(t->row[i]->name, name, strlen(name)) == 0;
    const char *near = nearest_word(name, t->words);
    if (!same && !optopt && told_from_elsewhere(verb, t, name))
        return;
    if (same > 1)
        cli_error(verb->name, "option '--%s' is the beginning of several", name);
    else if (optopt)
        cli_error(verb->name, "option '--%s' takes no value", name);
    else if (near)
        cli_error(verb->name, "unknown option '--%s'; did you mean '--%s'?", name, near);
    else
        cli_error(verb->name, "unknown option '--%s'", name);
}

/* One step of getopt's answer; false: leave with *code. */
static bool take(CliArgs *a, const Table *t, int c, char **argv, int *code)
{
    *code = CLI_USAGE;
    if (c == 'h') {
        Str text = {0};
        cli_help_verb(a->verb, &text);
        fputs(str_text(&text), stdout);
        str_free(&text);
        *code = CLI_OK;
        return false;
    }
    if (c == ':') {
        const CliOption *o = row_of(t, optopt);
        cli_error(a->verb->name, "option '--%s' needs a value: %s", o->name, o->values[0] ? o->values : o->meta);
        return false;
    }
    if (c == '?') {
        unknown_option(a->verb, t, argv[optind - 1]);
        return false;
    }
    a->value    = xrealloc(a->value, (a->nvalues + 1) * sizeof *a->value); /* one word may hold several: -qq */
    CliValue *v = &a->value[a->nvalues++];
    *v          = (CliValue){.option = row_of(t, c)};
    v->text     = v->option->kind == CLI_FLAG ? NULL : optarg ? optarg : "";
    return true;
}

bool cli_parse(CliArgs *a, int argc, char **argv, int *code)
{
    Table t;
    *a    = (CliArgs){.verb = cli_find_verb(argv[0])};
    *code = CLI_OK;
    assert(a->verb);
    table_make(a->verb, &t);
    a->operand = xcalloc((size_t)argc + 1, sizeof *a->operand);
    opterr     = 0;
    optind     = 0; /* glibc: start anew, whatever was parsed before */
    optopt     = 0;
    int c;
    while ((c = getopt_long(argc, argv, t.letters, t.longs, NULL)) != -1) {
        if (!take(a, &t, c, argv, code)) {
            cli_free(a);
            return false;
        }
    }
    *code   = CLI_OK;
    Str why = {0};
    if (!project_defaults(a, &why))
        *code = cli_error(a->verb->name, "%s", str_text(&why));
    str_free(&why);
    for (size_t i = 0; i < a->nvalues && *code == CLI_OK; i++)
        if (!check_value(a->value[i].option, &a->value[i]))
            *code = CLI_USAGE;
    if (*code != CLI_OK) {
        cli_free(a);
        return false;
    }
    while (optind < argc)
        a->operand[a->noperands++] = argv[optind++];
    if ((int)a->noperands > a->verb->max) {
        *code = a->verb->max ? cli_error(a->verb->name, "too many operands: '%s'", a->operand[a->verb->max])
                             : cli_error(a->verb->name, "takes no operands: '%s'", a->operand[0]);
    } else if ((int)a->noperands < a->verb->min) {
        *code = cli_error(a->verb->name, "an operand is missing: %s", a->verb->operands);
    }
    if (*code != CLI_OK)
        cli_free(a);
    else
        cli_add_rules(a);
    return *code == CLI_OK;
}

void cli_free(CliArgs *a)
{
    for (size_t i = 0; i < a->nkept; i++)
        free(a->kept[i]);
    for (size_t i = 0; i < a->nvalues; i++)
        profile_close(a->value[i].profile);
    free(a->kept);
    free(a->value);
    free(a->operand);
    *a = (CliArgs){0};
}

/* The last value given for an option, or NULL. */
static const CliValue *value_of(const CliArgs *a, const char *name)
{
    size_t           n;
    const CliOption *o     = cli_options(&n);
    bool             known = false;
    for (size_t i = 0; i < n && !known; i++)
        known = strcmp(o[i].verb, a->verb->name) == 0 && strcmp(o[i].name, name) == 0;
    assert(known);
    for (size_t i = a->nvalues; i-- > 0;) {
        if (strcmp(a->value[i].option->name, name) == 0)
            return &a->value[i];
    }
    return NULL;
}

bool cli_has(const CliArgs *a, const char *name)
{
    return value_of(a, name) != NULL;
}

const char *cli_text(const CliArgs *a, const char *name, const char *fallback)
{
    const CliValue *v = value_of(a, name);
    return v ? v->text : fallback;
}

const Profile *cli_profile(const CliArgs *a)
{
    const CliValue *v = value_of(a, "profile");
    return v ? v->profile : profile_find(NULL);
}

uint64_t cli_number(const CliArgs *a, const char *name, uint64_t fallback)
{
    const CliValue *v = value_of(a, name);
    return v ? v->number : fallback;
}

int cli_choice(const CliArgs *a, const char *name, int fallback)
{
    const CliValue *v = value_of(a, name);
    int             word;
    Str             why = {0};
    if (!v)
        return fallback;
    value_choice(v->text, v->option->values, &word, &why); /* it was checked */
    return word;
}

enum { MAX_FILE = 1 << 30 }; /* so that an endless file is an error while there is memory left */

char *cli_read(const char *verb, const char *path, size_t *len)
{
    bool  in = strcmp(path, "-") == 0;
    FILE *f  = in ? stdin : file_read(path);
    if (!f) {
        cli_error(verb, "cannot open '%s': %s", path, file_error(errno));
        return NULL;
    }
    Str    text = {0};
    char   part[1 << 16];
    size_t n;
    errno = 0;
    while (text.len <= MAX_FILE && (n = fread(part, 1, sizeof part, f)) > 0)
        str_addn(&text, part, n);
    bool bad = ferror(f) != 0 || text.len > MAX_FILE;
    int  why = text.len > MAX_FILE ? EFBIG : errno;
    if (!in)
        fclose(f);
    if (bad) {
        cli_error(verb, "cannot read '%s': %s", path, strerror(why));
        str_free(&text);
        return NULL;
    }
    if (!text.s)
        text.s = xcalloc(1, 1);
    *len = text.len;
    return text.s; /* Str's memory is malloc's */
}

bool cli_can_report(const CliArgs *a)
{
    const char *pattern = cli_text(a, "json", NULL);
    Str         name    = {0};
    if (!pattern || strcmp(pattern, "-") == 0)
        return true;
    doc_name(pattern, &name);
    bool ok = cli_has(a, "force") || doc_may_replace(name.s);
    if (!ok)
        cli_error(a->verb->name, "--json %s: the file exists and is no report; --force replaces it", name.s);
    ok = ok && cli_can_write(a->verb->name, name.s);
    str_free(&name);
    return ok;
}

bool cli_coloured(const CliArgs *a, int fd)
{
    enum { AUTO, ALWAYS, NEVER };
    int when = cli_choice(a, "color", AUTO);
    return when == ALWAYS || (when == AUTO && isatty(fd) && !getenv("NO_COLOR"));
}

FILE *cli_table(const CliArgs *a)
{
    return strcmp(cli_text(a, "json", ""), "-") == 0 ? stderr : stdout;
}

bool cli_can_write(const char *verb, const char *path)
{
    struct stat st;
    FILE       *f = file_append(path);
    if (!f)
        cli_error(verb, "cannot write %s: %s", path, file_error(errno));
    else if (fstat(fileno(f), &st) != 0 ||
             !S_ISFIFO(st.st_mode)) /* a pipe stays open: to its reader, a close is the end */
        fclose(f);
    return f != NULL;
}
