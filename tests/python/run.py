#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py WARPWRIGHT numba|pycuda: runs the examples of one package under `warpwright run`.  Skipped (exit code 77) with the reason when the
package is not there or cannot compile kernels here.

Python is /usr/bin/python3, the one Debian's packages are for, or $WW_PYTHON.  numba 0.56 needs a libNVVM that takes its IR 1.6, so of
CUDA 11.2 to 12: CUDA_HOME names its toolkit.  (Debian: libnvvm4 and the libdevice of nvidia-cuda-toolkit.)  PyCUDA needs nvcc."""
import os
import shutil
import subprocess
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
SKIP = 77
CUDA_BIN = "/usr/local/cuda/bin"

NUMBA = """
import sys
try:
    import numba
    from numba.cuda.cudadrv.nvvm import NVVM
    major, minor = NVVM().get_ir_version()[:2] if hasattr(NVVM(), "get_ir_version") else NVVM().get_version()
except Exception as e:
    sys.exit(f"{type(e).__name__}: {e}".splitlines()[0])
if (major, minor) >= (2, 0):
    from numba.core import config
    if tuple(int(n) for n in numba.__version__.split(".")[:2]) < (0, 60):
        from numba.cuda import compile_ptx
        try:
            compile_ptx(lambda a: None, (numba.int32,))
        except Exception as e:
            sys.exit(f"numba {numba.__version__} with the libNVVM found: {str(e).strip().splitlines()[-1]}")
"""
PYCUDA = """
import importlib.util, sys
if importlib.util.find_spec("pycuda") is None:
    sys.exit("there is no module pycuda")
"""


def main():
    warpwright, package = sys.argv[1:3]
    python = os.environ.get("WW_PYTHON", "/usr/bin/python3")
    env = dict(os.environ)
    if not shutil.which("nvcc") and os.path.exists(os.path.join(CUDA_BIN, "nvcc")):
        env["PATH"] = CUDA_BIN + os.pathsep + env["PATH"]
    probe = subprocess.run([python, "-W", "ignore", "-c", NUMBA if package == "numba" else PYCUDA], env=env, capture_output=True, text=True,
                           check=False)
    if probe.returncode:
        print(f"skipped: {probe.stderr.strip() or 'the probe failed'}")
        return SKIP
    if package == "pycuda" and not shutil.which("nvcc", path=env["PATH"]):
        print("skipped: pycuda compiles with nvcc, and there is none")
        return SKIP
    script = os.path.join(FOLDER, f"{package}_examples.py")
    ran = subprocess.run([warpwright, "run", "--", python, "-W", "ignore", script], env=env, capture_output=True, text=True, timeout=500,
                         check=False)
    good = ran.returncode == 0 and ran.stdout.endswith("passed\n") and "not implemented" not in ran.stderr and "lanes" in ran.stderr
    if not good:
        print(ran.stdout, ran.stderr, f"exit code {ran.returncode}", sep="\n")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
