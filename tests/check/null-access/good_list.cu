/* SPDX-License-Identifier: Apache-2.0 */
/* A list whose end is tested for. */
// check: --grid 1 --block 1 --arg o:i32[1]=zero

struct Node { int value; Node *next; };
__global__ void sum(int *o)
{
    Node a = {1, nullptr}, b = {2, &a};
    int s = 0;
    for (Node *volatile p = &b; p; p = p->next)
        s += p->value;
    *o = s;
}
