/* SPDX-License-Identifier: Apache-2.0
 *
 * A main() for the fuzz targets where there is no libFuzzer:   fuzz_ptx ROUNDS FILE...
 * Runs every file as it is, then ROUNDS mutations of them.  The random sequence is fixed, so a failure comes again, and another number in
 * WW_FUZZ_SEED makes it another one; an abort or crash prints the number of its input, and with that in WW_FUZZ_ONLY the same command runs this
 * input alone.
 * The mutations know words and lines, since random bytes seldom get past a lexer; a target's own ones (mutate.c) come every other time.
 *
 * Not modelled: coverage.  `make fuzz` uses libFuzzer for that. */
#include <ctype.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/str.h"
#include "tests/fuzz/fuzz.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) __attribute__((weak));

enum { MAX_INPUT = 1 << 16, SECONDS = 20 /* for one input, sanitizers included */ };

static uint64_t        state = 0x9e3779b97f4a7c15u;
static long            current;
static char            number[64]; /* what a handler says of it */
static volatile size_t number_bytes;

static size_t pick(size_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return n ? (size_t)(state % n) : 0;
}

static void tell(int sig)
{
    if (write(STDERR_FILENO, number, number_bytes) < 0)
        _exit(1);
    signal(sig, SIG_DFL);
    raise(sig);
}

static bool word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '%' || c == '$';
}

/* The word at or behind a random place: [*at, *at + *n). */
static void random_word(const Str *s, size_t *at, size_t *n)
{
    size_t i = pick(s->len);
    while (i < s->len && !word_char(s->s[i]))
        i++;
    while (i > 0 && i < s->len && word_char(s->s[i - 1]))
        i--;
    *at = i;
    *n  = 0;
    while (i + *n < s->len && word_char(s->s[i + *n]))
        ++*n;
}

static void replace(Str *s, size_t at, size_t n, const char *text, size_t len)
{
    Str out = {0};
    str_addn(&out, str_text(s), at);
    str_addn(&out, text, len);
    str_addn(&out, str_text(s) + at + n, s->len - at - n);
    str_free(s);
    *s = out;
}

static void mutate(Str *s, const Str *other)
{
    static const char *const words[] = {"",           "0",    "-1",  "0x",  "4294967296", "18446744073709551615",
                                        "0f7fc00000", "{",    "}",   "[",   "]",          "(",
                                        ")",          ";",    ",",   "@",   "!",          "\"",
                                        "/*",         "//",   ".v4", ".b8", ".global",    ".param",
                                        "%r<9",       "ret;", "bra", "\n\n"};
    size_t                   at, n, from, len;
    switch (pick(7)) {
    case 0: /* a word becomes another word of the other text */
        random_word(s, &at, &n);
        random_word(other, &from, &len);
        replace(s, at, n, str_text(other) + from, len);
        break;
    case 1: /* a word becomes an awkward one */
    {
        const char *w = words[pick(sizeof words / sizeof *words)];
        random_word(s, &at, &n);
        replace(s, at, n, w, strlen(w));
        break;
    }
    case 2: /* a piece disappears */
        at = pick(s->len);
        n  = pick(s->len - at < 64 ? s->len - at : 64);
        replace(s, at, n, "", 0);
        break;
    case 3: /* a piece of the other text comes in */
        from = pick(other->len);
        len  = pick(other->len - from < 256 ? other->len - from : 256);
        replace(s, pick(s->len), 0, str_text(other) + from, len);
        break;
    case 4: /* one byte */
        if (s->len)
            s->s[pick(s->len)] = (char)pick(256);
        break;
    case 5: /* the end is missing */
        if (pick(4) == 0 && s->len) {
            s->len       = pick(s->len);
            s->s[s->len] = '\0';
        }
        break;
    default: /* one bit */
        if (s->len) {
            at       = pick(s->len);
            s->s[at] = (char)(s->s[at] ^ (1 << pick(8)));
        }
    }
}

/* What a target's own mutations ask for: one of these. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most)
{
    Str s = {0};
    str_addn(&s, (const char *)data, size);
    mutate(&s, &s);
    size_t n = s.len < most ? s.len : most;
    memcpy(data, str_text(&s), n);
    str_free(&s);
    return n;
}

static void mutate_well(Str *s)
{
    static uint8_t room[MAX_INPUT];
    size_t         n = s->len < sizeof room ? s->len : sizeof room;
    memcpy(room, str_text(s), n);
    n = LLVMFuzzerCustomMutator(room, n, sizeof room, (unsigned)pick(1u << 31));
    str_clear(s);
    str_addn(s, (const char *)room, n);
}

static bool read_file(const char *path, Str *out)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return false;
    char   part[4096];
    size_t n;
    while ((n = fread(part, 1, sizeof part, f)) > 0)
        str_addn(out, part, n);
    return fclose(f) == 0;
}

/* As libFuzzer's: what a few bytes ask for must not be a machine's memory.  A sanitizer's own memory would count. */
static void limit_memory(void)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    const struct rlimit most = {UINT64_C(2) << 30, UINT64_C(2) << 30};
    setrlimit(RLIMIT_DATA, &most);
#endif
}

static void feed(const Str *s, long only)
{
    number_bytes = (size_t)snprintf(number, sizeof number, "input number %ld\n", current);
    alarm(SECONDS);
    if (only < 0 || only == current)
        LLVMFuzzerTestOneInput((const uint8_t *)str_text(s), s->len);
    current++;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: %s ROUNDS FILE...\n", argv[0]);
        return 2;
    }
    long        rounds = strtol(argv[1], NULL, 10);
    const char *one = getenv("WW_FUZZ_ONLY"), *other = getenv("WW_FUZZ_SEED");
    long        only = one ? strtol(one, NULL, 10) : -1;
    size_t      n    = (size_t)argc - 2;
    Str        *seed = xcalloc(n, sizeof *seed);
    state += other ? strtoul(other, NULL, 10) * 0xbf58476d1ce4e5b9u : 0;
    limit_memory();
    signal(SIGABRT, tell);
    signal(SIGSEGV, tell);
    signal(SIGALRM, tell);
    for (size_t i = 0; i < n; i++) {
        if (!read_file(argv[i + 2], &seed[i])) {
            fprintf(stderr, "cannot read %s\n", argv[i + 2]);
            return 2;
        }
        feed(&seed[i], only);
    }
    for (long r = 0; r < rounds; r++) {
        Str        s    = {0};
        const Str *from = &seed[pick(n)];
        str_addn(&s, str_text(from), from->len < MAX_INPUT ? from->len : MAX_INPUT);
        for (size_t k = 1 + pick(4); k > 0; k--)
            if (LLVMFuzzerCustomMutator && r % 2)
                mutate_well(&s);
            else
                mutate(&s, &seed[pick(n)]);
        feed(&s, only);
        str_free(&s);
    }
    for (size_t i = 0; i < n; i++)
        str_free(&seed[i]);
    free(seed);
    printf("%ld inputs\n", current);
    return 0;
}
