// Package videogates declares what questions M3Eval asks, and holds the gates that
// judge these and composed videos alone.
package videogates

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/gates/structural"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// Register adds the question types and the gates.
func Register(r *pipeline.Registry) {
	for _, t := range questionTypes() {
		r.AddQuestionType(t)
	}
	trials, recall := []string{schemas.TypeNBack}, []string{schemas.TypeFalseMemory, schemas.TypeSourceMemory}
	structural.AddRoles(r, "interference-roles", "3", "one correct option, two intrusions, one unrelated (M3Eval 3.1.2)", schemas.TypeInterference)
	structural.Add(r, "mirror-pairs", "2", "the same question stands over both orders of its two videos", []string{schemas.TypeInterference}, judgeMirrors)
	structural.Add(r, "source-answers", "2", "one, the other, both and neither are right as often (M3Eval 3.1.3)", recall, judgeSourceAnswers)
	structural.Add(r, "nback-balance", "2", "as many yes as no in each attribute, N and K (M3Eval 3.1.4)", trials, judgeBalance)
	structural.Add(r, "nback-leak", "2", "no answer follows from clip count, length, first clip, sequence or names", trials, judgeLeaks)
	pipeline.AddGate(r, "video-integrity", "2", "a composed video shows what its recipe says, frame by frame, and no words about itself", newIntegrity)
}

// questionTypes returns the question types. Wrong options all show the same
// error (M3Eval 3.1.1, 3.1.3), but for interference (3.1.2).
func questionTypes() []pipeline.QuestionType {
	oneError := map[string]int{schemas.RoleCorrect: 1, schemas.RoleDistractor: 3}
	return []pipeline.QuestionType{
		{Name: schemas.TypeInterference, Options: map[string]int{schemas.RoleCorrect: 1, schemas.RoleIntrusion: 2, schemas.RoleUnrelated: 1}},
		{Name: schemas.TypeSourceIdentification, Options: oneError},
		{Name: schemas.TypeOrderUnderstanding, Options: oneError},
		{Name: schemas.TypeContentRetention, Options: oneError},
		{Name: schemas.TypeSpatialGrounding, Options: oneError, Fixed: true},
		{Name: schemas.TypeTemporalGrounding, Options: oneError, Fixed: true},
		{
			Name: schemas.TypeFalseMemory, Options: oneError, Fixed: true, ShowsAllMedia: true,
			Marks: map[string]string{schemas.LabelTarget: schemas.TargetNeither},
		},
		// One wording for what happens and what does not.
		{Name: schemas.TypeSourceMemory, Options: oneError, Fixed: true, ShowsAllMedia: true, Form: schemas.TypeFalseMemory},
		{Name: schemas.TypeNBack, Options: map[string]int{schemas.RoleCorrect: 1, schemas.RoleDistractor: 1}, Unordered: true, Frozen: true},
	}
}

// judgeSourceAnswers demands that the answers to which of two videos something
// happens in are spread over one, the other, both and neither: else a model
// that always says "neither" would be praised for remembering.
func judgeSourceAnswers(qs []schemas.Question) []pipeline.Judgement {
	out := structural.SameForAll(len(qs), structural.Pass())
	every := make([]int, len(qs))
	for i := range every {
		every[i] = i
	}
	structural.Spread{
		Code: "answer-bias", Message: "%d of %d answers are %s, and this is one too many", Tests: 4,
		AnswerOf: func(q schemas.Question) string { return q.Labels[schemas.LabelTarget] },
	}.Judge(qs, every, 4, out)
	return out
}

// judgeMirrors demands that every question stands over both orders of its two
// videos, once proactive and once retroactive, and is otherwise the same.
// Orders that repeat a video may be there as well: each direction once for
// either video repeated.
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

func allDistinct(shown map[[2]string]int) bool {
	for condition, n := range shown {
		if n > 1 || !slices.Contains(repetitions, condition[0]) || !slices.Contains(directions, condition[1]) {
			return false
		}
	}
	return true
}

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

// judgeBalance demands as many yes as no in each attribute, N and K, the copies
// of a fact counted once. Where there are more of one, the surplus is flagged:
// the last by the first id of a fact, so that dropping it leaves a balanced
// cell.
func judgeBalance(qs []schemas.Question) []pipeline.Judgement {
	out := structural.SameForAll(len(qs), structural.Pass())
	cells := map[string]*[2][]int{}
	for i, q := range qs {
		cell, answer, ok := nbackCell(q)
		if !ok {
			out[i] = pipeline.Insufficient.Because("no-cell", "it needs the labels attribute, n_value and clip_count and the answer Yes or No")
			continue
		}
		if cells[cell] == nil {
			cells[cell] = &[2][]int{}
		}
		cells[cell][answer] = append(cells[cell][answer], i)
	}
	for cell, c := range cells {
		no, yes := structural.GroupByFact(qs, c[0]), structural.GroupByFact(qs, c[1])
		more := yes
		if len(no) > len(yes) {
			more = no
		}
		for _, fact := range more.ByID(qs)[min(len(no), len(yes)):] {
			for _, i := range more[fact] {
				out[i] = pipeline.Fail.Because("unbalanced", "%s has %d yes and %d no, and this is one too many", cell, len(yes), len(no))
			}
		}
	}
	return out
}

func nbackCell(q schemas.Question) (cell string, answer int, ok bool) {
	attribute, n, k := q.Labels["attribute"], q.Labels["n_value"], q.Labels["clip_count"]
	answer = slices.Index([]string{"No", "Yes"}, q.AnswerText)
	return fmt.Sprintf("%s with N=%s, K=%s", attribute, n, k), max(answer, 0), attribute != "" && n != "" && k != "" && answer >= 0
}

// judgeLeaks flags questions that can be answered without memory: groups by
// clip count, first clip, sequence or length where yes and no are further apart
// than chance allows, videos of which too many have one answer to all their
// questions, and media ids that are more than a digest.
func judgeLeaks(qs []schemas.Question) []pipeline.Judgement {
	out := structural.SameForAll(len(qs), structural.Pass())
	for i, q := range qs {
		if why := nameProblem(q); why != "" {
			out[i] = pipeline.Fail.Because("name-leak", "%s", why)
		}
	}
	families := []questionGroups{
		{"clip count", groupByLabel(qs, "clip_count")},
		{"first clip", groupByLabel(qs, "first_clip")},
		{"sequence", groupByLabel(qs, "sequence")},
		{"length", groupByLength(qs)},
	}
	for _, f := range families {
		f.flag(qs, len(families)*len(f.groups), out)
	}
	flagUnanimous(qs, out)
	return out
}

// questionGroups are the groups that questions fall into by one property.
type questionGroups struct {
	what   string
	groups map[string][]int
}

// flag flags the groups in which the facts with yes and with no are further
// apart than chance allows, divided by the number of tests.
func (f questionGroups) flag(qs []schemas.Question, tests int, out []pipeline.Judgement) {
	for value, group := range f.groups {
		us := structural.GroupByFact(qs, group)
		yes := us.Shares(func(i int) string { return qs[i].AnswerText })["Yes"]
		more := max(yes, len(us)-yes)
		if 2*structural.BinomialTail(more, len(us), 0.5) >= structural.Suspicion/float64(tests) {
			continue
		}
		for _, i := range group {
			if out[i].Outcome == pipeline.Pass {
				out[i] = pipeline.Fail.Because("predictable", "with %s %s, %d of %d answers are yes", f.what, value, yes, len(us))
			}
		}
	}
}

// flagUnanimous flags the questions of videos that have one answer to all of
// them, where more videos do than chance allows: then the video alone gives the
// answer. Videos with equally many questions are compared.
func flagUnanimous(qs []schemas.Question, out []pipeline.Judgement) {
	files := map[int][][]int{}
	for _, group := range groupByFile(qs) {
		n := len(structural.GroupByFact(qs, group))
		files[n] = append(files[n], group)
	}
	for n, groups := range files {
		alike := slices.DeleteFunc(slices.Clone(groups), func(g []int) bool { yes := countYes(qs, g); return yes != 0 && yes != len(g) })
		if n < 2 || structural.BinomialTail(len(alike), len(groups), math.Pow(2, float64(1-n))) >= structural.Suspicion/float64(len(files)) {
			continue
		}
		for _, g := range alike {
			for _, i := range g {
				if out[i].Outcome == pipeline.Pass {
					out[i] = pipeline.Fail.Because("predictable", "%d of %d videos with %d questions have one answer to all of them, and this is one", len(alike), len(groups), n)
				}
			}
		}
	}
}

func groupByFile(qs []schemas.Question) map[string][]int {
	out := map[string][]int{}
	for i, q := range qs {
		if len(q.Media) == 1 {
			out[q.Media[0]] = append(out[q.Media[0]], i)
		}
	}
	return out
}

func nameProblem(q schemas.Question) string {
	for _, m := range q.Media {
		if _, err := pipeline.ParseDigest(m); err != nil {
			return "a media id is not a plain digest: " + err.Error()
		}
	}
	if len(q.Media) != 1 {
		return fmt.Sprintf("it has %d media; want one", len(q.Media))
	}
	return ""
}

func groupByLabel(qs []schemas.Question, label string) map[string][]int {
	out := map[string][]int{}
	for i, q := range qs {
		if v := q.Labels[label]; v != "" {
			out[v] = append(out[v], i)
		}
	}
	return out
}

// groupByLength cuts the questions of each clip count into a shorter and a
// longer half by their frames.
func groupByLength(qs []schemas.Question) map[string][]int {
	out := map[string][]int{}
	for k, group := range groupByLabel(qs, "clip_count") {
		frames := map[int]int64{}
		for _, i := range group {
			frames[i], _ = strconv.ParseInt(qs[i].Labels["frames"], 10, 64)
		}
		slices.SortFunc(group, func(a, b int) int {
			return cmp.Or(cmp.Compare(frames[a], frames[b]), strings.Compare(qs[a].QuestionID, qs[b].QuestionID))
		})
		half := len(group) / 2
		out["below the median of "+k+" clips"] = group[:half]
		out["above the median of "+k+" clips"] = group[half:]
	}
	return out
}

func countYes(qs []schemas.Question, group []int) (yes int) {
	for _, i := range group {
		if qs[i].AnswerText == "Yes" {
			yes++
		}
	}
	return yes
}
