/* SPDX-License-Identifier: Apache-2.0
 *
 * options.def as arrays.  Rows keep the table's order: it is the order of help and of the man page. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/nearest.h"

#define OPTION(verb, name, letter, kind, meta, values, text)
#define EXAMPLE(verb, command, text)
static const CliVerb verbs[] = {
#define VERB(id, operands, min, max, summary, text) {#id, operands, min, max, summary, text},
#include "cli/options.def"
#undef VERB
};
#undef OPTION
#undef EXAMPLE

#define VERB(id, operands, min, max, summary, text)
static const CliOption options[] = {
#define OPTION(verb, name, letter, kind, meta, values, text) {#verb, name, letter, CLI_##kind, meta, values, text},
#define EXAMPLE(verb, command, text)
#include "cli/options.def"
#undef OPTION
#undef EXAMPLE
};

static const CliExample examples[] = {
#define OPTION(verb, name, letter, kind, meta, values, text)
#define EXAMPLE(verb, command, text) {#verb, command, text},
#include "cli/options.def"
#undef OPTION
#undef EXAMPLE
};
#undef VERB

const CliVerb *cli_verbs(size_t *count)
{
    *count = sizeof verbs / sizeof *verbs;
    return verbs;
}

const CliOption *cli_options(size_t *count)
{
    *count = sizeof options / sizeof *options;
    return options;
}

const CliExample *cli_examples(size_t *count)
{
    *count = sizeof examples / sizeof *examples;
    return examples;
}

const CliVerb *cli_find_verb(const char *name)
{
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (strcmp(verbs[i].name, name) == 0)
            return &verbs[i];
    }
    return NULL;
}

void cli_verb_hint(const char *name, Str *out)
{
    size_t         n;
    const CliVerb *v     = cli_verbs(&n);
    const char   **words = xcalloc(n + 1, sizeof *words);
    for (size_t i = 0; i < n; i++)
        words[i] = v[i].name;
    nearest_hint(name, strlen(name), words, out);
    free(words);
}
