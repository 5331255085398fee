# SPDX-License-Identifier: Apache-2.0
"""JAX on an emulated device: XLA asks the assembler for line information, so that the PTX stays in the machine code it loads, and does not choose
among kernels by their times."""
import os

FLAGS = ["--xla_gpu_generate_line_info=true", "--xla_gpu_autotune_level=0"]


def before():
    said = os.environ.get("XLA_FLAGS", "")
    os.environ["XLA_FLAGS"] = " ".join([said] + [f for f in FLAGS if f.split("=")[0] not in said]).strip()


def install(jaxlib):
    pass
