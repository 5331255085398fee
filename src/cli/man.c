/* SPDX-License-Identifier: Apache-2.0
 *
 * The man page from the rows of options.def, in man(7) macros.  Carries no date: the same source gives the same page. */
#include "cli/cli.h"

#include <string.h>

#include "warpwright/warpwright.h"

/* troff reads a backslash, a hyphen that should stay a hyphen, and a dot or quote at a line's start. */
static void escaped(Str *out, const char *text)
{
    if (*text == '.' || *text == '\'')
        str_add(out, "\\&");
    for (; *text; text++) {
        if (*text == '\\')
            str_add(out, "\\e");
        else if (*text == '-')
            str_add(out, "\\-");
        else if (*text == '\'')
            str_add(out, "\\(aq");
        else if (*text == '|')
            str_add(out, "|\\:"); /* a long list of choices may break there */
        else
            str_addc(out, *text);
    }
}

static void option_entry(Str *out, const CliOption *o)
{
    str_add(out, ".TP\n");
    if (o->letter)
        str_printf(out, "\\fB\\-%c\\fR, ", o->letter);
    str_add(out, "\\fB\\-\\-");
    escaped(out, o->name);
    str_add(out, "\\fR");
    if (o->kind == CLI_OPTIONAL)
        str_printf(out, "[=\\fI%s\\fR]", o->meta);
    else if (o->kind != CLI_FLAG)
        str_printf(out, " \\fI%s\\fR", o->meta);
    str_addc(out, '\n');
    escaped(out, o->text);
    if (o->values[0]) {
        str_add(out, o->kind == CLI_CHOICE ? "; one of " : "; range ");
        escaped(out, o->values);
    }
    str_add(out, ".\n");
}

static void verb_section(Str *out, const CliVerb *v)
{
    size_t n;
    str_printf(out, ".SS \"warpwright %s\"\n\\fBwarpwright %s\\fR [\\fIOPTION\\fR...]", v->name, v->name);
    if (v->operands[0]) {
        str_add(out, " \\fI");
        escaped(out, v->operands);
        str_add(out, "\\fR");
    }
    str_add(out, "\n.PP\n");
    escaped(out, v->text);
    str_addc(out, '\n');
    const CliOption *o = cli_options(&n);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(o[i].verb, v->name) == 0)
            option_entry(out, &o[i]);
    }
}

/* Variables that are no option's.  Options of run are told to processes in variables of their names. */
static void environment(Str *out)
{
    static const struct {
        const char *name, *text;
    } rows[] = {
#define VARIABLE(name, text) {name, text},
#include "cli/variables.def"
#undef VARIABLE
    };
    str_add(out, ".SH ENVIRONMENT\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        str_printf(out, ".TP\n\\fB%s\\fR\n", rows[i].name);
        escaped(out, rows[i].text);
        str_addc(out, '\n');
    }
}

void cli_man(Str *out)
{
    size_t n;
    str_printf(
        out,
        ".TH WARPWRIGHT 1 \"\" \"warpwright %s\" \"User Commands\"\n"
        ".SH NAME\nwarpwright \\- CUDA memory access, emulated and measured\n"
        ".SH SYNOPSIS\n\\fBwarpwright\\fR \\fIVERB\\fR [\\fIOPTION\\fR...] [\\fIOPERAND\\fR...]\n"
        ".SH DESCRIPTION\nRuns CUDA kernels from PTX on an emulator or on a GPU, and shows what they do to memory.\n"
        ".SH VERBS\n",
        ww_version());
    const CliVerb *v = cli_verbs(&n);
    for (size_t i = 0; i < n; i++)
        verb_section(out, &v[i]);
    str_add(out, ".SH OPTIONS\n.TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nThe list of verbs; after a verb: its help.\n"
                 ".TP\n\\fB\\-V\\fR, \\fB\\-\\-version\\fR\nThe version.\n.SH EXAMPLES\n");
    const CliExample *e = cli_examples(&n);
    for (size_t i = 0; i < n; i++) {
        str_add(out, ".TP\n\\fBwarpwright ");
        escaped(out, e[i].command);
        str_add(out, "\\fR\n");
        escaped(out, e[i].text);
        str_addc(out, '\n');
    }
    environment(out);
    str_add(out, ".SH FILES\n.TP\n\\fI.warpwright\\fR\nDefaults of options for a project, in YAML: a verb, and under "
                 "it its options. Looked "
                 "for in the current folder and above it, up to the one that holds .git.\n"
                 ".TP\n\\fI~/.cache/warpwright\\fR\nWhat the next process need not compile again; may be removed at "
                 "any time.\n");
    str_add(out, ".SH EXIT STATUS\n.TP\n0\nSuccess.\n.TP\n120\nA kernel could not be run, or its result is wrong.\n"
                 ".TP\n121\nFindings at or above the chosen severity.\n.TP\n122\nUsage or input error.\n");
}
