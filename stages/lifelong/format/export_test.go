package format

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/schemas"
)

// told is the task of the budget with a bootstrap, a picture and two checkpoints.
func told() ([]schemas.Question, []schemas.Session, []schemas.Checkpoint) {
	q, s := budget()
	s[1].Turns[0].Attachments = []schemas.Attachment{{MediaID: "sha256:contract", Caption: "A contract of the sponsor."}}
	s[1].Date = "2025-01-03"
	s[1].Points[0].Type, s[0].Points[0].Type, s[0].Points[1].Type, s[0].Points[2].Type = "Event", "Event", "Event", "Joke"
	s = append([]schemas.Session{{SessionID: "t/S00", TaskID: "t", Points: []schemas.MemoryPoint{{MemoryID: "mp_S00_001", SessionID: "t/S00", Content: "Mara runs the fair.", Type: "Profile"}}}}, s...)
	q = append(q, schemas.Question{
		QuestionID: "q5", TaskID: "t", Question: "What did the sponsor send?", AnswerText: "a contract", Labels: map[string]string{LabelAxis: "VFR"},
		Evidence: []schemas.Evidence{
			{Kind: schemas.EvidenceTurn, Role: schemas.RoleClue, Ref: "t/S02/T01", SessionID: "t/S02", Media: "sha256:contract"},
			{Kind: schemas.EvidenceTurn, Role: schemas.RoleClue, Ref: "t/S02/T02", SessionID: "t/S02", Text: "Keep it safe, said Mara."},
		},
	}, schemas.Question{
		QuestionID: "q6", TaskID: "t", CheckpointID: "t/C1", Question: "Which colour does the hall get?", AnswerText: "yellow", Labels: map[string]string{LabelAxis: "FR", schemas.LabelSufficient: "1|2|3"},
		Evidence: []schemas.Evidence{
			{Kind: schemas.EvidenceTurn, Role: schemas.RoleClue, Ref: "t/S01/T02", SessionID: "t/S01", Order: 1},
			{Kind: schemas.EvidenceTurn, Role: schemas.RoleAlternative, Ref: "t/S01/T01", SessionID: "t/S01", Order: 2},
			{Kind: schemas.EvidenceTurn, Role: schemas.RoleAlternative, Ref: "t/S01/T03", SessionID: "t/S01", Order: 3, Text: "Yellow it is."},
		},
	})
	for i := range q {
		if q[i].Question == "" {
			q[i].Question = "What is " + q[i].QuestionID + "?"
		}
	}
	return q, s, []schemas.Checkpoint{{CheckpointID: "t/C1", TaskID: "t", Sessions: []string{"t/S00", "t/S01"}}}
}

// exported is the layout as a folder.
func exported(t *testing.T, scenario string) (fstest.MapFS, error) {
	t.Helper()
	q, s, c := told()
	tree, err := layout(q, groupInstances(q, s), []schemas.Task{{TaskID: "t", Scenario: scenario}}, c, map[string]string{"sha256:contract": "media/images/0a.png"})
	if err != nil {
		return nil, err
	}
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	out := fstest.MapFS{}
	for _, f := range tree.Files {
		out[f.Path] = &fstest.MapFile{Data: f.Data}
	}
	for _, m := range tree.Media {
		out[m.Path] = &fstest.MapFile{Data: picture.Bytes()}
	}
	return out, nil
}

func TestExportsAreRead(t *testing.T) {
	dir, err := exported(t, "startup")
	if err != nil {
		t.Fatal(err)
	}
	got, faults, err := Read(dir)
	if err != nil || len(faults) > 0 {
		t.Fatalf("%v, %v", faults, err)
	}
	want := Sample{ID: "t", Dir: "lifelong/project/startup", Sessions: 3, Turns: 3, Pictures: 1, Points: 5, Updates: 1, Interference: 1, Asks: 5}
	if len(got) != 1 || got[0] != want {
		t.Errorf("read %+v, want %+v", got, want)
	}
	var file map[string]any
	if err := json.Unmarshal(dir["lifelong/project/startup/t.json"].Data, &file); err != nil {
		t.Fatal(err)
	}
	text := string(dir["lifelong/project/startup/t.json"].Data)
	for _, want := range []string{`"memory_id": "mp_S02_001"`, `"image_id": "S02_img_01"`, `"images/t/S02_img_01.png"`, `"question_type": "dynamic_update"`, `"memory_source": "interference"`, `"The budget is ten thousand euros."`} {
		if !strings.Contains(text, want) {
			t.Errorf("the file has no %s", want)
		}
	}
	if _, err := exported(t, "kitchens"); err == nil || !strings.Contains(err.Error(), "lifelong/personal") {
		t.Errorf("a scenario without directory: %v", err)
	}
}

// TestBrokenExportsAreRefused: each change of a sound export is found, by its code and
// by no other.
func TestBrokenExportsAreRefused(t *testing.T) {
	const file, picture = "lifelong/project/startup/t.json", "lifelong/project/startup/images/t/S02_img_01.png"
	swap := func(old, with string) func(fstest.MapFS) {
		return func(dir fstest.MapFS) {
			var data bytes.Buffer
			if err := json.Compact(&data, dir[file].Data); err != nil || !strings.Contains(data.String(), old) {
				t.Fatalf("the sample has no %s: %v", old, err)
			}
			dir[file].Data = []byte(strings.Replace(data.String(), old, with, 1))
		}
	}
	put := func(at, data string) func(fstest.MapFS) {
		return func(dir fstest.MapFS) { dir[at] = &fstest.MapFile{Data: []byte(data)} }
	}
	for name, tc := range map[string]struct {
		change func(fstest.MapFS)
		code   string
	}{
		"JSON among pictures":      {put(path.Dir(picture)+"/notes.json", "{}"), CodeStray},
		"JSON in a hidden folder":  {put(".cache/x.json", "{}"), CodeStray},
		"JSON of another category": {put("lifelong/kitchens/x.json", "{}"), CodeStray},
		"no JSON":                  {put(file, "{"), CodeFile},
		"a further key":            {swap(`"sample_id"`, `"uuid":"x","sample_id"`), CodeFile},
		"null":                     {swap(`"difficulty":""`, `"difficulty":null`), CodeFile},
		"more than one value":      {func(dir fstest.MapFS) { dir[file].Data = append(dir[file].Data, "{}"...) }, CodeFile},
		"another id":               {swap(`"sample_id":"t"`, `"sample_id":"u"`), CodeSample},
		"a session twice":          {swap(`"_v2_session_id":"S02"`, `"_v2_session_id":"S01"`), CodeID},
		"an id without zero":       {swap(`"_v2_session_id":"S01"`, `"_v2_session_id":"S1"`), CodeID},
		"points of no session":     {swap(`"session_id":"S02"`, `"session_id":"S07"`), CodePoint},
		"a block of S00":           {swap(`"session_id":"S02"`, `"session_id":"S00"`), CodePoint},
		"a role":                   {swap(`"role":"user"`, `"role":"system"`), CodeTurn},
		"nothing said":             {swap(`"content":"Mara paints the hall yellow."`, `"content":""`), CodeTurn},
		"a time":                   {swap(`"timestamp":"2025-01-03"`, `"timestamp":"tomorrow"`), CodeTurn},
		"a picture lost":           {func(dir fstest.MapFS) { delete(dir, picture) }, CodePicture},
		"a picture of text":        {put(picture, "GIF"), CodePicture},
		"a way out":                {swap(`images/t/S02_img_01.png`, `images/t/../../t.json`), CodePicture},
		"no caption":               {swap(`"A contract of the sponsor."`, `" "`), CodeCaption},
		"a picture of another":     {swap(`"image_id":"S02_img_01",`, `"image_id":"S01_img_01",`), CodeID},
		"a point's id":             {swap(`"memory_id":"mp_S01_003",`, `"memory_id":"mp_S01_3",`), CodeID},
		"a point without words":    {swap(`"memory_content":"Mara paints her boss green."`, `"memory_content":""`), CodePoint},
		"an update of nothing":     {swap(`"is_update":true`, `"is_update":false`), CodeUpdate},
		"another old text":         {swap(`"original_memories":["The budget`, `"original_memories":["The budgets`), CodeUpdate},
		"an unknown session":       {swap(`"covered_sessions":["S00"`, `"covered_sessions":["S09"`), CodeCheckpoint},
		"a later session":          {swap(`{"memory_id":"mp_S01_002"}`, `{"memory_id":"mp_S02_001"}`), CodeFuture},
		"no answer":                {swap(`"answer":"yellow"`, `"answer":""`), CodeQuestion},
		"unknown evidence":         {swap(`{"image_id":"S02_img_01"}`, `{"image_id":"S02_img_1"}`), CodeEvidence},
		"a small split of others":  {put("small_ids.json", `["t","x"]`), CodeSmall},
	} {
		t.Run(name, func(t *testing.T) {
			dir, err := exported(t, "startup")
			if err != nil {
				t.Fatal(err)
			}
			tc.change(dir)
			_, faults, err := Read(dir)
			if err != nil && tc.code != CodeFile {
				t.Fatal(err)
			}
			if err == nil && !slices.ContainsFunc(faults, func(f benchformat.Fault) bool { return f.Code == tc.code }) {
				t.Errorf("found %v, want %s", faults, tc.code)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"sample_id":"t"}}`))
	f.Add([]byte(`{"sample_id":"t","sessions":[{"_v2_session_id":"S01","dialogue":[{"role":"user","content":"x"}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, faults, err := Read(fstest.MapFS{"lifelong/personal/t.json": {Data: data}, "small_ids.json": {Data: []byte(`["t"]`)}})
		if !json.Valid(data) && err == nil && len(faults) == 0 {
			t.Fatalf("%q is read", data)
		}
	})
}
