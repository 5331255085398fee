/* SPDX-License-Identifier: Apache-2.0
 *
 * The access model: 32 addresses and a profile in, what the memory system does with them out.  Pure functions; no state.
 * The rules, and how well each is known, are in docs/model.md. */
#ifndef WW_MODEL_MODEL_H
#define WW_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"

enum { MODEL_LANES = 32, MODEL_SECTOR = 32, MODEL_LINE = 128, MODEL_MAX_BYTES = 32 };

typedef enum ModelSpace { MODEL_GLOBAL, MODEL_SHARED, MODEL_LOCAL, MODEL_SPACES } ModelSpace;
/* LDSM, STSM: ldmatrix and stmatrix, 16 bytes a lane, shared only. */
typedef enum ModelOp { MODEL_LD, MODEL_ST, MODEL_ATOM, MODEL_RED, MODEL_LDSM, MODEL_STSM, MODEL_OPS } ModelOp;
/* Whether a global load goes through L1; AUTO is as the profile does. */
typedef enum ModelL1 { MODEL_L1_AUTO, MODEL_L1_ON, MODEL_L1_OFF } ModelL1;

typedef struct ModelAccess {
    ModelSpace      space;
    ModelOp         op;
    ModelL1         l1;
    unsigned        bytes; /* per lane: 1, 2, 4, 8, 16 or 32 */
    uint32_t        mask;  /* lanes that take part; 0 costs nothing */
    const uint64_t *addr;  /* 32 byte addresses (shared: in the window, local: in the thread's frame); inactive lanes: anything */
} ModelAccess;

typedef struct ModelCost {
    /* shared */
    uint32_t wavefronts;       /* passes over the banks */
    uint32_t ideal_wavefronts; /* passes the active lanes' bytes need when packed, at most the parts the access is divided into */
    uint32_t conflicts;        /* passes beyond one a part */
    uint32_t rounds;           /* model_swaps: of the loop */
    /* global, local */
    uint32_t requests;     /* 1 */
    uint32_t sectors;      /* 32-byte pieces that move, or are updated */
    uint32_t touched;      /* distinct 32-byte sectors with a byte asked for */
    uint32_t ideal;        /* sectors that bytes x lanes would fill when packed; never more than touched */
    uint32_t tag_requests; /* distinct 128-byte lines */
    uint32_t lines_128;    /* whole 128-byte lines moved; 0 where the profile does not move whole lines */
    uint32_t transactions; /* of whatever size the profile has: 32, 64 or 128 bytes */
    uint32_t useful_bytes; /* distinct bytes asked for */
    uint32_t moved_bytes;  /* sectors x 32 */
} ModelCost;

void model_access(const Profile *p, const ModelAccess *a, ModelCost *out);

/* A shared atomic that the machine makes as a loop, of a load and a compare-and-swap of what was loaded: passes of all its rounds, and their ideal. */
void model_swaps(const Profile *p, const ModelAccess *a, ModelCost *out);

/* Shared accesses are served in parts of so many neighbouring lanes, one part after the other: 32, 16, 8 or 4. */
unsigned model_part_lanes(const Profile *p, const ModelAccess *a);

/* The cost of a movable access depends only on mask, address differences and the first active lane's address modulo the returned
 * number: what a memo of costs may use as its key.  A power of two, at least 1; for naturally aligned accesses. */
unsigned model_period(const Profile *p, ModelSpace space, ModelOp op, unsigned bytes);
/* A word of the command line and of WwAccess ("shared", "ld") as a space or an operation; -1: it is none. */
int model_space_word(const char *word, size_t n);
int model_op_word(const char *word, size_t n);
/* Why the hardware would refuse the access, or NULL.  *lane is the lane to blame, or -1. */
const char *model_impossible(const ModelAccess *a, int *lane);
/* The pass of the lane's part, from 0, that serves this word (of a bank's width) of a shared access: as many as other words of its bank, or
 * rows of words where banks are wide, were asked for before it.  The lanes' order within a part is assumed; hardware may choose another. */
unsigned model_pass(const Profile *p, const ModelAccess *a, unsigned lane, uint64_t word);

/* All accesses are movable but some global atomics, whose cost depends on the whole address.  Accesses of the same mask and
 * differences give the same answer. */
bool model_movable(const Profile *p, const ModelAccess *a);

#endif
