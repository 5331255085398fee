/* SPDX-License-Identifier: Apache-2.0
 *
 * One SIMD level.  Every file of this folder is compiled once per level (WW_LEVEL = avx512, avx2 or baseline), so every symbol
 * that is not static carries the level's name:  EXEC_SYM(exec_fill_lane)  ->  exec_fill_lane_avx512.
 * WW_LEVEL_NAME is the level as a string. */
#ifndef WW_EMU_EXEC_LEVEL_H
#define WW_EMU_EXEC_LEVEL_H

#include "emu/core/code.h"

#ifndef WW_LEVEL
#define WW_LEVEL baseline
#endif

#define EXEC_JOIN_(name, level)  name##_##level
#define EXEC_JOIN(name, level)   EXEC_JOIN_(name, level)
#define EXEC_SYM(name)           EXEC_JOIN(name, WW_LEVEL)
#define EXEC_TEXT_(x)            #x
#define EXEC_TEXT(x)             EXEC_TEXT_(x)
#define WW_LEVEL_NAME            EXEC_TEXT(WW_LEVEL)

#define exec_fill_lane EXEC_SYM(exec_fill_lane)
#define exec_fill_mem  EXEC_SYM(exec_fill_mem)
#define exec_fill_matrix EXEC_SYM(exec_fill_matrix)
#define exec_fill_texture EXEC_SYM(exec_fill_texture)
#define exec_table     EXEC_SYM(exec_table)

/* Enters the handlers of all lane operations (ExecTable.lane). */
void exec_fill_lane(ExecTable *t);
/* Enters the memory handlers (ExecTable.mem). */
void exec_fill_mem(ExecTable *t);
/* Enters matrix arithmetic (ExecTable.matrix). */
void exec_fill_matrix(ExecTable *t);
/* Enters fetches of textures (ExecTable.texture). */
void exec_fill_texture(ExecTable *t);
/* The whole table; not to be called on a CPU without the level. */
const ExecTable *exec_table(void);

#endif
