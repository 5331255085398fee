# SPDX-License-Identifier: Apache-2.0
"""Starts ranks: by mpirun, or by itself, each told in its environment which one it is."""
import os
import subprocess
import sys
import tempfile
import time

LIMIT_S = 120
failed = []


def expect(what, good, shown=""):
    print(("ok   " if good else "FAIL ") + what)
    if not good:
        print(shown)
        failed.append(what)


def finish():
    print(f"{len(failed)} failed" if failed else "all right")
    sys.exit(bool(failed))


def mpirun(program, ranks, command, folder):
    """One start by Open MPI: (exit code, standard output, standard error, seconds)."""
    env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", TMPDIR=folder)
    began = time.time()
    p = subprocess.run([program, "--oversubscribe", "-n", str(ranks)] + command, env=env, stdin=subprocess.DEVNULL, capture_output=True,
                       text=True, timeout=LIMIT_S, cwd=folder)
    return p.returncode, p.stdout, p.stderr, time.time() - began


def start(ranks, command, folder, job, seconds=20):
    """Processes, started at once; command(rank) is a list."""
    processes = []
    for i in range(ranks):
        env = dict(os.environ, WARPWRIGHT_RANK=str(i), WARPWRIGHT_RANK_COUNT=str(ranks), WARPWRIGHT_RANK_JOB=job,
                   WARPWRIGHT_RANK_SECONDS=str(seconds), TMPDIR=folder)
        processes.append(subprocess.Popen(command(i), env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                          cwd=folder))
    return processes


def wait(processes, limit=LIMIT_S):
    """[(exit code, standard output, standard error)]; a rank that does not end within the limit has the code None, and is killed."""
    ends, until = [], time.time() + limit
    for p in processes:
        try:
            out, err = p.communicate(timeout=max(0.1, until - time.time()))
            ends.append((p.returncode, out, err))
        except subprocess.TimeoutExpired:
            p.kill()
            out, err = p.communicate()
            ends.append((None, out, err))
    return ends


def left(folder):
    """What ranks have left in the folder where they met."""
    return [n for n in os.listdir(folder) if n.startswith("warpwright-ranks")]


def folder():
    return tempfile.TemporaryDirectory(prefix="warpwright-test-", ignore_cleanup_errors=True)
