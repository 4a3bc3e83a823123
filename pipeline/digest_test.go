package pipeline_test

import (
	"bytes"
	"crypto/sha256"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
)

// TestDigestsAreParsed: 64 hex digits in lower case are one; the signs just outside of their
// ranges are none of them.
func TestDigestsAreParsed(t *testing.T) {
	const good = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	for text, want := range map[string]bool{
		good: true, string(pipeline.DigestOf([]byte("x"))): true, strings.Repeat("0", 64): true, strings.Repeat("9af", 21) + "0": true,
		"": false, good[1:]: false, good + "0": false, strings.ToUpper(good): false,
		good[:63] + "/": false, good[:63] + ":": false, good[:63] + "`": false, good[:63] + "g": false, good[:63] + "A": false, "g" + good[1:]: false,
	} {
		d, err := pipeline.ParseDigest(text)
		if (err == nil) != want || want && string(d) != text {
			t.Errorf("%q is read as %q, %v", text, d, err)
		}
		if raw, err := pipeline.RawDigest(text); (err == nil) != want {
			t.Errorf("%q is read as %x, %v", text, raw, err)
		}
	}
	sum := sha256.Sum256([]byte("x"))
	if raw, err := pipeline.RawDigest(pipeline.DigestOf([]byte("x"))); err != nil || !bytes.Equal(raw[:], sum[:]) {
		t.Errorf("the digest of x has the bytes %x, %v", raw, err)
	}
}
