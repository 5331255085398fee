/* SPDX-License-Identifier: Apache-2.0
 *
 * warpwright profile: a device profile as a file that --profile takes.  What such a file may say is model/profile_file.h's business. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "model/limits.h"

static int show(const char *name)
{
    Str            text = {0}, why = {0};
    const Profile *p    = profile_open(name, &why);
    int            code = p ? CLI_OK : cli_error("profile", "%s", str_text(&why));
    if (p && !p->from_file)
        p = limits_of(p).card; /* an architecture's own: its card */
    if (p) {
        profile_print(p, p->from_file ? p->timing : timing_row(p->name), &text);
        fputs(str_text(&text), stdout);
    }
    profile_close(p);
    str_free(&text);
    str_free(&why);
    return code;
}

int cmd_profile(int argc, char **argv)
{
    CliArgs a;
    int     code;
    if (!cli_parse(&a, argc, argv, &code))
        return code;
    if (strcmp(a.operand[0], "show") == 0)
        code = show(a.noperands > 1 ? a.operand[1] : NULL);
    else
        code = cli_error("profile", "'%s' is neither show nor measure", a.operand[0]);
    cli_free(&a);
    return code;
}
