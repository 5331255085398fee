/* SPDX-License-Identifier: Apache-2.0
 *
 * One result of a launch whose blocks ran in several processes, a stretch of the grid in each.  Numbers of instructions are the same in all of them,
 * as they are the same build and have the same text.
 *
 * As in one process, the first fault by block order that stops the launch is the launch's, and what ran behind it does not count; faults after which
 * it went on are one for each instruction and kind, with the words of the lowest block. */
#include <stdlib.h>
#include <string.h>

#include "emu/core/fault.h"
#include "emu/run/stop.h"

void emu_result_put(const EmuResult *r, Status s, Parcel *p)
{
    parcel_put_number(p, (uint64_t)s);
    parcel_put_number(p, r->went_on);
    parcel_put(p, &r->fault, sizeof r->fault);
    parcel_put_number(p, r->nkept);
    parcel_put(p, r->kept, r->nkept * sizeof *r->kept);
    parcel_put_number(p, r->ninstr);
    parcel_put(p, r->executed, r->ninstr * sizeof *r->executed);
    parcel_put(p, r->lanes, r->ninstr * sizeof *r->lanes);
    parcel_put(p, r->parted, r->ninstr * sizeof *r->parted);
}

static void add_counts(uint64_t *to, uint32_t have, Parcel *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t v = parcel_number(from);
        if (i < have)
            to[i] += v;
    }
}

static void add_kept(EmuResult *to, Parcel *from)
{
    size_t n = parcel_count(from, sizeof(KeptFault));
    Worker w = {.kept = xcalloc(n + 1, sizeof *w.kept), .nkept = n};
    parcel_take(from, w.kept, n * sizeof *w.kept);
    fault_join(to, &w);
}

bool emu_result_add(EmuResult *to, Status *s, Parcel *from)
{
    Status status  = (Status)parcel_number(from);
    bool   went_on = parcel_number(from) != 0;
    Fault  fault;
    if (*s != WW_OK && !to->went_on)
        return false;
    parcel_take(from, &fault, sizeof fault);
    add_kept(to, from);
    size_t n = parcel_count(from, 3 * sizeof(uint64_t));
    add_counts(to->executed, to->ninstr, from, n);
    add_counts(to->lanes, to->ninstr, from, n);
    add_counts(to->parted, to->ninstr, from, n);
    if (from->bad)
        return false;
    if (status != WW_OK && !went_on) {
        to->fault   = fault;
        to->went_on = false;
        *s          = status;
    } else {
        if (!to->went_on && *s == WW_OK)
            to->fault = (Fault){0};
        kept_first(to);
        *s = to->went_on ? WW_ERR_FAULT : WW_OK;
    }
    return true;
}
