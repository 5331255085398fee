/* SPDX-License-Identifier: Apache-2.0
 *
 * What an access costs whose addresses show no pattern, in vectors: the model's answer (model.h), sooner. */
#ifndef WW_CHECK_SCATTER_H
#define WW_CHECK_SCATTER_H

#include "emu/observer.h"
#include "model/model.h"

/* The cost of one access, naturally aligned; false: of this one only the model knows.  out is written whole where it is true. */
typedef bool Scatter(const Profile *p, const Access *a, ModelOp op, ModelCost *out);

/* For the best SIMD level here; NULL: there is none that is quicker than the model. */
Scatter *scatter_best(void);

#endif
