package video

import (
	"cmp"
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
	"github.com/memforge/memforge/stages/video/question"
	"github.com/memforge/memforge/stages/video/timeline"
)

type questionWriter struct {
	stage       *authorStage
	scope       *pipeline.Scope
	id          string
	composition schemas.Composition
	lines       map[question.Side]timeline.Line
	types       []string
	stories     map[question.Side]author.Story
	// nameMoments are where the names of the videos can be seen.
	nameMoments []question.Moment
	questions   []schemas.Question
	// rejected are the questions that could not be written.
	rejected []*pipeline.Rejection
}

// prepareStories gathers the descriptions of both videos and names them.
func (w *questionWriter) prepareStories(ctx context.Context) error {
	w.stories = map[question.Side]author.Story{}
	for _, side := range []question.Side{question.A, question.B} {
		parts := w.seenSections(side)
		if !slices.ContainsFunc(parts, func(p author.Part) bool { return !p.Cut }) {
			return pipeline.Reject("not-described", "no section of video %s that is shown whole has a description; put video.segment and video.describe before pairing", side)
		}
		w.stories[side] = author.Story{Sections: parts}
	}
	var waiting error
	for _, side := range []question.Side{question.A, question.B} {
		name, err := w.nameVideo(ctx, side)
		if err != nil {
			err = pipeline.WithSubject(err, "name video %s", side)
			if !pipeline.IsTransient(err) {
				return err
			}
			waiting = err
		}
		w.stories[side] = author.Story{Name: name, Sections: w.stories[side].Sections}
	}
	if waiting != nil {
		return waiting
	}
	if a, b := w.stories[question.A].Name, w.stories[question.B].Name; groundtruth.Clash(a, b) {
		return pipeline.Reject("names-alike", "the names %q and %q could stand for each other; pair other videos", a, b)
	}
	return nil
}

// seenSections returns the described sections of a video that are shown at
// least in part: nothing is asked about a section that is cut off, but its
// visible part may make a wrong option true.
func (w *questionWriter) seenSections(side question.Side) []author.Part {
	line := w.lines[side]
	parts := describedSections(sideVideo(w.composition.Pair, side), func(start, end float64) bool { return len(line.Spans(start, end)) > 0 })
	for i, p := range parts {
		parts[i].Cut = !line.ShowsAll(p.Start, p.End)
	}
	return parts
}

// describedSections returns the described sections whose span in seconds suits,
// with their times in the video itself.
func describedSections(v schemas.Video, suits func(start, end float64) bool) []author.Part {
	var out []author.Part
	fps := float64(v.Normalised.FPS)
	for i, s := range v.Sections {
		start, end := float64(s.From)/fps, float64(s.To)/fps
		if s.Description == nil || !suits(start, end) {
			continue
		}
		out = append(out, author.Part{Section: i + 1, Start: start, End: end, Description: *s.Description})
	}
	return out
}

// nameVideo returns how questions call a video: by the title that is seen in
// it, else by a phrase of the author that tells it from the other.
func (w *questionWriter) nameVideo(ctx context.Context, side question.Side) (string, error) {
	if name, ok := author.TitleName(sideVideo(w.composition.Pair, side).Title); ok {
		w.nameMoments = append(w.nameMoments, question.TitleMoment(side))
		return name, nil
	}
	in := author.NameInput{Target: w.stories[side].Sections, Other: w.stories[side.Other()].Sections, Refused: []author.NameRefusal{}}
	got, refused, err := w.stage.nameJob.AskUntilUsable(ctx, w.scope, roleAuthor, w.stage.cfg.Attempts, func(r []author.NameRefusal) author.NameInput {
		in.Refused = r
		return in
	}, func(got model.Answer[author.Name]) ([]string, error) {
		if got.Value.Cannot != "" {
			return nil, rejectDeclined(got.Model, got.Value.Cannot)
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
		w.nameMoments = append(w.nameMoments, sectionMoment(w.composition.Pair, side, section))
	}
	return got.Value.Phrase, nil
}

// writeAll writes the questions of every type. A question that cannot be
// written is noted and the others go on.
func (w *questionWriter) writeAll(ctx context.Context) error {
	for _, typ := range w.types {
		if g, ok := question.GroundingFor(typ); ok {
			if err := w.writeGroundings(ctx, g); err != nil {
				return fmt.Errorf("write a %s question: %w", typ, err)
			}
			continue
		}
		for _, side := range []question.Side{question.A, question.B} {
			if typ == schemas.TypeFalseMemory && side == question.B {
				continue // it is about neither video, so once is enough
			}
			if err := w.writeType(ctx, typ, side); err != nil {
				return fmt.Errorf("write a %s question: %w", typ, err)
			}
		}
	}
	return nil
}

func (w *questionWriter) writeType(ctx context.Context, typ string, side question.Side) error {
	asked := []string{}
	for i := range w.stage.cfg.QuestionsPerTarget {
		draft, by, err := w.requestDraft(ctx, typ, side, asked)
		var lost *pipeline.Rejection
		if errors.As(err, &lost) {
			w.rejectQuestion(lost, fmt.Sprintf("%s/%s/%d", typ, side, i+1))
			return nil
		}
		if err != nil {
			return err
		}
		asked = append(asked, draft.Question)
		q := w.draftQuestion(typ, side, draft, by)
		if err := w.addQuestion(ctx, q, author.LayoutSentence(w.composition.Media.Recipe.Layout), w.stories[side], w.stories[side.Other()], draft.Evidence); err != nil {
			return err
		}
	}
	return nil
}

// rejectQuestion notes a question that could not be written. It is flagged,
// because its composition is not lost with it.
func (w *questionWriter) rejectQuestion(why *pipeline.Rejection, which string) {
	r := *why
	r.ID, r.Flagged = w.id+"/"+which, true
	w.rejected = append(w.rejected, &r)
}

// rejectComposition rejects a composition without any question. A transient
// rejection comes first: while one question waits, there may be one yet.
func (w *questionWriter) rejectComposition() *pipeline.Rejection {
	if why := pipeline.FirstTransient(w.rejected); why != nil {
		return why
	}
	last := w.rejected[len(w.rejected)-1]
	return pipeline.Reject("no-question", "none of its %d questions could be written; the last: %s: %s", len(w.rejected), last.Code, last.Reason)
}

// requestDraft asks for one question until the answer passes the checks.
func (w *questionWriter) requestDraft(ctx context.Context, typ string, side question.Side, asked []string) (author.Draft, string, error) {
	in := author.Input{
		Shown: author.LayoutSentence(w.composition.Media.Recipe.Layout), Target: w.stories[side], Other: w.stories[side.Other()],
		Asked: asked, Refused: []author.Refusal{},
	}
	got, refused, err := w.stage.draftJobs[typ].AskUntilUsable(ctx, w.scope, roleAuthor, w.stage.cfg.Attempts, func(r []author.Refusal) author.Input {
		in.Refused = r
		return in
	}, func(got model.Answer[author.Draft]) ([]string, error) {
		if got.Value.Cannot != "" {
			return nil, rejectDeclined(got.Model, got.Value.Cannot)
		}
		return author.CheckDraft(typ, in, author.AddFixedOptions(typ, in, got.Value)), nil
	})
	if err != nil {
		return author.Draft{}, "", err
	}
	if n := len(refused); n > 0 {
		return author.Draft{}, "", rejectDraft(refused[n-1].Answer.Question, refused[n-1].Reasons, n)
	}
	return author.AddFixedOptions(typ, in, got.Value), got.Model, nil
}

func rejectDraft(answer string, reasons []string, attempts int) *pipeline.Rejection {
	return pipeline.Reject("bad-question", "%q: %s (after %d attempts)", answer, strings.Join(reasons, "; "), attempts)
}

func (w *questionWriter) draftQuestion(typ string, side question.Side, d author.Draft, by string) schemas.Question {
	c := w.composition
	it := question.Item{Type: typ, Target: string(side), Question: author.LayoutSentence(c.Media.Recipe.Layout) + " " + d.Question}
	if typ == schemas.TypeFalseMemory {
		it.Target = schemas.TargetNeither
	}
	for _, e := range d.Evidence {
		of, list := side, &it.Clues
		if e.Video == author.RoleOther {
			of = side.Other()
		}
		// What happens in neither video has no clue: its sections only come close.
		if of != side || typ == schemas.TypeFalseMemory {
			list = &it.Distractors
		}
		*list = append(*list, sectionMoment(c.Pair, of, e.Section))
	}
	return w.authoredRow(w.shuffleOptions(it, d.Question, d.Options), by, d.Explanation)
}

// shuffleOptions gives the options their places, at random by the pair and the
// question, never as the model ordered them.
func (w *questionWriter) shuffleOptions(it question.Item, asked string, options []author.Option) question.Item {
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

func (w *questionWriter) authoredRow(it question.Item, by, explanation string) schemas.Question {
	it.NameMoments = w.nameMoments
	it.Described = w.describedMoments()
	q := questionRow(w.composition, it, w.lines)
	q.Explanation = explanation
	delete(q.Labels, schemas.LabelEvent)
	q.Labels[schemas.LabelAuthor] = by
	q.Labels[schemas.LabelDescriber] = describers(w.composition.Pair)
	return q
}

func sectionMoment(p schemas.Pair, side question.Side, section int) question.Moment {
	v := sideVideo(p, side)
	s, fps := v.Sections[section-1], float64(v.Normalised.FPS)
	return question.Moment{
		Side: side, Event: schemas.Event{Start: float64(s.From) / fps, End: float64(s.To) / fps}, Caption: captionOf(s.Description),
	}
}

func describers(p schemas.Pair) string {
	names := distinct([]string{p.A.Describer, p.B.Describer})
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
		input, err := pipeline.Canonical(in)
		if err != nil {
			return author.Draft{}, err
		}
		return author.ChooseDraft(typ, in, scope.Rand("author", typ, string(pipeline.DigestOf(input))))
	}
}

func eventBySelection(_ context.Context, scope *pipeline.Scope, in author.EventInput, _ []pipeline.Digest) (author.Event, error) {
	input, err := pipeline.Canonical(in)
	if err != nil {
		return author.Event{}, err
	}
	return author.ChooseEvent(in, scope.Rand("author", author.EventJob, string(pipeline.DigestOf(input)))), nil
}

// sectionsTried is of how many sections of a video an event is asked for, when
// those before have none that can be asked about.
const sectionsTried = 4

// writeGroundings writes couples of questions about where something happens: an
// author says what happens in a section, the recipe says where that is. The two
// of a couple have different places, and different videos where possible.
func (w *questionWriter) writeGroundings(ctx context.Context, g question.Grounding) error {
	d := w.orderSections(g)
	first := d.first
	for i := range w.stage.cfg.QuestionsPerTarget {
		couple, err := w.findCouple(ctx, g, d, first)
		var lost *pipeline.Rejection
		if errors.As(err, &lost) {
			w.rejectQuestion(lost, fmt.Sprintf("%s/%d", g.Type, i+1))
			return nil
		}
		if err != nil {
			return err
		}
		for _, f := range couple {
			cited := []author.Evidence{{Video: author.RoleTarget, Section: f.section}}
			if err := w.addQuestion(ctx, w.groundingQuestion(g, f), question.Opening(w.composition.Media.Recipe.Layout), w.fullStory(f.side), w.fullStory(f.side.Other()), cited); err != nil {
				return err
			}
		}
		first = first.Other()
	}
	return nil
}

// sectionOrder holds the sections that have one place, by the index of the
// place and the video, in the order in which they are asked about.
type sectionOrder struct {
	byPlace [2]map[question.Side][]author.Part
	// first is the video whose section at the first place is asked about.
	first question.Side
}

// orderSections picks the order in which the sections of both videos are asked
// about. The order depends on the pair only: compositions differ in which
// sections have a place, so they ask about the same ones as far as they can.
func (w *questionWriter) orderSections(g question.Grounding) sectionOrder {
	pair := pairID(w.composition.Pair)
	d := sectionOrder{byPlace: [2]map[question.Side][]author.Part{{}, {}}, first: question.A}
	if w.scope.Rand(pair, g.Type).IntN(2) == 1 {
		d.first = question.B
	}
	rnd := w.scope.Rand(pair, "sections")
	for _, side := range []question.Side{question.A, question.B} {
		parts := w.fullStory(side).Sections
		rnd.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		for _, p := range parts {
			for n, place := range g.Places {
				if w.placeOf(g, side, p) == place {
					d.byPlace[n][side] = append(d.byPlace[n][side], p)
				}
			}
		}
	}
	return d
}

// fullStory returns a video as its author reads it for an event: with the
// sections that are not shown, since the visible part of a section that is cut
// off could be taken for the event as well. So compositions that end with the
// shorter video ask what the others ask.
func (w *questionWriter) fullStory(side question.Side) author.Story {
	all := describedSections(sideVideo(w.composition.Pair, side), func(float64, float64) bool { return true })
	return author.Story{Name: w.stories[side].Name, Sections: all}
}

// placeOf returns where a section is shown, or "" when it has no single place.
// A frame at either end may lie elsewhere: sections, swaps and halves are each
// rounded to frames.
func (w *questionWriter) placeOf(g question.Grounding, side question.Side, p author.Part) string {
	frame := 1 / float64(sideVideo(w.composition.Pair, side).Normalised.FPS)
	if !w.lines[side].ShowsAll(p.Start, p.End) || p.End-p.Start < 4*frame {
		return ""
	}
	return g.Place(w.lines[side], p.Start+frame, p.End-frame)
}

type foundEvent struct {
	side    question.Side
	section int
	place   string
	event   author.Event
	model   string
}

// findCouple finds an event at either place. It asks for both even when the
// first waits for its answer.
func (w *questionWriter) findCouple(ctx context.Context, g question.Grounding, d sectionOrder, first question.Side) ([2]foundEvent, error) {
	var out [2]foundEvent
	for n := range g.Places {
		if len(d.byPlace[n][question.A])+len(d.byPlace[n][question.B]) == 0 {
			return out, w.rejectNoPlace(g, d)
		}
	}
	var waiting error
	for n, place := range g.Places {
		f, err := w.findEvent(ctx, d.byPlace[n], first)
		if err != nil && !pipeline.IsTransient(err) {
			return out, err
		}
		if err != nil {
			waiting = err
		}
		f.place = place
		out[n] = f
		first = f.side.Other()
	}
	return out, waiting
}

func (w *questionWriter) rejectNoPlace(g question.Grounding, d sectionOrder) *pipeline.Rejection {
	left := func(n int) int { return len(d.byPlace[n][question.A]) + len(d.byPlace[n][question.B]) }
	advice := "cut more sections"
	if n := w.composition.Swaps; n > 0 {
		advice = fmt.Sprintf("let video.segment cut sections at most half as long as the time between two of the %d swaps, such as %d equal ones", n, 2*(n+1))
	}
	return pipeline.Reject("no-place", "of the sections not asked about, %d are shown wholly in the place %q and %d in %q, and a question is asked about each; %s",
		left(0), g.Places[0], left(1), g.Places[1], advice)
}

// findEvent removes sections from those at a place until one has an event,
// those of the preferred video first.
func (w *questionWriter) findEvent(ctx context.Context, at map[question.Side][]author.Part, prefer question.Side) (foundEvent, error) {
	f := foundEvent{side: prefer}
	var last error
	for _, side := range []question.Side{prefer, prefer.Other()} {
		for range min(sectionsTried, len(at[side])) {
			f.side, f.section = side, at[side][0].Section
			at[side] = at[side][1:]
			event, by, err := w.requestEvent(ctx, side, f.section)
			var lost *pipeline.Rejection
			if !errors.As(err, &lost) || lost.Transient {
				f.event, f.model = event, by
				return f, err
			}
			last = err
		}
	}
	return f, last
}

// requestEvent asks for what happens in a section until the answer passes the
// checks.
func (w *questionWriter) requestEvent(ctx context.Context, side question.Side, section int) (author.Event, string, error) {
	in := author.EventInput{Target: w.fullStory(side), Other: w.fullStory(side.Other()), Section: section, Refused: []author.EventRefusal{}}
	got, refused, err := w.stage.eventJob.AskUntilUsable(ctx, w.scope, roleAuthor, w.stage.cfg.Attempts, func(r []author.EventRefusal) author.EventInput {
		in.Refused = r
		return in
	}, func(got model.Answer[author.Event]) ([]string, error) {
		if got.Value.Clause() == "" || got.Value.Cannot != "" {
			return nil, pipeline.Reject("no-event", "section %d of video %s has no event of its own, its author says: %s", section, side, cmp.Or(got.Value.Cannot, got.Value.Explanation))
		}
		return author.CheckEvent(in, got.Value), nil
	})
	if err != nil {
		return author.Event{}, "", err
	}
	if n := len(refused); n > 0 {
		return author.Event{}, "", rejectDraft(refused[n-1].Answer.Event, refused[n-1].Reasons, n)
	}
	return got.Value, got.Model, nil
}

// groundingQuestion returns the question about an event: the options are both
// videos at both places, and the composition decides which is right.
func (w *questionWriter) groundingQuestion(g question.Grounding, f foundEvent) schemas.Question {
	c := w.composition
	asked := g.Question(f.event.Clause())
	var options []author.Option
	for _, side := range []question.Side{question.A, question.B} {
		for _, place := range g.Places {
			role := schemas.RoleDistractor
			if side == f.side && place == f.place {
				role = schemas.RoleCorrect
			}
			options = append(options, author.Option{Text: g.Option(w.stories[side].Name, place), Role: role})
		}
	}
	it := question.Item{
		Type: g.Type, Target: string(f.side), Question: question.Opening(c.Media.Recipe.Layout) + " " + asked,
		Clues: []question.Moment{sectionMoment(c.Pair, f.side, f.section)},
	}
	it = w.shuffleOptions(it, asked, options)
	return w.authoredRow(it, f.model, "The answer is: "+it.Answer+". "+f.event.Explanation)
}
