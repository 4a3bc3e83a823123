package lvbench

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/annotation"
	"github.com/memforge/memforge/sources/internal/benchmark"
)

// video is one line of the annotations.
type video struct {
	key, genre string
	seconds    float64
	questions  []benchmark.Question
}

// parse reads the lines. A bad line (":line") loses its video, a bad question
// (":line:uid") at most itself. A file without a single video is an error.
func parse(text []byte) ([]video, []benchmark.Problem, error) {
	text, err := annotation.Prepare(text)
	if err != nil {
		return nil, nil, err
	}
	var videos []video
	var bad []benchmark.Problem
	seen := map[string]bool{}
	for _, line := range annotation.Lines(text) {
		where := fmt.Sprintf(":%d", line.Number)
		v, lost, err := parseLine(line.Text)
		if err == nil && seen[v.key] {
			err = fmt.Errorf("key %q occurs twice", annotation.Truncate(v.key))
		}
		if err != nil {
			bad = append(bad, benchmark.Problem{Where: where, Why: err.Error()})
			continue
		}
		for _, l := range lost {
			bad = append(bad, benchmark.Problem{Where: where + ":" + l.Where, Why: l.Why})
		}
		seen[v.key] = true
		videos = append(videos, v)
	}
	if len(videos) == 0 {
		return nil, nil, errors.New("no line names a video; is it the file of LVBench?")
	}
	return videos, bad, nil
}

// keyForm is a video site's id. One may begin with a dash.
var keyForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func parseLine(text []byte) (video, []benchmark.Problem, error) {
	o, err := annotation.ParseObject(text)
	if err != nil {
		return video{}, nil, err
	}
	var v video
	key, err1 := o.Text("key")
	genre, err2 := o.Text("type")
	info, err3 := o.Object("video_info")
	asked, err4 := o.Objects("qa")
	minutes, err5 := info.Number("duration_minutes")
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return video{}, nil, err
	}
	if !keyForm.MatchString(key) {
		return video{}, nil, fmt.Errorf("key %q is not a video's id", annotation.Truncate(key))
	}
	v = video{key: key, genre: genre, seconds: max(0, minutes*60)}
	var lost []benchmark.Problem
	for i, q := range asked {
		one, uid, err := parseQuestion(q)
		if err != nil {
			lost = append(lost, benchmark.Problem{Where: cmp.Or(annotation.Truncate(uid), fmt.Sprintf("#%d", i)), Why: err.Error()})
		}
		if one.Text != "" {
			v.questions = append(v.questions, one)
		}
	}
	return v, lost, nil
}

func parseQuestion(o annotation.Object) (q benchmark.Question, uid string, err error) {
	uid, err1 := o.Text("uid") // a number in some files
	text, err2 := o.Text("question")
	letter, err3 := o.Text("answer")
	when, err4 := o.Text("time_reference")
	_, err5 := o.Texts("question_type")
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return q, uid, err
	}
	stem, options := splitOptions(text)
	if stem == "" {
		return q, uid, errors.New("the question is empty")
	}
	q.Text, q.Answer = stem, options[strings.Trim(letter, "() .")]
	q.Spans, err = annotation.ParseSpans(when)
	return q, uid, err
}

// option begins an option that stands in the question's text.
var option = regexp.MustCompile(`(?m)^\s*\(([A-Z])\)[ \t]*`)

// splitOptions cuts the text at the lines that begin with "(A)" and so on.
func splitOptions(text string) (stem string, options map[string]string) {
	at := option.FindAllStringSubmatchIndex(text, -1)
	if at == nil {
		return text, nil
	}
	options = map[string]string{}
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		options[text[m[2]:m[3]]] = strings.TrimSpace(text[m[1]:end])
	}
	return strings.TrimSpace(text[:at[0][0]]), options
}

func (v video) record() schemas.Video {
	return schemas.Video{
		Category: v.genre, StatedDuration: v.seconds,
		Captions: benchmark.TimedCaptions(v.questions), Description: benchmark.Describe(benchmark.Statements(v.questions)),
	}
}
