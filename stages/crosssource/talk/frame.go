package talk

import (
	"regexp"
	"sync"
)

// Frame finds which lines are said around what is shared in a chat.
type Frame struct{ leads, answers []*regexp.Regexp }

// frame is that of the rules, made once.
var frame = sync.OnceValues(func() (f Frame, err error) {
	r, err := rules()
	if err != nil {
		return f, err
	}
	for _, rule := range []string{"prompt", "before", "after", "heard", "welcome"} {
		p, err := r["announce"].Pattern(rule)
		if err != nil {
			return f, err
		}
		if rule == "prompt" || rule == "before" {
			f.leads = append(f.leads, p)
		} else {
			f.answers = append(f.answers, p)
		}
	}
	return f, nil
})

// Framed is how Scaffold frames what is shared. It tells nothing of a line by a model.
func Framed() (Frame, error) { return frame() }

// Leads reports a line that leads up to what is shared, before anybody announces it.
func (f Frame) Leads(text string) bool { return fits(f.leads, text) }

// Answers reports a line that answers what is shared.
func (f Frame) Answers(text string) bool { return fits(f.answers, text) }

func fits(any []*regexp.Regexp, text string) bool {
	for _, p := range any {
		if p.MatchString(text) {
			return true
		}
	}
	return false
}
