/* SPDX-License-Identifier: Apache-2.0
 *
 * The generator is splitmix64 (Steele, Lea, Flood 2014) used as a hash of a counter: no state, and streams that
 * start from hashed points.  Good enough to make every element of a matrix different; not for anything secret. */
#include "lab/inputs.h"

#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

uint64_t inputs_at(uint64_t seed, uint64_t stream, uint64_t i)
{
    return mix(mix(seed ^ mix(stream)) + i * 0x9e3779b97f4a7c15u);
}

static void unit(void *to, size_t from, size_t end, uint64_t seed, uint64_t stream)
{
    float *v = to;
    for (size_t i = from; i < end; i++) {
        int32_t r = (int32_t)(inputs_at(seed, stream, i) >> 40) - (1 << 23); /* 24 bits: exact in a float */
        v[i]      = (float)r * 0x1p-23f;
    }
}

static void bits(void *to, size_t from, size_t end, uint64_t seed, uint64_t stream)
{
    uint32_t *v = to;
    for (size_t i = from; i < end; i++)
        v[i] = (uint32_t)(inputs_at(seed, stream, i) >> 32);
}

void inputs_unit(float *v, size_t n, uint64_t seed, uint64_t stream)
{
    unit(v, 0, n, seed, stream);
}

void inputs_bits(uint32_t *v, size_t n, uint64_t seed, uint64_t stream)
{
    bits(v, 0, n, seed, stream);
}

/* ---- by several threads ---- */

enum { MOST_THREADS = 64, ALONE = 1 << 20 };

typedef struct Part {
    void (*make)(void *to, size_t from, size_t end, uint64_t seed, uint64_t stream);
    void     *to;
    size_t    from, end;
    uint64_t  seed, stream;
    pthread_t thread;
    bool      started;
} Part;

static void *make_part(void *user)
{
    const Part *p = user;
    p->make(p->to, p->from, p->end, p->seed, p->stream);
    return NULL;
}

static void share_out(const Part *whole)
{
    Part   part[MOST_THREADS];
    long   cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t n     = whole->end < ALONE || cores < 2 ? 1 : cores < MOST_THREADS ? (size_t)cores : MOST_THREADS;
    for (size_t i = 0; i < n; i++) {
        part[i]         = *whole;
        part[i].from    = whole->end / n * i;
        part[i].end     = i + 1 < n ? whole->end / n * (i + 1) : whole->end;
        part[i].started = i + 1 < n && pthread_create(&part[i].thread, NULL, make_part, &part[i]) == 0;
        if (!part[i].started)
            make_part(&part[i]);
    }
    for (size_t i = 0; i < n; i++)
        if (part[i].started)
            pthread_join(part[i].thread, NULL);
}

void inputs_unit_shared(float *v, size_t n, uint64_t seed, uint64_t stream)
{
    share_out(&(Part){.make = unit, .to = v, .end = n, .seed = seed, .stream = stream});
}

void inputs_bits_shared(uint32_t *v, size_t n, uint64_t seed, uint64_t stream)
{
    share_out(&(Part){.make = bits, .to = v, .end = n, .seed = seed, .stream = stream});
}
