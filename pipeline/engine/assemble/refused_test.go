package assemble_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/engine/explain"
	"github.com/memforge/memforge/pipeline/engine/progress"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/schemas"
)

// lookAt asks one question about each video that can be played.
type lookAt struct{}

func (lookAt) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{schemas.NameVideo}, Emits: []string{schemas.NameTask, schemas.NameQuestion}}
}

func (lookAt) Map(_ context.Context, _ *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	task := "task-" + in.ID
	q := quizQuestion("q-"+in.ID, task, "What does "+in.ID+" show")
	t, err := pipeline.NewRecord(schemas.NameTask, task, schemas.Task{TaskID: task, Family: "quiz", Domain: "quiz", SourceRecords: []string{"clips"}})
	if err != nil {
		return nil, err
	}
	r, err := pipeline.NewRecord(schemas.NameQuestion, q.QuestionID, q)
	return []pipeline.Record{t, r}, err
}

func lookRegistry(t *testing.T) *pipeline.Registry {
	t.Helper()
	reg := plugins.Registry()
	pipeline.AddStage(reg, "test.look", "1", "ask about a video", func(struct{}) (pipeline.Stage, error) { return lookAt{}, nil })
	if err := reg.Err(); err != nil {
		t.Fatal(err)
	}
	return reg
}

// clipFolder has a sound clip, one with fields, and n files that no video is in.
func clipFolder(t *testing.T, dir string, n int) (broken []string) {
	t.Helper()
	needFFmpeg(t)
	if err := os.MkdirAll(filepath.Join(dir, "deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{
		"sound.mp4":  {"-c:v", "libx264", "-pix_fmt", "yuv420p"},
		"fields.mkv": {"-c:v", "mpeg2video", "-flags", "+ildct+ilme", "-top", "1", "-b:v", "3M"},
	} {
		args = slices.Concat([]string{"-v", "error", "-f", "lavfi", "-i", "testsrc=d=1:s=160x92:r=25"}, args, []string{filepath.Join(dir, name)})
		if out, err := exec.CommandContext(t.Context(), "ffmpeg", args...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
	}
	for i := range n {
		name := fmt.Sprintf("deep/broken-%02d.mp4", i)
		broken = append(broken, name)
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), fmt.Appendf(nil, "no video %d", i), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return broken
}

const lookPlan = `version: 1
release: {name: looks, from: [look]}
sources:
  clips: {use: dir, with: {path: clips, license: CC0-1.0}}
stages:
  probe: {use: video.probe, from: [clips], max_loss: 1}
  look: {use: test.look, from: [probe]}
`

// TestRefusedFilesAreNamed: table, report, progress and explain give the source,
// the path and the reason of each of 20 files that do not play, and what is odd
// about one that does stands in table, funnel and report.
func TestRefusedFilesAreNamed(t *testing.T) {
	t.Parallel()
	reg, home := lookRegistry(t), t.TempDir()
	broken := clipFolder(t, filepath.Join(home, "clips"), 20)
	file := filepath.Join(home, "pipeline.yaml")
	if err := os.WriteFile(file, []byte(lookPlan), 0o644); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(file, reg, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := assemble.Build(t.Context(), reg, cfg, assemble.Options{Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	progress.New(&said, progress.Text, time.Now).ReportLosses(res.Losses)
	report, err := os.ReadFile(filepath.Join(res.Release.Dir, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := release.Read(t.Context(), res.Release.Dir)
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.OpenReadOnly(t.Context(), cfg.StoreDir())
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	for _, name := range broken {
		i := slices.IndexFunc(c.Rejections, func(r schemas.Rejection) bool { return r.Path == name })
		if i < 0 {
			t.Fatalf("%s is in no row of rejections: %+v", name, c.Rejections)
		}
		r := c.Rejections[i]
		if r.Source != "clips" || r.Stage != "probe" || r.Reason == "" {
			t.Errorf("%s: %+v", name, r)
		}
		if !bytes.Contains(report, []byte(`<td>clips</td><td data-head="file">`+name+`</td><td data-head="step">probe</td><td data-head="why">`+r.Code)) {
			t.Errorf("the report does not name %s", name)
		}
		if want := "refused by probe: clips " + name + " (" + r.ID + "): " + r.Code + ": " + r.Reason; !strings.Contains(said.String(), want) {
			t.Errorf("progress does not say %q:\n%s", want, &said)
		}
		lines, err := explain.Record(t.Context(), reg, st, r.ID)
		if err != nil || !strings.Contains(fmt.Sprint(lines), "it is "+name) {
			t.Errorf("explain %s: %v, %v", r.ID, lines, err)
		}
	}
	notesAreTold(t, reg, c, report)
}

func notesAreTold(t *testing.T, reg *pipeline.Registry, c release.Contents, report []byte) {
	t.Helper()
	for _, s := range c.Sources {
		switch s.Path {
		case "fields.mkv":
			if len(s.Notes) != 1 || s.Notes[0].Code != "interlaced" || !strings.HasPrefix(s.Notes[0].Item, "video-") {
				t.Errorf("%s has notes %+v", s.Path, s.Notes)
			}
		default:
			if len(s.Notes) != 0 {
				t.Errorf("%s has notes %+v", s.Path, s.Notes)
			}
		}
	}
	for _, row := range c.Manifest.RecordCounts {
		want := []manifest.ReasonCount(nil)
		if row.Step == "probe" {
			want = []manifest.ReasonCount{{Code: "interlaced", Count: 1}}
		}
		if !slices.Equal(row.Notes, want) {
			t.Errorf("funnel, %s: notes %v", row.Step, row.Notes)
		}
	}
	if !bytes.Contains(report, []byte(`<td>clips</td><td data-head="file">fields.mkv</td>`)) || !bytes.Contains(report, []byte(`>interlaced 1</td>`)) {
		t.Error("the report does not tell of the note")
	}
	for name, change := range map[string]func(*release.Contents){
		"": func(*release.Contents) {},
		"a note dropped": func(c *release.Contents) {
			c.Sources = slices.Clone(c.Sources)
			for i := range c.Sources {
				c.Sources[i].Notes = nil
			}
		},
	} {
		forged := c
		change(&forged)
		found, err := audit.Run(t.Context(), reg, forged)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(found.Parts, func(p audit.Part) bool { return p.Name == "sources" })
		if (found.Parts[i].State == audit.Differs) != (name != "") {
			t.Errorf("audit, %q: %+v", name, found.Parts[i])
		}
	}
}
