/* SPDX-License-Identifier: Apache-2.0
 *
 * What the programs of this folder that are compiled with NVIDIA's headers share: a main that runs the parts named on the command line, arrays on
 * the device, expectations. */
#ifndef WW_TEST_LIBRARIES_H
#define WW_TEST_LIBRARIES_H

#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned failures;

static inline void expect_at(int ok, const char *what, int line)
{
    if (!ok)
        printf("wrong: line %d: %s\n", line, what);
    failures += !ok;
}
#define EXPECT(condition) expect_at(!!(condition), #condition, __LINE__)
#define GOOD(call)        expect_at((int)(call) == 0, #call, __LINE__)

static inline void *device(const void *host, size_t bytes)
{
    void *p = NULL;
    GOOD(cudaMalloc(&p, bytes));
    if (host)
        GOOD(cudaMemcpy(p, host, bytes, cudaMemcpyHostToDevice));
    return p;
}

static inline void fetch(void *host, const void *p, size_t bytes)
{
    GOOD(cudaMemcpy(host, p, bytes, cudaMemcpyDeviceToHost));
}

static inline double random_number(void)
{
    static uint64_t x = 88172645463325252u;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return (double)(x >> 11) / 9007199254740992.0 - 0.5;
}

static inline int near(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance * (1 + fabs(b));
}

typedef struct Part {
    const char *name;
    void (*run)(void);
} Part;

static inline int run_parts(const Part *parts, size_t n, int argc, char **argv)
{
    int ran = 0;
    for (int a = 1; a < argc; a++)
        for (size_t i = 0; i < n; i++)
            if (!strcmp(parts[i].name, argv[a])) {
                parts[i].run();
                ran++;
            }
    printf("%s\n", ran != argc - 1 || !ran ? "nothing ran" : failures ? "FAILED" : "passed");
    return failures || !ran;
}

#endif
