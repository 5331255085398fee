/* SPDX-License-Identifier: Apache-2.0
 *
 * Linking on the text: module-scope statements are found by their brackets alone, so that the parser afterwards sees one module and judges
 * the rest.  The rules are those of the manual's "Linking Directives":
 *
 *     .visible   one definition among all modules
 *     .weak      the first definition stays, unless there is a .visible one; the others become declarations
 *     .common    as .weak
 *     .extern    a declaration; dropped once the name is defined or declared
 *     none       private to its module: renamed where another module has the name too
 *
 * Files of .file and .loc are numbered anew, and the labels of debug strings too, so line information stays.
 * Not modelled: .common variables of different sizes (the first counts). */
#include "ptx/link.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

typedef enum TokenKind { T_END, T_IDENT, T_WORD, T_NUMBER, T_STRING, T_PUNCT } TokenKind;
typedef struct Token {
    TokenKind   kind;
    const char *s;
    size_t      len;
} Token;
typedef struct Cursor {
    const char *p, *end;
} Cursor;

typedef enum Link { L_NONE, L_EXTERN, L_WEAK, L_COMMON, L_VISIBLE } Link;

typedef struct Item { /* a statement of module scope */
    const char *start, *end;
    const char *body;    /* functions: '{' or NULL; variables: '=' or NULL */
    const char *link_at; /* the word of the linkage, before the body; start when there is none */
    size_t      link_len;
    Link        link;
    bool        func, defines, drop, declare; /* drop: left out; declare: only its declaration stays */
} Item;

typedef struct Mention { /* a name that an item gives to something */
    const char *s;
    size_t      len, module, item;
    bool        rename;
} Mention;

typedef struct Linker {
    const LinkInput *in;
    Item           **item; /* by module */
    size_t          *nitem;
    Mention         *name;
    size_t           nname, cap;
    Str             *why;
} Linker;

/* ---- tokens ---- */

static bool ident_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

static void skip_blank(Cursor *c)
{
    while (c->p < c->end) {
        if (isspace((unsigned char)*c->p)) {
            c->p++;
        } else if (c->end - c->p >= 2 && c->p[0] == '/' && c->p[1] == '/') {
            while (c->p < c->end && *c->p != '\n')
                c->p++;
        } else if (c->end - c->p >= 2 && c->p[0] == '/' && c->p[1] == '*') {
            c->p += 2;
            while (c->end - c->p >= 2 && (c->p[0] != '*' || c->p[1] != '/'))
                c->p++;
            c->p = c->end - c->p >= 2 ? c->p + 2 : c->end;
        } else {
            return;
        }
    }
}

static Token next(Cursor *c)
{
    skip_blank(c);
    Token t = {T_END, c->p, 0};
    if (c->p >= c->end || !*c->p)
        return t;
    char first = *c->p++;
    if (first == '"') {
        while (c->p < c->end && *c->p != '"')
            c->p += *c->p == '\\' && c->end - c->p > 1 ? 2 : 1;
        c->p += c->p < c->end;
        t.kind = T_STRING;
    } else if (ident_char(first) || (first == '.' && c->p < c->end && ident_char(*c->p))) {
        while (c->p < c->end && ident_char(*c->p))
            c->p++;
        t.kind = first == '.' ? T_WORD : isdigit((unsigned char)first) ? T_NUMBER : T_IDENT;
    } else {
        t.kind = T_PUNCT;
    }
    t.len = (size_t)(c->p - t.s);
    return t;
}

static bool is(Token t, const char *text)
{
    return t.len == strlen(text) && !memcmp(t.s, text, t.len);
}

/* ---- items ---- */

static void add_name(Linker *l, Token t, size_t module, size_t item)
{
    if (l->nname == l->cap) {
        l->cap  = l->cap ? l->cap * 2 : 64;
        l->name = xrealloc(l->name, l->cap * sizeof *l->name);
    }
    l->name[l->nname++] = (Mention){.s = t.s, .len = t.len, .module = module, .item = item};
}

static Link link_of(Token t)
{
    return is(t, ".extern")    ? L_EXTERN
           : is(t, ".weak")    ? L_WEAK
           : is(t, ".common")  ? L_COMMON
           : is(t, ".visible") ? L_VISIBLE
                               : L_NONE;
}

/* Directives that end with their line. */
static bool is_line(Token t)
{
    return is(t, ".version") || is(t, ".target") || is(t, ".address_size") || is(t, ".file");
}

static void to_line_end(Cursor *c)
{
    while (c->p < c->end && *c->p != '\n')
        c->p++;
}

/* From the first token, already taken, to the ';' or '}' that ends the statement. */
static void scan_item(Linker *l, Cursor *c, Token t, size_t module, size_t index, Item *it)
{
    bool named = true, initial = false, section = is(t, ".section") || is(t, ".pragma") || is(t, ".alias");
    int  depth = 0;
    for (; t.kind != T_END; t = next(c)) {
        if (link_of(t) != L_NONE && depth == 0 && !it->body) {
            it->link     = link_of(t);
            it->link_at  = t.s;
            it->link_len = t.len;
        } else if (is(t, ".func") || is(t, ".entry")) {
            it->func = true;
        } else if (t.kind == T_IDENT && depth == 0 && named && !initial && !section) {
            add_name(l, t, module, index);
            named = false;
        } else if (t.kind == T_PUNCT) {
            char p = *t.s;
            if (p == '{' && depth == 0 && it->func)
                it->body = t.s;
            if (p == '=' && depth == 0) {
                it->body = it->body ? it->body : t.s;
                initial  = true;
            }
            if (p == ',' && depth == 0 && !it->func) {
                named   = true;
                initial = false;
            }
            depth += (p == '{') + (p == '(') + (p == '[') - (p == '}') - (p == ')') - (p == ']');
            if (depth <= 0 && (p == ';' || (p == '}' && (it->func || section))))
                break;
        }
    }
    it->end     = c->p;
    it->defines = it->link != L_EXTERN && (!it->func || it->body) && !section;
}

static void split(Linker *l, size_t module)
{
    Cursor c   = {l->in[module].text, l->in[module].text + l->in[module].len};
    size_t cap = 0;
    for (Token t; (t = next(&c)).kind != T_END;) {
        if (l->nitem[module] == cap) {
            cap             = cap ? cap * 2 : 32;
            l->item[module] = xrealloc(l->item[module], cap * sizeof(Item));
        }
        Item it = {.start = t.s, .link_at = t.s};
        if (is_line(t)) {
            to_line_end(&c);
            it.end  = c.p;
            it.drop = !is(t, ".file");
        } else {
            scan_item(l, &c, t, module, l->nitem[module], &it);
        }
        l->item[module][l->nitem[module]++] = it;
    }
}

/* ---- names ---- */

static int by_name(const void *a, const void *b)
{
    const Mention *x = a, *y = b;
    size_t         n = x->len < y->len ? x->len : y->len;
    int            d = memcmp(x->s, y->s, n);
    d                = d ? d : (x->len > y->len) - (x->len < y->len);
    d                = d ? d : (x->module > y->module) - (x->module < y->module);
    return d ? d : (x->s > y->s) - (x->s < y->s);
}

static Item *item_of(const Linker *l, const Mention *m)
{
    return &l->item[m->module][m->item];
}

/* A declaration without linkage belongs to what its own module defines. */
static bool is_private(const Linker *l, const Mention *group, size_t n, size_t i)
{
    for (size_t j = 0; j < n; j++)
        if (group[j].module == group[i].module && item_of(l, &group[j])->link != L_NONE)
            return false;
    return true;
}

/* All mentions of one name, in module order. */
static Status settle(Linker *l, Mention *group, size_t n)
{
    const Mention *kept   = NULL; /* the definition that stays */
    bool           shared = false, declared = false;
    for (size_t i = 0; i < n; i++) {
        const Item *it = item_of(l, &group[i]);
        if (is_private(l, group, n, i))
            continue;
        shared = true;
        if (!it->defines)
            continue;
        bool strong = it->link == L_VISIBLE || it->link == L_NONE;
        if (strong && kept && item_of(l, kept)->link == L_VISIBLE) {
            str_printf(l->why, "'%.*s' is defined in %s and in %s", (int)group[i].len, group[i].s,
                       l->in[kept->module].name, l->in[group[i].module].name);
            return WW_ERR_INVALID;
        }
        if (!kept || (strong && item_of(l, kept)->link != L_VISIBLE))
            kept = &group[i];
    }
    size_t owner = shared ? SIZE_MAX : group[0].module;
    for (size_t i = 0; i < n; i++) {
        Item *it = item_of(l, &group[i]);
        if (is_private(l, group, n, i)) {
            group[i].rename = group[i].module != owner;
            continue;
        }
        if (kept == &group[i])
            declared = true;
        else if (declared)
            it->drop = it->func || it->link != L_EXTERN || it->drop; /* variables may be declared again */
        else
            declared = it->declare = true;
    }
    return WW_OK;
}

static Status settle_all(Linker *l)
{
    if (l->nname)
        qsort(l->name, l->nname, sizeof *l->name, by_name);
    for (size_t i = 0, n; i < l->nname; i += n) {
        for (n = 1; i + n < l->nname && l->name[i + n].len == l->name[i].len &&
                    !memcmp(l->name[i + n].s, l->name[i].s, l->name[i].len);)
            n++;
        bool one = l->name[i].module == l->name[i + n - 1].module;
        if (!one)
            TRY(settle(l, &l->name[i], n));
    }
    return WW_OK;
}

/* Is the name one that module must rename? */
static bool renamed(const Linker *l, Token t, size_t module)
{
    size_t lo = 0, hi = l->nname;
    while (lo < hi) { /* the first mention of the name in this module or a later one */
        size_t  mid = (lo + hi) / 2;
        Mention key = {.s = t.s, .len = t.len, .module = module}, at = l->name[mid];
        size_t  k = key.len < at.len ? key.len : at.len;
        int     d = memcmp(at.s, key.s, k);
        d         = d ? d : (at.len > key.len) - (at.len < key.len);
        if (d < 0 || (d == 0 && at.module < module))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < l->nname && l->name[lo].rename && l->name[lo].module == module && l->name[lo].len == t.len &&
           !memcmp(l->name[lo].s, t.s, t.len);
}

/* ---- output ---- */

/* The text of [from, to) with names and file numbers as they are after linking. */
static void put(const Linker *l, size_t module, unsigned files, const char *from, const char *to, Str *out)
{
    Cursor   c       = {from, to};
    unsigned numbers = 0; /* how soon a file number comes: 1 = now */
    for (Token t; (t = next(&c)).kind != T_END; from = t.s + t.len) {
        str_addn(out, from, (size_t)(t.s - from));
        if (t.kind == T_NUMBER && numbers)
            str_printf(out, "%lu", strtoul(t.s, NULL, 10) + files);
        else
            str_addn(out, t.s, t.len);
        numbers = is(t, ".loc") || is(t, ".file") || is(t, "inlined_at");
        if (t.kind == T_IDENT && (renamed(l, t, module) || (t.len > 14 && !memcmp(t.s, "$L__info_string", 15))))
            str_printf(out, "$m%zu", module);
    }
    str_addn(out, from, (size_t)(to - from));
}

static unsigned file_numbers(const Linker *l, size_t module)
{
    unsigned most = 0;
    for (size_t i = 0; i < l->nitem[module]; i++) {
        const Item *it = &l->item[module][i];
        if (it->end - it->start > 5 && !memcmp(it->start, ".file", 5)) {
            unsigned n = (unsigned)strtoul(it->start + 5, NULL, 10);
            most       = n > most && n < 1u << 20 ? n : most;
        }
    }
    return most;
}

static void put_item(const Linker *l, size_t module, unsigned files, const Item *it, Str *out)
{
    if (it->drop)
        return;
    if (!it->declare) {
        put(l, module, files, it->start, it->end, out);
    } else {
        put(l, module, files, it->start, it->link_at, out);
        str_add(out, ".extern ");
        put(l, module, files, it->link_at + it->link_len, it->body ? it->body : it->end, out);
        if (it->body)
            str_addc(out, ';');
    }
    str_addc(out, '\n');
}

/* ---- the header: the highest version and target of all ---- */

typedef struct Header {
    unsigned    major, minor, sm, size;
    const char *target;
    size_t      target_len;
} Header;

static Status read_header(const Linker *l, size_t module, Header *h)
{
    for (size_t i = 0; i < l->nitem[module]; i++) {
        const Item *it  = &l->item[module][i];
        size_t      len = (size_t)(it->end - it->start);
        char        line[128];
        if (len >= sizeof line)
            continue;
        memcpy(line, it->start, len);
        line[len]      = 0;
        unsigned major = 0, minor = 0, value = 0;
        if (sscanf(line, ".version %3u.%3u", &major, &minor) == 2 &&
            (major > h->major || (major == h->major && minor > h->minor))) {
            h->major = major;
            h->minor = minor;
        } else if (sscanf(line, ".target %*[a-z]_%4u", &value) == 1 && (!h->target || value > h->sm)) {
            h->sm         = value;
            h->target     = it->start;
            h->target_len = len;
        } else if (sscanf(line, ".address_size %3u", &value) == 1) {
            if (h->size && h->size != value) {
                str_printf(l->why, "%s has addresses of %u bits, the modules before it of %u", l->in[module].name,
                           value, h->size);
                return WW_ERR_INVALID;
            }
            h->size = value;
        }
    }
    return WW_OK;
}

static Status put_all(const Linker *l, size_t n, Str *out)
{
    Header h = {0};
    for (size_t m = 0; m < n; m++)
        TRY(read_header(l, m, &h));
    str_printf(out, ".version %u.%u\n%.*s\n.address_size %u\n", h.major, h.minor, (int)h.target_len,
               h.target ? h.target : "", h.size ? h.size : 64);
    unsigned files = 0;
    for (size_t m = 0; m < n; m++) {
        for (size_t i = 0; i < l->nitem[m]; i++)
            put_item(l, m, files, &l->item[m][i], out);
        files += file_numbers(l, m);
    }
    return WW_OK;
}

Status ptx_link(const LinkInput *in, size_t n, Str *out, Str *why)
{
    if (n == 1) {
        str_addn(out, in->text, in->len);
        return WW_OK;
    }
    Linker l = {.in = in, .why = why};
    l.item   = xcalloc(n, sizeof *l.item);
    l.nitem  = xcalloc(n, sizeof *l.nitem);
    for (size_t m = 0; m < n; m++)
        split(&l, m);
    Status s = settle_all(&l);
    if (s == WW_OK)
        s = put_all(&l, n, out);
    for (size_t m = 0; m < n; m++)
        free(l.item[m]);
    free(l.item);
    free(l.nitem);
    free(l.name);
    return s;
}
