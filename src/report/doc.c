/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading a document, and its text: the findings become a Report again, whose writer quotes source lines from the files as they are
 * now; then one line for each kernel. */
#include "report/doc.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "report/rows.h"

json_t *doc_load(const char *file, Str *why)
{
    json_error_t e;
    FILE        *f   = file_read(file);
    json_t      *doc = f ? json_loadf(f, 0, &e) : NULL;
    bool         bad = !f || ferror(f);
    if (bad)
        str_printf(why, "%s: error: %s", file, file_error(errno));
    if (f)
        fclose(f);
    if (bad) {
        json_decref(doc);
        return NULL;
    }
    if (!doc) {
        str_printf(why, "%s:%d:%d: error: %s", file, e.line > 0 ? e.line : 1, e.column > 0 ? e.column : 1, e.text);
        return NULL;
    }
    int schema = (int)json_integer_value(json_object_get(doc, "schema"));
    if (json_is_object(doc) && schema == 1 && (doc_is_run(doc) || json_is_array(json_object_get(doc, "rows"))))
        return doc;
    str_printf(why, "%s:1:1: error: not a report of schema 1: kernels[] and findings[], or rows[], are expected", file);
    json_decref(doc);
    return NULL;
}

bool doc_may_replace(const char *file)
{
    char  head[2] = {0}, key[16] = {0};
    FILE *f    = file_read(file);
    int   n    = f ? fscanf(f, " %1[{] \"%15[a-z]\"", head, key) : 0;
    bool  free = !f || n == EOF || (n == 2 && !strcmp(key, "schema"));
    if (f)
        fclose(f);
    return free;
}

bool doc_is_run(const json_t *doc)
{
    return json_is_array(json_object_get(doc, "kernels")) && json_is_array(json_object_get(doc, "findings"));
}

/* ---- text ---- */

static const char *text(const json_t *o, const char *key)
{
    return json_string_value(json_object_get(o, key));
}

static uint64_t number(const json_t *o, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(o, key));
}

static WwDim3 triple(const json_t *o, const char *key)
{
    const json_t *d = json_object_get(o, key);
    return (WwDim3){(uint32_t)json_integer_value(json_array_get(d, 0)),
                    (uint32_t)json_integer_value(json_array_get(d, 1)),
                    (uint32_t)json_integer_value(json_array_get(d, 2))};
}

enum { MOST_CALLS = 16 };

/* What "inlined" of a finding or its other end lists, into out. */
static size_t places(const json_t *o, WwPlace *out)
{
    const json_t *list = json_object_get(o, "inlined");
    size_t        n    = json_array_size(list) < MOST_CALLS ? json_array_size(list) : MOST_CALLS;
    for (size_t i = 0; i < n; i++) {
        const json_t *p = json_array_get(list, i);
        out[i]          = (WwPlace){text(p, "file"), (uint32_t)number(p, "line"), (uint32_t)number(p, "col")};
    }
    return n;
}

static size_t frames(const json_t *o, WwFrame *out)
{
    const json_t *list = json_object_get(o, "host");
    size_t        n    = json_array_size(list) < MOST_CALLS ? json_array_size(list) : MOST_CALLS;
    for (size_t i = 0; i < n; i++) {
        const json_t *p = json_array_get(list, i);
        out[i]          = (WwFrame){text(p, "function"), text(p, "file"), (uint32_t)number(p, "line")};
    }
    return n;
}

static const char *or_empty(const char *s)
{
    return s ? s : "";
}

/* NULL: the document has none. */
static const WwPicture *picture(const json_t *o, const char *key, WwPicture *out)
{
    const json_t *p = json_object_get(o, key), *offsets = json_object_get(p, "offsets");
    if (!json_is_object(p))
        return NULL;
    *out = (WwPicture){.space = or_empty(text(p, "space")),
                       .op    = or_empty(text(p, "op")),
                       .bytes = (uint32_t)number(p, "bytes"),
                       .mask  = (uint32_t)number(p, "mask"),
                       .bad   = (uint32_t)number(p, "bad"),
                       .of    = number(p, "of")};
    for (size_t i = 0; i < 32; i++)
        out->offset[i] = json_integer_value(json_array_get(offsets, i));
    return out;
}

static const char *const who_keys[] = {"program", "arguments", "pid", "rank"};

static void add_finding(Report *r, const json_t *o)
{
    const json_t *other = json_object_get(o, "other"), *mend = json_object_get(o, "mend");
    WwPlace       calls[MOST_CALLS], others[MOST_CALLS];
    WwFrame       host[MOST_CALLS];
    WwFindingEnd  end = {.kernel   = text(other, "kernel"),
                         .file     = text(other, "file"),
                         .line     = (uint32_t)number(other, "line"),
                         .col      = (uint32_t)number(other, "col"),
                         .block    = triple(other, "block"),
                         .thread   = triple(other, "thread"),
                         .message  = text(other, "message"),
                         .inlined  = others,
                         .ninlined = places(other, others)};
    WwPicture     shown, from, to;
    WwMend        tried = {.text         = or_empty(text(mend, "text")),
                           .unit         = or_empty(text(mend, "unit")),
                           .before       = number(mend, "before"),
                           .after        = number(mend, "after"),
                           .shared_bytes = (int64_t)number(mend, "shared_bytes"),
                           .gain         = json_number_value(json_object_get(mend, "predicted_gain")),
                           .from         = picture(mend, "from", &from),
                           .to           = picture(mend, "to", &to)};
    WwFinding     f     = {.rule     = or_empty(text(o, "rule")),
                           .category = or_empty(text(o, "category")),
                           .severity = or_empty(text(o, "severity")),
                           .kernel   = text(o, "kernel"),
                           .file     = text(o, "file"),
                           .line     = (uint32_t)number(o, "line"),
                           .col      = (uint32_t)number(o, "col"),
                           .block    = triple(o, "block"),
                           .thread   = triple(o, "thread"),
                           .address  = number(o, "address"),
                           .count    = number(o, "count"),
                           .message  = or_empty(text(o, "message")),
                           .other    = json_is_object(other) ? &end : NULL,
                           .mend     = json_is_object(mend) ? &tried : NULL,
                           .seed     = number(o, "seed"),
                           .inlined  = calls,
                           .ninlined = places(o, calls),
                           .host     = host,
                           .nhost    = frames(o, host),
                           .snippet  = text(o, "snippet"),
                           .picture  = picture(o, "picture", &shown)};
    json_t       *who   = json_object();
    for (size_t i = 0; i < sizeof who_keys / sizeof *who_keys; i++)
        if (json_object_get(o, who_keys[i]))
            json_object_set(who, who_keys[i], json_object_get(o, who_keys[i]));
    report_who(r, who, number(o, "processes") ? (json_int_t)number(o, "processes") : 1);
    json_decref(who);
    report_add_finding(r, &f, f.kernel,
                       json_is_integer(json_object_get(o, "launch")) ? (int64_t)number(o, "launch") : -1);
}

/* One line for each kernel: launches, and what they did to memory. */
static void kernel_lines(const json_t *doc, Str *out)
{
    json_t     *sums = doc_kernel_sums(doc), *v;
    const char *name;
    json_object_foreach(sums, name, v)
    {
        str_printf(out,
                   "%s: %" PRIu64 " launches, %" PRIu64 " sectors (%" PRIu64 " would do), %" PRIu64 " passes, %" PRIu64
                   " of them bank conflicts\n",
                   name, number(v, "launches"), number(v, "memory_l2_theoretical_sectors_global"),
                   number(v, "memory_l2_theoretical_sectors_global_ideal"), number(v, "memory_l1_wavefronts_shared"),
                   number(v, "shared_ld_bank_conflicts") + number(v, "shared_st_bank_conflicts") +
                       number(v, "shared_copy_bank_conflicts") + number(v, "shared_atom_bank_conflicts"));
    }
    json_decref(sums);
}

void doc_findings(const json_t *doc, Report *r)
{
    const json_t *o;
    size_t        i;
    json_array_foreach(json_object_get(doc, "findings"), i, o)
    {
        add_finding(r, o);
    }
}

void doc_text(const json_t *doc, bool colour, Str *out)
{
    Report *r = report_new(0);
    doc_findings(doc, r);
    if (doc_is_run(doc)) {
        report_findings_text(r, colour, out);
        kernel_lines(doc, out);
    } else {
        str_printf(out, "%zu rows\n", json_array_size(json_object_get(doc, "rows")));
    }
    report_free(r);
}

/* ---- files ---- */

bool doc_write(const char *file, const Str *t, Str *why)
{
    FILE *f  = file_create(file);
    bool  ok = f && fwrite(str_text(t), 1, t->len, f) == t->len;
    ok       = f && fclose(f) == 0 && ok;
    if (!ok)
        str_printf(why, "cannot write %s: %s", file, file_error(errno));
    return ok;
}

void doc_name(const char *pattern, Str *out)
{
    for (const char *p = pattern; *p; p++)
        if (p[0] == '%' && p[1] == 'p') {
            str_printf(out, "%ld", (long)getpid());
            p++;
        } else {
            str_addc(out, *p);
        }
}

static bool write_named(const char *pattern, const Str *text, Str *why)
{
    Str name = {0};
    doc_name(pattern, &name);
    bool ok = doc_write(str_text(&name), text, why);
    str_free(&name);
    return ok;
}

static int add_text(const char *text, size_t len, void *out)
{
    str_addn(out, text, len);
    return 0;
}

void doc_json(const json_t *doc, Str *out)
{
    json_dump_callback(doc, add_text, out, JSON_INDENT(1));
    str_addc(out, '\n');
}

void doc_page(const json_t *doc, Str *out)
{
    doc_html(doc, NULL, NULL, out);
}

static const struct {
    const char *option;
    void (*write)(const json_t *doc, Str *out);
} formats[] = {
#define FORMAT(ID, option, writer) {option, writer},
#include "report/formats.def"
#undef FORMAT
};

const char *doc_format_option(DocFormat f)
{
    return formats[f].option;
}

bool doc_render(const json_t *doc, const DocFiles *files, Str *why)
{
    bool ok = true;
    for (size_t f = 0; f < DOC_FORMATS && ok; f++) {
        Str out = {0};
        if (!files->file[f])
            continue;
        formats[f].write(doc, &out);
        ok = write_named(files->file[f], &out, why);
        str_free(&out);
    }
    return ok;
}
