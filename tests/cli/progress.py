#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""progress.py WARPWRIGHT check|run|lab: a long kernel says on a terminal how far it is, and nowhere else; and it leaves nothing behind.  The bar of
lab moves inside of a kernel.

The kernel is ended by a signal once the line was seen: nothing here depends on how long it takes."""
import os
import pty
import re
import signal
import subprocess
import sys
import tempfile

WARPWRIGHT = sys.argv[1]
BLOCKS = 1000000
KERNEL = """.version 8.0
.target sm_80
.address_size 64
.visible .entry slow(.param .u64 out)
{
    .reg .u64 %rd<2>;
    .reg .u32 %r<3>;
    .reg .pred %p;
    mov.u32 %r1, 0;
again:
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p, %r1, 20000;
    @%p bra again;
    ld.param.u64 %rd1, [out];
    st.global.u32 [%rd1], %r1;
    ret;
}
"""
PROGRAM = """#include <cstdio>
__global__ void slow(int *out) { for (volatile int i = 0; i < 20000; i++) {} *out = 1; }
int main()
{
    int *out;
    cudaMalloc(&out, 4);
    slow<<<%d, 32>>>(out);
    cudaError_t e = cudaDeviceSynchronize();
    puts("returned");
    return e != cudaSuccess;
}
""" % BLOCKS
LINE = b" of %d blocks (" % BLOCKS
ERASE = b"\r\033[K"
failures = 0


def expect(what, truth, shown=b""):
    global failures
    if not truth:
        failures += 1
        print(f"not so: {what}\n{shown!r}")


def read(fd):
    try:
        return os.read(fd, 65536)
    except OSError:  # the terminal's last writer has gone
        return b""


def on_terminal(command, until=LINE):
    """What stands on the terminal until the line was seen and the command, interrupted then, has ended; None: until it ends by itself."""
    ours, theirs = pty.openpty()
    p = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=dict(os.environ, TERM="xterm"))
    os.close(theirs)
    seen, sent = b"", False
    while True:
        got = read(ours)
        if not got:
            break
        seen += got
        if until and until in seen and not sent:
            p.send_signal(signal.SIGINT)
            sent = True
    p.wait()
    os.close(ours)
    return seen


def in_pipe(command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False)


def check(folder):
    path = os.path.join(folder, "slow.ptx")
    with open(path, "w", encoding="utf-8") as f:
        f.write(KERNEL)
    return [WARPWRIGHT, "check", path, "--kernel", "slow", "--grid", str(BLOCKS), "--block", "32", "--arg", "out:i32[1]=zero", "--engine", "interpreter"]


def run(folder):
    path = os.path.join(folder, "slow.cu")
    with open(path, "w", encoding="utf-8") as f:
        f.write(PROGRAM)
    return [WARPWRIGHT, "run", "--engine", "interpreter", path]


def lab():
    """Shares of the first kernel's blocks, in ascending order, between the beginning of its case and the next; then the bar goes."""
    command = [WARPWRIGHT, "lab", "matmul", "--device", "emulator", "--m", "256", "--n", "256", "--k", "256", "--tile", "8"]
    seen = on_terminal(command, None)
    bars = re.findall(rb"\r\033\[K\[([#.]+)\] (\d+)/(\d+) (\S+)(?: (\d+) %)?", seen)
    first = [b for b in bars if b[1] == b"1"]
    shares = [int(b[4]) for b in first if b[4]]
    expect("the bar moves inside a kernel", len(set(shares)) > 2 and shares == sorted(shares) and shares[-1] <= 100, seen)
    expect("it begins without a share", first and not first[0][4], seen)
    expect("each case has its turn", [int(b[1]) for b in bars] == sorted(int(b[1]) for b in bars) and {b[1] for b in bars} == {b"%d" % (i + 1) for i in range(int(bars[0][2]))}, seen)
    expect("it fills up", [b[0].count(b"#") for b in bars] == sorted(b[0].count(b"#") for b in bars), seen)
    expect("it is taken back before the table", b"matmul_v1" in seen[seen.rfind(ERASE):] and b"[#" not in seen[seen.rfind(ERASE):], seen)
    r = in_pipe(command)
    expect("a pipe has no bar", ERASE not in r.stdout + r.stderr, r.stdout + r.stderr)
    expect("nor has a terminal with --quiet", ERASE not in on_terminal(command + ["--quiet"], None))
    print(f"{failures} failures")
    return 1 if failures else 0


def main():
    if sys.argv[2] == "lab":
        return lab()
    with tempfile.TemporaryDirectory() as folder:
        command = {"check": check, "run": run}[sys.argv[2]](folder)
        seen = on_terminal(command)
        at = seen.rfind(b"launch 0: slow")
        expect("a terminal sees how far the kernel is", LINE in seen and at > 0, seen)
        expect("the line is taken back before anything else is printed", seen[at:].split(b"\r\033[K")[-1].count(b"\n") > 1, seen)
        limited = command[:2] + ["--max-seconds", "3", "--threads", "1"] + command[2:]  # a line comes after two seconds
        r = in_pipe(limited)
        expect("a pipe does not", b"blocks (" not in r.stdout + r.stderr and ERASE not in r.stdout + r.stderr, r.stdout + r.stderr)
        quiet = on_terminal(limited[:2] + ["--quiet"] + limited[2:])
        expect("nor does a terminal with --quiet", b"blocks (" not in quiet, quiet)
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
