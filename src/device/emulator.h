/* SPDX-License-Identifier: Apache-2.0
 *
 * The emulator device for those who know that they have it (src/cuda, `check`): its memory, what its checkers are told and still have to
 * say, and what only it can be set to.  A device of another kind has none of this. */
#ifndef WW_DEVICE_EMULATOR_H
#define WW_DEVICE_EMULATOR_H

#include "check/check.h"
#include "check/time/hostmem.h"
#include "device/device.h"
#include "emu/emu.h"

/* The memory and textures behind it; NULL: it is not an emulator. */
EmuDevice *emulator_emu(WwDevice *d);
/* Calls add with each finding that belongs to no launch; then they are told. */
void       emulator_pending(WwDevice *d, void (*add)(void *user, const WwFinding *f), void *user);

/* Tells the checkers, when there are any, what the host did to device memory other than through the device (src/cuda). */
void emulator_tell(WwDevice *d, MemoryKind kind, uint64_t address, uint64_t from, uint64_t bytes);
void emulator_tell_work(WwDevice *d, MemoryKind kind, uint64_t address, uint64_t from, uint64_t bytes, const WorkOrder *work);
/* What a library's call, named by a text for ever valid, reads for the host. */
void emulator_tell_read(WwDevice *d, const char *by, uint64_t address, uint64_t bytes, const WorkOrder *work);
/* Does work that the host has not waited for use the memory?  (Checker.shown, Checker.uses) */
void      emulator_shown(WwDevice *d, uint64_t from, uint64_t to, const WorkOrder *host);
MemoryUse emulator_uses(WwDevice *d, uint64_t from, uint64_t to, bool writes, const WorkOrder *host);
/* ww_alloc, at the beginning of a page of the host. */
Status emulator_alloc_page(WwDevice *d, uint64_t bytes, WwPtr *out);
/* How a finding gets the place of a call of the host's, and which call this is (MemoryEvent.host, .call). */
void emulator_host(WwDevice *d, void (*place)(WwFinding *f, void *call), void *(*call)(void));
/* How predictions learn which memory lies with the host: `list` gives malloc's ranges by address (*out), and how many. */
void emulator_host_memory(WwDevice *d, size_t (*list)(HostRange **out));
/* The limits of cudaDeviceSetLimit that kernels depend on (emu/emu.h), the checkers told of a heap that moved. */
Status   emulator_set_heap(WwDevice *d, uint64_t bytes);
void     emulator_set_stack(WwDevice *d, uint32_t bytes);
void     emulator_reset_limits(WwDevice *d);
/* The architecture for which a kernel's registers are wanted; 0: they are not, as performance is not checked. */
unsigned emulator_assembles(const WwDevice *d);
/* The program's own machine code of a module, copied: its launches are predicted from it.  False: it has no lines, or they are those of another
 * text than the module's. */
bool     emulator_code_is(WwDevice *d, WwModule *m, const void *code, size_t bytes);
/* The architecture of the profile's card: 90. */
unsigned emulator_arch(const WwDevice *d);
/* They are known from machine code: no assembler is asked. */
void     emulator_resources_are(WwDevice *d, WwModule *m, const char *kernel, unsigned registers, unsigned stack);
/* The same, asked for; false: nobody said it. */
bool     emulator_resources_known(const WwDevice *d, const WwModule *m, const Func *f, unsigned *registers, unsigned *stack);

#endif
