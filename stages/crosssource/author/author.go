// Package prepare makes items of data sets fit for questions that take several
// sources (SMMBench B.2, B.3): each data set in its own way, then topics and wrong
// options for all. What only a model can write is asked of an author and checked by
// rule; the gold of an item stays as its data set has it.
package author

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
)

const role = "author"

// Codes of what is lost.
const (
	codeNoContent = "no-content"  // the content of a unit, or the question, is not here
	codeOnePiece  = "one-piece"   // the answer rests on one unit only
	codeDeclined  = "declined"    // the author sees no way
	codeText      = "bad-text"    // no text and question of the author can be used
	codeCard      = "bad-card"    // no card of the author can be used
	codeOptions   = "bad-options" // no wrong options of the author can be used
	codeTopics    = "bad-topics"  // no topics of the author can be used
)

// Config says what is done to which data set.
type Config struct {
	Condition []string `json:"condition" doc:"data sets of charts, whose questions get a condition in a text of its own (SMMBench B.2)"`
	Workflow  []string `json:"workflow" doc:"data sets of calls, which get a short text on how things are done"`
	Cut       []string `json:"cut" doc:"data sets of long documents, which are cut into files around what the answer rests on"`
	Depict    []string `json:"depict" doc:"data sets of which a detail that was said is shown on a picture instead"`
	Attempts  int      `json:"attempts" doc:"how often each thing is asked for, with the reasons against the earlier answers, before the item is given up"`
	Pictures  int      `json:"pictures" doc:"most pictures that the author sees of an item; no more than its model takes"`
	Chars     int      `json:"chars" doc:"most characters of an item's evidence that the author reads; longer texts are cut alike"`
}

// SetDefaults is as the paper has it.
func (c *Config) SetDefaults() {
	*c = Config{
		Condition: []string{"chartqapro"}, Workflow: []string{"m3bench"}, Cut: []string{"mmdocrag"}, Depict: []string{"lifesim"},
		Attempts: 2, Pictures: 6, Chars: 20_000,
	}
}

// Bounds of a configuration.
const (
	maxAttempts = 5
	maxPictures = 64
	minChars    = 500
	maxChars    = 1_000_000
)

// stage is crosssource.prepare.
type stage struct {
	cfg        Config
	complement *model.Job[Complement, Complemented]
	depict     *model.Job[Depict, Depicted]
	distract   *model.Job[Distract, Distracted]
	topics     *model.Job[Topics, Named]
	studios    sync.Pool
}

// Register adds the stage.
func Register(r *pipeline.Registry) {
	pipeline.AddStage(r, "crosssource.prepare", "1", "prepare items of data sets, each in its own way, and have an author write what they lack: conditions, wrong options, topics (SMMBench B.2, B.3)", newStage)
}

func newStage(c Config) (pipeline.Stage, error) {
	if err := cmp.Or(pipeline.CheckRange("attempts", c.Attempts, 1, maxAttempts), pipeline.CheckRange("pictures", c.Pictures, 0, maxPictures), pipeline.CheckRange("chars", c.Chars, minChars, maxChars)); err != nil {
		return nil, err
	}
	s := &stage{cfg: c, studios: sync.Pool{New: func() any { return draw.NewStudio() }}}
	var errs [4]error
	s.complement, errs[0] = model.NewJob[Complement, Complemented]("crosssource.complement")
	s.depict, errs[1] = model.NewJob[Depict, Depicted]("crosssource.depict")
	s.distract, errs[2] = model.NewJob[Distract, Distracted]("crosssource.distract")
	s.topics, errs[3] = model.NewJob[Topics, Named]("crosssource.topics")
	return s, errors.Join(errs[:]...)
}

// Spec implements pipeline.Stage.
func (s *stage) Spec() pipeline.Spec {
	asks := []pipeline.Ask{s.complement.For(role), s.depict.For(role), s.distract.For(role), s.topics.For(role)}
	for i := range asks {
		asks[i].Otherwise = "start from crosssource.worlds, whose items need no preparation"
	}
	both := []string{schemas.NameEvidenceItem, schemas.NameProfile}
	return pipeline.Spec{Accepts: both, Emits: both, Resource: pipeline.Model, Asks: asks}
}

// Map prepares an item, or says why it cannot be used. People go with the items as
// they are.
func (s *stage) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	if in.Schema == schemas.NameProfile {
		return []pipeline.Record{in}, nil
	}
	item, err := pipeline.Decode[schemas.EvidenceItem](in)
	if err != nil {
		return nil, err
	}
	if item.ContentMissing() {
		return nil, pipeline.Reject(codeNoContent, "the content of a unit, or the question, is not here; add the files that the source names, or leave the item out")
	}
	w := &itemAuthor{stage: s, scope: scope, item: item}
	for _, step := range w.steps() {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	w.renumberUnits()
	if n := len(w.item.Needed()); n < 2 {
		return nil, pipeline.Reject(codeOnePiece, "its answer rests on %d unit of evidence; an item takes two or more, in several sources", n)
	}
	if wrong := w.item.Problems(); len(wrong) > 0 {
		return nil, pipeline.Reject(wrong[0].Code, "once it was prepared: %s", wrong[0].Text)
	}
	var blobs []pipeline.Digest
	for _, id := range w.item.ShownMedia() {
		blobs = append(blobs, pipeline.Digest(id))
	}
	rec, err := pipeline.NewRecord(schemas.NameEvidenceItem, item.ItemID, w.item, blobs...)
	if err != nil {
		return nil, err
	}
	return []pipeline.Record{rec}, nil
}

// itemAuthor is that on one item.
type itemAuthor struct {
	*stage
	scope *pipeline.Scope
	item  schemas.EvidenceItem
}

// steps are what is done to the item, in order: what changes its evidence or question
// comes before what is written for them.
func (w *itemAuthor) steps() []func(context.Context) error {
	var out []func(context.Context) error
	is := func(list []string) bool { return slices.Contains(list, w.item.Dataset) }
	if is(w.cfg.Cut) {
		out = append(out, w.cutDocuments)
	}
	if is(w.cfg.Condition) {
		out = append(out, func(ctx context.Context) error { return w.addComplement(ctx, kindCondition) })
	}
	if is(w.cfg.Workflow) {
		out = append(out, func(ctx context.Context) error { return w.addComplement(ctx, kindWorkflow) })
	}
	if is(w.cfg.Depict) {
		out = append(out, w.depictDetail)
	}
	return append(out, w.addOptions, w.labelTopics)
}

// renumberUnits gives units their ids and places anew, and lists their pictures.
func (w *itemAuthor) renumberUnits() {
	now := map[string]string{}
	units := slices.Clone(w.item.Units)
	for i := range units {
		id := schemas.UnitIDOf(w.item.ItemID, i+1)
		if was := units[i].UnitID; was != "" {
			now[was] = id
		}
		units[i].UnitID, units[i].Order = id, int32(i+1)
	}
	for i := range units {
		revises := slices.Clone(units[i].Revises)
		for k, id := range revises {
			if to, there := now[id]; there {
				revises[k] = to
			}
		}
		units[i].Revises = revises
	}
	w.item.Units = units
	rows := map[string]schemas.Media{}
	for _, m := range w.item.Media {
		rows[m.MediaID] = m
	}
	w.item.Media = nil
	for _, id := range w.item.ShownMedia() {
		w.item.Media = append(w.item.Media, rows[id])
	}
}
