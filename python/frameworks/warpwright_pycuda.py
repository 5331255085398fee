# SPDX-License-Identifier: Apache-2.0
"""PyCUDA on an emulated device: SourceModule has nvcc make machine code, and only with line information does the assembler leave the PTX in it."""

LINES = ("-lineinfo", "--generate-line-info", "-G", "--device-debug")


def before():
    pass


def install(compiler):
    plain = compiler.compile_plain

    def with_lines(source, options, keep, nvcc, cache_dir, target="cubin"):
        if target == "cubin" and not any(o in LINES for o in options):
            options = [*options, "-lineinfo"]
        return plain(source, options, keep, nvcc, cache_dir, target)

    compiler.compile_plain = with_lines
