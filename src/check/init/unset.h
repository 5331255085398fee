/* SPDX-License-Identifier: Apache-2.0
 *
 * Constants that a kernel reads and nobody set (unset.c). */
#ifndef WW_CHECK_UNSET_H
#define WW_CHECK_UNSET_H

#include "check/check.h"

typedef struct Set { /* what the host wrote outside allocations: sorted by from, each once */
    struct SetRange { uint64_t from, to; } *at;
    size_t n, cap;
} Set;

void unset_wrote(Set *s, uint64_t from, uint64_t bytes);
/* Judges a launch that has ended. */
void unset_judge(const Set *s, const CheckLaunch *l, Findings *found);

#endif
