"""Which text means which vector: names in both languages, and the taxa above them.

Reads the catalogue's rows and the product's vocabulary (internal/vocabulary/data). A meaning is a set of catalogue rows, whose
vectors are averaged: one row for a species that is known, its members for a genus, family, order or "warblers".
"""
import csv
from collections import defaultdict
from pathlib import Path

from catalogue import ROWS, Catalogue
from teacher import OFFSET

LISTED = {"birds": OFFSET[0], "insects": OFFSET[1]}
LEVELS = ("genus", "family", "order", "class")
HEAD_MEMBERS = 3  # a last word ("warbler") is a name of its own where at least so many known names end in it
PLURALS = (("flies", "fly"), ("ies", "y"), ("ches", "ch"), ("shes", "sh"), ("sses", "ss"), ("xes", "x"), ("ves", "f"), ("s", ""))
NOT_HEADS = {"of", "the", "and", "species", "common"}


def read(path: Path) -> list[dict]:
    with open(path, encoding="utf-8") as f:
        return list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))


def singular(text: str) -> str:
    for ending, instead in PLURALS:
        if text.lower().endswith(ending) and not text.lower().endswith("ss"):
            return text[:len(text) - len(ending)] + instead
    return text


def spread(expression: str) -> list[int]:
    """'0|399-401' -> [0, 399, 400, 401]"""
    out = []
    for part in filter(None, expression.split("|")):
        low, _, high = part.partition("-")
        out += range(int(low), int(high or low) + 1)
    return out


class Lexicon:
    """meaning: text -> tuple of rows. parents: text -> texts to fall back to, the nearest first. unknown: texts that mean nothing.
    seen: scientific names the rows show directly. weak: rows whose vectors were not borne out by kept-back photos: left out, so that
    their names fall back."""

    def __init__(self, catalogue: Catalogue, vocabulary: str, plants: str = "", weak: frozenset = frozenset()):
        self.catalogue, self.weak, self.meaning, self.parents, self.seen = catalogue, weak, {}, {}, []
        self._lineage(Path(vocabulary))
        self._taxa(Path(vocabulary))
        self._rows()
        self._groups(Path(vocabulary))
        self._fall_back()
        self._heads()
        self.unknown = self._unknown(plants)

    def _say(self, text: str, rows) -> None:
        text = text.strip()
        if text and rows:
            self.meaning.setdefault(text.lower(), tuple(sorted(set(rows))))

    def _lineage(self, folder: Path) -> None:
        self.lineage = {}
        for name in ("birds", "insects", "others"):
            for line in read(folder / f"genera_{name}.tsv"):
                self.lineage.setdefault(line["genus"], (line["genus"], line["family"], line["order"], line["class"]))

    def above(self, scientific: str) -> list[str]:
        """genus, family, order and class of a scientific name; a name above the genus gives what the tables know"""
        return [x for x in self.lineage.get(scientific.split(" ")[0], (scientific.split(" ")[0],)) if x]

    def _taxa(self, folder: Path) -> None:
        """the vocabulary's taxa and the rows that name each directly"""
        rows = defaultdict(list)
        for line in read(folder / "labels.tsv"):
            if line["rank"] != "none":
                rows[line["scientific"]].append(LISTED[line["list"]] + int(line["label"]))
        self.taxa = []
        for name in ("birds", "insects", "others", "imagenet"):
            for line in read(folder / f"{name}.tsv"):
                self.taxa.append(line)
                if line.get("label") and not rows[line["scientific"]]:
                    rows[line["scientific"]] += [OFFSET[2] + i for i in spread(line["label"]) if i]
                found = self.catalogue.find(line["scientific"], ("photos",)) if line["scientific"] else None
                if found is not None and found not in self.weak and not rows[line["scientific"]]:
                    rows[line["scientific"]].append(found)
        self.direct = {k: v for k, v in rows.items() if v}

    def _texts(self, line: dict) -> list[str]:
        return [line["scientific"], line["english"], *line["synonyms"].split("|")]

    def _rows(self) -> None:
        for line in self.taxa:
            if found := self.direct.get(line["scientific"]):
                for text in self._texts(line):
                    self._say(text, found)
                if line["scientific"]:
                    self.seen.append(line["scientific"])
        aliases = self.catalogue.aliases()
        for row, name in enumerate(self.catalogue.names):
            if row not in self.catalogue.background and row not in self.weak:
                for text in (name.scientific, name.english, *name.english.split(",")):
                    self._say(text, aliases.get(row, [row]))
                if name.scientific and row >= ROWS:
                    self.seen.append(name.scientific)
                    self.direct.setdefault(name.scientific, [row])
        self.seen = sorted(set(self.seen))

    def _groups(self, folder: Path) -> None:
        """genera, families, orders, classes: the mean of their members"""
        member, english = defaultdict(set), {}
        for name in self.direct:
            for taxon in self.above(name):
                member[taxon] |= set(self.direct[name])
            if " " not in name:
                member[name] |= set(self.direct[name])
        for line in read(folder / "clades.tsv"):
            for inside in filter(None, line["members"].split("|")):
                member[line["scientific"]] |= member.get(inside, set())
            member[line["parent"]] |= member[line["scientific"]]
        for line in read(folder / "higher.tsv"):
            english[line["scientific"]] = line["english"]
        self.member = {k: v for k, v in member.items() if v}
        for taxon, rows in self.member.items():
            self._say(taxon, self.direct.get(taxon, rows))
            for text in (english.get(taxon, ""), singular(english.get(taxon, ""))):
                self._say(text, self.direct.get(taxon, rows))

    def _fall_back(self) -> None:
        """a taxon of the vocabulary that nothing shows means its genus, family or order, if something shows that"""
        for line in self.taxa:
            name = line["scientific"]
            above = [x for x in self.above(name)[:3] if x in self.member]
            for text in self._texts(line):
                if text and name not in self.direct and above:
                    self._say(text, self.member[above[0]])
                if text:
                    self.parents[text.lower()] = [x.lower() for x in above[:1]]

    def _heads(self) -> None:
        ending = defaultdict(set)
        for row, name in enumerate(self.catalogue.names):
            if row in self.catalogue.background or row in self.weak or not (row < OFFSET[2] or row >= ROWS):
                continue
            for text in name.english.split(","):
                words = text.lower().replace("-", " ").split()
                if len(words) > 1 and words[-1] not in NOT_HEADS:
                    ending[words[-1]].add(row)
        self.heads = {w: rows for w, rows in ending.items() if len(rows) >= HEAD_MEMBERS}
        for word, rows in self.heads.items():
            self._say(word, rows)

    def back_off(self, text: str) -> str | None:
        """the text that a name falls back to if nothing is known of itself: its genus, else its last word"""
        if up := self.parents.get(text):
            return up[0]
        words = text.replace("-", " ").split()
        if len(words) > 1:
            for word in (words[0], words[-1]):
                if word in self.meaning and (word.capitalize() in self.member or word in self.heads):
                    return word
        return None

    def _unknown(self, plants: str) -> list[str]:
        texts = [t for line in self.taxa for t in self._texts(line)]
        if plants:
            texts += [t for line in read(Path(plants)) for t in (line["scientific_name"] or "", line["common_name"] or "")]
        return sorted({t.lower() for t in texts if t and t.lower() not in self.meaning})
