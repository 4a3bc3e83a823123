// Package evidence holds what the adapters of data sets of questions share that rest on
// several pieces of evidence (SMMBench B.1 to B.3): giving items in the one form, taking
// pictures out of rows, files and archives, and reading shards of a table.
package evidence

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/annotation"
	"github.com/memforge/memforge/sources/internal/benchmark"
)

// Codes of the rejections that adapters of items report, beside those of
// schemas.EvidenceItem and of benchmark.
const (
	CodeFile      = "bad-file"
	CodeID        = "bad-id"
	CodeCopy      = "duplicate-id"
	CodeSpellings = "two-spellings"
	CodeLabel     = "unknown-label"
	CodePicture   = "no-picture"
	CodeExplodes  = "explodes"
	CodePage      = "page-missing"
	CodeDate      = "bad-date"
)

// Codes of notes on items that were taken.
const (
	NoteLicences  = "licences-differ"
	NoteDuplicate = "duplicate-evidence"
	NoteMissing   = "evidence-missing"
	NoteOptions   = "options-not-found"
	NoteLeftOut   = "left-out"
	NoteOrder     = "not-in-order"
)

// Emitter gives the items of one data set.
type Emitter struct {
	Scope *pipeline.Scope
	Emit  func(pipeline.Record) error
	// Dataset begins the ids of items and profiles; License is that of those without
	// one of their own.
	Dataset, License string
	// Notes are put on every item.
	Notes   []schemas.Note
	Album   *Album
	emitted map[string]bool
}

// NewEmitter makes one for what assets hold, whose first need is the data set's own:
// items and pictures have its Licences.
func NewEmitter(scope *pipeline.Scope, emit func(pipeline.Record) error, dataset, known string, assets []pipeline.Asset) *Emitter {
	license, notes := JoinLicences(known, assets)
	license = cmp.Or(license, benchmark.NoAssertion)
	return &Emitter{Scope: scope, Emit: emit, Dataset: dataset, License: license, Notes: notes, Album: NewAlbum(scope, license), emitted: map[string]bool{}}
}

// ID is that of the item or profile that upstream calls so.
func (g *Emitter) ID(upstream string) string { return g.Dataset + "/" + upstream }

// idForm is that of ids which are taken from a file: they become parts of ours.
var idForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$`)

// EmitItem fills in what all items have alike, ids and orders of units among it, and gives
// the item, or rejects it by the first of its problems.
func (g *Emitter) EmitItem(item schemas.EvidenceItem) error {
	item.ItemID, item.Dataset, item.SourceID = g.ID(item.UpstreamID), g.Dataset, g.Scope.Name()
	item.License = cmp.Or(item.License, g.License)
	item.Question.QuestionID = item.ItemID
	for i := range item.Units {
		u := &item.Units[i]
		u.UnitID, u.Order, u.Dataset = schemas.UnitIDOf(item.ItemID, i+1), int32(i+1), cmp.Or(u.Dataset, g.Dataset)
	}
	item.Notes = append(item.Notes, g.Notes...)
	item.Media = g.Album.Rows(item.ShownMedia())
	blobs := make([]pipeline.Digest, len(item.Media))
	for i, m := range item.Media {
		blobs[i] = pipeline.Digest(m.MediaID)
	}
	_, err := g.emit(schemas.NameEvidenceItem, item.UpstreamID, item, item.Problems(), blobs...)
	return err
}

// EmitProfile is Give for a profile, and says whether it was given.
func (g *Emitter) EmitProfile(p schemas.Profile) (bool, error) {
	p.ProfileID, p.Dataset, p.SourceID, p.License = g.ID(p.UpstreamID), g.Dataset, g.Scope.Name(), cmp.Or(p.License, g.License)
	return g.emit(schemas.NameProfile, p.UpstreamID, p, p.Problems())
}

func (g *Emitter) emit(schema, upstream string, v any, problems []schemas.Note, blobs ...pipeline.Digest) (bool, error) {
	id, key := g.ID(upstream), schema+" "+upstream
	switch {
	case !idForm.MatchString(upstream):
		g.Reject(annotation.Truncate(upstream), CodeID, "the id %q is not made of letters, digits, dots, colons and dashes", annotation.Truncate(upstream))
		return false, nil
	case g.emitted[key]:
		g.Reject(upstream, CodeCopy, "another one has the id %s", upstream)
		return false, nil
	case len(problems) > 0:
		g.Reject(upstream, problems[0].Code, "%s", problems[0].Text)
		return false, nil
	}
	rec, err := pipeline.NewRecord(schema, id, v, blobs...)
	if err != nil {
		g.Reject(upstream, benchmark.CodeTooLarge, "%v", err)
		return false, nil
	}
	g.emitted[key] = true
	return true, g.Emit(rec)
}

// Reject loses what upstream calls so.
func (g *Emitter) Reject(upstream, code, format string, args ...any) {
	g.Scope.Reject(g.ID(upstream), pipeline.Reject(code, format, args...))
}

// RejectWith is Reject for a rejection that another part made.
func (g *Emitter) RejectWith(upstream string, why *pipeline.Rejection) {
	g.Scope.Reject(g.ID(upstream), why)
}

// AddOptions gives a question its options at places drawn for the item.
func (g *Emitter) AddOptions(q *schemas.Question, upstream, right string, wrong ...string) {
	texts := append([]string{right}, wrong...)
	options := make([]schemas.Option, len(texts))
	for i, at := range g.Scope.Rand("options", upstream).Perm(len(texts)) {
		options[i] = schemas.Option{Text: texts[at], Role: schemas.RoleDistractor}
		if at == 0 {
			options[i].Role = schemas.RoleCorrect
		}
	}
	q.SetOptions(options...)
}

// Repository is a repository, as adapters have it in their configuration.
type Repository struct {
	Repo     string `json:"repo" doc:"repository, as owner/name"`
	Revision string `json:"revision" doc:"branch, tag or commit; the lock file pins the commit"`
}

// Selection says how much of a data set is taken.
type Selection struct {
	MaxItems int   `json:"max_items" doc:"take at most so many items, drawn by the seed; 0: all"`
	MaxBytes int64 `json:"max_bytes" doc:"size in bytes above which a file is refused"`
}

// DefaultMaxBytes is the size above which a file of a data set is refused.
const DefaultMaxBytes = 4 << 30

// Check refuses what is no repository of the kind (fetch.Hub or fetch.GitHub), and
// numbers that make no sense.
func Check(kind string, p Repository, s Selection) error {
	check := fetch.CheckHub
	if kind == fetch.GitHub {
		check = fetch.CheckGitHub
	}
	if err := check(p.Repo, p.Revision); err != nil {
		return err
	}
	if s.MaxItems < 0 {
		return fmt.Errorf("max_items: %d: want a number of items, or 0 for all", s.MaxItems)
	}
	if s.MaxBytes <= 0 {
		return fmt.Errorf("max_bytes: %d: must be above 0", s.MaxBytes)
	}
	return nil
}

// PickIDs returns the ids that a seeded draw takes, in which each has its place by its own
// id; nil stands for all.
func PickIDs(scope *pipeline.Scope, ids []string, most int) map[string]bool {
	if most == 0 || len(ids) <= most {
		return nil
	}
	out := map[string]bool{}
	for _, id := range benchmark.Shuffle(scope, ids, func(id string) string { return id })[:most] {
		out[id] = true
	}
	return out
}

// JoinLicences joins the licences that are known of a data set with what its upstream
// states of itself, so that a release has to meet all of them, and notes where the
// upstream states another. Ids of hubs are lower case.
func JoinLicences(known string, assets []pipeline.Asset) (string, []schemas.Note) {
	out, notes := known, []schemas.Note(nil)
	for _, a := range assets {
		stated := a.License
		if stated == "" || a.Need > 0 || containsLicence(out, stated) {
			continue
		}
		notes = append(notes, schemas.Note{Code: NoteLicences, Text: fmt.Sprintf("the repository states the licence %s, %s was known of it; both are to be met", annotation.Truncate(stated), cmp.Or(known, "none"))})
		out = strings.TrimPrefix(out+" AND "+stated, " AND ")
	}
	return out, notes
}

func containsLicence(joined, one string) bool {
	for part := range strings.SplitSeq(joined, " AND ") {
		if strings.EqualFold(part, one) {
			return true
		}
	}
	return false
}

// ReadText reads the annotation file of a need that has a name, to be one of UTF-8.
func ReadText(ctx context.Context, scope *pipeline.Scope, a pipeline.Asset) ([]byte, error) {
	raw, err := benchmark.ReadAll(ctx, scope, a, annotation.MaxBytes)
	if err != nil {
		return nil, err
	}
	text, err := annotation.Prepare(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.Path, pipeline.Reject(CodeFile, "%v", err))
	}
	return text, nil
}

// CodeField is a field of upstream that no record has, with how often it is there.
const CodeField = "field-left-out"

// UnusedFields counts what objects have beside the keys that are kept.
type UnusedFields map[string]int

// Count counts the keys of an object at a place ("traj") that are not kept.
func (f UnusedFields) Count(place string, o annotation.Object, kept ...string) {
	for key, value := range o {
		if !slices.Contains(kept, key) && string(value) != "null" {
			f[strings.TrimPrefix(place+"."+annotation.Truncate(key), ".")]++
		}
	}
}

// maxFields bounds how many fields are named: hostile files invent keys.
const maxFields = 64

// Rejections yields the fields that were left out in the order of their names, each once, with
// a place and how often it is there.
func (f UnusedFields) Rejections(yield func(place string, why *pipeline.Rejection) bool) {
	for i, name := range slices.Sorted(maps.Keys(f)) {
		if i == maxFields {
			yield("field", pipeline.Reject(CodeField, "%d more fields that nothing reads", len(f)-i))
			return
		}
		if !yield("field:"+name, pipeline.Reject(CodeField, "no record has this field; it is there %d times", f[name])) {
			return
		}
	}
}

// RejectFields loses the fields of what upstream calls so.
func (g *Emitter) RejectFields(upstream string, f UnusedFields) {
	for place, why := range f.Rejections {
		g.RejectWith(upstream+"/"+place, why)
	}
}

// Forecast is that of a source that gives at most so many items, 0 for all, of those
// that there are, each of which takes some seconds to read.
func Forecast(most, all int, cpu float64) pipeline.Forecast {
	if most == 0 || most > all {
		most = all
	}
	n := float64(most)
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameEvidenceItem: {Records: n}}, CPU: n * cpu}
}
