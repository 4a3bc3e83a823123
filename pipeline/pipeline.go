// Package pipeline is memforge's vocabulary: Record, Blob, Source, Stage,
// Gate, Model, Task, Store, Registry. Everything else in the project is written
// in these words; what runs them is package engine. The package does no I/O of
// its own.
package pipeline

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"

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

// A Hydrator is a Map stage whose media a release may reference: it says how their files
// follow from those of the inputs.
type Hydrator interface {
	// HydrationSteps returns a step for each file that Map made of in for out, its
	// outputs, none for an input that was passed on.
	HydrationSteps(in Record, out []Record) ([]schemas.HydrationStep, error)
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
	// item at a time. A transient *Rejection as the error of such a gate leaves the
	// item to the next build: there is no verdict yet.
	Judge(ctx context.Context, scope *Scope, items []Record) ([]Judgement, error)
}

// Judgement is what a gate says of one item.
type Judgement struct {
	Outcome Outcome
	// Code is a stable word for the record counts (unbalanced, wrong-roles), Reason a
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

// RawConfig is a plugin's configuration after strict decoding and defaults.
type RawConfig = json.RawMessage

// Release says what to write at the end of a build.
type Release struct {
	Name    string `json:"name" required:"true" doc:"name of the release: 1 to 64 of a-z 0-9 . _ -, starting with a letter or digit"`
	Version string `json:"version" doc:"semantic version, or auto: counted up by what changed"`
	Title   string `json:"title,omitempty" doc:"title of the card"`
	// License the maintainer publishes under; must be at least as strict as
	// the strictest of the parts. Empty: that strictest one.
	License string   `json:"license,omitempty" doc:"SPDX id of the licence, at least as strict as those of the parts; empty: the strictest of them"`
	From    []string `json:"from" required:"true" doc:"names of the steps whose records it holds"`
	// Reviewed says that people decided about all that was drawn.
	Reviewed bool `json:"reviewed,omitempty" doc:"refuse to release what people have not decided about"`
	// Media is AllMedia, also if it is empty, or LicensedMedia.
	Media string `json:"media,omitempty" enum:"all,licensed" doc:"all: refuse a release with media whose licence forbids shipping; licensed: ship the others and reference these, for memforge hydrate"`
	// Ledger says that the recorded answers of models go into the release's recipe.
	Ledger bool `json:"ledger,omitempty" doc:"put the recorded answers of models to this build's tasks into the recipe, so that anyone can rebuild without asking them"`
	// About is nil where nothing is said; a release without it cannot be made public.
	About *About `json:"about,omitempty" doc:"what catalogues and conferences ask about the dataset, for croissant.json"`
}

// About is what its maintainer says of a dataset and no table tells.
type About struct {
	URL       string    `json:"url,omitempty" doc:"page of the dataset"`
	Creators  []Creator `json:"creators,omitempty" doc:"who made it"`
	Published string    `json:"published,omitempty" doc:"date of publication, as 2026-01-31"`
	Cite      string    `json:"cite,omitempty" doc:"how to cite it, best as BibTeX"`
	// The others are of Croissant's responsible-AI vocabulary.
	Collection   string `json:"collection,omitempty" doc:"how the data were collected or made"`
	Biases       string `json:"biases,omitempty" doc:"what is over- or underrepresented"`
	Limitations  string `json:"limitations,omitempty" doc:"what it must not be used for, and where it does not generalize"`
	UseCases     string `json:"use_cases,omitempty" doc:"what it is made for"`
	SocialImpact string `json:"social_impact,omitempty" doc:"whom it may help or harm"`
	Personal     string `json:"personal,omitempty" doc:"personal or sensitive information in it"`
}

// Creator is a person or an organization.
type Creator struct {
	Name string `json:"name" required:"true" doc:"full name"`
	Kind string `json:"kind,omitempty" enum:"person,organization," doc:"person or organization; person if it is not said"`
	URL  string `json:"url,omitempty" doc:"page of the creator"`
}

// What a release does with media whose licence forbids shipping: all refuses them,
// licensed references them.
const (
	AllMedia      = "all"
	LicensedMedia = "licensed"
)

// Generated is a source that fetches nothing: Count records of a schema, each made
// from random numbers of its own, so that a larger count adds records and changes
// none. License is that of what is made.
type Generated[T any] struct {
	Schema, License string
	Count           int
	Make            func(*rand.Rand) T
}

// Spec implements Source.
func (g Generated[T]) Spec() Spec { return Spec{Emits: []string{g.Schema}, License: g.License} }

// Needs implements Source: there is nothing to fetch.
func (Generated[T]) Needs() []Need { return nil }

// Forecast implements Forecaster.
func (g Generated[T]) Forecast(Volume) Forecast {
	return Forecast{Out: Volume{g.Schema: Amount{Records: float64(g.Count)}}}
}

// Read implements Source. Ids are the name of the step and a number.
func (g Generated[T]) Read(ctx context.Context, scope *Scope, _ []Asset, emit func(Record) error) error {
	for i := range g.Count {
		if err := ctx.Err(); err != nil {
			return err
		}
		id := fmt.Sprintf("%s-%06d", scope.Name(), i)
		r, err := NewRecord(g.Schema, id, g.Make(scope.Rand(id)))
		if err != nil {
			return err
		}
		if err := emit(r); err != nil {
			return err
		}
	}
	return nil
}
