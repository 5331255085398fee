/* SPDX-License-Identifier: Apache-2.0 */
/* Both members are set; what new gives is set by the constructor. */
// check: --grid 1 --block 32 --arg out:f32[32]=zero
struct Node {
    float value, weight;
    __device__ Node(float v) : value(v), weight(2) {}
};

__global__ void sum(float *out)
{
    float *p = (float *)malloc(4 * sizeof(float));
    Node  *n = new Node(threadIdx.x);
    for (int i = 0; i < 4; i++)
        p[i] = i;
    out[threadIdx.x] = n->value * n->weight + p[threadIdx.x % 4];
    free(p);
    delete n;
}
