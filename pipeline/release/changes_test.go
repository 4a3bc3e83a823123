package release

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/diff"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// wholeSample is a sample with rows of all kinds: sessions, turns and memory points, a
// checkpoint, calls, decisions, a draw and a plugin's table.
func wholeSample(t *testing.T) (*memoryStore, Input) {
	t.Helper()
	under, in := withSessions(t)
	store := under.(*memoryStore)
	reg := pipeline.NewRegistry()
	pipeline.AddTable[hint](reg, "hints", "test.hint", []string{"question_id", "step"}, pipeline.Reference{Column: "question_id", Tables: []string{tableQuestions}})
	for _, schema := range []string{schemas.NameCheckpoint, schemas.NameReview, schemas.NameSampled, "test.hint"} {
		table, _ := reg.Table(schema)
		in.Tables = append(in.Tables, table)
	}
	if err := reg.Err(); err != nil {
		t.Fatal(err)
	}
	in.Records = append(in.Records,
		record(t, schemas.NameCheckpoint, "t-0/C0", schemas.Checkpoint{CheckpointID: "t-0/C0", TaskID: "t-0", Sessions: []string{"t-0/S00", "t-0/S01"}}),
		record(t, schemas.NameReview, "r", schemas.Review{Item: "q-0001", Annotator: "ann", Sample: "first", Decision: schemas.DecisionAccept}),
		record(t, schemas.NameSampled, "d", schemas.Sampled{Item: "q-0001", Sample: "first", Schema: schemas.NameQuestion, Unit: "q-0001", Stratum: []string{}, Selected: true}),
		record(t, "test.hint", "h", hint{HintID: "h", QuestionID: "q-0001", Step: 1, Words: []string{"left"}, Labels: map[string]string{}}))
	return store, in
}

// edit changes the record of a schema with an id.
func edit[T any](schema, id string, change func(*T)) func(*testing.T, *memoryStore, *Input) {
	return func(t *testing.T, _ *memoryStore, in *Input) {
		t.Helper()
		for _, r := range in.Records {
			if r.Schema != schema || r.ID != id {
				continue
			}
			v, err := pipeline.Decode[T](r)
			if err != nil {
				t.Fatal(err)
			}
			change(&v)
			replaceRecord(t, in, schema, id, v)
			return
		}
		t.Fatalf("no %s %s", schema, id)
	}
}

func editQuestion(change func(*schemas.Question)) func(*testing.T, *memoryStore, *Input) {
	return edit(schemas.NameQuestion, "q-0003", change)
}

func editSession(change func(*schemas.Session)) func(*testing.T, *memoryStore, *Input) {
	return edit(schemas.NameSession, "t-0/S02", change)
}

func add(schema, id string, v any) func(*testing.T, *memoryStore, *Input) {
	return func(t *testing.T, _ *memoryStore, in *Input) {
		in.Records = append(in.Records, record(t, schema, id, v))
	}
}

func remove(ids ...string) func(*testing.T, *memoryStore, *Input) {
	return func(_ *testing.T, _ *memoryStore, in *Input) {
		in.Records = slices.DeleteFunc(in.Records, func(r pipeline.Record) bool { return slices.Contains(ids, r.ID) })
	}
}

func onInput(change func(*Input)) func(*testing.T, *memoryStore, *Input) {
	return func(_ *testing.T, _ *memoryStore, in *Input) { change(in) }
}

// pictureID is the picture of the sample.
func pictureID() string { return pngMedia(newStore()).MediaID }

func newQuestion() schemas.Question {
	q := question(9, "t-0", "")
	q.QuestionID, q.Media, q.Evidence = "q-new", nil, nil
	return q
}

// remade replaces the first film by one of other bytes, wherever it is shown.
func remade(t *testing.T, store *memoryStore, in *Input) {
	was, is := videoMedia(store, 0), videoMedia(store, 77)
	for i, r := range in.Records {
		r.Data = []byte(strings.ReplaceAll(string(r.Data), was.MediaID, is.MediaID))
		if r.ID == was.MediaID {
			r = record(t, schemas.NameMedia, is.MediaID, is)
		}
		in.Records[i] = r
	}
}

type plantedChange struct {
	name    string
	change  func(*testing.T, *memoryStore, *Input)
	want    []string // "table: what", as the summary names it
	version string
}

func plantedChanges() []plantedChange {
	quoted := func(q *schemas.Question) { q.QuestionMCQ = schemas.MCQ(q.Question, q.Options) }
	wrongOption := func(q *schemas.Question) int {
		return slices.IndexFunc(q.Options, func(o schemas.Option) bool { return o.Key != q.AnswerKey })
	}
	return []plantedChange{
		{"nothing", onInput(func(*Input) {}), nil, "1.0.1"},
		{"another right answer", editQuestion(otherGold), []string{"questions: gold changed", "questions: labels changed"}, "2.0.0"},
		{"the right answer in other words", editQuestion(func(q *schemas.Question) {
			q.AnswerText += ", red"
			q.Options[slices.IndexFunc(q.Options, func(o schemas.Option) bool { return o.Key == q.AnswerKey })].Text = q.AnswerText
			quoted(q)
		}), []string{"questions: gold changed", "questions: options changed"}, "2.0.0"},
		{"another call as the answer", editQuestion(func(q *schemas.Question) {
			q.Tools = []schemas.Tool{{Name: "open", Description: "opens", Parameters: `{"type":"object"}`}}
			q.AnswerCall = `{"name":"open","arguments":{}}`
		}), []string{"questions: gold changed", "questions: options changed"}, "2.0.0"},
		{"the question in other words", editQuestion(func(q *schemas.Question) { q.Question = "What was picked up?"; quoted(q) }), []string{"questions: wording changed"}, "2.0.0"},
		{"the choice form in other words", editQuestion(func(q *schemas.Question) { q.QuestionMCQ = schemas.MCQ("Which one?", q.Options) }), []string{"questions: wording changed"}, "2.0.0"},
		{"a wrong option in other words", editQuestion(func(q *schemas.Question) { q.Options[wrongOption(q)].Text = "a plate"; quoted(q) }), []string{"questions: options changed"}, "2.0.0"},
		{"options in another order", editQuestion(func(q *schemas.Question) {
			slices.Reverse(q.Options)
			q.SetOptions(q.Options...)
		}), []string{"questions: options changed", "questions: labels changed"}, "2.0.0"},
		{"one more option", editQuestion(func(q *schemas.Question) {
			q.SetOptions(append(q.Options, schemas.Option{Text: "a plate", Role: schemas.RoleUnrelated})...)
		}), []string{"questions: options changed"}, "2.0.0"},
		{"the role of a wrong option", editQuestion(func(q *schemas.Question) {
			for i, o := range q.Options {
				if o.Role == schemas.RoleUnrelated {
					q.Options[i].Role = schemas.RoleIntrusion
				}
			}
		}), []string{"questions: labels changed"}, "2.0.0"},
		{"words of evidence", editQuestion(func(q *schemas.Question) { q.Evidence[0].Text = "A cup is lifted." }), []string{"questions: evidence changed"}, "2.0.0"},
		{"the span of evidence", editQuestion(func(q *schemas.Question) {
			q.Evidence[0].Ref = strings.Replace(q.Evidence[0].Ref, "3.20", "3.40", 1)
		}), []string{"questions: evidence changed"}, "2.0.0"},
		{"one piece of evidence more", editQuestion(func(q *schemas.Question) {
			e := q.Evidence[0]
			e.Order, e.Role = 2, schemas.RoleContext
			q.Evidence = append(q.Evidence, e)
		}), []string{"questions: evidence changed"}, "2.0.0"},
		{"another medium shown", editQuestion(func(q *schemas.Question) { q.Media = []string{videoMedia(newStore(), 1).MediaID} }), []string{"questions: media changed"}, "2.0.0"},
		{"a picture in the question", editQuestion(func(q *schemas.Question) { q.QuestionMedia = []string{pictureID()} }), []string{"questions: media changed"}, "2.0.0"},
		{"another split", editQuestion(func(q *schemas.Question) { q.Split = "test" }), []string{"questions: place changed"}, "2.0.0"},
		{"another task", editQuestion(func(q *schemas.Question) { q.TaskID = "t-1" }), []string{"questions: place changed"}, "2.0.0"},
		{"asked at a checkpoint", editQuestion(func(q *schemas.Question) { q.CheckpointID = "t-0/C0" }), []string{"questions: place changed"}, "2.0.0"},
		{"another value of a label", editQuestion(func(q *schemas.Question) { q.Labels["n_value"] = "7" }), []string{"questions: labels changed"}, "2.0.0"},
		{"a label less", editQuestion(func(q *schemas.Question) { delete(q.Labels, "n_value") }), []string{"questions: labels changed"}, "2.0.0"},
		{"a label more", editQuestion(func(q *schemas.Question) { q.Labels["mood"] = "calm" }), []string{"questions: labels added"}, "1.1.0"},
		{"another type", editQuestion(func(q *schemas.Question) { q.Type = "nback" }), []string{"questions: labels changed"}, "2.0.0"},
		{"an explanation", editQuestion(func(q *schemas.Question) { q.Explanation = "It is seen." }), []string{"questions: notes changed"}, "1.0.1"},
		{"a setting", editQuestion(func(q *schemas.Question) { q.Setting = "Two films." }), []string{"questions: notes changed"}, "1.0.1"},
		{"a question more", add(schemas.NameQuestion, "q-new", newQuestion()), []string{"questions: added"}, "1.1.0"},
		{"a question less", remove("q-0002", "vq-0002"), []string{"questions: gone", "verdicts: gone"}, "2.0.0"},
		{"a question more and one with other gold", func(t *testing.T, s *memoryStore, in *Input) {
			add(schemas.NameQuestion, "q-new", newQuestion())(t, s, in)
			editQuestion(otherGold)(t, s, in)
		}, []string{"questions: added", "questions: gold changed", "questions: labels changed"}, "2.0.0"},
		{"a medium more for a task", edit(schemas.NameTask, "t-0", func(v *schemas.Task) { v.Media = append(v.Media, pictureID()) }), []string{"tasks: media changed"}, "2.0.0"},
		{"another scenario of a task", edit(schemas.NameTask, "t-0", func(v *schemas.Task) { v.Scenario = "concatenated" }), []string{"tasks: labels changed"}, "2.0.0"},
		{"another summary of a task", edit(schemas.NameTask, "t-0", func(v *schemas.Task) { v.Summary = "Two films." }), []string{"tasks: notes changed"}, "1.0.1"},
		{"a film of other bytes", remade, []string{"media: added", "media: gone", "questions: evidence changed", "questions: media changed", "tasks: media changed"}, "2.0.0"},
		{"the recipe of a film", edit(schemas.NameMedia, videoMedia(newStore(), 0).MediaID, func(m *schemas.Media) { m.Recipe.Segments[0].From = 3 }), []string{"media: evidence changed"}, "2.0.0"},
		{"the caption of a film", edit(schemas.NameMedia, videoMedia(newStore(), 0).MediaID, func(m *schemas.Media) { m.Caption = "Two films." }), []string{"media: notes changed"}, "1.0.1"},
		{"the licence of a film", edit(schemas.NameMedia, videoMedia(newStore(), 0).MediaID, func(m *schemas.Media) { m.License = "CC0-1.0" }), []string{"media: notes changed"}, "1.0.1"},
		{"the title of a session", editSession(func(s *schemas.Session) { s.Title = "Home" }), []string{"sessions: wording changed"}, "2.0.0"},
		{"the arc of a session", editSession(func(s *schemas.Session) { s.Arc = "home" }), []string{"sessions: labels changed"}, "2.0.0"},
		{"the place of a session", editSession(func(s *schemas.Session) { s.Order = 5 }), []string{"sessions: place changed"}, "2.0.0"},
		{"the words of a turn", editSession(func(s *schemas.Session) { s.Turns[0].Text = "She lives in Bern." }), []string{"turns: wording changed"}, "2.0.0"},
		{"a picture in a turn", editSession(func(s *schemas.Session) {
			s.Turns[0].Attachments = []schemas.Attachment{{MediaID: pictureID(), Type: "photo", Caption: "a house"}}
		}), []string{"turns: media changed"}, "2.0.0"},
		{"one turn more", editSession(func(s *schemas.Session) {
			s.Turns = append(s.Turns, schemas.Turn{TurnID: schemas.TurnIDOf(s.SessionID, 2), SessionID: s.SessionID, Order: 2, Role: schemas.TurnAssistant, Text: "Noted."})
		}), []string{"turns: added"}, "1.1.0"},
		{"what a memory point says", editSession(func(s *schemas.Session) { s.Points[0].Content = "She lives in Bern." }), []string{"memory_points: gold changed"}, "2.0.0"},
		{"what a memory point weighs", editSession(func(s *schemas.Session) { s.Points[0].Importance = 0.5 }), []string{"memory_points: gold changed"}, "2.0.0"},
		{"where a memory point is said", editSession(func(s *schemas.Session) {
			turn := schemas.Turn{TurnID: schemas.TurnIDOf(s.SessionID, 2), SessionID: s.SessionID, Order: 2, Role: schemas.TurnUser, Text: "In Cork, I say."}
			s.Turns, s.Points[0].EvidenceTurns = append(s.Turns, turn), []string{s.Turns[0].TurnID, turn.TurnID}
		}), []string{"memory_points: evidence changed", "turns: added"}, "2.0.0"},
		{"a memory point less", editSession(func(s *schemas.Session) { s.Points = nil }), []string{"memory_points: gone"}, "2.0.0"},
		{"what a checkpoint covers", edit(schemas.NameCheckpoint, "t-0/C0", func(c *schemas.Checkpoint) { c.Sessions = []string{"t-0/S00"} }), []string{"checkpoints: place changed"}, "2.0.0"},
		{"another outcome of a gate", edit(schemas.NameVerdict, "vq-0002", func(v *schemas.Verdict) { v.Outcome, v.Reason = schemas.Insufficient, "too-few: 2" }), []string{"verdicts: verdict changed"}, "1.0.1"},
		{"a verdict of another gate", add(schemas.NameVerdict, "new", schemas.Verdict{Item: "q-0001", Gate: "new", Outcome: schemas.Pass}), []string{"verdicts: added"}, "1.0.1"},
		{"what was judged", edit(schemas.NameVerdict, "vq-0002", func(v *schemas.Verdict) { v.ItemDigest = "ab" }), []string{"verdicts: details changed"}, "1.0.1"},
		{"what a model said", edit(schemas.NameProbes, "p", func(p *schemas.Probes) { p.Probes[0].Response = "B." }), []string{"probes: details changed"}, "1.0.1"},
		{"a form that was not released", onInput(func(in *Input) { in.Flagged[0].Explanation = "It is seen." }), []string{"flagged: details changed"}, "1.0.1"},
		{"a record that was not released", onInput(func(in *Input) { in.FlaggedRecords[0].Record = `{"session_id":"other"}` }), []string{"flagged_records: details changed"}, "1.0.1"},
		{"a rejection", onInput(func(in *Input) { in.Rejections = in.Rejections[:1] }), []string{"rejections: gone"}, "1.0.1"},
		{"what a person decided", edit(schemas.NameReview, "r", func(r *schemas.Review) { r.Note = "clear" }), []string{"reviews: details changed"}, "1.0.1"},
		{"what was drawn", edit(schemas.NameSampled, "d", func(d *schemas.Sampled) { d.Selected = false }), []string{"draws: details changed"}, "1.0.1"},
		{"what happens in an original", edit(schemas.NameStatements, "statements", func(s *schemas.Statements) { s.Events[0].To = 6 }), []string{"events: added", "events: gone"}, "1.0.1"},
		{"what an original shows", edit(schemas.NameStatements, "statements", func(s *schemas.Statements) { s.Labels[1].Value = "nod" }), []string{"labels: added", "labels: gone"}, "1.0.1"},
		{"another revision of a source", onInput(func(in *Input) { in.Sources[0].Revision = "def" }), []string{"sources: changed"}, "1.0.1"},
		{"a plugin's row", edit("test.hint", "h", func(h *hint) { h.Words = []string{"right"} }), []string{"hints: changed"}, "2.0.0"},
		{"a plugin's row more", add("test.hint", "h2", hint{HintID: "h2", QuestionID: "q-0001", Step: 2, Words: []string{}, Labels: map[string]string{}}), []string{"hints: added"}, "1.1.0"},
		{"a plugin's row less and its table", func(t *testing.T, s *memoryStore, in *Input) {
			remove("h")(t, s, in)
			in.Tables = slices.DeleteFunc(in.Tables, func(t pipeline.Table) bool { return t.Name == "hints" })
		}, []string{"hints: gone", "hints: table gone"}, "2.0.0"},
		{"other columns of a plugin", func(t *testing.T, _ *memoryStore, in *Input) {
			type shortHint struct {
				HintID     string `json:"hint_id"`
				QuestionID string `json:"question_id"`
				Step       int32  `json:"step"`
			}
			reg := pipeline.NewRegistry()
			pipeline.AddTable[shortHint](reg, "hints", "test.hint", []string{"question_id", "step"})
			table, _ := reg.Table("test.hint")
			in.Tables[slices.IndexFunc(in.Tables, func(t pipeline.Table) bool { return t.Name == "hints" })] = table
			replaceRecord(t, in, "test.hint", "h", shortHint{"h", "q-0001", 1})
		}, []string{"hints: columns changed"}, "2.0.0"},
	}
}

// summed lists what a summary counts, without files and manifest, which differ always.
func summed(s diff.Summary) (out []string) {
	for _, c := range s.Changes {
		if c.Table != "files" && c.Table != manifest.FileName {
			out = append(out, c.Table+": "+c.Name())
		}
	}
	slices.Sort(out)
	return out
}

func TestPlantedChangesAreNamedAndAskForTheirVersion(t *testing.T) {
	t.Parallel()
	store, in := wholeSample(t)
	first := write(t, store, t.TempDir(), in).Dir
	for _, c := range plantedChanges() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			store, in := wholeSample(t)
			root := t.TempDir()
			before := filepath.Join(root, "demo", "1.0.0")
			if err := os.CopyFS(before, os.DirFS(first)); err != nil {
				t.Fatal(err)
			}
			in.BuildKey = "key-2"
			c.change(t, store, &in)
			refuseSmaller(t, store, root, in, c.version)
			after := write(t, store, root, in)
			if after.Version != c.version {
				t.Errorf("version %s, want %s", after.Version, c.version)
			}
			sum := compareDirs(t, before, after.Dir, nil)
			slices.Sort(c.want)
			if got := summed(sum); !slices.Equal(got, c.want) {
				t.Errorf("changes %q, want %q", got, c.want)
			}
			if rule, applies := sum.Rule(); !applies || !rule.Kept || rule.Least != c.version {
				t.Errorf("rule %+v, applies %t; want %s", rule, applies, c.version)
			}
		})
	}
}

// refuseSmaller tries the version below the one that the changes ask for.
func refuseSmaller(t *testing.T, store pipeline.Store, root string, in Input, least string) {
	t.Helper()
	smaller := map[string]string{"2.0.0": "1.1.0", "1.1.0": "1.0.1"}[least]
	if smaller == "" {
		return
	}
	in.Spec.Version = smaller
	_, err := Write(t.Context(), store, root, in, Options{})
	var small *diff.VersionError
	if !errors.As(err, &small) || !strings.Contains(err.Error(), "version "+smaller+" is too small: the changes since 1.0.0 ask for "+least) {
		t.Fatalf("version %s: %v", smaller, err)
	}
	if left, err := os.ReadDir(root + "/demo"); err != nil || len(left) > 2 || left[len(left)-1].Name() != "1.0.0" {
		t.Errorf("after the refusal there is %v, %v", left, err)
	}
}

func compareDirs(t *testing.T, before, after string, visit func(diff.Change) error) diff.Summary {
	t.Helper()
	a, err := Limits{}.OpenTables(t.Context(), before)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Limits{}.OpenTables(t.Context(), after)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := diff.Releases(t.Context(), a, b, visit)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

func TestVersionRule(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 6)
	root := t.TempDir()
	write(t, store, root, in)
	editQuestion(otherGold)(t, store, &in)
	in.BuildKey, in.Spec.Version = "key-2", "1.0.1"
	got, err := Write(t.Context(), store, root, in, Options{VersionRule: WarnVersion})
	if err != nil || !strings.Contains(got.VersionWarning, "ask for 2.0.0") || !got.Changed {
		t.Fatalf("warn: %+v, %v", got, err)
	}
	// The version exists by now: making it again is no question of its number.
	in.BuildKey = "key-2"
	if again, err := Write(t.Context(), store, root, in, Options{}); err != nil || again.Changed || again.Dir != got.Dir {
		t.Errorf("again: %+v, %v", again, err)
	}
	var exists *ExistsError
	in.BuildKey = "key-3"
	if _, err := Write(t.Context(), store, root, in, Options{}); !errors.As(err, &exists) {
		t.Errorf("other bytes under an existing version: %v", err)
	}
	in.Spec.Version = "1.0.2" // compared with 1.0.1, which has that gold
	if _, err := Write(t.Context(), store, root, in, Options{}); err != nil {
		t.Errorf("a patch of 1.0.1: %v", err)
	}
	remove("q-0002", "vq-0002")(t, store, &in)
	in.BuildKey, in.Spec.Version = "key-4", "1.0.3"
	if done, err := Write(t.Context(), store, root, in, Options{VersionRule: AnyVersion}); err != nil || done.VersionWarning != "" {
		t.Errorf("off: %+v, %v", done, err)
	}
}

// TestChangesOfARowNameItsParts shows what a reader gets of a change.
func TestChangesOfARowNameItsParts(t *testing.T) {
	t.Parallel()
	store, in := wholeSample(t)
	root := t.TempDir()
	before := write(t, store, root, in).Dir
	in.BuildKey = "key-2"
	editQuestion(func(q *schemas.Question) {
		q.Evidence[0].Text, q.Labels["n_value"], q.Split = "A cup is lifted.", "7", "test"
	})(t, store, &in)
	var got []diff.Change
	compareDirs(t, before, write(t, store, root, in).Dir, func(c diff.Change) error {
		if c.Table == tableQuestions {
			got = append(got, c)
		}
		return nil
	})
	fields := map[string]string{}
	for _, c := range got {
		for _, f := range c.Fields {
			fields[f.Path] = fmt.Sprint(f.Before, " -> ", f.After)
		}
	}
	want := map[string]string{"evidence[1].text": "A cup is taken. -> A cup is lifted.", "labels.n_value": "1 -> 7", "split": "validation -> test"}
	if len(got) != 1 || got[0].ID != "q-0003" || !maps.Equal(fields, want) || got[0].About == "" {
		t.Errorf("%+v", got)
	}
}

// TestComparingHostileReleases ends with an error that names the file.
func TestComparingHostileReleases(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 6)
	dir := write(t, store, t.TempDir(), in).Dir
	rewrite(t, dir, tablePath(tableVerdicts, wholeSplit), tableOf(tableVerdicts), func(r []row) []row { slices.Reverse(r); return r })
	unsorted, err := Limits{}.OpenTables(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := diff.Tables(t.Context(), unsorted, unsorted, nil); err == nil || !strings.Contains(err.Error(), "not in the order of their keys") {
		t.Errorf("rows out of order: %v", err)
	}
	overwrite(t, dir, tablePath(tableVerdicts, wholeSplit), []byte("PAR1"))
	var damaged *DamagedError
	if _, err := (Limits{}).OpenTables(t.Context(), dir); !errors.As(err, &damaged) {
		t.Errorf("other bytes: %v", err)
	}
	if _, err := (Limits{}).OpenTables(t.Context(), t.TempDir()); !errors.As(err, &damaged) {
		t.Errorf("no release: %v", err)
	}
}
