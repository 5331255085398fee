#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Has every function that the installed cuda.h and cuda_runtime_api.h declare, with and without a default stream for each thread, a row in
src/cuda/entry/api.def?  rows.py INCLUDE_FOLDER SOURCE_FOLDER"""
import re
import subprocess
import sys


def declared(include, *flags):
    text = "#include <cuda.h>\n#include <cuda_runtime_api.h>\n"
    run = subprocess.run(["c++", "-x", "c++", "-E", "-P", *flags, "-I" + include, "-"], input=text, capture_output=True, text=True, check=True)
    return set(re.findall(r"(?:CUresult|cudaError_t)\s+(?:\w+\s+)*?(cu\w+)\s*\(", run.stdout))


def rows(folder):
    found = set()
    for name in ("api_driver.def", "api_runtime.def"):
        with open(f"{folder}/{name}", encoding="utf-8") as f:
            text = f.read()
        for entry, variant in re.findall(r"^(?:RT|DRVA?)\((\w+), (?:\w+), (\w+),", text, re.M):
            found |= {entry, f"{entry}_{variant.lower()}"}
        found |= set(re.findall(r"^RTV\(\d+, (\w+),", text, re.M))
    return found


def main():
    include, folder = sys.argv[1:]
    have = rows(folder)
    both = declared(include) | declared(include, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM")
    without = sorted(both - have)
    print(f"{len(both)} declared, {len(without)} without a row: {' '.join(without)}")
    return 1 if without or len(both) < 700 else 0


if __name__ == "__main__":
    sys.exit(main())
