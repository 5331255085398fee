/* SPDX-License-Identifier: Apache-2.0
 *
 * warpwright profiles: the device profiles that --profile accepts, one a line, in the order of profiles.def; at the end the threads
 * and the bytes of shared memory that a block can have.  The numbers' sources stand in that file.  A dash: not known (a card's figure)
 * or not a card (an architecture). */
#include <stdio.h>

#include "cli/cli.h"
#include "model/limits.h"

static void figure(unsigned value, int width)
{
    if (value)
        printf("  %*u", width, value);
    else
        printf("  %*s", width, "-");
}

int cmd_profiles(int argc, char **argv)
{
    CliArgs a;
    int     code;
    if (!cli_parse(&a, argc, argv, &code))
        return code;
    cli_free(&a);
    printf("%-13s%-32s%5s  %10s  %4s  %5s  %6s  %6s  %7s  %6s\n", "name", "what", "banks", "bank bytes", "SMs", "MHz",
           "MiB", "GB/s", "threads", "shared");
    const Profile *p;
    for (size_t i = 0; (p = profile_at(i)); i++) {
        printf("%-13s%-32s%5u  %10u", p->name, p->title, p->arch->banks, p->arch->bank_bytes);
        figure(p->sms, 4);
        figure(p->clock_mhz, 5);
        figure(p->memory_mib, 6);
        figure(p->memory_gbs, 6);
        Limits l = limits_of(p);
        figure(l.block_threads, 7);
        figure(l.block_shared_most, 6);
        putchar('\n');
    }
    return code;
}
