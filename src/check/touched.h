/* SPDX-License-Identifier: Apache-2.0
 *
 * Which bytes of global memory a launch read, wrote and reduced: what tells, where its blocks run in several processes, whether one's blocks
 * depend on another's, and what of its memory each has to give to the others.
 *
 *     Observer *o = touched_new(&launch, heap);
 *     ... the launch ...
 *     touched_put(o, true, &parcel);                     // with what the bytes hold that were written
 *     ... everybody has the parcels of all ...
 *     for each rank, in order: touched_meet(all, rank, &parcel, &why)    // false: its blocks and an earlier rank's depend on each other
 *     for each other rank: touched_take(&parcel, wrote, user)             // its bytes into memory
 *     touched_free(o)
 *
 * A reduction is an atomic whose result nobody uses.  Those of several ranks to one place do not depend on each other: what each has made of what was there
 * before is put together, where they are of integers and of one kind. */
#ifndef WW_CHECK_TOUCHED_H
#define WW_CHECK_TOUCHED_H

#include "base/parcel.h"
#include "check/check.h"

/* heap: where the device-side heap begins, whose blocks are a rank's own; 0: nowhere. */
Observer *touched_new(const CheckLaunch *l, uint64_t heap);
void      touched_free(Observer *o); /* NULL is allowed */
void      touched_put(Observer *o, bool bytes, Parcel *p); /* bytes: somebody is going to take it */
/* What it did that a rank cannot give to another (surfaces); NULL: nothing. */
const char *touched_beyond(const Observer *o);

typedef struct TouchedAll TouchedAll;
TouchedAll *touched_all_new(void);
void        touched_all_free(TouchedAll *t);
/* p: from its beginning, and where it was afterwards. */
bool        touched_meet(TouchedAll *t, unsigned rank, Parcel *p, Str *why);
/* Bytes that several ranks reduce in ways that cannot be put together (floats, or one place in several ways), so far; *name: of the allocation of the
 * first of them, and where it is there. */
uint64_t    touched_shared(const TouchedAll *t, const char **name, uint64_t *offset);
/* After all have met.  Copies what the parcel's rank wrote to the addresses it has it from, and puts what it reduced together with what is there; wrote
 * hears of each run of bytes. */
void        touched_take(Parcel *p, void (*wrote)(void *user, uint64_t address, uint64_t bytes), void *user);

#endif
