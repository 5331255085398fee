/* SPDX-License-Identifier: Apache-2.0
 *
 * Help texts from the rows of options.def: two columns, wrapped at WIDTH.  Nothing about a verb is written here.
 * The width is fixed, so the texts are the same on every terminal and can be compared. */
#include "cli/cli.h"

#include <string.h>

enum { WIDTH = 100, COLUMN = 28, VERB_COLUMN = 12 };

/* Appends text wrapped between the columns `at` and WIDTH; the first line begins where the cursor is, at column `at`. */
static void wrap(Str *out, const char *text, size_t at)
{
    size_t col = at;
    while (*text) {
        size_t n = strcspn(text, " ");
        if (col > at && col + 1 + n > WIDTH) {
            str_printf(out, "\n%*s", (int)at, "");
            col = at;
        } else if (col > at) {
            str_addc(out, ' ');
            col++;
        }
        str_addn(out, text, n);
        col += n;
        text += n;
        while (*text == ' ')
            text++;
    }
    str_addc(out, '\n');
}

void cli_help(Str *out)
{
    str_add(out, "Usage: warpwright VERB [OPTION...] [OPERAND...]\n\n"
                 "Runs CUDA kernels on an emulator or on a GPU and shows what they do to memory.\n\nVerbs:\n");
    size_t         n;
    const CliVerb *v = cli_verbs(&n);
    for (size_t i = 0; i < n; i++) {
        str_printf(out, "  %-*s", VERB_COLUMN - 2, v[i].name);
        wrap(out, v[i].summary, VERB_COLUMN);
    }
    str_add(out, "\nOptions:\n  -h, --help     this text\n  -V, --version  the version\n\n"
                 "'warpwright help VERB' explains a verb.\n");
}

static void option_line(Str *out, const CliOption *o)
{
    size_t begin = out->len;
    if (o->letter)
        str_printf(out, "  -%c, --%s", o->letter, o->name);
    else
        str_printf(out, "      --%s", o->name);
    if (o->kind == CLI_OPTIONAL)
        str_printf(out, "[=%s]", o->meta);
    else if (o->kind != CLI_FLAG)
        str_printf(out, " %s", o->kind == CLI_CHOICE && strlen(o->values) < 16 ? o->values : o->meta);
    size_t used = out->len - begin;
    if (used + 2 > COLUMN)
        str_printf(out, "\n%*s", COLUMN, "");
    else
        str_printf(out, "%*s", (int)(COLUMN - used), "");
    Str text = {0};
    str_add(&text, o->text);
    if (o->kind == CLI_CHOICE && strlen(o->values) >= 16)
        str_printf(&text, ": %s", o->values);
    else if (o->kind == CLI_NUMBER && o->values[0])
        str_printf(&text, " [%s]", o->values);
    wrap(out, str_text(&text), COLUMN);
    str_free(&text);
}

void cli_help_verb(const CliVerb *v, Str *out)
{
    size_t           n;
    const CliOption *o = cli_options(&n);
    str_printf(out, "Usage: warpwright %s [OPTION...]%s%s\n\n", v->name, v->operands[0] ? " " : "", v->operands);
    wrap(out, v->text, 0);
    str_add(out, "\nOptions:\n");
    for (size_t i = 0; i < n; i++) {
        if (strcmp(o[i].verb, v->name) == 0)
            option_line(out, &o[i]);
    }
    str_printf(out, "  %-*s%s\n", COLUMN - 2, "-h, --help", "this text");
    const CliExample *e     = cli_examples(&n);
    bool              first = true;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(e[i].verb, v->name) != 0)
            continue;
        str_printf(out, "%s  warpwright %s\n      %s\n", first ? "\nExamples:\n" : "", e[i].command, e[i].text);
        first = false;
    }
}
