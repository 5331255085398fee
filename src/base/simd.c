/* SPDX-License-Identifier: Apache-2.0
 *
 * The CPU's level: x86-64-v3 for "avx2", x86-64-v4 for "avx512", else "baseline" (also on other processors).  Code that is compiled for a
 * level uses all of its features, so all that compilers may emit are asked for.  The environment can only hide levels: it never
 * switches on what the CPU lacks. */
#include "base/simd.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[SIMD_LEVELS] = {"baseline", "avx2", "avx512"};

const char *simd_name(Simd level)
{
    return names[level];
}

Simd simd_named(const char *name)
{
    Simd level = 0;
    while (level < SIMD_LEVELS && strcmp(name, names[level]) != 0)
        level++;
    return level;
}

static Simd cpu_level(void)
{
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi") ||
        !__builtin_cpu_supports("bmi2"))
        return SIMD_BASELINE;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd"))
        return SIMD_AVX512;
    return SIMD_AVX2;
#else
    return SIMD_BASELINE;
#endif
}

/* $WARPWRIGHT_SIMD; NULL where it is empty or not set. */
static const char *wanted(void)
{
    const char *name = getenv(SIMD_VARIABLE);
    return name && *name ? name : NULL;
}

Simd simd_best(void)
{
    const char *name = wanted();
    Simd        most = name ? simd_named(name) : SIMD_LEVELS, here = cpu_level();
    return most < here ? most : here;
}

const char *simd_misnamed(void)
{
    const char *name = wanted();
    return name && simd_named(name) == SIMD_LEVELS ? name : NULL;
}
