"""Fits the heads (codes, names, gate) to a snapshot's features and saves them.

    python fit.py OUT.pt --pack PACK --views F1.npy,F2.npy --logits TEACHERS.npy [--steps 1500]
    python fit.py OUT.pt ... --from HEAD.pt      go on from an earlier head (reopen.py's, say)
"""
import argparse
from pathlib import Path

import numpy as np
import torch

import split
from catalogue import HOME, Catalogue
from head import Head, Targets, regress, tune
from teacher import CLASSES, LISTS, OFFSET

# How far a set's labels are trusted, where not fully: loose folders, one photo in twenty wrong (photos-c.md).
TRUST = {"agripests": 0.3, "insects5": 0.5, "popular_animals22": 0.5, "plants_inat": 0.5, "grocery_fruitveg": 0.3,
         "birds525": 2.0, "cub832": 3.0, "butterflies": 3.0, "imagenet1_nature": 2.0, "tiny": 1.0}
MOST = 120  # a class with more photos than this counts as this many


def members(catalogue: Catalogue, paths: list[str]) -> torch.Tensor:
    """bool [photos, names]: the names right for each photo"""
    out = torch.zeros(len(paths), len(catalogue.names), dtype=torch.bool)
    for i, path in enumerate(paths):
        out[i, list(catalogue.rows_of(path))] = True
    return out


def homes(catalogue: Catalogue, paths: list[str]) -> torch.Tensor:
    """bool [photos, 3]: the lists that can name each photo; all of them where its label is not known"""
    out = torch.zeros(len(paths), len(LISTS), dtype=torch.bool)
    for i, path in enumerate(paths):
        rows = [r for r in catalogue.rows_of(path) if r < sum(CLASSES)]
        own = HOME.get(path.split("/")[0], "imagenet")
        lists = {catalogue.names[r].list for r in rows} or ({own} if catalogue.rows_of(path) else set(LISTS))
        out[i, [LISTS.index(name) for name in lists]] = True
    return out


def trust(paths: list[str]) -> torch.Tensor:
    classes = [p.rsplit("/", 1)[0] for p in paths]
    size = {c: classes.count(c) for c in set(classes)}
    return torch.tensor([TRUST.get(c.split("/")[0], 1.0) * min(1, MOST / size[c]) for c in classes])


def adopt(head: Head, path: str) -> None:
    """what an earlier head has in the same shape: codes and names, and the gate where it is of this kind"""
    old, new = torch.load(path, map_location="cpu"), head.state_dict()
    head.load_state_dict({k: old[k] if k in old and old[k].shape == v.shape else v for k, v in new.items()})


@torch.no_grad()
def begin_extra(head: Head, view: torch.Tensor, targets: Targets, first: int) -> None:
    """a name that only photos show starts as the mean of its photos, less the mean of all"""
    head.eval()
    v = torch.cat([torch.nn.functional.normalize(head(list(view[i:i + 512].float().unbind(1))), dim=1) for i in range(0, len(view), 512)])
    single = targets.member.sum(1) == 1
    for row in range(len(head.extra)):
        of = targets.member[:, first + row] & single
        head.extra[row] = v[of].mean(0) - v.mean(0) if of.any() else -v.mean(0)
    head.extra.div_(head.extra.norm(dim=1, keepdim=True))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--pack", required=True)
    parser.add_argument("--views", required=True)
    parser.add_argument("--logits", default="")
    parser.add_argument("--also", default="", help="PACK:FEATURES:LOGITS of further photos, with one view (Tiny-ImageNet's); without --logits PACK:FEATURES")
    parser.add_argument("--teachers", default="../shared/data/teachers")
    parser.add_argument("--from", dest="source", default="")
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--rate", type=float, default=1.0)
    parser.add_argument("--threads", type=int, default=0)
    a = parser.parse_args()
    if a.threads:
        torch.set_num_threads(a.threads)
    torch.manual_seed(0)
    catalogue, paths = Catalogue(a.teachers), Path(a.pack + ".txt").read_text().split("\n")
    rows = np.flatnonzero(split.read(a.pack) == "train")
    used, views = [paths[i] for i in rows], [np.load(f)[rows] for f in a.views.split(",")]
    logits = np.load(a.logits)[rows] if a.logits else None
    for pack, features, *opinion in (part.split(":") for part in a.also.split(",") if part):
        rows = np.flatnonzero(split.read(pack) == "train")
        names = Path(pack + ".txt").read_text().split("\n")
        used += [names[i] for i in rows]
        views = [np.concatenate([v, np.load(features)[rows]]) for v in views]
        logits = np.concatenate([logits, np.load(opinion[0])[rows]]) if a.logits else None
    views = [torch.from_numpy(v) for v in views]
    logits = torch.from_numpy(logits).float() if a.logits else None
    targets = Targets(members(catalogue, used), homes(catalogue, used), logits, trust(used), catalogue.kind())
    first = sum(CLASSES)
    head = Head(len(catalogue.names) - first, kind=catalogue.kind()[OFFSET[2]:first])
    if a.source:
        adopt(head, a.source)
    else:
        whole = torch.cat(views)
        for j, part in enumerate(logits.split(CLASSES, 1)):
            regress(head, j, whole[:, j].float(), part.repeat(len(views), 1))
        begin_extra(head, views[0], targets, first)
    tune(head, views, targets, catalogue.background, a.steps, a.rate)
    torch.save(head.state_dict(), a.out)
    print(a.out)


if __name__ == "__main__":
    main()
