/* SPDX-License-Identifier: Apache-2.0 */
/* isa.def as enumerators: OP_<id>.  Included inside an enum; no include guard on purpose. */
#define ISA_ANY(id, exactness, form, note) OP_##id,
#include "ptx/isa.def"
#undef ISA_ANY
