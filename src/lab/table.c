/* SPDX-License-Identifier: Apache-2.0
 *
 * The table on the screen: a heading for each experiment, one line for each row, problems below the line they belong
 * to. Loads and stores stand together as "ld+st" where both matter; a dash is a figure that was not measured or does
 * not exist. Time columns are there only when some row was timed, the column of lines only under profiles that move
 * whole lines. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lab/article.h"

#include "lab/lab.h"

typedef struct Columns {
    bool timed, lines;
} Columns;

enum { NAME_WIDTH = 25 };

static void put_count(Str *out, int width, uint64_t v)
{
    str_printf(out, " %*" PRIu64, width, v);
}

/* 1234567 as "1.18 MiB", in width characters. */
static void put_bytes(Str *out, int width, uint64_t v)
{
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double                   d      = (double)v;
    size_t                   u      = 0;
    char                     text[32];
    for (; d >= 1024 && u + 1 < sizeof unit / sizeof unit[0]; u++)
        d /= 1024;
    snprintf(text, sizeof text, u ? "%.2f %s" : "%.0f %s", d, unit[u]);
    str_printf(out, " %*s", width, text);
}

static void put_real(Str *out, int width, int digits, double v, bool known)
{
    if (known)
        str_printf(out, " %*.*f", width, digits, v);
    else
        str_printf(out, " %*s", width, "-");
}

static void put_head(const Columns *col, Str *out)
{
    str_printf(out, "  %-*s %-8s %10s %11s %8s %11s %10s %11s %11s", NAME_WIDTH, "kernel", "result", "requests",
               "sectors", "sect/req", "passes", "conflicts", "asked", "moved");
    if (col->lines)
        str_printf(out, " %10s", "lines");
    if (col->timed)
        str_printf(out, " %10s %9s", "ms", "GB/s");
    str_addc(out, '\n');
}

static void put_counts(const LabRow *r, const Columns *col, Str *out)
{
    const WwCounters *c        = &r->counters;
    uint64_t          requests = c->global_ld_requests + c->global_st_requests;
    uint64_t          sectors  = c->global_ld_sectors + c->global_st_sectors;
    put_count(out, 10, requests);
    put_count(out, 11, sectors);
    put_real(out, 8, 2, requests ? (double)sectors / (double)requests : 0, requests > 0);
    put_count(out, 11, c->shared_ld_wavefronts + c->shared_st_wavefronts + c->shared_copy_wavefronts);
    put_count(out, 10, c->shared_ld_bank_conflicts + c->shared_st_bank_conflicts + c->shared_copy_bank_conflicts);
    put_bytes(out, 11, c->useful_bytes);
    put_bytes(out, 11, c->moved_bytes);
    if (col->lines)
        put_count(out, 10, c->lines_128);
}

static void put_row(const LabRow *r, const Columns *col, Str *out)
{
    const char *result = r->verified ? "ok" : r->not_launchable ? "-" : r->checked ? "WRONG" : "FAILED";
    str_printf(out, "  %-*s %-8s", NAME_WIDTH, r->kernel, result);
    if (r->counted)
        put_counts(r, col, out);
    else
        str_printf(out, " %10s %11s %8s %11s %10s %11s %11s%s", "-", "-", "-", "-", "-", "-", "-",
                   col->lines ? "          -" : "");
    if (col->timed) {
        put_real(out, 10, 4, r->time_ms, r->timed);
        put_real(out, 9, 1, r->effective_gbs, r->effective_gbs > 0);
    }
    str_addc(out, '\n');
    if (r->problem)
        str_printf(out, "      %s: %s\n", r->kernel, r->problem);
    else if (r->checked < r->values)
        str_printf(out, "      %s: %" PRIu64 " of %" PRIu64 " elements compared, the rest only bounded\n", r->kernel,
                   r->checked, r->values);
}

static const LabSize *find_size(const LabRow *r, const char *name)
{
    for (size_t i = 0; i < r->nsizes; i++)
        if (strcmp(r->size[i].name, name) == 0)
            return &r->size[i];
    return NULL;
}

/* "m=1024 k=32": sizes that all rows of the experiment share. */
static void put_common_sizes(const Lab *lab, size_t first, size_t past, Str *out)
{
    const LabRow *r = lab_row(lab, first);
    for (size_t i = 0; i < r->nsizes; i++) {
        bool common = true;
        for (size_t j = first + 1; j < past; j++) {
            const LabSize *other = find_size(lab_row(lab, j), r->size[i].name);
            common               = common && other && other->value == r->size[i].value;
        }
        if (common)
            str_printf(out, "  %s=%" PRId64, r->size[i].name, r->size[i].value);
    }
}

static void put_legend(const Columns *col, Str *out)
{
    str_add(
        out,
        "\nrequests   warp instructions on global memory, loads and stores; sectors: 32-byte pieces they touched\n"
        "           (Nsight Compute: l1tex__t_requests_, l1tex__t_sectors_pipe_lsu_mem_global_op_ld and _st)\n"
        "passes     over the shared memory banks; conflicts: passes beyond what the width needs\n"
        "           (l1tex__data_pipe_lsu_wavefronts_, l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld and _st)\n"
        "asked      distinct bytes the lanes of each access wanted of global memory; moved: bytes that moved for "
        "them\n");
    if (col->lines)
        str_add(out, "lines      whole 128-byte lines moved through L1\n");
    if (col->timed)
        str_add(
            out,
            "ms, GB/s   median of event timings; every input read once and every output written once in that time\n");
}

void lab_table(const Lab *lab, bool legend, Str *out)
{
    Columns col = {0};
    size_t  n   = lab_row_count(lab);
    for (size_t i = 0; i < n; i++) {
        col.timed = col.timed || lab_row(lab, i)->timed;
        col.lines = col.lines || lab_row(lab, i)->counters.lines_128 > 0;
    }
    str_printf(out, "devices: %s\nseed: %" PRIu64 "\n", lab_device_text(lab), lab_seed(lab));
    if (*lab_note(lab))
        str_printf(out, "note: %s\n", lab_note(lab));
    for (size_t first = 0, past; first < n; first = past) {
        const char *name = lab_row(lab, first)->experiment;
        for (past = first + 1; past < n && strcmp(lab_row(lab, past)->experiment, name) == 0;)
            past++;
        str_printf(out, "\n%s: %s\n", name, lab_experiment_question(lab_experiment_find(name)));
        put_common_sizes(lab, first, past, out);
        str_addc(out, '\n');
        put_head(&col, out);
        for (size_t i = first; i < past; i++)
            put_row(lab_row(lab, i), &col, out);
        article_table(lab, first, past, out);
    }
    if (legend && n > 0)
        put_legend(&col, out);
}
