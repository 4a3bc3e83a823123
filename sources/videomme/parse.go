package videomme

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/parquetread"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/annotation"
	"github.com/memforge/memforge/sources/internal/benchmark"
)

// subsetAll stands for every length.
const subsetAll = "all"

// Columns by their exact names: video_id and videoID are two.
const (
	columnNumber   = "video_id"
	columnID       = "videoID"
	columnDuration = "duration"
	columnDomain   = "domain"
	columnCategory = "sub_category"
	columnQuestion = "question"
	columnAnswer   = "answer"
	columnOptions  = "options"
)

// video is what the rows of one videoID say.
type video struct {
	// id is the video site's, number the dataset's own.
	id, number string
	category   string
	questions  []benchmark.Question
}

// collector groups rows by video, in the order of their first rows.
type collector struct {
	subset string
	byID   map[string]*video
	order  []string
}

func newCollector(subset string) *collector {
	return &collector{subset: subset, byID: map[string]*video{}}
}

// addTable takes the rows of one table. A row that contradicts the others, or
// names no video, is reported by its number (":12", counted from 0).
func (c *collector) addTable(data []byte) ([]benchmark.Problem, error) {
	t, err := parquetread.Read(data,
		[]string{columnNumber, columnID, columnDuration, columnDomain, columnCategory, columnQuestion, columnAnswer}, []string{columnOptions})
	if err != nil {
		return nil, err
	}
	var bad []benchmark.Problem
	for i := range t.Rows {
		if c.subset != subsetAll && t.Text(columnDuration, i) != c.subset {
			continue
		}
		if err := c.addRow(t, i); err != nil {
			bad = append(bad, benchmark.Problem{Where: fmt.Sprintf(":%d", i), Why: err.Error()})
		}
	}
	return bad, nil
}

// idForm is a video site's id. One may begin with a dash.
var idForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func (c *collector) addRow(t parquetread.Table, i int) error {
	id, number := t.Text(columnID, i), t.Text(columnNumber, i)
	if !idForm.MatchString(id) {
		return fmt.Errorf("%s %q is not a video's id", columnID, annotation.Truncate(id))
	}
	v := c.byID[id]
	if v == nil {
		v = &video{id: id, number: number, category: strings.Trim(t.Text(columnDomain, i)+"/"+t.Text(columnCategory, i), "/")}
		c.byID[id] = v
		c.order = append(c.order, id)
	}
	if v.number != number {
		return fmt.Errorf("video %s has the numbers %q and %q", id, annotation.Truncate(v.number), annotation.Truncate(number))
	}
	q := benchmark.Question{Text: strings.TrimSpace(t.Text(columnQuestion, i))}
	if q.Text == "" {
		return errors.New("the question is empty")
	}
	answer, err := rightOption(t.List(columnOptions, i), t.Text(columnAnswer, i))
	q.Answer = answer
	v.questions = append(v.questions, q)
	return err
}

// rightOption is the text behind the letter of the answer, empty when the
// dataset gives none.
func rightOption(options []string, answer string) (string, error) {
	letter := strings.Trim(answer, " .()")
	if letter == "" {
		return "", nil
	}
	for _, o := range options {
		if head, text, ok := strings.Cut(strings.TrimSpace(o), "."); ok && strings.Trim(head, " ()") == letter {
			return strings.TrimRight(strings.TrimSpace(text), "."), nil
		}
	}
	return "", fmt.Errorf("answer %q is none of %d options", annotation.Truncate(answer), len(options))
}

func (c *collector) videos() []video {
	out := make([]video, len(c.order))
	for i, id := range c.order {
		out[i] = *c.byID[id]
	}
	return out
}

// record says what is known of the video without its subtitles.
func (v video) record() schemas.Video {
	return schemas.Video{Category: v.category, Description: benchmark.Describe(benchmark.Statements(v.questions))}
}
