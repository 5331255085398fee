#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The stand-in assembler: ptxas.py WARPWRIGHT PTXAS LAUNCHER.  LAUNCHER loads a file as a module, runs its kernel fill, and prints what it wrote.
What it says of its version, of mistakes and of newer targets; that what it writes is loaded and runs; that the project itself does not take it for an assembler;
that it is on PATH and in TRITON_PTXAS_PATH where there is no other."""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs"))
from expect import expect, result  # noqa: E402

WARPWRIGHT, PTXAS, LAUNCHER = (os.path.abspath(a) for a in sys.argv[1:4])
FILL = """.version 8.0
.target sm_80
.address_size 64
.visible .entry fill(.param .u64 p)
{
.reg .b64 %a<3>; .reg .b32 %r<2>;
ld.param.u64 %a1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %a2, %r1, 4; add.s64 %a1, %a1, %a2;
st.global.u32 [%a1], %r1; ret;
}
"""


def call(*args, **variables):
    env = {**os.environ, **variables}
    return subprocess.run(args, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False, env=env)


def main():
    r = call(PTXAS, "--version")
    expect("a version that Triton can read", r.returncode == 0 and re.search(r"release (\d+\.\d+)", r.stdout), r.stdout)
    with tempfile.TemporaryDirectory() as folder:
        source, code = os.path.join(folder, "fill.ptx"), os.path.join(folder, "fill.cubin")
        with open(source, "w", encoding="utf-8") as f:
            f.write(FILL)
        r = call(PTXAS, "-arch=sm_90a", source, "-o", code)
        expect("it works under run only", r.returncode != 0 and not os.path.exists(code), r.stderr)
        r = call(PTXAS, "-lineinfo", "-v", "--gpu-name=sm_90a", source, "-o", code, WARPWRIGHT_PTXAS="1")
        expect("Triton's command", r.returncode == 0 and os.path.exists(code), r.stderr)
        r = call(WARPWRIGHT, "run", "-q", "--", LAUNCHER, code)
        expect("what it wrote runs", r.returncode == 0 and r.stdout == "31\n", r.stdout + r.stderr)
        r = call(PTXAS, "-arch", "sm_70", source, "-o", code, WARPWRIGHT_PTXAS="1")
        expect("PTX for a newer target", r.returncode != 0 and "newer than sm_70" in r.stderr, r.stderr)
        with open(source, "w", encoding="utf-8") as f:
            f.write(FILL.replace("%r1, %tid.x", "%r7, %tid.x"))
        r = call(PTXAS, source, "-o", code, WARPWRIGHT_PTXAS="1")
        expect("a mistake and its place", r.returncode != 0 and re.search(r"fill\.ptx:7:\d+: error: .*%r7", r.stderr), r.stderr)
        r = call(PTXAS, WARPWRIGHT_PTXAS="1")
        expect("no file", r.returncode != 0 and "no input file" in r.stderr, r.stderr)
    if not os.path.exists("/usr/local/cuda/bin/ptxas"):
        r = call(WARPWRIGHT, "run", "-q", "--", "sh", "-c", "ptxas --version; echo $TRITON_PTXAS_PATH", PATH="/usr/bin:/bin")
        expect("on PATH under run", "stand-in" in r.stdout and "lib/warpwright/bin/ptxas" in r.stdout, r.stdout + r.stderr)
    return result()


if __name__ == "__main__":
    sys.exit(main())
