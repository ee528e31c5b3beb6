"""What the heads are fitted on: the student's pooled features and the teachers' logits over a pack, computed once and kept.

    python features.py student SNAPSHOT PACK OUT [--size 160] [--mirror]   -> OUT.npy float16 [n,3,1280]
    python features.py teachers TEACHERS PACK OUT [--size 160] [--words train]   -> OUT.npy float16 [n,2988], NaN where left out
"""
import argparse
import os

import numpy as np
import torch
import torch.nn.functional as F

import split
import student
from teacher import CLASSES, LISTS, Teacher

BATCH = 64


def frozen(module, size: int, device: str):
    """The module traced and frozen for one size: a third faster on a CPU."""
    module = module.eval().to(device, memory_format=torch.channels_last)
    if device == "cuda":
        return module
    example = torch.rand(BATCH, 3, size, size).contiguous(memory_format=torch.channels_last)
    with torch.no_grad():
        return torch.jit.freeze(torch.jit.trace(module, example))


def batches(pixels: np.ndarray, rows: np.ndarray, size: int, device: str, mirror: bool):
    """(rows, float [BATCH,3,size,size] in 0..1), the last batch filled up with zeros"""
    for start in range(0, len(rows), BATCH):
        part = rows[start:start + BATCH]
        x = torch.from_numpy(np.array(pixels[part])).permute(0, 3, 1, 2).float() / 255
        if x.shape[2] != size:
            x = F.interpolate(x, size=(size, size), mode="bicubic", align_corners=False, antialias=True).clamp(0, 1)
        x = F.pad(x.flip(3) if mirror else x, (0, 0, 0, 0, 0, 0, 0, BATCH - len(part)))
        yield part, x.to(device).contiguous(memory_format=torch.channels_last)


class Pooled(torch.nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, image):
        return torch.stack(self.net.features(image), 1)


class Logits(torch.nn.Module):
    def __init__(self, folder: str):
        super().__init__()
        self.all = torch.nn.ModuleList(Teacher(os.path.join(folder, f"{n}_u8.onnx")) for n in LISTS)

    def forward(self, image):
        return torch.cat([t.fc(t(image)[3]) for t in self.all], 1)


@torch.no_grad()
def run(module, pack: str, out: str, shape: tuple, size: int, mirror: bool = False, words: str = "") -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model, pixels = frozen(module, size, device), np.load(pack + ".npy", mmap_mode="r")
    rows = np.arange(len(pixels))
    if words:
        rows = rows[np.isin(split.read(pack), words.split(","))]
    result = np.full((len(pixels),) + shape, np.nan, np.float16)
    for part, x in batches(pixels, rows, size, device, mirror):
        result[part] = model(x)[:len(part)].cpu().numpy()
    np.save(out + ".npy", result)
    print(out, result.shape, "rows", len(rows))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("student", "teachers"))
    parser.add_argument("source")
    parser.add_argument("pack")
    parser.add_argument("out")
    parser.add_argument("--size", type=int, default=160)
    parser.add_argument("--mirror", action="store_true")
    parser.add_argument("--words", default="", help="only photos with these words of the split, by comma")
    parser.add_argument("--threads", type=int, default=0)
    a = parser.parse_args()
    if a.threads:
        torch.set_num_threads(a.threads)
    if a.what == "student":
        module, shape = Pooled(student.load(a.source)[0]), (3, student.FEATURES)
    else:
        module, shape = Logits(a.source), (sum(CLASSES),)
    run(module, a.pack, a.out, shape, a.size, a.mirror, a.words)


if __name__ == "__main__":
    main()
