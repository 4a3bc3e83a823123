package oracle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// moment is something that happens in one of the films.
type moment struct {
	film *film
	happening
}

// ruling is what follows for a question about two films.
type ruling struct {
	wording
	question, typ string
	options       []schemas.Option
	key, answer   string
	// target is A, B, both or neither. clues are what the answer rests on, others
	// what a wrong option may be taken from, by option.
	target string
	clues  []moment
	others [][]moment
	why    string
	// swap is the number of exchanges, order that of the films.
	swaps int
	order string
}

// rule reads the question and judges its options.
func (w *world) rule(q schemas.Question) (ruling, error) {
	r := ruling{options: slices.Clone(q.Options), swaps: len(w.swaps), order: w.order()}
	w.asked = q.QuestionMCQ
	var err error
	if r.wording, err = read(w.layout, q.Question); err != nil {
		return r, err
	}
	r.question = r.wording.String()
	judge := map[string]func(*ruling) error{
		formOnly: w.ruleValue, formNth: w.ruleValue, formOrder: w.ruleOrder, formGap: w.ruleGap, formPlace: w.rulePlace, formWhich: w.ruleWhich,
	}[r.form]
	if err := r.checkOptions(); err != nil {
		return r, err
	}
	if err := judge(&r); err != nil {
		return r, err
	}
	return r, r.choose()
}

// checkOptions wants options of different texts under the letters A, B, C, ...
func (r *ruling) checkOptions() error {
	if len(r.options) != 4 {
		return fmt.Errorf("it has %d options, want 4", len(r.options))
	}
	for i, o := range r.options {
		if want := schemas.Letter(i); o.Key != want {
			return fmt.Errorf("option %d has the key %q, want %q", i, o.Key, want)
		}
		for _, p := range r.options[:i] {
			if confusable(o.Text, p.Text) && (r.form == formOnly || r.form == formNth) || o.Text == p.Text {
				return fmt.Errorf("options %q and %q could be meant by each other", p.Text, o.Text)
			}
		}
	}
	return nil
}

// choose makes the option that says the answer the right one.
func (r *ruling) choose() error {
	for i := range r.options {
		o := &r.options[i]
		if o.Text != r.answer {
			continue
		}
		o.Role, r.key = schemas.RoleCorrect, o.Key
		return nil
	}
	return fmt.Errorf("the answer is %q, and no option says so", r.answer)
}

// each judges all options but the right one.
func (r *ruling) each(judge func(text string) (role string, err error)) error {
	for i := range r.options {
		o := &r.options[i]
		if o.Text == r.answer {
			continue
		}
		role, err := judge(o.Text)
		if err != nil {
			return fmt.Errorf("option %q: %w", o.Text, err)
		}
		o.Role = role
	}
	return nil
}

// titled is the film that a phrase names, and no other.
func (w *world) titled(phrase string) (*film, error) {
	var found *film
	for _, id := range w.names {
		f := w.films[id]
		if name, err := w.name(f); err == nil && tidy(name) == phrase {
			if found != nil {
				return nil, fmt.Errorf("both videos are %s", phrase)
			}
			found = f
		}
	}
	if found == nil {
		return nil, fmt.Errorf("no video is %s", phrase)
	}
	return found, nil
}

// name is how the question calls a film, or would: by its title, else by a phrase
// that the tables give for a film that begins like it. Of several phrases it is
// one that the question has.
func (w *world) name(f *film) (string, error) {
	switch titles := f.valuesOf(schemas.AttributeTitle); len(titles) {
	case 0:
	case 1:
		return `the video titled "` + titles[0] + `"`, nil
	default:
		return "", fmt.Errorf("video %s has the titles %q", f.id, titles)
	}
	var fits []string
	for _, l := range f.labels {
		if l.Attribute == schemas.AttributeName && l.Original == f.stretches[0].original && w.tells(f, l.Value) {
			fits = append(fits, l.Value)
		}
	}
	if len(fits) == 0 {
		return "", fmt.Errorf("video %s has no title, and no name that tells it from the other", f.id)
	}
	if i := slices.IndexFunc(fits, func(name string) bool { return strings.Contains(w.asked, tidy(name)) }); i >= 0 {
		return fits[i], nil
	}
	return fits[0], nil
}

// tells reports whether a name says what a film shows first, or first and last,
// and quotes nothing else; or has a label of the whole film, which the other has
// otherwise.
func (w *world) tells(f *film, name string) bool {
	other, shown := w.other(f), f.of("shows")
	told := false
	if len(shown) > 0 {
		first, last := `"`+shown[0].value+`"`, `"`+shown[len(shown)-1].value+`"`
		told = strings.Contains(name, first) && !other.mentions(shown[0].value)
		name = strings.Replace(strings.Replace(name, first, "", 1), last, "", 1)
	}
	if strings.Contains(name, `"`) {
		return false
	}
	for _, l := range f.labels {
		switch l.Attribute {
		case schemas.AttributeName, schemas.AttributeNoun, schemas.AttributeAbsent, schemas.AttributeCategory:
			continue
		}
		mine, theirs := f.throughout(l.Attribute), other.throughout(l.Attribute)
		told = told || mine == l.Value && strings.Contains(name, mine) && theirs != "" && !confusable(mine, theirs)
	}
	return told
}

// throughout is the one value of an attribute in all of a film, or nothing.
func (f *film) throughout(attribute string) string {
	for _, s := range f.stretches {
		if !slices.ContainsFunc(f.labels, func(l schemas.StatedLabel) bool { return l.Attribute == attribute && l.Original == s.original }) {
			return ""
		}
	}
	if all := f.valuesOf(attribute); len(all) == 1 {
		return all[0]
	}
	return ""
}

// nouns are the words for what a film shows.
func (w *world) nouns() []string {
	var out []string
	for _, id := range w.names {
		for _, n := range w.films[id].valuesOf(schemas.AttributeNoun) {
			if !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	return append(out, "")
}

// knows checks that a noun of a question is stated.
func (w *world) knows(noun string) error {
	if !slices.Contains(w.nouns(), noun) {
		return fmt.Errorf("nothing is called a %s in the tables", noun)
	}
	return nil
}
