// Package format exports a release of the video family in the layout in which
// M3Eval publishes its own data, so that its lmms-eval tasks run on it
// unchanged: three JSON lists and one JSONL file of questions, the videos, and a
// CSV for viewers. It also scores answers to questions in this layout.
//
// Names of videos are digests of their bytes. Every row of a file has the same
// columns, and what M3Eval would silently count in no table is an error here.
// What its tasks do not read lies in a folder beside theirs: the questions over
// repeated videos, controls, the table for viewers and the note of what was exported.
//
// Scores are those of M3Eval's own tasks: the same reading of an answer, the
// same metrics, the same tables; or as its paper says, where the two differ (see
// Variant). Load reads the published layout, so it takes M3Eval's own data as
// well.
package format

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// Format is the layout under its name on the command line.
func Format() export.Format {
	return export.Format{
		Name: "m3eval", Root: "data/m3eval", Beside: besideFolder, Takes: takes(), Layout: Layout,
		Help: "OUT may be a checkout of M3Eval's repository: the files appear in OUT/data/m3eval.",
	}
}

// takes says which questions of a release M3Eval's tasks can ask.
func takes() benchformat.Selector {
	return benchformat.Selector{Families: []string{"video"}, Fits: func(q schemas.Question) string {
		if len(q.Media) != 1 {
			return "they are not asked over one video"
		}
		if !slices.ContainsFunc(cells(), func(c cell) bool { return c.kind == q.Type }) {
			return "M3Eval has no task for their type " + q.Type
		}
		return ""
	}}
}

// The files that M3Eval's task definitions load, below the root.
const (
	fileSplit        = "qa_root/split_screen/split_screen_qa.json"
	fileInterference = "qa_root/memory_interference/memory_interference_qa.json"
	fileInterleaved  = "qa_root/interleaved/interleaved_qa.json"
	fileNBack        = "questions/nback_questions.jsonl"
)

// The folder beside the root, and its files. Questions over repeated videos
// (paper, figure 8) and controls are no part of M3Eval's tables.
const (
	besideFolder = "data/m3eval-memforge"
	fileRepeated = "memory_interference_repeated_qa.json"
	fileControl  = "split_screen_control_qa.json"
	fileViewer   = "full_questions.csv"
)

// exportEntry is a question with everything that its rows need.
type exportEntry struct {
	question schemas.Question
	task     schemas.Task
	media    schemas.Media
	cell     cell
	// video is the path below the root; of a repeated video, which lies beside
	// it, the path below the folder that the user named. M3Eval tries both.
	video    string
	repeated bool
}

// Layout builds the layout. It is pure, and equal releases give equal bytes.
// Errors about a question are *QuestionError.
func Layout(c release.Contents) (export.Tree, error) {
	entries, err := newEntries(c)
	if err != nil {
		return export.Tree{}, err
	}
	var tree treeBuilder
	for _, subset := range []string{subsetInterleaved, subsetInterference, subsetSplit, subsetNBack} {
		tree.Folders = append(tree.Folders, "videos/"+subset)
	}
	if err := tree.addQuestions(entries); err != nil {
		return export.Tree{}, err
	}
	viewer, err := viewerFile(entries)
	if err != nil {
		return export.Tree{}, err
	}
	tree.BesideFiles = append(tree.BesideFiles, viewer)
	placed := map[string]bool{}
	for _, e := range entries {
		if placed[e.video] {
			continue
		}
		placed[e.video] = true
		if e.repeated {
			tree.BesideMedia = append(tree.BesideMedia, export.MediaFile{Path: strings.TrimPrefix(e.video, besideFolder+"/"), MediaID: e.media.MediaID})
		} else {
			tree.Media = append(tree.Media, export.MediaFile{Path: e.video, MediaID: e.media.MediaID})
		}
	}
	return tree.Tree, nil
}

// newEntries joins every question with its task, its video and its cell.
func newEntries(c release.Contents) ([]exportEntry, error) {
	tasks := map[string]schemas.Task{}
	for _, t := range c.Tasks {
		tasks[t.TaskID] = t
	}
	media := map[string]schemas.Media{}
	for _, m := range c.Media {
		media[m.MediaID] = m
	}
	out := make([]exportEntry, 0, len(c.Questions))
	for _, q := range c.Questions {
		if len(q.Media) != 1 || media[q.Media[0]].Kind != "video" {
			return nil, questionError(q, "it is asked over %d media; M3Eval's tasks show exactly one video", len(q.Media))
		}
		e := exportEntry{question: q, task: tasks[q.TaskID], media: media[q.Media[0]]}
		var err error
		if e.cell, err = cellOf(q, e.media.Recipe.Layout); err != nil {
			return nil, err
		}
		if e.repeated, err = isRepeated(e); err != nil {
			return nil, err
		}
		if err := checkVideo(e); err != nil {
			return nil, err
		}
		e.video = path.Join("videos", e.cell.subset, e.media.MediaID+path.Ext(c.Files[e.media.MediaID]))
		if e.repeated { // from the folder that holds data/
			e.video = path.Join(besideFolder, e.video)
		}
		out = append(out, e)
	}
	return out, nil
}

func isRepeated(e exportEntry) (bool, error) {
	value, ok := e.question.Labels[schemas.LabelRepetition]
	if !ok || value == "" || value == schemas.RepeatsNone {
		return false, nil
	}
	if e.cell.subset != subsetInterference {
		return false, questionError(e.question, "label %s is %q; M3Eval repeats videos in %s only", schemas.LabelRepetition, value, subsetInterference)
	}
	return true, nil
}

func checkVideo(e exportEntry) error {
	if e.cell.subset != subsetSplit {
		return nil
	}
	want := map[string]int{swap0: 0, swap10: 10}[groupOf(e.question, e.cell)]
	if got := len(e.media.Recipe.SwapFrames); got != want {
		return questionError(e.question, "label %s is %q, and its video exchanges sides %d times", schemas.LabelMetricGroup, groupOf(e.question, e.cell), got)
	}
	return nil
}

type treeBuilder struct{ export.Tree }

func (t *treeBuilder) addQuestions(entries []exportEntry) error {
	rows := map[string][]any{}
	for _, e := range entries {
		file, row, err := questionRow(e)
		if err != nil {
			return err
		}
		rows[file] = append(rows[file], row)
	}
	for _, name := range []string{fileSplit, fileInterference, fileInterleaved, fileNBack} {
		if len(rows[name]) == 0 {
			t.Notes = append(t.Notes, fmt.Sprintf("%s holds no question; leave its task out when you evaluate", name))
		}
		data, err := encodeRows(name, rows[name])
		if err != nil {
			return err
		}
		t.Files = append(t.Files, export.File{Path: name, Data: data})
	}
	for _, beside := range [][2]string{{fileRepeated, "questions over repeated videos"}, {fileControl, "controls"}} {
		name, n := beside[0], len(rows[beside[0]])
		if n == 0 {
			continue
		}
		data, err := encodeRows(name, rows[name])
		if err != nil {
			return err
		}
		t.BesideFiles = append(t.BesideFiles, export.File{Path: name, Data: data})
		t.Notes = append(t.Notes, fmt.Sprintf("%d %s are in %s/%s, which M3Eval's own tasks do not load", n, beside[1], besideFolder, name))
	}
	return checkLetters(entries)
}
