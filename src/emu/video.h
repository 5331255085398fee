/* SPDX-License-Identifier: Apache-2.0
 *
 * How a packed video instruction (vadd2 ... vset4) is coded in a Uop:
 *   x   VideoFlag bits                     y   bits 0-3 VideoOp, bits 4-6 VideoCompare (what vset accepts) */
#ifndef WW_EMU_VIDEO_H
#define WW_EMU_VIDEO_H

typedef enum VideoFlag {
    VIDEO_SIGNED_D = 1,
    VIDEO_SIGNED_A = 2,
    VIDEO_SIGNED_B = 4,
    VIDEO_SAT      = 8,
    VIDEO_SUM      = 16, /* .add: the parts and the third source are added up */
    VIDEO_FOUR     = 32, /* four bytes, else two halves */
} VideoFlag;

typedef enum VideoOp { VIDEO_ADD, VIDEO_SUB, VIDEO_ABSDIFF, VIDEO_MIN, VIDEO_MAX, VIDEO_SET } VideoOp;

typedef enum VideoCompare { VIDEO_LESS = 1, VIDEO_EQUAL = 2, VIDEO_GREATER = 4 } VideoCompare;

#endif
