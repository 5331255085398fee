/* SPDX-License-Identifier: Apache-2.0 */
/* Strings that end, a null one, and a list without arguments. */
#include "../run.h"

__device__ char word[] = "word";

__global__ void say()
{
    printf("%s %s %s %d\n", "a", word, (const char *)0, 3);
    printf("100%%\n");
}

int main()
{
    say<<<1, 1>>>();
    return finish();
}
