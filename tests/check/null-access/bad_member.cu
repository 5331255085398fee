/* SPDX-License-Identifier: Apache-2.0 */
/* A member of a null structure. */
// check: --grid 1 --block 1 --arg n:u64=0 --arg o:i32[1]=zero

struct Node { int value; Node *next; };
__global__ void second(const Node *n, int *o)
{
    *o = n->next->value; // expect: null-access
}
