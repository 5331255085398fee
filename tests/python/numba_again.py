# SPDX-License-Identifier: Apache-2.0
"""numba_again.py SCRIPT: runs SCRIPT under a numba that goes with the libNVVM at hand.  Debian 12's numba 0.56 marks its kernels as NVVM IR 1.6, and
Debian 12's libNVVM (CUDA 11.8) takes 2.0 alone; numba 0.57 asks the library instead, which is done here for the older one."""
import runpy
import sys

import numba
from llvmlite import ir
from numba.cuda.cudadrv import nvvm


def add_ir_version(module):
    version = [ir.IntType(32)(n) for n in nvvm.NVVM().get_ir_version()]
    module.add_named_metadata("nvvmir.version", module.add_metadata(version))


if tuple(int(n) for n in numba.__version__.split(".")[:2]) == (0, 56):
    nvvm.add_ir_version = add_ir_version
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
