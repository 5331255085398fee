/* SPDX-License-Identifier: Apache-2.0
 *
 * The text `warpwright access` prints for one access: the figures, and a small picture.
 *   shared         a row for each lane, a column for each bank; the mark is the pass (of the lane's part) in which the word is served
 *   global, local  a row for each 128-byte line, a cell for each 32-byte sector with the lanes that ask for bytes of it
 * The pass marks follow the lanes' order within a part; hardware may serve words of one bank in another order. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/access/access.h"

enum { MAX_ROWS = 40 };

static void figure(Str *out, const char *name, uint32_t value, const char *fmt, uint32_t beside)
{
    str_printf(out, "%-26s%8" PRIu32, name, value);
    if (fmt) {
        str_addc(out, ' ');
        str_add(out, fmt);
        str_printf(out, " %" PRIu32 ")", beside);
    }
    str_addc(out, '\n');
}

/* ---- banks ----------------------------------------------------------------------------------------------------------- */

static char pass_mark(unsigned pass)
{
    return "123456789abcdefghijklmnopqrstuvw"[pass < MODEL_LANES ? pass : MODEL_LANES - 1];
}

static void bank_rows(const Profile *p, const ModelAccess *a, Str *out)
{
    const Arch *h       = p->arch;
    unsigned    part    = model_part_lanes(p, a);
    char        row[33] = {0};
    str_printf(out, "\n%u banks of %u bytes, left to right; lanes downwards, %u at a time; the digit is the pass\n\n",
               h->banks, h->bank_bytes, part);
    for (unsigned lane = 0; lane < MODEL_LANES; lane++) {
        memset(row, '.', h->banks);
        row[h->banks] = 0;
        if (lane && lane % part == 0)
            str_add(out, "        |\n");
        if (!(a->mask >> lane & 1)) {
            str_printf(out, "lane %2u | idle\n", lane);
            continue;
        }
        uint64_t first = a->addr[lane] / h->bank_bytes, last = (a->addr[lane] + a->bytes - 1) / h->bank_bytes;
        for (uint64_t w = first; w <= last; w++)
            row[w & (h->banks - 1)] = pass_mark(model_pass(p, a, lane, w));
        str_printf(out, "lane %2u | %s | %" PRIu64 "\n", lane, row, a->addr[lane]);
    }
}

/* ---- sectors --------------------------------------------------------------------------------------------------------- */

typedef struct LineRow {
    uint64_t number;
    uint32_t lanes[4]; /* that ask for bytes of each sector */
} LineRow;

typedef struct LineRows {
    LineRow  row[MODEL_LANES * (MODEL_MAX_BYTES / 4)];
    unsigned count;
} LineRows;

static void touch(LineRows *t, uint64_t byte, unsigned lane)
{
    unsigned i = 0;
    while (i < t->count && t->row[i].number != byte / MODEL_LINE)
        i++;
    if (i == t->count)
        t->row[t->count++] = (LineRow){.number = byte / MODEL_LINE};
    t->row[i].lanes[byte % MODEL_LINE / MODEL_SECTOR] |= 1u << lane;
}

static void lane_list(uint32_t lanes, Str *out)
{
    char text[16] = "-";
    int  first = lanes ? __builtin_ctz(lanes) : 0, last = lanes ? 31 - __builtin_clz(lanes) : 0;
    if (lanes && first == last)
        (void)snprintf(text, sizeof text, "%d", first);
    else if (lanes)
        (void)snprintf(text, sizeof text, "%d%s%d", first, __builtin_popcount(lanes) == last - first + 1 ? "-" : "..",
                       last);
    str_printf(out, " %8s", text);
}

static void line_rows(const ModelAccess *a, Str *out)
{
    LineRows t     = {.count = 0};
    bool     local = a->space == MODEL_LOCAL;
    for (unsigned lane = 0; lane < MODEL_LANES; lane++) {
        if (!(a->mask >> lane & 1))
            continue;
        unsigned step = local ? 4 : a->bytes;
        for (unsigned b = 0; b < a->bytes; b += step) {
            uint64_t at = a->addr[lane] + b;
            touch(&t, local ? at / 4 * MODEL_LINE + 4 * lane : at, lane);
        }
    }
    str_printf(out, "\n128-byte lines; in each 32-byte sector the lanes that touch it (a..b: some of a to b)\n\n");
    str_printf(out, "%20s  %8s %8s %8s %8s\n", local ? "word of the frame" : "line at byte", "0-31", "32-63", "64-95",
               "96-127");
    for (unsigned i = 0; i < t.count && i < MAX_ROWS; i++) {
        str_printf(out, "%20" PRIu64 " |", local ? t.row[i].number : t.row[i].number * MODEL_LINE);
        for (unsigned k = 0; k < 4; k++)
            lane_list(t.row[i].lanes[k], out);
        str_addc(out, '\n');
    }
    if (t.count > MAX_ROWS)
        str_printf(out, "%20s | and %u more\n", "", t.count - MAX_ROWS);
}

void access_picture(const Profile *p, const ModelAccess *a, Str *out)
{
    ModelCost c;
    model_access(p, a, &c);
    unsigned n = (unsigned)__builtin_popcount(a->mask);
    str_printf(out, "%s: %s, %u active lane%s\n\n", p->name, p->title, n, n == 1 ? "" : "s");
    if (a->space == MODEL_SHARED) {
        figure(out, "passes (wavefronts)", c.wavefronts, "(without conflicts:", c.ideal_wavefronts);
        figure(out, "bank conflicts", c.conflicts, NULL, 0);
        bank_rows(p, a, out);
        return;
    }
    figure(out, "requests", c.requests, NULL, 0);
    figure(out, "sectors (32 B)", c.sectors, "(packed:", c.ideal);
    if (c.lines_128)
        figure(out, "lines moved (128 B)", c.lines_128, NULL, 0);
    else if (p->arch->global_rule == GLOBAL_LINES)
        figure(out, "segments moved (32 B)", c.transactions, NULL, 0);
    else if (p->arch->global_rule != GLOBAL_SECTORS)
        figure(out, "transactions", c.transactions, NULL, 0);
    figure(out, "lines touched (128 B)", c.tag_requests, NULL, 0);
    figure(out, "bytes asked for", c.useful_bytes, "(moved:", c.moved_bytes);
    line_rows(a, out);
}
