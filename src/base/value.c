/* SPDX-License-Identifier: Apache-2.0
 *
 * Strict: no blanks, no signs, nothing behind the value. */
#include "base/value.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool parse(const char *text, bool hex, uint64_t *out)
{
    char *end;
    errno = 0;
    if (!isalnum((unsigned char)text[0]))
        return false; /* strtoull takes blanks and signs, which nobody means here */
    *out = strtoull(text, &end, hex ? 16 : strncasecmp(text, "0x", 2) == 0 ? 16 : 10);
    return end != text && !*end && !errno;
}

bool value_number(const char *text, const char *range, uint64_t *out, Str *why)
{
    uint64_t min = 0, max = UINT64_MAX;
    if (!parse(text, false, out)) {
        str_printf(why, errno == ERANGE ? "%s does not fit in 64 bits" : "'%s' is not a number", text);
        return false;
    }
    int n = *range ? sscanf(range, "%" SCNu64 "..%" SCNu64, &min, &max) : 2;
    assert(n == 2);
    if (n == 2 && *out >= min && *out <= max)
        return true;
    str_printf(why, "%s is outside %s", text, range);
    return false;
}

bool value_hex(const char *text, uint64_t *out, Str *why)
{
    if (parse(text, true, out))
        return true;
    str_printf(why, "'%s' is not a hexadecimal number of at most 64 bits", text);
    return false;
}

bool value_choice(const char *text, const char *words, int *out, Str *why)
{
    const char *at  = words;
    size_t      len = strlen(text);
    for (*out = 0;; ++*out) {
        size_t n = strcspn(at, "|");
        if (n == len && strncmp(at, text, n) == 0)
            return true;
        if (!at[n])
            break;
        at += n + 1;
    }
    str_printf(why, "'%s' is not one of %s", text, words);
    return false;
}

/* One word of a --blocks; its end. */
static const char *blocks_word(const char *at, uint32_t *counts[2], Str *why)
{
    static const char *const words[] = {"first:", "random:"};
    size_t                   n       = strcspn(at, ",");
    char                     text[32];
    uint64_t                 count;
    for (int i = 0; i < 2; i++) {
        size_t word = strlen(words[i]);
        if (strncmp(at, words[i], word) != 0)
            continue;
        if (*counts[i])
            str_printf(why, "'%s' is there twice", words[i]);
        else if (n - word >= sizeof text)
            str_printf(why, "'%.*s' is outside 1..65536", (int)(n - word), at + word);
        else {
            memcpy(text, at + word, n - word);
            text[n - word] = 0;
            if (value_number(text, "1..65536", &count, why)) {
                *counts[i] = (uint32_t)count;
                return at + n;
            }
        }
        return NULL;
    }
    str_printf(why, "'%.*s' is neither first:N nor random:N", (int)n, at);
    return NULL;
}

bool value_blocks(const char *text, uint32_t *first, uint32_t *random, Str *why)
{
    uint32_t *counts[2] = {first, random};
    *first = *random = 0;
    do
        text = blocks_word(text, counts, why);
    while (text && *text++ == ',');
    return text != NULL;
}
