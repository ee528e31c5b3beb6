#!/bin/sh
# Draws a picture of 12 megapixels with the detail of a photo and codes it as phones
# do: phone.heic, a grid of tiles of 512 x 512 that is to be turned, phone.avif and
# phone.jpg, in DEST. With them
#
#   sh tools/wasm/phone.sh DEST
#   FIELDMARK_PHONE=DEST go test -run '^$' -bench Phone ./internal/heif ./internal/avif
#
# tells what such photos take beside a JPEG. Needs Pillow, NumPy, heif-enc and avifenc
# (Debian: libheif-examples, libavif-bin).
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
mkdir -p "$1"
cd "$1"
python3 - <<'END'
import numpy as np
from PIL import Image

W, H, TILE = 4032, 3024, 512
random = np.random.default_rng(1)
whole = np.zeros((H, W, 3), np.float32)
for channel in range(3):  # noise whose amplitude falls with its frequency, as in nature
    for octave in range(1, 11):
        small = random.standard_normal((max(2, H >> octave), max(2, W >> octave))).astype(np.float32)
        whole[..., channel] += np.asarray(Image.fromarray(small).resize((W, H), Image.BICUBIC)) * 2 ** (0.9 * octave) / 40
    whole[..., channel] += 9 * random.standard_normal((H, W)).astype(np.float32)
picture = Image.fromarray(np.clip(128 + 0.6 * whole + 0.7 * whole.mean(axis=2, keepdims=True), 0, 255).astype(np.uint8))
picture.save("phone.png", compress_level=1)
picture.save("phone.jpg", quality=92)
for row in range(0, H, TILE):
    for column in range(0, W, TILE):
        picture.crop((column, row, column + TILE, row + TILE)).save(f"tile-{row:04}-{column:04}.png", compress_level=1)
END
for tile in tile-*.png; do heif-enc -q 60 "$tile" -o "${tile%.png}.heic" >/dev/null 2>&1; done
python3 "$here/../../internal/heif/testdata/grid.py" 8 4032 3024 3 - - phone.heic tile-*.heic
avifenc -s 9 -y 420 --min 5 --max 12 phone.png phone.avif >/dev/null
rm phone.png tile-*
ls -l
