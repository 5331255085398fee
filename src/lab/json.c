/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON document of the lab, schema 1: {"schema", "seed", "devices", "rows": [...]}.
 * Fields of a row are those the outside relies on (docs/experiments.md lists them all); what was not measured is
 * null, never 0. Every counter of counters.def stands in the row under its own name.  lines_128 is there only under
 * profiles that move lines, not_launchable (the limit) only in rows that the profile's card refuses: those are not verified. */
#include <math.h>
#include <string.h>

#include "lab/article.h"
#include "lab/lab.h"

static json_t *dims(WwDim3 d)
{
    return json_pack("[I,I,I]", (json_int_t)d.x, (json_int_t)d.y, (json_int_t)d.z);
}

static json_t *real(double v, bool known)
{
    return known && isfinite(v) ? json_real(v) : json_null();
}

static json_t *text(const char *s)
{
    return s ? json_string(s) : json_null();
}

static void put_counters(json_t *o, const LabRow *r)
{
    for (size_t i = 0; i < ww_counter_count(); i++) {
        const char *name = ww_counter_name(i);
        if (strcmp(name, "lines_128") == 0 && !r->lines)
            continue;
        json_object_set_new(o, name,
                            r->counted ? json_integer((json_int_t)ww_counter_value(&r->counters, i)) : json_null());
    }
}

static json_t *row(const LabRow *r)
{
    json_t *o     = json_object();
    json_t *sizes = json_object();
    for (size_t i = 0; i < r->nsizes; i++)
        json_object_set_new(sizes, r->size[i].name, json_integer(r->size[i].value));
    json_object_set_new(o, "experiment", text(r->experiment));
    json_object_set_new(o, "kernel", text(r->kernel));
    json_object_set_new(o, "device", text(r->device));
    json_object_set_new(o, "profile", text(r->profile));
    json_object_set_new(o, "sizes", sizes);
    json_object_set_new(o, "grid", dims(r->grid));
    json_object_set_new(o, "block", dims(r->block));
    json_object_set_new(o, "verified", json_boolean(r->verified));
    json_object_set_new(o, "max_error", real(r->max_error, true));
    put_counters(o, r);
    json_object_set_new(o, "time_ms", real(r->time_ms, r->timed));
    json_object_set_new(o, "predicted_ms", real(r->predicted_ms, isfinite(r->predicted_ms)));
    json_object_set_new(o, "limiter", r->limiter ? json_string(r->limiter) : json_null());
    json_object_set_new(o, "min_ms", real(r->min_ms, r->timed));
    json_object_set_new(o, "runs", r->timed ? json_integer((json_int_t)r->runs) : json_null());
    json_object_set_new(o, "effective_gbs", real(r->effective_gbs, r->effective_gbs > 0));
    json_object_set_new(o, "least_bytes", json_integer((json_int_t)r->least_bytes));
    json_object_set_new(o, "checked", json_integer((json_int_t)r->checked));
    json_object_set_new(o, "values", json_integer((json_int_t)r->values));
    const Article *a = article_of(r);
    if (a) {
        double p = article_predicted(a, r);
        json_object_set_new(o, "article_figure",
                            json_pack("{s:s, s:f, s:s, s:o, s:s}", "text", a->text, "value", a->value, "unit",
                                      a->rate ? "GB/s" : "ms", "predicted", real(p, !isnan(p)), "why", a->why));
    }
    json_object_set_new(o, "problem", text(r->problem));
    if (r->not_launchable)
        json_object_set_new(o, "not_launchable", text(r->not_launchable));
    json_object_set_new(o, "entry", text(r->entry));
    json_object_set_new(o, "file", text(r->file));
    json_object_set_new(o, "compiler", text(r->compiler));
    return o;
}

json_t *lab_json(const Lab *lab)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < lab_row_count(lab); i++)
        json_array_append_new(rows, row(lab_row(lab, i)));
    json_t *o = json_object();
    json_object_set_new(o, "schema", json_integer(1));
    json_object_set_new(o, "seed", json_integer((json_int_t)lab_seed(lab)));
    json_object_set_new(o, "devices", json_string(lab_device_text(lab)));
    json_object_set_new(o, "rows", rows);
    return o;
}
