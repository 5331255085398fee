/* SPDX-License-Identifier: Apache-2.0
 *
 * libnccl: collectives and messages between emulated devices, of one process or of several on one machine.
 *
 *   comm.c      communicators: created, split, destroyed     meeting.c   the memory that ranks share, and how they wait for each other
 *   collective.c  the collectives                            message.c   send and receive, groups
 *   reduce.c    sums, products, least and greatest of all types          status.c    texts, versions, what does nothing here
 *
 * Ranks meet in shared memory, whether they are threads' devices or processes: each puts a piece of its operand into its slot, all wait, each takes what it
 * needs, all wait again.  That runs as host work in the stream, so a rank's call returns at once and its stream waits for the others.  Sums are
 * taken in the order of ranks, in double for the short types: the same bits on every rank and in every run. */
#ifndef WW_NCCL_H
#define WW_NCCL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cuda/libraries/library.h"

/* ncclResult_t */
typedef enum Nccl {
    NCCL_SUCCESS, NCCL_UNHANDLED_CUDA_ERROR, NCCL_SYSTEM_ERROR, NCCL_INTERNAL_ERROR, NCCL_INVALID_ARGUMENT, NCCL_INVALID_USAGE,
    NCCL_REMOTE_ERROR, NCCL_IN_PROGRESS
} Nccl;

enum { NCCL_TYPES = 12 };
/* ncclRedOp_t; from NCCL_OPS on: made by the program */
enum { NCCL_SUM, NCCL_PROD, NCCL_MAX, NCCL_MIN, NCCL_AVG, NCCL_OPS };

typedef struct UniqueId {
    char name[128];
} UniqueId;

/* ---- the shared memory ---- */

enum { MOST_RANKS = 128, SLOT_BYTES = 256 * 1024, CHANNEL_BYTES = 64 * 1024 };

typedef struct Post { /* what a rank is calling, so that ranks that call different things are told */
    int      kind, type, op, root;
    uint64_t count;
} Post;

typedef struct Shared {
    atomic_uint     made;
    pthread_mutex_t lock;
    atomic_uint     changes; /* who waits looks again when it changes */
    int             ranks, attached, arrived;
    uint64_t        generation;
    bool            broken; /* a rank has gone or was aborted: nobody waits any more */
    struct {
        pid_t pid;
        Post  post;
    } member[MOST_RANKS];
    struct { /* of ncclCommSplit, by turns */
        uint64_t turn;
        int      color, key;
    } split[2][MOST_RANKS];
} Shared;

typedef struct Channel { /* from one rank to another: full or empty */
    size_t        bytes;
    unsigned char data[CHANNEL_BYTES];
} Channel;

typedef struct Comm {
    Shared     *shared;
    size_t      bytes;
    char        name[64];
    int         rank, ranks, device;
    uint64_t    splits;
    atomic_int  error; /* ncclResult_t, of work in streams */
    atomic_bool aborted;
} Comm;

/* NULL: not a communicator. */
Comm *comm_of(void *comm);

/* Makes or finds the memory of that name and joins it.  NULL: it cannot be had, or it is for another number of ranks. */
Shared        *meeting_join(const char *name, int ranks, int rank, size_t *bytes);
void           meeting_leave(Shared *s, int rank, size_t bytes, const char *name);
unsigned char *meeting_slot(const Shared *s, int rank);
Channel       *meeting_channel(const Shared *s, int from, int to);
void           meeting_lock(Comm *c);
void           meeting_unlock(Comm *c);
/* Whoever waits looks again. */
void           meeting_changed(Shared *s);
/* With the lock: until something changes; false: nothing will any more. */
bool           meeting_wait(Comm *c);
/* Until every rank has come here; false: one will not. */
bool           meeting_all(Comm *c);
void           meeting_break(Comm *c);

/* ---- types and operations ---- */

size_t type_bytes(int type); /* 0: no such type */
/* to = what the ranks' slots hold, put together.  op may not be of the program's. */
void   reduce(int type, int op, const Shared *s, size_t count, void *to);
/* A factor of a program's own operation (ncclRedOpCreatePreMulSum), one element of the type. */
void   scale(int type, const void *factor, void *at, size_t count);

/* ---- groups ---- */

bool group_open(void);
/* Does it when the group ends; now, if none is open. */
Nccl group_later(Nccl (*what)(void *), void *argument);

/* The stream's work is the communicator's device's. */
bool comm_do(const Comm *c, void *stream, const LibraryWork *w);

#endif
