# SPDX-License-Identifier: Apache-2.0
"""Triton kernels of the kinds that tutorials teach, against PyTorch: `warpwright run --check python3 tests/python/trial/triton_steps.py`."""
import torch
import torch.nn.functional as F
import triton
import triton.language as tl
from steps import close, main, step

D = "cuda"


@triton.jit
def add_kernel(x, y, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    tl.store(out + i, tl.load(x + i, mask=m) + tl.load(y + i, mask=m), mask=m)


@step
def vector_add():
    x, y = torch.rand(1000, device=D), torch.rand(1000, device=D)
    out = torch.empty_like(x)
    add_kernel[(4,)](x, y, out, 1000, B=256)
    close(out.cpu(), (x + y).cpu())


@triton.jit
def softmax_kernel(out, x, stride, n, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + row * stride + c, mask=c < n, other=-float("inf"))
    v = tl.exp(v - tl.max(v, 0))
    tl.store(out + row * stride + c, v / tl.sum(v, 0), mask=c < n)


@step
def softmax():
    x = torch.randn(37, 781, device=D)
    out = torch.empty_like(x)
    softmax_kernel[(37,)](out, x, 781, 781, B=1024)
    close(out.cpu(), x.cpu().softmax(1))


@triton.autotune(configs=[triton.Config({"M": 64, "N": 64, "K": 32}, num_warps=4, num_stages=3), triton.Config({"M": 32, "N": 32, "K": 32}, num_warps=2)],
                 key=["m", "n", "k"])
@triton.jit
def matmul_kernel(a, b, c, m, n, k, sa, sb, sc, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rm = tl.program_id(0) * M + tl.arange(0, M)
    rn = tl.program_id(1) * N + tl.arange(0, N)
    rk = tl.arange(0, K)
    acc = tl.zeros((M, N), dtype=tl.float32)
    for i in range(0, k, K):
        x = tl.load(a + rm[:, None] * sa + (i + rk)[None, :], mask=(rm[:, None] < m) & ((i + rk)[None, :] < k), other=0.0)
        y = tl.load(b + (i + rk)[:, None] * sb + rn[None, :], mask=((i + rk)[:, None] < k) & (rn[None, :] < n), other=0.0)
        acc = tl.dot(x, y, acc)
    tl.store(c + rm[:, None] * sc + rn[None, :], acc, mask=(rm[:, None] < m) & (rn[None, :] < n))


def matmul(dtype):
    m, n, k = 96, 80, 64
    a, b, c = torch.randn(m, k, device=D).to(dtype), torch.randn(k, n, device=D).to(dtype), torch.empty(m, n, device=D)
    matmul_kernel[lambda q: (triton.cdiv(m, q["M"]), triton.cdiv(n, q["N"]))](a, b, c, m, n, k, k, n, n)
    close(c.cpu(), a.cpu().float() @ b.cpu().float(), 2e-2 if dtype is torch.float32 else 1e-4)


@step
def matmul_half():
    matmul(torch.float16)


@step
def matmul_float():
    matmul(torch.float32)


@triton.jit
def dropout_kernel(x, out, n, p, seed, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    keep = tl.rand(seed, i) > p
    tl.store(out + i, tl.where(keep, tl.load(x + i, mask=i < n) / (1 - p), 0.0), mask=i < n)


@step
def dropout():
    x = torch.ones(1000, device=D)
    one, two, other = (torch.empty_like(x) for _ in range(3))
    for out, seed in ((one, 5), (two, 5), (other, 6)):
        dropout_kernel[(4,)](x, out, 1000, 0.5, seed, B=256)
    close(one.cpu(), two.cpu())
    assert 400 < one.count_nonzero().item() < 600 and (one != other).any().item()


@triton.jit
def norm_forward(x, y, w, b, mean, rstd, n, eps, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + row * n + c, mask=c < n, other=0.0)
    mu = tl.sum(v, 0) / n
    d = tl.where(c < n, v - mu, 0.0)
    r = 1 / tl.sqrt(tl.sum(d * d, 0) / n + eps)
    tl.store(mean + row, mu)
    tl.store(rstd + row, r)
    tl.store(y + row * n + c, d * r * tl.load(w + c, mask=c < n) + tl.load(b + c, mask=c < n), mask=c < n)


@triton.jit
def norm_backward(dy, x, w, mean, rstd, dx, dw, db, lock, n, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    m = c < n
    g = tl.load(dy + row * n + c, mask=m, other=0.0)
    h = (tl.load(x + row * n + c, mask=m, other=0.0) - tl.load(mean + row)) * tl.load(rstd + row)
    gw = g * tl.load(w + c, mask=m, other=0.0)
    tl.store(dx + row * n + c, (gw - tl.sum(gw * h, 0) / n * h - tl.sum(gw, 0) / n) * tl.load(rstd + row), mask=m)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(dw + c, tl.load(dw + c, mask=m) + g * h, mask=m)
    tl.store(db + c, tl.load(db + c, mask=m) + g, mask=m)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


class Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, b):
        y, mean, rstd = torch.empty_like(x), torch.empty(x.shape[0], device=D), torch.empty(x.shape[0], device=D)
        norm_forward[(x.shape[0],)](x, y, w, b, mean, rstd, x.shape[1], 1e-5, B=128)
        ctx.save_for_backward(x, w, mean, rstd)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, w, mean, rstd = ctx.saved_tensors
        dx, dw, db, lock = torch.empty_like(x), torch.zeros_like(w), torch.zeros_like(w), torch.zeros(1, dtype=torch.int32, device=D)
        norm_backward[(x.shape[0],)](dy.contiguous(), x, w, mean, rstd, dx, dw, db, lock, x.shape[1], B=128)
        return dx, dw, db


@step
def layer_norm():
    torch.manual_seed(0)
    x, w, b = torch.randn(9, 100), torch.rand(100), torch.rand(100)
    on = [t.to(D).requires_grad_() for t in (x, w, b)]
    off = [t.clone().requires_grad_() for t in (x, w, b)]
    got, want = Norm.apply(*on), F.layer_norm(off[0], (100,), off[1], off[2])
    close(got.detach().cpu(), want.detach(), 1e-4)
    (got * got).sum().backward()
    (want * want).sum().backward()
    for t, u in zip(on, off):
        close(t.grad.cpu(), u.grad, 1e-3)


@triton.jit
def attention_kernel(q, k, v, out, n, scale, H: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    head = tl.program_id(1) * n * H
    rm = tl.program_id(0) * M + tl.arange(0, M)
    rh = tl.arange(0, H)
    x = tl.load(q + head + rm[:, None] * H + rh[None, :])
    top = tl.full((M,), -float("inf"), dtype=tl.float32)
    norm = tl.zeros((M,), dtype=tl.float32)
    acc = tl.zeros((M, H), dtype=tl.float32)
    for at in range(0, (tl.program_id(0) + 1) * M, N):
        rn = at + tl.arange(0, N)
        s = tl.dot(x, tl.trans(tl.load(k + head + rn[:, None] * H + rh[None, :]))) * scale
        s = tl.where(rm[:, None] >= rn[None, :], s, -float("inf"))
        new = tl.maximum(top, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        shrink = tl.exp(top - new)
        norm = norm * shrink + tl.sum(p, 1)
        acc = tl.dot(p.to(tl.float16), tl.load(v + head + rn[:, None] * H + rh[None, :]), acc * shrink[:, None])
        top = new
    tl.store(out + head + rm[:, None] * H + rh[None, :], acc / norm[:, None])


@step
def attention():
    q, k, v = (torch.randn(2, 128, 64, device=D, dtype=torch.float16) for _ in range(3))
    out = torch.empty(2, 128, 64, device=D)
    attention_kernel[(2, 2)](q, k, v, out, 128, 0.125, H=64, M=64, N=64)
    want = F.scaled_dot_product_attention(*(t.cpu().float() for t in (q, k, v)), is_causal=True)
    close(out.cpu(), want, 5e-3)


@triton.jit
def grouped_kernel(aps, bps, cps, sizes, groups, T: tl.constexpr, K: tl.constexpr):
    tile = tl.program_id(0)
    last = 0
    for g in range(groups):
        m, n, k = tl.load(sizes + 3 * g), tl.load(sizes + 3 * g + 1), tl.load(sizes + 3 * g + 2)
        across = tl.cdiv(n, T)
        here = tl.cdiv(m, T) * across
        while tile >= last and tile < last + here:
            a = tl.load(aps + g).to(tl.pointer_type(tl.float16))
            b = tl.load(bps + g).to(tl.pointer_type(tl.float16))
            c = tl.load(cps + g).to(tl.pointer_type(tl.float16))
            rm = (tile - last) // across * T + tl.arange(0, T)
            rn = (tile - last) % across * T + tl.arange(0, T)
            rk = tl.arange(0, K)
            acc = tl.zeros((T, T), dtype=tl.float32)
            for i in range(0, k, K):
                acc = tl.dot(tl.load(a + rm[:, None] * k + i + rk[None, :]), tl.load(b + (i + rk)[:, None] * n + rn[None, :]), acc)
            tl.store(c + rm[:, None] * n + rn[None, :], acc.to(tl.float16))
            tile += tl.num_programs(0)
        last += here


@step
def grouped_matmul():
    shapes = [(64, 32, 32), (32, 96, 64), (32, 32, 32)]
    a = [torch.randn(m, k, device=D, dtype=torch.float16) for m, n, k in shapes]
    b = [torch.randn(k, n, device=D, dtype=torch.float16) for m, n, k in shapes]
    c = [torch.empty(m, n, device=D, dtype=torch.float16) for m, n, k in shapes]
    where = [torch.tensor([t.data_ptr() for t in ts], device=D) for ts in (a, b, c)]
    grouped_kernel[(3,)](*where, torch.tensor(shapes, dtype=torch.int32, device=D), 3, T=32, K=32)
    for x, y, z in zip(a, b, c):
        close(z.cpu().float(), x.cpu().float() @ y.cpu().float(), 2e-2)


@triton.jit
def persistent_kernel(a, b, c, m, n, k, T: tl.constexpr, K: tl.constexpr):
    across = tl.cdiv(n, T)
    da = tl.make_tensor_descriptor(a, shape=[m, k], strides=[k, 1], block_shape=[T, K])
    db = tl.make_tensor_descriptor(b, shape=[n, k], strides=[k, 1], block_shape=[T, K])
    dc = tl.make_tensor_descriptor(c, shape=[m, n], strides=[n, 1], block_shape=[T, T])
    for tile in tl.range(tl.program_id(0), tl.cdiv(m, T) * across, tl.num_programs(0), flatten=True):
        row, column = tile // across * T, tile % across * T
        acc = tl.zeros((T, T), dtype=tl.float32)
        for i in range(0, k, K):
            acc = tl.dot(da.load([row, i]), db.load([column, i]).T, acc)
        dc.store([row, column], acc.to(tl.float16))


@step
def persistent_matmul():
    triton.set_allocator(lambda size, alignment, stream: torch.empty(size, device=D, dtype=torch.int8))
    m, n, k = 192, 128, 128
    a, b, c = (torch.randn(*s, device=D, dtype=torch.float16) for s in ((m, k), (n, k), (m, n)))
    persistent_kernel[(4,)](a, b, c, m, n, k, T=64, K=64)
    close(c.cpu().float(), a.cpu().float() @ b.cpu().float().t(), 5e-2)


main()
