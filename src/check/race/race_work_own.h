/* SPDX-License-Identifier: Apache-2.0
 *
 * What race_work.c (work against work) and race_host.c (the host's own code against work) share: the notes of launches and the queues. */
#ifndef WW_CHECK_RACE_WORK_OWN_H
#define WW_CHECK_RACE_WORK_OWN_H

#include "check/race/race.h"

enum { NO_QUEUE = UINT32_MAX, SHOWN_LINES = 256 };

typedef struct Begun { /* a launch of a queue */
    uint32_t count;
    Time     at;
} Begun;

typedef struct Queue {
    Begun    *begun;
    size_t    first, n, cap; /* those before `first` are settled */
    HostWork *host;          /* copies and fills, in the order of their counts */
    size_t    host_first, nhost, host_cap;
} Queue;

typedef struct SitePlace {
    const char *file;
    uint32_t    line, col;
} SitePlace;

typedef struct SiteTable { /* what the sites of a launch are; shared by launches that are alike */
    const char       *kernel;
    uint32_t          n;
    SitePlace        *place;
    struct SiteTable *next;
} SiteTable;

typedef struct Note { /* of a launch */
    uint32_t         queue, count;
    bool             flags;  /* it has fences or acquiring or releasing accesses */
    bool             tells;  /* some of them are for the system: it may speak to the host */
    bool             shows;  /* it wrote atomically, or as volatile, where the host's code sees it */
    bool             heard;  /* the host's code has looked there */
    const char      *kernel;
    const SiteTable *sites; /* NULL: it has not ended */
    const RaceRun   *run;   /* until then */
    uint32_t         grid[3], block[3];
    bool             child;  /* a kernel launched it: */
    LaunchOrigin     origin;
} Note;

typedef struct ConstantRead { /* by a launch, of a constant (race_constants.c) */
    uint32_t     queue, count;
    uint64_t     from, to;
    bool         some;     /* it read only some of these bytes, nobody knows which */
    WwFindingEnd end;
} ConstantRead;

typedef struct Asked { /* what was made of a call of the host's: a loop makes the same ones again and again */
    const void         *call;
    const char         *noun;
    const WwFindingEnd *end;
} Asked;

enum { ASKED_KEPT = 64 };

struct Works {
    Asked      asked[ASKED_KEPT]; /* by their calls' addresses */
    Arena     *arena; /* names, places, messages */
    Note      *note;
    size_t     nnotes, notes_cap; /* by number of launch */
    Queue     *queue;
    uint32_t   nqueues;
    SiteTable *tables;
    char     **file;
    size_t     nfiles;
    WwFinding *pending;
    size_t     npending;
    uint32_t   parts;
    bool       any_flags; /* some launch has */
    ConstantRead *constant; /* of launches that something submitted later may not know of */
    size_t     nconstants, constants_cap;
    Handed    *handed; /* of the host's last launch and those that came out of it */
    size_t     nhanded, handed_cap;
    uint64_t   told[SHOWN_LINES];
    size_t     ntold; /* pairs of ends that were told */
};

/* Is that work before `me`?  me NULL: all is. */
bool            works_is_before(const WorkOrder *me, uint32_t queue, uint32_t count);
/* The place of that call of the host's, as the other end of a finding. */
const WwFindingEnd *works_asked(Works *w, HostWork *h);
/* A finding beside any launch; its first end. */
WwFinding      *works_tell(Works *w, const WwFindingEnd *end, uint64_t address, const char *message);
/* Is it the first time that these two are told? */
bool            works_fresh(Works *w, uint64_t a, uint64_t b);
const char     *works_shown_name(const Works *w, const char *symbol);
const char     *works_file_name(Works *w, const char *name);
/* race_constants.c: what the host writes meets constants that launches read; what everybody knows of, or lies in that memory, is forgotten. */
void            constants_host(Works *w, HostWork *h, const WorkOrder *o);
void            constants_settle(Works *w, const WorkOrder *o);
void            constants_forget(Works *w, uint64_t address, uint64_t bytes);
/* Since when has there been a launch that is not ordered with o? */
Time            works_open_since(const Works *w, const WorkOrder *o, Time now);
/* A queue's copies and fills that are not before `me`, *n of them. */
const HostWork *works_queue_beside(const Works *w, const WorkOrder *me, uint32_t queue, size_t *n);

#endif
