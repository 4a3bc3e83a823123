// Package author makes items of data sets fit for questions that take several
// sources (SMMBench B.2, B.3): each data set in its own way, then topics and wrong
// options for all. What only a model can write is asked of an author and checked by
// rule; the gold of an item stays as its data set has it.
package author

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
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
	Workflow  []string `json:"workflow" doc:"data sets of calls: of several calls some make a question, and all get a short text on how things are done"`
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
	split      *model.Job[Split, Chosen]
	topics     *model.Job[Topics, Named]
	studios    sync.Pool
}

// Register adds the stage.
func Register(r *pipeline.Registry) {
	pipeline.AddStage(r, "crosssource.prepare", "3", "prepare items of data sets, each in its own way, and have an author write what they lack: conditions, wrong options, topics (SMMBench B.2, B.3)", newStage)
}

func newStage(c Config) (pipeline.Stage, error) {
	if err := cmp.Or(pipeline.CheckRange("attempts", c.Attempts, 1, maxAttempts), pipeline.CheckRange("pictures", c.Pictures, 0, maxPictures), pipeline.CheckRange("chars", c.Chars, minChars, maxChars)); err != nil {
		return nil, err
	}
	s := &stage{cfg: c, studios: sync.Pool{New: func() any { return draw.NewStudio() }}}
	var errs [5]error
	s.complement, errs[0] = model.NewJob[Complement, Complemented]("crosssource.complement")
	s.depict, errs[1] = model.NewJob[Depict, Depicted]("crosssource.depict")
	s.distract, errs[2] = model.NewJob[Distract, Distracted]("crosssource.distract")
	s.topics, errs[3] = model.NewJob[Topics, Named]("crosssource.topics")
	s.split, errs[4] = model.NewJob[Split, Chosen]("crosssource.split")
	return s, errors.Join(errs[:]...)
}

// Spec implements pipeline.Stage.
func (s *stage) Spec() pipeline.Spec {
	asks := []pipeline.Ask{s.complement.For(role), s.depict.For(role), s.distract.For(role), s.topics.For(role), s.split.For(role)}
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

// itemAuthor prepares one item.
type itemAuthor struct {
	*stage
	scope *pipeline.Scope
	item  schemas.EvidenceItem
}

// steps returns the changes in order: those of evidence and question come before what is
// written for them.
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
		out = append(out, w.splitWorkflow, func(ctx context.Context) error { return w.addComplement(ctx, kindWorkflow) })
	}
	if is(w.cfg.Depict) {
		out = append(out, w.depictDetail)
	}
	return append(out, w.addOptions, w.labelTopics)
}

// renumberUnits assigns new ids and orders to units and lists their pictures.
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

// Item is what the author is told of an item in every request.
type Item struct {
	Question string   `json:"question"`
	Answer   []string `json:"answer"`
	Pieces   []Piece  `json:"pieces"`
	// QuestionPictures are numbers of pictures that the question itself shows.
	QuestionPictures []int `json:"question_pictures,omitempty"`
}

// Piece is a unit that the answer rests on. Pictures are numbers, from 1, of the
// pictures that go with the request; 0 is one that is left out.
type Piece struct {
	Number   int    `json:"number"`
	Kind     string `json:"kind"`
	Title    string `json:"title,omitempty"`
	Text     string `json:"text,omitempty"`
	Caption  string `json:"caption,omitempty"`
	Pictures []int  `json:"pictures,omitempty"`
}

func (w *itemAuthor) itemInput() (Item, []pipeline.Digest) {
	out := Item{Question: w.item.Question.Question, Answer: answerTexts(w.item.Question), Pieces: []Piece{}}
	var shown []pipeline.Digest
	show := func(ids []string) (numbers []int) {
		for _, id := range ids {
			at := slices.Index(shown, pipeline.Digest(id))
			if at < 0 && len(shown) < w.cfg.Pictures {
				shown = append(shown, pipeline.Digest(id))
				at = len(shown) - 1
			}
			numbers = append(numbers, at+1)
		}
		return numbers
	}
	out.QuestionPictures = show(w.item.Question.QuestionMedia)
	needed := w.item.Needed()
	for i, u := range needed {
		p := Piece{Number: i + 1, Kind: u.Modality, Title: u.Title, Text: truncate(UnitText(u), w.cfg.Chars/len(needed)), Caption: truncate(u.Caption, w.cfg.Chars/len(needed))}
		p.Pictures = show(u.Pictures())
		out.Pieces = append(out.Pieces, p)
	}
	return out, shown
}

// UnitText returns all that is written in a unit.
func UnitText(u schemas.EvidenceUnit) string {
	var lines []string
	if u.Text != "" {
		lines = append(lines, u.Text)
	}
	for _, r := range u.Rows {
		lines = append(lines, strings.Join(r, " | "))
	}
	for _, p := range u.Parts {
		if p.Text != "" {
			lines = append(lines, p.Text)
		}
	}
	return strings.Join(lines, "\n")
}

// answerTexts returns what an answer says: the text of the right option, or the textual
// arguments of the call.
func answerTexts(q schemas.Question) []string {
	if q.AnswerCall == "" {
		return []string{q.AnswerText}
	}
	out := []string{}
	plan, _ := schemas.ReadPlan(q.AnswerCall) // checked when the item was read
	for _, c := range slices.Concat(plan...) {
		out = append(out, c.Name)
		for _, k := range slices.Sorted(maps.Keys(c.Arguments)) {
			out = append(out, fmt.Sprint(c.Arguments[k]))
		}
	}
	return out
}

func truncate(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n]) + "…"
	}
	return text
}

func lastRefusal[Out any](refused []model.RejectedAnswer[Out]) string {
	return fmt.Sprintf("%s (after %d attempts)", strings.Join(refused[len(refused)-1].Reasons, "; "), len(refused))
}

func rejectDeclined(by, why, what string) error {
	if why = strings.TrimSpace(why); why == "" {
		return nil
	}
	return pipeline.Reject(codeDeclined, "%s writes no %s: %s", by, what, why)
}

// refusals collects what is wrong with an answer, in words for its author.
type refusals []string

func (r *refusals) add(format string, args ...any) { *r = append(*r, fmt.Sprintf(format, args...)) }

// neighbours is how many parts that are not gold stay before and after one that is.
const neighbours = 1

// cutDocuments splits documents into files: one around each gold part with its
// neighbours. Parts between are dropped, and so is a picture next to a gold one, so that
// a file shows at most one picture.
func (w *itemAuthor) cutDocuments(context.Context) error {
	var out []schemas.EvidenceUnit
	for _, u := range w.item.Units {
		if u.Modality != schemas.ModalityDocument || u.Role == schemas.RoleDistractor {
			out = append(out, u)
			continue
		}
		out = append(out, splitDocument(u)...)
	}
	w.item.Units = out
	return nil
}

// splitDocument returns the files of a document. One without gold parts stays whole.
func splitDocument(u schemas.EvidenceUnit) (out []schemas.EvidenceUnit) {
	from := 0 // the first part that is in no file yet
	for i, p := range u.Parts {
		if !p.Gold {
			continue
		}
		end := i + 1
		for end < len(u.Parts) && end <= i+neighbours && !u.Parts[end].Gold {
			end++
		}
		file := u
		file.Labels, file.Parts = clone(u.Labels), partsAround(u.Parts[max(from, i-neighbours):end], p)
		if len(out) > 0 { // the first keeps the id, by which others may revise it
			file.UnitID, file.Revises = "", nil
		}
		out, from = append(out, file), end
	}
	if len(out) == 0 {
		return []schemas.EvidenceUnit{u}
	}
	return out
}

func clone(m map[string]string) map[string]string {
	out := map[string]string{}
	for k, v := range m {
		out[k] = v
	}
	return out
}

// What a request weighs, and how many more are put because an answer cannot be used,
// for want of a measurement.
const (
	evidenceChars = 2500
	picturesShown = 1.2
	megapixels    = 0.8
	answerTokens  = 90
	againShare    = 0.25
)

// Forecast implements pipeline.Forecaster: every item is asked for topics and wrong
// options, and for one thing of its data set.
func (s *stage) Forecast(in pipeline.Volume) pipeline.Forecast {
	items := in[schemas.NameEvidenceItem].Records
	calls := 3 * items
	if s.cfg.Attempts > 1 {
		calls *= 1 + againShare
	}
	each := (s.complement.PromptTokens()+s.distract.PromptTokens()+s.topics.PromptTokens())/3 + model.TextTokens(evidenceChars) + model.ImageTokens(megapixels*picturesShown)
	return pipeline.Forecast{
		Out:   pipeline.Volume{schemas.NameEvidenceItem: {Records: items, Rough: true}, schemas.NameProfile: in[schemas.NameProfile]},
		Calls: calls, Images: calls * picturesShown, TokensIn: calls * each, TokensOut: calls * answerTokens,
	}
}

// partsAround returns the gold part with neighbours that are neither gold nor pictures.
func partsAround(parts []schemas.UnitPart, gold schemas.UnitPart) []schemas.UnitPart {
	return slices.DeleteFunc(slices.Clone(parts), func(p schemas.UnitPart) bool {
		return p != gold && (p.Gold || p.Media != "")
	})
}
