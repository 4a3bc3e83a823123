package panel

import (
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
)

// TestWhatIsNotJudgedHasOneOfTwoReasons: an item of another kind is not
// applicable, one of the gate's kind that lacks something is insufficient.
func TestWhatIsNotJudgedHasOneOfTwoReasons(t *testing.T) {
	for _, tc := range []struct {
		gate, config string
		edit         func(*schemas.Question)
		code         string
		want         pipeline.Outcome
	}{
		{"option-only", `{"types": ["other"]}`, func(*schemas.Question) {}, "other-type", pipeline.NotApplicable},
		{"taxonomy-y2", "{}", labelled(schemas.ReasonSingle), "other-label", pipeline.NotApplicable},
		{"option-only", "{}", func(q *schemas.Question) { q.Options = nil }, "no-options", pipeline.NotApplicable},
		{"option-only", "{}", func(q *schemas.Question) { q.AnswerKey = "z" }, "no-gold", pipeline.Insufficient},
		{"option-only", "{}", func(q *schemas.Question) {
			q.Options = []schemas.Option{{Key: q.AnswerKey, Text: "yes"}, {Key: "n", Text: "no"}}
		}, "too-few-options", pipeline.NotApplicable},
		{"correctness", "{}", func(q *schemas.Question) { q.AnswerText = "" }, "no-answer", pipeline.Insufficient},
		{"text-only", "{}", func(*schemas.Question) {}, "no-picture", pipeline.NotApplicable},
		{"text-only", "{}", func(q *schemas.Question) {
			pictured(q)
			q.Evidence[0].Text, q.Evidence[1].Text = "", ""
		}, "no-text", pipeline.NotApplicable},
		{"caption-bypass", "{}", func(q *schemas.Question) {
			pictured(q)
			q.Evidence[0].MinimalCaption = ""
		}, "no-caption", pipeline.Insufficient},
		{"caption-bypass", "{}", bareCaptions("", "a few seconds of a video that shows two videos side by side"), "bare-caption", pipeline.NotApplicable},
		{"single-frame-bypass", "{}", func(*schemas.Question) {}, "no-video", pipeline.NotApplicable},
		{"oracle", "{}", func(q *schemas.Question) { q.Evidence = nil }, "no-evidence", pipeline.Insufficient},
		{"oracle", "{}", func(q *schemas.Question) { q.Evidence[0].Text, q.Evidence[0].Media = "", "" }, "empty-evidence", pipeline.Insufficient},
		{"evidence-necessity", "{}", func(q *schemas.Question) { q.Evidence = q.Evidence[:1] }, "one-piece", pipeline.NotApplicable},
		{"source-necessity", "{}", func(q *schemas.Question) {
			for i := range q.Evidence {
				q.Evidence[i].SessionID = ""
			}
		}, "no-source", pipeline.Insufficient},
	} {
		q := edited("q", tc.edit)
		_, j := build(t, tc.gate, tc.config).selectViews(itemOf(&q))
		if j.Outcome != tc.want || j.Code != tc.code {
			t.Errorf("%s, %s: %+v, want %s", tc.gate, tc.code, j, tc.want)
		}
	}
}

// bareCaptions gives the pieces pictures, a text and a minimal caption.
func bareCaptions(text, minimal string) func(*schemas.Question) {
	return func(q *schemas.Question) {
		pictured(q)
		for i := range q.Evidence {
			q.Evidence[i].Text, q.Evidence[i].MinimalCaption = text, minimal
		}
	}
}

// TestCaptionsThatTellAreAsked: a text, or one caption that says a word of its
// own, is more than question and options.
func TestCaptionsThatTellAreAsked(t *testing.T) {
	for _, edit := range []func(*schemas.Question){
		bareCaptions("Look.", "a video"), bareCaptions("", "a photo of a kitchen"), bareCaptions("", "a video (tabletop)"),
		func(q *schemas.Question) {
			bareCaptions("", "a picture")(q)
			q.Evidence[1].MinimalCaption = "a game board"
		},
	} {
		q := edited("q", edit)
		if views, j := build(t, "caption-bypass", "{}").selectViews(itemOf(&q)); j.Outcome != "" || len(views) != 1 {
			t.Errorf("%q: %+v", q.Evidence[1].MinimalCaption, j)
		}
	}
	// A bare caption costs no call.
	b := newBench(t)
	asked := 0
	b.ask(func(a testkit.ChatRequest) testkit.ChatReply {
		asked++
		return reader(t, "green", "never there")(a)
	})
	q := edited("q", bareCaptions("", "a few seconds of a video"))
	if got := b.judge("caption-bypass", `{"full_protocol": true}`, q); got.Outcome != schemas.NotApplicable || got.CallsFull != 0 || asked > 0 {
		t.Errorf("%s %s, %d calls", got.Outcome, got.Reason, asked)
	}
}
