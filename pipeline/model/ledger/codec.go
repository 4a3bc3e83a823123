package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Bodies are JSON in zstd. Both coders work on whole buffers and are safe for
// concurrent use.
var coders = sync.OnceValues(func() (*zstd.Encoder, *zstd.Decoder) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(2))
	if err != nil {
		panic(fmt.Sprintf("ledger: zstd refuses its own options: %v", err))
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(256<<20), zstd.WithDecoderConcurrency(2))
	if err != nil {
		panic(fmt.Sprintf("ledger: zstd refuses its own options: %v", err))
	}
	return enc, dec
})

func encode(v any) ([]byte, error) {
	b, err := marshal(v)
	if err != nil {
		return nil, err
	}
	enc, _ := coders()
	return enc.EncodeAll(b, nil), nil
}

// marshal keeps <, > and &: JSON in a request must be read back as it was, or its key changes.
func marshal(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

func decode(b []byte, v any) error {
	_, dec := coders()
	raw, err := dec.DecodeAll(b, nil)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, v)
}

// checksum detects damaged replies, and replies of another key.
func checksum(key, reply []byte) []byte {
	sum := sha256.Sum256(appendPart(appendPart(make([]byte, 0, len(reply)+64), key), reply))
	return sum[:8]
}
