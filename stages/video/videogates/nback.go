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

// judgeBalance wants as many yes as no in each attribute, N and K, the copies of
// a fact counted once. Where there are more of one, the surplus is flagged: the
// last by the first id of a fact, so that dropping it leaves a balanced cell.
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

// judgeLeaks flags questions whose answer follows from what needs no memory:
// groups by clip count, first clip, sequence or length where yes and no are
// further apart than chance allows, videos of which too many have one answer to
// all their questions, and media ids that are more than a digest.
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

// questionGroups is the groups that questions fall into by one property.
type questionGroups struct {
	what   string
	groups map[string][]int
}

// flag flags the groups in which the facts with yes and with no are further apart
// than chance allows, of which each of so many tests gets its part.
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
// them, where more videos do than chance allows: then the video alone tells.
// Videos with equally many questions are compared.
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

// groupByFile groups questions by their video.
func groupByFile(qs []schemas.Question) map[string][]int {
	out := map[string][]int{}
	for i, q := range qs {
		if len(q.Media) == 1 {
			out[q.Media[0]] = append(out[q.Media[0]], i)
		}
	}
	return out
}

// nameProblem says what is wrong with the names a solver could read.
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

// groupByLength cuts the questions of each clip count into a shorter and a longer
// half by their frames.
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
