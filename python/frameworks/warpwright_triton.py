# SPDX-License-Identifier: Apache-2.0
"""Triton on an emulated device.  What differs from a card:

    * a kernel is loaded from the PTX that Triton made, not from ptxas's machine code: its lines are those of the Python source
    * an autotuned kernel runs with its first configuration that loads; it is named once on stderr.  Times on an emulator say nothing of a card
    * libcuda.so.1 is found where `warpwright run` has it, also on machines without a driver"""
import os
import sys


def load_ptx(compiler):
    handles = compiler.CompiledKernel._init_handles

    def init_handles(self):
        if self.module is None and "ptx" in self.asm:
            self.kernel = self.asm["ptx"].encode() + b"\0"
        return handles(self)

    compiler.CompiledKernel._init_handles = init_handles


def kernel_name(tuner):
    fn = getattr(tuner, "base_fn", tuner.fn)
    return getattr(fn, "__name__", str(fn))


def take_first(autotuner):
    """Measuring a configuration becomes: does it load?  The first that does counts as the fastest."""
    from triton.compiler.errors import CompileTimeAssertionFailure
    from triton.runtime.errors import OutOfResources

    told = set()

    def loads(self, args, config, meta):
        meta = {k: v for k, v in meta.items() if k != "warmup"}
        try:
            kernel = self.fn.warmup(*args, **dict(meta, **config.all_kwargs()))
            getattr(kernel, "_init_handles", lambda: None)()
        except (OutOfResources, CompileTimeAssertionFailure):
            return False
        return True

    def bench(self, *args, config, **meta):
        chosen = self.__dict__.setdefault("warpwright_chosen", {})
        key = tuple(sorted((k, str(v)) for k, v in self.nargs.items() if isinstance(v, (int, float, str))))
        if key not in chosen and loads(self, args, config, meta):
            chosen[key] = config
            if (kernel_name(self), str(config)) not in told:
                told.add((kernel_name(self), str(config)))
                print(f"warpwright: {kernel_name(self)} is not tuned: it runs with the first of its {len(self.configs)} configurations that "
                      f"loads ({config})", file=sys.stderr)
        fits = chosen.get(key) is config
        return [0.0] * 3 if fits else [float("inf")] * 3

    autotuner.Autotuner._bench = bench


def before():
    libraries = os.environ.get("LD_LIBRARY_PATH", "").split(":")[0]
    os.environ.setdefault("TRITON_LIBCUDA_PATH", libraries)


def install(triton):
    from triton.compiler import compiler
    from triton.runtime import autotuner
    load_ptx(compiler)
    take_first(autotuner)
