package revise

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// Input is what the author sees of a flagged question.
type Input struct {
	Type     string `json:"type"`
	Question string `json:"question"`
	// Choice is what the form with options asks, where it has words of its own. Both
	// forms have one answer.
	Choice string `json:"choice_question,omitempty"`
	// Options are numbered from 1, the correct one first: their places say
	// nothing about where they stand. Fixed ones must not be rewritten.
	Options []Choice `json:"options"`
	Fixed   bool     `json:"fixed"`
	// Answer of a question without options.
	Answer      string  `json:"answer"`
	Explanation string  `json:"explanation"`
	Evidence    []Piece `json:"evidence"`
	// Told are the sources that the question was written from, part by part; none
	// where that is not known. LeftOut of their parts are not among them.
	Told    []schemas.BasisSource `json:"told,omitempty"`
	LeftOut int                   `json:"left_out,omitempty"`
	// Opening is how the question must go on beginning.
	Opening string  `json:"opening,omitempty"`
	Finding Finding `json:"finding"`
	// Others are what gates have against copies of it.
	Others  []Finding `json:"others,omitempty"`
	Earlier []Finding `json:"earlier"`
	Refused []Refusal `json:"refused"`

	// places are the indices in the question's options.
	places []int
}

// Choice is an option under its number.
type Choice struct {
	Option int    `json:"option"`
	Text   string `json:"text"`
	Role   string `json:"role"`
}

// Piece is what there is to read of a piece of evidence.
type Piece struct {
	Role     string `json:"role"`
	Modality string `json:"modality"`
	Text     string `json:"text"`
	Caption  string `json:"caption"`
}

// Finding is what a gate has against a question. Question is set in earlier
// ones only.
type Finding struct {
	Question string `json:"question,omitempty"`
	Gate     string `json:"gate"`
	Code     string `json:"code"`
	Reason   string `json:"reason"`
	// Said is what models answered the gate, each with the view that it had.
	Said []Answer `json:"said,omitempty"`
}

// Answer is one answer that a gate got. Letters say nothing here, for each request
// had the options in an order of its own: Option is the number of the one chosen.
type Answer struct {
	View   string `json:"view"`
	Mark   string `json:"mark"`
	Option int    `json:"option,omitempty"`
	Answer string `json:"answer,omitempty"`
	Why    string `json:"why"`
}

// Refusal is an answer that cannot be used, and why.
type Refusal struct {
	Answer  Draft    `json:"answer"`
	Reasons []string `json:"reasons"`
}

// Draft is the author's answer. Cannot says why there is no rewrite.
type Draft struct {
	Cannot      string    `json:"cannot"`
	Question    string    `json:"question"`
	Choice      string    `json:"choice_question"`
	Options     []Rewrite `json:"options"`
	Explanation string    `json:"explanation"`
}

// Rewrite is the new text of the option with a number.
type Rewrite struct {
	Option int    `json:"option"`
	Text   string `json:"text"`
}

func inputOf(q schemas.Question, f schemas.Flagged, fixed bool) Input {
	in := Input{
		Type: q.Type, Question: q.Question, Fixed: fixed, Answer: cmp.Or(q.AnswerText, q.AnswerCall), Explanation: q.Explanation,
		Options: []Choice{}, Evidence: []Piece{}, Earlier: []Finding{}, Refused: []Refusal{},
	}
	if stem, ok := q.Stem(); ok && stem != q.Question {
		in.Choice = stem
	}
	for i := range q.Options {
		in.places = append(in.places, i)
	}
	wrong := func(i int) int {
		if q.Options[i].Key == q.AnswerKey {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(in.places, func(a, b int) int { return cmp.Compare(wrong(a), wrong(b)) })
	for n, i := range in.places {
		in.Options = append(in.Options, Choice{Option: n + 1, Text: q.Options[i].Text, Role: q.Options[i].Role})
	}
	in.Finding = Finding{Gate: f.Use, Code: f.Code, Reason: f.Reason, Said: in.answersOf(q, f.Answers)}
	for _, c := range f.Copies {
		if c.Gate != "" {
			in.Others = append(in.Others, Finding{Gate: c.Use, Code: c.Code, Reason: c.Reason, Said: in.answersOf(q, c.Answers)})
		}
	}
	evidence := slices.SortedStableFunc(slices.Values(q.Evidence), func(a, b schemas.Evidence) int { return cmp.Compare(a.Order, b.Order) })
	for _, e := range evidence {
		in.Evidence = append(in.Evidence, Piece{Role: e.Role, Modality: cmp.Or(e.Modality, e.Kind), Text: e.Text, Caption: e.Caption})
	}
	for _, r := range q.Revisions {
		gate, _ := pipeline.SplitRound(r.Gate)
		in.Earlier = append(in.Earlier, Finding{Question: r.Question, Gate: gate, Code: r.Code, Reason: r.Reason})
	}
	return in
}

// answersOf returns answers of models as the author reads them, each once: a
// panel of one model says everything twice.
func (in Input) answersOf(q schemas.Question, list []schemas.ModelAnswer) []Answer {
	var out []Answer
	for _, s := range list {
		one := Answer{View: s.View, Mark: s.Mark, Answer: s.Answer, Why: answerReason(s.Response)}
		if i := slices.IndexFunc(in.places, func(i int) bool { return q.Options[i].Key == s.Answer }); i >= 0 {
			one.Option, one.Answer = i+1, ""
		}
		if !slices.Contains(out, one) {
			out = append(out, one)
		}
	}
	return out
}

// answerReason returns why a model answered so, or its whole answer where it
// does not say.
func answerReason(response string) string {
	var a struct {
		Why string `json:"why"`
	}
	if err := json.Unmarshal([]byte(response), &a); err != nil || a.Why == "" {
		return response
	}
	return a.Why
}

const maxBasis = 16 << 20

// basisOf reads what a question was written from; nil where it names nothing.
func basisOf(ctx context.Context, scope *pipeline.Scope, q schemas.Question) (*schemas.Basis, error) {
	if q.Basis == "" {
		return nil, nil
	}
	r, err := scope.OpenBlob(ctx, pipeline.Digest(q.Basis))
	if err != nil {
		return nil, fmt.Errorf("open what %s was written from: %w", q.QuestionID, err)
	}
	defer r.Close()
	raw, err := io.ReadAll(io.LimitReader(r, maxBasis+1))
	if err != nil {
		return nil, fmt.Errorf("read what %s was written from: %w", q.QuestionID, err)
	}
	var b schemas.Basis
	if err := json.Unmarshal(raw, &b); err != nil || len(raw) > maxBasis {
		return nil, pipeline.Reject("bad-basis", "what it was written from (blob %s, %d bytes) cannot be read: %v; build the question again", q.Basis, len(raw), err)
	}
	return &b, nil
}

// addBasis adds what a question was written from, at most so many characters:
// of parts that it does not rest on, the last are left out first.
func (in *Input) addBasis(b *schemas.Basis, chars int) {
	if b == nil {
		return
	}
	in.Opening = b.Opening
	size := 0
	for _, s := range b.Sources {
		for _, p := range s.Parts {
			size += partSize(p)
		}
	}
	in.Told = make([]schemas.BasisSource, len(b.Sources))
	for i, s := range b.Sources {
		in.Told[i] = schemas.BasisSource{Role: s.Role, Name: s.Name, Parts: append([]schemas.BasisPart{}, s.Parts...)}
	}
	for _, cited := range []bool{false, true} {
		for size > chars {
			from, at := in.lastPart(cited)
			if from < 0 {
				break
			}
			parts := in.Told[from].Parts
			size -= partSize(parts[at])
			in.Told[from].Parts = append(parts[:at], parts[at+1:]...)
			in.LeftOut++
		}
	}
}

// lastPart finds the last part that is cited, or not, of the source with most
// parts.
func (in *Input) lastPart(cited bool) (from, at int) {
	from, most := -1, 0
	for i, s := range in.Told {
		for j, p := range s.Parts {
			if p.Cited == cited && (len(s.Parts) > most || i == from) {
				from, at, most = i, j, len(s.Parts)
			}
		}
	}
	return from, at
}

func partSize(p schemas.BasisPart) int {
	n := 60
	for k, t := range p.Told {
		n += len(k) + len(t) + 8
	}
	return n
}
