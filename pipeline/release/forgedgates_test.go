package release_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/kit/rowschema"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// found is what an audit says of a release; Differs where it does not even verify.
func found(t *testing.T, reg *pipeline.Registry, dir string) audit.State {
	t.Helper()
	c, err := release.Read(t.Context(), dir)
	if err != nil {
		t.Logf("verify: %v", err)
		return audit.Differs
	}
	r, err := audit.Run(t.Context(), reg, c)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Parts {
		if p.State == audit.Differs || p.State == audit.Errored || p.State == audit.Unjudged {
			t.Logf("%s: %s: %s %.300q", p.Name, p.State, p.Why, p.Differences)
		}
	}
	return r.State()
}

// forgery is a change of a release, and what an audit must say of it.
type forgery struct {
	change func(*release.Forgery) error
	want   audit.State
}

// checkForgeries makes each forgery of a release.
func checkForgeries(t *testing.T, reg *pipeline.Registry, dir string, all map[string]forgery) {
	t.Helper()
	f, err := release.NewForger(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	f.Knows(reg)
	all["nothing"] = forgery{func(*release.Forgery) error { return nil }, audit.Same}
	for name, forged := range all {
		t.Run(name, func(t *testing.T) {
			dest := t.TempDir()
			if err := f.Many(dest, forged.change); err != nil {
				t.Fatal(err)
			}
			if got := found(t, reg, dest); got != forged.want {
				t.Errorf("%s, want %s", got, forged.want)
			}
		})
	}
}

// builtinTables is what a manifest says of a table.
func builtinTables(f *release.Forgery, name string, change func(*pipeline.Table)) {
	i := slices.IndexFunc(f.Manifest.Tables, func(t manifest.TableInfo) bool { return t.Name == name })
	own := *f.Manifest.Tables[i].Declared
	own.Columns, own.References = slices.Clone(own.Columns), slices.Clone(own.References)
	change(&own)
	f.Manifest.Tables[i].Declared = &own
}

// TestForgedGatesOfRecords: what gates are said to have done with sessions is held
// against the sessions, and the tables of sessions against their declarations.
func TestForgedGatesOfRecords(t *testing.T) {
	t.Parallel()
	reg := plugins.Registry()
	dir := buildDialogs(t, reg, filepath.Join("..", "..", "docs", "examples", "dialogs"))
	c, err := release.Read(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(c.Verdicts, func(v schemas.Verdict) bool { return v.Gate == "covered" && v.Outcome == schemas.Pass })
	session := c.Verdicts[at].Item
	unjudge := func(gates ...string) func(*release.Forgery) error {
		return func(f *release.Forgery) error {
			for _, g := range gates {
				f.Drop("verdicts", session, g)
				f.Drop("probes", session, g)
				f.Fewer(g)
			}
			return nil
		}
	}
	checkForgeries(t, reg, dir, map[string]forgery{
		"the verdict of the last gate is gone": {unjudge("covered"), audit.Differs},
		"the verdicts of both gates are gone":  {unjudge("chain", "covered"), audit.Differs},
		"both gates are gone": {func(f *release.Forgery) error {
			f.Forget("chain", "covered")
			for _, r := range c.FlaggedRecords {
				f.Drop("flagged_records", r.Item)
			}
			f.Manifest.Tables = slices.DeleteFunc(f.Manifest.Tables, func(t manifest.TableInfo) bool { return t.Name == "flagged_records" })
			for _, r := range c.Rejections {
				if !schemas.Excluded(r.Code) && r.Stage == "covered" {
					f.Drop("rejections", r.ID, r.Stage, r.Code)
				}
			}
			f.Manifest.From = []string{"alone", "talks"}
			return nil
		}, audit.Unjudged},
		"a session that no gate judged": {func(f *release.Forgery) error {
			row := slices.Clone(f.Rows("sessions", session)[0])
			row[0] = session + "7"
			f.Add("sessions", row)
			return f.Set("sessions", "order", int32(77), row[0])
		}, audit.Differs},
		"the full protocol is said to have run": {func(f *release.Forgery) error {
			for i, g := range f.Manifest.Gates {
				if g.Name == "alone" {
					config, err := engine.FullProtocol(g.Config)
					f.Manifest.Gates[i].Config = config
					return err
				}
			}
			return nil
		}, audit.Differs},
		"a column has another name": {func(f *release.Forgery) error {
			builtinTables(f, "memory_points", func(t *pipeline.Table) {
				t.Columns[slices.IndexFunc(t.Columns, func(c rowschema.Column) bool { return c.Name == "content" })].Name = "confession"
			})
			return nil
		}, audit.Differs},
		"a row has more keys": {func(f *release.Forgery) error {
			builtinTables(f, "turns", func(t *pipeline.Table) { t.Keys++ })
			return nil
		}, audit.Differs},
		"a reference is gone": {func(f *release.Forgery) error {
			builtinTables(f, "memory_points", func(t *pipeline.Table) { t.References = t.References[:1] })
			return nil
		}, audit.Differs},
		"a table is invented": {func(f *release.Forgery) error {
			own := *f.Manifest.Tables[slices.IndexFunc(f.Manifest.Tables, func(t manifest.TableInfo) bool { return t.Name == "sessions" })].Declared
			own.Name, own.Schema, own.References = "witnesses", "witness", nil
			f.Manifest.Tables = append(f.Manifest.Tables, manifest.TableInfo{Name: own.Name, Declared: &own})
			return nil
		}, audit.Errored},
	})
}
