#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check.py WARPWRIGHT MPIRUN NVCC: a grid's blocks spread over ranks.  The document, the text and the exit code have to be those of one process, or the launch is
refused with a reason.  MPIRUN: none where there is no MPI; ranks are started by this file then, as they are for most cases.  NVCC makes the
PTX of kernels.cu once for all of them, as `check` would; under MPIRUN each rank compiles the source."""
import difflib
import json
import os
import re
import subprocess
import sys
import tempfile

import launch
from launch import expect

warpwright, mpirun, nvcc = sys.argv[1:4]
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernels.cu")
made = tempfile.TemporaryDirectory()
KERNELS = os.path.join(made.name, "kernels.ptx")
TIME = re.compile(r" +[0-9.]+ m?s ")

SAME = {
    "past": "--grid 37 --block 256 --arg x:f32[9400]=random --arg y:f32[9400]=random --arg n:i32=9472",
    "costly": "--grid 37 --block 64 --arg x:f32[2400]=random --arg y:f32[2400]=random --arg n:i32=2400",
    "unwritten": "--grid 9 --block 64 --arg x:i32[576] --arg y:i32[576] --arg n:i32=576",
    "races": "--grid 6 --block 64 --arg x:i32[384]",
    "beyond": "--grid 9 --block 32 --arg x:i32[288]",
    "says": "--grid 5 --block 32 --arg x:i32[160]",
    "traps": "--grid 16 --block 32 --arg x:i32[512] --threads 1",
    "histogram": "--grid 10 --block 64 --arg x:i32[256]=zero --arg y:u8[640]=random --arg n:i32=640",
    "floats": "--grid 10 --block 64 --arg x:f32[4]=zero --arg v:f32[640]=random --arg n:i32=640",
    "pairs": "--grid 6 --block 32 --arg x:i32[192]",
    "globals": "--grid 9 --block 32 --arg x:i32[288]",
}
OPTIONS = [  # what a check may be asked for besides
    ("costly", "--time"),
    ("past", "--time"),
    ("histogram", "--time --check=perf"),
    ("floats", "--time --profile sm_13"),
    ("costly", "--blocks first:4,random:8"),
    ("unwritten", "--blocks first:3,random:2"),
    ("past", "--blocks random:9"),
    ("histogram", "--blocks first:4,random:3"),
    ("races", "--blocks first:2,random:2"),
    ("says", "--blocks first:9,random:9"),
    ("past", "--async late"),
    ("costly", "--async random"),
    ("races", "--schedules 5"),
    ("says", "--schedules 3"),
    ("past", "--schedules 4 --seed 7"),
    ("traps", "--schedules 2"),
]
REFUSED = {
    "ticket": ("--grid 9 --block 32 --arg x:i32[1]=zero --arg y:i32[9]", "those of rank 1 write byte 0 of x, which those of rank 0 write"),
    "neighbour": ("--grid 9 --block 32 --arg x:i32[288]=zero --arg n:i32=288", "those of rank 1 read byte 380 of x, which those of rank 0 write"),
    "waits": ("--grid 9 --block 32 --arg x:i32[9]=zero", "some of its blocks wait for others"),
    "keeps": ("--grid 9 --block 32 --arg x:u64[288]", "memory of the device-side heap is in use when it has ended"),
    "races": ("--cooperative --grid 6 --block 64 --arg x:i32[384]", "it is cooperative"),
    "floats": ("--grid 10 --block 64 --arg x:f32[4]=zero --arg v:f32[640]=random --arg n:i32=640 --out x=x.npy",
               "and what is there in the end is looked at afterwards"),
}


def document(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    if not text:
        return None
    d = json.loads(text)
    for k in d["kernels"]:
        k.pop("seconds")
    return d


def alone(command, folder):
    p = subprocess.run(command + ["--json", "one.json"], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=200)
    return p.returncode, p.stdout, p.stderr


def compare(what, one, many, folder, codes):
    a, b = document(folder + "/one.json"), document(folder + "/many.json")
    changes = difflib.unified_diff(json.dumps(a, indent=1, sort_keys=True).split("\n"), json.dumps(b, indent=1, sort_keys=True).split("\n"), lineterm="")
    expect(what + ": the document is the same", a == b, "\n".join(list(changes)[:40]))
    expect(what + ": so is the text", TIME.sub(" TIME ", one[1]) == TIME.sub(" TIME ", many), one[1] + "----\n" + many)
    expect(what + ": all ranks end with its exit code", all(c == one[0] for c in codes), (one[0], codes))


def spread(what, command, ranks):
    with launch.folder() as d:
        one = alone(command, d)
        ends = launch.wait(launch.start(ranks, lambda i: command + ["--json", "many.json"], d, "x"))
        expect(f"{what}, {ranks} ranks: only rank 0 speaks", all(not e[1] and not e[2] for e in ends[1:]), ends[1:])
        compare(f"{what}, {ranks} ranks", one, ends[0][1], d, [e[0] for e in ends])
        expect("nothing is left", not launch.left(d), launch.left(d))


def several_launches():
    plan = """launches:
  - {kernel: says, grid: 7, block: 32, args: ["x:i32[224]"]}
  - {kernel: doubled, grid: 7, block: 32, args: ["y:i32[224]", "x", "n:i32=224"]}
  - {kernel: globals, grid: 7, block: 32, args: ["z:i32[224]"]}
  - {kernel: doubled, grid: 7, block: 32, args: ["z", "y", "m:i32=224"]}
"""
    for ranks in 2, 4:
        with launch.folder() as d:
            with open(d + "/plan.yaml", "w", encoding="utf-8") as f:
                f.write(plan)
            command = [warpwright, "check", KERNELS, "--launches", "plan.yaml", "--out", "y=y.npy", "--out", "z=z.npy"]
            one = alone(command, d)
            out = {n: open(f"{d}/{n}.npy", "rb").read() for n in "yz"}
            for n in "yz":
                os.unlink(f"{d}/{n}.npy")
            ends = launch.wait(launch.start(ranks, lambda i: command + ["--json", "many.json"], d, "x"))
            compare(f"launches that build on each other, {ranks} ranks", one, ends[0][1], d, [e[0] for e in ends])
            expect("buffers are whole", all(open(f"{d}/{n}.npy", "rb").read() == out[n] for n in "yz"))


def reductions():
    plan = """launches:
  - {kernel: sums, grid: 9, block: 64, args: ["x:i32[8]=random", "y:u64[3]=iota", "z:u32[5]=random", "v:i32[570]=random", "n:i32=570"]}
  - {kernel: sums, grid: 9, block: 64, args: ["x", "y", "z", "v", "n"]}
  - {kernel: extremes, grid: 9, block: 64, args: ["x", "v", "n"]}
"""
    for ranks in 2, 5:
        with launch.folder() as d:
            with open(d + "/plan.yaml", "w", encoding="utf-8") as f:
                f.write(plan)
            command = [warpwright, "check", KERNELS, "--launches", "plan.yaml"] + [o for n in "xyz" for o in ("--out", f"{n}={n}.npy")]
            one = alone(command, d)
            out = {n: open(f"{d}/{n}.npy", "rb").read() for n in "xyz"}
            ends = launch.wait(launch.start(ranks, lambda i: command + ["--json", "many.json"], d, "x"))
            compare(f"reductions by {ranks} ranks", one, ends[0][1], d, [e[0] for e in ends])
            expect("what they made of it is put together", all(open(f"{d}/{n}.npy", "rb").read() == out[n] for n in "xyz"))


def refusals():
    for kernel, (arguments, reason) in REFUSED.items():
        with launch.folder() as d:
            command = [warpwright, "check", KERNELS, "--kernel", kernel] + arguments.split()
            ends = launch.wait(launch.start(3, lambda i: command, d, "x"))
            expect(f"{kernel} is refused, with the reason", all(e[0] == 122 for e in ends) and reason in ends[0][2], ends)
            expect("said once", sum("cannot be spread" in e[2] for e in ends) == 1, ends)
            expect("nothing is left", not launch.left(d), launch.left(d))
    with launch.folder() as d:
        command = [warpwright, "check", KERNELS, "--kernel", "ticket", "--ranks=off", "-q"] + REFUSED["ticket"][0].split()
        ends = launch.wait(launch.start(2, lambda i: command, d, "x"))
        expect("--ranks=off: each checks alone", [e[0] for e in ends] == [0, 0], ends)


def mismatches():
    base = [warpwright, "check", KERNELS, "--kernel", "past", "--grid", "37", "--block", "256", "--arg", "x:f32[9400]=random", "--arg"]
    with launch.folder() as d:
        ends = launch.wait(launch.start(3, lambda i: base + [f"y:f32[{9400 + i}]=random", "--arg", "n:i32=9400"], d, "x"))
        expect("ranks of different sizes end with a message", all(e[0] == 122 and "does something else" in e[2] for e in ends), ends)
    with launch.folder() as d:
        ends = launch.wait(launch.start(3, lambda i: base + ["y:f32[9400]=random", "--arg", "n:i32=9400"] if i else ["/bin/true"], d, "x", seconds=1))
        expect("one that is another program is not waited for",
               all(e[0] == 122 and "rank 0 of 3 did not come within 1 s" in e[2] for e in ends[1:]), ends)


def by_mpi():
    for ranks in 2, 4:
        with launch.folder() as d:
            command = [warpwright, "check", SOURCE, "--kernel", "costly", "--fail-on", "note", "--color", "never"] + SAME["costly"].split()
            one = alone(command, d)
            code, out, err, _ = launch.mpirun(mpirun, ranks, command + ["--json", "many.json"], d)
            compare(f"mpirun -n {ranks}", one, out, d, [code])


subprocess.run([nvcc, "-ptx", "-O3", "-lineinfo", "-arch=compute_90a", "-o", KERNELS, SOURCE], check=True)
for name, args in SAME.items():
    for n in (2, 3, 5) if name in ("costly", "unwritten") else (3,):
        spread(name, [warpwright, "check", KERNELS, "--kernel", name] + args.split(), n)
for name, options in OPTIONS:
    spread(f"{name} {options}", [warpwright, "check", KERNELS, "--kernel", name] + SAME[name].split() + options.split(), 3)
several_launches()
reductions()
refusals()
mismatches()
if mpirun != "none":
    by_mpi()
launch.finish()
