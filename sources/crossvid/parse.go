package crossvid

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/annotation"
	"github.com/memforge/memforge/sources/internal/benchmark"
)

// tupleSize is how many videos a question of CC and NC is about.
const tupleSize = 4

// tuple is one question and its videos: paths below videos/, distinct.
type tuple struct {
	task, id, question string
	videos             []string
}

// cluster names the tuple. An id is unique within its task only.
func (t tuple) cluster() string { return "crossvid/" + t.task + "/" + t.id }

// parse reads the list of a task. A bad entry loses its question; a file that
// is no list or has no usable entry is an error.
func parse(task string, text []byte) ([]tuple, []benchmark.Problem, error) {
	text, err := annotation.Prepare(text)
	if err != nil {
		return nil, nil, err
	}
	entries, err := annotation.ParseList(text)
	if err != nil {
		return nil, nil, err
	}
	var tuples []tuple
	var bad []benchmark.Problem
	seen := map[string]bool{}
	for i, e := range entries {
		t, err := parseEntry(e)
		t.task = task
		if err == nil && seen[t.id] {
			err = fmt.Errorf("id %q occurs twice in the task", annotation.Truncate(t.id))
		}
		if err != nil {
			bad = append(bad, benchmark.Problem{Where: fmt.Sprintf("#%d", i), Why: err.Error()})
			continue
		}
		seen[t.id] = true
		tuples = append(tuples, t)
	}
	if len(tuples) == 0 {
		return nil, nil, errors.New("no question names four videos; is it a file of CrossVid?")
	}
	return tuples, bad, nil
}

func parseEntry(text []byte) (tuple, error) {
	o, err := annotation.ParseObject(text)
	if err != nil {
		return tuple{}, err
	}
	id, err1 := o.Text("id") // a number
	question, err2 := o.Text("question")
	videos, err3 := o.Texts("videos")
	_, err4 := o.Texts("answer") // a letter; some tasks have a list
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return tuple{}, err
	}
	if id == "" || len(id) > 64 || question == "" {
		return tuple{}, errors.New("id or question is missing")
	}
	t := tuple{id: id, question: question}
	for _, v := range videos {
		v = strings.TrimPrefix(strings.TrimLeft(v, "/"), "videos/")
		if !fs.ValidPath(v) || v == "." || strings.Contains(v, `\`) || len(v) > 512 {
			return tuple{}, fmt.Errorf("video %q is not a path below videos/", annotation.Truncate(v))
		}
		t.videos = append(t.videos, v)
	}
	if len(t.videos) != tupleSize || len(slices.Compact(slices.Sorted(slices.Values(t.videos)))) != tupleSize {
		return tuple{}, fmt.Errorf("%d videos; want %d different ones", len(t.videos), tupleSize)
	}
	return t, nil
}

// collectVideos collects what all questions say of each video.
func collectVideos(all []tuple) map[string]schemas.Video {
	sorted := slices.Clone(all)
	slices.SortFunc(sorted, func(a, b tuple) int { return cmp.Compare(a.cluster(), b.cluster()) })
	texts := map[string][]string{}
	out := map[string]schemas.Video{}
	for _, t := range sorted {
		for _, name := range t.videos {
			v := out[name]
			v.Category, _, _ = strings.Cut(name, "/")
			v.Clusters = append(v.Clusters, t.cluster())
			texts[name] = append(texts[name], t.question)
			out[name] = v
		}
	}
	for name, v := range out {
		v.Description = benchmark.Describe(texts[name])
		out[name] = v
	}
	return out
}
