/* SPDX-License-Identifier: Apache-2.0
 *
 * What each kind of work does.  Bodies of conditional nodes, and child graphs in them, run node by node in one order. */
#include "cuda/work/perform.h"

#include <stdlib.h>
#include <string.h>

#include "cuda/work/event.h"

static CuErr cgraph_run(const Graph *g);

bool node_value_reached(const GraphNode *n)
{
    uint64_t have = 0, want = n->value.value, mask = n->value.bytes == 8 ? UINT64_MAX : UINT32_MAX;
    memcpy(&have, n->value.at, n->value.bytes);
    switch (n->value.flags & WAIT_VALUE_KINDS) {
    case WAIT_VALUE_REACHED:
        return n->value.bytes == 8 ? (int64_t)(have - want) >= 0 : (int32_t)(uint32_t)(have - want) >= 0;
    case WAIT_VALUE_EQUAL: return have == (want & mask);
    case WAIT_VALUE_AND: return (have & want) != 0;
    default: return (~(have | want) & mask) != 0;
    }
}

/* Without the lock: it may take its time, and wait for other threads that call CUDA. */
static void call_host(NodeHost h)
{
    state_flush();
    unsigned held     = state_release();
    state_in_callback = true;
    h.fn(h.user);
    state_in_callback = false;
    state_retake(held);
}

static unsigned condition_value(const NodeCondition *c)
{
    unsigned v;
    memcpy(&v, (const void *)(uintptr_t)c->handle, sizeof v);
    return v;
}

static CuErr run_condition(const NodeCondition *c)
{
    unsigned v = condition_value(c);
    CuErr    e = cudaSuccess;
    switch (c->type) {
    case CONDITION_IF: return v ? cgraph_run(c->body[0]) : c->size == 2 ? cgraph_run(c->body[1]) : cudaSuccess;
    case CONDITION_WHILE:
        while (e == cudaSuccess && state.later == cudaSuccess && condition_value(c))
            e = cgraph_run(c->body[0]);
        return e;
    default: return v < c->size ? cgraph_run(c->body[v]) : cudaSuccess;
    }
}

CuErr node_run(GraphNode *n)
{
    switch (n->kind) {
    case NODE_KERNEL: return launch_run(n->kernel, &n->ask);
    case NODE_COPY: return devmem_copy_3d(&n->copy);
    case NODE_SET:
        return devmem_set_2d(n->set.dst, n->set.pitch, n->set.value, n->set.element, n->set.width, n->set.height);
    case NODE_HOST: call_host(n->host); return cudaSuccess;
    case NODE_CHILD: return cgraph_run(n->child);
    case NODE_EVENT_RECORD: event_reached(n->event, n->ticket); return cudaSuccess;
    case NODE_WRITE_VALUE:
        memcpy(n->value.at, &n->value.value, n->value.bytes);
        devmem_tell_written(n->value.at, n->value.bytes);
        return cudaSuccess;
    case NODE_CONDITIONAL: return run_condition(&n->condition);
    case NODE_ALLOC:
        if (!n->memory.of_stream)
            devmem_wake(n->memory.p);
        devmem_tell_ordered(n->memory.p, true);
        return cudaSuccess;
    case NODE_FREE:
        devmem_tell_ordered(n->memory.p, false);
        if (n->memory.of_stream)
            return devmem_free(n->memory.p, MEMORY_DEVICE);
        devmem_sleep(n->memory.p);
        return cudaSuccess;
    default: return cudaSuccess; /* allocations of a graph keep their address from the making of the node on */
    }
}

static CuErr cgraph_run(const Graph *g)
{
    GraphNode **order = cgraph_order(g);
    CuErr       e     = order ? cudaSuccess : cudaErrorInvalidValue;
    for (size_t i = 0; e == cudaSuccess && i < g->nnodes && state.later == cudaSuccess; i++)
        if (!order[i]->off)
            e = node_run(order[i]);
    free(order);
    return e;
}
