/* SPDX-License-Identifier: Apache-2.0
 *
 * The clusters that a worker holds, and whose turn comes. */
#ifndef WW_EMU_RING_H
#define WW_EMU_RING_H

#include "emu/core/run.h"

/* The next one, behind so many others, that does not sleep; k holds some. */
Cluster *ring_take(Worker *k, uint32_t others);
/* c, which worker k has run, is the last one now. */
void     ring_put(Worker *k, Cluster *c);
void     ring_free(Worker *k);

#endif
