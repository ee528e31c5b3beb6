package identify

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// newSecret returns 256 random bits as text, and the SHA-256 of the text, which
// is all that is stored: nobody can try that many.
func newSecret(prefix string) (secret string, hash []byte, err error) {
	random := make([]byte, 32)
	if _, err := rand.Read(random); err != nil {
		return "", nil, err
	}
	secret = prefix + base64.RawURLEncoding.EncodeToString(random)
	return secret, hashSecret(secret), nil
}

// hashSecret is what a secret of newSecret is looked up by. A look-up by hash
// tells by its time nothing that helps to guess the secret.
func hashSecret(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

const (
	// codeAlphabet has the letters and digits that nobody mixes up: no 0 and O,
	// no 1 and I.
	codeAlphabet = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
	// codeLength letters are 40 bits. At the 600 wrong codes an hour that all of
	// the world may try together (web/auth), finding a given one that is good for
	// a week takes luck of 1 in 10 million.
	codeLength = 8
)

// newCode returns a code that people can read out and type: "K7QF-2MWD".
func newCode() (string, error) {
	random := make([]byte, codeLength)
	if _, err := rand.Read(random); err != nil {
		return "", err
	}
	for i, b := range random {
		random[i] = codeAlphabet[int(b)%len(codeAlphabet)] // 32 divides 256: no letter is likelier
	}
	return string(random[:codeLength/2]) + "-" + string(random[codeLength/2:]), nil
}

// cleanCode is a code as it was made, without what people put between its
// letters; "" if it cannot be one.
func cleanCode(typed string) string {
	var b strings.Builder
	for _, r := range strings.ToUpper(typed) {
		switch {
		case strings.ContainsRune(" -–—._\t", r):
		case strings.ContainsRune(codeAlphabet, r) && b.Len() < codeLength:
			b.WriteRune(r)
		default:
			return ""
		}
	}
	if b.Len() != codeLength {
		return ""
	}
	return b.String()
}
