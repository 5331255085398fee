/* SPDX-License-Identifier: Apache-2.0
 *
 * The grammar of range expressions (ranges.h).  An expression with an unescaped slash, or with a bracket at one of its ends, is of ranges that were
 * pushed, any other of ranges that were started.  It is taken apart anew at each question: whoever asks keeps the answers. */
#include "report/ranges.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/pattern.h"

static const char special[] = "@/,[]*+\\";
static const char regular[] = "regex:";

typedef enum PartKind { PART_NAME, PART_REGEX, PART_ONE, PART_ANY } PartKind;

typedef struct Part {
    PartKind kind;
    char    *name;
    regex_t  regex; /* REGEX */
} Part;

typedef struct Expression {
    char  *domain; /* NULL: the default one */
    bool   pushed, bottom, top;
    Part  *part;
    size_t n;
} Expression;

/* The first c of s that no backslash takes the meaning from, or the end of the text. */
static const char *find(const char *s, const char *end, char c)
{
    for (; s < end && *s != c; s++)
        s += *s == '\\' && s + 1 < end;
    return s;
}

/* ---- text ---- */

static void put_escaped(const char *s, Str *out)
{
    if (!strncmp(s, regular, sizeof regular - 1))
        str_addc(out, '\\');
    for (; *s; s++) {
        if (strchr(special, *s))
            str_addc(out, '\\');
        str_addc(out, *s);
    }
}

void range_text(const RangePath *p, Str *out)
{
    if (p->domain) {
        put_escaped(p->domain, out);
        str_addc(out, '@');
    }
    for (size_t i = 0; i < p->n; i++) {
        put_escaped(p->name[i], out);
        str_add(out, p->pushed ? "/" : "");
    }
}

size_t range_outer(const char *text, size_t from)
{
    const char *end = text + strlen(text), *stop = find(text + from, end, '/');
    return (size_t)(stop - text) + (stop < end);
}

/* ---- taking apart ---- */

/* Behind regex: a backslash stays unless it stands before what parts an expression. */
static char *plain(const char *s, const char *end, bool regex)
{
    Str out = {0};
    for (; s < end; s++) {
        bool escape = *s == '\\' && s + 1 < end && (!regex || strchr("@/,", s[1]));
        s += escape;
        str_addc(&out, *s);
    }
    return out.s ? out.s : xcalloc(1, 1);
}

static bool add_part(Expression *e, const char *s, const char *end, Str *why)
{
    size_t n     = (size_t)(end - s);
    bool   regex = n >= sizeof regular - 1 && !strncmp(s, regular, sizeof regular - 1), ok = n > 0;
    Part   p = {.kind = !e->pushed || n != 1 ? PART_NAME : *s == '+' ? PART_ONE : *s == '*' ? PART_ANY : PART_NAME};
    p.kind   = regex ? PART_REGEX : p.kind;
    p.name   = plain(s + (regex ? sizeof regular - 1 : 0), end, regex);
    if (!ok)
        str_add(why, "a range's name is missing");
    if (regex && !(ok = pattern_compile(p.name, &p.regex, why)))
        p.kind = PART_NAME;
    e->part         = xrealloc(e->part, (e->n + 1) * sizeof *e->part);
    e->part[e->n++] = p;
    return ok;
}

static void expression_free(Expression *e)
{
    for (size_t i = 0; i < e->n; i++) {
        if (e->part[i].kind == PART_REGEX)
            regfree(&e->part[i].regex);
        free(e->part[i].name);
    }
    free(e->part);
    free(e->domain);
}

static bool parse(const char *s, Expression *e, Str *why)
{
    const char *end = s + strlen(s), *at = find(s, end, '@');
    *e = (Expression){0};
    if (at < end) {
        e->domain = plain(s, at, false);
        s         = at + 1;
    }
    e->bottom = *s == '[';
    e->top    = end > s && end[-1] == ']' && (end - 1 == s || end[-2] != '\\');
    e->pushed = e->bottom || e->top || find(s, end, '/') < end;
    s += e->bottom;
    end -= e->top;
    if (e->pushed && end > s && end[-1] == '/' && find(s, end, '/') < end && !e->top &&
        (end - 1 == s || end[-2] != '\\'))
        end--; /* A/ */
    bool more = true, ok = true;
    while (more && ok) {
        const char *stop = find(s, end, e->pushed ? '/' : ',');
        ok               = add_part(e, s, stop < end ? stop : end, why);
        more             = stop < end;
        s                = stop + 1;
    }
    return ok;
}

bool range_check(const char *expression, Str *why)
{
    Expression e;
    bool       ok = parse(expression, &e, why);
    expression_free(&e);
    return ok;
}

/* ---- fitting ---- */

static bool same(const char *a, const char *b)
{
    return !a || !b ? a == b : strcmp(a, b) == 0;
}

static bool part_fits(const Part *p, const char *name)
{
    return p->kind == PART_ONE    ? true
           : p->kind == PART_NAME ? strcmp(p->name, name) == 0
                                  : regexec(&p->regex, name, 0, NULL, 0) == 0;
}

/* The parts from p on against the ranges from i on; to the innermost where the expression says so. */
static bool fits_from(const Expression *e, size_t p, const RangePath *path, size_t i)
{
    if (p == e->n)
        return !e->top || i == path->n;
    if (e->part[p].kind != PART_ANY)
        return i < path->n && part_fits(&e->part[p], path->name[i]) && fits_from(e, p + 1, path, i + 1);
    for (; i <= path->n; i++)
        if (fits_from(e, p + 1, path, i))
            return true;
    return false;
}

static bool fits_pushed(const Expression *e, const RangePath *path)
{
    for (size_t i = 0; i <= (e->bottom ? 0 : path->n); i++)
        if (fits_from(e, 0, path, i))
            return true;
    return false;
}

static bool is_started(const Part *p, const char *domain, const RangePath *path, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!path[i].pushed && same(domain, path[i].domain) && part_fits(p, path[i].name[0]))
            return true;
    return false;
}

bool range_fits(const char *expression, const RangePath *path, size_t n)
{
    Expression e;
    Str        why  = {0};
    bool       good = parse(expression, &e, &why), fits = good && !e.pushed;
    for (size_t i = 0; good && e.pushed && !fits && i < n; i++)
        fits = path[i].pushed && same(e.domain, path[i].domain) && fits_pushed(&e, &path[i]);
    for (size_t p = 0; good && !e.pushed && fits && p < e.n; p++)
        fits = is_started(&e.part[p], e.domain, path, n);
    expression_free(&e);
    str_free(&why);
    return fits;
}
