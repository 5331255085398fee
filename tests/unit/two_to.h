/* SPDX-License-Identifier: Apache-2.0
 *
 * Powers of two, of which references ask for one at each product: ldexp would take most of a test's time. */
#ifndef WW_TEST_TWO_TO_H
#define WW_TEST_TWO_TO_H

#include <stdint.h>
#include <string.h>

/* 2^e, e from -1022 to 1023. */
static inline double two_to(int e)
{
    uint64_t bits = (uint64_t)(1023 + e) << 52;
    double   x;
    memcpy(&x, &bits, 8);
    return x;
}

#endif
