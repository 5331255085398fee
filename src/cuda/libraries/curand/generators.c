/* SPDX-License-Identifier: Apache-2.0
 *
 * Generators.  One of the device is one of the host that writes in stream order; the call waits for its numbers, since only NVIDIA's library knows whether
 * they can be had (a count that is no multiple of the dimensions, a type that has no such numbers). */
#include <stdlib.h>
#include <string.h>

#include "cuda/libraries/curand/curand.h"

typedef struct Generator {
    void *real;
    void *stream;
    bool  device;
} Generator;

static const char kind;

static Generator *generator_of(void *handle)
{
    return ww_cuda_library_has(&kind, handle) ? handle : NULL;
}

static Rand create(void **handle, int type, bool device)
{
    Rand (*make)(void **, int) = (Rand(*)(void **, int))real_function("curandCreateGeneratorHost");
    if (!handle || !make)
        return handle ? RAND_INITIALIZATION_FAILED : RAND_TYPE_ERROR;
    if (device && !ww_cuda_library_wait(NULL)) /* what cannot use CUDA gets none */
        return RAND_INITIALIZATION_FAILED;
    Generator *g = calloc(1, sizeof *g);
    if (!g)
        return RAND_ALLOCATION_FAILED;
    Rand r    = make(&g->real, type);
    g->device = device;
    if (r != RAND_SUCCESS || ww_cuda_library_keep(&kind, g) < 0) {
        free(g);
        return r != RAND_SUCCESS ? r : RAND_ALLOCATION_FAILED;
    }
    *handle = g;
    return RAND_SUCCESS;
}

Rand curandCreateGenerator(void **handle, int type)
{
    return create(handle, type, true);
}

Rand curandCreateGeneratorHost(void **handle, int type)
{
    return create(handle, type, false);
}

Rand curandDestroyGenerator(void *handle)
{
    Generator *g = generator_of(handle);
    if (!g)
        return RAND_NOT_INITIALIZED;
    if (g->device)
        ww_cuda_library_wait(g->stream);
    ww_cuda_library_drop(&kind, g);
    Rand (*destroy)(void *) = (Rand(*)(void *))real_function("curandDestroyGenerator");
    Rand r                  = destroy ? destroy(g->real) : RAND_INTERNAL_ERROR;
    free(g);
    return r;
}

/* ---- settings: the real generator's ---- */

Rand curandSetStream(void *handle, void *stream)
{
    Generator *g = generator_of(handle);
    if (!g)
        return RAND_NOT_INITIALIZED;
    g->stream = stream;
    return RAND_SUCCESS;
}

#define SETTING(name, type)                                                                                            \
    Rand name(void *handle, type value)                                                                                \
    {                                                                                                                  \
        Generator *g              = generator_of(handle);                                                              \
        Rand (*set)(void *, type) = (Rand(*)(void *, type))real_function(#name);                                       \
        if (!g || !set)                                                                                                \
            return g ? RAND_INTERNAL_ERROR : RAND_NOT_INITIALIZED;                                                     \
        return set(g->real, value);                                                                                    \
    }
SETTING(curandSetPseudoRandomGeneratorSeed, unsigned long long)
SETTING(curandSetGeneratorOffset, unsigned long long)
SETTING(curandSetGeneratorOrdering, int)
SETTING(curandSetQuasiRandomGeneratorDimensions, unsigned)

Rand curandGenerateSeeds(void *handle)
{
    Generator *g          = generator_of(handle);
    Rand (*seeds)(void *) = (Rand(*)(void *))real_function("curandGenerateSeeds");
    if (!g || !seeds)
        return g ? RAND_INTERNAL_ERROR : RAND_NOT_INITIALIZED;
    return seeds(g->real);
}

/* ---- numbers ---- */

typedef enum Kind {
    PLAIN,
    FLOATS,
    DOUBLES,
    RATE,
    RATE_METHOD
} Kind; /* what follows the count: nothing; mean and deviation; a rate */

typedef struct Draw {
    const char *call;
    Real        function;
    Kind        kind;
    void       *generator, *out;
    size_t      n;
    double      a, b;
    int         method;
    Rand       *status;
} Draw;

static Rand draw(const Draw *d)
{
    switch (d->kind) {
    case PLAIN: return ((Rand(*)(void *, void *, size_t))d->function)(d->generator, d->out, d->n);
    case FLOATS:
        return ((Rand(*)(void *, void *, size_t, float, float))d->function)(d->generator, d->out, d->n, (float)d->a,
                                                                            (float)d->b);
    case DOUBLES:
        return ((Rand(*)(void *, void *, size_t, double, double))d->function)(d->generator, d->out, d->n, d->a, d->b);
    case RATE: return ((Rand(*)(void *, void *, size_t, double))d->function)(d->generator, d->out, d->n, d->a);
    default:
        return ((Rand(*)(void *, void *, size_t, double, int))d->function)(d->generator, d->out, d->n, d->a, d->method);
    }
}

static void compute(const void *args)
{
    const Draw *d = args;
    *d->status    = draw(d);
}

static Rand generate(void *handle, Draw d, size_t element)
{
    Generator *g      = generator_of(handle);
    Rand       status = RAND_LAUNCH_FAILURE;
    if (!g)
        return RAND_NOT_INITIALIZED;
    d.function = real_function(d.call);
    if (!d.function)
        return RAND_INTERNAL_ERROR;
    d.generator = g->real;
    d.status    = &status;
    if (!g->device)
        return draw(&d);
    size_t bytes;
    if (__builtin_mul_overflow(d.n, element, &bytes))
        return RAND_ALLOCATION_FAILED;
    if (!ww_cuda_library_wait(g->stream)) /* also where a graph is captured */
        return RAND_PREEXISTING_FAILURE;
    LibraryWork w = {.library = "cuRAND",
                     .call    = d.call,
                     .by      = "NVIDIA's generators of the host",
                     .compute = compute,
                     .args    = &d,
                     .bytes   = sizeof d,
                     .span    = {{.at = d.out, .width = bytes, .height = 1, .use = LIBRARY_WRITES}},
                     .nspans  = 1};
    if (!ww_cuda_library_do(g->stream, &w) || !ww_cuda_library_wait(g->stream))
        return RAND_LAUNCH_FAILURE;
    return status;
}

#define PLAIN_NUMBERS(name, type)                                                                                      \
    Rand name(void *handle, type *out, size_t n)                                                                       \
    {                                                                                                                  \
        return generate(handle, (Draw){.call = #name, .kind = PLAIN, .out = out, .n = n}, sizeof(type));               \
    }
PLAIN_NUMBERS(curandGenerate, unsigned)
PLAIN_NUMBERS(curandGenerateLongLong, unsigned long long)
PLAIN_NUMBERS(curandGenerateUniform, float)
PLAIN_NUMBERS(curandGenerateUniformDouble, double)

#define NORMAL_NUMBERS(name, type, how)                                                                                \
    Rand name(void *handle, type *out, size_t n, type mean, type deviation)                                            \
    {                                                                                                                  \
        return generate(handle, (Draw){.call = #name, .kind = how, .out = out, .n = n, .a = mean, .b = deviation},     \
                        sizeof(type));                                                                                 \
    }
NORMAL_NUMBERS(curandGenerateNormal, float, FLOATS)
NORMAL_NUMBERS(curandGenerateNormalDouble, double, DOUBLES)
NORMAL_NUMBERS(curandGenerateLogNormal, float, FLOATS)
NORMAL_NUMBERS(curandGenerateLogNormalDouble, double, DOUBLES)

Rand curandGeneratePoisson(void *handle, unsigned *out, size_t n, double rate)
{
    return generate(handle, (Draw){.call = "curandGeneratePoisson", .kind = RATE, .out = out, .n = n, .a = rate},
                    sizeof *out);
}

Rand curandGeneratePoissonMethod(void *handle, unsigned *out, size_t n, double rate, int method)
{
    return generate(handle,
                    (Draw){.call   = "curandGeneratePoissonMethod",
                           .kind   = RATE_METHOD,
                           .out    = out,
                           .n      = n,
                           .a      = rate,
                           .method = method},
                    sizeof *out);
}
