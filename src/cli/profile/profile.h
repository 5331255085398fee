/* SPDX-License-Identifier: Apache-2.0
 *
 * warpwright profile's own: figures of the GPU at hand. */
#ifndef WW_CLI_PROFILE_PROFILE_H
#define WW_CLI_PROFILE_PROFILE_H

#include "base/status.h"
#include "base/str.h"
#include "model/time.h"

typedef struct Measured {
    Profile card;
    Timing  timing;    /* 0: not measured */
    double  clock_mhz; /* at which it ran */
} Measured;

/* Runs the kernels of kernels/peak/2_card.cu on the device, a few seconds; card has what the driver says already, and the device is
 * a GPU.  WW_ERR_...: *why says which figure could not be measured, and why. */
Status profile_measure(WwDevice *d, Measured *m, Str *why);

#endif
