/* SPDX-License-Identifier: Apache-2.0
 *
 * matrix_sweep: runs matrix instructions (matrix.def) over random and adversarial inputs (inputs.c); writes the results, or compares
 * them with results another device wrote.
 *
 *   matrix_sweep [--device emulator|cuda] [--simd LEVEL] [--only TEXT] [--write FILE [--full]] [--compare FILE] [--show N]
 *   matrix_sweep --ptx [--only TEXT]      prints the kernels
 *
 * A line of the file: row, trial, then D in hexadecimal, byte after byte, or "#" and a digest of it when it is large (not with --full);
 * or "!MESSAGE": it did not run.
 * --compare ends with the exit code 1 when anything differs; any NaN equals any other only when its bits do. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matrix.h"
#include "warpwright/warpwright.h"

enum { LARGE = 1024 }; /* bytes of D */

typedef struct Outcome {
    uint8_t     d[MAX_TRIALS][MAX_BYTES];
    uint64_t    digest[MAX_TRIALS]; /* as read; 0: d was */
    const char *trouble;
} Outcome;

/* ---- running ---- */

static uint64_t seed_of(const Row *r, unsigned trial, unsigned x)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (const char *p = r->name; *p; p++)
        h = (h ^ (uint8_t)*p) * 0x100000001b3u;
    return (h ^ (trial * 4 + x)) * 0x9e3779b97f4a7c15u >> 1 << 1 | (trial & 1);
}

static void make_inputs(const Row *r, unsigned trial, uint8_t *to)
{
    for (unsigned x = A; x <= C; x++) {
        unsigned styles = r->format[A]->ebits ? STYLES : INT_STYLES;
        inputs_fill(r->format[x], trial % styles, x == C,
                    seed_of(r, trial / styles + trial % styles * 2 * MAX_TRIALS, x), to, row_bytes(r, x));
        to += row_bytes(r, x);
    }
    if (r->sparse)
        inputs_metadata(r->format[A]->unused > 0, seed_of(r, trial, E), to, row_bytes(r, E));
}

static bool run_row(WwDevice *dev, const Row *r, Outcome *o)
{
    unsigned  ib = kernel_input_bytes(r), ob = row_bytes(r, D);
    WwPtr     in = 0, out = 0;
    WwModule *m    = NULL;
    Str       text = {0};
    uint8_t  *buf  = calloc(r->trials, ib > ob ? ib : ob);
    WwLaunch  l    = {{r->trials, 1, 1}, {row_threads(r), 1, 1}, .args = (void *[]){&in, &out}, .arg_count = 2};
    kernel_write(r, &text);
    for (unsigned t = 0; t < r->trials; t++)
        make_inputs(r, t, buf + (size_t)t * ib);
    bool ok = !ww_alloc(dev, (size_t)ib * r->trials, &in) && !ww_alloc(dev, (size_t)ob * r->trials, &out) &&
              !ww_copy_in(dev, in, buf, (size_t)ib * r->trials) && !ww_fill(dev, out, 0xa5, (size_t)ob * r->trials) &&
              !ww_module_load(dev, "matrix.ptx", str_text(&text), text.len, &m) && !ww_launch(dev, m, "k", &l, NULL) &&
              !ww_copy_out(dev, buf, out, (size_t)ob * r->trials);
    for (unsigned t = 0; ok && t < r->trials; t++)
        memcpy(o->d[t], buf + (size_t)t * ob, ob);
    if (!ok) {
        char *why               = strdup(ww_device_error(dev));
        why[strcspn(why, "\n")] = 0;
        o->trouble              = why;
    }
    ww_module_unload(dev, m);
    (void)ww_free(dev, in);
    (void)ww_free(dev, out);
    str_free(&text);
    free(buf);
    return ok;
}

/* ---- results ---- */

static uint64_t digest(const uint8_t *d, unsigned bytes)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (unsigned i = 0; i < bytes; i++)
        h = (h ^ d[i]) * 0x100000001b3u;
    return h;
}

static void write_row(const Row *r, const Outcome *o, bool full, FILE *f)
{
    for (unsigned t = 0; t < r->trials; t++) {
        fprintf(f, "%s\t%u\t", r->name, t);
        if (o->trouble) {
            fprintf(f, "!%s\n", o->trouble);
            return;
        }
        if (!full && row_bytes(r, D) > LARGE)
            fprintf(f, "#%016" PRIx64, digest(o->d[t], row_bytes(r, D)));
        else
            for (unsigned i = 0; i < row_bytes(r, D); i++)
                fprintf(f, "%02x", o->d[t][i]);
        fprintf(f, "\n");
    }
}

/* Reads the row's lines of a results file; false: not there, or it did not run there. */
static bool read_row(FILE *f, const Row *r, Outcome *o)
{
    static char line[3 * MAX_BYTES];
    unsigned    found = 0;
    rewind(f);
    while (fgets(line, sizeof line, f)) {
        char *tab = strchr(line, '\t');
        if (!tab || strncmp(line, r->name, (size_t)(tab - line)) != 0 || r->name[tab - line])
            continue;
        unsigned long t = strtoul(tab + 1, &tab, 10);
        if (*tab++ != '\t' || *tab == '!' || t >= MAX_TRIALS)
            return false;
        o->digest[t] = *tab == '#' ? strtoull(tab + 1, NULL, 16) : 0;
        for (unsigned i = 0; *tab != '#' && i < row_bytes(r, D); i++) {
            char two[3] = {tab[2 * i], tab[2 * i + 1], 0};
            o->d[t][i]  = (uint8_t)strtoul(two, NULL, 16);
        }
        found++;
    }
    return found == r->trials;
}

static uint64_t element(const uint8_t *d, unsigned bytes, unsigned i)
{
    uint64_t x = 0;
    memcpy(&x, d + (size_t)i * bytes, bytes);
    return x;
}

/* The number of elements of D that differ. */
static unsigned compare_row(const Row *r, const Outcome *got, const Outcome *want, unsigned show)
{
    unsigned bytes = r->format[D]->bytes, n = row_bytes(r, D) / bytes, wrong = 0, by_style[STYLES] = {0};
    for (unsigned t = 0; t < r->trials; t++) {
        wrong += want->digest[t] && want->digest[t] != digest(got->d[t], row_bytes(r, D));
        for (unsigned i = 0; !want->digest[t] && i < n; i++) {
            uint64_t g = element(got->d[t], bytes, i), w = element(want->d[t], bytes, i);
            if (g == w)
                continue;
            by_style[t % (r->format[A]->ebits ? STYLES : INT_STYLES)]++;
            if (wrong++ < show)
                printf("    trial %u, element %u: %" PRIx64 ", expected %" PRIx64 "\n", t, i, g, w);
        }
    }
    printf("%s: %u of %u differ", r->name, wrong, r->trials * n);
    for (unsigned s = 0; wrong && s < STYLES; s++)
        printf(" %u", by_style[s]);
    printf("\n");
    return wrong;
}

/* ---- command line ---- */

static const char *option(int argc, char **argv, const char *name, const char *otherwise)
{
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return argv[i + 1];
    return otherwise;
}

static int print_ptx(const char *only)
{
    for (unsigned i = 0; i < rows_count(); i++) {
        Str s = {0};
        if (only && !strstr(rows_get(i)->name, only))
            continue;
        kernel_write(rows_get(i), &s);
        printf("// %s\n%s", rows_get(i)->name, str_text(&s));
        str_free(&s);
    }
    return 0;
}

enum { EXIT_SKIPPED = 77 }; /* SKIP_RETURN_CODE of the tests: this CPU lacks the SIMD level */

int main(int argc, char **argv)
{
    static Outcome got, want;
    const char    *why = "", *to = option(argc, argv, "--write", NULL), *with = option(argc, argv, "--compare", NULL);
    const char    *only = option(argc, argv, "--only", NULL);
    unsigned show = (unsigned)strtoul(option(argc, argv, "--show", "3"), NULL, 10), bad = 0, failed = 0, absent = 0,
             compared       = 0;
    bool            full    = false;
    WwDeviceOptions options = {.threads = 1, .simd = option(argc, argv, "--simd", NULL)};
    WwDevice       *dev     = NULL;
    for (int i = 1; i < argc; i++)
        full |= strcmp(argv[i], "--full") == 0;
    if (argc > 1 && strcmp(argv[1], "--ptx") == 0)
        return print_ptx(only);
    FILE *out = to ? fopen(to, "w") : NULL, *ref = with ? fopen(with, "r") : NULL;
    if ((to && !out) || (with && !ref)) {
        fprintf(stderr, "cannot open '%s'\n", to && !out ? to : with);
        return 1;
    }
    for (unsigned i = 0; i < rows_count(); i++) {
        const Row *r = rows_get(i);
        if (only && !strstr(r->name, only))
            continue;
        WwStatus opened =
            dev ? WW_OK : ww_device_open(option(argc, argv, "--device", "emulator"), &options, &dev, &why);
        if (opened != WW_OK) {
            fprintf(stderr, "%s\n", why);
            return opened == WW_ERR_UNAVAILABLE ? EXIT_SKIPPED : 1;
        }
        memset(&got, 0, sizeof got);
        if (out && i == 0)
            fprintf(out, "# matrix_sweep on %s\n", ww_device_name(dev));
        if (!run_row(dev, r, &got)) {
            failed++;
            printf("%s: did not run: %s\n", r->name, got.trouble);
        }
        if (out)
            write_row(r, &got, full, out);
        if (ref && !read_row(ref, r, &want))
            absent++;
        else if (ref && !got.trouble)
            compared++, bad += compare_row(r, &got, &want, show) > 0;
        if (got.trouble) { /* a fault on a GPU is the end of its context */
            ww_device_close(dev);
            dev = NULL;
        }
        free((char *)(uintptr_t)got.trouble);
    }
    ww_device_close(dev);
    if (out)
        fclose(out);
    if (ref)
        fclose(ref);
    printf("%u opcodes did not run, %u compared, %u differ, %u have no reading\n", failed, compared, bad, absent);
    return failed || bad ? 1 : 0;
}
