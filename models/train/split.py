"""Which photographs may be learned from, and which are kept back for choices and figures.

    python split.py PACK        reads PACK.npy and PACK.txt, writes PACK.split: one word a photo

The words: "train"; "kept" (every choice and figure is made on these, nothing is ever fitted to them);
"whole" (kept, and its whole class with it: keptback.txt, the species that the product is taught in its tests);
"twin" (would be train, but looks the same as a kept one: left out of both).
"""
import sys
from collections import Counter
from pathlib import Path

import numpy as np

# One in eight of every class, at least one, as in the first checkpoint's split, which this one contains.
AT_LEAST_ONE = {"birds525", "cub832", "dog_breeds120", "pets37", "flowers12"}
# One photo a class: keep back one class in eight instead. The checkpoint has seen these as views, unlabelled.
ONE_A_CLASS = {"imagenet1_nature"}
EVERY = 8
TWIN_BITS = 4  # Hamming distance of 64-bit difference hashes at or below which two photos are one


def whole_classes() -> set[str]:
    """SET/CLASS of every class that is kept back altogether."""
    return set((Path(__file__).parent / "keptback.txt").read_text().split())


def kept(paths: list[str]) -> np.ndarray:
    """bool per photo; paths are SET/CLASS/NAME, sorted, so that the choice is the same everywhere."""
    whole, size = whole_classes(), Counter(p.rsplit("/", 1)[0] for p in paths)
    seen, out = Counter(), np.zeros(len(paths), bool)
    for i, path in enumerate(paths):
        cls = path.rsplit("/", 1)[0]
        group = cls.split("/")[0]
        key = group if group in ONE_A_CLASS else cls
        eligible = group in AT_LEAST_ONE | ONE_A_CLASS or size[cls] >= EVERY
        out[i] = cls in whole or (eligible and seen[key] % EVERY == 0)
        seen[key] += 1
    return out


def difference_hash(pixels: np.ndarray) -> tuple[int, int]:
    """64-bit difference hashes of an RGB square and of its mirror image."""
    from PIL import Image
    grey = np.asarray(Image.fromarray(pixels).convert("L").resize((9, 8), Image.BICUBIC), np.int16)
    bits = lambda g: int("".join("01"[int(b)] for b in (g[:, 1:] > g[:, :-1]).ravel()), 2)
    return bits(grey), bits(grey[:, ::-1])


def twins(pixels: np.ndarray, held: np.ndarray) -> np.ndarray:
    """bool per photo: not held, but within TWIN_BITS of one that is (or of its mirror image)."""
    hashes = np.array([difference_hash(p) for p in pixels], np.uint64)
    ours = hashes[held].ravel()
    bytes_set = np.array([bin(i).count("1") for i in range(256)], np.uint8)
    out = np.zeros(len(pixels), bool)
    for i in np.flatnonzero(~held) if held.any() else ():
        apart = bytes_set[(ours ^ hashes[i, 0]).view(np.uint8).reshape(-1, 8)].sum(1)
        out[i] = apart.min() <= TWIN_BITS
    return out


def write(pack: str) -> None:
    paths = Path(pack + ".txt").read_text().split("\n")
    whole, held = whole_classes(), kept(paths)
    twin = twins(np.load(pack + ".npy", mmap_mode="r"), held)
    word = lambda i: ("whole" if paths[i].rsplit("/", 1)[0] in whole else "kept") if held[i] else "twin" if twin[i] else "train"
    words = [word(i) for i in range(len(paths))]
    Path(pack + ".split").write_text("\n".join(words))
    print(pack, dict(Counter(words)))


def read(pack: str) -> np.ndarray:
    """the words of PACK.split, as an array of str"""
    return np.array(Path(pack + ".split").read_text().split("\n"))


if __name__ == "__main__":
    for name in sys.argv[1:]:
        write(name)
