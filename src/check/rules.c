/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of rules and the grammar of --check=RULES. */
#include "check/rules.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"

static const Rule rows[] = {
#define RULE(ID, id, category, severity, checker, thresholds, brief, text)                                             \
    {id, #category, #severity, #checker, thresholds, brief, text, NULL, false},
#define ASKED(ID, id, category, severity, checker, thresholds, brief, text)                                            \
    {id, #category, #severity, #checker, thresholds, brief, text, NULL, true},
#define FAULT(ID, id, category, checker, cuda_error, brief, text)                                                      \
    {id, #category, "error", #checker, "", brief, text, #cuda_error, false},
#include "check/rules.def"
#undef RULE
#undef FAULT
};

const Rule *rule_row(RuleId r)
{
    return &rows[r];
}

static bool same_word(const char *word, size_t len, const char *with)
{
    return strlen(with) == len && memcmp(word, with, len) == 0;
}

static RuleId find(const char *id, size_t len)
{
    for (int i = 0; i < RULE_COUNT; i++)
        if (same_word(id, len, rows[i].id))
            return (RuleId)i;
    return RULE_COUNT;
}

RuleId rule_find(const char *id)
{
    return find(id, strlen(id));
}

static bool is_category(const char *word, size_t len)
{
    for (int i = 0; i < RULE_COUNT; i++)
        if (same_word(word, len, rows[i].category))
            return true;
    return false;
}

bool rule_is_category(const char *word)
{
    return is_category(word, strlen(word));
}

/* ---- thresholds ---- */

/* Index of a key in "a=1 b=2", or -1. */
static int key_index(const char *keys, const char *key, size_t len)
{
    for (int i = 0; *keys; i++) {
        size_t n = strcspn(keys, "=");
        if (same_word(key, len, keys) || (n == len && memcmp(keys, key, len) == 0))
            return i;
        keys += strcspn(keys, " ");
        keys += strspn(keys, " ");
    }
    return -1;
}

static void set_defaults(RuleSet *s)
{
    for (int r = 0; r < RULE_COUNT; r++) {
        const char *p = rows[r].thresholds;
        for (int i = 0; *p; i++) {
            assert(i < RULE_THRESHOLDS);
            p += strcspn(p, "=") + 1;
            s->threshold[r][i] = strtod(p, (char **)(uintptr_t)&p);
            p += strspn(p, " ");
        }
    }
}

double rules_threshold(const RuleSet *s, RuleId r, const char *key)
{
    int i = key_index(rows[r].thresholds, key, strlen(key));
    assert(i >= 0);
    return s->threshold[r][i];
}

/* ---- the grammar ---- */

void rules_hint(const char *word, size_t len, Str *out)
{
    const char *words[2 * RULE_COUNT + 1];
    for (int i = 0; i < RULE_COUNT; i++) {
        words[i]              = rows[i].id;
        words[RULE_COUNT + i] = rows[i].category;
    }
    words[2 * RULE_COUNT] = NULL;
    nearest_hint(word, len, words, out);
}

static Status unknown(const char *word, size_t len, Str *why)
{
    size_t before;
    str_printf(why, "there is no rule or category '%.*s'", (int)len, word);
    before = why->len;
    rules_hint(word, len, why);
    if (why->len == before)
        str_add(why, "; `warpwright rules` lists them");
    return WW_ERR_INVALID;
}

/* rule:key=value */
static Status set_threshold(const char *word, size_t len, const char *colon, RuleSet *s, Str *why)
{
    RuleId      r   = find(word, (size_t)(colon - word));
    const char *key = colon + 1, *end = word + len;
    const char *equal = memchr(key, '=', (size_t)(end - key));
    char       *rest;
    if (r == RULE_COUNT && is_category(word, (size_t)(colon - word))) {
        str_printf(why, "'%.*s': %.*s is a category; thresholds are a rule's", (int)len, word, (int)(colon - word),
                   word);
        return WW_ERR_INVALID;
    }
    if (r == RULE_COUNT)
        return unknown(word, (size_t)(colon - word), why);
    int i = equal ? key_index(rows[r].thresholds, key, (size_t)(equal - key)) : -1;
    if (i < 0) {
        str_printf(why, "'%.*s': rule %s has %s%s", (int)len, word, rows[r].id,
                   *rows[r].thresholds ? "the thresholds " : "no thresholds", rows[r].thresholds);
        return WW_ERR_INVALID;
    }
    s->threshold[r][i] = strtod(equal + 1, &rest);
    if (rest != end || rest == equal + 1) {
        str_printf(why, "'%.*s': a number is expected behind '='", (int)len, word);
        return WW_ERR_INVALID;
    }
    s->on[r] = true;
    return WW_OK;
}

static Status apply(const char *word, size_t len, RuleSet *s, Str *why)
{
    bool        on    = *word != '-';
    const char *colon = memchr(word, ':', len);
    bool        any   = false;
    if (colon && on)
        return set_threshold(word, len, colon, s, why);
    word += !on;
    len -= !on;
    for (int i = 0; i < RULE_COUNT; i++)
        if (same_word(word, len, "all") || same_word(word, len, rows[i].id) || same_word(word, len, rows[i].category)) {
            bool named = same_word(word, len, rows[i].id);
            s->on[i]   = on ? named || !rows[i].asked || s->on[i] : false;
            any        = true;
        }
    return any ? WW_OK : unknown(word, len, why);
}

/* Only thresholds, or only words that switch off: meant against everything being on. */
static bool starts_full(const char *text)
{
    size_t n = strcspn(text, ",");
    return !n || *text == '-' || memchr(text, ':', n);
}

Status rules_select(const char *text, RuleSet *out, Str *why)
{
    text = text ? text : "";
    *out = (RuleSet){0};
    set_defaults(out);
    for (int i = 0; i < RULE_COUNT; i++)
        out->on[i] = starts_full(text) && !rows[i].asked;
    while (*text) {
        size_t n = strcspn(text, ",");
        if (n)
            TRY(apply(text, n, out, why));
        text += n + (text[n] == ',');
    }
    return WW_OK;
}
