"""What an encoder scores on the photos that were kept back. Every figure of the model card comes from here.

    python figures.py EMBEDDINGS.npy NAMES.npy --pack PACK [--json OUT]     embeddings float [n,512] of the pack's photos, names float [m,512]

By name: each photo against the names of its own set's classes that the teachers' lists have ("own"), and against all of the
lists' names at once ("all"; 2,985). `extra`: classes that only the photos name, among all names there are.
Kind: whether the likeliest of the lists' names is of the right kind (bird, insect, another organism).
Probe: logistic regression, C = 0.316, half of each class, three draws, on raw embeddings (METHOD.md section 3).
"""
import argparse
import json
from pathlib import Path

import numpy as np

import split
from catalogue import ROWS, Catalogue
from teacher import OFFSET

BORNE_OUT = 10
KINDS = ("bird", "insect", "another organism", "thing")
MONKEYS = ("orangutan", "gorilla", "chimpanzee", "gibbon", "siamang", "patas", "baboon", "macaque", "langur", "colobus", "proboscis monkey", "marmoset", "capuchin", "howler monkey", "titi",
           "spider monkey", "squirrel monkey", "guenon")


def unit(x: np.ndarray) -> np.ndarray:
    return x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-9)


def percent(right: np.ndarray) -> float:
    return round(100 * float(np.mean(right)), 1) if len(right) else float("nan")


def by_name(score: np.ndarray, truth: np.ndarray, chosen: np.ndarray) -> tuple[float, float, int, int]:
    """top-1 in percent among the chosen photos' own names and among all of the lists', number of names, of photos"""
    own = np.unique(truth[chosen])
    restricted = own[score[chosen][:, own].argmax(1)] == truth[chosen]
    return percent(restricted), percent(score[chosen][:, :ROWS].argmax(1) == truth[chosen]), len(own), int(chosen.sum())


def probe(x: np.ndarray, y: np.ndarray) -> float | None:
    """None where fewer than two classes have two photos, one to learn and one to ask"""
    from sklearn.linear_model import LogisticRegression
    classes = [c for c in np.unique(y) if (y == c).sum() > 1]
    if len(classes) < 2:
        return None
    x, y, out = x[np.isin(y, classes)], y[np.isin(y, classes)], []
    for seed in range(3):
        order = np.random.RandomState(seed)
        train = np.zeros(len(y), bool)
        for c in np.unique(y):
            rows = order.permutation(np.flatnonzero(y == c))
            train[rows[:len(rows) // 2]] = True
        model = LogisticRegression(C=0.316, max_iter=1000).fit(x[train], y[train])
        out.append((model.predict(x[~train]) == y[~train]).mean())
    return round(100 * float(np.mean(out)), 1)


def one_taught(x: np.ndarray, y: np.ndarray) -> float:
    """ten species, one photo of each taught, the others named by the nearest: mean over which photo is taught"""
    v, out = unit(x), []
    classes = [np.flatnonzero(y == c) for c in np.unique(y)]
    for turn in range(min(map(len, classes))):
        taught = np.array([rows[turn] for rows in classes])
        asked = np.setdiff1d(np.arange(len(y)), taught)
        out.append(y[taught[(v[asked] @ v[taught].T).argmax(1)]] == y[asked])
    return percent(np.concatenate(out))


def measure(v: np.ndarray, names: np.ndarray, catalogue: Catalogue, paths: list[str], words: np.ndarray) -> dict:
    held = np.isin(words, ("kept", "whole"))
    sets = np.array([p.split("/")[0] for p in paths])
    rows = [catalogue.rows_of(p) for p in paths]
    truth = np.array([r[0] if len(r) == 1 else -1 for r in rows])
    score = unit(v) @ unit(names).T
    score[:, catalogue.background] = -9
    out = {}

    def add(title, chosen):
        if chosen.any():
            out[title] = by_name(score, truth, chosen)

    listed = (truth >= 0) & (truth < ROWS)
    bird, insect = truth < OFFSET[1], (truth >= OFFSET[1]) & (truth < OFFSET[2])
    add("birds525", held & (sets == "birds525") & listed & bird)
    add("cub832", held & (sets == "cub832") & listed & bird)
    add("butterflies", held & (sets == "butterflies") & insect)
    add("butterflies, whole species kept back", (words == "whole") & insect)
    add("dog_breeds120", held & (sets == "dog_breeds120") & listed)
    add("imagenet1_nature", held & (sets == "imagenet1_nature") & listed)
    ape = {catalogue.find(m, ("imagenet",)) for m in MONKEYS}
    add("monkeys", held & np.isin(truth, list(ape)))
    last = words == "whole"
    species = np.array([p.rsplit("/", 1)[0] for p in paths])
    if len(np.unique(species[last])) > 1:
        out["probe ten butterflies"] = probe(v[last], species[last])
        out["one taught, ten butterflies"] = one_taught(v[last], species[last])
    for group in ("flowers12", "popular_animals22"):
        chosen = held & (sets == group)
        if len(np.unique(species[chosen])) > 1:
            out[f"probe {group}"] = probe(v[chosen], species[chosen])
    if score.shape[1] > ROWS:
        extra = held & (truth >= ROWS) & (words == "kept")
        out["extra"] = percent(score[extra].argmax(1) == truth[extra]), int(len(np.unique(truth[extra]))), int(extra.sum())
        for group in ("birds525", "butterflies", "flowers12", "grocery_fruitveg"):
            chosen = extra & (sets == group)
            out[f"extra {group}"] = percent(score[chosen].argmax(1) == truth[chosen]), int(len(np.unique(truth[chosen]))), int(chosen.sum())
        own = held & listed & np.isin(sets, ("birds525", "butterflies"))
        out["listed, among all names with the extra"] = percent(score[own].argmax(1) == truth[own]), int(own.sum())
    kind = catalogue.kind()[score[:, :ROWS].argmax(1)]
    for group, right in (("birds525", 0), ("butterflies", 1), ("insects5", 1), ("pests12", 1), ("dog_breeds120", 2), ("flowers12", 2)):
        chosen = held & (sets == group)
        out[f"kind of {group}"] = percent(kind[chosen] == right), KINDS[right], int(chosen.sum())
    return out


def small_pictures(v: np.ndarray, names: np.ndarray, catalogue: Catalogue, paths: list[str], words: np.ndarray) -> dict:
    """Tiny-ImageNet's kept-back organisms, 64 px, enlarged: the trunk saw them as views, the heads never"""
    kind = catalogue.kind()
    truth = np.array([catalogue.find(p.split("/")[-2], ("imagenet",)) for p in paths])
    score = unit(v) @ unit(names).T
    score[:, catalogue.background] = -9
    monkey = {catalogue.find(m, ("imagenet",)) for m in MONKEYS}
    groups = {"tiny organisms": kind[truth] < 3, "tiny things": kind[truth] == 3, "tiny primates": np.isin(truth, list(monkey))}
    chosen = {title: rows & (words == "kept") for title, rows in groups.items()}
    return {title: by_name(score, truth, rows) for title, rows in chosen.items() if rows.any()}


def weak(v: np.ndarray, names: np.ndarray, catalogue: Catalogue, paths: list[str], words: np.ndarray) -> list[int]:
    """Rows that only photographs name and that kept-back photos don't bear out: none was kept, or the median place of the right
    name among all names is beyond BORNE_OUT."""
    score = unit(v) @ unit(names).T
    score[:, catalogue.background] = -9
    places = {row: [] for row in range(ROWS, len(names))}
    for i in np.flatnonzero(words == "kept"):
        rows = catalogue.rows_of(paths[i])
        if len(rows) == 1 and rows[0] >= ROWS:
            places[rows[0]].append(int((score[i] > score[i, rows[0]]).sum()) + 1)
    return [row for row, place in places.items() if not place or np.median(place) > BORNE_OUT]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("embeddings")
    parser.add_argument("names")
    parser.add_argument("--pack", required=True)
    parser.add_argument("--teachers", default="../shared/data/teachers")
    parser.add_argument("--json", default="")
    parser.add_argument("--tiny", default="", help="embeddings of Tiny-ImageNet's pack")
    parser.add_argument("--tiny-pack", default="tiny160")
    parser.add_argument("--weak", default="", help="write here the rows that kept-back photos don't bear out")
    a = parser.parse_args()
    paths = Path(a.pack + ".txt").read_text().split("\n")
    of = np.load(a.embeddings).astype("f4"), np.load(a.names).astype("f4"), Catalogue(a.teachers), paths, split.read(a.pack)
    result = measure(*of)
    if a.tiny:
        result |= small_pictures(np.load(a.tiny), of[1], of[2], Path(a.tiny_pack + ".txt").read_text().split("\n"), split.read(a.tiny_pack))
    if a.weak:
        rows = weak(*of)
        Path(a.weak).write_text("".join(f"{row}\n" for row in rows))
        result["names of the photographs, borne out by kept-back photos"] = len(of[1]) - ROWS - len(rows)
    for title, value in result.items():
        print(f"{title:45s} {value}")
    if a.json:
        Path(a.json).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
