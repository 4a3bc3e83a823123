package videogates_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memforge/memforge/gates"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	video "github.com/memforge/memforge/stages/video/videogates"
)

// register adds the family's gates, and those of all families that they share.
func register(r *pipeline.Registry) {
	gates.Register(r)
	video.Register(r)
}

// judge runs a registered gate with its default configuration.
func judge(t *testing.T, name string, qs ...schemas.Question) []pipeline.Judgement {
	t.Helper()
	r := pipeline.NewRegistry()
	register(r)
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	p, ok := r.Plugin(pipeline.KindGate, name)
	if !ok {
		t.Fatalf("no gate %s", name)
	}
	g, err := p.Build(p.NewConfig())
	if err != nil {
		t.Fatal(err)
	}
	items := make([]pipeline.Record, len(qs))
	for i, q := range qs {
		if items[i], err = pipeline.NewRecord(schemas.NameQuestion, q.QuestionID, q); err != nil {
			t.Fatal(err)
		}
	}
	out, err := g.(pipeline.Gate).Judge(context.Background(), nil, items)
	if err != nil {
		t.Fatal(err)
	}
	if len(out) != len(qs) {
		t.Fatalf("%d judgements for %d questions", len(out), len(qs))
	}
	return out
}

func interference(id string) schemas.Question {
	return schemas.Question{
		QuestionID: id, Type: "interference", Question: "What?", AnswerKey: "B", AnswerText: "cup",
		Labels: map[string]string{"mirror_group": "m1", "interference_direction": "proactive"}, Media: []string{id},
		Options: []schemas.Option{
			{Key: "A", Text: "pan", Role: schemas.RoleIntrusion}, {Key: "B", Text: "cup", Role: schemas.RoleCorrect},
			{Key: "C", Text: "hat", Role: schemas.RoleUnrelated}, {Key: "D", Text: "door", Role: schemas.RoleIntrusion},
		},
	}
}

func TestInterferenceRoles(t *testing.T) {
	tests := []struct {
		name string
		edit func(*schemas.Question)
		want string
	}{
		{"as it should be", func(*schemas.Question) {}, ""},
		{"two correct", func(q *schemas.Question) { q.Options[0].Role = schemas.RoleCorrect }, "wrong-roles"},
		{"three intrusions", func(q *schemas.Question) { q.Options[2].Role = schemas.RoleIntrusion }, "wrong-roles"},
		{"unknown role", func(q *schemas.Question) { q.Options[2].Role = "decoy" }, "wrong-roles"},
		{"one more option", func(q *schemas.Question) {
			q.Options = append(q.Options, schemas.Option{Key: "E", Text: "x", Role: schemas.RoleIntrusion})
		}, "wrong-roles"},
		{"no options", func(q *schemas.Question) { q.Options = nil }, "wrong-roles"},
		{"same text", func(q *schemas.Question) { q.Options[2].Text = " CUP" }, "same-options"},
		{"empty text", func(q *schemas.Question) { q.Options[2].Text = " " }, "same-options"},
		{"same key", func(q *schemas.Question) { q.Options[2].Key = "A" }, "same-options"},
		{"answer key", func(q *schemas.Question) { q.AnswerKey = "A" }, "wrong-answer"},
		{"answer text", func(q *schemas.Question) { q.AnswerText = "pan" }, "wrong-answer"},
	}
	for _, tt := range tests {
		q := interference("q1")
		tt.edit(&q)
		checkCode(t, tt.name, judge(t, "interference-roles", q)[0], tt.want)
	}
	q := interference("q1")
	q.Type = "nback"
	if j := judge(t, "interference-roles", q)[0]; j.Outcome != pipeline.NotApplicable || j.Code != "other-type" {
		t.Errorf("another type: %+v, want not applicable", j)
	}
}

func checkCode(t *testing.T, name string, j pipeline.Judgement, want string) {
	t.Helper()
	outcome := pipeline.Pass
	if want != "" {
		outcome = pipeline.Fail
	}
	if j.Outcome != outcome || j.Code != want || !strings.HasPrefix(j.Reason, want) {
		t.Errorf("%s: %+v, want %s %q", name, j, outcome, want)
	}
}

func TestMirrorPairs(t *testing.T) {
	tests := []struct {
		name string
		edit func(*schemas.Question)
		want string
	}{
		{"mirrored", func(*schemas.Question) {}, ""},
		{"same direction", func(q *schemas.Question) { q.Labels["interference_direction"] = "proactive" }, "mirror-direction"},
		{"same video", func(q *schemas.Question) { q.Media = []string{"q1"} }, "mirror-media"},
		{"other text", func(q *schemas.Question) { q.Question = "Who?" }, "mirror-differs"},
		{"other places", func(q *schemas.Question) { q.Options[0], q.Options[3] = q.Options[3], q.Options[0] }, "mirror-differs"},
		{"alone", func(q *schemas.Question) { q.Labels["mirror_group"] = "m2" }, "no-mirror"},
	}
	for _, tt := range tests {
		a, b := interference("q1"), interference("q2")
		b.Labels["interference_direction"] = "retroactive"
		tt.edit(&b)
		for _, j := range judge(t, "mirror-pairs", a, b) {
			checkCode(t, tt.name, j, tt.want)
		}
	}
	if out := judge(t, "mirror-pairs"); len(out) != 0 {
		t.Errorf("empty collection: %v", out)
	}
	three := judge(t, "mirror-pairs", interference("q1"), interference("q2"), interference("q3"))
	checkCode(t, "three", three[2], "mirror-direction")
}

// TestMirrorsWithRepetition has all six orders of a pair.
func TestMirrorsWithRepetition(t *testing.T) {
	orders := func() []schemas.Question {
		var qs []schemas.Question
		for i, repeats := range []string{"none", "none", "target", "target", "interferer", "interferer"} {
			q := interference(fmt.Sprint("q", i))
			q.Labels["repetition"] = repeats
			q.Labels["interference_direction"] = []string{"proactive", "retroactive"}[i%2]
			qs = append(qs, q)
		}
		return qs
	}
	for _, j := range judge(t, "mirror-pairs", orders()...) {
		checkCode(t, "six orders", j, "")
	}
	for name, edit := range map[string]func([]schemas.Question){
		"mirror-direction": func(qs []schemas.Question) { qs[4].Labels["repetition"] = "target" },
		"no-mirror":        func(qs []schemas.Question) { qs[0].Labels["mirror_group"] = "other" },
		"mirror-differs":   func(qs []schemas.Question) { qs[5].AnswerKey = "A" },
		"mirror-media":     func(qs []schemas.Question) { qs[5].Media = qs[4].Media },
	} {
		qs := orders()
		edit(qs)
		checkCode(t, name, judge(t, "mirror-pairs", qs...)[3], name)
	}
	unknown := orders()
	unknown[2].Labels["repetition"] = "often"
	checkCode(t, "unknown repetition", judge(t, "mirror-pairs", unknown...)[2], "mirror-direction")
}

const digest = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

func trial(i int, answer string, labels map[string]string) schemas.Question {
	q := schemas.Question{
		QuestionID: fmt.Sprintf("q%03d", i), Type: "nback", Question: fmt.Sprintf("Trial %d?", i), AnswerText: answer, Media: []string{digest},
		Labels: map[string]string{"attribute": "action", "n_value": "1", "clip_count": "4", "first_clip": fmt.Sprint(i), "frames": "100"},
	}
	for k, v := range labels {
		q.Labels[k] = v
	}
	return q
}

// answers makes n trials; yes decides each.
func answers(n int, yes func(int) bool, labels func(int) map[string]string) []schemas.Question {
	out := make([]schemas.Question, n)
	for i := range out {
		answer := "No"
		if yes(i) {
			answer = "Yes"
		}
		out[i] = trial(i, answer, labels(i))
	}
	return out
}

func even(i int) bool { return i%2 == 0 }

func none(int) map[string]string { return nil }

func failures(js []pipeline.Judgement, code string) (n int) {
	for _, j := range js {
		if j.Outcome == pipeline.Fail && j.Code == code {
			n++
		}
	}
	return n
}

func TestNBackBalance(t *testing.T) {
	if n := failures(judge(t, "nback-balance", answers(10, even, none)...), "unbalanced"); n != 0 {
		t.Errorf("balanced: %d flagged", n)
	}
	out := judge(t, "nback-balance", answers(10, func(i int) bool { return i < 7 }, none)...)
	if n := failures(out, "unbalanced"); n != 4 {
		t.Errorf("7 yes and 3 no: %d flagged, want the surplus of 4", n)
	}
	for i, j := range out {
		if want := i >= 3 && i < 7; (j.Outcome == pipeline.Fail) != want {
			t.Errorf("trial %d: %+v", i, j)
		}
	}
	byCell := answers(8, func(i int) bool { return i < 4 }, func(i int) map[string]string {
		return map[string]string{"n_value": fmt.Sprint(1 + i/4)}
	})
	if n := failures(judge(t, "nback-balance", byCell...), "unbalanced"); n != 8 {
		t.Errorf("balanced overall but not in cells: %d flagged, want 8", n)
	}
	if j := judge(t, "nback-balance", trial(1, "Maybe", nil))[0]; j.Outcome != pipeline.Insufficient {
		t.Errorf("answer Maybe: %+v, want insufficient", j)
	}
}

// shared makes videos of four questions each; yes decides by video and lag.
func shared(videos int, yes func(video, lag int) bool) []schemas.Question {
	var out []schemas.Question
	for v := range videos {
		for lag := range 4 {
			answer := "No"
			if yes(v, lag) {
				answer = "Yes"
			}
			q := trial(4*v+lag, answer, map[string]string{"n_value": fmt.Sprint(lag + 1), "clip_count": "8", "first_clip": fmt.Sprint(v), "sequence": fmt.Sprint(v)})
			q.Media = []string{fmt.Sprintf("%064x", v)}
			out = append(out, q)
		}
	}
	return out
}

// TestNBackSharedVideos checks that a video with several questions passes both
// gates when it has both answers, and does not when it tells them.
func TestNBackSharedVideos(t *testing.T) {
	halves := [][4]bool{{true, true, false, false}, {false, false, true, true}, {false, true, true, false}, {true, false, false, true}}
	clean := shared(32, func(v, lag int) bool { return halves[v%4][lag] })
	for _, gate := range []string{"nback-balance", "nback-leak"} {
		for _, j := range judge(t, gate, clean...) {
			checkCode(t, gate, j, "")
		}
	}
	told := shared(32, func(v, _ int) bool { return v%2 == 0 })
	if n := failures(judge(t, "nback-balance", told...), "unbalanced"); n != 0 {
		t.Errorf("each cell is even: %d flagged", n)
	}
	out := judge(t, "nback-leak", told...)
	if n := failures(out, "predictable"); n != 128 || !strings.Contains(out[0].Reason, "32 of 32 videos") {
		t.Errorf("each video has one answer: %d of 128 flagged, %q", n, out[0].Reason)
	}
	some := shared(32, func(v, lag int) bool { return halves[v%4][lag] || v < 3 })
	if n := failures(judge(t, "nback-leak", some...), "predictable"); n != 0 {
		t.Errorf("3 of 32 videos with one answer are ordinary: %d flagged", n)
	}
}

func TestNBackLeak(t *testing.T) {
	clean := answers(200, even, func(i int) map[string]string {
		return map[string]string{"clip_count": fmt.Sprint(2 + i/2%3), "first_clip": fmt.Sprint(i / 2 % 5), "frames": fmt.Sprint(100 + i/2%7)}
	})
	for _, j := range judge(t, "nback-leak", clean...) {
		checkCode(t, "clean", j, "")
	}
	leaks := map[string]func(i int) map[string]string{
		"first clip": func(i int) map[string]string { return map[string]string{"first_clip": fmt.Sprint(i % 2)} },
		"clip count": func(i int) map[string]string { return map[string]string{"clip_count": fmt.Sprint(3 + i%2)} },
		"sequence":   func(i int) map[string]string { return map[string]string{"sequence": fmt.Sprint(i % 2)} },
		"length":     func(i int) map[string]string { return map[string]string{"frames": fmt.Sprint(100 + i%2)} },
	}
	for name, labels := range leaks {
		out := judge(t, "nback-leak", answers(100, even, labels)...)
		if n := failures(out, "predictable"); n != 100 || !strings.Contains(out[0].Reason, name) {
			t.Errorf("%s: %d of 100 flagged, %q", name, n, out[0].Reason)
		}
	}
	named := trial(1, "Yes", nil)
	named.Media = []string{"action_yes.mp4"}
	checkCode(t, "named", judge(t, "nback-leak", named)[0], "name-leak")
}

func TestAnswerPosition(t *testing.T) {
	place := func(n int, key func(int) string, group func(int) string) []schemas.Question {
		out := make([]schemas.Question, n)
		for i := range out {
			out[i] = interference(fmt.Sprintf("q%03d", i))
			out[i].AnswerKey, out[i].Labels["mirror_group"] = key(i), group(i)
		}
		return out
	}
	places := schemas.BalancedPlaces(rand.New(rand.NewPCG(1, 1)), 100, 4)
	even := func(i int) string { return schemas.Letter(places[i]) }
	turn := func(i int) string { return schemas.Letter(i % 4) }
	own := func(i int) string { return fmt.Sprintf("m%03d", i) }
	for _, j := range judge(t, "answer-position", place(100, even, own)...) {
		checkCode(t, "even", j, "")
	}
	if n := failures(judge(t, "answer-position", place(100, turn, own)...), "position-in-turn"); n != 74 {
		t.Errorf("one after the other: %d flagged, want the surplus of 74 of 99 steps", n)
	}
	if n := failures(judge(t, "answer-position", place(100, func(int) string { return "A" }, own)...), "position-bias"); n != 75 {
		t.Errorf("all at A: %d flagged, want the surplus of 75", n)
	}
	few := judge(t, "answer-position", place(19, turn, own)...)
	if few[0].Outcome != pipeline.Insufficient {
		t.Errorf("19 questions: %+v, want insufficient", few[0])
	}
	pairs := judge(t, "answer-position", place(38, turn, func(i int) string { return fmt.Sprint(i / 2) })...)
	if pairs[0].Outcome != pipeline.Insufficient {
		t.Errorf("19 mirrored questions: %+v, want insufficient", pairs[0])
	}
}
