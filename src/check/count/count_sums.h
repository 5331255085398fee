/* SPDX-License-Identifier: Apache-2.0
 *
 * From the model's cost of an access to counters. */
#ifndef WW_CHECK_COUNT_SUMS_H
#define WW_CHECK_COUNT_SUMS_H

#include "emu/observer.h"
#include "model/model.h"
#include "warpwright/warpwright.h"

/* Adds n accesses of that cost; op: of the observer (AccessOp). */
void counters_cost(WwCounters *s, ModelSpace space, unsigned op, const ModelCost *c, uint64_t n);

#endif
