/* SPDX-License-Identifier: Apache-2.0
 *
 * Groups that poll sleep until a word that they read is another one. */
#ifndef WW_EMU_DOZE_H
#define WW_EMU_DOZE_H

#include "emu/core/run.h"

/* Did the warp last sleep where it stands now?  Then the first round is noted. */
bool       doze_knows(const Warp *w);
/* Can what the next round reads be noted, from w->pc on? */
bool       doze_begin(Warp *w);
/* While a look is on: runs the group from u on, as the interpreter does, until it stops, or stands at w->merge or behind it; a round that
 * was begun so is noted. */
const Uop *doze_run(Warp *w, const Uop *u);
/* It has come back as it was: it sleeps from now on, if all that it read was noted. */
void       doze_end(Warp *w);
/* The group that was picked sleeps, and what it read is as it was: its turn has passed as if it had looked.  Else it is awake. */
bool       doze_passes(Warp *w);
/* Would every turn of the warp pass, until a word that it waits for changes? */
bool       doze_rests(const Warp *w);
/* Has none of those words changed since it fell asleep, as of *w, which rests? */
bool       doze_stays(const Warp *w);
/* Words that it waits for, which rests; the first one's place, size and value then. */
uint32_t   doze_words(const Warp *w, const uint8_t **at, uint32_t *bytes, uint64_t *value);
/* What is there now; bytes: 1, 2, 4, 8. */
static inline uint64_t doze_word(const uint8_t *at, uint32_t bytes)
{
    switch (bytes) {
    case 1: return __atomic_load_n(at, __ATOMIC_RELAXED);
    case 2: return __atomic_load_n((const uint16_t *)(const void *)at, __ATOMIC_RELAXED);
    case 4: return __atomic_load_n((const uint32_t *)(const void *)at, __ATOMIC_RELAXED);
    default: return __atomic_load_n((const uint64_t *)(const void *)at, __ATOMIC_RELAXED);
    }
}
/* The warp's context is freed. */
void       doze_free(Warp *w);

#endif
