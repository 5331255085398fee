/* SPDX-License-Identifier: Apache-2.0
 *
 * What copies see of tensor maps in global memory that the kernel itself changes (tensormap_proxy.c). */
#ifndef WW_EMU_TENSORMAP_PROXY_H
#define WW_EMU_TENSORMAP_PROXY_H

#include "emu/core/run.h"
#include "emu/async/tensormap.h"

/* The 128 bytes at `at` as a copy of the warp sees them; true: they are what memory holds. */
bool tensormap_seen(Warp *w, uint64_t at, TensorMap *map);
/* The map at `at` (an address of any space) is going to change. */
void tensormap_changes(Warp *w, uint64_t at);
/* tensormap.cp_fenceproxy has written and released it. */
void tensormap_released(Warp *w, uint64_t at);
/* The views of a cluster, of a launch, end. */
void tensormap_views_free(TensorView *list);

#endif
