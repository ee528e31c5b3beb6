package identify

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"time"
)

// exemplarLen is the number of bytes of an exemplar's record.
const exemplarLen = 8 + 8 + 32 + 4

func (x *exemplar) appendTo(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(x.identification))
	b = binary.LittleEndian.AppendUint64(b, uint64(x.observation))
	b = append(b, x.photo[:]...)
	return binary.LittleEndian.AppendUint32(b, uint32(x.taughtBy))
}

func (m *memory) readExemplars(r io.Reader, n int) error {
	var b [exemplarLen]byte
	for range n {
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return err
		}
		x := exemplar{
			identification: IdentificationID(binary.LittleEndian.Uint64(b[:])),
			observation:    ObservationID(binary.LittleEndian.Uint64(b[8:])),
			photo:          [32]byte(b[16:48]),
			taughtBy:       int32(binary.LittleEndian.Uint32(b[48:])),
		}
		if x.taughtBy < 0 || int(x.taughtBy) >= len(m.people) {
			return fmt.Errorf("exemplar %d was taught by person %d of %d", m.exemplars.len(), x.taughtBy, len(m.people))
		}
		m.exemplars.append(x)
	}
	return nil
}

// sampled is how many events of a log are hashed to tell it from others.
const sampled = 64

// logSample is a SHA-256, in hex, over events of the log spread evenly up to and
// including number seq, with their embeddings: a cheap proof that a snapshot made
// at seq is of this log. An empty stretch has one too.
func logSample(ctx context.Context, c Config, seq Seq) (string, error) {
	hash := sha256.New()
	for i, last := Seq(1), Seq(0); i <= sampled; i++ {
		at := Seq(math.Ceil(float64(seq) * float64(i) / sampled))
		if at == last {
			continue
		}
		last = at
		e, err := eventAt(ctx, c, at)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(hash, "%d %s %d %d %q %d %d %d %d\n", e.Seq, e.Kind, e.Identification, e.Observation, e.Photo,
			e.Taxon, e.User, e.At.UnixMicro(), len(e.Vector))
		if err := binary.Write(hash, binary.LittleEndian, e.Vector); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// eventAt is the event of a number.
func eventAt(ctx context.Context, c Config, seq Seq) (Event, error) {
	list, err := c.Store.Events(ctx, c.Embedder.Info().Digest, seq-1, 1)
	if err != nil {
		return Event{}, fmt.Errorf("reading the log: %w", err)
	}
	if len(list) == 0 || list[0].Seq != seq {
		return Event{}, fmt.Errorf("the log has no event %d", seq)
	}
	return list[0], nil
}

// paced writes at most rate bytes a second, so that a large snapshot does not
// keep the disk from those who teach, and stops when ctx ends.
type paced struct {
	ctx   context.Context
	w     io.Writer
	rate  int // 0: as fast as it goes
	start time.Time
	n     int
}

func (p *paced) Write(b []byte) (int, error) {
	if p.rate > 0 {
		due := p.start.Add(time.Duration(float64(p.n) / float64(p.rate) * float64(time.Second)))
		timer := time.NewTimer(time.Until(due))
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-p.ctx.Done():
		}
	}
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := p.w.Write(b)
	p.n += n
	return n, err
}
