/* SPDX-License-Identifier: Apache-2.0
 *
 * NCCL's entry points as the grid calls them, found with dlopen: libnccl.so.2, or what WARPWRIGHT_NCCL names.  All of them are in 2.18 and newer.
 * A result is 0 for success, NCCL_IN_PROGRESS, or an error. */
#ifndef WW_GRID_NCCL_H
#define WW_GRID_NCCL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

enum { NCCL_IN_PROGRESS = 7, NCCL_OLDEST = 21800, NCCL_BYTES = 0 /* the type of a byte */ };

typedef struct NcclId { /* ncclUniqueId: of a communicator, for its ranks */
    char bytes[128];
} NcclId;

typedef struct NcclConfig { /* ncclConfig_t as 2.18 has it; newer ones go by its size and version */
    size_t      size;
    unsigned    magic, version;
    int         blocking, cluster, least_blocks, most_blocks;
    const char *net;
    int         share;
} NcclConfig;

typedef struct Nccl {
    void *library;
    int   version;
    int (*get_version)(int *out);
    int (*new_id)(NcclId *out);
    int (*join)(void **comm, int ranks, NcclId id, int rank, NcclConfig *config);
    int (*abort)(void *comm);
    int (*state)(void *comm, int *out); /* of what is under way */
    int (*begin)(void);                 /* a group of messages, which all go on at once */
    int (*end)(void);
    int (*send)(const void *from, size_t count, int type, int peer, void *comm, void *stream);
    int (*receive)(void *to, size_t count, int type, int peer, void *comm, void *stream);
    const char *(*text)(int result);
} Nccl;

/* false: *why says what is missing. */
bool nccl_open(Nccl *out, Str *why);
void nccl_close(Nccl *n);
/* Calls return at once, and state() says when what they began is done. */
NcclConfig nccl_config(void);

#endif
