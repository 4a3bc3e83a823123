package config_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/testkit/golden"
)

const good = `version: 1
seed: 7
release: {name: demo, title: A demo, license: CC-BY-4.0, from: [roles, ask]}
sources:
  films: {use: procedural, with: {count: 12, styles: [noir]}}
stages:
  probe: {use: video.probe, from: [films], with: {size: {width: 640}, wait: 2m}, max_loss: 0.2}
  ask: {use: video.ask, from: [probe]}
gates:
  roles: {use: interference-roles, from: [ask], on_fail: keep}
run:
  limits: {cpu: 2, ffmpeg: 1}
`

func parse(t *testing.T, text string, sets ...string) *config.Config {
	t.Helper()
	c, err := config.Parse("pipeline.yaml", []byte(text), registry(), sets)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestPlanIsDecided(t *testing.T) {
	c := parse(t, good)
	want := engine.Plan{
		Seed: 7,
		Steps: []engine.Step{
			{Name: "films", Kind: pipeline.KindSource, Use: "procedural", Version: "1", Config: pipeline.RawConfig(`{"count":12,"seed8":0,"styles":["noir"]}`), MaxLoss: 0.1},
			{Name: "probe", Kind: pipeline.KindStage, Use: "video.probe", Version: "1", From: []string{"films"}, MaxLoss: 0.2,
				Config: pipeline.RawConfig(`{"crops":null,"fps":25,"labels":null,"size":{"height":720,"width":640},"strict":false,"wait":120000000000}`)},
			{Name: "ask", Kind: pipeline.KindStage, Use: "video.ask", Version: "2", From: []string{"probe"}, Config: pipeline.RawConfig(`{}`), MaxLoss: 0.1},
			{Name: "roles", Kind: pipeline.KindGate, Use: "interference-roles", Version: "1", From: []string{"ask"}, Config: pipeline.RawConfig(`{}`), OnFail: "keep", MaxLoss: 0.1},
		},
		Release: pipeline.Release{Name: "demo", Version: "auto", Title: "A demo", License: "CC-BY-4.0", From: []string{"roles", "ask"}},
	}
	if !reflect.DeepEqual(c.Plan, want) {
		t.Errorf("plan\n got %s\nwant %s", dump(c.Plan), dump(want))
	}
	run := config.DefaultRun()
	run.Limits = config.Limits{CPU: 2, FFmpeg: 1}
	if !reflect.DeepEqual(c.Run, run) {
		t.Errorf("run\n got %+v\nwant %+v", c.Run, run)
	}
}

func dump(v any) string {
	b, _ := json.MarshalIndent(v, "", " ")
	return string(b)
}

func TestOrderIsByNameWhereFree(t *testing.T) {
	text := `version: 1
release: {name: demo, from: [e]}
sources: {z: {use: procedural}, a: {use: procedural}}
stages:
  c: {use: leaky, from: [z]}
  b: {use: leaky, from: [c, a]}
  d: {use: leaky, from: [a]}
  e: {use: ask.made, from: [b]}
`
	var got []string
	for _, n := range parse(t, text).Plan.Steps {
		got = append(got, n.Name)
	}
	if want := "a d z c b e"; strings.Join(got, " ") != want {
		t.Errorf("order %v, want %s", got, want)
	}
}

// TestErrorTexts reads cases from testdata/errors.txtar: a file NAME.yaml, with
// optional lines "# set: k=v", and the expected NAME.err.
func TestErrorTexts(t *testing.T) {
	path := filepath.Join("testdata", "errors.txtar")
	a, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, f := range a.Files {
		want[f.Name] = string(f.Data)
	}
	out := &txtar.Archive{Comment: a.Comment}
	for _, f := range a.Files {
		name, isCase := strings.CutSuffix(f.Name, ".yaml")
		if !isCase {
			continue
		}
		got := errorText(t, string(f.Data))
		if got != want[name+".err"] && !golden.Updating() {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want[name+".err"])
		}
		out.Files = append(out.Files, f, txtar.File{Name: name + ".err", Data: []byte(got)})
	}
	if len(out.Files) < 2*25 {
		t.Errorf("%d cases, want at least 25", len(out.Files)/2)
	}
	if golden.Updating() {
		if err := os.WriteFile(path, txtar.Format(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func errorText(t *testing.T, text string) string {
	t.Helper()
	var sets []string
	for line := range strings.Lines(text) {
		if s, ok := strings.CutPrefix(line, "# set: "); ok {
			sets = append(sets, strings.TrimSpace(s))
		}
	}
	_, err := config.Parse("pipeline.yaml", []byte(text), registry(), sets)
	var bad *config.Error
	if !errors.As(err, &bad) {
		t.Fatalf("error is %T (%v), want *config.Error, for\n%s", err, err, text)
	}
	return err.Error() + "\n"
}

func TestConstructorErrorStaysInTheChain(t *testing.T) {
	_, err := config.Parse("p.yaml", []byte(good), registry(), []string{"stages.probe.with.fps=0"})
	if !errors.Is(err, errFPS) {
		t.Errorf("error %v does not wrap the constructor's", err)
	}
}

func TestOverrides(t *testing.T) {
	c := parse(t, good,
		"stages.probe.with.fps=30", "stages.ask.max_loss=0.5", "gates.roles.on_fail=drop",
		"run.endpoints={hub: http://127.0.0.1:9}", "run.offline=true",
		"sources.films.with.styles=[a, b]", "release.title=", "seed=9")
	var probe, ask, films, roles engine.Step
	for _, n := range c.Plan.Steps {
		switch n.Name {
		case "probe":
			probe = n
		case "ask":
			ask = n
		case "films":
			films = n
		case "roles":
			roles = n
		}
	}
	if !strings.Contains(string(probe.Config), `"fps":30`) || ask.MaxLoss != 0.5 || roles.OnFail != "drop" ||
		!strings.Contains(string(films.Config), `["a","b"]`) || c.Plan.Seed != 9 || c.Plan.Release.Title != "" {
		t.Errorf("overrides did not reach the plan: %s", dump(c.Plan))
	}
	if !c.Run.Offline || c.Run.Endpoints.Hub != "http://127.0.0.1:9" {
		t.Errorf("overrides did not reach the run: %+v", c.Run)
	}
}

// TestRunNeverChangesThePlan draws run blocks and compares plans.
func TestRunNeverChangesThePlan(t *testing.T) {
	want := dump(parse(t, good).Plan)
	rng := rand.New(rand.NewPCG(1, 2))
	pick := func(s ...string) string { return s[rng.IntN(len(s))] }
	runs := map[string]bool{}
	for range 200 {
		sets := []string{
			fmt.Sprintf("run.workers=%d", rng.IntN(99)),
			fmt.Sprintf("run.limits.%s=%d", pick("cpu", "ffmpeg", "model", "network"), rng.IntN(99)),
			"run.store=" + pick("/tmp/s", "out/x"), "run.out=" + pick("/tmp/r", "out/y"),
			"run.offline=" + pick("true", "false"), "run.log_format=" + pick("auto", "text", "json"),
			"run.endpoints.hub=" + pick("http://a", "https://b"),
		}
		c := parse(t, good, sets...)
		runs[dump(c.Run)] = true
		if got := dump(c.Plan); got != want {
			t.Fatalf("%v changed the plan:\n%s", sets, got)
		}
	}
	if len(runs) < 100 {
		t.Errorf("only %d different run blocks were drawn; the overrides do not arrive", len(runs))
	}
}

func TestLoadNamesTheFolder(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "pipeline.yaml")
	if err := os.WriteFile(path, []byte(good), 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(path, registry(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := c.StoreDir(), filepath.Join(dir, "out/store"); got != want {
		t.Errorf("store at %s, want %s", got, want)
	}
	_, err = config.Load(filepath.Join(dir, "absent.yaml"), registry(), nil)
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "--file") {
		t.Errorf("missing file: %v", err)
	}
}

func TestDescribe(t *testing.T) {
	p, _ := registry().Plugin(pipeline.KindStage, "video.probe")
	want := []config.Field{
		{Name: "fps", Type: "number", Default: "25", Doc: "frames per second"},
		{Name: "strict", Type: "true or false"},
		{Name: "wait", Type: "duration", Default: "30s", Doc: "time limit of one file"},
		{Name: "size", Type: "block", Doc: "frame size"},
		{Name: "size.width", Type: "whole number", Default: "1280", Doc: "pixels"},
		{Name: "size.height", Type: "whole number", Default: "720", Doc: "pixels"},
		{Name: "labels", Type: "map of whole number"},
		{Name: "crops", Type: "list of block"},
		{Name: "crops[].width", Type: "whole number", Doc: "pixels"},
		{Name: "crops[].height", Type: "whole number", Doc: "pixels"},
	}
	if got := config.Describe(p.NewConfig()); !reflect.DeepEqual(got, want) {
		t.Errorf("got %s\nwant %s", dump(got), dump(want))
	}
}

func FuzzParse(f *testing.F) {
	f.Add(good, "stages.probe.with.fps=30")
	f.Add("a: &x [*x]", "")
	f.Add("- {? [a]: b}\n...\n---\n!!binary x", "run=")
	f.Add("version: 0x7fffffffffffffff1\nseed: -1\nmax_loss: .nan", "a.b.c=[[[[")
	if a, err := txtar.ParseFile(filepath.Join("testdata", "errors.txtar")); err == nil {
		for _, file := range a.Files {
			f.Add(string(file.Data), "seed=1")
		}
	}
	reg := registry()
	f.Fuzz(func(t *testing.T, text, set string) {
		c, err := config.Parse("p.yaml", []byte(text), reg, []string{set})
		if (c == nil) == (err == nil) {
			t.Fatalf("config %v with error %v", c, err)
		}
		if c == nil {
			return
		}
		placed := map[string]bool{}
		for _, n := range c.Plan.Steps {
			for _, up := range n.From {
				if !placed[up] {
					t.Fatalf("step %s stands before its upstream %s", n.Name, up)
				}
			}
			placed[n.Name] = true
		}
	})
}

func TestPlacesOfStoreAndLedger(t *testing.T) {
	for given, want := range map[string]string{"": "/c/out/store", "s": "/c/s", "/s": "/s", "file:///a%20b": "/a b", "s3://bucket/x": "s3://bucket/x"} {
		c := &config.Config{Dir: "/c", Run: config.Run{Out: "out", Store: given}}
		if got := c.StoreDir(); got != want {
			t.Errorf("store %q: %q, want %q", given, got, want)
		}
		partial := want + "/partial"
		if strings.Contains(want, "://") {
			partial = "/c/out/partial"
		}
		if got := c.PartialDir(); got != partial {
			t.Errorf("store %q: what is not whole lies in %q, want %q", given, got, partial)
		}
	}
}
