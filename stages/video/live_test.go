package video

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/author"
)

// hears turns what a server was asked into the request that it came from, as
// far as it can be told from prompt and pictures.
func (b *bench) hears(a testkit.ChatRequest) pipeline.Request {
	b.t.Helper()
	task := strings.Replace(a.Task, "_", ".", 1)
	task = strings.Replace(task, "author_", "author.", 1)
	var images []pipeline.Digest
	for _, img := range a.Images {
		images = append(images, pipeline.Digest(b.blob(string(img))))
	}
	r := pipeline.Request{Task: task, Messages: pipeline.ChatMessages("", "", images)}
	read := func(tag string, v any) {
		if err := a.Data(tag, v); err != nil {
			b.t.Errorf("%s: %v", task, err)
		}
	}
	var in any
	switch {
	case task == jobDescribe:
		s := sectionInput{Frames: len(a.Images)}
		if _, err := fmt.Sscanf(a.User, "Section %d of %d", &s.Index, &s.Count); err != nil {
			b.t.Error(err)
		}
		in = s
	case task == jobSummarise:
		var s summaryInput
		read("sections", &s.Sections)
		in = s
	case task == author.NameJob:
		var s author.NameInput
		read("target_video", &s.Target)
		in = s
	case task == author.EventJob:
		var s author.EventInput
		read("target_name", &s.Target.Name)
		read("section", &s.Section)
		if strings.Contains(a.User, "<refused_answer>") {
			s.Refused = []author.EventRefusal{{}}
		}
		in = s
	default:
		var s author.Input
		read("target_video", &s.Target.Sections)
		read("other_video", &s.Other.Sections)
		s.Target.Name, s.Other.Name = nameOf(s.Target.Sections), nameOf(s.Other.Sections)
		if strings.Contains(a.User, "<refused_answer>") {
			s.Refused = []author.Refusal{{}}
		}
		in = s
	}
	raw, err := json.Marshal(in)
	if err != nil {
		b.t.Fatal(err)
	}
	r.Input = raw
	return r
}

// TestThroughAServer describes two kitchens and writes questions about them
// through the live client and a real HTTP server, whose competent model now and
// then breaks a schema, breaks a rule that no schema can hold, and refuses.
func TestThroughAServer(t *testing.T) {
	b := newBench(t)
	server := testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply {
		r := b.hears(a)
		if len(a.Images) == 0 && r.Task == jobDescribe {
			return testkit.ChatReply{Refusal: "I see nothing."}
		}
		answer, err := b.watches, error(nil)
		if strings.HasPrefix(r.Task, "video.author.") || r.Task == author.NameJob {
			answer = b.writes
		}
		said, err := answer(r)
		if err != nil {
			return testkit.ChatReply{Refusal: err.Error()}
		}
		if r.Task == jobDescribe && a.Repairs == 0 && input[sectionInput](t, r).Index == 2 {
			return testkit.ReplyJSON(map[string]string{"main_storyline": "The six keys are forgotten."})
		}
		if d, ok := said.(author.Draft); ok && r.Task == author.JobName(schemas.TypeContentRetention) && len(input[author.Input](t, r).Refused) == 0 {
			d.Options[2].Text = "red and white"
			return testkit.ReplyJSON(d)
		}
		if e, ok := said.(author.Event); ok && len(input[author.EventInput](t, r).Refused) == 0 {
			e.Event = "on the right, " + e.Event
			return testkit.ReplyJSON(e)
		}
		return testkit.ReplyJSON(said)
	})
	b.roles, b.rt.Models = server.Live(t, roleCaptioner, roleAuthor)

	blind := b.cook("bread")
	blind.ID = "v-blind"
	v, err := pipeline.Decode[schemas.Video](blind)
	if err != nil {
		t.Fatal(err)
	}
	for i := range v.Sections {
		v.Sections[i].Frames = nil
	}
	if blind, err = pipeline.NewRecord(schemas.NameVideo, "v-blind", v, blind.Blobs...); err != nil {
		t.Fatal(err)
	}
	out, lost := b.run("video.describe", "", b.cook("bread"), b.cook("soup"), blind)
	vs := testkit.DecodeAll[schemas.Video](t, schemas.NameVideo, out)
	if len(vs) != 2 || len(lost) != 1 || lost[0].Code != "model-refusal" || !strings.Contains(lost[0].Reason, "describe section 1 of 3") || !strings.Contains(lost[0].Reason, "I see nothing.") {
		t.Fatalf("%d videos, lost %+v", len(vs), lost)
	}
	if vs[0].Describer != "scripted-1" || *vs[1].Sections[1].Description != kitchens["soup"][1] {
		t.Errorf("%s said %+v", vs[0].Describer, vs[1].Sections[1].Description)
	}
	// Four requests a kitchen, one repair each, one refusal.
	if n := server.Counts().Requests; n != 11 {
		t.Errorf("%d requests to describe", n)
	}

	p := schemas.Pair{A: vs[0], B: vs[1]}
	ask := func(order string, swaps int32, at []int64) []schemas.Question {
		c := schemas.Composition{Pair: p, Order: order, Swaps: swaps, Media: schemas.Media{MediaID: b.blob(fmt.Sprint(swaps)), FPS: 25, Frames: 750, Recipe: splitRecipe(p, 750, at)}}
		rec, err := compositionRecord(c)
		if err != nil {
			t.Fatal(err)
		}
		out, lost := b.run("video.author", "", rec)
		if len(lost) != 0 {
			t.Errorf("lost %+v", lost)
		}
		return testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, out)
	}
	server.ResetCounts()
	plain := ask("AB", 0, nil)
	// Two names, six questions and two events, four of which are asked again.
	if n := server.Counts().Requests; n != 14 || len(plain) != 8 {
		t.Errorf("%d questions after %d requests", len(plain), n)
	}
	// Its only swap is at the last frame, so no section is on another side.
	swapped := ask("AB", 10, []int64{749})
	if n := server.Counts().Requests; n != 14 {
		t.Errorf("the swapped variant asked %d requests of its own", n-14)
	}
	for i := range swapped {
		if swapped[i].QuestionMCQ != plain[i].QuestionMCQ || swapped[i].QuestionID == plain[i].QuestionID {
			t.Errorf("%q and %q", plain[i].QuestionMCQ, swapped[i].QuestionMCQ)
		}
		if slices.ContainsFunc(plain[i].Options, func(o schemas.Option) bool { return o.Text == "red and white" }) {
			t.Errorf("a refused answer was taken: %q", plain[i].QuestionMCQ)
		}
	}
}

// TestAnnotateThroughAServer shows the running list to a model that reads
// nothing but the prompt.
func TestAnnotateThroughAServer(t *testing.T) {
	b := newBench(t)
	server := testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply {
		var scenes, actions []string
		for tag, v := range map[string]any{"scenes": &scenes, "actions": &actions} {
			if err := a.Data(tag, v); err != nil {
				t.Error(err)
			}
		}
		if bytes.Contains([]byte(a.User), []byte("<problem>")) || len(a.Images) != 2 {
			t.Errorf("asked with %d images: %s", len(a.Images), a.User)
		}
		if len(scenes) > 0 {
			return testkit.ReplyJSON(both(scenes[0], true, fmt.Sprint("step ", len(actions)), false))
		}
		return testkit.ReplyJSON(both("Kitchen", false, "step 0", false))
	})
	b.roles, b.rt.Models = server.Live(t, roleCaptioner)
	out, lost := b.run("video.annotate", "", b.cook("soup"))
	v := oneVideo(t, out, lost)
	if v.LabelUse["scene"] != (schemas.LabelUse{New: 1, Reused: 2}) || v.LabelUse["action"] != (schemas.LabelUse{New: 3}) || v.Sections[2].Labels["action"] != "step 2" {
		t.Errorf("use %+v, %+v", v.LabelUse, v.Sections[2].Labels)
	}
}
