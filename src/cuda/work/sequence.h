/* SPDX-License-Identifier: Apache-2.0
 *
 * What the program's calls order, for the race checker: each stream, each branch of a graph and the host know up to which count they come
 * behind the work of every queue.  Only while races are checked; otherwise nothing is kept and every WorkOrder is NULL.
 * The host is one: threads of the program count as ordered. */
#ifndef WW_CUDA_SEQUENCE_H
#define WW_CUDA_SEQUENCE_H

#include "check/check.h"
#include "cuda/work/event.h"

/* Work is submitted to the stream; to be freed with sequence_free when it is done.  Inside a node of a graph: that node's. */
WorkOrder *sequence_submit(Stream *s);
/* The same of a kernel; programmatic: it may begin while a kernel before it runs. */
WorkOrder *sequence_submit_kernel(Stream *s, bool programmatic);
void       sequence_free(WorkOrder *o);
/* What the calls that follow do to memory belongs to this work, until NULL; the work before, to be given back. */
const WorkOrder *sequence_enter(const WorkOrder *o);
const WorkOrder *sequence_entered(void);

/* What the host's own code comes behind; NULL: it has waited for all work, or nothing is kept.  Valid until the next call. */
const WorkOrder *sequence_host_order(void);
/* Grows with every piece of work and every wait. */
uint64_t sequence_version(void);

void sequence_record(Event *e, Stream *s);
void sequence_wait_event(Stream *s, const Event *e);
/* The stream comes behind everything (it waits for a word of memory that anybody may have written). */
void sequence_wait_all(Stream *s);
/* The host has waited for the stream, the event, all; or, a host function runs, for what that work came behind. */
void sequence_host_stream(Stream *s);
void sequence_host_event(const Event *e);
void sequence_host_all(void);
void sequence_host_work(const WorkOrder *o);

/* A graph's nodes in the stream: begin, node (what follows is order[i]'s), end.  NULL: nothing is kept. */
typedef struct GraphOrder GraphOrder;
GraphOrder *sequence_graph_begin(Stream *s, GraphNode *const *order, size_t n);
void        sequence_graph_node(GraphOrder *g, size_t i);
void        sequence_graph_end(GraphOrder *g);

#endif
