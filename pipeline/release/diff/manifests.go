package diff

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/release/manifest"
)

// manifests compares what two manifests say besides versions, digests and rows.
func (c *comparison) manifests(before, after manifest.Manifest) error {
	a, err := members(before)
	if err != nil {
		return err
	}
	b, err := members(after)
	if err != nil {
		return err
	}
	for _, k := range keysOf(a, b) {
		if reflect.DeepEqual(a[k], b[k]) {
			continue
		}
		c.see(Change{Table: manifestName, ID: k, Kind: Changed, Classes: []Class{Packaging}, Fields: appendJSON(nil, k, a[k], b[k])})
	}
	return nil
}

// members returns the parts of a manifest that are compared as they are. The rest is
// compared as rows, counts rows, or follows from all else.
func members(m manifest.Manifest) (map[string]any, error) {
	m.Files = nil
	encoded, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	out := map[string]any{}
	if err := json.Unmarshal(encoded, &out); err != nil {
		return nil, err
	}
	for _, k := range []string{"id", "name", "version", "previous", "format", "files", "tables", "judged", "funnel", "build_key"} {
		delete(out, k)
	}
	return out, nil
}

// mostParts is how many differences within a part of the manifest are listed.
const mostParts = 20

// appendJSON adds the paths at which two JSON values differ.
func appendJSON(fields []Field, path string, a, b any) []Field {
	x, isMap := a.(map[string]any)
	y, isMap2 := b.(map[string]any)
	v, isList := a.([]any)
	w, isList2 := b.([]any)
	switch {
	case reflect.DeepEqual(a, b) || len(fields) == mostParts:
	case isMap && isMap2:
		for _, k := range keysOf(x, y) {
			fields = appendJSON(fields, path+"."+k, x[k], y[k])
		}
	case isList && isList2 && len(v) == len(w):
		for i := range v {
			fields = appendJSON(fields, fmt.Sprintf("%s[%d]", path, i+1), v[i], w[i])
		}
	default:
		fields = append(fields, Field{path, a, b})
	}
	return fields
}

func keysOf(a, b map[string]any) []string {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(keys)
	return slices.Compact(keys)
}

// files compares the files that are neither tables nor media, both sorted by path.
func (c *comparison) files(before, after []manifest.FileInfo) {
	see := func(path string, kind Kind) {
		c.see(Change{Table: filesName, ID: path, Kind: kind, Classes: []Class{Packaging}})
	}
	for len(before) > 0 || len(after) > 0 {
		order := 0
		switch {
		case len(before) == 0:
			order = 1
		case len(after) == 0:
			order = -1
		default:
			order = strings.Compare(before[0].Path, after[0].Path)
		}
		switch {
		case order < 0:
			see(before[0].Path, Gone)
		case order > 0:
			see(after[0].Path, Added)
		case before[0].SHA256 != after[0].SHA256:
			see(after[0].Path, Changed)
		}
		if order <= 0 {
			before = before[1:]
		}
		if order >= 0 {
			after = after[1:]
		}
	}
}

// filesName stands for the name of a table where a file changed.
const filesName = "files"
