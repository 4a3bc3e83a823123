package picturereader

import (
	"fmt"
	"image"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/stages/visual/scene"
)

// Passage is a passage of a conversation with its picture.
type Passage struct {
	// Text begins with the date: [2025-03-12].
	Text string
	// ID names the picture, empty where there is none; Open decodes it. What was read
	// of a picture once is known by its name.
	ID   string
	Open func() (image.Image, error)
}

// Answer is what the reader makes of a question: the place of an option, or -1.
// Unread says that something could not be made out, rather than not shown.
type Answer struct {
	Option int
	Unread bool
	Why    string
}

func unreadable(format string, args ...any) Answer {
	return Answer{-1, true, fmt.Sprintf(format, args...)}
}

// Answer answers a question from what is shown; false where it is asked in no way that
// the reader knows. It undertakes what pictures show, what holds last or held before,
// sums, and what is like something in a second picture; for which picture is like
// another, and what is shown first, it says that it cannot make that out.
func (r *Reader) Answer(question string, options []string, shown []Passage) (Answer, bool, error) {
	q, ok := parseQuestion(question)
	if !ok {
		return Answer{}, false, nil
	}
	var a Answer
	var err error
	switch q.form {
	case formValue:
		a, err = r.answerValue(q, options, shown)
	case formCurrent, formBefore:
		a, err = r.answerChange(q, options, shown)
	case formSum:
		a, err = r.answerSum(q, options, shown)
	case formMatch:
		a, err = r.answerMatch(q, options, shown)
	default:
		a = unreadable("this way of asking is not undertaken.")
	}
	return a, true, err
}

// passagesOfDay are the passages of a picture's day.
func passagesOfDay(when string, shown []Passage) (out []Passage) {
	for _, s := range shown {
		if s.ID != "" && strings.HasPrefix(s.Text, "["+dateInName(when)) {
			out = append(out, s)
		}
	}
	return out
}

// readInPictures reads an aspect of a thing in the picture of a day. Where there are several, it
// must be made out the same in those where it is.
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

func (r *Reader) answerValue(q parsedQuestion, options []string, shown []Passage) (Answer, error) {
	if len(passagesOfDay(q.when, shown)) == 0 {
		return Answer{Option: -1, Why: "That picture is not shown."}, nil
	}
	value, err := r.readInPictures(q.when, q.thing, q.aspect, options, shown)
	if err != nil || value == "" {
		return unreadable("the %s of %s.", q.aspect, q.thing), err
	}
	return chooseOption(options, value), nil
}

func chooseOption(options []string, value string) Answer {
	return Answer{Option: slices.Index(options, value), Why: fmt.Sprintf("The built-in reader made out %q in the pictures.", value)}
}

// answerChange follows a thing through all pictures.
func (r *Reader) answerChange(q parsedQuestion, options []string, shown []Passage) (Answer, error) {
	var values []string
	for _, s := range shown {
		if s.ID == "" {
			continue
		}
		v, err := r.readCached(s, q.thing, q.aspect, options)
		if err != nil {
			return Answer{}, err
		}
		values = append(values, v)
	}
	n := len(values)
	if n == 0 || values[n-1] == "" {
		return unreadable("the %s of %s in the last picture.", q.aspect, q.thing), nil
	}
	if q.form == formCurrent {
		return chooseOption(options, values[n-1]), nil
	}
	for i := n - 1; i >= 0; i-- {
		switch values[i] {
		case "":
			return unreadable("the %s of %s in picture %d.", q.aspect, q.thing, i+1), nil
		case values[n-1]:
		default:
			return chooseOption(options, values[i]), nil
		}
	}
	return Answer{Option: -1, Why: "No picture shows a change."}, nil
}

func (r *Reader) answerSum(q parsedQuestion, options []string, shown []Passage) (Answer, error) {
	var numbers []string
	for n := range 13 {
		numbers = append(numbers, strconv.Itoa(n))
	}
	total := 0
	for _, side := range [][2]string{{q.when, q.thing}, {q.when2, q.thing2}} {
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

// answerMatch reads a thing, and looks for what is like it among the options.
func (r *Reader) answerMatch(q parsedQuestion, options []string, shown []Passage) (Answer, error) {
	if len(passagesOfDay(q.when, shown)) == 0 || len(passagesOfDay(q.when2, shown)) == 0 || sameDay(q) {
		if sameDay(q) {
			return unreadable("which of two pictures of a day is meant."), nil
		}
		return Answer{Option: -1, Why: "One of the pictures is not shown."}, nil
	}
	values := r.vocabulary.valuesByName(q.thing, q.aspect)
	if len(values) < 3 || q.aspect == scene.Place {
		return unreadable("the %s of %s.", q.aspect, q.thing), nil
	}
	want, err := r.readInPictures(q.when, q.thing, q.aspect, values, shown)
	if err != nil || want == "" {
		return unreadable("the %s of %s.", q.aspect, q.thing), err
	}
	few := withAlternatives(want, values)
	found := -1
	for i, o := range options {
		if q.aspect == scene.Which {
			_, o, _ = strings.Cut(o, " ")
		}
		got, err := r.readInPictures(q.when2, o, q.aspect, few, shown)
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
		return unreadable("what is like %s.", q.thing), nil
	}
	return Answer{Option: found, Why: fmt.Sprintf("The built-in reader made out %q in both pictures.", want)}, nil
}

// withAlternatives is a value with three others.
func withAlternatives(want string, values []string) []string {
	few := []string{want}
	for _, v := range values {
		if v != want && len(few) < 4 {
			few = append(few, v)
		}
	}
	return few
}

func sameDay(q parsedQuestion) bool { return dateInName(q.when) == dateInName(q.when2) }

// valuesByName are the values that an aspect of a thing of a name can have.
func (v *vocabulary) valuesByName(name, aspect string) []string {
	for _, s := range v.bySignature[nameSignature(name)] {
		if slices.Contains(s.thing.Tells, aspect) {
			return v.valuesFor(aspect, s.thing)
		}
	}
	return nil
}

// readCached is Value, of what was not read before.
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
	value, err := r.readValue(img, thing, aspect, sorted)
	if err == nil {
		cachePut(r.values, key, value, 1<<14)
	}
	return value, err
}

// cachePut remembers something, and forgets all of its kind where that is too much.
func cachePut[V any](m map[string]V, key string, v V, most int) {
	if len(m) >= most {
		clear(m)
	}
	m[key] = v
}
