/* SPDX-License-Identifier: Apache-2.0
 *
 * A part of many cases that differ in numbers only, for tests that repeat those of another device by another door: $WW_TEST_SHARE=N takes one in N. */
#ifndef WW_TESTS_UNIT_SHARE_H
#define WW_TESTS_UNIT_SHARE_H

#include <stdbool.h>
#include <stdlib.h>

/* Is the next case left out? */
static inline bool share_skips(void)
{
    static unsigned long next;
    const char          *text = getenv("WW_TEST_SHARE");
    unsigned long        n    = text ? strtoul(text, NULL, 10) : 1;
    return n > 1 && next++ % n != 0;
}

#endif
