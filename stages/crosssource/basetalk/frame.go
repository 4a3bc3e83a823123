package basetalk

import (
	"regexp"
	"strings"
	"sync"
)

// Frame finds which lines are said around what is shared in a chat.
type Frame struct{ leads, shows, quotes, answers, inline []*regexp.Regexp }

// frameForms is that of the rules, made once.
var frameForms = sync.OnceValues(func() (f Frame, err error) {
	r, err := rules()
	if err != nil {
		return f, err
	}
	for into, names := range map[*[]*regexp.Regexp][]string{
		&f.leads: {"prompt", "ready", "before"}, &f.shows: {"picture", "table"}, &f.quotes: {"quote", "quoted"},
		&f.answers: {"after", "after_topic", "heard", "welcome"}, &f.inline: {"inline"},
	} {
		for _, rule := range names {
			for _, name := range []string{rule, rule + forGroup} {
				if !r["announce"].Has(name) {
					continue
				}
				p, err := r["announce"].Pattern(name)
				if err != nil {
					return f, err
				}
				*into = append(*into, p)
			}
		}
	}
	return f, nil
})

// Framed returns how Scaffold frames what is shared. It tells nothing of a line by a model.
func Framed() (Frame, error) { return frameForms() }

// Leads reports a line that leads up to what is shared, before anybody announces it.
func (f Frame) Leads(text string) bool { return matchesAny(f.leads, text) }

// Announces reports a line right before what is shared that says what it is.
func (f Frame) Announces(text string) bool {
	called := strings.Contains(text, "Fig. ") || strings.Contains(text, "Table. ")
	return called && matchesAny(f.shows, text) || matchesAny(f.quotes, text)
}

// Names reports what stands in the place of the bare name of a picture.
func (f Frame) Names(text string) bool { return matchesAny(f.inline, text) }

// Answers reports a line that answers what is shared.
func (f Frame) Answers(text string) bool { return matchesAny(f.answers, text) }

func matchesAny(ways []*regexp.Regexp, text string) bool {
	for _, p := range ways {
		if p.MatchString(text) {
			return true
		}
	}
	return false
}
