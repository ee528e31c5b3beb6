"""The manifest's numbers that are fitted on kept-back photos: the logit scale, and when the nearest exemplar's label is right.

    python calibrate.py EMBEDDINGS.npy NAMES.npy --pack PACK [--json OUT]
"""
import argparse
import json
from pathlib import Path

import numpy as np

import split
from catalogue import Catalogue
from figures import unit

SIZES = (5, 10, 20, 50, 100, 200)     # of candidate sets
SCALES = np.arange(5, 60, 0.1)
MOST_ERROR = 0.07                     # of the scale over SIZES, on photos of species that training showed
MEMORIES = (5, 10, 20, 50, 100, 200, 500, 1000, 2000)  # of exemplars


def candidate_sets(score: np.ndarray, truth: np.ndarray, names: np.ndarray, seed: int = 0) -> list[np.ndarray]:
    """For each size [photos, size] cosines, the true name's first. Half of the others are drawn from all names, half from the
    right name's own list, as label sets in use are of one kind or mixed."""
    rng, out = np.random.RandomState(seed), []
    for size in SIZES:
        rows = np.empty((len(score), size), np.float32)
        for i, t in enumerate(truth):
            pool = names if rng.rand() < 0.5 else names[max(0, np.searchsorted(names, t) - 250):np.searchsorted(names, t) + 250]
            others = rng.choice(pool[pool != t], size - 1, replace=False)
            rows[i] = score[i, np.concatenate([[t], others])]
        out.append(rows)
    return out


def log_loss(sets: list[np.ndarray], tau: float) -> float:
    loss = []
    for rows in sets:
        z = tau * (rows - rows.max(1, keepdims=True))
        loss.append((np.log(np.exp(z).sum(1)) - z[:, 0]).mean())
    return float(np.mean(loss))


def among_all(score: np.ndarray, truth: np.ndarray, names: np.ndarray) -> np.ndarray:
    """[photos, names] cosines to all names, the true name's first"""
    others = np.where(names[None] == truth[:, None], -1.0, score[:, names])
    return np.concatenate([score[np.arange(len(truth)), truth][:, None], others], 1)


def fit_scale(sets: list[np.ndarray], whole: np.ndarray) -> float:
    """The likeliest scale for candidate sets of all sizes and all names at once, where photos of species that no training photo
    showed (whole) count as much as the rest: among thousands of names they are named wrong with a certainty that the others
    have earned. Of the scales whose error over SIZES is small."""
    def loss(tau):
        return sum(log_loss([rows[part] for rows in sets], tau) for part in (whole, ~whole) if part.any())
    good = [tau for tau in SCALES if scale_error(sets[:len(SIZES)], tau)["all"] <= MOST_ERROR]
    return float(min(good or SCALES, key=loss))


def expected_error(confidence: np.ndarray, right: np.ndarray, bins: int = 15) -> float:
    """expected calibration error (Guo et al., ICML 2017), equal-width bins"""
    b = np.minimum((confidence * bins).astype(int), bins - 1)
    return float(sum(abs(confidence[b == k].mean() - right[b == k].mean()) * (b == k).mean() for k in np.unique(b)))


def scale_error(sets: list[np.ndarray], tau: float) -> dict:
    out, all_p, all_right = {}, [], []
    for size, rows in zip(SIZES, sets):
        p = np.exp(tau * (rows - rows.max(1, keepdims=True)))
        p /= p.sum(1, keepdims=True)
        all_p.append(p.max(1))
        all_right.append(p.argmax(1) == 0)
        out[str(size)] = round(expected_error(all_p[-1], all_right[-1]), 3)
    out["all"] = round(expected_error(np.concatenate(all_p), np.concatenate(all_right)), 3)
    return out


def nearest(v: np.ndarray, label: np.ndarray, seed: int = 0, draws: int = 12) -> tuple[np.ndarray, np.ndarray]:
    """Leave-one-out over memories of several sizes: cosine to the nearest, and whether it is right. Half of them are a workshop's
    (a few dozen labels with three photos or more), half are drawn from everything, with many labels that have no second photo."""
    rng, s, right = np.random.RandomState(seed), [], []
    several = np.array([c for c, n in zip(*np.unique(label, return_counts=True)) if n >= 3])
    for size in MEMORIES:
        for draw in range(draws):
            rows = np.arange(len(v))
            if draw % 2:
                few = rng.choice(several, min(len(several), max(3, size // 5)), replace=False)
                rows = rows[np.isin(label, few)]
            rows = rng.permutation(rows)[:size]
            if len(rows) < 4:
                continue
            cos = v[rows] @ v[rows].T
            np.fill_diagonal(cos, -2)
            at = cos.argmax(1)
            weight = min(len(rows), 60)  # every memory counts alike
            pick = rng.choice(len(rows), weight, replace=False)
            s.append(cos[pick, at[pick]])
            right.append(label[rows[at[pick]]] == label[rows[pick]])
    return np.concatenate(s), np.concatenate(right)


def fit_near(s: np.ndarray, right: np.ndarray) -> tuple[float, float]:
    """a and s0 of r = 1 / (1 + exp(-a (s1 - s0))), by maximum likelihood"""
    from sklearn.linear_model import LogisticRegression
    model = LogisticRegression(C=1e6).fit(s[:, None], right)
    a = float(model.coef_[0, 0])
    return a, float(-model.intercept_[0] / a)


def calibrate(v: np.ndarray, names: np.ndarray, catalogue: Catalogue, paths: list[str], words: np.ndarray) -> dict:
    rows = [catalogue.rows_of(p) for p in paths]
    truth = np.array([r[0] if len(r) == 1 else -1 for r in rows])
    held = np.isin(words, ("kept", "whole")) & (truth >= 0)
    v, known = unit(v[held]), np.setdiff1d(np.arange(len(names)), catalogue.background)
    score = v @ unit(names).T
    sets = candidate_sets(score, truth[held], known)
    tau = fit_scale([*sets, among_all(score, truth[held], known)], words[held] == "whole")
    s, right = nearest(v, truth[held])
    a, s0 = fit_near(s, right)
    r = 1 / (1 + np.exp(-a * (s - s0)))
    return {"logit_scale": round(tau, 2), "ece": scale_error(sets, tau), "near": {"slope": round(a, 2), "midpoint": round(s0, 4)},
            "near_ece": round(expected_error(r, right), 3), "near_right": round(float(right.mean()), 3)}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("embeddings")
    parser.add_argument("names")
    parser.add_argument("--pack", required=True)
    parser.add_argument("--teachers", default="../shared/data/teachers")
    parser.add_argument("--json", default="")
    a = parser.parse_args()
    paths = Path(a.pack + ".txt").read_text().split("\n")
    result = calibrate(np.load(a.embeddings), np.load(a.names), Catalogue(a.teachers), paths, split.read(a.pack))
    text = json.dumps(result, indent=1)
    print(text)
    if a.json:
        Path(a.json).write_text(text + "\n")


if __name__ == "__main__":
    main()
