#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""threads.py WARPWRIGHT FOLDER: with one worker thread and with several, the report is the same (but for the time it took)."""
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

PROGRAMS = ("bank-conflicts/bad_transpose", "uncoalesced/bad_columns", "repeated-load/bad_product", "atomic-contention/bad_bins")


def report(warpwright, source, options, threads):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "r.json")
        subprocess.run([warpwright, "check", source, "--quiet", "--check=perf", "--json", path, "--threads", str(threads)] + options,
                       check=True, capture_output=True, timeout=100)
        with open(path, encoding="utf-8") as f:
            document = json.load(f)
    for k in document["kernels"]:
        del k["seconds"]
    return document


def main():
    warpwright, folder = sys.argv[1:3]
    differ = 0
    for name in PROGRAMS:
        source = os.path.join(folder, name + ".cu")
        with open(source, encoding="utf-8") as f:
            options = shlex.split(" ".join(re.findall(r"^// check: (.*)$", f.read(), re.M)))
        one = report(warpwright, source, options, 1)
        for threads in (2, 5):
            if report(warpwright, source, options, threads) != one:
                differ += 1
                print(f"{name}: the report with {threads} threads is another than with one")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
