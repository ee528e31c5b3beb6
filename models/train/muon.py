"""Muon for dense convolutions: momentum, then the nearest orthogonal matrix (K. Jordan, "Muon", 2024)."""
import torch
import torch.nn as nn
import torch.nn.functional as F

STEPS = 5
QUINTIC = (3.4445, -4.775, 2.0315)  # Jordan's Newton-Schulz coefficients


def orthogonal(u: torch.Tensor) -> torch.Tensor:
    """u [r,c] -> about U V^T of its singular value decomposition; the iteration runs on the smaller Gram matrix"""
    turned = u.shape[0] > u.shape[1]
    u = (u.T if turned else u).contiguous()
    u = u / (u.norm() + 1e-7)
    a, b, c = QUINTIC
    gram, product = multiply(u, u.T.contiguous()), None
    eye = a * torch.eye(len(u), device=u.device)
    for k in range(STEPS):
        p = eye + b * gram + c * multiply(gram, gram)
        product = p if product is None else multiply(p, product)
        if k < STEPS - 1:
            gram = multiply(multiply(p, gram), p)
    u = multiply(product, u)
    return u.T if turned else u


def multiply(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """a @ b; as a 1x1 convolution where a CPU's convolutions are faster than its plain products"""
    if a.is_cuda or len(a) < 200:
        return a @ b
    return F.conv1d(b[None], a[:, :, None])[0]


class Muon(torch.optim.Optimizer):
    """lr is a weight's change in a step relative to its norm. every: each matrix moves in every n-th step only (half as dear on a
    CPU). scaled: ids of the weights whose norm is held (see hold)."""

    def __init__(self, weights, lr: float, momentum: float = 0.95, every: int = 1, scaled: frozenset = frozenset()):
        super().__init__(weights, dict(lr=lr, momentum=momentum))
        self.every, self.scaled, self.count = every, scaled, 0

    @torch.no_grad()
    def step(self):
        self.count += 1
        for group in self.param_groups:
            for i, p in enumerate(group["params"]):
                m = self.state[p].setdefault("m", torch.zeros_like(p))
                m.lerp_(p.grad, 1 - group["momentum"])
                if (self.count + i) % self.every:
                    continue
                u = orthogonal(p.grad.lerp(m, group["momentum"]).reshape(len(p), -1).float())
                p.add_(u.reshape(p.shape).to(p.dtype), alpha=-group["lr"] * max(1, len(p) / p[0].numel()) ** 0.5)
                if id(p) in self.scaled:
                    p.mul_(len(p) ** 0.5 / p.norm())


def normed(net: nn.Module):
    """(convolution, its batch norm) for every dense convolution that is directly before one: its scale means nothing"""
    for m in net.modules():
        if isinstance(m, nn.Sequential):
            for conv, norm in zip(m, list(m)[1:]):
                if isinstance(conv, nn.Conv2d) and isinstance(norm, nn.BatchNorm2d) and conv.groups == 1:
                    yield conv, norm


@torch.no_grad()
def hold(net: nn.Module, optimisers=()) -> frozenset:
    """Brings every such weight to norm sqrt(rows), with the running statistics and the optimisers' moments, and returns their ids.
    Left alone these norms grow, six to nine times in the first hour, and the steps shrink with them."""
    ids = set()
    for conv, norm in normed(net):
        w = conv.weight
        r = w.norm() / len(w) ** 0.5
        w.div_(r)
        norm.running_mean.div_(r)
        norm.running_var.div_(r * r)
        ids.add(id(w))
        for o in optimisers:
            for name, value in o.state.get(w, {}).items():
                if name in ("m", "exp_avg"):
                    value.mul_(r)
                elif name == "exp_avg_sq":
                    value.mul_(r * r)
    return frozenset(ids)
