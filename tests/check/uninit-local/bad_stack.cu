/* SPDX-License-Identifier: Apache-2.0 */
/* A stack that is popped once too often. */
// check: --grid 1 --block 1 --arg n:i32=3 --arg y:i32[4]=zero

__global__ void pop(int n, int *y)
{
    int stack[8], top = 4;
    for (int i = 0; i < n; i++)
        stack[top++] = i;
    for (int i = 0; i <= n; i++)
        if (stack[--top] == 2) // expect: uninit-local
            y[0] = y[0] + i;
}
