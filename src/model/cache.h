/* SPDX-License-Identifier: Apache-2.0
 *
 * A cache of 128-byte lines with four sectors of 32 bytes each: what a multiprocessor's L1 is.  It knows which sectors it holds, and no
 * data. */
#ifndef WW_MODEL_CACHE_H
#define WW_MODEL_CACHE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ModelCache ModelCache;

/* So many bytes, rounded down to whole sets; 0: nothing is ever held.  Free with model_cache_free. */
ModelCache *model_cache_new(uint64_t bytes);
void        model_cache_free(ModelCache *c); /* NULL is allowed */
/* Looks up sectors (a bit each, 0 to 3) of the line; those that are missing are fetched.  Gives those that were there. */
unsigned    model_cache_load(ModelCache *c, uint64_t line, unsigned sectors);
/* A store: written through, it changes what is held and fetches nothing. */
void        model_cache_store(ModelCache *c, uint64_t line, unsigned sectors);

#endif
