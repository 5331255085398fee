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

enum { MAX_ROW = 4096 };

static bool same(const char *pattern, const char *s)
{
    return !strcmp(pattern, "*") || (s && !strcmp(pattern, s));
}

/* Is `tail` the path, or its end behind a '/'? */
static bool ends_path(const char *tail, const char *path)
{
    size_t n = path ? strlen(path) : 0, m = strlen(tail);
    return !strcmp(tail, "*") ||
           (path && n >= m && !strcmp(path + n - m, tail) && (n == m || path[n - m - 1] == '/' || *tail == '/'));
}

static bool row_matches(const Suppression *s, const WwFinding *f)
{
    return (same(s->rule, f->rule) || same(s->rule, f->category)) && ends_path(s->file, f->file) &&
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
    for (size_t i = 0; i < s->n && !hit; i++)
        hit = row_matches(&s->list[i], f);
    s->hits += hit;
    return hit;
}

/* ---- files ---- */

static Status add_row(Suppressions *s, char *row, const char *file, unsigned number, Str *why)
{
    char *save = NULL, *rule = strtok_r(row, " \t\r\n", &save), *path = strtok_r(NULL, " \t\r\n", &save),
         *kernel = path ? strtok_r(NULL, "\r\n", &save) : NULL;
    if (!rule)
        return WW_OK;
    if (!path) {
        str_printf(why, "%s:%u:1: error: a rule and a file (or *) are expected", file, number);
        return WW_ERR_PARSE;
    }
    char    *colon = strrchr(path, ':'), *end = NULL;
    uint32_t line = 0;
    if (colon) {
        line = (uint32_t)strtoul(colon + 1, &end, 10);
        if (*end || end == colon + 1) {
            str_printf(why, "%s:%u:%u: error: a line number is expected after ':'", file, number,
                       (unsigned)(colon - row) + 2);
            return WW_ERR_PARSE;
        }
        *colon = 0;
    }
    s->list         = xrealloc(s->list, (s->n + 1) * sizeof *s->list);
    s->list[s->n++] = (Suppression){arena_strdup(s->arena, rule), arena_strdup(s->arena, path),
                                    arena_strdup(s->arena, kernel ? kernel + strspn(kernel, " \t") : "*"), line};
    return WW_OK;
}

Status suppressions_read(Suppressions *s, const char *file, Str *why)
{
    char   row[MAX_ROW];
    Status st = WW_OK;
    FILE  *in = file_read(file);
    if (!in) {
        str_printf(why, "%s: %s", file, file_error(errno));
        return WW_ERR_IO;
    }
    if (!s->arena)
        s->arena = arena_new();
    for (unsigned n = 1; st == WW_OK && fgets(row, sizeof row, in); n++) {
        row[strcspn(row, "#")] = 0;
        st                     = add_row(s, row, file, n, why);
    }
    if (st == WW_OK && ferror(in)) {
        str_printf(why, "%s: %s", file, file_error(errno));
        st = WW_ERR_IO;
    }
    fclose(in);
    return st;
}

void suppression_row(const WwFinding *f, Str *out)
{
    str_printf(out, "%s %s", f->rule, f->file ? f->file : "*");
    if (f->file && f->line)
        str_printf(out, ":%u", f->line);
    str_printf(out, " %s\n", f->kernel ? f->kernel : "*");
}

void suppressions_free(Suppressions *s)
{
    arena_free(s->arena);
    free(s->list);
    *s = (Suppressions){0};
}
