"""Distils the three teachers into one student, with hints at every stage. CPU (torch 1.13) or CUDA (2.x); see README.md.

Teachers run on the student's very view. Targets are their maps at strides 8, 16 and 32 (channels normalised, squared error), their
pooled features (the same) and their logits (squared error and KL divergence through the teacher's own last layer). At first every
stage is fed the teacher's map, so that all stages learn at once; the share of samples that are fed the student's own goes 0 -> 1
between --own0 and --own1 of the schedule. Stop it at any time: --resume goes on from the last save.
"""
import argparse
import copy
import os
import time
from pathlib import Path

import torch
import torch.nn.functional as F

import student
from muon import Muon, hold
from teacher import LISTS, Teacher
from views import Photos

STRIDES = (8, 16, 32)
SAVE_SECONDS, LOG_SECONDS = 150, 30
FIRST = 8  # batches in the pool before the first step
cat = torch.cat


def arguments():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--packs", required=True, help="PACK:share,PACK:share")
    p.add_argument("--teachers", default="../shared/data/teachers")
    p.add_argument("--out", default="run")
    p.add_argument("--minutes", type=float, default=45, help="length of the schedule")
    p.add_argument("--stop", type=float, default=0, help="leave after this many minutes of this process")
    p.add_argument("--resume", action="store_true")
    p.add_argument("--init", default="", help="start from a snapshot of ours (then also --own0 -1 --own1 0)")
    p.add_argument("--size", type=int, default=128)
    p.add_argument("--tsize", type=int, default=0, help="the teachers' size, if larger")
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--replay", type=int, default=2, help="steps for each fresh teacher batch")
    p.add_argument("--pool", type=int, default=8192, help="views kept for replay")
    p.add_argument("--apart", action="store_true", help="CPU: a second process fills the pool; one thread each")
    p.add_argument("--lr", type=float, default=0.02, help="Muon, dense convolutions")
    p.add_argument("--alr", type=float, default=3e-3, help="AdamW, the rest")
    p.add_argument("--ema", type=float, default=0.998)
    p.add_argument("--hint", type=float, default=0.3, help="weight of the maps at the end")
    p.add_argument("--own0", type=float, default=0.04)
    p.add_argument("--own1", type=float, default=0.3)
    p.add_argument("--tails", default="", help="with --init: only these lists' tails learn, from the stem as it is (a quarter of the work)")
    p.add_argument("--favour", default="", help="SET,SET=FACTOR: draw these sets' photos more often")
    p.add_argument("--arch", default="", help="of the student, such as w1=128,n8=3,n2=3")
    p.add_argument("--threads", type=int, default=0)
    p.add_argument("--seed", type=int, default=0)
    return p.parse_args()


def clamp(x: float) -> float:
    return min(1.0, max(0.0, x))


class Teachers:
    """views at the teachers' size -> normalised targets: the cuts on the student's grid, side by side, and pooled features"""

    def __init__(self, folder: str, lists: list[int], size: int, tsize: int, batch: int, device: str):
        self.lists, self.size, self.half = lists, size, device == "cuda"
        self.nets, self.last = [], []
        for name in (LISTS[j] for j in lists):
            net = Teacher(os.path.join(folder, name + "_u8.onnx")).eval().to(device, memory_format=torch.channels_last)
            self.last.append(net.fc)
            if self.half:
                net.convs.half()
            else:
                example = torch.rand(batch, 3, tsize, tsize).contiguous(memory_format=torch.channels_last)
                torch.jit.enable_onednn_fusion(True)
                with torch.no_grad():
                    net = torch.jit.freeze(torch.jit.trace(net, example))
            self.nets.append(net)
        self.norm = None

    @torch.no_grad()
    def raw(self, x):
        maps, out = [net(x.half() if self.half else x) for net in self.nets], []
        for k, stride in enumerate(STRIDES):
            joined, side = cat([m[k] for m in maps], 1).float(), self.size // stride
            if joined.shape[2] != side:
                joined = F.interpolate(joined, size=(side, side), mode="bilinear", align_corners=False, antialias=True)
            out.append(joined)
        return out + [cat([m[3] for m in maps], 1).float()]

    def measure(self, batches: list) -> None:
        """per channel mean and deviation of every target, and the variance of each teacher's logits"""
        mean, deviation, spread = [], [], []
        for k in range(4):
            z = cat([b[k] for b in batches])
            over = (0, 2, 3) if z.dim() == 4 else 0
            mean.append(z.mean(over))
            deviation.append(z.std(over) + (0.02 if k == 3 else 1e-3))
        for fc, f in zip(self.last, cat([b[3] for b in batches]).chunk(len(self.lists), 1)):
            y = fc(f)
            spread.append((y - y.mean(1, keepdim=True)).var().item())
        self.norm = mean, deviation, spread

    def use(self, norm: tuple) -> None:
        """all three lists' normalisation, as a snapshot has it"""
        ours = lambda v: cat([v.chunk(len(LISTS))[j] for j in self.lists])
        mean, deviation, spread = norm
        self.norm = [ours(v) for v in mean], [ours(v) for v in deviation], [spread[j] for j in self.lists]

    def normalise(self, targets: list) -> list:
        shape = lambda v, z: v.view(1, -1, *[1] * (z.dim() - 2))
        out = [(z - shape(m, z)) / shape(s, z) for z, m, s in zip(targets, *self.norm[:2])]
        return [z.contiguous(memory_format=torch.channels_last) if z.dim() == 4 else z for z in out]


class Source:
    """(views, targets), fresh every --replay steps; with replay, drawn from a pool of recent views (images in 8 bits, maps in 16)"""

    def __init__(self, photos: Photos, teachers: Teachers, a, device: str):
        self.photos, self.teachers, self.a, self.device = photos, teachers, a, device
        self.stem = None  # where it is frozen: what is kept of a view is its map, not its pixels
        self.pool, self.blocks = None, a.pool // a.batch
        self.put, self.taken = torch.zeros(2, dtype=torch.int64).unbind()  # batches that went in, and out
        self.apart = False

    def view(self):
        a, tsize = self.a, max(self.a.tsize, self.a.size)
        x = self.photos.batch(a.batch, tsize)
        targets = self.teachers.raw(x)
        if tsize != a.size:
            x = F.interpolate(x, size=(a.size, a.size), mode="bilinear", align_corners=False, antialias=True)
        return x, targets

    @torch.no_grad()
    def _packed(self) -> list:
        x, targets = self.view()
        x = self.stem(x).half() if self.stem else x.mul(255).round().byte()
        return [x] + [z.clamp(-30, 30).half() for z in self.teachers.normalise(targets)]

    def _put(self) -> None:
        new = self._packed()
        if self.pool is None:
            self.pool = [torch.zeros((self.blocks,) + z.shape, dtype=z.dtype, device=self.device) for z in new]
        block = int(self.put) % self.blocks
        for kept, z in zip(self.pool, new):
            kept[block] = z
        self.put += 1

    def leave(self) -> None:
        """From here on a process of its own fills the pool, in shared memory, with at most one batch for every --replay that are taken.
        Two threads of one process wait for each other at every layer, and beside other work that costs most of their time."""
        self._put()
        for z in (*self.pool, self.put, self.taken):
            z.share_memory_()
        self.apart = True
        if os.fork() == 0:
            torch.manual_seed(self.a.seed + 1 + int(time.time()))
            parent = os.getppid()
            while os.getppid() == parent:
                self._put() if self.put < FIRST + self.taken // self.a.replay else time.sleep(0.01)
            os._exit(0)

    def batch(self, step: int):
        if self.a.replay <= 1 and not self.apart:
            x, targets = self.view()
            return x, self.teachers.normalise(targets)
        while self.apart and self.put < FIRST:
            time.sleep(0.1)
        for _ in range(0 if self.apart else FIRST if not self.put else 1 if step % self.a.replay == 0 else 0):
            self._put()
        self.taken += 1
        image, *maps, pooled = self._draw()
        layout = lambda z: z.float().contiguous(memory_format=torch.channels_last)
        return layout(image) / (1 if self.stem else 255), [layout(z) for z in maps] + [pooled.float()]

    def _draw(self) -> list:
        """a batch from all blocks but the one that is being written"""
        put, blocks = int(self.put), self.blocks
        whole, writing = min(put, blocks), put % blocks
        block = torch.randint(whole - (put >= blocks), (self.a.batch,), device=self.device)
        block = block + (block >= writing) * int(put >= blocks)
        row = torch.randint(self.a.batch, (self.a.batch,), device=self.device)
        return [z[block, row] for z in self.pool]


def losses(out, targets, teachers: Teachers) -> list:
    """stride 8 (where the stem learns), 16, 32, pooled, logits, KL: each a mean over the teachers"""
    y8, y16, y32, pooled = out
    count, (means, deviations, spreads) = len(teachers.lists), teachers.norm
    square = lambda y, t: (y.float() - t).pow(2).mean()
    each = lambda ys, t: sum(map(square, ys, t.chunk(count, 1))) / count
    total = [y16[0].new_zeros(()) if y8 is None else square(y8, targets[0]), each(y16, targets[1]), each(y32, targets[2]), 0, 0, 0]
    parts = zip(teachers.last, pooled, targets[3].chunk(count, 1), means[3].chunk(count), deviations[3].chunk(count), spreads)
    for fc, f, t, mean, deviation, spread in parts:
        f = f.float()
        total[3] += square((f - mean) / deviation, t) / count
        p, q = fc(f), fc(t * deviation + mean)
        total[4] += square(p - p.mean(1, keepdim=True), q - q.mean(1, keepdim=True)) / spread / count
        total[5] += F.kl_div(F.log_softmax(p, 1), F.softmax(q, 1), reduction="batchmean") / count
    return total


def freeze(net: student.Student, learning: list[int]) -> None:
    """the stem and all tails but these stay as they are, the statistics of their norms with them"""
    net.eval().requires_grad_(False)
    for j in learning:
        net.tails[j].train().requires_grad_(True)


class Run:
    """the student, its moving average, its optimisers, and where the schedule stands"""

    def __init__(self, a, teachers: Teachers, device: str):
        self.a, self.teachers, self.device, self.norm = a, teachers, device, teachers.norm
        net = student.Student(**student.eval_arch(a.arch)).to(device, memory_format=torch.channels_last).train()
        if a.init:
            snap = torch.load(a.init, map_location=device)
            net.load_state_dict({k: v.float() if v.is_floating_point() else v for k, v in snap["ema"].items()})
            self.norm = snap["norm"]
        if a.tails:
            freeze(net, teachers.lists)
        self.net, self.ema = net, copy.deepcopy(net).eval()
        dense = [m.weight for name, m in net.named_modules() if isinstance(m, torch.nn.Conv2d) and m.groups == 1
                 and not name.endswith("last.0") and m.weight.requires_grad]
        ids, cuda = {id(p) for p in dense}, device == "cuda"
        adam = torch.optim.AdamW([p for p in net.parameters() if p.requires_grad and id(p) not in ids], lr=a.alr, weight_decay=0.01, betas=(0.9, 0.99))
        muon = Muon(dense, a.lr * (1 if cuda else 1.5), every=1 if cuda else 2)
        self.optimisers, self.base = [adam, muon], [a.alr, muon.param_groups[0]["lr"]]
        self.step, self.done, self.began = 0, 0.0, time.time()
        self.path = Path(a.out, "last.pt")
        if a.resume and self.path.exists():
            self._restore(torch.load(self.path, map_location=device))
        teachers.use(self.norm)
        muon.scaled = hold(net, self.optimisers)
        hold(self.ema)

    def _restore(self, kept: dict) -> None:
        self.net.load_state_dict(kept["net"])
        self.ema.load_state_dict(kept["ema"])
        for o, state in zip(self.optimisers, kept["opts"]):
            o.load_state_dict(state)
        self.step, self.done, self.norm = kept["step"], kept["done"], kept["norm"]

    @property
    def seconds(self) -> float:
        return self.done + time.time() - self.began

    def save(self) -> None:
        """last.pt, to go on from, and snapNNN.pt (minutes): the averaged weights alone, in 16 bits"""
        common = dict(step=self.step, norm=self.norm, args=vars(self.a))
        whole = dict(net=self.net.state_dict(), ema=self.ema.state_dict(), opts=[o.state_dict() for o in self.optimisers], done=self.seconds)
        torch.save({**common, **whole}, f"{self.path}.new")
        os.replace(f"{self.path}.new", self.path)
        small = {k: v.half() if v.is_floating_point() else v for k, v in self.ema.state_dict().items()}
        torch.save({**common, "ema": small, "minutes": self.seconds / 60}, Path(self.a.out, f"snap{round(self.seconds / 60):03d}.pt"))

    def rates(self, fraction: float) -> float:
        """warm up over 1 % of the schedule, from 25 % on down to nothing"""
        rate = min(1, fraction / 0.01 + 0.05) * min(1, max(0.005, (1 - fraction) / 0.75))
        for o, base in zip(self.optimisers, self.base):
            o.param_groups[0]["lr"] = base * rate
        return rate

    def learn(self, x, targets, fraction: float) -> list:
        a = self.a
        own = clamp((fraction - a.own0) / (a.own1 - a.own0))
        late = 1.0 if a.init else clamp((fraction - 0.25) / 0.35)
        with torch.autocast(self.device, torch.bfloat16, enabled=self.device == "cuda"):
            if a.tails:
                out = (None, *zip(*(self.net.tail(j, x) for j in self.teachers.lists)))
            else:
                out = self.net(x, (targets[0], targets[1].chunk(3, 1), targets[2].chunk(3, 1)), own)
        s8, s16, s32, pooled, logits, kl = parts = losses(out, targets, self.teachers)
        loss = (1 + (a.hint - 1) * late) * 3 * (s8 + s16 + s32) + 2 * pooled + 2 * logits + 0.5 * late * kl
        for o in self.optimisers:
            o.zero_grad(set_to_none=True)
        loss.backward()
        for o in self.optimisers:
            o.step()
        self.step += 1
        self._average()
        return parts

    @torch.no_grad()
    def _average(self) -> None:
        decay = min(self.a.ema, (1 + self.step) / (10 + self.step))
        for e, v in zip(self.ema.state_dict().values(), self.net.state_dict().values()):
            e.lerp_(v, 1 - decay) if e.is_floating_point() else e.copy_(v)


def main() -> None:
    a = arguments()
    torch.manual_seed(a.seed)
    if a.threads or a.apart:
        torch.set_num_threads(1 if a.apart else a.threads)  # a process that has threads cannot be forked
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cuda":
        torch.backends.cudnn.benchmark = torch.backends.cudnn.allow_tf32 = True
    if a.apart and device == "cuda":
        raise SystemExit("--apart is for a CPU: leave it out")
    os.makedirs(a.out, exist_ok=True)
    photos = Photos(a.packs, device, a.favour)
    lists = [LISTS.index(name) for name in a.tails.split(",")] if a.tails else list(range(len(LISTS)))
    teachers = Teachers(a.teachers, lists, a.size, max(a.tsize, a.size), a.batch, device)
    source = Source(photos, teachers, a, device)
    if not (a.init or a.resume and Path(a.out, "last.pt").exists()):
        teachers.measure([source.view()[1] for _ in range(max(2, 512 // a.batch))])
    run = Run(a, teachers, device)
    if a.tails:
        source.stem = run.net.stem
    print(f"photos {photos.count}, parameters {sum(p.numel() for p in run.net.parameters()) / 1e6:.2f}M, {device}, from step {run.step}", flush=True)
    if a.apart:
        source.leave()
    total, count, logged, saved = 0, 0, time.time(), time.time()
    while (fraction := run.seconds / 60 / a.minutes) < 1 and not (a.stop and time.time() - run.began > a.stop * 60):
        rate = run.rates(fraction)
        x, targets = source.batch(run.step)
        total, count = total + torch.stack([p.detach() for p in run.learn(x, targets, fraction)]), count + 1
        if time.time() - logged > LOG_SECONDS:
            if not torch.isfinite(total).all():
                raise SystemExit("the loss is not finite: start again from the last snapshot with a lower --lr")
            shown = " ".join(f"{n} {v:.3f}" for n, v in zip(("s8", "s16", "s32", "pooled", "logits", "kl"), (total / count).tolist()))
            speed = f"{count * a.batch / (time.time() - logged):.0f} img/s"
            fresh = f", {int(source.put) * a.batch} views" if source.put else ""
            print(f"{run.seconds / 60:5.1f} min step {run.step} {speed}{fresh} rate {rate:.2f} | {shown}", flush=True)
            total, count, logged = 0, 0, time.time()
        if time.time() - saved > SAVE_SECONDS:
            run.save()
            saved = time.time()
    run.save()
    print(f"done: {run.seconds / 60:.1f} min, step {run.step}")


if __name__ == "__main__":
    main()
