/* SPDX-License-Identifier: Apache-2.0
 *
 * warpwright help: what the rows of options.def say, for people, for man and for shells. */
#include <stdio.h>

#include "cli/cli.h"

int cmd_help(int argc, char **argv)
{
    CliArgs a;
    int     code;
    if (!cli_parse(&a, argc, argv, &code))
        return code;
    Str            text = {0};
    const CliVerb *verb = a.noperands ? cli_find_verb(a.operand[0]) : NULL;
    if (a.noperands && !verb) {
        cli_verb_hint(a.operand[0], &text);
        code = cli_error("help", "there is no verb '%s'%s", a.operand[0], str_text(&text));
        str_clear(&text);
    } else if (cli_has(&a, "man"))
        cli_man(&text);
    else if (cli_has(&a, "completion"))
        cli_completion(cli_text(&a, "completion", ""), &text); /* the name was checked against the row's choices */
    else if (verb)
        cli_help_verb(verb, &text);
    else
        cli_help(&text);
    fputs(str_text(&text), stdout);
    str_free(&text);
    cli_free(&a);
    return code;
}
