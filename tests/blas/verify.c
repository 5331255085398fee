/* SPDX-License-Identifier: Apache-2.0
 *
 * blas_verify [--device emulator|cuda] [--rounds N] [--seed N] [--most N] [--check RULES] [--offset-sizes N] [--huge BYTES] [--rung NAME] [--copies-only]
 *
 * Verifies the matrix library: in each round one random product (product.c) of every rung of both ladders and of the library's own
 * choice, for every element type they take; then the copies (verify_copies.c).  Prints a row for each, with the number of
 * cases and elements compared and the largest error of a float element in units of its bound.  Exit status 1: something was wrong.
 * On the emulator --check watches every launch; a finding is a failure.  --rung: products of that rung alone. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/blas/verify.h"

enum { MOST_PRINTED = 40 };

static int printed;

uint32_t random_bits(Verify *v)
{
    uint64_t x = v->random += 0x9e3779b97f4a7c15u;
    x          = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x          = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)(x >> 32);
}

size_t random_below(Verify *v, size_t n)
{
    return random_bits(v) % n;
}

Row *row_of(Verify *v, const char *ladder, const char *name, WwType type)
{
    for (size_t i = 0; i < v->nrows; i++)
        if (v->row[i].type == type && strcmp(v->row[i].ladder, ladder) == 0 && strcmp(v->row[i].name, name) == 0)
            return &v->row[i];
    if (v->nrows == MAX_ROWS)
        abort();
    v->row[v->nrows] = (Row){.ladder = ladder, .name = name, .type = type};
    return &v->row[v->nrows++];
}

bool wrong(Row *r, const char *fmt, ...)
{
    va_list ap;
    if (fmt[0] != ' ')
        r->failed++;
    if (printed++ >= MOST_PRINTED)
        return false;
    va_start(ap, fmt);
    fprintf(stderr, "%s %s: ", r->ladder, r->name);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    return false;
}

static void count_findings(void *user, const WwResult *r)
{
    Verify *v = user;
    for (size_t i = 0; i < ww_result_finding_count(r); i++) {
        const WwFinding *f = ww_result_finding(r, i);
        if (v->findings++ < MOST_PRINTED)
            fprintf(stderr, "%s:%u: %s: kernel %s: %s [%s]\n", f->file ? f->file : "?", f->line, f->severity, f->kernel,
                    f->message, f->rule);
    }
}

static void one_round(Verify *v, const char *ladder)
{
    bool syrk = strcmp(ladder, "aat") == 0;
    for (WwType type = WW_F32; type <= WW_I32_I64; type++)
        for (size_t i = 0;; i++) {
            const char *rung = ww_blas_rung(ladder, i);
            if (rung && (!rung_takes(rung_find(ladder, rung), type) || (v->only && strcmp(rung, v->only) != 0)))
                continue;
            if (!rung && v->only)
                break;
            Row *r = row_of(v, ladder, rung ? rung : "auto", type);
            char shared[32];
            if (rung && random_below(v, 2)) { /* k shared out */
                unsigned blocks = 1;
                while (blocks < rung_splits(rung_find(ladder, rung)) && random_below(v, 8))
                    blocks *= 2;
                snprintf(shared, sizeof shared, "%s:%u", rung, blocks);
                rung = shared;
            }
            if (!r->missing && (syrk ? verify_syrk : verify_gemm)(v, r, rung) && r->missing)
                r->cases = 0;
            if (!rung)
                break;
        }
}

static bool report(const Verify *v)
{
    static const char *const types[] = {"f32", "i32", "i64"};
    uint64_t                 cases = 0, elements = 0, failed = 0;
    printf("| ladder | kernel | type | cases | elements | largest error / bound | wrong "
           "|\n|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < v->nrows; i++) {
        const Row  *r    = &v->row[i];
        bool        copy = strcmp(r->ladder, "copy") == 0;
        const char *type = copy ? "bytes" : types[r->type];
        if (r->missing) {
            printf("| %s | %s | %s | not built | | | |\n", r->ladder, r->name, type);
            continue;
        }
        printf("| %s | %s | %s | %llu | %llu | ", r->ladder, r->name, type, (unsigned long long)r->cases,
               (unsigned long long)r->elements);
        if (r->type == WW_F32 && !copy)
            printf("%.2f | %llu |\n", r->worst, (unsigned long long)r->failed);
        else
            printf("exact | %llu |\n", (unsigned long long)r->failed);
        cases += r->cases;
        elements += r->elements;
        failed += r->failed;
    }
    printf("| all | | | %llu | %llu | | %llu |\n", (unsigned long long)cases, (unsigned long long)elements,
           (unsigned long long)failed);
    return failed == 0;
}

static const char *option(int argc, char **argv, const char *name, const char *other)
{
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return argv[i + 1];
    return other;
}

static uint64_t number(int argc, char **argv, const char *name, const char *other)
{
    return strtoull(option(argc, argv, name, other), NULL, 0);
}

int main(int argc, char **argv)
{
    const char     *name = option(argc, argv, "--device", "emulator"), *why = "";
    bool            only = argc > 1 && strcmp(argv[argc - 1], "--copies-only") == 0;
    WwDeviceOptions o    = {.check = option(argc, argv, "--check", NULL), .threads = 2};
    Verify          v    = {.cuda = strcmp(name, "cuda") == 0, .random = number(argc, argv, "--seed", "1")};
    v.most               = number(argc, argv, "--most", "300");
    v.only               = option(argc, argv, "--rung", NULL);
    if (ww_device_open(name, &o, &v.device, &why) != WW_OK || ww_blas_open(v.device, &v.blas) != WW_OK ||
        ww_stream_open(v.device, NULL, &v.stream) != WW_OK) {
        fprintf(stderr, "blas_verify: %s\n", why);
        return 2;
    }
    v.blas->seen = count_findings;
    v.blas->user = &v;
    for (uint64_t i = 0; !only && i < number(argc, argv, "--rounds", "3"); i++) {
        one_round(&v, "gemm");
        one_round(&v, "aat");
    }
    if (!v.only)
        verify_copies(&v, number(argc, argv, "--offset-sizes", "1"), number(argc, argv, "--huge", "0"));
    bool good = report(&v);
    ww_stream_close(v.stream);
    ww_blas_close(v.blas);
    ww_device_close(v.device);
    return good ? 0 : 1;
}
