/* SPDX-License-Identifier: Apache-2.0
 *
 * What ranks say to each other stands on a board, a file in their folder that all of them map: a few microseconds, where a message by files takes
 * milliseconds.  Matrices' pieces go by files nevertheless (ranks_exchange): GPUs have NCCL for them.
 *
 *     board     number of the last word of each rank | its words, by turns: even, odd
 *
 * A rank writes word n + 2 over word n, and only when all have written n + 1: all have read n by then. */
#include "grid/meet.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"

enum {
    WORD  = 4096,  /* bytes */
    LOOK  = 500,   /* naps between looks at who is gone */
    NAP   = 20000, /* nanoseconds */
    EAGER = 2000   /* looks before the first nap */
};

struct GridMeet {
    Ranks         *ranks;
    atomic_ullong *last;
    unsigned char *words;
    size_t         bytes;
    uint64_t       n;
    Str            why;
};

static bool map_board(GridMeet *m, Str *why)
{
    Str      name  = {0};
    unsigned ranks = ranks_count(m->ranks);
    size_t   head  = (ranks * sizeof *m->last + WORD - 1) / WORD * WORD;
    m->bytes       = head + 2 * (size_t)ranks * WORD;
    str_printf(&name, "%s/board", ranks_folder(m->ranks));
    int   fd = open(name.s, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    void *at = fd >= 0 && ftruncate(fd, (off_t)m->bytes) == 0
                   ? mmap(NULL, m->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                   : MAP_FAILED;
    if (at == MAP_FAILED)
        str_printf(why, "cannot map %s: %s", name.s, strerror(errno));
    if (fd >= 0)
        close(fd);
    str_free(&name);
    if (at == MAP_FAILED)
        return false;
    m->last  = at;
    m->words = (unsigned char *)at + head;
    return true;
}

Status grid_meet_open(Ranks *r, Str *why, GridMeet **out)
{
    GridMeet *m = xcalloc(1, sizeof *m);
    m->ranks    = r;
    *out        = map_board(m, why) ? m : NULL;
    if (!*out)
        free(m);
    return *out ? WW_OK : WW_ERR_IO;
}

void grid_meet_close(GridMeet *m)
{
    if (!m)
        return;
    munmap((void *)m->last, m->bytes);
    str_free(&m->why);
    free(m);
}

const char *grid_meet_why(const GridMeet *m)
{
    return str_text(&m->why);
}

static bool wait_for(GridMeet *m, unsigned rank)
{
    for (size_t i = 0; atomic_load_explicit(&m->last[rank], memory_order_acquire) < m->n; i++) {
        if (i < EAGER)
            continue;
        nanosleep(&(struct timespec){0, NAP}, NULL);
        if (i % LOOK == 0 && ranks_gone(m->ranks, &m->why) &&
            atomic_load_explicit(&m->last[rank], memory_order_acquire) < m->n)
            return false;
    }
    return true;
}

static int gather(void *user, const void *mine, size_t bytes, void *all)
{
    GridMeet      *m     = user;
    unsigned       ranks = ranks_count(m->ranks), own = ranks_rank(m->ranks);
    unsigned char *turn = m->words + (++m->n & 1) * ranks * WORD;
    str_clear(&m->why);
    if (bytes > WORD) {
        str_printf(&m->why, "%zu bytes are more than a word of %d", bytes, WORD);
        return 1;
    }
    memcpy(turn + (size_t)own * WORD, mine, bytes);
    atomic_store_explicit(&m->last[own], m->n, memory_order_release);
    for (unsigned i = 0; i < ranks; i++) {
        if (!wait_for(m, i))
            return 1;
        memcpy((char *)all + i * bytes, turn + (size_t)i * WORD, bytes);
    }
    return 0;
}

/* Everybody hands all that it sends to everybody, who takes what is for him. */
static int move(void *user, const WwGridMessage *message, size_t n)
{
    GridMeet *m     = user;
    unsigned  ranks = ranks_count(m->ranks), own = ranks_rank(m->ranks);
    Parcel    mine = {0}, *theirs = xcalloc(ranks, sizeof *theirs);
    int       bad = 0;
    for (size_t i = 0; i < n; i++)
        if (message[i].send) {
            parcel_put_number(&mine, message[i].peer);
            parcel_put_number(&mine, message[i].bytes);
            parcel_put(&mine, message[i].at, message[i].bytes);
        }
    str_clear(&m->why);
    bad = ranks_exchange(m->ranks, &mine, theirs, &m->why) != WW_OK;
    for (size_t i = 0; i < n && !bad; i++) {
        Parcel *from  = &theirs[message[i].peer];
        bool    found = message[i].send;
        while (!found && !from->bad && from->at < from->n) {
            uint64_t    to = parcel_number(from), bytes = parcel_number(from);
            const void *at = parcel_bytes(from, bytes);
            found          = at && to == own;
            if (found && bytes == message[i].bytes)
                memcpy(message[i].at, at, bytes);
            else if (found)
                bad = 1;
        }
        bad |= !found;
    }
    if (bad && !m->why.len)
        str_add(&m->why, "a rank sent something else than was expected");
    for (unsigned i = 0; i < ranks; i++)
        parcel_free(&theirs[i]);
    parcel_free(&mine);
    free(theirs);
    return bad;
}

static bool lost(void *user)
{
    GridMeet *m = user;
    str_clear(&m->why);
    return ranks_gone(m->ranks, &m->why);
}

WwGridLink grid_meet_link(GridMeet *m)
{
    return (WwGridLink){.ranks  = ranks_count(m->ranks),
                        .rank   = ranks_rank(m->ranks),
                        .user   = m,
                        .gather = gather,
                        .move   = move,
                        .lost   = lost};
}

bool grid_meet_numbers(GridMeet *m, double own, double *all)
{
    return gather(m, &own, sizeof own, all) == 0;
}

bool grid_meet_all(GridMeet *m)
{
    double *all  = xcalloc(ranks_count(m->ranks), sizeof *all);
    bool    good = grid_meet_numbers(m, 0, all);
    free(all);
    return good;
}
