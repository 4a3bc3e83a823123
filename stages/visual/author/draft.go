package author

import (
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// wrongOptionCount beside the right one.
const wrongOptionCount = 3

// Draft is a question as the author writes it (MemEye C.3).
type Draft struct {
	// Cannot says why there is no question; the rest is then empty.
	Cannot string `json:"cannot"`
	Open   string `json:"open_question"`
	Truth  string `json:"ground_truth"`
	Choice string `json:"mcq_question"`
	// Options have no letters; Correct is the letter of the right one's place.
	Options   []string `json:"options"`
	Correct   string   `json:"correct_option"`
	ErrorType string   `json:"error_type"`
	Clues     []Clue   `json:"clue_rounds"`
	// UpdateIn says where a change is told: in a picture or in words.
	UpdateIn    string `json:"update_in"`
	X           string `json:"target_X"`
	Y           string `json:"target_Y"`
	Explanation string `json:"explanation"`
}

// Clue names a round and its role, one of schemas.RoleClue, RoleSuperseded, RoleUpdate.
type Clue struct {
	Round string `json:"round"`
	Role  string `json:"role"`
}

// letterPrefix is that with which an option begins although it should not.
var letterPrefix = regexp.MustCompile(`^\(?([A-D])[.):]\s*`)

// normaliseDraft is a draft without what says nothing about its question: white space,
// letters before options that stand there in their order, a round named twice in one
// role, rounds out of the order of time.
func (w *dialogueWriter) normaliseDraft(d Draft) Draft {
	for _, s := range []*string{&d.Open, &d.Truth, &d.Choice, &d.Correct, &d.Explanation, &d.X, &d.Y} {
		*s = strings.TrimSpace(*s)
	}
	d.Options = slices.Clone(d.Options)
	lettered := 0
	for i, o := range d.Options {
		d.Options[i] = strings.TrimSpace(o)
		if m := letterPrefix.FindStringSubmatch(d.Options[i]); m != nil && m[1] == schemas.Letter(i) {
			lettered++
		}
	}
	if lettered == len(d.Options) {
		for i, o := range d.Options {
			d.Options[i] = letterPrefix.ReplaceAllString(o, "")
		}
	}
	d.Correct = strings.Trim(strings.ToUpper(d.Correct), "().: ")
	at := func(c Clue) int {
		for i, r := range w.rounds {
			if r.ID == c.Round {
				return i
			}
		}
		return len(w.rounds)
	}
	d.Clues = slices.Clone(d.Clues)
	slices.SortStableFunc(d.Clues, func(a, b Clue) int { return at(a) - at(b) })
	d.Clues = slices.Compact(d.Clues)
	return d
}

// correctText is the text of the correct option; false where the letter names none.
func (d Draft) correctText() (string, bool) {
	for i, o := range d.Options {
		if schemas.Letter(i) == d.Correct {
			return o, true
		}
	}
	return "", false
}

// wrongTexts are the others.
func (d Draft) wrongTexts() []string {
	var out []string
	for i, o := range d.Options {
		if schemas.Letter(i) != d.Correct {
			out = append(out, o)
		}
	}
	return out
}
