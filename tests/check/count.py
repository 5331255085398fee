#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the programs of each rule: count.py WARPWRIGHT.  Every rule has at least three bad_* and three good_* in tests/check or tests/perf,
but those that no kernel of a program can show:"""
import glob
import os
import subprocess
import sys

ELSEWHERE = {
    "instruction-limit": "a limit of the API (tests/ptx/limit_*, unit.device_result)",
    "time-limit": "an interrupt or a limit of the API (tests/cli/check.test, unit.device_result)",
    "stopped": "WwLaunch.stop (unit.device_result)",
    "unsupported": "what the emulator lacks, another thing every month (tests/ptx/unsupported_*)",
}


def main():
    tests = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    rows = subprocess.run([sys.argv[1], "rules"], capture_output=True, text=True, check=True).stdout.splitlines()
    few = 0
    for rule in (row.split()[0] for row in rows if row and not row.startswith("rule ")):
        n = [sum(len(glob.glob(f"{tests}/{part}/{rule}/{kind}_*.cu")) for part in ("check", "perf")) for kind in ("bad", "good")]
        short = min(n) < 3 and rule not in ELSEWHERE
        few += short
        print(f"{rule}\t{n[0]}\t{n[1]}\t{'too few' if short else ELSEWHERE.get(rule, '') if min(n) < 3 else ''}".rstrip())
    return 1 if few else 0


sys.exit(main())
