package beetles

import (
	"bytes"
	"image/color"
	"image/jpeg"
	"testing"
)

// A picture is the same every time, so that its photo is; and it reads as one.
func TestAPictureIsAlwaysTheSame(t *testing.T) {
	pose := Pose{X: 0.5, Y: 0.5, Size: 0.6, Turn: 30, Ground: Bark}
	one, other := JPEG(Lantern, pose, 240), JPEG(Lantern, pose, 240)
	if !bytes.Equal(one, other) {
		t.Error("the same pose was drawn twice, differently")
	}
	m, err := jpeg.Decode(bytes.NewReader(one))
	if err != nil {
		t.Fatal(err)
	}
	if b := m.Bounds(); b.Dx() != 240 || b.Dy() != 240 {
		t.Errorf("%v", b)
	}
}

// The beetle is where the pose says. By hand: a lantern of length 0.5·400 = 200 pixels
// in the middle, not turned, has its right lamp's inner spot at (0.17, 0.06)·200 =
// (34, 12) from the middle; turned by 180° it is at the opposite place.
func TestThePoseIsKept(t *testing.T) {
	spot := rgb(0xfff3b0)
	for turn, at := range map[float64][2]int{0: {234, 212}, 180: {166, 188}} {
		m := Draw(Lantern, Pose{X: 0.5, Y: 0.5, Size: 0.5, Turn: turn}, 400)
		if got := m.RGBAAt(at[0], at[1]); got != spot {
			t.Errorf("turned by %v°: %v at %v, want %v", turn, got, at, spot)
		}
	}
}

// Grounds and species can be told apart, and a beetle over the edge is cut off.
func TestPicturesDiffer(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range []Species{Lantern, Ribbon} {
		for _, g := range []Ground{Leaf, Sand, Bark} {
			seen[string(Draw(s, Pose{X: 0.5, Y: 0.5, Size: 0.7, Ground: g}, 64).Pix)] = true
		}
	}
	if len(seen) != 6 {
		t.Errorf("%d different pictures of 6", len(seen))
	}
	off := Draw(Ribbon, Pose{X: 3, Y: 3, Size: 0.5}, 64)
	if a := off.RGBAAt(10, 10); a == (color.RGBA{}) {
		t.Error("there is no ground where the beetle is not")
	}
}
