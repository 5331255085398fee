# SPDX-License-Identifier: Apache-2.0
"""PyTorch on an emulated device: `warpwright run python3 program.py` does this by itself, unless Python was told to ignore its environment (-E, -I).
Then `import warpwright.torch` in the program does it."""
import os
import sys

_folder = os.path.join(os.environ.get("LD_LIBRARY_PATH", "").split(":")[0], "python")
if not os.path.exists(os.path.join(_folder, "warpwright_torch.py")):
    raise ImportError("PyTorch meets an emulated device only under the emulator: start the program with `warpwright run python3 …`")
sys.path.append(_folder)
import torch  # noqa: E402
import warpwright_torch  # noqa: E402

warpwright_torch.install(torch)
