/* SPDX-License-Identifier: Apache-2.0
 *
 * The entry points by name: for cuGetProcAddress and for the preloaded library that redirects statically linked programs. */
#ifndef WW_CUDA_API_H
#define WW_CUDA_API_H

typedef struct ApiEntry {
    const char *name;
    void      (*fn)(void);
} ApiEntry;

/* Entry points of the runtime of CUDA `version` (11, 12, 13) in no order, ended by a NULL name; the program uses that
 * version from now on. */
const ApiEntry *ww_cuda_runtime(int version);
const ApiEntry *ww_cuda_driver(void);

#endif
