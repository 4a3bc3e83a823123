package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/testkit"
)

// TestPicturesAreCutOnce: a second export, and the build from answers, need no
// frame that the first one cut. Without ffmpeg they could not cut any.
func TestPicturesAreCutOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("encodes a video; run without -short")
	}
	if _, err := media.Locate(); err != nil {
		t.Skipf("needs ffmpeg: %v", err)
	}
	server := newExhibitServer(t)
	p := exhibitProject(t, server, true)
	plan := strings.NewReplacer("  blind: {use: option-only, from: [exhibit]", "  solved: {use: oracle, from: [exhibit]").Replace(exhibitPlan)
	plan = plan[:strings.Index(plan, "  said:")] + plan[strings.Index(plan, "models:"):]
	plan = strings.ReplaceAll(strings.ReplaceAll(plan, "%[1]s", server.URL), "%[2]t", "true")
	if err := os.WriteFile(filepath.Join(p.dir, "pipeline.yaml"), []byte(plan), 0o644); err != nil {
		t.Fatal(err)
	}
	export := func(name string) map[string]string {
		t.Helper()
		dir := filepath.Join(p.dir, name)
		if code, out, errs := p.run("batch", "export", "-o", dir); code != 0 {
			t.Fatalf("exit code %d\n%s%s", code, out, errs)
		}
		return tree(t, dir)
	}
	first := export("first")
	t.Setenv("PATH", t.TempDir())
	second := export("second")
	if len(first) == 0 || len(first) != len(second) {
		t.Fatalf("%d files, then %d", len(first), len(second))
	}
	for name := range first {
		if first[name] != second[name] {
			t.Errorf("%s is another the second time", name)
		}
	}
	wantIndex(t, first)
}

// wantIndex wants a line in the index for every request, with what is asked and
// the pictures that are sent.
func wantIndex(t *testing.T, files map[string]string) {
	t.Helper()
	requests := map[string]string{} // text by custom_id
	for name, data := range files {
		if !strings.HasSuffix(name, ".jsonl") {
			continue
		}
		for line := range strings.Lines(data) {
			var r struct {
				ID string `json:"custom_id"`
			}
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatal(err)
			}
			requests[r.ID] = line
		}
	}
	shown := 0
	for line := range strings.Lines(files["index.ndjson"]) {
		var e struct {
			ID       string   `json:"custom_id"`
			File     string   `json:"file"`
			Line     int      `json:"line"`
			Node     string   `json:"node"`
			Task     string   `json:"task"`
			Item     string   `json:"item"`
			Model    string   `json:"model"`
			Question string   `json:"question"`
			Pictures []string `json:"pictures"`
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		put := requests[e.ID]
		delete(requests, e.ID)
		at := strings.Split(files[e.File], "\n")
		if put == "" || e.Line < 1 || e.Line > len(at) || at[e.Line-1]+"\n" != put {
			t.Errorf("%s does not stand in line %d of %s", e.ID, e.Line, e.File)
		}
		if e.Node != "solved" || e.Task != "gate.answer" || !strings.HasPrefix(e.Item, "q-") || e.Model == "" || !strings.Contains(e.Question, "What is shown in piece") {
			t.Errorf("index: %+v", e)
		}
		if n := strings.Count(put, "data:image/"); n == 0 || n != len(e.Pictures) {
			t.Errorf("%s sends %d pictures, the index names %d", e.ID, n, len(e.Pictures))
		}
		for _, name := range e.Pictures {
			data := []byte(files[name])
			if !bytes.HasPrefix(data, []byte("\xff\xd8\xff")) && !bytes.HasPrefix(data, []byte("\x89PNG")) {
				t.Errorf("%s is no picture", name)
			}
			shown++
		}
	}
	if len(requests) > 0 || shown == 0 {
		t.Errorf("%d requests are not in the index; %d pictures", len(requests), shown)
	}
}

// TestARefusalDoesNotEndAnExport: a node that lost more than it may ends no export
// while requests of others wait.
func TestARefusalDoesNotEndAnExport(t *testing.T) {
	server := tellServer(t)
	p := newProject(t, server, "")
	plan, err := os.ReadFile(p.file)
	if err != nil {
		t.Fatal(err)
	}
	write := func(more string) {
		t.Helper()
		stages := "  tell: {use: tell, from: [things], max_loss: 0}\n" + more + "  sum:"
		changed := strings.Replace(string(plan), "  tell: {use: tell, from: [things]}\n  sum:", stages, 1)
		changed = strings.Replace(changed, "sources:\n", "sources:\n  others: {use: things, with: {count: 25}}\n", 1)
		if err := os.WriteFile(p.file, []byte(changed), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("")
	box := filepath.Join(p.dir, "box")
	p.must("batch", "export", "-o", box)
	server.SetAnswer(func(a testkit.ChatRequest) testkit.ChatReply {
		if strings.Contains(a.User, "thing number 5\"") {
			return testkit.ChatReply{Refusal: "I would rather not say."}
		}
		return tellAnswer(a)
	})
	p.must("batch", "submit", filepath.Join(box, "scripted-0001.jsonl"))
	p.must("batch", "poll")
	if code, _, errs := p.run("batch", "export", "-o", box); code != 5 || !strings.Contains(errs, "step tell lost 1 items") {
		t.Errorf("nothing else waits: exit code %d\n%s", code, errs)
	}
	// The first twenty of the others are answered, too.
	write("  late: {use: tell, from: [others], max_loss: 0}\n")
	code, out, errs := p.run("batch", "export", "-o", box)
	if code != 0 || !strings.Contains(out, "scripted-0001.jsonl: 5 requests") || !strings.Contains(errs, "step tell lost 1 items") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}
