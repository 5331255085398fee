/* SPDX-License-Identifier: Apache-2.0
 *
 * The SIMD level that code may use.  Whoever has a body for more than one level asks here, so that one question decides for all of them. */
#ifndef WW_BASE_SIMD_H
#define WW_BASE_SIMD_H

typedef enum Simd { SIMD_BASELINE, SIMD_AVX2, SIMD_AVX512, SIMD_LEVELS } Simd; /* each includes those before it */

/* The variable that hides the levels above the one it names. */
#define SIMD_VARIABLE "WARPWRIGHT_SIMD"

/* "baseline", "avx2", "avx512": the names of options and of $WARPWRIGHT_SIMD. */
const char *simd_name(Simd level);

/* The level of that name, or SIMD_LEVELS. */
Simd simd_named(const char *name);

/* The best level that this CPU has and $WARPWRIGHT_SIMD allows.  A variable that names no level hides nothing; whoever opens a device
 * refuses it (simd_misnamed). */
Simd simd_best(void);

/* What $WARPWRIGHT_SIMD says, where that is not a level; else NULL. */
const char *simd_misnamed(void);

#endif
