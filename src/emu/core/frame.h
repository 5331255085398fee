/* SPDX-License-Identifier: Apache-2.0
 *
 * Frames of calls, which a worker keeps for the next call of the same function. */
#ifndef WW_EMU_FRAME_H
#define WW_EMU_FRAME_H

#include "emu/core/run.h"

Frame *frame_new(Worker *k, const Code *code);
void   frame_free(Worker *k, Frame *f);

#endif
