/* SPDX-License-Identifier: Apache-2.0
 *
 * warpwright: finds the verb and runs it.  Verbs and their options are rows of options.def; each verb's code is in cmd_<verb>.c.  A row
 * without its function cmd_<verb> does not link, so the table cannot promise what is not there.
 * Exit codes: the verb's own, CLI_USAGE for what could not be understood, and CLI_USAGE when the output could not be written
 * (a full disk must not look like success). */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "warpwright/warpwright.h"

static void print_help(FILE *to)
{
    Str text = {0};
    cli_help(&text);
    fputs(str_text(&text), to);
    str_free(&text);
}

static int unknown_verb(const char *given)
{
    Str hint = {0};
    cli_verb_hint(given, &hint);
    fprintf(stderr, "warpwright: error: unknown %s '%s'%s\n", given[0] == '-' ? "option" : "verb", given,
            str_text(&hint));
    str_free(&hint);
    fputs("Try 'warpwright help'.\n", stderr);
    return CLI_USAGE;
}

static int (*const runs[])(int argc, char **argv) = {
/* in the order of cli_verbs */
#define VERB(id, operands, min, max, summary, text) cmd_##id,
#define OPTION(verb, name, letter, kind, meta, values, text)
#define EXAMPLE(verb, command, text)
#include "cli/options.def"
#undef VERB
#undef OPTION
#undef EXAMPLE
};

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        printf("warpwright %s\n", ww_version());
        return CLI_OK;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return CLI_OK;
    }
    size_t         n;
    const CliVerb *v = cli_find_verb(argv[1]);
    return v ? runs[v - cli_verbs(&n)](argc - 1, argv + 1) : unknown_verb(argv[1]);
}

/* Under this name it stands in for another program (lib/warpwright/bin). */
static bool is_called(const char *name, const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return path && !strcmp(slash ? slash + 1 : path, name);
}

int main(int argc, char **argv)
{
    int code = argc > 0 && is_called("ptxas", argv[0]) ? cli_ptxas(argc, argv) : dispatch(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "warpwright: error: cannot write standard output: %s\n", strerror(errno));
        return CLI_USAGE;
    }
    return code;
}
