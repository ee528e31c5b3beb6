"""The text tower: from a name, however it is written, to its vector.

A small network reads the tokens and makes a unit query; sharp attention over one key for each known text finds the vector that it
means. What is near no key gets "none": a vector that no photo resembles, with a little of the query in it so that two unknown
names differ. What it learns is spelling: prompts don't matter, an unknown species falls back to its genus, an unknown "... warbler"
to the warblers, an invented name to none. Looks come from the name vectors, which the heads learned.

    python text.py TOWER.pt [--minutes 10] [--resume]       learns to read; export.py adds the vectors
"""
import argparse
import random
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

import bpe
import split
from catalogue import Catalogue
from head import DIM
from lexicon import Lexicon

PROMPTS = ("{}", "a photo of a {}.", "a photo of an {}.", "a photo of the {}.", "a photo of {}, a type of animal.", "a picture of a {}",
           "photo of {}", "a close-up photo of a {}.", "{} in the wild", "a photo of a {}, a species of bird.", "a blurry photo of a {}.",
           "an image of {}.", "a {}.", "the {}", "a photo of many {}.", "{}, a type of plant", "a nature photograph of {}.")
CLOSE = 4           # how many keys an answer may mix
SHARP = 60.0        # attention's inverse temperature once trained
LEARN_SHARP = 25.0  # and while it learns: leaves a margin
NONE_AT = 0.62      # the cosine below which a key is no better than none
OWN = 0.35          # how much of an unknown name's vector is its own


class Reader(nn.Module):
    """ids int64 [n,context] -> unit queries [n,width]: embeddings, two convolutions, a weighed sum over positions"""

    def __init__(self, symbols: int, width: int = 128, embed: int = 96, hidden: int = 192):
        super().__init__()
        self.end = symbols - 1
        self.embed = nn.Embedding(symbols, embed)
        self.conv1 = nn.Conv1d(embed, hidden, 3, padding=1)
        self.conv2 = nn.Conv1d(hidden, hidden, 3, padding=1)
        self.out = nn.Conv1d(hidden, width + 1, 1)
        self.plain = nn.Conv1d(embed, width, 1)
        nn.init.normal_(self.embed.weight, std=0.3)

    def forward(self, ids):
        ended = torch.cumsum((ids == self.end).to(torch.int32), 1)
        inside = ((ended == 0) & (ids != self.end - 1)).unsqueeze(1).to(torch.float32)
        x = self.embed(ids).transpose(1, 2) * inside
        h = torch.relu(self.conv1(x)) * inside
        h = torch.relu(self.conv2(h)) * inside
        y = self.out(h)
        weight = F.softplus(y[:, :1]) * inside
        q = ((y[:, 1:] + self.plain(x)) * weight).sum(2)
        return q / q.norm(dim=1, keepdim=True).clamp(min=1e-6)


class Tower(nn.Module):
    """the reader, the keys, and for every key the row of its vector. Vectors are kept by block: a name of one list has no other."""

    def __init__(self, reader: Reader, keys, row, tables, none, own):
        super().__init__()
        self.reader = reader
        for name, value in dict(keys=keys, row=row, none=none, own=own, **{f"table{j}": t for j, t in enumerate(tables)}).items():
            self.register_buffer(name, value)

    def vectors(self) -> torch.Tensor:
        from head import BLOCKS, START
        parts = [F.pad(self.get_buffer(f"table{j}"), (s, DIM - s - d)) for j, (s, d) in enumerate(zip(START, BLOCKS))]
        return torch.cat([*parts, self.table3])

    def forward(self, input_ids):
        q = self.reader(input_ids)
        top, at = torch.topk(q @ self.keys.T, CLOSE, dim=1)
        share = torch.softmax(SHARP * torch.cat([top, torch.full_like(top[:, :1], NONE_AT)], 1), 1)
        known = (self.vectors()[self.row[at]] * share[:, :CLOSE].unsqueeze(2)).sum(1)
        v = known + share[:, CLOSE:] * (self.none + q @ self.own)
        return v / v.norm(dim=1, keepdim=True)


def invented(rng: random.Random, words: list[str], known: dict) -> str:
    """a name that nobody has: two halves of words, once or twice, or two whole words that don't belong together"""
    def half(): return rng.choice(words)[:rng.randint(2, 6)] + rng.choice(words)[-rng.randint(2, 6):]
    while True:
        name = " ".join(rng.choice((half, half, lambda: rng.choice(words)))() for _ in range(rng.randint(1, 3)))
        if name not in known:
            return name


class Lessons:
    """endless pairs (text as someone may write it, what it should find, whether its own keys are hidden)"""

    def __init__(self, lexicon: Lexicon, seed: int = 0):
        self.lexicon, self.rng = lexicon, random.Random(seed)
        self.texts = list(lexicon.meaning)
        meanings = {m: i for i, m in enumerate(dict.fromkeys(lexicon.meaning.values()))}
        self.row = [meanings[lexicon.meaning[t]] for t in self.texts]
        self.meanings, self.place = list(meanings), {t: i for i, t in enumerate(self.texts)}
        self.words = sorted({w for t in self.texts for w in t.replace("-", " ").split() if len(w) > 3})
        self.hard = []  # places of texts that are easily taken for another, such as "pica pica" for "pica"
        self.genus = [t for t in self.texts if " " not in t and t.capitalize() in lexicon.member]

    def write(self, name: str) -> str:
        if self.rng.random() < 0.15:
            name = name.replace("-", " ") if "-" in name else name.replace("'s", "s")
        return self.rng.choice(PROMPTS).format(name) if self.rng.random() < 0.6 else name

    def one(self) -> tuple[str, int, int, bool]:
        """(text, key that the canonical text is or -1, row to find or -1 for none, hide keys of the same meaning)"""
        roll, rng, lexicon = self.rng.random(), self.rng, self.lexicon
        if roll < 0.48:
            i = rng.choice(self.hard) if self.hard and rng.random() < 0.3 else rng.randrange(len(self.texts))
            return self.write(self.texts[i]), i, self.row[i], False
        if roll < 0.64:  # as if it had never been heard of: what is left is its genus, or its last word
            i = rng.randrange(len(self.texts))
            up = lexicon.back_off(self.texts[i])
            lost = up is None or up not in self.place or lexicon.meaning[up] == lexicon.meaning[self.texts[i]]
            return self.write(self.texts[i]), i, -1 if lost or up.split()[0] not in self.texts[i].replace("-", " ").split() else self.row[self.place[up]], True
        if roll < 0.75:
            genus = rng.choice(self.genus)
            return self.write(genus + " " + rng.choice(self.words)), -1, self.row[self.place[genus]], False
        if roll < 0.85:
            name = rng.choice(lexicon.unknown)
            up = lexicon.back_off(name)
            return self.write(name), -1, self.row[self.place[up]] if up in self.place else -1, False
        return self.write(invented(rng, self.words, lexicon.meaning)), -1, -1, False


def encode(tokenizer, texts: list[str]) -> torch.Tensor:
    return torch.tensor([tokenizer.encode(t) for t in texts])


@torch.no_grad()
def all_keys(reader: Reader, ids: torch.Tensor) -> torch.Tensor:
    return torch.cat([reader(ids[i:i + 1024]) for i in range(0, len(ids), 1024)])


@torch.no_grad()
def confusable(bank: torch.Tensor, row: torch.Tensor, cosine: float = 0.85) -> list[int]:
    """places of the keys that lie closer than this to a key of another meaning"""
    out = []
    for i in range(0, len(bank), 512):
        near = (bank[i:i + 512] @ bank.T).masked_fill(row[None] == row[i:i + 512, None], -1.0).amax(1)
        out += (torch.where(near > cosine)[0] + i).tolist()
    return out


def learn(reader: Reader, lessons: Lessons, tokenizer, minutes: float, device: str, batch: int = 192) -> None:
    """cross-entropy of finding a key of the right meaning (or none) among all keys; keys are refreshed every 20 steps"""
    ids, row = encode(tokenizer, lessons.texts).to(device), torch.tensor(lessons.row, device=device)
    optimiser = torch.optim.AdamW(reader.parameters(), lr=2e-3, weight_decay=1e-3)
    began, step, right, total = time.time(), 0, 0, 0
    while (fraction := (time.time() - began) / 60 / minutes) < 1:
        optimiser.param_groups[0]["lr"] = 2e-3 * min(1, step / 50 + 0.02) * min(1, 1.02 - fraction)
        if step % 20 == 0:
            bank = all_keys(reader, ids)
        if step % 200 == 0:
            lessons.hard = confusable(bank, row)
        text, key, want, hide = (list(z) for z in zip(*(lessons.one() for _ in range(batch))))
        key, want, hide = (torch.tensor(z, device=device) for z in (key, want, hide))
        token = encode(tokenizer, text).to(device)
        token = token[:, :int((token != 0).sum(1).max())]
        q = reader(token)
        score = q @ bank.T
        own = torch.where((key >= 0) & ~hide)[0]
        mine = reader(ids[key[own]])  # these keys with a gradient
        score = score.index_put((own, key[own]), (q[own] * mine).sum(1))
        hidden = hide[:, None] & (row[None] == row[key.clamp(min=0)][:, None])
        score = LEARN_SHARP * torch.cat([score.masked_fill(hidden, -1.0), torch.full_like(score[:, :1], NONE_AT)], 1)
        good = torch.cat([row[None] == want[:, None], (want < 0)[:, None]], 1)
        loss = (torch.logsumexp(score, 1) - torch.logsumexp(score.masked_fill(~good, -1e4), 1)).mean()
        loss = loss + 2 * (1 - (q[own] * mine).sum(1)).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        right, total, step = right + good.gather(1, score.argmax(1, keepdim=True)).sum().item(), total + batch, step + 1
        if step % 200 == 0:
            print(f"{(time.time() - began) / 60:.1f} min step {step} loss {loss.item():.3f} right {100 * right / total:.1f} %, confusable {len(lessons.hard)}", flush=True)
            right = total = 0


def none_vectors(v: np.ndarray, width: int, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """The vector of no name [512], and a map [width,512] that gives each unknown name something of its own.

    None: away from the mean of all photos, which every photo scores low on. Own: random directions in the 96 in which photos vary
    least, so that what is added says nothing about looks. v: unit embeddings of training photos."""
    none = -v.mean(0) / np.linalg.norm(v.mean(0))
    _, axes = np.linalg.eigh(v.T @ v / len(v))
    own = np.random.RandomState(seed).randn(width, 96) @ axes[:, :96].T
    own *= OWN / np.linalg.norm(own, axis=1).mean()
    return torch.tensor(none, dtype=torch.float32), torch.tensor(own, dtype=torch.float32)


def tables(meanings: list[tuple], names: np.ndarray) -> tuple[list[torch.Tensor], list[int]]:
    """unit vectors of the meanings, by block (three of one list alone, then the rest), and each meaning's place in that order"""
    from head import BLOCKS, START
    parts, where = [[], [], [], []], []
    for rows in meanings:
        v = names[list(rows)].mean(0)
        v = v / np.linalg.norm(v)
        home = [j for j, (s, d) in enumerate(zip(START, BLOCKS)) if np.abs(v[s:s + d]).max() > 1e-6]
        j = home[0] if len(home) == 1 else 3
        where.append((j, len(parts[j])))
        parts[j].append(v[START[j]:START[j] + BLOCKS[j]] if j < 3 else v)
    begin = np.cumsum([0] + [len(p) for p in parts])
    out = [torch.tensor(np.array(p, "f4").reshape(len(p), (*BLOCKS, DIM)[j])) for j, p in enumerate(parts)]
    return out, [int(begin[j] + i) for j, i in where]


def weak_rows(path: str) -> frozenset:
    return frozenset(map(int, Path(path).read_text().split())) if path else frozenset()


def build(reader: Reader, lessons: Lessons, tokenizer, names: np.ndarray, v: np.ndarray) -> Tower:
    keys = all_keys(reader, encode(tokenizer, lessons.texts))
    table, place = tables(lessons.meanings, names)
    none, own = none_vectors(v, keys.shape[1])
    row = torch.tensor([place[i] for i in lessons.row])
    return Tower(reader, keys, row, table, none, own).eval()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--teachers", default="../shared/data/teachers")
    parser.add_argument("--vocabulary", default=str(Path(__file__).parents[2] / "internal/vocabulary/data"))
    parser.add_argument("--merges", type=int, default=6000)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--resume", action="store_true", help="go on from OUT's reader where its tokens are the same")
    parser.add_argument("--threads", type=int, default=0)
    a = parser.parse_args()
    if a.threads:
        torch.set_num_threads(a.threads)
    torch.manual_seed(0)
    catalogue = Catalogue(a.teachers)
    lexicon = Lexicon(catalogue, a.vocabulary, f"{a.teachers}/plant_labels.tsv")
    lessons = Lessons(lexicon)
    old = torch.load(a.out) if a.resume and Path(a.out).exists() else None
    merges = old["merges"] if old else bpe.learn(lessons.texts + lexicon.unknown + [p.format("") for p in PROMPTS] * 20, a.merges)
    tokenizer = bpe.Tokenizer(merges)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    reader = Reader(len(tokenizer.symbols)).to(device)
    if old:
        reader.load_state_dict(old["reader"])
    print(f"{len(lessons.texts)} texts, {len(lessons.meanings)} meanings, {len(tokenizer.symbols)} symbols", flush=True)
    learn(reader, lessons, tokenizer, a.minutes, device)
    torch.save(dict(merges=merges, reader=reader.cpu().state_dict()), a.out)


if __name__ == "__main__":
    main()
