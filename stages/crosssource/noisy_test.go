package crosssource_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/defects"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource"
)

// kind is what the question of an item needs, and the gates that are to flag it.
type kind struct {
	needs string
	found []string
}

// unsound are sound items, and three kinds of others.
var unsound = []kind{
	{"A and picture", nil},
	{"A", []string{"answerable-alone", "evidence-necessity", "modality-necessity"}},       // the picture is a redundant unit
	{"picture", []string{"answerable-alone", "evidence-necessity", "modality-necessity"}}, // and here the text is
	{"Z", []string{"correctness"}}, // which stands nowhere
}

// enough reports whether what is shown has all that a question names as needed.
func enough(s defects.Shown) bool {
	_, list, _ := strings.Cut(strings.TrimSuffix(s.Question, "?"), "needs ")
	for _, need := range strings.Split(list, " and ") {
		told := slices.ContainsFunc(s.Passages, func(p defects.Passage) bool { return strings.Contains(p.Text, "says "+need) })
		if !told && (need != "picture" || len(s.Pictures) == 0) {
			return false
		}
	}
	return true
}

const harbour = "Wexholm"

// slipping answers as far as what is shown suffices, with the slips of each model.
func slipping(a defects.ModelRequest) (any, error) {
	shown, err := defects.ReadPrompt(a.User, a.Pictures)
	if err != nil {
		return nil, err
	}
	s, luck, knows := defects.NoisyPanel()[a.Model], a.Rand(), enough(shown)
	slip := luck.Float64()
	if strings.HasSuffix(a.Task, "support") {
		yes := knows != (slip < s.Judge)
		return map[string]string{"why": "As shown.", "supported": map[bool]string{true: "yes", false: "no"}[yes]}, nil
	}
	letter, others := defects.Unknown, []string{}
	for _, o := range shown.Options {
		if o.Text == harbour && knows {
			letter = o.Letter
		} else {
			others = append(others, o.Letter)
		}
	}
	if knows && slip < s.Chance(shown) || !knows && slip < s.Guess {
		letter = others[luck.IntN(len(others))]
	}
	return map[string]string{"why": "As shown.", "answer": letter}, nil
}

// likely is the chance that a model answers as gold has it.
func likely(model string, shown defects.Shown) float64 {
	s, knows := defects.NoisyPanel()[model], enough(shown)
	switch {
	case model == "gamma" && knows:
		return 1 - s.Judge
	case model == "gamma":
		return s.Judge
	case knows:
		return 1 - s.Chance(shown)
	}
	return s.Guess / float64(len(shown.Options))
}

// posedItems are questions of which each kind has so many.
func posedItems(t *testing.T, each int) []pipeline.Record {
	t.Helper()
	var items []pipeline.Record
	for n := range each * len(unsound) {
		items = append(items, recordOf(t, raw(t, "mmcv", schemas.TaskMultiHop, func(i *schemas.EvidenceItem) {
			i.ItemID = fmt.Sprintf("mmcv/%d", n)
			i.UpstreamID, i.Question.QuestionID = fmt.Sprint(n), i.ItemID
			for k := range i.Units {
				i.Units[k].UnitID = schemas.UnitIDOf(i.ItemID, k+1)
			}
			i.Question.Question = fmt.Sprintf("Which harbour grew most in year %d, as it needs %s?", 1800+n, unsound[n%len(unsound)].needs)
			i.Question.SetOptions(schemas.Option{Text: "Marlund", Role: schemas.RoleDistractor}, schemas.Option{Text: harbour, Role: schemas.RoleCorrect},
				schemas.Option{Text: "Tarnvik", Role: schemas.RoleDistractor}, schemas.Option{Text: "Osterby", Role: schemas.RoleDistractor})
		}, checkSpeaker("One paper says A."), pictured(t, 1))))
	}
	posed, _, err := testkit.Subject{Register: crosssource.Register, Use: "crosssource.pose", Inputs: items, Blobs: pictures(t)}.Run(t)
	if err != nil {
		t.Fatal(err)
	}
	return posed
}

// TestTheFilterBeforeANoisyPanel: each gate of the filter flags about as many of the
// planted items, and of the others, as the slips of two unequal models and a judge
// imply. docs/smmbench.md has the table.
func TestTheFilterBeforeANoisyPanel(t *testing.T) {
	posed := posedItems(t, 40)
	questions := testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, posed)
	roles, models := defects.DirectModels(t, "noisy-sources.invalid", slipping)
	page, err := os.ReadFile("../../docs/smmbench.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, gate := range []string{"answerable-alone", "correctness", "evidence-necessity", "modality-necessity"} {
		got := map[string]bool{}
		for _, v := range (testkit.Subject{Register: both, Use: gate, Inputs: posed, Blobs: pictures(t), Roles: roles, Models: models}).Verdicts(t) {
			got[v.Item] = v.Outcome == schemas.Fail
		}
		viewer := viewerOf(t, gate)
		var items []defects.Outcome
		for _, q := range questions {
			items = append(items, defects.Outcome{
				Want: slices.ContainsFunc(unsound, func(k kind) bool {
					return strings.HasSuffix(q.Question, " needs "+k.needs+"?") && slices.Contains(k.found, gate)
				}),
				Got: got[q.QuestionID], Fact: q.QuestionID,
				Chance: defects.FlagChance(gate, chances(t, gate, viewer, &q)),
			})
		}
		line, holds, err := defects.MeasureGate(gate, items)
		if err != nil {
			t.Fatal(err)
		}
		t.Log(line)
		if !holds {
			t.Errorf("%s flags not as many as the slips imply: %s", gate, line)
		}
		if !strings.Contains(string(page), line+"\n") {
			t.Errorf("docs/smmbench.md does not state %s", line)
		}
	}
}

func viewerOf(t *testing.T, gate string) pipeline.Viewer {
	t.Helper()
	reg := pipeline.NewRegistry()
	both(reg)
	plugin, _ := reg.Plugin(pipeline.KindGate, gate)
	config, err := pipeline.Canonical(plugin.NewConfig())
	if err != nil {
		t.Fatal(err)
	}
	built, err := plugin.BuildRaw(config)
	if err != nil {
		t.Fatal(err)
	}
	return built.(pipeline.Viewer)
}

// chances are, for each view and model, those of its calls to be right.
func chances(t *testing.T, gate string, viewer pipeline.Viewer, q *schemas.Question) map[string][][]float64 {
	t.Helper()
	players, calls := defects.Protocol(gate)
	out := map[string][][]float64{}
	for _, name := range viewer.Views(pipeline.NewItem(schemas.NameQuestion, q.QuestionID, q)) {
		sight, err := view.Show(q, name, view.Settings{Propose: players[0] == "gamma", Frames: 8, Most: 32})
		if err != nil {
			t.Fatal(err)
		}
		shown := defects.Shown{Question: sight.Question, Options: make([]defects.Choice, len(sight.Options))}
		for _, p := range sight.Passages {
			shown.Passages = append(shown.Passages, defects.Passage{Text: p.Text})
			if p.Picture != nil {
				shown.Pictures = append(shown.Pictures, nil)
			}
		}
		for _, m := range players {
			out[name] = append(out[name], slices.Repeat([]float64{likely(m, shown)}, calls))
		}
	}
	return out
}
