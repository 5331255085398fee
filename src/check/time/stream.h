/* SPDX-License-Identifier: Apache-2.0
 *
 * What a launch does to global memory and textures, as caches see it: which sectors it touches at all, and of a few multiprocessors' blocks every access in
 * each warp's order, replayed through L1.
 *
 *     Observer *o = stream_new(&setting);
 *     ... launch ...
 *     stream_replay(o, &sum);    // once
 *     stream_instr(o, id)        // of an instruction
 *     stream_free(o); */
#ifndef WW_CHECK_TIME_STREAM_H
#define WW_CHECK_TIME_STREAM_H

#include "check/time/fetch.h"
#include "check/time/footprint.h"
#include "check/time/updates.h"
#include "emu/observer.h"

typedef struct StreamSetting {
    unsigned sms, resident; /* multiprocessors; blocks that one holds at once */
    uint64_t l1_bytes;      /* of a multiprocessor, its shared memory taken off */
    unsigned slices;        /* of L2; 0: not known */
    bool     pairs;         /* L2 fetches a sector with its neighbour */
    double   clocks[FETCH_FROMS]; /* until what an access waits for is there */
    HostMemory host;        /* kept until the replay */
    bool     sinks;         /* loads move into branches (ptx/sinks.h) */
    bool     joins;         /* warps reduce what they add to one word (code_joins_updates) */
} StreamSetting;

typedef struct StreamHits {    /* of loads and updates */
    uint64_t sectors, hits;    /* that L1 was asked for, and those that were there */
    uint64_t accesses, lines;  /* by warps, and their lines */
    uint64_t from[FETCH_FROMS]; /* of the accesses, by what they wait for: the last of their sectors */
    uint64_t slow[FETCH_FROMS]; /* of them, those of the warp of each block that waits longest */
} StreamHits;

typedef struct StreamSum {
    StreamHits l1;            /* of the blocks looked at */
    StreamHits texture;       /* likewise, of fetches of textures and loads of surfaces, which l1 has not */
    uint64_t   blocks, of;    /* looked at, of how many */
    double     shared;        /* of the sectors that a multiprocessor asks L2 for, the share that the others want in the same round */
    uint64_t   cut;           /* accesses of those blocks that were too many, and left out */
    uint64_t   stored, joined; /* sectors of their stores; those that the warp's store just before has stored: they leave L1 together */
    uint64_t   stored_lines;   /* of the sectors that are not joined */
    uint64_t   textured, drawn; /* sectors of the whole launch: that fetches of textures ask for; that surfaces' stores do */
    FootprintSum seen;        /* of the whole launch */
    UpdatesSum   updates;     /* likewise */
    /* How many blocks take part in the work, by the accesses that they make, and how many times as many the longest warp of the launch makes as
     * the longest one of such a block.  0: not known. */
    double     busy_blocks, longest;
    /* How many times as many instructions the longest warp runs as the average of all; the share of all that the block with most runs.  0: not known. */
    double     uneven, heaviest;
} StreamSum;

Observer         *stream_new(const StreamSetting *s);
void              stream_free(Observer *o); /* NULL is allowed */
/* After the launch and before the replay: what was seen, for the same launch's process elsewhere; and what such a one has seen of other blocks is added. */
void              stream_put(const Observer *o, Parcel *p);
void              stream_add(Observer *o, Parcel *p);
void              stream_replay(Observer *o, StreamSum *out);
const StreamHits *stream_instr(const Observer *o, uint32_t id); /* after the replay; zeros: no loads of it were looked at */

#endif
