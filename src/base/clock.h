/* SPDX-License-Identifier: Apache-2.0
 *
 * The host's clock, for how long things take: it goes on evenly whatever is done to the time of day. */
#ifndef WW_BASE_CLOCK_H
#define WW_BASE_CLOCK_H

#include <time.h>

/* Milliseconds since some moment. */
static inline double clock_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

#endif
