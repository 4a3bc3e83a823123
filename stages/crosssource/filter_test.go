package crosssource_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/gates/panel"
	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource"
)

// knowing answers as a panel and a judge who know the answer of a question once they
// are shown what it names as needed: words that texts hold, or "picture".
func knowing(a testkit.ChatRequest) testkit.ChatReply {
	var question string
	if err := a.Data("question", &question); err != nil {
		return testkit.ChatReply{Text: err.Error()}
	}
	_, list, _ := strings.Cut(strings.TrimSuffix(question, "?"), "needs ")
	knows := true
	for _, need := range strings.Split(list, " and ") {
		if need == "picture" {
			knows = knows && len(a.Images) > 0
		} else {
			knows = knows && strings.Contains(a.User, "says "+need)
		}
	}
	if a.Task == "gate_support" {
		return testkit.ReplyJSON(map[string]string{"why": "So it is.", "supported": map[bool]string{true: "yes", false: "no"}[knows]})
	}
	var options []struct{ Letter, Text string }
	if err := a.Data("options", &options); err != nil {
		return testkit.ChatReply{Text: err.Error()}
	}
	letter := "unknown"
	for _, o := range options {
		if knows && o.Text == "Wexholm" {
			letter = o.Letter
		}
	}
	return testkit.ReplyJSON(map[string]string{"why": "So it is.", "answer": letter})
}

// TestTheFilterFindsWhatIsPlanted: what one unit or one modality answers, what a unit
// can be spared of and what does not follow is found by a gate each, and a sound item
// passes all of them.
func TestTheFilterFindsWhatIsPlanted(t *testing.T) {
	server := testkit.NewModelServer(t, knowing)
	roles, models := server.Live(t, "panel_a", "panel_b", "judge")
	for name, tc := range map[string]struct {
		needs string
		found []string
	}{
		"sound":           {"A and picture", nil},
		"one unit":        {"A", []string{"answerable-alone", "evidence-necessity", "modality-necessity"}},
		"picture alone":   {"picture", []string{"answerable-alone", "evidence-necessity", "modality-necessity"}},
		"does not follow": {"Z", []string{"correctness"}},
	} {
		item := raw(t, "mmcv", schemas.TaskMultiHop, func(i *schemas.EvidenceItem) {
			i.Question.Question = "Which harbour grew most, as it needs " + tc.needs + "?"
			i.Question.SetOptions(schemas.Option{Text: "Marlund", Role: schemas.RoleDistractor}, schemas.Option{Text: "Wexholm", Role: schemas.RoleCorrect},
				schemas.Option{Text: "Tarnvik", Role: schemas.RoleDistractor}, schemas.Option{Text: "Osterby", Role: schemas.RoleDistractor})
		}, checkSpeaker("One paper says A."), pictured(t, 1))
		posed, _, err := testkit.Subject{Register: crosssource.Register, Use: "crosssource.pose", Inputs: []pipeline.Record{recordOf(t, item)}, Blobs: pictures(t)}.Run(t)
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, gate := range []string{"answerable-alone", "correctness", "evidence-necessity", "modality-necessity"} {
			said := testkit.Subject{Register: both, Use: gate, Inputs: posed, Blobs: pictures(t), Roles: roles, Models: models}.Verdicts(t)
			if len(said) != 1 || said[0].Outcome != schemas.Pass && said[0].Outcome != schemas.Fail {
				t.Fatalf("%s: %s says %+v", name, gate, said)
			}
			if said[0].Outcome == schemas.Fail {
				found = append(found, gate)
			}
		}
		if !slices.Equal(found, tc.found) {
			t.Errorf("%s: found by %q, want %q", name, found, tc.found)
		}
	}
}

// TestTheFilterShowsWhatMisleads: a gate that hides a part of an item before it is placed
// shows the texts that the item has besides, since chats will tell them, and no picture.
func TestTheFilterShowsWhatMisleads(t *testing.T) {
	other, picture, table := checkSpeaker("One paper says B."), pictured(t, 2), schemas.EvidenceUnit{Modality: schemas.ModalityTable, Rows: [][]string{{"harbour", "year"}, {"Marlund", "1801"}}}
	for _, u := range []*schemas.EvidenceUnit{&other, &picture, &table} {
		u.Role = schemas.RoleDistractor
	}
	item := raw(t, "mmcv", schemas.TaskMultiHop, nil, checkSpeaker("One paper says A."), other, picture, table, pictured(t, 1))
	posed, _, err := testkit.Subject{Register: crosssource.Register, Use: "crosssource.pose", Inputs: []pipeline.Record{recordOf(t, item)}, Blobs: pictures(t)}.Run(t)
	if err != nil {
		t.Fatal(err)
	}
	q := testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, posed)[0]
	for name, want := range map[string]string{
		view.Only + ":1": "One paper says A. | One paper says B.", view.Only + ":2": "One paper says B. | [picture]", view.Oracle: "One paper says A. | [picture]",
	} {
		s, err := view.Show(&q, name, view.Settings{Frames: 1, Most: 8})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range s.Passages {
			if p.Picture != nil {
				p.Text += "[picture]"
			}
			got = append(got, p.Text)
		}
		if strings.Join(got, " | ") != want {
			t.Errorf("%s shows %q, want %q", name, got, want)
		}
	}
	if want := []string{pictureID(t, 1)}; !slices.Equal(q.Media, want) {
		t.Errorf("it shows the pictures %q, want %q", q.Media, want)
	}
}

// both registers the family and the gates that ask, and states a version of ffmpeg: to
// ask for the true one takes longer than a gate.
func both(r *pipeline.Registry) {
	crosssource.Register(r)
	panel.Register(r)
	r.AddTool("ffmpeg", func(context.Context) (string, error) { return "of the tests", nil })
}
