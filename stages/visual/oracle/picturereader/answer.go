package picturereader

import (
	"fmt"
	"image"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/stages/visual/oracle"
	"github.com/memforge/memforge/stages/visual/scene"
)

// Passage is a passage of a conversation with its picture.
type Passage struct {
	// Text begins with the date: [2025-03-12].
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

// passagesOfDay returns the passages of a picture's day.
func passagesOfDay(when string, shown []Passage) (out []Passage) {
	for _, s := range shown {
		if s.ID != "" && strings.HasPrefix(s.Text, "["+dateInName(when)) {
			out = append(out, s)
		}
	}
	return out
}

// readInPictures reads an aspect of a thing in the pictures of a day. All pictures that
// show it must agree.
func (r *Reader) readInPictures(when, thing, aspect string, values []string, shown []Passage) (string, error) {
	value := ""
	for _, s := range passagesOfDay(when, shown) {
		got, err := r.readCached(s, thing, aspect, values)
		if err != nil || got != "" && value != "" && got != value {
			return "", err
		}
		if got != "" {
			value = got
		}
	}
	return value, nil
}

func (r *Reader) answerValue(q oracle.Interpretation, options []string, shown []Passage) (Answer, error) {
	if len(passagesOfDay(q.When, shown)) == 0 {
		return Answer{Option: -1, Why: "That picture is not shown."}, nil
	}
	value, err := r.readInPictures(q.When, q.Thing, q.Aspect, options, shown)
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

func (r *Reader) answerSum(q oracle.Interpretation, options []string, shown []Passage) (Answer, error) {
	var numbers []string
	for n := range 13 {
		numbers = append(numbers, strconv.Itoa(n))
	}
	total := 0
	for _, side := range [][2]string{{q.When, q.Thing}, {q.When2, q.Thing2}} {
		if len(passagesOfDay(side[0], shown)) == 0 {
			return Answer{Option: -1, Why: "One of the pictures is not shown."}, nil
		}
		value, err := r.readInPictures(side[0], side[1], scene.Count, numbers, shown)
		if err != nil || value == "" {
			return unreadable("the count of %s.", side[1]), err
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
	switch {
	case dateInName(q.When) == dateInName(q.When2):
		return unreadable("which of two pictures of a day is meant."), nil
	case len(passagesOfDay(q.When, shown)) == 0 || len(passagesOfDay(q.When2, shown)) == 0:
		return Answer{Option: -1, Why: "One of the pictures is not shown."}, nil
	}
	values := r.vocabulary.valuesByName(q.Thing, q.Aspect)
	if len(values) < 3 || q.Aspect == scene.Place {
		return unreadable("the %s of %s.", q.Aspect, q.Thing), nil
	}
	want, err := r.readInPictures(q.When, q.Thing, q.Aspect, values, shown)
	if err != nil || want == "" {
		return unreadable("the %s of %s.", q.Aspect, q.Thing), err
	}
	few := withAlternatives(want, values)
	found := -1
	for i, o := range options {
		if q.Aspect == scene.Which {
			_, o, _ = strings.Cut(o, " ")
		}
		got, err := r.readInPictures(q.When2, o, q.Aspect, few, shown)
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

// dateInName returns the date in the name of a picture, as 2025-03-12.
func dateInName(when string) string {
	parts := strings.Fields(when[strings.LastIndex(when, " of ")+4:])
	months := []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
	for i, m := range months {
		if len(parts) == 3 && parts[1] == m {
			day, _ := strconv.Atoi(parts[0])
			return fmt.Sprintf("%s-%02d-%02d", parts[2], i+1, day)
		}
	}
	return ""
}
