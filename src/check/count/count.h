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

#include "base/parcel.h"
#include "emu/observer.h"
#include "model/profile.h"
#include "warpwright/warpwright.h"

Observer *count_new(const Profile *p);
void      count_free(Observer *o); /* NULL is allowed */
/* Before the launch: the assembler keeps in registers what PTX has in local memory. */
void      count_in_registers(Observer *o);

/* What a sink is told: `hits` executions of one instruction that showed one pattern. */
typedef struct CountPattern {
    uint32_t instr;
    uint8_t  space, op, cache, bytes; /* AccessSpace, AccessOp, AccessCache, of a lane */
    uint32_t mask;
    int64_t  delta[LANES]; /* address minus that of the first active lane; 0 in idle lanes */
    /* By the first active lane's place, in units of `bytes`: its offset in shared memory; elsewhere its address modulo the model's
     * period.  (An atomic whose cost depends on where it lies: place 0, whatever it was.) */
    const uint64_t *hits;
    uint32_t        places;
} CountPattern;

/* Who wants the patterns themselves and not only what they cost: told when one is forgotten and at the end, so the same may come
 * again.  States are one for each worker. */
typedef struct CountSink CountSink;
struct CountSink {
    void *(*fork)(CountSink *s, const LaunchInfo *info);
    void (*add)(void *state, const CountPattern *p);
    bool (*wants)(void *state, uint32_t instr); /* false: no more of this instruction, ever */
    void (*join)(CountSink *s, void *state); /* consumes the state */
};
/* Before the launch; it may be told once. */
void count_tell(Observer *o, CountSink *sink);

/* Adds every counter of `from` to `to`. */
void counters_add(WwCounters *to, const WwCounters *from);
/* Sums over all instructions; after the launch. */
const WwCounters *count_total(Observer *o);
/* Number of instruction ids of the launch. */
uint32_t count_instrs(const Observer *o);
/* Of one instruction; NULL if it made no access. */
const WwCounters *count_instr(Observer *o, uint32_t id);
/* Rounds of its loops of compare-and-swap, those that warps lose to each other (rounds.h) too. */
uint64_t count_rounds(const Observer *o, uint32_t id);

/* After the launch: everything that was counted, for the same program's process elsewhere; and what such a one has counted of other blocks is added. */
void count_put(const Observer *o, Parcel *p);
void count_add(Observer *o, Parcel *p);

/* How the assembler may join the instruction with its neighbours (merge.h); 0: not at all. */
uint32_t count_role(const Observer *o, uint32_t id);

#endif
