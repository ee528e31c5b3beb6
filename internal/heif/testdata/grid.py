"""Joins HEIC files of one picture each, all of one size, into one HEIC file whose
picture is a grid of them, as phones make it:

    python3 grid.py COLUMNS WIDTH HEIGHT IROT NCLX TIFF OUT TILE...

WIDTH and HEIGHT are those of the grid; IROT is its rotation in quarter turns
anticlockwise; NCLX says how its colours are coded: primaries, transfer
characteristics and matrix of ITU-T H.273 and 128 for the full range, joined by commas,
or nothing by "-"; TIFF is a file with the structure of its EXIF, or "-"."""
import struct
import sys


def boxes(data):
    at = 0
    while at + 8 <= len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        yield kind, data[at + 8 : at + size]
        at += size


def inside(data, *path):
    for kind in path:
        data = next(c for k, c in boxes(data) if k == kind)
        if kind == b"meta":
            data = data[4:]
    return data


def box(kind, *content):
    content = b"".join(content)
    return struct.pack(">I4s", 8 + len(content), kind) + content


def full(kind, version, flags, *content):
    return box(kind, struct.pack(">I", version << 24 | flags), *content)


columns, width, height, irot = map(int, sys.argv[1:5])
nclx, tiff, out = sys.argv[5:8]
tiles, payloads = sys.argv[8:], []
for name in tiles:
    data = open(name, "rb").read()
    properties = inside(data, b"meta", b"iprp", b"ipco")
    hvcc = next(c for k, c in boxes(properties) if k == b"hvcC")
    side = next(c for k, c in boxes(properties) if k == b"ispe")
    payloads.append(next(c for k, c in boxes(data) if k == b"mdat"))
rows, grid, exif = len(tiles) // columns, len(tiles) + 1, len(tiles) + 2
payloads.append(struct.pack(">BBBBHH", 0, 0, rows - 1, columns - 1, width, height))
if tiff != "-":
    payloads.append(struct.pack(">I", 6) + b"Exif\0\0" + open(tiff, "rb").read())

kinds = [b"hvc1"] * len(tiles) + [b"grid"] + [b"Exif"] * (tiff != "-")
iinf = full(b"iinf", 0, 0, struct.pack(">H", len(kinds)),
            *(full(b"infe", 2, 1 if k == b"hvc1" else 0, struct.pack(">HH4s", i + 1, 0, k), b"\0") for i, k in enumerate(kinds)))
refs = [box(b"dimg", struct.pack(">HH", grid, len(tiles)), *(struct.pack(">H", i + 1) for i in range(len(tiles))))]
if tiff != "-":
    refs.append(box(b"cdsc", struct.pack(">HHH", exif, 1, grid)))
ipco = box(b"ipco", box(b"hvcC", hvcc), box(b"ispe", side), full(b"ispe", 0, 0, struct.pack(">II", width, height)),
           box(b"irot", bytes([irot])),
           *([box(b"colr", b"nclx", struct.pack(">HHHB", *map(int, nclx.split(","))))] if nclx != "-" else []))
of_tile, of_grid = [0x81, 0x02], [0x03, 0x84]
if nclx != "-":
    of_tile, of_grid = of_tile + [0x05], of_grid + [0x05]
of_tile, of_grid = bytes([len(of_tile), *of_tile]), bytes([len(of_grid), *of_grid])
ipma = full(b"ipma", 0, 0, struct.pack(">I", grid), *(struct.pack(">H", i + 1) + of_tile for i in range(len(tiles))),
            struct.pack(">H", grid) + of_grid)
ftyp = box(b"ftyp", b"heic", struct.pack(">I", 0), b"mif1heic")


def meta(first):
    at, places = first, []
    for i, p in enumerate(payloads):
        places.append(struct.pack(">HHHII", i + 1, 0, 1, at, len(p)))
        at += len(p)
    iloc = full(b"iloc", 0, 0, b"\x44\x00", struct.pack(">H", len(payloads)), *places)
    return full(b"meta", 0, 0, full(b"hdlr", 0, 0, b"\0\0\0\0pict", b"\0" * 13), full(b"pitm", 0, 0, struct.pack(">H", grid)),
                iloc, iinf, full(b"iref", 0, 0, *refs), box(b"iprp", ipco, ipma))


head = len(ftyp) + len(meta(0)) + 8
open(out, "wb").write(ftyp + meta(head) + box(b"mdat", *payloads))
