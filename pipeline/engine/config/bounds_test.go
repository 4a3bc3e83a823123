package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/engine/config"
)

// TestBoundsOfTheFile: values at a bound are taken, and those beyond are named with their place.
func TestBoundsOfTheFile(t *testing.T) {
	with := func(old, new string) string { return strings.Replace(good, old, new, 1) }
	long := "a" + strings.Repeat("b", 63)
	for text, want := range map[string]string{
		good: "",
		good + "reference: {name: a paper, hours: 0, videos: 0, questions: 0}\n": "",
		good + "reference: {hours: 1}\n":                                         "the reference needs a name",
		good + "reference: {name: x, hours: -0.5}\n":                             "hours -0.5, videos 0 and questions 0 of the reference: none may be below 0",
		good + "reference: {name: x, videos: -1}\n":                              "videos -1",
		good + "reference: {name: x, questions: -1}\n":                           "questions -1",
		good + "max_loss: 0\n":                                                   "",
		good + "max_loss: 1\n":                                                   "",
		good + "max_loss: 1.01\n":                                                "max_loss 1.01: want a share from 0 to 1",
		good + "max_loss: -0.01\n":                                               "max_loss -0.01: want a share from 0 to 1",
		good + "max_insufficient: 1\n":                                           "",
		good + "max_insufficient: 1.1\n":                                         "max_insufficient 1.1: want a share from 0 to 1",
		with("name: demo", "name: "+long):                                        "",
		with("name: demo", "name: "+long+"c"):                                    "want 1 to 64 of a-z",
		with("name: demo", "name: Demo"):                                         "want 1 to 64 of a-z",
		with("name: demo, ", ""):                                                 `release name ""`,
		with("name: demo", "name: demo, version: 1.0.0"):                         "",
		with("name: demo", "name: demo, version: \"1.0\""):                       `release version "1.0"`,
		with("version: 1\n", ""):                                                 `the file needs "version: 1"`,
		with("version: 1\n", "version: 2\n"):                                     "version 2 is not known",
		with("from: [roles, ask]", "from: []"):                                   "the release needs from",
	} {
		_, err := config.Parse("pipeline.yaml", []byte(text), registry(), nil)
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q in\n%s", err, want, text)
		}
	}
}

// TestFilesOfModelsAlone are read by commands that build nothing; any other file is read whole.
func TestFilesOfModelsAlone(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) string {
		path := filepath.Join(dir, "pipeline.yaml")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const models = "models: {m: {base_url: \"http://127.0.0.1:1/v1\", model: x}}\nroles: {judge: m}\n"
	for text, want := range map[string]string{
		models: "", "version: 1\n" + models + "run: {out: elsewhere}\npanels: {p: {judge: m}}\n": "", "run: {}\n": "",
		models + "seed: 3\n": `the file needs "version: 1"`, "{}\n": `the file needs "version: 1"`, "[]\n": "", models + "run: {workers: -1}\n": "workers", "a: [\n": "pipeline.yaml:",
	} {
		c, err := config.LoadModels(write(text), registry(), nil)
		if text == "[]\n" {
			if err == nil {
				t.Error("a list is a configuration")
			}
			continue
		}
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
			continue
		}
		if err == nil && (c.Dir != dir || c.File != filepath.Join(dir, "pipeline.yaml")) {
			t.Errorf("%q: it lies in %q", text, c.Dir)
		}
		if strings.HasPrefix(text, "models") && err == nil && (c.Models["m"].Model != "x" || c.Roles["judge"] != "m") {
			t.Errorf("%+v", c)
		}
	}
	c, err := config.LoadModels(write(models), registry(), []string{"models.m.model=y"})
	if err != nil || c.Models["m"].Model != "y" {
		t.Errorf("with an override: %v, %v", c, err)
	}
	if c, err := config.LoadModels(write(good), registry(), nil); err != nil || len(c.Plan.Steps) != 4 {
		t.Errorf("a whole one: %v, %v", c, err)
	}
	if _, err := config.LoadModels(filepath.Join(dir, "none.yaml"), registry(), nil); err == nil {
		t.Error("a file that is not there is read")
	}
	if c, err := config.ParseModels("m.yaml", []byte(models)); err != nil || c.Models["m"].Model != "x" || c.File != "" {
		t.Errorf("%v, %v", c, err)
	}
	for _, bad := range []string{"a: [", "models: 3\n", "seed: 3\n"} {
		if _, err := config.ParseModels("m.yaml", []byte(bad)); err == nil || !strings.Contains(err.Error(), "m.yaml:") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if _, err := config.Parse("pipeline.yaml", []byte("include: [x.yaml]\n"+good), registry(), nil); err == nil || !strings.Contains(err.Error(), "only a configuration that is a file includes others") {
		t.Error(err)
	}
}
