"""Embeddings and names of a fitted head over a pack's features.

    python embed.py HEAD.pt FEATURES.npy OUT     -> OUT.npy float32 [n,512], OUT.names.npy float32 [m,512]
"""
import sys

import numpy as np
import torch

from head import Head


def load(path: str) -> Head:
    state = torch.load(path, map_location="cpu")
    head = Head(len(state["extra"]), len(state["gate.0.bias"]))
    head.load_state_dict(state)
    return head.eval()


@torch.no_grad()
def embed(head: Head, features: np.ndarray) -> np.ndarray:
    parts = (torch.from_numpy(features[i:i + 512].astype("f4")) for i in range(0, len(features), 512))
    return torch.cat([head(list(x.unbind(1))) for x in parts]).numpy()


if __name__ == "__main__":
    fitted = load(sys.argv[1])
    np.save(sys.argv[3] + ".npy", embed(fitted, np.load(sys.argv[2], mmap_mode="r")))
    np.save(sys.argv[3] + ".names.npy", fitted.names().detach().numpy())
