/* SPDX-License-Identifier: Apache-2.0
 *
 * How often each copy runs that the assembler made of a loop's body. */
#ifndef WW_CHECK_TIME_COPIES_H
#define WW_CHECK_TIME_COPIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct CopyWord { /* a machine instruction that was made from a block of PTX in a loop */
    uint32_t block, line; /* of the PTX */
    uint32_t group;       /* where it stands: in a loop of the machine code but in no inner one, or between two jumps outside of all */
    uint32_t op;
    bool     anchor;      /* it stands for one instruction of PTX, or for several */
} CopyWord;

typedef struct CopyBlock {
    double executed, entered; /* how often the block ran, and how often control came to its loop from outside; more than 0 */
} CopyBlock;

typedef struct Copy { /* a block's part in a group */
    uint32_t block, group;
    uint32_t copies; /* of the whole block; 0: of less than half of it, which was moved there */
    double   times;  /* that it runs */
} Copy;

typedef struct CopyInput {
    CopyWord        *word;  /* their order is changed */
    size_t           words;
    const CopyBlock *block; /* by number */
    const bool      *loop;  /* by group: it is a loop; else one is run after the other */
} CopyInput;

/* One for each block and group that have words in common, by block and group.  They lie in malloc's memory; the caller frees them. */
size_t copies_find(const CopyInput *in, Copy **out);
/* NULL: they have none in common. */
const Copy *copies_of(const Copy *list, size_t n, uint32_t block, uint32_t group);

#endif
