# SPDX-License-Identifier: Apache-2.0
"""CuPy on an emulated device.  Where memory is checked, each array is an allocation of its own instead of a piece of CuPy's pool: its ends are seen."""
import os

from warpwright_emulator import Emulator


def before():
    pass


def install(cupy):
    Emulator().collects()
    if "WARPWRIGHT_CHECK" in os.environ:
        cupy.cuda.set_allocator(None)
        cupy.cuda.set_pinned_memory_allocator(None)
