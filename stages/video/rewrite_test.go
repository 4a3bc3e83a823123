package video

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// TestAQuestionCarriesWhatItWasWrittenFrom, so that a rewrite can be held
// against it: what passed as a draft passes as a rewrite.
func TestAQuestionCarriesWhatItWasWrittenFrom(t *testing.T) {
	b := newBench(t)
	made := b.kitchenPair()
	b.script(b.writes)
	out, _ := b.run("video.author", "", made["interleaved AB"])
	types := map[string]bool{}
	for _, r := range out {
		q, err := pipeline.Decode[schemas.Question](r)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Blobs) != 1 || string(r.Blobs[0]) != q.Basis {
			t.Fatalf("%s: blobs %v, basis %q", q.QuestionID, r.Blobs, q.Basis)
		}
		f, err := b.store.OpenBlob(t.Context(), r.Blobs[0])
		if err != nil {
			t.Fatal(err)
		}
		var basis schemas.Basis
		err = json.NewDecoder(f).Decode(&basis)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		if why := checkRewrite(q, q, &basis); len(why) > 0 {
			t.Errorf("%s: %q", q.Question, why)
		}
		next := q
		next.Question = strings.Replace(q.Question, basis.Opening, "Two videos are shown.", 1)
		if why := checkRewrite(q, next, &basis); len(why) != 1 {
			t.Errorf("another opening: %q", why)
		}
		types[q.Type] = true
	}
	if len(types) < 6 {
		t.Errorf("only %v were looked at", types)
	}
}

// TestRewritesOfQuestionsByRule keep opening, names and form.
func TestRewritesOfQuestionsByRule(t *testing.T) {
	old := schemas.Question{Family: family, Type: schemas.TypeInterference, Question: `Two videos are played one after the other. In the video titled "Pier", what is picked up?`}
	for q, want := range map[string]string{
		`Two videos are played one after the other. Which thing is picked up in the video titled "Pier"?`:    "",
		`Two videos are shown. In the video titled "Pier", what is picked up?`:                               "must begin with",
		`Two videos are played one after the other. In the video titled "Yard", what is picked up?`:          "must name",
		`Two videos are played one after the other. What is picked up?`:                                      "must name",
		`Two videos are played one after the other. At the start of the video titled "Pier", what is taken?`: "place, time or number",
	} {
		next := old
		next.Question = q
		if why := strings.Join(checkRewrite(old, next, nil), "; "); want == "" && why != "" || !strings.Contains(why, want) {
			t.Errorf("%s: %q, want %q", q, why, want)
		}
	}
}
