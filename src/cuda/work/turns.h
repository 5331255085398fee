/* SPDX-License-Identifier: Apache-2.0
 *
 * Whose turn it is among the streams that have work (turns.c). */
#ifndef WW_CUDA_TURNS_H
#define WW_CUDA_TURNS_H

#include "cuda/work/stream.h"

bool turns_has_work(const Stream *s);
/* Is all done that n waits for? */
bool turns_may_run(const GraphNode *n);
/* May the first node of s go on now?  false: perhaps after *us microseconds (UINT64_MAX: not before another thread wakes this one). */
bool turns_mine(const Stream *s, uint64_t *us);
/* It has had its turn: it paused so, and is as it was before if it waits. */
void turns_taken(const Stream *s, GraphNode *n, LaunchPause p);
/* The first node of s is done. */
void turns_done(const Stream *s, const GraphNode *n);
/* A kernel that has begun in the call goes to its queue. */
void turns_begun(GraphNode *n, LaunchPause p);
/* The program has called for work. */
void turns_called(void);
/* Memory may have changed. */
void turns_stirred(void);
/* A thread of the program begins or ends to wait for streams. */
void turns_wait(bool begins);
/* After fork: nobody waits. */
void turns_forget(void);

#endif
