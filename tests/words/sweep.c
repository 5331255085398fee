/* SPDX-License-Identifier: Apache-2.0
 *
 * words_sweep: instructions of up to three 32-bit words in and one out, operands as written ("vadd.u32.s32.s32.sat D.b1, A.h0, B.b3, C"),
 * over edge and random inputs; writes the results, or compares them with those another device wrote.
 *
 *   words_sweep [--device emulator|cuda] --list FILE [--write FILE [--full]] [--compare] [--show N]
 *
 * A line of a file: instruction, and, behind a tab, "#" and a digest of the 256 results, or (--full) the results themselves.  --list may
 * be such a file; --compare compares with its digests and ends with exit code 1 when any differs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "warpwright/warpwright.h"

enum { THREADS = 256, MAX_LINES = 4096, MAX_LINE = 4096, SOURCES = 3 };

typedef struct Line {
    char    *text;
    uint64_t digest; /* 0: none given */
    char    *full;   /* NULL: none given */
} Line;

static uint64_t next(uint64_t *s)
{
    uint64_t z = *s += 0x9e3779b97f4a7c15u;
    z          = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z          = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Edge values first, in all pairs, then any bits, some of them with small amounts or equal halves. */
static void make_inputs(uint32_t in[SOURCES][THREADS])
{
    static const uint32_t edge[] = {0,          1,          0xffffffff, 0x7fffffff, 0x80000000, 0x80008000,
                                    0x7fff7fff, 0x80808080, 0x7f7f7f7f, 0xffff0000, 0x3c00ffff};
    enum { EDGES = sizeof edge / sizeof *edge };
    uint64_t s = 7;
    for (unsigned i = 0; i < THREADS; i++) {
        uint32_t a = (uint32_t)next(&s), b = (uint32_t)next(&s), c = (uint32_t)next(&s);
        in[0][i] = i < EDGES * EDGES ? edge[i / EDGES] : a;
        in[1][i] = i < EDGES * EDGES ? edge[i % EDGES] : i % 4 == 0 ? b & 0x3f : i % 4 == 1 ? a ^ (b & 0xff) : b;
        in[2][i] = i % 8 == 0 ? edge[i / 8 % EDGES] : c;
    }
}

static uint64_t digest(const uint32_t *d)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (unsigned i = 0; i < THREADS; i++)
        for (unsigned b = 0; b < 32; b += 8)
            h = (h ^ (d[i] >> b & 0xff)) * 0x100000001b3u;
    return h;
}

/* "vadd D.b0, A, B": names become registers. */
static void write_line(const char *text, unsigned index, Str *s)
{
    static const char names[] = "ABCD";
    const char       *p       = strchr(text, ' ');
    str_printf(s, "mov.b32 %%r3, 0xa5a5a5a5;\n%.*s ", (int)(p - text), text);
    for (p++; *p; p++) {
        const char *name = strchr(names, *p);
        if (name)
            str_printf(s, "%%r%u", (unsigned)(name - names));
        else
            str_addn(s, p, 1);
    }
    str_printf(s, ";\nst.global.b32 [%%rd1+%u], %%r3;\n", index * THREADS * 4);
}

static void write_module(const Line *line, unsigned n, Str *s)
{
    str_add(s, ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
               ".reg .b32 %r<8>;\n.reg .b64 %rd<8>;\nld.param.u64 %rd0, [in];\nld.param.u64 %rd1, [out];\nmov.u32 %r4, "
               "%tid.x;\n"
               "mul.wide.u32 %rd2, %r4, 4;\nadd.u64 %rd0, %rd0, %rd2;\nadd.u64 %rd1, %rd1, %rd2;\n");
    for (unsigned i = 0; i < SOURCES; i++)
        str_printf(s, "ld.global.b32 %%r%u, [%%rd0+%u];\n", i, i * THREADS * 4);
    for (unsigned i = 0; i < n; i++)
        write_line(line[i].text, i, s);
    str_add(s, "ret;\n}\n");
}

static unsigned read_list(FILE *f, Line *line)
{
    static char buf[MAX_LINE];
    unsigned    n = 0;
    while (n < MAX_LINES && fgets(buf, sizeof buf, f)) {
        buf[strcspn(buf, "\n")] = 0;
        char *tab               = strchr(buf, '\t');
        if (buf[0] == '#' || !buf[0])
            continue;
        if (tab)
            *tab++ = 0;
        line[n++] = (Line){strdup(buf), tab && *tab == '#' ? strtoull(tab + 1, NULL, 16) : 0,
                           tab && *tab != '#' ? strdup(tab) : NULL};
    }
    return n;
}

static bool run(WwDevice *dev, const Line *line, unsigned n, uint32_t *out)
{
    static uint32_t in[SOURCES][THREADS];
    Str             text = {0};
    WwPtr           from = 0, to = 0;
    WwModule       *m     = NULL;
    size_t          bytes = (size_t)n * THREADS * 4;
    WwLaunch        l     = {{1, 1, 1}, {THREADS, 1, 1}, .args = (void *[]){&from, &to}, .arg_count = 2};
    make_inputs(in);
    write_module(line, n, &text);
    bool ok = !ww_alloc(dev, sizeof in, &from) && !ww_alloc(dev, bytes, &to) && !ww_copy_in(dev, from, in, sizeof in) &&
              !ww_module_load(dev, "words.ptx", str_text(&text), text.len, &m) && !ww_launch(dev, m, "k", &l, NULL) &&
              !ww_copy_out(dev, out, to, bytes);
    if (!ok)
        fprintf(stderr, "%s\n", ww_device_error(dev));
    ww_module_unload(dev, m);
    str_free(&text);
    return ok;
}

static void show_difference(const Line *line, const uint32_t *got)
{
    static uint32_t in[SOURCES][THREADS];
    make_inputs(in);
    for (unsigned i = 0, shown = 0; line->full && i < THREADS && shown < 3; i++) {
        char word[9] = {0};
        memcpy(word, line->full + (size_t)8 * i, 8);
        uint32_t want = (uint32_t)strtoul(word, NULL, 16);
        if (want == got[i])
            continue;
        printf("    A %08x, B %08x, C %08x: %08x, expected %08x\n", in[0][i], in[1][i], in[2][i], got[i], want);
        shown++;
    }
}

static unsigned compare(const Line *line, unsigned n, const uint32_t *out)
{
    unsigned bad = 0;
    for (unsigned i = 0; i < n; i++) {
        const uint32_t *d     = out + (size_t)i * THREADS;
        bool            wrong = line[i].digest && line[i].digest != digest(d);
        for (unsigned k = 0; line[i].full && k < THREADS; k++) {
            char word[9];
            snprintf(word, sizeof word, "%08x", d[k]);
            wrong |= memcmp(word, line[i].full + (size_t)8 * k, 8) != 0;
        }
        if (wrong)
            printf("%s: differs\n", line[i].text), show_difference(&line[i], d);
        bad += wrong;
    }
    printf("%u instructions compared, %u differ\n", n, bad);
    return bad;
}

static void write_results(FILE *f, const Line *line, unsigned n, const uint32_t *out, bool full)
{
    for (unsigned i = 0; i < n; i++) {
        fprintf(f, "%s\t", line[i].text);
        for (unsigned k = 0; full && k < THREADS; k++)
            fprintf(f, "%08x", out[(size_t)i * THREADS + k]);
        if (!full)
            fprintf(f, "#%016" PRIx64, digest(out + (size_t)i * THREADS));
        fprintf(f, "\n");
    }
}

static const char *option(int argc, char **argv, const char *name, const char *otherwise)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return i + 1 < argc ? argv[i + 1] : "";
    return otherwise;
}

int main(int argc, char **argv)
{
    static Line     line[MAX_LINES];
    const char     *why = "", *to = option(argc, argv, "--write", NULL);
    FILE           *list = fopen(option(argc, argv, "--list", ""), "r"), *f = to ? fopen(to, "w") : NULL;
    WwDeviceOptions o   = {.threads = 1};
    WwDevice       *dev = NULL;
    if (!list || (to && !f) || ww_device_open(option(argc, argv, "--device", "emulator"), &o, &dev, &why)) {
        fprintf(stderr, "words_sweep: no list, no file to write, or no device %s\n", why);
        return 1;
    }
    unsigned  n   = read_list(list, line);
    uint32_t *out = calloc((size_t)n + 1, THREADS * 4);
    bool      ok  = out && run(dev, line, n, out);
    if (ok && f)
        write_results(f, line, n, out, option(argc, argv, "--full", NULL) != NULL);
    if (ok && option(argc, argv, "--compare", NULL))
        ok = compare(line, n, out) == 0;
    ww_device_close(dev);
    fclose(list);
    if (f)
        fclose(f);
    for (unsigned i = 0; i < n; i++)
        free(line[i].text), free(line[i].full);
    free(out);
    return ok ? 0 : 1;
}
