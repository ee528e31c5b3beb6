// Package password keeps passwords as argon2id hashes (RFC 9106) in PHC string
// form, "$argon2id$v=19$m=65536,t=2,p=1$SALT$HASH", so that each hash says what
// it was made with and better parameters can come later.
package password

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"

	"fieldmark/internal/identify"
)

// Params are the costs of one hash.
type Params struct {
	Memory  uint32 // KiB
	Time    uint32 // passes over the memory
	Threads uint8
}

// Default is above the least that OWASP's password storage cheat sheet names
// for one thread (46 MiB and one pass, or 19 MiB and two), and takes about a
// tenth of a second of one core.
func Default() Params { return Params{Memory: 64 << 10, Time: 2, Threads: 1} }

// codes are the costs of a key of a code that people type: fixed, because the
// key is what the code is looked up by. They are OWASP's least.
var codes = Params{Memory: 19 << 10, Time: 2, Threads: 1}

const (
	saltBytes = 16
	keyBytes  = 32
	// waiting bounds how many may wait for a hash: beyond it people are asked to
	// come back, so that a flood costs them a moment and never the memory.
	waiting = 64
)

// codeSalt separates the keys of codes from every other use of argon2id.
const codeSalt = "fieldmark invitation code"

// Hasher makes and checks hashes, a bounded number at once: each takes
// Params.Memory while it runs. Its methods are safe for concurrent use.
type Hasher struct {
	params Params
	slots  chan struct{}
	queue  atomic.Int64
}

// New returns a hasher that runs at most atOnce hashes at a time.
func New(p Params, atOnce int) *Hasher {
	return &Hasher{params: p, slots: make(chan struct{}, max(1, atOnce))}
}

// Hash returns the PHC string of a password under a fresh salt.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	salt := make([]byte, saltBytes)
	if _, err := rand.Read(salt); err != nil {
		return "", err
	}
	key, err := h.derive(ctx, password, salt, h.params)
	if err != nil {
		return "", err
	}
	return encode(h.params, salt, key), nil
}

// Verify reports whether a password is the one of a PHC string, and whether the
// string was made with other parameters than hashes are made with now. A phc of
// "" belongs to no password, and finding that out takes as long.
func (h *Hasher) Verify(ctx context.Context, password, phc string) (ok, outdated bool, err error) {
	p, salt, want := h.params, make([]byte, saltBytes), make([]byte, keyBytes)
	if phc != "" {
		if p, salt, want, err = decode(phc); err != nil {
			return false, false, err
		}
	}
	key, err := h.derive(ctx, password, salt, p)
	if err != nil {
		return false, false, err
	}
	same := subtle.ConstantTimeCompare(key, want) == 1
	return same && phc != "", p != h.params, nil
}

// Key returns 32 bytes that a code which people type is stored and looked up
// by. A code has few bits, so finding it from its key has to be slow too.
func (h *Hasher) Key(ctx context.Context, code string) ([]byte, error) {
	return h.derive(ctx, code, []byte(codeSalt), codes)
}

// derive waits for its turn, for as long as ctx allows.
func (h *Hasher) derive(ctx context.Context, secret string, salt []byte, p Params) ([]byte, error) {
	if h.queue.Add(1) > waiting {
		h.queue.Add(-1)
		return nil, identify.Errorf(identify.Overloaded, "", "Too many people are signing in at this moment. Try again in a few seconds.")
	}
	defer h.queue.Add(-1)
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	// The same characters are the same password on every keyboard.
	return argon2.IDKey([]byte(norm.NFC.String(secret)), salt, p.Time, p.Memory, p.Threads, keyBytes), nil
}

func encode(p Params, salt, key []byte) string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, p.Memory, p.Time, p.Threads,
		b64.EncodeToString(salt), b64.EncodeToString(key))
}

// errBadHash means that a stored hash cannot be read: a fault of the database,
// not of who signs in.
var errBadHash = errors.New("a stored password hash is not argon2id in PHC string form")

func decode(phc string) (p Params, salt, key []byte, err error) {
	parts := strings.Split(phc, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return p, nil, nil, errBadHash
	}
	n, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &p.Memory, &p.Time, &p.Threads)
	if err != nil || n != 3 || p.Memory < 8 || p.Memory > 1<<20 || p.Time < 1 || p.Time > 100 || p.Threads < 1 {
		return p, nil, nil, errBadHash
	}
	salt, badSalt := base64.RawStdEncoding.DecodeString(parts[4])
	key, badKey := base64.RawStdEncoding.DecodeString(parts[5])
	if badSalt != nil || badKey != nil || len(salt) < 8 || len(key) != keyBytes {
		return p, nil, nil, errBadHash
	}
	return p, salt, key, nil
}
