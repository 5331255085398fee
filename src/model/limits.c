/* SPDX-License-Identifier: Apache-2.0
 *
 * Limits from the rows of profiles.def, and which launches they refuse.
 *
 * A block is told by all of its threads before its sides, since that is the limit people meet.  Not here: the bounds that a kernel itself
 * names (.maxntid, .reqntid, .maxclusterrank), and what a kernel has to be allowed first (shared memory beyond block_shared, clusters beyond
 * cluster_portable), which the CUDA interfaces look at. */
#include "model/limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define GROUPS(...)
enum LimitsIndex {
#define LIMITS(name, ...) LIMITS_##name,
#define ARCH(...)
#define CARD(...)
#include "model/profiles.def"
#undef LIMITS
#undef ARCH
};

static const Limits rows[] = {
#define LIMITS(name, threads, bx, by, bz, gx, gy, gz, ...)                                                             \
    [LIMITS_##name] = {0, threads, {bx, by, bz}, {gx, gy, gz}, __VA_ARGS__, {0}, NULL},
#define ARCH(...)
#include "model/profiles.def"
#undef LIMITS
#undef ARCH
};

/* In the order of the architectures in profiles.def. */
static const struct {
    const char *arch, *card;
    unsigned    cc, limits;
} archs[] = {
#define LIMITS(...)
#define ARCH(name, title, cc, limits, card, ...) {#name, #card, cc, LIMITS_##limits},
#include "model/profiles.def"
#undef ARCH
#undef GROUPS
};

static const struct {
    const char *card;
    unsigned    size[MOST_GROUPS];
} groups[] = {
#define ARCH(...)
#define GROUPS(card, ...) {#card, {__VA_ARGS__}},
#include "model/profiles.def"
#undef LIMITS
#undef ARCH
#undef GROUPS
#undef CARD
};

Limits limits_of(const Profile *p)
{
    p        = p ? p : profile_find(NULL);
    size_t i = 0;
    while (strcmp(archs[i].arch, p->arch->name) != 0) /* every profile's is there */
        i++;
    Limits l         = rows[archs[i].limits];
    l.cc             = archs[i].cc;
    l.card           = p->sms ? p : profile_find(archs[i].card);
    const char *name = l.card->base ? l.card->base : l.card->name;
    for (i = 0; i < sizeof groups / sizeof *groups; i++)
        if (strcmp(groups[i].card, name) == 0)
            memcpy(l.group, groups[i].size, sizeof l.group);
    return l;
}

unsigned limits_clusters(const Limits *l, unsigned size, unsigned blocks)
{
    unsigned n = l->group[0] ? 0 : l->card->sms * blocks / size;
    for (int i = 0; i < MOST_GROUPS; i++)
        n += l->group[i] >= size ? l->group[i] * blocks / size : 0;
    return n;
}

uint64_t limits_memory(const Limits *l)
{
    return l->card->seen_kib ? (uint64_t)l->card->seen_kib << 10 : (uint64_t)l->card->memory_mib << 20;
}

static const char axis[] = "xyz";

Refusal limits_grid(const Limits *l, const uint32_t grid[3], const uint32_t block[3], char why[REFUSAL_TEXT])
{
    enum { SANE = 1 << 20 }; /* sides whose product is a number of threads worth telling */
    uint64_t threads = 1;
    for (int i = 0; i < 3; i++) {
        if (grid[i] == 0 || grid[i] > l->grid[i]) {
            snprintf(why, REFUSAL_TEXT, "grid.%c is %u; it must be 1 to %u", axis[i], grid[i], l->grid[i]);
            return REFUSED_CONFIGURATION;
        }
        threads *= block[i] < SANE ? block[i] : 0;
    }
    if (threads > l->block_threads) {
        snprintf(why, REFUSAL_TEXT, "%" PRIu64 " threads a block, this card takes %u", threads, l->block_threads);
        return REFUSED_CONFIGURATION;
    }
    for (int i = 0; i < 3; i++)
        if (block[i] == 0 || block[i] > l->block[i]) {
            snprintf(why, REFUSAL_TEXT, "block.%c is %u; it must be 1 to %u", axis[i], block[i], l->block[i]);
            return REFUSED_CONFIGURATION;
        }
    return REFUSED_NOT;
}

Refusal limits_shared(const Limits *l, uint64_t fixed, uint64_t dynamic, char why[REFUSAL_TEXT])
{
    if (fixed + dynamic <= l->block_shared_most)
        return REFUSED_NOT;
    snprintf(why, REFUSAL_TEXT,
             "%" PRIu64 " bytes of static and %" PRIu64 " of dynamic shared memory a block, this card takes %u", fixed,
             dynamic, l->block_shared_most);
    return REFUSED_VALUE;
}

Refusal limits_local(const Limits *l, uint64_t bytes, char why[REFUSAL_TEXT])
{
    if (bytes <= l->local_bytes)
        return REFUSED_NOT;
    snprintf(why, REFUSAL_TEXT, "%" PRIu64 " bytes of local memory a thread, this card takes %u", bytes,
             l->local_bytes);
    return REFUSED_VALUE;
}

Refusal limits_cluster(const Limits *l, const uint32_t size[3], char why[REFUSAL_TEXT])
{
    uint64_t blocks = (uint64_t)size[0] * size[1] * size[2];
    if (blocks <= l->cluster)
        return REFUSED_NOT;
    if (l->cluster)
        snprintf(why, REFUSAL_TEXT, "a cluster of %u x %u x %u blocks, this card takes %u", size[0], size[1], size[2],
                 l->cluster);
    else
        snprintf(why, REFUSAL_TEXT,
                 "a cluster of %u x %u x %u blocks, this card has no clusters (compute capability 9.0)", size[0],
                 size[1], size[2]);
    return REFUSED_CLUSTER;
}

const char *refusal_error(Refusal r)
{
    static const char *const error[] = {[REFUSED_CONFIGURATION] = "cudaErrorInvalidConfiguration",
                                        [REFUSED_VALUE]         = "cudaErrorInvalidValue",
                                        [REFUSED_CLUSTER]       = "cudaErrorInvalidClusterSize",
                                        [REFUSED_TOO_LARGE]     = "cudaErrorCooperativeLaunchTooLarge"};
    return error[r];
}
