/* SPDX-License-Identifier: Apache-2.0
 *
 * warpwright rules: the rows of rules.def, in the table's order. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check/rules.h"
#include "cli/cli.h"

static void print_row(const Rule *r)
{
    printf("%-22s  %-6s  %-7s  %s\n", r->id, r->category, r->severity, r->brief);
}

/* The folder that is `levels` above the program's own file; false: there is none. */
static bool folder_above(unsigned levels, char *out, size_t room)
{
    ssize_t n = readlink("/proc/self/exe", out, room - 1);
    char   *slash;
    if (n <= 0)
        return false;
    out[n] = 0;
    while (levels-- && (slash = strrchr(out, '/')))
        *slash = 0;
    return *out;
}

/* Where the rule's page is: beside an installed program, or in the sources that it was built in; nothing where it is in neither place. */
static void print_page(const char *id)
{
    static const struct {
        unsigned    levels;
        const char *folder;
    } places[] = {{2, "share/doc/warpwright/rules"}, {3, "docs/rules"}};
    char above[PATH_MAX], page[PATH_MAX];
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (!folder_above(places[i].levels, above, sizeof above))
            continue;
        int n = snprintf(page, sizeof page, "%s/%s/%s.md", above, places[i].folder, id);
        if (n > 0 && (size_t)n < sizeof page && access(page, R_OK) == 0) {
            printf("    see %s\n", page);
            return;
        }
    }
}

static void print_rule(const Rule *r)
{
    print_row(r);
    printf("    %s\n", r->text);
    if (*r->thresholds)
        printf("    thresholds: %s\n", r->thresholds);
    if (r->cuda_error)
        printf("    a program is told %s\n", r->cuda_error);
    print_page(r->id);
}

int cmd_rules(int argc, char **argv)
{
    CliArgs a;
    int     code;
    if (!cli_parse(&a, argc, argv, &code))
        return code;
    for (int i = 0; i < RULE_COUNT && !a.noperands; i++)
        print_row(rule_row((RuleId)i));
    for (size_t k = 0; k < a.noperands && code == CLI_OK; k++) {
        bool any = false;
        for (int i = 0; i < RULE_COUNT; i++) {
            const Rule *r = rule_row((RuleId)i);
            if (strcmp(r->id, a.operand[k]) != 0 && strcmp(r->category, a.operand[k]) != 0)
                continue;
            print_rule(r);
            any = true;
        }
        Str hint = {0};
        rules_hint(a.operand[k], strlen(a.operand[k]), &hint);
        if (!any)
            code = cli_error("rules", "there is no rule or category '%s'%s", a.operand[k], str_text(&hint));
        str_free(&hint);
    }
    cli_free(&a);
    return code;
}
