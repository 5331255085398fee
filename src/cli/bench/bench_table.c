/* SPDX-License-Identifier: Apache-2.0
 *
 * How the rows of `warpwright bench` look: a table on the terminal, and JSON.  A row that is not verified carries no rate,
 * in either; a number that was not measured is a dash, or null. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "blas/blas.h"
#include "cli/bench/bench.h"

/* Useful work of one run: operations (2mnk) or bytes. */
static double bench_amount(const BenchWork *w)
{
    if (strcmp(w->work, "copy") == 0)
        return 2.0 * (w->element ? (double)w->m * (double)w->n * (double)w->element : (double)w->bytes);
    return 2.0 * (double)w->m * (double)w->n * (double)w->k;
}

const char *bench_unit(const BenchWork *w)
{
    return strcmp(w->work, "copy") == 0                                   ? "GB/s"
           : type_row(w->type)->scalar == SCALAR_f32 || w->type == WW_F64 ? "TFLOP/s"
                                                                          : "TOP/s";
}

static double rate(const BenchRow *r)
{
    double scale = strcmp(r->w.work, "copy") == 0 ? 1e6 : 1e9;
    return r->verified && r->median_ms > 0 ? bench_amount(&r->w) / r->median_ms / scale : 0;
}

static const char *layout(const BenchWork *w)
{
    static const char *const names[] = {"NN", "NT", "TN", "TT"};
    return names[w->ta * 2 + w->tb];
}

static const char *type_name(const BenchWork *w)
{
    return type_row(w->type)->word;
}

void bench_table_head(FILE *to, bool counted)
{
    if (counted)
        fprintf(to, "%-5s %-8s %-16s %-3s %-12s %12s %10s %10s %10s %10s %10s %10s\n", "work", "type", "size", "ops",
                "impl", "instructions", "ld reqs", "ld sectors", "st sectors", "ld passes", "st passes", "conflicts");
    else
        fprintf(to, "%-5s %-8s %-16s %-3s %-12s %10s %10s %-8s %8s %8s %9s\n", "work", "type", "size", "ops", "impl",
                "ms", "rate", "", "ceiling", "/cublas", "error");
}

static const char *const biases[] = {NULL, "rows", "columns"}, *const activations[] = {NULL, "relu", "gelu", "silu"};

/* What a product has at its end, as a remark. */
static void print_ends(FILE *to, const BenchWork *w)
{
    if (w->bias)
        fprintf(to, "  bias of %s", biases[w->bias]);
    if (w->activation)
        fprintf(to, "  %s", activations[w->activation]);
}

static void counted_row(FILE *to, const WwCounters *c)
{
    fprintf(to, " %12llu %10llu %10llu %10llu %10llu %10llu %10llu\n", (unsigned long long)c->inst_executed,
            (unsigned long long)c->global_ld_requests, (unsigned long long)c->global_ld_sectors,
            (unsigned long long)c->global_st_sectors, (unsigned long long)c->shared_ld_wavefronts,
            (unsigned long long)c->shared_st_wavefronts + c->shared_copy_wavefronts,
            (unsigned long long)c->shared_ld_bank_conflicts + c->shared_st_bank_conflicts +
                c->shared_copy_bank_conflicts);
}

void bench_table_row(FILE *to, const BenchRow *r)
{
    char size[64], share[32] = "-";
    if (r->w.element)
        snprintf(size, sizeof size, "%zux%zux%zuB", r->w.m, r->w.n, r->w.element);
    else if (strcmp(r->w.work, "copy") == 0)
        snprintf(size, sizeof size, "%zuB +%zu>+%zu", r->w.bytes, r->w.src_offset, r->w.dst_offset);
    else
        snprintf(size, sizeof size, "%zux%zux%zu", r->w.m, r->w.n, r->w.k);
    fprintf(to, "%-5s %-8s %-16s %-3s %-12s", r->w.work, type_name(&r->w), size, layout(&r->w), r->impl);
    if (r->counted && r->verified) {
        counted_row(to, &r->counters);
        return;
    }
    if (rate(r) > 0)
        fprintf(to, " %10.4f %10.2f %-8s", r->median_ms, rate(r), bench_unit(&r->w));
    else
        fprintf(to, " %10s %10s %-8s", "-", "-", bench_unit(&r->w));
    if (rate(r) > 0 && r->ceiling > 0)
        snprintf(share, sizeof share, "%.1f%%", 100 * rate(r) / r->ceiling);
    fprintf(to, " %8s", share);
    if (rate(r) > 0 && r->cublas_ms > 0)
        fprintf(to, " %8.3f", r->cublas_ms / r->median_ms);
    else
        fprintf(to, " %8s", "-");
    fprintf(to, " %9.2g%s%s", r->max_error, *r->note ? "  " : "", r->note);
    print_ends(to, &r->w);
    if (!r->verified)
        fprintf(to, "  NOT VERIFIED: %s", r->problem);
    fputc('\n', to);
    fflush(to);
}

static json_t *number(double v)
{
    return v > 0 ? json_real(v) : json_null();
}

static json_t *counters_json(const WwCounters *c)
{
    json_t *o = json_object();
    for (size_t i = 0; i < ww_counter_count(); i++)
        json_object_set_new(o, ww_counter_name(i), json_integer((json_int_t)ww_counter_value(c, i)));
    return o;
}

static json_t *row_json(const BenchRow *r, const char *device)
{
    bool    shown = rate(r) > 0;
    json_t *o     = json_object();
    json_object_set_new(o, "work", json_string(r->w.work));
    json_object_set_new(o, "m", json_integer((json_int_t)r->w.m));
    json_object_set_new(o, "n", json_integer((json_int_t)r->w.n));
    json_object_set_new(o, "k", json_integer((json_int_t)r->w.k));
    if (strcmp(r->w.work, "copy") == 0) {
        json_object_set_new(o, "bytes", json_integer((json_int_t)r->w.bytes));
        json_object_set_new(o, "src_offset", json_integer((json_int_t)r->w.src_offset));
        json_object_set_new(o, "dst_offset", json_integer((json_int_t)r->w.dst_offset));
        json_object_set_new(o, "element", json_integer((json_int_t)r->w.element));
        json_object_set_new(o, "src_ld", json_integer((json_int_t)r->w.src_ld));
        json_object_set_new(o, "dst_ld", json_integer((json_int_t)r->w.dst_ld));
    }
    json_object_set_new(o, "type", json_string(type_name(&r->w)));
    json_object_set_new(o, "layout", json_string(layout(&r->w)));
    json_object_set_new(o, "bias", r->w.bias ? json_string(biases[r->w.bias]) : json_null());
    json_object_set_new(o, "activation", r->w.activation ? json_string(activations[r->w.activation]) : json_null());
    json_object_set_new(o, "impl", json_string(r->impl));
    json_object_set_new(o, "median_ms", number(shown ? r->median_ms : 0));
    json_object_set_new(o, "host_us", number(shown ? r->host_us : 0));
    json_object_set_new(o, "runs", json_integer(r->runs));
    json_object_set_new(o, "rate", number(rate(r)));
    json_object_set_new(o, "unit", json_string(bench_unit(&r->w)));
    json_object_set_new(o, "ratio_to_cublas", number(shown && r->cublas_ms > 0 ? r->cublas_ms / r->median_ms : 0));
    json_object_set_new(o, "ceiling", number(r->ceiling));
    json_object_set_new(o, "note", r->note[0] ? json_string(r->note) : json_null());
    json_object_set_new(o, "max_error", isfinite(r->max_error) ? json_real(r->max_error) : json_null());
    json_object_set_new(o, "verified", json_boolean(r->verified));
    json_object_set_new(o, "clock_mhz", number(r->clock_mhz));
    json_object_set_new(o, "power_w", number(r->power_w));
    json_object_set_new(o, "device", json_string(device));
    json_object_set_new(o, "counters", r->counted ? counters_json(&r->counters) : json_null());
    json_object_set_new(o, "problem", r->problem[0] ? json_string(r->problem) : json_null());
    return o;
}

bool bench_json(const char *file, const BenchRow *rows, size_t n, const char *device)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, row_json(&rows[i], device));
    json_t *top = json_object();
    json_object_set_new(top, "schema", json_integer(1));
    json_object_set_new(top, "rows", list);
    FILE *f  = file_create(file);
    bool  ok = f && json_dumpf(top, f, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) == 0;
    ok       = f && fclose(f) == 0 && ok;
    json_decref(top);
    return ok;
}
