/* SPDX-License-Identifier: Apache-2.0
 *
 * Events as objects.  They are recorded and waited for by work.h. */
#ifndef WW_CUDA_EVENT_H
#define WW_CUDA_EVENT_H

#include "cuda/memory/ipc.h"
#include <uthash.h>

#include "cuda/work/stream.h"

typedef struct Event {
    unsigned magic;
    unsigned flags;
    int      device;
    const Context *context; /* as a stream's */
    bool     recorded;
    double   at;       /* seconds */
    Stream  *in;       /* the work it marks: reached when in->done >= ticket; NULL: reached */
    uint64_t ticket;
    IpcWord  word;     /* between processes: 1 while its work is not done */
    WorkClock know;    /* sequence.h */
    Capture    *capture; /* recorded in a stream that is capturing: the point in the graph */
    GraphNode **tail; size_t ntail;
    const void *handle;      /* itself: what event.c finds it by */
    UT_hash_handle hh;
} Event;

enum { EVENT_BLOCKING = 1, EVENT_NO_TIME = 2, EVENT_IPC = 4 };

Event *event_of(void *handle);
/* Why event_of gave NULL. */
CuErr  event_error(const void *handle);
CuErr  event_create(void **out, unsigned flags);
bool   event_destroy(void *event);
/* The work before it is done; ticket 0: whatever it was. */
void   event_reached(void *event, uint64_t ticket);
/* Another process's work that it marks is not done. */
bool   event_awaits_other(const Event *v);
/* Every event of the capture goes back to work. */
void   events_leave_capture(const Capture *c);

#endif
