/* SPDX-License-Identifier: Apache-2.0
 *
 * NVTX ranges on the command line of run: their expressions are looked at before anything runs, and go to the program's processes by the
 * environment, one a line. */
#include "report/ranges.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static bool is_list(const CliValue *v)
{
    return !strcmp(v->option->name, "nvtx-include") || !strcmp(v->option->name, "nvtx-exclude");
}

bool cli_check_ranges(const CliArgs *a, Str *why)
{
    Str what = {0};
    for (size_t i = 0; i < a->nvalues && !why->len; i++)
        if (is_list(&a->value[i]) && !range_check(a->value[i].text, &what))
            str_printf(why, "--%s '%s': %s", a->value[i].option->name, a->value[i].text, str_text(&what));
    str_free(&what);
    return !why->len;
}

static void pass_list(const CliArgs *a, const char *option, const char *variable)
{
    Str all = {0};
    for (size_t i = 0; i < a->nvalues; i++)
        if (!strcmp(a->value[i].option->name, option))
            str_printf(&all, "%s%s", all.len ? "\n" : "", a->value[i].text);
    if (all.len)
        setenv(variable, all.s, 1);
    str_free(&all);
}

/* NVTX's header loads what the variable names; a program that brings a tool of its own keeps it. */
void cli_export_ranges(const CliArgs *a, const char *libs)
{
    Str core = {0};
    str_printf(&core, "%s/libwarpwright-cuda.so", libs);
    setenv("NVTX_INJECTION64_PATH", core.s, 0);
    str_free(&core);
    if (cli_has(a, "nvtx"))
        setenv("WARPWRIGHT_NVTX", "1", 1);
    pass_list(a, "nvtx-include", "WARPWRIGHT_NVTX_INCLUDE");
    pass_list(a, "nvtx-exclude", "WARPWRIGHT_NVTX_EXCLUDE");
}
