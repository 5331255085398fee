/* SPDX-License-Identifier: Apache-2.0
 *
 * What counting one warp access costs: the counting observer on streams of accesses as the tiled kernels make them, and on random
 * addresses, where every access misses the memo and runs the model.  Prints name, nanoseconds per access, unit. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "check/count/count.h"

enum { INSTRS = 96, ROUNDS = 40000 };

typedef enum Pattern { ROW, BROADCAST, COLUMN, GLOBAL, RANDOM, GATHER, HISTOGRAM } Pattern;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint32_t noise(uint32_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 17;
    return *x ^= *x << 5;
}

static void fill(Pattern p, uint32_t round, uint32_t *off, uint64_t *addr, uint32_t *seed)
{
    for (uint32_t i = 0; i < LANES; i++) {
        off[i]  = p == ROW         ? round % 64 * 128 + i * 4
                  : p == BROADCAST ? round % 1024 * 4
                  : p == COLUMN    ? i * 132 + round % 32 * 4
                                   : noise(seed) % 12288 * 4;
        addr[i] = 0x7f0000000000u + (p == GATHER      ? off[i] * 1024u
                                     : p == HISTOGRAM ? off[i] % 4096u
                                                      : round % 64 * 4096 + i * 4);
    }
}

static double measure(const Profile *profile, Pattern p, uint32_t mask)
{
    static uint32_t off[64][LANES] __attribute__((aligned(64)));
    static uint64_t addr[64][LANES] __attribute__((aligned(64)));
    uint32_t        seed = 7;
    for (uint32_t r = 0; r < 64; r++)
        fill(p, r, off[r], addr[r], &seed);
    Observer  *o      = count_new(profile);
    LaunchInfo info   = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .instrs = INSTRS, .workers = 1};
    void      *s      = o->fork(o, &info, 0);
    bool       global = p == GLOBAL || p == GATHER || p == HISTOGRAM, wild = p >= RANDOM;
    uint8_t    op     = p == HISTOGRAM ? ACCESS_RED : ACCESS_LD;
    int        rounds = wild ? ROUNDS / 100 : ROUNDS;
    double     start  = now();
    for (int r = 0; r < rounds; r++)
        for (uint32_t i = 0; i < INSTRS; i++) {
            Access a = {
                .instr = i, .space = global ? ACCESS_GLOBAL : ACCESS_SHARED, .op = op, .bytes = 4, .mask = mask};
            if (global)
                a.addr = addr[wild ? (r + (int)i) & 63 : r & 63];
            else
                a.off = off[wild ? (r + (int)i) & 63 : r & 63];
            o->access(s, &a);
        }
    double ns = (now() - start) * 1e9 / ((double)rounds * INSTRS);
    o->join(o, s);
    uint64_t counted =
        count_total(o)->shared_ld_inst + count_total(o)->global_ld_requests + count_total(o)->global_atom_requests;
    count_free(o);
    return counted == (uint64_t)rounds * INSTRS ? ns : -1;
}

int main(void)
{
    const Profile *p = profile_find("sm_90");
    printf("count_shared_row\t%.2f\tns/access\n", measure(p, ROW, UINT32_MAX));
    printf("count_shared_broadcast\t%.2f\tns/access\n", measure(p, BROADCAST, UINT32_MAX));
    printf("count_shared_column\t%.2f\tns/access\n", measure(p, COLUMN, UINT32_MAX));
    printf("count_shared_half_mask\t%.2f\tns/access\n", measure(p, ROW, 0xffff));
    printf("count_global_row\t%.2f\tns/access\n", measure(p, GLOBAL, UINT32_MAX));
    printf("count_shared_random\t%.1f\tns/access\n", measure(p, RANDOM, UINT32_MAX));
    printf("count_global_random\t%.1f\tns/access\n", measure(p, GATHER, UINT32_MAX));
    printf("count_global_histogram\t%.1f\tns/access\n", measure(p, HISTOGRAM, UINT32_MAX));
    return 0;
}
