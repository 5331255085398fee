/* SPDX-License-Identifier: Apache-2.0 */
/* A list walked past its end. */
// check: --grid 1 --block 1 --arg o:i32[1]=zero

struct Node { int value; Node *next; };
__global__ void third(int *o)
{
    Node a = {1, nullptr}, b = {2, &a};
    Node *volatile p = &b;
    *o = p->next->next->value; // expect: null-access
}
