/* SPDX-License-Identifier: Apache-2.0
 *
 * Sizes and offsets of the structures that python/warpwright/_library.py repeats: `structure field offset`, a line each; the field
 * `sizeof` is the whole. */
#include <stdio.h>

#include "warpwright/grid.h"

#define SHOW(type, name, field) printf("%s %s %zu\n", name, #field, offsetof(type, field))

static void gemm(void)
{
    printf("Gemm sizeof %zu\n", sizeof(WwGemm));
    SHOW(WwGemm, "Gemm", trans_a);
    SHOW(WwGemm, "Gemm", trans_b);
    SHOW(WwGemm, "Gemm", m);
    SHOW(WwGemm, "Gemm", alpha);
    SHOW(WwGemm, "Gemm", beta);
    SHOW(WwGemm, "Gemm", a);
    SHOW(WwGemm, "Gemm", c);
    SHOW(WwGemm, "Gemm", ldc);
    SHOW(WwGemm, "Gemm", batch);
    SHOW(WwGemm, "Gemm", stride_c);
    SHOW(WwGemm, "Gemm", c_array);
    SHOW(WwGemm, "Gemm", rung);
    SHOW(WwGemm, "Gemm", workspace_bytes);
    SHOW(WwGemm, "Gemm", activation);
}

static void syrk(void)
{
    printf("Syrk sizeof %zu\n", sizeof(WwSyrk));
    SHOW(WwSyrk, "Syrk", fill);
    SHOW(WwSyrk, "Syrk", trans);
    SHOW(WwSyrk, "Syrk", n);
    SHOW(WwSyrk, "Syrk", beta);
    SHOW(WwSyrk, "Syrk", c);
    SHOW(WwSyrk, "Syrk", ldc);
    SHOW(WwSyrk, "Syrk", stride_c);
    SHOW(WwSyrk, "Syrk", c_array);
    SHOW(WwSyrk, "Syrk", rung);
    SHOW(WwSyrk, "Syrk", told);
    SHOW(WwSyrk, "Syrk", workspace_bytes);
    printf("NewtonSchulz sizeof %zu\n", sizeof(WwNewtonSchulz));
    SHOW(WwNewtonSchulz, "NewtonSchulz", c);
    SHOW(WwNewtonSchulz, "NewtonSchulz", x);
    SHOW(WwNewtonSchulz, "NewtonSchulz", ldy);
}

static void grids(void)
{
    printf("GridArray sizeof %zu\n", sizeof(WwGridArray));
    SHOW(WwGridArray, "GridArray", block_columns);
    SHOW(WwGridArray, "GridArray", ld);
    printf("GridGemm sizeof %zu\n", sizeof(WwGridGemm));
    SHOW(WwGridGemm, "GridGemm", m);
    SHOW(WwGridGemm, "GridGemm", c);
    SHOW(WwGridGemm, "GridGemm", on_a);
    SHOW(WwGridGemm, "GridGemm", on_c);
    SHOW(WwGridGemm, "GridGemm", precision);
    SHOW(WwGridGemm, "GridGemm", rank);
    printf("GridSyrk sizeof %zu\n", sizeof(WwGridSyrk));
    SHOW(WwGridSyrk, "GridSyrk", fill);
    SHOW(WwGridSyrk, "GridSyrk", trans);
    SHOW(WwGridSyrk, "GridSyrk", c);
    SHOW(WwGridSyrk, "GridSyrk", on_c);
    SHOW(WwGridSyrk, "GridSyrk", precision);
    SHOW(WwGridSyrk, "GridSyrk", rank);
}

static void launches(void)
{
    printf("Launch sizeof %zu\n", sizeof(WwLaunch));
    SHOW(WwLaunch, "Launch", args);
    SHOW(WwLaunch, "Launch", observe);
    SHOW(WwLaunch, "Launch", max_seconds);
    SHOW(WwLaunch, "Launch", on_print);
    SHOW(WwLaunch, "Launch", cooperative);
    SHOW(WwLaunch, "Launch", programmatic);
    printf("Finding sizeof %zu\n", sizeof(WwFinding));
    SHOW(WwFinding, "Finding", address);
    SHOW(WwFinding, "Finding", message);
    SHOW(WwFinding, "Finding", snippet);
    printf("FindingEnd sizeof %zu\n", sizeof(WwFindingEnd));
    SHOW(WwFindingEnd, "FindingEnd", message);
    printf("Mend sizeof %zu\n", sizeof(WwMend));
    printf("Picture sizeof %zu\n", sizeof(WwPicture));
    SHOW(WwPicture, "Picture", offset);
    printf("Place sizeof %zu\n", sizeof(WwPlace));
    printf("Pattern sizeof %zu\n", sizeof(WwPattern));
    SHOW(WwPattern, "Pattern", offset);
    printf("Access sizeof %zu\n", sizeof(WwAccess));
    SHOW(WwAccess, "Access", address);
    printf("AccessCost sizeof %zu\n", sizeof(WwAccessCost));
    SHOW(WwAccessCost, "AccessCost", part_lanes);
    printf("Line sizeof %zu\n", sizeof(WwLine));
    SHOW(WwLine, "Line", counters);
}

int main(void)
{
    launches();
    gemm();
    syrk();
    grids();
    printf("Copy sizeof %zu\n", sizeof(WwCopy));
    SHOW(WwCopy, "Copy", trans);
    SHOW(WwCopy, "Copy", rows);
    SHOW(WwCopy, "Copy", src);
    SHOW(WwCopy, "Copy", dst);
    SHOW(WwCopy, "Copy", ld_dst);
    printf("DeviceOptions sizeof %zu\n", sizeof(WwDeviceOptions));
    SHOW(WwDeviceOptions, "DeviceOptions", threads);
    SHOW(WwDeviceOptions, "DeviceOptions", memory);
    SHOW(WwDeviceOptions, "DeviceOptions", ordinal);
    SHOW(WwDeviceOptions, "DeviceOptions", check);
    return 0;
}
