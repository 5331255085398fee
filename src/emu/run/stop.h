/* SPDX-License-Identifier: Apache-2.0
 *
 * A launch that ends before its blocks have. */
#ifndef WW_EMU_STOP_H
#define WW_EMU_STOP_H

#include "emu/core/run.h"

/* The launch ends with that fault, the first one to stop it.  c: a cluster that has not ended, whose threads the fault names; or NULL. */
void launch_stop(Launch *l, const Cluster *c, FaultKind kind, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* The launch, all of whose workers rest, never ends. */
void launch_stop_endless(Launch *l);
/* launch.c: sorts the faults after which a launch went on; the first access that was left out is its fault, as it is where nothing stopped it. */
void kept_first(EmuResult *r);
/* launch.c: adds the instructions spent since the last call to the launch's total and checks its limits; false = stop. */
bool launch_check_limits(Worker *k, const Cluster *c);

#endif
