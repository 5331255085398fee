/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of suppression files, and comments in sources.  A source that cannot be read (or a finding in PTX, which has no
 * such comments of its own kernel's author) suppresses nothing.  Sources are read again for each finding: findings are
 * few. */
#include "report/suppress.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/pattern.h"
#include "check/rules.h"

enum { MAX_ROW = 4096 };

static bool same(const char *glob, const char *s)
{
    return !strcmp(glob, "*") || (s && pattern_glob(glob, s));
}

static bool same_path(const char *glob, const char *path)
{
    return !strcmp(glob, "*") || (path && pattern_glob_path(glob, path));
}

static bool row_matches(const Suppression *s, const WwFinding *f)
{
    return (same(s->rule, f->rule) || same(s->rule, f->category)) && same_path(s->file, f->file) &&
           (!s->line || s->line == f->line) && same(s->kernel, f->kernel);
}

/* ---- comments ---- */

static bool word_in(const char *list, size_t len, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= len; i++)
        if (!memcmp(list + i, word, n) && (i == 0 || strchr(", ", list[i - 1])) &&
            (i + n == len || strchr(", ", list[i + n])))
            return true;
    return false;
}

/* "warpwright: ignore" or "warpwright: ignore[rules]" in the line. */
static bool comment_matches(const char *line, const WwFinding *f)
{
    static const char mark[] = "warpwright: ignore";
    const char       *p      = strstr(line, mark);
    if (!p)
        return false;
    p += sizeof mark - 1;
    if (*p != '[')
        return true;
    size_t len = strcspn(++p, "]");
    return word_in(p, len, f->rule) || word_in(p, len, f->category);
}

static bool source_matches(const WwFinding *f)
{
    char  row[MAX_ROW];
    bool  found = false;
    FILE *in    = f->file && f->line ? file_read(f->file) : NULL;
    for (uint32_t n = 1; in && !found && n <= f->line && fgets(row, sizeof row, in);) {
        found = n + 1 >= f->line && comment_matches(row, f);
        if (found && n < f->line) /* a comment above must be alone, or it belongs to its own line */
            found = !strncmp(row + strspn(row, " \t"), "//", 2) || !strncmp(row + strspn(row, " \t"), "/*", 2);
        n += strchr(row, '\n') != NULL;
    }
    if (in)
        fclose(in);
    return found;
}

bool suppressions_match(Suppressions *s, const WwFinding *f)
{
    bool hit = source_matches(f);
    for (size_t i = 0; i < s->n && !hit; i++) {
        hit = row_matches(&s->list[i], f);
        s->list[i].used |= hit;
    }
    s->hits += hit;
    return hit;
}

/* ---- files ---- */

static const char *skip_blanks(const char *p)
{
    return p + strspn(p, " \t\r\n");
}

static bool is_end(const char *p)
{
    return !*p || *p == '#';
}

/* A name in quotation marks: a backslash makes the next byte part of it, and \n the end of a line.  Returns what is behind it; NULL: it
 * does not end. */
static const char *read_quoted(const char *p, Str *out)
{
    for (p++; *p && *p != '"'; p++) {
        bool escaped = *p == '\\' && p[1];
        p += escaped;
        str_addc(out, escaped && *p == 'n' ? '\n' : *p);
    }
    return *p ? p + 1 : NULL;
}

/* The next name, up to a blank; NULL: a quotation mark is missing. */
static const char *read_name(const char *p, Str *out)
{
    size_t n = strcspn(p, " \t\r\n");
    if (*p == '"')
        return read_quoted(p, out);
    str_addn(out, p, n);
    return p + n;
}

/* A kernel's name may have blanks in it; a comment begins behind one. */
static const char *read_kernel(const char *p, Str *out)
{
    size_t n = 0;
    if (*p == '"')
        return read_quoted(p, out);
    while (p[n] && !(p[n] == '#' && (n == 0 || strchr(" \t", p[n - 1]))))
        n++;
    const char *rest = p + n;
    while (n && strchr(" \t\r\n", p[n - 1]))
        n--;
    str_addn(out, p, n);
    return rest;
}

typedef struct Row {
    Str         rule, path, kernel;
    uint32_t    line;
    const char *at; /* where something is wrong */
} Row;

/* The digits behind the path's colon. */
static const char *read_line(Row *r, const char *p, bool quoted)
{
    char       *end;
    char       *colon  = quoted || !r->path.s ? NULL : strrchr(r->path.s, ':');
    const char *digits = colon ? p - strlen(colon) + 1 : *p == ':' ? p + 1 : NULL;
    if (!digits)
        return p;
    errno                = 0;
    unsigned long number = strtoul(digits, &end, 10);
    r->at                = digits;
    if (*digits < '0' || *digits > '9' || errno || number > UINT32_MAX || !strchr(" \t\r\n", *end))
        return NULL;
    if (colon) {
        *colon      = 0;
        r->path.len = (size_t)(colon - r->path.s);
    }
    r->line = (uint32_t)number;
    return end;
}

static bool names_rule(const char *glob)
{
    for (int i = 0; i < RULE_COUNT; i++)
        if (pattern_glob(glob, rule_row((RuleId)i)->id) || pattern_glob(glob, rule_row((RuleId)i)->category))
            return true;
    return false;
}

/* What is wrong with the row, and r->at where; NULL: nothing.  An empty one has no rule. */
static const char *read_row(const char *row, Row *r)
{
    static const char open[] = "a quotation mark is missing";
    const char       *p      = skip_blanks(row);
    r->at                    = p;
    if (is_end(p))
        return NULL;
    p = read_name(p, &r->rule);
    if (!p)
        return open;
    p = r->at = skip_blanks(p);
    if (is_end(p) || !r->rule.len)
        return "a rule and a file (or *) are expected";
    if (!names_rule(str_text(&r->rule))) {
        r->at = skip_blanks(row);
        return "there is no such rule or category; `warpwright rules` lists them";
    }
    bool quoted = *p == '"';
    p           = read_name(p, &r->path);
    if (!p)
        return open;
    p = read_line(r, p, quoted);
    if (!p)
        return "a line number is expected after ':'";
    p = r->at = skip_blanks(p);
    if (is_end(p)) {
        str_add(&r->kernel, "*");
        return NULL;
    }
    p = read_kernel(p, &r->kernel);
    if (!p)
        return open;
    r->at = skip_blanks(p);
    return is_end(r->at) ? NULL : "nothing is expected behind a kernel's name in quotation marks";
}

static Status add_row(Suppressions *s, const char *row, const char *file, unsigned number, Str *why)
{
    Row         r     = {0};
    const char *wrong = read_row(row, &r);
    if (wrong) {
        str_printf(why, "%s:%u:%u: error: %s", file, number, (unsigned)(r.at - row) + 1, wrong);
    } else if (r.rule.len) {
        s->list         = xrealloc(s->list, (s->n + 1) * sizeof *s->list);
        s->list[s->n++] = (Suppression){arena_strdup(s->arena, str_text(&r.rule)),
                                        arena_strdup(s->arena, str_text(&r.path)),
                                        arena_strdup(s->arena, str_text(&r.kernel)),
                                        r.line,
                                        number,
                                        false};
    }
    str_free(&r.rule);
    str_free(&r.path);
    str_free(&r.kernel);
    return wrong ? WW_ERR_PARSE : WW_OK;
}

Status suppressions_read(Suppressions *s, const char *file, Str *why)
{
    char  *row  = NULL;
    size_t room = 0;
    Status st   = WW_OK;
    FILE  *in   = file_read(file);
    if (!in) {
        str_printf(why, "%s: %s", file, file_error(errno));
        return WW_ERR_IO;
    }
    if (!s->arena)
        s->arena = arena_new();
    for (unsigned n = 1; st == WW_OK && getline(&row, &room, in) >= 0; n++)
        st = add_row(s, row, file, n, why);
    if (st == WW_OK && ferror(in)) {
        str_printf(why, "%s: %s", file, file_error(errno));
        st = WW_ERR_IO;
    }
    free(row);
    fclose(in);
    return st;
}

/* As it is, or in quotation marks where it would not be read as one name. */
static void add_name(Str *out, const char *name, bool plain)
{
    if (plain && *name && *name != '"') {
        str_add(out, name);
        return;
    }
    str_addc(out, '"');
    for (; *name; name++) {
        if (*name == '"' || *name == '\\' || *name == '\n')
            str_addc(out, '\\');
        str_addc(out, *name == '\n' ? 'n' : *name);
    }
    str_addc(out, '"');
}

/* A kernel's name is read with its blanks, but not with those at its ends. */
static bool is_plain_kernel(const char *name)
{
    return !strstr(name, " #") && !strpbrk(name, "\t\r\n") && *name != ' ' && *name != '#' &&
           name[strlen(name) - 1] != ' ';
}

void suppression_row(const WwFinding *f, Str *out)
{
    const char *kernel = f->kernel && *f->kernel ? f->kernel : "*";
    str_printf(out, "%s ", f->rule);
    if (f->file)
        add_name(out, f->file, !strpbrk(f->file, " \t\r\n#:"));
    else
        str_addc(out, '*');
    if (f->file && f->line)
        str_printf(out, ":%u", f->line);
    str_addc(out, ' ');
    add_name(out, kernel, is_plain_kernel(kernel));
    str_addc(out, '\n');
}

void suppressions_free(Suppressions *s)
{
    arena_free(s->arena);
    free(s->list);
    *s = (Suppressions){0};
}
