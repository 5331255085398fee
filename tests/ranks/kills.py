#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kills.py WARPWRIGHT MPIRUN RING GRID JOINED WAY RUNS [SEED [ONLY]]: ranks that are killed at random moments.  Every other rank has to end within LIMIT_S seconds, with a
message and an exit code that is not 0, unless it had ended before, and nothing may go on.

Kinds of runs in turn, those whose name contains ONLY: ranks of `check`, of `run --ranks` and of joined grids, with a device each (`bench grid --operands ranks`)
or two (joined.c, over the host, and where WAY is nccl over the emulated NCCL), that this file starts, so that no launcher ends them; and where there is
MPI, by mpirun, `run --ranks` with an MPI program (the run or the program is killed) and examples/grid_mpi.c.  MPIRUN, RING, GRID: none without MPI.
SEED 0: another one each time."""
import os
import random
import signal
import subprocess
import sys
import time

import launch
from launch import expect

warpwright, mpirun, ring, grid, program, way = sys.argv[1:7]
RUNS = int(sys.argv[7])
SEED = int(sys.argv[8]) if sys.argv[8:] and sys.argv[8] != "0" else random.randrange(1 << 30)
ONLY = sys.argv[9] if sys.argv[9:] else ""
LIMIT_S = 60
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernels.cu")
RANKS = 3
pick = random.Random(SEED)
longest, died = 0.0, 0


def marked(mark):
    """Processes of this run: their environment has the mark.  {pid: command line}"""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as f:
                if mark.encode() not in f.read():
                    continue
            with open(f"/proc/{pid}/cmdline", "rb") as f:
                found[int(pid)] = f.read().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
    return found


def gone(mark, until):
    while marked(mark) and time.time() < until:
        time.sleep(0.05)
    return marked(mark)


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def started_here(what, command, longest_wait):
    """Ranks without a launcher."""
    global longest, died
    with launch.folder() as d:
        mark = f"WARPWRIGHT_KILL_TEST={os.getpid()}.{pick.random()}"
        os.environ.update([mark.split("=", 1)])
        ranks = launch.start(RANKS, command, d, "k", seconds=15)
        victim, moment = pick.randrange(RANKS), pick.uniform(0, longest_wait)
        time.sleep(moment)
        late = ranks[victim].poll() is not None
        kill(ranks[victim].pid)
        began = time.time()
        ends = launch.wait(ranks, LIMIT_S)
        longest = max(longest, time.time() - began)
        died += not late and ends[victim][0] == -signal.SIGKILL
        others = [e for i, e in enumerate(ends) if i != victim]
        good = all(e[0] is not None for e in others)
        if ends[victim][0] == -signal.SIGKILL and not all(e[0] == 0 for e in others):
            good = good and all(e[0] != 0 for i, e in enumerate(ends)) and any("ended before its time" in e[2] or "did not come" in e[2] for e in others)
        left = gone(mark, time.time() + 20)
        expect(f"{what}: rank {victim} killed after {moment:.3f} s", good and not left, (ends, left))


def by_mpi(what, command, name):
    """The launcher ends the others; ours is that nothing hangs in between."""
    global longest, died
    with launch.folder() as d:
        mark = f"WARPWRIGHT_KILL_TEST={os.getpid()}.{pick.random()}"
        env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", TMPDIR=d)
        env.update([mark.split("=", 1)])
        p = subprocess.Popen([mpirun, "--oversubscribe", "-n", str(RANKS)] + command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, cwd=d)
        moment = pick.uniform(0.05, 1.2)
        time.sleep(moment)
        victims = sorted(pid for pid, line in marked(mark).items() if pid != p.pid and name in line and "mpirun" not in line)
        if victims:
            kill(pick.choice(victims))
        began = time.time()
        try:
            out, err = p.communicate(timeout=LIMIT_S)
            code = p.returncode
        except subprocess.TimeoutExpired:
            p.kill()
            out, err = p.communicate()
            code = None
        longest = max(longest, time.time() - began)
        died += bool(victims)
        left = gone(mark, time.time() + 20)
        for pid in left:
            kill(pid)
        good = code is not None and not left and (code == 0 or err.strip())
        expect(f"{what}: {'one' if victims else 'none'} killed after {moment:.3f} s", good, (code, out, err, left))


check = [warpwright, "check", SOURCE, "--kernel", "costly", "--grid", "4000", "--block", "256", "--arg", "x:f32[1024000]=random", "--arg",
         "y:f32[1024000]=random", "--arg", "n:i32=1024000", "--threads", "1"]
bench = [warpwright, "bench", "grid", "--device", "emulator", "--operands", "ranks", "--m", "300", "--n", "200", "--k", "150", "--tile", "64", "--panel", "64"]
two = [program, "host", "2", "on"]
nccl = [warpwright, "run", "--quiet", "--devices", str(2 * RANKS), "--", program, "nccl", "2", "on"]
KINDS = {"check": lambda what: started_here(what, lambda i: check, 4.0),
         "run --ranks": lambda what: started_here(what, lambda i: [warpwright, "run", "--ranks", "/bin/sleep", f"0.{3 + i}"], 1.2),
         "joined grids, bench": lambda what: started_here(what, lambda i: bench, 2.0),
         "joined grids of two devices": lambda what: started_here(what, lambda i: two, 6.0)}
if way == "nccl":
    KINDS["joined grids of two devices over NCCL"] = lambda what: started_here(what, lambda i: nccl, 6.0)
if mpirun != "none":
    KINDS["run --ranks by mpirun"] = lambda what: by_mpi(what, [warpwright, "run", "--ranks", "--check", ring], "ring")
    KINDS["a product by mpirun"] = lambda what: by_mpi(what, [grid], "grid_mpi")
chosen = [kind for kind in KINDS.items() if ONLY in kind[0]]
print(f"seed {SEED}")
for run in range(RUNS):
    what, kind = chosen[run % len(chosen)]
    kind(what)
print(f"{RUNS} runs, {died} with a rank killed while it ran; all had ended {longest:.1f} s after that at the latest")
launch.finish()
