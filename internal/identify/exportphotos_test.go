package identify_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"image"
	"testing"

	"fieldmark/internal/identify"
)

// signed is a PNG that says in a chunk of text who took it and with what.
func signed(t *testing.T, png []byte) []byte {
	t.Helper()
	const header = 8 + 25 // the signature, and the chunk IHDR
	text := []byte("tEXtAuthor\x00Eve, camera no. 4711")
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(text)-4))
	chunk = append(chunk, text...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(text))
	return bytes.Join([][]byte{png[:header], chunk, png[header:]}, nil)
}

// A photo leaves without what its file says, unless it is asked for as it came, and
// one of a sensitive taxon then only if exact places are asked for too.
func TestPhotosLeaveWithoutWhatTheySay(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	photo := signed(t, paint(t, red))
	o, _, err := f.Observe(ctx, f.Owner, identify.Upload{Photo: photo}, identify.Question{})
	must(t, err)
	_, err = f.Identify(ctx, f.Owner, o.ID, identify.Answer{Taxon: 3}, identify.Question{})
	must(t, err)
	type way struct{ sensitive, originals, exact bool }
	for _, c := range []struct {
		way
		leaves    identify.PhotoLeaves
		mediaType string
	}{
		{way{false, false, false}, identify.LeavesStripped, "image/png"},
		{way{false, false, true}, identify.LeavesStripped, "image/png"},
		{way{false, true, false}, identify.LeavesAsItCame, "image/png"},
		{way{true, false, false}, identify.LeavesPreview, "image/jpeg"},
		{way{true, true, false}, identify.LeavesPreview, "image/jpeg"},
		{way{true, false, true}, identify.LeavesStripped, "image/png"},
		{way{true, true, true}, identify.LeavesAsItCame, "image/png"},
	} {
		if c.sensitive {
			must(t, f.AddSensitiveTaxon(ctx, f.Owner, 3))
		}
		records, e := f.export(t, identify.ExportRequest{Originals: c.originals, ExactPlaces: c.exact})
		data, mediaType, err := e.Photo(ctx, records[0])
		must(t, err)
		if records[0].Leaves != c.leaves || mediaType != c.mediaType || bytes.Contains(data, []byte("4711")) != (c.leaves == identify.LeavesAsItCame) {
			t.Errorf("%+v: leaves %v, as %s", c.way, records[0].Leaves, mediaType)
		}
		if c.leaves == identify.LeavesAsItCame && !bytes.Equal(data, photo) {
			t.Errorf("%+v: it is not as it came", c.way)
		}
		if _, _, err := image.Decode(bytes.NewReader(data)); err != nil {
			t.Errorf("%+v: %v", c.way, err)
		}
	}
}
