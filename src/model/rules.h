/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the model share: the rules behind model_access.  out is zeroed by the caller; mask is not 0. */
#ifndef WW_MODEL_RULES_H
#define WW_MODEL_RULES_H

#include "model/model.h"

/* banks.c: shared memory. */
void model_banks(const Arch *h, const ModelAccess *a, ModelCost *out);
/* coalesce.c: global and local memory. */
void model_coalesce(const Arch *h, const ModelAccess *a, ModelCost *out);
typedef struct Touched { /* distinct ones asked for */
    unsigned lines, sectors, bytes;
} Touched;

/* atomics.c: sectors of an atom or red on global memory. */
uint32_t model_atomic_sectors(const ModelAccess *a);
/* The same, and what it touches, where that is easily said; false: it is not. */
bool model_atomic_simple(const ModelAccess *a, Touched *t, uint32_t *sectors);

#endif
