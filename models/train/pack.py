"""Photographs as uint8 squares in one file, so that training never decodes a JPEG.

    python pack.py make FOLDER PACK SIZE [squash|crop]    FOLDER/SET/CLASS/*.jpg -> PACK.npy, PACK.txt
    python pack.py squeeze PACK FILE.npz SIZE QUALITY     the same as WebP, small enough to travel
    python pack.py expand FILE.npz PACK
"""
import io
import os
import sys
from multiprocessing import Pool
from pathlib import Path

import numpy as np


def square(path, size: int, mode: str) -> np.ndarray:
    """path or open file -> uint8 [size,size,3]. "squash": the whole photo, both sides to size (training: views are cut from it);
    "crop": the shorter side to size, then the centre (what the product does)."""
    from PIL import Image
    image = Image.open(path).convert("RGB")
    if mode == "squash":
        return np.asarray(image.resize((size, size), Image.BICUBIC))
    scale = size / min(image.size)
    w, h = (max(size, round(side * scale)) for side in image.size)
    left, top = (w - size) // 2, (h - size) // 2
    return np.asarray(image.resize((w, h), Image.BICUBIC).crop((left, top, left + size, top + size)))


def _job(arguments):
    return square(*arguments)


def make(folder: str, pack: str, size: int, mode: str = "squash") -> None:
    files = sorted(os.path.join(d, f) for d, _, names in os.walk(folder, followlinks=True) for f in names
                   if f.lower().endswith((".jpg", ".jpeg")))
    if not files:
        sys.exit(f"{folder}: no photographs")
    out = np.lib.format.open_memmap(pack + ".npy", "w+", np.uint8, (len(files), size, size, 3))
    with Pool() as pool:
        for i, pixels in enumerate(pool.imap(_job, [(f, size, mode) for f in files], 32)):
            out[i] = pixels
    out.flush()
    Path(pack + ".txt").write_text("\n".join(os.path.relpath(f, folder) for f in files))
    print(pack, out.shape)


def squeeze(pack: str, target: str, size: int, quality: int) -> None:
    from PIL import Image
    blobs = []
    for pixels in np.load(pack + ".npy", mmap_mode="r"):
        image, buffer = Image.fromarray(pixels), io.BytesIO()
        if image.width != size:
            image = image.resize((size, size), Image.BICUBIC)
        image.save(buffer, "WEBP", quality=quality)
        blobs.append(np.frombuffer(buffer.getvalue(), np.uint8))
    names = np.array(Path(pack + ".txt").read_text().encode())
    np.savez(target, blob=np.concatenate(blobs), end=np.cumsum([len(b) for b in blobs]), names=names)
    print(target, f"{os.path.getsize(target) / 1e6:.1f} MB")


def expand(source: str, pack: str) -> None:
    from PIL import Image
    z = np.load(source)
    blob, end = z["blob"], z["end"]
    begin = np.concatenate([[0], end[:-1]])
    squares = [np.asarray(Image.open(io.BytesIO(blob[i:j].tobytes())).convert("RGB")) for i, j in zip(begin, end)]
    np.save(pack + ".npy", np.stack(squares))
    Path(pack + ".txt").write_text(bytes(z["names"].item()).decode())


if __name__ == "__main__":
    if sys.argv[1:2] == ["make"]:
        make(sys.argv[2], sys.argv[3], int(sys.argv[4]), *sys.argv[5:6])
    elif sys.argv[1:2] == ["squeeze"]:
        squeeze(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
    elif sys.argv[1:2] == ["expand"]:
        expand(sys.argv[2], sys.argv[3])
    else:
        sys.exit(__doc__)
