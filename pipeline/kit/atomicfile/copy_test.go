package atomicfile_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/kit/atomicfile"
)

func TestCopyNamesWhatItCopied(t *testing.T) {
	var to bytes.Buffer
	const sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // of "abc", FIPS 180-2
	got, n, err := atomicfile.Copy(t.Context(), &to, strings.NewReader("abc"))
	if err != nil || got != sum || n != 3 || to.String() != "abc" {
		t.Errorf("copied %q: %s, %d, %v", &to, got, n, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, n, err := atomicfile.Copy(ctx, io.Discard, strings.NewReader("abc")); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("after its end: %d bytes, %v", n, err)
	}
}
