#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py WARPWRIGHT MPIRUN RING: `run --ranks` makes one report of the programs of all ranks.  MPIRUN, RING: none where there is no MPI; the rest is tested with
ranks that this file starts."""
import json
import os
import sys

import launch
from launch import expect

warpwright, mpirun, ring = sys.argv[1:4]
STEP = ["fill", "add"]


def report(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def of_mpi():
    for ranks in 2, 4:
        with launch.folder() as d:
            code, out, err, _ = launch.mpirun(mpirun, ranks, [warpwright, "run", "--ranks", "--check", "--json", "r.json", ring], d)
            expect(f"{ranks} ranks: device memory goes through MPI", code == 0 and f"{ranks} ranks, 1 device each: right" in out, (code, out, err))
            r = report(d + "/r.json")
            names = [(k["rank"], k["name"]) for k in r["kernels"]]
            expect("every launch of every rank is in one report, in the order of ranks", names == [(i, n) for i in range(ranks) for n in STEP], names)
            expect("who the ranks were", r["ranks"] == [{"rank": i, "exit_code": 0} for i in range(ranks)] and r["exit_code"] == 0, r["ranks"])
            expect("what MPI wrote counts as written", not r["findings"], r["findings"])
            expect("the text is told once, of all", err.count("what the kernels of") == 1 and f"fill: {ranks} launches" in err, err)
            expect("nothing is left", not launch.left(d), launch.left(d))


def of_mpi_faults():
    with launch.folder() as d:
        code, out, err, _ = launch.mpirun(mpirun, 3, [warpwright, "run", "--ranks", "--check", "--fail-on", "error", "--json", "r.json", ring, "oob"], d)
        f = report(d + "/r.json")["findings"]
        expect("a finding names its rank", [(x["rule"], x["rank"], x["processes"]) for x in f] == [("out-of-bounds", 1, 1)], f)
        expect("--fail-on holds for any rank", code == 121 and err.count("--fail-on error is met") == 1, (code, err))
    for how, rule in ("unwritten", "uninit-global"), ("race", "race-host"):
        with launch.folder() as d:
            code, out, err, _ = launch.mpirun(mpirun, 2, [warpwright, "run", "--ranks", "--check", "--json", "r.json", ring, how], d)
            f = report(d + "/r.json")["findings"]
            expect(f"what MPI reads is checked: {rule}", rule in [x["rule"] for x in f], (f, err))
    with launch.folder() as d:
        code, out, err, seconds = launch.mpirun(mpirun, 3, [warpwright, "run", "--ranks", "--json", "r.json", ring, "abort"], d)
        expect("a rank whose program ends early ends all", code == 3 and seconds < 60 and "rank 1 of 3 ends without the others" in err,
               (code, seconds, err))
    with launch.folder() as d: # as mpirun itself does with a program that exits so
        code, out, err, seconds = launch.mpirun(mpirun, 3, [warpwright, "run", "--ranks", ring, "leave"], d)
        expect("so does one that ends without MPI_Finalize", code != 0 and seconds < 60, (code, seconds, err))


def without_mpi():
    program = ["/bin/sh", "-c", "exit $WARPWRIGHT_RANK"]
    with launch.folder() as d:
        ends = launch.wait(launch.start(3, lambda i: [warpwright, "run", "--ranks", "--json", "r.json"] + program, d, "a"))
        expect("every rank ends with its program's exit code", [e[0] for e in ends] == [0, 1, 2], ends)
        expect("and they are in the report", [x["exit_code"] for x in report(d + "/r.json")["ranks"]] == [0, 1, 2])
        expect("nothing is left", not launch.left(d), launch.left(d))
    with launch.folder() as d:
        ends = launch.wait(launch.start(2, lambda i: [warpwright, "run"] + (["--ranks"] if i == 0 else []) + program, d, "b", seconds=1))
        expect("one that does not come is not waited for", ends[0][0] == 122 and "rank 1 of 2 did not come within 1 s" in ends[0][2], ends)
    with launch.folder() as d:
        ends = launch.wait(launch.start(2, lambda i: [warpwright, "run", "--ranks"] + (["--max-seconds", "x"] if i == 0 else []) + program, d, "c",
                                        seconds=1))
        expect("nor one whose command is wrong", [e[0] for e in ends] == [122, 122], ends)
    with launch.folder() as d:
        env = {k: v for k, v in os.environ.items()}
        ends = launch.wait(launch.start(1, lambda i: [warpwright, "run", "--ranks", "--quiet", "/bin/true"], d, "d"))
        expect("one alone is as without --ranks", ends[0] == (0, "", "") and env is not None, ends)
    with launch.folder() as d:
        ends = launch.wait(launch.start(2, lambda i: [warpwright, "run", "--ranks", "--schedules", "2", "/bin/true"], d, "e"))
        expect("--schedules does not go with it", all(e[0] == 122 and "--ranks makes one report of one run" in e[2] for e in ends), ends)


if mpirun != "none":
    of_mpi()
    of_mpi_faults()
without_mpi()
launch.finish()
