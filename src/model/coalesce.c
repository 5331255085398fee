/* SPDX-License-Identifier: Apache-2.0
 *
 * Transactions and 32-byte sectors of one warp access to global or local memory.
 *
 * Rule-independent: touched sectors, distinct 128-byte lines (tag requests), distinct bytes, the ideal number of sectors.  By the
 * profile's rule: how many transactions of which size move, hence sectors.
 *
 *   STRICT    per half-warp: lane k on word k of one aligned block of 16 words, or else 32 bytes for every active lane
 *   SEGMENTS  per half-warp: the lowest lane's aligned segment of 32 (1-byte words), 64 (2) or 128 bytes serves all lanes in it and
 *             shrinks to the half in use, down to 32; until no lane is left
 *   LINES     per 128-byte request (32, 16 or 8 lanes of 4, 8, 16 bytes): lines through L1, 32-byte segments past it
 *   SECTORS   the distinct sectors of the whole warp
 *
 * Atomics: atomics.c; cc 1.x: one transaction a lane.
 * Local memory: the word at offset o of lane l lies at (o / 4) * 128 + 4 * l, so equal offsets of a warp fill one line.
 * Not modelled: caches over time, write-back, partial writes, compression. */
#include "model/rules.h"

#include <stdbool.h>
#include <string.h>

/* ---- lines touched ------------------------------------------------------------------------------------------------- */

/* At most two lines a lane for global accesses, one for each word of local ones. */
enum { MAX_LINES = MODEL_LANES * (MODEL_MAX_BYTES / 4), HASH = 512 };

typedef struct Line {
    uint64_t number;   /* address / 128 */
    uint32_t bytes[4]; /* of each sector, which bytes are asked for */
} Line;

typedef struct LineSet {
    unsigned count;
    unsigned sectors, bytes; /* distinct ones asked for */
    Line    *last;           /* the line asked for last, which is mostly the next one too */
    int16_t  slot[HASH];     /* index into line, -1 = empty */
    Line     line[MAX_LINES];
} LineSet;

static void lines_init(LineSet *s)
{
    s->count = s->sectors = s->bytes = 0;
    s->last                          = NULL;
    memset(s->slot, 0xff, sizeof s->slot);
}

static Line *lines_get(LineSet *s, uint64_t number)
{
    unsigned i = (unsigned)((number * 0x9e3779b97f4a7c15u) >> 55);
    for (; s->slot[i] >= 0; i = (i + 1) % HASH)
        if (s->line[s->slot[i]].number == number)
            return &s->line[s->slot[i]];
    s->slot[i] = (int16_t)s->count;
    Line *l    = &s->line[s->count++];
    *l         = (Line){.number = number};
    return l;
}

/* Marks bytes [at, at + n), n <= 32: at most two sectors. */
static void lines_touch(LineSet *s, uint64_t at, unsigned n)
{
    while (n) {
        unsigned in_sector = (unsigned)(at % MODEL_SECTOR);
        unsigned k         = n < MODEL_SECTOR - in_sector ? n : MODEL_SECTOR - in_sector;
        uint32_t bytes     = k == 32 ? UINT32_MAX : ((1u << k) - 1) << in_sector;
        if (!s->last || s->last->number != at / MODEL_LINE)
            s->last = lines_get(s, at / MODEL_LINE);
        uint32_t *old = &s->last->bytes[at % MODEL_LINE / MODEL_SECTOR], added = bytes & ~*old;
        s->sectors += *old == 0;
        s->bytes += added == bytes ? k : added ? (unsigned)__builtin_popcount(added) : 0;
        *old |= bytes;
        at += k;
        n -= k;
    }
}

/* The same of all lanes in mask.  n bytes that lie in one sector, as those of an aligned access do, are marked with what is counted held in
 * registers. */
static void lines_touch_all(LineSet *s, const uint64_t *at, uint32_t mask, unsigned n)
{
    unsigned sectors = 0, bytes = 0, count = s->count;
    uint32_t some = n >= 32 ? UINT32_MAX : (1u << n) - 1;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint64_t a = at[__builtin_ctz(m)], number = a / MODEL_LINE;
        if (a % MODEL_SECTOR + n > MODEL_SECTOR) {
            s->count = count;
            lines_touch(s, a, n);
            count = s->count;
            continue;
        }
        unsigned i = (unsigned)((number * 0x9e3779b97f4a7c15u) >> 55);
        while (s->slot[i] >= 0 && s->line[s->slot[i]].number != number)
            i = (i + 1) % HASH;
        if (s->slot[i] < 0) {
            s->slot[i]       = (int16_t)count;
            s->line[count++] = (Line){.number = number};
        }
        uint32_t *old  = &s->line[s->slot[i]].bytes[a % MODEL_LINE / MODEL_SECTOR];
        uint32_t  want = some << a % MODEL_SECTOR, added = want & ~*old;
        sectors += *old == 0;
        bytes += added == want ? n : added ? (unsigned)__builtin_popcount(added) : 0;
        *old |= want;
    }
    s->count = count;
    s->sectors += sectors;
    s->bytes += bytes;
}

/* ---- one request: up to 32 lanes, each `bytes` at at[lane] ----------------------------------------------------------- */

typedef struct Request {
    const uint64_t *at;
    uint32_t        mask;
    unsigned        bytes;
} Request;

static void move(ModelCost *out, unsigned count, unsigned bytes)
{
    out->transactions += count;
    out->moved_bytes += count * bytes;
}

static bool in_sequence(const Request *r, unsigned half)
{
    if (r->bytes != 4 && r->bytes != 8 && r->bytes != 16)
        return false;
    unsigned first = (unsigned)__builtin_ctz(r->mask);
    uint64_t base  = r->at[first] - (uint64_t)(first - half) * r->bytes;
    for (uint32_t m = r->mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        if (r->at[i] != base + (uint64_t)(i - half) * r->bytes)
            return false;
    }
    return base % (r->bytes == 4 ? 64 : 128) == 0;
}

static void move_strict(const Request *r, unsigned half, ModelCost *out)
{
    if (in_sequence(r, half))
        move(out, r->bytes == 16 ? 2 : 1, r->bytes == 4 ? 64 : 128);
    else
        move(out, (unsigned)__builtin_popcount(r->mask), 32);
}

static void move_segments(const Request *r, ModelCost *out)
{
    unsigned largest = r->bytes == 1 ? 32 : r->bytes == 2 ? 64 : 128;
    for (uint32_t left = r->mask; left;) {
        uint64_t size = largest, start = r->at[__builtin_ctz(left)] / size * size;
        uint64_t low = UINT64_MAX, high = 0; /* bytes in use, from the segment's start */
        uint32_t served = 0;
        for (uint32_t m = left; m; m &= m - 1) {
            uint64_t in = r->at[__builtin_ctz(m)] - start;
            if (in >= size)
                continue;
            served |= m & -m;
            low  = in < low ? in : low;
            high = in + r->bytes > high ? in + r->bytes : high;
        }
        for (; size > 32 && (high - 1) / (size / 2) == low / (size / 2); size /= 2) {
            high -= low / (size / 2) * (size / 2);
            low %= size / 2;
        }
        move(out, 1, (unsigned)size);
        left &= ~served;
    }
}

/* Lines or sectors of one request. */
static void move_lines(const Request *r, bool whole_lines, ModelCost *out)
{
    LineSet s;
    lines_init(&s);
    lines_touch_all(&s, r->at, r->mask, r->bytes);
    if (whole_lines) {
        move(out, s.count, MODEL_LINE);
        out->lines_128 += s.count;
        return;
    }
    move(out, s.sectors, MODEL_SECTOR);
}

/* Divides a warp's request as the profile's rule does and adds up what moves. */
static void move_request(const Arch *h, const Request *r, bool whole_lines, ModelCost *out)
{
    unsigned part = h->global_rule == GLOBAL_LINES ? (r->bytes <= 4 ? 32 : 128 / r->bytes) : 16;
    for (unsigned first = 0; first < 32; first += part) {
        uint32_t lanes = part == 32 ? UINT32_MAX : ((1u << part) - 1) << first;
        Request  q     = {r->at, r->mask & lanes, r->bytes};
        if (!q.mask)
            continue;
        if (h->global_rule == GLOBAL_STRICT)
            move_strict(&q, first, out);
        else if (h->global_rule == GLOBAL_SEGMENTS)
            move_segments(&q, out);
        else
            move_lines(&q, whole_lines, out);
    }
}

/* ---- without a set of lines: most accesses whose addresses have no pattern ------------------------------------------- */

/* Global memory: does every lane have a line of its own?  false also where two lines only share a bit. */
static bool touches_apart(const ModelAccess *a, Touched *t)
{
    uint64_t seen[64] = {0}, clash = 0;
    unsigned lanes = (unsigned)__builtin_popcount(a->mask);
    for (uint32_t m = a->mask; m; m &= m - 1) {
        uint64_t at = a->addr[__builtin_ctz(m)], place = (at / MODEL_LINE * 0x9e3779b97f4a7c15u) >> 52;
        uint64_t bit = UINT64_C(1) << place % 64;
        clash |= (seen[place / 64] & bit) | (at % MODEL_SECTOR + a->bytes > MODEL_SECTOR);
        seen[place / 64] |= bit;
    }
    *t = (Touched){lanes, lanes, lanes * a->bytes};
    return !clash;
}

/* Local memory: no two lanes share a word, so only rows are counted, where they lie close to each other. */
static bool touches_rows(const ModelAccess *a, Touched *t)
{
    uint64_t rows[MODEL_LANES / 8] = {0}, low = UINT64_MAX, high = 0, words = a->bytes > 4 ? a->bytes / 4 : 1;
    for (uint32_t m = a->mask; m; m &= m - 1) {
        uint64_t row = a->addr[__builtin_ctz(m)] / 4;
        low          = row < low ? row : low;
        high         = row > high ? row : high;
    }
    if (high - low + words > 64)
        return false;
    for (uint32_t m = a->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        rows[lane / 8] |= ((UINT64_C(1) << words) - 1) << (a->addr[lane] / 4 - low);
    }
    *t           = (Touched){.bytes = (unsigned)__builtin_popcount(a->mask) * a->bytes};
    uint64_t all = 0;
    for (unsigned i = 0; i < MODEL_LANES / 8; i++) {
        t->sectors += (unsigned)__builtin_popcountll(rows[i]);
        all |= rows[i];
    }
    t->lines = (unsigned)__builtin_popcountll(all);
    return true;
}

/* ---- the access ------------------------------------------------------------------------------------------------------ */

static void count_touched(Touched t, const ModelAccess *a, ModelCost *out)
{
    out->touched      = t.sectors;
    out->useful_bytes = t.bytes;
    out->tag_requests = t.lines;
    uint32_t packed   = ((uint32_t)__builtin_popcount(a->mask) * a->bytes + MODEL_SECTOR - 1) / MODEL_SECTOR;
    out->ideal        = packed < out->touched ? packed : out->touched;
}

/* The i-th word of a local access of a lane: its place among the words of all lanes. */
static uint64_t local_place(uint64_t off, unsigned lane, unsigned word)
{
    uint64_t in_word = word == 0 ? off % 4 : 0;
    return (off / 4 + word) * MODEL_LINE + 4u * lane + in_word;
}

void model_coalesce(const Arch *h, const ModelAccess *a, ModelCost *out)
{
    bool     local   = a->space == MODEL_LOCAL;
    bool     atomic  = !local && (a->op == MODEL_ATOM || a->op == MODEL_RED); /* there are none on local memory */
    bool     cached  = local ? a->l1 != MODEL_L1_OFF
                             : a->op == MODEL_LD && (a->l1 == MODEL_L1_ON || (a->l1 == MODEL_L1_AUTO && h->l1_loads));
    unsigned words   = local && a->bytes > 4 ? a->bytes / 4 : 1;
    unsigned bytes   = a->bytes / words;
    bool     whole   = h->global_rule != GLOBAL_SECTORS && !atomic; /* what moves is asked of every lane */
    uint32_t sectors = 0;                                           /* of atomics */
    LineSet  s;
    Touched  t;
    bool     simple = atomic && model_atomic_simple(a, &t, &sectors);
    if (simple)
        words = 0;
    else if (!whole && (local ? touches_rows(a, &t) : touches_apart(a, &t)))
        words = 0;
    else
        lines_init(&s);
    for (unsigned w = 0; w < words; w++) {
        uint64_t at[MODEL_LANES];
        for (uint32_t m = a->mask; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            at[i]      = local ? local_place(a->addr[i], i, w) : a->addr[i];
        }
        lines_touch_all(&s, at, a->mask, bytes);
        Request r = {at, a->mask, bytes};
        if (whole)
            move_request(h, &r, cached, out);
    }
    count_touched(words ? (Touched){s.count, s.sectors, s.bytes} : t, a, out);
    out->requests = 1;
    if (atomic && h->global_rule != GLOBAL_LINES && h->global_rule != GLOBAL_SECTORS)
        move(out, (unsigned)__builtin_popcount(a->mask), MODEL_SECTOR);
    else if (atomic)
        move(out, simple ? sectors : model_atomic_sectors(a), MODEL_SECTOR);
    else if (h->global_rule == GLOBAL_SECTORS)
        move(out, out->touched, MODEL_SECTOR);
    out->sectors = out->moved_bytes / MODEL_SECTOR;
}
