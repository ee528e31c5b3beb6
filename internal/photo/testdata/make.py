"""Makes the pictures here that Go's standard library cannot write.

    python3 make.py        (Pillow with WebP)

All show made(x, y) of photo_test.go, 48 x 32.
"""
from PIL import Image

W, H = 48, 32
image = Image.new("RGB", (W, H))
image.putdata([(5 * x, 7 * y, 255 - 5 * x) for y in range(H) for x in range(W)])

exif = Image.Exif()
exif[274] = 3  # upside down
turned = image.transpose(Image.Transpose.ROTATE_180)

image.save("progressive.jpg", quality=92, progressive=True)
image.save("422.jpg", quality=92, subsampling="4:2:2")
image.save("444.jpg", quality=92, subsampling="4:4:4")
image.convert("CMYK").save("cmyk.jpg", quality=95)
image.save("lossy.webp", quality=95)
image.save("lossless.webp", lossless=True)
turned.save("turned.webp", quality=95, exif=exif.tobytes())
translucent = image.copy()
translucent.putalpha(Image.new("L", (W, H), 90))
translucent.save("alpha.webp", lossless=True, exact=True)
image.save("animated.webp", save_all=True, append_images=[turned], duration=100)
