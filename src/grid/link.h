/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of joined grids share.
 *
 *   link.c        joining, and what ranks say to each other      link_pieces.c   batches of pieces, over the host
 *   link_nccl.c   batches over NCCL, and waiting for them */
#ifndef WW_GRID_LINK_H
#define WW_GRID_LINK_H

#include "grid/grid.h"
#include "grid/nccl.h"

typedef struct LinkPiece { /* of this batch, sent or received by this rank: lines of so many bytes */
    bool   send;
    size_t member, peer; /* of this process; the other worker */
    WwPtr  at;
    size_t pitch, bytes, lines, offset; /* where its room begins */
} LinkPiece;

typedef struct LinkWait { /* lines that are not in a batch yet; any two workers' of two ranks */
    size_t    from, to;
    LinkPiece q;
} LinkWait;

typedef struct LinkEnd { /* of one member */
    void  *comm;    /* NULL: there is none, or it was left */
    size_t stage;   /* bytes of each room */
    WwPtr  room[2]; /* received, sent: on the device */
    char  *host[2]; /* or here */
} LinkEnd;

struct GridLink {
    WwGridLink     how;
    WwGridWay      way;
    Nccl           nccl;
    NcclId         id;
    LinkEnd       *end;
    Status         noted; /* of this rank's devices, in this call: the first failure, and whose it is */
    size_t         noted_by;
    bool           broken, deaf; /* pieces, words go no more between the ranks */
    size_t         stage; /* what is under way at most, from and to each device */
    size_t        *filled[2]; /* of that, by worker */
    LinkPiece     *piece;
    size_t         pieces, most;
    LinkWait      *wait;
    size_t         waits, most_waits;
    WwGridMessage *message;
};

/* The others are lost, or this rank leaves them: what NCCL has under way ends; nothing where there is no communicator. */
void   link_leave(WwGrid *g);
/* The same, and the link is of no use any more; WW_ERR_UNAVAILABLE with that error. */
Status link_lose(WwGrid *g, const char *why);
/* ncclGetUniqueId: 0, or NCCL's result. */
int    link_identify(WwGrid *g, NcclId *out);
/* All ranks at once: the communicator of all devices is there. */
Status link_join(WwGrid *g);
/* This batch's pieces, packed, on the `in` streams; *member: whose failure it is. */
Status link_group(WwGrid *g, size_t *member);

/* Is the worker a device of this process? */
static inline bool link_own(const WwGrid *g, size_t worker) { return worker - grid_first(g) < g->n; }

#endif
