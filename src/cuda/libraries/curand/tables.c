/* SPDX-License-Identifier: Apache-2.0
 *
 * What NVIDIA's library answers without a GPU: versions, direction vectors, constants; of NULL, which would end it, it is not asked.  And what is not
 * here. */
#include "cuda/libraries/curand/curand.h"

Rand curandGetVersion(int *version)
{
    Rand (*get)(int *) = (Rand(*)(int *))real_function("curandGetVersion");
    return !version ? RAND_TYPE_ERROR : get ? get(version) : RAND_INITIALIZATION_FAILED;
}

Rand curandGetProperty(int which, int *value)
{
    Rand (*get)(int, int *) = (Rand(*)(int, int *))real_function("curandGetProperty");
    return !value ? RAND_TYPE_ERROR : get ? get(which, value) : RAND_INITIALIZATION_FAILED;
}

static Rand vectors(const char *name, void *out, int set)
{
    Rand (*get)(void *, int) = (Rand(*)(void *, int))real_function(name);
    return !out ? RAND_TYPE_ERROR : get ? get(out, set) : RAND_INITIALIZATION_FAILED;
}

static Rand constants(const char *name, void *out)
{
    Rand (*get)(void *) = (Rand(*)(void *))real_function(name);
    return !out ? RAND_TYPE_ERROR : get ? get(out) : RAND_INITIALIZATION_FAILED;
}

Rand curandGetDirectionVectors32(void *out, int set)
{
    return vectors("curandGetDirectionVectors32", out, set);
}

Rand curandGetDirectionVectors64(void *out, int set)
{
    return vectors("curandGetDirectionVectors64", out, set);
}

Rand curandGetScrambleConstants32(void *out)
{
    return constants("curandGetScrambleConstants32", out);
}

Rand curandGetScrambleConstants64(void *out)
{
    return constants("curandGetScrambleConstants64", out);
}

/* They would lie in device memory, made by the library itself. */
static Rand missing(const char *name)
{
    ww_cuda_library_missing(name);
    return RAND_INITIALIZATION_FAILED;
}

Rand curandCreatePoissonDistribution(double rate, void *out)
{
    (void)rate;
    (void)out;
    return missing("curandCreatePoissonDistribution");
}

Rand curandDestroyDistribution(void *distribution)
{
    (void)distribution;
    return missing("curandDestroyDistribution");
}
