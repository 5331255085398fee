/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules (rules.def), and which of them are on with which thresholds. */
#ifndef WW_CHECK_RULES_H
#define WW_CHECK_RULES_H

#include <stdbool.h>

#include "base/status.h"
#include "base/str.h"

typedef enum RuleId {
#define RULE(ID, ...)  RULE_##ID,
#define FAULT(ID, ...) RULE_##ID,
#include "check/rules.def"
#undef RULE
#undef FAULT
    RULE_COUNT
} RuleId;

enum { RULE_THRESHOLDS = 4 };

typedef struct Rule {
    const char *id, *category, *severity, *checker, *thresholds, *brief, *text;
    const char *cuda_error; /* by its name; NULL: it stops no launch */
    bool        asked;      /* on only where its id is given */
} Rule;

const Rule *rule_row(RuleId r);
RuleId      rule_find(const char *id); /* RULE_COUNT: there is none */
bool        rule_is_category(const char *word);
/* Appends "; did you mean 'RULE'?" where a rule or a category is near the `len` bytes of word. */
void        rules_hint(const char *word, size_t len, Str *out);

typedef struct RuleSet {
    bool   on[RULE_COUNT];
    double threshold[RULE_COUNT][RULE_THRESHOLDS]; /* in the order of the row */
} RuleSet;

/* text: "" or NULL: every rule but those that have to be asked for by their id.  Else words separated by commas, applied from left to
 * right: a rule or a category (or `all`) switches on, with '-' before it off; when the first word switches off or sets a threshold,
 * everything is on before it.  rule:key=value sets a threshold and switches the rule on.  WW_ERR_INVALID: *why says which word and what
 * there is. */
Status rules_select(const char *text, RuleSet *out, Str *why);
/* The value of a threshold; the row must have it. */
double rules_threshold(const RuleSet *s, RuleId r, const char *key);

#endif
