/* SPDX-License-Identifier: Apache-2.0
 *
 * A document as one page: the page of page.h with the document, the source texts it names and, when there is one, a comparison in place
 * of its mark.  Nothing is loaded from anywhere.
 *
 * The page shows kernels and lines, no single launch, so launches of a kernel that ended alike are one entry: `launches`, and the sums of
 * their seconds and counts.  A page is then as large as its program is, however long it ran.
 *
 * The data stands in a script element, so every '<' of it is written as an escape. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/doc.h"
#include "report/page.h"
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

/* ---- launches summed up ---- */

static bool is_count(const char *key, const json_t *value)
{
    return json_is_number(value) && strcmp(key, "line") != 0 && strcmp(key, "launch") != 0;
}

static void add_counts(json_t *to, json_t *from)
{
    const char *key;
    json_t     *value;
    json_object_foreach(from, key, value)
    {
        const json_t *old = json_object_get(to, key);
        if (!is_count(key, value))
            continue;
        if (json_is_integer(value) && (!old || json_is_integer(old)))
            json_object_set_new(to, key, doc_added(old, value));
        else
            json_object_set_new(to, key, json_real(json_number_value(old) + json_number_value(value)));
    }
}

/* at: entry and line -> the line of that entry. */
static void add_lines(json_t *at, json_t *sum, const char *entry, const json_t *launch)
{
    json_t *line;
    size_t  i;
    json_array_foreach(json_object_get(launch, "lines"), i, line)
    {
        Str         key  = {0};
        const char *file = json_string_value(json_object_get(line, "file"));
        str_printf(&key, "%s %s:%lld", entry, file ? file : "",
                   (long long)json_integer_value(json_object_get(line, "line")));
        json_t *old = json_object_get(at, str_text(&key));
        if (old) {
            add_counts(old, line);
        } else {
            json_t *copy = json_copy(line);
            json_array_append(json_object_get(sum, "lines"), copy);
            json_object_set_new(at, str_text(&key), copy);
        }
        str_free(&key);
    }
}

/* An entry of what is told of a kernel, of no launch yet. */
static json_t *new_sum(const json_t *launch)
{
    static const char *const told[] = {"name", "symbol", "status", "message"};
    json_t                  *sum    = json_pack("{s:{},s:[],s:[],s:n}", "counters", "lines", "accesses", "resources");
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        json_object_set(sum, told[i], json_object_get(launch, told[i]));
    return sum;
}

static json_t *summed(const json_t *doc)
{
    json_t *all = json_array(), *sums = json_object(), *lines = json_object(),
           *copy = json_copy((json_t *)(uintptr_t)doc);
    json_t *launch;
    size_t  i;
    json_array_foreach(json_object_get(doc, "kernels"), i, launch)
    {
        json_t *told = json_pack("[O?,O?,O?,O?]", json_object_get(launch, "name"), json_object_get(launch, "symbol"),
                                 json_object_get(launch, "status"), json_object_get(launch, "message"));
        char   *key  = json_dumps(told, JSON_COMPACT);
        json_t *sum  = json_object_get(sums, key);
        if (!sum) {
            json_object_set_new(sums, key, sum = new_sum(launch));
            json_array_append(all, sum);
        }
        json_object_set_new(sum, "launches", json_integer(json_integer_value(json_object_get(sum, "launches")) + 1));
        add_counts(sum, launch);
        add_counts(json_object_get(sum, "counters"), json_object_get(launch, "counters"));
        add_lines(lines, sum, key, launch);
        json_array_extend(json_object_get(sum, "accesses"), json_object_get(launch, "accesses"));
        if (json_is_null(json_object_get(sum, "resources")) && json_object_get(launch, "resources"))
            json_object_set(sum, "resources", json_object_get(launch, "resources"));
        free(key);
        json_decref(told);
    }
    json_object_set_new(copy, "kernels", all);
    json_decref(sums);
    json_decref(lines);
    return copy;
}

void doc_html(const json_t *doc, const char *before_name, const json_t *compared, Str *out)
{
    bool    run  = doc_is_run(doc);
    json_t *data = json_object();
    if (run)
        json_object_set_new(data, "report", summed(doc));
    else
        json_object_set(data, "lab", (json_t *)(uintptr_t)doc);
    if (!run)
        json_object_set_new(data, "title", json_string("experiments"));
    json_object_set_new(data, "sources", sources_json(doc));
    if (compared) {
        json_object_set(data, "comparison", (json_t *)(uintptr_t)compared);
        json_object_set_new(data, "before_name", text_json(before_name ? before_name : "the first"));
    }
    const char *page = (const char *)page_template, *end = page + page_template_bytes, *mark = page;
    size_t      n = strlen(PAGE_MARK);
    while (mark + n <= end && memcmp(mark, PAGE_MARK, n) != 0)
        mark++;
    str_addn(out, page, (size_t)(mark - page));
    add_data(data, out);
    if (mark + n <= end)
        str_addn(out, mark + n, (size_t)(end - mark) - n);
    json_decref(data);
}
