"""How far an embedding moves when the photo is re-encoded, cropped or mirrored: cosine to the original, median over kept-back photos.

    python robust.py SNAPSHOT HEAD.pt --photos FOLDER --pack PACK [--count 200] [--json OUT]
"""
import argparse
import io
import json
from pathlib import Path

import numpy as np
import torch
from PIL import Image, ImageOps

import embed
import split
import student
from figures import unit
from pack import square

SIZE = 160


def encoded(image: Image.Image) -> io.BytesIO:
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=60)
    return buffer


def cropped(image: Image.Image, share: float = 0.8) -> Image.Image:
    """the middle, that share of each side"""
    w, h = (round(s * share) for s in image.size)
    left, top = (image.width - w) // 2, (image.height - h) // 2
    return image.crop((left, top, left + w, top + h))


CHANGES = {"re-encoded at quality 60": lambda i: Image.open(encoded(i)), "80 % crop": cropped, "mirrored": ImageOps.mirror}


@torch.no_grad()
def vectors(net, head, images: list) -> np.ndarray:
    out = []
    for i in range(0, len(images), 50):
        buffer = [io.BytesIO() for _ in images[i:i + 50]]
        for image, b in zip(images[i:i + 50], buffer):
            image.convert("RGB").save(b, "PNG")
        x = torch.from_numpy(np.stack([square(b, SIZE, "crop") for b in buffer])).permute(0, 3, 1, 2).float() / 255
        out.append(head(net.features(x.contiguous(memory_format=torch.channels_last))).numpy())
    return unit(np.concatenate(out))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("snapshot")
    parser.add_argument("head")
    parser.add_argument("--photos", required=True)
    parser.add_argument("--pack", required=True)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--json", default="")
    a = parser.parse_args()
    net, head = student.load(a.snapshot)[0], embed.load(a.head)
    paths = np.array(Path(a.pack + ".txt").read_text().split("\n"))[np.isin(split.read(a.pack), ("kept", "whole"))]
    chosen = paths[np.linspace(0, len(paths) - 1, a.count).astype(int)]
    images = [Image.open(Path(a.photos, p)).convert("RGB") for p in chosen]
    original, result = vectors(net, head, images), {}
    for title, change in CHANGES.items():
        cos = (original * vectors(net, head, [change(i) for i in images])).sum(1)
        result[f"cosine to the original, {title}, median"] = round(float(np.median(cos)), 3)
    print(json.dumps(result, indent=1))
    if a.json:
        Path(a.json).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
