/* SPDX-License-Identifier: Apache-2.0
 *
 * What a vector load costs of which the assembler loads some elements (ptx/narrow.h). */
#ifndef WW_CHECK_NARROW_H
#define WW_CHECK_NARROW_H

#include "model/model.h"

enum { NARROW_PARTS = 2 };

/* The costs of the loads that are made of m, whose cost as it is is c; how many they are.  role: merge.h. */
unsigned narrow_costs(const Profile *p, const ModelAccess *m, const ModelCost *c, uint32_t role, ModelCost *out);

#endif
