#!/bin/sh
# Makes the files here: a picture of 96 x 64 whose quarters are red and green above,
# blue and grey below, coded in several ways. Needs Pillow and avifenc (Debian:
# libavif-bin).
set -eu
python3 - <<'END'
import struct
from PIL import Image

colours = [(200, 40, 40), (40, 180, 60), (40, 60, 200), (128, 128, 128)]
whole = Image.new("RGB", (96, 64))
for i, colour in enumerate(colours):
    whole.paste(colour, (48 * (i % 2), 32 * (i // 2), 48 * (i % 2) + 48, 32 * (i // 2) + 32))
whole.save("whole.png")
whole.resize((192, 128), Image.NEAREST).save("large.png")
whole.convert("L").save("grey.png")
seen = whole.convert("RGBA")
seen.putalpha(Image.linear_gradient("L").resize((96, 64)))
seen.save("seen.png")
whole.transpose(Image.Transpose.ROTATE_180).save("next.png")
exif = Image.Exif()
exif[274] = 6  # which does not count: the container's rotation does
exif[0x8825] = {1: "N", 2: (52.0, 30.0, 36.0), 3: "E", 4: (13.0, 30.0, 36.0)}
exif[0x8769] = {0x9003: "2025:06:01 10:20:30"}
open("tiff.bin", "wb").write(exif.tobytes()[6:])
END
code() { out=$1; shift; avifenc -s 4 --min 4 --max 12 "$@" "$out" >/dev/null; }
code made.avif --exif tiff.bin --irot 0 -y 420 whole.png
code mirrored.avif --irot 0 --imir 0 -y 420 whole.png
code bt601-limited.avif -r limited --cicp 1/13/6 -y 420 whole.png
code bt709-limited.avif -r limited --cicp 1/13/1 -y 444 whole.png
code bt709-full-10bit.avif -d 10 -r full --cicp 1/13/1 -y 422 whole.png
code bt2020-limited-12bit.avif -d 12 -r limited --cicp 9/13/9 -y 444 whole.png
code grey.avif -y 400 -r limited grey.png
code alpha.avif -y 420 seen.png
code cropped.avif --crop 48,0,48,32 --irot 1 -y 420 whole.png
code grid.avif -g 2x2 -y 420 large.png
code moving.avif -y 420 whole.png next.png
rm whole.png large.png grey.png seen.png next.png tiff.bin
