package exchange

import (
	"crypto/sha1"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"

	"fieldmark/internal/identify"
)

// nameUUID is the UUID that a name has within a namespace, itself a UUID
// (RFC 9562, version 5): the same wherever and whenever it is made.
func nameUUID(namespace, name string) (string, error) {
	space, err := hex.DecodeString(strings.ReplaceAll(namespace, "-", ""))
	if err != nil || len(space) != 16 {
		return "", fmt.Errorf("%q is no UUID", namespace)
	}
	h := sha1.New()
	h.Write(space)
	h.Write([]byte(name))
	u := h.Sum(nil)[:16]
	u[6] = u[6]&0x0f | 0x50 // version 5
	u[8] = u[8]&0x3f | 0x80 // variant of RFC 9562
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:]), nil
}

// identifiers names things for good, wherever they are read.
type identifiers struct{ instance string }

func (i identifiers) of(kind string, id int64) (string, error) {
	u, err := nameUUID(i.instance, fmt.Sprintf("%s/%d", kind, id))
	return "urn:uuid:" + u, err
}

// contentURI names a photo by its bytes (RFC 6920), where it is not in the
// archive.
func contentURI(h identify.PhotoHash) string {
	sum, err := hex.DecodeString(string(h))
	if err != nil {
		return "urn:sha256:" + string(h)
	}
	return "ni:///sha-256;" + base64.RawURLEncoding.EncodeToString(sum)
}
