#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""wheel.py SOURCE BUILD WORK: `pip install .` of an existing build into a clean virtual environment without a network, then the module, the
library, the compiler's words and the executable from another folder.  Skipped (exit code 77) where this Python makes no environments."""
import os
import pathlib
import shutil
import subprocess
import sys

SKIP = 77
PROGRAM = """
import pathlib, sys, warpwright as ww
assert "site-packages" in ww.__file__, ww.__file__
assert pathlib.Path(ww.__file__).with_name("py.typed").exists()
loaded = {line.split()[-1] for line in open("/proc/self/maps") if "libwarpwright" in line or "libjansson" in line}
assert loaded and all("site-packages" in name for name in loaded), loaded
assert ww.access("lane * 128").bank_conflicts == 31
ptx = open(sys.argv[1]).read()
d = ww.Device("emulator", check="")
x = d.empty(24)
r = ww.check(ptx, "scale", 1, 32, [x, 24, 2.0], device=d)
assert [f.rule for f in r.findings] == ["uninit-global"], r.findings
print(ww.__version__)
"""


def run(*command, **more):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, **more)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\nended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def main():
    source, build, work = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
    shutil.rmtree(work, ignore_errors=True)
    made = subprocess.run([sys.executable, "-m", "venv", work / "env"], capture_output=True, text=True, check=False)
    if made.returncode:
        print(f"skipped: {sys.executable} makes no virtual environment (Debian: python3-venv): {made.stdout.strip()}")
        return SKIP
    python = work / "env/bin/python"
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "LD_LIBRARY_PATH") and not k.startswith("WARPWRIGHT_")}
    run(python, "-m", "pip", "install", "--no-index", "--no-cache-dir", "--config-settings", f"build={build}", source, env=env)
    version = run(python, "-I", "-c", PROGRAM, source / "tests/data/check/scale.ptx", env=env, cwd=work).strip()
    said = run(work / "env/bin/warpwright", "--version", env=env, cwd=work)
    shown = run(python, "-m", "pip", "show", "warpwright", env=env, cwd=work)
    if said != f"warpwright {version}\n" or f"Version: {version}\n" not in shown:
        sys.exit(f"versions differ: {version!r} {said!r}\n{shown}")
    run(work / "env/bin/warpwright", "lab", "aat", "--m", "64", "--n", "64", "--k", "64", env=env, cwd=work)
    return 0


if __name__ == "__main__":
    sys.exit(main())
