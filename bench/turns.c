/* SPDX-License-Identifier: Apache-2.0
 *
 * Processes that launch when they are asked to, and who is asked next.  A process first launches once or, where native code is made beside the
 * interpreter (WARPWRIGHT_ENGINE=auto), some times until that has all of it; then each byte that it is sent is a launch, and the end of its input
 * the end of its work.
 * The order turns round after each round, so that a host that becomes slower is nobody's gain. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/simd.h"
#include "bench/product.h"

enum { WARM = 3, SHORT_TURNS = 2, RARE = 6 };
/* Seconds of a launch: below the first it is launched twice in a turn; above it the turns become rare, so that the slow leave time to the fast. */
static const double is_short = 0.1, is_long = 0.3, is_endless = 0.5;
static const double all_native = 0.9;

/* The other process. */
static int serve(const Party *p, int from, int to)
{
    Reading r = {0};
    char    c = 0;
    if (p->product.simd)
        setenv(SIMD_VARIABLE, p->product.simd, 1); /* checkers ask for it, too */
    void *x = p->maker->open(&p->product);
    if (!x)
        return 1;
    bool ok = p->maker->launch(x, &r);
    for (unsigned i = 1; i < WARM && ok && r.native < all_native; i++)
        ok = p->maker->launch(x, &r);
    for (;;) {
        if (!ok || write(to, &r, sizeof r) != (ssize_t)sizeof r || read(from, &c, 1) != 1)
            break;
        ok = p->maker->launch(x, &r);
    }
    return p->maker->close(x, &p->product) && ok ? 0 : 1;
}

static void answer(Party *p)
{
    if (!p->failed && read(p->from, &p->last, sizeof p->last) != (ssize_t)sizeof p->last)
        p->failed = true;
}

/* Starts its process, which must have nothing of the others', or their ends would never be seen. */
static void start(Party *p, const Party *parties)
{
    int there[2], back[2];
    fflush(stdout);
    p->failed = true;
    if (pipe(there) != 0 || pipe(back) != 0 || (p->process = fork()) < 0) {
        perror("bench");
        return;
    }
    if (p->process == 0) {
        for (const Party *o = parties; o < p; o++)
            if (o->process > 0) {
                close(o->to);
                close(o->from);
            }
        close(there[1]);
        close(back[0]);
        if (!p->maker->is_here())
            _exit(2);
        _exit(serve(p, there[0], back[1]));
    }
    close(there[0]);
    close(back[1]);
    p->to     = there[1];
    p->from   = back[0];
    p->failed = false;
    answer(p);
    p->every = p->last.processor > is_endless ? RARE : p->last.processor > is_long ? 2 : 1;
}

static void turn(Party *p, unsigned round)
{
    unsigned times = p->last.processor < is_short ? SHORT_TURNS : 1;
    for (unsigned i = 0; i < times && !p->failed; i++) {
        if (write(p->to, "", 1) != 1)
            p->failed = true;
        answer(p);
        if (p->failed)
            break;
        if (i == 0 || p->last.seconds < p->seconds[round])
            p->seconds[round] = p->last.seconds;
        if (i == 0 || p->last.processor < p->processor[round])
            p->processor[round] = p->last.processor;
    }
}

static bool end(Party *p)
{
    struct rusage use;
    int           status;
    if (p->process <= 0)
        return false;
    close(p->to);
    bool ended = wait4(p->process, &status, 0, &use) == p->process;
    close(p->from);
    p->memory_mib = (double)use.ru_maxrss / 1024;
    if (ended && WIFSIGNALED(status))
        fprintf(stderr, "bench: %s: its process was ended by signal %d\n", p->product.kernel, WTERMSIG(status));
    p->missing = ended && WIFEXITED(status) && WEXITSTATUS(status) == 2;
    p->failed  = !ended || (!p->missing && (p->failed || status != 0));
    return !p->failed;
}

bool product_turns(Party *parties, unsigned count, double seconds)
{
    bool good = true;
    signal(SIGPIPE, SIG_IGN); /* one that has ended is told of below */
    for (unsigned i = 0; i < count; i++)
        start(&parties[i], parties);
    double begin = product_clock(CLOCK_MONOTONIC);
    for (unsigned round = 0; round < MOST_TURNS; round++) {
        if (round && product_clock(CLOCK_MONOTONIC) - begin > seconds)
            break;
        for (unsigned i = 0; i < count; i++) {
            Party *p = &parties[round % 2 ? count - 1 - i : i];
            if (p == parties || round % p->every == 0)
                turn(p, round);
        }
    }
    for (unsigned i = 0; i < count; i++)
        good = end(&parties[i]) && good;
    return good;
}

static const double *taken(const Party *p, bool clock)
{
    return clock ? p->seconds : p->processor;
}

double party_least(const Party *p, bool clock)
{
    double least = 0;
    for (unsigned i = 0; i < MOST_TURNS; i++) {
        double took = taken(p, clock)[i];
        if (took > 0 && (!(least > 0) || took < least))
            least = took;
    }
    return least;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double party_ratio(const Party *a, const Party *b, bool clock)
{
    double   ratios[MOST_TURNS];
    unsigned n = 0;
    for (unsigned i = 0; i < MOST_TURNS; i++)
        if (taken(a, clock)[i] > 0 && taken(b, clock)[i] > 0)
            ratios[n++] = taken(a, clock)[i] / taken(b, clock)[i];
    qsort(ratios, n, sizeof *ratios, compare);
    if (n == 0)
        return 0;
    return n % 2 ? ratios[n / 2] : 0.5 * (ratios[n / 2 - 1] + ratios[n / 2]);
}
