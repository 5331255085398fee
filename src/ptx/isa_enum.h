/* SPDX-License-Identifier: Apache-2.0 */
/* isa.def as enumerators: OP_<id>.  Included inside an enum; no include guard on purpose. */
#define ROW(id, exactness, form, note)          OP_##id,
#define LANE1(id, lanes, exactness, form, expr) OP_##id,
#define LANE2(id, lanes, exactness, form, expr) OP_##id,
#define LANE3(id, lanes, exactness, form, expr) OP_##id,
#define PRED2(id, lanes, exactness, form, expr) OP_##id,
#include "ptx/isa.def"
#undef ROW
#undef LANE1
#undef LANE2
#undef LANE3
#undef PRED2
