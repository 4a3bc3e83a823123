package dialogs

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// arenaText is a sample as a stranger writes it, without a key of ours.
const arenaText = `{"sample_id": "p1", "sessions": [
 {"_v2_session_id": "S00", "dialogue": [{"role": "user", "content": "I am Ann, and I keep bees in Delft.", "timestamp": "2025-01-03"}],
  "memory_points": [{"memory_id": "mp_S00_001", "memory_content": "Ann keeps her bees in Delft", "memory_type": "profile", "memory_source": "primary", "is_update": "False", "original_memories": [], "importance": 0.5}]},
 {"_v2_session_id": "S01", "dialogue": [
  {"role": "user", "content": "Look at the new hive.", "timestamp": "2025-02-03 09:30", "attachments": [{"caption": "a blue hive", "type": "image_caption", "image_id": "S01_img_01", "file_path": "images/p1/hive.png"}]},
  {"role": "assistant", "content": "Blue, then.", "timestamp": "2025-02-03 09:30"},
  {"role": "user", "content": "The bees moved to Leiden with me, somebody joked that they take the train.", "timestamp": "2025-02-03 09:31"}]}],
 "memory_points": [{"session_id": "S01", "memory_points": [
  {"memory_id": "mp_S01_001", "memory_content": "Ann moved her bees to Leiden", "memory_type": "fact", "memory_source": "primary", "is_update": "True", "original_memories": ["Ann keeps her bees in Delft"], "importance": 1, "update_type": "revise"},
  {"memory_id": "mp_S01_002", "memory_content": "The bees of Ann take the train", "memory_type": "fact", "memory_source": "interference", "is_update": false, "original_memories": [], "importance": 0}]}],
 "qa_checkpoints": [{"checkpoint_id": "cp01", "covered_sessions": ["S00", "S01"], "questions": [
  {"question": "Where are Ann's bees?", "answer": "Leiden", "evidence": [{"memory_id": "mp_S01_001"}], "question_type": "dynamic_update", "question_type_abbrev": "DU", "difficulty": "easy"},
  {"question": "What colour is the hive?", "answer": "blue", "evidence": [{"image_id": "S01_img_01"}], "question_type": "visual_fact_recall", "question_type_abbrev": "VFR", "difficulty": "easy"},
  {"question": "How old is Ann?", "answer": "Not mentioned in memory.", "evidence": [], "question_type": "memory_boundary", "question_type_abbrev": "MB", "difficulty": "easy"}]}]}`

// TestSampleOfAStranger reads a sample that no export of ours wrote: points rest on the
// turns that say most of them, updates keep the subject of what they replace.
func TestSampleOfAStranger(t *testing.T) {
	all, err := parse([]byte(arenaText), layoutAuto, "lifelong/personal/p1.json")
	if err != nil || len(all) != 1 || len(all[0].lost) > 0 {
		t.Fatalf("%v, %+v", err, all)
	}
	c := all[0]
	if c.scenario != "personal" || len(c.sessions) != 2 || c.sessions[1].at != "2025-02-03T09:30:00Z" || len(c.sessions[1].turns[0].pictures) != 1 {
		t.Errorf("scenario %q, sessions %+v", c.scenario, c.sessions)
	}
	moved, joke := c.sessions[1].points[0], c.sessions[1].points[1]
	if !slices.Equal(moved.refs, []string{"S01:3"}) || !slices.Equal(moved.supersedes, []string{"mp_S00_001"}) || moved.subject != "mp_S00_001" || moved.updateType != "revise" {
		t.Errorf("the update: %+v", moved)
	}
	if !joke.interferes || joke.resembles != "mp_S01_001" {
		t.Errorf("the interference: %+v", joke)
	}
	var got []string
	for _, q := range c.questions {
		got = append(got, fmt.Sprint(q.kind, q.refs, q.labels))
	}
	if want := "du[S01:3] map[asked_after:S01] vfr[S01:1] map[asked_after:S01] mb[] map[asked_after:S01]"; strings.Join(got, " ") != want {
		t.Errorf("questions %s, want %s", strings.Join(got, " "), want)
	}
}

// TestFaultsOfSamples: what cannot be taken is counted where it stands, and the rest is
// taken.
func TestFaultsOfSamples(t *testing.T) {
	for _, c := range []struct{ old, new, place, code string }{
		{`"_v2_session_id": "S01"`, `"_v2_session_id": "one"`, "sessions/one", codeSession},
		{`"session_id": "S01"`, `"session_id": "S07"`, "memory_points/S07", codePoint},
		{`["Ann keeps her bees in Delft"]`, `["Ann has bees"]`, "memory_points/mp_S01_001", codePoint},
		{`{"image_id": "S01_img_01"}], "question_type"`, `{"image_id": "S01_img_09"}], "question_type"`, "qa_checkpoints/cp01/2", codeUnknown},
		{`"question": "How old is Ann?"`, `"question": " "`, "qa_checkpoints/cp01/3", codeQuestion},
	} {
		if !strings.Contains(arenaText, c.old) {
			t.Fatalf("the sample does not say %s", c.old)
		}
		all, err := parse([]byte(strings.Replace(arenaText, c.old, c.new, 1)), layoutAuto, "p1.json")
		if err != nil {
			t.Errorf("%s: %v", c.new, err)
			continue
		}
		if !slices.ContainsFunc(all[0].lost, func(l loss) bool { return l.place == c.place && l.code == c.code }) {
			t.Errorf("%s: lost %+v, want %s at %s", c.new, all[0].lost, c.code, c.place)
		}
	}
	for _, bad := range []string{`{"qa_checkpoints": 3}`, `{"qa_checkpoints": [], "sessions": [` + strings.TrimSuffix(strings.Repeat(`{"_v2_session_id": "S00"},`, 101), ",") + `]}`} {
		if _, err := parse([]byte(bad), layoutAuto, "p1.json"); err == nil {
			t.Errorf("%.40s is taken", bad)
		}
	}
}
