/* SPDX-License-Identifier: Apache-2.0
 *
 * Launch files: several launches of one module, in YAML or JSON (which is told by the name's end, .json).
 *
 *     launches:
 *       - kernel: scale
 *         grid: [4, 1]            # or 4, or "4,1"
 *         block: 256
 *         shared: 1024            # these may be left out: shared, cluster,
 *         cooperative: true       #   cooperative
 *         args: ["x:f32[1024]=iota", "n:i32=1024"]
 *       - kernel: sum
 *         grid: 1
 *         block: 256
 *         args: [x, "out:f32[1]"] # x: the buffer of above
 *     out: {out: sum.npy}
 *
 * Both kinds become the same JSON values.  YAML scalars are texts; numbers in them are read where a number is wanted.
 * A key that is none of these is an error: what is misspelt must not be left out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/check/check.h"
#include "cli/cli.h"
#include "cli/yaml.h"

static Status wrong(Str *why, const char *file, const char *what)
{
    str_printf(why, "%s: %s", file, what);
    return WW_ERR_INVALID;
}

/* ---- from values to launches ---- */

/* A number or text as text, in the arena; NULL for anything else. */
static const char *text_of(Arena *a, const json_t *j)
{
    if (json_is_string(j))
        return json_string_value(j);
    return json_is_integer(j) ? arena_printf(a, "%lld", (long long)json_integer_value(j)) : NULL;
}

static bool dim_of(Arena *a, const json_t *j, WwDim3 *out)
{
    Str           s = {0};
    size_t        i;
    const json_t *e;
    if (!json_is_array(j))
        return text_of(a, j) && plan_dim(text_of(a, j), out);
    json_array_foreach(j, i, e) str_printf(&s, "%s%s", i ? "," : "", text_of(a, e) ? text_of(a, e) : "?");
    bool ok = plan_dim(str_text(&s), out);
    str_free(&s);
    return ok;
}

/* Whole text a number that fits 32 bits. */
static bool number_of(Arena *a, const json_t *j, uint32_t *out)
{
    const char *s = text_of(a, j);
    char       *end;
    if (!s || *s < '0' || *s > '9')
        return false;
    unsigned long long n = strtoull(s, &end, 0);
    *out                 = (uint32_t)n;
    return !*end && n <= UINT32_MAX;
}

static bool flag_of(const json_t *j, bool *out)
{
    const char *s = json_is_string(j)  ? json_string_value(j)
                    : json_is_true(j)  ? "true"
                    : json_is_false(j) ? "false"
                                       : "";
    *out          = !strcmp(s, "true");
    return *out || !strcmp(s, "false");
}

/* What is wrong with everything but the arguments; NULL: nothing. */
static const char *read_launch(Arena *a, json_t *j, CheckedLaunch *l)
{
    static const char *const keys[] = {"kernel", "grid", "block", "cluster", "shared", "cooperative", "args", NULL};
    const json_t            *kernel = json_object_get(j, "kernel"), *cluster = json_object_get(j, "cluster"),
                 *shared = json_object_get(j, "shared"), *cooperative = json_object_get(j, "cooperative");
    if (!json_is_object(j))
        return "it is not a mapping of kernel, grid, block and args";
    if (yaml_stray_key(j, keys))
        return arena_printf(a, "'%s' is not one of kernel, grid, block, cluster, shared, cooperative, args",
                            yaml_stray_key(j, keys));
    if (!dim_of(a, json_object_get(j, "grid"), &l->grid) || !dim_of(a, json_object_get(j, "block"), &l->block))
        return "a grid and a block are needed, of one to three numbers each";
    if (cluster && !dim_of(a, cluster, &l->cluster))
        return "cluster must be one to three numbers";
    if (shared && !number_of(a, shared, &l->shared))
        return "shared must be a number of bytes";
    if (cooperative && !flag_of(cooperative, &l->cooperative))
        return "cooperative must be true or false";
    if (kernel && !json_is_string(kernel))
        return "kernel must be a name";
    l->kernel = kernel ? arena_strdup(a, json_string_value(kernel)) : NULL;
    return NULL;
}

static Status add_launch(CheckPlan *p, const char *file, json_t *j, Str *why)
{
    CheckedLaunch l     = {0};
    const char   *fault = read_launch(p->arena, j, &l);
    const json_t *args  = json_object_get(j, "args");
    if (!fault && args && !json_is_array(args))
        fault = "args must be a list of texts such as \"x:f32[16]=iota\"";
    l.arg = ARENA_ARRAY(p->arena, size_t, json_array_size(args) + 1);
    for (; !fault && l.nargs < json_array_size(args); l.nargs++) {
        const char *text = text_of(p->arena, json_array_get(args, l.nargs));
        if (text)
            TRY(plan_argument(p, text, &l.arg[l.nargs], why));
        else
            fault = "args must be a list of texts such as \"x:f32[16]=iota\"";
    }
    if (fault) {
        str_printf(why, "%s: launch %zu: %s", file, p->nlaunches + 1, fault);
        return WW_ERR_INVALID;
    }
    p->launch                 = xrealloc(p->launch, (p->nlaunches + 1) * sizeof *p->launch);
    p->launch[p->nlaunches++] = l;
    return WW_OK;
}

static Status add_all(CheckPlan *p, const char *file, json_t *doc, Str *why)
{
    size_t                   i;
    json_t                  *j;
    const char              *name;
    static const char *const keys[] = {"launches", "out", NULL};
    const json_t            *outs   = json_object_get(doc, "out");
    if (json_array_size(json_object_get(doc, "launches")) == 0)
        return wrong(why, file, "a list 'launches' is expected, with a launch at least");
    if (yaml_stray_key(doc, keys) || (outs && !json_is_object(outs)))
        return wrong(why, file, "beside 'launches' only 'out', a mapping of buffers to files, is known");
    json_array_foreach(json_object_get(doc, "launches"), i, j) TRY(add_launch(p, file, j, why));
    json_object_foreach(json_object_get(doc, "out"), name, j)
    {
        Str s = {0};
        str_printf(&s, "%s=%s", name, json_is_string(j) ? json_string_value(j) : "");
        Status st = plan_out(p, str_text(&s), why);
        str_free(&s);
        TRY(st);
    }
    return WW_OK;
}

Status plan_read(CheckPlan *p, const char *file, Str *why)
{
    size_t  len;
    json_t *doc;
    char   *text = cli_read("check", file, &len);
    if (!text)
        return WW_ERR_IO;
    doc = yaml_read(file, text, len, why);
    free(text);
    Status s = doc ? add_all(p, file, doc, why) : WW_ERR_PARSE;
    json_decref(doc);
    return s;
}
