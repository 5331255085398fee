/* SPDX-License-Identifier: Apache-2.0
 *
 * Passes of a shared atomic as the machine makes it. */
#ifndef WW_CHECK_ATOMIC_H
#define WW_CHECK_ATOMIC_H

#include "model/model.h"

/* Of an instruction's role (ptx/merge.h); c: what the access costs as PTX has it. */
ModelCost atomic_cost(const Profile *p, unsigned role, const ModelAccess *m, const ModelCost *c);

/* The parts of that where all lanes count, for who asks other than the model: is that so, as which operation they are served, and of a cost of
 * that what the access costs. */
bool      atomic_is_plain(unsigned role);
ModelOp   atomic_served_as(unsigned role, ModelOp op);
void      atomic_words(unsigned role, ModelCost *c);

#endif
