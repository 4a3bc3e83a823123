package replay

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Questions about one film, by kind of event: what is asked of the only event
// of a kind, of the n-th, and of the order of several.
var aboutKind = []struct{ kind, only, nth, order string }{
	{"picks up", "which object is picked up", "what is the % object to be picked up", "in which order are these things picked up"},
	{"puts down", "which object is put down", "what is the % object to be put down", "in which order are these things put down"},
	{"opens", "what is opened", "what is the % thing to be opened", "in which order are these things opened"},
	{"sign changes", "what does the sign change to", "what is the % text that the sign changes to", "in which order does the sign change to these texts"},
	{"enters", "who enters", "who is the % to enter", "in which order do these people enter"},
	{"leaves", "who leaves", "who is the % to leave", "in which order do these people leave"},
}

var counting = []string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"}

// one judges the options of a question about one film.
func (c Case) one(source, asked string) (func(string) bool, error) {
	for _, k := range aboutKind {
		var all []happening
		for _, h := range c.happenings(source) {
			if h.kind == k.kind {
				all = append(all, h)
			}
		}
		if asked == k.order {
			return inOrder(all), nil
		}
		if asked == k.only {
			if len(all) != 1 {
				return nil, fmt.Errorf("%d events, and it asks for the only one", len(all))
			}
			return func(o string) bool { return o == all[0].value }, nil
		}
		before, after, _ := strings.Cut(k.nth, "%")
		if strings.HasPrefix(asked, before) && strings.HasSuffix(asked, after) && len(asked) > len(before)+len(after) {
			n := slices.Index(counting, asked[len(before):len(asked)-len(after)])
			if n < 0 || n >= len(all) {
				return nil, fmt.Errorf("%q of %d events", asked, len(all))
			}
			return func(o string) bool { return o == all[n].value }, nil
		}
	}
	return nil, fmt.Errorf("%q is no question about a film", asked)
}

// inOrder is right where everything that an option lists happens, each after
// the end of the one before.
func inOrder(all []happening) func(string) bool {
	return func(option string) bool {
		end := int64(-1)
		for _, name := range strings.Split(option, ", then ") {
			i := slices.IndexFunc(all, func(h happening) bool { return h.value == strings.Trim(name, `"`) })
			if i < 0 || all[i].first < end {
				return false
			}
			end = all[i].end
		}
		return true
	}
}

// gap is right where the sentence with the option in its gap tells something
// that happens in the film.
func (c Case) gap(source, sentence string) (func(string) bool, error) {
	if strings.Count(sentence, "____") != 1 {
		return nil, fmt.Errorf("%q has no gap", sentence)
	}
	return func(option string) bool {
		whole := strings.Replace(sentence, "____", option, 1)
		return slices.ContainsFunc(c.happenings(source), func(h happening) bool { return h.told == whole })
	}, nil
}

var placed = regexp.MustCompile(`^the video titled "([^"]+)", (?:on the (left|right)|in the (first|second) half)$`)

// place is right where the film of the option tells the sentence and shows all
// of it in the place of the option.
func (c Case) place(sentence string) (func(string) bool, error) {
	middle := c.frames()
	return func(option string) bool {
		m := placed.FindStringSubmatch(option)
		if m == nil {
			return false
		}
		source, err := c.titled(m[1])
		if err != nil {
			return false
		}
		for _, h := range c.happenings(source) {
			if !strings.EqualFold(h.told, sentence) {
				continue
			}
			return !slices.ContainsFunc(c.shown(source, h.first, h.end), func(s sight) bool {
				half := "first"
				if 2*s.frame >= middle {
					half = "second"
				}
				return m[2] != "" && s.side != m[2] || m[3] != "" && half != m[3]
			})
		}
		return false
	}, nil
}

// which is right where the option names just the films in which it happens.
func (c Case) which(inquiry string) (func(string) bool, error) {
	var in []string
	for source := range c.Films {
		if slices.ContainsFunc(c.happenings(source), func(h happening) bool { return h.inquiry == inquiry }) {
			in = append(in, c.Films[source].Title)
		}
	}
	want := ""
	switch len(in) {
	case 0:
		want = "in neither video"
	case 1:
		want = `only in the video titled "` + in[0] + `"`
	case 2:
		want = "in both videos"
	}
	return func(option string) bool { return option == want }, nil
}

// Holds reports whether anything with the value happens in the film, shown or
// not.
func (c Case) Holds(source, value string) bool {
	f := c.Films[source]
	for _, e := range f.Events {
		if e.Text == value {
			return true
		}
		for _, p := range f.Props {
			if p.ID == e.Prop && p.Description == value {
				return true
			}
		}
		for _, x := range f.Fixtures {
			if x.ID == e.Fixture && x.Description == value {
				return true
			}
		}
		for _, a := range f.Actors {
			if a.ID == e.Actor && a.Description == value {
				return true
			}
		}
	}
	return false
}
