#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""joined.py WARPWRIGHT JOINED WAY: products of matrices on the devices of two and of three processes, WAY host or nccl (the emulated one), and ranks that
are not as the others: every rank ends with a message."""
import sys
import time

import launch
from launch import expect

warpwright, program, way = sys.argv[1:4]


def ranks(n, fault=()):
    head = [warpwright, "run", "--quiet", "--devices", str(n), "--"] if way == "nccl" else []
    with launch.folder() as d:
        began = time.time()
        ends = launch.wait(launch.start(n, lambda i: head + [program, way, *fault], d, f"joined{n}"))
        return ends, time.time() - began, launch.left(d)


for n in 2, 3:
    ends, seconds, left = ranks(n)
    for rank, (code, out, err) in enumerate(ends):
        expect(f"{n} ranks, rank {rank}: {out.count('ok   ')} products are those of one process", code == 0 and out.count("ok   ") >= 16 and "FAIL" not in out,
               (code, out, err))
    expect(f"{n} ranks leave nothing", not left, left)

FAULTS = {"shape": "the ranks have different products", "memory": "panels of 64 fit"} if way == "host" else {"shape": "the ranks have different products"}
for fault, words in FAULTS.items():
    ends, seconds, left = ranks(3, [fault])
    expect(f"{fault}: every rank ends with a message", all(code not in (0, None) and words in err for code, out, err in ends), ends)
for moment in 100, 350, 700:
    ends, seconds, left = ranks(3, ["die", str(moment)])
    others = [e for i, e in enumerate(ends) if i != 1]
    expect(f"killed after {moment} ms: the others end with a message, {seconds:.1f} s",
           all(code not in (0, None) and "rank" in err for code, out, err in others) and seconds < 25, ends)
launch.finish()
