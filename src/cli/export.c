/* SPDX-License-Identifier: Apache-2.0
 *
 * What options tell the library, or child processes, through the environment.  Paths are made absolute on the way, because child processes may
 * run in other folders. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cache.h"
#include "cli/cli.h"

void cli_export_path(const char *variable, const char *path)
{
    Str  s = {0};
    char cwd[PATH_MAX];
    if (path[0] != '/' && getcwd(cwd, sizeof cwd))
        str_printf(&s, "%s/", cwd);
    str_add(&s, path);
    setenv(variable, s.s, 1);
    str_free(&s);
}

bool cli_export_cache(const CliArgs *a)
{
    const char *said = cli_text(a, "cache", NULL);
    if (said && !strcmp(said, "off"))
        setenv(CACHE_VARIABLE, said, 1);
    else if (said)
        cli_export_path(CACHE_VARIABLE, said);
    else if (cache_misnamed())
        cli_error(a->verb->name, CACHE_VARIABLE ": '%s' is neither 'off' nor an absolute path", cache_misnamed());
    return said || !cache_misnamed();
}

/* "memcheck" and the like as rules; NULL: --tool is not given. */
static const char *rules_of_tool(const CliArgs *a)
{
    static const char *const of_tool[] = {"memory,host", "race", "init", "sync"};
    int                      tool      = cli_choice(a, "tool", -1);
    return tool >= 0 ? of_tool[tool] : NULL;
}

void cli_add_rules(CliArgs *a)
{
    bool there = !strcmp(a->verb->name, "run") || !strcmp(a->verb->name, "check"); /* they have the options */
    if (!there || !cli_has(a, "track-unused-memory"))
        return;
    size_t           n;
    const CliOption *o     = cli_options(&n);
    bool             alone = !cli_has(a, "check") && !rules_of_tool(a) && strcmp(a->verb->name, "check") != 0;
    Str              text  = {0};
    if (!alone)
        str_printf(&text, "%s,", cli_rules(a) ? cli_rules(a) : "");
    str_add(&text, "unused-memory,unread-memory");
    while (strcmp(o->verb, a->verb->name) != 0 || strcmp(o->name, "check") != 0)
        o++;
    a->kept                = xrealloc(a->kept, (a->nkept + 1) * sizeof *a->kept);
    a->kept[a->nkept++]    = text.s;
    a->value               = xrealloc(a->value, (a->nvalues + 1) * sizeof *a->value);
    a->value[a->nvalues++] = (CliValue){.option = o, .text = text.s};
}

const char *cli_rules(const CliArgs *a)
{
    return cli_has(a, "check") ? cli_text(a, "check", "") : rules_of_tool(a);
}

const char *cli_fail_on(const CliArgs *a)
{
    return cli_text(a, "fail-on", cli_has(a, "error-exitcode") ? "error" : NULL);
}

static bool has_option(const CliArgs *a, const char *name)
{
    size_t           n;
    const CliOption *o = cli_options(&n);
    for (size_t i = 0; i < n; i++)
        if (!strcmp(o[i].verb, a->verb->name) && !strcmp(o[i].name, name))
            return true;
    return false;
}

DocFiles cli_files(const CliArgs *a)
{
    DocFiles files = {0};
    for (int f = 0; f < DOC_FORMATS; f++) {
        const char *option = doc_format_option((DocFormat)f);
        files.file[f]      = has_option(a, option) ? cli_text(a, option, NULL) : NULL;
    }
    return files;
}

bool cli_keeps(const CliArgs *a)
{
    DocFiles files = cli_files(a);
    for (int f = 0; f < DOC_FORMATS; f++)
        if (files.file[f])
            return true;
    return false;
}
