package describe

import (
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

// factsRow is one type of question. Says is what it asks, Guess what the gates say of the
// best way to guess, or why they say nothing; Company the same with the other questions of
// a cluster in view.
type factsRow struct {
	Type, Says       string
	Questions, Facts int
	Guess, Company   string
	judged           bool // a gate passed or failed some
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
		typ := q.ReportedType()
		if byType[typ] == nil {
			byType[typ] = factSet{}
		}
		if q.Split != schemas.ControlSplit {
			all.add(q)
		}
		byType[typ].add(q)
		rows[typ]++
		for _, v := range s.verdicts {
			if guessing[v.Gate] && typ != "" {
				addReason(told, [2]string{typ, v.Outcome}, v.Reason)
			}
		}
	}
	out.Total = len(all)
	for _, typ := range slices.Sorted(maps.Keys(byType)) {
		guess, company := guessingReasons(typ, told)
		judged := len(told[[2]string{typ, schemas.Pass}])+len(told[[2]string{typ, schemas.Fail}]) > 0
		out.Rows = append(out.Rows, factsRow{typ, rel.saysOfType(typ), rows[typ], len(byType[typ]), guess, company, judged})
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
	if t.Sum <= t.Total {
		return nil
	}
	return []string{fmt.Sprintf("A fact that is asked for in several types counts at each of them and once in the total, so the types add to %d.", t.Sum)}
}

// guessingNotes explain the columns about guessing.
func guessingNotes() []string {
	return []string{
		"Best guess: of trained models and simple rules that see no evidence, the one that " + shortcutsGate + " found furthest from chance, in either direction.",
		"Facts measured: those that the check saw. Types of one wording are measured together; later checks may have dropped some.",
		"Right: share of these facts, with a 95 % interval over clusters (what is asked about one pair, sequence or task); none can be given where all clusters have one value.",
		"p: how likely luck lies as far off, taking facts or clusters as independent, whichever gives more, corrected for all figures (Holm). The interval is not corrected, so it can leave out chance where p is 1.",
	}
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
	return newGrid(t.Rows,
		textColumn("type of question", func(r factsRow) string { return r.Type }),
		textColumn("what it asks", func(r factsRow) string { return r.Says }),
		countColumn("rows", func(r factsRow) int64 { return int64(r.Questions) }),
		countColumn("distinct facts", func(r factsRow) int64 { return int64(r.Facts) }))
}

// guessFigure matches a figure of statistical-shortcuts about questions by themselves: how,
// how often, the interval, of how many facts of what form, chance and p.
var guessFigure = regexp.MustCompile(`^furthest from chance is (.+): ([0-9.]+ %) (in every cluster|\[[^\]]+\]) of ([0-9]+) facts \((.+)\), chance ([0-9.]+ %), p = (\S+) after correction$`)

// guessGrid tells of each type what guessing gets; it is empty where no gate looked.
func (t factsTable) guessGrid() grid {
	if !t.Measured {
		return grid{}
	}
	forms, figures := map[string]int{}, map[string][]string{}
	for _, r := range t.Rows {
		if m := guessFigure.FindStringSubmatch(r.Guess); m != nil {
			figures[r.Type] = m
			forms[m[5]]++
		}
	}
	part := func(of func(m []string) string) func(factsRow) string {
		return func(r factsRow) string {
			if m := figures[r.Type]; m != nil {
				return of(m)
			}
			return ""
		}
	}
	return newGrid(t.Rows,
		textColumn("type of question", func(r factsRow) string { return r.Type }),
		textColumn("best guess", func(r factsRow) string {
			code, _, _ := strings.Cut(r.Guess, ": ")
			if m := figures[r.Type]; m != nil {
				return m[1]
			} else if r.judged {
				return r.Guess
			}
			return strings.TrimSuffix("not measured: "+code, ": ")
		}),
		numberColumn("facts measured", part(func(m []string) string {
			if n := forms[m[5]]; n > 1 {
				return fmt.Sprintf("%s in %d types", m[4], n)
			}
			return m[4]
		})),
		numberColumn("right", part(func(m []string) string { return m[2] })),
		textColumn("interval", part(func(m []string) string { return strings.Replace(m[3], "in every cluster", "none", 1) })),
		numberColumn("chance", part(func(m []string) string { return m[6] })),
		numberColumn("p", part(func(m []string) string { return m[7] })))
}

// companyFigure matches a figure of statistical-shortcuts: how, how often, of what, and
// chance.
var companyFigure = regexp.MustCompile(`^(.+): ([0-9]+\.[0-9]) % .*\bof ([0-9]+ facts) \((.+)\), chance ([0-9]+\.[0-9]) %$`)

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
				worst = fmt.Sprintf(" A solver that sees only the words of the other questions about the same material is right about %s %% of %s of %s (%s); chance is %s %%.",
					m[2], m[3], m[4], m[1], m[5])
			}
		}
	}
	return note + worst
}
