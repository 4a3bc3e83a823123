package plugins_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/cli/templates/kitchen"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

// TestTheDomainKnowsItsTable: a manifest that declares the clues otherwise, or not at all,
// is found by the program that has the domain.
func TestTheDomainKnowsItsTable(t *testing.T) {
	reg := plugins.Registry()
	kitchen.Register(reg)
	clean := builtDomain(t)
	is := func(i manifest.TableInfo) bool { return i.Name == "kitchen_clues" }
	for name, change := range map[string]func(*pipeline.Table){
		"other keys":       func(d *pipeline.Table) { d.Keys++ },
		"no references":    func(d *pipeline.Table) { d.References = nil },
		"other columns":    func(d *pipeline.Table) { d.Columns[len(d.Columns)-1].Name = "object" },
		"another schema":   func(d *pipeline.Table) { d.Schema = "kitchen.lie" },
		"another name":     func(d *pipeline.Table) { d.Name = "kitchen_lies" },
		"no table of them": nil,
	} {
		c := clean
		c.Manifest.Tables = slices.Clone(clean.Manifest.Tables)
		if i := slices.IndexFunc(c.Manifest.Tables, is); change == nil {
			c.Manifest.Tables = slices.Delete(c.Manifest.Tables, i, i+1)
		} else {
			own := *c.Manifest.Tables[i].Declared
			own.Columns = slices.Clone(own.Columns)
			change(&own)
			c.Manifest.Tables[i].Declared = &own
		}
		r, err := audit.Run(t.Context(), reg, c)
		if err != nil {
			t.Fatal(err)
		}
		told := slices.ContainsFunc(r.Parts, func(p audit.Part) bool {
			return p.State == audit.Errored && strings.Contains(p.Name, "table kitchen_") && strings.Contains(p.Why, "audit it with the program that wrote it")
		})
		if !told {
			t.Errorf("%s: nothing is said of the table", name)
		}
	}
}
