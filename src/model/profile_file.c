/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads and writes profile files (profile_file.h has the format, figures.def the figures).
 *
 * A key stands once; a figure is a number in the range of its row.  Beyond that figures must fit together: what is nearer answers sooner, and
 * device memory gives no more than its data sheet says.  A file without `base` has every figure of the card, and either none of the figures of
 * time or every one that is needed.  Rules for banks and coalescing, and the limits of a launch, are the architecture's: a file cannot change
 * them.  The first mistake ends reading. */
#include "model/profile_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/nearest.h"

enum { MOST_BYTES = 1 << 16, MOST_WORD = 40, MOST_TITLE = 64 };

typedef enum Kind { UNSIGNED, FLAG, NEEDED, WHERE_USED, EXTRA } Kind;

static const struct Row {
    const char *name;
    Kind        kind;
    double      least, most;
    size_t      at; /* in Profile, or in Timing */
    const char *what;
} rows[] = {
#define CARD_FIGURE(member, kind, least, most, what) {#member, kind, least, most, offsetof(Profile, member), what},
#define TIME_FIGURE(member, need, least, most, what) {#member, need, least, most, offsetof(Timing, member), what},
#include "model/figures.def"
#undef CARD_FIGURE
#undef TIME_FIGURE
};
enum { ROWS = sizeof rows / sizeof *rows };

typedef struct Held { /* a profile and what its pointers mean */
    Profile profile;  /* first: profile_close finds the rest */
    Timing  timing;
    char    title[MOST_TITLE];
    char   *name;
} Held;

typedef struct Reader {
    Held       *h;
    const char *file;
    unsigned    line, given[ROWS], base, arch; /* lines; 0: not given */
    bool        has_title;
    Str        *why;
} Reader;

static bool of_time(const struct Row *r)
{
    return r->kind >= NEEDED;
}

static bool wrong(Reader *r, unsigned line, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static bool wrong(Reader *r, unsigned line, const char *fmt, ...)
{
    va_list ap;
    if (!r->why)
        return false;
    str_printf(r->why, "%s:%u: ", r->file, line);
    va_start(ap, fmt);
    str_vprintf(r->why, fmt, ap);
    va_end(ap);
    return false;
}

static double figure(const Profile *p, const Timing *t, const struct Row *r)
{
    switch (r->kind) {
    case UNSIGNED: {
        unsigned v;
        memcpy(&v, (const char *)p + r->at, sizeof v);
        return v;
    }
    case FLAG: return *((const bool *)((const char *)p + r->at));
    default: break;
    }
    double v = 0;
    if (t)
        memcpy(&v, (const char *)t + r->at, sizeof v);
    return v;
}

static void set_figure(Held *h, const struct Row *r, double v)
{
    unsigned whole = (unsigned)v;
    if (r->kind == UNSIGNED)
        memcpy((char *)&h->profile + r->at, &whole, sizeof whole);
    else if (r->kind == FLAG)
        *(bool *)((char *)&h->profile + r->at) = v != 0;
    else
        memcpy((char *)&h->timing + r->at, &v, sizeof v);
}

static bool read_figure(Reader *r, size_t i, const char *text)
{
    const struct Row *row = &rows[i];
    char             *end;
    bool              may = row->least <= 0 || of_time(row);
    double            v   = strtod(text, &end);
    if (r->given[i])
        return wrong(r, r->line, "'%s' stands in line %u already", row->name, r->given[i]);
    r->given[i] = r->line;
    if (strcmp(text, "unknown") == 0 && may)
        return set_figure(r->h, row, 0), true;
    if (end == text || *end || strpbrk(text, "xXnN"))
        return wrong(r, r->line, "'%s' of %s is no number%s; %s", text, row->name, may ? ", nor 'unknown'" : "",
                     row->what);
    if (!(v >= row->least && v <= row->most))
        return wrong(r, r->line, "%s must be %g to %.10g, not %s; %s", row->name, row->least, row->most, text,
                     row->what);
    if (!of_time(row) && v != floor(v))
        return wrong(r, r->line, "%s must be whole, not %s; %s", row->name, text, row->what);
    return set_figure(r->h, row, v), true;
}

/* base and arch: a profile of the table. */
static bool read_base(Reader *r, const char *key, const char *text)
{
    const Profile *p    = *text ? profile_find(text) : NULL;
    bool           base = strcmp(key, "base") == 0;
    Str            why  = {0};
    if (r->base || r->arch)
        return wrong(r, r->line, "line %u already says what the card is", r->base ? r->base : r->arch);
    for (size_t i = 0; i < ROWS; i++)
        if (r->given[i])
            return wrong(r, r->line, "'%s' must stand before the figures", key);
    if (!p)
        profile_missing(text, &why);
    else if (base && !p->sms)
        str_printf(&why, "'%s' is an architecture, not a card; write arch: %s", text, text);
    else if (!base && p->sms)
        str_printf(&why, "'%s' is a card, not an architecture; write base: %s", text, text);
    bool ok = !why.len || wrong(r, r->line, "%s", str_text(&why));
    str_free(&why);
    if (!ok)
        return false;
    *(base ? &r->base : &r->arch) = r->line;
    Profile      *own             = &r->h->profile;
    const Timing *t               = base ? timing_row(p->name) : NULL;
    *own                          = *p;
    own->base                     = base ? p->name : NULL;
    if (t) {
        r->h->timing = *t;
        own->timing  = &r->h->timing;
    }
    return true;
}

static bool read_title(Reader *r, const char *text)
{
    if (r->has_title)
        return wrong(r, r->line, "'title' stands above already");
    if (!*text || strlen(text) >= MOST_TITLE)
        return wrong(r, r->line, "a title has 1 to %d bytes", MOST_TITLE - 1);
    for (const char *s = text; *s; s++)
        if ((unsigned char)*s < ' ' || *s == 127)
            return wrong(r, r->line, "a title has no control characters");
    strcpy(r->h->title, text); /* measured above */
    r->has_title = true;
    return true;
}

static bool unknown_key(Reader *r, const char *key)
{
    const char *words[ROWS + 4] = {"base", "arch", "title"};
    for (size_t i = 0; i < ROWS; i++)
        words[i + 3] = rows[i].name;
    const char *near = nearest_word(key, words);
    return near ? wrong(r, r->line, "there is no figure '%.*s'; did you mean '%s'?", MOST_WORD, key, near)
                : wrong(r, r->line, "there is no figure '%.*s'; 'warpwright profile show h200' writes those there are",
                        MOST_WORD, key);
}

/* One line, zero-terminated, which is changed. */
static bool read_line(Reader *r, char *s)
{
    s[strcspn(s, "#")] = 0;
    s += strspn(s, " \t\r");
    char *end = s + strlen(s);
    while (end > s && strchr(" \t\r", end[-1]))
        *--end = 0;
    if (!*s)
        return true;
    char *value = strchr(s, ':');
    if (!value)
        return wrong(r, r->line, "'%.*s': a line is 'name: value'", MOST_WORD, s);
    for (end = value; end > s && strchr(" \t", end[-1]);)
        end--;
    *value++ = 0;
    *end     = 0;
    value += strspn(value, " \t");
    if (strcmp(s, "base") == 0 || strcmp(s, "arch") == 0)
        return read_base(r, s, value);
    if (strcmp(s, "title") == 0)
        return read_title(r, value);
    if (!r->base && !r->arch)
        return wrong(r, r->line, "the first line must be 'base: CARD' or 'arch: sm_NN'");
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(rows[i].name, s) == 0)
            return read_figure(r, i, value);
    return unknown_key(r, s);
}

/* The line that a message about a figure names. */
static unsigned line_of(const Reader *r, const char *name)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(rows[i].name, name) == 0 && r->given[i])
            return r->given[i];
    return r->line;
}

/* Which figures of different rows cannot be together. */
static bool fits_together(Reader *r)
{
    const Profile *p = &r->h->profile;
    const Timing  *t = &r->h->timing;
    if (p->seen_kib / 1024 > p->memory_mib)
        return wrong(r, line_of(r, "seen_kib"), "programs cannot see %u KiB of %u MiB", p->seen_kib, p->memory_mib);
    if (p->set_aside_kib > p->l2_kib)
        return wrong(r, line_of(r, "set_aside_kib"), "%u KiB cannot be set aside of %u KiB of L2", p->set_aside_kib,
                     p->l2_kib);
    if (!p->timing)
        return true;
    bool l1 = t->l2 > 0 && t->l1 > t->l2;
    if (l1 || (t->dram > 0 && t->l2 > t->dram))
        return wrong(r, line_of(r, l1 ? "l2" : "dram"), "latencies must not fall from l1 (%g) to l2 (%g) to dram (%g)",
                     t->l1, t->l2, t->dram);
    if (t->read_gbs > p->memory_gbs || t->write_gbs > p->memory_gbs)
        return wrong(r, line_of(r, t->read_gbs > p->memory_gbs ? "read_gbs" : "write_gbs"),
                     "%g GB/s are more than memory_gbs, %u", fmax(t->read_gbs, t->write_gbs), p->memory_gbs);
    if (t->fetch_bytes > 0 && t->fetch_bytes != 32 && t->fetch_bytes != 64)
        return wrong(r, line_of(r, "fetch_bytes"), "L2 fetches 32 or 64 bytes, not %g", t->fetch_bytes);
    if (t->l2_kept_mib * 1024 > p->l2_kib)
        return wrong(r, line_of(r, "l2_kept_mib"), "L2 of %u KiB cannot keep %g MiB", p->l2_kib, t->l2_kept_mib);
    return true;
}

/* After the last line: is everything there? */
static bool complete(Reader *r)
{
    bool timed = false;
    if (!r->base && !r->arch)
        return wrong(r, r->line ? r->line : 1, "the file is empty; it begins with 'base: CARD' or 'arch: sm_NN'");
    for (size_t i = 0; i < ROWS; i++)
        timed = timed || (r->given[i] && of_time(&rows[i]));
    for (size_t i = 0; i < ROWS; i++) {
        bool wanted = of_time(&rows[i]) ? timed && !r->h->profile.timing && rows[i].kind == NEEDED : !r->base;
        if (wanted && !r->given[i])
            return wrong(r, r->line, "the file ends without '%s' (%s)%s", rows[i].name, rows[i].what,
                         rows[i].least <= 0 || of_time(&rows[i]) ? "; where it is not known: unknown" : "");
    }
    if (timed)
        r->h->profile.timing = &r->h->timing;
    return fits_together(r);
}

const Profile *profile_parse(const char *file, const char *text, size_t len, Str *why)
{
    Held  *h    = xcalloc(1, sizeof *h);
    Reader r    = {.h = h, .file = file, .why = why};
    char  *copy = memcpy(xmalloc(len + 1), text, len), *at = copy;
    bool   ok = memchr(text, 0, len) == NULL || wrong(&r, 1, "the file is no text: it has a byte 0");
    copy[len] = 0;
    while (ok && at < copy + len) {
        char *next = at + strcspn(at, "\n");
        *next      = 0;
        r.line++;
        ok = read_line(&r, at);
        at = next + 1;
    }
    ok = ok && complete(&r);
    free(copy);
    h->name = memcpy(xmalloc(strlen(file) + 1), file, strlen(file) + 1);
    if (!ok) {
        free(h->name);
        free(h);
        return NULL;
    }
    h->profile.name      = h->name;
    h->profile.from_file = true;
    if (r.has_title || !r.base)
        h->profile.title = r.has_title ? h->title : h->name;
    return &h->profile;
}

bool profile_is_file(const char *text)
{
    return text && strpbrk(text, "/.");
}

const Profile *profile_open(const char *text, Str *why)
{
    if (!profile_is_file(text)) {
        const Profile *p = profile_find(text);
        if (!p && why)
            profile_missing(text, why);
        return p;
    }
    Str            s = {0};
    const Profile *p = NULL;
    if (file_text(text, MOST_BYTES, &s))
        p = profile_parse(text, str_text(&s), s.len, why);
    else if (why)
        str_printf(why, "there is no profile '%s', and no such file can be read", text);
    str_free(&s);
    return p;
}

void profile_close(const Profile *p)
{
    if (!p || !p->from_file)
        return;
    Held *h = (Held *)(uintptr_t)p;
    free(h->name);
    free(h);
}

void profile_print(const Profile *p, const Timing *t, Str *out)
{
    const char *base = !p->from_file && p->sms ? p->name : p->base;
    str_printf(out, "title: %s\n%s: %s\n", p->title, base ? "base" : "arch", base ? base : p->arch->name);
    for (size_t i = 0; i < ROWS; i++) {
        double v     = figure(p, t, &rows[i]);
        size_t begin = out->len;
        if (v > 0 || rows[i].kind == FLAG)
            str_printf(out, "%s: %.10g", rows[i].name, v);
        else
            str_printf(out, "%s: unknown", rows[i].name);
        str_printf(out, "%*s# %s\n", out->len - begin < 24 ? (int)(24 - (out->len - begin)) : 1, "", rows[i].what);
    }
}
