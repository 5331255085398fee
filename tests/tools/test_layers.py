#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/layers must find each kind of wrong include, and nothing in a right one."""
import os
import shutil
import subprocess
import sys
import tempfile

CASES = [
    # file, text, what must be said (None: nothing)
    ("src/model/a.c", '#include "base/arena.h"\n', None),
    ("src/model/a.c", '#include "emu/emu.h"\n', 'src/model/a.c:1: model may not include "emu/emu.h"'),
    ("src/check/a.c", '#include "emu/observer.h"\n', None),
    ("src/check/a.c", '\n#include "emu/emu.h"\n', 'src/check/a.c:2: check may not include "emu/emu.h"'),
    ("src/report/a.c", '#include "emu/observer.h"\n', 'src/report/a.c:1: report may not include'),
    ("src/base/a.c", '#  include "ptx/ptx.h"\n', "src/base/a.c:1: base may not include"),
    ("src/emu/a.c", '#include "../ptx/ptx.h"\n', "src/emu/a.c:1: \"../ptx/ptx.h\": write it from its room on"),
    ("examples/a.c", '#include "base/str.h"\n', "examples/a.c:1: examples may not include"),
    ("src/attic/a.c", "\n", "src/attic/a.c:1: room 'attic' has no row"),
    ("src/device/a.c", '#include "device/a_own.h"\n', None),
    ("src/cuda/a.c", '#include "device/a_own.h"\n', 'src/cuda/a.c:1: "device/a_own.h" is for its own room only'),
    ("src/emu/exec/a.c", '#include "device/device.h"\n', "src/emu/exec/a.c:1: emu/exec may not include"),
    ("src/emu/lower/a.c", '#include "emu/core/code.h"\n', None),
    ("src/emu/lower/a.c", '#include "ptx/ptx.h"\n', None),  # what the outer room may, too
    ("src/emu/lower/a.c", '#include "emu/run/devrt.h"\n', "src/emu/lower/a.c:1: emu/lower may not include"),
    ("src/cuda/memory/a.c", '#include "cuda/work/work.h"\n', "src/cuda/memory/a.c:1: cuda/memory may not include"),
    ("src/device/a.c", '#include "emu/core/run.h"\n', "src/device/a.c:1: device may not include"),
    ("bench/a.c", '#include "emu/core/run.h"\n', None),
]


def main():
    failed = 0
    for path, text, want in CASES:
        with tempfile.TemporaryDirectory() as root:
            for folder in ("tools", os.path.dirname(path)):
                os.makedirs(os.path.join(root, folder), exist_ok=True)
            shutil.copy(sys.argv[1], os.path.join(root, "tools", "layers"))
            with open(os.path.join(root, path), "w", encoding="utf-8") as f:
                f.write(text)
            done = subprocess.run([sys.executable, os.path.join(root, "tools", "layers")], capture_output=True, text=True, check=False)
            good = (want in done.stdout and done.returncode == 1) if want else done.returncode == 0
            if not good:
                failed += 1
                print(f"{path} with {text!r}: expected {want!r}, got {done.returncode}:\n{done.stdout}{done.stderr}")
    with tempfile.TemporaryDirectory() as root:  # a header of its own that is not first
        os.makedirs(os.path.join(root, "tools"))
        os.makedirs(os.path.join(root, "src/base"))
        shutil.copy(sys.argv[1], os.path.join(root, "tools", "layers"))
        with open(os.path.join(root, "src/base/a.h"), "w", encoding="utf-8") as f:
            f.write("\n")
        with open(os.path.join(root, "src/base/a.c"), "w", encoding="utf-8") as f:
            f.write('#include "base/str.h"\n#include "base/a.h"\n')
        done = subprocess.run([sys.executable, os.path.join(root, "tools", "layers")], capture_output=True, text=True, check=False)
        if 'its own header "base/a.h" must come first' not in done.stdout:
            failed += 1
            print(f"own header: got {done.stdout}")
    print(f"{len(CASES) + 1 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
