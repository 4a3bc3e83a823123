// Package pipeline is memforge's vocabulary: Record, Blob, Source, Stage,
// Gate, Model, Task, Store, Registry. Everything else in the project is written
// in these words; what runs them is package engine. The package does no I/O of
// its own.
package pipeline

import (
	"context"
	"encoding/json"
	"io"
	"iter"

	"github.com/memforge/memforge/schemas"
)

// A Source adapts one upstream dataset: it names the files it needs and
// parses them to records. It does no business logic.
type Source interface {
	Spec() Spec
	// Needs lists the upstream files this configuration reads. It is pure: the
	// engine fetches, verifies and pins them. A generated source needs none.
	Needs() []Need
	// Read parses the fetched files into records, in a stable order. An item
	// that cannot be used is handed to scope.Reject; an error ends the build.
	Read(ctx context.Context, scope *Scope, assets []Asset, emit func(Record) error) error
}

// A Stage turns records into records. It is a Map or a Fold as well.
type Stage interface {
	Spec() Spec
}

// A Map stage turns one record into zero or more. Its results are cached per
// record, so Map must depend on nothing but its configuration, the record, the
// record's blobs and scope.Rand.
type Map interface {
	Stage
	// Map returns the output records. A *Rejection (see Reject) quarantines the
	// input; any other error ends the build.
	Map(ctx context.Context, scope *Scope, in Record) ([]Record, error)
}

// A Fold stage sees the whole collection, sorted by record id: pairing,
// deduplication, splits, balance.
type Fold interface {
	Stage
	Fold(ctx context.Context, scope *Scope, in Collection, emit func(Record) error) error
}

// A Gate judges items. Failing is a result, not an error.
type Gate interface {
	Spec() Spec
	// Judge returns one verdict per item, in the order of items. A gate with
	// Spec.Whole is called once with the whole collection, any other with one
	// item at a time. A transient *Rejection as the error of such a one leaves the
	// item to the next build: there is no verdict yet.
	Judge(ctx context.Context, scope *Scope, items []Record) ([]Judgement, error)
}

// Judgement is what a gate says of one item.
type Judgement struct {
	Outcome Outcome
	// Code is a stable word for the funnel (unbalanced, wrong-roles), Reason a
	// sentence for a person. Code is empty on Pass; Reason may then say what was
	// looked at.
	Code, Reason string
	// Probes are the questions that were asked, as far as the rule needed them;
	// CallsFull is how many the full protocol has. Item and Gate of a probe are
	// filled in by the engine.
	Probes    []schemas.Probe
	CallsFull int
	// Relabel offers other values of labels, with which the item would not have
	// failed; empty where the gate knows of none.
	Relabel map[string]string
}

// Outcome of a gate. Error is neither pass nor fail.
type Outcome string

// The five outcomes. NotApplicable is for an item of a kind that the gate does
// not judge; Insufficient is for one that it would judge if the item, or the
// collection, held enough data.
const (
	Pass          Outcome = schemas.Pass
	Fail          Outcome = schemas.Fail
	GateError     Outcome = schemas.Error
	NotApplicable Outcome = schemas.NotApplicable
	Insufficient  Outcome = schemas.Insufficient
)

// Collection is the sorted input of a Fold.
type Collection struct {
	Len int
	// All yields the records in order of id. It may be ranged over repeatedly.
	All iter.Seq2[Record, error]
}

// Resource is what limits how many tasks of a plugin run at once.
type Resource string

// The limited resources. Each has a limit in pipeline.yaml's run block.
const (
	CPU     Resource = "cpu"
	FFmpeg  Resource = "ffmpeg"
	Model   Resource = "model"
	Network Resource = "network"
)

// Spec declares what a plugin accepts, gives and uses.
type Spec struct {
	// Accepts names the record schemas a stage or gate reads. Records of other
	// schemas among its inputs pass it by.
	Accepts []string
	// Emits names the schemas of its output records. A gate emits what it
	// accepts (the items that pass) and verdicts, without saying so.
	Emits []string
	// Resource that its tasks occupy; CPU when empty.
	Resource Resource
	// Tools whose version shapes its bytes ("ffmpeg"). Each must be registered
	// with Registry.AddTool; its version enters the key.
	Tools []string
	// Asks are the kinds of request it makes to models; Resource is then Model.
	// Each role must be given to a model in pipeline.yaml or have a built-in
	// rule for the task.
	Asks []Ask
	// ChecksQuestions says that it calls Scope.CheckQuestion, so that the versions
	// of the checks enter its key.
	ChecksQuestions bool
	// ReviewSample is for stages: the draw all of which people must have decided about,
	// for nothing else leaves. Nil where a stage asks for no decisions.
	ReviewSample *ReviewSample
	// Whole is for gates only: judge the collection at once.
	Whole bool
	// Types are question types: those that the questions of a source or stage may
	// have, or those that a gate judges. Empty says nothing: a gate judges all, a
	// stage that reads questions gives those of the types it reads, and any other
	// plugin may give questions of any type.
	Types []string
	// Unit is for stages that rewrite what gates flag: the name of the field, a text,
	// that records have in common which are rewritten together, such as task_id. The
	// whole unit then starts again at the first gate. Empty means each by itself, and
	// questions with those of their mirror group.
	Unit string
	// License of what a generated source makes (an SPDX id).
	License string
}

// Need is one upstream place and the files wanted from it.
type Need struct {
	// From is local, media (files that users obtained themselves, in the folder
	// that run.media_dirs names for the source), http, hf or github.
	From string `json:"from"`
	// Root is the folder of a local need, as written in pipeline.yaml.
	Root string `json:"root,omitempty"`
	// URL and SHA256 pin an http need.
	URL    string `json:"url,omitempty"`
	SHA256 Digest `json:"sha256,omitempty"`
	// Repo and Revision name a hub repository (owner/name, branch or commit).
	Repo     string `json:"repo,omitempty"`
	Revision string `json:"revision,omitempty"`
	// Include and Exclude are path.Match patterns over slash-separated paths;
	// "**" stands for any number of folders. No Include means all files.
	Include []string `json:"include,omitempty"`
	Exclude []string `json:"exclude,omitempty"`
	// MaxBytes is the size above which a file is refused; 0 means no limit.
	MaxBytes int64 `json:"max_bytes,omitempty"`
	// License of the files as stated upstream (an SPDX id), or empty.
	License string `json:"license,omitempty"`
}

// Asset is one fetched file: bytes in the store and where they come from.
type Asset struct {
	// Need is the index of the need it belongs to.
	Need int `json:"need"`
	// Path inside the need's root or repository, slash-separated, or the file
	// name of a URL.
	Path string `json:"path"`
	Blob Digest `json:"blob,omitempty"`
	Size int64  `json:"size"`
	// URL is the canonical place, never a mirror; empty for local files.
	URL      string `json:"url,omitempty"`
	Revision string `json:"revision,omitempty"`
	// License is what the upstream itself states (an SPDX id), or empty. The
	// need's License, if set, is the user's statement and may differ.
	License string `json:"license,omitempty"`
	// Problem says why the file could not be had (code and reason); Blob is
	// then empty. The source must pass it to scope.Reject or fail.
	Problem *Rejection `json:"problem,omitempty"`
}

// Fetcher brings needs into the store and keeps the lock file. source is the
// name of the source in pipeline.yaml.
type Fetcher interface {
	Fetch(ctx context.Context, source string, needs []Need) ([]Asset, error)
}

// Blob names immutable bytes.
type Blob struct {
	Digest Digest `json:"digest"`
	Size   int64  `json:"size"`
}

// Store keeps blobs by digest and results by key. Implementations are safe for
// concurrent use, and whatever moment the process dies at, the next one finds
// a store that holds every committed result and no half of one.
type Store interface {
	// PutBlob stores the bytes of r and returns their digest. Storing known
	// bytes again is cheap and harmless.
	PutBlob(ctx context.Context, r io.Reader) (Blob, error)
	// PutFile stores a file. With move it may rename the file into the store.
	PutFile(ctx context.Context, path string, move bool) (Blob, error)
	// OpenBlob reads a blob. The last Read returns a *CorruptError instead of
	// io.EOF when the bytes do not have the digest.
	OpenBlob(ctx context.Context, d Digest) (io.ReadCloser, error)
	// BlobPath returns a read-only local file with the blob's verified bytes.
	BlobPath(ctx context.Context, d Digest) (string, error)
	// MissingBlobs reports which of the digests are absent.
	MissingBlobs(ctx context.Context, ds []Digest) ([]Digest, error)

	// Results returns those of the results that exist and whose blobs and
	// records do. An unknown key is simply not in the map.
	Results(ctx context.Context, keys []Key) (map[Key]Result, error)
	// Commit makes results and the records they output durable, all or none.
	// The blobs must have been put before.
	Commit(ctx context.Context, outcomes []Committed) error
	// Records returns the records with these digests, in order.
	Records(ctx context.Context, ds []Digest) ([]Record, error)

	// SaveBuild appends to the build history; Builds returns the newest first.
	SaveBuild(ctx context.Context, b Build) error
	Builds(ctx context.Context, limit int) ([]Build, error)
}

// Committed is a result together with the records it outputs.
type Committed struct {
	Result  Result
	Records []Record
	// Encoded, if set, is what Encode gives of each record: who made them had to
	// know their digests.
	Encoded [][]byte
	// Stored says that outputs which are not among Records are in the store: results
	// that were found there give them, or records that were read from it are handed
	// on. The result's Blobs name all of theirs.
	Stored bool
	// Instant says that the result comes again at once from recorded answers or by
	// rule: it must outlive the process and need not outlive a power cut.
	Instant bool
}

// Result of one task: what it gave, under its key.
type Result struct {
	Key Key `json:"key"`
	// Outputs are the records given, in the order given.
	Outputs []Ref `json:"outputs,omitempty"`
	// Rejections are the items lost on the way.
	Rejections []Rejection `json:"rejections,omitempty"`
	// Blobs are all blobs the result depends on: those its records name and
	// those put besides. Sorted.
	Blobs []Digest `json:"blobs,omitempty"`
	// Reused says that Execute found the result in the store.
	Reused bool `json:"-"`
}

// Build is one finished build, kept so that explain can compare two.
type Build struct {
	// Seq counts builds from 1; SaveBuild sets it.
	Seq int64 `json:"seq"`
	// Config is the digest of the plan.
	Config Digest `json:"config"`
	// Trial says why a build got no release: what it was confined to (some records,
	// some nodes), or that it failed; empty for a whole one.
	Trial string      `json:"trial,omitempty"`
	Steps []BuildStep `json:"nodes"`
}

// BuildStep is one node of a finished build.
type BuildStep struct {
	Name string   `json:"name"`
	From []string `json:"from,omitempty"`
	// Identity is what every key of the node shares.
	Identity Identity `json:"identity"`
	// UnitList is the blob that lists the node's units, see Unit.
	UnitList Digest `json:"units"`
	// Reused and Built count units found in the store and units computed.
	Reused int `json:"reused"`
	Built  int `json:"built"`
}

// Unit is one cached piece of a node's work: a source's reading, one record
// through a map, a whole fold. Units of a node are sorted by In.ID.
type Unit struct {
	In         Ref         `json:"in"` // zero for sources, folds and whole gates
	Key        Key         `json:"key"`
	Out        []Ref       `json:"out,omitempty"`
	Rejections []Rejection `json:"rejections,omitempty"`
}

// Canonical is the one JSON encoding that digests and keys are taken of:
// sorted object keys, no insignificant space, no HTML escaping.
func Canonical(v any) ([]byte, error) { return canonicalJSON(v) }

// RawConfig is a plugin's configuration after strict decoding and defaults.
type RawConfig = json.RawMessage

// Release says what to write at the end of a build.
type Release struct {
	Name    string `json:"name"`
	Version string `json:"version"` // semantic version or "auto"
	Title   string `json:"title,omitempty"`
	// License the maintainer publishes under; must be at least as strict as
	// the strictest of the parts. Empty: that strictest one.
	License string   `json:"license,omitempty"`
	From    []string `json:"from"`
	// Reviewed says that people decided about all that was drawn.
	Reviewed bool `json:"reviewed,omitempty"`
}
