package review

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// Bounds of a proposal.
const (
	maxChanges  = 50
	maxProposed = 20_000 // bytes of a text
)

// proposedFields are the forms of the names of fields.
var proposedFields = regexp.MustCompile(`^(question|choice_question|explanation|options\.[A-Z]|evidence\.[1-9][0-9]{0,2}\.(span|caption))$`)

// spanForm is that of a span: two times in seconds.
var spanForm = regexp.MustCompile(`^[0-9]{1,6}(\.[0-9]{1,3})?,[0-9]{1,6}(\.[0-9]{1,3})?$`)

// ContentDigest names what an annotator reads of a question. Labels, the split and what it
// was revised from are left out: a build may set them between a proposal and its use.
func ContentDigest(q schemas.Question) (pipeline.Digest, error) {
	q.Labels, q.Split, q.Revisions = nil, "", nil
	return pipeline.QuestionDigest(q)
}

// ReadProposals reads proposals, a JSON object a line in the fields of schemas.Proposal. Of
// several by one annotator about one item of one draw, the last stands. The error joins a
// *LineError for each line that is wrong.
func ReadProposals(file string, b []byte) ([]schemas.Proposal, error) {
	var out []schemas.Proposal
	last := map[[3]string]int{} // places in out
	err := eachLine(file, b, func(line []byte) error {
		p, err := readProposal(line)
		if err != nil {
			return err
		}
		last[proposalKey(p)] = len(out)
		out = append(out, p)
		return nil
	})
	kept := out[:0]
	for i, p := range out {
		if last[proposalKey(p)] == i {
			kept = append(kept, p)
		}
	}
	return kept, err
}

func proposalKey(p schemas.Proposal) [3]string { return [3]string{p.Item, p.Sample, p.Annotator} }

func readProposal(line []byte) (p schemas.Proposal, err error) {
	if len(line) > maxLine*4 || !utf8.Valid(line) {
		return p, fmt.Errorf("a line of %d bytes; want UTF-8 of at most %d", len(line), maxLine*4)
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := pipeline.DecodeSingle(dec, &p); err != nil {
		return p, fmt.Errorf("%w; want one JSON object a line, with item, annotator, draw, digest, changes and note", err)
	}
	if err := CheckProposal(p); err != nil {
		return p, fmt.Errorf("proposal about %s: %w", shorten(p.Item), err)
	}
	return p, nil
}

// CheckProposal says what keeps a proposal from being one, whatever question it is about.
func CheckProposal(p schemas.Proposal) error {
	if err := Check(schemas.Review{Item: p.Item, Annotator: p.Annotator, Sample: p.Sample, Decision: schemas.DecisionAccept}); err != nil {
		return err
	}
	if len(p.Digest) != 64 || len(p.Changes) == 0 || len(p.Changes) > maxChanges {
		return fmt.Errorf("digest %q with %d changes; want the digest of the question and 1 to %d changes", shorten(p.Digest), len(p.Changes), maxChanges)
	}
	for i, c := range p.Changes {
		same := func(o schemas.ProposedChange) bool { return o.Field == c.Field }
		switch {
		case !proposedFields.MatchString(c.Field):
			return fmt.Errorf("field %q; want question, choice_question, explanation, options.A, evidence.1.span or evidence.1.caption", shorten(c.Field))
		case slices.ContainsFunc(p.Changes[:i], same):
			return fmt.Errorf("field %s is changed twice", c.Field)
		case c.New == c.Old:
			return fmt.Errorf("field %s is not changed", c.Field)
		case strings.TrimSpace(c.New) != c.New || c.New == "" || len(c.New) > maxProposed || !utf8.ValidString(c.New):
			return fmt.Errorf("field %s: the new text has %d bytes; want 1 to %d without space around them", c.Field, len(c.New), maxProposed)
		case strings.HasSuffix(c.Field, ".span"):
			if _, err := parseSpan(c.New); err != nil {
				return fmt.Errorf("field %s: %w", c.Field, err)
			}
		}
	}
	return nil
}

// parseSpan returns the end of a span.
func parseSpan(span string) (end float64, err error) {
	from, to, _ := strings.Cut(span, ",")
	begin, err1 := strconv.ParseFloat(from, 64)
	end, err2 := strconv.ParseFloat(to, 64)
	if !spanForm.MatchString(span) || err1 != nil || err2 != nil || begin >= end {
		return 0, fmt.Errorf("the span is %q; want two times in seconds, the first before the second, as 3.20,5.00", shorten(span))
	}
	return end, nil
}

// CheckSpans says which changed span of a question is not within its film. seconds are the
// durations of films by their ids.
func CheckSpans(q schemas.Question, changes []schemas.ProposedChange, seconds map[string]float64) error {
	for _, c := range changes {
		place, isSpan := strings.CutSuffix(strings.TrimPrefix(c.Field, "evidence."), ".span")
		n, err := strconv.Atoi(place)
		if !isSpan || err != nil || n < 1 || n > len(q.Evidence) {
			continue
		}
		end, err := parseSpan(c.New)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Field, err)
		}
		e := q.Evidence[n-1]
		for _, ref := range []string{e.Ref, e.Media} {
			id, _, of := strings.Cut(ref, spanMark)
			switch length := seconds[id]; {
			case !of:
			case length <= 0:
				return fmt.Errorf("%s: no length of its film %s is known, so the span cannot be checked", c.Field, shorten(id))
			case end > length+spanRounding:
				return fmt.Errorf("%s: the span ends at %.2f s, its film at %.2f s", c.Field, end, length)
			}
		}
	}
	return nil
}

// spanRounding is how far a span that was rounded may end behind its medium, in seconds.
const spanRounding = 0.01

// Field returns what a question has in a field that can be changed; ok is false where it
// has no such field.
func Field(q *schemas.Question, name string) (value string, ok bool) {
	if p := fieldOf(q, name); p != nil {
		return p.get(), true
	}
	return "", false
}

// EditableFields lists the fields of a question that can be changed.
func EditableFields(q schemas.Question) []string {
	names := []string{"question"}
	if stem, ok := q.Stem(); ok && stem != q.Question {
		names = append(names, "choice_question")
	}
	for _, o := range q.Options {
		names = append(names, "options."+o.Key)
	}
	for i := range q.Evidence {
		names = append(names, fmt.Sprintf("evidence.%d.span", i+1), fmt.Sprintf("evidence.%d.caption", i+1))
	}
	names = append(names, "explanation")
	return slices.DeleteFunc(names, func(name string) bool { return fieldOf(&q, name) == nil })
}

// field reads and writes one text of a question.
type field struct {
	get func() string
	set func(string)
}

func textField(at *string) *field {
	return &field{func() string { return *at }, func(s string) { *at = s }}
}

// fieldOf returns a field of a question, nil where it has none.
func fieldOf(q *schemas.Question, name string) *field {
	parts := strings.Split(name, ".")
	switch {
	case name == "question":
		return textField(&q.Question)
	case name == "explanation" && q.Explanation != "":
		return textField(&q.Explanation)
	case name == "choice_question":
		if stem, ok := q.Stem(); ok && stem != q.Question {
			return &field{func() string { return stem }, func(s string) { q.QuestionMCQ = schemas.MCQ(s, q.Options) }}
		}
	case parts[0] == "options" && len(parts) == 2:
		i := slices.IndexFunc(q.Options, func(o schemas.Option) bool { return o.Key == parts[1] })
		if _, stemmed := q.Stem(); i >= 0 && stemmed {
			return &field{func() string { return q.Options[i].Text }, func(s string) { setOption(q, i, s) }}
		}
	case parts[0] == "evidence" && len(parts) == 3:
		n, err := strconv.Atoi(parts[1])
		if err == nil && n >= 1 && n <= len(q.Evidence) {
			return evidenceField(&q.Evidence[n-1], parts[2])
		}
	}
	return nil
}

func evidenceField(e *schemas.Evidence, name string) *field {
	switch {
	case name == "caption" && e.Caption != "":
		return textField(&e.Caption)
	case name != "span":
		return nil
	}
	_, span, ok := strings.Cut(e.Ref, spanMark)
	if !ok {
		_, span, ok = strings.Cut(e.Media, spanMark)
	}
	if !ok {
		return nil
	}
	return &field{func() string { return span }, func(s string) {
		for _, at := range []*string{&e.Ref, &e.Media} {
			if id, _, has := strings.Cut(*at, spanMark); has {
				*at = id + spanMark + s
			}
		}
	}}
}

// spanMark begins the seconds in a reference to a medium.
const spanMark = "#t="

// setOption gives an option another text, also where it is the answer. The choice form
// keeps its words.
func setOption(q *schemas.Question, i int, text string) {
	stem, _ := q.Stem()
	if q.Options[i].Key == q.AnswerKey {
		q.AnswerText = text
	}
	q.Options[i].Text = text
	q.QuestionMCQ = schemas.MCQ(stem, q.Options)
}

// ApplyChanges returns a question with its changes. The error says which of them does not
// fit the question.
func ApplyChanges(q schemas.Question, changes []schemas.ProposedChange) (schemas.Question, error) {
	q.Options, q.Evidence = slices.Clone(q.Options), slices.Clone(q.Evidence)
	for _, c := range changes {
		f := fieldOf(&q, c.Field)
		switch {
		case f == nil:
			return q, fmt.Errorf("it has no %s that can be changed", c.Field)
		case f.get() != c.Old:
			return q, fmt.Errorf("its %s is %q, the proposal changes %q", c.Field, shorten(f.get()), shorten(c.Old))
		}
		stem, stemmed := q.Stem()
		shared := c.Field == "question" && stemmed && stem == q.Question
		alone := c.Field == "question" && len(q.Options) == 0 && q.QuestionMCQ == q.Question
		f.set(c.New)
		if shared || alone {
			q.QuestionMCQ = schemas.MCQ(c.New, q.Options)
		}
	}
	for i, o := range q.Options {
		if slices.ContainsFunc(q.Options[:i], func(p schemas.Option) bool {
			return strings.EqualFold(strings.TrimSpace(p.Text), strings.TrimSpace(o.Text))
		}) {
			return q, fmt.Errorf("two options would say %q", shorten(o.Text))
		}
	}
	return q, nil
}

// IsAboutWords reports a change of what all questions of a mirror group share: their words,
// not how their videos are shown.
func IsAboutWords(c schemas.ProposedChange) bool { return !strings.HasPrefix(c.Field, "evidence.") }
