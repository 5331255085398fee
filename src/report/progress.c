/* SPDX-License-Identifier: Apache-2.0
 *
 * One line, redrawn in place: blocks that have ended of all, how many a second, findings of the launches before, and the kernel.
 *
 * The name stands last and is cut at the terminal's edge, so that the line never wraps: a line that wraps cannot be taken back.  It is
 * written in one call and not through stdio, because the program that runs may be writing, too.  The rate is that since the launch was first
 * told of, which is a few milliseconds after it began.  A launch that pauses is not told of meanwhile; its time goes on. */
#include "report/progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/str.h"

static const double patience = 2, pace = 0.25; /* seconds before the first line, and between two */
static const char   erase[] = "\r\033[K";

enum { COLUMNS = 80, LEAST_COLUMNS = 20 };

static double seconds(const struct timespec *from, const struct timespec *to)
{
    return (double)(to->tv_sec - from->tv_sec) + 1e-9 * (double)(to->tv_nsec - from->tv_nsec);
}

/* What does not get through is left out: the next line comes soon. */
static void put(const char *text, size_t n)
{
    ssize_t written = write(STDERR_FILENO, text, n);
    (void)written;
}

static size_t width(void)
{
    struct winsize w;
    bool           known = ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col >= LEAST_COLUMNS;
    return (known ? w.ws_col : COLUMNS) - 1u;
}

bool progress_possible(void)
{
    const char *terminal = getenv("TERM");
    return isatty(STDERR_FILENO) && !(terminal && strcmp(terminal, "dumb") == 0);
}

static void draw(const ProgressNow *now, double since)
{
    Str    line = {0};
    size_t head = sizeof erase - 1, most = head + width();
    str_printf(&line, "%swarpwright: %" PRIu64 " of %" PRIu64 " blocks (%d %%), %.3g/s", erase, now->done, now->blocks,
               (int)(100.0 * (double)now->done / (double)(now->blocks ? now->blocks : 1)), (double)now->done / since);
    if (now->findings)
        str_printf(&line, ", %zu finding%s", now->findings, now->findings == 1 ? "" : "s");
    str_printf(&line, ", launch %" PRIu64 ": %s", now->launch, now->kernel);
    put(line.s, line.len < most ? line.len : most);
    str_free(&line);
}

void progress_tell(Progress *p, const ProgressNow *now)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    if (!p->begun || p->launch != now->launch) {
        p->begun  = true;
        p->launch = now->launch;
        p->first = p->last = t;
    }
    double since = seconds(&p->first, &t);
    if (since < patience || seconds(&p->last, &t) < pace)
        return;
    p->last = t;
    __atomic_store_n(&p->drawn, true, __ATOMIC_RELEASE);
    draw(now, since);
}

void progress_clear(Progress *p)
{
    if (__atomic_exchange_n(&p->drawn, false, __ATOMIC_ACQ_REL))
        put(erase, sizeof erase - 1);
}
