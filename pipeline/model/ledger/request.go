package ledger

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/memforge/memforge/pipeline"
)

// Entry is a recorded call. Step and Item are those that asked first.
type Entry struct {
	Key     pipeline.Key     `json:"key"`
	Step    string           `json:"node"`
	Item    string           `json:"item"`
	Request pipeline.Request `json:"request"`
	Reply   pipeline.Reply   `json:"reply"`
	// Corrected is how many answers to the request were taken back before this one.
	Corrected int `json:"corrected,omitempty"`
}

// PackVector returns an embedding as a reply holds it.
func PackVector(v []float32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// UnpackVector returns the embedding that PackVector packed.
func UnpackVector(b []byte) []float32 {
	v := make([]float32, len(b)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v
}

// keyFormat changes when the composition of keys does.
const keyFormat = "memforge call 1"

// FieldDigests are the digests of the parts of a request, by what users call them.
type FieldDigests map[string]string

// fieldOrder is the order in which parts enter the key.
var fieldOrder = []string{"host", "model", "task", "system", "user", "images", "turns", "schema", "sampling", "form", "sample", "text"}

// Digests returns the key of a request and the digests of its parts.
func Digests(r pipeline.Request) (pipeline.Key, FieldDigests) {
	f := make(FieldDigests, len(fieldOrder))
	return digest(r, f), f
}

// CheckRecordable returns an error for a request that would be another when it is read
// back, so that it could be neither exported nor taken in from a batch: text that is not
// UTF-8, or JSON with white space between its tokens. It must be called before anything is
// paid.
func CheckRecordable(r pipeline.Request) error {
	b, err := marshal(r)
	if err != nil {
		return fmt.Errorf("the request cannot be recorded: %w", err)
	}
	var again pipeline.Request
	if err := json.Unmarshal(b, &again); err != nil {
		return fmt.Errorf("the request cannot be recorded: %w", err)
	}
	key, fields := Digests(r)
	if got, read := Digests(again); got != key {
		return fmt.Errorf("the request cannot be recorded: its %v would be read back as something else; texts must be UTF-8 and JSON without white space", fields.diff(read))
	}
	return nil
}

// Key returns the key under which the reply to a request is recorded.
func Key(r pipeline.Request) pipeline.Key { return digest(r, nil) }

// digest digests the digests of the parts, and puts them into f unless that is nil. Its
// buffers hold a common request on the stack.
func digest(r pipeline.Request, f FieldDigests) pipeline.Key {
	var wholeBuffer [1 << 10]byte
	var partBuffer [6 << 10]byte
	whole, part := appendPart(wholeBuffer[:0], keyFormat), partBuffer[:0]
	for _, name := range fieldOrder {
		part = appendField(part[:0], r, name)
		sum := sha256.Sum256(part)
		var short [32]byte
		hex.Encode(short[:], sum[:16])
		if f != nil {
			f[name] = string(short[:])
		}
		whole = appendPart(whole, short[:])
	}
	sum := sha256.Sum256(whole)
	return pipeline.Key(hex.EncodeToString(sum[:]))
}

// appendField writes the parts of a field. What follows the system and the user message is
// "turns".
func appendField(b []byte, r pipeline.Request, name string) []byte {
	switch name {
	case "host":
		return appendPart(b, r.Host)
	case "model":
		return appendPart(b, r.Model)
	case "task":
		return appendPart(b, r.Task)
	case "schema":
		return appendPart(b, r.Schema)
	case "sampling":
		return appendPart(b, r.Sampling)
	case "form":
		return appendPart(b, r.Form)
	case "sample":
		return appendPart(b, strconv.Itoa(r.Sample))
	case "text":
		return appendPart(b, r.Text)
	}
	for i, m := range r.Messages {
		switch {
		case name == "images":
			for _, d := range m.Images {
				b = appendPart(appendPart(b, strconv.Itoa(i)), d)
			}
		case i >= 2 && name == "turns", i == 0 && name == "system", i == 1 && name == "user":
			b = appendPart(appendPart(b, m.Role), m.Text)
		}
	}
	return b
}

// appendPart writes length and bytes, so that different lists of parts differ.
func appendPart[T ~string | ~[]byte](b []byte, part T) []byte {
	return append(binary.LittleEndian.AppendUint64(b, uint64(len(part))), part...)
}
