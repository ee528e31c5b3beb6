"""An encoder folder of ours back into what training goes on from, where the snapshot itself is lost.

    python reopen.py FOLDER OUT.pt --pack PACK --like SNAP.pt [--head HEAD.pt] [--tower TOWER.pt]

FOLDER: an exported encoder; SNAP: any snapshot of the same --arch.

The export folded every batch norm into its convolution, y = W'x + b'. With m and v the mean and variance of W'x over training
photos, a norm of mean m, variance v, scale sqrt(v + eps) and shift b' + m gives the same y; and as m and v are what the photos
show, training sees no jump. The teachers' normalisation, which no export holds, is SNAP's (--init hands it on unchanged). What is written is
checked: the embeddings of the folder's parity.json must come out again.
"""
import argparse
import json
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper

import bpe
import parity
import split
import student
import text
from catalogue import ROWS, Catalogue
from export import Visual
from head import BLOCKS, START, Head
from lexicon import Lexicon
from teacher import CLASSES, LISTS, OFFSET

BATCHES, BATCH = 16, 64
ELSEWHERE = 0.1  # a unit name vector with less than this in its list's block lies in another's
TOLERANCE = 2e-3  # of an embedding's norm; rounding of the norms' products to 16 bits alone makes 1e-4


class Affine(torch.nn.Module):
    """stands where a folded norm was: adds b', and measures what comes in"""

    def __init__(self, shift: torch.Tensor):
        super().__init__()
        self.shift, self.count, self.total, self.square = shift, 0, 0.0, 0.0

    def forward(self, x):
        over = x.double().transpose(0, 1).flatten(1)
        self.count, self.total, self.square = self.count + over.shape[1], self.total + over.sum(1), self.square + over.pow(2).sum(1)
        return x + self.shift.view(1, -1, 1, 1)

    def norm(self) -> torch.nn.BatchNorm2d:
        mean = self.total / self.count
        variance = (self.square / self.count - mean.pow(2)).clamp(min=0)
        out = torch.nn.BatchNorm2d(len(mean))
        out.running_mean.data, out.running_var.data = mean.float(), variance.float()
        out.weight.data, out.bias.data = (variance + out.eps).sqrt().float(), (self.shift.double() + mean).float()
        return out


def convolutions(net: student.Student):
    """(Sequential, place of the convolution in it) of every convolution with a norm behind it, in the graph's order"""
    for m in net.modules():
        if isinstance(m, torch.nn.Sequential):
            for i in range(len(m) - 1):
                if isinstance(m[i], torch.nn.Conv2d) and isinstance(m[i + 1], torch.nn.BatchNorm2d):
                    yield m, i


def graph_weights(path: Path) -> tuple[dict, list]:
    """initialisers by name, and (weight, bias) of the convolutions whose names the export dropped as it folded them, in order"""
    graph = onnx.load(str(path)).graph
    held = {i.name.removesuffix("_half"): torch.tensor(numpy_helper.to_array(i).astype("f4")) for i in graph.initializer}
    folded = [(held[n.input[1]], held[n.input[2]]) for n in graph.node if n.op_type == "Conv" and n.input[1].startswith("onnx::")]
    return held, folded


def read_tower(folder: Path) -> tuple[text.Tower, bpe.Tokenizer]:
    """the text tower as it was exported"""
    held, _ = graph_weights(folder / "text.onnx")
    tokenizer = bpe.load(str(folder))
    reader = text.Reader(len(tokenizer.symbols))
    reader.load_state_dict({k.removeprefix("reader."): v for k, v in held.items() if k.startswith("reader.")})
    keys = next(v for k, v in held.items() if k.startswith("onnx::MatMul")).T.contiguous()
    tables = [held[f"table{j}"] for j in range(len(LISTS) + 1)]
    return text.Tower(reader.eval(), keys, held["row_short"].long(), tables, held["none"], held["own"]).eval(), tokenizer


def own_texts(lexicon: Lexicon) -> list[str]:
    """for every row a text that means it and no other, or else its first name"""
    own = {rows[0]: written for written, rows in lexicon.meaning.items() if len(rows) == 1}
    return [own.get(row) or name.scientific or name.english for row, name in enumerate(lexicon.catalogue.names)]


@torch.no_grad()
def read_head(held: dict, folder: Path, lexicon: Lexicon) -> Head:
    """Codes and gate; a name's vector is what the text tower says of it (of a name that was left out: of its genus). ImageNet's row
    for a species that the bird list has too gets none: its name is the bird list's."""
    catalogue = lexicon.catalogue
    head = Head(len(catalogue.names) - ROWS, len(held["head.gate.0.bias"]), catalogue.kind()[OFFSET[2]:ROWS])
    state = head.state_dict()
    state.update({k.removeprefix("head."): v.reshape(state[k.removeprefix("head.")].shape) for k, v in held.items() if k.startswith("head.")})
    head.load_state_dict(state)
    tower, tokenizer = read_tower(folder)
    written = own_texts(lexicon)
    said = torch.cat([tower(text.encode(tokenizer, written[i:i + 256])) for i in range(0, len(written), 256)])
    for j, table in enumerate(head.table):
        block = said[OFFSET[j]:OFFSET[j] + CLASSES[j], START[j]:START[j] + BLOCKS[j]]
        table.copy_(block * (block.norm(dim=1, keepdim=True) > ELSEWHERE))
    head.extra.copy_(said[ROWS:])
    return head.eval()


@torch.no_grad()
def read_trunk(net: student.Student, held: dict, folded: list, pixels, rows: np.ndarray) -> None:
    state = net.state_dict()
    net.load_state_dict({**state, **{k.removeprefix("net."): v for k, v in held.items() if k.startswith("net.")}})
    places = list(convolutions(net))
    if len(places) != len(folded):
        raise SystemExit(f"the folder has {len(folded)} folded convolutions, a student of this --arch {len(places)}")
    for (block, i), (weight, bias) in zip(places, folded):
        block[i].weight.data.copy_(weight)
        block[i + 1] = Affine(bias)
    net.eval().to(memory_format=torch.channels_last)
    for part in np.array_split(rows, max(1, len(rows) // BATCH)):
        x = torch.from_numpy(np.array(pixels[np.sort(part)])).permute(0, 3, 1, 2).float() / 255
        net.features(x.contiguous(memory_format=torch.channels_last))
    for block, i in places:
        block[i + 1] = block[i + 1].norm()
    net.eval()


@torch.no_grad()
def check(visual: Visual, folder: Path) -> float:
    """the largest difference to parity.json's embeddings, relative to their norm"""
    worst = 0.0
    for line in json.loads((folder / "parity.json").read_text())["images"]:
        pixels = torch.from_numpy(parity.draw(line["name"])).permute(2, 0, 1).float() / 255
        v = visual(((pixels - 0.5) / 0.5)[None])[0]
        apart = (v[:len(line["first"])] - torch.tensor(line["first"])).abs().max()
        worst = max(worst, float(apart) / line["norm"], abs(float(v.norm()) / line["norm"] - 1))
    return worst


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out")
    parser.add_argument("--pack", required=True)
    parser.add_argument("--like", required=True)
    parser.add_argument("--teachers", default="../shared/data/teachers")
    parser.add_argument("--vocabulary", default=str(Path(__file__).parents[2] / "internal/vocabulary/data"))
    parser.add_argument("--head", default="", help="write the head here as well")
    parser.add_argument("--tower", default="", help="and the text tower's reader, for text.py --resume")
    a = parser.parse_args()
    net, like = student.load(a.like)
    held, folded = graph_weights(a.folder / "visual.onnx")
    rows = np.random.RandomState(0).permutation(np.flatnonzero(split.read(a.pack) == "train"))[:BATCHES * BATCH]
    read_trunk(net, held, folded, np.load(a.pack + ".npy", mmap_mode="r"), rows)
    head = read_head(held, a.folder, Lexicon(Catalogue(a.teachers), a.vocabulary))
    worst = check(Visual(net, head), a.folder)
    print(f"{len(folded)} norms unfolded; largest difference to parity.json {worst:.6f} of the norm")
    if worst > TOLERANCE:
        raise SystemExit("that is not the same encoder: is SNAP of another --arch?")
    state = {k: v.clone() for k, v in net.state_dict().items()}
    torch.save({"step": 0, "minutes": 0.0, "norm": like["norm"], "args": like["args"], "ema": state, "reopened": str(a.folder.name)}, a.out)
    if a.head:
        torch.save(head.state_dict(), a.head)
    if a.tower:
        tower, tokenizer = read_tower(a.folder)
        torch.save(dict(merges=tokenizer.merges, reader=tower.reader.state_dict()), a.tower)


if __name__ == "__main__":
    main()
