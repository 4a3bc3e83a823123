package format

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/schemas"
)

// Subsets are the four tasks of M3Eval. They name its folders.
const (
	subsetSplit        = "split_screen"
	subsetInterference = "memory_interference"
	subsetInterleaved  = "interleaved"
	subsetNBack        = "nback"
)

// Values of paper_v4_metric_group for split screens: how often sides are exchanged.
const (
	swap0  = "swap0"
	swap10 = "swap10"
)

// Labels of an N-Back question.
const (
	labelAttribute = "attribute"
	labelN         = "n_value"
	labelK         = "clip_count"
	labelSequence  = "sequence"
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
		{split, schemas.TypeSourceIdentification, subsetSplit, swaps, schemas.DetailStoryline, schemas.ErrorSourceConfusion, schemas.DimensionSpatial, false},
		{split, schemas.TypeOrderUnderstanding, subsetSplit, swaps, schemas.DetailStoryline, schemas.ErrorOrderDisruption, schemas.DimensionSpatial, false},
		{split, schemas.TypeContentRetention, subsetSplit, swaps, schemas.DetailStoryline, schemas.ErrorContentForgetting, schemas.DimensionSpatial, false},
		{split, schemas.TypeSpatialGrounding, subsetSplit, swaps, schemas.DetailSourceMemory, schemas.ErrorSourceConfusion, schemas.DimensionSpatial, false},
		{inter, schemas.TypeSourceIdentification, subsetInterleaved, nil, schemas.DetailStoryline, schemas.ErrorSourceConfusion, schemas.DimensionNarrative, false},
		{inter, schemas.TypeOrderUnderstanding, subsetInterleaved, nil, schemas.DetailStoryline, schemas.ErrorOrderDisruption, schemas.DimensionNarrative, false},
		{inter, schemas.TypeContentRetention, subsetInterleaved, nil, schemas.DetailStoryline, schemas.ErrorContentForgetting, schemas.DimensionNarrative, false},
		{inter, schemas.TypeTemporalGrounding, subsetInterleaved, nil, schemas.DetailSourceMemory, schemas.ErrorSourceConfusion, schemas.DimensionNarrative, false},
		{inter, schemas.TypeSourceMemory, subsetInterleaved, nil, schemas.DetailSourceMemory, schemas.ErrorSourceConfusion, schemas.DimensionNarrative, false},
		{inter, schemas.TypeFalseMemory, subsetInterleaved, nil, schemas.DetailFalseAttribution, schemas.ErrorSourceConfusion, schemas.DimensionNarrative, false},
		{schemas.LayoutConcat, schemas.TypeInterference, subsetInterference, []string{schemas.Proactive, schemas.Retroactive}, "", "", "", true},
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
		{schemas.LabelMetricDetail, c.detail}, {schemas.LabelErrorType, c.errorType}, {schemas.LabelDimension, c.dimension},
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
			schemas.LabelMetricGroup, group, strings.Join(c.groups, " and "), q.Type)
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
	return q.Labels[schemas.LabelMetricGroup]
}

func cellNames(all []cell) string {
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = c.kind + " over " + c.layout
	}
	return strings.Join(names, ", ")
}
