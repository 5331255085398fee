#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same report whatever the threads: same.py WARPWRIGHT SOURCES PROGRAMS [--long | --engines N] [--only NAME]
[--verbose].

Runs every program of SOURCES (*.cu) that was compiled to PROGRAMS/NAME: plain, with all checks, and with seeds; each with several numbers of
threads.  All reports of one kind must be the same bytes, but for the seconds that a launch took, the process and addresses of the host.  --long: 1 to 16
threads and three seeds.  Without it each kind is run twice, with threads that differ from program to program, so that all together see many.
So are all kernels of
`lab`.  --engines: the interpreter's reports and those of --engine jit, of every Nth program.  Lines of a source's head comment say which are left out, and why:
    * varies: REASON            its counts depend on time or on the order of blocks
    * race counts vary: REASON  its blocks race: all of the report must be the same but how often a race was counted
    * slow: REASON              only --long runs it"""
import argparse
import concurrent.futures
import glob
import os
import re
import resource
import subprocess
import sys
import tempfile

THREADS = [1, 2, 3, 7, 5, 4, 16]
TIMES = re.compile(rb'^ *"(seconds|pid)": .*\n', re.M)
LEFT = re.compile(rb'(?<="notes": \[)(\s*"the interpreter ran kernel [^"]*",?)*\s*(?=\])')  # notes that --engine jit alone gives
RACES = re.compile(rb'("category": "race",(?:(?!"category").)*?"count": )\d+', re.S)
ADDRESSES = re.compile(rb'\b0x[0-9a-f]{9,}|(?<="address": )\d{12,}')  # of the host: other ones in each run
HOST = re.compile(rb"\d+ bytes (before|past the end of) host memory")  # where the host put it


def head_of(source):
    with open(source, encoding="utf-8") as f:
        return f.read().split("*/")[0]


def kinds(number, long, engines, races):
    """(kind, options) of each run; runs of one kind must be the same."""
    if engines:
        yield from ((kind, [*options, "--engine", engine, "--threads", threads]) for kind, options in (("plain", []), ("check", ["--check"]))
                    for engine, threads in (("interpreter", "1"), ("jit", "2")))
        return
    if long:
        threads = range(1, 17)
        yield from ((kind, [*options, "--threads", str(n)]) for n in threads for kind, options in (("plain", []), ("check", ["--check"])))
        yield from ((f"seed {seed}", ["--seed", str(seed), "--threads", str(n)]) for seed in (1, 2, 3) for n in (1, 5, 16))
        yield from (("check, seed 1", ["--check", "--seed", "1", "--threads", str(n)]) for n in (1, 16))
        return
    some = [THREADS[(number + i) % len(THREADS)] for i in range(4)]
    yield from (("plain", ["--threads", str(n)]) for n in some[:2])
    yield from (("check", ["--check", "--threads", str(n)]) for n in ([1, 3] if races else some[2:]))
    yield from (("seed 1", ["--seed", "1", "--threads", str(n)]) for n in some[:2])


def report(warpwright, program, own, options, races):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.json")
        run = subprocess.run([warpwright, "run", "--quiet", "--json", path, *own, *options, "--", program], cwd=folder, stdin=subprocess.DEVNULL,
                             capture_output=True, timeout=300)
        with open(path, "rb") as f:
            document = LEFT.sub(b"", HOST.sub(rb"some bytes \1 host memory", ADDRESSES.sub(b"somewhere", TIMES.sub(b"", f.read()))))
    if races:
        document = RACES.sub(rb"\1some", document)
    return document + b"exit code %d\n" % run.returncode


def first_difference(a, b):
    for x, y in zip(a.split(b"\n"), b.split(b"\n")):
        if x != y:
            return f"{x.decode(errors='replace').strip()}  |  {y.decode(errors='replace').strip()}"
    return f"{len(a)} and {len(b)} bytes"


def compare(warpwright, number, source, program, long, engines):
    """What differs between runs of one kind, in words."""
    options = re.findall(r"^ \* options: (.*?)(?: \*/)?$", head_of(source), re.M)
    races = re.search(r"^ \* race counts vary: \S", head_of(source), re.M) is not None
    first, problems = {}, []
    for kind, more in kinds(number, long, engines, races):
        got = report(warpwright, program, options[0].split() if options else [], more, races)
        was, with_ = first.setdefault(kind, (got, more))
        if got != was:
            problems.append(f"{os.path.basename(program)}: {' '.join(with_)} and {' '.join(more)}: {first_difference(was, got)}")
    return problems


def compare_lab(warpwright, long, engines):
    """The same of every kernel of the experiments, at sizes with borders."""
    rows, problems = {}, []
    ways = [["--engine", "interpreter"], ["--engine", "jit"]] if engines else [["--threads", str(n)] for n in (range(1, 17) if long else THREADS[:4])]
    for way in ways:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "lab.json")
            subprocess.run([warpwright, "lab", "--quiet", "--device", "emulator", "--seed", "5", "--m", "100", "--n", "77", "--k", "53", *way,
                            "--json", path], stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=True)
            with open(path, "rb") as f:
                rows[way[1]] = f.read()
        if rows[way[1]] != rows[ways[0][1]]:
            problems.append(f"lab: {' '.join(ways[0])} and {' '.join(way)}: {first_difference(rows[ways[0][1]], rows[way[1]])}")
    return problems


def main():
    p = argparse.ArgumentParser()
    p.add_argument("warpwright")
    p.add_argument("sources")
    p.add_argument("programs")
    p.add_argument("--long", action="store_true")
    p.add_argument("--engines", type=int, default=0, metavar="N")
    p.add_argument("--only", default="")
    p.add_argument("--verbose", action="store_true")
    a = p.parse_args()
    a.warpwright, a.programs = os.path.abspath(a.warpwright), os.path.abspath(a.programs)
    work = []
    for source in sorted(glob.glob(os.path.join(a.sources, "*.cu"))):
        program = os.path.join(a.programs, os.path.basename(source)[:-3])
        left_out = re.search(r"^ \* varies: \S" if a.long else r"^ \* (varies|slow): \S", head_of(source), re.M)
        if a.only in program and os.access(program, os.X_OK) and not left_out:
            work.append((source, program))
    work = work[::a.engines or 1]
    problems = []
    with concurrent.futures.ThreadPoolExecutor(1 if a.verbose else 2) as pool:
        jobs = []
        for i, (source, program) in enumerate(work):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            jobs.append(pool.submit(compare, a.warpwright, i, source, program, a.long, a.engines))
            if a.verbose:
                jobs[-1].result()
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                print(f"{os.path.basename(program)}\t{after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime:.2f} s", *jobs[-1].result(), flush=True)
        if not a.only:
            jobs.append(pool.submit(compare_lab, a.warpwright, a.long, a.engines))
        for job in jobs:
            problems += job.result()
    print(*problems, sep="\n")
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{len(work)} programs, {len(problems)} differences, {spent.ru_utime + spent.ru_stime:.0f} s of processor time")
    return 1 if problems or not work else 0


if __name__ == "__main__":
    sys.exit(main())
