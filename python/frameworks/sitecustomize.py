# SPDX-License-Identifier: Apache-2.0
"""Python runs this file at its start because `warpwright run` puts its folder first on PYTHONPATH.  It loads nothing: when the program imports a
framework that needs help on an emulated device, the module of HELP is imported right after it.  A sitecustomize of the user's own still runs."""
import importlib
import importlib.machinery
import importlib.util
import os
import sys

HELP = {  # a module, and ours whose install() is called when it has been imported; before() before that, where there is one
    "torch": "warpwright_torch",
    "triton": "warpwright_triton",
    "cupy": "warpwright_cupy",
    "numba.cuda": "warpwright_numba",
    "jaxlib": "warpwright_jax",
    "pycuda.compiler": "warpwright_pycuda",
}


class Helper:
    """A finder of modules that finds what the others find, and adds the call."""

    def __init__(self):
        self.looking = set()

    def find_spec(self, name, path=None, target=None):
        if name not in HELP or name in self.looking:
            return None
        self.looking.add(name)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.looking.discard(name)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def exec_module(module):
                ours = importlib.import_module(HELP[name])
                ours.before()
                load(module)
                ours.install(module)

            spec.loader.exec_module = exec_module
        return spec


def next_customization():
    """The sitecustomize that would have run without ours."""
    here = os.path.dirname(os.path.abspath(__file__))
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", [p for p in sys.path if os.path.abspath(p or ".") != here])
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


if os.environ.get("WARPWRIGHT_STATUS"):  # under `warpwright run`
    sys.meta_path.insert(0, Helper())
next_customization()
