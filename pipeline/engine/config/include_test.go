package config_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/engine/config"
)

// load writes files into a folder and loads pipeline.yaml of it. Paths in the
// error are relative to the folder.
func load(t *testing.T, files map[string]string, sets ...string) (*config.Config, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c, err := config.Load(filepath.Join(dir, "pipeline.yaml"), registry(), sets)
	if err == nil {
		return c, ""
	}
	return nil, strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "")
}

const included = `version: 1
seed: 7
release: {name: demo, title: A demo, license: CC-BY-4.0, from: [roles, ask]}
include: [families/ask.yaml]
stages:
  probe: {use: video.probe, from: [films], with: {size: {width: 640}, wait: 2m}, max_loss: 0.2}
run:
  limits: {cpu: 2, ffmpeg: 1}
`

// TestIncludedNodesAreThoseOfOneFile: whatever moves into an included file, plan
// and keys are the same, and overrides reach it.
func TestIncludedNodesAreThoseOfOneFile(t *testing.T) {
	files := map[string]string{
		"pipeline.yaml": included,
		"families/ask.yaml": `include: [more/films.yaml]
stages:
  ask: {use: video.ask, from: [probe]}
gates:
  roles: {use: interference-roles, from: [ask], on_fail: keep}
`,
		"families/more/films.yaml": `sources: {films: {use: procedural, with: {count: 12, styles: [noir]}}}`,
	}
	for _, sets := range [][]string{nil, {"sources.films.with.count=3", "gates.roles.on_fail=drop"}} {
		got, why := load(t, files, sets...)
		if why != "" {
			t.Fatal(why)
		}
		if want := parse(t, good, sets...); !reflect.DeepEqual(got.Plan, want.Plan) || !reflect.DeepEqual(got.Run, want.Run) {
			t.Errorf("%v\n got %s\nwant %s", sets, dump(got.Plan), dump(want.Plan))
		}
	}
}

func TestWhatCannotBeIncluded(t *testing.T) {
	const ask = "stages:\n  ask: {use: video.ask, from: [probe]}\n"
	whole := strings.Replace(good, "seed: 7\n", "seed: 7\ninclude: [%s]\n", 1)
	for name, tc := range map[string]struct {
		files map[string]string // besides pipeline.yaml, which includes a.yaml
		want  []string
	}{
		"no such file":         {nil, []string{`pipeline.yaml:3:11: include "a.yaml"`, "no such file"}},
		"a step of the file":   {map[string]string{"a.yaml": ask}, []string{`a.yaml:2:3: the name "ask" is taken at pipeline.yaml:9:3; an included file replaces nothing`}},
		"a name of a source":   {map[string]string{"a.yaml": "gates: {films: {use: interference-roles, from: [ask]}}"}, []string{`a.yaml:1:9: the name "films" is taken by one of the sources`}},
		"another block":        {map[string]string{"a.yaml": "gates: {}\nrelease: {name: x}"}, []string{`a.yaml:2:1: key "release" cannot stand in an included file; it may hold: gates, include, sources, stages`}},
		"a block misspelt":     {map[string]string{"a.yaml": "sourcs: {}"}, []string{`a.yaml:1:1: key "sourcs" cannot stand in an included file; did you mean "sources"?`}},
		"a mistake in a node":  {map[string]string{"a.yaml": "stages:\n  more:\n    use: video.ask\n    form: [probe]"}, []string{`a.yaml:4:5: unknown key "form"; did you mean "from"?`}},
		"a mistake in YAML":    {map[string]string{"a.yaml": "stages: [\n"}, []string{"a.yaml:1:", "not valid YAML"}},
		"a list":               {map[string]string{"a.yaml": "[x]"}, []string{"a.yaml:1:1: an included file holds sources, stages and gates, this one has a list"}},
		"a block that is none": {map[string]string{"a.yaml": "stages: 3"}, []string{"a.yaml:1:9: want a block of keys, have the number 3"}},
		"itself":               {map[string]string{"a.yaml": "include: [a.yaml]"}, []string{"a.yaml:1:11: the files include each other in a cycle: a.yaml -> a.yaml"}},
		"a cycle":              {map[string]string{"a.yaml": "include: [b/b.yaml]", "b/b.yaml": "include: [../a.yaml]"}, []string{"b/b.yaml:1:11: the files include each other in a cycle: a.yaml -> b/b.yaml -> a.yaml"}},
		"the file itself":      {map[string]string{"a.yaml": "include: [pipeline.yaml]"}, []string{"a.yaml:1:11: the files include each other in a cycle: pipeline.yaml -> a.yaml -> pipeline.yaml"}},
		"one file twice":       {map[string]string{"a.yaml": "include: [b.yaml, ./b.yaml]", "b.yaml": "gates: {}"}, []string{`a.yaml:1:19: "./b.yaml" is included a second time; the first is at a.yaml:1:11`}},
		"out of the folder":    {map[string]string{"a.yaml": "include: [../a.yaml]"}, []string{`a.yaml:1:11: include "../a.yaml": want a path below the folder`}},
		"an absolute path":     {map[string]string{"a.yaml": "include: [/etc/passwd]"}, []string{`a.yaml:1:11: include "/etc/passwd": want a path below the folder`}},
		"a folder":             {map[string]string{"a.yaml/x": ""}, []string{`pipeline.yaml:3:11: include "a.yaml": it is no regular file`}},
		"no list":              {map[string]string{"a.yaml": "include: b.yaml"}, []string{"a.yaml:1:10: want a list, have the text"}},
		"a large file":         {map[string]string{"a.yaml": strings.Repeat("# much\n", 160_000)}, []string{"a.yaml:1:1: the file has"}},
	} {
		files := map[string]string{"pipeline.yaml": fmt.Sprintf(whole, "a.yaml")}
		for file, text := range tc.files {
			files[file] = text
		}
		_, got := load(t, files)
		for _, want := range tc.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s:\n got %s\nwant %s", name, got, want)
			}
		}
	}
}

// TestALinkOutOfTheFolderIsNotFollowed.
func TestALinkOutOfTheFolderIsNotFollowed(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret.yaml")
	dir := t.TempDir()
	file := filepath.Join(dir, "pipeline.yaml")
	err := errors.Join(
		os.WriteFile(outside, []byte("gates: {}"), 0o644),
		os.WriteFile(file, []byte(strings.Replace(good, "seed: 7\n", "include: [a.yaml]\n", 1)), 0o644),
		os.Symlink(outside, filepath.Join(dir, "a.yaml")),
	)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := config.Load(file, registry(), nil); err == nil || !strings.Contains(err.Error(), `include "a.yaml"`) {
		t.Errorf("%v", err)
	}
}

func TestOnlyFilesInclude(t *testing.T) {
	_, err := config.Parse("given", []byte("include: [a.yaml]\n"+good), registry(), nil)
	if err == nil || !strings.Contains(err.Error(), "given:1:1: only a configuration that is a file includes others") {
		t.Errorf("%v", err)
	}
}
