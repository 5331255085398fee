/* SPDX-License-Identifier: Apache-2.0
 *
 * The memory that ranks share: a file in memory by the communicator's name, which the first to come makes and the last to come removes, so
 * nothing is left.  One lock for all, which survives who dies with it, and one count of changes: whoever waits looks again after each change, and ten times
 * a second whether the processes of the others still live.  (A condition of POSIX would not do: who is killed in its wait may leave its next broadcast
 * waiting for him.) */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cuda/libraries/nccl/nccl.h"

enum { PATIENCE_MS = 100, MAKING_MS = 10000, GONE = -1 /* it left: its end says nothing */ };

static size_t head_bytes(void)
{
    return (sizeof(Shared) + 4095) / 4096 * 4096;
}

static size_t whole_bytes(int ranks)
{
    size_t n = (size_t)ranks;
    return head_bytes() + n * SLOT_BYTES + n * n * sizeof(Channel);
}

static void make(Shared *s, int ranks)
{
    pthread_mutexattr_t m;
    pthread_mutexattr_init(&m);
    pthread_mutexattr_setpshared(&m, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&m, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&s->lock, &m);
    s->ranks = ranks;
    atomic_store(&s->made, 1);
}

static void lock(Shared *s)
{
    if (pthread_mutex_lock(&s->lock) == EOWNERDEAD) {
        s->broken = true;
        pthread_mutex_consistent(&s->lock);
    }
}

/* Opened and as large as it must be; *first: it was not there. */
static int open_file(const char *name, size_t bytes, bool *first)
{
    int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    *first = fd >= 0;
    if (*first && ftruncate(fd, (off_t)bytes) != 0) {
        close(fd);
        shm_unlink(name);
        return -1;
    }
    if (fd < 0)
        fd = shm_open(name, O_RDWR, 0600);
    struct stat st = {0};
    for (int ms = 0; !*first && fd >= 0 && ms < MAKING_MS && !fstat(fd, &st) && !st.st_size; ms++)
        usleep(1000);
    if (fd >= 0 && !*first && (size_t)st.st_size != bytes) { /* for another number of ranks */
        close(fd);
        return -1;
    }
    return fd;
}

Shared *meeting_join(const char *name, int ranks, int rank, size_t *bytes)
{
    bool first;
    *bytes = whole_bytes(ranks);
    int fd = open_file(name, *bytes, &first);
    if (fd < 0)
        return NULL;
    Shared *s = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    close(fd);
    if (s == MAP_FAILED)
        return NULL;
    if (first)
        make(s, ranks);
    for (int ms = 0; !atomic_load(&s->made) && ms < MAKING_MS; ms++)
        usleep(1000);
    if (!atomic_load(&s->made)) {
        munmap(s, *bytes);
        return NULL;
    }
    lock(s);
    bool ok = s->ranks == ranks && !s->member[rank].pid;
    if (ok) {
        s->member[rank].pid = getpid();
        if (++s->attached == ranks)
            shm_unlink(name);
    }
    pthread_mutex_unlock(&s->lock);
    if (!ok) {
        munmap(s, *bytes);
        return NULL;
    }
    return s;
}

void meeting_leave(Shared *s, int rank, size_t bytes, const char *name)
{
    lock(s);
    s->member[rank].pid = GONE;
    if (s->attached < s->ranks) /* who has not come cannot come any more */
        shm_unlink(name);
    pthread_mutex_unlock(&s->lock);
    munmap(s, bytes);
}

unsigned char *meeting_slot(const Shared *s, int rank)
{
    return (unsigned char *)(uintptr_t)s + head_bytes() + (size_t)rank * SLOT_BYTES;
}

Channel *meeting_channel(const Shared *s, int from, int to)
{
    unsigned char *all = meeting_slot(s, s->ranks);
    return (Channel *)(void *)all + (size_t)from * (size_t)s->ranks + (size_t)to;
}

void meeting_lock(Comm *c)
{
    lock(c->shared);
}

void meeting_unlock(Comm *c)
{
    pthread_mutex_unlock(&c->shared->lock);
}

/* Has the process ended, whether its parent has asked for its exit code or not? */
static bool has_ended(pid_t pid)
{
    char  name[48], text[512] = "";
    FILE *f;
    if (kill(pid, 0) != 0)
        return errno == ESRCH;
    snprintf(name, sizeof name, "/proc/%ld/stat", (long)pid);
    if (!(f = fopen(name, "r")))
        return false;
    size_t      n     = fread(text, 1, sizeof text - 1, f);
    const char *state = n ? strrchr(text, ')') : NULL; /* behind its name, which may hold anything */
    fclose(f);
    return state && (strncmp(state, ") Z", 3) == 0 || strncmp(state, ") X", 3) == 0);
}

/* A process that has ended without leaving takes nobody's hand any more. */
static bool all_live(const Shared *s)
{
    for (int r = 0; r < s->ranks; r++)
        if (s->member[r].pid > 0 && has_ended(s->member[r].pid))
            return false;
    return true;
}

void meeting_changed(Shared *s)
{
    atomic_fetch_add(&s->changes, 1);
    syscall(SYS_futex, &s->changes, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

bool meeting_wait(Comm *c)
{
    const struct timespec most = {0, PATIENCE_MS * 1000000L};
    Shared               *s    = c->shared;
    if (!s->broken && !atomic_load(&c->aborted)) {
        unsigned seen = atomic_load(&s->changes);
        pthread_mutex_unlock(&s->lock);
        bool late = syscall(SYS_futex, &s->changes, FUTEX_WAIT, seen, &most, NULL, 0) != 0 && errno == ETIMEDOUT;
        lock(s);
        if (late && !all_live(s))
            s->broken = true;
    }
    if (!s->broken && !atomic_load(&c->aborted))
        return true;
    s->broken = true;
    atomic_store(&c->error, NCCL_REMOTE_ERROR);
    meeting_changed(s);
    return false;
}

bool meeting_all(Comm *c)
{
    Shared *s = c->shared;
    lock(s);
    uint64_t now = s->generation;
    bool     ok  = !s->broken;
    if (ok && ++s->arrived == s->ranks) {
        s->arrived = 0;
        s->generation++;
        meeting_changed(s);
    }
    while (ok && s->generation == now)
        ok = meeting_wait(c);
    pthread_mutex_unlock(&s->lock);
    if (!ok)
        atomic_store(&c->error, NCCL_REMOTE_ERROR);
    return ok;
}

void meeting_break(Comm *c)
{
    lock(c->shared);
    c->shared->broken = true;
    meeting_changed(c->shared);
    pthread_mutex_unlock(&c->shared->lock);
}
