package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/engine/forecast"
	"github.com/memforge/memforge/pipeline/engine/progress"
	"github.com/memforge/memforge/pipeline/model/batch"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/store/encoding"
	"github.com/memforge/memforge/pipeline/testkit/golden"
)

// TestGoldenBuilds shows what the commands build, store and batch print of what came about.
func TestGoldenBuilds(t *testing.T) {
	var out, errs bytes.Buffer
	run := func(name string, in, got, lost, flagged, units, reused int) engine.StepRun {
		return engine.StepRun{Step: engine.Step{Name: name}, Summary: engine.Summary{In: in, Out: got, Lost: lost, Flagged: flagged, Units: units, Reused: reused}}
	}
	steps := []engine.StepRun{run("films", 0, 9, 1, 0, 3, 1), run("judge", 9, 7, 0, 2, 9, 4)}
	spent := func(calls int) client.Total { return client.Total{Calls: calls, Usage: pipeline.Usage{Input: 10}} }
	mismatch := client.ModelMismatch{Name: "m", Asked: "m-1", Counts: map[string]int{"m-2": 3, "m-1": 1}}
	written := release.Written{Dir: "/r/demo/1.1.0", Version: "1.1.0", Changed: true, VersionWarning: "too small"}
	same := release.Written{Dir: "/r/demo/1.1.0", Version: "1.1.0"}
	cfg := &config.Config{Plan: engine.Plan{Release: pipeline.Release{Name: "demo"}}}
	for _, asJSON := range []bool{false, true} {
		e := &env{out: &out, err: &errs, jsonLog: asJSON}
		for _, tc := range []struct {
			c   buildCmd
			res assemble.Result
		}{
			{buildCmd{}, assemble.Result{Release: written, Steps: steps}}, {buildCmd{}, assemble.Result{Release: same, Steps: steps}}, {buildCmd{}, assemble.Result{Steps: steps}},
			{buildCmd{Only: "films", Limit: 3}, assemble.Result{Release: written, Steps: steps}},
		} {
			if err := tc.c.printResult(e, cfg, tc.res); err != nil {
				t.Fatal(err)
			}
		}
		printModels(e, assemble.Result{PerStep: map[string]client.Total{"a": spent(1), "b": spent(2)}})
		printModels(e, assemble.Result{Models: spent(3), PerStep: map[string]client.Total{"b": spent(1), "a": spent(2)}, Served: []client.ModelMismatch{mismatch}})
		printModels(e, assemble.Result{Models: spent(3), PerStep: map[string]client.Total{"b": spent(3)}})
	}
	e := &env{out: &out, err: &errs}
	d := pipeline.DigestOf(nil)
	for _, r := range []encoding.CheckReport{
		{Blobs: 3, BlobBytes: 40, Results: 2, Records: 5, Builds: 1},
		{Corrupt: []pipeline.Digest{d}, Strays: []string{"a\nb"}, Broken: []pipeline.Key{pipeline.Key(d)}, Damaged: 2, BrokenBuilds: []int64{4}, Database: []string{"row 3"}},
	} {
		printCheck(e, r)
		for _, repair := range []bool{false, true} {
			fmt.Fprintln(&out, storeCheckCmd{Repair: repair}.finish(&env{out: io.Discard}, "out/store", r, nil), storeCheckCmd{Repair: repair}.finish(e, "out/store", r, io.ErrUnexpectedEOF))
		}
	}
	refused := make([]batch.RefusedLine, mostRefused+2)
	for i := range refused {
		refused[i] = batch.RefusedLine{Line: i, Why: "it is odd"}
	}
	printImported(e, "a.jsonl", batch.Imported{Answered: 3, Failed: 1, Reason: "too long", Duplicate: 1, Conflicting: 2, Replaced: 3, Unknown: 4, Refused: refused})
	printImported(e, "b.jsonl", batch.Imported{})
	golden.Check(t, "builds", out.String()+"-- errors\n"+errs.String())
}

// TestProgressFormats: a terminal gets a bar, files and buffers lines, and what is configured stands.
func TestProgressFormats(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for _, tc := range []struct {
		format string
		to     io.Writer
		want   progress.Format
	}{{"json", null, progress.JSON}, {"text", null, progress.Text}, {"auto", null, progress.Bar}, {"auto", file, progress.Text}, {"auto", &bytes.Buffer{}, progress.Text}} {
		if got := progressFormat(tc.format, tc.to); got != tc.want {
			t.Errorf("%s to %T: %v, want %v", tc.format, tc.to, got, tc.want)
		}
	}
}

// TestExpectationOfAForecast: steps without a forecast are not expected to take any time.
func TestExpectationOfAForecast(t *testing.T) {
	x := expectation(&config.Config{}, forecast.Build{Release: pipeline.Forecast{CPU: 4}, Steps: []forecast.Step{{Name: "a", In: 3, Forecast: &pipeline.Forecast{CPU: 60}}, {Name: "b", In: 5}}})
	if len(x.Steps) != 1 || x.Steps["a"] != (progress.Expected{In: 3, Seconds: 60}) || x.After != 4 {
		t.Errorf("%+v", x)
	}
}

// TestAmountsOfMoney: 0 and more, and finite.
func TestAmountsOfMoney(t *testing.T) {
	for text, want := range map[string]float64{"0": 0, "2.50": 2.5, "1e3": 1000} {
		var a amount
		if err := a.UnmarshalText([]byte(text)); err != nil || float64(a) != want || *a.pointer() != want {
			t.Errorf("%s: %v, %v", text, a, err)
		}
	}
	for _, text := range []string{"", "-0.01", "NaN", "Inf", "x"} {
		a := amount(math.Pi)
		if err := a.UnmarshalText([]byte(text)); err == nil || a != amount(math.Pi) {
			t.Errorf("%q is taken for %v", text, a)
		}
	}
	if (*amount)(nil).pointer() != nil {
		t.Error("no amount is one")
	}
}

// TestWhatInitMakesOfAnswers: of a folder a name, of an address a variable, of a text a scalar.
func TestWhatInitMakesOfAnswers(t *testing.T) {
	for address, want := range map[string]string{
		"https://api.openai.com/v1": "OPENAI_API_KEY", "http://10.0.0.7:8000/v1": "OPENAI_API_KEY", "http://localhost:8000/v1": "", "http://127.0.0.1/v1": "", "http://[::1]:8/v1": "", "http://a b": "",
	} {
		if got := defaultKeyEnv(address); got != want {
			t.Errorf("the key of %s is in %q, want %q", address, got, want)
		}
	}
	for dir, want := range map[string]string{"/a/My Bench": "my-bench", "/a/._-x.1-": "x.1", "/a/ÄÖ": "benchmark", "/": "benchmark", "/a/" + strings.Repeat("y", 70): strings.Repeat("y", 64)} {
		if got := nameFromFolder(dir); got != want {
			t.Errorf("%s is named %q, want %q", dir, got, want)
		}
	}
	for text, want := range map[string]string{"films": "films", "http://h:1/v1": "http://h:1/v1", "": `""`, "1.0": `"1.0"`, "a b": `"a b"`, "x: y": `"x: y"`} {
		if got := scalar(text); got != want {
			t.Errorf("%q is written %s, want %s", text, got, want)
		}
	}
	ask := func(answers string) (family, name, kept string, said string, err error) {
		var out bytes.Buffer
		q := questioner{in: bufio.NewReader(strings.NewReader(answers)), out: &out}
		kept = "given"
		q.text(&kept, "Kept", "")
		q.choose(&family, "Family", []string{"video", "visual"})
		q.text(&name, "Name", "bench")
		return family, name, kept, out.String(), q.err
	}
	for answers, want := range map[string]string{
		"\n\n": "video bench", "visual\nmine\n": "visual mine", "2\n x \n": "visual x", "3\nsound\n1\nlast": "video last",
	} {
		family, name, kept, said, err := ask(answers)
		if got := family + " " + name; got != want || err != nil || kept != "given" || !strings.Contains(said, "Family (video, visual) [video]: ") || strings.Contains(said, "Kept") {
			t.Errorf("%q: %q, %v, asked %q", answers, got, err, said)
		}
	}
	for _, answers := range []string{"", "3\n", "video\n"} {
		if family, name, _, _, err := ask(answers); !errors.Is(err, io.EOF) || name != "" {
			t.Errorf("%q ends early: %q, %q, %v", answers, family, name, err)
		}
	}
}

// TestInitChecksItsFlags before it writes anything.
func TestInitChecksItsFlags(t *testing.T) {
	good := initCmd{starters: []pipeline.Starter{{Name: "video"}}, Family: "video", Size: "small"}
	for want, change := range map[string]func(c *initCmd){
		"":                     func(*initCmd) {},
		"--family says what":   func(c *initCmd) { c.Family = "" },
		"--family must be one": func(c *initCmd) { c.Family = "sound" },
		"--size must be one":   func(c *initCmd) { c.Size = "huge" },
		`--license "x" is not`: func(c *initCmd) { c.License = "x" },
		"--model needs --url":  func(c *initCmd) { c.Model = []string{"m"} },
		"--url needs --model":  func(c *initCmd) { c.URL = "http://h" },
		"--model: at most 26":  func(c *initCmd) { c.URL, c.Model = "http://h", slices.Repeat([]string{"m"}, 27) },
	} {
		c := good
		change(&c)
		if err := c.check(); (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	good.License, good.URL, good.Model = "CC0-1.0", "http://h", slices.Repeat([]string{"m"}, 26)
	if err := good.check(); err != nil {
		t.Error(err)
	}
}
