package pipeline

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
)

// Digest is a SHA-256 in lower-case hex.
type Digest string

// Key names everything that can change a task's output and nothing else. It is
// a SHA-256 in lower-case hex.
type Key string

// DigestOf returns the digest of b.
func DigestOf(b []byte) Digest {
	return DigestOfSum(sha256.Sum256(b))
}

// ParseDigest checks that s is a digest.
func ParseDigest(s string) (Digest, error) {
	if len(s) != 64 {
		return "", fmt.Errorf("digest %q: want 64 hex digits, have %d characters", s, len(s))
	}
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return "", fmt.Errorf("digest %q: %q is not a lower-case hex digit", s, c)
		}
	}
	return Digest(s), nil
}

// RawDigest gives the bytes of a digest or key.
func RawDigest[S Digest | Key | string](s S) (raw [sha256.Size]byte, err error) {
	upper := byte(0)
	for i := range len(s) {
		upper |= s[i] & 0x40 &^ (s[i] & 0x20 << 1) // only lower case has both bits
	}
	if len(s) == 2*len(raw) && upper == 0 {
		if _, err = hex.Decode(raw[:], []byte(s)); err == nil {
			return raw, nil
		}
	}
	_, err = ParseDigest(string(s))
	return raw, err
}

// DigestOfSum is the digest of bytes whose SHA-256 is known.
func DigestOfSum(raw [sha256.Size]byte) Digest {
	var text [2 * sha256.Size]byte
	hex.Encode(text[:], raw[:])
	return Digest(text[:])
}

// CorruptError says that stored bytes do not have their digest.
type CorruptError struct {
	Digest Digest
	Got    Digest
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("blob %s is corrupt: its bytes have digest %s; run `memforge store check` and build again", e.Digest, e.Got)
}

// ErrNoBlob is returned for a digest the store does not hold.
var ErrNoBlob = errors.New("no such blob in the store")

// marshalPlain is json.Marshal without HTML escaping and trailing newline.
func marshalPlain(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}
