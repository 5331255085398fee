/* SPDX-License-Identifier: Apache-2.0
 *
 * Forms: matches the text of a full opcode ("ld.global.nc.v4.f32") against the forms of isa.def.
 *
 * The words of the text are assigned to the elements of a form one by one, with backtracking: type words in the form's order,
 * the others in any order, because compilers and writers differ there (vote.sync.any.pred, vote.any.sync.pred).  Of several rows that
 * fit the most special one is meant: the fewest words that only {.*} takes, then the most words that the form itself spells out, then
 * the smallest sets.  The order of rows decides nothing.
 *
 * Nothing is cached here: the parser calls opcode_match once per distinct opcode of a module.  Whether the operands fit is the
 * checker's business, and so is which combination an architecture supports: any text that fits a form is accepted. */
#include <stdio.h>
#include <string.h>

#include "ptx/op.h"
#include "ptx/ptx.h"

enum { MAX_WORDS = 24, MAX_ELEMS = 24 };

typedef struct Piece { /* a stretch of text */
    const char *s;
    size_t      len;
} Piece;

typedef struct Elem {  /* one dotted element of a form */
    Piece       text;  /* literal word, or the name of the set */
    const char *words; /* the set's words, NULL for a literal */
    Field       field; /* FIELD_COUNT for a literal */
    bool        optional, any;
} Elem;

typedef struct Match {
    Elem    elem[MAX_ELEMS];
    size_t  nelem;
    Piece   word[MAX_WORDS];
    Word    id[MAX_WORDS];
    Type    type[MAX_WORDS];
    size_t  nword;
    uint8_t at[MAX_WORDS]; /* the element of each word */
    size_t  deepest;       /* most words any row could place: names the culprit in the message */
} Match;

static const char *const word_texts[WORD_COUNT] = {
    "",
#define WORD(id, text) text,
#include "ptx/words.def"
#undef WORD
};

static const struct {
    const char *name, *words;
} set_list[FIELD_COUNT] = {
#define SET(name, words) {#name, words},
#include "ptx/sets.def"
#undef SET
};

static const Form form_list[OP_COUNT] = {
    {"none", "", UNSUPPORTED, ""},
#define ISA_ANY(id, exactness, pipe, traits, flow, form, note) {#id, form, exactness, note},
#include "ptx/isa.def"
#undef ISA_ANY
};

static const struct {
    const char *text;
    uint8_t     bytes;
    char        kind;
} type_list[TY_COUNT] = {
    {"", 0, 'b'},
#define TYPE(name, text, bytes, kind) {text, bytes, #kind[0]},
#include "ptx/types.def"
#undef TYPE
};

const char *type_text(Type t)
{
    return type_list[t].text;
}
unsigned type_bytes(Type t)
{
    return type_list[t].bytes;
}
char type_kind(Type t)
{
    return type_list[t].kind;
}

const char *space_text(Space s)
{
    static const char *const text[SPACE_COUNT] = {"generic", "reg", "const", "global", "local", "param", "shared"};
    return text[s];
}

const char *word_text(Word w)
{
    return word_texts[w];
}

const Form *op_form(Op op)
{
    return &form_list[op];
}

static bool piece_is(Piece p, const char *s)
{
    return strlen(s) == p.len && memcmp(p.s, s, p.len) == 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "m64n128k16" is the word "m#n#k#". */
static bool is_shape(Piece p)
{
    static const char letters[] = "mnk";
    size_t            i         = 0;
    for (size_t k = 0; k < 3; k++) {
        if (i >= p.len || p.s[i++] != letters[k] || i >= p.len || !is_digit(p.s[i]))
            return false;
        while (i < p.len && is_digit(p.s[i]))
            i++;
    }
    return i == p.len;
}

static Word word_find(Piece p)
{
    size_t lo = 1, hi = WORD_COUNT;
    if (is_shape(p))
        return WORD_mnk;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        int    c   = strncmp(p.s, word_texts[mid], p.len);
        if (c == 0 && word_texts[mid][p.len] == 0)
            return (Word)mid;
        if (c > 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return WORD_NONE;
}

static Type type_find(Piece p)
{
    for (int t = TY_NONE + 1; t < TY_COUNT; t++)
        if (piece_is(p, type_list[t].text))
            return (Type)t;
    return TY_NONE;
}

static bool list_has(const char *words, Piece p)
{
    while (*words) {
        size_t n = strcspn(words, " ");
        if (n == p.len && memcmp(words, p.s, n) == 0)
            return true;
        words += n + (words[n] == ' ');
    }
    return false;
}

/* The base opcode of a form or of a text. */
static Piece base_of(const char *s, size_t len)
{
    size_t n = 0;
    while (n < len && s[n] != '.' && s[n] != '{' && s[n] != ' ')
        n++;
    return (Piece){s, n};
}

static Field set_find(Piece p)
{
    for (int f = 0; f < FIELD_COUNT; f++)
        if (piece_is(p, set_list[f].name))
            return (Field)f;
    return FIELD_COUNT;
}

/* Splits a form's opcode part into elements. */
static void form_split(const char *form, Match *m)
{
    const char *s = form + base_of(form, strlen(form)).len;
    m->nelem      = 0;
    while ((*s == '.' || (*s == '{' && s[1] == '.')) && m->nelem < MAX_ELEMS) {
        Elem *e     = &m->elem[m->nelem++];
        e->optional = *s == '{';
        s += e->optional ? 2 : 1;
        e->text = (Piece){s, strcspn(s, ".{} ")};
        s += e->text.len;
        s += e->optional && *s == '}';
        e->any      = piece_is(e->text, "*");
        e->optional = e->optional || e->any;
        e->field    = set_find(e->text);
        e->words    = e->field < FIELD_COUNT ? set_list[e->field].words : NULL;
    }
}

static bool elem_takes(const Match *m, const Elem *e, size_t w)
{
    if (e->any)
        return true;
    if (e->words)
        return list_has(e->words, m->id[w] == WORD_mnk ? (Piece){"m#n#k#", 6} : m->word[w]);
    return e->text.len == m->word[w].len && memcmp(e->text.s, m->word[w].s, e->text.len) == 0;
}

/* Places word w and all behind it.  used: elements taken; last_type: elements before it take no more types. */
static bool place(Match *m, size_t w, uint32_t used, size_t last_type)
{
    if (w > m->deepest)
        m->deepest = w;
    if (w == m->nword) {
        for (size_t i = 0; i < m->nelem; i++)
            if (!m->elem[i].optional && !(used >> i & 1))
                return false;
        return true;
    }
    bool is_type = m->type[w] != TY_NONE;
    for (size_t i = is_type ? last_type : 0; i < m->nelem; i++) {
        if ((used >> i & 1 && !m->elem[i].any) || !elem_takes(m, &m->elem[i], w))
            continue;
        m->at[w] = (uint8_t)i;
        if (place(m, w + 1, used | 1u << i, is_type && !m->elem[i].any ? i + 1 : last_type))
            return true;
    }
    return false;
}

/* How special a row's fit is: the greater, the more. */
static uint64_t speciality(const Match *m)
{
    uint64_t literal = 0, choices = 0, any = 0;
    for (size_t w = 0; w < m->nword; w++) {
        const Elem *e = &m->elem[m->at[w]];
        any += e->any;
        literal += !e->any && !e->words;
        for (const char *s = e->words; s && *s; s++)
            choices += *s == ' ';
    }
    return (MAX_WORDS - any) << 48 | literal << 32 | (UINT32_MAX - choices);
}

static bool text_split(const char *text, size_t len, Match *m)
{
    size_t i = base_of(text, len).len;
    while (i < len) {
        size_t start = ++i; /* behind the dot */
        while (i < len && text[i] != '.')
            i++;
        if (i == start || m->nword == MAX_WORDS)
            return false;
        Piece p           = {text + start, i - start};
        m->word[m->nword] = p;
        m->type[m->nword] = type_find(p);
        m->id[m->nword]   = m->type[m->nword] ? WORD_NONE : word_find(p);
        m->nword++;
    }
    return true;
}

static const Opcode *opcode_make(Arena *a, const Match *m, Op op, const char *text, size_t len)
{
    Opcode *o = ARENA_NEW(a, Opcode);
    o->text   = arena_strndup(a, text, len);
    o->op     = op;
    for (size_t w = 0; w < m->nword; w++) {
        const Elem *e = &m->elem[m->at[w]];
        if (m->type[w] != TY_NONE) {
            if (o->ntypes < sizeof o->types / sizeof *o->types)
                o->types[o->ntypes++] = m->type[w];
            continue;
        }
        o->has[m->id[w] >> 6] |= (uint64_t)(m->id[w] != WORD_NONE) << (m->id[w] & 63);
        if (e->words)
            o->field[e->field] = (uint16_t)m->id[w];
    }
    return o;
}

/* The opcode parts of all forms of one base, "add.itype2, add.sat.s32, ..."; the longest families are cut. */
static const char *forms_of(Arena *a, Piece base)
{
    Str out   = {0};
    int shown = 0, more = 0;
    for (int op = OP_NONE + 1; op < OP_COUNT; op++) {
        const char *form = form_list[op].form;
        size_t      n    = strcspn(form, " ");
        Piece       b    = base_of(form, n);
        if (b.len != base.len || memcmp(b.s, base.s, b.len) != 0)
            continue;
        if (shown == 6) {
            more++;
            continue;
        }
        str_add(&out, shown++ ? ", " : "");
        str_addn(&out, form, n);
    }
    if (more)
        str_printf(&out, " and %d more", more);
    const char *s = arena_strdup(a, str_text(&out));
    str_free(&out);
    return s;
}

static const char *explain(Arena *a, const Match *m, Piece base, bool known)
{
    int bl = (int)base.len;
    if (!known)
        return arena_printf(a, "unknown opcode '%.*s'", bl, base.s);
    const char *forms = forms_of(a, base);
    if (m->deepest >= m->nword)
        return arena_printf(a, "a modifier or type of %.*s is missing; forms: %s", bl, base.s, forms);
    Piece w = m->word[m->deepest];
    return arena_printf(a, "'.%.*s' is not a modifier of %.*s here; forms: %s", (int)w.len, w.s, bl, base.s, forms);
}

const Opcode *opcode_match(Arena *a, const char *text, size_t len, const char **why)
{
    Match m     = {0};
    Piece base  = base_of(text, len);
    bool  known = false;

    const Opcode *found = NULL;
    uint64_t      best  = 0;
    if (!text_split(text, len, &m)) {
        *why = arena_printf(a, "malformed opcode: an empty modifier, or more than %d of them", MAX_WORDS);
        return NULL;
    }
    for (int op = OP_NONE + 1; op < OP_COUNT; op++) {
        const char *form = form_list[op].form;
        if (strncmp(form, base.s, base.len) != 0 || base.len == 0)
            continue;
        char end = form[base.len];
        if (end != '.' && end != '{' && end != ' ' && end != 0)
            continue;
        known = true;
        form_split(form, &m);
        if (place(&m, 0, 0, 0) && speciality(&m) > best) {
            best  = speciality(&m);
            found = opcode_make(a, &m, (Op)op, text, len);
        }
    }
    if (!found)
        *why = explain(a, &m, base, known);
    return found;
}
