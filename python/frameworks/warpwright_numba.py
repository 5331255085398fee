# SPDX-License-Identifier: Apache-2.0
"""numba's CUDA kernels on an emulated device: they are compiled with lineinfo=True unless they say otherwise.  numba loads machine code, and only with
line information does the assembler leave the PTX in it."""


def before():
    pass


def install(cuda):
    jit = cuda.jit

    def jit_with_lines(*args, **options):
        if not options.get("debug"):
            options.setdefault("lineinfo", True)
        return jit(*args, **options)

    cuda.jit = jit_with_lines
