/* SPDX-License-Identifier: Apache-2.0
 *
 * The time model: from what a launch asks of a card to how long it takes there.  Pure; docs/time-model.md says how good it is. */
#ifndef WW_MODEL_TIME_H
#define WW_MODEL_TIME_H

#include <stdbool.h>

#include "model/profile.h"

typedef struct Timing { /* a row of timing.def; a figure that is not known is 0 */
    const char *card; /* NULL: of a profile file */
    double      clock_mhz; /* the profile's */
    double      l1_kib;
    double      near, shared, l1, l2, dram; /* latencies, clocks */
    double      l1_sectors, l2_bytes, port_bytes; /* a clock */
    double      store_bytes, taken_bytes; /* a clock, of stores: that a multiprocessor sends; that L2 takes */
    double      read_gbs, write_gbs, l2_kept_mib;
    double      fetch_bytes, l2_slices, joined_sms; /* that L2 fetches at once; that L2 is made of; whose loads of one sector join */
    double      launch_ns, cold_ns, host_ns, block_clocks;
    double      update_clocks, float_clocks, turn_clocks; /* of atomics */
    double      issue, pass_clocks, dependent;
    double      constant_line, constant_far; /* clocks longer, of a new line of 64 bytes; of one of 256 that device memory has */
    double      print_ns, print_turn_ns, print_lane_ns; /* of a warp; of each further one, of each further lane */
    double      link_read_gbs, link_write_gbs, link_clocks; /* to the host's memory: kernels' loads; stores; latency */
    double      halves, floats, doubles; /* sums, products or fused ones that a multiprocessor does in a clock */
} Timing;

/* The figures of the profile's card; false: too little is known of it, and *lacks (which may be NULL) has the name of a figure that is needed,
 * or NULL where none is known. */
bool timing_of(const Profile *p, Timing *out, const char **lacks);
/* The row of that card; NULL: there is none. */
const Timing *timing_row(const char *card);

/* What takes the time; the parts are those that work at once, the words what people are told. */
typedef enum TimePart {
    TIME_LATENCY, /* a warp's own instructions, one after the other */
    TIME_ISSUE,
    TIME_PIPE,
    TIME_TEXTURE,
    TIME_SHARED,
    TIME_L1,
    TIME_L2,
    TIME_ATOMICS,
    TIME_DRAM,
    TIME_LINK, /* to the host's memory */
    TIME_BLOCKS, /* starting them */
    TIME_PARTS
} TimePart;

typedef struct TimeWork { /* of a launch */
    bool   warm;                  /* one of many alike, one behind the other: TIMING's cold is left out, and the host's pace counts */
    double warps;                 /* of the launch */
    double blocks, resident, sms; /* blocks; that a multiprocessor holds at once; multiprocessors */
    double busy_blocks;           /* of the blocks, that take part in the work; 0: all */
    double warp_clocks;           /* of the warp that such a block waits for, alone */
    double once;                  /* clocks that the first warps of a multiprocessor wait for what all later ones find there, and those that prints take */
    double heaviest;              /* share of the launch's instructions that one block runs, which stay on its multiprocessor.  0: all alike */
    double longest_warp;          /* clocks of the warp that runs most instructions, alone.  0: not known */
    double issued, pipe;          /* warp instructions; clocks of the busiest pipe of a sub-core */
    double texture;               /* likewise, of its unit of textures */
    double shared_passes, ideal_passes;
    double l1_tags, l1_sectors;   /* lines looked up; sectors moved */
    double l2_sectors;            /* that leave or reach a multiprocessor */
    double stored, stored_lines;  /* of them, those of stores; the lines that they leave in */
    double atomic_sectors;          /* updates by sector, the lanes of a warp that update one word one after the other */
    double hottest, hottest_float;  /* updates of the hottest word: integers; floating point */
    double slice_turns;             /* of the slice of L2 that has most updates: one is of a whole sector */
    double dram_read, dram_write; /* bytes */
    double link_read, link_write; /* likewise, of the host's memory */
} TimeWork;

typedef struct TimePrediction {
    double   ns;
    TimePart limiter;
    double   share;    /* of the limiter, in the time without the launch itself */
    double   headroom; /* how many times as fast it would be without the limiter */
    double   part[TIME_PARTS]; /* clocks, each as if alone */
} TimePrediction;

/* false: the work needs a figure that is not known of the card (figures.def, WHERE_USED). */
bool        time_predict(const Timing *t, const TimeWork *w, TimePrediction *out);
/* What a mend takes off a launch's work. */
typedef struct TimeMend {
    double passes;  /* over the banks */
    double sectors; /* of global memory, that loads and stores ask for */
    double issued;  /* warp instructions */
    double turns;   /* share of the atomic updates, 0 to 1 */
} TimeMend;

/* How many times as fast the launch would be with it; 1: it would not.  What the work needs must be known of the card. */
double      time_gain(const Timing *t, const TimeWork *w, const TimeMend *m);
/* Sectors that L2 is asked for, where so many multiprocessors ask for them and a share of them all at once: several do so together. */
double      time_joined(const Timing *t, double asked, double shared, double sms);
/* "shared memory passes" */
const char *time_part_text(TimePart p);

#endif
