// Package format exports a release of the video family in the layout in which
// M3Eval publishes its own data, so that its lmms-eval tasks run on it
// unchanged: three JSON lists and one JSONL file of questions, the videos, and a
// CSV for viewers. It also scores answers to questions in this layout.
//
// Names of videos are digests of their bytes. Every row of a file has the same
// columns, and what M3Eval would silently count in no table is an error here.
// What its tasks do not read lies in a folder beside theirs: the questions over
// repeated videos, the table for viewers and the note of what was exported.
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

	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// Format is the layout under its name on the command line.
func Format() export.Format {
	return export.Format{
		Name: "m3eval", Root: "data/m3eval", Beside: besideFolder, Layout: Layout,
		Help: "OUT may be a checkout of M3Eval's repository: the files appear in OUT/data/m3eval.",
	}
}

// The files that M3Eval's task definitions load, below the root.
const (
	fileSplit        = "qa_root/split_screen/split_screen_qa.json"
	fileInterference = "qa_root/memory_interference/memory_interference_qa.json"
	fileInterleaved  = "qa_root/interleaved/interleaved_qa.json"
	fileNBack        = "questions/nback_questions.jsonl"
)

// The folder beside the root, and its files. Questions over repeated videos
// (paper, figure 8) are no part of M3Eval's tables.
const (
	besideFolder = "data/m3eval-memforge"
	fileRepeated = "memory_interference_repeated_qa.json"
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
	value, ok := e.question.Labels[labelRepetition]
	if !ok || value == "" || value == schemas.RepeatsNone {
		return false, nil
	}
	if e.cell.subset != subsetInterference {
		return false, questionError(e.question, "label %s is %q; M3Eval repeats videos in %s only", labelRepetition, value, subsetInterference)
	}
	return true, nil
}

func checkVideo(e exportEntry) error {
	if e.cell.subset != subsetSplit {
		return nil
	}
	want := map[string]int{swap0: 0, swap10: 10}[groupOf(e.question, e.cell)]
	if got := len(e.media.Recipe.SwapFrames); got != want {
		return questionError(e.question, "label %s is %q, and its video exchanges sides %d times", labelGroup, groupOf(e.question, e.cell), got)
	}
	return nil
}

// treeBuilder is an export tree that grows.
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
	if n := len(rows[fileRepeated]); n > 0 {
		data, err := encodeRows(fileRepeated, rows[fileRepeated])
		if err != nil {
			return err
		}
		t.BesideFiles = append(t.BesideFiles, export.File{Path: fileRepeated, Data: data})
		t.Notes = append(t.Notes, fmt.Sprintf("%d questions over repeated videos are in %s/%s, which M3Eval's own tasks do not load", n, besideFolder, fileRepeated))
	}
	return checkLetters(entries)
}

// Subsets are the four tasks of M3Eval. They name its folders.
const (
	subsetSplit        = "split_screen"
	subsetInterference = "memory_interference"
	subsetInterleaved  = "interleaved"
	subsetNBack        = "nback"
)

// Values of paper_v4_metric_group.
const (
	swap0       = "swap0"
	swap10      = "swap10"
	proactive   = "proactive"
	retroactive = "retroactive"
)

// Values of paper_v4_metric_detail, storyline_error_type and source_dimension.
const (
	sourceMemory = "source_memory"
	storyline    = "storyline_reconstruction"
	falseSource  = "false_source_attribution"

	sourceConfusion   = "source_confusion"
	orderDisruption   = "order_disruption"
	contentForgetting = "content_forgetting"

	spatial   = "spatial"
	narrative = "narrative"
)

// Labels of a question that the export reads.
const (
	labelGroup      = schemas.LabelMetricGroup
	labelDetail     = schemas.LabelMetricDetail
	labelError      = schemas.LabelErrorType
	labelDimension  = schemas.LabelDimension
	labelDirection  = schemas.LabelDirection
	labelTarget     = schemas.LabelTarget
	labelEvent      = schemas.LabelEvent
	labelRepetition = schemas.LabelRepetition
	labelAttribute  = "attribute"
	labelN          = "n_value"
	labelK          = "clip_count"
	labelSequence   = "sequence"
)

// cell is a place in M3Eval's tables: what a question of one type in one layout
// counts for. The three paper fields are empty where a task has none.
type cell struct {
	layout    string // of the question's video
	kind      string // type of the question
	subset    string
	groups    []string // values that metric_group may have
	detail    string
	errorType string
	dimension string
	// rolesMatter says that each option must have a role that M3Eval counts.
	rolesMatter bool
}

// cells maps what a release says of a question to what M3Eval calls it (paper,
// sections 3.1.1 to 3.1.4 and 4.3). Source grounding is asked of split screens
// with exchanged sides and of interleaved videos.
func cells() []cell {
	const split, inter = schemas.LayoutSplit, schemas.LayoutInterleaved
	swaps := []string{swap0, swap10}
	return []cell{
		{split, schemas.TypeSourceIdentification, subsetSplit, swaps, storyline, sourceConfusion, spatial, false},
		{split, schemas.TypeOrderUnderstanding, subsetSplit, swaps, storyline, orderDisruption, spatial, false},
		{split, schemas.TypeContentRetention, subsetSplit, swaps, storyline, contentForgetting, spatial, false},
		{split, schemas.TypeSpatialGrounding, subsetSplit, swaps, sourceMemory, sourceConfusion, spatial, false},
		{inter, schemas.TypeSourceIdentification, subsetInterleaved, nil, storyline, sourceConfusion, narrative, false},
		{inter, schemas.TypeOrderUnderstanding, subsetInterleaved, nil, storyline, orderDisruption, narrative, false},
		{inter, schemas.TypeContentRetention, subsetInterleaved, nil, storyline, contentForgetting, narrative, false},
		{inter, schemas.TypeTemporalGrounding, subsetInterleaved, nil, sourceMemory, sourceConfusion, narrative, false},
		{inter, schemas.TypeSourceMemory, subsetInterleaved, nil, sourceMemory, sourceConfusion, narrative, false},
		{inter, schemas.TypeFalseMemory, subsetInterleaved, nil, falseSource, sourceConfusion, narrative, false},
		{schemas.LayoutConcat, schemas.TypeInterference, subsetInterference, []string{proactive, retroactive}, "", "", "", true},
		{schemas.LayoutNBack, schemas.TypeNBack, subsetNBack, nil, "", "", "", false},
	}
}

func questionError(q schemas.Question, format string, args ...any) error {
	return &export.QuestionError{QuestionID: q.QuestionID, Reason: fmt.Sprintf(format, args...)}
}

// cellOf finds the cell of a question and checks that its labels say the same.
func cellOf(q schemas.Question, layout string) (cell, error) {
	all := cells()
	i := slices.IndexFunc(all, func(c cell) bool { return c.layout == layout && c.kind == q.Type })
	if i < 0 {
		return cell{}, questionError(q, "M3Eval has no task for type %q over a video of layout %q; it knows %s", q.Type, layout, cellNames(all))
	}
	c := all[i]
	for _, l := range []struct{ label, want string }{
		{labelDetail, c.detail}, {labelError, c.errorType}, {labelDimension, c.dimension},
	} {
		if got, ok := q.Labels[l.label]; ok && l.want != "" && got != l.want {
			return cell{}, questionError(q, "label %s is %q; of type %q over layout %q it must be %q", l.label, got, q.Type, layout, l.want)
		}
	}
	if c.groups == nil {
		return c, nil
	}
	if group := groupOf(q, c); !slices.Contains(c.groups, group) {
		return cell{}, questionError(q, "label %s is %q; M3Eval knows %s for type %q and would count the question in no table",
			labelGroup, group, strings.Join(c.groups, " and "), q.Type)
	}
	return c, nil
}

func groupOf(q schemas.Question, c cell) string {
	switch c.subset {
	case subsetInterleaved:
		return subsetInterleaved
	case subsetNBack:
		return q.Labels[labelAttribute]
	}
	return q.Labels[labelGroup]
}

func cellNames(all []cell) string {
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = c.kind + " over " + c.layout
	}
	return strings.Join(names, ", ")
}
