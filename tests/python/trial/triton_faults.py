# SPDX-License-Identifier: Apache-2.0
"""Triton kernels with a fault each: `warpwright run --check --json FILE python3 tests/python/trial/triton_faults.py [NAME...]`.  The line of the fault
carries the rule that must be found there: FAULT: rule.  tools/frameworks compares.  A fault that ends the context ends the process: such kernels run one
by one."""
import sys

import torch
import triton
import triton.language as tl

D = "cuda"
KERNELS = {}


def fault(run):
    KERNELS[run.__name__] = run
    return run


@triton.jit
def no_mask_kernel(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i < n))  # FAULT: out-of-bounds


@fault
def no_mask():
    no_mask_kernel[(4,)](torch.ones(1000, device=D), torch.empty(1000, device=D), 1000, B=256)


@triton.jit
def wrong_mask_kernel(x, out, n, stride, B: tl.constexpr):
    i = tl.arange(0, B)
    row = tl.program_id(0)
    v = tl.load(x + row * stride + i, mask=i <= n, other=0.0)  # FAULT: out-of-bounds
    tl.store(out + row, tl.sum(v, 0))


@fault
def wrong_mask():
    wrong_mask_kernel[(3,)](torch.ones(3, 100, device=D), torch.empty(3, device=D), 100, 100, B=128)


@triton.jit
def never_written_kernel(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.load(x + i) * 2.0)  # FAULT: uninit-global


@fault
def never_written():
    never_written_kernel[(1,)](torch.empty(128, device=D), torch.empty(128, device=D), B=128)


@triton.jit
def no_atomic_kernel(x, total, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    s = tl.sum(tl.load(x + i, mask=i < n, other=0.0), 0)
    tl.store(total, tl.load(total) + s)  # FAULT: race


@fault
def no_atomic():
    no_atomic_kernel[(8,)](torch.ones(1024, device=D), torch.zeros(1, device=D), 1024, B=128)


@triton.jit
def neighbour_kernel(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    right = tl.load(x + i + 1, mask=i + 1 < n, other=0.0)
    tl.store(x + i, right, mask=i < n)  # FAULT: race


@fault
def neighbour():
    neighbour_kernel[(4,)](torch.ones(512, device=D), 512, B=128)


@triton.jit
def same_place_kernel(out, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i // 2, i)  # FAULT: race


@fault
def same_place():
    same_place_kernel[(1,)](torch.zeros(128, device=D, dtype=torch.int32), B=128)


@triton.jit
def no_fence_kernel(x, flag, out, B: tl.constexpr):
    i = tl.arange(0, B)
    if tl.program_id(0) == 0:
        tl.store(x + i, i)
        tl.atomic_xchg(flag, 1, sem="relaxed")
    else:
        while tl.atomic_add(flag, 0, sem="relaxed") == 0:
            pass
        tl.store(out + i, tl.load(x + i))  # FAULT: race


@fault
def no_fence():
    no_fence_kernel[(2,)](torch.zeros(128, device=D, dtype=torch.int32), torch.zeros(1, device=D, dtype=torch.int32),
                          torch.zeros(128, device=D, dtype=torch.int32), B=128)


@triton.jit
def columns_kernel(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i * n + tl.program_id(0))  # FAULT: uncoalesced
    tl.store(out + tl.program_id(0), tl.sum(v, 0))


@fault
def columns():
    columns_kernel[(8,)](torch.ones(256, 64, device=D), torch.empty(64, device=D), 64, B=256)


@triton.jit
def one_counter_kernel(x, bins, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(bins + tl.load(x + i), 1)  # FAULT: atomic-contention


@fault
def one_counter():
    one_counter_kernel[(16,)](torch.zeros(4096, device=D, dtype=torch.int32), torch.zeros(4, device=D, dtype=torch.int32), B=256)


@triton.jit
def freed_kernel(p, B: tl.constexpr):
    i = tl.arange(0, B)
    q = tl.load(p).to(tl.pointer_type(tl.float32))
    tl.store(q + i, 1.0)  # FAULT: use-after-free


@fault
def freed():
    x = torch.ones(4096, device=D)
    p = torch.tensor([x.data_ptr()], device=D)
    del x
    freed_kernel[(1,)](p, B=128)


@triton.jit
def negative_kernel(x, out, k, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.load(x + i - k))  # FAULT: out-of-bounds


@fault
def negative():
    negative_kernel[(1,)](torch.ones(128, device=D), torch.empty(128, device=D), 5, B=128)


@triton.jit
def misaligned_kernel(x, B: tl.constexpr):
    i = tl.arange(0, B)
    q = (x.to(tl.pointer_type(tl.int8)) + 2).to(tl.pointer_type(tl.int32))
    tl.store(q + i, i)  # FAULT: misaligned


@fault
def misaligned():
    misaligned_kernel[(1,)](torch.zeros(256, device=D, dtype=torch.int32), B=128)


if __name__ == "__main__":
    for name in sys.argv[1:] or KERNELS:
        KERNELS[name]()
        torch.cuda.synchronize()
