#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""machine_code.py WARPWRIGHT NVCC: a program that holds machine code for the profile's architecture is judged by the registers that code
has, which its own compilation chose (-maxrregcount), not by those of another assembly."""
import json
import os
import re
import subprocess
import sys
import tempfile

SOURCE = """
__global__ void heavy(const float *a, float *o, int n)
{
    float r[40], sum = 0;
    for (int i = 0; i < 40; i++)
        r[i] = a[threadIdx.x + i * n];
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 40; i++)
            r[i] = r[i] * r[(i + 7) % 40] + k;
    for (int i = 0; i < 40; i++)
        sum += r[i];
    o[threadIdx.x] = sum;
}
int main()
{
    float *a, *o;
    cudaMalloc(&a, 40 * 128 * sizeof(float));
    cudaMalloc(&o, 128 * sizeof(float));
    cudaMemset(a, 0, 40 * 128 * sizeof(float));
    heavy<<<1, 128>>>(a, o, 128);
    return cudaDeviceSynchronize();
}
"""


def registers(warpwright, nvcc, folder, options):
    source, program, report = (os.path.join(folder, n) for n in ("heavy.cu", "heavy", "r.json"))
    with open(source, "w", encoding="utf-8") as f:
        f.write(SOURCE)
    said = subprocess.run([nvcc, "-Xptxas", "-v", "-o", program, source] + options, capture_output=True, text=True, check=True).stderr
    subprocess.run([warpwright, "run", "--quiet", "--check=perf", "--json", report, "--", program], check=True, timeout=100)
    with open(report, encoding="utf-8") as f:
        resources = json.load(f)["kernels"][0]["resources"]
    used = re.search(r"Used (\d+) registers", said)
    return resources, int(used.group(1)) if used else None


def main():
    warpwright, nvcc = sys.argv[1:3]
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        for limit in ("24", "64"):
            found, used = registers(warpwright, nvcc, folder, ["-arch=sm_90", "-maxrregcount", limit])
            if not found or found["registers"] != used or found["spill_stores"] is not None:
                failed.append(f"-maxrregcount {limit}: {found}, the assembler used {used} registers")
        found, _ = registers(warpwright, nvcc, folder, ["-gencode", "arch=compute_90,code=compute_90"])
        if found and found["spill_stores"] is None: # asked of ptxas, where it is in the path
            failed.append(f"PTX alone: {found}")
    print("\n".join(failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
