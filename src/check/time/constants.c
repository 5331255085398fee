/* SPDX-License-Identifier: Apache-2.0
 *
 * Constants lie in banks of at most 64 KiB.  A multiprocessor takes them in 256 bytes at a time, and from there in lines of 64 bytes to where
 * instructions read them.  Its arguments a launch brings along.  Most instructions name the place that they read.  Of those that add a register
 * to it only their number is known: they are taken to read one word behind the other, up to the bank's end.
 *
 * Left out: the compiler's own constants (nothing is missing of gabor-cuda and coordinates-cuda, which have some), lines that make room for
 * others and are read again, lanes that read different words at once, loads whose waits overlap. */
#include "check/time/constants.h"

#include <math.h>

enum {
    LINE        = 64,
    LINES       = 4,
    ARGUMENTS   = 0,
    OWN         = 3,
    FIRST_LINES = 12
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

/* Of a bank of so many bytes that are known, in groups of lines. */
static double lines_of(const Constants *c, unsigned bank, size_t bytes, unsigned group)
{
    double lines = 0, size = (double)group * LINE;
    for (unsigned i = 0; i < CONSTANT_LINES; i += group) {
        bool any = false;
        for (unsigned k = 0; k < group; k++)
            any |= c->read[bank][i + k];
        lines += any;
    }
    return fmax(lines, fmin(lines + ceil(c->indexed[bank] / size), ceil((double)bytes / size)));
}

double constants_wait(const Constants *c, const CubinFunc *f, double line, double far)
{
    double arguments = fmax(0, lines_of(c, ARGUMENTS, f->arguments, 1) - FIRST_LINES);
    return line * (arguments + lines_of(c, OWN, f->constants, 1)) + far * lines_of(c, OWN, f->constants, LINES);
}
