"""The encoder folder: visual.onnx, text.onnx, tokenizer, seen.txt, manifest.json, parity.json.

    python export.py FOLDER --snapshot SNAP.pt --head HEAD.pt --tower TOWER.pt --embeddings E.npy --pack PACK [--figures F.json] [--calibration C.json]

Weights are stored in 16 bits and cast to 32 in the graph: arithmetic is in 32 bits, and files are half as large.
"""
import argparse
import hashlib
import json
import os
from pathlib import Path

import numpy as np
import torch
import torch.nn as nn

import bpe
import embed
import parity
import split
import student
import text
from catalogue import Catalogue
from figures import unit
from head import DIM, NORM
from lexicon import Lexicon

SIZE = 160
OPSET = 17
SMALL = 64  # initialisers of fewer numbers stay as they are


class Visual(nn.Module):
    """image [n,3,s,s], (x - 0.5) / 0.5 of RGB in 0..1 -> raw embeddings [n,512]"""

    def __init__(self, net, head):
        super().__init__()
        self.net, self.head = net, head

    def forward(self, image):
        return self.head(self.net.features(image * 0.5 + 0.5))


def halve(path: str) -> None:
    """float32 initialisers -> float16 with a Cast before their use"""
    import onnx
    from onnx import helper, numpy_helper
    model = onnx.load(path)
    kept, casts = [], []
    for old in model.graph.initializer:
        x = numpy_helper.to_array(old)
        if x.dtype == np.float32 and x.size >= SMALL:
            kept.append(numpy_helper.from_array(x.astype(np.float16), old.name + "_half"))
            casts.append(helper.make_node("Cast", [old.name + "_half"], [old.name], to=onnx.TensorProto.FLOAT))
        elif x.dtype == np.int64 and x.size >= SMALL:
            kept.append(numpy_helper.from_array(x.astype(np.int16), old.name + "_short"))
            casts.append(helper.make_node("Cast", [old.name + "_short"], [old.name], to=onnx.TensorProto.INT64))
        else:
            kept.append(old)
    nodes = casts + list(model.graph.node)
    del model.graph.initializer[:], model.graph.node[:]
    model.graph.initializer.extend(kept)
    model.graph.node.extend(nodes)
    onnx.checker.check_model(model)
    onnx.save(model, path)


def rounded(module: nn.Module) -> nn.Module:
    """parameters and buffers as they will be once stored in 16 bits, so that what is measured is what ships"""
    with torch.no_grad():
        for x in (*module.parameters(), *module.buffers()):
            if x.is_floating_point() and x.numel() >= SMALL:
                x.copy_(x.half().float())
    return module


def write_onnx(module, example, path: str, source: str) -> None:
    torch.onnx.export(module, example, path, input_names=[source], output_names=["embedding"], opset_version=OPSET,
                      dynamic_axes={source: {0: "n"}, "embedding": {0: "n"}}, do_constant_folding=True)
    halve(path)


def file(folder: Path, name: str) -> dict:
    data = (folder / name).read_bytes()
    return {"file": name, "sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}


def manifest(folder: Path, calibration: dict, figures: dict) -> dict:
    return {
        "format": 1, "name": "fieldmark-1", "title": "Fieldmark's own encoder", "license": "Apache-2.0", "dim": DIM,
        "image": {**file(folder, "visual.onnx"), "input": "image", "output": "embedding", "size": SIZE, "resize": "crop",
                  "interpolation": "bicubic", "mean": [0.5] * 3, "std": [0.5] * 3},
        "text": {**file(folder, "text.onnx"), "input": "input_ids", "output": "embedding", "id_type": "int64", "context": bpe.CONTEXT,
                 "tokenizer": {"kind": "clip-bpe", "vocab": file(folder, "vocab.json"), "merges": file(folder, "merges.txt"),
                               "start": bpe.START, "end": bpe.END, "pad_id": 0}},
        "logit_scale": calibration["logit_scale"], "mean_norm": NORM, "prompts": ["a photo of a {}."],
        "names": ["scientific", "english"], "near": calibration["near"], "seen": file(folder, "seen.txt"), "figures": figures,
    }


def flat(figures: dict) -> dict:
    """figures of the manifest: name -> number"""
    out = {}
    for title, value in figures.items():
        if isinstance(value, list) and len(value) == 4:
            out[f"{title}: own names"], out[f"{title}: all names"], out[f"{title}: photos"] = value[0], value[1], value[3]
        elif isinstance(value, list):
            out[title] = value[0]
        elif value is not None:
            out[title] = value
    return out


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    for name in ("snapshot", "head", "tower", "embeddings", "pack"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--teachers", default="../shared/data/teachers")
    parser.add_argument("--vocabulary", default=str(Path(__file__).parents[2] / "internal/vocabulary/data"))
    parser.add_argument("--figures", required=True, help="F.json,F.json")
    parser.add_argument("--calibration", required=True)
    parser.add_argument("--weak", default="", help="from figures.py: rows to leave out")
    a = parser.parse_args()
    os.makedirs(a.folder, exist_ok=True)
    torch.manual_seed(0)
    net, head = student.load(a.snapshot)[0].to(memory_format=torch.contiguous_format), embed.load(a.head)
    visual = rounded(Visual(net, head).eval())
    write_onnx(visual, torch.rand(2, 3, SIZE, SIZE) * 2 - 1, str(a.folder / "visual.onnx"), "image")

    lexicon = Lexicon(Catalogue(a.teachers), a.vocabulary, f"{a.teachers}/plant_labels.tsv", text.weak_rows(a.weak))
    kept = torch.load(a.tower)
    tokenizer, lessons = bpe.Tokenizer(kept["merges"]), text.Lessons(lexicon)
    reader = text.Reader(len(tokenizer.symbols))
    reader.load_state_dict(kept["reader"])
    v = unit(np.load(a.embeddings)[split.read(a.pack) == "train"])
    tower = rounded(text.build(rounded(reader).eval(), lessons, tokenizer, head.names().detach().numpy(), v))
    write_onnx(tower, torch.tensor([tokenizer.encode("a photo of a robin."), tokenizer.encode("Turdus merula")]), str(a.folder / "text.onnx"), "input_ids")
    tokenizer.save(str(a.folder))
    (a.folder / "seen.txt").write_text("".join(f"{name}\n" for name in lexicon.seen), encoding="utf-8")
    calibration, figures = json.loads(Path(a.calibration).read_text()), {}
    for name in a.figures.split(","):
        figures |= flat(json.loads(Path(name).read_text()))
    figures["ECE, candidate sets of 5 to 200 names"] = calibration["ece"]["all"]
    (a.folder / "manifest.json").write_text(json.dumps(manifest(a.folder, calibration, figures), indent=1) + "\n")
    parity.write(a.folder / "parity.json", visual, tower, tokenizer)
    print({p.name: p.stat().st_size for p in sorted(a.folder.iterdir())}, sum(p.stat().st_size for p in a.folder.iterdir()))


if __name__ == "__main__":
    main()
