package release

import (
	"fmt"

	"github.com/memforge/memforge/pipeline"
)

// RowsOf gives the records of a plugin's table by the type that it was declared with.
// A release that has the table not, or with other columns, is an error.
func RowsOf[T any](c Contents, name string) ([]T, error) {
	info, found := c.Manifest.table(name)
	if !found || info.Declared == nil {
		return nil, fmt.Errorf("release %s has no table %s of a plugin", c.Manifest.ID, name)
	}
	var keys []string
	for _, k := range info.Declared.Columns[:info.Declared.Keys] {
		keys = append(keys, k.Name)
	}
	t, err := pipeline.NewTable[T](name, info.Declared.Schema, keys, info.Declared.References...)
	if err != nil {
		return nil, fmt.Errorf("table %s of release %s: %w", name, c.Manifest.ID, err)
	}
	if !c.Has(t) {
		return nil, fmt.Errorf("table %s of release %s has other columns than %T", name, c.Manifest.ID, *new(T))
	}
	out := []T{}
	for r, err := range c.Records(t) {
		if err != nil {
			return nil, err
		}
		v, err := pipeline.Decode[T](r)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}
