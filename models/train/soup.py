"""Averages snapshots of one descent: with norms held alike, then the batch norms' statistics measured anew.

    python soup.py OUT.pt PACK A.pt:share B.pt:share
"""
import sys

import numpy as np
import torch

import split
import student
from muon import hold

BATCHES, BATCH, SIZE = 24, 64, 160


def blend(parts: list[tuple[str, float]]) -> tuple[student.Student, dict]:
    total, mixed = sum(share for _, share in parts), {}
    for path, share in parts:
        net, snap = student.load(path)
        hold(net)
        for name, value in net.state_dict().items():
            part = value.double() * (share / total)
            mixed[name] = mixed[name] + part if name in mixed else part
    net.load_state_dict({k: v.to(net.state_dict()[k].dtype) for k, v in mixed.items()})
    return net, snap


@torch.no_grad()
def measure_anew(net: student.Student, pack: str, seed: int = 0) -> None:
    """every batch norm's mean and variance over training photos, whole"""
    rows = np.flatnonzero(split.read(pack) == "train")
    rows = np.random.RandomState(seed).permutation(rows)[:BATCHES * BATCH]
    pixels = np.load(pack + ".npy", mmap_mode="r")
    norms = [m for m in net.modules() if isinstance(m, torch.nn.BatchNorm2d)]
    for m in norms:
        m.reset_running_stats()
        m.momentum = None  # a plain average
    net.train()
    for part in np.array_split(rows, max(1, len(rows) // BATCH)):
        x = torch.from_numpy(np.array(pixels[np.sort(part)])).permute(0, 3, 1, 2).float() / 255
        net.features(x.contiguous(memory_format=torch.channels_last))
    net.eval()


def main() -> None:
    out, pack, parts = sys.argv[1], sys.argv[2], [p.rsplit(":", 1) for p in sys.argv[3:]]
    net, snap = blend([(path, float(share)) for path, share in parts])
    measure_anew(net, pack)
    state = {k: v.half() if v.is_floating_point() else v for k, v in net.state_dict().items()}
    torch.save({**snap, "ema": state, "soup": parts}, out)


if __name__ == "__main__":
    main()
