/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows of isa.def as numbers.  Whoever includes this is compiled again for each new row: a file that only asks what an instruction does
 * asks for its traits (traits.h), which need no names of rows. */
#ifndef WW_PTX_OP_H
#define WW_PTX_OP_H

enum { /* values of Op (ptx.h): OP_<id>, one per row */
    OP_NONE,
#define ISA_ANY(id, exactness, pipe, traits, flow, form, note) OP_##id,
#include "ptx/isa.def"
#undef ISA_ANY
    OP_COUNT
};

#endif
