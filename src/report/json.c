/* SPDX-License-Identifier: Apache-2.0
 *
 * The report as JSON, schema 1: {schema, program, exit_code, kernels[], findings[], libraries[], missing[], notes[]}.  A kernel entry is one launch,
 * or several (launches.h).  Several processes may write one file: each takes a lock, adds its entries and writes the whole document again,
 * so the file is whole at every moment a process ends.  Numbers are integers; what is not known is null. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "report/doc.h"
#include "report/rows.h"

static json_t *dim_json(WwDim3 d)
{
    return json_pack("[I,I,I]", (json_int_t)d.x, (json_int_t)d.y, (json_int_t)d.z);
}

json_t *text_json(const char *s)
{
    json_t *j = s ? json_string(s) : json_null();
    if (j)
        return j;
    char *ascii = xmalloc(strlen(s) + 1), *to = ascii;
    for (; *s; s++)
        *to++ = (unsigned char)*s < 0x80 ? *s : '?';
    *to = 0;
    j   = json_string(ascii);
    free(ascii);
    return j;
}

static json_t *counters_json(const WwCounters *c)
{
    json_t *o = json_object();
    for (size_t i = 0; i < ww_counter_count(); i++)
        json_object_set_new(o, ww_counter_name(i), json_integer((json_int_t)ww_counter_value(c, i)));
    return o;
}

/* Those that are not 0. */
static json_t *some_json(const WwCounters *c)
{
    json_t *o = json_object();
    for (size_t k = 0; k < ww_counter_count(); k++)
        if (ww_counter_value(c, k))
            json_object_set_new(o, ww_counter_name(k), json_integer((json_int_t)ww_counter_value(c, k)));
    return o;
}

static json_t *lines_json(const ReportLaunch *launch)
{
    json_t *list = json_array();
    for (size_t i = 0; i < ww_result_line_count(launch->result); i++) {
        const WwLine *l = ww_result_line(launch->result, i);
        if (!report_is_written(launch, l))
            continue;
        json_t *o = json_object();
        json_object_set_new(o, "file", text_json(l->file));
        json_object_set_new(o, "line", json_integer(l->line));
        for (size_t k = 0; k < ww_counter_count(); k++)
            if (ww_counter_value(&l->counters, k))
                json_object_set_new(o, ww_counter_name(k), json_integer((json_int_t)ww_counter_value(&l->counters, k)));
        json_t *waiting = some_json(&l->waiting);
        if (json_object_size(waiting))
            json_object_set(o, "waiting", waiting);
        json_decref(waiting);
        json_array_append_new(list, o);
    }
    return list;
}

/* Of all lines, those that nobody wrote too. */
static json_t *waiting_json(const WwResult *r)
{
    WwCounters sum = {0};
    for (size_t i = 0; i < ww_result_line_count(r); i++)
        counters_add(&sum, &ww_result_line(r, i)->waiting);
    return some_json(&sum);
}

static json_t *accesses_json(const WwResult *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < ww_result_pattern_count(r); i++) {
        const WwPattern *p = ww_result_pattern(r, i);
        json_t *o       = json_pack("{s:I,s:s,s:s,s:i,s:I,s:I,s:i,s:i,s:i,s:i}", "line", (json_int_t)p->line, "space",
                                    p->space, "op", p->op, "bytes", (int)p->bytes, "mask", (json_int_t)p->mask, "count",
                                    (json_int_t)p->count, "wavefronts", (int)p->wavefronts, "conflicts", (int)p->conflicts,
                                    "sectors", (int)p->sectors, "ideal", (int)p->ideal);
        json_t *offsets = json_array();
        for (int k = 0; k < 32; k++)
            json_array_append_new(offsets, json_integer((json_int_t)p->offset[k]));
        json_object_set_new(o, "file", text_json(p->file));
        json_object_set_new(o, "offsets", offsets);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *resources_json(const WwResult *result)
{
    WwResources r;
    if (!ww_result_resources(result, &r))
        return json_null();
    json_t *o = json_pack("{s:i,s:i,s:i,s:i,s:i}", "registers", (int)r.registers, "stack", (int)r.stack, "spill_stores",
                          (int)r.spill_stores, "spill_loads", (int)r.spill_loads, "shared", (int)r.shared);
    if (!r.spills_known) {
        json_object_set_new(o, "spill_stores", json_null());
        json_object_set_new(o, "spill_loads", json_null());
    }
    json_object_set_new(o, "occupancy", json_integer(r.most_warps ? 100 * r.warps / r.most_warps : 0));
    json_object_set_new(o, "limiter", text_json(r.limiter));
    return o;
}

enum { SECTOR_BYTES = 32 };

/* What was modelled, by the names that Nsight Compute gives to what it reads of a card. */
static json_t *modelled_json(const WwPrediction *p)
{
    json_t *lines = json_array();
    for (size_t i = 0; i < p->nlines; i++) {
        const WwCachedLine *l = &p->lines[i];
        json_array_append_new(
            lines, json_pack("{s:o,s:i,s:I,s:I,s:I}", "file", text_json(l->file), "line", (int)l->line,
                             "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", (json_int_t)l->sectors,
                             "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", (json_int_t)l->hits,
                             "lts__t_sectors_srcunit_tex_op_read.sum", (json_int_t)(l->sectors - l->hits)));
    }
    return json_pack("{s:f,s:f,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:f,s:o}", "gpu__time_duration.sum", p->ns,
                     "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", 100 * p->l1_hit_rate,
                     "lts__t_sectors_srcunit_tex.sum", (json_int_t)p->l2_sectors, "dram__bytes_read.sum",
                     (json_int_t)p->dram_read_bytes, "dram__bytes_write.sum", (json_int_t)p->dram_write_bytes,
                     "l1tex__t_sectors_pipe_tex_mem_texture.sum", (json_int_t)p->texture_sectors,
                     "l1tex__t_sectors_pipe_tex_mem_texture_lookup_hit.sum", (json_int_t)p->texture_hits,
                     "lts__t_sectors_aperture_sysmem_op_read.sum", (json_int_t)(p->host_read_bytes / SECTOR_BYTES),
                     "lts__t_sectors_aperture_sysmem_op_write.sum", (json_int_t)(p->host_write_bytes / SECTOR_BYTES),
                     "smsp__inst_executed.sum", (json_int_t)p->instructions, "lts__t_sector_hit_rate.pct",
                     100 * p->l2_hit_rate, "lines", lines);
}

/* null: not known of the card. */
static json_t *rate_json(double most)
{
    return most > 0 ? json_real(most) : json_null();
}

static json_t *predicted_json(const WwResult *result)
{
    WwPrediction p;
    if (!result || !ww_result_prediction(result, &p))
        return json_null();
    json_t *parts = json_object();
    for (size_t i = 0; i < p.nparts; i++)
        json_object_set_new(parts, p.parts[i].name, json_real(p.parts[i].ns));
    json_t *card =
               json_pack("{s:s,s:f,s:f,s:f,s:o,s:o,s:o}", "name", p.card, "instructions_per_ns", p.most_instructions,
                         "l2_bytes_per_ns", p.most_l2_bytes, "dram_bytes_per_ns", p.most_dram_bytes,
                         "half_flops_per_ns", rate_json(p.most_half_flops), "single_flops_per_ns",
                         rate_json(p.most_single_flops), "double_flops_per_ns", rate_json(p.most_double_flops)),
           *flops = json_pack("{s:I,s:I,s:I}", "half", (json_int_t)p.half_flops, "single", (json_int_t)p.single_flops,
                              "double", (json_int_t)p.double_flops),
           *places =
               json_pack("{s:i,s:i,s:i,s:o,s:f}", "blocks", (int)p.resident_blocks, "warps", (int)p.resident_warps,
                         "most_warps", (int)p.most_warps, "limiter", text_json(p.resident_limiter), "waves", p.waves);
    return json_pack("{s:f,s:s,s:f,s:f,s:f,s:f,s:I,s:I,s:I,s:I,s:I,s:I,s:o,s:s,s:I,s:o,s:o,s:o,s:o,s:o}", "ns", p.ns,
                     "limiter", p.limiter, "share", p.share, "headroom", p.headroom, "l1_hit_rate", p.l1_hit_rate,
                     "l2_hit_rate", p.l2_hit_rate, "dram_read_bytes", (json_int_t)p.dram_read_bytes, "dram_write_bytes",
                     (json_int_t)p.dram_write_bytes, "host_read_bytes", (json_int_t)p.host_read_bytes,
                     "host_write_bytes", (json_int_t)p.host_write_bytes, "managed_bytes", (json_int_t)p.managed_bytes,
                     "instructions", (json_int_t)p.instructions, "registers",
                     p.registers ? json_integer(p.registers) : json_null(), "source", p.source, "blocks_sampled",
                     (json_int_t)p.blocks_sampled, "parts", parts, "modelled", modelled_json(&p), "card", card,
                     "occupancy", places, "flops", flops);
}

static json_t *sample_json(const WwResult *result)
{
    const WwSample *s = ww_result_sample(result);
    if (!s)
        return json_null();
    json_t *o = json_pack("{s:i,s:I,s:I,s:I}", "launches", 1, "blocks", (json_int_t)s->blocks, "of", (json_int_t)s->of,
                          "first", (json_int_t)s->first);
    json_object_set_new(o, "whole", text_json(s->whole));
    json_object_set_new(o, "counters", s->estimated ? counters_json(&s->estimate) : json_null());
    json_object_set_new(o, "error", s->estimated && s->spread ? counters_json(&s->error) : json_null());
    return o;
}

/* Is what it was to compute there? */
static bool is_computed(const ReportLaunch *l)
{
    const WwSample *s = ww_result_sample(l->result);
    return l->outcome == LAUNCH_OK && (!s || s->whole);
}

static json_t *ranges_json(const ReportLaunch *l)
{
    json_t *list = json_array();
    for (size_t i = 0; i < l->nranges; i++)
        json_array_append_new(list, text_json(l->ranges[i]));
    return list;
}

json_t *launch_json(const ReportLaunch *l, bool first)
{
    static const char *const outcomes[] = {"ok", "failed", "unsupported"};
    static const WwCounters  none;
    WwInstructionClasses     c           = ww_result_instructions(l->result);
    json_t                  *unsupported = json_array(), *o = json_object();
    for (size_t i = 0; i < ww_result_inexact_count(l->result); i++) {
        bool        missing = false;
        const char *opcode  = ww_result_inexact(l->result, i, &missing, NULL);
        if (missing)
            json_array_append_new(unsupported, text_json(opcode));
    }
    if (!l->result && l->why && l->outcome == LAUNCH_UNSUPPORTED)
        json_array_append_new(unsupported, text_json(l->why));
    json_object_set_new(o, "name", text_json(l->kernel));
    json_object_set_new(o, "symbol", text_json(l->symbol));
    json_object_set_new(o, "launch", json_integer((json_int_t)l->launch));
    json_object_set_new(o, "made_by", l->made_by ? json_integer((json_int_t)*l->made_by) : json_null());
    json_object_set_new(o, "ranges", ranges_json(l));
    json_object_set_new(o, "launches", json_integer(1));
    json_object_set_new(o, "grid", dim_json(l->grid));
    json_object_set_new(o, "block", dim_json(l->block));
    json_object_set_new(o, "status", json_string(outcomes[l->outcome]));
    json_object_set_new(o, "seconds", json_real(l->seconds));
    json_object_set_new(o, "message", text_json(l->why));
    json_object_set_new(o, "counters", counters_json(l->result ? ww_result_counters(l->result) : &none));
    json_object_set_new(o, "waiting", waiting_json(l->result));
    json_object_set_new(o, "instructions",
                        json_pack("{s:I,s:I,s:I}", "exact", (json_int_t)c.exact, "approximate",
                                  (json_int_t)c.approximate, "unsupported", (json_int_t)c.unsupported));
    json_object_set_new(o, "unsupported", unsupported);
    json_object_set_new(o, "lines", lines_json(l));
    if (first && ww_result_pattern_count(l->result))
        json_object_set_new(o, "accesses", accesses_json(l->result));
    json_object_set_new(o, "resources", resources_json(l->result));
    json_object_set_new(o, "predicted", predicted_json(l->result));
    json_object_set_new(o, "sample", sample_json(l->result));
    json_object_set_new(o, "computed", json_boolean(is_computed(l)));
    return o;
}

static json_t *places_json(const WwPlace *p, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_pack("{s:o,s:I,s:I}", "file", text_json(p[i].file), "line",
                                              (json_int_t)p[i].line, "col", (json_int_t)p[i].col));
    return list;
}

static json_t *end_json(const WwFindingEnd *e)
{
    if (!e)
        return json_null();
    json_t *o = json_object();
    json_object_set_new(o, "kernel", text_json(e->kernel));
    json_object_set_new(o, "file", text_json(e->file));
    json_object_set_new(o, "line", json_integer(e->line));
    json_object_set_new(o, "col", json_integer(e->col));
    json_object_set_new(o, "block", dim_json(e->block));
    json_object_set_new(o, "thread", dim_json(e->thread));
    json_object_set_new(o, "message", text_json(e->message));
    json_object_set_new(o, "inlined", places_json(e->inlined, e->ninlined));
    return o;
}

static json_t *picture_json(const WwPicture *p)
{
    if (!p)
        return json_null();
    json_t *offsets = json_array();
    for (int i = 0; i < 32; i++)
        json_array_append_new(offsets, json_integer((json_int_t)p->offset[i]));
    return json_pack("{s:s,s:s,s:i,s:I,s:I,s:I,s:o}", "space", p->space, "op", p->op, "bytes", (int)p->bytes, "mask",
                     (json_int_t)p->mask, "bad", (json_int_t)p->bad, "of", (json_int_t)p->of, "offsets", offsets);
}

static json_t *mend_json(const WwMend *m)
{
    if (!m)
        return json_null();
    json_t *o = json_object();
    json_object_set_new(o, "text", text_json(m->text));
    json_object_set_new(o, "unit", text_json(m->unit));
    json_object_set_new(o, "before", json_integer((json_int_t)m->before));
    json_object_set_new(o, "after", json_integer((json_int_t)m->after));
    json_object_set_new(o, "shared_bytes", json_integer(m->shared_bytes));
    json_object_set_new(o, "predicted_gain", m->gain > 0 ? json_real(m->gain) : json_null());
    json_object_set_new(o, "from", picture_json(m->from));
    json_object_set_new(o, "to", picture_json(m->to));
    return o;
}

static json_t *host_json(const WwFinding *f)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f->nhost; i++) {
        json_t *o = json_object();
        json_object_set_new(o, "function", text_json(f->host[i].function));
        json_object_set_new(o, "file", text_json(f->host[i].file));
        json_object_set_new(o, "line", json_integer(f->host[i].line));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *finding_json(const ReportFinding *r, json_t *own)
{
    const WwFinding *f = &r->f;
    json_t          *o = json_object();
    json_object_set_new(o, "rule", text_json(f->rule));
    json_object_set_new(o, "category", text_json(f->category));
    json_object_set_new(o, "severity", text_json(f->severity));
    json_object_set_new(o, "kernel", text_json(f->kernel));
    json_object_set_new(o, "launch", r->launch >= 0 ? json_integer(r->launch) : json_null());
    json_object_set_new(o, "file", text_json(f->file));
    json_object_set_new(o, "line", json_integer(f->line));
    json_object_set_new(o, "col", json_integer(f->col));
    json_object_set_new(o, "block", dim_json(f->block));
    json_object_set_new(o, "thread", dim_json(f->thread));
    json_object_set_new(o, "address", json_integer((json_int_t)f->address));
    json_object_set_new(o, "count", json_integer((json_int_t)f->count));
    json_object_set_new(o, "message", text_json(f->message));
    json_object_set_new(o, "inlined", places_json(f->inlined, f->ninlined));
    json_object_set_new(o, "other", end_json(f->other));
    json_object_set_new(o, "mend", mend_json(f->mend));
    json_object_set_new(o, "seed", json_integer((json_int_t)f->seed));
    json_object_set_new(o, "host", host_json(f));
    json_object_set_new(o, "snippet", text_json(f->snippet));
    json_object_set_new(o, "picture", picture_json(f->picture));
    json_object_set_new(o, "processes", json_integer(r->processes ? r->processes : 1));
    if (r->who || own)
        json_object_update(o, r->who ? r->who : own);
    return o;
}

/* ---- the file ---- */

static void extend(json_t *doc, const char *key, json_t *more)
{
    json_t *list = json_object_get(doc, key);
    if (!json_is_array(list)) {
        json_object_set_new(doc, key, json_array());
        list = json_object_get(doc, key);
    }
    json_array_extend(list, more);
}

/* Beside those of other processes ours may join theirs, so copies go there. */
static void add_launches(const Report *r, json_t *doc)
{
    json_t *theirs = json_object_get(doc, "kernels"), *ours = launches_list(r->launches), *e;
    size_t  i;
    json_array_foreach(ours, i, e) if (r->own) json_object_update(e, r->own);
    if (!json_array_size(theirs) || !json_array_size(ours)) {
        extend(doc, "kernels", ours);
        return;
    }
    Launches *all = launches_new(r->keep);
    json_array_foreach(theirs, i, e) launches_add(all, json_incref(e));
    json_array_foreach(ours, i, e) launches_add(all, json_deep_copy(e));
    json_object_set(doc, "kernels", launches_list(all));
    launches_free(all);
}

/* Those of other processes that are the same are one with ours. */
static json_t *all_findings(Report *r, const json_t *doc)
{
    json_t *list = json_array();
    Report *all  = r;
    if (json_array_size(json_object_get(doc, "findings")) && r->nfindings) {
        all = report_new(0);
        doc_findings(doc, all);
        for (size_t i = 0; i < r->nfindings; i++) {
            const ReportFinding *f = &r->finding[i];
            report_who(all, f->who ? f->who : r->own, f->processes);
            report_add_finding(all, &f->f, f->f.kernel, f->launch);
        }
    }
    report_sort(all);
    for (size_t i = 0; i < all->nfindings; i++)
        json_array_append_new(list, finding_json(&all->finding[i], r->own));
    if (all != r)
        report_free(all);
    return list;
}

static json_t *call_json(const ReportCall *c)
{
    return json_pack("{s:o,s:o,s:I,s:o,s:o}", "library", text_json(c->library), "call", text_json(c->call), "count",
                     (json_int_t)c->count, "flops", c->operations > 0 ? json_real(c->operations) : json_null(), "by",
                     text_json(c->by));
}

static void fill(Report *r, json_t *doc, const char *program, int exit_code)
{
    json_t *libraries = json_array(), *missing = json_array(), *notes = json_array();
    for (size_t i = 0; i < r->nmissing; i++)
        json_array_append_new(missing, text_json(r->missing[i].name));
    for (size_t i = 0; i < r->nnotes; i++)
        json_array_append_new(notes, text_json(r->note[i]));
    for (size_t i = 0; i < r->ncalls; i++) {
        json_t *c = call_json(&r->call[i]);
        if (r->own)
            json_object_update(c, r->own);
        json_array_append_new(libraries, c);
    }
    json_object_set_new(doc, "schema", json_integer(1));
    if (program || !json_object_get(doc, "program"))
        json_object_set_new(doc, "program", text_json(program));
    if (exit_code >= 0 || !json_object_get(doc, "exit_code"))
        json_object_set_new(doc, "exit_code", exit_code >= 0 ? json_integer(exit_code) : json_null());
    add_launches(r, doc);
    if (r->nfindings || !json_is_array(json_object_get(doc, "findings")))
        json_object_set_new(doc, "findings", all_findings(r, doc));
    extend(doc, "libraries", libraries);
    extend(doc, "missing", missing);
    extend(doc, "notes", notes);
    json_decref(libraries);
    json_decref(missing);
    json_decref(notes);
}

void doc_join(json_t *to, const json_t *from, size_t keep)
{
    static const char *const lists[] = {"libraries", "missing", "notes"};
    Launches                *all     = launches_new(keep);
    Report                  *found   = report_new(0);
    json_t                  *list    = json_array(), *e;
    size_t                   i;
    json_array_foreach(json_object_get(to, "kernels"), i, e) launches_add(all, json_incref(e));
    json_array_foreach(json_object_get(from, "kernels"), i, e) launches_add(all, json_deep_copy(e));
    json_object_set(to, "kernels", launches_list(all));
    doc_findings(to, found);
    doc_findings(from, found);
    report_sort(found);
    for (i = 0; i < found->nfindings; i++)
        json_array_append_new(list, finding_json(&found->finding[i], NULL));
    json_object_set_new(to, "findings", list);
    for (i = 0; i < sizeof lists / sizeof *lists; i++)
        extend(to, lists[i], json_object_get(from, lists[i]));
    report_free(found);
    launches_free(all);
}

json_t *doc_of(Report *r, const char *program, int exit_code)
{
    json_t *doc = json_object();
    fill(r, doc, program, exit_code);
    return doc;
}

/* A pipe or a device has no document to add to. */
static WwStatus json_anew(Report *r, const char *file, const char *program, int exit_code)
{
    FILE   *f   = file_create(file);
    json_t *doc = doc_of(r, program, exit_code);
    bool    ok  = f && json_dumpf(doc, f, JSON_INDENT(1)) == 0 && fputc('\n', f) != EOF;
    ok          = f && fclose(f) == 0 && ok;
    json_decref(doc);
    return ok ? WW_OK : WW_ERR_IO;
}

WwStatus report_json(Report *r, const char *file, const char *program, int exit_code)
{
    struct stat st;
    if (stat(file, &st) == 0 && !S_ISREG(st.st_mode))
        return json_anew(r, file, program, exit_code);
    int   fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666);
    FILE *f  = fd < 0 ? NULL : fdopen(fd, "r+"); /* buffered: jansson reads and writes byte by byte */
    if (!f)
        return WW_ERR_IO;
    flock(fd, LOCK_EX);
    json_t *doc = json_loadf(f, JSON_DISABLE_EOF_CHECK, NULL);
    if (!json_is_object(doc)) {
        json_decref(doc);
        doc = json_object();
    }
    fill(r, doc, program, exit_code);
    rewind(f);
    bool ok = ftruncate(fd, 0) == 0 && json_dumpf(doc, f, JSON_INDENT(1)) == 0 && fputc('\n', f) != EOF;
    ok      = fflush(f) == 0 && ok; /* before the lock goes with the file */
    int e   = errno;
    json_decref(doc);
    fclose(f);
    errno = e;
    return ok ? WW_OK : WW_ERR_IO;
}
