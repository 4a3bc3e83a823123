// Package question writes multiple-choice questions about two videos that are shown
// together, from the ground truth of both: what happens when in each, and the
// recipe by which they were composed. A question names a video by what can be
// seen in it, never by its place, so it holds for every order of the two.
package question

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/phrasebook"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/groundtruth"
	"github.com/memforge/memforge/stages/video/timeline"
	"github.com/memforge/memforge/stages/video/wordings"
)

// Side of a pair.
type Side string

// The sides.
const (
	A Side = "A"
	B Side = "B"
)

// Other is the other side.
func (s Side) Other() Side {
	if s == A {
		return B
	}
	return A
}

const optionCount = 4

// Scene is a pair as it is shown.
type Scene struct {
	Pair   schemas.Pair
	A, B   timeline.Line
	Layout string
	Style  Style
	// Apart demands that no question names what another one of the pair does, and that
	// no answers are dealt out evenly: either would tell a reader of all of them something.
	Apart bool
}

// Moment is an event of one of the videos.
type Moment struct {
	Side  Side
	Event schemas.Event
	// Sentence says, for a clue, what happens and when.
	Sentence string
	// Caption describes what is seen, where somebody has described it.
	Caption string
}

// Item is a question without the media it is asked over.
type Item struct {
	Type string
	// Target is A or B, or schemas.TargetBoth or TargetNeither.
	Target   string
	Kind     string
	Question string
	Options  []schemas.Option
	Key      string
	Answer   string
	// Clues are the events that give the answer, Distractors those of the other
	// video that wrong options come from.
	Clues, Distractors []Moment
	// NameMoments are where what the question calls the videos can be seen.
	NameMoments []Moment
	// Described are moments of both videos with captions that describe, together,
	// all of them, where somebody has described them. Evidence of what does not
	// happen takes its captions from there.
	Described []Moment
	// Lure is what the question asks about though it happens in neither video.
	Lure string
	// Reason says in a sentence what makes the answer right.
	Reason string
	// Detail is, for a question of content retention, what is asked about an event:
	// one of the values of schemas.LabelDetail.
	Detail string
	// Fact names what is asked of what, whatever the words; nil where an author wrote
	// the question.
	Fact []string
}

// happensFact is the fact that a value of a kind happens in a video, in both or in
// neither.
func happensFact(target, kind, value string) []string {
	return []string{"happens", target, kind, value}
}

// draft is an item before its options have places and its question has words.
type draft struct {
	Item
	wrong []schemas.Option
	// form is a form of wordings, say what its sentences take in.
	form string
	say  map[string]string
}

// maker drafts up to limit questions about each video.
type maker func(s Scene, limit int, rnd *rand.Rand) []draft

// makers by layout: which types fit it (M3Eval 3.1 and 4.3).
var makers = map[string]map[string]maker{
	schemas.LayoutConcat: {schemas.TypeInterference: interference},
	schemas.LayoutSplit: {
		schemas.TypeSourceIdentification: sourceIdentification,
		schemas.TypeOrderUnderstanding:   orderUnderstanding,
		schemas.TypeContentRetention:     contentRetention,
		schemas.TypeSpatialGrounding:     groundingMaker(schemas.TypeSpatialGrounding),
	},
	schemas.LayoutInterleaved: {
		schemas.TypeSourceIdentification: sourceIdentification,
		schemas.TypeOrderUnderstanding:   orderUnderstanding,
		schemas.TypeContentRetention:     contentRetention,
		schemas.TypeTemporalGrounding:    groundingMaker(schemas.TypeTemporalGrounding),
		schemas.TypeFalseMemory:          sourceMemory,
		schemas.TypeSourceMemory:         sourceMemory,
	},
}

// Types lists, sorted, what can be asked over a layout.
func Types(layout string) []string {
	var out []string
	for typ := range makers[layout] {
		out = append(out, typ)
	}
	slices.Sort(out)
	return out
}

// Items asks up to limit questions of a type about each side. All that is drawn
// comes from rnd, so a scene asked twice with equal generators gives the same
// items. A type that does not fit the layout gives none.
func Items(s Scene, typ string, limit int, rnd *rand.Rand) []Item {
	do, fits := makers[s.Layout][typ]
	if !fits {
		return nil
	}
	var out []Item
	start, words, names := rnd.IntN(optionCount), rnd.IntN(wordingStarts), s.nameMoments()
	drafts := do(s, limit, rnd)
	if s.Apart && typ != schemas.TypeOrderUnderstanding {
		drafts = s.keepApart(drafts)
	}
	at := answerPositions(drafts, start)
	if typ == schemas.TypeSpatialGrounding && len(s.A.Swaps()) > 0 {
		// The variant with swaps has facts of its own: it goes on where the other
		// began, the other way.
		for i := range at {
			at[i] = (2*start + 2*optionCount - 1 - at[i]) % optionCount
		}
	}
	for i, d := range drafts {
		if d.Type == typ {
			d.NameMoments = names
			d.word(s.Layout, words+i)
			out = append(out, d.placeAnswer(at[i], rnd))
		}
	}
	return out
}

// wordingStarts is a multiple of the numbers of sentences of all forms.
const wordingStarts = 840

// word words the question in the n-th sentence of its form, so that questions which
// follow each other take all of them in turn.
func (d *draft) word(layout string, n int) {
	sentences := wordings.Sentences(d.form)
	d.Question = Opening(layout) + " " + phrasebook.Fill(sentences[n%len(sentences)], d.say)
}

// answerPositions returns the positions of the answers: over the drafts of each
// type every position in turn, and where one type ends the next goes on, so
// that each is right equally often, give or take one, within a type and within
// all types together.
func answerPositions(drafts []draft, start int) []int {
	order := make([]int, len(drafts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return strings.Compare(drafts[a].Type, drafts[b].Type) })
	out := make([]int, len(drafts))
	for n, i := range order {
		out[i] = (start + n) % optionCount
	}
	return out
}

// RandomLabel labels the generator for a type. Types that are balanced against each
// other share one.
func RandomLabel(typ string) string {
	if typ == schemas.TypeFalseMemory {
		return schemas.TypeSourceMemory
	}
	return typ
}

func (d draft) placeAnswer(position int, rnd *rand.Rand) Item {
	right := schemas.Option{Text: d.Answer, Role: schemas.RoleCorrect}
	it := d.Item
	it.Question = strings.Join(strings.Fields(it.Question), " ")
	it.Options = slices.Insert(shuffled(d.wrong, rnd), position, right)
	for i := range it.Options {
		it.Options[i].Key = schemas.Letter(i)
	}
	it.Key = it.Options[position].Key
	return it
}

type asker struct {
	scene         Scene
	side          Side
	target, rival videoView
	name          string
	used          []string // values that the name gives away
	rnd           *rand.Rand
}

func (s Scene) askers(rnd *rand.Rand) []asker {
	a, b := newView(s.Pair.A, s.A), newView(s.Pair.B, s.B)
	var out []asker
	for _, q := range []asker{{side: A, target: a, rival: b}, {side: B, target: b, rival: a}} {
		q.scene, q.rnd = s, rnd
		if q.name, q.used = s.Style.identify(q.target, q.rival); q.name != "" {
			out = append(out, q)
		}
	}
	return out
}

func (q asker) clueMoment(e schemas.Event) Moment {
	return q.momentOf(e, q.scene.Style.statement(e.Kind, groundtruth.Value(e)))
}

// momentOf is the clue that an event is, and what it says.
func (q asker) momentOf(e schemas.Event, said string) Moment {
	return Moment{Side: q.side, Event: e, Sentence: fmt.Sprintf("In %s, %s from second %.2f to %.2f of it.", q.name, said, max(e.Start, 0), e.End)}
}

func (q asker) givesAway(value string) bool { return anyClash(q.used, value) }

func (q asker) newDraft(typ, kind, form string, say map[string]string) draft {
	return draft{Item: Item{Type: typ, Target: string(q.side), Kind: kind}, form: form, say: say}
}

// askDraft asks for something of the target.
func (q asker) askDraft(typ, kind, ask string) draft {
	return q.newDraft(typ, kind, wordings.Ask, map[string]string{"video": q.name, "ask": ask})
}

// Opening is the sentence that says how a layout shows two videos.
func Opening(layout string) string { return openings[layout] }

var openings = map[string]string{
	schemas.LayoutSplit:       "Two videos are played side by side, each in one half of the picture.",
	schemas.LayoutConcat:      "Two videos are played one after the other.",
	schemas.LayoutInterleaved: "Two videos are cut into segments, which are played in turn as one stream.",
}

func anyClash(values []string, v string) bool {
	return slices.ContainsFunc(values, func(u string) bool { return groundtruth.Clash(u, v) })
}

func shuffled[T any](in []T, rnd *rand.Rand) []T {
	out := slices.Clone(in)
	rnd.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func takeInTurn[T any](lists [][]T, limit int) []T {
	var out []T
	for round := 0; len(out) < limit; round++ {
		before := len(out)
		for _, l := range lists {
			if round < len(l) && len(out) < limit {
				out = append(out, l[round])
			}
		}
		if len(out) == before {
			break
		}
	}
	return out
}

// TitleSeconds is how long a video is shown from its beginning for its title to
// be read.
const TitleSeconds = 2

// nameMoments returns where the names of the videos can be seen: the beginning
// of one with a title, what one shows first, or also last, of the others.
func (s Scene) nameMoments() []Moment {
	var out []Moment
	for _, v := range []struct {
		side Side
		view videoView
	}{{A, newView(s.Pair.A, s.A)}, {B, newView(s.Pair.B, s.B)}} {
		if v.view.title != "" {
			out = append(out, TitleMoment(v.side))
			continue
		}
		shown := v.view.events(groundtruth.Shows)
		if len(shown) == 0 {
			continue
		}
		out = append(out, Moment{Side: v.side, Event: shown[0]})
		if strings.Contains(s.Style.Identify, "{last}") && len(shown) > 1 {
			out = append(out, Moment{Side: v.side, Event: shown[len(shown)-1]})
		}
	}
	return out
}

// TitleMoment returns where the title of a video can be read.
func TitleMoment(side Side) Moment {
	return Moment{Side: side, Event: schemas.Event{End: TitleSeconds}}
}

// VideoNames returns how questions name each side; a side that cannot be named
// has none.
func VideoNames(s Scene) map[Side]string {
	out := map[Side]string{}
	for _, q := range s.askers(nil) {
		out[q.side] = q.name
	}
	return out
}

// AbsentValues lists what an item puts forward that neither video shows: the lure that
// it asks about, and options that are of neither. That a changed detail is of neither
// follows from what the videos do show.
func AbsentValues(s Scene, it Item) []string {
	var out []string
	if it.Lure != "" {
		out = append(out, it.Lure)
	}
	if it.Type != schemas.TypeInterference && (it.Type != schemas.TypeContentRetention || it.Detail != schemas.DetailWhole) {
		return out
	}
	for _, o := range it.Options {
		shown := groundtruth.Mentions(s.Pair.A.Events, o.Text) || groundtruth.Mentions(s.Pair.B.Events, o.Text)
		if o.Role != schemas.RoleCorrect && !shown {
			out = append(out, o.Text)
		}
	}
	return out
}
