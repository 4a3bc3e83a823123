package release

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/rowschema"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// addDeclared adds the rows of a record to the tables that hold its schema.
func (w *writer) addDeclared(all []pipeline.Table, r pipeline.Record) error {
	i := slices.IndexFunc(all, func(t pipeline.Table) bool { return t.Schema == r.Schema && t.Part == nil })
	if i < 0 {
		return fmt.Errorf("record %q: no table holds schema %q", r.ID, r.Schema)
	}
	rows, err := all[i].Rows(r)
	of := all[i].Tables()
	for _, row := range rows {
		at := slices.IndexFunc(of, func(t pipeline.Table) bool { return t.Name == row.Table })
		err = errors.Join(err, w.add(declaredTable(of[at]), row.Cells))
	}
	return err
}

// flaggedRecords declares the table of judged records, other than questions, that are
// not released in that form.
var flaggedRecords = sync.OnceValue(func() pipeline.Table {
	t, err := pipeline.NewTable[schemas.FlaggedRecord](tableFlaggedRecords, schemas.NameFlagged, []string{"item", "version", "schema"})
	if err != nil {
		panic(err)
	}
	return t
})

// hydrationTable declares the table of how the files of referenced media are made.
var hydrationTable = sync.OnceValue(func() pipeline.Table {
	t, err := pipeline.NewTable[schemas.HydrationStep](tableHydration, schemas.NameHydration, []string{"output"})
	if err != nil {
		panic(err)
	}
	return t
})

// withOwnTables returns the tables of plugins and those that only some releases have.
func (in Input) withOwnTables() []pipeline.Table {
	all := slices.Clone(in.Tables)
	if len(in.Hydration) > 0 {
		all = append(all, hydrationTable())
	}
	if len(in.FlaggedRecords) > 0 {
		all = append(all, flaggedRecords())
	}
	slices.SortFunc(all, func(a, b pipeline.Table) int { return strings.Compare(a.Name, b.Name) })
	return all
}

func declaredTable(t pipeline.Table) table {
	own := recordTable(t)
	own.declared, own.records = &t, t.Part == nil
	return own
}

// withDeclared returns all tables of a release; those of plugins come last, by name.
func withDeclared(plugged []pipeline.Table) ([]table, error) {
	all := tables()
	for _, t := range plugged {
		all = append(all, declaredTable(t))
	}
	for _, t := range all[len(tables()):] {
		if err := checkDeclaration(t, all); err != nil {
			return nil, fmt.Errorf("table %s: %w", t.name, err)
		}
	}
	return all, nil
}

// checkDeclaration refuses names that are taken and references that lead nowhere.
func checkDeclaration(t table, all []table) error {
	if _, taken := findTable(builtinTables(), t.name); taken {
		return fmt.Errorf("every release has a table of that name")
	}
	if p := t.declared.Part; p != nil {
		if of, ok := findDeclared(all, p.Of); !ok || of.declared.Part != nil {
			return fmt.Errorf("its rows are elements of records of %q, which is no table of records", p.Of)
		}
	}
	for _, ref := range t.declared.References {
		for _, to := range ref.Tables {
			if to == pipeline.AnyRecord {
				continue
			}
			if t, _ := findTable(all, to); t.name == "" || !t.unique && to != tableSources || to == tableProbes || to == tableVerdicts {
				return fmt.Errorf("column %s refers to %q, which is no table whose rows have ids", ref.Column, to)
			}
		}
	}
	return nil
}

// shapesOf returns the tables that every release has and those that the manifest
// declares, with the columns of its format.
func shapesOf(m manifest.Manifest) []table {
	all := currentShapes(m)
	for i, t := range all {
		if m.Format < manifest.WideFormat {
			all[i] = t.firstFormat()
		}
	}
	return all
}

// currentShapes returns these tables with all columns.
func currentShapes(m manifest.Manifest) []table {
	all := slices.Clone(tables())
	for _, t := range m.Tables {
		if t.Declared != nil {
			all = append(all, declaredTable(*t.Declared))
		}
	}
	return all
}

// checkDeclared refuses declarations that no plugin could have made.
func checkDeclared(m manifest.Manifest) error {
	var plugged []pipeline.Table
	for _, t := range m.Tables {
		if t.Declared == nil {
			continue
		}
		if err := t.Declared.Check(); err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
		if t.Name != t.Declared.Name {
			return fmt.Errorf("table %s is declared as %s", t.Name, t.Declared.Name)
		}
		err := checkReadColumns(declaredTable(*t.Declared))
		if err == nil && m.Format >= manifest.RuledFormat {
			err = checkShared(m, *t.Declared)
		}
		if err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
		plugged = append(plugged, *t.Declared)
	}
	if !slices.IsSortedFunc(plugged, func(a, b pipeline.Table) int { return strings.Compare(a.Name, b.Name) }) {
		return fmt.Errorf("tables are out of order")
	}
	_, err := withDeclared(plugged)
	return err
}

// sharedTables are the tables of records that several families have, as every registry
// declares them.
var sharedTables = sync.OnceValue(func() []pipeline.Table { return pipeline.NewRegistry().Tables() })

// checkShared refuses a declaration of a shared table that differs from this program's,
// or that lacks the tables of its lists.
func checkShared(m manifest.Manifest, t pipeline.Table) error {
	for _, own := range sharedTables() {
		if own.Schema != t.Schema && own.Name != t.Name {
			continue
		}
		info, _ := m.Table(own.Name)
		if info.Declared == nil {
			return fmt.Errorf("records of schema %s have a table %s as well", t.Schema, own.Name)
		}
		stated, err := json.Marshal(info.Declared)
		want, err2 := json.Marshal(own)
		if errors.Join(err, err2) != nil || !bytes.Equal(stated, want) {
			return fmt.Errorf("%s is declared otherwise than by this memforge (a release is verified by the version of memforge that wrote it)", own.Name)
		}
	}
	return nil
}

// checkReadColumns refuses a table of records that this program reads by their type and
// that has other columns: its rows would be passed over in silence.
func checkReadColumns(t table) error {
	schema, fits := t.declared.Schema, true
	switch {
	case schemas.ReleasedSchema(schema):
		return fmt.Errorf("records of schema %s have another table", schema)
	case t.declared.Part != nil:
	case schema == schemas.NameReview:
		_, fits = columnsOf[schemas.Review](t)
	case schema == schemas.NameSampled:
		_, fits = columnsOf[schemas.Sampled](t)
	case t.name == tableHydration || schema == schemas.NameHydration:
		_, fits = columnsOf[schemas.HydrationStep](t)
		fits = fits && t.name == tableHydration && schema == schemas.NameHydration
	case t.name == tableFlaggedRecords || schema == schemas.NameFlagged:
		_, fits = columnsOf[schemas.FlaggedRecord](t)
		fits = fits && t.name == tableFlaggedRecords
	}
	if !fits {
		return fmt.Errorf("records of schema %s have other columns than these (a release is verified by the version of memforge that wrote it)", schema)
	}
	return nil
}

// declaredRecords decodes the rows of a plugin's table, if it has the columns of the
// type; checkDeclared refuses a manifest that says otherwise.
func declaredRecords[T any](rows rowSource, t table) iter.Seq[T] {
	columns, ok := columnsOf[T](t)
	if !ok {
		return func(func(T) bool) {}
	}
	return valuesOf[T](rows, t, columns)
}

// columnsOf returns the columns of a type, if a table has the same.
func columnsOf[T any](t table) (columns []rowschema.Column, ok bool) {
	keys := make([]string, t.keys)
	for i := range keys {
		keys[i] = t.columns[i].Name
	}
	columns, err := rowschema.Of(reflect.TypeFor[T](), keys...)
	own, err2 := json.Marshal(rowschema.WithoutRules(columns))
	stated, err3 := json.Marshal(rowschema.WithoutRules(t.columns))
	return columns, errors.Join(err, err2, err3) == nil && bytes.Equal(own, stated)
}
