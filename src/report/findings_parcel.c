/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings on their way to the report of another process, whole, as they were found: what is left out, and what is one finding, is said there. */
#include <stdlib.h>
#include <string.h>

#include "report/rows.h"

/* ---- put --------------------------------------------------------------------------------------------------------- */

static void put_places(Parcel *p, const WwPlace *list, size_t n)
{
    parcel_put_number(p, n);
    for (size_t i = 0; i < n; i++) {
        parcel_put(p, &list[i], sizeof list[i]);
        parcel_put_text(p, list[i].file);
    }
}

static void put_picture(Parcel *p, const WwPicture *q)
{
    parcel_put_number(p, q != NULL);
    if (!q)
        return;
    parcel_put(p, q, sizeof *q);
    parcel_put_text(p, q->space);
    parcel_put_text(p, q->op);
}

static void put_end(Parcel *p, const WwFindingEnd *e)
{
    parcel_put_number(p, e != NULL);
    if (!e)
        return;
    parcel_put(p, e, sizeof *e);
    parcel_put_text(p, e->kernel);
    parcel_put_text(p, e->file);
    parcel_put_text(p, e->message);
    put_places(p, e->inlined, e->ninlined);
}

static void put_mend(Parcel *p, const WwMend *m)
{
    parcel_put_number(p, m != NULL);
    if (!m)
        return;
    parcel_put(p, m, sizeof *m);
    parcel_put_text(p, m->text);
    parcel_put_text(p, m->unit);
    put_picture(p, m->from);
    put_picture(p, m->to);
}

void report_put_finding(Parcel *p, const WwFinding *f, const char *kernel, int64_t launch)
{
    parcel_put_number(p, (uint64_t)launch);
    parcel_put_text(p, kernel);
    parcel_put(p, f, sizeof *f);
    const char *const text[] = {f->rule, f->category, f->severity, f->kernel, f->file, f->message, f->snippet};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        parcel_put_text(p, text[i]);
    put_end(p, f->other);
    put_mend(p, f->mend);
    put_places(p, f->inlined, f->ninlined);
    put_picture(p, f->picture);
    parcel_put_number(p, f->nhost);
    for (size_t i = 0; i < f->nhost; i++) {
        parcel_put(p, &f->host[i], sizeof f->host[i]);
        parcel_put_text(p, f->host[i].function);
        parcel_put_text(p, f->host[i].file);
    }
}

/* ---- take: texts stay in the parcel, the rest is of the arena ---------------------------------------------------- */

static const WwPlace *take_places(Arena *a, Parcel *p, size_t *n)
{
    *n            = parcel_count(p, sizeof(WwPlace));
    WwPlace *list = ARENA_ARRAY(a, WwPlace, *n + 1);
    for (size_t i = 0; i < *n; i++) {
        parcel_take(p, &list[i], sizeof list[i]);
        list[i].file = parcel_text(p);
    }
    return list;
}

static const WwPicture *take_picture(Arena *a, Parcel *p)
{
    if (!parcel_number(p))
        return NULL;
    WwPicture *q = ARENA_NEW(a, WwPicture);
    parcel_take(p, q, sizeof *q);
    q->space = parcel_text(p);
    q->op    = parcel_text(p);
    return q;
}

static const WwFindingEnd *take_end(Arena *a, Parcel *p)
{
    if (!parcel_number(p))
        return NULL;
    WwFindingEnd *e = ARENA_NEW(a, WwFindingEnd);
    parcel_take(p, e, sizeof *e);
    e->kernel  = parcel_text(p);
    e->file    = parcel_text(p);
    e->message = parcel_text(p);
    e->inlined = take_places(a, p, &e->ninlined);
    return e;
}

static const WwMend *take_mend(Arena *a, Parcel *p)
{
    if (!parcel_number(p))
        return NULL;
    WwMend *m = ARENA_NEW(a, WwMend);
    parcel_take(p, m, sizeof *m);
    m->text = parcel_text(p);
    m->unit = parcel_text(p);
    m->from = take_picture(a, p);
    m->to   = take_picture(a, p);
    return m;
}

static const WwFrame *take_frames(Arena *a, Parcel *p, size_t *n)
{
    *n            = parcel_count(p, sizeof(WwFrame));
    WwFrame *list = ARENA_ARRAY(a, WwFrame, *n + 1);
    for (size_t i = 0; i < *n; i++) {
        parcel_take(p, &list[i], sizeof list[i]);
        list[i].function = parcel_text(p);
        list[i].file     = parcel_text(p);
    }
    return list;
}

WwFinding report_read_finding(Arena *a, Parcel *p, const char **kernel, int64_t *launch)
{
    WwFinding f = {0};
    *launch     = (int64_t)parcel_number(p);
    *kernel     = parcel_text(p);
    parcel_take(p, &f, sizeof f);
    f.rule     = parcel_text(p);
    f.category = parcel_text(p);
    f.severity = parcel_text(p);
    f.kernel   = parcel_text(p);
    f.file     = parcel_text(p);
    f.message  = parcel_text(p);
    f.snippet  = parcel_text(p);
    f.other    = take_end(a, p);
    f.mend     = take_mend(a, p);
    f.inlined  = take_places(a, p, &f.ninlined);
    f.picture  = take_picture(a, p);
    f.host     = take_frames(a, p, &f.nhost);
    return f;
}

void report_take_finding(Report *r, Parcel *p)
{
    Arena      *a = arena_new();
    const char *kernel;
    int64_t     launch;
    WwFinding   f = report_read_finding(a, p, &kernel, &launch);
    if (!p->bad)
        report_add_finding(r, &f, kernel, launch);
    arena_free(a);
}
