package defects

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Shown is what a solver was sent: the data of the prompt, and the pictures.
type Shown struct {
	Question string
	Options  []Choice
	// Proposed is the answer to judge, Setting what there is to know of the whole.
	Proposed string
	Setting  string
	Passages []Passage
	Pictures [][]byte
}

// Choice is an option under its letter; a judge is shown none.
type Choice struct{ Letter, Text string }

// UnmarshalJSON implements json.Unmarshaler.
func (c *Choice) UnmarshalJSON(b []byte) error {
	if err := json.Unmarshal(b, &c.Text); err == nil {
		return nil
	}
	var named struct{ Letter, Text string }
	err := json.Unmarshal(b, &named)
	*c = Choice(named)
	return err
}

// Passage is one piece of what is shown; Pictures are numbers, from 1.
type Passage struct {
	Span, Text, Caption string
	Pictures            []int
	// Rest says that the answer does not rest on it.
	Rest bool
}

// block decodes what stands between tags in a prompt; nothing where the prompt
// has no such tags.
func block(user, tag string, v any) error {
	_, rest, ok := strings.Cut(user, "<"+tag+">\n")
	if !ok {
		return nil
	}
	body, _, ok := strings.Cut(rest, "\n</"+tag+">")
	if !ok {
		return fmt.Errorf("the prompt opens <%s> and does not close it", tag)
	}
	if err := json.Unmarshal([]byte(body), v); err != nil {
		return fmt.Errorf("<%s> of the prompt: %w", tag, err)
	}
	return nil
}

// ReadPrompt reads the user part of a prompt of the gates.
func ReadPrompt(user string, pictures [][]byte) (Shown, error) {
	s := Shown{Pictures: pictures}
	for tag, v := range map[string]any{"question": &s.Question, "options": &s.Options, "proposed_answer": &s.Proposed, "setting": &s.Setting, "passages": &s.Passages} {
		if err := block(user, tag, v); err != nil {
			return Shown{}, err
		}
	}
	if s.Question == "" {
		return Shown{}, fmt.Errorf("the prompt asks no question")
	}
	return s, nil
}

// Unknown is the answer of a solver that nothing leads to an option.
const Unknown = "unknown"

// Solve answers as far as what is shown suffices: with the one option that fits
// all that is known, else with the one that could be true at all, else Unknown.
func Solve(s Shown) (string, error) {
	known, err := s.known()
	if err != nil {
		return "", err
	}
	var fits, possible []string
	for _, o := range s.Options {
		if !sensible(o.Text) {
			continue
		}
		possible = append(possible, o.Letter)
		if agrees(o.Text, known, false) {
			fits = append(fits, o.Letter)
		}
	}
	switch {
	case len(fits) == 1:
		return fits[0], nil
	case len(possible) == 1:
		return possible[0], nil
	}
	return Unknown, nil
}

// Supported reports whether what is shown establishes the proposed answer.
func Supported(s Shown) (bool, error) {
	known, err := s.known()
	return err == nil && agrees(s.Proposed, known, true), err
}

// known takes in the passages in order and says what is known in the end of
// what is asked about.
func (s Shown) known() (map[string][]string, error) {
	k := newKnowledge()
	for _, p := range s.Passages {
		k.read(p.Text)
		k.read(p.Caption)
		for _, n := range p.Pictures {
			if n < 1 || n > len(s.Pictures) {
				return nil, fmt.Errorf("a passage has picture %d and %d were sent", n, len(s.Pictures))
			}
			l, err := readPicture(s.Pictures[n-1])
			if errors.Is(err, errBlurred) {
				continue
			}
			if err != nil {
				return nil, err
			}
			k.see(l)
		}
	}
	return k.about(s.Question), nil
}

// sensible reports whether a parcel can look like that.
func sensible(text string) bool {
	for _, w := range strings.Fields(text) {
		if _, ok := propertyOf(strings.Trim(w, ",")); !ok {
			return false
		}
	}
	return true
}

// agrees compares an answer with what is known. Strictly, each property that it
// names must be known, and known for certain.
func agrees(text string, known map[string][]string, strict bool) bool {
	for _, w := range strings.Fields(text) {
		w = strings.Trim(w, ",")
		property, ok := propertyOf(w)
		if !ok {
			return false
		}
		values := known[property]
		if strict && len(values) != 1 {
			return false
		}
		if len(values) > 0 && !slices.Contains(values, w) {
			return false
		}
	}
	return text != ""
}
