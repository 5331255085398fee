# SPDX-License-Identifier: Apache-2.0
"""The recurrent cells that PyTorch fuses on CUDA only, composed of its other operations.  Forward and backward are both here, so what is kept between
them (the workspace) is ours: the gates after their functions.

LSTM (gates i, f, g, o):  c' = f c + i g,  h' = o tanh(c')
GRU  (gates r, z, n):     n = tanh(xn + r hn),  h' = n + z (h - n)"""


def with_bias(gates, bias):
    return gates if bias is None else gates + bias


def lstm(torch):
    def forward(input_gates, hidden_gates, cx, input_bias=None, hidden_bias=None):
        i, f, g, o = (with_bias(input_gates, input_bias) + with_bias(hidden_gates, hidden_bias)).chunk(4, 1)
        i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
        cy = f * cx + i * g
        return o * cy.tanh(), cy, torch.cat((i, f, g, o), 1)

    return forward


def lstm_backward(torch):
    def backward(grad_hy, grad_cy, cx, cy, workspace, has_bias):
        i, f, g, o = workspace.chunk(4, 1)
        t = cy.tanh()
        dh = torch.zeros_like(cy) if grad_hy is None else grad_hy
        dc = dh * o * (1 - t * t)
        dc = dc if grad_cy is None else dc + grad_cy
        gates = torch.cat((dc * g * i * (1 - i), dc * cx * f * (1 - f), dc * i * (1 - g * g), dh * t * o * (1 - o)), 1)
        return gates, dc * f, gates.sum(0) if has_bias else None

    return backward


def gru(torch):
    def forward(input_gates, hidden_gates, hx, input_bias=None, hidden_bias=None):
        ir, iz, xn = with_bias(input_gates, input_bias).chunk(3, 1)
        hr, hz, hn = with_bias(hidden_gates, hidden_bias).chunk(3, 1)
        r, z = (ir + hr).sigmoid(), (iz + hz).sigmoid()
        n = (xn + r * hn).tanh()
        return n + z * (hx - n), torch.cat((r, z, n, hx, hn), 1)

    return forward


def gru_backward(torch):
    def backward(grad_hy, workspace, has_bias):
        r, z, n, hx, hn = workspace.chunk(5, 1)
        dn = grad_hy * (1 - z) * (1 - n * n)
        dz = grad_hy * (hx - n) * z * (1 - z)
        dr = dn * hn * r * (1 - r)
        input_gates, hidden_gates = torch.cat((dr, dz, dn), 1), torch.cat((dr, dz, dn * r), 1)
        return (input_gates, hidden_gates, grad_hy * z, input_gates.sum(0) if has_bias else None, hidden_gates.sum(0) if has_bias else None)

    return backward


COMPOSED = {  # an operator: what makes its replacement
    "_thnn_fused_lstm_cell": lstm,
    "_thnn_fused_lstm_cell_backward_impl": lstm_backward,
    "_thnn_fused_gru_cell": gru,
    "_thnn_fused_gru_cell_backward": gru_backward,
}
