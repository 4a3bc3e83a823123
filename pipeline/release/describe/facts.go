package describe

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// shortcutsGate is the gate whose verdicts state, for each type of question, how far
// above chance guessing gets.
const shortcutsGate = "statistical-shortcuts"

// factsTable counts what a release asks for.
type factsTable struct {
	Rows []factsRow
	// Total is how many distinct facts there are, Sum what the rows add to: more
	// where a fact is asked for by several types.
	Total, Sum int
	// Measured says that a gate looked for shortcuts.
	Measured bool
	// Notes say how the figures are to be read.
	Notes []string
}

// factsRow is one type of question. Guess is what the gates say of the best way to
// guess, or why they say nothing; Company the same with the other questions of a
// cluster in view.
type factsRow struct {
	Type             string
	Questions, Facts int
	Guess, Company   string
}

// factSet holds digests of facts, which are long.
type factSet map[[16]byte]struct{}

func (f factSet) add(q *schemas.Question) {
	sum := sha256.Sum256([]byte(q.Fact()))
	f[[16]byte(sum[:])] = struct{}{}
}

// countFacts counts questions and the distinct facts that they ask for, by type. What
// guessing gets is read from the verdicts.
func (rel Release) countFacts() factsTable {
	all, byType, rows := factSet{}, map[string]factSet{}, map[string]int{}
	var out factsTable
	guessing := map[string]bool{}
	for _, g := range rel.Manifest.Gates {
		guessing[g.Name] = g.Use == shortcutsGate
		out.Measured = out.Measured || guessing[g.Name]
	}
	told := map[[2]string]map[string]bool{} // reasons by type and outcome
	for s := range rel.byItem() {
		q := s.question
		if q == nil {
			continue
		}
		if byType[q.Type] == nil {
			byType[q.Type] = factSet{}
		}
		all.add(q)
		byType[q.Type].add(q)
		rows[q.Type]++
		for _, v := range s.verdicts {
			if guessing[v.Gate] && q.Type != "" {
				addReason(told, [2]string{q.Type, v.Outcome}, v.Reason)
			}
		}
	}
	out.Total = len(all)
	for _, typ := range slices.Sorted(maps.Keys(byType)) {
		guess, company := guessingReasons(typ, told)
		out.Rows = append(out.Rows, factsRow{typ, rows[typ], len(byType[typ]), guess, company})
		out.Sum += len(byType[typ])
	}
	out.Notes = out.notes()
	return out
}

func addReason(told map[[2]string]map[string]bool, key [2]string, reason string) {
	if told[key] == nil {
		told[key] = map[string]bool{}
	}
	told[key][reason] = true
}

// notes explain the figures.
func (t factsTable) notes() []string {
	var out []string
	if t.Sum > t.Total {
		out = append(out, fmt.Sprintf("A fact that is asked for in several types counts at each of them and once in the total, so the types add to %d.", t.Sum))
	}
	if !t.Measured {
		return out
	}
	return append(out,
		"Guessing is the best way to answer without any evidence that the check "+shortcutsGate+" found, of trained models and of simple rules: "+
			"how often it is right over facts, with a 95 % interval over clusters (what is asked about one pair, sequence or task).",
		"p is how likely luck does as well: the larger of two chances, one that takes the facts and one that takes the clusters as independent, "+
			"corrected for all figures of all forms of question (Holm). The interval is corrected for nothing, so it can leave out chance where p is 1.",
		"Where every cluster has the same value, no interval can be given.",
		"Types that share one wording are studied as one form: its figure, with its name and the number of all its facts, then stands at each of them.")
}

// guessingReasons returns the reasons of the questions of a type that pass, else of the
// others, and their part about other questions in view.
func guessingReasons(typ string, told map[[2]string]map[string]bool) (guess, company string) {
	for _, outcome := range []string{schemas.Pass, schemas.Fail, schemas.Insufficient, schemas.Error} {
		reasons := told[[2]string{typ, outcome}]
		if len(reasons) == 0 {
			continue
		}
		var alone, beside []string
		for _, r := range slices.Sorted(maps.Keys(reasons)) {
			a, b, found := strings.Cut(r, schemas.ClusterReason)
			if alone = append(alone, a); found {
				beside = append(beside, b)
			}
		}
		return strings.Join(slices.Compact(alone), "; "), strings.Join(beside, "; ")
	}
	return "", ""
}

func (t factsTable) grid() grid {
	guess := func(r factsRow) string {
		if !t.Measured {
			return ""
		}
		return cmp.Or(r.Guess, "not measured")
	}
	return newGrid(t.Rows,
		textColumn("type of question", func(r factsRow) string { return r.Type }),
		countColumn("rows", func(r factsRow) int64 { return int64(r.Questions) }),
		countColumn("distinct facts", func(r factsRow) int64 { return int64(r.Facts) }),
		textColumn("guessing", guess))
}

// companyFigure matches a figure of statistical-shortcuts: how, how often, of what, and
// chance.
var companyFigure = regexp.MustCompile(`^(.+): ([0-9]+\.[0-9]) % .*\bof ([0-9]+ facts) \(([^()]+)\), chance ([0-9]+\.[0-9]) %$`)

// companyNote says that questions must be put one by one, and what it is worth to see
// several.
func (t factsTable) companyNote() string {
	note := "Put each question alone, in a context of its own: never several about one pair, sequence or task, " +
		"and do not train on a part of them to test on the rest. Their words may answer each other."
	worst, most := "", 0.0
	for _, r := range t.Rows {
		for _, said := range strings.Split(r.Company, "; ") {
			m := companyFigure.FindStringSubmatch(said)
			if m == nil {
				continue
			}
			// The pattern leaves nothing that does not parse.
			right, _ := strconv.ParseFloat(m[2], 64)
			chance, _ := strconv.ParseFloat(m[5], 64)
			if right-chance > most {
				most = right - chance
				worst = fmt.Sprintf(" With nothing but the texts of the other questions in view, no medium and no answer about the same material, "+
					"the best way that was tried (%s) is right about %s %% of %s of the form %s; chance is %s %%.", m[1], m[2], m[3], m[4], m[5])
			}
		}
	}
	return note + worst
}
