package visual_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/visual"
	"github.com/memforge/memforge/stages/visual/oracle"
	"github.com/memforge/memforge/stages/visual/simulate"
)

// small is the size of lives in tests.
var small = simulate.Size{Sessions: 4, Rounds: 14, Pictures: 10}

// simulationSource simulates one life of every scenario.
func simulationSource(t *testing.T, seed uint64, size simulate.Size) []pipeline.Record {
	t.Helper()
	s := testkit.Subject{Register: visual.Register, Use: "visual.lives", Seed: seed, Config: visual.SimulationConfig{Count: 1, Size: size}}
	out, _, err := s.Read(t)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// made runs a stage over records.
func made(t *testing.T, use string, config any, in ...pipeline.Record) []pipeline.Record {
	t.Helper()
	out, lost, err := testkit.Subject{Register: visual.Register, Use: use, Config: config, Inputs: in}.Run(t)
	if err != nil || len(lost) > 0 {
		t.Fatalf("%s: %v, lost %v", use, err, lost)
	}
	return out
}

// albums are the lives with their pictures.
func albums(drawn []pipeline.Record) []pipeline.Record {
	return slices.DeleteFunc(slices.Clone(drawn), func(r pipeline.Record) bool { return r.Schema != "visual.album" })
}

// task is everything that is made of one life.
type task struct {
	pictures  map[string]visual.Picture
	photos    map[string]bool
	sessions  []schemas.Session
	questions []schemas.Question
	records   []pipeline.Record
}

func buildTask(t *testing.T, life pipeline.Record, perCell int) task {
	t.Helper()
	drawn := made(t, "visual.render", nil, life)
	out := task{pictures: map[string]visual.Picture{}, photos: map[string]bool{}, records: drawn}
	for _, m := range testkit.DecodeAll[schemas.Media](t, schemas.NameMedia, drawn) {
		out.photos[m.MediaID] = m.Mime == "image/jpeg"
	}
	for _, p := range testkit.DecodeAll[visual.Picture](t, "visual.picture", drawn) {
		out.pictures[p.MediaID] = p
	}
	album := albums(drawn)
	talk := made(t, "visual.converse", nil, album...)
	asked := made(t, "visual.ask", visual.QuestionConfig{PerCell: perCell}, album...)
	out.sessions, out.questions = testkit.DecodeAll[schemas.Session](t, schemas.NameSession, talk), testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, asked)
	out.records = append(append(out.records, talk...), asked...)
	return out
}

// read is the conversation as the replay takes it.
func (k task) read(t *testing.T) *oracle.Conversation {
	t.Helper()
	pictures := map[string]oracle.Picture{}
	for id, p := range k.pictures {
		kind := "screenshot"
		if k.photos[id] {
			kind = "photo"
		}
		out := oracle.Picture{Media: id, Noun: p.Noun, Minimal: p.MinimalCaption, Kind: kind, Absent: p.Absent}
		for _, s := range p.Shown {
			th := oracle.Thing{Name: s.Name, Class: s.Class, Prep: s.Prep, Plural: s.Plural}
			if err := th.ParseTells(s.Tells); err != nil {
				t.Fatal(err)
			}
			out.Things = append(out.Things, th)
		}
		pictures[id] = out
	}
	r, err := oracle.NewConversation(k.sessions, pictures)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestGoldIsReplayed: what reads the dates of sessions, what pictures were noted to
// show and the words of the question comes to the same answer, with the same
// evidence, and finds every other option false.
func TestGoldIsReplayed(t *testing.T) {
	if testing.Short() {
		t.Skip("draws for a minute under the race detector; the suites of the stages draw side by side")
	}
	t.Parallel()
	seeds, asked := testsize.Choose(4, 8), 0
	forms := map[string]int{}
	for seed := range seeds {
		for i, life := range simulationSource(t, uint64(seed+1), small) {
			if i%4 != seed%4 {
				continue // two scenarios a seed: all of them in four
			}
			k := buildTask(t, life, 6)
			r := k.read(t)
			if err := r.CheckCaptions(); err != nil {
				t.Error(err)
			}
			for _, q := range k.questions {
				checkGold(t, r, q)
				asked++
				forms[q.Type]++
			}
		}
	}
	if want := 40 * seeds; asked < want {
		t.Errorf("%d questions were worked out, want at least %d", asked, want)
	}
	t.Logf("%d questions: %v", asked, forms)
}

func checkGold(t *testing.T, r *oracle.Conversation, q schemas.Question) {
	t.Helper()
	var options []string
	for _, o := range q.Options {
		options = append(options, o.Text)
	}
	got, err := r.Answer(q.Question, options)
	if err != nil {
		t.Errorf("%s: %v", q.QuestionID, err)
		return
	}
	if got.Right != q.AnswerText || q.Type != "visual_"+got.Form || q.Labels["aspect"] != got.Aspect || q.Labels["pattern"] != got.Pattern || !strings.HasSuffix(q.Labels[schemas.LabelFact], "/"+got.Fact) {
		t.Errorf("%s: %q\nis answered %q (%s, %s, %s), gold %q (%s, %v)", q.QuestionID, q.Question, got.Right, got.Form, got.Aspect, got.Pattern, q.AnswerText, q.Type, q.Labels)
	}
	if stem, _ := q.Stem(); stem != got.Stem {
		t.Errorf("%s: %q is asked with options as %q, want %q", q.QuestionID, q.Question, stem, got.Stem)
	}
	for _, o := range q.Options {
		if (o.Role == schemas.RoleCorrect) != got.Holds(o.Text) {
			t.Errorf("%s: %q: option %q with role %s", q.QuestionID, q.Question, o.Text, o.Role)
		}
	}
	checkWrong(t, r, got, q)
	for label, n := range map[string]int{"alike": got.Difficulty.Alike, "distance": got.Difficulty.Distance, "distractors": got.Difficulty.Distractors, "updates": got.Difficulty.Updates} {
		if q.Labels[label] != strconv.Itoa(n) {
			t.Errorf("%s: %q: label %s is %q, want %d", q.QuestionID, q.Question, label, q.Labels[label], n)
		}
	}
	if want, have := evidence(got.Evidence), evidence(q.Evidence); want != have {
		t.Errorf("%s: %q: evidence\n%s\nwant\n%s", q.QuestionID, q.Question, have, want)
	}
}

// checkWrong holds that wrong options are wrong as the label error_type says.
func checkWrong(t *testing.T, r *oracle.Conversation, got oracle.Result, q schemas.Question) {
	t.Helper()
	var wrong []string
	for _, o := range q.Options {
		if o.Role != schemas.RoleCorrect {
			wrong = append(wrong, o.Text)
		}
	}
	if _, err := r.CheckWrongOptions(got, wrong); err != nil || got.ErrorType() != q.Labels["error_type"] {
		t.Errorf("%s: %q with %q: error type %q, %q follows (%v)", q.QuestionID, q.Question, wrong, q.Labels["error_type"], got.ErrorType(), err)
	}
}

func evidence(list []schemas.Evidence) string {
	var b strings.Builder
	for _, e := range list {
		fmt.Fprintf(&b, "%+v\n", e)
	}
	return b.String()
}
