# SPDX-License-Identifier: Apache-2.0
"""A script of tools/, which has no .py at its end, as a module."""
import importlib.machinery
import importlib.util
import sys

sys.dont_write_bytecode = True # or there would be a cache beside the script


def load(path):
    loader = importlib.machinery.SourceFileLoader("script", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("script", loader))
    loader.exec_module(module)
    return module
