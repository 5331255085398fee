/* SPDX-License-Identifier: Apache-2.0
 *
 * The edit that a longer pitch is: the last extent of the array's declaration, "[32]" to "[33]" or "[TILE]" to "[TILE + 1]".
 *
 * Only where nothing is to be guessed: the declaration says __shared__ and the array's name and stands in the finding's file, above the finding and on
 * one line; its last extent is the pitch of the mend, as a number, or as a name that the file gives this value.  Other mends change how threads are
 * numbered or where things lie, which takes more than a line. */
#include "report/fixes.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static const char *text(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The word as a whole in a line, from `at` on; n: there is none. */
static size_t find_word(const char *line, size_t n, size_t at, const char *word, size_t len)
{
    for (; at + len <= n; at++)
        if (!memcmp(line + at, word, len) && (at == 0 || !is_word(line[at - 1])) &&
            (at + len == n || !is_word(line[at + len])))
            return at;
    return n;
}

/* "... of shared memory tile: ..." */
static bool array_name(const char *message, char name[64])
{
    static const char before[] = "the banks of shared memory ";
    const char       *at       = strstr(message, before);
    size_t            n        = at ? strcspn(at + sizeof before - 1, ":") : 0;
    if (!at || !n || n >= 64)
        return false;
    memcpy(name, at + sizeof before - 1, n);
    name[n] = 0;
    return true;
}

/* Does a line of the file say that the name has this value: a macro, a constant? */
static bool has_value(Sources *s, const char *file, const char *name, size_t len, unsigned value)
{
    const char *line;
    size_t      n;
    for (size_t i = 1; (line = source_line(s, file, i, &n)); i++)
        for (size_t at = find_word(line, n, 0, name, len); at < n; at = find_word(line, n, at + 1, name, len)) {
            size_t k = at + len;
            while (k < n && (line[k] == ' ' || line[k] == '\t'))
                k++;
            bool given = k < n && line[k] == '=' && k + 1 < n && line[k + 1] != '=';
            bool macro = find_word(line, n, 0, "define", 6) < at && k > at + len;
            for (k += given; k < n && (line[k] == ' ' || line[k] == '\t');)
                k++;
            if ((given || macro) && k < n && isdigit((unsigned char)line[k]) && strtoul(line + k, NULL, 10) == value)
                return true;
        }
    return false;
}

/* The last extent of the array declared at `at`: [*from, *to) is what stands between its brackets. */
static bool last_extent(const char *line, size_t n, size_t at, size_t *from, size_t *to)
{
    unsigned extents = 0;
    while (at < n && line[at] == ' ')
        at++;
    while (at < n && line[at] == '[') {
        const char *end = memchr(line + at, ']', n - at);
        if (!end)
            return false;
        *from = at + 1;
        *to   = (size_t)(end - line);
        at    = *to + 1;
        extents++;
        while (at < n && line[at] == ' ')
            at++;
    }
    return extents > 1; /* of one dimension the index would have to change, too */
}

static bool edit(Sources *s, const char *file, const char *line, size_t from, size_t to, unsigned pitch, unsigned more,
                 char *out, size_t room)
{
    while (from < to && line[from] == ' ')
        from++;
    while (to > from && line[to - 1] == ' ')
        to--;
    size_t n = to - from;
    char  *end;
    if (n && isdigit((unsigned char)line[from])) {
        bool fits = strtoul(line + from, &end, 10) == pitch && end == line + to;
        return fits && snprintf(out, room, "%u", pitch + more) > 0;
    }
    for (size_t i = from; i < to; i++)
        if (!is_word(line[i]))
            return false;
    return n && n < 64 && has_value(s, file, line + from, n, pitch) &&
           snprintf(out, room, "%.*s + %u", (int)n, line + from, more) > 0;
}

bool fix_of(const json_t *finding, Sources *s, Fix *out)
{
    const char *file = text(finding, "file"), *line;
    unsigned    pitch, longer;
    char        name[64];
    size_t      n, found = 0;
    if (sscanf(text(json_object_get(finding, "mend"), "text"), "pitch %u -> %u ", &pitch, &longer) != 2 ||
        longer <= pitch || !array_name(text(finding, "message"), name))
        return false;
    for (size_t i = (size_t)json_integer_value(json_object_get(finding, "line")); i > 0 && !found; i--) {
        size_t at, from, to;
        line = source_line(s, file, i, &n);
        if (!line || find_word(line, n, 0, "__shared__", 10) == n ||
            (at = find_word(line, n, 0, name, strlen(name))) == n)
            continue;
        found = i;
        if (!last_extent(line, n, at + strlen(name), &from, &to) ||
            !edit(s, file, line, from, to, pitch, longer - pitch, out->text, sizeof out->text))
            return false;
        out->line = i;
        out->from = from + 1;
        out->to   = to + 1;
    }
    return found != 0;
}
