package video

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/author"
	ask "github.com/memforge/memforge/stages/video/question"
)

// sectionsTried is of how many sections of a video an event is asked for, when
// those before have none that can be asked about.
const sectionsTried = 4

// writeGroundings writes couples of questions about where something happens: an author
// says what happens in a section, the recipe says where that is. The two of a
// couple have different places, and different videos where that is possible.
func (w *questionWriter) writeGroundings(ctx context.Context, g ask.Grounding) error {
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
			if err := w.addQuestion(ctx, w.groundingQuestion(g, f), ask.Opening(w.composition.Media.Recipe.Layout), w.fullStory(f.side), w.fullStory(f.side.Other()), cited); err != nil {
				return err
			}
		}
		first = first.Other()
	}
	return nil
}

// sectionOrder are the sections that have one place, by the index of the place and the
// video, in the order in which they are asked about.
type sectionOrder struct {
	byPlace [2]map[ask.Side][]author.Part
	// first is the video whose section at the first place is asked about.
	first ask.Side
}

// orderSections draws in which order the sections of both videos are asked about.
// The order is the pair's: compositions differ in which of them have a place,
// so they ask about the same ones as far as they can.
func (w *questionWriter) orderSections(g ask.Grounding) sectionOrder {
	pair := pairID(w.composition.Pair)
	d := sectionOrder{byPlace: [2]map[ask.Side][]author.Part{{}, {}}, first: ask.A}
	if w.scope.Rand(pair, g.Type).IntN(2) == 1 {
		d.first = ask.B
	}
	rnd := w.scope.Rand(pair, "sections")
	for _, side := range []ask.Side{ask.A, ask.B} {
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

// fullStory is a video as its author is told it for an event: with the sections that
// are not shown, for what is shown of one that is cut off could be taken for the
// event as well. So compositions that end with the shorter video ask what the
// others ask.
func (w *questionWriter) fullStory(side ask.Side) author.Story {
	all := describedSections(sideVideo(w.composition.Pair, side), func(float64, float64) bool { return true })
	return author.Story{Name: w.stories[side].Name, Sections: all}
}

// placeOf is where a section is shown, empty when it has no single place. A frame
// at either end may lie elsewhere: sections, swaps and halves are rounded to
// frames each for itself.
func (w *questionWriter) placeOf(g ask.Grounding, side ask.Side, p author.Part) string {
	frame := 1 / float64(sideVideo(w.composition.Pair, side).Normalised.FPS)
	if !w.lines[side].ShowsAll(p.Start, p.End) || p.End-p.Start < 4*frame {
		return ""
	}
	return g.Place(w.lines[side], p.Start+frame, p.End-frame)
}

// foundEvent is an event of a section.
type foundEvent struct {
	side    ask.Side
	section int
	place   string
	event   author.Event
	model   string
}

// findCouple finds an event at either place. Both are asked for even when the first
// waits for its answer.
func (w *questionWriter) findCouple(ctx context.Context, g ask.Grounding, d sectionOrder, first ask.Side) ([2]foundEvent, error) {
	var out [2]foundEvent
	for n := range g.Places {
		if len(d.byPlace[n][ask.A])+len(d.byPlace[n][ask.B]) == 0 {
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

// rejectNoPlace is the loss of a couple for which no sections are left.
func (w *questionWriter) rejectNoPlace(g ask.Grounding, d sectionOrder) *pipeline.Rejection {
	left := func(n int) int { return len(d.byPlace[n][ask.A]) + len(d.byPlace[n][ask.B]) }
	advice := "cut more sections"
	if n := w.composition.Swaps; n > 0 {
		advice = fmt.Sprintf("let video.segment cut sections at most half as long as the time between two of the %d swaps, such as %d equal ones", n, 2*(n+1))
	}
	return pipeline.Reject("no-place", "of the sections not asked about, %d are shown wholly in the place %q and %d in %q, and a question is asked about each; %s",
		left(0), g.Places[0], left(1), g.Places[1], advice)
}

// findEvent takes sections out of those at a place until one has an event, those of
// the preferred video first.
func (w *questionWriter) findEvent(ctx context.Context, at map[ask.Side][]author.Part, prefer ask.Side) (foundEvent, error) {
	f := foundEvent{side: prefer}
	var last error
	for _, side := range []ask.Side{prefer, prefer.Other()} {
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

// requestEvent asks for what happens in a section until it passes the checks.
func (w *questionWriter) requestEvent(ctx context.Context, side ask.Side, section int) (author.Event, string, error) {
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

// groundingQuestion writes an event down as a row: the options are both videos at both
// places, and the composition says which is right.
func (w *questionWriter) groundingQuestion(g ask.Grounding, f foundEvent) schemas.Question {
	c := w.composition
	asked := g.Question(f.event.Clause())
	var options []author.Option
	for _, side := range []ask.Side{ask.A, ask.B} {
		for _, place := range g.Places {
			role := schemas.RoleDistractor
			if side == f.side && place == f.place {
				role = schemas.RoleCorrect
			}
			options = append(options, author.Option{Text: g.Option(w.stories[side].Name, place), Role: role})
		}
	}
	it := ask.Item{
		Type: g.Type, Target: string(f.side), Question: ask.Opening(c.Media.Recipe.Layout) + " " + asked,
		Clues: []ask.Moment{sectionMoment(c.Pair, f.side, f.section)},
	}
	it = w.shuffleOptions(it, asked, options)
	return w.authoredRow(it, f.model, "The answer is: "+it.Answer+". "+f.event.Explanation)
}
