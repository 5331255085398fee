/* SPDX-License-Identifier: Apache-2.0
 *
 * The counting observer: every counter of counters.def that follows from memory accesses, per instruction and in total.
 * (inst_executed and thread_inst_executed are the emulator's own: EmuResult.)
 *
 *     Observer *o = count_new(profile);
 *     ... launch with o among the observers ...
 *     count_total(o)->global_ld_sectors, count_instr(o, id)
 *     count_free(o);
 *
 * It may serve repeated launches of one kernel: the numbers add up.  Another kernel needs another one, as ids mean other
 * instructions there. */
#ifndef WW_CHECK_COUNT_H
#define WW_CHECK_COUNT_H

#include "emu/observer.h"
#include "model/profile.h"
#include "warpwright/warpwright.h"

Observer *count_new(const Profile *p);
void      count_free(Observer *o); /* NULL is allowed */

/* Sums over all instructions; after the launch. */
const WwCounters *count_total(Observer *o);
/* Number of instruction ids of the launch. */
uint32_t count_instrs(const Observer *o);
/* Of one instruction; NULL if it made no access. */
const WwCounters *count_instr(Observer *o, uint32_t id);

#endif
