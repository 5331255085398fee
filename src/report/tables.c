/* SPDX-License-Identifier: Apache-2.0
 *
 * A document for programs that read no JSON: comma-separated values of the launches, and JUnit's XML, which every CI server shows.
 *
 * CSV (RFC 4180): a row for each entry of kernels[], its place in the run and then every counter by its name; a counter that an entry lacks is
 * empty.  JUnit: a test case for each kernel, and one for the host's side where findings belong to no kernel.  An error is a failure of its case,
 * a launch that could not be run or ended early an error; warnings and notes are its output, so they break no build. */
#include <inttypes.h>
#include <string.h>

#include "report/doc.h"
#include "warpwright/warpwright.h"

static const char *text(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

/* ---- CSV ---- */

static void csv_field(const char *s, Str *out)
{
    if (!strpbrk(s, ",\"\r\n")) {
        str_add(out, s);
        return;
    }
    str_addc(out, '"');
    for (; *s; s++) {
        if (*s == '"')
            str_addc(out, '"');
        str_addc(out, *s);
    }
    str_addc(out, '"');
}

/* A text, a number, or [4, 1, 1] as 4x1x1. */
static void csv_value(const json_t *v, Str *out)
{
    size_t        i;
    const json_t *e;
    if (json_is_string(v))
        csv_field(json_string_value(v), out);
    else if (json_is_integer(v))
        str_printf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
    else if (json_is_real(v))
        str_printf(out, "%.9g", json_real_value(v));
    json_array_foreach(v, i, e) str_printf(out, "%s%" JSON_INTEGER_FORMAT, i ? "x" : "", json_integer_value(e));
}

void doc_csv(const json_t *doc, Str *out)
{
    static const char *const places[] = {"program", "name", "launch", "grid", "block", "status"};
    enum { PLACES = sizeof places / sizeof *places };
    size_t        i;
    const json_t *k;
    for (size_t c = 0; c < PLACES; c++)
        str_printf(out, "%s%s", c ? "," : "", places[c]);
    for (size_t c = 0; c < ww_counter_count(); c++)
        str_printf(out, ",%s", ww_counter_name(c));
    str_add(out, "\r\n");
    json_array_foreach(json_object_get(doc, "kernels"), i, k)
    {
        for (size_t c = 0; c < PLACES; c++) {
            str_add(out, c ? "," : "");
            csv_value(json_object_get(k, places[c]), out);
        }
        for (size_t c = 0; c < ww_counter_count(); c++) {
            str_addc(out, ',');
            csv_value(json_object_get(json_object_get(k, "counters"), ww_counter_name(c)), out);
        }
        str_add(out, "\r\n");
    }
}

/* ---- JUnit ---- */

/* What XML 1.0 cannot hold, not even escaped, becomes a question mark. */
static void xml_text(const char *s, Str *out)
{
    for (; *s; s++) {
        const char *entity = *s == '<'   ? "&lt;"
                             : *s == '>' ? "&gt;"
                             : *s == '&' ? "&amp;"
                             : *s == '"' ? "&quot;"
                                         : NULL;
        if (entity)
            str_add(out, entity);
        else
            str_addc(out, (unsigned char)*s < ' ' && *s != '\n' && *s != '\t' ? '?' : *s);
    }
}

static void finding_line(const json_t *f, Str *out)
{
    json_int_t line  = json_integer_value(json_object_get(f, "line")),
               count = json_integer_value(json_object_get(f, "count"));
    if (*text(f, "file"))
        str_printf(out, "%s:%lld: ", text(f, "file"), (long long)line);
    str_printf(out, "%s: %s [%s]", text(f, "severity"), text(f, "message"), text(f, "rule"));
    if (count > 1)
        str_printf(out, " (%lld times)", (long long)count);
    str_addc(out, '\n');
}

static void element(const char *tag, const char *message, const char *body, Str *out)
{
    str_printf(out, "   <%s message=\"", tag);
    xml_text(message, out);
    str_add(out, "\">");
    xml_text(body, out);
    str_printf(out, "</%s>\n", tag);
}

typedef struct Suite {
    const json_t *doc;
    const char   *program;
    size_t        tests, failures, errors;
    Str           cases;
} Suite;

/* The case of one kernel; name "": what belongs to none. */
static void add_case(Suite *s, const char *name)
{
    Str           failed = {0}, said = {0};
    const json_t *o, *lost = NULL, *first = NULL;
    size_t        i;
    json_array_foreach(json_object_get(s->doc, "findings"), i, o)
    {
        bool error = strcmp(text(o, "severity"), "error") == 0;
        if (strcmp(text(o, "kernel"), name) != 0)
            continue;
        finding_line(o, error ? &failed : &said);
        first = error && !first ? o : first;
    }
    json_array_foreach(json_object_get(s->doc, "kernels"), i, o)
    {
        if (!lost && strcmp(text(o, "name"), name) == 0 && strcmp(text(o, "status"), "ok") != 0)
            lost = o;
    }
    str_add(&s->cases, "  <testcase classname=\"");
    xml_text(s->program, &s->cases);
    str_add(&s->cases, "\" name=\"");
    xml_text(*name ? name : "(host)", &s->cases);
    str_add(&s->cases, "\">\n");
    if (first)
        element("failure", text(first, "message"), str_text(&failed), &s->cases);
    else if (lost)
        element("error", text(lost, "status"), "the kernel did not run to its end\n", &s->cases);
    if (said.len)
        str_add(&s->cases, "   <system-out>"), xml_text(str_text(&said), &s->cases),
            str_add(&s->cases, "</system-out>\n");
    str_add(&s->cases, "  </testcase>\n");
    s->tests++;
    s->failures += first != NULL;
    s->errors += !first && lost;
    str_free(&failed);
    str_free(&said);
}

/* Each name of kernels[] and findings[] once, in their order. */
static void add_cases(Suite *s, const char *list, const char *key, json_t *seen)
{
    size_t        i;
    const json_t *o;
    json_array_foreach(json_object_get(s->doc, list), i, o)
    {
        const char *name = text(o, key);
        if (json_object_get(seen, name))
            continue;
        json_object_set_new(seen, name, json_true());
        add_case(s, name);
    }
}

void doc_junit(const json_t *doc, Str *out)
{
    Suite   s    = {.doc = doc, .program = *text(doc, "program") ? text(doc, "program") : "warpwright"};
    json_t *seen = json_object();
    add_cases(&s, "kernels", "name", seen);
    add_cases(&s, "findings", "kernel", seen);
    str_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n <testsuite name=\"");
    xml_text(s.program, out);
    str_printf(out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n%s </testsuite>\n</testsuites>\n", s.tests,
               s.failures, s.errors, str_text(&s.cases));
    str_free(&s.cases);
    json_decref(seen);
}
