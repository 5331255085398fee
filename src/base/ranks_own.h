/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside ranks.h. */
#ifndef WW_BASE_RANKS_OWN_H
#define WW_BASE_RANKS_OWN_H

/* Takes away what jobs whose folders' names begin so have left in the folder. */
void ranks_sweep(const char *folder, const char *prefix);

#endif
