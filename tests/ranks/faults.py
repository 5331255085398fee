#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""faults.py MPIRUN GRID_FAULTS: a product of three ranks of which one is not as the others: every rank says so and ends."""
import sys

import launch
from launch import expect

mpirun, program = sys.argv[1:3]
WORDS = {"shape": "500 x 299", "version": "warpwright 9", "memory": "out of device memory"}

for how in "", "shape", "version", "memory":
    with launch.folder() as d:
        code, out, err, seconds = launch.mpirun(mpirun, 3, [program] + ([how] if how else []), d)
        if not how:
            expect("nothing is wrong", code == 0 and not err, (code, out, err))
            continue
        lines = [line for line in err.split("\n") if line.startswith("rank ")]
        expect(f"{how}: every rank ends with a message", code == 1 and sorted(line[5] for line in lines) == ["0", "1", "2"], (code, err))
        expect(f"{how}: rank 1 says what is wrong", any(line.startswith("rank 1") and WORDS[how] in line for line in lines), err)
launch.finish()
