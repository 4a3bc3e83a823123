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

// grounds writes couples of questions about where something happens: an author
// says what happens in a section, the recipe says where that is. The two of a
// couple have different places, and different videos where that is possible.
func (w *writing) grounds(ctx context.Context, g ask.Grounding) error {
	d := w.sections(g)
	first := d.first
	for i := range w.stage.cfg.QuestionsPerTarget {
		couple, err := w.couple(ctx, g, d, first)
		var lost *pipeline.Rejection
		if errors.As(err, &lost) {
			w.lose(lost, fmt.Sprintf("%s/%d", g.Type, i+1))
			return nil
		}
		if err != nil {
			return err
		}
		for _, f := range couple {
			cited := []author.Evidence{{Video: author.OfTarget, Section: f.section}}
			if err := w.rest(ctx, w.grounded(g, f), ask.Opening(w.composition.Media.Recipe.Layout), w.told(f.side), w.told(f.side.Other()), cited); err != nil {
				return err
			}
		}
		first = first.Other()
	}
	return nil
}

// drawn are the sections that have one place, by the index of the place and the
// video, in the order in which they are asked about.
type drawn struct {
	at [2]map[ask.Side][]author.Part
	// first is the video whose section at the first place is asked about.
	first ask.Side
}

// sections draws in which order the sections of both videos are asked about.
// The order is the pair's: compositions differ in which of them have a place,
// so they ask about the same ones as far as they can.
func (w *writing) sections(g ask.Grounding) drawn {
	pair := pairID(w.composition.Pair)
	d := drawn{at: [2]map[ask.Side][]author.Part{{}, {}}, first: ask.A}
	if w.scope.Rand(pair, g.Type).IntN(2) == 1 {
		d.first = ask.B
	}
	rnd := w.scope.Rand(pair, "sections")
	for _, side := range []ask.Side{ask.A, ask.B} {
		parts := w.told(side).Sections
		rnd.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		for _, p := range parts {
			for n, place := range g.Places {
				if w.place(g, side, p) == place {
					d.at[n][side] = append(d.at[n][side], p)
				}
			}
		}
	}
	return d
}

// told is a video as its author is told it for an event: with the sections that
// are not shown, for what is shown of one that is cut off could be taken for the
// event as well. So compositions that end with the shorter video ask what the
// others ask.
func (w *writing) told(side ask.Side) author.Story {
	all := described(sideVideo(w.composition.Pair, side), func(float64, float64) bool { return true })
	return author.Story{Name: w.stories[side].Name, Sections: all}
}

// place is where a section is shown, empty when it has no single place. A frame
// at either end may lie elsewhere: sections, swaps and halves are rounded to
// frames each for itself.
func (w *writing) place(g ask.Grounding, side ask.Side, p author.Part) string {
	frame := 1 / float64(sideVideo(w.composition.Pair, side).Mezzanine.FPS)
	if !w.lines[side].Whole(p.Start, p.End) || p.End-p.Start < 4*frame {
		return ""
	}
	return g.Place(w.lines[side], p.Start+frame, p.End-frame)
}

// found is an event of a section.
type found struct {
	side    ask.Side
	section int
	place   string
	event   author.Event
	by      string
}

// couple finds an event at either place. Both are asked for even when the first
// waits for its answer.
func (w *writing) couple(ctx context.Context, g ask.Grounding, d drawn, first ask.Side) ([2]found, error) {
	var out [2]found
	for n := range g.Places {
		if len(d.at[n][ask.A])+len(d.at[n][ask.B]) == 0 {
			return out, w.nowhere(g, d)
		}
	}
	var waiting error
	for n, place := range g.Places {
		f, err := w.find(ctx, d.at[n], first)
		if err != nil && !pipeline.Passing(err) {
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

// nowhere is the loss of a couple for which no sections are left.
func (w *writing) nowhere(g ask.Grounding, d drawn) *pipeline.Rejection {
	left := func(n int) int { return len(d.at[n][ask.A]) + len(d.at[n][ask.B]) }
	advice := "cut more sections"
	if n := w.composition.Swaps; n > 0 {
		advice = fmt.Sprintf("let video.segment cut sections at most half as long as the time between two of the %d swaps, such as %d equal ones", n, 2*(n+1))
	}
	return pipeline.Reject("no-place", "of the sections not asked about, %d are shown wholly in the place %q and %d in %q, and a question is asked about each; %s",
		left(0), g.Places[0], left(1), g.Places[1], advice)
}

// find takes sections out of those at a place until one has an event, those of
// the preferred video first.
func (w *writing) find(ctx context.Context, at map[ask.Side][]author.Part, prefer ask.Side) (found, error) {
	f := found{side: prefer}
	var last error
	for _, side := range []ask.Side{prefer, prefer.Other()} {
		for range min(sectionsTried, len(at[side])) {
			f.side, f.section = side, at[side][0].Section
			at[side] = at[side][1:]
			event, by, err := w.event(ctx, side, f.section)
			var lost *pipeline.Rejection
			if !errors.As(err, &lost) || lost.Transient {
				f.event, f.by = event, by
				return f, err
			}
			last = err
		}
	}
	return f, last
}

// event asks for what happens in a section until it passes the checks.
func (w *writing) event(ctx context.Context, side ask.Side, section int) (author.Event, string, error) {
	in := author.EventInput{Target: w.told(side), Other: w.told(side.Other()), Section: section, Refused: []author.EventRefusal{}}
	got, refused, err := w.stage.event.Insist(ctx, w.scope, roleAuthor, w.stage.cfg.Attempts, func(r []author.EventRefusal) author.EventInput {
		in.Refused = r
		return in
	}, func(got model.Answered[author.Event]) ([]string, error) {
		if got.Value.Told() == "" || got.Value.Cannot != "" {
			return nil, pipeline.Reject("no-event", "section %d of video %s has no event of its own, its author says: %s", section, side, cmp.Or(got.Value.Cannot, got.Value.Explanation))
		}
		return author.CheckEvent(in, got.Value), nil
	})
	if err != nil {
		return author.Event{}, "", err
	}
	if n := len(refused); n > 0 {
		return author.Event{}, "", badQuestion(refused[n-1].Answer.Event, refused[n-1].Reasons, n)
	}
	return got.Value, got.Model, nil
}

// grounded writes an event down as a row: the options are both videos at both
// places, and the composition says which is right.
func (w *writing) grounded(g ask.Grounding, f found) schemas.Question {
	c := w.composition
	asked := g.Question(f.event.Told())
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
		Clues: []ask.Moment{moment(c.Pair, f.side, f.section)},
	}
	it = w.placed(it, asked, options)
	return w.row(it, f.by, "The answer is: "+it.Answer+". "+f.event.Explanation)
}
