/* SPDX-License-Identifier: Apache-2.0
 *
 * The report as text: one line for each kernel, the source lines that cost most, what was missing.
 * It stays readable for programs of hundreds of kernels: the KERNELS that executed most instructions are shown, in the order of their first
 * launches, and one line for the others together; kernels that did not run are always named.
 * Columns are as wide as their widest entry.  "lanes" is the share of lanes that were active in an average instruction; "req" counts global
 * loads, stores and atomics, "sect/req" the 32-byte sectors each touched; "passes" and "conflicts" belong to shared memory. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/rows.h"

enum { COLUMNS = 9, NAME_WIDTH = 48, KERNELS = 24, TOP_LINES = 8, CALLS = 6, CELL = 64 };

typedef struct Cells {
    char text[COLUMNS][CELL];
} Cells;

static uint64_t requests(const WwCounters *c)
{
    return c->global_ld_requests + c->global_st_requests + c->global_atom_requests;
}

static uint64_t sectors(const WwCounters *c)
{
    return c->global_ld_sectors + c->global_st_sectors + c->global_atom_sectors;
}

static uint64_t conflicts(const WwCounters *c)
{
    return c->shared_ld_bank_conflicts + c->shared_st_bank_conflicts + c->shared_copy_bank_conflicts +
           c->shared_atom_bank_conflicts;
}

static void put_ratio(char *cell, double part, double whole, const char *fmt)
{
    Str s = {0};
    if (whole > 0)
        str_printf(&s, "%.*f%s", 1, part / whole, fmt);
    else
        str_add(&s, "-");
    memcpy(cell, str_text(&s), strnlen(str_text(&s), CELL - 1) + 1);
    str_free(&s);
}

static void put_number(char *cell, uint64_t n)
{
    Str s = {0};
    str_printf(&s, "%" PRIu64, n);
    memcpy(cell, s.s, s.len + 1);
    str_free(&s);
}

/* Behind the name's namespaces: "void a::b::scan<a::T>(int)" from "scan" on. */
static const char *base_name(const char *name)
{
    const char *base  = name;
    int         depth = 0;
    for (const char *p = name; *p && !(*p == '(' && !depth); p++) {
        depth += (*p == '<') - (*p == '>');
        if (!depth && ((p[0] == ':' && p[1] == ':') || *p == ' '))
            base = p + (*p == ' ' ? 1 : 2);
    }
    return *base && *base != ':' ? base : name;
}

/* What does not fit loses its namespaces first, then its end. */
static void put_name(char *cell, const char *name)
{
    name     = strlen(name) > NAME_WIDTH ? base_name(name) : name;
    size_t n = strlen(name);
    memset(cell, 0, CELL);
    memcpy(cell, name, n < NAME_WIDTH ? n : NAME_WIDTH);
    if (n > NAME_WIDTH)
        memcpy(cell + NAME_WIDTH - 3, "...", 4);
}

static Cells cells_of(const Row *r)
{
    Cells             c = {0};
    const WwCounters *k = &r->counters;
    put_name(c.text[0], r->kernel);
    put_number(c.text[1], r->launches);
    put_ratio(c.text[2], r->seconds * 1e3, 1, " ms");
    put_number(c.text[3], k->inst_executed);
    put_number(c.text[4], requests(k));
    put_ratio(c.text[5], (double)sectors(k), (double)requests(k), "");
    put_number(c.text[6], k->memory_l1_wavefronts_shared);
    put_number(c.text[7], conflicts(k));
    put_ratio(c.text[8], (double)k->thread_inst_executed * 100, (double)k->inst_executed * 32, "%");
    return c;
}

/* Adds a row's figures to those of the line for the kernels that are not shown. */
static void row_add(Row *to, const Row *r)
{
    to->launches += r->launches;
    to->failed += r->failed;
    to->unsupported += r->unsupported;
    to->seconds += r->seconds;
    counters_add(&to->counters, &r->counters);
}

static int most_instructions_first(const void *a, const void *b)
{
    const Row *x = *(const Row *const *)a, *y = *(const Row *const *)b;
    uint64_t   m = x->counters.inst_executed, n = y->counters.inst_executed;
    return m != n ? (m > n ? -1 : 1) : (x > y) - (x < y);
}

/* Picks the rows to show: shown[i] of row i.  Returns how many are left out. */
static size_t pick_rows(const Row *rows, size_t nrows, bool *shown)
{
    const Row **list = xcalloc(nrows + 1, sizeof *list);
    size_t      left = 0;
    for (size_t i = 0; i < nrows; i++)
        list[i] = &rows[i];
    if (nrows > KERNELS)
        qsort(list, nrows, sizeof *list, most_instructions_first);
    for (size_t i = 0; i < nrows; i++) {
        bool show             = i < KERNELS || list[i]->failed || list[i]->unsupported;
        shown[list[i] - rows] = show;
        left += !show;
    }
    free(list);
    return left;
}

static void table_line(const Cells *c, const size_t *width, const Row *r, Str *out)
{
    str_printf(out, "%-*s", (int)width[0], c->text[0]);
    for (int j = 1; j < COLUMNS; j++)
        str_printf(out, "  %*s", (int)width[j], c->text[j]);
    if (r && r->unsupported)
        str_printf(out, "  NOT RUN (%" PRIu64 ")", r->unsupported);
    if (r && r->failed)
        str_printf(out, "  FAILED (%" PRIu64 " launch%s)", r->failed, r->failed == 1 ? "" : "es");
    str_addc(out, '\n');
}

/* what: the rows' kind, "kernel". */
static void table(const Row *rows, size_t nrows, const char *what, Str *out)
{
    Cells heads = {
        {"", "launches", "emulated in", "instructions", "requests", "sect/req", "passes", "conflicts", "lanes"}};
    size_t      width[COLUMNS], n = 0;
    bool       *shown = xcalloc(nrows + 1, sizeof *shown);
    size_t      left  = pick_rows(rows, nrows, shown);
    Str         name  = {0};
    Row         rest  = {0};
    Cells      *c     = xcalloc(nrows + 2, sizeof *c);
    const Row **row   = xcalloc(nrows + 2, sizeof *row);
    put_name(heads.text[0], what);
    c[n++] = heads;
    for (size_t i = 0; i < nrows; i++)
        if (shown[i]) {
            row[n] = &rows[i];
            c[n++] = cells_of(&rows[i]);
        } else {
            row_add(&rest, &rows[i]);
        }
    if (left) {
        str_printf(&name, "%zu other %ss", left, what);
        rest.kernel = str_text(&name);
        row[n]      = &rest;
        c[n++]      = cells_of(&rest);
    }
    for (int j = 0; j < COLUMNS; j++) {
        width[j] = 0;
        for (size_t i = 0; i < n; i++)
            width[j] = strlen(c[i].text[j]) > width[j] ? strlen(c[i].text[j]) : width[j];
    }
    for (size_t i = 0; i < n; i++)
        table_line(&c[i], width, row[i], out);
    str_free(&name);
    free(row);
    free(shown);
    free(c);
}

typedef struct Cost {
    const char *file;
    uint32_t    line;
    uint64_t    cost; /* sectors and passes */
    WwCounters  counters;
} Cost;

static int by_file_and_line(const void *a, const void *b)
{
    const Cost *x = a, *y = b;
    int         c = strcmp(x->file, y->file);
    return c ? c : (x->line > y->line) - (x->line < y->line);
}

static int dearest_first(const void *a, const void *b)
{
    const Cost *x = a, *y = b;
    return x->cost != y->cost ? (x->cost > y->cost ? -1 : 1) : by_file_and_line(a, b);
}

/* A line that several kernels share (instances of a template, inlined functions) becomes one. */
static size_t merge_lines(Cost *list, size_t n)
{
    size_t kept = 0;
    if (n)
        qsort(list, n, sizeof *list, by_file_and_line);
    for (size_t i = 0; i < n; i++) {
        if (!kept || by_file_and_line(&list[kept - 1], &list[i]) != 0) {
            list[kept++] = list[i];
            continue;
        }
        list[kept - 1].cost += list[i].cost;
        counters_add(&list[kept - 1].counters, &list[i].counters);
    }
    return kept;
}

static Cost *all_lines(const Report *r, size_t *count)
{
    size_t n = 0, total = 0;
    for (size_t i = 0; i < r->nrows; i++)
        total += r->row[i].nlines;
    Cost *list = xcalloc(total + 1, sizeof *list);
    for (size_t i = 0; i < r->nrows; i++)
        for (size_t j = 0; j < r->row[i].nlines; j++) {
            const RowLine *l    = &r->row[i].line[j];
            uint64_t       cost = sectors(&l->counters) + l->counters.memory_l1_wavefronts_shared;
            if (cost)
                list[n++] = (Cost){l->file, l->line, cost, l->counters};
        }
    *count = merge_lines(list, n);
    return list;
}

static void dear_lines(const Report *r, Str *out)
{
    size_t n;
    Cost  *list = all_lines(r, &n);
    if (n) {
        qsort(list, n, sizeof *list, dearest_first);
        str_add(out, "\nsource lines that cost most:\n");
    }
    for (size_t i = 0; i < n && i < TOP_LINES; i++) {
        const WwCounters *c = &list[i].counters;
        str_printf(out,
                   "  %s:%u: %" PRIu64 " requests, %" PRIu64 " sectors (ideal %" PRIu64 "), %" PRIu64
                   " passes, %" PRIu64 " conflicts\n",
                   list[i].file, list[i].line, requests(c), sectors(c), c->memory_l2_theoretical_sectors_global_ideal,
                   c->memory_l1_wavefronts_shared, conflicts(c));
    }
    free(list);
}

static int more_often(const void *a, const void *b)
{
    const ReportCall *x = a, *y = b;
    return x->count != y->count ? (x->count < y->count ? 1 : -1) : strcmp(x->call, y->call);
}

/* calls: of one library, computed by one. */
static void library(ReportCall *calls, size_t n, Str *out)
{
    uint64_t count      = 0;
    double   operations = 0;
    qsort(calls, n, sizeof *calls, more_often);
    for (size_t i = 0; i < n; i++) {
        count += calls[i].count;
        operations += calls[i].operations;
    }
    str_printf(out, "%s: %" PRIu64 " call%s", calls->library, count, count == 1 ? "" : "s");
    if (operations > 0)
        str_printf(out, ", %.3g GFLOP", operations * 1e-9);
    str_printf(out, ", computed by %s, not emulated (", calls->by);
    for (size_t i = 0; i < n && i < CALLS; i++)
        str_printf(out, "%s%" PRIu64 " of %s", i ? ", " : "", calls[i].count, calls[i].call);
    if (n > CALLS)
        str_printf(out, ", others of %zu functions", n - CALLS);
    str_add(out, ")\n");
}

static int by_library(const void *a, const void *b)
{
    const ReportCall *x = a, *y = b;
    int               c = strcmp(x->library, y->library);
    return c ? c : strcmp(x->by, y->by);
}

static void libraries(const Report *r, Str *out)
{
    ReportCall *all = xcalloc(r->ncalls + 1, sizeof *all);
    if (r->ncalls)
        memcpy(all, r->call, r->ncalls * sizeof *all);
    qsort(all, r->ncalls, sizeof *all, by_library);
    for (size_t i = 0, n; i < r->ncalls; i += n) {
        for (n = 1; i + n < r->ncalls && by_library(&all[i], &all[i + n]) == 0;)
            n++;
        library(&all[i], n, out);
    }
    free(all);
}

/* "  single precision: 1200 GFLOP/s of 6.69e+04, 0.17 operations a byte of device memory". */
static void flops(const char *title, uint64_t n, double most, const WwPrediction *p, Str *out)
{
    uint64_t bytes = p->dram_read_bytes + p->dram_write_bytes;
    if (!n)
        return;
    str_printf(out, "  %s precision: %.3g GFLOP/s", title, (double)n / p->ns);
    if (most > 0)
        str_printf(out, " of %.3g", most);
    if (bytes)
        str_printf(out, ", %.3g operations a byte of device memory", (double)n / (double)bytes);
    str_add(out, "\n");
}

/* Who asks L2 for nothing has asked L1 for nothing, and nothing has rates. */
static void traffic(const WwPrediction *p, Str *out)
{
    if (p->l2_sectors)
        str_printf(out,
                   "  modelled: L1 hits %.0f %%, L2 hits %.0f %%; device memory reads %.3g MB and writes %.3g MB\n",
                   p->l1_hit_rate * 100, p->l2_hit_rate * 100, (double)p->dram_read_bytes / 1e6,
                   (double)p->dram_write_bytes / 1e6);
    else
        str_add(out, "  modelled: no access of global or local memory\n");
    if (p->texture_sectors)
        str_printf(out, "  textures: L1 hits %.0f %%\n", 100 * (double)p->texture_hits / (double)p->texture_sectors);
    if (p->host_read_bytes || p->host_write_bytes)
        str_printf(out, "  memory of the host: reads %.3g MB and writes %.3g MB\n", (double)p->host_read_bytes / 1e6,
                   (double)p->host_write_bytes / 1e6);
    if (p->managed_bytes)
        str_printf(out, "  not in it: moving the pages of %.3g MB of managed memory, where the host used them last\n",
                   (double)p->managed_bytes / 1e6);
}

/* "scale: 12.3 us predicted, 81 % device memory; 2.1 times as fast without it". */
static void predicted(const Report *r, Str *out)
{
    for (size_t i = 0; i < r->nrows; i++) {
        const Row *row = &r->row[i];
        if (!row->predicted)
            continue;
        str_printf(out, "%s: %.*f us predicted", row->kernel, row->ns < 1e5 ? 1 : 0, row->ns / 1e3);
        if (row->predicted > 1)
            str_printf(out, " in %" PRIu64 " launches; the longest (%.1f us)", row->predicted, row->longest.ns / 1e3);
        else
            str_add(out, ",");
        str_printf(out, " bound by %s, %.0f %%; %.2f times as fast without it%s\n", row->longest.limiter,
                   row->longest.share * 100, row->longest.headroom,
                   strcmp(row->longest.source, "ptx") ? "" : " (PTX alone: there is no machine code)");
        traffic(&row->longest, out);
        flops("half", row->longest.half_flops, row->longest.most_half_flops, &row->longest, out);
        flops("single", row->longest.single_flops, row->longest.most_single_flops, &row->longest, out);
        flops("double", row->longest.double_flops, row->longest.most_double_flops, &row->longest, out);
    }
}

static void estimated(const Row *row, const char *what, uint64_t n, uint64_t error, Str *out)
{
    str_printf(out, "%s%" PRIu64 " %s", *what == 'i' ? " " : ", ", n, what);
    if (row->spread == row->sampled && n)
        str_printf(out, " (+- %.1f %%)", 100 * (double)error / (double)n);
}

/* "scale: sampled: 72 of 4096 blocks ran; the whole grid: 65536 instructions (+- 0.4 %), ..."; +-: one standard error. */
static void sampled(const Report *r, Str *out)
{
    for (size_t i = 0; i < r->nrows; i++) {
        const Row        *row = &r->row[i];
        const WwCounters *n = &row->estimate, *e = &row->error;
        if (!row->sampled)
            continue;
        str_printf(out, "%s: sampled: %" PRIu64 " of %" PRIu64 " blocks ran", row->kernel, row->blocks, row->of);
        if (row->sampled > 1 || row->launches > 1)
            str_printf(out, " in %" PRIu64 " of %" PRIu64 " launches", row->sampled, row->launches);
        str_add(out, row->sampled > 1 ? "; the whole grids:" : "; the whole grid:");
        estimated(row, "instructions", n->inst_executed, e->inst_executed, out);
        estimated(row, "requests", requests(n), requests(e), out);
        estimated(row, "sectors", sectors(n), sectors(e), out);
        estimated(row, "passes", n->memory_l1_wavefronts_shared, e->memory_l1_wavefronts_shared, out);
        estimated(row, "conflicts", conflicts(n), conflicts(e), out);
        str_add(out, row->spread == row->sampled ? "\n" : "; how far off is not known: that takes two random blocks\n");
    }
}

void report_text(const Report *r, Str *out)
{
    if (r->nrows) {
        table(r->row, r->nrows, "kernel", out);
        predicted(r, out);
        sampled(r, out);
        dear_lines(r, out);
        if (r->show_ranges && r->nranges) {
            str_addc(out, '\n');
            table(r->range, r->nranges, "NVTX range", out);
        } else if (r->show_ranges) {
            str_add(out, "\nno launch was inside an NVTX range\n");
        }
    } else {
        str_add(out, "no kernel was launched\n");
    }
    for (size_t i = 0; i < r->nrows; i++)
        if (r->row[i].why)
            str_printf(out, "%s: %s\n", r->row[i].kernel, r->row[i].why);
    for (size_t i = 0; i < r->nmissing; i++)
        str_printf(out, "not implemented: %s (%" PRIu64 " call%s)\n", r->missing[i].name, r->missing[i].calls,
                   r->missing[i].calls == 1 ? "" : "s");
    libraries(r, out);
    for (size_t i = 0; i < r->nnotes; i++)
        str_printf(out, "note: %s\n", r->note[i]);
}
