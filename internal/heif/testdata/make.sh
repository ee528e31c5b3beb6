#!/bin/sh
# Makes the files here: a picture of 192 x 128 whose colours run from left to right
# and from top to bottom, and the same as a JPEG that lies on its side and says so in
# its EXIF. And as phones make it: a picture of 112 x 96, in a grid of four of 64 x 64,
# which are red and green above, blue and grey below, to be turned by three
# quarters; the same, said to be coded by BT.709 in the range of video, which it is not.
# Needs Pillow and heif-enc (Debian: libheif-examples).
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
exif[0x8769] = {0x9003: "2025:06:01 10:20:30"}
open("tiff.bin", "wb").write(exif.tobytes()[6:])
for i, colour in enumerate([(200, 40, 40), (40, 180, 60), (40, 60, 200), (128, 128, 128)]):
    Image.new("RGB", (64, 64), colour).save(f"tile{i}.png")
image.transpose(Image.Transpose.ROTATE_90).save("turned.jpg", quality=98, subsampling="4:4:4", exif=exif.tobytes())
END
heif-enc -q 90 made.png -o made.heic
heif-enc -q 90 turned.jpg -o turned.heic
for i in 0 1 2 3; do heif-enc -q 90 tile$i.png -o tile$i.heic; done
python3 grid.py 2 112 96 3 - tiff.bin grid.heic tile?.heic
python3 grid.py 2 112 96 0 1,13,1,0 - video.heic tile?.heic
rm made.png turned.jpg tiff.bin tile?.png tile?.heic
