// Package view decides what of a question a solver is shown. A view is a pure
// function of the item: what a solver saw follows from the release, and
// check it by its digest. Nothing but the item's question, options, evidence and
// media enters it; labels, roles and sources are never shown.
package view

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// The views. Those of the second group take an argument, as in "only:2".
const (
	// None shows the question and its options alone.
	None = "none"
	// Text shows what is said and written, no picture and no caption.
	Text = "text"
	// MinimalCaption, DenseCaption and TaskAwareCaption put captions in the place of
	// pictures; CaptionOnly shows dense captions and no text (SMMBench C.5).
	MinimalCaption   = "minimal_caption"
	DenseCaption     = "dense_caption"
	TaskAwareCaption = "task_aware_caption"
	CaptionOnly      = "caption_only"
	// Oracle shows all that the answer rests on, as it is: texts and pictures.
	Oracle = "oracle"
	// AllClues is what the whole chain of a changing state is called beside
	// StaleOnly and LatestOnly (MemEye D.5). It shows the same as Oracle.
	AllClues = "all_clues"
	// StaleOnly shows what came before the last update and is not in force any
	// more or never was the update; LatestOnly shows the updates alone.
	StaleOnly  = "stale_only"
	LatestOnly = "latest_only"
	// SingleFrame shows the middle picture of the last piece that is a video.
	SingleFrame = "single_frame"
	// Full shows every text and all media of the question, whole.
	Full = "full"
	// Labelling is what who labels a question is shown: its words, the answer and
	// the explanation, no evidence (MemEye A.5).
	Labelling = "labelling"

	// Only and Without take the place of a piece of evidence, from 1.
	Only    = "only"
	Without = "without"
	// OnlySource takes a source, WithoutModality a modality.
	OnlySource      = "only_source"
	WithoutModality = "without_modality"
)

// Shown is what a solver is shown.
type Shown struct {
	Question string `json:"question"`
	// Options stand in the order shown, the answer that is to be judged beside
	// them.
	Options  []Choice `json:"options,omitempty"`
	Proposed string   `json:"proposed,omitempty"`
	// Tools are those that may be called.
	Tools []schemas.Tool `json:"tools,omitempty"`
	// Setting is that of the question, where pieces of a video are shown.
	Setting  string    `json:"setting,omitempty"`
	Passages []Passage `json:"passages,omitempty"`
	// full is how many pictures would be shown if there were room for all.
	full int
}

// Choice is one option under the letter it is shown with.
type Choice struct {
	Letter string `json:"letter"`
	Text   string `json:"text"`
}

// Passage is what is shown of one piece of evidence. Span says in words when in
// its video the pictures were: it goes with them, for where no picture may be
// seen the time could tell as much.
type Passage struct {
	Text    string   `json:"text,omitempty"`
	Span    string   `json:"span,omitempty"`
	Caption string   `json:"caption,omitempty"`
	Picture *Picture `json:"picture,omitempty"`
	// Absence tells who judges an answer that, by it, what other passages show
	// does not occur in this one. Who answers is not told, for it would tell the
	// answer.
	Absence bool `json:"absence,omitempty"`
	// Rest says that the answer does not rest on it: what a judge looks through for another
	// answer, or for what changes an order or a count.
	Rest bool `json:"rest,omitempty"`
	// Own says that the picture belongs to the question itself.
	Own bool `json:"own,omitempty"`

	// context says that its pictures are there to be recognised.
	context bool
	// order is that of the evidence that is shown.
	order int32
}

func (p Passage) empty() bool {
	return p.Text == "" && p.Span == "" && p.Caption == "" && p.Picture == nil
}

// Picture is an image, or at most Frames evenly spaced pictures of the seconds
// From to To of a video; To is 0 where it is the whole.
type Picture struct {
	Media  string  `json:"media"`
	From   float64 `json:"from,omitempty"`
	To     float64 `json:"to,omitempty"`
	Frames int     `json:"frames"`
	// MayBeEmpty says that there may be no moment of the video in that time.
	MayBeEmpty bool `json:"-"`
}

// FullPictures is how many Pictures would be if there were room for all that the
// view shows; where it is more, the view was fitted.
func (s Shown) FullPictures() int { return s.full }

// MaxPictures is the most pictures that the view can ask for.
func (s Shown) MaxPictures() (n int) {
	for _, p := range s.Passages {
		if p.Picture != nil {
			n += p.Picture.Frames
		}
	}
	return n
}

// Settings are how a view is put.
type Settings struct {
	// Rotation is how many places the options move on: 0 shows them as they
	// stand, and over as many rotations as options the answer visits every place.
	Rotation int
	// Propose shows the answer beside the options, Choice the question in the form that
	// goes before options.
	Propose, Choice bool
	// Rest shows who judges an answer what the evidence leaves out as well: other texts, and the
	// other spans of its videos.
	Rest bool
	// Entire shows who answers all media in place of the pieces that the answer
	// rests on, where number and length of these would tell it.
	Entire bool
	// Frames is the most pictures of a span of a video, Whole that of a video
	// that is shown whole. Most is the most in all: a view of more is fitted.
	Frames, Whole, Most int
}

// MissingError says what an item lacks for a view. It is a finding about the item
// and no failure.
type MissingError struct {
	// Code is a stable word.
	Code, Reason string
}

func (e *MissingError) Error() string { return e.Reason }

func missing(code, format string, args ...any) error {
	return &MissingError{code, fmt.Sprintf(format, args...)}
}

// Show shows a question under a view. The error is a *MissingError when the item
// has not what the view takes.
func Show(q *schemas.Question, name string, t Settings) (Shown, error) {
	if t.Entire && !t.Propose && (name == Oracle || name == AllClues) {
		if whole, ok := entireMedia(q); ok {
			own, err := ownPictures(q, name)
			return assemble(q, append(own, whole...), t), err
		}
	}
	passages, err := showPassages(q, name)
	if err != nil {
		return Shown{}, err
	}
	own, err := ownPictures(q, name)
	if err != nil {
		return Shown{}, err
	}
	if t.Rest && t.Propose && !AnswerIsAbsence(q) {
		passages = append(passages, restOf(q)...)
	}
	return assemble(q, append(own, passages...), t), nil
}

// entireMedia shows the media of a question in place of pieces that are spans of them. It is
// false where a piece is anything else.
func entireMedia(q *schemas.Question) ([]Passage, bool) {
	list := neededPieces(q)
	for _, p := range list {
		picture := p.picture()
		if picture == nil || p.Text != "" || p.modality() != schemas.ModalityVideo || !slices.Contains(q.Media, picture.Media) {
			return nil, false
		}
	}
	var all []Passage
	for _, id := range q.Media {
		all = append(all, Passage{Picture: &Picture{Media: id}, Span: wholeVideo})
	}
	return all, len(list) > 0
}

func assemble(q *schemas.Question, passages []Passage, t Settings) Shown {
	s := Shown{Question: q.Question, Tools: q.Tools, Options: Choices(q, t.Rotation)}
	s.Passages, s.full = fitPictures(withoutRepeats(passages), t)
	if slices.ContainsFunc(s.Passages, func(p Passage) bool { return p.Span != "" }) {
		s.Setting = q.Setting
	}
	if t.Choice {
		s.Question = q.ChoiceStem()
	}
	if t.Propose {
		s.Proposed = Proposed(q)
	} else {
		s.Passages = withoutAbsenceMarks(s.Passages)
	}
	return s
}

// Choices are the options of a question moved on by so many places.
func Choices(q *schemas.Question, rotation int) (out []Choice) {
	for i := range q.Options {
		out = append(out, Choice{schemas.Letter(i), q.Options[OptionAt(i, rotation, len(q.Options))].Text})
	}
	return out
}

// Proposed is the answer that is put for a check: its text, or the call that it is.
func Proposed(q *schemas.Question) string { return cmp.Or(q.AnswerText, q.AnswerCall) }

// OptionAt is the index of the option that a rotation brings to a place.
func OptionAt(place, rotation, options int) int {
	return ((place-rotation)%options + options) % options
}

// showPassages shows the evidence under a view, and the distractors where the view hides some.
func showPassages(q *schemas.Question, name string) ([]Passage, error) {
	kind, argument, _ := strings.Cut(name, ":")
	switch kind {
	case None:
		return nil, nil
	case Full:
		return showFull(q)
	}
	list := neededPieces(q)
	if err := checkShowable(list); err != nil {
		return nil, err
	}
	out, err := maskEvidence(q, list, kind, argument)
	if err != nil || !showsDistractors(kind, argument) {
		return out, err
	}
	return mergeByOrder(out, distractorTexts(q)), nil
}

// showsDistractors reports a view that hides some of the needed evidence, and not the texts.
func showsDistractors(kind, argument string) bool {
	switch kind {
	case Oracle, AllClues, CaptionOnly, SingleFrame:
		return false
	case WithoutModality:
		return argument != schemas.ModalityText
	}
	return true
}

func maskEvidence(q *schemas.Question, list []piece, kind, argument string) ([]Passage, error) {
	switch kind {
	case Oracle, AllClues:
		return showPieces(list, piece.passage), nil
	case Text:
		return showTexts(list, len(q.QuestionMedia))
	case MinimalCaption, DenseCaption, TaskAwareCaption, CaptionOnly:
		return showCaptions(q, list, kind)
	case StaleOnly, LatestOnly:
		return showChanging(list, kind)
	case SingleFrame:
		return showSingleFrame(list)
	case Only, Without:
		return showOnlyOrWithout(list, kind, argument)
	case OnlySource:
		return showSource(list, argument)
	case WithoutModality:
		return hideModality(list, argument)
	}
	return nil, fmt.Errorf("view %q: there is no such view", kind)
}

func showOnlyOrWithout(list []piece, kind, argument string) ([]Passage, error) {
	n, err := strconv.Atoi(argument)
	if err != nil || n < 1 || n > len(list) || list[n-1].isContext() || list[n-1].absentHere {
		return nil, missing("no-such-piece", "it has no piece of evidence %q, its %d are counted from 1, and what goes with every part is not asked about", argument, len(list))
	}
	out, _ := showPart(list, func(p piece) bool { return p.absentHere || (p.place == n) == (kind == Only) })
	return out, nil
}

// withoutAbsenceMarks passages are the same without what only a judge is told.
func withoutAbsenceMarks(list []Passage) []Passage {
	out := slices.Clone(list)
	for i := range out {
		out[i].Absence = false
	}
	return out
}

// showPart shows some pieces with the context that the question speaks of. n counts the
// pieces.
func showPart(list []piece, in func(piece) bool) (out []Passage, n int) {
	out = showPieces(list, func(p piece) Passage {
		switch {
		case p.isContext():
			return p.passage()
		case !in(p):
			return Passage{}
		}
		n++
		return p.passage()
	})
	return out, n
}

func showSource(list []piece, source string) ([]Passage, error) {
	out, n := showPart(list, func(p piece) bool { return p.source() == source })
	if n == 0 {
		return nil, missing("no-such-source", "none of its evidence is from the source %q", source)
	}
	return out, nil
}

// Describe says what a view shows, to go before "shown".
func Describe(name string) string {
	kind, argument, _ := strings.Cut(name, ":")
	switch kind {
	case None:
		return "nothing"
	case Only:
		return "piece " + argument + " of the evidence alone"
	case Without:
		return "all evidence but piece " + argument
	case OnlySource:
		return fmt.Sprintf("only the source %q", argument)
	case WithoutModality:
		return "all evidence but its modality " + argument
	}
	words := map[string]string{
		Text: "the texts", MinimalCaption: "texts and minimal captions", DenseCaption: "texts and captions",
		TaskAwareCaption: "texts and captions of all that may be asked", CaptionOnly: "captions alone",
		Labelling: "question, answer and explanation",
		Oracle:    "all evidence", AllClues: "all evidence", StaleOnly: "outdated evidence alone",
		LatestOnly: "the last update alone", SingleFrame: "a single picture", Full: "everything",
	}
	return words[kind]
}
