#!/bin/sh
# Makes the files here: a picture of 192 x 128 whose colours run from left to right
# and from top to bottom, and the same as a JPEG that lies on its side and says so in
# its EXIF. Needs Pillow and heif-enc (Debian: libheif-examples).
set -eu
python3 - <<'END'
from PIL import Image
W, H = 48, 32
image = Image.new("RGB", (W, H))
image.putdata([(5 * x, 7 * y, 255 - 5 * x) for y in range(H) for x in range(W)])
image = image.resize((4 * W, 4 * H), Image.NEAREST)
image.save("made.png")
exif = Image.Exif()
exif[274] = 6
exif[0x8825] = {1: "N", 2: (52.0, 30.0, 36.0), 3: "E", 4: (13.0, 30.0, 36.0)}
image.transpose(Image.Transpose.ROTATE_90).save("turned.jpg", quality=98, subsampling="4:4:4", exif=exif.tobytes())
END
heif-enc -q 90 made.png -o made.heic
heif-enc -q 90 turned.jpg -o turned.heic
rm made.png turned.jpg
