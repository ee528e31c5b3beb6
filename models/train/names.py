"""Does the text tower find what it should? Known names, prompts, back-off and unknown names, through an exported folder's tower.

    python names.py TOWER.pt --names NAMES.npy --embeddings E.npy --pack PACK [--json OUT]
"""
import argparse
import json
import random
from pathlib import Path

import numpy as np
import torch

import bpe
import split
import text
from catalogue import Catalogue
from figures import percent, unit
from lexicon import Lexicon


@torch.no_grad()
def vectors(tower, tokenizer, names: list[str]) -> np.ndarray:
    ids = text.encode(tokenizer, names)
    return torch.cat([tower(ids[i:i + 256]) for i in range(0, len(ids), 256)]).numpy()


def measure(tower, tokenizer, lessons, lexicon, v: np.ndarray) -> dict:
    """v: unit embeddings of kept-back photos"""
    target = tower.vectors().numpy()[tower.row.numpy()]
    out = {}
    for title, prompt in (("as it is", "{}"), ("in the prompt", "a photo of a {}."), ("capitals", None)):
        written = [t.upper() if prompt is None else prompt.format(t) for t in lessons.texts]
        cos = (vectors(tower, tokenizer, written) * target).sum(1)
        out[f"known names, {title}: share at cosine 0.99"] = percent(cos >= 0.99)
        out[f"known names, {title}: least cosine"] = round(float(cos.min()), 3)
    rng = random.Random(7)
    genera = [g for g in lessons.genus if len(lexicon.meaning[g]) > 1]
    asked = [f"a photo of a {g} {rng.choice(('fictus', 'imaginarius', 'quenthoides', 'novalis'))}." for g in genera]
    near = (vectors(tower, tokenizer, asked) * np.stack([target[lessons.place[g]] for g in genera])).sum(1)
    out["unknown species of a known genus: share at cosine 0.95 to the genus"] = percent(near >= 0.95)
    strange = [text.invented(rng, lessons.words, lexicon.meaning) for _ in range(400)]
    strangers = vectors(tower, tokenizer, [f"a photo of a {s}." for s in strange])
    none = tower.none.numpy() / np.linalg.norm(tower.none.numpy())
    out["invented names: share that are none"] = percent(strangers @ none >= 0.8)
    is_none = strangers[strangers @ none >= 0.8]
    apart = is_none @ is_none.T
    out["unknown names: greatest cosine between two"] = round(float(apart[~np.eye(len(apart), dtype=bool)].max()), 4)
    known = np.unique(tower.row.numpy())
    typical = v @ tower.vectors().numpy()[known].T
    strange_cos = v @ is_none.T
    for whose, what, value in (("an unknown", "mean", strange_cos.mean()), ("an unknown", "99th percentile", np.percentile(strange_cos, 99)),
                               ("a known", "mean", typical.mean()), ("their likeliest", "mean", typical.max(1).mean())):
        out[f"photos' cosine to {whose} name, {what}"] = round(float(value), 3)
    return out


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("tower")
    parser.add_argument("--names", required=True)
    parser.add_argument("--embeddings", required=True)
    parser.add_argument("--pack", required=True)
    parser.add_argument("--teachers", default="../shared/data/teachers")
    parser.add_argument("--vocabulary", default=str(Path(__file__).parents[2] / "internal/vocabulary/data"))
    parser.add_argument("--json", default="")
    parser.add_argument("--weak", default="", help="from figures.py: rows to leave out")
    a = parser.parse_args()
    lexicon = Lexicon(Catalogue(a.teachers), a.vocabulary, f"{a.teachers}/plant_labels.tsv", text.weak_rows(a.weak))
    kept, lessons, words = torch.load(a.tower), text.Lessons(lexicon), split.read(a.pack)
    tokenizer = bpe.Tokenizer(kept["merges"])
    reader = text.Reader(len(tokenizer.symbols))
    reader.load_state_dict(kept["reader"])
    v = unit(np.load(a.embeddings))
    tower = text.build(reader.eval(), lessons, tokenizer, np.load(a.names), v[words == "train"])
    result = measure(tower, tokenizer, lessons, lexicon, v[np.isin(words, ("kept", "whole"))])
    for title, value in result.items():
        print(f"{title:65s} {value}")
    if a.json:
        Path(a.json).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
