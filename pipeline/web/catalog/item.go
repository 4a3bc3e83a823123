package catalog

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// Names of the tables that an item is read from besides those of package pipeline.
const (
	tableVerdicts       = "verdicts"
	tableProbes         = "probes"
	tableFlagged        = "flagged"
	tableFlaggedRecords = "flagged_records"
	tableRejections     = "rejections"
	tableReviews        = "reviews"
	tableEvents         = "events"
	tableLabels         = "labels"
)

// Item is a question with all that belongs to it.
type Item struct {
	// Number is the row of the question, -1 where it is not released: then Question is the last
	// form that gates judged.
	Number   int64
	Question schemas.Question
	// Fact is what Query and Fact take for the fact that it asks for.
	Fact       string
	Task       *schemas.Task
	Checkpoint *schemas.Checkpoint
	// Pieces are its evidence in order, Media what a solver receives, QuestionMedia the pictures
	// that belong to the question itself.
	Pieces               []Piece
	Media, QuestionMedia []Medium
	// Verdicts are in the order of the gates of the manifest.
	Verdicts   []Verdict
	Forms      []schemas.FlaggedQuestion // that gates judged and that are not released
	Rejections []schemas.Rejection
	Reviews    []schemas.Review
	// SameFact are up to PageRows questions on the same fact, this one too, of SameFactTotal. It
	// is -1 until they are indexed.
	SameFact      []Row
	SameFactTotal int64
	// Unread are tables of which something is missing here, most of them because they cannot be
	// read.
	Unread []*TableError
}

// Released reports whether the question is in the release.
func (i Item) Released() bool { return i.Number >= 0 }

// Piece is one piece of evidence with what it refers to, as far as the release has it.
type Piece struct {
	schemas.Evidence
	Medium *Medium
	// From and To are seconds of the medium; both are 0 for the whole of it.
	From, To float64
	// TurnID is the turn of the session, SessionID is that of the evidence.
	TurnID string
	Source *schemas.Source
	// Shown are the statements about the originals during these seconds.
	Shown []Statement
}

// Medium is a row of table media.
type Medium struct {
	schemas.Media
	// Path is that of its file within the release. It is empty where there is none, and Missing
	// says why.
	Path, Missing string
	// Parts are the segments of the recipe on the medium's own clock, in its order.
	Parts []Part
	// Shown are the events of the originals on the medium's own clock, as far as it shows them.
	Shown []Statement
}

// Part is a run of a medium that shows one original.
type Part struct {
	schemas.Segment
	Begin, End float64 // seconds of the medium
	// Title names the original, if the release does.
	Title string
}

// Statement is an event of an original on the clock of the medium that shows it.
type Statement struct {
	schemas.StatedEvent
	Begin, End float64 // seconds of the medium
	Video      string  // as in schemas.Segment
	Region     string
	Title      string
}

// Verdict is that of one gate, with the calls that it rests on.
type Verdict struct {
	schemas.Verdict
	// Gate is what the manifest says of the gate; its Name is empty where it says nothing.
	Of     manifest.GateInfo
	Probes []schemas.Probe
}

// FactID is what URLs and queries take for a fact.
func FactID(fact string) string {
	sum := sha256.Sum256([]byte(fact))
	return hex.EncodeToString(sum[:10])
}

// Item returns a question by its id.
func (c *Catalog) Item(ctx context.Context, id string) (Item, error) {
	l := &loader{Catalog: c, ctx: ctx}
	item := Item{Number: -1, SameFactTotal: -1}
	questions, numbers, err := find[schemas.Question](ctx, c, pipeline.TableQuestions, "question_id", id)
	if err != nil {
		return item, err
	}
	item.Forms = load[schemas.FlaggedQuestion](l, tableFlagged, "question_id", id)
	slices.SortStableFunc(item.Forms, func(a, b schemas.FlaggedQuestion) int { return cmp.Compare(a.Version, b.Version) })
	switch {
	case len(questions) > 0:
		item.Question, item.Number = questions[0], numbers[0]
	case len(item.Forms) > 0:
		item.Question = item.Forms[len(item.Forms)-1].Question
	default:
		return item, errors.Join(append(l.errors(), fmt.Errorf("question %.200q: %w", id, ErrNotFound))...)
	}
	fact := item.Question.Fact()
	item.Fact = FactID(fact)
	item.Verdicts = l.verdicts(id)
	item.Rejections = load[schemas.Rejection](l, tableRejections, "id", id)
	item.Reviews = load[schemas.Review](l, tableReviews, "item", id)
	item.Task = first(load[schemas.Task](l, pipeline.TableTasks, "task_id", item.Question.TaskID))
	if id := item.Question.CheckpointID; id != "" {
		item.Checkpoint = first(load[schemas.Checkpoint](l, pipeline.TableCheckpoints, "checkpoint_id", id))
	}
	l.evidence(&item)
	if same, err := c.Search(ctx, Query{Filters: []Filter{{Field: FieldFact, Values: []string{item.Fact}}}}); err == nil {
		item.SameFact, item.SameFactTotal = same.Rows, same.Total
	}
	item.Unread = l.failed
	return item, l.broken
}

func first[T any](all []T) *T {
	if len(all) == 0 {
		return nil
	}
	return &all[0]
}

// loader reads tables for one page and goes on where one of them cannot be read.
type loader struct {
	*Catalog
	ctx    context.Context
	failed []*TableError
	broken error // what ends the page
}

func (l *loader) errors() []error {
	out := []error{l.broken}
	for _, e := range l.failed {
		out = append(out, e)
	}
	return out
}

func (l *loader) note(table string, err error) {
	var e *TableError
	switch {
	case err == nil:
	case l.ctx.Err() != nil:
		l.broken = l.ctx.Err()
	case errors.As(err, &e):
		l.failed = append(l.failed, e)
	default:
		l.failed = append(l.failed, &TableError{Table: table, Err: err})
	}
}

func load[T any](l *loader, table, column string, values ...string) []T {
	values = slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == "" })
	slices.Sort(values)
	if l.broken != nil || slices.ContainsFunc(l.failed, func(e *TableError) bool { return e.Table == table }) {
		return nil
	}
	out, _, err := find[T](l.ctx, l.Catalog, table, column, slices.Compact(values)...)
	l.note(table, err)
	return out
}

func (l *loader) verdicts(id string) []Verdict {
	probes := load[schemas.Probe](l, tableProbes, "item", id)
	var out []Verdict
	for _, v := range load[schemas.Verdict](l, tableVerdicts, "item", id) {
		of, _ := l.Gate(v.Gate)
		verdict := Verdict{Verdict: v, Of: of}
		for _, p := range probes {
			if p.Gate == v.Gate {
				verdict.Probes = append(verdict.Probes, p)
			}
		}
		slices.SortStableFunc(verdict.Probes, schemas.CompareProbes)
		out = append(out, verdict)
	}
	order := func(v Verdict) int {
		return slices.IndexFunc(l.Manifest.Gates, func(g manifest.GateInfo) bool { return g.Name == v.Verdict.Gate })
	}
	slices.SortStableFunc(out, func(a, b Verdict) int { return cmp.Compare(order(a), order(b)) })
	return out
}

// evidence fills in the pieces and media of an item.
func (l *loader) evidence(item *Item) {
	q := item.Question
	ids, sources := slices.Concat(q.Media, q.QuestionMedia), []string{}
	for _, e := range q.Evidence {
		ids, sources = append(ids, mediumOf(e)), append(sources, e.SourceID)
	}
	media := l.loadMedia(ids)
	bySource := map[string]schemas.Source{}
	for _, s := range load[schemas.Source](l, pipeline.TableSources, "id", sources...) {
		bySource[s.ID] = s
	}
	list := func(ids []string) (out []Medium) {
		for _, id := range ids {
			if m, ok := media[id]; ok {
				out = append(out, m)
			}
		}
		return out
	}
	item.Media, item.QuestionMedia = list(q.Media), list(q.QuestionMedia)
	for _, e := range q.Evidence {
		p := Piece{Evidence: e}
		if m, ok := media[mediumOf(e)]; ok {
			p.Medium = &m
			p.From, p.To = span(cmp.Or(e.Media, e.Ref))
			for _, s := range m.Shown {
				if s.Begin < p.To && s.End > p.From {
					p.Shown = append(p.Shown, s)
				}
			}
		}
		if e.Kind == schemas.EvidenceTurn {
			p.TurnID = e.Ref
		}
		if s, ok := bySource[e.SourceID]; ok {
			p.Source = &s
		}
		item.Pieces = append(item.Pieces, p)
	}
}

// mediumOf returns the id of the medium of a piece, empty where it has none.
func mediumOf(e schemas.Evidence) string {
	ref := e.Media
	if ref == "" && e.Kind == schemas.EvidenceMedia {
		ref = e.Ref
	}
	id, _, _ := strings.Cut(ref, "#")
	return id
}

// span returns the seconds of a media fragment ("#t=3.20,5.00").
func span(ref string) (from, to float64) {
	_, fragment, _ := strings.Cut(ref, "#t=")
	begin, end, _ := strings.Cut(fragment, ",")
	from, err := strconv.ParseFloat(begin, 64)
	to, err2 := strconv.ParseFloat(end, 64)
	if err != nil || err2 != nil || !(0 <= from && from <= to) {
		return 0, 0
	}
	return from, to
}

// loadMedia returns rows of table media by id, with what their originals show.
func (l *loader) loadMedia(ids []string) map[string]Medium {
	out := map[string]Medium{}
	var originals []string
	rows := load[schemas.Media](l, pipeline.TableMedia, "media_id", ids...)
	for _, m := range rows {
		for _, s := range m.Recipe.Segments {
			originals = append(originals, s.Original)
		}
	}
	slices.Sort(originals)
	originals = slices.Compact(originals)
	titles := map[string]string{}
	for _, label := range load[schemas.StatedLabel](l, tableLabels, "original", originals...) {
		if label.Attribute == schemas.AttributeTitle {
			titles[label.Original] = label.Value
		}
	}
	events := map[string][]schemas.StatedEvent{}
	for _, e := range load[schemas.StatedEvent](l, tableEvents, "original", originals...) {
		events[e.Original] = append(events[e.Original], e)
	}
	for _, m := range rows {
		medium := newMedium(m, titles, events)
		medium.Path, medium.Missing = l.mediumFile(m)
		out[m.MediaID] = medium
	}
	return out
}

// newMedium lays the segments of a recipe, and events of its originals, on the medium's clock.
func newMedium(m schemas.Media, titles map[string]string, events map[string][]schemas.StatedEvent) Medium {
	out := Medium{Media: m}
	if !(m.FPS > 0) {
		return out
	}
	for _, s := range m.Recipe.Segments {
		begin := float64(s.At) / m.FPS
		length := float64(s.To-s.From) / m.FPS
		out.Parts = append(out.Parts, Part{Segment: s, Begin: begin, End: begin + length, Title: titles[s.Original]})
		for _, e := range events[s.Original] {
			from, to := e.From-float64(s.From)/m.FPS, e.To-float64(s.From)/m.FPS
			if to <= 0 || from >= length {
				continue
			}
			out.Shown = append(out.Shown, Statement{
				StatedEvent: e, Begin: begin + max(from, 0), End: begin + min(to, length),
				Video: s.Video, Region: s.Region, Title: titles[s.Original],
			})
		}
	}
	slices.SortStableFunc(out.Parts, func(a, b Part) int { return cmp.Compare(a.Begin, b.Begin) })
	slices.SortStableFunc(out.Shown, func(a, b Statement) int { return cmp.Compare(a.Begin, b.Begin) })
	return out
}
