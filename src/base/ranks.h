/* SPDX-License-Identifier: Apache-2.0
 *
 * The processes of one parallel start (mpirun, srun), its ranks, as far as warpwright's own commands need them: which one this is, and parcels
 * that all hand to all.  MPI is not used: the commands are not MPI programs, and the program that `run` starts may be one.
 *
 *     RanksWho w;
 *     if (ranks_who(&w) && ranks_open(&w, &ask, &why, &r) == WW_OK) {
 *         ranks_exchange(r, &mine, theirs, &why);    // any number of times, each rank as often
 *         ranks_close(r);
 *     }
 *
 * Nobody waits for one that is gone: whoever ends, or is killed, is noticed within RANKS_NOTICE seconds, and one that does not come within
 * RANKS_BEGIN (WARPWRIGHT_RANK_SECONDS). */
#ifndef WW_BASE_RANKS_H
#define WW_BASE_RANKS_H

#include <stdbool.h>

#include "base/parcel.h"
#include "base/status.h"
#include "base/str.h"

enum { RANKS_NOTICE = 1, RANKS_BEGIN = 60 }; /* seconds */
enum { RANKS_MOST = 4096 };

typedef struct RanksWho {
    unsigned    rank, ranks;
    unsigned    local; /* ranks on this machine; 0: not known */
    char        job[128];
    const char *by;    /* who started them */
} RanksWho;

/* Is this process one of several? */
bool ranks_who(RanksWho *out);

typedef struct RanksAsk {
    const char         *folder; /* that all of them see; NULL: $TMPDIR or /tmp, for those of one machine */
    const char         *what;   /* must be the same for all: what they are about to do together */
    const volatile int *stop;   /* waiting ends soon after *stop becomes non-zero; may be NULL */
} RanksAsk;

typedef struct Ranks Ranks;
/* Returns when all are there.  WW_ERR_IO, WW_ERR_INVALID (another version, another command), WW_ERR_LIMIT (somebody did not come, or stop):
 * *why says it, and the others are told. */
Status   ranks_open(const RanksWho *w, const RanksAsk *ask, Str *why, Ranks **out);
/* Tells the others that it leaves, without waiting; NULL is allowed. */
void     ranks_close(Ranks *r);
unsigned ranks_rank(const Ranks *r);
unsigned ranks_count(const Ranks *r);
/* A folder that all of them see, and that goes away when the last one closes. */
const char *ranks_folder(const Ranks *r);

/* Every rank gets what every other one gave: theirs[i], to be freed; its own is left empty.  WW_ERR_UNAVAILABLE: *why says which ranks are
 * gone; what the others gave is there.  WW_ERR_LIMIT, WW_ERR_IO, or somebody failed (ranks_fail): *why is what to say. */
Status ranks_exchange(Ranks *r, const Parcel *mine, Parcel *theirs, Str *why);
/* From now on it waits for one that lives no longer than so many seconds (WW_ERR_LIMIT); 0: as long as it lives. */
void   ranks_patience(Ranks *r, unsigned seconds);
/* Has a rank failed, ended, or been killed?  *why says which. */
bool   ranks_gone(const Ranks *r, Str *why);
/* Every exchange of any rank that waits, or comes later, ends with this message. */
void   ranks_fail(Ranks *r, const char *message);

/* A text that is the same for processes that run the same build of this library. */
void ranks_build(Str *out);

#endif
