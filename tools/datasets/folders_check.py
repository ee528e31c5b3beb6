"""Checks folders.py without any data set: a toy set goes through write, and what
comes out is what evaluate data reads. python3 tools/datasets/folders_check.py OUT"""
import os
import struct
import sys
import zlib

import folders


class Image:
    """A square of one colour that can be saved, in place of Pillow's."""

    def __init__(self, shade):
        self.shade = shade

    def convert(self, mode):
        assert mode == "RGB"
        return self

    def save(self, file):
        def chunk(kind, data):
            return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        side = 64
        rows = (b"\0" + bytes(self.shade) * side) * side
        with open(file, "xb") as f:
            f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
                    + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class Toy:
    classes = ["apple_pie", "a/abbey", ("tench", "Tinca tinca")]

    def __len__(self):
        return 9

    def __getitem__(self, i):
        return Image((28 * i, 255 - 28 * i, 90 + i)), i % 3


def main():
    out = sys.argv[1]
    whole = Toy()
    order = list(range(9))
    parts = [folders.Part(whole, order[:6]), folders.Part(whole, order[6:])]
    lines = folders.write("toy", parts, out)
    want = ["toy/0000\t\tapple pie\n", "toy/0001\t\ta abbey\n", "toy/0002\t\ttench\n"]
    assert lines == want, lines
    assert folders.words("AnnualCrop", True) == "Annual Crop" and folders.words("McLaren F1") == "McLaren F1"
    files = sorted(os.path.relpath(os.path.join(d, f), out) for d, _, fs in os.walk(out) for f in fs)
    assert files == ["toy/test/000%d/00000%d.png" % (i, i) for i in range(3)] + \
        ["toy/train/000%d/00000%d.png" % (i, j) for i in range(3) for j in (i, i + 3)], files
    assert folders.write("toy", parts, out) == want  # and is not written again
    with open(os.path.join(out, "names.tsv"), "w", encoding="utf-8") as f:
        f.writelines(lines)
    with open(os.path.join(out, "toy.toml"), "w", encoding="utf-8") as f:
        folders.SETS = {"toy": (None, "a photo of {}."), "absent": (None, "{}")}
        f.write(folders.manifest(out))


if __name__ == "__main__":
    main()
