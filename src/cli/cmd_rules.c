/* SPDX-License-Identifier: Apache-2.0
 *
 * warpwright rules: the rows of rules.def, in the table's order. */
#include <stdio.h>
#include <string.h>

#include "check/rules.h"
#include "cli/cli.h"

static void print_row(const Rule *r)
{
    printf("%-22s  %-6s  %-7s  %s\n", r->id, r->category, r->severity, r->brief);
}

static void print_rule(const Rule *r)
{
    print_row(r);
    printf("    %s\n", r->text);
    if (*r->thresholds)
        printf("    thresholds: %s\n", r->thresholds);
    if (r->cuda_error)
        printf("    a program is told %s\n", r->cuda_error);
    printf("    see docs/rules/%s.md\n", r->id);
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
        if (!any)
            code = cli_error("rules", "there is no rule or category '%s'", a.operand[k]);
    }
    cli_free(&a);
    return code;
}
