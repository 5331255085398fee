/* SPDX-License-Identifier: Apache-2.0 */
/* The failing calls are the last ones of their threads (host lines). */
#include "../run.h"
#include <thread>

int main()
{
    cudaSetDevice(0);
    std::thread t([] {
        cudaStreamDestroy((cudaStream_t)0x10); // expect: failed-call
        std::this_thread::yield();
    });
    t.join();
    cudaEventDestroy((cudaEvent_t)0x10); // expect: failed-call
    return 0;
}
