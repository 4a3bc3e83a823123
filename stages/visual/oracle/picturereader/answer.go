package picturereader

import (
	"fmt"
	"image"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/stages/visual/oracle"
	"github.com/memforge/memforge/stages/visual/scene"
	"github.com/memforge/memforge/stages/visual/wording"
)

// Passage is a passage of a conversation with its picture.
type Passage struct {
	// Text is what is said with the picture.
	Text string
	// ID identifies the picture, "" for none; Open decodes it. Readings of a picture
	// are cached by its ID.
	ID   string
	Open func() (image.Image, error)
}

// Answer is the index of an option, or -1. Unread says that something could not be
// recognised, rather than was not shown.
type Answer struct {
	Option int
	Unread bool
	Why    string
}

func unreadable(format string, args ...any) Answer {
	return Answer{-1, true, fmt.Sprintf(format, args...)}
}

// Answer answers a question from passages, and reports false if its wording is unknown.
// It reads what pictures show, the last value or the one before, sums, and things of a
// second picture that match. Which picture matches another and what is shown first are
// unread.
func (r *Reader) Answer(question string, options []string, shown []Passage) (Answer, bool, error) {
	all := oracle.Interpretations(question)
	if len(all) == 0 {
		return Answer{}, false, nil
	}
	var a Answer
	var err error
	switch q := all[0]; { // if another one is meant, no thing has that name and nothing is read
	case q.Form == "value":
		a, err = r.answerValue(q, options, shown)
	case q.Form == "current", q.Form == "before":
		a, err = r.answerChange(q, options, shown)
	case q.Form == "sum":
		a, err = r.answerSum(q, options, shown)
	case q.Form == "match" && q.Thing != "":
		a, err = r.answerMatch(q, options, shown)
	default:
		a = unreadable("this way of asking is not undertaken.")
	}
	return a, true, err
}

// picturesOf returns the passages with a picture.
func picturesOf(shown []Passage) []Passage {
	return slices.DeleteFunc(slices.Clone(shown), func(s Passage) bool { return s.ID == "" })
}

// findPicture returns the one picture that a name fits: by the occasion told with it, or by
// what is made out in it.
func (r *Reader) findPicture(name string, shown []Passage) (found Passage, ok bool, err error) {
	_, sights, occasion := wording.ParseName(name)
	for _, s := range picturesOf(shown) {
		fits := occasion != "" && strings.Contains(s.Text, " after "+occasion+".")
		if occasion == "" {
			if fits, err = r.showsSights(s, sights); err != nil {
				return found, false, err
			}
		}
		if fits && ok {
			return found, false, nil // two of a name
		}
		if fits {
			found, ok = s, true
		}
	}
	return found, ok, nil
}

// showsSights reports whether a picture shows one sight, or two.
func (r *Reader) showsSights(s Passage, words string) (bool, error) {
	if shown, known, err := r.showsSight(s, words); known || err != nil {
		return shown, err
	}
	for i := range words {
		rest, cut := strings.CutPrefix(words[i:], " and ")
		if !cut {
			continue
		}
		first, known, err := r.showsSight(s, words[:i])
		if err != nil {
			return false, err
		}
		second, both, err := r.showsSight(s, rest)
		if err != nil {
			return false, err
		}
		if known && both {
			return first && second, nil
		}
	}
	return false, nil
}

// showsSight reports whether a picture shows a sight, and whether its words are understood.
func (r *Reader) showsSight(s Passage, words string) (shown, known bool, err error) {
	for _, aspect := range scene.Aspects() {
		thing, value, ok := wording.ReadSight(aspect, words)
		values := r.vocabulary.valuesByName(thing, aspect)
		if !ok || !slices.Contains(values, value) {
			continue
		}
		got, err := r.readCached(s, thing, aspect, withAlternatives(value, values))
		return got == value, true, err
	}
	return false, false, nil
}

func (r *Reader) answerValue(q oracle.Interpretation, options []string, shown []Passage) (Answer, error) {
	pictures := picturesOf(shown)
	if len(pictures) == 0 {
		return Answer{Option: -1, Why: "That picture is not shown."}, nil
	}
	at := pictures[0]
	if len(pictures) > 1 {
		var ok bool
		var err error
		if at, ok, err = r.findPicture(q.When, pictures); err != nil || !ok {
			return unreadable("which picture is meant."), err
		}
	}
	value, err := r.readCached(at, q.Thing, q.Aspect, options)
	if err != nil || value == "" {
		return unreadable("the %s of %s.", q.Aspect, q.Thing), err
	}
	return chooseOption(options, value), nil
}

func chooseOption(options []string, value string) Answer {
	return Answer{Option: slices.Index(options, value), Why: fmt.Sprintf("The built-in reader made out %q in the pictures.", value)}
}

func (r *Reader) answerChange(q oracle.Interpretation, options []string, shown []Passage) (Answer, error) {
	var values []string
	for _, s := range shown {
		if s.ID == "" {
			continue
		}
		v, err := r.readCached(s, q.Thing, q.Aspect, options)
		if err != nil {
			return Answer{}, err
		}
		values = append(values, v)
	}
	n := len(values)
	if n == 0 || values[n-1] == "" {
		return unreadable("the %s of %s in the last picture.", q.Aspect, q.Thing), nil
	}
	if q.Form == "current" {
		return chooseOption(options, values[n-1]), nil
	}
	for i := n - 1; i >= 0; i-- {
		switch values[i] {
		case "":
			return unreadable("the %s of %s in picture %d.", q.Aspect, q.Thing, i+1), nil
		case values[n-1]:
		default:
			return chooseOption(options, values[i]), nil
		}
	}
	return Answer{Option: -1, Why: "No picture shows a change."}, nil
}

// findBoth returns the two pictures that a question names. Of two that are shown one need be
// found, by its occasion if one name has any. Without them the answer says why.
func (r *Reader) findBoth(q oracle.Interpretation, shown []Passage) (one, two Passage, why Answer, err error) {
	pictures := picturesOf(shown)
	if len(pictures) != 2 {
		return one, two, Answer{Option: -1, Why: "One of the pictures is not shown, or others are shown too."}, nil
	}
	name, swapped := q.When, false
	if _, _, occasion := wording.ParseName(q.When2); occasion != "" {
		name, swapped = q.When2, true
	}
	one, ok, err := r.findPicture(name, pictures)
	if err != nil || !ok {
		return one, two, unreadable("which pictures are meant."), err
	}
	two = pictures[0]
	if two.ID == one.ID {
		two = pictures[1]
	}
	if swapped {
		one, two = two, one
	}
	return one, two, why, nil
}

func (r *Reader) answerSum(q oracle.Interpretation, options []string, shown []Passage) (Answer, error) {
	one, two, why, err := r.findBoth(q, shown)
	if err != nil || why.Why != "" {
		return why, err
	}
	var numbers []string
	for n := range 13 {
		numbers = append(numbers, strconv.Itoa(n))
	}
	total := 0
	for i, at := range []Passage{one, two} {
		thing := []string{q.Thing, q.Thing2}[i]
		value, err := r.readCached(at, thing, scene.Count, numbers)
		if err != nil || value == "" {
			return unreadable("the count of %s.", thing), err
		}
		n, err := strconv.Atoi(value)
		if err != nil {
			return Answer{}, fmt.Errorf("read a count: %w", err)
		}
		total += n
	}
	return chooseOption(options, strconv.Itoa(total)), nil
}

func (r *Reader) answerMatch(q oracle.Interpretation, options []string, shown []Passage) (Answer, error) {
	one, two, why, err := r.findBoth(q, shown)
	if err != nil || why.Why != "" {
		return why, err
	}
	values := r.vocabulary.valuesByName(q.Thing, q.Aspect)
	if len(values) < 3 || q.Aspect == scene.Place {
		return unreadable("the %s of %s.", q.Aspect, q.Thing), nil
	}
	want, err := r.readCached(one, q.Thing, q.Aspect, values)
	if err != nil || want == "" {
		return unreadable("the %s of %s.", q.Aspect, q.Thing), err
	}
	few := withAlternatives(want, values)
	found := -1
	for i, o := range options {
		if q.Aspect == scene.Which {
			_, o, _ = strings.Cut(o, " ")
		}
		got, err := r.readCached(two, o, q.Aspect, few)
		switch {
		case err != nil:
			return Answer{}, err
		case got == want && found >= 0:
			return unreadable("which of two options is like it."), nil
		case got == want:
			found = i
		}
	}
	if found < 0 {
		return unreadable("what is like %s.", q.Thing), nil
	}
	return Answer{Option: found, Why: fmt.Sprintf("The built-in reader made out %q in both pictures.", want)}, nil
}

// withAlternatives returns a value with three others.
func withAlternatives(want string, values []string) []string {
	few := []string{want}
	for _, v := range values {
		if v != want && len(few) < 4 {
			few = append(few, v)
		}
	}
	return few
}

func (v *vocabulary) valuesByName(name, aspect string) []string {
	for _, s := range v.bySignature[nameSignature(name)] {
		if slices.Contains(s.thing.Tells, aspect) {
			return v.valuesFor(aspect, s.thing)
		}
	}
	return nil
}

func (r *Reader) readCached(s Passage, thing, aspect string, values []string) (string, error) {
	sorted := slices.Sorted(slices.Values(values))
	key := strings.Join(append([]string{s.ID, thing, aspect}, sorted...), "\x00")
	if value, known := r.values[key]; known {
		return value, nil
	}
	img, ok := r.pictures[s.ID]
	if !ok {
		picture, err := s.Open()
		if err != nil {
			return "", err
		}
		img = toRGBA(picture)
		cachePut(r.pictures, s.ID, img, maxOpenPictures)
	}
	value, err := r.Value(img, thing, aspect, sorted)
	if err == nil {
		cachePut(r.values, key, value, 1<<14)
	}
	return value, err
}

// cachePut adds a value, and clears the cache first if it is full.
func cachePut[V any](m map[string]V, key string, v V, most int) {
	if len(m) >= most {
		clear(m)
	}
	m[key] = v
}
