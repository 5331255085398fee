/* SPDX-License-Identifier: Apache-2.0 */
/* A member of a structure that malloc gave is never set; the block was another's before, who wrote it. */
// check: --grid 1 --block 32 --arg out:f32[32]=zero
struct Node { float value, weight; };

__global__ void sum(float *out)
{
    Node *old = (Node *)malloc(sizeof(Node)), *n;
    old->value = old->weight = 1;
    out[threadIdx.x] = old->weight;
    free(old);
    n = (Node *)malloc(sizeof(Node));
    n->value = threadIdx.x;
    out[threadIdx.x] += n->value * n->weight; // expect: uninit-global
    free(n);
}
