package format_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/memforge/memforge/pipeline/cli"
	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/stages/visual/format"
)

const plan = `version: 1
seed: 3
release: {name: tiny, title: Tiny, license: CC0-1.0, from: [roles, converse]}
sources: {lives: {use: visual.lives, with: {scenarios: [brand_memory], count: 2, size: {sessions: 5, rounds: 16, pictures: 10}}}}
stages:
  render: {use: visual.render, from: [lives]}
  converse: {use: visual.converse, from: [render]}
  ask: {use: visual.ask, from: [render]}
gates: {roles: {use: option-roles, from: [ask]}}
run: {out: out}
`

// command is one of memforge, which must end well.
func command(args ...string) (string, error) {
	var b bytes.Buffer
	if code := cli.Main(plugins.Registry(), args, strings.NewReader(""), &b, &b, func(string) string { return "" }); code != 0 {
		return "", fmt.Errorf("%s ends with code %d:\n%s", strings.Join(args, " "), code, b.String())
	}
	return b.String(), nil
}

func runCommand(t *testing.T, args ...string) string {
	t.Helper()
	out, err := command(args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// shelf is the folder of the release that tests share, once there is one.
var shelf string

// shared is a small release, which tests do not change.
var shared = sync.OnceValues(func() (built string, err error) {
	if shelf, err = os.MkdirTemp("", "memforge-memeye-"); err != nil {
		return "", err
	}
	file := filepath.Join(shelf, "pipeline.yaml")
	if err := os.WriteFile(file, []byte(plan), 0o644); err != nil {
		return "", err
	}
	if _, err := command("build", "--file", file); err != nil {
		return "", err
	}
	built, err = command("release", "latest", "--file", file)
	return strings.TrimSpace(built), err
})

// released is where the shared release lies.
func released(t *testing.T) string {
	t.Helper()
	dir, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// exported is the export of a small release, as a file system that may be changed.
func exported(t *testing.T) fstest.MapFS {
	t.Helper()
	dir := t.TempDir()
	runCommand(t, "export", "--format", "memeye", released(t), filepath.Join(dir, "export"))
	out := fstest.MapFS{}
	root := os.DirFS(filepath.Join(dir, "export", "memeye"))
	err := fs.WalkDir(root, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := fs.ReadFile(root, name)
		out[name] = &fstest.MapFile{Data: data, Mode: 0o644}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The files that tests change.
const (
	choice = "dialog/Brand_Memory_0000.json"
	open   = "dialog/Brand_Memory_0000_Open.json"
)

type object = map[string]any

// edit changes a file of dialogues; session, round and QA are the first that fit.
type edit func(file object, session, round, qa object)

func TestReadsWhatIsExported(t *testing.T) {
	root := exported(t)
	tasks, faults, err := format.Read(root)
	if err != nil || len(faults) > 0 {
		t.Fatalf("%v, %v", err, faults)
	}
	items := map[string]int{}
	for _, task := range tasks {
		items[task.Name] = len(task.Items)
	}
	if len(tasks) != 4 || items["Brand_Memory_0000"] < 15 || items["Brand_Memory_0000"] != items["Brand_Memory_0000_Open"] {
		t.Errorf("questions by file: %v", items)
	}
}

// TestBrokenExportsAreRefused: each breaks one rule, and is told by its code.
func TestBrokenExportsAreRefused(t *testing.T) {
	root := exported(t)
	for name, c := range broken() {
		t.Run(name, func(t *testing.T) {
			changed := maps.Clone(root)
			c.change(t, changed)
			_, faults, err := format.Read(changed)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(faults, func(f benchformat.Fault) bool { return f.Code == c.code }) {
				t.Errorf("want %s, found %v", c.code, faults)
			}
		})
	}
	if n := len(broken()); n < 25 {
		t.Errorf("%d broken exports, want at least 25", n)
	}
}

type breakage struct {
	code   string
	change func(*testing.T, fstest.MapFS)
}

// in breaks a file by an edit.
func in(code, file string, e edit) breakage {
	return breakage{code, func(t *testing.T, root fstest.MapFS) {
		var d object
		if err := json.Unmarshal(root[file].Data, &d); err != nil {
			t.Fatal(err)
		}
		s, r := pictured(d)
		e(d, s, r, d["human-annotated QAs"].([]any)[0].(object))
		data, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		root[file] = &fstest.MapFile{Data: data, Mode: 0o644}
	}}
}

// pictured is the first round with a picture, and its session.
func pictured(d object) (session, round object) {
	for _, s := range d["multi_session_dialogues"].([]any) {
		for _, r := range s.(object)["dialogues"].([]any) {
			if r.(object)["input_image"] != nil {
				return s.(object), r.(object)
			}
		}
	}
	return nil, nil
}

// file breaks an export by a file more, or another in its place.
func file(code, name string, data []byte) breakage {
	return breakage{code, func(_ *testing.T, root fstest.MapFS) { root[name] = &fstest.MapFile{Data: data, Mode: 0o644} }}
}
