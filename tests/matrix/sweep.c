/* SPDX-License-Identifier: Apache-2.0
 *
 * matrix_sweep: runs matrix instructions (matrix.def) over random and adversarial inputs (inputs.c); writes the results, or compares
 * them with results another device wrote.
 *
 *   matrix_sweep [--device emulator|cuda] [--only TEXT] [--write FILE] [--compare FILE] [--show N] [--ptx]
 *
 * mma: lanes load their registers of A, B and C as they stand and store D's, so a fragment's layout shows too.  wmma: matrices in
 * memory are loaded, multiplied and stored.  One block of 32 threads a trial.
 * A line of the file: opcode, trial, then D in hexadecimal, byte after byte; or "!MESSAGE": it did not run.
 * --compare ends with the exit code 1 when anything differs; any NaN equals any other only when its bits do. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "matrix.h"
#include "warpwright/warpwright.h"

enum { MAX_TRIALS = 64, MAX_BYTES = 4096, LANES = 32, STYLES = 10, INT_STYLES = 3 };

static const Format format_f16 = {"f16", 2, 5, 10, 0, true, 16}, format_bf16 = {"bf16", 2, 8, 7, 0, true, 16},
                    format_tf32 = {"tf32", 4, 8, 10, 13, true, 32}, format_f32 = {"f32", 4, 8, 23, 0, true, 32},
                    format_f64 = {"f64", 8, 11, 52, 0, true, 64}, format_e4m3 = {"e4m3", 1, 4, 3, 0, false, 8},
                    format_e5m2 = {"e5m2", 1, 5, 2, 0, true, 8}, format_s8 = {"s8", 1, 0, 0, 0, false, 8},
                    format_u8 = {"u8", 1, 0, 0, 0, false, 8}, format_s4 = {"s4", 1, 0, 0, 0, false, 4},
                    format_u4 = {"u4", 1, 0, 0, 0, false, 4}, format_b1 = {"b1", 1, 0, 0, 0, false, 1},
                    format_s32 = {"s32", 4, 0, 0, 0, false, 32};

enum { A, B, C, D, MATRICES };

typedef struct Row {
    unsigned      trials;
    const char   *text; /* the opcode */
    const Format *format[MATRICES];
    unsigned      regs[MATRICES];
    const char   *layout[MATRICES]; /* NULL: mma */
    const char   *shape;
    unsigned      m, n, k;
} Row;

static const Row rows[] = {
#define MMA(trials, op, a, b, c, d, na, nb, nc, nd)                                                                    \
    {trials,                                                                                                           \
     "mma.sync.aligned." op,                                                                                           \
     {&format_##a, &format_##b, &format_##c, &format_##d},                                                             \
     {na, nb, nc, nd},                                                                                                 \
     {0},                                                                                                              \
     NULL,                                                                                                             \
     0,                                                                                                                \
     0,                                                                                                                \
     0},
#define TYPES_f16(c, d)  #d "." #c
#define TYPES_bf16(c, d) #d ".bf16.bf16." #c
#define TYPES_tf32(c, d) #d ".tf32.tf32." #c
#define TYPES_f64(c, d)  #d ".f64.f64." #c
#define TYPES_s8(c, d)   #d ".s8.s8." #c
#define TYPES_u8(c, d)   #d ".u8.u8." #c
#define TYPES_s4(c, d)   #d ".s4.s4." #c
#define TYPES_u4(c, d)   #d ".u4.u4." #c
#define WMMA(trials, shape, la, lb, lc, m, n, k, ab, c, d, na, nb, nc, nd, more)                                       \
    {trials,                                                                                                           \
     "wmma.mma.sync.aligned." #la "." #lb "." #shape "." TYPES_##ab(c, d) more,                                        \
     {&format_##ab, &format_##ab, &format_##c, &format_##d},                                                           \
     {na, nb, nc, nd},                                                                                                 \
     {#la, #lb, #lc, #lc},                                                                                             \
     #shape,                                                                                                           \
     m,                                                                                                                \
     n,                                                                                                                \
     k},
#include "matrix.def"
#undef MMA
#undef WMMA
};
enum { ROWS = sizeof rows / sizeof *rows };

typedef struct Outcome {
    uint8_t     d[MAX_TRIALS][MAX_BYTES];
    const char *trouble;
} Outcome;

/* ---- sizes ---- */

static unsigned reg_bytes(const Row *r, unsigned x)
{
    return r->format[x] == &format_f64 ? 8 : 4;
}

static unsigned matrix_bytes(const Row *r, unsigned x)
{
    unsigned elements = x == A ? r->m * r->k : x == B ? r->k * r->n : r->m * r->n;
    return r->layout[0] ? elements * r->format[x]->bits / 8 : r->regs[x] * LANES * reg_bytes(r, x);
}

static unsigned input_bytes(const Row *r)
{
    return matrix_bytes(r, A) + matrix_bytes(r, B) + matrix_bytes(r, C);
}

static unsigned leading(const Row *r, unsigned x)
{
    unsigned down = x == B ? r->k : r->m, across = x == A ? r->k : r->n;
    return strcmp(r->layout[x], "row") == 0 ? across : down;
}

/* ---- the kernel ---- */

static const char *bank(const Row *r, unsigned x)
{
    return r->format[x] == &format_f64 ? "fd" : r->format[x] == &format_f32 ? "f" : "r";
}

static void operand(const Row *r, unsigned x, Str *s)
{
    for (unsigned i = 0; i < r->regs[x]; i++)
        str_printf(s, "%s%%%s%u", i ? ", " : "{", bank(r, x), x * 10 + i);
    str_printf(s, "}");
}

static void move_registers(const Row *r, Str *s)
{
    unsigned at = 0;
    for (unsigned x = A; x <= D; x++) {
        unsigned w = reg_bytes(r, x);
        at         = x == D ? 0 : at;
        str_printf(s, "    mul.wide.u32 %%rd4, %%r91, %u;\n    add.s64 %%rd4, %%rd4, %%rd%u;\n", w, x == D ? 3 : 2);
        if (x == D) {
            str_printf(s, "    %s ", r->text);
            operand(r, D, s), str_printf(s, ", "), operand(r, A, s), str_printf(s, ", ");
            operand(r, B, s), str_printf(s, ", "), operand(r, C, s), str_printf(s, ";\n");
        }
        for (unsigned i = 0; i < r->regs[x]; i++, at += LANES * w)
            if (x == D)
                str_printf(s, "    st.global.b%u [%%rd4+%u], %%%s%u;\n", 8 * w, at, bank(r, x), x * 10 + i);
            else
                str_printf(s, "    ld.global.b%u %%%s%u, [%%rd4+%u];\n", 8 * w, bank(r, x), x * 10 + i, at);
    }
}

static void move_matrices(const Row *r, Str *s)
{
    static const char name[] = "abc";
    unsigned          at     = 0;
    for (unsigned x = A; x <= C; x++) {
        str_printf(s, "    add.s64 %%rd4, %%rd2, %u;\n    wmma.load.%c.sync.aligned.%s.%s.global.%s ", at, name[x],
                   r->layout[x], r->shape, r->format[x]->name);
        operand(r, x, s);
        str_printf(s, ", [%%rd4], %u;\n", leading(r, x));
        at += matrix_bytes(r, x);
    }
    str_printf(s, "    %s ", r->text);
    operand(r, D, s), str_printf(s, ", "), operand(r, A, s), str_printf(s, ", ");
    operand(r, B, s), str_printf(s, ", "), operand(r, C, s);
    str_printf(s, ";\n    wmma.store.d.sync.aligned.%s.%s.global.%s [%%rd3], ", r->layout[D], r->shape,
               r->format[D]->name);
    operand(r, D, s);
    str_printf(s, ", %u;\n", leading(r, D));
}

static void write_kernel(const Row *r, Str *s)
{
    str_printf(
        s,
        ".version 8.4\n.target sm_90\n.address_size 64\n\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
        "    .reg .b32 %%r<100>;\n    .reg .f32 %%f<50>;\n    .reg .f64 %%fd<50>;\n    .reg .b64 %%rd<10>;\n"
        "    ld.param.u64 %%rd0, [in];\n    ld.param.u64 %%rd1, [out];\n    mov.u32 %%r90, %%ctaid.x;\n    mov.u32 "
        "%%r91, %%tid.x;\n"
        "    mul.wide.u32 %%rd2, %%r90, %u;\n    add.s64 %%rd2, %%rd0, %%rd2;\n"
        "    mul.wide.u32 %%rd3, %%r90, %u;\n    add.s64 %%rd3, %%rd1, %%rd3;\n",
        input_bytes(r), matrix_bytes(r, D));
    if (r->layout[0])
        move_matrices(r, s);
    else
        move_registers(r, s);
    str_printf(s, "    ret;\n}\n");
}

/* ---- running ---- */

static uint64_t seed_of(const Row *r, unsigned trial, unsigned x)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (const char *p = r->text; *p; p++)
        h = (h ^ (uint8_t)*p) * 0x100000001b3u;
    return (h ^ (trial * 4 + x)) * 0x9e3779b97f4a7c15u >> 1 << 1 | (trial & 1);
}

static void make_inputs(const Row *r, unsigned trial, uint8_t *to)
{
    for (unsigned x = A; x <= C; x++) {
        unsigned styles = r->format[A]->ebits ? STYLES : INT_STYLES;
        inputs_fill(r->format[x], trial % styles, x == C,
                    seed_of(r, trial / styles + trial % styles * 2 * MAX_TRIALS, x), to, matrix_bytes(r, x));
        to += matrix_bytes(r, x);
    }
}

static bool run_row(WwDevice *dev, const Row *r, Outcome *o)
{
    unsigned  ib = input_bytes(r), ob = matrix_bytes(r, D);
    WwPtr     in = 0, out = 0;
    WwModule *m    = NULL;
    Str       text = {0};
    uint8_t  *buf  = calloc(r->trials, ib > ob ? ib : ob);
    WwLaunch  l    = {{r->trials, 1, 1}, {LANES, 1, 1}, .args = (void *[]){&in, &out}, .arg_count = 2};
    write_kernel(r, &text);
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

static void write_row(const Row *r, const Outcome *o, FILE *f)
{
    for (unsigned t = 0; t < r->trials; t++) {
        fprintf(f, "%s\t%u\t", r->text, t);
        if (o->trouble) {
            fprintf(f, "!%s\n", o->trouble);
            return;
        }
        for (unsigned i = 0; i < matrix_bytes(r, D); i++)
            fprintf(f, "%02x", o->d[t][i]);
        fprintf(f, "\n");
    }
}

/* Reads the row's lines of a results file; false: not there, or it did not run there. */
static bool read_row(FILE *f, const Row *r, Outcome *o)
{
    static char line[4 * MAX_BYTES];
    unsigned    found = 0;
    rewind(f);
    while (fgets(line, sizeof line, f)) {
        char *tab = strchr(line, '\t');
        if (!tab || strncmp(line, r->text, (size_t)(tab - line)) != 0 || r->text[tab - line])
            continue;
        unsigned long t = strtoul(tab + 1, &tab, 10);
        if (*tab++ != '\t' || *tab == '!' || t >= MAX_TRIALS)
            return false;
        for (unsigned i = 0; i < matrix_bytes(r, D); i++) {
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
    unsigned bytes = r->format[D]->bytes, n = matrix_bytes(r, D) / bytes, wrong = 0, by_style[STYLES] = {0};
    for (unsigned t = 0; t < r->trials; t++)
        for (unsigned i = 0; i < n; i++) {
            uint64_t g = element(got->d[t], bytes, i), w = element(want->d[t], bytes, i);
            if (g == w)
                continue;
            by_style[t % (r->format[A]->ebits ? STYLES : INT_STYLES)]++;
            if (wrong++ < show)
                printf("    trial %u, element %u: %" PRIx64 ", expected %" PRIx64 "\n", t, i, g, w);
        }
    printf("%s: %u of %u differ", r->text, wrong, r->trials * n);
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
    for (unsigned i = 0; i < ROWS; i++) {
        Str s = {0};
        if (only && !strstr(rows[i].text, only))
            continue;
        write_kernel(&rows[i], &s);
        printf("// %s\n%s", rows[i].text, str_text(&s));
        str_free(&s);
    }
    return 0;
}

int main(int argc, char **argv)
{
    static Outcome got, want;
    const char    *why = "", *to = option(argc, argv, "--write", NULL), *with = option(argc, argv, "--compare", NULL);
    const char    *only = option(argc, argv, "--only", NULL);
    unsigned show = (unsigned)strtoul(option(argc, argv, "--show", "3"), NULL, 10), bad = 0, failed = 0, absent = 0,
             compared       = 0;
    WwDeviceOptions options = {.threads = 1};
    WwDevice       *dev     = NULL;
    if (argc > 1 && strcmp(argv[1], "--ptx") == 0)
        return print_ptx(only);
    FILE *out = to ? fopen(to, "w") : NULL, *ref = with ? fopen(with, "r") : NULL;
    if ((to && !out) || (with && !ref)) {
        fprintf(stderr, "cannot open '%s'\n", to && !out ? to : with);
        return 1;
    }
    for (unsigned i = 0; i < ROWS; i++) {
        const Row *r = &rows[i];
        if (only && !strstr(r->text, only))
            continue;
        /* a fault on a GPU is the end of its context: every row has its own device */
        if (ww_device_open(option(argc, argv, "--device", "emulator"), &options, &dev, &why)) {
            fprintf(stderr, "%s\n", why);
            return 1;
        }
        memset(&got, 0, sizeof got);
        if (out && i == 0)
            fprintf(out, "# matrix_sweep on %s\n", ww_device_name(dev));
        if (!run_row(dev, r, &got)) {
            failed++;
            printf("%s: did not run: %s\n", r->text, got.trouble);
        }
        if (out)
            write_row(r, &got, out);
        if (ref && !read_row(ref, r, &want))
            absent++;
        else if (ref && !got.trouble)
            compared++, bad += compare_row(r, &got, &want, show) > 0;
        ww_device_close(dev);
        free((char *)(uintptr_t)got.trouble);
    }
    if (out)
        fclose(out);
    if (ref)
        fclose(ref);
    printf("%u opcodes did not run, %u compared, %u differ, %u have no reading\n", failed, compared, bad, absent);
    return failed || bad ? 1 : 0;
}
