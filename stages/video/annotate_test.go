package video

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// says answers each clip in turn.
func says(t *testing.T, answers ...labelAnswer) func(pipeline.Request) (any, error) {
	t.Helper()
	return func(pipeline.Request) (any, error) {
		if len(answers) == 0 {
			t.Fatal("one request too many")
		}
		a := answers[0]
		answers = answers[1:]
		return a, nil
	}
}

func both(scene string, oldScene bool, action string, oldAction bool) labelAnswer {
	return labelAnswer{Scene: proposedLabel{scene, oldScene}, Action: proposedLabel{action, oldAction}}
}

// TestAnnotateKeepsARunningList checks that each clip is asked with the labels
// so far, and that the record counts new and reused ones.
func TestAnnotateKeepsARunningList(t *testing.T) {
	b := newBench(t)
	m := b.script(says(t, both("Kitchen", false, "sifting", false), both("the kitchen.", true, "kneading", false), both("garden", true, "Sifting", false)))
	out, lost := b.run("video.annotate", "", b.cook("bread"))
	v := oneVideo(t, out, lost)
	var got []string
	for _, s := range v.Sections {
		got = append(got, s.Labels["scene"]+"/"+s.Labels["action"])
	}
	if !slices.Equal(got, []string{"kitchen/sifting", "kitchen/kneading", "garden/sifting"}) {
		t.Errorf("labels %q", got)
	}
	want := map[string]schemas.LabelUse{"scene": {New: 2, Reused: 1, Misstated: 1}, "action": {New: 2, Reused: 1, Misstated: 1}}
	if !reflect.DeepEqual(v.LabelUse, want) || v.Annotator != "scripted-1" {
		t.Errorf("use %+v by %q", v.LabelUse, v.Annotator)
	}
	var shown [][]string
	for _, r := range m.requests {
		in := input[labelInput](t, r)
		shown = append(shown, in.Scenes, in.Actions)
		if in.ScenesClosed || in.Problem != "" || len(r.Images()) != 2 || in.Index != len(shown)/2 {
			t.Errorf("asked with %+v", in)
		}
	}
	if !reflect.DeepEqual(shown, [][]string{nil, nil, {"kitchen"}, {"sifting"}, {"kitchen"}, {"sifting", "kneading"}}) &&
		!reflect.DeepEqual(shown, [][]string{{}, {}, {"kitchen"}, {"sifting"}, {"kitchen"}, {"sifting", "kneading"}}) {
		t.Errorf("lists shown: %q", shown)
	}
}

func TestAnnotateAsksAgain(t *testing.T) {
	b := newBench(t)
	good := both("kitchen", true, "kneading", true)
	m := b.script(says(t, good, both("pantry", false, "kneading", true), good, good))
	patch := `{"scenes": ["kitchen", "garden"], "actions": ["kneading", "sifting"]}`
	out, lost := b.run("video.annotate", patch, b.cook("bread"))
	v := oneVideo(t, out, lost)
	if again := input[labelInput](t, m.requests[2]); again.Index != 2 || !strings.Contains(again.Problem, `scene label "pantry" is not in the closed list; choose one of kitchen, garden`) {
		t.Errorf("asked again with %+v", again)
	}
	if want := (schemas.LabelUse{Reused: 3}); v.LabelUse["scene"] != want || v.LabelUse["action"] != want {
		t.Errorf("a refused answer left a trace: %+v", v.LabelUse)
	}
	b = newBench(t)
	bad := both("pantry", false, "kneading", true)
	b.script(says(t, good, bad, bad))
	if out, lost := b.run("video.annotate", patch, b.cook("bread")); len(out) != 0 || len(lost) != 1 || lost[0].Code != "bad-label" || !strings.Contains(lost[0].Reason, "section 2 of 3") {
		t.Errorf("%d videos, lost %+v", len(out), lost)
	}
}

// TestAnnotateTakesWhatIsKnown asks only for what the source does not say.
func TestAnnotateTakesWhatIsKnown(t *testing.T) {
	b := newBench(t)
	known := func(r pipeline.Record, labels map[string]string, events ...schemas.Event) pipeline.Record {
		v, err := pipeline.Decode[schemas.Video](r)
		if err != nil {
			t.Fatal(err)
		}
		v.Labels, v.Events = labels, events
		if r, err = pipeline.NewRecord(schemas.NameVideo, r.ID, v, r.Blobs...); err != nil {
			t.Fatal(err)
		}
		return r
	}
	shows := schemas.Event{Kind: "shows", Object: "Waving", Start: 0, End: 10}
	m := b.script(says(t, both("x", false, "resting", false), both("y", false, "resting", true)))
	out, lost := b.run("video.annotate", "", known(b.cook("bread"), map[string]string{"scene": "The Pier"}, shows))
	v := oneVideo(t, out, lost)
	if v.Sections[0].Labels["action"] != "waving" || v.Sections[1].Labels["action"] != "resting" || v.Sections[2].Labels["scene"] != "pier" || len(m.requests) != 2 {
		t.Errorf("%d requests, sections %+v", len(m.requests), v.Sections)
	}
	if v.LabelUse["scene"] != (schemas.LabelUse{Known: 3}) || v.LabelUse["action"] != (schemas.LabelUse{Known: 1, New: 1, Reused: 1}) {
		t.Errorf("use %+v", v.LabelUse)
	}
	b.script(says(t))
	out, lost = b.run("video.annotate", "", known(b.cook("bread"), map[string]string{"scene": "pier", "action": "waving"}))
	if v = oneVideo(t, out, lost); v.Annotator != "" {
		t.Errorf("nobody was asked, and %q is named", v.Annotator)
	}
}

func TestAnnotateByTheBuiltInModel(t *testing.T) {
	b := newBench(t)
	out, lost := b.run("video.annotate", "", b.cook("bread"))
	v := oneVideo(t, out, lost)
	if v.Sections[0].Labels["scene"] != "dark green and red" || v.Sections[0].Labels["action"] != "no movement" || v.Annotator != pipeline.BuiltInModel {
		t.Errorf("%s: %+v", v.Annotator, v.Sections[0].Labels)
	}
	out, lost = b.run("video.annotate", `{"scenes": ["kitchen", "garden"]}`, b.cook("bread"))
	if len(out) != 0 || len(lost) != 1 || lost[0].Code != "closed-list" {
		t.Errorf("a closed list: %d videos, lost %+v", len(out), lost)
	}
}

func TestConfigurationsAreChecked(t *testing.T) {
	bad := map[string]error{}
	try := func(name string, _ pipeline.Stage, err error) { bad[name] = err }
	annotate := func(change func(*AnnotateConfig)) (pipeline.Stage, error) {
		var c AnnotateConfig
		c.SetDefaults()
		change(&c)
		return newAnnotate(c)
	}
	wrap := func(name string) func(pipeline.Stage, error) {
		return func(s pipeline.Stage, err error) { try(name, s, err) }
	}
	wrap("one scene")(annotate(func(c *AnnotateConfig) { c.Scenes = []string{"kitchen"} }))
	wrap("equal actions")(annotate(func(c *AnnotateConfig) { c.Actions = []string{"a run", "run"} }))
	wrap("frames")(annotate(func(c *AnnotateConfig) { c.Frames = -1 }))
	wrap("attempts")(annotate(func(c *AnnotateConfig) { c.Attempts = 0 }))
	wrap("caption_chars")(newDescribe(DescribeConfig{Frames: 1, CaptionChars: -1}))
	wrap("types")(newAuthor(AuthorConfig{Types: []string{"riddle"}, QuestionsPerTarget: 1, Attempts: 1}))
	wrap("questions_per_target")(newAuthor(AuthorConfig{QuestionsPerTarget: 0, Attempts: 1}))
	wrap("author attempts")(newAuthor(AuthorConfig{QuestionsPerTarget: 1, Attempts: 9}))
	for name, err := range bad {
		if err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}
