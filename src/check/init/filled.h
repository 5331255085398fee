/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory that the program's own code writes without a word (pinned, managed): what of it nobody wrote is seen by what it holds.
 *
 * Such memory is filled, when it is given, with words that depend on their place.  A word that still holds its own was never written; one that
 * holds anything else was, by whomever.  So no write can be missed: by system calls, other threads, other devices.
 *
 *     allocation   | w(0) | w(1) | 17   | 0    | w(4) | w(5) | ...        w(i): four bytes, a hash of i and of the allocation's size
 *                    nobody's      written       nobody's
 *
 * A kernel that reads such a word finds zero, as a plain run does, so that programs go on as they would; it stays nobody's until the launch
 * has ended.  The host finds the words.  A program writes the word that is there by accident once in 2^32 words, so in larger allocations one
 * alone in its 4 KiB counts as written.  Bytes are not looked at singly: of a word in which one was written all count as written. */
#ifndef WW_CHECK_FILLED_H
#define WW_CHECK_FILLED_H

#include "check/init/written.h"

/* Fills the region, of which nothing is written then; larger ones are left alone, and all of them is written. */
void     filled_make(Region *r);
/* The host may have written since: what it wrote is written.  Workers are at rest.  A matter of speed alone: who asks less often with every
 * time that there was nothing new. */
void     filled_look(Region *r);
/* A kernel reads n <= 32 bytes at the address: which of those that are `bad` by their bits nobody wrote.  The others are written from now on. */
uint32_t filled_still(Region *r, uint64_t address, unsigned n, uint32_t bad);
/* filled_look of what lies in [address, address + n), each time. */
void     filled_settle(Region *r, uint64_t address, uint64_t n);

#endif
