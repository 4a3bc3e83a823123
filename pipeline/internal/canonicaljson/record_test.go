package canonicaljson

import (
	"fmt"
	"strings"
	"testing"
)

// TestRecordsAreSpeltAsEver: a record in the usual spelling is written and read without
// reflection, and what is spelt otherwise is left to encoding/json.
func TestRecordsAreSpeltAsEver(t *testing.T) {
	for _, c := range []struct {
		id, schema, data string
		blobs            []string
		want             string // empty where the spelling is another one
	}{
		{"a", "b", `{"x": 1}`, nil, `{"id":"a","schema":"b","data":{"x":1}}`},
		{"a", "b", `{}`, []string{"c"}, `{"id":"a","schema":"b","data":{},"blobs":["c"]}`},
		{"", "", `3`, []string{"c", "d"}, `{"id":"","schema":"","data":3,"blobs":["c","d"]}`},
		{"a b", "~", `[",\"blobs\":[\""]`, nil, `{"id":"a b","schema":"~","data":[",\"blobs\":[\""]}`},
		{"a\"", "b", `1`, nil, ""}, {"a\\", "b", `1`, nil, ""}, {"a\n", "b", `1`, nil, ""}, {"ä", "b", `1`, nil, ""}, {"a", "b\x1f", `1`, nil, ""}, {"a", "b", `1`, []string{"c", "\""}, ""}, {"a", "b", `{`, nil, ""},
	} {
		b, ok := EncodeRecord(c.id, c.schema, []byte(c.data), c.blobs)
		if string(b) != c.want || ok != (c.want != "") {
			t.Errorf("%+v is written %q, %t", c, b, ok)
		}
		if !ok {
			continue
		}
		id, schema, data, blobs, ok := DecodeRecord[string](b)
		if want := strings.ReplaceAll(c.data, ": ", ":"); !ok || id != c.id || schema != c.schema || string(data) != want || fmt.Sprint(blobs) != fmt.Sprint(c.blobs) {
			t.Errorf("%s is read %q %q %s %q %t", b, id, schema, data, blobs, ok)
		}
	}
	for _, other := range []string{
		"", `{"id":"a"`, `{"ID":"a","schema":"b","data":1}`, `{"id":"a","schema":"b","data":1`, `{"id":"a","schema":"b","data":1} `, `{"id":"a", "schema":"b","data":1}`, `{"id":"a","schema":"b", "data":1}`, `{"id":"a","schema":"b","data": 1}`,
		`{"id":"a","schema":"b","data":1 }`, `{"id":"a","schema":"b","data":}`, `{"id":"a","schema":"b","data":1,"blobs":["c]}`, `{"id":"a","schema":"b","data":1,"blobs":[]}`, `{"id":"a","schema":"b","data":1,"blobs":["\u0041"]}`, `{"id":"\u0041","schema":"b","data":1}`,
		`{"id":"a","schema":"b","data":1,"more":2}`, `{"id":"a","schema":"b","data":1 ,"blobs":["c"]}`,
	} {
		if id, schema, data, blobs, ok := DecodeRecord[string]([]byte(other)); ok {
			t.Errorf("%s is read %q %q %s %q", other, id, schema, data, blobs)
		}
	}
}
