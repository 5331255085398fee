/* SPDX-License-Identifier: Apache-2.0
 *
 * What one process worked out and the next may use: bytes under a key of 128 bits, kept in files.  The key is made of everything that the
 * bytes depend on (content.h), the version of what made them included; so an entry is never wrong, only missing.
 *
 * All caches stand in one folder: $WARPWRIGHT_CACHE, where that is an absolute path, else $XDG_CACHE_HOME/warpwright, else
 * $HOME/.cache/warpwright; WARPWRIGHT_CACHE=off is no cache.  A cache's own folder must belong to this user and be writable by nobody else:
 * what stands there may be machine code.
 *
 * Any number of processes and threads may use a folder at once.  An entry appears whole (rename) and is never written again.  It ends with
 * a seal: magic, version, length, key and checksum.  What does not fit its seal is a miss, and is removed.  No failure here is anybody's
 * error: a full disk or a removed folder make misses. */
#ifndef WW_BASE_CACHE_H
#define WW_BASE_CACHE_H

#include "base/content.h"
#include "base/str.h"

#define CACHE_VARIABLE "WARPWRIGHT_CACHE"

typedef struct Cache Cache; /* every function takes NULL, too: a cache that never holds anything */

/* The cache `name` ("registers"), a folder that is made when it is missing.  Its files are kept below `most` bytes: those not used for the
 * longest time are removed.  (Other processes that store at the same time are seen late: each may add as much before it looks again.)  Free
 * with cache_close.  NULL: no cache; then *why is empty where it was switched off, else says in one line what is wrong with the folder. */
Cache *cache_open(const char *name, uint64_t most, Str *why);
void   cache_close(Cache *c);

/* Behind *out: the bytes under the key.  False: there are none, and *out is as it was. */
bool cache_find(Cache *c, Content key, Str *out);
/* Behind *path: the file that holds them, for those who need a file (dlopen); the seal stands behind its bytes.  Another process may remove it
 * at any time: to fail to open it is a miss. */
bool cache_path(Cache *c, Content key, Str *path);

/* Keeps the bytes.  False: they could not be kept, or are more than a quarter of the cache. */
bool cache_store(Cache *c, Content key, const void *bytes, size_t n);
/* A new empty file in the cache's folder, which anybody may fill: its descriptor, closed by exec, and behind *path its name.  It is adopted or
 * unlinked; should the process die, it is removed an hour later.  -1: there is none. */
int  cache_temporary(Cache *c, Str *path);
/* Seals the file and keeps it under the key; afterwards the path is gone, whatever the result. */
bool cache_adopt(Cache *c, Content key, const char *path);

/* Behind *out: the folder of all caches, which need not be there yet.  False: *why as for cache_open. */
bool cache_where(Str *out, Str *why);

/* What $WARPWRIGHT_CACHE says, where that is neither "off" nor an absolute path; else NULL. */
const char *cache_misnamed(void);

#endif
