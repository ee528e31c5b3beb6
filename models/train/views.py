"""Random views of packed photographs, made on the training device."""
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

import split

# How often a set's photos are drawn, against 1. What is scarce and weakly known (arthropods) more often, what abounds less.
BOOST = {"birds525": 2.0, "cub832": 2.0, "hymenoptera": 3.0, "imagenet1_nature": 2.0, "butterflies": 3.5, "insects5": 2.0, "pests12": 2.5,
         "pests12_molluscs_worms": 2.0, "agripests": 1.5, "grocery_fruitveg": 0.4, "rice_disease3": 0.4, "catdog_kaggle": 0.4,
         "catdog_stocksy": 0.4, "catdog_web": 0.4, "pets3": 0.4, "houseplants4": 0.6, "bsds500": 0.6, "imagenette": 0.6,
         "lion_roboflow": 0.6, "mountain_lion": 0.6, "plants_inat": 0.8}
TINY_INSECTS = {"bee", "ladybug", "fly", "grasshopper", "walking stick", "cockroach", "mantis", "dragonfly", "monarch", "sulphur butterfly"}


class Pack:
    """one pack's photos on the device, with how often each is drawn; kept-back photos have been left out"""

    def __init__(self, path: str, share: float, device: str, boost: dict[str, float]):
        names = Path(path + ".txt").read_text().split("\n")
        words = split.read(path) if Path(path + ".split").exists() else np.full(len(names), "train")
        rows = np.flatnonzero(words == "train")
        weight = [boost.get(names[i].split("/")[0], 3.0 if names[i].split("/")[-2] in TINY_INSECTS else 1.0) for i in rows]
        self.pixels = torch.from_numpy(np.load(path + ".npy")).to(device)
        self.rows, self.weight, self.share = torch.tensor(rows).to(device), torch.tensor(weight).to(device), share

    def cut(self, n: int, size: int, least: float) -> torch.Tensor:
        """n random crops of at least that share of the area, side ratio within e^0.2, mirrored half the time, at size x size"""
        pick = self.rows[torch.multinomial(self.weight, n, replacement=True)]
        image = self.pixels[pick].permute(0, 3, 1, 2).float() / 255
        device = image.device
        draw = lambda low, high: torch.empty(n, device=device).uniform_(low, high)
        area, ratio = draw(least, 1.0), torch.exp(draw(-0.2, 0.2))
        w, h = (area.sqrt() * ratio).clamp(max=1), (area.sqrt() / ratio).clamp(max=1)
        side = (torch.rand(n, device=device) < 0.5).float() * 2 - 1
        zero = torch.zeros_like(area)
        theta = torch.stack([torch.stack([w * side, zero, draw(-1, 1) * (1 - w)], 1), torch.stack([zero, h, draw(-1, 1) * (1 - h)], 1)], 1)
        grid = F.affine_grid(theta, (n, 3, size, size), align_corners=False)
        return F.grid_sample(image, grid, mode="bilinear", padding_mode="border", align_corners=False)


class Photos:
    """packs: "path:share,path:share" - the first holds whole photos, the others pictures that are small already. favour:
    "SET,SET=FACTOR", or nothing"""

    def __init__(self, packs: str, device: str, favour: str = ""):
        parts = (p.rsplit(":", 1) for p in packs.split(","))
        sets, _, factor = favour.partition("=")
        boost = BOOST | {name: BOOST.get(name, 1.0) * float(factor) for name in sets.split(",") if name}
        self.packs = [Pack(path, float(share), device, boost) for path, share in parts]
        self.count = sum(len(p.rows) for p in self.packs)

    def batch(self, n: int, size: int) -> torch.Tensor:
        """float [n,3,size,size] in 0..1, colours varied"""
        total, left, out = sum(p.share for p in self.packs), n, []
        for j, pack in enumerate(self.packs):
            here = left if j == len(self.packs) - 1 else round(n * pack.share / total)
            left -= here
            out.append(pack.cut(here, size, 0.5 if j == 0 else 0.7))
        x = torch.cat(out)
        draw = lambda low, high: torch.empty(n, 1, 1, 1, device=x.device).uniform_(low, high)
        grey = x.mean(1, keepdim=True)
        x = grey + (x - grey) * draw(0.6, 1.4)                                  # saturation
        middle = grey.mean((2, 3), keepdim=True)
        x = (x - middle) * draw(0.7, 1.3) + middle * draw(0.8, 1.2)             # contrast, brightness
        x = x * torch.empty(n, 3, 1, 1, device=x.device).uniform_(0.93, 1.07)   # tint
        return x.clamp(0, 1).contiguous(memory_format=torch.channels_last)
