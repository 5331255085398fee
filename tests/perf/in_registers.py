#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""in_registers.py WARPWRIGHT: what PTX has in local memory is none where the assembler says that the kernel has no stack.  A ptxas that says what it is
told to stands in PATH."""
import json
import os
import subprocess
import sys
import tempfile

PTX = """.version 8.0
.target sm_90
.address_size 64
FUNCTION
.visible .entry k(.param .u64 p)
{
.reg .b32 %r<3>; .reg .b64 %d<3>;
.local .align 4 .b8 v[32];
mov.u32 %r0, %tid.x; and.b32 %r0, %r0, 7; mul.lo.u32 %r0, %r0, 4; cvt.u64.u32 %d1, %r0; mov.u64 %d2, v; add.u64 %d1, %d1, %d2;
MORE
st.local.u32 [%d1], %r0; ld.local.u32 %r1, [%d1];
ld.param.u64 %d0, [p]; st.global.u32 [%d0], %r1;
ret;
}
"""
CALLED = ".func f() { .reg .b32 %r<1>; .local .align 4 .b8 w[4]; mov.u32 %r0, 1; st.local.u32 [w], %r0; ret; }"
PTXAS = """#!/bin/sh
cat <<END
ptxas info    : Function properties for k
    STACK bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 20 registers, used 0 barriers, 360 bytes cmem[0]
END
"""
warpwright = sys.argv[1]
failures = []


def local(folder, stack, function="", more=""):
    """Requests of loads and of stores, as the assembler makes them and as PTX has them."""
    source, report, assembler = (os.path.join(folder, name) for name in ("k.ptx", "r.json", "ptxas"))
    with open(source, "w", encoding="utf-8") as f:
        f.write(PTX.replace("FUNCTION", function).replace("MORE", more))
    with open(assembler, "w", encoding="utf-8") as f:
        f.write(PTXAS.replace("STACK", stack))
    os.chmod(assembler, 0o755)
    env = {**os.environ, "PATH": folder + os.pathsep + os.environ["PATH"], "TMPDIR": folder}
    subprocess.run([warpwright, "check", "-q", "--check=memory", "--json", report, "--cache", "off", source, "--grid", "1", "--block", "32", "--arg",
                    "p:u32[1]"], check=True, timeout=60, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(report, encoding="utf-8") as f:
        c = json.load(f)["kernels"][0]["counters"]
    return [c[f"local_{op}_requests{as_ptx}"] for as_ptx in ("", "_ptx") for op in ("ld", "st")]


def expect(what, got, want):
    if got != want:
        failures.append(f"{what}: {got}, expected {want}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        expect("no stack", local(folder, "0"), [0, 0, 1, 1])
        expect("a stack", local(folder, "32"), [1, 1, 1, 1])
        expect("no answer", local(folder, "no"), [1, 1, 1, 1])
        expect("a function with an array of its own", local(folder, "0", CALLED, "call f;"), [1, 2, 1, 2])
        expect("a stack that grows", local(folder, "0", more="alloca.u64 %d2, 16;"), [1, 1, 1, 1])
    print("\n".join(failures) or "passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
