package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/cli"
	"github.com/memforge/memforge/sources/dialogs"
)

// TestAnUnsetKeyIsToldBeforeWork: plan warns of it, and a build that has to ask ends before it
// makes anything; what is recorded or kept needs no key.
func TestAnUnsetKeyIsToldBeforeWork(t *testing.T) {
	server := tellServer(t)
	p := newProject(t, server, "    key_env: THE_KEY\n")
	out := filepath.Join(p.dir, "out")
	told := func(step string, want int, args ...string) {
		t.Helper()
		code, _, errs := p.run(args...)
		if code != want || !strings.Contains(errs, "the environment variable THE_KEY is not set; set it") {
			t.Errorf("%s: exit code %d, want %d\n%s", step, code, want, errs)
		}
	}
	told("plan", 0, "plan")
	told("build", 9, "build")
	if made, _ := filepath.Glob(filepath.Join(out, "store", "results", "*")); len(made) > 0 || server.Counts().Requests > 0 {
		t.Errorf("%d results and %d requests before the key was missed", len(made), server.Counts().Requests)
	}
	if code, _, errs := p.run("build", "--only", "things"); code != 0 || strings.Contains(errs, "THE_KEY") {
		t.Errorf("a step that asks nothing: exit code %d\n%s", code, errs)
	}
	p.env["THE_KEY"] = "sk-1"
	if code, _, errs := p.run("build"); code != 0 || strings.Contains(errs, "THE_KEY") {
		t.Fatalf("with a key: exit code %d\n%s", code, errs)
	}
	delete(p.env, "THE_KEY")
	told("kept", 0, "build")
	if err := os.RemoveAll(filepath.Join(out, "store")); err != nil {
		t.Fatal(err)
	}
	told("recorded", 0, "build")
}

// TestPanelsAreToldBeforeWork: one that names no model, and one without a model for a role
// that a gate asks, with which an audit would end before it asks.
func TestPanelsAreToldBeforeWork(t *testing.T) {
	const plan = `version: 1
release: {name: exam, license: CC0-1.0, from: [blind]}
sources: {exam: {use: exam, with: {count: 4}}}
gates: {blind: {use: option-only, from: [exam], with: {roles: [panel_a]}}}
models: {m: {base_url: "http://127.0.0.1:1/v1", model: m}}
panels: {others: {ROLE: MODEL}}
`
	p := &project{t: t, file: filepath.Join(t.TempDir(), "pipeline.yaml")}
	for _, c := range []struct {
		role, model string
		code        int
		want        string
	}{
		{"panel_a", "m", 0, ""},
		{"panel_a", "absent", 3, `role "panel_a": no model is called "absent"`},
		{"panel_b", "m", 0, "warning: panel others has no model for the role panel_a, which gates ask"},
	} {
		text := strings.NewReplacer("ROLE", c.role, "MODEL", c.model).Replace(plan)
		if err := os.WriteFile(p.file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if code, _, errs := p.run("plan"); code != c.code || !strings.Contains(errs, c.want) || c.want == "" && strings.Contains(errs, "panel") {
			t.Errorf("%s for %s: exit code %d\n%s", c.model, c.role, code, errs)
		}
	}
}

// TestRefusedPicturesAreToldBeforeWork: plan warns of them, and a build ends at once where no
// other picture is left.
func TestRefusedPicturesAreToldBeforeWork(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "pipeline.yaml")
	for name, text := range map[string]string{
		"pipeline.yaml": "version: 1\nrelease: {name: talks, license: CC0-1.0, from: [talks]}\nsources: {talks: {use: dialogs, with: {path: talks, license: CC0-1.0, exclude: ['**/skip*']}}}\n",
		"talks/a/x.GIF": "GIF89a", "talks/a/y.heic": "", "talks/skip.bmp": "", "talks/notes.txt": "",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) (int, string) {
		r := pipeline.NewRegistry()
		dialogs.Register(r)
		var out bytes.Buffer
		code := cli.Main(r, append(args, "-f", file), strings.NewReader(""), &out, &out, os.Getenv)
		return code, out.String()
	}
	const all = "source talks: 2 of 2 pictures are GIF, HEIC (such as a/x.GIF), and a release takes PNG, JPEG and WebP"
	if code, out := run("plan"); code != 0 || !strings.Contains(out, "warning: "+all) {
		t.Errorf("plan: exit code %d\n%s", code, out)
	}
	if code, out := run("build"); code != 3 || !strings.Contains(out, "sources.talks cannot be built: "+all) {
		t.Errorf("build: exit code %d\n%s", code, out)
	}
	if err := os.WriteFile(filepath.Join(dir, "talks/z.png"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	const some = "warning: source talks: 2 of 3 pictures are GIF, HEIC"
	if code, out := run("build"); code == 3 || !strings.Contains(out, some) {
		t.Errorf("build with one that is taken: exit code %d\n%s", code, out)
	}
	if err := os.RemoveAll(filepath.Join(dir, "talks")); err != nil {
		t.Fatal(err)
	}
	if code, out := run("plan"); code != 0 || strings.Contains(out, "pictures are") {
		t.Errorf("plan without the folder: exit code %d\n%s", code, out)
	}
}
