/* SPDX-License-Identifier: Apache-2.0
 *
 * A word is near another by the number of letters that are changed, added or left out: one in short words, two in longer ones.  Two neighbours
 * in the wrong order count as one, as that is how people type.  Words longer than MAX_WORD are near nothing. */
#include "base/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { MAX_WORD = 32, SHORT_WORD = 5 };

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static bool same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static unsigned distance(const char *a, size_t n, const char *b, size_t m)
{
    unsigned d[MAX_WORD + 1][MAX_WORD + 1];
    for (unsigned i = 0; i <= n; i++)
        for (unsigned j = 0; j <= m; j++) {
            d[i][j] = i ? j ? d[i - 1][j - 1] + !same(a[i - 1], b[j - 1]) : i : j;
            if (i && j)
                d[i][j] = least(d[i][j], 1 + least(d[i - 1][j], d[i][j - 1]));
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[n][m];
}

const char *nearest_word(const char *given, const char *const *words)
{
    size_t      n     = strlen(given);
    const char *found = NULL;
    unsigned    best  = n < SHORT_WORD ? 2 : 3;
    for (; n <= MAX_WORD && *words; words++) {
        size_t   m = strlen(*words);
        unsigned d = m <= MAX_WORD ? distance(given, n, *words, m) : best;
        if (d < best) {
            best  = d;
            found = *words;
        }
    }
    return found;
}

void nearest_hint(const char *given, size_t len, const char *const *words, Str *out)
{
    char word[MAX_WORD + 1] = {0};
    if (len > MAX_WORD)
        return;
    memcpy(word, given, len);
    const char *near = nearest_word(word, words);
    if (near && strcmp(near, word) != 0)
        str_printf(out, "; did you mean '%s'?", near);
}
