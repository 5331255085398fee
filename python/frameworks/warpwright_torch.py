# SPDX-License-Identifier: Apache-2.0
"""PyTorch on an emulated device.

PyTorch's own operations on CUDA tensors exist as machine code only.  Here PyTorch's CPU kernels compute them, on the same memory: the memory
of an emulated device is the host's.  An operator's CUDA kernel is replaced by a function that

    1. waits for the device, since what was given to it before may still run
    2. makes CPU tensors over the memory of the CUDA ones
    3. calls the operator on them
    4. copies new results to the device; what was written in place is there already

Kernels of the user's own (Triton's, those of CUDA extensions with PTX) are emulated.  The report lists PyTorch's operations apart.  Memory checks
are told what each reads and writes; of an operator that works in place only that it writes.

Random numbers are those of a CPU generator that is seeded from the CUDA generator's seed and offset: they repeat, and differ from a card's.
Left alone is what starts no kernel: allocation, views, sizes.  Named with an error is what the CPU has no kernel for, and every operation
while a graph is captured."""
import ctypes
import os
import sys

import warpwright_torch_cells as cells
from warpwright_emulator import READS, WRITES, Emulator, Span

LIBRARY = "PyTorch"
BY = "PyTorch's CPU kernels"

# Operators whose CUDA code starts no kernel.
KEPT = {"empty.memory_format", "empty_strided", "as_strided", "resize_", "record_stream", "_local_scalar_dense", "is_set_to", "_reshape_alias", "view",
        "_efficientzerotensor", "_nested_view_from_buffer"}
# Composite operators that choose a CUDA-only kernel on the way: computed whole.
WHOLE = ["copy_", "convolution"]


MOST_SPANS = 4096


def spans(tensor, writes):
    """The tensor's bytes as rows of memory; of one with more than MOST_SPANS pieces none when it is read, everything between its ends when it is
    written."""
    if not tensor.numel():
        return []
    size = tensor.element_size()
    dims = sorted((stride * size, n) for n, stride in zip(tensor.shape, tensor.stride()) if n > 1 and stride)
    width = size
    while dims and dims[0][0] <= width:
        stride, n = dims.pop(0)
        width += stride * (n - 1)
    pitch, height = dims.pop(0) if dims else (width, 1)
    pieces = 1
    for _, n in dims:
        pieces *= n
    if pieces > MOST_SPANS:
        whole = pitch * (height - 1) + width + sum(stride * (n - 1) for stride, n in dims)
        return [Span(tensor.data_ptr(), whole, whole, 1, WRITES)] if writes else []
    starts = [tensor.data_ptr()]
    for stride, n in dims:
        starts = [s + i * stride for s in starts for i in range(n)]
    return [Span(s, pitch, width, height, WRITES if writes else READS) for s in starts]


class Operations:
    """The replacements, for one torch module."""

    def __init__(self, torch):
        self.torch = torch
        self.emulator = Emulator(torch.version.cuda)
        self.checked = self.emulator.checked()
        self.emulator.collects()
        self.library = torch.library.Library("aten", "IMPL")
        self.decompositions = None

    # ---- tensors ----

    def on_host(self, t):
        """A CPU tensor over the memory of a CUDA tensor."""
        torch = self.torch
        if t.layout is not torch.strided or t.is_quantized or t.is_nested:
            raise NotImplementedError(f"warpwright: a CUDA tensor of layout {t.layout} cannot be computed with on an emulated device: make it dense")
        storage = t.untyped_storage()
        if not storage.nbytes():
            return torch.empty_strided(t.shape, t.stride(), dtype=t.dtype)
        memory = torch.frombuffer((ctypes.c_char * storage.nbytes()).from_address(storage.data_ptr()), dtype=torch.uint8)
        c = torch.empty(0, dtype=t.dtype).set_(memory.untyped_storage(), t.storage_offset(), t.shape, t.stride())
        c = c.conj() if t.is_conj() else c
        return c._neg_view() if t.is_neg() else c

    def to_device(self, c, device):
        """A new CUDA tensor like a CPU one."""
        t = self.torch.empty_strided(c.shape, c.stride(), dtype=c.dtype, device=device)
        if c.numel():
            self.on_host(t).copy_(c)
            self.tell_written(t)
        return t

    def tell_read(self, name, t):
        if self.checked:
            for span in spans(t, False):
                self.emulator.uses(name, ctypes.byref(span))

    def tell_written(self, t):
        if self.checked:
            for span in spans(t, True):
                self.emulator.wrote(ctypes.byref(span))

    # ---- random numbers ----

    def seeded(self, generator):
        """A CPU generator for the next numbers of a CUDA one."""
        torch = self.torch
        offset = generator.get_offset()
        generator.set_offset(offset + 4)
        return torch.Generator().manual_seed((generator.initial_seed() * 0x9E3779B97F4A7C15 + offset * 0xD1B54A32D192ED03) % (1 << 63))

    def default_generator(self, device):
        torch = self.torch
        index = torch.cuda.current_device() if device is None or device.index is None else device.index
        return torch.cuda.default_generators[index]

    # ---- calls ----

    def settle(self, name):
        error = self.emulator.settle()
        if error in (900, 901, 906):
            raise RuntimeError(f"warpwright: {name} while a graph is captured: PyTorch's own operations are computed by the host and cannot be part of one")
        if error:
            raise self.torch.AcceleratorError(f"CUDA error {error} of work before {name}") if hasattr(self.torch, "AcceleratorError") else RuntimeError(
                f"CUDA error {error} of work before {name}")

    def compute(self, op, name, args, kwargs):
        torch = self.torch
        device = None
        pairs = []  # CUDA tensor, CPU tensor
        random = None

        def host(x):
            nonlocal device, random
            if isinstance(x, torch.Tensor):
                if x.device.type != "cuda":
                    return x
                for t, c in pairs:
                    if t is x:
                        return c
                device = device or x.device
                c = self.on_host(x)
                pairs.append((x, c))
                return c
            if isinstance(x, (list, tuple)):
                return type(x)(host(e) for e in x) if type(x) in (list, tuple) else [host(e) for e in x]
            if isinstance(x, torch.device) and x.type == "cuda":
                device = x
                return torch.device("cpu")
            if isinstance(x, torch.Generator) and x.device.type == "cuda":
                random = x
                return self.seeded(x)
            return x

        args = [host(x) for x in args]
        kwargs = {k: host(x) for k, x in kwargs.items()}
        if kwargs.get("pin_memory"):
            kwargs["pin_memory"] = False
        schema = op._schema
        written = set()
        for i, a in enumerate(schema.arguments):
            value = kwargs.get(a.name) if a.kwarg_only else args[i] if i < len(args) else kwargs.get(a.name)
            if a.alias_info is not None and a.alias_info.is_write:
                for c in value if isinstance(value, (list, tuple)) else [value]:
                    written.add(id(c))
        for t, c in pairs:
            if id(c) not in written:
                self.tell_read(name, t)
        sizes = [(c, c.data_ptr(), c.shape) for _, c in pairs if id(c) in written]
        random_state = None
        if random is None and torch.Tag.nondeterministic_seeded in op.tags:
            random_state = torch.default_generator.get_state()
            torch.default_generator.set_state(self.seeded(self.default_generator(device)).get_state())
        try:
            result = self.call(op, args, kwargs)
        finally:
            if random_state is not None:
                torch.default_generator.set_state(random_state)
        originals = {id(c): t for t, c in pairs}
        for c, at, shape in sizes:
            t = originals[id(c)]
            if c.shape != shape or c.data_ptr() != at:  # the operator made it larger: it lies elsewhere now
                t.resize_(c.shape).as_strided_(c.shape, c.stride())
                self.on_host(t).copy_(c)
            self.tell_written(t)
        where = device or torch.device("cuda", torch.cuda.current_device())

        def back(x):
            if isinstance(x, torch.Tensor):
                return originals[id(x)] if id(x) in originals else self.to_device(x, where)
            if isinstance(x, (list, tuple)):
                return type(x)([back(e) for e in x]) if type(x) in (list, tuple) else tuple(back(e) for e in x)
            return x

        return back(result)

    def call(self, op, args, kwargs):
        """The CPU has no half-precision kernel of some operators: those are computed in float."""
        torch = self.torch
        with torch._C._AutoDispatchBelowAutograd():
            try:
                return op(*args, **kwargs)
            except (RuntimeError, NotImplementedError) as e:
                if "not implemented for 'Half'" not in str(e) and "not implemented for 'BFloat16'" not in str(e) or any(
                        a.alias_info is not None for a in op._schema.arguments):
                    raise
            half = None

            def wide(x):
                nonlocal half
                if isinstance(x, torch.Tensor) and x.dtype in (torch.float16, torch.bfloat16):
                    half = x.dtype
                    return x.float()
                return [wide(e) for e in x] if isinstance(x, (list, tuple)) else x

            def narrow(x):
                if isinstance(x, torch.Tensor) and x.dtype is torch.float32:
                    return x.to(half)
                return type(x)(narrow(e) for e in x) if type(x) in (list, tuple) else x

            return narrow(op(*[wide(x) for x in args], **{k: wide(x) for k, x in kwargs.items()}))

    # ---- replacements ----

    def operator(self, name):
        base, _, overload = name.partition(".")
        return getattr(getattr(self.torch.ops.aten, base), overload or "default")

    def replacement(self, name):
        known = []
        full = ("aten::" + name).encode()

        def replaced(*args, **kwargs):
            if not known:
                known.append(self.operator(name))
            self.settle("aten::" + name)
            self.emulator.count(LIBRARY.encode(), full, BY.encode())
            return self.compute(known[0], full, args, kwargs)

        return replaced

    def copy(self):
        """Plain copies are the device's own, in the order of the current stream; with another type or layout they are a kernel."""
        compute = self.replacement("copy_")
        stream = self.torch.cuda.current_stream

        def copy_(to, source, non_blocking=False):
            plain = (to.dtype == source.dtype and to.shape == source.shape and to.is_contiguous() and source.is_contiguous() and
                     to.is_conj() == source.is_conj() and to.is_neg() == source.is_neg())
            if not plain:
                return compute(to, source)
            if to.numel():
                device = to.device if to.device.type == "cuda" else source.device
                pinned = non_blocking and all(t.device.type == "cuda" or t.is_pinned() for t in (to, source))
                error = self.emulator.copy(to.data_ptr(), source.data_ptr(), to.numel() * to.element_size(), stream(device).cuda_stream, not pinned)
                if error:
                    raise RuntimeError(f"CUDA error {error} of a copy of {to.numel()} elements of {to.dtype}")
            return to

        return copy_

    def without(self, name):
        """For an operator that the CPU does not have: composed of others, or an error."""
        table = self.torch._decomp.decomposition_table

        def replaced(*args, **kwargs):
            op = self.operator(name)
            if op in table:
                return table[op](*args, **kwargs)
            raise NotImplementedError(f"warpwright: aten::{name} exists as machine code of PyTorch's CUDA library only, which cannot be emulated, and its "
                                      "CPU library has no such operation. Write it with others, or as a Triton or CUDA kernel.")

        return replaced

    def is_view(self, name):
        """Does it give another tensor of the same memory, and writes nothing?"""
        returns = self.torch._C._get_schema("aten::" + name.partition(".")[0], name.partition(".")[2]).returns
        return any(r.alias_info is not None and not r.alias_info.is_write for r in returns)

    def on_cpu(self, name):
        has = self.torch._C._dispatch_has_kernel_for_dispatch_key
        return any(has("aten::" + name, key) for key in ("CPU", "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional"))

    def install(self):
        names = [n[len("aten::"):] for n in self.torch._C._dispatch_get_registrations_for_dispatch_key("CUDA") if n.startswith("aten::")]
        for name in sorted(set(names + WHOLE)):
            if name in KEPT or name.startswith("set_.") or self.is_view(name):
                continue
            if name == "copy_":
                fn = self.copy()
            elif name in cells.COMPOSED:
                fn = cells.COMPOSED[name](self.torch)
            else:
                fn = self.replacement(name) if self.on_cpu(name) else self.without(name)
            self.library.m.impl(name, "CUDA", fn, False)


operations = None


def before():
    if "WARPWRIGHT_CHECK" in os.environ:  # each tensor is an allocation of its own: its ends are seen
        os.environ.setdefault("PYTORCH_NO_CUDA_MEMORY_CACHING", "1")
    archs = os.environ.get("TORCH_CUDA_ARCH_LIST", "9.0").rstrip("; ")
    os.environ["TORCH_CUDA_ARCH_LIST"] = archs if "+PTX" in archs else archs + "+PTX"  # extensions that are built now carry PTX


def install(torch):
    """Replaces the operators.  A PyTorch without CUDA is left alone."""
    global operations
    if operations is not None or torch.version.cuda is None:
        return
    import warnings
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        operations = Operations(torch)
        operations.install()
    torch.backends.cudnn.enabled = False
    torch.backends.cuda.enable_flash_sdp(False)  # attention is composed of products
    torch.backends.cuda.enable_mem_efficient_sdp(False)
    torch.backends.cuda.enable_cudnn_sdp(False)
    sys.modules.setdefault("warpwright.torch", sys.modules[__name__])
