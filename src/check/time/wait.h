/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops that go round until the clock has gone on far enough. */
#ifndef WW_CHECK_TIME_WAIT_H
#define WW_CHECK_TIME_WAIT_H

#include "ptx/cfg.h"

typedef struct WaitInput {
    const Func        *func;
    const Cfg         *cfg;
    const void *const *args;  /* of the kernel that `func` is, as WwLaunch.args; NULL: it is none, or they are not known */
    double             mhz;   /* clocks of a microsecond: for loops that look at nanoseconds */
} WaitInput;

/* By loop of the Cfg: the clocks that it waits for each time that it is entered; 0: it waits for none, or it is not known for how many. */
void wait_clocks(const WaitInput *in, double *clocks);

#endif
