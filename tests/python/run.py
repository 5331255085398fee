#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py WARPWRIGHT numba|pycuda WORK: runs the examples of one package under `warpwright run`.  Skipped (exit code 77) with the reason where
the package cannot be had or cannot compile kernels here.

Python is /usr/bin/python3, the one Debian's packages are for, or $WW_PYTHON.  numba (Debian: python3-numba) needs libNVVM, libdevice and a
runtime of CUDA 11 or 12: CUDA_HOME names a toolkit with them; without it Debian's are fetched into WORK (debian.py).  PyCUDA needs nvcc, and
is in Debian's contrib: it is fetched the same way where it is not installed."""
import os
import pathlib
import shutil
import subprocess
import sys

from debian import Unobtainable, unpacked

FOLDER = os.path.dirname(os.path.abspath(__file__))
SKIP = 77
CUDA_BIN = "/usr/local/cuda/bin"
OF_NUMBA = ("libnvvm4", "libcudart11.0", "nvidia-cuda-toolkit")
OF_PYCUDA = ("python3-pycuda", "python3-pytools", "python3-appdirs", "python3-mako", "python3-decorator", "python3-markupsafe", "python3-platformdirs",
             "python3-typing-extensions", "libboost-python1.74.0", "libboost-thread1.74.0")
PROBE = """
import importlib.util, sys
sys.exit(importlib.util.find_spec(sys.argv[1]) is None)
"""


def put_first(env, name, path):
    env[name] = os.pathsep.join([str(path), *([env[name]] if env.get(name) else [])])


def toolkit_of(work, env):
    """A folder as numba wants CUDA_HOME."""
    root, home = unpacked(work, OF_NUMBA), pathlib.Path(work) / "cuda"
    libraries = root / "usr/lib/x86_64-linux-gnu"
    for name, file in (("nvvm/lib64/libnvvm.so", libraries / "libnvvm.so.4"), ("lib64/libcudart.so", libraries / "libcudart.so.11.0"),
                       ("nvvm/libdevice/libdevice.10.bc", root / "usr/lib/nvidia-cuda-toolkit/libdevice/libdevice.10.bc")):
        link = home / name
        link.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists():
            raise Unobtainable(f"Debian's packages {', '.join(OF_NUMBA)} have no {file.name}")
        link.unlink(missing_ok=True)
        link.symlink_to(file.resolve())
    env["CUDA_HOME"] = str(home)


def prepare(package, python, work, env):
    there = subprocess.run([python, "-c", PROBE, package], env=env, check=False).returncode == 0
    if package == "numba":
        if not there:
            raise Unobtainable("there is no module numba (Debian: python3-numba)")
        if not list(pathlib.Path(env.get("CUDA_HOME", "/nowhere")).glob("nvvm/lib64/libnvvm.so*")):
            toolkit_of(work, env)
        return [os.path.join(FOLDER, "numba_again.py")]
    if not there:
        root = unpacked(work, OF_PYCUDA)
        put_first(env, "PYTHONPATH", root / "usr/lib/python3/dist-packages")
        put_first(env, "LD_LIBRARY_PATH", root / "usr/lib/x86_64-linux-gnu")
    if not shutil.which("nvcc", path=env["PATH"]):
        raise Unobtainable("pycuda compiles with nvcc, and there is none")
    return []


def main():
    warpwright, package, work = sys.argv[1:4]
    python = os.environ.get("WW_PYTHON", "/usr/bin/python3")
    env = dict(os.environ)
    if not shutil.which("nvcc") and os.path.exists(os.path.join(CUDA_BIN, "nvcc")):
        env["PATH"] = CUDA_BIN + os.pathsep + env["PATH"]
    try:
        through = prepare(package, python, os.path.join(work, package), env)
    except Unobtainable as e:
        print(f"skipped: {e}")
        return SKIP
    command = [warpwright, "run", "--", python, "-W", "ignore", *through, os.path.join(FOLDER, f"{package}_examples.py")]
    ran = subprocess.run(command, env=env, capture_output=True, text=True, timeout=500, check=False)
    good = ran.returncode == 0 and ran.stdout.endswith("passed\n") and "not implemented" not in ran.stderr and "lanes" in ran.stderr
    if not good:
        print(ran.stdout, ran.stderr, f"exit code {ran.returncode}", sep="\n")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
