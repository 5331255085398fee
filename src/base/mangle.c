/* SPDX-License-Identifier: Apache-2.0
 *
 * The Itanium ABI writes a name as its length and its letters.  A function's is the last of the names that follow _Z (and N); a
 * variable's is the one that reaches the symbol's end, but for closing E and a number that tells equal names apart (_0).
 * Not read: operators, constructors, substitutions in place of the last name; such symbols stay as they are. */
#include "base/mangle.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* The name at p, digits first; NULL: none. */
static const char *name_at(const char *p, size_t *len)
{
    char *end;
    if (!isdigit((unsigned char)*p))
        return NULL;
    *len = strtoul(p, &end, 10);
    return *len && *len <= strlen(end) ? end : NULL;
}

const char *mangled_function(const char *symbol, size_t *len)
{
    const char *p = symbol + 2, *name, *last = symbol;
    size_t      n;
    *len = strlen(symbol);
    if (strncmp(symbol, "_Z", 2) != 0)
        return symbol;
    for (p += *p == 'N' || *p == 'L'; (name = name_at(p, &n)); p = name + n) {
        last = name;
        *len = n;
    }
    return last;
}

static int ends_symbol(const char *p)
{
    if (*p == '_' && isdigit((unsigned char)p[1]))
        p += 1 + strspn(p + 1, "0123456789");
    return !p[strspn(p, "E")];
}

const char *mangled_variable(const char *symbol, size_t *len)
{
    *len = strlen(symbol);
    if (strncmp(symbol, "_Z", 2) != 0)
        return symbol;
    for (const char *p = symbol + 2; *p; p++) {
        size_t      n;
        const char *name = isdigit((unsigned char)p[-1]) ? NULL : name_at(p, &n);
        if (name && ends_symbol(name + n)) {
            *len = n;
            return name;
        }
    }
    return symbol;
}

typedef char *Demangle(const char *symbol, char *out, size_t *len, int *status);

static char *demangled(const char *symbol)
{
    Demangle *call  = NULL;
    void     *self  = dlopen(NULL, RTLD_LAZY);
    *(void **)&call = self ? dlsym(self, "__cxa_demangle") : NULL;
    void *library   = call ? NULL : dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
    *(void **)&call = call ? *(void **)&call : library ? dlsym(library, "__cxa_demangle") : NULL;
    int   status    = -1;
    char *text      = call ? call(symbol, NULL, NULL, &status) : NULL;
    if (library)
        dlclose(library);
    if (self)
        dlclose(self);
    return text;
}

static char *copy(const char *s, size_t n)
{
    char *p = xcalloc(n + 1, 1);
    memcpy(p, s, n);
    return p;
}

enum { UNNAMED = 21 };
static const char unnamed[] = "(anonymous namespace)";

/* Where the parameters' '(' stands in a demangled function, and where the name before it begins. */
static size_t open_parenthesis(const char *text, size_t *name)
{
    size_t depth = 0, i = 0;
    for (*name = 0; text[i]; i++) {
        if (!strncmp(text + i, unnamed, UNNAMED)) {
            i += UNNAMED - 1;
            continue;
        }
        depth += text[i] == '<';
        depth -= text[i] == '>' && depth;
        if (text[i] == ' ' && !depth)
            *name = i + 1;
        if (text[i] == '(' && !depth)
            break;
    }
    return i;
}

char *mangled_text(const char *symbol)
{
    size_t      start, n;
    char       *text = strncmp(symbol, "_Z", 2) ? NULL : demangled(symbol);
    const char *name = mangled_function(symbol, &n);
    if (!text)
        return copy(name, n);
    size_t end = open_parenthesis(text, &start);
    char  *out = copy(text + start, end - start);
    free(text);
    return out;
}

/* Behind the parameter at p: at ',' or the closing ')', or the text's end. */
static const char *parameter_end(const char *p)
{
    for (size_t depth = 0; *p; p++) {
        if (!depth && (*p == ',' || *p == ')'))
            break;
        depth += strchr("(<[", *p) != NULL;
        depth -= strchr(")>]", *p) != NULL && depth;
    }
    return p;
}

char *mangled_parameter(const char *symbol, size_t i)
{
    size_t      name;
    char       *text = strncmp(symbol, "_Z", 2) ? NULL : demangled(symbol), *out = NULL;
    const char *p = text ? text + open_parenthesis(text, &name) : "";
    while (*p && *p != ')') {
        p += 1 + strspn(p + 1, " ");
        const char *end = parameter_end(p);
        if (i-- == 0) {
            out = end > p ? copy(p, (size_t)(end - p)) : NULL;
            break;
        }
        p = end;
    }
    free(text);
    return out;
}

/* The next character that is not inside angle brackets. */
static char outside(const char **p)
{
    for (unsigned depth = 0; **p; ++*p) {
        depth += **p == '<';
        if (!depth)
            return *(*p)++;
        depth -= **p == '>';
    }
    return 0;
}

int mangled_compare_templates(const char *a, const char *b)
{
    for (;;) {
        char x = outside(&a), y = outside(&b);
        if (x != y || !x)
            return (unsigned char)x - (unsigned char)y;
    }
}

char *mangled_short(const char *shown)
{
    char *out = xmalloc(strlen(shown) + 1), *to = out;
    for (char c; (c = outside(&shown));)
        if (c == ':')
            to = out; /* what stood before is a scope */
        else
            *to++ = c;
    *to = 0;
    return out;
}
