package lifelong_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong"
	"github.com/memforge/memforge/stages/lifelong/oracle"
)

// codeOf is what a gate says of a standing.
func codeOf(t *testing.T, gate string, s lifelong.Standing) string {
	t.Helper()
	r, err := pipeline.NewRecord("lifelong.standing", s.StandingID, s)
	if err != nil {
		t.Fatal(err)
	}
	reg := pipeline.NewRegistry()
	lifelong.Register(reg)
	plugin, ok := reg.Plugin(pipeline.KindGate, gate)
	if !ok {
		t.Fatalf("there is no gate %s", gate)
	}
	of, err := reg.Gate(pipeline.Identity{Use: gate, Version: plugin.Version, Config: pipeline.RawConfig("{}")})
	if err != nil {
		t.Fatal(err)
	}
	judged, err := of.Judge(t.Context(), nil, []pipeline.Record{r})
	if err != nil || len(judged) != 1 {
		t.Fatalf("%s: %v, %d judgements", gate, err, len(judged))
	}
	return judged[0].Code
}

// TestAnswerInACaption writes what a question of lifelong_mb asks for into a caption: the
// lines of its row then hold it, and boundary finds it.
func TestAnswerInACaption(t *testing.T) {
	t.Parallel()
	b := made(t)
	s := b.standings[slices.IndexFunc(b.standings, func(s lifelong.Standing) bool { return s.Type == "mb" })]
	all := copied(t, b.sessions[s.TaskID])
	thing := strings.Split(b.question(t, s.QuestionID).Labels["fact"], "/")[1]
	for i := range all {
		for j := range all[i].Turns {
			for k := range all[i].Turns[j].Attachments {
				a := &all[i].Turns[j].Attachments[k]
				a.Caption += " " + thing + ", " + s.Aspect + ": Porto."
			}
		}
	}
	if again := oracle.Mentions(b.sessions[s.TaskID], thing, int(s.Last)); !slices.Equal(again, s.Lines) {
		t.Fatalf("the row has %d lines that name %s, and the sessions %d", len(s.Lines), thing, len(again))
	}
	s.Lines = oracle.Mentions(all, thing, int(s.Last))
	if code := codeOf(t, "boundary", s); code != "answer-present" {
		t.Errorf("boundary says %q", code)
	}
}

// question is one by its id.
func (b built) question(t *testing.T, id string) schemas.Question {
	t.Helper()
	i := slices.IndexFunc(b.questions, func(q schemas.Question) bool { return q.QuestionID == id })
	if i < 0 {
		t.Fatalf("there is no question %s", id)
	}
	return b.questions[i]
}

// TestPlantedStandings plants what no-future and boundary are for in clean rows.
func TestPlantedStandings(t *testing.T) {
	t.Parallel()
	b := made(t)
	for _, s := range b.standings {
		if code := codeOf(t, "no-future", s); code != "" {
			t.Fatalf("clean %s: %s", s.StandingID, code)
		}
		if code := codeOf(t, "taught", s); code != "" && (s.Type == "ttl" || code != "no-rule") {
			t.Fatalf("clean %s: %s", s.StandingID, code)
		}
	}
	mb := b.standings[slices.IndexFunc(b.standings, func(s lifelong.Standing) bool { return s.Type == "mb" })]
	fr := b.standings[slices.IndexFunc(b.standings, func(s lifelong.Standing) bool { return s.Type == "fr" })]
	ttl := b.standings[slices.IndexFunc(b.standings, func(s lifelong.Standing) bool { return s.Type == "ttl" })]
	tests := []struct {
		name, gate, want string
		plant            func(*lifelong.Standing)
	}{
		{"clean", "boundary", "", func(*lifelong.Standing) {}},
		{"evidence from the future", "no-future", "future", func(s *lifelong.Standing) { s.Last = s.Pieces[0].Order - 1 }},
		{"no evidence", "no-future", "no-evidence", func(s *lifelong.Standing) { s.Pieces = nil }},
		{"evidence of another session", "no-future", "wrong-session", func(s *lifelong.Standing) { s.Pieces[0].SessionID += "0" }},
		{"the answer in a caption", "boundary", "answer-present", func(s *lifelong.Standing) {
			s.Lines = append(s.Lines, "A picture of a card. It reads: "+strings.ToUpper(s.Aspect)+": 4.")
		}},
		{"an answer that does not abstain", "boundary", "no-abstention", func(s *lifelong.Standing) { s.Answer = "Porto" }},
		{"a rule", "taught", "", func(*lifelong.Standing) {}},
		{"a rule that nobody taught", "taught", "not-taught", func(s *lifelong.Standing) { s.Lines = nil }},
		{"a turn without the rule", "taught", "not-taught", func(s *lifelong.Standing) { s.Lines = []string{"It has been raining since breakfast."} }},
		{"another answer than the rule gives", "taught", "other-answer", func(s *lifelong.Standing) { s.Answer += "0" }},
	}
	for _, tt := range tests {
		s := map[string]lifelong.Standing{"boundary": mb, "no-future": fr, "taught": ttl}[tt.gate]
		s.Pieces, s.Lines = slices.Clone(s.Pieces), slices.Clone(s.Lines)
		tt.plant(&s)
		if got := codeOf(t, tt.gate, s); got != tt.want {
			t.Errorf("%s: %s says %q, want %q", tt.name, tt.gate, got, tt.want)
		}
	}
}
