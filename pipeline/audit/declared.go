package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// otherVersion ends what is said of a declaration that is not this program's: nobody
// can tell which of the two it was.
const otherVersion = "another version of the plugin made the release, or somebody changed it: audit it with the program that wrote it"

// declaredTables holds the tables that plugins declared against the declarations of this
// program, since verify takes those of the manifest. What stands in the rows follows from
// nothing.
func declaredTables(reg *pipeline.Registry, c release.Contents) (out []Part) {
	g := newStepGraph(reg, c)
	present := map[string]bool{}
	for _, t := range c.Manifest.Tables {
		if t.Declared == nil {
			continue
		}
		present[t.Declared.Schema] = true
		p := Part{
			Name: fmt.Sprintf("%s of table %s", counted(int(t.Rows), "row"), t.Name), State: NotRecomputable,
			Why: "a plugin declared the table; what its rows refer to is there", Differences: []string{},
		}
		if why := g.redeclared(*t.Declared); why != "" {
			p.State, p.Why = Errored, why+"; "+otherVersion
		}
		out = append(out, p)
	}
	for _, row := range c.Manifest.RecordCounts {
		s, _ := g.spec(row.Step)
		for _, schema := range s.Emits {
			if t, ok := reg.Table(schema); ok && !present[schema] {
				present[schema] = true
				why := fmt.Sprintf("node %s gives records of schema %s unless it is configured otherwise, and the release has no such table; %s", row.Step, schema, otherVersion)
				out = append(out, Part{Name: "table " + t.Name, State: Errored, Why: why, Differences: []string{}})
			}
		}
	}
	return out
}

// redeclared says how a declaration is another than that of this program; empty where it
// is the same, or where a plugin may have made it that this program does not have.
func (g stepGraph) redeclared(stated pipeline.Table) string {
	all := g.reg.Tables()
	i := slices.IndexFunc(all, func(t pipeline.Table) bool { return t.Name == stated.Name })
	if i < 0 {
		switch own, ok := g.reg.Table(stated.Schema); {
		case stated.Schema == schemas.NameFlagged:
			return ""
		case ok:
			return fmt.Sprintf("records of schema %s stand in table %s in this program", stated.Schema, own.Name)
		case g.lacksPlugin():
			return ""
		}
		return "this program has the plugins of all nodes, and none declares the table"
	}
	own, names := all[i], []string{}
	for _, part := range []struct {
		name      string
		own, here any
	}{
		{"schema", own.Schema, stated.Schema},
		{"keys", own.Keys, stated.Keys},
		{"columns", own.Columns, stated.Columns},
		{"references", slices.Concat(own.References, []pipeline.Reference{}), slices.Concat(stated.References, []pipeline.Reference{})},
		{"part", own.Part, stated.Part},
	} {
		a, err := json.Marshal(part.own)
		b, err2 := json.Marshal(part.here)
		if errors.Join(err, err2) != nil || !bytes.Equal(a, b) {
			names = append(names, part.name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("the manifest declares it with other %s than this program", strings.Join(names, ", "))
}

// lacksPlugin reports whether this program lacks the plugin of some node.
func (g stepGraph) lacksPlugin() bool {
	for _, row := range g.rows {
		if _, ok := g.reg.Plugin(pipeline.Kind(row.Kind), row.Use); !ok {
			return true
		}
	}
	return false
}
