package audit

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// differing names the columns of a row that are others than those of another
// row of its type, with both values. A list or map without elements is like none.
func differing(stated, follows any) []string {
	var out []string
	s, f := reflect.ValueOf(stated), reflect.ValueOf(follows)
	for i := range s.NumField() {
		a, b := s.Field(i), f.Field(i)
		if alike(a, b) {
			continue
		}
		name, _, _ := strings.Cut(s.Type().Field(i).Tag.Get("json"), ",")
		switch {
		case a.Kind() == reflect.Map:
			out = append(out, differingKeys(name, a.Interface().(map[string]string), b.Interface().(map[string]string))...)
		case a.Kind() == reflect.Slice && a.Len() == b.Len():
			for j := range a.Len() {
				if !alike(a.Index(j), b.Index(j)) {
					out = append(out, says(fmt.Sprintf("%s[%d]", name, j), a.Index(j).Interface(), b.Index(j).Interface()))
				}
			}
		default:
			out = append(out, says(name, a.Interface(), b.Interface()))
		}
	}
	return out
}

func sameColumns(stated, follows any) bool { return len(differing(stated, follows)) == 0 }

func alike(a, b reflect.Value) bool {
	if k := a.Kind(); (k == reflect.Slice || k == reflect.Map) && a.Len() == 0 && b.Len() == 0 {
		return true
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

func differingKeys(name string, a, b map[string]string) []string {
	var out []string
	keys := append(slices.Collect(maps.Keys(a)), slices.Collect(maps.Keys(b))...)
	slices.Sort(keys)
	for _, k := range slices.Compact(keys) {
		x, inA := a[k]
		y, inB := b[k]
		if x != y || inA != inB {
			out = append(out, says(name+"."+k, x, y))
		}
	}
	return out
}

func says(name string, stated, follows any) string {
	return fmt.Sprintf("%s is %+v, from events, labels and recipe follows %+v", name, stated, follows)
}
