/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include "warpwright/warpwright.h"
int main(void)
{
    puts(WW_VERSION_STRING);
    return 0;
}
