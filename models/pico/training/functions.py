"""Parts of the model with hand-written gradients. They move less memory than autograd would.

`kind` is the type of the inputs of matrix products. Everything else is float32.
"""

import torch

EPSILON = 1e-6


class Linear(torch.autograd.Function):
    """x @ weight.T. The product is computed in the type of x and returned as float32."""

    @staticmethod
    def forward(ctx, x, weight):
        weight = weight.to(x.dtype)
        ctx.save_for_backward(x, weight)
        return (x @ weight.t()).float()

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        grad = grad.to(x.dtype)
        return grad @ weight, (grad.t() @ x).float()


class RmsNorm(torch.autograd.Function):
    """x divided by the root of its mean square, times a weight, returned as `kind`."""

    @staticmethod
    def forward(ctx, x, weight, kind):
        scale = torch.linalg.vector_norm(x, dim=-1, keepdim=True).pow_(2).div_(x.shape[-1]).add_(EPSILON).rsqrt_()
        normal = x * scale
        ctx.save_for_backward(normal, scale, weight)
        return (normal * weight).to(kind)

    @staticmethod
    def backward(ctx, grad):
        normal, scale, weight = ctx.saved_tensors
        grad = grad.float()
        own = grad * normal
        inner = grad * weight
        share = (own @ weight[:, None]).div_(normal.shape[-1])
        return inner.addcmul_(normal, share, value=-1).mul_(scale), own.sum(0), None


class SwiGlu(torch.autograd.Function):
    """silu(gate) * up, returned as `kind`."""

    @staticmethod
    def forward(ctx, gate_up, kind):
        gate, up = gate_up.chunk(2, -1)
        chance = torch.sigmoid(gate)
        silu = gate * chance
        ctx.save_for_backward(up, chance, silu)
        return (silu * up).to(kind)

    @staticmethod
    def backward(ctx, grad):
        up, chance, silu = ctx.saved_tensors
        grad = grad.float()
        out = torch.empty(*grad.shape[:-1], 2 * grad.shape[-1])
        to_gate, to_up = out.chunk(2, -1)
        torch.mul(grad, silu, out=to_up)
        # The slope of silu: chance + silu * (1 - chance).
        torch.addcmul(chance + silu, silu, chance, value=-1, out=to_gate)
        to_gate.mul_(up).mul_(grad)
        return out, None


class Attention(torch.autograd.Function):
    """Softmax attention with an additive `bias`. `qkv` is (rows, length, 3, heads, size); query and key get rotated."""

    @staticmethod
    def forward(ctx, qkv, turn, bias, kind):
        rows, length, _, heads, size = qkv.shape
        query_key = rotate(qkv[:, :, :2], turn)
        query_key[:, :, 0].mul_(size**-0.5)
        parts = (query_key[:, :, 0], query_key[:, :, 1], qkv[:, :, 2])
        query, key, value = (
            part.transpose(1, 2).to(kind, memory_format=torch.contiguous_format).reshape(-1, length, size)
            for part in parts)
        scores = torch.bmm(query, key.transpose(1, 2)).float()
        scores.view(rows, heads, length, length).add_(bias)
        chances = torch.softmax(scores, -1)
        low = chances.to(kind)
        ctx.save_for_backward(query, key, value, chances, low, turn)
        ctx.shape = qkv.shape
        return torch.bmm(low, value).view(rows, heads, length, size).transpose(1, 2).reshape(-1, heads * size)

    @staticmethod
    def backward(ctx, grad):
        query, key, value, chances, low, turn = ctx.saved_tensors
        rows, length, _, heads, size = ctx.shape
        grad = grad.view(rows, length, heads, size).transpose(1, 2).reshape(-1, length, size)
        to_value = torch.bmm(low.transpose(1, 2), grad)
        to_chances = torch.bmm(grad, value.transpose(1, 2)).float()
        to_scores = torch._softmax_backward_data(to_chances, chances, -1, torch.float32).to(low.dtype)
        out = torch.empty(ctx.shape)
        sides = (torch.bmm(to_scores, key), torch.bmm(to_scores.transpose(1, 2), query), to_value)
        for index, side in enumerate(sides):
            out[:, :, index] = side.view(rows, heads, length, size).transpose(1, 2)
        out[:, :, 0] *= size**-0.5
        out[:, :, :2] = rotate(out[:, :, :2], turn.conj())
        return out, None, None, None


def rotate(x, turn):
    """Llama's rotary embedding, which rotates neighbouring dimensions in pairs."""
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * turn).flatten(-2)
