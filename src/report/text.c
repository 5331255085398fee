/* SPDX-License-Identifier: Apache-2.0
 *
 * The report as text: one line for each kernel, the source lines that cost most, what was missing.
 * Columns are as wide as their widest entry.  "lanes" is the share of lanes that were active in an average instruction; "req" counts global
 * loads, stores and atomics, "sect/req" the 32-byte sectors each touched; "passes" and "conflicts" belong to shared memory. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/rows.h"

enum { COLUMNS = 9, NAME_WIDTH = 48, TOP_LINES = 8, CELL = 64 };

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
    return c->shared_ld_bank_conflicts + c->shared_st_bank_conflicts + c->shared_atom_bank_conflicts;
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

static void put_name(char *cell, const char *name)
{
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

static void table(const Report *r, Str *out)
{
    static const char *const heads[COLUMNS] = {"kernel",   "launches", "time",      "instructions", "requests",
                                               "sect/req", "passes",   "conflicts", "lanes"};
    size_t                   width[COLUMNS];
    Cells                   *c = xcalloc(r->nrows + 1, sizeof *c);
    for (int j = 0; j < COLUMNS; j++)
        width[j] = strlen(heads[j]);
    for (size_t i = 0; i < r->nrows; i++) {
        c[i] = cells_of(&r->row[i]);
        for (int j = 0; j < COLUMNS; j++)
            if (strlen(c[i].text[j]) > width[j])
                width[j] = strlen(c[i].text[j]);
    }
    str_printf(out, "%-*s", (int)width[0], heads[0]);
    for (int j = 1; j < COLUMNS; j++)
        str_printf(out, "  %*s", (int)width[j], heads[j]);
    str_addc(out, '\n');
    for (size_t i = 0; i < r->nrows; i++) {
        str_printf(out, "%-*s", (int)width[0], c[i].text[0]);
        for (int j = 1; j < COLUMNS; j++)
            str_printf(out, "  %*s", (int)width[j], c[i].text[j]);
        if (r->row[i].unsupported)
            str_printf(out, "  NOT RUN (%" PRIu64 ")", r->row[i].unsupported);
        if (r->row[i].failed)
            str_printf(out, "  FAILED (%" PRIu64 ")", r->row[i].failed);
        str_addc(out, '\n');
    }
    free(c);
}

typedef struct Cost {
    const RowLine *line;
    uint64_t       cost; /* sectors and passes beyond what the bytes need, then all of them */
    const Row     *row;
} Cost;

static int dearest_first(const void *a, const void *b)
{
    const Cost *x = a, *y = b;
    if (x->cost != y->cost)
        return x->cost > y->cost ? -1 : 1;
    int c = strcmp(x->line->file, y->line->file);
    return c ? c : (x->line->line > y->line->line) - (x->line->line < y->line->line);
}

static bool is_ptx(const char *file)
{
    size_t n = strlen(file);
    return n > 4 && !strcmp(file + n - 4, ".ptx");
}

static void dear_lines(const Report *r, Str *out)
{
    size_t n = 0, total = 0;
    for (size_t i = 0; i < r->nrows; i++)
        total += r->row[i].nlines;
    Cost *list = xcalloc(total + 1, sizeof *list);
    for (size_t i = 0; i < r->nrows; i++)
        for (size_t j = 0; j < r->row[i].nlines; j++) {
            const RowLine    *l    = &r->row[i].line[j];
            const WwCounters *c    = &l->counters;
            uint64_t          cost = sectors(c) + c->memory_l1_wavefronts_shared;
            if (cost && !is_ptx(l->file))
                list[n++] = (Cost){l, cost, &r->row[i]};
        }
    if (n)
        qsort(list, n, sizeof *list, dearest_first);
    if (n)
        str_add(out, "\nsource lines that cost most:\n");
    for (size_t i = 0; i < n && i < TOP_LINES; i++) {
        const WwCounters *c = &list[i].line->counters;
        str_printf(out,
                   "  %s:%u: %" PRIu64 " requests, %" PRIu64 " sectors (ideal %" PRIu64 "), %" PRIu64
                   " passes, %" PRIu64 " conflicts\n",
                   list[i].line->file, list[i].line->line, requests(c), sectors(c),
                   c->memory_l2_theoretical_sectors_global_ideal, c->memory_l1_wavefronts_shared, conflicts(c));
    }
    free(list);
}

void report_text(const Report *r, Str *out)
{
    if (r->nrows) {
        table(r, out);
        dear_lines(r, out);
    } else {
        str_add(out, "no kernel was launched\n");
    }
    for (size_t i = 0; i < r->nrows; i++)
        if (r->row[i].why)
            str_printf(out, "%s: %s\n", r->row[i].kernel, r->row[i].why);
    for (size_t i = 0; i < r->nmissing; i++)
        str_printf(out, "not implemented: %s (%" PRIu64 " call%s)\n", r->missing[i].name, r->missing[i].calls,
                   r->missing[i].calls == 1 ? "" : "s");
    for (size_t i = 0; i < r->nnotes; i++)
        str_printf(out, "note: %s\n", r->note[i]);
}
