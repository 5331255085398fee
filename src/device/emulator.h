/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the emulator device share: the device, where an instruction stands in the user's source, the observer
 * behind WW_OBSERVE_ACCESSES, and the making of a WwResult. */
#ifndef WW_DEVICE_EMULATOR_H
#define WW_DEVICE_EMULATOR_H

#include "check/check.h"
#include "ptx/place.h"
#include "device/device.h"
#include "device/ptxas.h"
#include "emu/emu.h"
#include "model/profile.h"

typedef struct Emulator {
    WwDevice       base;
    EmuDevice     *emu;
    const Profile *profile;
    Checks        *checks;   /* NULL: nothing is checked */
    Ptxas         *ptxas;
    bool           asks_registers; /* of every kernel, as performance is checked */
    uint64_t       launches, seed;
    const WorkOrder *work;   /* of the launch that begins; NULL: it is ordered with everything */
    const bool      *held;   /* likewise: EmuLaunch.held */
} Emulator;

/* x fastest. */
WwDim3 block_index(uint64_t linear, const uint32_t grid[3]);

/* An observer that calls w->on_access; access_watch_free when the launch is over. */
Observer *access_watch_new(const Profile *p, const Module *m, const WwLaunch *w);
void      access_watch_free(Observer *o);

/* Tells the checkers, when there are any, what the host did to device memory other than through the device (src/cuda). */
void emulator_tell(WwDevice *d, MemoryKind kind, uint64_t address, uint64_t from, uint64_t bytes);
void emulator_tell_work(WwDevice *d, MemoryKind kind, uint64_t address, uint64_t from, uint64_t bytes, const WorkOrder *work);
/* The limits of cudaDeviceSetLimit that kernels depend on (emu/emu.h), the checkers told of a heap that moved. */
Status   emulator_set_heap(WwDevice *d, uint64_t bytes);
void     emulator_set_stack(WwDevice *d, uint32_t bytes);
void     emulator_reset_limits(WwDevice *d);
/* The architecture for which a kernel's registers are wanted; 0: they are not, as performance is not checked. */
unsigned emulator_assembles(const WwDevice *d);
/* They are known from machine code: no assembler is asked. */
void     emulator_resources_are(WwDevice *d, WwModule *m, const char *kernel, unsigned registers, unsigned stack);
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
void emulator_resources(Emulator *e, const Module *m, const Func *k, const WwLaunch *w, WwResult *r);
/* Adds the finding of e->fault and sets the device's message; returns s. */
Status emulator_fault(WwDevice *d, const Module *m, const Func *k, const EmuResult *e, Status s, WwResult *r);

#endif
