package explain_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/explain"
	"github.com/memforge/memforge/pipeline/engine/local"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/pipeline/testkit"
)

func openStore(t *testing.T) store.Store {
	t.Helper()
	st, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return st
}

// build runs the numbers plan, changed by edit, and keeps it in the history.
func build(t *testing.T, st pipeline.Store, c testkit.NumbersConfig, edit func(*engine.Plan)) {
	t.Helper()
	reg := testkit.NumbersRegistry(&testkit.NumbersHooks{})
	plan := testkit.NumbersPlan(c)
	if edit != nil {
		edit(&plan)
	}
	steps, err := plan.Resolve(t.Context(), reg)
	if err != nil {
		t.Fatal(err)
	}
	rt := engine.Runtime{Registry: reg, Store: st, TempRoot: t.TempDir()}
	nodes, err := local.Execute(t.Context(), rt, steps, testkit.NoFetch{}, local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.SaveHistory(t.Context(), st, plan, nodes, ""); err != nil {
		t.Fatal(err)
	}
}

func text(lines []explain.Line) string {
	var b strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&b, "%s%s\n", strings.Repeat("  ", l.Depth), l.Text)
	}
	return b.String()
}

func summary(reports []explain.StepReport) string {
	var parts []string
	for _, r := range reports {
		parts = append(parts, fmt.Sprintf("%s built=%d reused=%d changed=%d added=%d removed=%d %v", r.Name, r.Built, r.Reused, r.Changed, r.Added, r.Removed, r.Identity))
	}
	return strings.Join(parts, "\n")
}

func TestWithoutABuildThereIsNothingToExplain(t *testing.T) {
	if _, err := explain.Steps(t.Context(), openStore(t)); !errors.Is(err, explain.ErrNoBuild) {
		t.Fatalf("err %v, want ErrNoBuild", err)
	}
}

func TestAChangedLabelIsTracedToTheSource(t *testing.T) {
	st := openStore(t)
	c := testkit.NumbersConfig{Count: 100, Changed: -1}
	build(t, st, c, nil)
	c.Changed = 17
	build(t, st, c, nil)
	nodes, err := explain.Steps(t.Context(), st)
	if err != nil {
		t.Fatal(err)
	}
	want := `numbers built=1 reused=0 changed=1 added=0 removed=0 [config.changed: -1 -> 17]
double built=1 reused=99 changed=1 added=0 removed=0 []
small built=1 reused=99 changed=1 added=0 removed=0 []
sum built=1 reused=0 changed=1 added=0 removed=0 []`
	if got := summary(nodes); got != want {
		t.Errorf("nodes:\n%s\nwant:\n%s", got, want)
	}
	lines, err := explain.Record(t.Context(), pipeline.NewRegistry(), st, "sum")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"sum: given by step sum",
		"rebuilt because its input number-000017 is new or changed",
		`data.label: "plain" -> "changed"`,
		"rebuilt because config.changed: -1 -> 17",
	} {
		if !strings.Contains(text(lines), want) {
			t.Errorf("explanation lacks %q:\n%s", want, text(lines))
		}
	}
	lines, err = explain.Record(t.Context(), pipeline.NewRegistry(), st, "number-000003")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text(lines), "\n  verdict: pass\n") {
		t.Errorf("no verdict of the gate:\n%s", text(lines))
	}
	if !strings.Contains(text(lines), "reused: its key is the one of the build before") {
		t.Errorf("an untouched record is not called reused:\n%s", text(lines))
	}
}

func TestAnEditedConfigurationIsNamed(t *testing.T) {
	st := openStore(t)
	c := testkit.NumbersConfig{Count: 10, Changed: -1}
	build(t, st, c, nil)
	build(t, st, c, func(p *engine.Plan) { p.Steps[2].Config = pipeline.RawConfig(`{"below":4}`) })
	lines, err := explain.Record(t.Context(), pipeline.NewRegistry(), st, "number-000001")
	if err != nil {
		t.Fatal(err)
	}
	if want := "rebuilt because config.below: 0 -> 4"; !strings.Contains(text(lines), want) {
		t.Errorf("explanation lacks %q:\n%s", want, text(lines))
	}
}

func TestADroppedRecordSaysWhy(t *testing.T) {
	st := openStore(t)
	build(t, st, testkit.NumbersConfig{Count: 100, Changed: -1, Bad: 1}, nil)
	lines, err := explain.Record(t.Context(), pipeline.NewRegistry(), st, "number-000000")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text(lines), "dropped (bad: number 0 is bad) by step numbers") {
		t.Errorf("no reason for the dropped record:\n%s", text(lines))
	}
	var missing *explain.NotFoundError
	if _, err := explain.Record(t.Context(), pipeline.NewRegistry(), st, "no-such-record"); !errors.As(err, &missing) {
		t.Errorf("err %v, want a NotFoundError", err)
	}
}

func TestANoOpBuildIsNotHistory(t *testing.T) {
	st := openStore(t)
	c := testkit.NumbersConfig{Count: 10, Changed: -1}
	build(t, st, c, nil)
	build(t, st, c, nil)
	builds, err := st.Builds(t.Context(), 5)
	if err != nil || len(builds) != 1 {
		t.Fatalf("%d builds in the history (%v), want 1", len(builds), err)
	}
}
