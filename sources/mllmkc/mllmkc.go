// Package mllmkc is the source "mllmkc": the statements of MLLMKC (MMKC-Bench) that
// contradict what a picture shows, for conflict resolution.
package mllmkc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/annotation"
	"github.com/memforge/memforge/sources/internal/benchmark"
	"github.com/memforge/memforge/sources/internal/evidence"
)

// Dataset begins the ids of its items. No licence of it is known.
const Dataset = "mllmkc"

// Needs in their order.
const (
	needConflicts = iota
	needMedia
	needImages
)

// Config of the source.
type Config struct {
	evidence.Repository
	evidence.Selection
	Images     bool     `json:"images" doc:"fetch the pictures; without it they lie in the folder that run.media_dirs names"`
	AnswerKeys []string `json:"answer_keys" doc:"keys that may hold the right answer, of which those with a kind of error may end in it; the first that is there counts"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *Config) SetDefaults() {
	c.Repo, c.Revision, c.MaxBytes = "starjyf/MLLMKC-datasets", "main", evidence.DefaultMaxBytes
	c.Images = true
	c.AnswerKeys = []string{"mcq_answer", "mcq_ans", "correct_answer", "answer", "gt"}
}

// Register adds the source to a registry.
func Register(r *pipeline.Registry) {
	pipeline.AddSource(r, Dataset, "1", "MLLMKC: statements that contradict pictures, conflict resolution", New)
}

type source struct{ cfg Config }

// New checks the configuration.
func New(c Config) (pipeline.Source, error) {
	if err := evidence.Check(fetch.Hub, c.Repository, c.Selection); err != nil {
		return nil, err
	}
	if len(c.AnswerKeys) == 0 {
		return nil, errors.New("answer_keys: name at least one")
	}
	return &source{c}, nil
}

// Spec implements pipeline.Source.
func (*source) Spec() pipeline.Spec {
	return pipeline.Spec{Emits: []string{schemas.NameEvidenceItem}}
}

// Needs implements pipeline.Source.
func (s *source) Needs() []pipeline.Need {
	texts := pipeline.Need{From: fetch.Hub, Repo: s.cfg.Repo, Revision: s.cfg.Revision, MaxBytes: annotation.MaxBytes}
	for _, name := range []string{"ER.json", "IS.json", "people_knowledge.json", "logo_knowledge.json"} {
		texts.Include = append(texts.Include, "**/"+name)
	}
	pictures := slices.Concat(benchmark.PicturePatterns(), benchmark.ArchivePatterns())
	media := pipeline.Need{From: fetch.Media, Include: pictures, MaxBytes: s.cfg.MaxBytes}
	if !s.cfg.Images {
		return []pipeline.Need{texts, media}
	}
	return []pipeline.Need{texts, media, {From: fetch.Hub, Repo: s.cfg.Repo, Revision: s.cfg.Revision, Include: pictures, MaxBytes: s.cfg.MaxBytes}}
}

// Read implements pipeline.Source.
func (s *source) Read(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset, emit func(pipeline.Record) error) error {
	g := evidence.NewEmitter(scope, emit, Dataset, "", assets)
	var all []conflict
	err := evidence.Lines(ctx, scope, assets, needConflicts, func(l evidence.Line) error {
		for _, c := range parse(l.Object, l.File, s.cfg.AnswerKeys) {
			if c.why != nil {
				scope.Reject(fmt.Sprintf("%s%s", l.Where, c.suffix()), c.why)
				continue
			}
			all = append(all, c)
		}
		return nil
	})
	if err != nil {
		return err
	}
	all = evidence.Pick(scope, all, func(c conflict) string { return c.id }, s.cfg.MaxItems)
	var names []string
	for _, c := range all {
		names = append(names, c.images...)
	}
	pictures, err := evidence.IndexPictures(ctx, scope, assets, s.cfg.MaxBytes, names, needImages, needMedia)
	if err != nil {
		return err
	}
	for _, c := range all {
		if err := emitConflict(ctx, g, pictures, c); err != nil {
			return err
		}
	}
	return nil
}

func emitConflict(ctx context.Context, g *evidence.Emitter, pictures *benchmark.Files, c conflict) error {
	ids := make([]string, len(c.images))
	for i, image := range c.images {
		id, why, err := g.Album.AddNamed(ctx, pictures, image)
		if err != nil {
			return err
		}
		if ids[i] = id; why != nil {
			g.RejectWith(c.id, why)
			return nil
		}
	}
	item := c.item(ids)
	if item.Question.AnswerText = c.right; len(c.wrong) > 0 {
		g.AddOptions(&item.Question, c.id, c.right, c.wrong...)
	}
	return g.EmitItem(item)
}

// kindOf returns what a file is of: er, is, people or logo.
func kindOf(file string) string {
	switch path.Base(file) {
	case "ER.json":
		return "er"
	case "IS.json":
		return "is"
	case "people_knowledge.json":
		return "people"
	}
	return "logo"
}

// conflicts are those that SMMBench counts (table 4), readCPU what one takes with its
// pictures, in seconds.
const (
	conflicts = 520
	readCPU   = 0.1
)

// Forecast implements pipeline.Forecaster.
func (s *source) Forecast(pipeline.Volume) pipeline.Forecast {
	return evidence.Forecast(s.cfg.MaxItems, conflicts, readCPU)
}

// codeOld marks records of results in an older form, which are no data.
const codeOld = "result-record"

// conflict is a question about a picture with two statements against it.
type conflict struct {
	id, kind, instance string
	// failing names the kind of error, empty where there is one only.
	failing string
	images  []string // query image, then the two of the statements
	said    []string // what the statements say
	open    string
	choice  string
	right   string
	wrong   []string
	why     *pipeline.Rejection
}

func (c conflict) suffix() string {
	if c.failing == "" {
		return ""
	}
	return " " + c.failing
}

// errorKind is how a kind of error is spelled in the keys of statements and of queries.
type errorKind struct{ name, statements, query string }

// errorKinds returns those of the knowledge files, their capitals as they are there.
func errorKinds() []errorKind {
	return []errorKind{
		{"temporal", "Temporal_error", "temporal"}, {"location", "location_error", "location"}, {"career", "Career_error", "Career"},
		{"time", "time_error", "time"}, {"creator", "creator_error", "creator"}, {"content", "content_error", "content"},
	}
}

// parse reads an entry of a file: one conflict, or one for each kind of error.
func parse(o annotation.Object, file string, answers []string) []conflict {
	base := conflict{kind: kindOf(file)}
	if _, old := o["question_id"]; old || len(o["correct_img"]) > 0 {
		base.why = pipeline.Reject(codeOld, "it is a record of results in an older form; name the data set of the hub under repo")
		return []conflict{base}
	}
	err := o.Fill(annotation.Field{Key: "ID", Into: &base.id}, annotation.Field{Key: "instance", Into: &base.instance})
	images, _, err2 := o.LooseList("image_path")
	if err := errors.Join(err, err2); err != nil || base.id == "" {
		base.why = pipeline.Reject(benchmark.CodeBadRow, "want an ID and a list of pictures: %v", err)
		return []conflict{base}
	}
	if base.images = images; len(images) != 3 {
		base.why = pipeline.Reject(benchmark.CodeBadRow, "it has %d pictures; want that of the question and those of two statements", len(images))
		return []conflict{base}
	}
	base.id = base.kind + "-" + base.id
	if base.kind == "er" || base.kind == "is" {
		said, err := o.Object("mis_description")
		if err != nil {
			base.why = pipeline.Reject(benchmark.CodeBadRow, "%v", err)
		} else {
			base.readStatements(o, said, "incorrect_description_", "", answers)
		}
		return []conflict{base}
	}
	return base.splitByError(o, answers)
}

func (c conflict) splitByError(o annotation.Object, answers []string) (out []conflict) {
	said, err := o.Object("mis_knowledge")
	if err != nil || len(said) == 0 {
		c.why = pipeline.Reject(benchmark.CodeBadRow, "want wrong statements by kind of error under mis_knowledge: %v", err)
		return []conflict{c}
	}
	for _, key := range sortedKeys(said) {
		one := c
		at := slices.IndexFunc(errorKinds(), func(k errorKind) bool { return strings.EqualFold(k.statements, key) })
		if at < 0 {
			one.why = pipeline.Reject(evidence.CodeLabel, "the kind of error %q is none that is known", annotation.Truncate(key))
			out = append(out, one)
			continue
		}
		kind := errorKinds()[at]
		one.failing, one.id = kind.name, c.id+"."+kind.name
		if slices.ContainsFunc(out, func(o conflict) bool { return o.failing == kind.name }) {
			one.why = pipeline.Reject(evidence.CodeSpellings, "the kind of error %q is there in two spellings", kind.name)
			out = append(out, one)
			continue
		}
		inner, err := said.Object(key)
		if err != nil {
			one.why = pipeline.Reject(benchmark.CodeBadRow, "%v", err)
		} else {
			one.readStatements(o, inner, "mis_knowledge", "_"+kind.query, answers)
		}
		out = append(out, one)
	}
	return out
}

// readStatements takes the statements and the question with its answers. Keys of one kind of error
// end in it, in any case.
func (c *conflict) readStatements(o, said annotation.Object, statement, end string, answers []string) {
	c.said = make([]string, 2)
	err := said.Fill(annotation.Field{Key: statement + "1", Into: &c.said[0]}, annotation.Field{Key: statement + "2", Into: &c.said[1]})
	if err != nil || c.said[0] == "" || c.said[1] == "" {
		c.why = pipeline.Reject(benchmark.CodeBadRow, "want two statements, %s1 and %s2: %v", statement, statement, err)
		return
	}
	if c.open, c.why = text(o, "open_query"+end); c.why != nil {
		return
	}
	if c.choice, c.why = text(o, "mcq_query"+end); c.why != nil {
		return
	}
	for _, n := range []string{"1", "2"} {
		wrong, why := text(o, "mcq_disanswer"+n+end, "mcq_dis_answer"+n+end, "mcq_disanswer"+end+n, "mcq_dis_answer"+end+n)
		if c.why = why; why != nil {
			return
		}
		if wrong != "" && !slices.Contains(c.wrong, wrong) {
			c.wrong = append(c.wrong, wrong)
		}
	}
	for _, key := range answers {
		if c.right, c.why = text(o, key+end, key); c.why != nil || c.right != "" {
			break
		}
	}
	if c.why == nil && c.right == "" {
		c.why = pipeline.Reject(schemas.CodeNoGold, "none of the keys %q holds the right answer; where the data set has it was not known: name the key under answer_keys", answers)
	}
	if c.why == nil && slices.Contains(c.wrong, c.right) {
		c.why = pipeline.Reject(schemas.CodeTwoGold, "the right answer is one of the wrong ones, %q", annotation.Truncate(c.right))
	}
}

// text returns the value of the first of several keys, ignoring case.
func text(o annotation.Object, keys ...string) (string, *pipeline.Rejection) {
	var there []string
	for _, have := range sortedKeys(o) {
		if slices.ContainsFunc(keys, func(k string) bool { return strings.EqualFold(k, have) }) {
			there = append(there, have)
		}
	}
	if len(there) == 0 {
		return "", nil
	}
	key, err := o.SpellingOf(there...)
	if err != nil {
		return "", pipeline.Reject(evidence.CodeSpellings, "%v", err)
	}
	s, err := o.Text(key)
	if err != nil {
		return "", pipeline.Reject(benchmark.CodeBadRow, "%v", err)
	}
	return s, nil
}

func sortedKeys(o annotation.Object) []string {
	out := make([]string, 0, len(o))
	for k := range o {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// item returns the conflict with its pictures: that of the question is the authority, which
// comes last and revises the two statements.
func (c conflict) item(pictures []string) schemas.EvidenceItem {
	out := schemas.EvidenceItem{UpstreamID: c.id, Task: schemas.TaskConflict}
	out.Question = schemas.Question{Question: cmp.Or(c.open, c.choice), Type: c.kind, Labels: map[string]string{"conflict": "authority"}}
	if c.instance != "" {
		out.Question.Labels["instance"] = c.instance
	}
	if c.failing != "" {
		out.Question.Labels["error"] = c.failing
	}
	var revised []string
	for i, words := range c.said {
		revised = append(revised, schemas.UnitIDOf(Dataset+"/"+c.id, len(out.Units)+1))
		out.Units = append(out.Units,
			schemas.EvidenceUnit{UpstreamID: fmt.Sprintf("statement%d", i+1), Modality: schemas.ModalityText, Text: words, Role: schemas.RoleSuperseded},
			schemas.EvidenceUnit{UpstreamID: c.images[i+1], Modality: schemas.ModalityImage, Media: pictures[i+1], Role: schemas.RoleDistractor, Labels: map[string]string{"beside": fmt.Sprintf("statement%d", i+1)}})
	}
	out.Units = append(out.Units, schemas.EvidenceUnit{UpstreamID: c.images[0], Modality: schemas.ModalityImage, Media: pictures[0], Role: schemas.RoleUpdate, Revises: revised})
	return out
}
