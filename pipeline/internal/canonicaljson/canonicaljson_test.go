package canonicaljson

import (
	"bytes"
	"encoding/json"
	"testing"
)

// slowCanonical is what canonical JSON is: the encoder's own form of what the
// decoder reads.
func slowCanonical(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := MarshalCompact(v)
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var tree any
	if err := dec.Decode(&tree); err != nil {
		t.Fatal(err)
	}
	out, err := MarshalCompact(tree)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func FuzzCanonicalJSON(f *testing.F) {
	for _, s := range []string{
		`{}`, `[]`, `null`, `-1.50e+3`, `"a"`, `"\u0041\ud83d\ude00\u2028 é\ud800"`, `{"b":1,"a":[{"z":null,"y":"\"}"},[],{}]}`,
		`{"a":1,"a":2}`, `{"é":1,"e":2,"\u0065":{"q":[true,false]}}`, ` { "b" : [ 1 , 2 ] , "a" : "<&>" } `,
		`{"q":1,"p":2,"o":3,"n":4,"m":5,"l":6,"k":7,"j":8,"i":9,"h":10,"g":11,"f":12,"e":13,"d":14,"c":15,"b":16,"a":17,"A":18}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !json.Valid(raw) {
			if _, err := Marshal(json.RawMessage(raw)); err == nil {
				t.Errorf("%q is no JSON and was taken", raw)
			}
			return
		}
		v := map[string]any{"z": json.RawMessage(raw), "plain": string(raw), "a": []any{json.RawMessage(raw), 1.5}}
		got, err := Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if want := slowCanonical(t, v); !bytes.Equal(got, want) {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}
