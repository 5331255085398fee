/* SPDX-License-Identifier: Apache-2.0
 *
 * Joined grids of processes that meet as warpwright's own commands do (base/ranks.h): ranks of one machine, with or without a launcher. */
#ifndef WW_GRID_MEET_H
#define WW_GRID_MEET_H

#include "base/ranks.h"
#include "warpwright/grid.h"

typedef struct GridMeet GridMeet;
/* All ranks call it.  The ranks stay the caller's, and are closed after it.  WW_ERR_IO: *why says what could not be made. */
Status     grid_meet_open(Ranks *r, Str *why, GridMeet **out);
void       grid_meet_close(GridMeet *m);
/* For ww_grid_link; it lives as long as m. */
WwGridLink grid_meet_link(GridMeet *m);
/* Waits for all ranks; false: one is gone. */
bool        grid_meet_all(GridMeet *m);
/* Every rank's number, by rank; false: one is gone. */
bool        grid_meet_numbers(GridMeet *m, double own, double *all);
/* Why a function of the link failed last; "": none did. */
const char *grid_meet_why(const GridMeet *m);

#endif
