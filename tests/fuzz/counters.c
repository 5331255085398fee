/* SPDX-License-Identifier: Apache-2.0
 *
 * Where libFuzzer's instrumentation counts the edges: a section between two symbols of the linker.  This file alone is compiled without it,
 * since the instrumentation has the same names for its own. */
#include "tests/fuzz/fuzz.h"

extern uint8_t __start___sancov_cntrs[] __attribute__((weak, visibility("hidden")));
extern uint8_t __stop___sancov_cntrs[] __attribute__((weak, visibility("hidden")));

uint8_t *fuzz_counters(size_t *n)
{
    *n = (size_t)(__stop___sancov_cntrs - __start___sancov_cntrs);
    return __start___sancov_cntrs;
}
