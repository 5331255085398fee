/* SPDX-License-Identifier: Apache-2.0 */
/* A product of two ints runs over, and the index lies far before the array, where nothing is. */
#include "../run.h"

__global__ void set(unsigned char *image, int width, int height)
{
    int last = (height - 1) * width + (int)threadIdx.x;
    image[last] = 1; // expect: out-of-bounds
}

int main()
{
    unsigned char *image = device_array<unsigned char>(1 << 16);
    set<<<1, 32>>>(image, 65536, 32770);
    int code = finish();
    cudaFree(image);
    return code;
}
