package main

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/jpeg"
	"math"
	"math/rand/v2"
)

// size of a photo that people send: most as phones send them over messengers, one in
// ten as it comes from the camera (12 megapixels).
func size(i int) (width, height int) {
	switch {
	case i%10 == 9:
		return 4000, 3000
	case i%10 >= 6:
		return 2048, 1536
	}
	return 1280, 960
}

// drawn returns n JPEGs of waves of colour, each of its own, sharp and blurred, with
// grain as a camera's: so that a photo has the bytes and the decoding of a real one.
func drawn(n int, seed uint64) ([][]byte, error) {
	list := make([][]byte, n)
	for i := range list {
		width, height := size(i)
		var b bytes.Buffer
		if err := jpeg.Encode(&b, draw(width, height, rand.New(rand.NewPCG(seed, uint64(i)))), &jpeg.Options{Quality: 88}); err != nil {
			return nil, err
		}
		list[i] = b.Bytes()
	}
	return list, nil
}

func draw(width, height int, rng *rand.Rand) image.Image {
	img := image.NewYCbCr(image.Rect(0, 0, width, height), image.YCbCrSubsampleRatio420)
	fill(img.Y, img.YStride, rng, 8)
	fill(img.Cb, img.CStride, rng, 1)
	fill(img.Cr, img.CStride, rng, 1)
	return img
}

// fill draws a plane: two waves multiplied, and grain.
func fill(plane []uint8, stride int, rng *rand.Rand, grain int) {
	across, down := waves(stride, rng), waves(len(plane)/stride, rng)
	for i := range plane {
		noise := int(rng.Uint32()&0xff)*grain>>8 - grain/2
		plane[i] = uint8(min(255, max(0, 128+int(across[i%stride]*down[i/stride]*100)+noise)))
	}
}

func waves(n int, rng *rand.Rand) []float64 {
	a, b := 2+rng.Float64()*8, 20+rng.Float64()*60
	list := make([]float64, n)
	for i := range list {
		x := float64(i) / float64(n) * 2 * math.Pi
		list[i] = 0.7*math.Sin(a*x+b) + 0.3*math.Sin(b*x)
	}
	return list
}

// unique returns the photo with a comment that makes its bytes, and so its hash, those
// of no other: it is encoded as one never seen.
func unique(photo []byte, number uint64) []byte {
	comment := []byte{0xff, 0xfe, 0, 10} // COM, its length with these two bytes
	comment = binary.BigEndian.AppendUint64(comment, number)
	return append(append(append(make([]byte, 0, len(photo)+len(comment)), photo[:2]...), comment...), photo[2:]...)
}
