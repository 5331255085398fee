/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine code as an image: what runs is the PTX that the assembler left in it. */
#ifndef WW_CUDA_CODE_H
#define WW_CUDA_CODE_H

#include <stdbool.h>

#include "base/status.h"
#include "base/str.h"

/* Does it begin as a cubin does?  limit: bytes that may be read; SIZE_MAX: not known, as many as its header says.  *bytes: its length.  An ELF
 * file of another kind is none, and *other says so. */
bool   code_is(const void *data, size_t limit, size_t *bytes, bool *other);
/* Appends the PTX it was made from, with places in the source; of several linked texts, one module.  WW_ERR_NOT_FOUND: it holds none;
 * WW_ERR_INVALID: it is damaged.  *why is the message. */
Status code_ptx(const void *code, size_t bytes, Str *ptx, Str *why);

#endif
