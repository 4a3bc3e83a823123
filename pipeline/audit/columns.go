package audit

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// differingColumns names the columns of a row that are others than those of another
// row of its type, with both values. A list or map without elements is like none.
func differingColumns(stated, follows any) []string {
	var out []string
	s, f := reflect.ValueOf(stated), reflect.ValueOf(follows)
	for i := range s.NumField() {
		a, b := s.Field(i), f.Field(i)
		if equalValues(a, b) {
			continue
		}
		name, _, _ := strings.Cut(s.Type().Field(i).Tag.Get("json"), ",")
		switch {
		case a.Kind() == reflect.Map:
			out = append(out, differingKeys(name, a.Interface().(map[string]string), b.Interface().(map[string]string))...)
		case a.Kind() == reflect.Slice && a.Len() == b.Len():
			for j := range a.Len() {
				if !equalValues(a.Index(j), b.Index(j)) {
					out = append(out, differenceText(fmt.Sprintf("%s[%d]", name, j), a.Index(j).Interface(), b.Index(j).Interface()))
				}
			}
		default:
			out = append(out, differenceText(name, a.Interface(), b.Interface()))
		}
	}
	return out
}

func sameColumns(stated, follows any) bool { return len(differingColumns(stated, follows)) == 0 }

func equalValues(a, b reflect.Value) bool {
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
			out = append(out, differenceText(name+"."+k, x, y))
		}
	}
	return out
}

func differenceText(name string, stated, follows any) string {
	return fmt.Sprintf("%s is %+v, from events, labels and recipe follows %+v", name, stated, follows)
}
