// Package review is what people decide about items: which items they are to see,
// what they wrote down, and what follows from it.
package review

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
)

// Bounds of a file of decisions.
const (
	maxLine = 1 << 16
	maxText = 200 // of a name, an id or a label
)

// LineError says what is wrong with a line of a file of decisions.
type LineError struct {
	File string
	Line int
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err) }

// Unwrap gives what is wrong.
func (e *LineError) Unwrap() error { return e.Err }

// Read reads decisions, a JSON object a line in the fields of schemas.Review. Files
// are appended to, never edited: of several lines by one annotator about one item of
// one draw, the last stands. They come in the order of item, draw and annotator. The
// error joins a *LineError for each line that is wrong.
func Read(file string, b []byte) ([]schemas.Review, error) {
	last := map[[3]string]schemas.Review{}
	err := eachLine(file, b, func(line []byte) error {
		r, err := readLine(line)
		if err == nil {
			last[reviewKey(r)] = r
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return SortReviews(last), nil
}

// eachLine reads the lines that are not empty. The error joins a *LineError for each that
// read refuses.
func eachLine(file string, b []byte, read func(line []byte) error) error {
	var errs []error
	number := 0
	for line := range bytes.Lines(b) {
		number++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if err := read(line); err != nil {
			errs = append(errs, &LineError{file, number, err})
		}
	}
	return errors.Join(errs...)
}

func reviewKey(r schemas.Review) [3]string { return [3]string{r.Item, r.Sample, r.Annotator} }

// SortReviews orders decisions by item, draw and annotator.
func SortReviews(all map[[3]string]schemas.Review) []schemas.Review {
	out := make([]schemas.Review, 0, len(all))
	for _, r := range all {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b schemas.Review) int {
		x, y := reviewKey(a), reviewKey(b)
		return slices.Compare(x[:], y[:])
	})
	return out
}

func readLine(line []byte) (r schemas.Review, err error) {
	if len(line) > maxLine || !utf8.Valid(line) {
		return r, fmt.Errorf("a line of %d bytes; want UTF-8 of at most %d", len(line), maxLine)
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := pipeline.DecodeSingle(dec, &r); err != nil {
		return r, fmt.Errorf("%w; want one JSON object a line, with item, annotator, draw, stratum, decision, label and note", err)
	}
	return r, Check(r)
}

// Check says what keeps a decision from being one.
func Check(r schemas.Review) error {
	for _, field := range [][2]string{{"item", r.Item}, {"annotator", r.Annotator}, {"draw", r.Sample}} {
		if text := field[1]; strings.TrimSpace(text) != text || text == "" || len(text) > maxText {
			return fmt.Errorf("%s is %q; want 1 to %d bytes without space around them", field[0], shorten(text), maxText)
		}
	}
	key, value, pair := strings.Cut(r.Label, "=")
	switch {
	case !slices.Contains([]string{schemas.DecisionAccept, schemas.DecisionReject, schemas.DecisionRelabel}, r.Decision):
		return fmt.Errorf("decision is %q; want %s, %s or %s", shorten(r.Decision), schemas.DecisionAccept, schemas.DecisionReject, schemas.DecisionRelabel)
	case r.Decision == schemas.DecisionRelabel && (!pair || key == "" || value == "" || len(r.Label) > maxText):
		return fmt.Errorf("label is %q; a relabel wants key=value", shorten(r.Label))
	}
	return nil
}

func shorten(s string) string { return words.ShortenBytes(s, 60) }

// Agreement says how far the people agree who decided about the items of a draw.
type Agreement struct {
	Draw string
	// Items that anybody decided about, Annotators who did, sorted.
	Items      int
	Annotators []string
	agreement.Raters
}

// Agreements compares decisions draw by draw; where no two decided about the same item
// there are no pairs. Clusters are those of agreement.Clusters: an item that is in none
// is one by itself. Intervals are drawn from seed.
func Agreements(all []schemas.Review, clusters map[string]string, seed uint64) ([]Agreement, error) {
	clusters = maps.Clone(clusters)
	if clusters == nil {
		clusters = map[string]string{}
	}
	byDraw := map[string]map[string]map[string]string{}
	for _, r := range all {
		if clusters[r.Item] == "" {
			clusters[r.Item] = r.Item // it was dropped, or is no question
		}
		if byDraw[r.Sample] == nil {
			byDraw[r.Sample] = map[string]map[string]string{}
		}
		if byDraw[r.Sample][r.Item] == nil {
			byDraw[r.Sample][r.Item] = map[string]string{}
		}
		byDraw[r.Sample][r.Item][r.Annotator] = Verdict(r)
	}
	var out []Agreement
	for _, draw := range slices.Sorted(maps.Keys(byDraw)) {
		a, err := compareDecisions(draw, byDraw[draw], clusters, seed)
		if err != nil {
			return nil, fmt.Errorf("agreement about draw %s: %w", draw, err)
		}
		out = append(out, a)
	}
	return out, nil
}

func compareDecisions(draw string, decided map[string]map[string]string, clusters map[string]string, seed uint64) (Agreement, error) {
	var said []agreement.ItemLabels
	names := map[string]bool{}
	for _, item := range slices.Sorted(maps.Keys(decided)) {
		said = append(said, agreement.ItemLabels{Item: item, ByRater: decided[item]})
		for annotator := range decided[item] {
			names[annotator] = true
		}
	}
	raters, err := agreement.MeasureAgreement(said, clusters, seed, draw)
	return Agreement{Draw: draw, Items: len(said), Annotators: slices.Sorted(maps.Keys(names)), Raters: raters}, err
}
