package pipeline

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/internal/canonicaljson"
)

// FuzzRecord: a record has the bytes that encoding/json gives it, and bytes are the
// record that encoding/json reads in them, whichever of the two ways they go.
func FuzzRecord(f *testing.F) {
	d := string(DigestOf(nil))
	for _, data := range []string{`{"n":1,"s":"a\n\u00e9\"","l":[true,false,null,-1.5e+3,0,{}],"t":[]}`, `null`, `"é"`, ` {}`, `{"a": 1}`, `01`, `1.`, `{"a":}`, `[1,]`, "\"\x01\"", `"\x"`, `"\u00g0"`, "\"\xff\u2028<&\"", `-`, ``, `1e`, `[[[]]]`, `{"a":1}{}`, strings.Repeat("[", 99) + strings.Repeat("]", 99)} {
		f.Add("id", "schema", data, d)
		f.Add("i\"d", "sché<ma", data, "")
	}
	f.Fuzz(func(t *testing.T, id, schema, data, blob string) {
		r := Record{ID: id, Schema: schema, Data: json.RawMessage(data)}
		if blob != "" {
			r.Blobs = []Digest{Digest(blob), "2"}
		}
		got, err := r.Encode()
		want, wrong := canonicaljson.MarshalCompact(r)
		if (err == nil) != (wrong == nil) || !bytes.Equal(got, want) {
			t.Fatalf("%q (%v), encoding/json gives %q (%v)", got, err, want, wrong)
		}
		for _, b := range [][]byte{got, []byte(data), append([]byte(`{"id":"a","schema":"b","data":`), data...), append([]byte(`{"id":"a","schema":"b","data":1`), data...)} {
			sameRecord(t, b)
		}
	})
}

func sameRecord(t *testing.T, b []byte) {
	t.Helper()
	got, err := DecodeRecord(b)
	var want Record
	wrong := decodeStrict(b, &want)
	if wrong != nil {
		want = Record{}
	}
	if (err == nil) != (wrong == nil) || !reflect.DeepEqual(got, want) {
		t.Fatalf("%q is read as %+v (%v), by encoding/json as %+v (%v)", b, got, err, want, wrong)
	}
}

// TestDecodeAlone takes white space after a value, and nothing else.
func TestDecodeAlone(t *testing.T) {
	for text, well := range map[string]bool{`{"a":1}`: true, " [1]\n\t ": true, `{}}`: false, `[1]]`: false, `{} {}`: false, `1,`: false, `{`: false, ``: false} {
		var v any
		if err := DecodeSingle(json.NewDecoder(strings.NewReader(text)), &v); (err == nil) != well {
			t.Errorf("%q: %v", text, err)
		}
	}
}
