"""The names: rows of the three teachers' lists laid end to end, then the names that only the photographs show.

A photo's label is a set of rows: one for a species, many for "a beetle" or for a set of which only the group is known.
"""
import csv
import re
from collections import namedtuple
from pathlib import Path

import numpy as np

from teacher import BACKGROUND, CLASSES, LISTS, OFFSET

Name = namedtuple("Name", "list scientific english")  # english: synonyms separated by ", "; list: a teacher's, or "photos"
ROWS = sum(CLASSES)
# The list whose names a set's classes are looked up in; every photo of the set shows something of that list.
HOME = {"birds525": "bird", "cub832": "bird", "butterflies": "insect", "agripests": "insect"}
IMAGENET_BIRDS = [i + 1 for i in (*range(7, 25), *range(80, 101), *range(127, 147))]
IMAGENET_INSECTS = [i + 1 for i in range(300, 327)]
IMAGENET_ORGANISMS = [i + 1 for i in (*range(0, 398), *range(984, 999), *range(936, 958))]


def key(text: str) -> str:
    """how names are compared: lower case, words joined by underscores, no apostrophes, gray for grey"""
    return re.sub(r"[^a-z0-9]+", "_", text.lower().replace("'", "").replace("grey", "gray")).strip("_")


class Catalogue:
    """names: list of Name by row. rows_of(photo path) -> the rows that are right for it, or none."""

    def __init__(self, teachers: str, classes: str = str(Path(__file__).parent / "photo_classes.tsv")):
        self.names = []
        for name in LISTS:
            with open(f"{teachers}/{name}_labels.tsv", encoding="utf-8") as f:
                lines = list(csv.reader(f, delimiter="\t"))[1:]
            self.names += [Name(name, row[1], row[2] if len(row) > 2 else "") for row in lines]
        assert len(self.names) == ROWS
        self.background = [o + b for o, b in zip(OFFSET, BACKGROUND)]
        self._by_key = {name: {} for name in (*LISTS, "photos")}
        for row, name in enumerate(self.names):
            self._index(row, name)
        with open(classes, encoding="utf-8") as f:
            self._classes = {line["class"]: line for line in csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE)}
        self._cache = {}
        for cls, line in self._classes.items():
            self._define(cls, line)

    def _index(self, row: int, name: Name) -> None:
        if row in self.background:
            return
        for text in (name.scientific, name.english, *name.english.split(",")):
            if text.strip():
                self._by_key[name.list].setdefault(key(text), row)

    def find(self, text: str, lists=(*LISTS, "photos")) -> int | None:
        """the row of a name, or None; earlier lists win"""
        for name in lists:
            if (row := self._by_key[name].get(key(text))) is not None:
                return row
        return None

    def _define(self, cls: str, line: dict) -> None:
        scientific, english = line["scientific"] or "", line["english"] or ""
        if line["group"]:
            self._cache[cls] = self._group(line["group"])
            return
        row = self.find(scientific) if scientific else self.find(english, ("photos",))
        if row is None and scientific:
            row = self.find(english, ("bird", "insect"))  # the same species under another scientific name
        if row is None:
            row = len(self.names)
            self.names.append(Name("photos", scientific, english))
            self._index(row, self.names[row])
        self._cache[cls] = (row,)

    def _group(self, expression: str) -> tuple[int, ...]:
        """'imagenet:3-5,insect:*' -> rows"""
        rows = []
        for part in expression.split(","):
            name, span = part.split(":")
            j = LISTS.index(name)
            low, _, high = span.partition("-")
            chosen = range(CLASSES[j]) if span == "*" else range(int(low), int(high or low) + 1)
            rows += [OFFSET[j] + i for i in chosen if i != BACKGROUND[j]]
        return tuple(rows)

    def rows_of(self, path: str) -> tuple[int, ...]:
        cls = path.rsplit("/", 1)[0]
        if cls not in self._cache:
            group, name = cls.split("/")[-2:]
            if f"{group}/*" in self._classes:
                found = self._group(self._classes[f"{group}/*"]["group"])
            else:
                home = HOME.get(group, "imagenet")
                row = self.find(re.sub(r"^n\d{8}_", "", name), (home,))
                if row is not None:
                    found = (row,)
                elif group == "imagenet1_nature":
                    found = ()
                else:
                    found = self._group(f"{home}:*") if group in HOME else ()
            self._cache[cls] = found
        return self._cache[cls]

    def aliases(self) -> dict[int, list[int]]:
        """row of the ImageNet list -> rows of the bird or insect list that are the same species"""
        out = {}
        for row in range(OFFSET[2], ROWS):
            name = self.names[row]
            other = self.find(name.scientific, ("bird", "insect")) if name.scientific else None
            if other is not None:
                out[row] = [other]
        return out

    def kind(self) -> np.ndarray:
        """int8 per row: 0 bird, 1 insect, 2 another organism, 3 a thing; ImageNet's birds and insects count as 0 and 1"""
        out = np.full(len(self.names), 2, np.int8)
        out[:OFFSET[1]], out[OFFSET[1]:OFFSET[2]] = 0, 1
        things = set(range(1001)) - set(IMAGENET_ORGANISMS)
        for rows, value in ((IMAGENET_BIRDS, 0), (IMAGENET_INSECTS, 1), (things, 3)):
            out[[OFFSET[2] + i for i in rows]] = value
        return out
