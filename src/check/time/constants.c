/* SPDX-License-Identifier: Apache-2.0
 *
 * Constants lie in banks of at most 64 KiB, and come from L2 in lines of 256 bytes.  Most instructions name the place that they read.  Of those
 * that add a register to it only their number is known: they are taken to read one word behind the other, up to the bank's end.
 *
 * Left out: constants that do not fit in the multiprocessor's caches for them, and lanes that read different words at once. */
#include "check/time/constants.h"

#include <math.h>

enum {
    LINE        = 256,
    ARGUMENTS   = 0,
    OWN         = 3,
    FIRST_LINES = 3
}; /* FIRST_LINES: with the launch's geometry and a few arguments */

void constants_add(Constants *c, const SassWord *w, double times)
{
    if (!w->constant || times <= 0)
        return;
    if (w->indexed)
        c->indexed[w->bank] += times * w->constant_bytes;
    else
        c->read[w->bank][w->offset / LINE] = true;
}

static double lines_of(const Constants *c, unsigned bank, size_t bytes)
{
    double lines = 0;
    for (unsigned i = 0; i < CONSTANT_LINES; i++)
        lines += c->read[bank][i];
    return fmax(lines, fmin(lines + ceil(c->indexed[bank] / LINE), ceil((double)bytes / LINE)));
}

double constants_arguments(const Constants *c, const CubinFunc *f)
{
    return fmax(0, lines_of(c, ARGUMENTS, f->arguments) - FIRST_LINES);
}

double constants_others(const Constants *c, const CubinFunc *f)
{
    double lines = 0;
    for (unsigned bank = 0; bank < CONSTANT_BANKS; bank++)
        if (bank != ARGUMENTS)
            lines += lines_of(c, bank, bank == OWN ? f->constants : 0);
    return lines;
}
