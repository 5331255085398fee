/* SPDX-License-Identifier: Apache-2.0 */
/* What threads wrote goes to a bulk store with no fence. */
#include "../run.h"
#include "../bulk.h"

__global__ void store(int *b)
{
    __shared__ alignas(128) int s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        BULK_STORE(b, s, 256); // expect: missing-proxy-fence, other end 9
        BULK_COMMIT();
        BULK_WAIT();
    }
}

int main()
{
    store<<<1, 64>>>(device_array<int>(64));
    return finish();
}
