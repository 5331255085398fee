#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""joined.py WARPWRIGHT JOINED WAY: products of matrices on the devices of two and of three processes, one or two devices each, WAY host or nccl (the emulated
one), by bench grid too, and ranks that are not as the others: every rank ends with a message."""
import sys
import time

import launch
from launch import expect

warpwright, program, way = sys.argv[1:4]


def ranks(n, each=1, fault=()):
    head = [warpwright, "run", "--quiet", "--devices", str(n * each), "--"] if way == "nccl" else []
    with launch.folder() as d:
        began = time.time()
        ends = launch.wait(launch.start(n, lambda i: head + [program, way, str(each), *fault], d, f"joined{n}x{each}"))
        return ends, time.time() - began, launch.left(d)


for n, each in (2, 1), (3, 1), (2, 2):
    ends, seconds, left = ranks(n, each)
    for rank, (code, out, err) in enumerate(ends):
        expect(f"{n} ranks of {each} devices, rank {rank}: {out.count('ok   ')} products are those of one process",
               code == 0 and out.count("ok   ") >= 16 and "FAIL" not in out, (code, out, err))
    expect(f"{n} ranks of {each} devices leave nothing", not left, left)

if way == "host":
    bench = [warpwright, "bench", "grid", "--device", "emulator", "--operands", "ranks", "--devices", "2", "--m", "150", "--n", "130", "--k", "90", "--tile", "64", "-v"]
    with launch.folder() as d:
        ends = launch.wait(launch.start(2, lambda i: bench, d, "bench"))
        expect("bench grid, 2 ranks of 2 devices: both products are verified", all(e[0] == 0 for e in ends) and ends[0][1].count("ranks:2x2") == 2, ends)

FAULTS = [("shape", 3, 1, "the ranks have different products"), ("shape", 2, 2, "the ranks have different products"), ("devices", 2, 2, "with 1 devices")]
if way == "host":
    FAULTS += [("memory", 3, 1, "panels of 64 fit"), ("memory", 2, 2, "panels of 64 fit")]
for fault, n, each, words in FAULTS:
    ends, seconds, left = ranks(n, each, [fault])
    expect(f"{fault}, {n} ranks of {each} devices: every rank ends with a message", all(code not in (0, None) and words in err for code, out, err in ends), ends)
for moment, n, each in (100, 3, 1), (350, 3, 1), (700, 3, 1), (100, 2, 2), (500, 2, 2):
    ends, seconds, left = ranks(n, each, ["die", str(moment)])
    others = [e for i, e in enumerate(ends) if i != 1]
    expect(f"killed after {moment} ms, {n} ranks of {each} devices: the others end with a message, {seconds:.1f} s",
           all(code not in (0, None) and "rank" in err for code, out, err in others) and seconds < 25, ends)
launch.finish()
