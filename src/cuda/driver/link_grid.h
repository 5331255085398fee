/* SPDX-License-Identifier: Apache-2.0
 *
 * PTX of the device runtime's functions for a grid that waits for itself (link_grid.c). */
#ifndef WW_CUDA_LINK_GRID_H
#define WW_CUDA_LINK_GRID_H

extern const char link_grid[];

#endif
