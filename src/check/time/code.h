/* SPDX-License-Identifier: Apache-2.0
 *
 * From machine code, or what stands in for it (standin.h), and how often PTX was executed to what the code keeps busy: issue slots, pipes, and
 * the time of a warp that runs alone. */
#ifndef WW_CHECK_TIME_CODE_H
#define WW_CHECK_TIME_CODE_H

#include "check/time/standin.h"
#include "sass/cubin.h"
#include "sass/word.h"

typedef struct CodeInput {
    const CubinFunc *code; /* NULL: PTX as it is scheduled here (standin.h) */
    const EmuInstr  *instr; /* of the launch, by id */
    uint32_t         ninstr;
    const uint64_t  *executed; /* warp instructions, by id */
    uint64_t         warps; /* of the launch */
    const uint64_t  *lanes;    /* that took part in these, by id */
    const uint64_t  *parted;   /* groups that lanes of a warp parted into there, beyond the first, by id; NULL: not known */
    double           constant_line, constant_far; /* Timing; 0: these cost nothing */
    const Func      *kernel;
    const void *const *args; /* its arguments, as WwLaunch.args */
    double           mhz;    /* of the card */
    double           busy_blocks; /* of the launch, that take part in the work; more than 0 */
    StandInResults   results; /* without code: as StandInInput has them, and `gone` */
    bool           (*gone)(void *user, uint32_t id);
    /* Clocks until the result of a load that PTX instruction makes is there; UINT32_MAX: no instruction of PTX is known to make it. */
    double         (*reach)(void *user, uint32_t id, SassReach r, unsigned copy, unsigned copies);
    double         (*lines)(void *user, uint32_t id); /* of an access to global memory */
    /* How many lanes of a warp update one word of shared memory in that instruction; 1 or more. */
    double         (*turns)(void *user, uint32_t id);
    void            *user;
} CodeInput;

typedef struct CodeWork {
    double issued;            /* machine instructions, by warps, of the whole launch */
    double mean_clocks, near_clocks; /* of the average of all warps; the same if all that it loads were near */
    double pipe[SASS_PIPES];  /* clocks of a sub-core's pipe, likewise */
    double warp_clocks;       /* from the first to the last instruction of a warp that works and waits for nobody else */
    double constant_clocks;   /* that a multiprocessor's first warp waits for constants */
    double prints, print_turns, print_lanes; /* one behind the other by one warp; by other warps meanwhile; by further lanes of all */
    double placed;            /* share of `issued` whose PTX line is known */
    double folded; /* how many times as many instructions of PTX all warps run as were executed, since sides of branches have guards; 1 or more */
} CodeWork;

/* Do warps reduce what they add to one word before one lane adds it?  A sum of numbers that are all alike is the number of lanes times one. */
bool code_joins_updates(const CubinFunc *code);
void code_work(const CodeInput *in, CodeWork *out);

#endif
