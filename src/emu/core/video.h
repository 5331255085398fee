/* SPDX-License-Identifier: Apache-2.0
 *
 * Video instructions: what lowering (lower_video.c) tells their handlers.
 * Packed ones as compilers emit them are a lane operation (exec/lane_hand.c), coded in a Uop:
 *   x   VideoFlag bits                     y   bits 0-3 VideoOp, bits 4-6 VideoCompare (what vset accepts)
 * All others are ctl_video, which takes a VideoInfo. */
#ifndef WW_EMU_VIDEO_H
#define WW_EMU_VIDEO_H

#include <stdbool.h>
#include <stdint.h>

typedef enum VideoFlag {
    VIDEO_SIGNED_D = 1,
    VIDEO_SIGNED_A = 2,
    VIDEO_SIGNED_B = 4,
    VIDEO_SAT      = 8,
    VIDEO_SUM      = 16, /* .add: the parts and the third source are added up */
    VIDEO_FOUR     = 32, /* four bytes, else two halves */
} VideoFlag;

typedef enum VideoOp {
    VIDEO_ADD, VIDEO_SUB, VIDEO_ABSDIFF, VIDEO_MIN, VIDEO_MAX, VIDEO_SET, VIDEO_AVERAGE, VIDEO_SHL, VIDEO_SHR, VIDEO_MAD
} VideoOp;

typedef enum VideoCompare { VIDEO_LESS = 1, VIDEO_EQUAL = 2, VIDEO_GREATER = 4 } VideoCompare;

typedef enum VideoSecond { VIDEO_NONE, VIDEO_THEN_ADD, VIDEO_THEN_MIN, VIDEO_THEN_MAX } VideoSecond;

typedef struct VideoPart { /* bits of a word (of a packed instruction: of b and a, 64 bits) */
    uint8_t shift, width;
} VideoPart;

typedef struct VideoInfo {
    VideoOp     op;
    VideoSecond second;
    bool        signed_d, signed_a, signed_b, saturate, wrap, plus_one, negate_product, negate_c;
    unsigned    accept, scale;         /* vset: VideoCompare; vmad: right shift */
    unsigned    parts;                 /* 1, 2, 4 */
    VideoPart   a[4], b[4], d[4];      /* d: width 0 = not written */
    bool        merge;                 /* the rest of d is c's */
} VideoInfo;

#endif
