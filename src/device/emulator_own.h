/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the emulator device share: the device, the observer behind WW_OBSERVE_ACCESSES, and the making of a WwResult. */
#ifndef WW_DEVICE_EMULATOR_OWN_H
#define WW_DEVICE_EMULATOR_OWN_H

#include "check/touched.h"
#include "device/emulator.h"
#include "device/ptxas.h"
#include "model/profile.h"
#include "ptx/place.h"

typedef struct TimedModule TimedModule; /* emulator_time.c */
typedef struct LaunchTime  LaunchTime;

typedef struct Emulator {
    WwDevice       base;
    EmuDevice     *emu;
    const Profile *profile;
    Limits         limits;   /* of the profile's card */
    Checks        *checks;   /* NULL: nothing is checked */
    Ptxas         *ptxas;
    TimedModule   *timed;    /* machine code of modules whose launches are predicted */
    bool           cooperated;     /* a cooperative launch has run: a card keeps its grid barrier's memory for all later launches */
    bool           asks_registers; /* of every kernel, as performance is checked */
    uint64_t       launches, seed;
    uint32_t       blocks[2]; /* first and random ones of a launch that is observed; 0 and 0: all */
    void         (*host)(WwFinding *f, void *call); /* MemoryEvent.host */
    void        *(*call)(void);
    size_t       (*host_memory)(HostRange **out); /* emulator_host_memory */
} Emulator;

/* x fastest. */
WwDim3 block_index(uint64_t linear, const uint32_t grid[3]);

/* An observer that calls w->on_access; access_watch_free when the launch is over. */
Observer *access_watch_new(const Profile *p, const Module *m, const WwLaunch *w);
void      access_watch_free(Observer *o);

/* What checkers are told about a launch; `user` is the device. */
CheckLaunch emulator_check_launch(const Emulator *e, const Module *m, const Func *k, const WwLaunch *w, const void *params);
/* Adds findings to r. */
void emulator_findings(Findings *found, const Module *m, const Func *k, const EmuResult *e, const WwLaunch *w, WwResult *r);
/* Turns what a launch left into r; count is the counting observer or NULL. */
void emulator_collect(const Module *m, const EmuResult *e, Observer *count, WwResult *r);
/* Adds the faults after which the launch went on. */
void emulator_kept(const Emulator *d, const Module *m, const Func *k, const EmuResult *e, WwResult *r);
/* Adds the patterns that cost most. */
void emulator_patterns(const Profile *p, const Module *m, const EmuResult *e, Patterns *kept, WwResult *r);
/* Fills in r->resources, when they can be had; shared: bytes of a block. */
/* Does the assembler keep in registers all that the kernel has in local memory? */
bool emulator_in_registers(Emulator *e, const Module *m, const Func *k);
void emulator_resources(Emulator *e, const Module *m, const Func *k, const WwLaunch *w, WwResult *r);
/* WW_OBSERVE_TIME.  NULL: the card's figures are not known.  The observer is among the launch's; free with emulator_time_free.  params: the parameter block,
 * which lives until then; who launched the kernel may go on before, with other things where w->args point to. */
LaunchTime *emulator_time_begin(Emulator *e, const Module *m, const Func *k, const WwLaunch *w, const void *params);
Observer   *emulator_time_observer(const LaunchTime *t);
void        emulator_time_free(LaunchTime *t); /* NULL is allowed */
/* For the same launch's process elsewhere; and what such a one put is added. */
void        emulator_time_put(const LaunchTime *t, Parcel *p);
void        emulator_time_add(LaunchTime *t, Parcel *p);
/* Fills in the gain of the mends of r's findings, where a launch was predicted; t: NULL is allowed. */
void emulator_time_mends(const LaunchTime *t, WwResult *r);
/* Fills in r->prediction from what a launch left that ended well. */
void        emulator_time_end(LaunchTime *t, const WwLaunch *w, const EmuResult *e, Observer *count, WwResult *r);
/* Forgets the code of a module that is unloaded; NULL: of all. */
void        emulator_time_forget(Emulator *e, const Module *m);
/* Adds the finding of e->fault and sets the device's message; returns s. */
Status emulator_fault(WwDevice *d, const Module *m, const Func *k, const EmuResult *e, Status s, WwResult *r);

/* The rounds of a sampled launch (EmuLaunch.on_round). */
typedef struct SampleRounds {
    Observer  *count; /* or NULL */
    struct SampleSoFar {
        uint64_t   blocks;
        WwCounters counters;
    } after[1 + SAMPLE_BATCHES];
    unsigned n;
} SampleRounds;
/* Asks for the sample that the device's options name; s lives as long as the request. */
void emulator_sample_begin(const Emulator *e, const WwLaunch *w, Observer *count, EmuLaunch *request, SampleRounds *s);
/* For the same launch's process elsewhere; and what such a one put is added. */
void emulator_sample_put(const SampleRounds *s, const EmuResult *e, Parcel *p);
void emulator_sample_add(SampleRounds *s, EmuResult *e, Parcel *p);
/* Fills in r->sample. */
void emulator_sample_end(const SampleRounds *s, const EmuResult *e, WwResult *r);

/* ---- launches whose blocks run in several processes (emulator_share.c; DeviceShare) ---- */

typedef struct Shared { /* zero it first */
    DeviceShare *share;
    Emulator    *device;
    Observer    *touched;
    Str          printed; /* by blocks of this rank, but the first */
    Parcel      *theirs;  /* by rank, read as far as results */
    unsigned     ranks;   /* so many, from the first on, count: behind them a fault stopped the launch */
} Shared;

/* What a launch was and left, of which rank 0's becomes that of all. */
typedef struct SharedLaunch SharedLaunch;
struct SharedLaunch {
    Status       status;
    EmuResult   *result;
    CheckLaunch *check;
    Observer    *count;    /* or NULL */
    Patterns    *patterns; /* or NULL */
    LaunchTime  *time;     /* or NULL */
    SampleRounds *rounds;
    Findings    *found;
    const WwLaunch *w;
    void       (*ends)(Emulator *e, SharedLaunch *l);               /* ends its checks */
    void       (*wrote)(void *device, uint64_t address, uint64_t bytes); /* other ranks' blocks have written that */
};

/* Before the launch.  False: share->refused says why it cannot be. */
bool shared_begin(Shared *s, WwDevice *d, const DeviceLaunch *l, const CheckLaunch *check, EmuLaunch *request);
/* After it: everybody knows what every rank's blocks did, memory is the same everywhere, and on rank 0 the launch is whole but for its findings.
 * Elsewhere than on rank 0, whose findings come later, the checks have ended then. */
void shared_meet(Shared *s, SharedLaunch *l);
/* Adds what the others found; rank 0, after its own checks have ended. */
void shared_findings(Shared *s, SharedLaunch *l);
void shared_end(Shared *s);

#endif
