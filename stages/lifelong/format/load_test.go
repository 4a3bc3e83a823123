package format

import (
	"bytes"
	"encoding/json"
	"testing"
	"testing/fstest"

	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/schemas"
)

// TestExportsAreScoredAsTheirReleases: answers by key, what was retrieved and what was held get
// the same figures from both, under the ids of the release.
func TestExportsAreScoredAsTheirReleases(t *testing.T) {
	dir, err := exported(t, "startup")
	if err != nil {
		t.Fatal(err)
	}
	fromExport, err := readInstances(dir)
	if err != nil {
		t.Fatal(err)
	}
	q, s, _ := told()
	fromRelease := groupInstances(q, s)
	answers, found, held := map[string]string{}, map[string]string{}, map[string]string{}
	for i, one := range q {
		answers[one.QuestionID] = []string{"yellow", "B", "fifteen thousand euros"}[i%3]
		found[one.QuestionID] = retrieved(t, score.Retrieved{ID: "m", Text: "Mara paints the hall yellow", TurnIDs: []string{"t/S02/T01"}}, score.Retrieved{ID: "n", SessionID: "t/S01"})
	}
	for _, one := range s {
		data, err := json.Marshal(memoryState{Session: one.SessionID, Memories: []memory{{"1", "The budget is ten thousand euros."}}})
		if err != nil {
			t.Fatal(err)
		}
		held[one.SessionID] = string(data)
	}
	for name, tc := range map[string]struct {
		open    func([]instance) score.QuestionSet
		answers map[string]string
	}{
		"answers":   {func(i []instance) score.QuestionSet { return answerScorer{instances: i} }, answers},
		"retrieval": {func(i []instance) score.QuestionSet { return retrievalScorer{i} }, found},
		"memory":    {func(i []instance) score.QuestionSet { return memoryScorer{i} }, held},
	} {
		for _, variant := range []string{VariantPaper, VariantUpstream} {
			var printed [2]bytes.Buffer
			for at, of := range [][]instance{fromRelease, fromExport} {
				got, err := tc.open(of).Score(tc.answers, score.Options{Variant: variant})
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if err := got.Print(&printed[at]); err != nil {
					t.Fatal(err)
				}
			}
			if printed[0].String() != printed[1].String() || printed[0].Len() == 0 {
				t.Errorf("%s, %s: release\n%sexport\n%s", name, variant, printed[0].String(), printed[1].String())
			}
		}
	}
}

// TestPublishedDataIsScored under ids of its samples: it has neither ids of questions nor
// options, and writes booleans as text.
func TestPublishedDataIsScored(t *testing.T) {
	const sample = `{"sample_id":"sample_01","uuid":"u","sessions":[
		{"_v2_session_id":"S00","dialogue":[],"memory_points":[{"memory_id":"mp_S00_001","memory_content":"Mara runs the fair.","memory_source":"primary","is_update":"false","original_memories":[],"importance":0.5}]},
		{"_v2_session_id":"S01","dialogue":[{"role":"user","content":"x","timestamp":"Jan 01, 2025, 09:00:00","attachments":[{"image_id":"S01_img_001","caption":"c","file_path":"p.png"}]}]}],
		"memory_points":[{"session_id":"S01","memory_points":[{"memory_id":"mp_S01_001","memory_content":"Ada runs the fair.","memory_source":"primary","is_update":"true","original_memories":["Mara runs the fair."],"importance":1},
			{"memory_id":"mp_S01_002","memory_content":"A parrot does.","memory_source":"interference","is_update":"false","original_memories":[],"importance":0}]}],
		"qa_checkpoints":[{"checkpoint_id":"QA00","covered_sessions":["S00","S01"],"questions":[{"question":"Who?","answer":"Ada","question_type":"fact_recall","question_type_abbrev":"FR","evidence":[{"memory_id":"mp_S01_001"},{"image_id":"S01_img_001"}]}]}]}`
	all, err := readInstances(fstest.MapFS{"agent/gui/excel/sample_01.json": {Data: []byte(sample)}})
	if err != nil {
		t.Fatal(err)
	}
	q := all[0].questions[0]
	if q.id != "sample_01/QA00/1" || q.axis != "FR" || len(q.evidence) != 2 || q.evidence[0] != (goldPiece{name: "mp_S01_001", session: "S01", content: "Ada runs the fair."}) || q.evidence[1].content != "image_id: S01_img_001" {
		t.Errorf("question %+v", q)
	}
	points := all[0].sessions[1].Points
	if len(points) != 2 || len(points[0].Supersedes) != 1 || points[0].Supersedes[0] != "mp_S00_001" || !points[1].IsInterference || all[0].sessions[1].SessionID != "sample_01/S01" {
		t.Errorf("points %+v", points)
	}
	for name, data := range map[string]string{"no JSON": "{", "no id": "{}"} {
		if _, err := readInstances(fstest.MapFS{"lifelong/personal/x.json": {Data: []byte(data)}}); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if _, err := readInstances(fstest.MapFS{}); err == nil {
		t.Error("an empty folder is taken")
	}
}

// TestBootstrapsKeepTheirName, with turns or without, so that later sessions keep theirs.
func TestBootstrapsKeepTheirName(t *testing.T) {
	session := func(id string, turns int) schemas.Session {
		return schemas.Session{SessionID: id, Turns: make([]schemas.Turn, turns)}
	}
	for name, tc := range map[string]struct {
		sessions []schemas.Session
		want     string
	}{
		"a profile that is told": {[]schemas.Session{session("t/S00", 3), session("t/S01", 1)}, "S00 S01"},
		"a silent one":           {[]schemas.Session{session("t/a", 0), session("t/b", 1)}, "S00 S01"},
		"none":                   {[]schemas.Session{session("t/D1", 1), session("t/D2", 1)}, "S01 S02"},
	} {
		names := nameParts(tc.sessions).sessions
		if got := names[tc.sessions[0].SessionID] + " " + names[tc.sessions[1].SessionID]; got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

func FuzzDecodeInstance(f *testing.F) {
	f.Add([]byte(`{"sample_id":"t","sessions":[{"_v2_session_id":"S00"}],"qa_checkpoints":[{"checkpoint_id":"c","questions":[{"question":"x"}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		i, err := decodeInstance(data)
		if err != nil {
			return
		}
		for _, q := range i.questions {
			if q.id == "" {
				t.Fatalf("a question of %s has no id", i.task)
			}
		}
	})
}
