"""Embeddings of the first checkpoint's exported head (../shared/data/start), for comparison on the same photos.

    python first.py START_FOLDER FEATURES.npy OUT     FEATURES of its snap052.pt; -> OUT.npy, OUT.names.npy
"""
import sys
from pathlib import Path

import numpy as np

from figures import unit
from teacher import BACKGROUND, CLASSES, OFFSET

FLOOR = 0.25  # its least weight of a block


def weights(path: Path) -> dict:
    import onnx
    from onnx import numpy_helper
    return {i.name.removesuffix("_half").removesuffix("_h"): numpy_helper.to_array(i).astype("f4") for i in onnx.load(str(path)).graph.initializer}


def embed(w: dict, features: np.ndarray) -> np.ndarray:
    """features [n,3,1280] -> [n,512]: unit codes, weighed by the gate"""
    code = [unit(features[:, j].astype("f4") @ w[f"h.A.{j}.weight"].T + w[f"h.A.{j}.bias"]) for j in range(3)]
    hidden = np.maximum(8 * np.concatenate(code, 1) @ w["h.g.0.weight"].T + w["h.g.0.bias"], 0)
    gate = FLOOR + np.logaddexp(0, hidden @ w["h.g.2.weight"].T + w["h.g.2.bias"])
    return np.concatenate([c * gate[:, j:j + 1] for j, c in enumerate(code)], 1) * w["h.scale"]


def main() -> None:
    folder, features, out = Path(sys.argv[1]), np.load(sys.argv[2], mmap_mode="r"), sys.argv[3]
    w = weights(folder / "visual.onnx")
    np.save(out + ".npy", np.concatenate([embed(w, features[i:i + 1024]) for i in range(0, len(features), 1024)]))
    names = np.zeros((sum(CLASSES), 512), np.float32)
    background = {o + b for o, b in zip(OFFSET, BACKGROUND)}
    names[[i for i in range(len(names)) if i not in background]] = np.fromfile(folder / "names.f16", "<f2").reshape(-1, 512)
    np.save(out + ".names.npy", names)


if __name__ == "__main__":
    main()
