/* SPDX-License-Identifier: Apache-2.0
 *
 * The frame of the command line.  A verb is a row VERB of options.def and a function cmd_<id> in cmd_<id>.c:
 *
 *     int cmd_access(int argc, char **argv)            // argv[0] is the verb
 *     {
 *         CliArgs a;
 *         int     code;
 *         if (!cli_parse(&a, argc, argv, &code))       // --help was answered, or an error printed
 *             return code;
 *         const Profile *profile = cli_profile(&a);
 *         uint64_t    mask    = cli_number(&a, "mask", 0xffffffff);
 *         ...
 *         if (!cli_has(&a, "space"))
 *             code = cli_error("access", "--space is needed");    // prints, gives 122
 *         cli_free(&a);
 *         return code;
 *     }
 *
 * Options stand in options.def and nowhere else: help, man page and completions come from there.  Naming an option that its verb
 * does not have is our own fault: an assert.  Options may be abbreviated and mixed with operands; after -- all are operands.
 * A value option that is given twice: the last one counts (KIND LIST keeps all, in CliArgs.value). */
#ifndef WW_CLI_CLI_H
#define WW_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/str.h"
#include "model/profile_file.h"
#include "report/formats.h"

/* Exit codes beside a program's own; the strongest counts: usage, then kernel, then findings. */
enum { CLI_OK = 0, CLI_KERNEL = 120, CLI_FINDINGS = 121, CLI_USAGE = 122 };

enum { CLI_MANY = 1 << 30 };

typedef enum CliKind { CLI_FLAG, CLI_NUMBER, CLI_HEX, CLI_TEXT, CLI_FILE, CLI_CHOICE, CLI_PROFILE, CLI_BLOCKS, CLI_LIST, CLI_OPTIONAL } CliKind;

typedef struct CliOption {
    const char *verb, *name;
    char        letter; /* 0 = none */
    CliKind     kind;
    const char *meta, *values, *text;
} CliOption;

typedef struct CliVerb {
    const char *name;
    const char *operands;
    int         min, max;
    const char *summary, *text;
} CliVerb;

typedef struct CliExample {
    const char *verb, *command, *text;
} CliExample;

typedef struct CliValue {
    const CliOption *option;
    const char      *text;   /* as given; NULL for a flag */
    uint64_t         number; /* NUMBER and HEX */
    const Profile   *profile; /* PROFILE */
} CliValue;

typedef struct CliArgs {
    const CliVerb *verb;
    CliValue      *value; /* in the order given */
    size_t         nvalues;
    const char   **operand;
    size_t         noperands;
    char         **kept; size_t nkept; /* texts of the project file (project.c) */
} CliArgs;

/* ---- for verbs (args.c) ------------------------------------------------------------------------------------------ */

/* True: go on with *a, and cli_free it later.  False: leave with *code (nothing to free). */
bool cli_parse(CliArgs *a, int argc, char **argv, int *code);
void cli_free(CliArgs *a);

bool        cli_has(const CliArgs *a, const char *name);
const char *cli_text(const CliArgs *a, const char *name, const char *fallback);
/* The profile that --profile names, until cli_free; without it the default. */
const Profile *cli_profile(const CliArgs *a);
uint64_t    cli_number(const CliArgs *a, const char *name, uint64_t fallback);
/* For CHOICE: the index of the word in the row's values, or fallback. */
int cli_choice(const CliArgs *a, const char *name, int fallback);

/* Prints "warpwright VERB: error: ..." and where to read on to stderr; gives CLI_USAGE. */
int cli_error(const char *verb, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A whole file ("-": standard input), zero-terminated, to be freed; NULL after a message of cli_error's form on stderr. */
char *cli_read(const char *verb, const char *path, size_t *len);
/* Where tables and texts go: to standard error where --json - has taken standard output. */
FILE       *cli_table(const CliArgs *a);
/* What --color says of this descriptor; the verb has that option. */
bool        cli_coloured(const CliArgs *a, int fd);
/* Before a long run: whether its file can be written at all; false after a message. */
bool cli_can_write(const char *verb, const char *path);
/* The same for --json, where it is given: it may replace a report, and with --force anything. */
bool cli_can_report(const CliArgs *a);
/* The files that the options of that name ask for; the verb has some of them. */
DocFiles    cli_files(const CliArgs *a);
bool        cli_keeps(const CliArgs *a); /* is there any? */
/* The rules that --track-unused-memory asks for come behind the others; cli_parse's. */
void        cli_add_rules(CliArgs *a);
/* The rules that --check, --tool or --track-unused-memory ask for; NULL: none is given. */
const char *cli_rules(const CliArgs *a);
/* What --fail-on says, or with --error-exitcode alone "error"; NULL: neither is given. */
const char *cli_fail_on(const CliArgs *a);
/* ranges.c: are the ranges of --nvtx-include and --nvtx-exclude expressions?  *why says which is not.  What they choose is told to the program's
 * processes, and that NVTX finds the core library in the folder libs. */
bool        cli_check_ranges(const CliArgs *a, Str *why);
void        cli_export_ranges(const CliArgs *a, const char *libs);
/* Sets a variable to the path, made absolute. (export.c) */
void cli_export_path(const char *variable, const char *path);
/* --cache, where it is given, becomes $WARPWRIGHT_CACHE; false after a message: the variable was wrong already. */
bool cli_export_cache(const CliArgs *a);
/* engine.c: is --time asked for?  After a note where the figures of the profile's card are not known. */
bool        cli_time(const CliArgs *a);
/* engine.c: what --engine says, NULL where it is not given; after a note where no native code can be made. */
const char *cli_engine(const CliArgs *a);

/* ---- the table (table.c) and what is made from it ------------------------------------------------------------------ */

/* int cmd_<verb>(int argc, char **argv), one for each row VERB. */
#define OPTION(verb, name, letter, kind, meta, values, text)
#define EXAMPLE(verb, command, text)
#define VERB(id, operands, min, max, summary, text) int cmd_##id(int argc, char **argv);
#include "cli/options.def"
#undef VERB
#undef EXAMPLE
#undef OPTION

const CliVerb    *cli_verbs(size_t *count);
const CliOption  *cli_options(size_t *count);
const CliExample *cli_examples(size_t *count);
const CliVerb    *cli_find_verb(const char *name);
/* Appends "; did you mean 'VERB'?" where one is near. */
void              cli_verb_hint(const char *name, Str *out);
void              cli_help(Str *out);                         /* the list of verbs */
void              cli_help_verb(const CliVerb *v, Str *out);
void              cli_man(Str *out);                          /* troff */
bool              cli_completion(const char *shell, Str *out); /* false: no such shell */

/* The stand-in for NVIDIA's assembler (ptxas.c), with its arguments; its exit code. */
int cli_ptxas(int argc, char **argv);

#endif
