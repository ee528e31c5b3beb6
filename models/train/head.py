"""From the student's features to the shared space, and the name vectors in it.

A linear code per teacher (170 + 170 + 172 numbers), each scaled to unit length, weighed by a small gate, and laid side by side:
v = 10 * [w0 u0, w1 u1, w2 u2]. A name of a list lies in that list's block alone, so that within a list only its code decides and
between lists only the gate does; a name that only the photographs show lies in all three. Score: tau * cos(v, name).

The gate sees the codes, and how well each list's own names fit them (its best two cosines, the logarithm of its summed
exponentials, and what share of ImageNet's goes to birds, insects, other organisms and things): few numbers, which mean the same
on photos that nothing was fitted to.
"""
import torch
import torch.nn as nn
import torch.nn.functional as F

from student import FEATURES
from teacher import BACKGROUND, CLASSES, LISTS, OFFSET

BLOCKS = (170, 170, 172)
START = (0, 170, 340)
DIM = sum(BLOCKS)
NORM = 10.0  # mean length of an embedding, as CLIP's
KINDS = 4    # Catalogue.kind
FIT = 3 * len(LISTS) + KINDS  # numbers of Head.fit
FIT_TAU = 20.0
OUTSIDE = -99.0
DROP = 0.3   # share of the gate's inputs and of its hidden units that a step leaves out


class Head(nn.Module):
    """features: 3 x [n,1280] -> embeddings [n,512]. `extra`: how many names the photographs add to the teachers'; `kind`: of each
    ImageNet name (Catalogue.kind), where the head is new."""

    def __init__(self, extra: int, hidden: int = 96, kind=None):
        super().__init__()
        self.code = nn.ModuleList(nn.Linear(FEATURES, d) for d in BLOCKS)
        self.table = nn.ParameterList(nn.Parameter(torch.zeros(c, d)) for c, d in zip(CLASSES, BLOCKS))
        self.extra = nn.Parameter(torch.zeros(extra, DIM))
        self.gate = nn.Sequential(nn.Linear(DIM + len(LISTS) + FIT, hidden), nn.ReLU(), nn.Dropout(DROP), nn.Linear(hidden, len(LISTS)))
        self.log_tau = nn.Parameter(torch.full((len(LISTS) + 1,), 3.0))  # within each list, and over all names
        self.register_buffer("scale", torch.ones(()))
        kind = torch.zeros(CLASSES[2]) if kind is None else torch.as_tensor(kind)
        outside = torch.stack([torch.where(kind == k, 0.0, OUTSIDE) for k in range(KINDS)])
        outside[:, BACKGROUND[2]] = OUTSIDE
        self.register_buffer("outside", outside)  # added to ImageNet's scores, leaves one kind's
        self.floor = 0.15  # least weight of a block: no list is ever silenced

    def codes(self, features) -> list[torch.Tensor]:
        return [linear(x) for linear, x in zip(self.code, features)]

    def fit(self, unit) -> torch.Tensor:
        """unit codes -> [n,13]: how well the lists' names fit, on scales near one"""
        out = []
        for j, u in enumerate(unit):
            table = self.table[j][1:] if BACKGROUND[j] == 0 else self.table[j][:-1]
            cos = u @ F.normalize(table, dim=1).T
            out += [cos.topk(2, dim=1)[0] * 4, torch.logsumexp(FIT_TAU * cos, 1, keepdim=True) / 4 - 1]
        score = F.log_softmax(FIT_TAU * cos, 1)
        return torch.cat([*out, *(torch.logsumexp(score + o[1:], 1, keepdim=True) / 3 for o in self.outside)], 1)

    def gated(self, codes) -> torch.Tensor:
        length = [c.norm(dim=1, keepdim=True).clamp(min=1e-6) for c in codes]
        unit = [c / n for c, n in zip(codes, length)]
        seen = F.dropout(torch.cat([u * 8 for u in unit], 1), DROP, self.training)
        weight = self.floor + F.softplus(self.gate(torch.cat([seen, *(n.log() for n in length), self.fit(unit)], 1)))
        return torch.cat([u * weight[:, j:j + 1] for j, u in enumerate(unit)], 1) * self.scale

    def forward(self, features) -> torch.Tensor:
        return self.gated(self.codes(features))

    def names(self) -> torch.Tensor:
        """unit rows [2988 + extra, 512]"""
        blocks = [F.pad(F.normalize(t, dim=1), (s, DIM - s - t.shape[1])) for t, s in zip(self.table, START)]
        return torch.cat([*blocks, F.normalize(self.extra, dim=1)])


def regress(head: Head, j: int, features: torch.Tensor, logits: torch.Tensor, ridge: float = 0.01) -> None:
    """Codes and names of list j by reduced-rank regression of the teacher's logits on the student's features
    (A. J. Izenman, "Reduced-rank regression for the multivariate linear model", 1975): the best rank-170 linear map."""
    x, y, rank = features.double(), logits.double(), BLOCKS[j]
    mean = x.mean(0)
    x = x - mean
    y = y - y.mean(1, keepdim=True)
    y = y - y.mean(0)
    gram = x.T @ x
    damped = gram + torch.eye(len(gram), dtype=gram.dtype) * ridge * gram.diagonal().mean()
    full = torch.linalg.solve(damped, x.T @ y)
    variance, axes = torch.linalg.eigh(full.T @ gram @ full / len(x))
    variance, axes = variance[-rank:].flip(0).clamp(min=1e-9), axes[:, -rank:].flip(1)
    root = variance.pow(0.25)  # half of each axis' weight goes to the codes, half to the names
    code = (full @ axes) / root
    code = code / ((x @ code) ** 2).sum(1).mean().sqrt()
    head.code[j].weight.data, head.code[j].bias.data = code.T.float(), -(mean @ code).float()
    head.table[j].data = (axes * root).float()


class Targets:
    """What the heads are fitted to. member: bool [photos, names], the names right for each photo (all False: unlabelled). listed: the
    same over the lists' names alone, for a photo that no list names all names of the list that would. home: bool [photos, 3], the lists that can name it. logits: the teachers', [photos, 2988], or None. trust: float per photo,
    the weight of its label. kind: Catalogue.kind."""

    def __init__(self, member, home, logits, trust, kind):
        self.member, self.home, self.logits, self.trust = member, home, logits, trust
        self.listed = member[:, :sum(CLASSES)].clone()
        for i in torch.where(member.any(1) & ~self.listed.any(1))[0].tolist():
            for j in torch.where(home[i])[0].tolist():
                self.listed[i, OFFSET[j]:OFFSET[j] + CLASSES[j]] = True
        self.kind = torch.as_tensor(kind).long()

    def union(self, rows: torch.Tensor) -> torch.Tensor:
        """The teachers' probabilities over all names at once: ImageNet's mass on birds and insects goes to the lists that know them;
        a list that cannot name the photo, by its label, gets next to none."""
        p = [y.softmax(1) for y in self.logits[rows].split(CLASSES, 1)]
        last = self.kind[OFFSET[2]:OFFSET[2] + CLASSES[2]]
        mass = [p[2][:, last == j].sum(1, keepdim=True) * (1 - p[j][:, BACKGROUND[j]:BACKGROUND[j] + 1]) for j in (0, 1)]
        p = [mass[0] * p[0], mass[1] * p[1], torch.where(last < 2, 0.05, 1.0) * p[2]]
        for x, b in zip(p, BACKGROUND):
            x[:, b] = 0
        home = 0.01 + self.home[rows].float()
        joined = torch.cat([x * home[:, j:j + 1] for j, x in enumerate(p)], 1) + 1e-7
        return joined / joined.sum(1, keepdim=True)


def restricted(head: Head, j: int, code: torch.Tensor, logits: torch.Tensor) -> torch.Tensor:
    """KL from the teacher to the student over one list's names, its background left out of both"""
    p = logits.softmax(1)
    weight = 0.2 + 0.8 * (1 - p[:, BACKGROUND[j]]) if j < 2 else torch.ones(len(p))
    q = logits.clone()
    q[:, BACKGROUND[j]] = -99
    score = head.log_tau[j].exp() * F.normalize(code, dim=1) @ F.normalize(head.table[j], dim=1).T
    return (weight * F.kl_div(F.log_softmax(score, 1), q.softmax(1), reduction="none").sum(1)).mean()


def labelled(log_p: torch.Tensor, member: torch.Tensor, trust: torch.Tensor) -> torch.Tensor:
    """-log of the probability that falls on any of the right names"""
    right = torch.logsumexp(log_p.masked_fill(~member, -30.0), 1)
    use = member.any(1).float() * trust
    return -(right * use).sum() / use.sum().clamp(min=1)


def tune(head: Head, views: list, targets: Targets, background: list[int], steps: int, rate: float = 1.0, batch: int = 384,
         seed: int = 0, log=print) -> Head:
    """All parts together, by gradient: within each list to the teacher, over all names to the teachers' union and the labels.

    views: feature tensors float16 [photos,3,1280], one for each way of looking at the photos (whole, mirrored, ...). Without the
    teachers' logits the codes and the lists' names stay as they are: labels alone would forget the names that no photo bears."""
    generator = torch.Generator().manual_seed(seed)
    groups = [([head.extra], 4e-3), (head.gate.parameters(), 2e-3), ([head.log_tau], 0.01)]
    head.code.requires_grad_(targets.logits is not None)
    head.table.requires_grad_(targets.logits is not None)
    if targets.logits is not None:
        groups += [(head.code.parameters(), 4e-5), (head.table.parameters(), 4e-3 * float(torch.cat([t.flatten() for t in head.table]).std()))]
    head.train()
    optimiser = torch.optim.Adam([dict(params=list(p), lr=lr * rate, base=lr * rate) for p, lr in groups], betas=(0.9, 0.98))
    blocked, n = torch.zeros(len(targets.kind)).index_fill(0, torch.tensor(background), -99.0), len(views[0])
    for step in range(steps):
        for group in optimiser.param_groups:
            group["lr"] = group["base"] * min(1, (step + 1) / 30) * (0.02 + 0.98 * (1 - step / steps))
        rows = torch.randint(n, (batch,), generator=generator)
        view = views[int(torch.randint(len(views), (1,), generator=generator))]
        codes = head.codes(view[rows].float().unbind(1))
        table = head.names()
        score = head.log_tau[3].exp() * F.normalize(head.gated(codes), dim=1) @ table.T + blocked
        known = F.log_softmax(score[:, :sum(CLASSES)], 1)
        loss = labelled(F.log_softmax(score, 1), targets.member[rows], targets.trust[rows])
        loss = loss + labelled(known, targets.listed[rows], targets.trust[rows])
        if targets.logits is not None:
            part = targets.logits[rows].float().split(CLASSES, 1)
            loss = loss + sum(restricted(head, j, codes[j], part[j]) for j in range(3))
            loss = loss + 0.5 * F.kl_div(known, targets.union(rows).float(), reduction="batchmean")
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if step % 200 == 0 or step == steps - 1:
            log(f"step {step} loss {loss.item():.3f} tau {[round(t.exp().item(), 1) for t in head.log_tau]}")
    head.eval()
    with torch.no_grad():
        length = torch.cat([head([x.float() for x in views[0][i:i + 512].unbind(1)]).norm(dim=1) for i in range(0, n, 512)])
        head.scale.mul_(NORM / length.mean())
    return head
