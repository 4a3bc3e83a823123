package video

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/author"
	"github.com/memforge/memforge/stages/video/groundtruth"
	ask "github.com/memforge/memforge/stages/video/question"
	"github.com/memforge/memforge/stages/video/timeline"
)

// writing is the work of video.author on one composition.
type writing struct {
	stage       *authoring
	scope       *pipeline.Scope
	id          string
	composition schemas.Composition
	lines       map[ask.Side]timeline.Line
	fit         []string
	stories     map[ask.Side]author.Story
	// names are where what the videos are called by can be seen.
	names     []ask.Moment
	questions []schemas.Question
	// lost are questions that could not be written.
	lost []*pipeline.Rejection
}

// types settles which question types are written.
func (w *writing) types() *pipeline.Rejection {
	layout := w.composition.Media.Recipe.Layout
	w.fit = w.stage.types(layout)
	if len(w.fit) == 0 {
		return pipeline.Reject("other-layout", "no question type of %q fits its layout %q; read from another composing stage or change types", w.stage.cfg.Types, layout)
	}
	if layout == schemas.LayoutConcat && !slices.Contains(orders(), w.composition.Order) {
		return pipeline.Reject("other-order", "its order is %q; want one of %q", w.composition.Order, orders())
	}
	var why *pipeline.Rejection
	w.fit, why = tellable(w.fit, w.composition.Pair, w.stage.cfg.MinSeparability)
	return why
}

// tell gathers the descriptions of both videos and settles their names.
func (w *writing) tell(ctx context.Context) error {
	w.stories = map[ask.Side]author.Story{}
	for _, side := range []ask.Side{ask.A, ask.B} {
		parts := w.seen(side)
		if !slices.ContainsFunc(parts, func(p author.Part) bool { return !p.Cut }) {
			return pipeline.Reject("not-described", "no section of video %s that is shown whole has a description; put video.segment and video.describe before pairing", side)
		}
		w.stories[side] = author.Story{Sections: parts}
	}
	var waiting error
	for _, side := range []ask.Side{ask.A, ask.B} {
		name, err := w.name(ctx, side)
		if err != nil {
			err = pipeline.About(err, "name video %s", side)
			if !pipeline.Passing(err) {
				return err
			}
			waiting = err
		}
		w.stories[side] = author.Story{Name: name, Sections: w.stories[side].Sections}
	}
	if waiting != nil {
		return waiting
	}
	if a, b := w.stories[ask.A].Name, w.stories[ask.B].Name; groundtruth.Clash(a, b) {
		return pipeline.Reject("names-alike", "the names %q and %q could stand for each other; pair other videos", a, b)
	}
	return nil
}

// seen are the described sections of a video that are shown at least in part:
// of what is cut off in the middle nothing is asked, but what is seen of it may
// make a wrong option true.
func (w *writing) seen(side ask.Side) []author.Part {
	line := w.lines[side]
	parts := described(sideVideo(w.composition.Pair, side), func(start, end float64) bool { return len(line.Spans(start, end)) > 0 })
	for i, p := range parts {
		parts[i].Cut = !line.Whole(p.Start, p.End)
	}
	return parts
}

// described are the described sections whose span in seconds suits, with their
// times in the video itself.
func described(v schemas.Video, suits func(start, end float64) bool) []author.Part {
	var out []author.Part
	fps := float64(v.Mezzanine.FPS)
	for i, s := range v.Sections {
		start, end := float64(s.From)/fps, float64(s.To)/fps
		if s.Description == nil || !suits(start, end) {
			continue
		}
		out = append(out, author.Part{Section: i + 1, Start: start, End: end, Description: *s.Description})
	}
	return out
}

// name is how questions call a video: by the title that is seen in it, else by
// what the author finds to tell it from the other.
func (w *writing) name(ctx context.Context, side ask.Side) (string, error) {
	if name, ok := author.Titled(sideVideo(w.composition.Pair, side).Title); ok {
		w.names = append(w.names, ask.Titled(side))
		return name, nil
	}
	in := author.NameInput{Target: w.stories[side].Sections, Other: w.stories[side.Other()].Sections, Refused: []author.NameRefusal{}}
	got, refused, err := w.stage.name.Insist(ctx, w.scope, roleAuthor, w.stage.cfg.Attempts, func(r []author.NameRefusal) author.NameInput {
		in.Refused = r
		return in
	}, func(got model.Answered[author.Name]) ([]string, error) {
		if got.Value.Cannot != "" {
			return nil, declined(got.Model, got.Value.Cannot)
		}
		return author.CheckName(in, got.Value), nil
	})
	if err != nil {
		return "", err
	}
	if n := len(refused); n > 0 {
		return "", pipeline.Reject("bad-name", "%q: %s (after %d attempts)", refused[n-1].Answer.Phrase, strings.Join(refused[n-1].Reasons, "; "), n)
	}
	for _, section := range got.Value.Sections[:min(len(got.Value.Sections), 1)] {
		w.names = append(w.names, moment(w.composition.Pair, side, section))
	}
	return got.Value.Phrase, nil
}

// all writes the questions of every type. A question that cannot be written is
// noted and the others go on.
func (w *writing) all(ctx context.Context) error {
	for _, typ := range w.fit {
		if g, ok := ask.GroundingOf(typ); ok {
			if err := w.grounds(ctx, g); err != nil {
				return fmt.Errorf("write a %s question: %w", typ, err)
			}
			continue
		}
		for _, side := range []ask.Side{ask.A, ask.B} {
			if typ == schemas.TypeFalseMemory && side == ask.B {
				continue // it is about neither video, so once is enough
			}
			if err := w.about(ctx, typ, side); err != nil {
				return fmt.Errorf("write a %s question: %w", typ, err)
			}
		}
	}
	return nil
}

// about writes the questions of a type about a video.
func (w *writing) about(ctx context.Context, typ string, side ask.Side) error {
	asked := []string{}
	for i := range w.stage.cfg.QuestionsPerTarget {
		draft, by, err := w.draft(ctx, typ, side, asked)
		var lost *pipeline.Rejection
		if errors.As(err, &lost) {
			w.lose(lost, fmt.Sprintf("%s/%s/%d", typ, side, i+1))
			return nil
		}
		if err != nil {
			return err
		}
		asked = append(asked, draft.Question)
		q := w.question(typ, side, draft, by)
		if err := w.rest(ctx, q, author.Shown(w.composition.Media.Recipe.Layout), w.stories[side], w.stories[side.Other()], draft.Evidence); err != nil {
			return err
		}
	}
	return nil
}

// lose notes a question that could not be written. It is flagged, for its
// composition is not lost with it.
func (w *writing) lose(why *pipeline.Rejection, which string) {
	r := *why
	r.ID, r.Flagged = w.id+"/"+which, true
	w.lost = append(w.lost, &r)
}

// nothing rejects a composition without any question. What may pass comes
// before what does not: while one of them waits, there may be a question yet.
func (w *writing) nothing() *pipeline.Rejection {
	if why := pipeline.MayPass(w.lost); why != nil {
		return why
	}
	last := w.lost[len(w.lost)-1]
	return pipeline.Reject("no-question", "none of its %d questions could be written; the last: %s: %s", len(w.lost), last.Code, last.Reason)
}

// draft asks for one question until it passes the checks.
func (w *writing) draft(ctx context.Context, typ string, side ask.Side, asked []string) (author.Draft, string, error) {
	in := author.Input{
		Shown: author.Shown(w.composition.Media.Recipe.Layout), Target: w.stories[side], Other: w.stories[side.Other()],
		Asked: asked, Refused: []author.Refusal{},
	}
	got, refused, err := w.stage.tasks[typ].Insist(ctx, w.scope, roleAuthor, w.stage.cfg.Attempts, func(r []author.Refusal) author.Input {
		in.Refused = r
		return in
	}, func(got model.Answered[author.Draft]) ([]string, error) {
		if got.Value.Cannot != "" {
			return nil, declined(got.Model, got.Value.Cannot)
		}
		return author.Check(typ, in, author.Complete(typ, in, got.Value)), nil
	})
	if err != nil {
		return author.Draft{}, "", err
	}
	if n := len(refused); n > 0 {
		return author.Draft{}, "", badQuestion(refused[n-1].Answer.Question, refused[n-1].Reasons, n)
	}
	return author.Complete(typ, in, got.Value), got.Model, nil
}

func badQuestion(answer string, reasons []string, attempts int) *pipeline.Rejection {
	return pipeline.Reject("bad-question", "%q: %s (after %d attempts)", answer, strings.Join(reasons, "; "), attempts)
}

// question writes a draft down as a row.
func (w *writing) question(typ string, side ask.Side, d author.Draft, by string) schemas.Question {
	c := w.composition
	it := ask.Item{Type: typ, Target: string(side), Question: author.Shown(c.Media.Recipe.Layout) + " " + d.Question}
	if typ == schemas.TypeFalseMemory {
		it.Target = schemas.TargetNeither
	}
	for _, e := range d.Evidence {
		of, list := side, &it.Clues
		if e.Video == author.OfOther {
			of = side.Other()
		}
		// What happens in neither video has no clue: its sections only come close.
		if of != side || typ == schemas.TypeFalseMemory {
			list = &it.Others
		}
		*list = append(*list, moment(c.Pair, of, e.Section))
	}
	return w.row(w.placed(it, d.Question, d.Options), by, d.Explanation)
}

// placed gives the options their places, drawn from the pair and what is asked,
// never taken from the model.
func (w *writing) placed(it ask.Item, asked string, options []author.Option) ask.Item {
	rnd := w.scope.Rand(pairID(w.composition.Pair), w.composition.Media.Recipe.Layout, it.Type, asked)
	options = slices.Clone(options)
	rnd.Shuffle(len(options), func(i, j int) { options[i], options[j] = options[j], options[i] })
	for i, o := range options {
		key := schemas.Letter(i)
		it.Options = append(it.Options, schemas.Option{Key: key, Text: o.Text, Role: o.Role})
		if o.Role == schemas.RoleCorrect {
			it.Key, it.Answer = key, o.Text
		}
	}
	return it
}

// row is an item as its author explains it.
func (w *writing) row(it ask.Item, by, explanation string) schemas.Question {
	it.Names = w.names
	it.Described = w.described()
	q := question(w.composition, it, w.lines)
	q.Explanation = explanation
	delete(q.Labels, schemas.LabelEvent)
	q.Labels[schemas.LabelAuthor] = by
	q.Labels[schemas.LabelDescriber] = describers(w.composition.Pair)
	return q
}

// moment is a section as something that lasts.
func moment(p schemas.Pair, side ask.Side, section int) ask.Moment {
	v := sideVideo(p, side)
	s, fps := v.Sections[section-1], float64(v.Mezzanine.FPS)
	return ask.Moment{
		Side: side, Event: schemas.Event{Start: float64(s.From) / fps, End: float64(s.To) / fps}, Caption: caption(s.Description),
	}
}

// describers names the models whose descriptions a pair has.
func describers(p schemas.Pair) string {
	names := slices.Compact(slices.Sorted(slices.Values([]string{p.A.Describer, p.B.Describer})))
	return strings.Join(slices.DeleteFunc(names, func(n string) bool { return n == "" }), ", ")
}

// nameBySelection, draftBySelection and eventBySelection are the built-in
// author.
func nameBySelection(_ context.Context, _ *pipeline.Scope, in author.NameInput, _ []pipeline.Digest) (author.Name, error) {
	n, ok := author.ChooseName(in)
	if !ok {
		return author.Name{}, pipeline.Reject(author.CodeAlike, "the built-in model found no text in the descriptions that the one video has and the other has not; describe with a model, cut more sections, or pair other videos")
	}
	return n, nil
}

func draftBySelection(typ string) func(context.Context, *pipeline.Scope, author.Input, []pipeline.Digest) (author.Draft, error) {
	return func(_ context.Context, scope *pipeline.Scope, in author.Input, _ []pipeline.Digest) (author.Draft, error) {
		told, err := pipeline.Canonical(in)
		if err != nil {
			return author.Draft{}, err
		}
		return author.Choose(typ, in, scope.Rand("author", typ, string(pipeline.DigestOf(told))))
	}
}

func eventBySelection(_ context.Context, scope *pipeline.Scope, in author.EventInput, _ []pipeline.Digest) (author.Event, error) {
	told, err := pipeline.Canonical(in)
	if err != nil {
		return author.Event{}, err
	}
	return author.ChooseEvent(in, scope.Rand("author", author.EventTask, string(pipeline.DigestOf(told)))), nil
}
