/* SPDX-License-Identifier: Apache-2.0
 *
 * Work that cannot run at once.  Ordinarily a call's work is done when the call returns, and every queue is empty.
 * When a kernel only waits for something that the host or another stream must bring, or runs for long, or work must
 * wait for such a kernel, it stays in its stream's queue, and a thread that is started then goes on with it. */
#ifndef WW_CUDA_QUEUE_H
#define WW_CUDA_QUEUE_H

#include "cuda/work/event.h"

/* Must work in the stream wait: for its own queue, or for streams that the default stream orders? */
bool       queue_busy(Stream *s);
/* The program has called for work: whoever is in a queue stays where it is for a while (queue.c). */
void       queue_called(void);
/* Work that was not queued may have changed memory that queued kernels wait for. */
void       queue_stirred(void);
/* A node at the end of the stream's queue; its payload is the caller's to fill before the lock is given up.  It runs behind what
 * queue_busy looks at, and behind `event` (may be NULL). */
GraphNode *queue_add(Stream *s, NodeKind kind, const Event *event);
/* The same with the order of work that was submitted already. */
GraphNode *queue_add_work(Stream *s, NodeKind kind, const Event *event, struct WorkOrder *work);
/* A kernel that has begun in the call and has not ended. */
GraphNode *queue_add_running(Stream *s, Kernel *k, Running *r, struct WorkOrder *work);
/* With late copies a kernel that lets others begin early is held back until the program's next call says whether there is one: this one
 * begins as far as it comes before its griddepcontrol.wait, and only then does the kernel that was held run.  Any other call
 * lets it run at once, and so does a time without one. */
void       queue_hold(GraphNode *n);
/* Is one held in the stream?  All before it is done then. */
bool       queue_held(const Stream *s);
void       queue_let_go(void);
/* Waits until nothing in the stream must wait any more (as a call that is not asynchronous does), and prints. */
void       queue_settle(Stream *s);
/* Waits for every stream of device n; -1: of all devices. */
void       queue_settle_device(int n);
/* Waits until the event's work is done. */
void       queue_settle_event(const Event *v);
bool       queue_pending(const Event *v);
/* Is anything queued anywhere? */
bool       queue_any(void);
/* Has a kernel begun that has not ended, or does a stream wait for a value?  The host may be who it waits for. */
bool       queue_under_way(void);

#endif
