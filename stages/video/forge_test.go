package video

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
)

// leaves changes every value of a JSON tree in turn and calls visit with the
// place of each; lists lose an element as well. The tree is restored.
func leaves(at string, v any, set func(any), visit func(place string)) {
	try := func(place string, other any) {
		set(other)
		visit(place)
		set(v)
	}
	switch v := v.(type) {
	case string:
		try(at, v+"x")
	case float64:
		try(at, v+1)
	case bool:
		try(at, !v)
	case []any:
		for i := range v {
			leaves(at+"[]", v[i], func(n any) { v[i] = n }, visit)
		}
		if len(v) > 0 {
			try(at+"[] dropped", v[:len(v)-1])
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			leaves(strings.TrimPrefix(at+"."+k, "."), v[k], func(n any) { v[k] = n }, visit)
		}
	}
}

// forged calls try with every variant of a row in which one value is another.
func forged[T any](t *testing.T, row T, try func(place string, row T)) {
	t.Helper()
	text, err := json.Marshal(row)
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		t.Fatal(err)
	}
	leaves("", tree, func(any) {}, func(place string) {
		b, err := json.Marshal(tree)
		if err != nil {
			t.Fatal(err)
		}
		var other T
		if err := json.Unmarshal(b, &other); err != nil {
			return // no whole number, say: no row can hold it
		}
		try(place, other)
	})
}

// tableOf finds the rows of one table.
type tableOf[T any] func(*release.Contents) *[]T

// unfound changes every value of some rows (a third of them unless at full size), one
// at a time, and lists the places of which a change was not found, with how often.
func unfound[T any](t *testing.T, c release.Contents, of tableOf[T], some func(i int) bool) (free map[string]int, tried int) {
	t.Helper()
	free = map[string]int{}
	reg, rows, seen := registered(), *of(&c), 0
	for i := range rows {
		if some != nil && !some(i) {
			continue
		}
		forged(t, rows[i], func(place string, row T) {
			if seen++; seen%testsize.Choose(3, 1) != 0 {
				return
			}
			forgery, list := c, slices.Clone(rows)
			list[i] = row
			*of(&forgery) = list
			tried++
			if _, differences := goldOf(t, reg, forgery); len(differences) == 0 {
				free[place]++
			}
		})
	}
	return free, tried
}

// reliedOn tells the rows without which something no longer follows.
func reliedOn[T any](t *testing.T, c release.Contents, of tableOf[T]) func(i int) bool {
	reg, rows := registered(), *of(&c)
	return func(i int) bool {
		without := c
		*of(&without) = slices.Delete(slices.Clone(rows), i, i+1)
		_, differences := goldOf(t, reg, without)
		return len(differences) > 0
	}
}

// sampled keeps a question of each type in each layout about films and about
// reels, with what belongs to it.
func sampled(c release.Contents) release.Contents {
	kept, tasks, media := map[string]bool{}, map[string]bool{}, map[string]bool{}
	var qs []schemas.Question
	for _, q := range c.Questions {
		kind := fmt.Sprint(q.Type, q.Labels[schemas.LabelDimension], strings.Contains(q.Question, "titled"))
		if !kept[kind] {
			kept[kind], tasks[q.TaskID] = true, true
			qs = append(qs, q)
		}
	}
	c.Questions = qs
	c.Tasks = slices.DeleteFunc(slices.Clone(c.Tasks), func(t schemas.Task) bool { return !tasks[t.TaskID] })
	for _, t := range c.Tasks {
		for _, id := range t.Media {
			media[id] = true
		}
	}
	c.Media = slices.DeleteFunc(slices.Clone(c.Media), func(m schemas.Media) bool { return !media[m.MediaID] })
	return c
}

// TestEveryValueIsHeld changes single values of every table that gold rests on
// or stands in: all that is not found must be known to be free.
func TestEveryValueIsHeld(t *testing.T) {
	if testing.Short() {
		t.Skip("derives a release for each of thousands of forgeries; run without -short")
	}
	c := sampled(everything(t))
	report := func(table string, free map[string]int, tried int, known ...string) {
		t.Logf("%s: %d values changed, not found: %v", table, tried, free)
		for place, n := range free {
			if !slices.Contains(known, place) {
				t.Errorf("%s: %d changes of %s are not found", table, n, place)
			}
		}
	}
	questions := func(c *release.Contents) *[]schemas.Question { return &c.Questions }
	tasks := func(c *release.Contents) *[]schemas.Task { return &c.Tasks }
	media := func(c *release.Contents) *[]schemas.Media { return &c.Media }
	events := func(c *release.Contents) *[]schemas.StatedEvent { return &c.Events }
	labels := func(c *release.Contents) *[]schemas.StatedLabel { return &c.Labels }
	free, tried := unfound(t, c, questions, nil)
	report("questions", free, tried)
	free, tried = unfound(t, c, tasks, nil)
	report("tasks", free, tried, "media[] dropped") // of which no question is asked
	free, tried = unfound(t, c, media, nil)
	// Of a file recipes say nothing; a clip's source is in nothing but its recipe.
	report("media", free, tried, "bytes", "duration", "fps", "has_audio", "height", "kind", "license", "mime", "width", "recipe.segments[].source")
	free, tried = unfound(t, c, events, reliedOn(t, c, events))
	// Who did it, or which sign it was, where that is not asked; and what only counts, when and on what it was done.
	report("events", free, tried, "stated_by", "actors[]", "actors[] dropped", "objects[]", "objects[] dropped", "text", "from", "to")
	free, tried = unfound(t, c, labels, reliedOn(t, c, labels))
	// How much of what is joined has it, and the label of a clip between those asked about.
	report("labels", free, tried, "stated_by", "from", "to", "value")
}
