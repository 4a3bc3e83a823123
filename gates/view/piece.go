package view

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// piece is one piece of evidence and its place, from 1, among those that the answer needs.
type piece struct {
	schemas.Evidence
	place int
	// absentHere says that what the clues show is said not to occur in this piece.
	absentHere bool
}

// neededPieces lists what the answer needs, in order: clues, updates, what they supersede,
// what it occurs nowhere in, and the context.
func neededPieces(q *schemas.Question) []piece {
	var out []piece
	for _, e := range q.Needed() {
		out = append(out, piece{Evidence: e})
	}
	slices.SortStableFunc(out, func(a, b piece) int { return cmp.Compare(a.Order, b.Order) })
	clued := slices.ContainsFunc(out, func(p piece) bool { return p.Role != schemas.RoleAbsence && !p.isContext() })
	for i := range out {
		out[i].place = i + 1
		out[i].absentHere = clued && out[i].Role == schemas.RoleAbsence
	}
	return out
}

// distractorTexts returns the texts that lead to wrong answers and that a solver reads in any
// case. Without them the one thing left of its sort would be taken for the answer.
func distractorTexts(q *schemas.Question) (out []Passage) {
	for _, e := range q.Evidence {
		told := e.Kind == schemas.EvidenceTurn || e.Kind == schemas.EvidenceText
		if e.Role == schemas.RoleDistractor && told {
			out = append(out, Passage{Text: e.Text, order: e.Order})
		}
	}
	return out
}

func mergeByOrder(list, others []Passage) []Passage {
	out := append(slices.Clone(list), others...)
	slices.SortStableFunc(out, func(a, b Passage) int { return cmp.Compare(a.order, b.order) })
	return out
}

// holdsAtEnd reports a clue, an update, or what the answer occurs nowhere in.
func (p piece) holdsAtEnd() bool {
	return p.Role != schemas.RoleSuperseded && !p.isContext() && !p.absentHere
}

func (p piece) isContext() bool { return p.Role == schemas.RoleContext }

// contextPictures is the most pictures of context: it is to be recognised, not
// followed.
const contextPictures = 2

func (p piece) source() string { return cmp.Or(p.SessionID, p.SourceID) }

var mediaRef = regexp.MustCompile(`^([0-9a-f]{64})(?:#(.*))?$`)

var timeFragment = regexp.MustCompile(`(?:^|&)t=(?:npt:)?([0-9]+(?:\.[0-9]+)?)?(?:,([0-9]+(?:\.[0-9]+)?))?(?:&|$)`)

func (p piece) picture() *Picture {
	m := mediaRef.FindStringSubmatch(cmp.Or(p.Media, p.Ref))
	if m == nil {
		return nil
	}
	out := &Picture{Media: m[1]}
	if t := timeFragment.FindStringSubmatch(m[2]); t != nil {
		out.From, _ = strconv.ParseFloat(t[1], 64)
		out.To, _ = strconv.ParseFloat(t[2], 64)
	}
	if p.modality() == schemas.ModalityImage {
		out.Frames = 1
	}
	return out
}

// modality falls back on the kind; else a medium with a time is a video, one without an image,
// and all else text.
func (p piece) modality() string {
	switch {
	case p.Modality != "":
		return p.Modality
	case slices.Contains([]string{schemas.ModalityText, schemas.ModalityImage, schemas.ModalityVideo, schemas.ModalityTable}, p.Kind):
		return p.Kind
	case !mediaRef.MatchString(cmp.Or(p.Media, p.Ref)):
		return schemas.ModalityText
	case strings.Contains(cmp.Or(p.Media, p.Ref), "#t="):
		return schemas.ModalityVideo
	}
	return schemas.ModalityImage
}

// passage shows a piece as it is. Of what the answer occurs nowhere in, the caption is shown
// too: a few pictures cannot hold all of it.
func (p piece) passage() Passage {
	out := Passage{Text: p.Text, Picture: p.picture(), Span: p.span()}
	if p.Role == schemas.RoleAbsence {
		out.Caption = p.Caption
		out.Absence = p.absentHere && !out.empty()
	}
	if out.Picture == nil || !p.isContext() {
		return out
	}
	out.context = true
	if out.Picture.Frames == 0 {
		out.Picture.Frames = contextPictures
	}
	return out
}

// wholeVideo is the span of pictures from all of a video.
const wholeVideo = "the whole video"

func (p piece) span() string {
	picture := p.picture()
	switch {
	case picture == nil || p.modality() == schemas.ModalityImage:
		return ""
	case picture.To > 0:
		return fmt.Sprintf("from %s s to %s s of the video", formatSeconds(picture.From), formatSeconds(picture.To))
	case picture.From > 0:
		return fmt.Sprintf("from %s s to the end of the video", formatSeconds(picture.From))
	}
	return wholeVideo
}

func formatSeconds(t float64) string { return strconv.FormatFloat(t, 'f', 2, 64) }

func showPieces(list []piece, show func(piece) Passage) []Passage {
	var out []Passage
	for _, p := range list {
		if s := show(p); !s.empty() {
			s.order = p.Order
			out = append(out, s)
		}
	}
	return out
}

func checkShowable(list []piece) error {
	if !slices.ContainsFunc(list, func(p piece) bool { return !p.isContext() }) {
		return missing("no-evidence", "it names no evidence that its answer rests on")
	}
	for _, p := range list {
		if p.passage().empty() {
			return missing("empty-evidence", "piece %d of its evidence (%s) has neither a text nor a picture", p.place, p.Ref)
		}
	}
	return nil
}

// CountPieces counts the evidence that the answer rests on, without the context and
// without what its clues do not occur in: neither is a part of the answer.
func CountPieces(q *schemas.Question) (n int) {
	for _, p := range neededPieces(q) {
		if !p.isContext() && !p.absentHere {
			n++
		}
	}
	return n
}

// JudgedPieces lists the places of evidence that holds at the end: what is judged
// piece by piece. What an update overrides is shown with it and not judged.
func JudgedPieces(q *schemas.Question) []int {
	var out []int
	for _, p := range neededPieces(q) {
		if p.holdsAtEnd() {
			out = append(out, p.place)
		}
	}
	return out
}

// Sources lists the sources that the evidence comes from, in order.
func Sources(q *schemas.Question) []string {
	var out []string
	for _, p := range neededPieces(q) {
		if s := p.source(); s != "" && !p.isContext() && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// MainSource is the source that most pieces of the evidence come from, of equals the last;
// empty where there are not two sources.
func MainSource(q *schemas.Question) string {
	all := Sources(q)
	if len(all) < 2 {
		return ""
	}
	counts := map[string]int{}
	for _, p := range neededPieces(q) {
		if !p.isContext() {
			counts[p.source()]++
		}
	}
	best := all[0]
	for _, s := range all[1:] {
		if counts[s] >= counts[best] {
			best = s
		}
	}
	return best
}

// AnswerIsAbsence reports a question whose answer is that something occurs nowhere in
// its evidence, so that it is to be judged by what contradicts it. Where clues
// show that it does occur, and the rest only that it does so nowhere else, it is
// none.
func AnswerIsAbsence(q *schemas.Question) bool {
	return slices.ContainsFunc(neededPieces(q), func(p piece) bool { return p.Role == schemas.RoleAbsence && !p.absentHere })
}

// Modalities lists in which ways the evidence speaks, sorted.
func Modalities(q *schemas.Question) []string {
	var out []string
	for _, p := range neededPieces(q) {
		m := p.modality()
		if m == schemas.ModalityTable || p.picture() != nil {
			out = append(out, m)
		}
		if m != schemas.ModalityTable && p.Text != "" {
			out = append(out, schemas.ModalityText)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// HasOverride reports that an update stands after something that it overrides.
func HasOverride(q *schemas.Question) bool {
	before := false
	for _, p := range neededPieces(q) {
		if p.Role == schemas.RoleUpdate && before {
			return true
		}
		before = before || p.Role != schemas.RoleUpdate && !p.isContext()
	}
	return false
}
