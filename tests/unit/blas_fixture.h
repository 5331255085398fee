/* SPDX-License-Identifier: Apache-2.0
 *
 * What the matrix library's tests share: a device (the emulator, or what WW_TEST_DEVICE names) with its WwBlas, matrices in
 * device memory that end where their allocation ends (so that the emulator stops at the first element outside), a reference of its
 * own, and comparisons that NaN fails.
 * WW_TEST_CHECK: rules that the emulator checks every launch by; a finding is a failure.
 * Element (i, j) of a stored matrix is at i * ld + j (row-major) or j * ld + i. */
#ifndef WW_TESTS_UNIT_BLAS_FIXTURE_H
#define WW_TESTS_UNIT_BLAS_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "two_to.h"
#include "warpwright/blas.h"

#define assert_works(call)                                                                                             \
    do {                                                                                                               \
        if ((call) != WW_OK)                                                                                           \
            fail_msg("%s", ww_device_error(device));                                                                   \
    } while (0)

static WwDevice *device;
static WwBlas   *blas;

/* False, with the reason on the terminal, when the kernel needs a compiler that this build did not have, or is not for this type. */
static inline bool works_if_built(WwStatus s)
{
    if (s == WW_ERR_UNAVAILABLE)
        print_message("skipped: %s\n", ww_device_error(device));
    else
        assert_works(s);
    return s == WW_OK;
}

static size_t findings;

static inline void count_findings(void *user, const char *kernel, const WwResult *r)
{
    (void)user;
    for (size_t i = 0; i < ww_result_finding_count(r); i++, findings++) {
        const WwFinding *f = ww_result_finding(r, i);
        print_error("%s: %s at %s:%u: %s\n", kernel, f->rule, f->file ? f->file : "?", f->line, f->message);
    }
}

static inline int open_blas(void **state)
{
    (void)state;
    const char     *why = NULL, *name = getenv("WW_TEST_DEVICE"); /* "cuda" under `warpwright run` too */
    WwDeviceOptions o   = {.threads = 2, .check = getenv("WW_TEST_CHECK")};
    if (ww_device_open(name ? name : "emulator", &o, &device, &why) != WW_OK)
        return print_error("%s\n", why), -1;
    findings = 0;
    ww_device_on_result(device, o.check ? count_findings : NULL, NULL);
    return ww_blas_open(device, &blas) == WW_OK ? 0 : -1;
}

static inline int close_blas(void **state)
{
    (void)state;
    ww_blas_close(blas);
    ww_device_close(device);
    if (findings)
        exit(EXIT_FAILURE); /* cmocka's result says nothing of what a group's teardown returns */
    return 0;
}

/* Is every product computed a second time, to the same bits?  Not where it is checked, which takes twenty times as long: that is the same launch. */
static inline bool runs_twice(void)
{
    return !getenv("WW_TEST_CHECK");
}

/* The same numbers in every run. */
static inline uint32_t next_bits(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x          = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x          = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)(x >> 32);
}

static inline size_t next_below(uint64_t *state, size_t n)
{
    return next_bits(state) % n;
}

/* A matrix on host and device. */
typedef struct Mat {
    size_t    rows, cols, ld, words;
    bool      column_major;
    uint32_t *v;
    WwPtr     base, p;
} Mat;

static inline size_t mat_at(const Mat *m, size_t i, size_t j)
{
    return m->column_major ? j * m->ld + i : i * m->ld + j;
}

/* shift: words in front, so that the pointer is off its 256-byte alignment. */
static inline Mat mat_new(size_t rows, size_t cols, size_t extra, bool column_major, size_t shift)
{
    size_t lines = column_major ? cols : rows, length = column_major ? rows : cols;
    Mat    m = {rows, cols, length + extra, 0, column_major, NULL, 0, 0};
    m.ld     = m.ld ? m.ld : 1;
    m.words  = lines && length ? (lines - 1) * m.ld + length : 0;
    m.v      = malloc((m.words + 1) * 4);
    assert_works(ww_alloc(device, (m.words + shift + !m.words) * 4, &m.base));
    m.p = m.base + shift * 4;
    return m;
}

static inline void mat_put(const Mat *m)
{
    if (m->words)
        assert_works(ww_copy_in(device, m->p, m->v, m->words * 4));
}

static inline void mat_get(const Mat *m)
{
    if (m->words)
        assert_works(ww_copy_out(device, m->v, m->p, m->words * 4));
}

static inline void mat_free(Mat *m)
{
    assert_works(ww_free(device, m->base));
    free(m->v);
}

static inline float as_float(uint32_t u)
{
    float f;
    memcpy(&f, &u, 4);
    return f;
}

/* A bf16 or fp16 number. */
static inline double half_value(uint16_t h, bool brain)
{
    if (brain)
        return (double)as_float((uint32_t)h << 16);
    int    e = h >> 10 & 31, m = h & 1023;
    double v = e == 31 ? (m ? (double)NAN : (double)INFINITY) : e ? (1024 + m) * two_to(e - 25) : m * two_to(-24);
    return h >> 15 ? -v : v;
}

static inline uint32_t as_bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}

static inline void mat_random(const Mat *m, WwType type, uint64_t *seed)
{
    for (size_t i = 0; i < m->words; i++) {
        uint32_t u = next_bits(seed);
        m->v[i]    = type == WW_I32 ? u : as_bits((float)(int32_t)u * 0x1p-31f);
    }
    mat_put(m);
}

/* Fails unless got is alpha * sum + beta * old within the bound of any order of summation of k products of sum `sum_abs`. */
static inline void expect_element(WwType type, uint32_t got, double want, double sum_abs, uint32_t want_int, size_t k)
{
    if (type == WW_I32) {
        assert_int_equal(got, want_int);
        return;
    }
    double err = fabs((double)as_float(got) - want), tol = (double)(k + 3) * 0x1p-24 * sum_abs;
    if (!(err <= tol))
        fail_msg("got %.9g, expected %.9g within %.3g", (double)as_float(got), want, tol);
}

#endif
