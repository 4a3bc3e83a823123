package describe

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// checkSummary is what the verdicts and probes say of what is released. All that card
// and report say about checking follows from it.
type checkSummary struct {
	// questions are those released, types the same by type.
	questions typeChecks
	types     []typeChecks
	// failed counts released questions that failed, by gate.
	failed map[string]int
	// passed counts questions by how many gates they passed.
	passed map[int]int
	// models names the language models that gates asked about them, asking the
	// gates.
	models, asking []string
	// lots are the gates all of whose answers were lots.
	lots []string
	// media are those released, and what gates said of these themselves.
	media, mediaPassed, mediaFailed int
	mediaGates                      []string
}

// typeChecks counts questions of one type.
type typeChecks struct {
	name string
	all  int64
	// judged by a gate, and of these failed by one.
	judged, failed int64
	// byModel were judged by a gate that asked a language model about them, byRule
	// only by gates where fixed rules answered in the place of one. byLot are the
	// others that lots were drawn about.
	byModel, byRule, byLot int64
}

// untested are those that no gate asked anybody about who saw something.
func (t typeChecks) untested() int64 { return t.all - t.byModel - t.byRule }

// unasked are those of them that no lots were drawn about either.
func (t typeChecks) unasked() int64 { return t.untested() - t.byLot }

// itemChecks is what gates said of one item. What passed because lots fell so has
// passed nothing: it is not among passed.
type itemChecks struct {
	passed, failed         []string // by gates as the plan names them, copies and all
	byModel, byRule, byLot bool
}

// gatesWithoutRounds are the gates without the rounds that their names tell, sorted.
func gatesWithoutRounds(gates []string) []string {
	out := make([]string, len(gates))
	for i, g := range gates {
		out[i], _ = pipeline.SplitRound(g)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// summarizeChecks reads the verdicts and probes of what is released, item by item. A
// verdict on an earlier wording of a question does not count for the one released.
func (rel Release) summarizeChecks() checkSummary {
	k := checkSummary{failed: map[string]int{}, passed: map[int]int{}}
	types, asked := map[string]*typeChecks{}, newPanelUse(rel)
	for s := range rel.byItem() {
		j := asked.checksOf(s, s.question != nil)
		if q := s.question; q != nil {
			if types[q.Type] == nil {
				types[q.Type] = &typeChecks{name: q.Type}
			}
			k.add(types[q.Type], j)
		}
		if s.medium != nil {
			k.media++
			k.addMedia(j)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(types)) {
		t := *types[name]
		k.types = append(k.types, t)
		k.questions.all += t.all
		k.questions.judged += t.judged
		k.questions.failed += t.failed
		k.questions.byModel += t.byModel
		k.questions.byRule += t.byRule
		k.questions.byLot += t.byLot
	}
	k.models, k.asking = slices.Sorted(maps.Keys(asked.models)), slices.Sorted(maps.Keys(asked.gates))
	k.lots = asked.randomGates()
	return k
}

func (k *checkSummary) addMedia(j itemChecks) {
	switch {
	case len(j.failed) > 0:
		k.mediaFailed++
	case len(j.passed) > 0:
		k.mediaPassed++
	}
	k.mediaGates = gatesWithoutRounds(slices.Concat(k.mediaGates, j.passed, j.failed))
}

func (k *checkSummary) add(t *typeChecks, j itemChecks) {
	t.all++
	k.passed[len(gatesWithoutRounds(j.passed))]++
	if len(j.passed)+len(j.failed) > 0 {
		t.judged++
	}
	if len(j.failed) > 0 {
		t.failed++
	}
	for _, gate := range gatesWithoutRounds(j.failed) {
		k.failed[gate]++
	}
	switch {
	case j.byModel:
		t.byModel++
	case j.byRule:
		t.byRule++
	case j.byLot:
		t.byLot++
	}
}

// liveRoles are the roles, by gate, that language models play.
func liveRoles(gates []manifest.GateInfo) map[[2]string]bool {
	out := map[[2]string]bool{}
	for _, g := range gates {
		for role := range g.Models {
			out[[2]string{g.Name, role}] = true
		}
	}
	return out
}

// earlierForms are the verdicts, by gate and item, on a question that was put in
// other words than it is released in.
func earlierForms(rel Release) map[[2]string]bool {
	released := map[string]*schemas.Question{}
	for i := range rel.Flagged {
		released[rel.Flagged[i].Question.QuestionID] = nil
	}
	out := map[[2]string]bool{}
	if len(released) == 0 {
		return out
	}
	for q := range rel.Questions {
		if _, judged := released[q.QuestionID]; judged {
			released[q.QuestionID] = &q
		}
	}
	for i := range rel.Flagged {
		f := &rel.Flagged[i]
		if q := released[f.Question.QuestionID]; q == nil || sameTest(&f.Question, q) {
			continue
		}
		for _, gate := range f.JudgedBy {
			out[[2]string{gate, f.Question.QuestionID}] = true
		}
	}
	return out
}

// sameTest reports whether two forms of a question put the same before a solver
// and want the same of him.
func sameTest(a, b *schemas.Question) bool {
	return a.Question == b.Question && a.QuestionMCQ == b.QuestionMCQ && a.AnswerKey == b.AnswerKey && a.AnswerText == b.AnswerText &&
		a.AnswerCall == b.AnswerCall && slices.Equal(a.Options, b.Options) && slices.Equal(a.Evidence, b.Evidence) && slices.Equal(a.Media, b.Media)
}

// mostTypes bounds how many types a sentence names.
const mostTypes = 6

// typesWith lists the types of which some are counted, with the counts.
func (k checkSummary) typesWith(of func(typeChecks) int64) string {
	var parts []string
	for _, t := range k.types {
		if n := of(t); n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", t.name, n))
		}
	}
	if more := len(parts) - mostTypes; more > 0 {
		parts = append(parts[:mostTypes], fmt.Sprintf("%d more types", more))
	}
	return strings.Join(parts, ", ")
}
