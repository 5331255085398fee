/* SPDX-License-Identifier: Apache-2.0
 *
 * warpwright diff: two reports in continuous integration.  As `report A B`, with the lines that make the difference, a threshold, and
 * Markdown for the comment of a pull request. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "report/doc.h"

static json_t *load(const char *file)
{
    Str     why = {0};
    json_t *doc = doc_load(file, &why);
    if (!doc)
        fprintf(stderr, "%s\n", str_text(&why));
    str_free(&why);
    return doc;
}

/* 0 or an exit code after a message. */
static int write_markdown(const CliArgs *a, const json_t *compared)
{
    const char *file = cli_text(a, "markdown", NULL);
    Str         text = {0}, why = {0};
    int         code = CLI_OK;
    if (!file)
        return code;
    doc_compare_markdown(compared, a->operand[0], a->operand[1], &text);
    if (!strcmp(file, "-"))
        fputs(str_text(&text), stdout);
    else if (!doc_write(file, &text, &why))
        code = cli_error("diff", "%s", str_text(&why));
    str_free(&text);
    str_free(&why);
    return code;
}

static int diff(const CliArgs *a)
{
    json_t *base = load(a->operand[0]), *head = base ? load(a->operand[1]) : NULL, *compared = NULL;
    int     code = CLI_USAGE;
    Str     text = {0};
    if (head && !(compared = doc_compare(base, head, (double)cli_number(a, "threshold", 0) / 100)))
        cli_error("diff", "%s and %s cannot be compared: one is of a run, one of experiments", a->operand[0],
                  a->operand[1]);
    if (compared) {
        bool shown = !cli_has(a, "quiet") && strcmp(cli_text(a, "markdown", ""), "-") != 0;
        code       = write_markdown(a, compared);
        doc_compare_text(compared, true, &text);
        if (shown)
            fputs(str_text(&text), stdout);
        if (code == CLI_OK && cli_has(a, "fail-on-worse") && json_integer_value(json_object_get(compared, "worse")))
            code = CLI_FINDINGS;
    }
    str_free(&text);
    json_decref(compared);
    json_decref(head);
    json_decref(base);
    return code;
}

int cmd_diff(int argc, char **argv)
{
    CliArgs a;
    int     code;
    if (!cli_parse(&a, argc, argv, &code))
        return code;
    code = diff(&a);
    cli_free(&a);
    return code;
}
