/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of one SIMD level, filled in once per process. */
#include "emu/core/code.h"
#include "emu/exec/level.h"

const ExecTable *exec_table(void)
{
    static ExecTable t;
    if (!t.level) {
        exec_fill_lane(&t);
        exec_fill_mem(&t);
        exec_fill_matrix(&t);
        exec_fill_texture(&t);
        t.level = WW_LEVEL_NAME;
    }
    return &t;
}
