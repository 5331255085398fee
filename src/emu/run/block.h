/* SPDX-License-Identifier: Apache-2.0
 *
 * A resident block. */
#ifndef WW_EMU_BLOCK_H
#define WW_EMU_BLOCK_H

#include "emu/core/run.h"

Block *block_new(Worker *k, Cluster *c, uint32_t rank); /* reuses a context the worker has */
/* Gives every warp one turn; false if nobody could run.  A fault ends it at once. */
bool block_pass(Block *b, Worker *k);
void block_stop(Block *b, Worker *k);    /* after a fault or a limit: gives up its frames */
/* Its threads have all exited (or it was stopped): observers are told, what it printed is kept. */
void block_ended(Worker *k, Block *b);
void block_release(Block *b, Worker *k); /* gives the context back */
void block_destroy(Block *b);

#endif
