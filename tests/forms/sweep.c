/* SPDX-License-Identifier: Apache-2.0
 *
 * forms_sweep: runs every opcode of a list on a device over edge and random inputs; writes the results, or compares them with
 * results another device wrote.
 *
 *   forms_sweep [--device emulator|cuda] [--simd LEVEL] [--list FILE] [--only PREFIX] [--write FILE] [--compare FILE] [--all] [--masked]
 *   forms_sweep --candidates     every opcode that the forms spell out, possible or not
 *   forms_sweep --ptx            the module of the opcodes on standard input
 *
 * A line of the results file: opcode, class (exact, approximate), then one field per result (lines.c), or "=OPCODE": the same
 * as that earlier one, or "!MESSAGE": it did not run.  --compare prints the first tuples of every opcode that differ (--all: each of
 * them), the inputs beside them, and ends with the exit code 1 when there are any.  --masked: every second lane does not execute
 * the opcode, and must keep what was in its destination. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forms.h"
#include "warpwright/warpwright.h"

enum { BATCH = 50, SOURCE_BYTES = MAX_SOURCES * TUPLES * 8, RESULT_BYTES = MAX_RESULTS * TUPLES * 8 };

typedef struct Row {
    Case        c;
    Results     got;
    const char *trouble; /* why it did not run, or NULL */
} Row;

typedef struct Sweep {
    Arena    *arena;
    WwDevice *dev;
    WwPtr     in, out;
    Row      *row;
    size_t    n;
    bool      all, masked;
} Sweep;

static const char *first_line(Arena *a, const char *s)
{
    char *t = arena_strndup(a, s, strcspn(s, "\n"));
    for (char *p = t; *p; p++)
        if (*p == '\t')
            *p = ' ';
    return t;
}

/* ---- running ---- */

static bool row_launch(Sweep *sw, Row *r, WwModule *m, unsigned index)
{
    static uint64_t in[MAX_SOURCES * TUPLES], out[MAX_RESULTS * TUPLES];
    char            kernel[16];
    WwLaunch        launch = {{1, 1, 1}, {TUPLES, 1, 1}, .args = (void *[]){&sw->in, &sw->out}, .arg_count = 2};
    snprintf(kernel, sizeof kernel, "k%u", index);
    memset(in, 0, sizeof in);
    inputs_make(&r->c, in);
    result_widths(&r->c, &r->got);
    if (ww_copy_in(sw->dev, sw->in, in, SOURCE_BYTES) || ww_fill(sw->dev, sw->out, 0xa5, RESULT_BYTES) ||
        ww_launch(sw->dev, m, kernel, &launch, NULL) || ww_copy_out(sw->dev, out, sw->out, RESULT_BYTES)) {
        r->trouble = first_line(sw->arena, ww_device_error(sw->dev));
        return false;
    }
    for (unsigned k = 0; k < r->got.n; k++) {
        unsigned width = r->got.width[k];
        uint64_t ones  = width == 8 ? ~0ull : width ? (1ull << 8 * width) - 1 : 15;
        for (unsigned i = 0; i < TUPLES; i++)
            r->got.value[k * TUPLES + i] = out[k * TUPLES + i] & ones;
    }
    return true;
}

/* A module that does not load is taken apart, so that one bad kernel costs no other its reading. */
static void batch_run(Sweep *sw, Row *row, unsigned n)
{
    Str       text = {0};
    WwModule *m    = NULL;
    module_head(&text);
    for (unsigned i = 0; i < n; i++)
        kernel_write(&row[i].c, i, sw->masked, &text);
    WwStatus s = ww_module_load(sw->dev, "forms.ptx", str_text(&text), text.len, &m);
    str_free(&text);
    if (s && n == 1)
        row->trouble = first_line(sw->arena, ww_device_error(sw->dev));
    for (unsigned i = 0; s && n > 1 && i < n; i++)
        batch_run(sw, row + i, 1);
    for (unsigned i = 0; !s && i < n; i++)
        row_launch(sw, &row[i], m, i);
    ww_module_unload(sw->dev, m);
}

static bool sweep_run(Sweep *sw)
{
    if (ww_alloc(sw->dev, SOURCE_BYTES, &sw->in) || ww_alloc(sw->dev, RESULT_BYTES, &sw->out)) {
        fprintf(stderr, "%s\n", ww_device_error(sw->dev));
        return false;
    }
    for (size_t i = 0; i < sw->n; i += BATCH)
        batch_run(sw, sw->row + i, (unsigned)(sw->n - i < BATCH ? sw->n - i : BATCH));
    return true;
}

/* ---- reading the list ---- */

static bool list_read(Sweep *sw, const char *path, const char *only)
{
    char   line[256];
    size_t cap = 0, bad = 0;
    FILE  *f = fopen(path, "r");
    if (!f) {
        fprintf(stderr, "cannot open the list of opcodes '%s'; name it with --list\n", path);
        return false;
    }
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        if (line[0] == '#' || !line[0] || (only && strncmp(line, only, strlen(only)) != 0))
            continue;
        if (sw->n == cap)
            sw->row = xrealloc(sw->row, (cap = 2 * cap + 64) * sizeof *sw->row);
        Row *r = &sw->row[sw->n];
        memset(r, 0, sizeof *r);
        if (case_make(sw->arena, line, &r->c))
            sw->n++;
        else
            bad += (size_t)fprintf(stderr, "no supported form: %s\n", line) > 0;
    }
    fclose(f);
    return bad == 0;
}

/* ---- writing ---- */

/* Equal results, printed the same way: the first row that has them, or i. */
static size_t same_as(const char *const *field, size_t i)
{
    for (size_t k = i > 1500 ? i - 1500 : 0; k < i; k++)
        if (field[k] && strcmp(field[k], field[i]) == 0)
            return k;
    return i;
}

static bool sweep_write(Sweep *sw, const char *path)
{
    FILE *f = strcmp(path, "-") ? fopen(path, "w") : stdout;
    if (!f) {
        fprintf(stderr, "cannot write '%s'\n", path);
        return false;
    }
    const char **field = ARENA_ARRAY(sw->arena, const char *, sw->n);
    fprintf(f, "# forms_sweep, %u tuples an opcode, on %s\n", TUPLES, ww_device_name(sw->dev));
    for (size_t i = 0; i < sw->n; i++) {
        Row *r = &sw->row[i];
        fprintf(f, "%s\t%s", r->c.text, r->c.exactness == EXACT ? "exact" : "approximate");
        if (r->trouble) {
            fprintf(f, "\t!%s\n", r->trouble);
            continue;
        }
        Str line = {0};
        line_write(&r->got, &line);
        field[i]    = arena_strdup(sw->arena, str_text(&line));
        size_t same = same_as(field, i);
        if (same < i)
            fprintf(f, "\t=%s\n", sw->row[same].c.text);
        else
            fprintf(f, "%s\n", field[i]);
        str_free(&line);
    }
    return (f == stdout ? fflush(f) : fclose(f)) == 0;
}

/* ---- comparing ---- */

typedef struct Reference { /* sorted by opcode */
    const char **line;
    size_t       n;
} Reference;

static int by_opcode(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    size_t      n = strcspn(x, "\t"), k = strcspn(y, "\t");
    int         c = memcmp(x, y, n < k ? n : k);
    return c ? c : (n > k) - (n < k);
}

static bool reference_read(Arena *a, const char *path, Reference *ref)
{
    static char line[1 << 16];
    size_t      cap = 0;
    FILE       *f   = fopen(path, "r");
    if (!f) {
        fprintf(stderr, "cannot open '%s'\n", path);
        return false;
    }
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        if (line[0] == '#')
            continue;
        if (ref->n == cap)
            ref->line = xrealloc(ref->line, (cap = 2 * cap + 64) * sizeof *ref->line);
        ref->line[ref->n++] = arena_strdup(a, line);
    }
    fclose(f);
    qsort(ref->line, ref->n, sizeof *ref->line, by_opcode);
    return true;
}

/* What stands behind opcode and class, "=..." followed; NULL: not there. */
static const char *reference_find(const Reference *ref, const char *opcode)
{
    const char **at = bsearch(&opcode, ref->line, ref->n, sizeof *ref->line, by_opcode);
    const char  *s  = at ? strchr(*at, '\t') : NULL;
    s               = s ? strchr(s + 1, '\t') : NULL;
    return s && s[1] == '=' ? reference_find(ref, s + 2) : s;
}

static void show_tuple(const Row *r, const Results *want, const uint64_t *in, unsigned k, unsigned i)
{
    printf("    tuple %3u:", i);
    for (unsigned s = 0; s < r->c.nsources; s++)
        printf(" %llx", (unsigned long long)in[s * TUPLES + i]);
    printf(" -> result %u is %llx, expected %llx\n", k, (unsigned long long)r->got.value[k * TUPLES + i],
           (unsigned long long)want->value[k * TUPLES + i]);
}

/* What a lane that did not execute must show instead of the reading; the carry may be anything. */
static void leave_untouched(const Row *r, Results *want)
{
    for (unsigned k = 0; k < want->n; k++)
        for (unsigned i = 1; i < TUPLES; i += 2) {
            bool     carry              = r->c.carry_out && k + 1 == want->n;
            unsigned width              = want->width[k];
            want->value[k * TUPLES + i] = carry   ? r->got.value[k * TUPLES + i]
                                          : width ? UNTOUCHED >> (64 - 8 * width)
                                                  : 0;
        }
}

/* The number of tuples that differ. */
static unsigned row_compare(const Sweep *sw, const Row *r, const Results *want)
{
    static uint64_t in[MAX_SOURCES * TUPLES];
    unsigned        wrong = 0, shown = sw->all ? TUPLES : 4;
    inputs_make(&r->c, in);
    for (int pass = 0; pass < 2; pass++) {
        unsigned found = 0;
        for (unsigned k = 0; k < r->got.n; k++)
            for (unsigned i = 0; i < TUPLES; i++) {
                if (result_fits(&r->c, k, r->got.value[k * TUPLES + i], want->value[k * TUPLES + i], in, i))
                    continue;
                if (pass && found < shown)
                    show_tuple(r, want, in, k, i);
                found++;
            }
        if (pass == 0 && (wrong = found) > 0)
            printf("%s (%s): %u of %u results differ\n", r->c.text, op_form(r->c.op)->id, wrong, TUPLES * r->got.n);
        if (!wrong)
            break;
    }
    return wrong;
}

static bool sweep_compare(Sweep *sw, const char *path)
{
    Reference ref    = {0};
    size_t    differ = 0, absent = 0, refused = 0, compared = 0;
    if (!reference_read(sw->arena, path, &ref))
        return false;
    for (size_t i = 0; i < sw->n; i++) {
        Row        *r    = &sw->row[i];
        const char *text = reference_find(&ref, r->c.text);
        Results     want;
        result_widths(&r->c, &want);
        if (text && text[1] == '!') {
            refused++;
        } else if (!text || !line_read(text, &want)) {
            absent++;
            printf("%s: %s\n", r->c.text, text ? "its line in the file is malformed" : "not in the file");
        } else if (r->trouble) {
            differ++;
            printf("%s (%s): did not run: %s\n", r->c.text, op_form(r->c.op)->id, r->trouble);
        } else {
            compared++;
            if (sw->masked)
                leave_untouched(r, &want);
            differ += row_compare(sw, r, &want) > 0;
        }
    }
    printf("%zu opcodes compared, %zu differ, %zu not in the file, %zu that the file's device did not run\n", compared,
           differ, absent, refused);
    free(ref.line);
    return differ == 0 && absent == 0 && compared > 0;
}

/* ---- command line ---- */

static void print_candidate(void *user, const char *text)
{
    Case c;
    if (case_make(user, text, &c))
        printf("%s\n", text);
}

static int write_ptx(void)
{
    char     line[256];
    unsigned n    = 0;
    Str      text = {0};
    Arena   *a    = arena_new();
    module_head(&text);
    while (fgets(line, sizeof line, stdin)) {
        Case c;
        line[strcspn(line, "\n")] = 0;
        if (!case_make(a, line, &c)) {
            fprintf(stderr, "no supported form: %s\n", line);
            return 1;
        }
        str_printf(&text, "// case %u\n", n);
        kernel_write(&c, n++, false, &text);
    }
    fputs(str_text(&text), stdout);
    str_free(&text);
    arena_free(a);
    return 0;
}

static const char *option(int argc, char **argv, const char *name, const char *otherwise)
{
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return argv[i + 1];
    return otherwise;
}

static bool flag(int argc, char **argv, const char *name)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return true;
    return false;
}

enum { EXIT_SKIPPED = 77 }; /* SKIP_RETURN_CODE of the tests: this CPU lacks the SIMD level */

int main(int argc, char **argv)
{
    Sweep       sw  = {.arena = arena_new(), .all = flag(argc, argv, "--all"), .masked = flag(argc, argv, "--masked")};
    const char *why = "", *to = option(argc, argv, "--write", NULL), *with = option(argc, argv, "--compare", NULL);
    WwDeviceOptions options = {.simd = option(argc, argv, "--simd", NULL), .threads = 1};
    size_t          failed  = 0;
    bool            ok      = true;
    if (flag(argc, argv, "--candidates")) {
        forms_expand(print_candidate, sw.arena);
        arena_free(sw.arena);
        return 0;
    }
    if (flag(argc, argv, "--ptx"))
        return write_ptx();
    WwStatus opened = ww_device_open(option(argc, argv, "--device", "emulator"), &options, &sw.dev, &why);
    if (opened != WW_OK) {
        fprintf(stderr, "%s\n", why);
        return opened == WW_ERR_UNAVAILABLE ? EXIT_SKIPPED : 1;
    }
    ok = list_read(&sw, option(argc, argv, "--list", WW_TEST_DATA "/forms_list.txt"),
                   option(argc, argv, "--only", NULL)) &&
         sweep_run(&sw);
    for (size_t i = 0; ok && i < sw.n; i++)
        if (sw.row[i].trouble && ++failed <= 20 && !with)
            printf("%s: %s\n", sw.row[i].c.text, sw.row[i].trouble);
    printf("%zu opcodes on %s, %zu did not run\n", sw.n, ww_device_name(sw.dev), failed);
    ok = ok && (!to || sweep_write(&sw, to)) && (!with || sweep_compare(&sw, with));
    ww_device_close(sw.dev);
    free(sw.row);
    arena_free(sw.arena);
    return ok && (with || !failed) ? 0 : 1;
}
