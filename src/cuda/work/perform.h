/* SPDX-License-Identifier: Apache-2.0
 *
 * A piece of work, done now, by the calling thread. */
#ifndef WW_CUDA_PERFORM_H
#define WW_CUDA_PERFORM_H

#include "cuda/work/graph.h"

CuErr node_run(GraphNode *n);
/* The condition of a NODE_WAIT_VALUE. */
bool  node_value_reached(const GraphNode *n);

#endif
