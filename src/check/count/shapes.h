/* SPDX-License-Identifier: Apache-2.0
 *
 * The shapes of warp accesses: which lanes take part, and how far their addresses are from the first one's.  Most accesses of an
 * instruction have the shape of the one before, at another place; each shape is kept once and named by its number.
 *
 *     Shapes *s = shapes_new();
 *     uint32_t id = shapes_find(s, 0, mask, addr);
 *     shapes_all(s)[id].delta ...               // valid until the next shapes_find
 *     shapes_free(s); */
#ifndef WW_CHECK_SHAPES_H
#define WW_CHECK_SHAPES_H

#include "emu/observer.h"

typedef struct Shape {
    uint32_t mask;
    uint32_t leaders;      /* the lowest lane of each address */
    uint32_t values;       /* how many those are */
    uint64_t low, high;    /* the least and the greatest delta, as signed numbers */
    uint64_t unit;         /* a power of two that divides the distances of all; 0: there is one address */
    uint64_t delta[LANES]; /* address minus that of the first active lane; idle lanes: 0 */
} Shape;

typedef struct Shapes Shapes;

Shapes *shapes_new(void);
void    shapes_free(Shapes *s); /* NULL is allowed */
/* Forgets all; numbers begin at 0 again. */
void   shapes_clear(Shapes *s);
size_t shapes_count(const Shapes *s);

/* The number of an access's shape.  near: a number that it may well have, such as the one before; any will do. */
uint32_t     shapes_find(Shapes *s, uint32_t near, uint32_t mask, const uint64_t *addr);
const Shape *shapes_all(const Shapes *s); /* by number */

/* The lowest lane of each address. */
uint32_t shape_leaders(uint32_t mask, const uint64_t *addr);

#endif
