/* SPDX-License-Identifier: Apache-2.0
 *
 * Profile: what is known of a device.  A profile is either an architecture ("sm_90") or a named card ("h200") that adds the card's own
 * figures; all are rows of profiles.def.  A profile sets the memory and time model, and binds: limits.h has what a launch may take on it
 * and what a program is told.  A figure that is not known is 0 and is printed as unknown. */
#ifndef WW_MODEL_PROFILE_H
#define WW_MODEL_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* How a warp's shared accesses are divided into passes over the banks (banks.c). */
typedef enum BankRule {
    BANKS_BROADCAST, /* half-warps; one broadcast word a pass, one address for each other bank (cc 1.x) */
    BANKS_SPLIT,     /* any number of words multicast; 64-bit by half-warps; 128-bit by quarters, each a pass dearer (cc 2.x) */
    BANKS_WIDE,      /* banks deliver 8 bytes a pass, so 64-bit accesses take one (cc 3.x) */
    BANKS_PAIRED,    /* as SPLIT without the dearer pass; wide loads of pairs of equal lanes join their parts (cc 5.x and later) */
} BankRule;

/* How a warp's global accesses become transactions (coalesce.c). */
typedef enum GlobalRule {
    GLOBAL_STRICT,   /* half-warp in sequence and aligned, else one 32-byte transaction a lane (cc 1.0, 1.1) */
    GLOBAL_SEGMENTS, /* half-warp, segments of 32, 64, 128 bytes (cc 1.2, 1.3) */
    GLOBAL_LINES,    /* 128-byte lines through L1, 32-byte segments past it; 8- and 16-byte accesses in parts (cc 2.x, 3.x) */
    GLOBAL_SECTORS,  /* distinct 32-byte sectors of the whole warp (cc 5.x and later) */
} GlobalRule;

/* An architecture. */
typedef struct Arch {
    const char *name;  /* "sm_90" */
    const char *title; /* for people */
    unsigned    cc;    /* compute capability times ten: 90 */

    BankRule   bank_rule;
    unsigned   banks;      /* a power of two, at most 32 */
    unsigned   bank_bytes; /* width of the words that succeed one another over the banks: 4 or 8 */
    GlobalRule global_rule;
    bool       l1_loads;   /* global loads go through L1 unless they say otherwise */

} Arch;

struct Timing; /* model/time.h */

/* A device: an architecture and the figures of a card.  The architecture's own profile has none of them. */
typedef struct Profile {
    const char *name;  /* "h200", or the architecture's name */
    const char *title;
    const Arch *arch;
    unsigned    sms;
    unsigned    clock_mhz;  /* highest SM clock */
    unsigned    memory_mib; /* device memory */
    unsigned    memory_gbs; /* its bandwidth, 1e9 bytes a second */
    unsigned    l2_kib;
    unsigned    bus_bits;
    unsigned    memory_mhz;
    unsigned    seen_kib;     /* device memory that programs see; 0: memory_mib */
    unsigned    set_aside_kib; /* of L2 for accesses that persist */
    bool        ecc;           /* memory is checked */
    bool        integrated;    /* on the chip of the host, whose memory it has */
    unsigned    pci, pci_subsystem; /* device << 16 | vendor */

    bool                 from_file; /* profile_file.h; the rest is of such a profile alone */
    const char          *base;      /* the card that it began with; NULL: none */
    const struct Timing *timing;    /* NULL: not known */
} Profile;

/* NULL if there is none of that name; NULL or "" gives the default, sm_90. */
const Profile *profile_find(const char *name);
/* Appends "there is no profile 'NAME'" with the one that was probably meant, or where they are listed. */
void profile_missing(const char *name, Str *out);
/* The i-th, in the order of profiles.def; NULL behind the last. */
const Profile *profile_at(size_t i);

#endif
