"""What the Go side must compute: a few drawn images and names with their expected embeddings (parity.json), from torch.

The images need no file: size 160 x 160, pixel (x, y) -> RGB by the formula that parity.json states in words and `draw` in code.
"""
import json
from pathlib import Path

import numpy as np
import torch

SIZE = 160
FIRST = 16  # how many of the 512 values are written
NAMES = ("Turdus migratorius", "American Robin", "a photo of a american robin.", "A PHOTO OF A Turdus migratorius.", "Actias luna", "Luna Moth",
         "a photo of a luna moth.", "Danaus plexippus", "beagle", "golden retriever", "Turdus", "Turdidae", "Lepidoptera", "warbler", "Turdus imaginarius",
         "Florblia quenthos", "Zorbish wump", "Lily of the Valley", "not an organism", "Ross's Goose", "Black-capped Chickadee", "café  Ñandú 42")
FORMULAS = {
    "gradient": "R = x * 255 / 159, G = y * 255 / 159, B = (x + y) * 255 / 318, each rounded down",
    "circle": "inside the circle (x - 80)^2 + (y - 70)^2 < 45^2: (200, 40, 30); outside: (30, 90 + y / 2, 40), rounded down",
    "checks": "(x / 20 + y / 20) even (whole-number division): (240, 200, 20); odd: (20, 20, 60)",
}


def draw(name: str) -> np.ndarray:
    """uint8 [160,160,3]"""
    y, x = np.mgrid[0:SIZE, 0:SIZE]
    if name == "gradient":
        return np.stack([x * 255 // 159, y * 255 // 159, (x + y) * 255 // 318], 2).astype(np.uint8)
    if name == "circle":
        inside = ((x - 80) ** 2 + (y - 70) ** 2 < 45 ** 2)[..., None]
        return np.where(inside, (200, 40, 30), np.stack([0 * x + 30, 90 + y // 2, 0 * x + 40], 2)).astype(np.uint8)
    even = ((x // 20 + y // 20) % 2 == 0)[..., None]
    return np.where(even, (240, 200, 20), (20, 20, 60)).astype(np.uint8)


@torch.no_grad()
def write(path: Path, visual, tower, tokenizer) -> None:
    few = lambda v: [round(float(x), 6) for x in v[:FIRST]]
    images = []
    for name, formula in FORMULAS.items():
        pixels = torch.from_numpy(draw(name)).permute(2, 0, 1).float() / 255
        v = visual(((pixels - 0.5) / 0.5)[None])[0]
        images.append({"name": name, "formula": formula, "norm": round(float(v.norm()), 5), "first": few(v)})
    names = []
    for name in NAMES:
        ids = tokenizer.encode(name)
        names.append({"text": name, "ids": ids, "first": few(tower(torch.tensor([ids]))[0])})
    # One image or name a line: readable, and small in a diff.
    lines = lambda rows: ",\n  ".join(json.dumps(r, ensure_ascii=False) for r in rows)
    path.write_text(f'{{\n "size": {SIZE},\n "images": [\n  {lines(images)}\n ],\n "names": [\n  {lines(names)}\n ]\n}}\n', encoding="utf-8")
