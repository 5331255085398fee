/* SPDX-License-Identifier: Apache-2.0
 *
 * What flows along a plan's segments: which values are still wanted, and the spreads of values. */
#ifndef WW_EMU_JIT_FLOW_H
#define WW_EMU_JIT_FLOW_H

#include "emu/jit/plan.h"

/* Fills in Segment.live and Segment.wrote. */
void flow_live(Plan *p);
/* Fills in Segment.meets, .mixed and .spread; flow_live comes first. */
void flow_spreads(Plan *p);
/* Fills in Segment.kept and .away; flow_spreads comes first. */
void flow_homes(Plan *p);
/* Do both spreads keep their value in the same variable? */
bool flow_same_home(Spread a, Spread b);
/* live: the values wanted behind the item becomes those wanted before it. */
void flow_back(const Item *it, uint64_t *live);

#endif
