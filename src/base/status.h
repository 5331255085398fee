/* SPDX-License-Identifier: Apache-2.0
 *
 * Status: what a fallible function returns.  The list is include/warpwright/statuses.def; the public
 * name is WwStatus.  Callers propagate with TRY. */
#ifndef WW_BASE_STATUS_H
#define WW_BASE_STATUS_H

#include "warpwright/warpwright.h"

typedef WwStatus Status;

/* Returns from the enclosing function when `call` did not return WW_OK. */
#define TRY(call)                          \
    do {                                   \
        Status try_status_ = (call);       \
        if (try_status_ != WW_OK)          \
            return try_status_;            \
    } while (0)

#endif
