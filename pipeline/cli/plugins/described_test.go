package plugins_test

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/memforge/memforge/pipeline/cli"
	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testfiles"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
)

// onlooker answers what gates ask about described videos. It knows the answers
// that it was told, and gives them when it sees pictures and is told when they
// are and how the whole goes on; of anything else it knows nothing.
type onlooker struct {
	t    *testing.T
	mu   sync.Mutex
	gold map[string]string
	// asked counts requests by task, or by what is shown of a view.
	asked map[string]int
}

func (o *onlooker) answer(a testkit.ChatRequest) testkit.ChatReply {
	o.mu.Lock()
	defer o.mu.Unlock()
	var question, setting string
	var options []struct{ Letter, Text string }
	read := func(tag string, v any) bool {
		there := strings.Contains(a.User, "<"+tag+">")
		if err := a.Data(tag, v); there && err != nil {
			o.t.Error(err)
		}
		return there
	}
	read("question", &question)
	read("setting", &setting)
	placed := strings.Contains(setting, "lasts") && strings.Contains(a.User, `"span"`)
	switch {
	case a.Task == "gate_shipped":
		o.asked["shipped"]++
		return testkit.ReplyJSON(map[string]string{"why": "There is none.", "answerable": "yes", "unambiguous": "yes", "grammatical": "yes", "self_contained": "yes"})
	case a.Task == "gate_contradiction":
		o.asked["neither"]++
		return testkit.ReplyJSON(map[string]string{"why": "It is so.", "contradicted": "no"})
	case a.Task == "gate_support":
		o.asked["judged"]++
		if !strings.Contains(a.User, "<options>") || !placed || len(a.Images) == 0 || len(a.Images) > 8 {
			o.t.Errorf("a judge is shown %d pictures and\n%s", len(a.Images), a.User)
		}
		return testkit.ReplyJSON(map[string]string{"why": "It is so.", "supported": "yes"})
	}
	read("options", &options)
	if len(a.Images) > 0 {
		o.asked["seen"]++
	} else {
		o.asked["blind"]++
	}
	if (len(a.Images) > 0) != placed {
		o.t.Errorf("%d pictures, time and layout told: %t\n%s", len(a.Images), placed, a.User)
	}
	for _, c := range options {
		if len(a.Images) > 0 && c.Text == o.gold[question] {
			return testkit.ReplyJSON(map[string]string{"why": "It is so.", "answer": c.Letter})
		}
	}
	return testkit.ReplyJSON(map[string]string{"why": "Nothing tells.", "answer": "unknown"})
}

// scenes writes a clip of ten seconds, each of another colour, in which a block
// moves. A clip has four of five colours, and no green or yellow, of which one
// can ask what is true of neither.
func scenes(t *testing.T, file string, first int) {
	t.Helper()
	const fps, width, height, seconds = 25, 160, 96, 10
	grounds := []color.RGBA{{220, 40, 30, 255}, {30, 60, 220, 255}, {20, 20, 20, 255}, {240, 240, 240, 255}, {150, 60, 190, 255}}[first-1:][:4]
	path, err := media.Lazy().EncodeFrames(t.Context(), media.FrameSpec{Width: width, Height: height, FPS: fps}, func(n int64) (*image.RGBA, bool, error) {
		img := image.NewRGBA(image.Rect(0, 0, width, height))
		section := int(n) / fps
		draw.Draw(img, img.Bounds(), image.NewUniform(grounds[(first+section*(first+2))%len(grounds)]), image.Point{}, draw.Src)
		x := (int(n) * (first + section%4)) % (width - 30)
		draw.Draw(img, image.Rect(x, 10+30*(section%3), x+30, 34+30*(section%3)), image.NewUniform(grounds[(first+section+3)%len(grounds)]), image.Point{}, draw.Src)
		return img, n < seconds*fps, nil
	}, t.TempDir(), media.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path, file); err != nil {
		t.Fatal(err)
	}
}

// TestDescribedByAModel builds docs/described-videos-model.yaml over two small
// clips: every question that comes out passed all gates that ask a model, and
// the release can be audited. The built-in model describes and asks, a scripted
// server judges.
func TestDescribedByAModel(t *testing.T) {
	t.Parallel()
	if !testsize.Full() {
		t.Skip("builds two examples of videos, which make test-all does")
	}
	if _, err := media.Locate(); err != nil {
		t.Skipf("needs ffmpeg: %v", err)
	}
	clips := t.TempDir()
	scenes(t, filepath.Join(clips, "one.mp4"), 1)
	if err := os.Mkdir(filepath.Join(clips, "fixed"), 0o755); err != nil {
		t.Fatal(err)
	}
	scenes(t, filepath.Join(clips, "fixed", "two-detection.mp4"), 2)
	// Titles, for the built-in model can say little about two clips that is not in
	// the names it gives them.
	titles := filepath.Join(clips, "titles.csv")
	if err := os.WriteFile(titles, []byte("file,title\none.mp4,the cup\ntwo-detection.mp4,the box\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := &onlooker{t: t, gold: map[string]string{}, asked: map[string]int{}}
	server := testkit.NewModelServer(t, o.answer)
	small := []string{
		"sources.table.with.path=" + clips, "sources.fixed.with.path=" + filepath.Join(clips, "fixed"), "sources.table.with.include=[one.mp4]", "sources.fixed.with.include=[two-detection.mp4]",
		"sources.table.with.labels_file=" + titles, "sources.fixed.with.labels_file=" + titles,
		"stages.pair.with.within=[category]", "stages.concat.with.orders=[AB, BA]", "stages.interleave.with.orders=[AB]", "stages.split.with.preset=ultrafast",
		"stages.normalise.with.profile.width=160", "stages.normalise.with.profile.height=96", "stages.normalise.with.profile.preset=ultrafast",
		"stages.author-split.with.types=[content_retention]", "stages.author-interleaved.with.types=[false_memory_discrimination, source_memory]",
		"run.store=" + filepath.Join(clips, "store"),
	}
	// The built-in model describes and asks the same in both.
	blank := buildExample(t, "described-videos.yaml", append(small, "stages.segment.with.frames=8", "stages.describe.with.frames=4"))
	for _, q := range blank.Questions {
		o.gold[q.Question] = q.AnswerText
	}
	sets := append(small, "models.eyes.base_url="+server.URL, "models.others.base_url="+server.URL, "roles.captioner=built-in", "roles.author=built-in")
	c := buildExample(t, "described-videos-model.yaml", sets)
	args := []string{"-f", testfiles.Repo(t, "docs/described-videos-model.yaml")}
	for _, s := range sets {
		args = append(args, "--set", s)
	}
	checkForecast(t, c, server.Counts(), true, args...)
	if len(c.Questions) == 0 || len(c.Questions) != len(blank.Questions) {
		t.Errorf("%d questions of %d are released", len(c.Questions), len(blank.Questions))
	}
	passed := map[string]int{}
	for _, v := range c.Verdicts {
		if v.Outcome == schemas.Pass {
			passed[v.Gate]++
		}
	}
	for _, gate := range []string{"blind", "solvable", "established", "shipped"} {
		if passed[gate] != len(c.Questions) {
			t.Errorf("%d of %d questions passed %s", passed[gate], len(c.Questions), gate)
		}
	}
	for _, what := range []string{"blind", "seen", "judged", "neither", "shipped"} {
		if o.asked[what] == 0 {
			t.Errorf("nobody was asked %s: %v", what, o.asked)
		}
	}
	fitted := 0
	for _, p := range c.Probes {
		if p.Pictures > 8 || (p.Pictures > 0) != (p.View != "none") {
			t.Errorf("view %s has %d of %d pictures", p.View, p.Pictures, p.PicturesFull)
		}
		if p.Pictures < p.PicturesFull {
			fitted++
		}
	}
	if fitted == 0 {
		t.Error("no view was fitted to a model that takes 8 pictures")
	}
	if code, said := memforge("audit", c.Dir); code != 0 || !strings.Contains(said, "clean") {
		t.Errorf("audit: exit code %d\n%s", code, said)
	}
	// What the built-in author wrote is no benchmark of somebody else's.
	if code, said := memforge("export", "--format", "m3eval", c.Dir, t.TempDir()); code != 4 || !strings.Contains(said, "--allow-built-in") {
		t.Errorf("export: exit code %d\n%s", code, said)
	}
	if code, said := memforge("export", "--format", "m3eval", "--allow-built-in", c.Dir, t.TempDir()); code != 0 || !strings.Contains(said, "note: ") || !strings.Contains(said, "memforge-built-in") {
		t.Errorf("marked export: exit code %d\n%s", code, said)
	}
}

// memforge runs a command line and returns the exit code and what was printed.
func memforge(args ...string) (int, string) {
	var out bytes.Buffer
	code := cli.Main(plugins.Registry(), args, strings.NewReader(""), &out, &out, func(string) string { return "" })
	return code, out.String()
}

// buildExample builds a configuration of docs/ and reads the release.
func buildExample(t *testing.T, name string, sets []string) release.Contents {
	t.Helper()
	args := []string{"build", "-f", testfiles.Repo(t, "docs/"+name), "--out", t.TempDir()}
	for _, s := range sets {
		args = append(args, "--set", s)
	}
	var out, errs bytes.Buffer
	if code := cli.Main(plugins.Registry(), args, strings.NewReader(""), &out, &errs, func(k string) string { return map[string]string{"EYES_KEY": "key"}[k] }); code != 0 {
		t.Fatalf("%s: exit code %d\n%s%s", name, code, &out, &errs)
	}
	printed := strings.Fields(out.String())
	c, err := release.Read(t.Context(), printed[len(printed)-1])
	if err != nil {
		t.Fatal(err)
	}
	return c
}
