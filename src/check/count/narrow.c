/* SPDX-License-Identifier: Apache-2.0
 *
 * Neighbours are one load, others one each. */
#include "check/count/narrow.h"

#include "ptx/merge.h"
#include "ptx/narrow.h"

unsigned narrow_costs(const Profile *p, const ModelAccess *m, const ModelCost *c, uint32_t role, ModelCost *out)
{
    unsigned read = (role & MERGE_READ) >> NARROW_AT, parts = 0, elem = read ? m->bytes / (read >> NARROW_COUNT) : 0;
    *out = *c;
    for (read &= (1u << NARROW_COUNT) - 1; read; parts++) {
        uint64_t    addr[MODEL_LANES];
        ModelAccess a     = *m;
        unsigned    first = (unsigned)__builtin_ctz(read), two = 3u << first;
        bool        pair = (read & two) == two && first % 2 == 0;
        a.bytes          = pair ? 2 * elem : elem;
        a.addr           = addr;
        for (unsigned i = 0; i < MODEL_LANES; i++)
            addr[i] = m->mask >> i & 1 ? m->addr[i] + first * elem : 0;
        model_access(p, &a, &out[parts]);
        read &= pair ? ~two : read - 1;
    }
    return parts ? parts : 1;
}
