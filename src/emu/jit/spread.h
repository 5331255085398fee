/* SPDX-License-Identifier: Apache-2.0
 *
 * Spreads of values.  Most integers of a kernel that all 32 lanes compute together are one number and a constant difference for each lane:
 * an index is base + lane, an address base + 4 * lane.  Where the JIT can prove that, a row is computed for lane 0 only:
 *     value[lane] = value[0] + pattern[lane]      in the value's width, modulo 2^bits
 * Pattern 0 is zero in every lane: all lanes have one value.  The same holds of predicates, which are then true or false for all. */
#ifndef WW_EMU_JIT_SPREAD_H
#define WW_EMU_JIT_SPREAD_H

#include "emu/jit/what.h"

typedef enum FormKind { SPREAD_UNSEEN, SPREAD_LINEAR, SPREAD_VECTOR } FormKind;

typedef struct Spread {
    uint8_t  kind;    /* FormKind */
    uint8_t  align;   /* LINEAR: lane 0's value is a multiple of 2^align */
    bool     known;   /* LINEAR: lane 0's value is `value` */
    uint32_t pattern; /* LINEAR: index into the pool */
    uint32_t
             guess; /* VECTOR: the pattern that it has as long as nothing wraps round or falls below a divisor's multiple, + 1; 0: none */
    uint64_t value;
    uint64_t from; /* known: the words of the parameter block that `value` was made of; bit = word */
} Spread;

typedef struct SpreadPool {
    int64_t (*lane)[LANES]; /* [0] is zero; [n][0] is 0 */
    uint32_t n, cap;
    uint64_t used; /* words of the parameter block without whose values a pattern would be unknown */
} SpreadPool;

/* What must hold of lane 0's value of the source x that has a pattern, where the row runs; else the row leaves its spread. */
typedef enum Guard {
    GUARD_NONE,
    GUARD_SIGNED,   /* x + pattern stays within the signed numbers of its width */
    GUARD_UNSIGNED, /* the same for unsigned ones */
} Guard;

void spread_pool_init(SpreadPool *p);
void spread_pool_free(SpreadPool *p);
/* Of 32 differences to lane 0, in a width of `bytes`. */
uint32_t pattern_of(SpreadPool *p, const int64_t lane[LANES], unsigned bytes);
void     pattern_ends(const SpreadPool *p, uint32_t pattern, int64_t *least, int64_t *most);

Spread spread_known(uint64_t value);
Spread spread_same(void); /* one value in all lanes */
Spread spread_vector(void);
/* Of a value that comes from two paths. */
Spread             spread_meet(Spread a, Spread b);
bool               spread_equal(Spread a, Spread b);
static inline bool spread_is_same(Spread f)
{
    return f.kind == SPREAD_LINEAR && f.pattern == 0;
}

/* The result's spread, from those of the sources; bits of the table operand of lop3 play no part. */
Spread spread_of_row(SpreadPool *p, What w, const RowShape *s, const Spread *source, Guard *guard);
/* d = a + imm */
Spread spread_plus(Spread a, uint64_t imm, unsigned bytes);

/* A row that divides: x by y, which is one number in all lanes.  As long as all lanes' x lie between the same two multiples of y, and none is
 * negative, quotients are one number and remainders have the pattern of x; that is known when the kernel runs, and not before. */
typedef struct Floor {
    enum { FLOOR_NONE, FLOOR_QUOTIENT, FLOOR_REMAINDER } kind;
    uint8_t  x;  /* which source */
    uint64_t by; /* y, of shifts and masks; 0: the second source's lane 0 */
    Spread   result;
} Floor;
/* NONE: it is another row, or x is no number and a pattern. */
Floor spread_floor(const SpreadPool *p, What w, const RowShape *s, const Spread *source);
/* Do lanes lie on both sides of a multiple, or is one negative?  x: lane 0's; z: its remainder; top: the largest number that is not; least,
 * most: the ends of the pattern. */
static inline bool spread_parts(uint64_t x, uint64_t y, uint64_t z, uint64_t top, int64_t least, int64_t most)
{
    return y - 1 >= top || x > top || z < 0 - (uint64_t)least || y - z <= (uint64_t)most || top - x < (uint64_t)most;
}

#endif
