/* SPDX-License-Identifier: Apache-2.0
 *
 * cuFFT's functions as a program calls them, on random numbers, beside sums in double: every type, one to three dimensions, batches, in place and
 * not, basic and advanced layouts; statuses of calls that are wrong.  cufft WHAT: transforms, layouts, order, statuses; beyond: a batch more than is
 * allocated, which must be found. */
#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cudaMalloc(void **p, size_t bytes), cudaFree(void *p),
    cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream);
int cudaStreamCreate(void **s), cudaStreamSynchronize(void *s), cudaDeviceSynchronize(void);
int cufftCreate(int *h), cufftDestroy(int h), cufftSetStream(int h, void *s), cufftGetVersion(int *v);
int cufftPlan1d(int *h, int n, int type, int batch), cufftPlan2d(int *h, int n0, int n1, int type),
    cufftPlan3d(int *h, int n0, int n1, int n2, int type);
int cufftPlanMany(int *h, int rank, int *n, int *in, int istride, int idist, int *out, int ostride, int odist, int type,
                  int batch);
int cufftXtMakePlanMany(int h, int rank, long long *n, long long *in, long long istride, long long idist, int from,
                        long long *out, long long ostride, long long odist, int to, long long batch, size_t *work,
                        int with);
int cufftGetSize(int h, size_t *work), cufftEstimate1d(int n, int type, int batch, size_t *work);
int cufftExecC2C(int h, void *in, void *out, int sign), cufftExecZ2Z(int h, void *in, void *out, int sign),
    cufftExecR2C(int h, void *in, void *out), cufftExecC2R(int h, void *in, void *out),
    cufftExecD2Z(int h, void *in, void *out), cufftExecZ2D(int h, void *in, void *out);
int cufftXtExec(int h, void *in, void *out, int sign);

enum { R2C = 0x2a, C2R = 0x2c, C2C = 0x29, D2Z = 0x6a, Z2D = 0x6c, Z2Z = 0x69, MOST = 1 << 14, POISON = 12345 };

static int failures;

static void expect(bool ok, const char *what, long long detail)
{
    if (!ok) {
        failures++;
        printf("wrong: %s (%lld)\n", what, detail);
    }
}

typedef struct Side {
    int embed[3], stride, dist, width; /* width: of the last dimension */
} Side;

typedef struct Case {
    int  rank, n[3], batch, type;
    bool in_place, advanced;
    Side side[2];
} Case;

static bool is_double(int type)
{
    return type & 0x40;
}

static bool is_real(int type, int side)
{
    return side ? type == C2R || type == Z2D : type == R2C || type == D2Z;
}

static size_t place(const Case *c, const Side *s, int b, const int *k)
{
    size_t at = 0;
    for (int d = 0; d < c->rank; d++)
        at = at * (size_t)(d ? s->embed[d] : 1) + (size_t)k[d];
    return at * (size_t)s->stride + (size_t)b * (size_t)s->dist;
}

static double _Complex load(const void *p, size_t i, bool wide, bool real)
{
    if (real)
        return wide ? ((const double *)p)[i] : (double)((const float *)p)[i];
    return wide ? ((const double _Complex *)p)[i] : (double _Complex)((const float _Complex *)p)[i];
}

static void store(void *p, size_t i, bool wide, bool real, double _Complex v)
{
    if (real && wide)
        ((double *)p)[i] = creal(v);
    else if (real)
        ((float *)p)[i] = (float)creal(v);
    else if (wide)
        ((double _Complex *)p)[i] = v;
    else
        ((float _Complex *)p)[i] = (float _Complex)v;
}

static bool next(const Case *c, int *k, int last)
{
    for (int d = c->rank; d--; k[d] = 0)
        if (++k[d] < (d == c->rank - 1 ? last : c->n[d]))
            return true;
    return false;
}

/* The whole signal at k of batch b: of a Hermitian half the other one is its mirror's conjugate. */
static double _Complex signal(const Case *c, const void *in, int b, const int *k)
{
    const Side *s      = &c->side[0];
    int         m[3]   = {0};
    bool        mirror = is_real(c->type, 1) && k[c->rank - 1] >= s->width;
    for (int d = 0; d < c->rank; d++)
        m[d] = mirror ? (c->n[d] - k[d]) % c->n[d] : k[d];
    double _Complex v = load(in, place(c, s, b, m), is_double(c->type), is_real(c->type, 0));
    return mirror ? conj(v) : v;
}

static double _Complex sum(const Case *c, const void *in, int b, const int *k, int sign)
{
    double _Complex total = 0;
    int j[3]              = {0};
    do {
        double turn = 0;
        for (int d = 0; d < c->rank; d++)
            turn += (double)((long)j[d] * k[d] % c->n[d]) / c->n[d];
        total += signal(c, in, b, j) * cexp(sign * 2 * acos(-1.0) * I * turn);
    } while (next(c, j, c->n[c->rank - 1]));
    return total;
}

static int execute(int h, const Case *c, void *in, void *out, int sign)
{
    switch (c->type) {
    case R2C: return cufftExecR2C(h, in, out);
    case C2R: return cufftExecC2R(h, in, out);
    case D2Z: return cufftExecD2Z(h, in, out);
    case Z2D: return cufftExecZ2D(h, in, out);
    case C2C: return cufftExecC2C(h, in, out, sign);
    default: return cufftExecZ2Z(h, in, out, sign);
    }
}

static void finish(Case *c)
{
    int last = c->n[c->rank - 1];
    for (int i = 0; i < 2; i++) {
        Side *s    = &c->side[i];
        bool  half = c->type != C2C && c->type != Z2Z && !is_real(c->type, i);
        s->width   = half ? last / 2 + 1 : last;
        if (c->advanced)
            continue;
        s->stride = s->dist = 1;
        for (int d = 0; d < c->rank; d++) {
            s->embed[d] = d < c->rank - 1                      ? c->n[d]
                          : is_real(c->type, i) && c->in_place ? 2 * (last / 2 + 1)
                                                               : s->width;
            s->dist *= s->embed[d];
        }
    }
}

/* Random input that has a real transform: what is its own mirror is real. */
static void fill(const Case *c, void *in)
{
    bool wide = is_double(c->type), real = is_real(c->type, 0);
    for (int b = 0; b < c->batch; b++) {
        int k[3] = {0};
        do {
            double _Complex v = rand() % 2001 / 1000.0 - 1 + (rand() % 2001 / 1000.0 - 1) * I;
            store(in, place(c, &c->side[0], b, k), wide, real, v);
        } while (next(c, k, c->side[0].width));
        for (bool more = is_real(c->type, 1); more; more = next(c, k, c->side[0].width)) {
            int m[3] = {0};
            for (int d = 0; d < c->rank; d++)
                m[d] = (c->n[d] - k[d]) % c->n[d];
            if (m[c->rank - 1] < c->side[0].width)
                store(in, place(c, &c->side[0], b, m), wide, false,
                      conj(load(in, place(c, &c->side[0], b, k), wide, false)));
            if (!memcmp(m, k, (size_t)c->rank * sizeof *m))
                store(in, place(c, &c->side[0], b, k), wide, false,
                      creal(load(in, place(c, &c->side[0], b, k), wide, false)));
        }
    }
}

static void compare(const Case *c, const void *in, const void *out, int sign)
{
    bool   wide = is_double(c->type), real = is_real(c->type, 1);
    double worst = 0, size = c->n[0] * (double)(c->rank > 1 ? c->n[1] : 1) * (c->rank > 2 ? c->n[2] : 1);
    for (int b = 0; b < c->batch; b++) {
        int k[3] = {0};
        do
            worst = fmax(worst, cabs(load(out, place(c, &c->side[1], b, k), wide, real) - sum(c, in, b, k, sign)));
        while (next(c, k, c->side[1].width));
    }
    expect(worst <= (wide ? 1e-12 : 1e-5) * size, "a transform, rank and type", c->rank * 1000 + c->type);
}

/* All of `out` outside of the layout is as it was. */
static void untouched(const Case *c, const void *out, size_t elements)
{
    bool  wide = is_double(c->type), real = is_real(c->type, 1);
    char *used = calloc(elements, 1);
    for (int b = 0; b < c->batch; b++) {
        int k[3] = {0};
        do
            used[place(c, &c->side[1], b, k)] = 1;
        while (next(c, k, c->side[1].width));
    }
    size_t changed = 0;
    for (size_t i = 0; i < elements; i++)
        changed += !used[i] && creal(load(out, i, wide, real)) != POISON;
    free(used);
    expect(!changed || c->in_place, "elements between were written", (long long)changed);
}

static void run(Case *c, int sign)
{
    static char in[MOST * 16], out[MOST * 16];
    void       *from, *to;
    int         h = -1;
    finish(c);
    for (size_t i = 0; i < MOST; i++) {
        store(in, i, is_double(c->type), is_real(c->type, 0), POISON);
        store(out, i, is_double(c->type), is_real(c->type, 1), POISON);
    }
    fill(c, in);
    cudaMalloc(&from, sizeof in);
    cudaMalloc(&to, sizeof out);
    cudaMemcpy(from, in, sizeof in, 1);
    cudaMemcpy(to, out, sizeof out, 1);
    int e = cufftPlanMany(&h, c->rank, c->n, c->advanced ? c->side[0].embed : NULL, c->side[0].stride, c->side[0].dist,
                          c->advanced ? c->side[1].embed : NULL, c->side[1].stride, c->side[1].dist, c->type, c->batch);
    expect(e == 0, "a plan", e);
    e = execute(h, c, from, c->in_place ? from : to, sign);
    expect(e == 0, "its execution", e);
    cudaMemcpy(out, c->in_place ? from : to, sizeof out, 2);
    compare(c, in, out, is_real(c->type, 0) ? -1 : is_real(c->type, 1) ? 1 : sign);
    untouched(c, out, MOST);
    if (!c->in_place) {
        cudaMemcpy(out, from, sizeof out, 2);
        expect(!memcmp(in, out, sizeof in), "the input stays", c->type);
    }
    expect(cufftDestroy(h) == 0, "destroying", h);
    cudaFree(from);
    cudaFree(to);
}

static const int types[] = {R2C, C2R, C2C, D2Z, Z2D, Z2Z};

static void transforms(void)
{
    static const int sizes[][3] = {{1, 1, 1}, {16, 1, 1}, {15, 1, 1}, {101, 1, 1},
                                   {4, 6, 1}, {5, 7, 1},  {3, 4, 5},  {2, 3, 8}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t t = 0; t < 6; t++)
            for (int variant = 0; variant < 4; variant++) {
                Case c = {.rank     = sizes[i][2] > 1   ? 3
                                      : sizes[i][1] > 1 ? 2
                                                        : 1,
                          .batch    = variant & 1 ? 3 : 1,
                          .type     = types[t],
                          .in_place = variant & 2};
                memcpy(c.n, sizes[i], sizeof c.n);
                run(&c, variant & 1 ? 1 : -1);
            }
}

static void layouts(void)
{
    for (size_t t = 0; t < 6; t++)
        for (int variant = 0; variant < 8; variant++) {
            Case c = {.rank = 1 + variant % 3, .n = {5, 4, 6}, .batch = 2, .type = types[t], .advanced = true};
            for (int i = 0; i < 2; i++) {
                Side *s   = &c.side[i];
                s->stride = variant & 4 ? 3 : 1 + (variant & 1) * i;
                s->dist   = s->stride;
                for (int d = 0; d < c.rank; d++)
                    s->dist *= s->embed[d] = c.n[d] + 1 + (variant & 2) * i;
                if (variant == 7) { /* batches lie between each other's elements */
                    s->dist   = 1;
                    s->stride = 3;
                }
            }
            run(&c, 1);
        }
}

/* In the order of a stream, and kept by several plans at once. */
static void order(void)
{
    void *s, *p;
    int   h[3];
    float _Complex x[64], y[64];
    for (int i = 0; i < 64; i++)
        x[i] = (float)(i % 7) + (float)(i % 5) * I;
    cudaStreamCreate(&s);
    cudaMalloc(&p, sizeof x);
    for (int i = 0; i < 3; i++)
        expect(cufftPlan1d(&h[i], 64, C2C, 1) == 0 && cufftSetStream(h[i], s) == 0, "a plan in a stream", i);
    cudaMemcpyAsync(p, x, sizeof x, 1, s);
    expect(cufftExecC2C(h[0], p, p, -1) == 0 && cufftXtExec(h[1], p, p, 1) == 0, "two transforms in a row", 0);
    cudaMemcpyAsync(y, p, sizeof y, 2, s);
    cudaStreamSynchronize(s);
    for (int i = 0; i < 64; i++)
        expect(cabsf(y[i] / 64 - x[i]) < 1e-5f, "there and back", i);
    for (int i = 0; i < 3; i++)
        cufftDestroy(h[i]);
    cudaFree(p);
}

static void statuses(void)
{
    int    h = -1, v = 0;
    size_t work = 1;
    void  *p;
    cudaMalloc(&p, 4096);
    expect(cufftGetVersion(&v) == 0 && v >= 10000, "the version", v);
    expect(cufftPlan1d(&h, 0, C2C, 1) == 8, "a size of 0", 0);
    expect(cufftPlan1d(&h, 8, 7, 1) == 3, "no type", 0);
    expect(cufftPlan1d(&h, 8, C2C, 0) == 8, "no batch", 0);
    expect(cufftPlan1d(NULL, 8, C2C, 1) == 4, "no handle", 0);
    expect(cufftPlanMany(&h, 4, (int[]){2, 2, 2, 2}, NULL, 1, 1, NULL, 1, 1, C2C, 1) == 4, "four dimensions", 0);
    expect(cufftExecC2C(99, p, p, -1) == 1 && cufftDestroy(-1) == 1 && cufftSetStream(99, NULL) == 1,
           "handles of nobody", 0);
    expect(cufftPlan1d(&h, 8, C2C, 1) == 0 && cufftGetSize(h, &work) == 0 && work == 0, "no work area",
           (long long)work);
    expect(cufftExecC2C(h, NULL, p, -1) == 4 && cufftExecC2C(h, p, p, 0) == 4, "no array, no direction", 0);
    expect(cufftExecR2C(h, p, p) == 3, "a plan of another type", 0);
    expect(cufftDestroy(h) == 0, "destroyed", 0);
    expect(cufftDestroy(h) == 1, "destroyed twice", 0);
    expect(cufftCreate(&h) == 0 && cufftExecC2C(h, p, p, -1) == 1, "a plan that was not made", 0);
    expect(cufftXtMakePlanMany(h, 1, (long long[]){8}, NULL, 1, 1, 2, NULL, 1, 1, 4, 1, &work, 4) == 3,
           "types that do not belong together", 0);
    expect(cufftXtMakePlanMany(h, 1, (long long[]){8}, NULL, 1, 1, 0, NULL, 1, 1, 4, 1, &work, 4) == 0,
           "types instead of a type", 0);
    expect(cufftEstimate1d(8, C2C, 1, &work) == 0 && cufftEstimate1d(-8, C2C, 1, &work) == 8, "estimates", 0);
    cufftDestroy(h);
    cudaFree(p);
}

static void beyond(void)
{
    int   h;
    void *p;
    cudaMalloc(&p, 64 * 8);
    cufftPlan1d(&h, 16, C2C, 5);
    printf("%d\n", cufftExecC2C(h, p, p, -1));
    printf("%d\n", cudaDeviceSynchronize());
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {
        {"transforms", transforms}, {"layouts", layouts}, {"order", order}, {"statuses", statuses}, {"beyond", beyond}};
    srand(5);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (argc > 1 && !strcmp(argv[1], parts[i].name))
            parts[i].run();
    printf("%s\n", failures ? "failed" : "passed");
    return failures != 0;
}
