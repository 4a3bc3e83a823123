package storetest

import (
	"errors"
	"os"
	"testing"

	"github.com/memforge/memforge/pipeline"
)

// IsCorrupt reports whether an error says that a blob is damaged.
func IsCorrupt(err error, digest pipeline.Digest) bool {
	var corrupt *pipeline.CorruptError
	return errors.As(err, &corrupt) && corrupt.Digest == digest && corrupt.Got != digest
}

// Flip changes a bit.
func Flip(b []byte) []byte { b[len(b)/2] ^= 1; return b }

// Truncate cuts the last byte off.
func Truncate(b []byte) []byte { return b[:len(b)-1] }

// Damage rewrites a file.
func Damage(tb testing.TB, path string, how func([]byte) []byte) {
	tb.Helper()
	b, err := os.ReadFile(path)
	MustDo(tb, err)
	MustDo(tb, errors.Join(os.Remove(path), os.WriteFile(path, how(b), 0o444)))
}
