/* SPDX-License-Identifier: Apache-2.0
 *
 * The special registers of the manual, by name.  Numbered families (%envreg0 ... %envreg31, %pm0 ... %pm7) are one row each;
 * %pm0_64 ... %pm7_64 are the 64-bit readings of %pm0 ... %pm7. */
#include <string.h>

#include "ptx/sregs.h"

static const SregInfo sregs[] = {
#define SREG(name, type, parts, count, same) {#name, SREG_##name, TY_##type, parts, same, count},
#include "ptx/sregs.def"
#undef SREG
};

/* The number n stands for, -1 if that is not below `count`. */
static int number_below(const char *s, size_t n, unsigned count)
{
    unsigned v = 0;
    if (n == 0 || n > 2 || (n == 2 && *s == '0'))
        return -1;
    for (size_t i = 0; i < n; i++) {
        if (s[i] < '0' || s[i] > '9')
            return -1;
        v = v * 10 + (unsigned)(s[i] - '0');
    }
    return v < count ? (int)v : -1;
}

const SregInfo *sreg_find(const char *name, size_t len, unsigned *number)
{
    static const SregInfo pm64 = {"pm", SREG_pm, TY_U64, false, false, 8};
    for (size_t i = 0; i < sizeof sregs / sizeof *sregs; i++) {
        const SregInfo *s    = &sregs[i];
        size_t          n    = strlen(s->name);
        bool            wide = s->id == SREG_pm && len == 6 && memcmp(name + 3, "_64", 3) == 0;
        if (len < n || memcmp(name, s->name, n) != 0)
            continue;
        int v = s->count ? number_below(name + n, wide ? 1 : len - n, s->count) : len == n ? 0 : -1;
        if (v < 0)
            continue;
        if (number)
            *number = (unsigned)v;
        return wide ? &pm64 : s;
    }
    return NULL;
}
