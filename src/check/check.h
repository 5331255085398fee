/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks: the checkers of one device, from its opening to its end.
 *
 *     Checks *c;
 *     checks_new("memory,-misaligned", &why, &c);
 *     checks_memory(c, &event)                           // every allocation, free, copy and fill
 *     n = checks_begin(c, &launch, list, CHECKERS_MAX)   // observers for one launch
 *     ... the launch ...
 *     checks_end(c, &launch, &found)                     // what they found; observers are gone
 *
 * A checker is one row of checkers.def and one struct Checker. */
#ifndef WW_CHECK_CHECK_H
#define WW_CHECK_CHECK_H

#include "check/finding.h"
#include "check/count/pattern.h"
#include "check/rules.h"
#include "model/profile.h"

enum { CHECKERS_MAX = 16 };
enum { SHARED_KEPT = 1024 }; /* bytes at the start of a block's window that are the system's */

/* What the host did to device memory. */
typedef enum MemoryKind {
    MEMORY_ALLOC,  /* address, bytes; known: contents count as written (pinned, managed, adopted) */
    MEMORY_FREE,   /* address, bytes */
    MEMORY_WRITE,  /* the host wrote address, bytes (copy in, fill) */
    MEMORY_READ,   /* the host read address, bytes (copy out) */
    MEMORY_LEFT,   /* somebody may look at it at the end */
    MEMORY_LOOKED, /* the program's own code read address, bytes, in no call; work: what it has waited for */
    MEMORY_CHANGED, /* it wrote there */
    MEMORY_SEEN,   /* somebody may read and write address, bytes unseen from now on: a texture, another device or process */
    MEMORY_SHOWN,  /* the host reads and writes it by itself, without a word (pinned, managed) */
    MEMORY_ROWS,   /* it was allocated in rows of `bytes` bytes, of which `from` are the program's */
    MEMORY_COPY,   /* device to device: from, address, bytes */
    MEMORY_GIVEN,  /* a stream's work allocated address, bytes: who uses it comes behind that */
    MEMORY_TAKEN,  /* a stream's work frees it: who uses it comes before that */
    MEMORY_UNBOUND, /* the host destroys the texture object whose handle is `address`; work: what it has waited for */
    MEMORY_AGAIN,  /* a graph allocates address, bytes, which it had before, and nobody wrote what it holds */
    MEMORY_HEAP    /* the device-side heap lies at address, bytes; its blocks are told by SYNC_MALLOC and SYNC_FREE */
} MemoryKind;

/* Where work of the host's streams stands: it is the count-th of its queue.  Of queue q what has a count up to before[q] happened before
 * it, and everything submitted later knows of what has a count up to settled[q].  Queues from n on: 0.
 * A programmatic launch may begin while the work before it in its queue runs: that happened before what comes behind griddepcontrol.wait
 * only. */
typedef struct WorkOrder {
    uint32_t queue, count, n;
    uint32_t *before, *settled;
    bool      programmatic;
} WorkOrder;

typedef struct MemoryEvent {
    MemoryKind  kind;
    uint64_t    address, from, bytes;
    bool        known;
    const WorkOrder *work; /* writes, reads and copies of a stream; NULL: everything else is ordered with it */
    const char *name; /* of a variable or argument; of a read, the library's call that makes it; or NULL */
    void      (*host)(WwFinding *f, void *call); /* gives a finding the place of a call of the host's, for ever valid; NULL: it has none */
    void *(*call)(void); /* the call that this is part of, for `host`, where NULL means the same; set where host is */
} MemoryEvent;

/* What the assembler makes of a kernel, for one thread. */
typedef struct Resources {
    unsigned registers, stack, spill_stores, spill_loads; /* all but the first in bytes */
    bool     spills;                                      /* are the spills known? */
} Resources;

/* A launch as checkers see it. */
typedef struct LaunchOrigin { /* of a launch that a kernel made */
    uint64_t serial; /* that kernel's launch */
    uint64_t block;  /* of it, which made this one */
    uint64_t buffer; /* where its parameters lay, told by SYNC_MALLOC */
    bool     tail;   /* it begins when that kernel has ended */
    bool     waits;  /* events may order it with others */
    uint64_t stream; /* as that kernel gave it: 0 to 2 mean one of the block; 3: tail; 4: none, it begins at once */
} LaunchOrigin;

typedef struct CheckLaunch {
    const Module  *module;
    const Func    *kernel;
    uint64_t       serial;     /* the n-th launch of the device, from 0 */
    uint32_t       grid[3], block[3];
    const uint8_t *params;     /* the parameter block */
    uint64_t       seed;
    const WorkOrder *work; /* NULL: ordered with everything; valid until `end` */
    const LaunchOrigin *origin; /* NULL: the host made it */
    const Profile *profile;
    /* The live allocation that holds the address; false: none.  name may be NULL. */
    bool         (*find)(void *user, uint64_t address, uint64_t *base, uint64_t *bytes, const char **name);
    void          *user;
    /* Where a variable of the module lies, and its size; 0: nowhere. */
    uint64_t     (*variable)(const void *loaded, const Var *v, uint64_t *bytes);
    const void    *loaded;
    /* When a checker counts: the counting observer (count.h) and the patterns it was told to keep (pattern.h). */
    Observer      *count;
    Patterns      *patterns;
    /* false: not known */
    bool         (*resources)(void *user, const Module *m, const Func *kernel, Resources *out);
    /* In `end` only: executed warp and lane instructions by instruction id. */
    uint32_t        ninstr;
    const EmuInstr *instr;
    const uint64_t *executed, *lanes;
    bool            sampled;   /* only some of its blocks ran */
    Observer       *observer[CHECKERS_MAX]; /* of each checker; check.c's.  Of the launch, because several may be under way */
} CheckLaunch;

typedef struct Checks Checks;

/* By work that the host has not waited for. */
typedef enum MemoryUse {
    USE_NONE,
    USE_SPEAKS, /* a kernel may tell the host something there: a look is no race, and wants to be told (MEMORY_LOOKED) */
    USE_RACES
} MemoryUse;

typedef struct Checker {
    const char *name;
    bool        counts; /* its `end` reads CheckLaunch.count and .patterns */
    void     *(*open)(const RuleSet *rules);  /* state that lives as long as the device; may be NULL when it needs none */
    void      (*close)(void *self);           /* may be NULL, as may all that follow but begin and end */
    /* An observer for this launch; NULL: it has nothing to see. */
    Observer *(*begin)(void *self, const RuleSet *rules, const CheckLaunch *l);
    /* The launch is over, every state was joined: adds its findings and frees o. */
    void      (*end)(void *self, Observer *o, const CheckLaunch *l, Findings *found);
    /* Of a launch whose blocks run in several processes, before `end`: what the observer saw of some of them, and adding what others saw.  NULL: its
     * findings are all that the others need. */
    void      (*put)(const Observer *o, Parcel *p);
    void      (*add)(Observer *o, Parcel *p);
    void      (*memory)(void *self, const MemoryEvent *e);
    /* The program's own code sees that memory by itself; asked of all such memory before `uses`. */
    void      (*shown)(void *self, uint64_t from, uint64_t to, const WorkOrder *host);
    /* Would the program's own code race with what it has not waited for, if it read or wrote there? */
    MemoryUse (*uses)(void *self, uint64_t from, uint64_t to, bool writes, const WorkOrder *host);
    /* Findings outside any launch, so far; they live as long as the checker. */
    const WwFinding *(*pending)(void *self, size_t *n);
} Checker;

/* rules as in rules_select.  WW_ERR_INVALID: *why says what is wrong with it. */
Status         checks_new(const char *rules, Str *why, Checks **out);
void           checks_free(Checks *c); /* NULL is allowed */
const RuleSet *checks_rules(const Checks *c);
bool           checks_count(const Checks *c); /* does any of them count?  c may be NULL */
void           checks_memory(Checks *c, const MemoryEvent *e); /* c may be NULL */
void           checks_shown(Checks *c, uint64_t from, uint64_t to, const WorkOrder *host); /* c may be NULL, as in the next */
MemoryUse      checks_uses(Checks *c, uint64_t from, uint64_t to, bool writes, const WorkOrder *host);
size_t         checks_begin(Checks *c, CheckLaunch *l, Observer **list);
/* What was found outside launches so far. */
void           checks_pending(Checks *c, void (*each)(void *user, const WwFinding *f), void *user);
/* Checker.put and add of every checker. */
void           checks_put(const Checks *c, const CheckLaunch *l, Parcel *p);
void           checks_add(Checks *c, const CheckLaunch *l, Parcel *p);
void           checks_end(Checks *c, const CheckLaunch *l, Findings *found);

#endif
