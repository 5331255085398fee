/* SPDX-License-Identifier: Apache-2.0
 *
 * A document as one page: the page of page.h with the document, the source texts it names and, when there is one, a comparison in place
 * of its mark.  Nothing is loaded from anywhere.
 *
 * The page shows kernels and lines, no single launch, so launches of a kernel that ended alike are one entry (launches.h).  A page is then
 * as large as its program is, however long it ran.
 *
 * The data stands in a script element, so every '<' of it is written as an escape. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check/rules.h"
#include "report/doc.h"
#include "report/launches.h"
#include "report/page.h"
#include "report/ranges.h"
#include "report/rows.h"
#include "report/source.h"

static void add_source(json_t *sources, Sources *s, const char *file)
{
    size_t n;
    if (!file || json_object_get(sources, file) || !source_line(s, file, 1, &n))
        return;
    json_t     *lines = json_array();
    const char *line;
    for (size_t i = 1; (line = source_line(s, file, i, &n)); i++) {
        json_t *t = json_stringn(line, n);
        json_array_append_new(lines, t ? t : json_string("(not UTF-8)"));
    }
    json_object_set_new(sources, file, lines);
}

static json_t *sources_json(const json_t *doc)
{
    json_t       *sources = json_object();
    const json_t *k, *o;
    size_t        i, j;
    Sources      *s = sources_new();
    json_array_foreach(json_object_get(doc, "kernels"), i, k)
    {
        json_array_foreach(json_object_get(k, "lines"), j, o)
        {
            add_source(sources, s, json_string_value(json_object_get(o, "file")));
        }
    }
    json_array_foreach(json_object_get(doc, "findings"), i, o)
    {
        add_source(sources, s, json_string_value(json_object_get(o, "file")));
    }
    sources_free(s);
    return sources;
}

static void add_data(const json_t *data, Str *out)
{
    char *dump = json_dumps(data, JSON_COMPACT);
    for (const char *p = dump; *p; p++)
        if (*p == '<')
            str_add(out, "\\u003c");
        else
            str_addc(out, *p);
    free(dump);
}

void page_fill(const unsigned char *template, size_t bytes, const json_t *data, Str *out)
{
    const char *page = (const char *)template, *end = page + bytes, *mark = page;
    size_t      n = strlen(PAGE_MARK);
    while (mark + n <= end && memcmp(mark, PAGE_MARK, n) != 0)
        mark++;
    str_addn(out, page, (size_t)(mark - page));
    add_data(data, out);
    if (mark + n <= end)
        str_addn(out, mark + n, (size_t)(end - mark) - n);
}

/* The document with an entry for each kernel and status. */
static json_t *summed(const json_t *doc)
{
    json_t   *launch, *copy = json_copy((json_t *)(uintptr_t)doc);
    Launches *sums = launches_new(0);
    size_t    i;
    json_array_foreach(json_object_get(doc, "kernels"), i, launch)
    {
        launches_add(sums, json_deep_copy(launch));
    }
    json_object_set(copy, "kernels", launches_list(sums));
    launches_free(sums);
    return copy;
}

/* The texts of the rules that occur. */
static json_t *rules_json(const json_t *doc)
{
    json_t       *rules = json_object();
    const json_t *f;
    size_t        i;
    json_array_foreach(json_object_get(doc, "findings"), i, f)
    {
        const char *id = json_string_value(json_object_get(f, "rule"));
        RuleId      r  = id ? rule_find(id) : RULE_COUNT;
        if (r < RULE_COUNT)
            json_object_set_new(rules, id,
                                json_pack("{s:s,s:s}", "brief", rule_row(r)->brief, "text", rule_row(r)->text));
    }
    return rules;
}

/* What the launches inside each NVTX range did: of those of "step 3/forward/" in "step 3/" too. */
static json_t *ranges_json(const json_t *doc)
{
    json_t       *at = json_object(), *list = json_array();
    const json_t *k, *text;
    size_t        i, j;
    json_array_foreach(json_object_get(doc, "kernels"), i, k)
    {
        json_array_foreach(json_object_get(k, "ranges"), j, text)
        {
            const char *s = json_string_value(text);
            for (size_t n = 0; s && s[n];) {
                n           = range_outer(s, n);
                json_t *key = json_stringn(s, n);
                json_t *row = json_object_get(at, json_string_value(key));
                if (!row) {
                    row = json_pack("{s:O,s:i,s:{}}", "name", key, "launches", 0, "counters");
                    json_object_set_new(at, json_string_value(key), row);
                    json_array_append(list, row);
                }
                launches_sum_counts(row, k);
                json_decref(key);
            }
        }
    }
    json_decref(at);
    return list;
}

void doc_html(const json_t *doc, const char *before_name, const json_t *compared, Str *out)
{
    bool    run  = doc_is_run(doc);
    json_t *data = json_object();
    if (run)
        json_object_set_new(data, "report", summed(doc));
    else
        json_object_set(data, json_object_get(doc, "occupancy") ? "occupancy" : "lab", (json_t *)(uintptr_t)doc);
    if (!run)
        json_object_set_new(data, "title",
                            json_string(json_object_get(doc, "occupancy") ? "occupancy" : "experiments"));
    json_object_set_new(data, "sources", sources_json(doc));
    json_object_set_new(data, "rules", rules_json(doc));
    json_object_set_new(data, "ranges", ranges_json(doc));
    if (compared) {
        json_object_set(data, "comparison", (json_t *)(uintptr_t)compared);
        json_object_set_new(data, "before_name", text_json(before_name ? before_name : "the first"));
    }
    page_fill(page_template, page_template_bytes, data, out);
    json_decref(data);
}
