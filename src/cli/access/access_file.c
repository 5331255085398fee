/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of `warpwright access --file`: ten tab-separated columns
 *
 *   name space op bytes_per_lane lane_mask wavefronts bank_conflicts requests sectors 32_offsets
 *
 * Lines that begin with '#', empty lines and the header (first field "name") are skipped.  The four counter columns are never
 * looked at; neither are the offsets of inactive lanes, but all 32 must be there.  Lines may end in CR LF.
 * All errors of a file are reported, up to MAX_ERRORS. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/access/access.h"
#include "cli/picture.h"

enum { COLUMNS = 10, MAX_ERRORS = 20 };

typedef struct Span {
    const char *s;
    size_t      n;
} Span;

typedef struct RowReader {
    const char *file;
    Diags      *d;
    unsigned    line;
    const char *start; /* of the line */
    Span        col[COLUMNS];
} RowReader;

/* The word of a span as a C string, cut to what a message can hold. */
typedef struct Word {
    char s[48];
} Word;

static Word word_of(Span t)
{
    Word   w;
    size_t n = t.n < sizeof w.s - 1 ? t.n : sizeof w.s - 1;
    for (size_t i = 0; i < n; i++)
        w.s[i] = isprint((unsigned char)t.s[i]) ? t.s[i] : '?';
    w.s[n] = 0;
    return w;
}

/* Reports at a span; always false. */
__attribute__((format(printf, 3, 4))) static bool row_error(RowReader *r, const char *at, const char *fmt, ...)
{
    char    text[256];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    diag_add(r->d, DIAG_ERROR, r->file, r->line, (unsigned)(at - r->start) + 1, r->start, "%s", text);
    return false;
}

/* Digits of a base, or after 0x hexadecimal ones; all of the span. */
static bool number(Span t, unsigned base, uint64_t *out)
{
    if (t.n > 2 && t.s[0] == '0' && (t.s[1] == 'x' || t.s[1] == 'X')) {
        base = 16;
        t    = (Span){t.s + 2, t.n - 2};
    }
    *out = 0;
    for (size_t i = 0; i < t.n; i++) {
        int      c = tolower((unsigned char)t.s[i]);
        unsigned v = c >= '0' && c <= '9' ? (unsigned)(c - '0') : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
        if (v >= base || __builtin_mul_overflow(*out, base, out) || __builtin_add_overflow(*out, v, out))
            return false;
    }
    return t.n > 0;
}

static bool split_columns(RowReader *r, const char *end)
{
    const char *s = r->start;
    for (int i = 0; i < COLUMNS; i++) {
        const char *tab = i == COLUMNS - 1 ? NULL : memchr(s, '\t', (size_t)(end - s));
        r->col[i]       = (Span){s, (size_t)((tab ? tab : end) - s)};
        if (!tab && i < COLUMNS - 1)
            return row_error(r, end, "%d tab-separated columns expected, found %d", COLUMNS, i + 1);
        s = tab ? tab + 1 : end;
    }
    const char *extra = memchr(r->col[9].s, '\t', r->col[9].n);
    return extra ? row_error(r, extra, "%d tab-separated columns expected, found more", COLUMNS) : true;
}

/* The next word of a list separated by blanks; n == 0 at its end. */
static Span next_word(const char **s, const char *end)
{
    while (*s < end && **s == ' ')
        (*s)++;
    Span t = {*s, 0};
    while (*s < end && **s != ' ')
        (*s)++;
    t.n = (size_t)(*s - t.s);
    return t;
}

static bool parse_offsets(RowReader *r, CliAccess *a, const char **word)
{
    const char *s = r->col[9].s, *end = s + r->col[9].n;
    for (unsigned i = 0; i < MODEL_LANES; i++) {
        Span t  = next_word(&s, end);
        word[i] = t.s;
        if (!t.n)
            return row_error(r, end, "32 offsets expected, found %u", i);
        a->addr[i] = 0;
        if ((a->model.mask >> i & 1) && !number(t, 10, &a->addr[i]))
            return row_error(r, t.s, "'%s' is not an offset of lane %u; a number of bytes from 0 expected",
                             word_of(t).s, i);
    }
    Span t = next_word(&s, end);
    return t.n ? row_error(r, t.s, "32 offsets expected, found more") : true;
}

static bool parse_row(RowReader *r, CliAccess *a)
{
    const Span *c     = r->col;
    int         space = model_space_word(c[1].s, c[1].n), op = model_op_word(c[2].s, c[2].n);
    uint64_t    bytes, mask;
    if (space < 0)
        return row_error(r, c[1].s, "'%s' is not a space; shared, global or local expected", word_of(c[1]).s);
    if (op < 0)
        return row_error(r, c[2].s, "'%s' is not an operation; ld, st, atom, red, ldsm or stsm expected",
                         word_of(c[2]).s);
    if (!number(c[3], 10, &bytes) || bytes > 16 || bytes == 0 || (bytes & (bytes - 1)))
        return row_error(r, c[3].s, "'%s' bytes a lane; 1, 2, 4, 8 or 16 expected", word_of(c[3]).s);
    if (!number(c[4], 16, &mask) || mask > UINT32_MAX)
        return row_error(r, c[4].s, "'%s' is not a lane mask; a hexadecimal number of 32 bits expected",
                         word_of(c[4]).s);
    a->model = (ModelAccess){(ModelSpace)space, (ModelOp)op, MODEL_L1_AUTO, (unsigned)bytes, (uint32_t)mask, a->addr};
    const char *word[MODEL_LANES];
    if (!parse_offsets(r, a, word))
        return false;
    int         lane;
    const char *why = model_impossible(&a->model, &lane);
    return why ? row_error(r, lane < 0 ? c[2].s : word[lane], "%s", why) : true;
}

static void add_result(RowReader *r, const Profile *p, const ModelAccess *a, Str *out)
{
    ModelCost c;
    model_access(p, a, &c);
    str_addn(out, r->col[0].s, r->col[0].n);
    if (a->space == MODEL_SHARED)
        str_printf(out, "\t%u\t%u\t-\t-\n", c.wavefronts, c.conflicts);
    else
        str_printf(out, "\t-\t-\t%u\t%u\n", c.requests, c.sectors);
}

void access_rows(const Profile *p, ModelL1 l1, const char *file, const char *text, size_t len, Str *out, Diags *d,
                 json_t *page)
{
    RowReader   r   = {.file = file, .d = d};
    const char *end = text + len;
    if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        text += 3; /* a byte order mark */
    for (const char *s = text; s < end && d->errors < MAX_ERRORS;) {
        const char *stop = memchr(s, '\n', (size_t)(end - s));
        const char *next = stop ? stop + 1 : end;
        stop             = stop ? stop : end;
        if (stop > s && stop[-1] == '\r')
            stop--;
        r.line++;
        r.start        = s;
        size_t    n    = (size_t)(stop - s);
        bool      skip = n == 0 || *s == '#' || (n >= 4 && strncmp(s, "name", 4) == 0 && (n == 4 || s[4] == '\t'));
        CliAccess a    = {.model = {.mask = 0}};
        if (!skip && split_columns(&r, stop) && parse_row(&r, &a)) {
            a.model.l1 = l1;
            add_result(&r, p, &a.model, out);
            if (page)
                access_page_add(page, r.col[0].s, r.col[0].n, p, &a.model);
        }
        s = next;
    }
}
