"""Byte-level byte-pair encoding exactly as in OpenAI's CLIP, with a vocabulary learned from our own names.

R. Sennrich et al., "Neural Machine Translation of Rare Words with Subword Units" (ACL 2016). A word's last symbol carries "</w>";
the vocabulary is 256 bytes, the same with "</w>", the merges in order, then the start and the end token.

    python bpe.py FOLDER TEXT...     token ids of texts, by FOLDER's vocab.json and merges.txt
"""
import html
import json
import re
import sys
import unicodedata
from collections import Counter
from pathlib import Path

START, END, CONTEXT = "<|startoftext|>", "<|endoftext|>", 32
# CLIP's pattern has \p{L} and \p{N}, which Python's re lacks: numbers are listed, letters are what is left of \w.
NUMBERS = "".join(c for c in map(chr, range(0x20000)) if unicodedata.category(c)[0] == "N")
WORDS = re.compile(rf"'s|'t|'re|'ve|'m|'ll|'d|[^\W_{NUMBERS}]+|[{NUMBERS}]|(?:[^\s\w]|_)+", re.IGNORECASE)


def alphabet() -> list[str]:
    """the letter that stands for each byte: printable Latin-1 for itself, the rest from U+0100 on (GPT-2's table)"""
    plain = {*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)}
    rest = iter(range(256, 512))
    return [chr(b if b in plain else next(rest)) for b in range(256)]


def order() -> list[str]:
    """the 256 byte symbols as CLIP's file orders them: the printable ones first"""
    letters = alphabet()
    return sorted((x for x in letters if ord(x) < 256), key=ord) + [x for x in letters if ord(x) >= 256]


def clean(text: str) -> str:
    text = unicodedata.normalize("NFC", html.unescape(html.unescape(text)))
    return re.sub(r"\s+", " ", text).strip().lower()


def symbols(word: str) -> tuple[str, ...]:
    letters = alphabet()
    out = [letters[b] for b in word.encode()]
    return (*out[:-1], out[-1] + "</w>")


def joined(word: tuple[str, ...], pair: tuple[str, str]) -> tuple[str, ...]:
    out, i = [], 0
    while i < len(word):
        if word[i:i + 2] == pair:
            out.append(word[i] + word[i + 1])
            i += 2
        else:
            out.append(word[i])
            i += 1
    return tuple(out)


def learn(texts: list[str], size: int) -> list[tuple[str, str]]:
    """up to `size` merges, the most frequent pair first (ties: the first in order), while a pair occurs at least twice"""
    words = Counter(w for t in texts for w in WORDS.findall(clean(t)))
    split = {w: symbols(w) for w in words}
    where, count = {}, Counter()
    for w, s in split.items():
        for pair in zip(s, s[1:]):
            count[pair] += words[w]
            where.setdefault(pair, set()).add(w)
    merges = []
    while len(merges) < size and count:
        best = max(count.values())
        if best < 2:
            break
        pair = min(p for p, n in count.items() if n == best)
        merges.append(pair)
        for w in list(where[pair]):
            old, new = split[w], joined(split[w], pair)
            for p in zip(old, old[1:]):
                count[p] -= words[w]
                if count[p] <= 0:
                    del count[p]
            for p in zip(new, new[1:]):
                count[p] += words[w]
                where.setdefault(p, set()).add(w)
            split[w] = new
    return merges


class Tokenizer:
    def __init__(self, merges: list[tuple[str, str]]):
        base = order()
        self.symbols = [*base, *(x + "</w>" for x in base), *("".join(p) for p in merges), START, END]
        self.ids = {}
        for i, s in enumerate(self.symbols):
            self.ids.setdefault(s, i)
        self.rank = {p: i for i, p in reversed(list(enumerate(merges)))}
        self.merges = merges
        self._cache = {}

    def word(self, text: str) -> list[int]:
        if text not in self._cache:
            s = symbols(text)
            while len(s) > 1:
                pair = min(zip(s, s[1:]), key=lambda p: self.rank.get(p, 1 << 30))
                if pair not in self.rank:
                    break
                s = joined(s, pair)
            self._cache[text] = [self.ids[x] for x in s]
        return self._cache[text]

    def encode(self, text: str, context: int = CONTEXT) -> list[int]:
        """start, the text's tokens, end, zeros; too long a text is cut and still ends in the end token"""
        ids = [self.ids[START], *(i for w in WORDS.findall(clean(text)) for i in self.word(w)), self.ids[END]]
        if len(ids) > context:
            ids = [*ids[:context - 1], self.ids[END]]
        return ids + [0] * (context - len(ids))

    def save(self, folder: str) -> None:
        Path(folder, "vocab.json").write_text(json.dumps(self.ids, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
        lines = "".join(f"{a} {b}\n" for a, b in self.merges)
        Path(folder, "merges.txt").write_text("#version: 0.2\n" + lines, encoding="utf-8")


def load(folder: str) -> Tokenizer:
    lines = Path(folder, "merges.txt").read_text(encoding="utf-8").split("\n")[1:]
    return Tokenizer([tuple(line.split(" ")) for line in lines if line])


if __name__ == "__main__":
    tokenizer = load(sys.argv[1])
    for line in sys.argv[2:]:
        print(json.dumps(tokenizer.encode(line)), line)
