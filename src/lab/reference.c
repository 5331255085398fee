/* SPDX-License-Identifier: Apache-2.0
 *
 * Host references.  They share nothing with the kernels: the product runs over panels of four columns and blocks of
 * four rows, in double, so that its own error (2^-53 a step) is far below anything a float kernel can be accused of.
 * Quick enough to check every element of the article's sizes: about half a second for 1920 x 1024 x 1280. */
#include "lab/reference.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"

enum { PANEL = 4, ROWS = 4, CHUNK = 64 }; /* CHUNK rows of a stay in a cache while all panels of b pass by */

typedef double Quad __attribute__((vector_size(PANEL * sizeof(double))));

/* Panel p holds columns 4p .. 4p+3 of b, one Quad for each of its k rows; columns past n are zero. */
static Quad *make_panels(Arena *arena, const float *b, size_t k, size_t n)
{
    size_t panels = (n + PANEL - 1) / PANEL;
    Quad  *out    = arena_alloc_aligned(arena, panels * k * sizeof(Quad), sizeof(Quad));
    for (size_t l = 0; l < k; l++)
        for (size_t j = 0; j < n; j++)
            out[j / PANEL * k + l][j % PANEL] = (double)b[l * n + j];
    return out;
}

/* Four rows of a (double, k apart) times one panel. */
static void block4(const double *a, const Quad *panel, size_t k, Quad sum[ROWS])
{
    Quad          s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    const double *a1 = a + k, *a2 = a1 + k, *a3 = a2 + k;
    for (size_t l = 0; l < k; l++) {
        Quad v = panel[l];
        s0 += a[l] * v;
        s1 += a1[l] * v;
        s2 += a2[l] * v;
        s3 += a3[l] * v;
    }
    sum[0] = s0;
    sum[1] = s1;
    sum[2] = s2;
    sum[3] = s3;
}

static void put(double *c, const Quad *sum, size_t rows, size_t n, size_t first_column)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < PANEL && first_column + j < n; j++)
            c[r * n + first_column + j] = sum[r][j];
}

void reference_product(double *c, const float *a, const float *b, const size_t *rows, size_t nrows, size_t n, size_t k)
{
    Arena  *arena  = arena_new();
    Quad   *panels = make_panels(arena, b, k, n);
    double *wide   = ARENA_ARRAY(arena, double, CHUNK *k);
    for (size_t r0 = 0; r0 < nrows; r0 += CHUNK) {
        size_t here = nrows - r0 < CHUNK ? nrows - r0 : CHUNK;
        memset(wide, 0, CHUNK * k * sizeof *wide);
        for (size_t r = 0; r < here; r++)
            for (size_t l = 0; l < k; l++)
                wide[r * k + l] = (double)a[rows[r0 + r] * k + l];
        for (size_t j = 0; j < n; j += PANEL)
            for (size_t r = 0; r < here; r += ROWS) {
                Quad sum[ROWS];
                block4(wide + r * k, panels + j / PANEL * k, k, sum);
                put(c + (r0 + r) * n, sum, here - r < ROWS ? here - r : ROWS, n, j);
            }
    }
    arena_free(arena);
}

void reference_product_int(uint32_t *c, const uint32_t *a, const uint32_t *b, size_t m, size_t n, size_t k)
{
    memset(c, 0, m * k * sizeof *c);
    for (size_t i = 0; i < m; i++)
        for (size_t l = 0; l < n; l++) {
            uint32_t        f   = a[i * n + l];
            const uint32_t *src = b + l * k;
            uint32_t       *dst = c + i * k;
            for (size_t j = 0; j < k; j++)
                dst[j] += f * src[j];
        }
}

void reference_row_lengths(double *out, const float *a, size_t m, size_t k)
{
    for (size_t i = 0; i < m; i++) {
        double sum = 0;
        for (size_t l = 0; l < k; l++)
            sum += (double)a[i * k + l] * (double)a[i * k + l];
        out[i] = sqrt(sum);
    }
}

void reference_column_lengths(double *out, const float *b, size_t k, size_t n)
{
    memset(out, 0, n * sizeof *out);
    for (size_t l = 0; l < k; l++)
        for (size_t j = 0; j < n; j++)
            out[j] += (double)b[l * n + j] * (double)b[l * n + j];
    for (size_t j = 0; j < n; j++)
        out[j] = sqrt(out[j]);
}
