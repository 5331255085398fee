/* SPDX-License-Identifier: Apache-2.0
 *
 * Barriers of a block. */
#ifndef WW_EMU_BARRIER_H
#define WW_EMU_BARRIER_H

#include "emu/core/run.h"

/* Completes barriers whose last thread has arrived or exited; true if any did. */
bool block_check_barriers(Block *b);

#endif
