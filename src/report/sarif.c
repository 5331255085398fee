/* SPDX-License-Identifier: Apache-2.0
 *
 * A document as SARIF 2.1.0 (OASIS): one run, its rules as far as they were broken, one result for each finding.
 *
 * Files below the current folder are given relative to it, as code-scanning sites want them; others as file: URIs.  A finding without
 * a place has no location.  partialFingerprints holds rule, file name, kernel and the source line's text, so that a result is the
 * same one after lines above it were added.  A mend is text of the message, and where it is one edit of one line, a fix too (fixes.h). */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/rules.h"
#include "report/doc.h"
#include "report/fixes.h"
#include "report/source.h"
#include "warpwright/warpwright.h"

static const char *text(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

static json_int_t number(const json_t *o, const char *key)
{
    return json_integer_value(json_object_get(o, key));
}

static json_t *message(const char *s)
{
    return json_pack("{s:s}", "text", s);
}

/* RFC 3986: what is not unreserved or a slash is escaped. */
static void add_uri(const char *path, Str *out)
{
    char cwd[PATH_MAX], slash[] = "/";
    if (path[0] == '/' && getcwd(cwd, sizeof cwd)) {
        size_t n = strcmp(cwd, slash) == 0 ? 0 : strlen(cwd);
        if (strncmp(path, cwd, n) == 0 && path[n] == '/')
            path += n + 1;
    }
    if (path[0] == '/')
        str_add(out, "file://");
    for (const char *p = path; *p; p++)
        if (isalnum((unsigned char)*p) || strchr("-._~/", *p))
            str_addc(out, *p);
        else
            str_printf(out, "%%%02X", (unsigned char)*p);
}

/* A place in PTX that is in no file: the executable holds it.  The kernel is the location. */
static json_t *logical(const json_t *o, const char *kernel)
{
    const char *line = text(o, "snippet");
    Str         said = {0};
    str_printf(&said, "PTX line %lld: %s", (long long)number(o, "line"), line + strspn(line, " \t"));
    json_t *l = json_pack("{s:[{s:s,s:s}],s:o}", "logicalLocations", "fullyQualifiedName", kernel, "kind", "function",
                          "message", message(str_text(&said)));
    str_free(&said);
    return l;
}

static json_t *location(const json_t *o, const char *kernel)
{
    if (*text(o, "snippet") && access(text(o, "file"), R_OK) != 0)
        return logical(o, kernel);
    json_t *l = json_object(), *physical = json_object();
    Str     uri = {0};
    add_uri(text(o, "file"), &uri);
    json_object_set_new(physical, "artifactLocation", json_pack("{s:s}", "uri", str_text(&uri)));
    str_free(&uri);
    if (number(o, "line") > 0) {
        json_t *region = json_pack("{s:I}", "startLine", number(o, "line"));
        if (number(o, "col") > 0)
            json_object_set_new(region, "startColumn", json_integer(number(o, "col")));
        json_object_set_new(physical, "region", region);
    }
    json_object_set_new(l, "physicalLocation", physical);
    if (*kernel)
        json_object_set_new(l, "logicalLocations",
                            json_pack("[{s:s,s:s}]", "fullyQualifiedName", kernel, "kind", "function"));
    return l;
}

/* ---- rules ---- */

/* What a code-scanning site shows beside a result. */
static json_t *help(const Rule *r)
{
    Str plain = {0}, marked = {0};
    str_printf(&plain, "%s\nThresholds: %s. Explained by: warpwright rules %s", r->text,
               *r->thresholds ? r->thresholds : "none", r->id);
    str_printf(
        &marked,
        "%s\n\n- category: %s\n- thresholds: %s\n- one place less: `--check=-%s`, or a row of a suppression file\n",
        r->text, r->category, *r->thresholds ? r->thresholds : "none", r->id);
    json_t *o = json_pack("{s:s,s:s}", "text", str_text(&plain), "markdown", str_text(&marked));
    str_free(&plain);
    str_free(&marked);
    return o;
}

static json_t *rule_json(const json_t *f)
{
    const char *id   = text(f, "rule");
    RuleId      r    = rule_find(id);
    json_t     *rule = json_pack("{s:s,s:{s:s}}", "id", id, "defaultConfiguration", "level", text(f, "severity"));
    if (r < RULE_COUNT) {
        json_object_set_new(rule, "shortDescription", message(rule_row(r)->brief));
        json_object_set_new(rule, "fullDescription", message(rule_row(r)->text));
        json_object_set_new(rule, "help", help(rule_row(r)));
    }
    json_object_set_new(rule, "properties", json_pack("{s:[s]}", "tags", text(f, "category")));
    return rule;
}

/* Index of the finding's rule in the list; it is added when it is not there. */
static json_int_t rule_index(json_t *rules, const json_t *f)
{
    size_t  i;
    json_t *r;
    json_array_foreach(rules, i, r)
    {
        if (strcmp(text(r, "id"), text(f, "rule")) == 0)
            return (json_int_t)i;
    }
    json_array_append_new(rules, rule_json(f));
    return (json_int_t)json_array_size(rules) - 1;
}

/* ---- results ---- */

static uint64_t fnv(uint64_t h, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)s[i]) * 0x100000001b3u;
    return (h ^ 0xff) * 0x100000001b3u;
}

static json_t *fingerprint(const json_t *f, Sources *s)
{
    const char *file = text(f, "file"), *slash = strrchr(file, '/');
    size_t      n    = 0;
    const char *line = source_line(s, file, (size_t)number(f, "line"), &n);
    uint64_t    h    = 0xcbf29ce484222325u;
    Str         hex  = {0};
    while (n && (*line == ' ' || *line == '\t'))
        line++, n--;
    file = slash ? slash + 1 : file;
    h    = fnv(h, text(f, "rule"), strlen(text(f, "rule")));
    h    = fnv(h, file, strlen(file));
    h    = fnv(h, text(f, "kernel"), strlen(text(f, "kernel")));
    h    = fnv(h, line ? line : "", n);
    str_printf(&hex, "%016llx", (unsigned long long)h);
    json_t *j = json_pack("{s:s}", "warpwright/v1", str_text(&hex));
    str_free(&hex);
    return j;
}

static json_t *result_message(const json_t *f)
{
    const json_t *mend = json_object_get(f, "mend");
    Str           s    = {0};
    str_add(&s, text(f, "message"));
    if (*text(f, "kernel"))
        str_printf(&s, " (kernel %s)", text(f, "kernel"));
    if (json_is_object(mend))
        str_printf(&s, ". Tried: %s: %lld -> %lld %s", text(mend, "text"), (long long)number(mend, "before"),
                   (long long)number(mend, "after"), text(mend, "unit"));
    if (json_is_object(mend) && json_is_number(json_object_get(mend, "predicted_gain")))
        str_printf(&s, "; predicted %.3g times as fast", json_number_value(json_object_get(mend, "predicted_gain")));
    json_t *m = message(*str_text(&s) ? str_text(&s) : text(f, "rule"));
    str_free(&s);
    return m;
}

static void add_related(json_t *list, const json_t *place, const char *kernel, const char *what)
{
    json_t *related = location(place, kernel);
    json_object_set_new(related, "message", message(what));
    json_array_append_new(list, related);
}

/* The other end, and the calls that inlined the lines of both. */
static json_t *related(const json_t *f)
{
    const json_t *other = json_object_get(f, "other"), *p;
    json_t       *list  = json_array();
    size_t        i;
    json_array_foreach(json_object_get(f, "inlined"), i, p) add_related(list, p, text(f, "kernel"), "inlined here");
    if (!*text(other, "file"))
        return list;
    add_related(list, other, text(other, "kernel"), *text(other, "message") ? text(other, "message") : "the other end");
    json_array_foreach(json_object_get(other, "inlined"), i, p)
        add_related(list, p, text(other, "kernel"), "the other end was inlined here");
    return list;
}

/* Whose finding it is; nothing where the document does not say. */
static json_t *process(const json_t *f)
{
    static const char *const keys[] = {"program", "arguments", "pid", "rank", "processes"};
    json_t                  *o      = json_object();
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (json_object_get(f, keys[i]))
            json_object_set(o, keys[i], json_object_get(f, keys[i]));
    return o;
}

/* NULL: the mend is no edit. */
static json_t *fixes(const json_t *f, Sources *s)
{
    Fix x;
    Str uri = {0};
    if (!fix_of(f, s, &x))
        return NULL;
    add_uri(text(f, "file"), &uri);
    json_t *region = json_pack("{s:I,s:I,s:I,s:I}", "startLine", (json_int_t)x.line, "startColumn", (json_int_t)x.from,
                               "endLine", (json_int_t)x.line, "endColumn", (json_int_t)x.to);
    json_t *list =
        json_pack("[{s:o,s:[{s:{s:s},s:[{s:o,s:{s:s}}]}]}]", "description",
                  message(text(json_object_get(f, "mend"), "text")), "artifactChanges", "artifactLocation", "uri",
                  str_text(&uri), "replacements", "deletedRegion", region, "insertedContent", "text", x.text);
    str_free(&uri);
    return list;
}

static json_t *result(const json_t *f, json_t *rules, Sources *s)
{
    json_int_t rule = rule_index(rules, f);
    json_t    *r    = json_pack("{s:s,s:I,s:s,s:o}", "ruleId", text(f, "rule"), "ruleIndex", rule, "level",
                                text(f, "severity"), "message", result_message(f));
    json_object_set_new(r, "locations",
                        *text(f, "file") ? json_pack("[o]", location(f, text(f, "kernel"))) : json_array());
    json_t *ends = related(f);
    if (json_array_size(ends))
        json_object_set(r, "relatedLocations", ends);
    json_decref(ends);
    if (number(f, "count") > 0)
        json_object_set_new(r, "occurrenceCount", json_integer(number(f, "count")));
    json_t *edits = fixes(f, s);
    if (edits)
        json_object_set_new(r, "fixes", edits);
    json_object_set_new(r, "partialFingerprints", fingerprint(f, s));
    json_object_set_new(r, "properties", process(f));
    return r;
}

void doc_sarif(const json_t *doc, Str *out)
{
    json_t       *rules = json_array(), *results = json_array();
    const json_t *f, *code                       = json_object_get(doc, "exit_code");
    size_t        i;
    Sources      *s = sources_new();
    json_array_foreach(json_object_get(doc, "findings"), i, f)
    {
        json_array_append_new(results, result(f, rules, s));
    }
    sources_free(s);
    json_t *invocation =
        json_pack("{s:b}", "executionSuccessful", !json_is_integer(code) || json_integer_value(code) < 122);
    if (json_is_integer(code))
        json_object_set_new(invocation, "exitCode", json_integer(json_integer_value(code)));
    json_t *driver = json_pack("{s:s,s:s,s:s,s:o}", "name", "warpwright", "version", ww_version(), "semanticVersion",
                               ww_version(), "rules", rules);
    json_t *log =
        json_pack("{s:s,s:s,s:[{s:{s:o},s:[o],s:s,s:o}]}", "$schema", "https://json.schemastore.org/sarif-2.1.0.json",
                  "version", "2.1.0", "runs", "tool", "driver", driver, "invocations", invocation, "columnKind",
                  "utf16CodeUnits", "results", results);
    char *dump = json_dumps(log, JSON_INDENT(1));
    str_add(out, dump);
    str_addc(out, '\n');
    free(dump);
    json_decref(log);
}
