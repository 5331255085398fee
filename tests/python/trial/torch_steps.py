# SPDX-License-Identifier: Apache-2.0
"""What programs ask of PyTorch's CUDA device: `warpwright run python3 tests/python/trial/torch_steps.py`.  Results are compared with PyTorch's CPU."""
import torch
import torch.nn.functional as F
from steps import close, main, step

D = "cuda"


@step
def device():
    assert torch.cuda.is_available() and torch.cuda.device_count() >= 1
    assert torch.cuda.get_device_properties(0).multi_processor_count > 0 and torch.cuda.get_device_name()
    assert torch.cuda.get_device_capability()[0] >= 7


@step
def copies():
    x = torch.arange(12.0).reshape(3, 4)
    close(x.to(D).cpu(), x)
    close(x.to(D).t().contiguous().cpu(), x.t())
    close(x.to(D).to(torch.int32).to(torch.float64).cpu(), x)
    close(x.pin_memory().to(D, non_blocking=True).cpu(), x)
    y = torch.empty(4, 3, device=D)
    y.t().copy_(x)
    close(y.cpu(), x.t())


@step
def arithmetic():
    x, y = torch.randn(5, 7), torch.randn(7)
    a, b = x.to(D), y.to(D)
    close((a * b + 2).exp().sum(1).cpu(), (x * y + 2).exp().sum(1), 1e-4)
    close((a @ b).cpu(), x @ y)
    a += 1
    close(a.cpu(), x + 1)
    close(torch.add(a, 1, out=torch.empty(0, device=D)).cpu(), x + 2)


@step
def indexing():
    x = torch.arange(10)
    a = x.to(D)
    close(a[a > 5].cpu(), x[x > 5])
    close(a.view(2, 5).t().contiguous().cpu(), x.view(2, 5).t())
    close(a.sort(descending=True)[0].cpu(), x.flip(0))
    close(torch.cat([a, a]).nonzero().cpu(), torch.cat([x, x]).nonzero())
    a[2:4] = -1
    assert a[2].item() == -1 and a.cumsum(0)[-1].item() == 45 - 5 - 2


@step
def factories():
    close(torch.arange(3, 9, 2, device=D).cpu(), [3, 5, 7])
    close(torch.eye(3, device=D).cpu(), torch.eye(3))
    close(torch.full((2, 2), 7, device=D).cpu(), [7] * 4)
    close(torch.linspace(0, 1, 5, device=D).cpu(), torch.linspace(0, 1, 5))
    assert sorted(torch.randperm(9, device=D).tolist()) == list(range(9))


@step
def random():
    torch.cuda.manual_seed(7)
    x = torch.rand(5, device=D).tolist()
    y = torch.rand(5, device=D).tolist()
    torch.cuda.manual_seed(7)
    close(torch.rand(5, device=D), x)
    assert x != y
    assert 0.3 < F.dropout(torch.ones(1000, device=D), 0.5).count_nonzero().item() / 1000 < 0.7


def model():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.LayerNorm(32), torch.nn.Linear(32, 4))


def train(m, x, y):
    o = torch.optim.AdamW(m.parameters(), 1e-2)
    losses = []
    for _ in range(4):
        o.zero_grad()
        loss = F.cross_entropy(m(x), y)
        loss.backward()
        o.step()
        losses.append(loss.item())
    return losses


@step
def training():
    x, y = torch.randn(8, 16), torch.randint(0, 4, (8,))
    close(train(model().to(D), x.to(D), y.to(D)), train(model(), x, y), 1e-4)


@step
def convolution():
    torch.manual_seed(1)
    x = torch.randn(2, 3, 8, 8)
    both = [torch.nn.Sequential(torch.nn.Conv2d(3, 6, 3, padding=1), torch.nn.BatchNorm2d(6), torch.nn.ReLU(),
                                torch.nn.Conv2d(6, 6, 3, groups=6), torch.nn.MaxPool2d(2), torch.nn.ConvTranspose2d(6, 2, 2)) for _ in range(2)]
    both[1].load_state_dict(both[0].state_dict())
    both[1].to(D)
    r, s = both[0](x), both[1](x.to(D))
    r.square().sum().backward()
    s.square().sum().backward()
    close(s.detach().cpu(), r.detach(), 1e-4)
    close(both[1][0].weight.grad.cpu(), both[0][0].weight.grad, 1e-3)


@step
def attention():
    q, k, v = (torch.randn(1, 2, 16, 8) for _ in range(3))
    close(F.scaled_dot_product_attention(q.to(D), k.to(D), v.to(D), is_causal=True).cpu(), F.scaled_dot_product_attention(q, k, v, is_causal=True), 1e-4)


@step
def transformer():
    torch.manual_seed(2)
    m = torch.nn.TransformerEncoderLayer(16, 4, 32, batch_first=True).eval()
    x = torch.randn(2, 5, 16)
    want = m(x).detach()
    close(m.to(D)(x.to(D)).detach().cpu(), want, 1e-4)


@step
def recurrent():
    for kind in (torch.nn.GRU, torch.nn.LSTM):
        torch.manual_seed(3)
        m, x = kind(4, 5), torch.randn(3, 2, 4)
        want = m(x)[0]
        want.square().sum().backward()
        gradient = m.weight_ih_l0.grad.clone()
        m.zero_grad()
        got = m.to(D)(x.to(D))[0]
        got.square().sum().backward()
        close(got.detach().cpu(), want.detach(), 1e-4)
        close(m.weight_ih_l0.grad.cpu(), gradient, 1e-4)


@step
def half_precision():
    x, y = torch.randn(8, 8), torch.randn(8, 8)
    for t in (torch.float16, torch.bfloat16):
        close((x.to(D, t) @ y.to(D, t)).float().cpu(), x @ y, 0.1)
    with torch.autocast("cuda", torch.bfloat16):
        assert (x.to(D) @ y.to(D)).dtype is torch.bfloat16


@step
def complex_numbers():
    x = torch.randn(8)
    close(torch.view_as_real(torch.fft.rfft(x.to(D))).cpu(), torch.view_as_real(torch.fft.rfft(x)))
    z = torch.randn(4, dtype=torch.complex64)
    close(torch.view_as_real((z.to(D).conj() * 2).resolve_conj()).cpu(), torch.view_as_real((z.conj() * 2).resolve_conj()))


@step
def linear_algebra():
    x = torch.randn(4, 4)
    x = x @ x.t() + torch.eye(4)
    close(torch.linalg.cholesky(x.to(D)).cpu(), torch.linalg.cholesky(x), 1e-4)
    close(torch.linalg.svdvals(x.to(D)).cpu(), torch.linalg.svdvals(x), 1e-4)
    close(torch.linalg.solve(x.to(D), torch.ones(4, device=D)).cpu(), torch.linalg.solve(x, torch.ones(4)), 1e-3)


@step
def streams():
    s, e = torch.cuda.Stream(), torch.cuda.Event(enable_timing=True)
    with torch.cuda.stream(s):
        x = torch.ones(4, device=D) * 3
        e.record()
    torch.cuda.current_stream().wait_event(e)
    close(x.cpu(), [3] * 4)
    e.synchronize()
    assert e.query() and torch.cuda.memory_allocated() >= 0


@step
def printing():
    assert "cuda:0" in str(torch.arange(3, device=D)) and "0.5" in str(torch.full((2,), 0.5, device=D))


@step
def graph_is_refused():
    g = torch.cuda.CUDAGraph()
    x = torch.zeros(4, device=D)
    try:
        with torch.cuda.graph(g):
            x + 1
    except RuntimeError as e:
        assert "graph" in str(e) or "graph" in str(e.__context__)
    else:
        raise AssertionError("an operation of PyTorch's own was captured")


main()
