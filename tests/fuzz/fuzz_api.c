/* SPDX-License-Identifier: Apache-2.0
 *
 * Sequences of calls of the redirected API.  An input is a byte-code: two bytes choose an entry point of the tables (by
 * their names' hash), then one byte for each
 * of its parameters chooses a value: an extreme of tests/calls, a handle that an earlier call made, a small number.  Whatever is asked, in
 * whatever order, is answered with a status; what was made can be used, destroyed, and used again.
 *
 * Each input is run by a child process, so that it begins with a fresh library and the same input does the same; the counters of its edges
 * come back through shared memory.  An alarm ends what waits: a wait that a card would not end either is no news. */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/calls/calls.h"
#include "tests/fuzz/fuzz.h"

enum { MOST_CALLS = 64, KEPT = 8, SECONDS = 8, ENDED_INSIDE = 3 };

static uint64_t kept[KINDS][KEPT]; /* what calls made, the last ones */
static unsigned made[KINDS];

typedef struct Code {
    const uint8_t *at, *end;
} Code;

static unsigned next(Code *c)
{
    return c->at < c->end ? *c->at++ : 0;
}

/* A pointer that any function may take for memory: the device's.  What a program must not touch is nobody's defect. */
static bool is_device(uint64_t p)
{
    uint64_t far = p > calls_good[DEVICE] ? p - calls_good[DEVICE] : calls_good[DEVICE] - p;
    return far < UINT64_C(1) << 30;
}

static void keep(Kind k, uint64_t handle)
{
    if (k == NO_KIND || !handle || ((k == BUFFER || k == OTHER) && !is_device(handle)))
        return;
    kept[k][made[k]++ % KEPT] = handle;
}

static uint64_t one_of(Kind k, unsigned b)
{
    unsigned n = made[k] < KEPT ? made[k] : KEPT;
    return n ? kept[k][b % n] : 0;
}

static Value value_of(Kind k, int i, unsigned b)
{
    static const uint64_t sizes[] = {1, 2, 3, 4, 7, 16, 24, 32, 63, 64, 128, 256, 512, 1000, 1024, 4096};
    Value                 v       = calls_value(k, i, (int)(b % CALLS_EXTREMES));
    if (b < 32)
        return v;
    if (k == INT)
        v.u = b - 32;
    else if (k == SIZE)
        v.u = sizes[b % (sizeof sizes / sizeof *sizes)];
    else if (k == DEVICE)
        v.u = made[BUFFER] && b >= 128 ? one_of(BUFFER, b) + (b >= 240 ? 16 : 0) : calls_good[DEVICE] + b * 8;
    else if (k == BUFFER)
        v.u = b < 160   ? (uint64_t)(uintptr_t)calls_buffer[i]
              : b < 200 ? calls_good[DEVICE] + (b - 160) * 16
                        : one_of(k, b);
    else if (k == NODE && b < 96)
        v.u = calls_node[b % CALLS_NODES];
    else if (k < KINDS && made[k] && b >= 64)
        v.u = one_of(k, b);
    return v;
}

/* 16 bits of FNV-1a. */
static uint16_t hash(const char *s)
{
    uint32_t h = 2166136261u;
    for (; *s; s++)
        h = (h ^ (unsigned char)*s) * 16777619u;
    return (uint16_t)(h ^ h >> 16);
}

/* The function whose name's hash comes next: a new row of the tables changes the meaning of few inputs. */
static const Call *choose(uint16_t code)
{
    size_t      count, best = 0;
    const Call *table   = calls_table(&count);
    uint16_t    nearest = UINT16_MAX;
    for (size_t i = 0; i < count; i++) {
        uint16_t far = (uint16_t)(hash(table[i].symbol) - code);
        if (far < nearest) {
            nearest = far;
            best    = i;
        }
    }
    return &table[best];
}

static bool call(Code *c)
{
    Function    f;
    Value       v[CALLS_MOST] = {0};
    unsigned    low           = next(c);
    const Call *now           = choose((uint16_t)(low | next(c) << 8));
    *(void **)&f              = dlsym(RTLD_DEFAULT, now->symbol);
    if (!f)
        fuzz_fail("an entry point is not there", now->symbol);
    calls_clear();
    for (int i = 0; i < now->n; i++)
        v[i] = value_of(now->kind[i], i, next(c));
    if (getenv("WW_FUZZ_TELL"))
        fprintf(stderr, "%s\n", now->symbol);
    now->call(f, v);
    for (int i = 0; i < now->n; i++)
        if (v[i].u == (uint64_t)(uintptr_t)calls_buffer[i]) {
            uint64_t handle;
            memcpy(&handle, calls_buffer[i], sizeof handle);
            keep(now->made[i], handle);
        }
    return c->at < c->end;
}

static void left_early(void)
{
    fprintf(stderr, "the process ended inside a call\n");
    _exit(ENDED_INSIDE);
}

/* Before the library looks at it. */
__attribute__((constructor(101))) static void set_options(void)
{
    setenv("WARPWRIGHT_CACHE", "off", 1);
    setenv("WARPWRIGHT_MEMORY", "256", 1);
}

static void child(const uint8_t *data, size_t size, uint8_t *counters)
{
    Code   c = {data, data + size};
    size_t n;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGALRM, SIG_DFL);
    alarm(SECONDS);
    calls_objects(RTLD_DEFAULT);
    atexit(left_early);
    for (int i = 0; i < MOST_CALLS && call(&c); i++)
        ;
    if (counters)
        memcpy(counters, fuzz_counters(&n), n);
    _exit(0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t *counters;
    size_t          n;
    uint8_t        *edges  = fuzz_counters(&n);
    int             status = 0;
    if (n && !counters)
        counters = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t pid = fork();
    if (pid == 0)
        child(data, size, counters);
    while (pid > 0 && waitpid(pid, &status, 0) < 0) /* libFuzzer's own alarm comes every second */
        if (errno != EINTR)
            pid = -1;
    if (pid < 0)
        fuzz_fail("no child", strerror(errno));
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        return 0; /* without its edges: not for the corpus */
    if (status != 0)
        fuzz_fail("a sequence of calls ends the process",
                  WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "by exit");
    if (counters)
        memcpy(edges, counters, n);
    return 0;
}
