import torch

MOMENTUM = 0.95
WEIGHT_DECAY = 0.05


class Muon(torch.optim.Optimizer):
    """Momentum whose steps are made orthogonal (K. Jordan, 2024). `parts` of a matrix are matrices of their own."""

    def step(self):
        for group in self.param_groups:
            for parameter in group["params"]:
                state = self.state[parameter]
                if not state:
                    state["momentum"] = torch.zeros_like(parameter)
                momentum = state["momentum"].mul_(MOMENTUM).add_(parameter.grad)
                step = parameter.grad.add(momentum, alpha=MOMENTUM)
                rows, columns = step.shape
                parts = group["parts"]
                step = orthogonal(step.view(parts, -1, columns)).reshape(rows, columns)
                scale = max(1, rows / parts / columns) ** 0.5
                parameter.data.mul_(1 - group["lr"] * WEIGHT_DECAY).add_(step, alpha=-group["lr"] * scale)


def orthogonal(matrices):
    """Nearly the orthogonal matrix nearest to each one, by Newton-Schulz steps."""
    tall = matrices.shape[1] > matrices.shape[2]
    x = matrices.transpose(1, 2) if tall else matrices
    x = (x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)).bfloat16().contiguous()
    for _ in range(5):
        square = torch.bmm(x, x.transpose(1, 2))
        x = 3.4445 * x + torch.bmm(-4.775 * square + 2.0315 * torch.bmm(square, square), x)
    return (x.transpose(1, 2) if tall else x).float()
