#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cached.py WARPWRIGHT: the assembler is asked for a kernel's registers once, not in every process.  A ptxas that counts its calls stands in
PATH; what it says changes with its file, so an answer of another one would show."""
import json
import os
import subprocess
import sys
import tempfile

PTX = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
{
.reg .b64 %d<2>;
ld.param.u64 %d0, [p];
st.global.u64 [%d0], VALUE;
ret;
}
"""
PTXAS = """#!/bin/sh
echo call >>CALLS
cat <<END
ptxas info    : Function properties for k
    16 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads
ptxas info    : Used REGISTERS registers, used 0 barriers, 360 bytes cmem[0]
END
"""
warpwright = sys.argv[1]
failures = []


class Bench:
    """A folder with a kernel, a counting ptxas and a cache."""

    def __init__(self, folder):
        self.folder, self.cache, self.calls = folder, os.path.join(folder, "cache"), os.path.join(folder, "calls")
        self.assembler(40)

    def assembler(self, registers):
        path = os.path.join(self.folder, "ptxas")
        with open(path, "w", encoding="utf-8") as f:
            f.write(PTXAS.replace("CALLS", self.calls).replace("REGISTERS", str(registers)))
        os.chmod(path, 0o755)

    def check(self, what, calls, registers=40, value=7, profile="sm_90", cache=None):
        source, report = os.path.join(self.folder, "k.ptx"), os.path.join(self.folder, "r.json")
        with open(source, "w", encoding="utf-8") as f:
            f.write(PTX.replace("VALUE", str(value)))
        open(self.calls, "w", encoding="utf-8").close()
        env = {**os.environ, "PATH": self.folder + os.pathsep + os.environ["PATH"], "TMPDIR": self.folder}
        subprocess.run([warpwright, "check", "-q", "--check=local-memory", "--json", report, "--profile", profile, "--cache", cache or self.cache, source,
                        "--grid", "1", "--block", "32", "--arg", "p:u64[1]"], check=True, timeout=60, env=env,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(report, encoding="utf-8") as f:
            found = json.load(f)["kernels"][0]["resources"]
        with open(self.calls, encoding="utf-8") as f:
            asked = len(f.readlines())
        want = {"registers": registers, "stack": 16, "spill_stores": 12, "spill_loads": 8}
        if asked != calls or any(found.get(k) != v for k, v in want.items()):
            failures.append(f"{what}: ptxas ran {asked} times and not {calls}; {found}, expected {want}")

    def damage(self):
        folder = os.path.join(self.cache, "registers")
        for name in os.listdir(folder):
            os.truncate(os.path.join(folder, name), 3)


def main():
    with tempfile.TemporaryDirectory() as folder:
        b = Bench(folder)
        b.check("the first process", 1)
        b.check("the second", 0)
        b.check("another text", 1, value=8)
        b.check("another card's architecture", 1, profile="sm_86")
        b.check("the first text again", 0)
        b.check("no cache", 1, cache="off")
        b.damage()
        b.check("a damaged cache", 1)
        b.check("which is mended", 0)
        b.assembler(123)
        b.check("another ptxas", 1, registers=123)
        b.check("a folder that cannot be one", 1, registers=123, cache="/dev/null")
    print("\n".join(failures) or "passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
