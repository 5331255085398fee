/* SPDX-License-Identifier: Apache-2.0
 *
 * The container nvcc embeds: a header, then entries (PTX, machine code), each for one architecture, perhaps compressed.
 *
 *     header   magic u32 | version u16 | header bytes u16 | bytes that follow u64
 *     entry    kind u16 | version u16 | header bytes u32 | payload bytes u64 | compressed bytes u32 | ... | arch u32 at 28
 *              | flags u64 at 40 | bytes before compression u64 at 56 */
#ifndef WW_SASS_FATBIN_H
#define WW_SASS_FATBIN_H

#include "base/status.h"
#include "base/str.h"

/* Chooses the PTX for the newest architecture that is not above `arch` (90 for sm_90), that for this one alone (sm_90a) first, and appends
 * its text to *ptx.  `data` is the
 * container (limit bytes of it may be read; SIZE_MAX when it lies in a loaded program).  On failure *why says what is there.
 * WW_ERR_NOT_FOUND: no PTX that fits; WW_ERR_INVALID: damaged; WW_ERR_UNAVAILABLE: a decompressor is not in this build. */
Status fatbin_ptx(const void *data, size_t limit, unsigned arch, Str *ptx, Str *why);
/* Appends the machine code (an ELF file) for the newest architecture up to `arch` that runs on it; false: there is none. */
bool   fatbin_code(const void *data, size_t limit, unsigned arch, Str *elf);
/* True if `data` begins with the container's magic number. */
bool fatbin_is(const void *data, size_t limit);
/* Its whole length in bytes; 0 if it is not one. */
size_t fatbin_bytes(const void *data, size_t limit);

#endif
