/* SPDX-License-Identifier: Apache-2.0 */
/* The list of arguments lies nowhere. */
#include "../run.h"

__device__ void print(const char *format, const void *list)
{
    asm volatile("{ .param .b64 f; .param .b64 l; .param .b32 n;\n"
                 "st.param.b64 [f], %0; st.param.b64 [l], %1;\n"
                 "call.uni (n), vprintf, (f, l); }" ::"l"(format),
                 "l"(list)); // expect: out-of-bounds
}

__global__ void say()
{
    printf("a number\n");
    print("%d\n", (const void *)0x123456789abcull);
}

int main()
{
    say<<<1, 1>>>();
    return finish();
}
