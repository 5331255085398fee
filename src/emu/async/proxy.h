/* SPDX-License-Identifier: Apache-2.0
 *
 * The async proxy's view of shared memory. */
#ifndef WW_EMU_PROXY_H
#define WW_EMU_PROXY_H

#include "emu/core/run.h"

/* What the async proxy sees of the block's shared memory; the memory itself with eager copies. */
uint8_t *proxy_view(Block *b);

#endif
