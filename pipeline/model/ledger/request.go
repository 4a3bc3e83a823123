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
	"github.com/memforge/memforge/pipeline/model"
)

// Request is all that can change an answer. Images stand in it by the digest of
// the blob; Form says how they are scaled on the way. It must be Recordable.
type Request struct {
	Host  string `json:"host"`
	Model string `json:"model"`
	// Task also names the schema on the wire.
	Task     string          `json:"task"`
	Messages []Message       `json:"messages,omitempty"`
	Schema   json.RawMessage `json:"schema,omitempty"`
	Sampling json.RawMessage `json:"sampling,omitempty"`
	Form     json.RawMessage `json:"form,omitempty"`
	Sample   int             `json:"sample"`
	// Text to embed, for pipeline.EmbedTask.
	Text string `json:"text,omitempty"`
}

// Message is one turn of a chat.
type Message struct {
	Role   string            `json:"role"`
	Text   string            `json:"text"`
	Images []pipeline.Digest `json:"images,omitempty"`
}

// Reply is an answer as it is recorded.
type Reply struct {
	Outcome model.Outcome `json:"outcome"`
	Text    string        `json:"text,omitempty"`
	Detail  string        `json:"detail,omitempty"`
	// Model and Fingerprint are what the server stated of itself.
	Model       string         `json:"model,omitempty"`
	Fingerprint string         `json:"fingerprint,omitempty"`
	Usage       pipeline.Usage `json:"usage"`
	// Vector holds an embedding as little-endian float32.
	Vector []byte `json:"vector,omitempty"`
}

// PackVector is an embedding as a reply holds it.
func PackVector(v []float32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// Floats is the embedding of a reply.
func (r Reply) Floats() []float32 {
	v := make([]float32, len(r.Vector)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(r.Vector[4*i:]))
	}
	return v
}

// Entry is a recorded call. Node and Item are of whoever asked first.
type Entry struct {
	Key     pipeline.Key `json:"key"`
	Step    string       `json:"node"`
	Item    string       `json:"item"`
	Request Request      `json:"request"`
	Reply   Reply        `json:"reply"`
	// Corrected is how many answers to the request were taken back before this one.
	Corrected int `json:"corrected,omitempty"`
}

// keyFormat changes when the composition of keys does.
const keyFormat = "memforge call 1"

// FieldDigests are the digests of the parts of a request, by what users call them.
type FieldDigests map[string]string

// fieldOrder is the order in which parts enter the key.
var fieldOrder = []string{"host", "model", "task", "system", "user", "images", "turns", "schema", "sampling", "form", "sample", "text"}

// Digests digests a request's parts and the whole.
func (r Request) Digests() (pipeline.Key, FieldDigests) {
	f := make(FieldDigests, len(fieldOrder))
	return r.key(f), f
}

// Recordable says what of a request would be another when it is read back, so
// that it could be neither exported nor taken in from a batch: text that is not
// UTF-8, or JSON with white space between its tokens. Whoever asks checks before
// anything is paid.
func (r Request) Recordable() error {
	b, err := marshal(r)
	if err != nil {
		return fmt.Errorf("the request cannot be recorded: %w", err)
	}
	var again Request
	if err := json.Unmarshal(b, &again); err != nil {
		return fmt.Errorf("the request cannot be recorded: %w", err)
	}
	key, fields := r.Digests()
	if got, read := again.Digests(); got != key {
		return fmt.Errorf("the request cannot be recorded: its %v would be read back as something else; texts must be UTF-8 and JSON without white space", fields.diff(read))
	}
	return nil
}

// Key digests the whole.
func (r Request) Key() pipeline.Key { return r.key(nil) }

// key digests the digests of the parts, which it puts into f unless that is nil.
// Its buffers hold a common request, so that they stand on the stack.
func (r Request) key(f FieldDigests) pipeline.Key {
	var room [1 << 10]byte
	var long [6 << 10]byte
	whole, part := appendPart(room[:0], keyFormat), long[:0]
	for _, name := range fieldOrder {
		part = r.appendField(part[:0], name)
		sum := sha256.Sum256(part)
		var digest [32]byte
		hex.Encode(digest[:], sum[:16])
		if f != nil {
			f[name] = string(digest[:])
		}
		whole = appendPart(whole, digest[:])
	}
	sum := sha256.Sum256(whole)
	return pipeline.Key(hex.EncodeToString(sum[:]))
}

// appendField writes the parts of a field. The first system and user message are
// fields of their own; what follows (a repair) is "turns".
func (r Request) appendField(b []byte, name string) []byte {
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

// appendPart writes the length and the bytes, so that no two lists of parts look
// alike.
func appendPart[T ~string | ~[]byte](b []byte, part T) []byte {
	return append(binary.LittleEndian.AppendUint64(b, uint64(len(part))), part...)
}
