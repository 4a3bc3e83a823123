package videogates

import (
	"slices"

	"github.com/memforge/memforge/gates/structural"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// judgeMirrors wants every question to stand over both orders of its two videos,
// once proactive and once retroactive, and otherwise the same. Orders that
// repeat a video may be there as well: each direction once for either video
// repeated.
func judgeMirrors(qs []schemas.Question) []pipeline.Judgement {
	groups := map[string][]schemas.Question{}
	for _, q := range qs {
		g := q.Labels[schemas.LabelMirror]
		groups[g] = append(groups[g], q)
	}
	out := make([]pipeline.Judgement, len(qs))
	for i, q := range qs {
		out[i] = judgeMirrorGroup(q.Labels[schemas.LabelMirror], groups[q.Labels[schemas.LabelMirror]])
	}
	return out
}

func judgeMirrorGroup(name string, group []schemas.Question) pipeline.Judgement {
	if name == "" {
		return pipeline.Insufficient.Because("no-mirror-group", "it has no label mirror_group")
	}
	shown := map[[2]string]int{}
	var media []string
	for _, q := range group {
		repeats := q.Labels[schemas.LabelRepetition]
		if repeats == "" {
			repeats = schemas.RepeatsNone
		}
		shown[[2]string{repeats, q.Labels[schemas.LabelDirection]}]++
		media = append(media, q.Media...)
	}
	if !allDistinct(shown) {
		return pipeline.Fail.Because("mirror-direction", "a condition of mirror group %s is unknown or there twice; want each direction once for each repetition", name)
	}
	for _, direction := range directions {
		if shown[[2]string{schemas.RepeatsNone, direction}] == 0 {
			return pipeline.Fail.Because("no-mirror", "mirror group %s has no %s question without repetition; want one for each order", name, direction)
		}
	}
	return compareMirrored(name, group, media)
}

var (
	directions  = []string{schemas.Proactive, schemas.Retroactive}
	repetitions = []string{schemas.RepeatsNone, schemas.RepeatsTarget, schemas.RepeatsInterferer}
)

// allDistinct reports whether all conditions are known and none is there twice.
func allDistinct(shown map[[2]string]int) bool {
	for condition, n := range shown {
		if n > 1 || !slices.Contains(repetitions, condition[0]) || !slices.Contains(directions, condition[1]) {
			return false
		}
	}
	return true
}

// compareMirrored compares the questions of a group that stands over both orders.
func compareMirrored(name string, group []schemas.Question, media []string) pipeline.Judgement {
	slices.Sort(media)
	if len(slices.Compact(media)) != len(group) {
		return pipeline.Fail.Because("mirror-media", "two questions of mirror group %s are over the same video, or one is over several", name)
	}
	a := group[0]
	for _, b := range group[1:] {
		if a.Question != b.Question || a.QuestionMCQ != b.QuestionMCQ || a.AnswerKey != b.AnswerKey || !slices.Equal(a.Options, b.Options) {
			return pipeline.Fail.Because("mirror-differs", "the questions of mirror group %s differ in text, options or answer", name)
		}
	}
	return structural.Pass()
}
