package review

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// CheckSample reports a draw that draws nothing.
func CheckSample(d pipeline.ReviewSample) error {
	if len(d.By) == 0 || !(d.Share > 0 && d.Share <= 1) || d.Least < 0 {
		return fmt.Errorf("draw a share of %g, at least %d, by %q: want a share above 0 up to 1, 0 or more, and something to draw by", d.Share, d.Least, d.By)
	}
	return nil
}

// pickUnits takes the units of a stratum that have the least rank. A unit more or less in
// it changes the draw by one at most.
func pickUnits(d pipeline.ReviewSample, names []string) []string {
	rank := func(id string) uint64 {
		h := fnv.New64a()
		fmt.Fprintf(h, "%d %s", d.Seed, id)
		return h.Sum64()
	}
	ranked := slices.SortedFunc(slices.Values(names), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a, b))
	})
	n := max(d.Least, int(math.Ceil(d.Share*float64(len(names)))))
	return ranked[:min(n, len(names))]
}

// Entry is a record as draws see it. Values are its columns that are text, whole numbers
// or truths, and its labels where no column is called so. What is 0, false or empty has
// none: such fields may be missing in a record.
type Entry struct {
	ID     string
	Values map[string]string
}

// EntryOf reads a record.
func EntryOf(rec pipeline.Record) (Entry, error) {
	var fields map[string]any
	if err := json.Unmarshal(rec.Data, &fields); err != nil {
		return Entry{}, fmt.Errorf("record %s %q: %w", rec.Schema, rec.ID, err)
	}
	e := Entry{rec.ID, map[string]string{}}
	for key, value := range fields {
		e.Set(key, value)
	}
	labels, _ := fields["labels"].(map[string]any)
	for key, value := range labels {
		if e.Values[key] == "" {
			e.Set(key, value)
		}
	}
	if rec.Schema == schemas.NameQuestion && e.Values["split"] == "" {
		e.Set("split", schemas.DefaultSplit)
	}
	return e, nil
}

// maxWhole bounds the whole numbers that every reader of JSON takes for the same.
const maxWhole = 1 << 53

// Set gives an entry a value, if it is one to draw by.
func (e Entry) Set(key string, value any) {
	var text string
	switch v := value.(type) {
	case string:
		text = v
	case bool:
		if v {
			text = "true"
		}
	case int32:
		text = whole(float64(v))
	case int64:
		text = whole(float64(v))
	case float64:
		text = whole(v)
	}
	if text != "" {
		e.Values[key] = text
	}
}

func whole(v float64) string {
	if v == 0 || v != math.Trunc(v) || math.Abs(v) > maxWhole {
		return ""
	}
	return strconv.FormatInt(int64(v), 10)
}

// Unit names what stands for the item in a draw: questions of one mirror group ask the
// same, so who reviews one reviews all.
func (e Entry) Unit() string { return cmp.Or(e.Values[schemas.LabelMirror], e.ID) }

// Stratum holds the values of what is drawn by, in its order.
func (e Entry) Stratum(d pipeline.ReviewSample) []string {
	out := make([]string, len(d.By))
	for i, key := range d.By {
		out[i] = e.Values[key]
	}
	return out
}

// DrawnRow is the entry as one of those that a draw was taken from.
func (e Entry) DrawnRow(d pipeline.ReviewSample) schemas.Sampled {
	return schemas.Sampled{Item: e.ID, Sample: d.Name, Schema: d.Schema, Unit: e.Unit(), Stratum: e.Stratum(d)}
}
