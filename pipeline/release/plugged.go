package release

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
)

// plug makes a record a row of the plugin's table that holds its schema.
func (c *content) plug(all []pipeline.Table, r pipeline.Record) error {
	i := slices.IndexFunc(all, func(t pipeline.Table) bool { return t.Schema == r.Schema })
	if i < 0 {
		return fmt.Errorf("record %q: no table holds schema %q", r.ID, r.Schema)
	}
	cells, err := all[i].Row(r)
	if err == nil {
		c.plugged[all[i].Name] = append(c.plugged[all[i].Name], cells)
	}
	return err
}

// pluggedTable is the shape of a table that a plugin declared.
func pluggedTable(t pipeline.Table) table {
	return table{name: t.Name, keys: t.Keys, unique: true, columns: t.Columns, declared: &t}
}

// withPlugged gives all tables of a release: those of plugins come last, by name.
func withPlugged(plugged []pipeline.Table) ([]table, error) {
	all := tables()
	for _, t := range plugged {
		all = append(all, pluggedTable(t))
	}
	for _, t := range all[len(tables()):] {
		if err := declaredWell(t, all); err != nil {
			return nil, fmt.Errorf("table %s: %w", t.name, err)
		}
	}
	return all, nil
}

// declaredWell refuses names that are taken and references that lead nowhere.
func declaredWell(t table, all []table) error {
	if slices.ContainsFunc(declared(), func(own table) bool { return own.name == t.name }) {
		return fmt.Errorf("every release has a table of that name")
	}
	for _, ref := range t.declared.References {
		for _, to := range ref.Tables {
			i := slices.IndexFunc(all, func(o table) bool { return o.name == to })
			if i < 0 || !all[i].unique && to != tableSources || to == tableProbes || to == tableVerdicts {
				return fmt.Errorf("column %s refers to %q, which is no table whose rows have ids", ref.Column, to)
			}
		}
	}
	return nil
}

// shapes are the tables that the manifest speaks of, and those that it should.
func (m Manifest) shapes() []table {
	all := tables()
	for _, t := range m.Tables {
		if t.Declared != nil {
			all = append(all, pluggedTable(*t.Declared))
		}
	}
	return all
}

// checkDeclared refuses declarations that no plugin could have made.
func (m Manifest) checkDeclared() error {
	var plugged []pipeline.Table
	for _, t := range m.Tables {
		if t.Declared == nil {
			continue
		}
		if err := t.Declared.Check(); err != nil {
			return fmt.Errorf("manifest: table %s: %w", t.Name, err)
		}
		if t.Name != t.Declared.Name {
			return fmt.Errorf("manifest: table %s is declared as %s", t.Name, t.Declared.Name)
		}
		plugged = append(plugged, *t.Declared)
	}
	if !slices.IsSortedFunc(plugged, func(a, b pipeline.Table) int { return strings.Compare(a.Name, b.Name) }) {
		return fmt.Errorf("manifest: tables are out of order")
	}
	if _, err := withPlugged(plugged); err != nil {
		return fmt.Errorf("manifest: %w", err)
	}
	return nil
}

// plugged checks what rows of plugins' tables refer to.
func (c *checker) plugged(all []table) {
	for _, t := range all {
		if t.declared == nil {
			continue
		}
		for _, r := range c.rows[t.name] {
			for _, ref := range t.declared.Refers(r) {
				if !c.known(refID(ref.ID), ref.Tables...) {
					c.add("%s %v: column %s refers to %q, which is in none of the tables %s", t.name, r[0], ref.Column, ref.ID, strings.Join(ref.Tables, ", "))
				}
			}
		}
	}
}
