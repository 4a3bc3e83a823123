package pipeline

import (
	"maps"
	"slices"
	"testing"

	"github.com/memforge/memforge/schemas"
)

func judgedQuestion() schemas.Question {
	return schemas.Question{
		QuestionID: "q-1", Family: "video", TaskID: "t-1", Question: "What is <taken>?", QuestionMCQ: "What is <taken>?\nA. cup",
		Options:   []schemas.Option{{Key: "A", Text: "cup", Role: schemas.RoleCorrect}},
		AnswerKey: "A", AnswerText: "cup", Type: "interference", Labels: map[string]string{"pair": "p", "event": "picks up"},
		Evidence: []schemas.Evidence{{Kind: "media", Ref: "ab#t=1.00,2.00", Role: schemas.RoleClue, Order: 1, Media: "ab"}},
		Media:    []string{"ab"},
	}
}

func judgedMedium() schemas.Media {
	return schemas.Media{MediaID: "ab", Kind: "video", Mime: "video/mp4", Bytes: 7, Width: 640, Height: 360, Duration: 12.48, FPS: 25, Frames: 312,
		Recipe: schemas.Recipe{Layout: "concatenated", Segments: []schemas.Segment{{Source: "s", Region: "full", To: 312, Original: "o", SourceID: "films"}}}, License: "CC0-1.0"}
}

// TestItemDigestsAreStable pins the canonical form: whoever has a release can
// work the digests out with any JSON library and SHA-256.
func TestItemDigestsAreStable(t *testing.T) {
	for _, tc := range []struct {
		schema string
		v      any
		json   string
	}{
		{schemas.NameQuestion, judgedQuestion(), `{"answer_key":"A","answer_text":"cup","evidence":[{"kind":"media","media":"ab","order":1,"ref":"ab#t=1.00,2.00","role":"clue"}],"family":"video","labels":{"event":"picks up","pair":"p"},"media":["ab"],"options":[{"key":"A","role":"correct","text":"cup"}],"question":"What is <taken>?","question_id":"q-1","question_mcq":"What is <taken>?\nA. cup","split":"test","task_id":"t-1","type":"interference"}`},
		{schemas.NameQuestion, schemas.Question{QuestionID: "q", Split: "test"}, `{"answer_key":"","answer_text":"","evidence":[],"family":"","labels":{},"media":[],"options":[],"question":"","question_id":"q","question_mcq":"","split":"test","task_id":"","type":""}`},
		{schemas.NameQuestion, schemas.Question{QuestionID: "q", Split: "test", Basis: "what a release does not hold"}, `{"answer_key":"","answer_text":"","evidence":[],"family":"","labels":{},"media":[],"options":[],"question":"","question_id":"q","question_mcq":"","split":"test","task_id":"","type":""}`},
		{schemas.NameMedia, judgedMedium(), `{"bytes":7,"duration":12.48,"fps":25,"frames":312,"has_audio":false,"height":360,"kind":"video","license":"CC0-1.0","media_id":"ab","mime":"video/mp4","recipe":{"layout":"concatenated","segments":[{"at":0,"from":0,"original":"o","region":"full","source":"s","source_id":"films","to":312}]},"width":640}`},
		{schemas.NameTask, schemas.Task{TaskID: "t", Media: []string{"ab"}}, `{"domain":"","family":"","media":[],"scenario":"","source_records":[],"summary":"","task_id":"t"}`},
		{"kitchen.pan", map[string]int{"b": 2, "a": 1}, `{"a":1,"b":2}`},
	} {
		r, err := NewRecord(tc.schema, "id", tc.v)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ItemDigest(r)
		if want := DigestOf([]byte(tc.json)); err != nil || got != want {
			t.Errorf("%s: digest %s, %v; want that of %s", tc.schema, got, err, tc.json)
		}
	}
}

// TestItemDigestsTellEveryFieldApart changes one field of a question at a time,
// with its evidence.
func TestItemDigestsTellEveryFieldApart(t *testing.T) {
	seen := map[Digest]int{}
	for i, change := range []func(*schemas.Question){
		func(*schemas.Question) {},
		func(q *schemas.Question) { q.QuestionMCQ += " " },
		func(q *schemas.Question) { q.AnswerKey = "B" },
		func(q *schemas.Question) { q.Options[0].Role = schemas.RoleDistractor },
		func(q *schemas.Question) { q.Labels["pair"] = "o" },
		func(q *schemas.Question) { q.Evidence[0].Ref = "ab#t=0.04,2.00" },
		func(q *schemas.Question) { q.Evidence[0].Caption = "a cup" },
		func(q *schemas.Question) { q.Media = append(q.Media, "cd") },
		func(q *schemas.Question) { q.Revisions = []schemas.Revision{{Item: "q-0"}} },
		func(q *schemas.Question) { q.Split = "train" },
	} {
		q := judgedQuestion()
		q.Options, q.Evidence, q.Labels = slices.Clone(q.Options), slices.Clone(q.Evidence), maps.Clone(q.Labels)
		change(&q)
		d, err := QuestionDigest(q)
		if before, ok := seen[d]; err != nil || ok {
			t.Errorf("change %d has the digest of change %d (%v)", i, before, err)
		}
		seen[d] = i
	}
}

func TestItemDigestRefusesWhatIsNoItem(t *testing.T) {
	r := Record{ID: "q", Schema: schemas.NameQuestion, Data: []byte(`{"words":1}`)}
	if d, err := ItemDigest(r); err == nil {
		t.Errorf("digest %s of a question that does not decode", d)
	}
}
