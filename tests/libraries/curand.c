/* SPDX-License-Identifier: Apache-2.0
 *
 * cuRAND's host interface as a program calls it: generators of the device give the numbers of generators of the host, in stream order; statuses of calls
 * that are wrong.  curand WHAT: numbers, order, statuses; beyond: more numbers than are allocated, which must be found; card: a line for each type and
 * distribution with a hash of both, to be run on a GPU (docs/data/curand_h200.tsv). */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cudaMalloc(void **p, size_t bytes), cudaFree(void *p),
    cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream),
    cudaMemsetAsync(void *p, int v, size_t bytes, void *stream);
int cudaStreamCreate(void **s), cudaStreamSynchronize(void *s), cudaDeviceSynchronize(void);
int cudaStreamBeginCapture(void *s, int mode), cudaStreamEndCapture(void *s, void **graph);
int curandCreateGenerator(void **g, int type), curandCreateGeneratorHost(void **g, int type),
    curandDestroyGenerator(void *g);
int curandSetStream(void *g, void *s), curandSetPseudoRandomGeneratorSeed(void *g, unsigned long long seed),
    curandSetGeneratorOffset(void *g, unsigned long long offset), curandSetGeneratorOrdering(void *g, int order),
    curandSetQuasiRandomGeneratorDimensions(void *g, unsigned n), curandGenerateSeeds(void *g),
    curandGetVersion(int *v);
int curandGenerate(void *g, void *out, size_t n), curandGenerateLongLong(void *g, void *out, size_t n),
    curandGenerateUniform(void *g, void *out, size_t n), curandGenerateUniformDouble(void *g, void *out, size_t n),
    curandGenerateNormal(void *g, void *out, size_t n, float mean, float deviation),
    curandGenerateNormalDouble(void *g, void *out, size_t n, double mean, double deviation),
    curandGenerateLogNormal(void *g, void *out, size_t n, float mean, float deviation),
    curandGenerateLogNormalDouble(void *g, void *out, size_t n, double mean, double deviation),
    curandGeneratePoisson(void *g, void *out, size_t n, double rate);
int curandGetDirectionVectors32(void *out, int set), curandCreatePoissonDistribution(double rate, void **out);

enum { N = 20000, KINDS = 9 };

static int failures;

static void expect(bool ok, const char *what, long long detail)
{
    if (!ok) {
        failures++;
        printf("wrong: %s (%lld)\n", what, detail);
    }
}

static const struct {
    const char *name;
    int         type, tried; /* kinds that a test tries */
} types[] = {{"XORWOW", 101, KINDS},
             {"MRG32K3A", 121, 3},
             {"MTGP32", 141, KINDS},
             {"MT19937", 142, 1},
             {"PHILOX4_32_10", 161, KINDS},
             {"SOBOL32", 201, KINDS},
             {"SCRAMBLED_SOBOL32", 202, KINDS},
             {"SOBOL64", 203, KINDS},
             {"SCRAMBLED_SOBOL64", 204, KINDS}};
/* Hashes of what an H200 gave of the first kinds (docs/data/curand_h200.tsv), in place of a second generator of the host: these take seconds to begin. */
static const struct {
    int      type;
    uint64_t hash[3];
} of_card[] = {{121, {0x9b807cbee37cbfbd, 0x5d221d5070447725, 0x6d8cd7c898519a62}}, {142, {0xc8aa5276e481cd03}}};
static const char *const kinds[KINDS] = {"bits",          "long_long",  "uniform",           "uniform_double", "normal",
                                         "normal_double", "log_normal", "log_normal_double", "poisson"};

static int draw(void *g, int kind, void *out, size_t n)
{
    switch (kind) {
    case 0: return curandGenerate(g, out, n);
    case 1: return curandGenerateLongLong(g, out, n);
    case 2: return curandGenerateUniform(g, out, n);
    case 3: return curandGenerateUniformDouble(g, out, n);
    case 4: return curandGenerateNormal(g, out, n, 1, 2);
    case 5: return curandGenerateNormalDouble(g, out, n, 1, 2);
    case 6: return curandGenerateLogNormal(g, out, n, 0, 1);
    case 7: return curandGenerateLogNormalDouble(g, out, n, 0, 1);
    default: return curandGeneratePoisson(g, out, n, 7.5);
    }
}

static size_t bytes_of(int kind)
{
    return kind == 1 || kind == 3 || kind == 5 || kind == 7 ? 8 : 4;
}

/* The status of the draw; the numbers behind it in `out`.  Two draws, the second of which goes on. */
static int numbers_of(bool device, int type, int kind, unsigned char *out)
{
    void  *g = NULL, *p = out;
    size_t half = N / 2 * bytes_of(kind);
    memset(out, 0, N * 8);
    int e = device ? curandCreateGenerator(&g, type) : curandCreateGeneratorHost(&g, type);
    expect(e == 0, "a generator", e);
    if (type < 200)
        curandSetPseudoRandomGeneratorSeed(g, 1234567);
    else
        curandSetQuasiRandomGeneratorDimensions(g, 4);
    curandSetGeneratorOffset(g, 8);
    if (device)
        cudaMalloc(&p, N * 8);
    e = draw(g, kind, p, N / 2);
    if (!e)
        e = draw(g, kind, (char *)p + half, N / 2);
    if (device && !e)
        cudaMemcpy(out, p, 2 * half, 2);
    if (device)
        cudaFree(p);
    curandDestroyGenerator(g);
    return e;
}

static uint64_t hash(const unsigned char *p, size_t n)
{
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 1099511628211u;
    return h;
}

static const uint64_t *card_gave(int type)
{
    for (size_t i = 0; i < sizeof of_card / sizeof *of_card; i++)
        if (of_card[i].type == type)
            return of_card[i].hash;
    return NULL;
}

static void each(bool all, void (*take)(size_t type, int kind, const unsigned char *host, int on_host,
                                        const unsigned char *device, int on_device))
{
    static unsigned char host[N * 8], device[N * 8];
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int k = 0; k < (all ? KINDS : types[t].tried); k++) {
            bool beside = all || !card_gave(types[t].type);
            int  a      = beside ? numbers_of(false, types[t].type, k, host) : 0,
                b       = numbers_of(true, types[t].type, k, device);
            take(t, k, beside ? host : NULL, a, device, b);
        }
}

static void compare(size_t type, int kind, const unsigned char *host, int on_host, const unsigned char *device,
                    int on_device)
{
    if (!host) {
        expect(on_device == (kind == 1 ? 103 : 0), "the status", types[type].type * 10 + kind);
        expect(hash(device, N * bytes_of(kind)) == card_gave(types[type].type)[kind], "the card's numbers",
               types[type].type * 10 + kind);
        return;
    }
    expect(on_host == on_device, "the status of both", types[type].type * 10 + kind);
    expect(!memcmp(host, device, N * 8), "the numbers of both", types[type].type * 10 + kind);
    expect(on_host || hash(host, N * bytes_of(kind)) != hash(host + N * 8, 0), "there are numbers",
           types[type].type * 10 + kind);
}

static void numbers(void)
{
    each(false, compare);
}

static void print(size_t type, int kind, const unsigned char *host, int on_host, const unsigned char *device,
                  int on_device)
{
    size_t same = 0, size = bytes_of(kind);
    for (size_t i = 0; i < N; i++)
        same += !memcmp(host + i * size, device + i * size, size);
    printf("%s\t%s\t%d\t%d\t%zu\t%d\t%016llx\n", types[type].name, kinds[kind], on_host, on_device, same, N,
           (unsigned long long)hash(device, N * size));
}

static void card(void)
{
    each(true, print);
}

static void order(void)
{
    void    *s, *g, *p;
    unsigned x[256], y[256];
    cudaStreamCreate(&s);
    cudaMalloc(&p, sizeof x);
    expect(curandCreateGenerator(&g, 101) == 0 && curandSetStream(g, s) == 0, "a generator in a stream", 0);
    cudaMemsetAsync(p, 0, sizeof x, s);
    expect(curandGenerate(g, p, 256) == 0, "its numbers", 0);
    cudaMemcpyAsync(x, p, sizeof x, 2, s);
    cudaMemsetAsync(p, 0, sizeof x, s);
    cudaMemcpyAsync(y, p, sizeof y, 2, s);
    cudaStreamSynchronize(s);
    size_t zeros = 0;
    for (int i = 0; i < 256; i++)
        zeros += !x[i], expect(y[i] == 0, "what was set later", i);
    expect(zeros < 3, "numbers behind what was set before", (long long)zeros);
    curandDestroyGenerator(g);
    cudaFree(p);
}

static void statuses(void)
{
    void *g = NULL, *h = NULL, *p, *s, *graph;
    int   v = 0;
    cudaMalloc(&p, 4096);
    expect(curandGetVersion(&v) == 0 && v >= 10000, "the version", v);
    expect(curandCreateGenerator(&g, 7) == 103 && curandCreateGenerator(NULL, 101) != 0, "no type, no handle", 0);
    expect(curandGenerate(p, p, 4) == 101 && curandDestroyGenerator(p) == 101 && curandSetStream(NULL, NULL) == 101,
           "generators of nobody", 0);
    expect(curandCreateGenerator(&g, 101) == 0 && curandCreateGeneratorHost(&h, 201) == 0, "generators", 0);
    expect(curandGenerateNormal(g, p, 3, 0, 1) == 105, "an odd number of normal ones", 0);
    expect(curandGenerateLongLong(g, p, 4) == 103, "64 bits of a generator of 32", 0);
    expect(curandSetQuasiRandomGeneratorDimensions(g, 3) == 103, "dimensions of a pseudo-random one", 0);
    expect(curandSetPseudoRandomGeneratorSeed(h, 3) == 103, "a seed of a quasi-random one", 0);
    cudaStreamCreate(&s);
    curandSetStream(g, s);
    cudaStreamBeginCapture(s, 2);
    expect(curandGenerate(g, p, 4) != 0, "while a graph is captured", 0);
    cudaStreamEndCapture(s, &graph);
    expect(curandDestroyGenerator(g) == 0, "destroyed", 0);
    expect(curandDestroyGenerator(g) == 101, "destroyed twice", 0);
    expect(curandDestroyGenerator(h) == 0, "destroyed", 1);
    cudaFree(p);
}

static void beyond(void)
{
    void *g, *p;
    cudaMalloc(&p, 256);
    curandCreateGenerator(&g, 161);
    printf("%d\n", curandGenerateUniform(g, p, 100));
    printf("%d\n", cudaDeviceSynchronize());
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"numbers", numbers}, {"order", order}, {"statuses", statuses}, {"beyond", beyond}, {"card", card}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (argc > 1 && !strcmp(argv[1], parts[i].name))
            parts[i].run();
    if (argc > 1 && strcmp(argv[1], "card") != 0)
        printf("%s\n", failures ? "failed" : "passed");
    return failures != 0;
}
