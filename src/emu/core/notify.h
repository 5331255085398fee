/* SPDX-License-Identifier: Apache-2.0
 *
 * Telling the observers. */
#ifndef WW_EMU_NOTIFY_H
#define WW_EMU_NOTIFY_H

#include "emu/core/run.h"

/* Tells several observers of an access: those that want it. */
void access_notify_all(Warp *w, const Access *a);
/* Where a load is made that the assembler moves: to who wants to know. */
void access_notify_sunk(Warp *w, const Access *seen, AccessSpace space, const uint32_t *off, const uint64_t *addr);
/* Tells the observers; callers look at Launch.watches_sync first.  Fills in what every event has (u may be NULL). */
void sync_notify(Warp *w, const Uop *u, SyncEvent e);
void block_notify_start(Block *b, Worker *k);
/* Tells the observers that know what nobody wrote (Observer.use) that a call of the runtime reads these bytes for one lane: what there is of
 * poison goes out of the kernel.  Power of two bytes, generic address. */
void read_notify(Warp *w, const Uop *u, unsigned lane, uint64_t address, unsigned bytes);
/* The same of whole accesses, which nobody else is told of: a->poison says then what of them nobody wrote. */
void use_notify(Warp *w, const Access *a);
void async_notify(Warp *w, const Uop *u, AsyncAccess a); /* callers look at Launch.watches_async first */
#define NOTIFY_SYNC(w, u, ...)                                         \
    do {                                                               \
        if (__builtin_expect((w)->block->launch->watches_sync, 0))     \
            sync_notify(w, u, (SyncEvent){__VA_ARGS__});               \
    } while (0)

#endif
