/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs: nodes with dependencies, made by capture or one by one, instantiated and launched.
 *
 * A launch hands the nodes to streams in an order that respects the dependencies (graph_launch.c): among nodes that are ready, the oldest
 * first.  An executable graph is a copy, so changing the graph later does not change it. */
#ifndef WW_CUDA_CGRAPH_H
#define WW_CUDA_CGRAPH_H

#include "cuda/memory/devmem.h"
#include "cuda/work/kernel_launch.h"

typedef struct Graph Graph;
typedef struct GraphNode GraphNode;
typedef struct Capture Capture;

typedef enum NodeKind { /* numbers of cudaGraphNodeType */
    NODE_KERNEL, NODE_COPY, NODE_SET, NODE_HOST, NODE_CHILD, NODE_EMPTY, NODE_EVENT_WAIT, NODE_EVENT_RECORD,
    NODE_ALLOC = 10, NODE_FREE = 11, NODE_CONDITIONAL = 13,
    NODE_WAIT_VALUE = 100, NODE_WRITE_VALUE /* in queues of streams only */
} NodeKind;

typedef struct NodeSet { void *dst; size_t pitch; unsigned value, element; size_t width, height; } NodeSet;
typedef struct NodeHost { void (*fn)(void *); void *user; } NodeHost;
typedef struct NodeValue { void *at; uint64_t value; unsigned flags, bytes; } NodeValue; /* of cuStreamWaitValue, cuStreamWriteValue */
typedef struct Ticket { struct Stream *stream; uint64_t count; } Ticket;
typedef struct NodeMemory { void *p; size_t bytes; bool of_stream; } NodeMemory; /* of_stream: cudaMallocAsync, cudaFreeAsync; else a graph's */

typedef struct NodeCondition { uint64_t handle; int type; unsigned size; Graph **body; } NodeCondition;
typedef struct UserObject UserObject;

typedef struct QueueTurn { /* of work that goes on a piece at a time */
    uint64_t seen;       /* how often memory had changed when it only waited; 0: it does not wait */
    uint64_t until, nap; /* microseconds: when it looks again though nothing has changed, and how long that is */
} QueueTurn;

enum { MAX_BODIES = 1024 };

struct GraphNode {
    unsigned    magic;
    NodeKind    kind;
    bool        off;        /* disabled in an executable graph */
    uint64_t    serial;
    Graph      *graph;
    GraphNode **deps; size_t ndeps;
    bool        marked;     /* while a capture ends: its end depends on this */
    GraphNode  *origin;     /* in a clone or an executable graph: the node it was copied from */
    Kernel     *kernel;
    LaunchAsk   ask;        /* its args belong to the node */
    size_t      nargs;
    Ticket     *after; size_t nafter; /* in a queue: what must be done before */
    uint64_t    ticket;               /* in a queue: its own count */
    struct Running *running;          /* in a queue: the kernel has begun */
    QueueTurn   turn;                 /* in a queue: queue.c */
    bool        held;                 /* in a queue: a kernel behind it may begin before it (queue.h) */
    struct WorkOrder *work;           /* in a queue: sequence.h */
    union { NodeValue value; NodeCopy copy; NodeSet set; NodeHost host; NodeMemory memory; void *event; Graph *child; NodeCondition condition; };
    LaunchAttribute *attrs; /* of a kernel node, by their numbers; NULL: none was set */
};

struct Graph {
    unsigned    magic;
    bool        exec;
    unsigned long long flags; /* of its instantiation */
    void       *source;       /* of an executable graph: what it was made from, which may be gone */
    unsigned    instances;    /* executable graphs made from it */
    GraphNode **node; size_t nnodes; /* in the order of their making */
    struct Owned { UserObject *object; unsigned count; } *owned; size_t nowned;
    struct Event *end;        /* of an executable graph: behind its last launch; NULL before the first */
    struct Condition { uint64_t handle; unsigned value; bool assign; } *condition; size_t nconditions; /* assign: at each launch */
};

Graph     *cgraph_new(void);
void       cgraph_free(Graph *g);
Graph     *cgraph_clone(const Graph *g);
Graph     *cgraph_of(void *handle, bool exec);
GraphNode *node_of(void *handle);
/* A node with the given dependencies; its payload is the caller's to fill. */
GraphNode *cgraph_add(Graph *g, NodeKind kind, GraphNode *const *deps, size_t ndeps);
void       node_free(GraphNode *n);
/* The node, which is in a graph or a queue, names the kernel in place of what it named. */
void       node_name_kernel(GraphNode *n, Kernel *k);
/* Sets kernel and launch, copying the arguments by the sizes of the kernel's parameters. */
CuErr      node_set_kernel(GraphNode *n, Kernel *k, const LaunchAsk *ask);
/* Takes over what another node of the same kind does (cudaGraphExecUpdate). */
void       cgraph_take(GraphNode *to, const GraphNode *from);
bool       node_add_dep(GraphNode *n, GraphNode *dep);
/* What the i-th of the edges' data (NULL: none) says of an edge to n: a programmatic one lets n begin early. */
void       node_edge(GraphNode *n, const EdgeData *edges, size_t i);
/* The nodes in the order in which they run (to be freed); NULL when the dependencies go in a circle. */
GraphNode **cgraph_order(const Graph *g);
/* What the node does; arguments of a kernel are copied. */
CuErr      cgraph_copy_payload(GraphNode *to, const GraphNode *from);

void       node_copy_attributes(GraphNode *to, const GraphNode *from);
/* At each launch: conditions that have a default value get it. */
void       cgraph_begin(const Graph *g);
CuErr      cgraph_new_condition(Graph *g, unsigned value, bool assign, uint64_t *handle);
bool       cgraph_condition(uint64_t handle);

/* user_object.c: reference-counted things of the program that graphs keep alive.  False: no such object, or not so many references. */
UserObject *user_object_new(void *p, void (*destroy)(void *), unsigned count);
bool        user_object_add(UserObject *o, int count);
void        cgraph_own(Graph *g, UserObject *o, unsigned count);
bool        cgraph_disown(Graph *g, UserObject *o, unsigned count);
void        cgraph_own_as(Graph *to, const Graph *from);
void        cgraph_disown_all(Graph *g);

#endif
