package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"

	"github.com/memforge/memforge/pipeline/internal/canonicaljson"
)

// Scope is what one task may touch: blobs, a scratch folder, derived
// randomness and the quarantine. It belongs to one task and one goroutine.
type Scope struct {
	options ScopeOptions
	tempDir string
	output  ScopeOutput
}

// ScopeOptions is what an executor gives the scope of a task.
type ScopeOptions struct {
	Identity Identity
	// Step is the step's name in the plan, Item the record it is at work on: empty
	// where it sees the whole collection.
	Step, Item string
	// Store, if nil, has no blob: every one is ErrNoStore.
	Store Store
	// KeepsNothing says that the store keeps nothing that is derived.
	KeepsNothing bool
	// Registry has the rules of the built-in model and the checks of questions.
	Registry *Registry
	// Models answers for the roles that the identity gives to other models.
	Models Models
	// OnRequest, if set, is told of every request before it is answered.
	OnRequest func(Origin, Request)
	// TempRoot is the folder for the scratch folder; empty means the system's.
	TempRoot string
}

// ScopeOutput is what work leaves in its scope: the items that it rejected and the blobs
// that it put.
type ScopeOutput struct {
	Rejections []Rejection
	Blobs      []Digest
}

// RunInScope does work in a scope that ends with it: the scratch folder is removed. A
// panic of the work is a *PanicError.
func RunInScope(g ScopeOptions, work func(*Scope) error) (left ScopeOutput, err error) {
	if g.Store == nil {
		g.Store = noStore{}
	}
	s := &Scope{options: g}
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
		left, err = s.output, errors.Join(err, s.close())
	}()
	return ScopeOutput{}, work(s)
}

// Name returns the step's name in pipeline.yaml, for sources and gates only: other
// stages must not depend on it.
func (s *Scope) Name() string { return s.options.Identity.Name }

// Rand returns a generator derived from seed x plugin x input record x labels:
// the same task draws the same numbers on every machine.
func (s *Scope) Rand(labels ...string) *rand.Rand {
	h := sha256.New()
	writePart := func(p string) {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		io.WriteString(h, p)
	}
	writePart(fmt.Sprint(s.options.Identity.Seed))
	writePart(s.options.Identity.Use)
	if len(labels) == 0 {
		labels = []string{s.options.Item}
	}
	for _, l := range labels {
		writePart(l)
	}
	sum := h.Sum(nil)
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum), binary.LittleEndian.Uint64(sum[8:])))
}

// PutFile moves a file of the scratch folder into the store.
func (s *Scope) PutFile(ctx context.Context, path string) (Blob, error) {
	return s.keep(s.options.Store.PutFile(ctx, path, true))
}

// PutBlob stores bytes.
func (s *Scope) PutBlob(ctx context.Context, r io.Reader) (Blob, error) {
	return s.keep(s.options.Store.PutBlob(ctx, r))
}

func (s *Scope) keep(b Blob, err error) (Blob, error) {
	if err == nil {
		s.output.Blobs = append(s.output.Blobs, b.Digest)
	}
	return b, err
}

// BlobPath returns a read-only file with a blob's verified bytes.
func (s *Scope) BlobPath(ctx context.Context, d Digest) (string, error) {
	return s.options.Store.BlobPath(ctx, d)
}

// OpenBlob reads a blob; see Store.OpenBlob.
func (s *Scope) OpenBlob(ctx context.Context, d Digest) (io.ReadCloser, error) {
	return s.options.Store.OpenBlob(ctx, d)
}

// ReadBlob returns what a blob holds; of one that is larger than most, a byte more than that, so
// that its length tells.
func (s *Scope) ReadBlob(ctx context.Context, d Digest, most int64) ([]byte, error) {
	f, err := s.OpenBlob(ctx, d)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	return data, errors.Join(err, f.Close())
}

// TempDir returns the task's scratch folder, made at the first call and
// removed with the task.
func (s *Scope) TempDir() (string, error) {
	if s.tempDir != "" {
		return s.tempDir, nil
	}
	dir, err := os.MkdirTemp(s.options.TempRoot, "task-")
	if err != nil {
		return "", fmt.Errorf("make scratch folder: %w", err)
	}
	s.tempDir = dir
	return dir, nil
}

// Reject quarantines an item of a source or fold and goes on.
func (s *Scope) Reject(id string, why *Rejection) {
	r := *why
	r.ID = id
	s.output.Rejections = append(s.output.Rejections, r)
}

func (s *Scope) close() error {
	if s.tempDir == "" {
		return nil
	}
	return os.RemoveAll(s.tempDir)
}

// ErrNoStore is returned to a plugin that asks for a blob where there is no
// store.
var ErrNoStore = errors.New("there is no store here")

// noStore has no blob; of a store, a scope asks nothing else.
type noStore struct{ Store }

func (noStore) PutBlob(context.Context, io.Reader) (Blob, error)         { return Blob{}, ErrNoStore }
func (noStore) PutFile(context.Context, string, bool) (Blob, error)      { return Blob{}, ErrNoStore }
func (noStore) OpenBlob(context.Context, Digest) (io.ReadCloser, error)  { return nil, ErrNoStore }
func (noStore) BlobPath(context.Context, Digest) (string, error)         { return "", ErrNoStore }
func (noStore) MissingBlobs(context.Context, []Digest) ([]Digest, error) { return nil, ErrNoStore }

// SchemaDerived is the schema of the record that remembers what was derived.
const SchemaDerived = "memforge.derived"

// derivedFormat changes when the key of what is derived does.
const derivedFormat = "memforge derived 1"

// DeriveBlobs returns the blobs that a recipe makes, in order: those that the store
// remembers, or else those that derive gives. It is for what is costly and hangs on
// nothing but the recipe, the plugin's version and its tools, while the result it
// is made for waits, such as a frame that a model is to see. GC forgets it: no
// build names it.
func (s *Scope) DeriveBlobs(ctx context.Context, recipe any, derive func() ([]Digest, error)) ([]Digest, error) {
	if s.options.KeepsNothing {
		return derive() // a gate that is run again, on a store that keeps nothing
	}
	key, err := s.derivedKey(recipe)
	if err != nil {
		return nil, err
	}
	known, err := s.loadDerived(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("recall what was derived: %w", err)
	}
	if known != nil {
		s.output.Blobs = append(s.output.Blobs, known...)
		return known, nil
	}
	out, err := derive()
	if err != nil || ctx.Err() != nil {
		return out, err
	}
	if err := s.saveDerived(ctx, key, out); err != nil {
		return nil, fmt.Errorf("remember what was derived: %w", err)
	}
	return out, nil
}

// derivedBlobs lists blobs in the order in which they were made.
type derivedBlobs struct {
	Blobs []Digest `json:"blobs"`
}

func (s *Scope) derivedKey(recipe any) (Key, error) {
	b, err := canonicaljson.Marshal(struct {
		Version string            `json:"version"`
		Tools   map[string]string `json:"tools"`
		Recipe  any               `json:"recipe"`
	}{s.options.Identity.Version, s.options.Identity.Tools, recipe})
	if err != nil {
		return "", fmt.Errorf("key of what is derived: %w", err)
	}
	return Key(DigestOf(fmt.Appendf(nil, "memforge key 1%s\n%s", DigestOf([]byte(derivedFormat)), b))), nil
}

func (s *Scope) loadDerived(ctx context.Context, key Key) ([]Digest, error) {
	found, err := s.options.Store.Results(ctx, []Key{key})
	if err != nil {
		return nil, err
	}
	r, ok := found[key]
	if !ok || len(r.Outputs) != 1 {
		return nil, nil
	}
	recs, err := s.options.Store.Records(ctx, []Digest{r.Outputs[0].Digest})
	if err != nil {
		return nil, err
	}
	d, err := Decode[derivedBlobs](recs[0])
	return d.Blobs, err
}

func (s *Scope) saveDerived(ctx context.Context, key Key, blobs []Digest) error {
	rec, err := NewRecord(SchemaDerived, "derived/"+string(key), derivedBlobs{Blobs: blobs}, blobs...)
	if err != nil {
		return err
	}
	ref, err := rec.Ref()
	if err != nil {
		return err
	}
	return s.options.Store.Commit(ctx, []Committed{{
		Result: Result{Key: key, Outputs: []Ref{ref}, Blobs: slices.Compact(slices.Sorted(slices.Values(blobs)))}, Records: []Record{rec}, Instant: true,
	}})
}
