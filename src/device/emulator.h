/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the emulator device share: the device, where an instruction stands in the user's source, the observer
 * behind WW_OBSERVE_ACCESSES, and the making of a WwResult. */
#ifndef WW_DEVICE_EMULATOR_H
#define WW_DEVICE_EMULATOR_H

#include "device/device.h"
#include "emu/emu.h"
#include "model/profile.h"

typedef struct Emulator {
    WwDevice       base;
    EmuDevice     *emu;
    const Profile *profile;
} Emulator;

typedef struct Place {
    const char *file;
    uint32_t    line, col;
    bool        from_ptx; /* no .loc: a place in the PTX text itself */
} Place;

/* The source position of an instruction: its .loc (of an inlined call: the callee's line), else its place in the PTX. */
Place instr_place(const Module *m, const Instr *in);
/* x fastest. */
WwDim3 block_index(uint64_t linear, const uint32_t grid[3]);

/* An observer that calls w->on_access; access_watch_free when the launch is over. */
Observer *access_watch_new(const Profile *p, const Module *m, const WwLaunch *w);
void      access_watch_free(Observer *o);

/* Turns what a launch left into r; count is the counting observer or NULL. */
void emulator_collect(const Module *m, const EmuResult *e, Observer *count, WwResult *r);
/* Adds the warning about accesses past an allocation's end but in its granule. */
void emulator_slack(const Module *m, const Func *k, const EmuResult *e, WwResult *r);
/* Adds the finding of e->fault and sets the device's message; returns s. */
Status emulator_fault(WwDevice *d, const Module *m, const Func *k, const EmuResult *e, Status s, WwResult *r);

#endif
