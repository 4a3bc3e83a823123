package ledger

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
)

// Request is all that can change an answer. Images stand in it by the digest of
// the blob; Form says how they are scaled on the way.
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
	Node    string       `json:"node"`
	Item    string       `json:"item"`
	Request Request      `json:"request"`
	Reply   Reply        `json:"reply"`
}

// keyFormat changes when the composition of keys does.
const keyFormat = "memforge call 1"

// Fields are the digests of the parts of a request, by what users call them.
type Fields map[string]string

// fieldOrder is the order in which parts enter the key.
var fieldOrder = []string{"host", "model", "task", "system", "user", "images", "turns", "schema", "sampling", "form", "sample", "text"}

// Identify digests a request's parts and the whole.
func (r Request) Identify() (pipeline.Key, Fields) {
	f := make(Fields, len(fieldOrder))
	return r.key(func(name, digest string) { f[name] = digest }), f
}

// Key digests the whole.
func (r Request) Key() pipeline.Key { return r.key(func(string, string) {}) }

// key digests the digests of the parts, which visit is told of.
func (r Request) key(visit func(name, digest string)) pipeline.Key {
	whole, part := make([]byte, 0, 1<<10), make([]byte, 0, 8<<10)
	whole = appendPart(whole, keyFormat)
	for _, name := range fieldOrder {
		part = part[:0]
		for _, p := range r.part(name) {
			part = appendPart(part, p)
		}
		sum := sha256.Sum256(part)
		digest := hex.EncodeToString(sum[:16])
		visit(name, digest)
		whole = appendPart(whole, digest)
	}
	sum := sha256.Sum256(whole)
	return pipeline.Key(hex.EncodeToString(sum[:]))
}

// part is the content of a field. The first system and user message are fields
// of their own; what follows (a repair) is "turns".
func (r Request) part(name string) []string {
	switch name {
	case "host":
		return []string{r.Host}
	case "model":
		return []string{r.Model}
	case "task":
		return []string{r.Task}
	case "schema":
		return []string{string(r.Schema)}
	case "sampling":
		return []string{string(r.Sampling)}
	case "form":
		return []string{string(r.Form)}
	case "sample":
		return []string{fmt.Sprint(r.Sample)}
	case "text":
		return []string{r.Text}
	}
	return r.turns(name)
}

func (r Request) turns(name string) []string {
	var parts []string
	for i, m := range r.Messages {
		switch {
		case name == "images":
			for _, d := range m.Images {
				parts = append(parts, fmt.Sprint(i), string(d))
			}
		case i >= 2 && name == "turns":
			parts = append(parts, m.Role, m.Text)
		case i == 0 && name == "system", i == 1 && name == "user":
			parts = append(parts, m.Role, m.Text)
		}
	}
	return parts
}

// appendPart writes the length and the bytes, so that no two lists of parts look
// alike.
func appendPart[T string | []byte](b []byte, part T) []byte {
	return append(binary.LittleEndian.AppendUint64(b, uint64(len(part))), part...)
}
