package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/audit/rerun"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/engine/inspect"
	"github.com/memforge/memforge/pipeline/engine/progress"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/release/diff"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/pipeline/web/catalog"
	"github.com/memforge/memforge/schemas"
)

// TestGoldenStates shows what the command status prints.
func TestGoldenStates(t *testing.T) {
	var out bytes.Buffer
	e := &env{out: &out}
	plan := engine.Plan{Release: pipeline.Release{Name: "demo"}}
	digest, err := plan.Digest()
	if err != nil {
		t.Fatal(err)
	}
	cfg := &config.Config{Plan: plan}
	view := func(last *pipeline.Build, steps ...cachedStep) *cacheView {
		return &cacheView{Steps: steps, Last: last}
	}
	step := func(name string, cached, toMake int, open bool, because ...string) cachedStep {
		return cachedStep{StepPreview: engine.StepPreview{Step: name, Cached: cached, ToMake: toMake, Open: open}, Because: because}
	}
	same, other := &pipeline.Build{Config: digest}, &pipeline.Build{Config: "other"}
	made := &releaseState{Name: "demo", Version: "1.2.0", Dir: "out/demo", Questions: 12, Current: true}
	old := *made
	old.Current = false
	for _, s := range []state{
		{Build: "none"},
		{Build: "whole", Release: made, UpToDate: true, Cache: view(same, step("a", 3, 0, false))},
		{Build: "of some records", Release: &old, Cache: view(other, step("a", 3, 0, false)), Running: []string{"process 7", "build b"}},
		{Build: "whole", Release: made, Cache: view(other, step("a", 3, 2, false, "x", "y"), step("b", 1, 0, true), step("c", 5, 0, false)), Progress: &buildProgress{Done: 3, Known: 8, Lost: 1, Steps: []string{"a", "b"}}},
		{Build: "whole", CacheProblem: "no network", Progress: &buildProgress{}},
	} {
		if s.Cache != nil {
			s.Changed = s.Cache.changes(cfg)
		}
		s.print(e, cfg)
		fmt.Fprintln(&out)
	}
	gone := view(same, step("a", 0, 0, false))
	gone.Gone = []string{"b", "c"}
	fmt.Fprintln(&out, gone.changes(cfg), view(nil, step("a", 0, 0, false, "x")).changes(cfg), view(same).changes(cfg), view(other).changes(cfg))
	golden.Check(t, "states", out.String())
}

// TestProgressOfABuild: one that is heard of, or holds the store, is shown until it has ended.
func TestProgressOfABuild(t *testing.T) {
	dir := t.TempDir()
	if p, err := readProgress(dir, true, time.Now()); p != nil || err != nil {
		t.Errorf("without a build: %+v, %v", p, err)
	}
	write := func(text string) time.Time {
		name := filepath.Join(dir, progress.StatusName)
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		return info.ModTime()
	}
	heard := write(`{"steps":[{"name":"a","known":5,"done":3,"lost":1,"running":1},{"name":"b","known":3,"done":1,"lost":2}]}`)
	for name, tc := range map[string]struct {
		locked bool
		later  time.Duration
		want   bool
	}{
		"just heard of": {false, 0, true}, "not yet silent": {false, catalog.Silence, true}, "silent": {false, catalog.Silence + 1, false}, "silent, with the store": {true, time.Hour, true},
	} {
		p, err := readProgress(dir, tc.locked, heard.Add(tc.later))
		if err != nil || (p != nil) != tc.want || p != nil && (p.Done != 4 || p.Known != 8 || p.Lost != 3 || !slices.Equal(p.Steps, []string{"a"})) {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
	heard = write(`{"steps":[{"name":"a","known":5,"done":3}],"ended":true}`)
	if p, err := readProgress(dir, true, heard); p != nil || err != nil {
		t.Errorf("once it has ended: %+v, %v", p, err)
	}
	heard = write(`{"steps":7}`)
	if p, err := readProgress(dir, true, heard); err == nil {
		t.Errorf("a file that is none: %+v", p)
	}
}

// shownOnce fails after so many writes.
type shownOnce struct{ left int }

func (w *shownOnce) Write(p []byte) (int, error) {
	if w.left--; w.left < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

// TestGoldenShown shows what the command show prints of steps, records and requests, as text and as JSON.
func TestGoldenShown(t *testing.T) {
	var out bytes.Buffer
	ctx := t.Context()
	st, err := store.Open(ctx, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	put := func(text string) pipeline.Digest {
		b, err := st.PutBlob(ctx, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return b.Digest
	}
	picture, text := put("\x89PNG picture"), put("x")
	rec := pipeline.Record{ID: "q/1", Schema: "question", Data: []byte(`{"a":"<b>"}`), Blobs: []pipeline.Digest{picture, text}}
	step := inspect.Step{BuildStep: pipeline.BuildStep{Name: "ask", Identity: pipeline.Identity{Kind: pipeline.KindStage, Use: "asker", Version: "2"}}}
	trial := step
	trial.Trial = "of some records"
	lost := pipeline.Rejection{ID: "q/2", Code: "odd", Reason: "it is odd"}
	flagged := lost
	flagged.Flagged = true
	request := assemble.PlannedRequest{Origin: pipeline.Origin{Item: "q/1"}, Request: pipeline.Request{Role: "author", Task: "tell", Messages: pipeline.ChatMessages(" be brief\n", " what?\n", []pipeline.Digest{picture})}, Model: "m"}
	bare := assemble.PlannedRequest{Request: pipeline.Request{Role: "author", Task: "tell"}, Model: "m"}
	for _, asJSON := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "saved")
		p := newPrinter(&out, asJSON, dir)
		p.printStep(step, 3, 1)
		p.printStep(trial, 0, 0)
		for _, n := range []int{0, 1} {
			p.printMore(n, "records")
		}
		if err := p.printRecord(ctx, st, rec); err != nil {
			t.Fatal(err)
		}
		p.printRejection("ask", lost)
		p.printRejection("ask", flagged)
		for _, place := range []inspect.Place{{Node: step, Read: true}, {Node: trial, Given: &pipeline.Ref{}}, {Node: step, Lost: &lost, Read: true}} {
			p.printPlace(place)
		}
		for i, q := range []assemble.PlannedRequest{request, bare} {
			if err := p.printRequest(ctx, st, "ask", i, q); err != nil {
				t.Fatal(err)
			}
		}
		p.printAsked("ask", 0, false)
		p.printAsked("ask", 1, true)
		p.printAsked("ask", 1, false)
		saved, err := os.ReadDir(dir)
		fmt.Fprintln(&out, err)
		printed := strings.ReplaceAll(out.String(), dir, "DIR")
		out.Reset()
		out.WriteString(printed)
		for _, f := range saved {
			fmt.Fprintln(&out, "saved", f.Name())
		}
		if err := p.saveBlobs(ctx, st, "x", []pipeline.Digest{pipeline.DigestOf([]byte("none"))}); err == nil {
			t.Error("a blob that is not there is saved")
		}
		if p.files = filepath.Join(dir, saved[0].Name()); p.saveBlobs(ctx, st, "x", nil) == nil {
			t.Error("a file serves as a folder")
		}
		full := newPrinter(&shownOnce{1}, asJSON, "")
		full.printStep(step, 1, 1)
		if full.err != nil {
			t.Error(full.err)
		}
		full.printRejection("ask", lost)
		full.printRejection("ask", lost)
		if full.err == nil {
			t.Error("a failed write is not told")
		}
	}
	if err := (&printer{out: &out}).printRecord(ctx, st, pipeline.Record{Data: []byte("{")}); err == nil {
		t.Error("a record that is no JSON is shown")
	}
	golden.Check(t, "shown", out.String())
	for head, want := range map[string]string{
		"\x89PNG\r": ".png", "\xff\xd8\xff\xe0": ".jpg", "\x00\x00\x00\x20ftypisom": ".mp4", "\x00\x00\x00\x20ftyp": ".mp4", "\x00\x00\x00\x20fty": ".bin", "\x1a\x45\xdf\xa3x": ".mkv", "RIFF....": ".avi", "{}": ".json", "[]": ".json", "": ".bin", "ftyp": ".bin",
	} {
		if got := extension([]byte(head)); got != want {
			t.Errorf("%q is a file %q, want %q", head, got, want)
		}
	}
	for id, want := range map[string]string{"azAZ09-_": "azAZ09-_", "a/b.c`{@[:": "a_b_c_____", strings.Repeat("x", 101): strings.Repeat("x", 100), "é": "_"} {
		if got := fileName(id); got != want {
			t.Errorf("%q becomes %q, want %q", id, got, want)
		}
	}
	all := []int{1, 2, 3}
	for most, want := range map[int]int{0: 3, 1: 1, 3: 3, 4: 3} {
		if got := limitShown(&showCmd{Most: most}, all); len(got) != want {
			t.Errorf("--most %d shows %v", most, got)
		}
	}
}

// TestGoldenDifferences shows what the command diff prints, as text, as counts and as JSON.
func TestGoldenDifferences(t *testing.T) {
	var out bytes.Buffer
	gold := diff.Change{Table: "questions", ID: "q1", Kind: diff.Changed, Classes: []diff.Class{diff.Gold, diff.Wording}, Asks: manifest.MajorChange, About: "What is it?", Fields: []diff.Field{{Path: "answer_key", Before: "A", After: "<B>"}, {Path: "text", Before: nil, After: strings.Repeat("é", 200)}}}
	second := gold
	second.ID, second.Fields = "q2", nil
	added := diff.Change{Table: "draws", Key: []any{"q3", "d"}, Kind: diff.Added, Classes: []diff.Class{diff.Item}, Asks: manifest.MinorChange}
	sum := diff.Summary{
		Before: diff.Edition{Name: "demo", Version: "1.0.0"}, After: diff.Edition{Name: "demo", Version: "1.1.0"}, Asks: manifest.MajorChange,
		Tables:  []diff.TableSummary{{Table: "questions", Same: 7}, {Table: "draws"}},
		Changes: []diff.Count{{Table: "questions", Kind: diff.Changed, Class: diff.Gold, Asks: manifest.MajorChange, Rows: 2}, {Table: "draws", Kind: diff.Added, Class: diff.Item, Asks: manifest.MinorChange, Rows: 1}},
	}
	for _, c := range []diffCmd{{Most: 10}, {Most: 1}, {Most: 2}, {}, {Stat: true, Most: 1}, {JSON: true}} {
		for _, changes := range [][]diff.Change{{gold, second, added}, nil} {
			p := newDiffPrinter(&env{out: &out}, c)
			for _, ch := range changes {
				if err := p.change(ch); err != nil {
					t.Fatal(err)
				}
			}
			fmt.Fprintf(&out, "\n-- most %d, stat %t, json %t, %d changes\n", c.Most, c.Stat, c.JSON, len(changes))
			if err := p.end(sum, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := newDiffPrinter(&env{out: &out}, diffCmd{}).end(sum, io.EOF); err != nil {
		t.Error(err)
	}
	out.WriteString("\n-- versions\n")
	for _, versions := range [][3]string{{"demo", "1.0.0", "1.1.0"}, {"demo", "1.0.0", "2.0.0"}, {"other", "1.0.0", "2.0.0"}, {"demo", "1.0.0", "0.9.0"}} {
		s := sum
		s.After = diff.Edition{Name: versions[0], Version: versions[2]}
		rule, applies := s.Rule()
		fmt.Fprintln(&out, verdictOnVersion(s, rule, applies))
		s.Asks, s.Changes = 0, nil
		fmt.Fprintln(&out, verdictOnVersion(s, rule, applies))
	}
	golden.Check(t, "differences", out.String())
}

// TestGoldenAudits shows what the command audit prints of recomputed releases and reruns.
func TestGoldenAudits(t *testing.T) {
	var out bytes.Buffer
	interval := func(v float64) audit.Interval { return audit.Interval{Value: v, Low: v / 2, High: 1} }
	kappa, base := interval(0.5), interval(0.25)
	pair := audit.PairAgreement{A: "one", B: "two", Calls: 4, Labels: []string{"no", "yes"}, Confusion: [][]int{{1, 2}, {0, 10}}, Observed: interval(0.75), Kappa: &kappa}
	bare := audit.PairAgreement{A: "one", B: "two", Calls: 4, Labels: []string{"yes"}, Confusion: [][]int{{4}}, Observed: interval(1)}
	noKappa := pair
	noKappa.Kappa = nil
	var many []string
	for i := range shownDifferences + 1 {
		many = append(many, fmt.Sprint("difference ", i))
	}
	whole := audit.Report{
		Release: "demo-1.0.0",
		Gates: []audit.Gate{
			{Name: "blind", Use: "option-only", State: audit.Same, Verdicts: 10, Probes: 40, Unshown: 1},
			{Name: "odd", Use: "odd", State: audit.NotRecomputable, Why: "it is another's", Verdicts: 5, Outcomes: engine.VerdictCounts{Outcomes: map[string]int{schemas.Insufficient: 2}, Insufficient: map[string]int{"few": 2}}},
		},
		Parts: []audit.Part{{Name: "counts", State: audit.Same}, {Name: "rows", State: audit.Same, Checked: 3, Unchecked: 2, Why: "no table tells"}, {Name: "gold", State: audit.Same, Checked: 4}, {Name: "texts", State: audit.NotRecomputable, Why: "nobody can"}},
		Gold:  []audit.Gold{{Family: "chess", Questions: 9, Derived: 8, Unconstrained: map[string]int{"b": 1, "a": 2}}, {Family: "go", Questions: 1, Derived: 1}},
		Agreement: []audit.Agreement{
			{Gate: "blind", Pairs: []audit.PairAgreement{pair, bare}, Alpha: &audit.Alpha{Interval: interval(0.3), Units: 7}, OneOpinion: []pipeline.SharedModel{{Model: "m"}}}, {Gate: "odd", Partial: true, Pairs: []audit.PairAgreement{noKappa}},
		},
		Reviews: []audit.Agreement{{Gate: "review", Pairs: []audit.PairAgreement{bare}}},
		Gains:   []audit.Gain{{Model: "m", Without: "text", Questions: 5, Seeing: interval(0.8), Blind: interval(0.4), Gain: interval(0.4), Base: &base, Leakage: &base}, {Model: "m", Without: "none", Label: "aspect", Value: "colour", Questions: 2, FirstCalls: true}},
	}
	differing := whole
	differing.Gates = append(slices.Clone(whole.Gates), audit.Gate{Name: "late", Use: "late", State: audit.Differs, Verdicts: 3, Wrong: 2, Differences: many[:10]})
	differing.Parts = append(slices.Clone(whole.Parts), audit.Part{Name: "README.md", State: audit.Differs, Rendered: true, Differences: []string{"line 3"}}, audit.Part{Name: "media", State: audit.Differs, Checked: 4, Differences: many})
	differing.Gains = nil
	errored := audit.Report{Gates: []audit.Gate{{Name: "a", State: audit.Errored, Why: "unknown", Verdicts: 2}, {Name: "b", State: audit.Unjudged}}, Parts: []audit.Part{{Name: "p", State: audit.Errored, Why: "unknown"}}, Gains: whole.Gains[:1]}
	unjudged := audit.Report{Gates: []audit.Gate{{Name: "b", State: audit.Unjudged, Why: "it judged none", Verdicts: 2}}}
	for _, r := range []audit.Report{whole, differing, errored, unjudged} {
		if err := printAudit(&out, r, "holds"); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "== %v\n\n", auditResult(r))
	}
	one := rerun.Report{
		Gates:    []rerun.Gate{{Name: "blind", Use: "option-only", Items: 3, Calls: 12, Shared: 8, Partial: true, Answers: &pair, Verdicts: &bare}, {Name: "odd", Use: "odd", Why: "it is another's"}},
		Answers:  &noKappa,
		Answered: []rerun.AnswerFlip{{Item: "q1", Gate: "blind", View: "all", Role: "judge", Rotation: 2, Run: 1, Release: "A", Rerun: ""}},
		Judged:   []rerun.VerdictFlip{{Item: "q1", Gate: "blind", Release: "pass", Rerun: "fail", RerunReason: "it leaks"}, {Item: "q2", Gate: "blind", Release: "fail", Rerun: "pass"}},
		Skipped:  []rerun.Skip{{Item: "q3", Gate: "blind", Why: "no medium"}},
	}
	single := rerun.Report{Gates: one.Gates[:1]}
	skipped, unknown := rerun.Report{Skipped: one.Skipped}, rerun.Report{Gates: one.Gates[1:]}
	spent := client.Total{Calls: 3, Replayed: 2, Usage: pipeline.Usage{Input: 10, Cached: 4, Output: 5}, Cost: map[string]float64{"USD": 0.5, "EUR": 1}, Unpriced: 1}
	for i, r := range []rerun.Report{one, single, skipped, unknown} {
		total := client.Total{}
		if i == 0 {
			total = spent
		}
		if err := printRerun(&out, r, "mine", total); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "== %v\n\n", rerunError(r))
	}
	spent.Unpriced, spent.Cost, spent.Calls = 0, nil, 0
	fmt.Fprintf(&out, "%s; %q; %q; %q; %q\n", formatSpending(spent), formatSpending(client.Total{Calls: 1, Unpriced: 1}), percent(nil), formatWaiting(client.Total{}, time.Minute), formatWaiting(client.Total{Waiting: 2}, time.Minute))
	golden.Check(t, "audits", out.String())
}
