/* SPDX-License-Identifier: Apache-2.0
 *
 * warpwright report: renders what run, check, lab and bench wrote with --json, and compares two of them.  With one document: its text,
 * with two: what got better or worse from the first to the second; --html and --sarif render the last one given. */
#include <stdio.h>
#include <unistd.h>

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

static int render(const CliArgs *a, const json_t *doc, const json_t *compared)
{
    Str         page = {0}, text = {0}, why = {0};
    const char *html     = cli_text(a, "html", NULL);
    DocFiles    files    = cli_files(a);
    files.file[DOC_HTML] = NULL; /* with the comparison */
    if (html)
        doc_html(doc, a->operand[0], compared, &page);
    bool ok   = (!html || doc_write(html, &page, &why)) && doc_render(doc, &files, &why);
    int  code = ok ? CLI_OK : cli_error("report", "%s", str_text(&why));
    if (!cli_has(a, "quiet") && compared)
        doc_compare_text(compared, false, &text);
    else if (!cli_has(a, "quiet"))
        doc_text(doc, isatty(STDOUT_FILENO), &text);
    fputs(str_text(&text), stdout);
    str_free(&text);
    str_free(&page);
    str_free(&why);
    return code;
}

static int report(const CliArgs *a)
{
    json_t *before = a->noperands == 2 ? load(a->operand[0]) : NULL, *compared = NULL;
    json_t *doc  = a->noperands == 1 || before ? load(a->operand[a->noperands - 1]) : NULL;
    int     code = CLI_USAGE;
    if (doc && cli_has(a, "sarif") && !doc_is_run(doc))
        code =
            cli_error("report", "--sarif: %s holds experiments, which have no findings", a->operand[a->noperands - 1]);
    else if (doc && before && !(compared = doc_compare(before, doc, 0)))
        code = cli_error("report", "%s and %s cannot be compared: one is of a run, one of experiments", a->operand[0],
                         a->operand[1]);
    else if (doc)
        code = render(a, doc, compared);
    if (code == CLI_OK && cli_has(a, "fail-on-worse") && json_integer_value(json_object_get(compared, "worse")))
        code = CLI_FINDINGS;
    json_decref(compared);
    json_decref(doc);
    json_decref(before);
    return code;
}

int cmd_report(int argc, char **argv)
{
    CliArgs a;
    int     code;
    if (!cli_parse(&a, argc, argv, &code))
        return code;
    code = report(&a);
    cli_free(&a);
    return code;
}
