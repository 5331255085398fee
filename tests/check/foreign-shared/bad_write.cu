/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks leave the addresses of their shared arrays, in a structure; the last one clears all of them. */
#include "../run.h"

struct Tile {
    float *at;
    long   length;
};

__global__ void clear(Tile *tile, int *done)
{
    extern __shared__ float s[];
    __shared__ bool         last;
    s[threadIdx.x] = 1;
    if (threadIdx.x == 0) {
        tile[blockIdx.x] = Tile{s, 32};
        __threadfence();
        last = atomicAdd(done, 1) == (int)gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        __threadfence();
        const Tile *t = (const Tile *)tile + (blockIdx.x + 1) % gridDim.x;
        ((volatile const Tile *)t)->at[threadIdx.x] = 0; // expect: foreign-shared, other end 16
    }
}

int main()
{
    clear<<<3, 32, 128>>>(device_array<Tile>(3), device_array<int>(1));
    return finish();
}
