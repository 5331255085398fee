/* SPDX-License-Identifier: Apache-2.0
 *
 * Passes of a shared atomic as the machine makes it. */
#ifndef WW_CHECK_ATOMIC_H
#define WW_CHECK_ATOMIC_H

#include "model/model.h"

/* Of an instruction's role (ptx/merge.h); c: what the access costs as PTX has it. */
ModelCost atomic_cost(const Profile *p, unsigned role, const ModelAccess *m, const ModelCost *c);

#endif
